#!/bin/sh
# What heads do, from sweep to table: measured once each, whatever was interrupted, damaged or asked
# wrongly. Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
not_sanitized "what heads do is measured"
settle
sql() { sqlite3 "$@"; }
status_is() { # status, command...
    expected=$1
    shift
    "$@"
    got=$?
    [ $got -eq "$expected" ] || { echo "status $got, not $expected"; return 1; }
}
says() { # pattern, command...: what it says on either stream has the pattern; whatever its status
    pattern=$1
    shift
    "$@" >said 2>&1
    grep -q -e "$pattern" said || { cat said; return 1; }
}
fresh() { # name: a copy of the trained sweep
    rm -rf "$1" "$1".*
    cp trained.db "$1" && cp -r trained.db.d "$1.d"
}
# All that was measured, but for when and how fast.
measured() { # db
    sql "$1" "SELECT * FROM head_metric; SELECT * FROM layer_metric; SELECT * FROM head_slot;
        SELECT trial_id, method, kept, removed, val_acc, test_acc, n_params, flops_per_example,
            infer_ms > 0 FROM pruning;
        SELECT trial_id, name, options, checkpoint_sha256 FROM study"
}
answers() { sql "$1" "SELECT count(*) FROM study"; }
# Begins in the background and stops the coordinator in the middle of it: $pid, with some answers there, and a
# worker, $held, that waits.
stop_in_the_middle() { # db
    env --default-signal=INT $(pausing middle start 3) setsid headcount heads --db "$1" -j 1 >background 2>&1 </dev/null &
    pid=$!
    started="$started $pid"
    until_some "$1"
    wait_beside "$pid" pauses "$pid"
    kill -STOP "$pid"
    before=$(answers "$1")
}
until_some() { # db
    wait_until sh -c "[ \"\$(sqlite3 '$1' 'SELECT count(*) FROM study')\" -ge 2 ]"
}

cat >sweep.yaml <<'Y'
# Who looks where?
name: who
task: {name: gather, length: 8, vocab: 8, slots: 2}
model: {d_model: 16, heads: [1, 2, 4], layers: 2, d_ff: 16}
train: {steps: 20, batch: 8, lr: 1e-2, eval_every: 10, val_examples: 64, test_examples: 64}
seeds: 4
Y
headcount run sweep.yaml --db trained.db -q >/dev/null 2>&1

# ---- what is measured ----
headcount run sweep.yaml --db steep.db --set train.lr=10 -q >/dev/null 2>&1
check "attention whose scores are huge is measured" sh -c "headcount heads who --db steep.db -q >/dev/null"
check "... its weights are shares" [ "$(sql steep.db "SELECT count(*) FROM head_metric
    WHERE confidence NOT BETWEEN 0 AND 1.00001 OR entropy NOT BETWEEN -.00001 AND 1")" = 0 ]
check "... and all is as it should be" headcount check --db steep.db
fresh whole.db
check "a sweep is measured" sh -c "headcount heads who --db whole.db >table 2>lines"
check "... every trial once" \
    [ "$(sql whole.db "SELECT count(*), count(DISTINCT trial_id) FROM study WHERE name = 'heads'
    AND options = '{\"on\":\"val\"}'")" = "12|12" ]
check "... every head, at the best step" \
    [ "$(sql whole.db "SELECT count(*), sum(split = 'val'), sum(m.step = t.best_step) FROM head_metric AS m
    JOIN trial AS t USING (trial_id)")" = "56|56|56" ]
check "... every layer, and every head's attention on every place" \
    [ "$(sql whole.db "SELECT (SELECT count(*) FROM layer_metric), (SELECT count(*) FROM head_slot)")" = "24|112" ]
check "the speed of each whole model is measured too" \
    [ "$(sql whole.db "SELECT count(*), min(kept), max(kept), min(infer_ms) > 0, sum(p.val_acc = t.val_acc
    AND p.test_acc = t.test_acc AND p.test_loss = t.test_loss) FROM pruning AS p JOIN trial AS t USING (trial_id)
    WHERE method = 'none'")" = "12|2|8|1|12" ]
check "each study row has its CPU time and its build" [ "$(sql whole.db "SELECT min(cpu_s) > 0, count(DISTINCT build_id) FROM study")" = "1|1" ]
check "without a terminal every trial gets a plain line" \
    [ "$(grep -c '^ *[0-9]*/12  measuring heads=[124] seed=[0-3]' lines)" = 12 ]
measured whole.db >first
times=$(sql whole.db "SELECT group_concat(answered) FROM study")
check "a second run measures nothing and prints the same table" \
    sh -c "headcount heads who --db whole.db >again 2>lines && cmp table again && [ ! -s lines ]"
