#!/bin/sh
# Shifted test sets (`eval`): taken at the end of a run, also of trials that had completed before they
# were asked for; nothing twice, whatever interrupts it. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
cd "$dir" || exit 1
sql() { sqlite3 -cmd ".timeout 5000" "$1" "$2"; }
run() { # db, arguments...
    db=$1
    shift
    "$headcount" run shift.yaml --db "$db" -j 2 "$@" 2>"$db.err" >"$db.out"
}
sets="SELECT group_concat(name || n, ' ') FROM (SELECT name, count(*) AS n FROM evaluations GROUP BY name)"
values="SELECT trial_id, name, options, acc, exact, loss FROM evaluation ORDER BY 1, 2, 3"

# Copying needs no positions: a longer sequence is no harder. One seed per tuning value.
cat >shift.yaml <<'Y'
name: shifted
task: {name: copy, length: 8, vocab: 4}
model: {d_model: 8, heads: [1, 2], d_ff: 8, positions: none}
train: {steps: 200, batch: 16, lr: [1e-1, 1e-2], eval_every: 50, val_examples: 64, test_examples: 64}
seeds: 2
tune: {axes: [train.lr], seeds: 1}
Y
cp shift.yaml plain.yaml
check "a sweep without eval runs" run plain.db
check "... and its report says nothing of test sets" fails grep -qE 'shifted test|\(training\)' plain.db.out
"$headcount" export results --db plain.db >plain.jsonl

# ---- to the end ----
echo 'eval: {again: {}, long: {length: 32}}' >>shift.yaml
check "plan says that there will be tests" sh -c "'$headcount' plan shift.yaml --db none.db |
    grep -qx 'Trials that have completed are then tested on again, long (eval)\.'"
check "a sweep with eval runs to its end" run whole.db
check "each judged trial was tested on each set, tuning trials were not" [ "$(sql whole.db "$sets")" = "again4 long4" ]
check "... on as many examples as its test set" \
    [ "$(sql whole.db "SELECT count(*) FROM evaluation WHERE acc = round(acc * 64 * 8 * 4) / (64 * 8 * 4)")" = 8 ]
check "what is learnt holds for longer sequences" \
    [ "$(sql whole.db "SELECT min(acc) > .99 AND min(exact) > .9 FROM evaluation WHERE name = 'long'")" = 1 ]
check "... and is shown by head count" grep -qE '^long +2 +2 +1\.000' whole.db.out
check "... beside training" grep -qE '^\(training\) +1 +2 ' whole.db.out
check "the report has them as JSON" [ "$("$headcount" report --json --db whole.db >whole.json;
    sql :memory: "SELECT readfile('whole.json') ->> '$.settings[0].shifted[3].set'")" = long ]
check "... and as CSV" sh -c "'$headcount' report --csv --db whole.db | head -n 1 | grep -q ',eval_long_mean,'"
tuning=$(sql whole.db "SELECT trial_id FROM trial WHERE is_tuning LIMIT 1")
check "show marks trials that only tune" sh -c "'$headcount' show --db whole.db | grep -cE ' completed, tuning ' |
    grep -qx $(sql whole.db "SELECT count(*) FROM trial WHERE is_tuning")"
check "... names their learning rate first" sh -c "'$headcount' show $tuning --db whole.db | head -n 1 |
    grep -qE '^Tuning trial $tuning of sweep shifted: heads [12], lr=0\.[01]+, seed 1000$'"
check "... and has both as JSON" [ "$("$headcount" show $tuning --json --db whole.db >t.json;
    sql :memory: "SELECT readfile('t.json') ->> '$.trial.is_tuning'")" = 1 ]
check "results are what they are without eval" sh -c "'$headcount' export results --db whole.db | cmp - plain.jsonl"
check "the file is sound" "$headcount" check --db whole.db
sql whole.db "$values" >whole.values
check "run again: nothing is taken twice" run whole.db
check "... and it says so" grep -q 'nothing to run' whole.db.err
check "... every answer is the one of before" [ "$(sql whole.db "$values")" = "$(cat whole.values)" ]
check "a fresh set is not the test set" \
    [ "$(sql whole.db "SELECT count(*) FROM evaluations WHERE name = 'again' AND loss <> test_loss")" = 4 ]

check "rotary positions are known beyond the length of training" run rotary.db --set model.positions=rotary
check "... so that models with them are tested on longer sequences" \
    [ "$(sql rotary.db "$sets")" = "again4 long4" ]

