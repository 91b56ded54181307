# Requests to stop, at random instants: one or two signals, to the coordinator or as a terminal sends
# them to the whole group, with OpenBLAS's threads in the way.
choose_sweep small '[1, 2, 4]' 120 16

signal_at_random() {
    db=$dir/signals.db
    fresh "$db"
    hits=0
    twice_hits=0 empty=0
    while [ "$hits" -lt "$kills" ] && [ $empty -lt 50 ]; do
        export OPENBLAS_NUM_THREADS=8
        begin "$db" -j 2
        unset OPENBLAS_NUM_THREADS
        random 200
        pause $((drawn + 5))
        random 4
        name=$(echo INT TERM HUP USR1 | cut -d ' ' -f $((drawn + 1)))
        number=$(echo 2 15 1 10 | cut -d ' ' -f $((drawn + 1)))
        random 2
        to=$([ "$drawn" = 0 ] && echo "$pid" || echo "-$pid")
        random 3
        twice=$((drawn == 0))
        if is_over "$pid"; then
            empty=$((empty + 1))
        else
            kill -"$name" "$to" 2>/dev/null
            hits=$((hits + 1)) empty=0
            if [ $twice = 1 ]; then
                random 30
                pause "$drawn"
                kill -"$name" "$to" 2>/dev/null
                twice_hits=$((twice_hits + 1))
            fi
        fi
        await "signal $hits ($name to $to)" "$pid"
        # 128 + signal also where it came before the program took signals at all.
        status_in "signal $hits ($name to $to, twice=$twice)" 0 75 $((128 + number))
        no_orphans "signal $hits ($name to $to)" "$pid"
        if [ "$code" -eq 0 ]; then
            same_results "signal $hits" "$db"
            fresh "$db"
        fi
    done
    whole "the last signal" "$db"
    injected=$((injected + hits))
    [ "$hits" -eq "$kills" ] || trouble "only $hits of $kills signals met something alive"
    verdict "$hits stops by signals ($twice_hits of them twice), no hang, no orphan, nothing lost"
}
signal_at_random

# A stop in mid-trial saves a checkpoint and goes on from it.
stop_saves() {
    db=$dir/signals.db
    fresh "$db"
    export HEADCOUNT_CHECKPOINT_S=1000
    begin "$db" -j 1 --set train.steps=1000000 --set train.eval_every=20
    wait_until curve_has_begun "$db" || trouble "no curve row came"
    kill -TERM "$pid"
    await "SIGTERM" "$pid"
    export HEADCOUNT_CHECKPOINT_S=0
    status_in "SIGTERM" 75
    at=$(sqlite3 "$db" "SELECT max(resume_step) FROM trial")
    [ "$at" -gt 0 ] || trouble "it would go on from step $at"
    verdict "a stop in the middle of a trial: status 75, a checkpoint is there"
}
curve_has_begun() { # db
    [ "$(sqlite3 "$1" "SELECT count(*) FROM curve")" -gt 0 ]
}
stop_saves

pipe_without_reader() {
    db=$dir/signals.db
    fresh "$db"
    { "$headcount" run "$sweep" --db "$db" 2>&1; echo $? >"$dir/status"; } | true
    code=$(cat "$dir/status")
    : >"$dir/said"
    status_in "output into a closed pipe" 0 3
    whole "output into a closed pipe" "$db"
    verdict "SIGPIPE: nobody reads stdout and stderr, the sweep is done all the same"
}
pipe_without_reader

# The worker's side of the pipe: a coordinator that is gone, where the system does not take the
# worker along. It has to notice by itself, and what it still writes must not matter.
stale_worker() {
    name="a paused worker that outlived its coordinator comes back late: changes nothing"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    db=$dir/signals.db
    fresh "$db"
    begin_paused "$db" 3 FAULT_ORPHAN=1 -- -j 1
    stale=$worker agent=$(agent_of "$pid")
    kill -STOP "$agent" # an agent that hears of the coordinator's end asks its worker to stop, which wakes it
    wait_until is_paused "$agent" || trouble "the agent is not paused"
    kill -KILL "$pid" "$agent"
    await "the coordinator" "$pid"
    is_paused "$stale" || trouble "the worker is not paused but '$state'"
    run "$db" || trouble "beside the stale worker: status $?: $(tail -n 3 "$dir/said")"
    same_results "beside the stale worker" "$db"
    sqlite3 "$db" .dump >"$dir/before.sql"
    kill -CONT "$stale"
    wait_until is_over "$stale" || trouble "the stale worker goes on forever"
    sqlite3 "$db" .dump | cmp - "$dir/before.sql" || trouble "the stale worker changed the file"
    [ "$(sqlite3 "$db" "SELECT max(attempt) FROM trial")" = 2 ] || trouble "it was not run again"
    whole "after the stale worker" "$db"
    injected=$((injected + 1))
    verdict "$name"
}
stale_worker

paused_worker() {
    name="a paused worker is waited for"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    db=$dir/signals.db
    fresh "$db"
    begin_paused "$db" 3 -- -j 1
    pause 2500
    is_over "$pid" && trouble "the run did not wait"
    kill -CONT "$worker"
    await "the run" "$pid"
    status_in "the run" 0
    same_results "the run" "$db"
    [ "$(sqlite3 "$db" "SELECT count(*) FROM attempt WHERE attempt > 1")" = 0 ] ||
        trouble "a paused worker was taken for dead"
    injected=$((injected + 1))
    verdict "$name"
}
paused_worker

clock_moves() {
    name="the wall clock jumps by a day, forth and back: no false expiry"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    db=$dir/signals.db
    fresh "$db"
    limited env FAULT_CLOCK=86400 LD_PRELOAD="$inject" "$headcount" run "$sweep" --db "$db" --quiet \
        --set limits.time=1h || trouble "status $?: $(tail -n 3 "$dir/said")"
    same_results "the run" "$db"
    [ "$(sqlite3 "$db" "SELECT count(*) > 0 FROM attempt
        WHERE abs(julianday(ended) - julianday(started)) > .5")" = 1 ] ||
        trouble "the clock did not jump"
    [ "$(sqlite3 "$db" "SELECT max(train_s) < 60 FROM trial")" = 1 ] || trouble "a duration jumped"
    injected=$((injected + 1))
    verdict "$name"
}
clock_moves