check "... and changes no answer" [ "$(sql whole.db "SELECT group_concat(answered) FROM study")" = "$times" ]
check "--on test measures the sweep anew on the test set" \
    sh -c "headcount heads --db whole.db --on test -q -j 3 | grep -q 'on the test set'"
check "... and keeps what was measured on the validation set" [ "$(sql whole.db "SELECT count(*), sum(split = 'test') FROM head_metric")" = "112|56" ]
check "three workers at once measure a sweep" \
    sh -c "cp trained.db three.db && cp -r trained.db.d three.db.d && headcount heads --db three.db -j 3 -q"
measured three.db >three
check "... and get the same numbers to the last bit" cmp first three
check "-q writes nothing to stderr" sh -c "cp trained.db quiet.db && cp -r trained.db.d quiet.db.d &&
    headcount heads --db quiet.db -q 2>&1 >/dev/null | cmp - /dev/null"
if has_terminal; then
    fresh screen.db
    check "a terminal gets one line of progress instead of a line for each trial" \
        sh -c "TERM=xterm script -qec 'headcount heads --db screen.db -j 1' /dev/null >screen </dev/null
            grep -aq 'measuring  *[0-9]*/12 ' screen && ! grep -aq '^ *1/12' screen"
else
    skip "a terminal gets one line of progress instead of a line for each trial" script
fi

# ---- what is shown ----
sed 's/name: who/name: by-width/; s/d_model: 16/d_model: [8, 16]/; s/seeds: 4/seeds: 1/' sweep.yaml >width.yaml
check "each setting has its own rows" sh -c "headcount run width.yaml --db width.db -q >/dev/null &&
    headcount heads --db width.db -q >table && grep -q '^setting  *heads' table &&
    [ \$(grep -c '^d_model=' table) = 6 ]"
sed 's/name: who/name: hist/; s/gather.*/hist, length: 8, vocab: 8}/; s/seeds: 4/seeds: 1/' sweep.yaml >hist.yaml
check "a task that cannot say where to look has no places" \
    sh -c "headcount run hist.yaml --db hist.db -q >/dev/null && headcount heads --db hist.db -q >table &&
    grep -qE '^heads +n +loss [+]' table"
check "... and no numbers for places" [ "$(sql hist.db "SELECT count(*) FROM head_slot")" = 0 ]

# ---- interrupted ----
fresh cut.db
stop_in_the_middle cut.db
sql cut.db "SELECT trial_id, answered FROM study" >kept
check "a second heads command is refused while one measures" says "in use by process $pid" headcount heads --db cut.db
check "... with status 4" status_is 4 headcount heads --db cut.db
check "a trial that has its answer is shown meanwhile" \
    headcount heads "$(sql cut.db 'SELECT min(trial_id) FROM study')" --db cut.db
kill -INT "$pid"
kill -CONT "$pid" "$held"
wait "$pid"
code=$?
check "Ctrl-C ends heads with status 75" [ "$code" = 75 ]
check "... and says how far it came" \
    grep -q "^headcount heads: stopped (Interrupt) after [0-9]* of 12; the same command goes on" background
check "... prints no table" fails grep -q '^heads .*sharp' background
check "... and keeps what was answered" [ "$(answers cut.db)" -ge "$before" ]
check "the same command goes on after Ctrl-C" sh -c "headcount heads --db cut.db -q | grep -q 'Measured in 12 of 12'"
check "... with only what was missing" \
    sh -c "sqlite3 cut.db 'SELECT trial_id, answered FROM study' | grep -cxFf kept | grep -qx $(wc -l <kept)"
measured cut.db >other
check "... and comes to the undisturbed numbers" cmp first other

# Long sequences and many heads, of which the attention is large.
cat >large.yaml <<'Y'
name: large
task: {name: copy, length: 512, vocab: 4}
model: {d_model: 32, heads: 32, layers: 1, d_ff: 8}
train: {steps: 1, batch: 1, val_examples: 40, test_examples: 1}
seeds: 2
Y
headcount run large.yaml --db large.db -q >/dev/null 2>&1
# ---- damaged, missing, absent ----
fresh bad.db
weights() { sql bad.db "SELECT checkpoint FROM trial WHERE trial_id = $1"; }
mv "bad.db.d/$(weights 2)" gone
truncate -s -1 "bad.db.d/$(weights 5)" && printf x >>"bad.db.d/$(weights 5)"
cp "bad.db.d/$(weights 6)" "bad.db.d/$(weights 7)"
check "missing or damaged weights end with status 1" \
    sh -c "headcount heads --db bad.db >table 2>lines; [ \$? = 1 ]"
check "... each is named with its fault" sh -c "grep -q '^trial 2 .*copy them back into bad.db.d: .*No such file' lines &&
    grep -q '^trial 5 .*SHA-256' lines && grep -q '^trial 7 .*another configuration or seed' lines"
