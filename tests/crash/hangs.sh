# Workers that hang or are paused at a bad moment, what a killed one leaves behind, and a run that is
# asked to stop whatever holds it up.
choose_sweep small '[1, 2, 4]' 120 16
db=$dir/hangs.db

# What the attempts of the file came to, hung ones by their reason.
errors_in() { # db
    sqlite3 "$1" "SELECT trial_id, outcome, error FROM attempt WHERE error IS NOT NULL"
}
seconds_since() { # start
    echo $(($(date +%s) - $1))
}

# HEADCOUNT_SILENCE_S stands for the minute that a user's worker has.
hang() { # spin | sleep, in words
    name="a worker that hangs ($2) is ended, its trial goes on from its checkpoint, the others are not disturbed"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    fresh "$db"
    fault_calls=rename
    export HEADCOUNT_SILENCE_S=1
    faulty FAULT_WHO=worker FAULT_DO="$1" FAULT_OVER=1 FAULT_AT=20 -- run "$sweep" --db "$db" --quiet -j 2
    unset HEADCOUNT_SILENCE_S
    status_in "$1" 0
    [ $fired = 1 ] || trouble "no worker hung"
    same_results "$1" "$db"
    case $(errors_in "$db") in
    *"|failed|gave no sign of life for 1 s"*) ;;
    *) trouble "$1: not the reason: $(errors_in "$db")" ;;
    esac
    [ "$(sqlite3 "$db" "SELECT count(*), sum(retries_used), max(resume_step) > 0 FROM trial
        WHERE attempt > 1")" = "1|1|1" ] || trouble "$1: $(sqlite3 "$db" "SELECT * FROM trial")"
    verdict "$name"
}

# Retries are used up: the trial fails, and can be tried again.
hangs_again() {
    name="a trial that hangs at every attempt fails with the reason"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    fresh "$db"
    fault_calls=rename
    export HEADCOUNT_SILENCE_S=1
    faulty FAULT_WHO=worker FAULT_DO=spin FAULT_AT=40 FAULT_LASTS=1 -- \
        run "$sweep" --db "$db" --quiet -j 1 --set model.heads=2 --set retries=1
    unset HEADCOUNT_SILENCE_S
    status_in "again" 1
    [ "$(sqlite3 "$db" "SELECT state, attempt FROM trial")" = "failed|2" ] ||
        trouble "$(sqlite3 "$db" "SELECT * FROM trial")"
    verdict "$name"
}

# Begun first and looked at last: it takes what a run has to stop, 10 s at most. The worker sleeps, as
# one that computes is not silent while a busy machine does not let it.
begin_stop_of_hung() {
    stop_db=$dir/stop.db
    rm -f "$dir/stop" "$dir/stop.fired"
    fresh "$stop_db"
    setsid env FAULT_WHO=worker FAULT_CALLS=rename FAULT_DO=sleep FAULT_AT=40 \
        FAULT_COUNT="$dir/stop" LD_PRELOAD="$inject" \
        "$headcount" run "$sweep" --db "$stop_db" --quiet -j 2 >"$dir/stop.said" 2>&1 </dev/null &
    stop_pid=$!
    started="$started $stop_pid"
    wait_until test -s "$dir/stop.fired" || trouble "no worker hung"
    kill -TERM $stop_pid
    (
        stop_start=$(date +%s)
        wait_until is_over $stop_pid
        seconds_since "$stop_start" >"$dir/stop.took"
    ) &
    stop_clock=$!
}
end_stop_of_hung() {
    await "SIGTERM beside a hung worker" $stop_pid
    wait $stop_clock
    took=$(cat "$dir/stop.took")
    cp "$dir/stop.said" "$dir/said"
    status_in "SIGTERM beside a hung worker" 75
    [ "$took" -le "$(seconds 11)" ] || trouble "it took $took s"
    no_orphans "SIGTERM beside a hung worker" $stop_pid
    errors_in "$stop_db" | grep -q '|failed|had 8 s to stop and did not, nor gave a sign of life' ||
        trouble "not the reason: $(errors_in "$stop_db")"
    whole "SIGTERM beside a hung worker" "$stop_db"
    verdict "SIGTERM ends a run within 10 s beside a worker that hangs; its checkpoint stays"
}

