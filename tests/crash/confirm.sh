# confirm: a claim and its trials are written down in the transaction that records the last result of those that
# explore, and when a run begins. Killed, starved and without a disk around that, the same claim is written, and
# nothing is lost or doubled.
choose_confirm() {
    sweep=$dir/confirm.yaml reference=$dir/confirm.jsonl
    cat >"$sweep" <<Y
name: confirm
task: {name: copy, length: 4, vocab: 4}
model: {d_model: 8, heads: [1, 2], layers: 1, d_ff: 8}
train: {steps: 16, batch: 16, lr: 2e-2, eval_every: 16, val_examples: 64, test_examples: 64}
seeds: 2
confirm: 6
Y
    run "$dir/confirm.db" || trouble "the undisturbed run: status $?: $(tail -n 3 "$dir/said")"
    "$headcount" export results --db "$dir/confirm.db" >"$reference"
    [ "$(sqlite3 "$dir/confirm.db" "SELECT count(*) FROM trials WHERE confirms AND state = 'completed'")" = 12 ] ||
        trouble "the undisturbed run confirmed nothing"
}
choose_confirm

kill_everywhere "with confirm, the coordinator killed at a call that changes a file" coordinator kill 5
kill_everywhere "with confirm, coordinator and worker killed together at a call of either" '' crash 5
fail_everywhere "with confirm, the disk is full from a call on" 'open mkdir write sync rename' \
    "FAULT_DO=ENOSPC FAULT_LASTS=1" "no space|full" 4 0 75
starve_run program 10
starve_run sqlite3 5

# The last result is durable, its coordinator has not heard of it: the next one takes it in, and writes the claim
# down before it claims a trial.
killed_before_it_is_written() {
    name="killed between the last result and the claim that it leads to: the next run writes it down"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    db=$dir/written.db
    fresh "$db"
    begin_paused "$db" "$1" -- -j 1
    kill -STOP "$pid"
    kill -CONT "$worker"
    wait_until is_over "$worker" || trouble "the worker did not end"
    kill -KILL "$pid"
    await "$name" "$pid"
    no_orphans "$name" "$pid"
    [ -e "$db.d/t4-a1.result" ] || trouble "the result is not there: $(ls "$db.d")"
    [ "$(sqlite3 "$db" "SELECT count(*) FROM confirmations")" = 0 ] || trouble "it was written before"
    injected=$((injected + 1))
    whole "$name" "$db"
    [ "$(sqlite3 "$db" "SELECT max(attempt) FROM trial")" = 1 ] || trouble "a trial ran twice"
    [ "$(sqlite3 "$db" "SELECT seen FROM confirmations")" = 0 ] || trouble "its trials were known before"
    verdict "$name"
}
killed_before_it_is_written 64 # 15 checkpoints and a result of each
