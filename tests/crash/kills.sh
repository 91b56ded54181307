# Killed at random instants, again and again over one results file until its sweep is done, then the
# next: the coordinator, a worker, all workers, the whole group.
choose_sweep small '[1, 2, 4]' 120 16

kill_at_random() {
    db=$dir/kills.db
    fresh "$db"
    hits=0 sweeps=0 empty=0
    while [ "$hits" -lt "$kills" ] && [ $empty -lt 50 ]; do
        random 3
        begin "$db" -j $((drawn + 1))
        random 150
        pause $((drawn + 5))
        random 5
        victim=$(echo coordinator agent worker workers group | cut -d ' ' -f $((drawn + 1)))
        is_over "$pid"
        if [ "$state" != Z ] && [ -n "$state" ] && one_kill $victim; then
            hits=$((hits + 1)) empty=0
        else
            empty=$((empty + 1)) # it came too late, or there was no worker yet
        fi
        case $victim in coordinator | group) ;; *)
            # The run goes on; now and then it may end, else the coordinator goes too.
            random 2
            [ "$drawn" = 0 ] && pause 60 && kill -KILL "$pid" 2>/dev/null
            ;;
        esac
        await "kill $hits ($victim)" "$pid"
        no_orphans "kill $hits ($victim)" "$pid"
        if [ "$code" -eq 0 ] || [ $((hits % 7)) -eq 0 ]; then
            sweeps=$((sweeps + 1))
            whole "kill $hits ($victim)" "$db"
            fresh "$db"
        fi
    done
    whole "the last kill" "$db"
    injected=$((injected + hits))
    [ "$hits" -eq "$kills" ] || trouble "only $hits of $kills kills met something alive"
    verdict "$hits kills at random instants over $((sweeps + 1)) sweeps, none lost, none doubled"
}
kill_at_random

# A worker that has nothing to say for a long time does not outlive its coordinator.
orphans() {
    db=$dir/kills.db
    fresh "$db"
    begin "$db" -j 2 --set train.steps=1000000 --set train.eval_every=1000000
    wait_until test -e "$db.d/t2-a1-0.ckpt" || trouble "the workers did not start"
    kill -KILL "$pid"
    await "the coordinator" "$pid"
    no_orphans "the coordinator" "$pid"
    injected=$((injected + 1))
    verdict "workers in the middle of long trials die with their coordinator"
}
orphans

# The machine's own faults cost no retry, but what takes down its process at the same place again
# and again is not tried forever.
kill_same_place() {
    name="a worker that always dies before its first checkpoint fails in the end; --retry-failed goes on"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    db=$dir/kills.db
    fresh "$db"
    fault_calls=rename
    faulty FAULT_WHO=worker FAULT_AT=1 FAULT_LASTS=1 -- run "$sweep" --db "$db" --quiet -j 1
    status_in "killed again and again" 1
    [ "$(sqlite3 "$db" "SELECT count(*) FROM trial WHERE state = 'failed'")" = 3 ] ||
        trouble "not every trial failed"
    run "$db" --retry-failed || trouble "--retry-failed: status $?: $(tail -n 3 "$dir/said")"
    same_results "--retry-failed" "$db"
    verdict "$name"
}
kill_same_place

# Five interruptions, another number of workers each time.
interrupt_five_times() {
    db=$dir/kills.db
    fresh "$db"
    for workers in 3 1 2 4 1; do
        begin "$db" -j $workers
        random 150
        pause $((drawn + 40))
        kill -TERM "$pid" 2>/dev/null
        await "with $workers workers" "$pid"
        status_in "with $workers workers" 0 75 143 # 143: before it listened, with nothing begun
    done
    whole "the end of it" "$db"
    verdict "stopped five times, with another number of workers each time: the same bytes"
}
interrupt_five_times
