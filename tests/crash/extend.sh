# tune.extend: a value is put into the plan in the transaction that records the last result which leads to it.
# Killed, starved and without a disk around that, the same values are added, and nothing is lost or doubled.
choose_extend() {
    sweep=$dir/extend.yaml reference=$dir/extend.jsonl
    cat >"$sweep" <<Y
name: extend
task: {name: gather, length: 8, vocab: 8, slots: 1}
model: {d_model: 8, heads: [1, 2], layers: 1, d_ff: 8}
train: {steps: 2, batch: 4, lr: [1e-3, 1e-2], eval_every: 2, val_examples: 8, test_examples: 8}
tune: {axes: [train.lr], seeds: 1, extend: 2}
seeds: 1
Y
    run "$dir/extend.db" || trouble "the undisturbed run: status $?: $(tail -n 3 "$dir/said")"
    "$headcount" export results --db "$dir/extend.db" >"$reference"
    # Of two values each is an edge: one more is added at least.
    [ "$(sqlite3 "$dir/extend.db" "SELECT count(DISTINCT heads) FROM trials
        WHERE added AND is_tuning AND state = 'completed'")" = 2 ] || trouble "the undisturbed run added nothing"
}
choose_extend

kill_everywhere "with extend, the coordinator killed at a call that changes a file" coordinator kill 5
kill_everywhere "with extend, coordinator and worker killed together at a call of either" '' crash 5
fail_everywhere "with extend, the disk is full from a call on" 'open mkdir write sync rename' \
    "FAULT_DO=ENOSPC FAULT_LASTS=1" "no space|full" 4 0 75
fail_everywhere "with extend, a sync fails" sync "FAULT_DO=EIO" "input/output error|I/O error|durable" 4 0 1 3
starve_run program 10
starve_run sqlite3 5

# The result that leads on is durable, its coordinator has not heard of it: the next one takes it in, and adds
# the value before it claims.
killed_before_it_is_added() {
    name="killed between the last result and the value that it leads to: the next run adds it"
    # Each of the two trials of one head makes a checkpoint and a result.
    kill_unheard "$name" "$dir/added.db" 4 t2-a1.result || return 0
    [ "$(sqlite3 "$db" "SELECT count(*) FROM trial WHERE added")" = 0 ] || trouble "it was added before"
    whole "$name" "$db"
    [ "$(sqlite3 "$db" "SELECT max(attempt) FROM trial")" = 1 ] || trouble "a trial ran twice"
    verdict "$name"
}
killed_before_it_is_added
