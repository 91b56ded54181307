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
"$headcount" export results --db plain.db >plain.jsonl

# ---- to the end ----
echo 'eval: {again: {}, long: {length: 32}}' >>shift.yaml
check "plan says on which sets trials will be tested" sh -c "'$headcount' plan shift.yaml --db none.db |
    grep -qx 'Trials that have completed are then tested on again, long (eval)\.'"
check "a sweep with eval runs to its end" run whole.db
check "judged trials are tested on each set, tuning trials are not" [ "$(sql whole.db "$sets")" = "again4 long4" ]
check "... on as many examples as their test set has" \
    [ "$(sql whole.db "SELECT count(*) FROM evaluation WHERE acc = round(acc * 64 * 8 * 4) / (64 * 8 * 4)")" = 8 ]
check "what copying learns holds for longer sequences" \
    [ "$(sql whole.db "SELECT min(acc) > .99 AND min(exact) > .9 FROM evaluation WHERE name = 'long'")" = 1 ]
check "... and the report shows this by head count" grep -qE '^long +2 +2 +1\.000' whole.db.out
tuning=$(sql whole.db "SELECT trial_id FROM trial WHERE is_tuning LIMIT 1")
check "show marks trials that only tune" sh -c "'$headcount' show --db whole.db | grep -cE ' completed, tuning ' |
    grep -qx $(sql whole.db "SELECT count(*) FROM trial WHERE is_tuning")"
check "... and names their learning rate first" sh -c "'$headcount' show $tuning --db whole.db | head -n 1 |
    grep -qE '^Tuning trial $tuning of sweep shifted: heads [12], lr=0\.[01]+, seed 1000$'"
check "results are the same as without eval" sh -c "'$headcount' export results --db whole.db | cmp - plain.jsonl"
check "check finds nothing wrong" "$headcount" check --db whole.db
sql whole.db "$values" >whole.values
check "a second run succeeds" run whole.db
check "... and says that there is nothing to run" grep -q 'nothing to run' whole.db.err
check "... and every answer stays the same" [ "$(sql whole.db "$values")" = "$(cat whole.values)" ]
check "a fresh set is not the test set" \
    [ "$(sql whole.db "SELECT count(*) FROM evaluations WHERE name = 'again' AND loss <> test_loss")" = 4 ]

check "a sweep with rotary positions runs" run rotary.db --set model.positions=rotary
check "... and its models are tested on longer sequences" \
    [ "$(sql rotary.db "$sets")" = "again4 long4" ]

# ---- later ----
check "test sets can be added when all trials have ended" run plain.db --set "eval={again: {}, long: {length: 32}}"
check "... and no trial runs again" [ "$(sql plain.db "SELECT max(attempt) FROM trial")" = 1 ]
check "... and the answers are the same" [ "$(sql plain.db "$values")" = "$(cat whole.values)" ]
check "a further set can be added to them" run plain.db --set "eval={again: {}, long: {length: 32}, longer: {length: 64}}"
check "... and the first sets are not tested again" [ "$(sql plain.db "SELECT count(*) FROM study")" = 12 ]
check "a set can get other options" run plain.db --set "eval={long: {length: 16}}"
check "... and only the new answers are shown" \
    [ "$(sql plain.db "SELECT count(DISTINCT options) || max(options) FROM evaluations")" = '1{"length":16}' ]
check "a set can get its old options back" run plain.db --set "eval={long: {length: 32}}"
check "... and its old answers are still known" [ "$(sql plain.db "SELECT count(*) FROM study")" = 16 ]
check "eval can be taken away" run plain.db --set eval=null
check "... and the report says nothing of shifted test sets" fails grep -qE 'shifted test|\(training\)' plain.db.out

# ---- what goes wrong ----
check "a set that no model can take is refused before anything runs" \
    fails run none.db --set model.positions=learned
check "... with the reason" grep -q 'shift.yaml:7:34: the test set long is impossible.*sinusoidal, rotary or none' none.db.err
check "... and no results file is made" [ ! -e none.db ]

run lost.db --set eval=null
lost=$(sql lost.db "SELECT checkpoint FROM trial WHERE seed = 1 AND NOT is_tuning AND state = 'completed' LIMIT 1")
mv "lost.db.d/$lost" kept
run lost.db
check "run exits with 1 if weights are missing" [ $? = 1 ]
check "... and names the trial and the file" grep -q "^trial .*$lost" lost.db.err
check "... and says how to go on" grep -q '2 tests on shifted sets failed; the same command tries them again' lost.db.err
check "... and tests the other trials" [ "$(sql lost.db "$sets")" = "again3 long3" ]
check "... and reports what is missing" grep -q '2 tests are' lost.db.out
cp kept "lost.db.d/$lost"
check "weights that are put back are tested" run lost.db
check "... with the same answers as undisturbed" [ "$(sql lost.db "$values")" = "$(cat whole.values)" ]

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
    kill -TERM "$pid"
    wait "$pid"
    status=$?
    pid=
    return $status
}
stopped
check "a run that is interrupted among the tests exits with 75" [ $? = 75 ]
check "... and says how far it came" grep -q 'stopped (Terminated) after .* the same command goes on' stopped.err
check "... and prints no report" [ ! -s stopped.out ]
check "an interrupted run keeps the tests that it made" \
    [ "$(sql stopped.db "SELECT count(*) BETWEEN 1 AND 43 FROM evaluation")" = 1 ]
kept=$(sql stopped.db "SELECT max(answered) FROM study")
sleep 1.1
check "the same command goes on after an interruption" run stopped.db --set "$many"
check "... and makes all missing tests" [ "$(sql stopped.db "SELECT count(*) FROM evaluation")" = 44 ]
check "... and only those" \
    [ "$(sql stopped.db "SELECT count(*) > 0 AND count(*) < 44 FROM study WHERE answered <= '$kept'")" = 1 ]
run calm.db --set "$many"
check "... with the same answers as without an interruption" [ "$(sql stopped.db "$values")" = "$(sql calm.db "$values")" ]

finish
