# A file of the user's that trials learn from is copied when the sweep is planned: whoever is killed or finds the disk
# full meanwhile has planned nothing wrong, and leaves nothing that gc does not remove. A worker's memory does not grow
# with the file. What becomes of the file itself meanwhile, and a damaged copy: cli/test_text.sh.
text=$dir/text.txt
seq 1 9 20000 >"$text" # 12 kB
choose_text() {
    sweep=$dir/text.yaml
    reference=$dir/text.jsonl
    cat >"$sweep" <<Y
name: text
task: {name: text, file: text.txt, length: 8}
model: {d_model: 8, heads: [1, 2], layers: 1, d_ff: 8, dropout: 0.1, mask: causal}
train: {steps: 12, batch: 4, lr: 3e-3, eval_every: 3, val_examples: 64, test_examples: 64}
seeds: 1
Y
    run "$dir/text.db" || trouble "the undisturbed run over a text: status $?: $(tail -n 3 "$dir/said")"
    "$headcount" export results --db "$dir/text.db" >"$reference"
    [ "$(sqlite3 "$dir/text.db" "SELECT count(*) FROM block_loss")" = 64 ] ||
        trouble "the undisturbed run has no losses of blocks: $(cat "$reference")"
}
choose_text

copied_whole() { # label
    whole "$1" "$db"
    limited "$headcount" gc --db "$db" || trouble "$1: gc: $(tail -n 3 "$dir/said")"
    [ "$(ls "$db.d" | sed 's/[0-9a-f]\{64\}$//' | grep -v '\.result$' | tr '\n' ' ')" = "data- owner " ] ||
        trouble "$1: files in the folder: $(ls "$db.d")"
    cmp "$db.d"/data-* "$text" >"$dir/said" 2>&1 || trouble "$1: $(cat "$dir/said")"
}
db=$dir/copied.db
change_fails_everywhere "copying a text" all_fresh copied_whole "FAULT_WHO=coordinator" run "$sweep" --db "$db" --quiet -j 1
kill_everywhere "over a text, the worker killed at a call that changes a file" worker kill 5
kill_everywhere "over a text, coordinator and worker killed together at a call of either" '' crash 5

# Anonymous memory of a worker that learns from a text of 4 GiB (of 64 MiB in the short form). Reading it
# all for its SHA-256 may take longer than the harness waits for a worker, and is done once before.
large_text() {
    size=64M
    long && size=4G
    name="a worker over a text of $size takes less than 64 MiB of memory"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    cp "$text" "$dir/large.txt"
    truncate -s $size "$dir/large.txt"
    cat "$text" >>"$dir/large.txt"
    db=$dir/large.db
    fresh "$db"
    set -- -j 1 --no-copy --set task.file="$dir/large.txt" --set task.length=256 --set model.d_model=64 \
        --set model.layers=2 --set train.batch=16
    "$headcount" run "$sweep" --db "$db" --quiet "$@" --set train.steps=1 >"$dir/said" 2>&1 ||
        trouble "$name: $(tail -n 3 "$dir/said")"
    begin_paused "$db" 3 -- "$@" --replace
    memory=$(sed -n 's/^RssAnon:[^0-9]*\([0-9]*\) kB$/\1/p' "/proc/$worker/status")
    [ "${memory:-999999}" -lt 65536 ] || trouble "$name: it takes ${memory:-?} kB"
    kill -CONT "$worker"
    await "$name" "$pid"
    status_in "$name" 0
    rm -f "$dir/large.txt"
    verdict "$name (it took $((memory / 1024)))"
}
large_text
