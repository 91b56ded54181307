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

# At each of a worker's checkpoints and results (each is a file that is made and gets its name) a bit of
# its file changes in place, by mmap, and stays so; size and times stay as they were. No trial counts
# whose result was not yet being written by then, and what its checkpoints hold is not of those bytes.
change_everywhere() { # name, file, points in the short form
    db=$dir/changed.db fault_calls="open rename" changing=$2
    cp "$changing" "$dir/file.old"
    everywhere "$1" "$3" unchanged notices_change FAULT_WHO=worker "FAULT_DO=change FAULT_FILE=$changing" \
        run "$sweep" --db "$db" --quiet -j 1
    cp "$dir/file.old" "$changing"
}
unchanged() {
    fresh "$db"
    cp "$dir/file.old" "$changing"
}
notices_change() { # label
    at_file=$(sed 's/.*changed.db.d.//; s/ .*//' "$count.fired")
    trial=${at_file#t}
    trial=${trial%%-*}
    expected=$((trial - 1)) # one after the other
    case $at_file in *.result*) expected=$trial ;; esac
    got=$(sqlite3 "$db" "SELECT count(*) FROM trial WHERE state = 'completed'")
    [ "$got" = "$expected" ] || trouble "$1: $got trials are completed, expected $expected: $(cat "$dir/said")"
    if [ "$expected" = "$(sqlite3 "$db" "SELECT count(*) FROM trial")" ]; then
        status_in "$1" 0
    else
        status_in "$1" 2
        tells "$1" "${changing##*/} has changed since it was first read"
    fi
    cp "$dir/file.old" "$changing"
    whole "$1" "$db"
}
change_everywhere "a text changes in place under a worker" "$text" 6
rows=$dir/rows.csv
text_sweep=$sweep
choose_rows() {
    sweep=$dir/rows.yaml
    reference=$dir/rows.jsonl
    { echo text,label; seq 100 400 | sed 's/.*/"row, &",odd/; n; s/.*/row &,even/'; } >"$rows"
    cat >"$sweep" <<Y
name: rows
task: {name: text, file: rows.csv, mode: classify, length: 8}
model: {d_model: 8, heads: [1, 2], layers: 1, d_ff: 8, dropout: 0.1, pool: mean}
train: {steps: 12, batch: 4, lr: 3e-3, eval_every: 3}
seeds: 2
Y
    run "$dir/rows.db" || trouble "the undisturbed run over rows: status $?: $(tail -n 3 "$dir/said")"
    "$headcount" export results --db "$dir/rows.db" >"$reference"
}
choose_rows
change_everywhere "rows change in place under a worker" "$rows" 4

# The same under the worker of a study, before it reads.
answers_of() { # db
    sqlite3 "$1" "SELECT * FROM head_metric; SELECT trial_id, method, kept, removed, val_acc, test_acc FROM pruning;
        SELECT trials, test_acc, test_loss FROM ensemble" 2>&1
}
change_study() { # verb, options...
    name="rows change in place under \`$1\`"
    if ! can_inject; then
        skip "$name" "a plain build"
        return
    fi
    db=$dir/changed.db fault_calls=start
    verb=$1
    shift
    for copy in calm changed; do
        fresh "$dir/$copy.db"
        cp "$dir/rows.db" "$dir/$copy.db"
        cp -r "$dir/rows.db.d" "$dir/$copy.db.d"
    done
    limited "$headcount" "$verb" --db "$dir/calm.db" -q "$@" || trouble "$name: undisturbed: $(tail -n 3 "$dir/said")"
    faulty FAULT_WHO=worker FAULT_AT=1 FAULT_DO=change FAULT_FILE="$rows" -- "$verb" --db "$db" -q "$@"
    [ "$fired" = 1 ] || trouble "$name: did not happen"
    status_in "$name" 1 2 3
    tells "$name" "rows.csv has changed since it was first read"
    cp "$dir/file.old" "$rows"
    limited "$headcount" "$verb" --db "$db" -q "$@" || trouble "$name: the old file is back: $(tail -n 3 "$dir/said")"
    [ -n "$(answers_of "$db")" ] && [ "$(answers_of "$dir/calm.db")" = "$(answers_of "$db")" ] ||
        trouble "$name: other answers"
    verdict "$name"
}
change_study heads
change_study prune --finetune 4 --keep 1
change_study ensemble --members 2
sweep=$text_sweep reference=$dir/text.jsonl

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
    '/text.txt has changed since it was first read \(SHA-256' 2 requeued
disturb "a text is touched while a trial learns from it: its bytes are the same" 'touch "$text"' \
    '' 0 completed
disturb "a text is taken away while a trial learns from it: the trial that has it ends, the next cannot begin" \
    'rm "$text"' '/text.txt is missing, but trials learnt from it' 2 completed
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
    touch -d "1 hour ago" "$dir/large.txt" # a younger one is read again by the second run
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
