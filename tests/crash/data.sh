# A file of the user's that is cut, changed, touched, taken away or replaced while trials learn from it:
# never a signal, never a result of mixed bytes, and with the old file back the results are those of an
# undisturbed run. A worker's memory does not grow with the file.
text=$dir/text.txt
seq 1 9 20000 >"$text" # 12 kB
cp "$text" "$dir/text.old"
put_back() { # with another time than it had: the bytes count
    cp "$dir/text.old" "$text"
}
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

kill_everywhere "over a text, the worker killed at a call that changes a file" worker kill 5
kill_everywhere "over a text, coordinator and worker killed together at a call of either" '' crash 5

# While the first trial is paused at the end of its third checkpoint, something happens to the file; then
# it goes on. The second trial has not begun.
disturb() { # name, command, what is said, status, outcomes of the first trial's attempts
    if ! can_inject; then
        skip "$1" "a plain build"
        return
    fi
    db=$dir/disturbed.db
    fresh "$db"
    put_back
    begin_paused "$db" 3 -- -j 1
    eval "$2"
    kill -CONT "$worker"
    await "$1" "$pid"
    injected=$((injected + 1))
    status_in "$1" "$4"
    [ -z "$3" ] || tells "$1" "$3"
    got=$(sqlite3 "$db" "SELECT group_concat(outcome, ' ') FROM attempt WHERE trial_id = 1")
    [ "$got" = "$5" ] || trouble "$1: attempts at trial 1: $got, expected $5: $(cat "$dir/said")"
    sqlite3 "$db" "SELECT error FROM attempt" | grep -Ei "crash|signal" && trouble "$1: a crash"
    put_back
    run "$db" || trouble "$1: the old file is back: status $?: $(tail -n 3 "$dir/said")"
    [ "$5" != requeued ] || [ "$(sqlite3 "$db" "SELECT resumed_from_step FROM attempt
        WHERE trial_id = 1 ORDER BY attempt DESC LIMIT 1")" -ge 2 ] || trouble "$1: it began again from step 0"
    whole "$1" "$db"
    verdict "$1"
}
disturb "a text is cut while a trial learns from it" 'truncate -s 4000 "$text"' \
    '/text.txt changed while it was in use \(4000 bytes, not [0-9]+\)' 2 requeued
disturb "a text grows while a trial learns from it" 'echo more >>"$text"' \
    '/text.txt changed while it was in use' 2 requeued
disturb "a byte of a text changes while a trial learns from it" \
    'printf 7 | dd of="$text" bs=1 seek=100 conv=notrunc status=none' \
    '/text.txt has other bytes than when the sweep was planned \(SHA-256' 2 requeued
disturb "a text is touched while a trial learns from it" 'touch "$text"' \
    'failed and will be tried again: .*/text.txt was written to' 0 'failed completed'
disturb "a text is taken away while a trial learns from it: the trial that has it ends, the next cannot begin" \
    'rm "$text"' '/text.txt is not there any more' 2 completed
disturb "another text takes its name while a trial learns from it: the trial that has it ends" \
    'seq 1 20000 >"$text.new" && mv "$text.new" "$text"' '/text.txt changed since trials learnt from it' 2 completed

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
    cp "$dir/text.old" "$dir/large.txt"
    truncate -s $size "$dir/large.txt"
    cat "$dir/text.old" >>"$dir/large.txt"
    db=$dir/large.db
    fresh "$db"
    set -- -j 1 --set task.file="$dir/large.txt" --set task.length=256 --set model.d_model=64 \
        --set model.layers=2 --set train.batch=16
    sleep 2 # a file that is younger is read again by the second run
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