check "... the failures are counted" sh -c "grep -q '^headcount heads: 3 failed; the same command tries them again' lines"
check "... and the others are measured" \
    grep -q 'Measured in 9 of 12 trials, on the validation set; 3 could not be measured' table
mv gone "bad.db.d/$(weights 2)"
check "weights that are back in their place are measured" sh -c "headcount heads 2 --db bad.db -q | grep -q '^Heads of trial 2'"
check "an unknown set for --on is answered with those allowed" says "allowed: val, test" headcount heads --on train --db whole.db
sed 's/name: who/name: wild/; s/steps: 20/steps: 100/; s/seeds: 4/seeds: 1/
    s/lr: 1e-2/lr: [1e-2, 1000], clip: 0, optimizer: adamw, weight_decay: 100/' sweep.yaml >wild.yaml
headcount run wild.yaml --db wild.db -q >/dev/null 2>&1
wild=$(sql wild.db "SELECT trial_id FROM trial WHERE state = 'diverged' LIMIT 1")
check "a trial that diverged has no heads to see" says "diverged" headcount heads "$wild" --db wild.db
check "... and is counted among those that have not completed" \
    says 'Measured in 3 of 6 trials.*; 3 have not completed' headcount heads --db wild.db -q
sed 's/name: who/name: early/; s/steps: 20/steps: 1000000/' sweep.yaml >early.yaml
setsid headcount run early.yaml --db early.db -q >/dev/null 2>&1 </dev/null &
pid=$!
started="$started $pid"
wait_until [ -e early.db.d/t1-a1.lock ]
kill -TERM "$pid"
wait "$pid"
check "a sweep without a completed trial has nothing to measure" \
    says 'no trial of sweep early has completed' headcount heads --db early.db
check "... and heads ends with status 2" status_is 2 headcount heads --db early.db
sqlite3 whole.db "VACUUM INTO 'bare.db'" && sqlite3 bare.db 'DELETE FROM study'
check "heads ends with status 1 where no weights are left" status_is 1 headcount heads who --db bare.db
check "a run that holds the file does not keep anybody from seeing what was measured" sh -c "
    setsid headcount run early.yaml --db whole.db -q >/dev/null 2>&1 </dev/null & run=\$!
    until sqlite3 whole.db \"SELECT 1 FROM trial WHERE state = 'running'\" | grep -q 1; do sleep .05; done
    headcount heads who --db whole.db | grep -q 'Measured in 12 of 12'; seen=\$?
    kill -TERM \$run; wait \$run; exit \$seen"
bytes=$(printf 'no-\377\376-utf8')
mkdir "$bytes"
cp trained.db "$bytes/t.db" && cp -r trained.db.d "$bytes/t.db.d"
check "the name of a folder may be any bytes" says 'Measured in 12 of 12' headcount heads who --db "$PWD/$bytes/t.db"

# ---- attention for others ----
check "attention is exported" sh -c "headcount export attention 3 a.safetensors --db whole.db --examples 5 &&
    head -c 2000 a.safetensors | grep -qa '\"attention\":{\"dtype\":\"F32\",\"shape\":\[2,4,5,8,8\]'"
check "... with its sequences, their task and their set" sh -c "head -c 2000 a.safetensors |
    grep -a '\"inputs\":{\"dtype\":\"I64\",\"shape\":\[5,8,1\]' | grep -a '\"task\":\"gather\"' |
    grep -aq 'the first 5 sequences of the validation set'"
header=$(head -c 8 a.safetensors | od -An -tu8 | tr -d ' ')
check "... and the weights of every query sum to 1" [ "$(tail -c +$((header + 9)) a.safetensors |
    head -c $((2 * 4 * 5 * 8 * 8 * 4)) | od -An -v -w32 -tf4 |
    awk \
    '{ s = 0; for (i = 1; i <= NF; i++) s += $i; if (s < .9999 || s > 1.0001) bad++ } END { print NR, bad + 0 }')" = \
    "320 0" ]
check "export attention takes 16 sequences by default" sh -c "headcount export attention 3 b.safetensors --db whole.db &&
    head -c 2000 b.safetensors | grep -qa 'shape\":\[2,4,16,8,8\]'"
check "more examples than the set has are refused" \
    says 'has 64 sequences, not 65; use --examples 64' headcount export attention 3 c.safetensors --db \
    whole.db --examples 65
check "attention of damaged weights is refused" says 'SHA-256' headcount export attention 5 c.safetensors --db bad.db
check "... and leaves no file" [ ! -e c.safetensors ]
check "--examples is refused for weights" status_is 2 headcount export weights 3 c.safetensors --db whole.db --examples 2
check "an export above 1 GiB is refused with the --examples that would do" \
    sh -c "headcount export attention 1 c.safetensors --db large.db --examples 40 2>&1 |
    grep -q 'takes 1.2 GiB, and at most 1 GiB is exported; use --examples 32 or fewer'"
finish
