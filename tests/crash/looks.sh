# Looks: a verdict is taken in the transaction that records the last result of a look, and when a run
# begins. Killed anywhere, the same looks come to the same, and the same trials are run.
choose_looks() {
    sweep=$dir/looks.yaml reference=$dir/looks.jsonl
    cat >"$sweep" <<Y
name: looks
task: {name: gather, length: 8, vocab: 8, slots: 1}
model: {d_model: 8, heads: [1, 2], layers: 1, d_ff: 8}
train: {steps: 2, batch: 4, lr: 1e-3, eval_every: 2, val_examples: 8, test_examples: 8}
looks: [2, 3]
Y
    run "$dir/looks.db" || trouble "the undisturbed run: status $?: $(tail -n 3 "$dir/said")"
    "$headcount" export results --db "$dir/looks.db" >"$reference"
    looks_of "$dir/looks.db" >"$reference.looks"
    [ "$(cut -d '|' -f 2,4 "$reference.looks" | tr '\n' ' ')" = "1|0 2|0 " ] ||
        trouble "the undisturbed run came to other looks: $(cat "$reference.looks")"
}
choose_looks

kill_everywhere "with looks, the coordinator killed at a call that changes a file" coordinator kill 5
kill_everywhere "with looks, coordinator and worker killed together at a call of either" '' crash 5
starve_run program 5

# The last result of a look is durable, its coordinator has not heard of it: the next one takes it in,
# and judges before it claims.
killed_before_the_verdict() {
    name="killed between the last result of a look and its verdict: the next run judges first"
    # Each of the four trials makes a checkpoint and a result.
    kill_unheard "$name" "$dir/verdict.db" 8 t4-a1.result || return 0
    whole "$name" "$db"
    [ "$(sqlite3 "$db" "SELECT count(*) FROM attempt")" = 6 ] || trouble "a trial ran twice"
    verdict "$name"
}
killed_before_the_verdict
