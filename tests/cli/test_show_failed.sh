#!/bin/sh
# `headcount show --failed`: each trial that failed or diverged, its attempts, and all that was kept of what its worker
# said; here and from other machines. What is kept of it: sweep/test_process.c, sweep/test_store_trial.c. Speaks TAP.
# HEADCOUNT is the program.
. tests/tap.sh
settle
cat >sweep.yaml <<'YAML'
name: lost
task: {name: copy}
model: {d_model: 16, heads: [1, 2]}
train: {steps: 20, batch: 4, lr: [0.1, 0.01]}
limits: {memory: 1MiB}
seeds: 5
YAML
query() { sqlite3 -noheader "$@"; }
run() { # db, options...: all of its workers refuse to start, behind some lines of the dynamic linker
    to=$1
    shift
    LD_PRELOAD="no-1.so no-2.so no-3.so" headcount run sweep.yaml --db "$to.db" -q "$@" >"$to.out" 2>&1
    [ $? -eq 1 ] || { echo "status"; tail "$to.out"; return 1; }
}

# ---- what workers really say ----
unset SLURM_JOB_ID SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID
SLURM_JOB_ID=19 SLURM_ARRAY_JOB_ID=17 SLURM_ARRAY_TASK_ID=2 check "a run of which all trials fail ends with status 1" run here
check "... and show --failed shows it" sh -c 'headcount show --failed --db here.db >shown'
check "each failed trial is listed with its exit status and its job" [ "$(grep -c '^ *[0-9]* .* failed  *77 .*  17_2$' shown)" -eq 20 ]
query here.db "SELECT error FROM attempt WHERE trial_id = 1" >kept
check "what a worker said is kept with its four lines" [ "$(wc -l <kept)" -eq 4 ]
check "... and shown as it was" sh -c "sed -n '/^Error 1/,/^trial/p' shown | sed -n 's/^    //p' | cmp - kept"
check "... also in show TRIAL" sh -c "headcount show 1 --db here.db | sed '1,/^Error of attempt 1/d' | cmp - kept"
check "a run on other machines of which all trials fail ends alike" run there --launch 'env NOWHERE={host}' --hosts a,b
query there.db "SELECT error FROM attempt WHERE trial_id = 1" >kept-there
check "... and keeps as many lines of each worker" sh -c '[ "$(wc -l <kept-there)" -eq "$(wc -l <kept)" ] && grep -q "not started" kept-there'
check "... with the host, and without a job" \
    [ "$(query there.db "SELECT group_concat(DISTINCT host || coalesce(job, '-')) FROM (SELECT * FROM attempt
    ORDER BY host)")" = a-,b- ]

# ---- many errors ----
cp here.db many.db
query many.db "
    UPDATE attempt SET host = 'n' || trial_id;
    UPDATE attempt
        SET error = format('cannot map 0x%x at step %d', trial_id * 4999, trial_id) || char(10, 9) || 'no room'
        WHERE trial_id <= 12;
    UPDATE attempt SET error = 'odd ' || char(27) || '[31m' || char(8238, 10, 13) || CAST(x'fffe' AS TEXT) || '%s%n'
        WHERE trial_id = 13;
    UPDATE trial SET state = 'diverged', limit_hit = 0 WHERE trial_id = 14;
    UPDATE attempt SET outcome = 'diverged', error = 'loss is inf at step 3' WHERE trial_id = 14;
    UPDATE attempt SET error = NULL, signal = 9, exit_code = NULL WHERE trial_id = 15;
    UPDATE attempt SET attempt = 2 WHERE trial_id = 2;
    UPDATE trial SET attempt = 2, retries_used = 1 WHERE trial_id = 2;
    INSERT INTO attempt
        SELECT trial_id, 1, build_id, 'other', pid, started, ended, 'requeued', 0, NULL, NULL, NULL, NULL,
        'other: connection lost', NULL, '16', 'lost' FROM attempt WHERE trial_id = 2;
    UPDATE attempt SET error = printf('%.20000c', 'y') WHERE trial_id = 16;
    UPDATE trial SET in_plan = 0 WHERE trial_id = 20;"
headcount show lost --failed --db many.db >shown
check "show --failed counts all trials but those that left the plan" [ "$(head -n 1 shown)" = 'lost: 19 of 19 trials failed or diverged.' ]
check "the error of most trials stands first" grep -q '^Error 1: 12 trials ended with it, 12 attempts had it in all\.' shown
check "... with the lines and tabs of the error" grep -q "^    $(printf '\t')no room$" shown
check "... and the numbers of the first trial that had it" grep -q '^    cannot map 0x1387 at step 1$' shown
check "an error of one trial names its attempt" \
    grep -q '^Error [0-9]: 1 trial ended with it, 1 attempt had it in all. In attempt 1 of trial 14:$' shown
check "a worker that said nothing is told as such" grep -q '^    (it said nothing)$' shown
check "earlier attempts have their error and place" sh -c "grep -q '^Error 7: only 1 earlier attempt had it' shown &&
    grep -q '^ *2 .* 1  *1  *7  requeued .* other  16$' shown && grep -q '^ *2 .* 1  *2  *1  failed .* n2 ' shown"
check "hostile text is shown without control characters" sh -c "! grep -q '[[:cntrl:]]' <<X
\$(tr -d '\\t\\n' <shown)
X"
check "... and with ? in their place" grep -q '^    odd ?\[31m?$' shown
check "very long text is cut" sh -c 'grep -q "^    \[\.\.\.\]$" shown && [ "$(wc -L <shown)" -lt 8300 ]'
# ---- where there is nothing ----
query many.db "UPDATE trial SET state = 'queued' WHERE in_plan = 1"
check "show --failed counts no trial where none failed" [ "$(headcount show --failed --db many.db)" = 'lost: 0 of 19 trials failed or diverged.' ]
check "... and is an empty list in JSON" [ "$(headcount show --failed --json --db many.db)" = '[]' ]
refused() {
    headcount show 3 --failed --db many.db >no 2>why
    [ $? -eq 2 ] && grep -q 'show: --failed is about a sweep' why && [ ! -s no ]
}
check "--failed is refused for one trial" refused
check "show tells the retries of one trial" sh -c "headcount show 2 --db many.db | grep -q '^  retries  *1$'"
finish
