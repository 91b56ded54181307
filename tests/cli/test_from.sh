#!/bin/sh
# headcount run --from and --from-shards: finished trials count whichever way they were run, half done ones
# go on from their checkpoints, and the files that this comes from stay as they are. Speaks TAP. HEADCOUNT
# is the program; run from the repository's root.
. tests/tap.sh
not_sanitized "finished trials are taken over"
settle
export HEADCOUNT_CHECKPOINT_S=0
run() { # db, arguments...: not --quiet, for what was taken over is said
    run_db=$1
    shift
    headcount run s.yaml --db "$run_db" "$@" >report.txt 2>said </dev/null
}
sql() { sqlite3 "$1" "$2"; }
says() { grep -qF -- "$1" said || { cat said; return 1; }; }
status_is() { # status, command...
    wanted=$1
    shift
    "$@"
    code=$?
    [ $code -eq "$wanted" ] || { echo "status $code, expected $wanted"; cat said; return 1; }
}
undisturbed() {
    rm -rf whole.db*
    run whole.db || { cat said; return 1; }
    headcount export results --db whole.db >whole.jsonl && headcount report --db whole.db >whole.txt
}
# The file is what an undisturbed run makes: results, report, every promise, weights.
whole() { # db
    headcount export results --db "$1" >got.jsonl && cmp got.jsonl whole.jsonl &&
        headcount report --db "$1" >got.txt && diff whole.txt got.txt && headcount check --db "$1"
}
shards() { # of, arguments...: x-K-of-N.db each
    of=$1
    shift
    for shard in $(seq "$of"); do
        run "x-$shard-of-$of.db" --shard "$shard/$of" "$@" || { cat said; return 1; }
    done
}
merged() { # of: x.db
    headcount merge --into x.db x-*-of-"$1".db >said 2>&1 || { cat said; return 1; }
}
# How often trials were begun in shards that are merged.
attempts() { sql x.db 'SELECT count(*) FROM attempt'; }
content() { # db: all of it
    sqlite3 "$1" .dump | sha256sum
    (cd "$1.d" && sha256sum ./*)
}

# ---- shards ----
cat >s.yaml <<'Y'
# Which?
name: s
task: {name: gather, length: 8, vocab: 4, slots: 1}
model: {d_model: 8, heads: [1, 2, 4], d_ff: 8}
train: {steps: 20, batch: 8, eval_every: 5, val_examples: 32, test_examples: 32}
claim: {best: 2, over: [1]}
eval: {other: {instance: 1}}
measure: evals
seeds: 4
Y
check "a sweep runs undisturbed" undisturbed
check "the sweep runs in two shards" shards 2
headcount sweep note 1 "a note of mine" --db x-1-of-2.db >said
content x-1-of-2.db >before
check "three shards take over from two" shards 3 --from-shards x.db
check "... and the last says what it took from the first file" says "3 trials were taken over from x-1-of-2.db"
check "... and what from the second" says "1 trial was taken over from x-2-of-2.db"
check "... and trains nothing" says "nothing to run: all 4 trials have ended"
check "... and has copies of the weights" [ "$(find x-3-of-3.db.d -name '*.result' -links 1 | wc -l)" = 4 ]
check "... and check finds nothing wrong" headcount check --db x-3-of-3.db
check "the shard that trials come from stays as it was" sh -c 'sqlite3 x-1-of-2.db .dump | sha256sum | cmp - "$0" 2>&1 | grep EOF' before
merged 3
check "the three shards, merged, equal an undisturbed run" whole x.db
check "... with one attempt of each trial" [ "$(attempts)" = 12 ]
check "... and a person's note" \
    [ "$(sql x.db 'SELECT remark FROM trial WHERE remark IS NOT NULL')" = "a note of mine" ]
check "... and what the shards measured" \
    [ "$(sql x.db 'SELECT count(*) FROM head_metric')" = "$(sql whole.db 'SELECT count(*) FROM head_metric')" ]
check "... and a claim that came first" [ "$(sql x.db 'SELECT count(*) || seen FROM plan_change')" = 10 ]
rm -rf y.db*
check "a run of the whole sweep takes over from the shards" run y.db --from-shards x.db
check "... and equals an undisturbed run" whole y.db

# ---- one file ----
undisturbed
rm -rf y.db*
check "run --from takes over from a named file" run y.db --from whole.db
check "... and says that it took all trials" says "12 trials were taken over from whole.db"
check "... and equals an undisturbed run" whole y.db
run y.db --from whole.db
check "a second run --from says that nothing was taken over" says "nothing was taken over from whole.db: no trial of this run has come further there"
ln -s whole.db link.db
rm -rf y.db*
run y.db --from link.db
check "run --from takes over through a link" says "12 trials were taken over from link.db"
run y.db --from y.db
check "run --from passes over its own results file" says "y.db is passed over: it is the results file of this run"
rm -rf y.db*
check "run --from refuses a missing file" status_is 2 run y.db --from whole.db --from missing.db
check "... with its name" says "there is no results file missing.db"
check "... and makes no results file" [ ! -e y.db ]
echo text >text.db
check "run --from refuses a text file" status_is 2 run y.db --from text.db
check "... with its name" says "text.db is not a results file"
: >empty.db
check "run --from accepts an empty file" run y.db --from empty.db
rm -rf z.db*
cp whole.db bad.db && cp -r whole.db.d bad.db.d
sql bad.db "UPDATE trial SET test_acc = .75 WHERE trial_id = 3"
check "run --from refuses a row that its worker did not write" status_is 3 run z.db --from bad.db
check "... and names the trial" says "bad.db: trial 3 does not match its result file (test_acc)"
check "... and takes over nothing" \
    [ "$(sql z.db 'SELECT count(*) FROM attempt; SELECT count(*) FROM build WHERE build_id > 1')$(ls z.db.d)" = "0
0owner" ]
cp whole.db bad.db && rm bad.db.d/t3-a1.result
check "run --from refuses trials whose weights are missing" status_is 2 run z.db --from bad.db
check "... and says what to do" says 'or take the results without weights (`headcount merge --no-weights`)'
rm -rf z.db* bad.db*

# ---- half done ----
rm -rf half.db* y.db* x*.db*
long="--set train.steps=1000000 -j1"
begun() { # db, words...: a run of long trials that goes on from a step, or from none
    begun_db=$1
    shift
    headcount run s.yaml --db "$begun_db" $long --quiet "$@" >report.txt 2>said </dev/null &
    pid=$!
}
stopped() {
    kill -TERM $pid
    wait $pid
    pid=
}
begun half.db --shard 1/2
wait_beside $pid sh -c 'ls half.db.d/t*-a1-0.ckpt' || trouble "no checkpoint"
stopped
step=$(sql half.db 'SELECT max(resume_step) FROM trial')
[ "${step:-0}" -gt 0 ] || trouble "nothing is half done"
[ "$(sql half.db 'SELECT cause FROM attempt')" = stopped ] || trouble "nothing is said to have been stopped"
verdict "a stopped shard leaves a checkpoint"
(
    flock 9
    begun y.db --from half.db
    wait_beside $pid sh -c 'ls y.db.d/t*-a1-0.ckpt' || trouble "no checkpoint"
    stopped
) 9>half.db.lock
[ "$(sql y.db 'SELECT max(resumed_from_step) FROM attempt')" = 0 ] || trouble "taken over from a file that is held"
verdict "a trial that another run still holds is left to it"

# The coordinator is killed: what its workers saved until then is in no row.
rm -rf half.db* y.db*
begun half.db
wait_beside $pid sh -c 'ls half.db.d/t*-a1-0.ckpt half.db.d/t*-a1-1.ckpt' || trouble "no checkpoint"
kill -KILL $pid
wait $pid
begun y.db --from half.db
check "a trial of a killed run goes on from its checkpoint" \
    wait_beside $pid sh -c "[ \"\$(sqlite3 y.db 'SELECT max(resumed_from_step) FROM attempt
    WHERE attempt = 2')\" -gt 0 ]"
stopped
rm -rf cut.db* y.db*
cp whole.db cut.db && cp -r whole.db.d cut.db.d
sql cut.db "UPDATE trial SET state = 'running', checkpoint = NULL, checkpoint_sha256 = NULL, test_acc = NULL
    WHERE trial_id = 3; UPDATE attempt SET ended = NULL, outcome = NULL WHERE trial_id = 3"
check "a result that a killed run did not record is taken over" run y.db --from cut.db
check "... and the run says so" says "the last run was cut off: 1 trial had its result saved"
check "... and the file equals that of an undisturbed run" whole y.db
check "... and nothing is trained" [ "$(sql y.db 'SELECT count(*) FROM attempt')" = 12 ]

finish