# What holds the coordinator itself up: a file that another program does not let go, a reader of
# stderr that does not read.
stop_beside_writer() {
    db=$dir/hangs.db
    fresh "$db"
    begin "$db" -j 2 --set train.steps=1000000 --set train.eval_every=1000000
    wait_until has_attempts "$db" || trouble "nothing runs"
    hold "$db" "BEGIN IMMEDIATE"
    start=$(date +%s)
    kill -TERM "$pid"
    await "SIGTERM while the file is locked" "$pid"
    touch "$dir/go"
    wait "$holder"
    status_in "SIGTERM while the file is locked" 75
    [ "$(seconds_since "$start")" -le "$(seconds 11)" ] || trouble "it took $(seconds_since "$start") s"
    no_orphans "SIGTERM while the file is locked" "$pid"
    limited "$headcount" check --db "$db" || trouble "check: $(cat "$dir/said")"
    verdict "SIGTERM ends a run within 10 s while another program holds the results file"
}
has_attempts() { # db
    [ "$(sqlite3 "$1" "SELECT count(*) FROM attempt WHERE pid IS NOT NULL")" -gt 0 ]
}
takes_signals() { # pid: SIGTERM does not simply end it
    [ $((0x$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$1/status") >> 14 & 1)) = 1 ]
}
stop_without_reader() {
    fresh "$db"
    mkfifo "$dir/fifo"
    sleep 60 <"$dir/fifo" &
    reader=$!
    # Filled up, so that the first word of the run waits.
    setsid sh -c 'dd if=/dev/zero of="$1" bs=64k count=16 conv=notrunc oflag=nonblock 2>/dev/null
        shift; exec "$@"' sh "$dir/fifo" "$headcount" run "$sweep" --db "$db" -j 2 \
        >"$dir/fifo" 2>&1 </dev/null &
    pid=$!
    started="$started $pid"
    wait_until takes_signals "$pid" || trouble "it does not begin"
    start=$(date +%s)
    kill -TERM "$pid"
    await "SIGTERM while nobody reads stderr" "$pid"
    : >"$dir/said"
    status_in "SIGTERM while nobody reads stderr" 75
    [ "$(seconds_since "$start")" -le "$(seconds 11)" ] || trouble "it took $(seconds_since "$start") s"
    no_orphans "SIGTERM while nobody reads stderr" "$pid"
    kill $reader
    rm -f "$dir/fifo"
    whole "SIGTERM while nobody reads stderr" "$db"
    verdict "SIGTERM ends a run within 10 s while its terminal takes nothing"
}

# Before it can find out by itself whose child it is.
early_orphan() {
    name="a worker that was paused before main does not outlive its coordinator"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    fresh "$db"
    rm -f "$count" "$count.fired"
    setsid env FAULT_WHO=worker FAULT_CALLS=start FAULT_DO=stop FAULT_AT=1 FAULT_COUNT="$count" \
        LD_PRELOAD="$inject" "$headcount" run "$sweep" --db "$db" --quiet -j 1 \
        >"$dir/said" 2>&1 </dev/null &
    pid=$!
    started="$started $pid"
    wait_until paused_worker_of "$pid" || trouble "no worker is paused"
    kill -KILL "$pid"
    await "the coordinator" "$pid"
    no_orphans "the paused worker" "$pid"
    injected=$((injected + 1))
    whole "the paused worker" "$db"
    verdict "$name"
}

leftovers() {
    name="temporary files of killed workers are removed by the run that saw them die, or by the next"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    fault_calls=rename
    for what in kill crash; do
        fresh "$db"
        faulty FAULT_WHO=worker FAULT_DO=$what FAULT_AT=10 -- run "$sweep" --db "$db" --quiet -j 1
        [ $fired = 1 ] || trouble "$what: did not happen"
        [ $what = kill ] || ls "$db".d | grep -q '\.tmp$' || trouble "$what: left nothing to remove"
        [ $what = kill ] || run "$db" || trouble "$what: status $?"
        ls "$db".d | grep '\.tmp$' >"$dir/left" && trouble "$what: $(cat "$dir/left")"
        same_results "$what" "$db"
    done
    verdict "$name"
}

can_inject && begin_stop_of_hung
hang spin "it computes for ever"
hang sleep "it waits for ever"
early_orphan
leftovers
if long; then
    hangs_again
    stop_beside_writer
    stop_without_reader
fi
if can_inject; then
    end_stop_of_hung
else
    skip "SIGTERM ends a run within 10 s beside a worker that hangs" "a plain build"
fi
