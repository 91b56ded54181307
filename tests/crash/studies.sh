# What is asked of trained models: each answer is one transaction, so that whoever is killed has lost
# what was under way and nothing else, and the same command comes to what an undisturbed one does.
choose_sweep small '[1, 2, 4]' 120 16

# A copy of the trained sweep, of which nothing was asked.
trained() { # db
    fresh "$1"
    cp "$dir/small.db" "$1" && cp -r "$dir/small.db.d" "$1.d"
}
# All that was measured, but for when and how fast.
measured() { # db
    sqlite3 "$1" "SELECT * FROM head_metric; SELECT * FROM layer_metric; SELECT * FROM head_slot;
        SELECT trial_id, method, kept, removed, val_acc, test_acc, n_params FROM pruning;
        SELECT trial_id, name, options, checkpoint_sha256 FROM study; PRAGMA integrity_check;
        PRAGMA foreign_key_check" 2>&1
}
answers_in() { # db: those that are acknowledged in the state a crash left, looked at in a copy
    rm -f "$dir"/copy.db*
    for suffix in '' -wal -journal; do
        [ -e "$1$suffix" ] && cp "$1$suffix" "$dir/copy.db$suffix"
    done
    [ -s "$dir/copy.db" ] && sqlite3 "$dir/copy.db" "SELECT trial_id, answered FROM study" 2>/dev/null
}
trained "$dir/asked.db"
limited "$headcount" heads --db "$dir/asked.db" -q || trouble "undisturbed: $(tail -n 3 "$dir/said")"
measured "$dir/asked.db" >"$dir/asked"
# Asks again, and holds it against what an undisturbed command came to.
asked_whole() { # label
    answers_in "$db" >"$dir/acknowledged"
    limited "$headcount" heads --db "$db" -q || trouble "$1: asking again gave status $?: $(tail -n 3 "$dir/said")"
    measured "$db" >"$dir/got"
    cmp "$dir/asked" "$dir/got" >"$dir/said" 2>&1 || trouble "$1: $(cat "$dir/said")"
    sqlite3 "$db" "SELECT trial_id, answered FROM study" >"$dir/got"
    while read -r row; do
        grep -qxF "$row" "$dir/got" || trouble "$1: the acknowledged answer $row was computed again"
    done <"$dir/acknowledged"
}
db=$dir/ask.db
freshly_trained() {
    trained "$db"
}
change_fails_everywhere asking freshly_trained asked_whole FAULT_WHO=coordinator heads --db "$db" -q -j 1

kill_askers() {
    trained "$db"
    hits=0 sweeps=0 tries=0
    while [ "$hits" -lt "$kills" ] && [ "$tries" -lt $((5 * kills)) ]; do
        tries=$((tries + 1))
        setsid "$headcount" heads --db "$db" -q -j 2 >"$dir/said" 2>&1 </dev/null &
        pid=$!
        started="$started $pid"
        random 120
        pause $((drawn + 5))
        random 4
        victim=$(echo coordinator agent workers group | cut -d ' ' -f $((drawn + 1)))
        is_over "$pid"
        [ "$state" != Z ] && [ -n "$state" ] && one_kill $victim && hits=$((hits + 1))
        await "kill $hits ($victim)" "$pid"
        no_orphans "kill $hits ($victim)" "$pid"
        if [ "$code" -eq 0 ] || [ $((hits % 7)) -eq 0 ]; then
            sweeps=$((sweeps + 1))
            asked_whole "kill $hits ($victim)"
            trained "$db"
        fi
    done
    asked_whole "the last kill"
    injected=$((injected + hits))
    [ "$hits" -eq "$kills" ] || trouble "only $hits of $kills kills met something alive"
    verdict "asking: $hits kills at random instants, nothing lost, nothing measured twice"
}
kill_askers

# HEADCOUNT_SILENCE_S stands for the minute that a user's worker has.
hung_asker() {
    name="asking, a worker that hangs is ended and its trial named; the others are measured"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    fault_calls=start
    trained "$db"
    export HEADCOUNT_SILENCE_S=1
    faulty FAULT_WHO=worker FAULT_DO=sleep FAULT_AT=2 -- heads --db "$db" -q -j 1
    unset HEADCOUNT_SILENCE_S
    status_in "$name" 1
    tells "$name" "^trial [0-9]* .*its worker gave no sign of life for 1 s"
    [ "$(sqlite3 "$db" "SELECT count(*) FROM study")" = 2 ] || trouble "not the others: $(cat "$dir/said")"
    asked_whole "$name"
    verdict "$name"
}
hung_asker
