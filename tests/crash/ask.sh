# ask: killed at random instants, again and again, until it has ended: the sweep file that is there once is there
# whole and stays as it is, and the trials are those of a run that nobody disturbed.
ask_options="--task copy --length 6 --set model.d_model=8 --set model.heads=[1,2] --set train.steps=120
    --set train.batch=8 --set train.eval_every=60 --set seeds=3 --set confirm=6 --set tune=null --set train.lr=2e-2"
ask_in() { # folder: in the background, in a process group of its own; $pid
    mkdir -p "$1"
    (cd "$1" && exec setsid "$headcount" ask $ask_options --yes --db r.db) >"$dir/said" 2>&1 </dev/null &
    pid=$!
    started="$started $pid"
}
# The sweep file is not there, or is whole: its last line is that of ask, and plan reads it.
whole_file() { # label, folder
    [ -e "$2/copy.headcount.yaml" ] || return 0
    tail -n 1 "$2/copy.headcount.yaml" | grep -q '^# headcount ask .*, sha256 [0-9a-f]\{64\}$' ||
        trouble "$1: the sweep file is torn: $(tail -n 1 "$2/copy.headcount.yaml")"
    [ -e "$2.first" ] || cp "$2/copy.headcount.yaml" "$2.first"
    cmp "$2/copy.headcount.yaml" "$2.first" || trouble "$1: the sweep file has changed"
}
kill_ask() {
    folder=$dir/ask hits=0 rounds=0 tries=0
    until [ "$hits" -ge "$ask_kills" ] || [ $tries -gt $((20 * ask_kills)) ]; do
        tries=$((tries + 1))
        [ -e "$folder" ] || rounds=$((rounds + 1))
        ask_in "$folder"
        random 400
        pause $((drawn + 3))
        random 2
        victim=$(echo coordinator group | cut -d ' ' -f $((drawn + 1)))
        is_over "$pid" || { one_kill "$victim" && hits=$((hits + 1)); }
        await "kill $hits ($victim)" "$pid"
        no_orphans "kill $hits ($victim)" "$pid"
        whole_file "kill $hits ($victim)" "$folder"
        if [ "$code" -eq 0 ] || [ $((hits % 10)) -eq 9 ]; then
            end_ask "kill $hits ($victim)" "$folder"
        fi
    done
    end_ask "the last kill" "$folder"
    injected=$((injected + hits))
    [ "$hits" -ge "$ask_kills" ] || trouble "only $hits of $ask_kills kills met something alive"
    verdict "ask, $hits kills at random instants over $rounds sweeps, each the same to its end"
}
# Once more, to the end; then its sweep file is run elsewhere, undisturbed.
end_ask() { # label, folder
    ask_in "$2"
    await "$1, to its end" "$pid"
    [ "$code" -eq 0 ] || trouble "$1: to its end: status $code: $(tail -n 3 "$dir/said")"
    whole_file "$1" "$2"
    [ -e "$2/copy.headcount.html" ] || trouble "$1: there is no page"
    limited "$headcount" run "$2/copy.headcount.yaml" --db "$2/whole.db" -q
    "$headcount" export results --db "$2/whole.db" >"$2/whole.jsonl"
    "$headcount" export results --db "$2/r.db" | cmp - "$2/whole.jsonl" || trouble "$1: other trials than undisturbed"
    "$headcount" check --db "$2/r.db" >"$dir/said" || trouble "$1: check: $(cat "$dir/said")"
    ls "$2" | grep -q '\.tmp$' && trouble "$1: something unfinished is left: $(ls "$2")"
    rm -rf "$2" "$2.first"
}
ask_kills=50
long || ask_kills=5
kill_ask
