#!/bin/sh
# Looks: seeds are added until the verdict is decided, whatever interrupts the run. Speaks TAP.
# HEADCOUNT is the program.
. tests/tap.sh
cd "$dir" || exit 1
export HEADCOUNT_CHECKPOINT_S=0.05
sql() { sqlite3 "$1" "$2"; }
run() { # db, arguments...
    db=$1
    shift
    "$headcount" run looks.yaml --db "$db" "$@" 2>"$db.err" >/dev/null
}
same_export() { # db: equal to the undisturbed run's, and so is what the looks came to
    "$headcount" export results --db "$1" >"$1.jsonl" && cmp whole.jsonl "$1.jsonl" &&
        [ "$(sql "$1" "$looks")" = "$(sql whole.db "$looks")" ]
}
looks="SELECT setting, look, kind, decided FROM look ORDER BY 1, 2"

# Two settings: after 4 steps nothing is learnt, and no look decides; after 200 the first does.
cat >looks.yaml <<'Y'
name: patient
task: {name: gather, length: 16, vocab: 8, slots: 2}
model: {d_model: 16, heads: [2, 16], layers: 1, d_ff: 32, dropout: 0}
train: {steps: [4, 200], batch: 32, lr: 1e-2, eval_every: 100, val_examples: 64, test_examples: 64}
looks: [3, 4, 6]
claim: {best: 2, over: [16]}
Y

# ---- to the end ----
check "a sweep with looks runs to its end" run whole.db -j 2
"$headcount" export results --db whole.db >whole.jsonl
check "a setting that is learnt is decided at the first look" \
    [ "$(sql whole.db "SELECT look || kind || decided FROM look WHERE setting LIKE '%200%'")" = "1claim_confirmed1" ]
check "... and the trials of its later looks do not run" \
    [ "$(sql whole.db "SELECT group_concat(state || n, ' ') FROM (SELECT state, count(*) AS n FROM trial
    WHERE setting LIKE '%200%' GROUP BY 1)")" = "completed6 not_needed6" ]
check "a setting that is not learnt gets all three looks" \
    [ "$(sql whole.db "SELECT group_concat(look || decided, ' ') FROM look WHERE setting LIKE '%4%'")" = "10 20 30" ]
check "... and all of its seeds" \
    [ "$(sql whole.db "SELECT count(*) FROM trial WHERE setting LIKE '%4%' AND state = 'completed'")" = 12 ]
check "no trial of a look begins before the look before is judged" \
    [ "$(sql whole.db "SELECT count(*) FROM trial AS t JOIN attempt USING (trial_id)
    JOIN look AS l ON l.setting = t.setting AND l.look = t.look - 1 WHERE started < judged")" = 0 ]
check "run says that more seeds are needed" \
    grep -qx 'look 1 of 3 (3 seeds) of steps=4: not decided; 1 more seed for each head count, 2 trials' whole.db.err
check "... that a look decided a setting" \
    grep -qx \
    'look 1 of 3 (3 seeds) of steps=200: the claim is confirmed; 6 trials of later looks not needed' whole.db.err
check "... and that the last look decided nothing" \
    grep -qx 'look 3 of 3 (6 seeds) of steps=4: not decided, and it was the last' whole.db.err
check "status counts settings decided and undecided" sh -c "'$headcount' status --db whole.db |
    grep -qx 'patient: 1 of 2 settings decided, 1 undecided after the last look\.'"
check "... as JSON too" sh -c "'$headcount' status --db whole.db --json |
    grep -qF '\"looks\":{\"seeds\":[3,4,6],\"settings\":2,\"decided\":1,\"undecided\":1,\"open\":null}'"
check "running the sweep again runs nothing" \
    sh -c "'$headcount' run looks.yaml --db whole.db 2>&1 >/dev/null | grep -q 'nothing to run'"
check "check finds nothing wrong" "$headcount" check --db whole.db

# ---- another number of workers, interrupted, killed: the same trials, the same bytes ----
check "a sweep with looks runs with one worker" run one.db -j 1
check "... to the same bytes" same_export one.db
check "a sweep with looks runs with four workers" run four.db -j 4
check "... to the same bytes" same_export four.db
for signal in TERM KILL TERM KILL; do
    env $(pausing stop start 3 all) "$headcount" run looks.yaml --db stop.db --quiet -j 2 2>>stop.err >/dev/null &
    pid=$!
    seen=$(sql stop.db 'SELECT count(*) FROM attempt' 2>/dev/null)
    wait_beside $pid sh -c "[ \"\$(sqlite3 stop.db 'SELECT count(*)
        FROM attempt' 2>/dev/null)\" -ge $((${seen:-0} + 3)) ]"
    wait_beside $pid pauses $pid
    kill -$signal $pid
    wait $pid 2>/dev/null
done
env $(pausing words start 2) HEADCOUNT_CHECKPOINT_S=10 setsid "$headcount" run looks.yaml --db words.db -j 1 \
    2>words.err >/dev/null &
pid=$!
wait_until sh -c "[ \"\$(sqlite3 words.db 'SELECT count(*) FROM attempt WHERE pid > 0' 2>/dev/null)\" -ge 2 ]"
wait_beside $pid pauses $pid
kill -TERM $pid
wait $pid
check "a run that is stopped says which look is open" \
    grep -qE \
    "^headcount run: stopped at [0-9]+ of 24 trials.*; 0 of 2 settings decided, 0 undecided after the last look; \
look 1 of 3 .3 seeds. is open; the same command resumes the sweep\$" words.err
check "status says which look is open" \
    sh -c "'$headcount' status --db stop.db | tr -s ' \\n' ' ' | grep -qE 'look [12] of 3 .[34] seeds. is open\\. '"
check "a sweep that was stopped and killed in turn goes on" run stop.db
check "... to the same bytes" same_export stop.db

# ---- what the file and its trials do to looks ----
sed 's/^looks.*/seeds: 6/' looks.yaml >seeds.yaml
check "a sweep without looks runs with all its seeds" "$headcount" run seeds.yaml --db late.db --quiet
check "... and is judged look by look when looks are added" run late.db
check "... without running anything" [ "$(sql late.db 'SELECT count(*) FROM attempt')" = 24 ]
check "... and says what each look came to" \
    grep -qx 'look 2 of 3 (4 seeds) of steps=4: not decided; 2 more seeds for each head count, 0 trials' late.db.err
check "... and a claim written for other rules is no prediction" \
    [ "$(sql late.db "SELECT count(*) FROM look WHERE kind LIKE 'claim%'")" = 0 ]
check "... as the report says" sh -c "'$headcount' report --db late.db | tr -s '\n ' ' ' |
    grep -qF 'is no prediction: what it is judged by was changed after 24 of 24 trials had ended'"
cp whole.db retry.db && cp -r whole.db.d retry.db.d
sql retry.db "UPDATE trial SET state = 'failed' WHERE setting LIKE '%200%' AND seed = 0 AND state = 'completed'"
check "a trial that is tried again undoes its look" run retry.db --retry-failed
check "... which is judged again" grep -q 'look 1 of 3 (3 seeds) of steps=200: the claim is confirmed' retry.db.err
finish
