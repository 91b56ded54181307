# What tests share of a sweep that is stopped and killed again and again; sourced behind tap.sh, in the scratch
# folder. $sweep is its file; whole.jsonl, which the test makes, is what it comes to undisturbed.
export HEADCOUNT_CHECKPOINT_S=0.05
sql() { sqlite3 "$1" "$2"; }
run() { # db, arguments...
    db=$1
    shift
    "$headcount" run "$sweep" --db "$db" --quiet "$@"
}
same_export() { # db: equal to the undisturbed run's
    "$headcount" export results --db "$1" >"$1.jsonl" && cmp whole.jsonl "$1.jsonl"
}
once_each() { # db: what completed did so once, the rest is not needed, and nothing is left over
    [ "$(sql "$1" "SELECT count(*) FROM trial WHERE state NOT IN ('completed', 'not_needed')")" = 0 ] &&
        [ "$(sql "$1" "SELECT count(*) FROM trial AS t WHERE (state = 'completed') <>
            (SELECT count(*) FROM attempt AS a WHERE a.trial_id = t.trial_id AND outcome = 'completed')")" = 0 ] &&
        [ "$(sql "$1" "SELECT count(*) FROM attempt WHERE ended IS NULL")" = 0 ] &&
        "$headcount" check --db "$1" && ! ls "$1.d" | grep -q ckpt
}
# Until the run $pid has begun so many attempts more than $seen, or has ended.
begins() { # db, attempts
    wait_beside $pid sh -c "[ \"\$(sqlite3 '$1' 'SELECT count(*) FROM attempt' 2>/dev/null)\" -ge $((${seen:-0} + $2)) ]"
}
# Stops it four times, with another number of workers each time, when so many attempts have begun and the Nth
# worker pauses; then it goes on.
stop_and_resume() { # db, N, attempts
    for workers in 1 3 2 4; do
        env $(pausing stop start "$2" all) setsid "$headcount" run "$sweep" --db "$1" --quiet -j $workers \
            2>>stop.err >/dev/null &
        pid=$!
        seen=$(sql "$1" 'SELECT count(*) FROM attempt' 2>/dev/null)
        begins "$1" "$3"
        wait_beside $pid pauses $pid
        kill -TERM -$pid
        wait $pid
        stopped=$?
    done
    check "stopped four times, with another number of workers each time" [ $stopped -eq 75 ]
}
# Kills its coordinator five times, each time when so many attempts have begun.
kill_and_resume() { # db, attempts
    for round in 1 2 3 4 5; do
        "$headcount" run "$sweep" --db "$1" --quiet -j $((round % 3 + 1)) 2>>kill.err >/dev/null &
        pid=$!
        seen=$(sql "$1" 'SELECT count(*) FROM attempt' 2>/dev/null)
        begins "$1" "$2"
        kill -KILL $pid
        wait $pid 2>/dev/null
    done
    check "after kill -9 of the coordinator it goes on" run "$1"
    # A kill between the writing of a result and the removal of its checkpoints leaves these to gc.
    "$headcount" gc --db "$1" >/dev/null
    goes_on_alike "$1"
}
goes_on_alike() { # db
    check "... to the same bytes" same_export "$1"
    check "... and what completed did so once" once_each "$1"
}
