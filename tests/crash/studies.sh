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
asked_whole() { # label, db
    answers_in "$2" >"$dir/acknowledged"
    limited "$headcount" heads --db "$2" -q || trouble "$1: asking again gave status $?: $(tail -n 3 "$dir/said")"
    measured "$2" >"$dir/got"
    cmp "$dir/asked" "$dir/got" >"$dir/said" 2>&1 || trouble "$1: $(cat "$dir/said")"
    sqlite3 "$2" "SELECT trial_id, answered FROM study" >"$dir/got"
    while read -r row; do
        grep -qxF "$row" "$dir/got" || trouble "$1: the acknowledged answer $row was computed again"
    done <"$dir/acknowledged"
}
ask_everywhere() { # name, calls, FAULT_ settings, pattern of the message ('': it is killed), points
    if ! can_inject; then
        skip "$1" "a plain build"
        return
    fi
    db=$dir/ask.db fault_calls=$2
    trained "$db"
    faulty FAULT_WHO=coordinator FAULT_AT=0 -- heads --db "$db" -q -j 1
    status_in "$1, undisturbed" 0
    total=$(matched)
    hits=0
    for at in $(points "$total" "$5"); do
        trained "$db"
        faulty FAULT_WHO=coordinator FAULT_AT="$at" $3 -- heads --db "$db" -q -j 1
        label="$1 $at of $total ($(head -n 1 "$count.fired" 2>/dev/null))"
        [ "$fired" = 1 ] || trouble "$label: did not happen"
        hits=$((hits + fired))
        [ -z "$4" ] || { status_in "$label" 0 3 75 && tells_failure "$label" "$4|unable to open"; }
        asked_whole "$label" "$db"
    done
    verdict "$1: $hits of $total calls, all measured later and none twice"
}
changes="open mkdir write sync rename unlink truncate"
ask_everywhere "asking, killed at a call that changes a file" "$changes" FAULT_DO=kill '' 8
ask_everywhere "asking, a call that changes a file finds the disk full" "write" FAULT_DO=ENOSPC 'full|No space' 5
ask_everywhere "asking, a sync fails" "sync" FAULT_DO=EIO 'sync|disk I/O|Input/output' 5

kill_askers() {
    db=$dir/ask.db
    trained "$db"
    hits=0 sweeps=0 tries=0
    while [ "$hits" -lt "$kills" ] && [ "$tries" -lt $((5 * kills)) ]; do
        tries=$((tries + 1))
        setsid "$headcount" heads --db "$db" -q -j 2 >"$dir/said" 2>&1 </dev/null &
        pid=$!
        started="$started $pid"
        random 120
        pause $((drawn + 5))
        random 3
        victim=$(echo coordinator workers group | cut -d ' ' -f $((drawn + 1)))
        is_over "$pid"
        [ "$state" != Z ] && [ -n "$state" ] && one_kill $victim && hits=$((hits + 1))
        await "kill $hits ($victim)" "$pid"
        no_orphans "kill $hits ($victim)" "$pid"
        if [ "$code" -eq 0 ] || [ $((hits % 7)) -eq 0 ]; then
            sweeps=$((sweeps + 1))
            asked_whole "kill $hits ($victim)" "$db"
            trained "$db"
        fi
    done
    asked_whole "the last kill" "$db"
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
    db=$dir/ask.db fault_calls=start
    trained "$db"
    export HEADCOUNT_SILENCE_S=1
    faulty FAULT_WHO=worker FAULT_DO=sleep FAULT_AT=2 -- heads --db "$db" -q -j 1
    unset HEADCOUNT_SILENCE_S
    status_in "$name" 1
    tells "$name" "^trial [0-9]* .*its worker gave no sign of life for 1 s"
    [ "$(sqlite3 "$db" "SELECT count(*) FROM study")" = 2 ] || trouble "not the others: $(cat "$dir/said")"
    asked_whole "$name" "$db"
    verdict "$name"
}
hung_asker
