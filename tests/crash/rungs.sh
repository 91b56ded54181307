# Tuning trials that pause at a rung, two of four that go on from it: killed, starved and without a disk
# around it, and nothing is lost or doubled, and losers leave no checkpoint.
choose_rungs() {
    sweep=$dir/rungs.yaml reference=$dir/rungs.jsonl
    cat >"$sweep" <<Y
name: rungs
task: {name: gather, length: 8, vocab: 8, slots: 1}
model: {d_model: 8, heads: [1, 2], layers: 1, d_ff: 8, dropout: 0.1}
train: {steps: 6, batch: 4, lr: [1e-3, 1e-2], eval_every: 2, val_examples: 8, test_examples: 8}
tune: {axes: [train.lr], seeds: 1, rungs: {eta: 2, min_steps: 2}}
seeds: 1
Y
    run "$dir/rungs.db" || trouble "the undisturbed run: status $?: $(tail -n 3 "$dir/said")"
    "$headcount" export results --db "$dir/rungs.db" >"$reference"
    [ "$(sqlite3 "$dir/rungs.db" "SELECT group_concat(is_tuning || state || n, ' ') FROM
        (SELECT is_tuning, state, count(*) AS n FROM trial GROUP BY 1, 2)")" = \
        "0completed2 0not_needed2 1completed2 1not_needed2" ] || trouble "the undisturbed run passed no rung"
}
choose_rungs

kill_everywhere "with rungs, the coordinator killed at a call that changes a file" coordinator kill 5
kill_everywhere "with rungs, coordinator and worker killed together at a call of either" '' crash 5
kill_everywhere "with rungs, a worker killed at a call that changes a file" worker kill 5
fail_everywhere "with rungs, the disk is full from a call on" 'open mkdir write sync rename' \
    "FAULT_DO=ENOSPC FAULT_LASTS=1" "no space|full" 4 0 75
fail_everywhere "with rungs, a sync fails" sync "FAULT_DO=EIO" "input/output error|I/O error|durable" 4 0 1 3
starve_run program 5

# The checkpoint at the rung is durable, and the worker has ended; its coordinator has not heard of it.
killed_at_the_rung() {
    name="killed between the checkpoint at a rung and its commit: the trial pauses there again"
    # The first checkpoint is that of step 1.
    kill_unheard "$name" "$dir/rung.db" 2 t1-a1-1.ckpt || return 0
    whole "$name" "$db"
    [ "$(sqlite3 "$db" "SELECT resumed_from_step FROM attempt WHERE trial_id = 1 AND attempt = 2")" = 2 ] ||
        trouble "attempts: $(sqlite3 "$db" 'SELECT * FROM attempt WHERE trial_id = 1')"
    verdict "$name"
}
killed_at_the_rung

losers_leave_nothing() {
    name="what lost at a rung left no file, however often it was killed"
    for folder in "$dir"/rung*.db.d "$dir/everywhere.db.d"; do
        ! ls "$folder" | grep -qE 'ckpt|lock|tmp' || trouble "$folder:" $(ls "$folder")
    done
    verdict "$name"
}
losers_leave_nothing