# ---- later ----
check "sets can be added when all trials have ended" run plain.db --set "eval={again: {}, long: {length: 32}}"
check "... no trial runs again" [ "$(sql plain.db "SELECT max(attempt) FROM trial")" = 1 ]
check "... with the same answers" [ "$(sql plain.db "$values")" = "$(cat whole.values)" ]
check "... and another one to them" run plain.db --set "eval={again: {}, long: {length: 32}, longer: {length: 64}}"
check "... for which the others are not asked again" [ "$(sql plain.db "SELECT count(*) FROM study")" = 12 ]
check "a set of other options is another one" run plain.db --set "eval={long: {length: 16}}"
check "... and the only one that is shown" \
    [ "$(sql plain.db "SELECT count(DISTINCT options) || max(options) FROM evaluations")" = '1{"length":16}' ]
check "... until the old one is asked for again" run plain.db --set "eval={long: {length: 32}}"
check "... which is still known" [ "$(sql plain.db "SELECT count(*) FROM study")" = 16 ]
check "eval can be taken away" run plain.db --set eval=null
check "... and the report is as without" fails grep -qE 'shifted test|\(training\)' plain.db.out

# ---- what goes wrong ----
check "a set that no model can be given is refused before anything runs" \
    fails run none.db --set model.positions=learned
check "... with the reason" grep -q 'shift.yaml:7:34: the test set long is impossible.*sinusoidal, rotary or none' none.db.err
check "... and no file" [ ! -e none.db ]

run lost.db --set eval=null
lost=$(sql lost.db "SELECT checkpoint FROM trial WHERE seed = 1 AND NOT is_tuning AND state = 'completed' LIMIT 1")
mv "lost.db.d/$lost" kept
run lost.db
check "weights that are gone: run exits with 1" [ $? = 1 ]
check "... and names the trial and the file" grep -q "^trial .*$lost" lost.db.err
check "... says how to go on" grep -q '2 tests on shifted sets failed; the same command tries them again' lost.db.err
check "... tests the others" [ "$(sql lost.db "$sets")" = "again3 long3" ]
check "... and reports what is missing" grep -q '2 tests are' lost.db.out
cp kept "lost.db.d/$lost"
check "put back, they are tested" run lost.db
check "... to the same end" [ "$(sql lost.db "$values")" = "$(cat whole.values)" ]

run bad.db --set tune=null --set train.lr=1000 --set train.clip=0 --set train.optimizer=adamw \
    --set train.weight_decay=100
check "no trial completes: run exits with 1, as without eval" [ $? = 1 ]
check "... and says why" grep -q 'diverged' bad.db.err
check "... with its report" [ -s bad.db.out ]

# ---- interrupted ----
long() { for set in a b c d e f g h i j; do printf "%s: {length: 768}, " $set; done; }
many="eval={$(long)again: {}}"
run stopped.db --set eval=null
tests() { sql stopped.db "SELECT count(*) FROM study"; }
tested_more() { [ "$(tests)" -gt "$before" ]; }
stopped() { # a run that is asked to stop once it has tested something; its exit status
    before=$(tests)
    "$headcount" run shift.yaml --db stopped.db -j 1 --set "$many" "$@" >stopped.out 2>stopped.err &
    pid=$!
    wait_beside "$pid" tested_more
    kill -INT "$pid"
    wait "$pid"
    status=$?
    pid=
    return $status
}
stopped
check "asked to stop among the tests: 75" [ $? = 75 ]
check "... and how far it came" grep -q 'stopped (Interrupt) after .* the same command goes on' stopped.err
check "... without a report" [ ! -s stopped.out ]
check "some tests were kept, some are missing" \
    [ "$(sql stopped.db "SELECT count(*) BETWEEN 1 AND 43 FROM evaluation")" = 1 ]
stopped -q
check "quiet: 75" [ $? = 75 ]
check "... and not a word" [ ! -s stopped.err ]
kept=$(sql stopped.db "SELECT max(answered) FROM study")
sleep 1.1
check "the same command takes the rest" run stopped.db --set "$many"
check "... all of it" [ "$(sql stopped.db "SELECT count(*) FROM evaluation")" = 44 ]
check "... and only that" \
    [ "$(sql stopped.db "SELECT count(*) > 0 AND count(*) < 44 FROM study WHERE answered <= '$kept'")" = 1 ]
run calm.db --set "$many"
check "as if nothing had happened" [ "$(sql stopped.db "$values")" = "$(sql calm.db "$values")" ]

finish
