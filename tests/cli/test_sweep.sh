#!/bin/sh
# Sweeps as their user runs them: to the end, stopped, changed, queried meanwhile; files that were moved, edited, left
# by another version. Kills: test_stages.sh, tests/crash. Speaks TAP. HEADCOUNT is the program.
. tests/tap.sh
not_sanitized "sweeps run, stop and go on"
cd "$dir" || exit 1
export HEADCOUNT_CHECKPOINT_S=0.05
sql() { sqlite3 "$1" "$2"; }
status_is() { # expected, command...
    expected=$1
    shift
    "$@"
    got=$?
    [ "$got" -eq "$expected" ] || { echo "status $got, expected $expected: $*"; return 1; }
}
run() { # db, arguments...
    db=$1
    shift
    "$headcount" run sweep.yaml --db "$db" --quiet "$@"
}
same_export() { # db: equal to the undisturbed run's
    "$headcount" export results --db "$1" >"$1.jsonl" && cmp whole.jsonl "$1.jsonl"
}
once_each() { # db: every trial completed exactly once, nothing left over
    [ "$(sql "$1" "SELECT count(*) FROM trial WHERE state <> 'completed'")" = 0 ] &&
        [ "$(sql "$1" "PRAGMA integrity_check")" = ok ] &&
        [ "$(sql "$1" "SELECT count(*) FROM (SELECT trial_id FROM attempt WHERE exit_code = 0 AND signal = 0
        GROUP BY trial_id HAVING count(*) > 1)")" = 0 ]
}

cat >sweep.yaml <<Y
# Small, but long enough to be interrupted.
name: small
task: {name: gather, length: 16, vocab: 8, slots: 2}
model: {d_model: 16, heads: [1, 2, 4], layers: 1, d_ff: 32, dropout: 0.1}
train: {steps: $(steps 600), batch: 32, lr: 3e-3, schedule: {name: cosine, warmup: 20}, eval_every: $(steps 100),
    val_examples: 64, test_examples: 64}
seeds: 2
Y

# ---- to the end ----
check "a sweep runs to its end and reports" \
    sh -c "'$headcount' run sweep.yaml --db whole.db >report.txt 2>err.txt && grep -q heads report.txt"
"$headcount" export results --db whole.db >whole.jsonl
check "the results file is one plain file afterwards" \
    sh -c '! [ -e whole.db-wal ] && [ "$(sqlite3 whole.db "PRAGMA journal_mode")" = delete ]'
check "six results and no checkpoint are left" \
    sh -c '[ "$(ls whole.db.d | grep -c ckpt)" = 0 ] && [ "$(ls whole.db.d | grep -c result)" = 6 ]'
attempts=$(sql whole.db 'SELECT count(*) FROM attempt')
for copy in one edited; do cp whole.db $copy.db && cp -r whole.db.d $copy.db.d; done
sql edited.db "UPDATE trial SET val_acc = val_acc / 2, steps_done = 1 WHERE trial_id = 2;
    UPDATE trial SET val_acc = val_acc / 2 WHERE trial_id = 3"
rm edited.db.d/t3-a1.result
"$headcount" check --db edited.db >said 2>&1
check "check names an edited trial once, by its columns" \
    [ "$(grep -c 'trial 2' said) $(grep \
    -c "^a trial's rows are not what its result says: trial 2 (steps_done, val_acc)$" said)" = "1 1" ]
check "... and a file that is missing once" \
    [ "$(grep -c 't3-a1.result: cannot open\|file is gone' said) $(tail -n 1 said)" = \
    "1 edited.db: 6 trials, 5 files of weights: NOT as it should be" ]
check "... and a trial without its result by what does not fit" \
    grep -q "^a trial's accuracy or loss is not that of its curve at its best step: trial 3$" said
check "... and says so" sh -c "'$headcount' run sweep.yaml --db whole.db 2>&1 >/dev/null |
    grep -qx 'headcount run: nothing to run: all 6 trials have ended'"
check "run says how many trials left the plan, and nothing else of the change" sh -c "cp whole.db fewer.db &&
    '$headcount' run sweep.yaml --db fewer.db --set seeds=1 2>&1 >/dev/null |
    grep -E '^the plan has changed: [0-9]+ trials? no longer in it .results stay.$'"

# ---- from standard input ----
piped() { # db, file, arguments...: its last line ends with "\r", and without "\n"
    piped_db=$1 piped_file=$2
    shift 2
    sed 's/$/\r/' "$piped_file" | head -c -1 | "$headcount" run - --db "$piped_db" --quiet "$@"
}
check "a sweep on standard input runs, with other line ends" piped whole.db sweep.yaml
check "... as the same sweep" [ "$(sql whole.db 'SELECT count(*) FROM attempt')" = "$attempts" ]
check "... recorded by the SHA-256 of the file" \
    [ "$(sql whole.db "SELECT yaml_sha256 FROM sweep")" = "$(sha256sum <sweep.yaml | cut -d ' ' -f 1)" ]
"$headcount" plan sweep.yaml --db whole.db >plan.txt 2>&1
check "... and planned as the file is" sh -c "'$headcount' plan - --db whole.db <sweep.yaml 2>&1 | cmp - plan.txt"
mkdir away
tr 'a-z' 'b-za' <"$headcount" | head -c 4000 >away/letters.bin
cat >away/its.yaml <<'Y'
task: {name: text, file: letters.bin, length: 8}
model: {d_model: 8, heads: 2, layers: 1, d_ff: 8, mask: causal}
train: {steps: 4, batch: 4, lr: 3e-3, eval_every: 4, val_examples: 4, test_examples: 4}
Y
check "--as gives a sweep on standard input its name and the folder of its files" \
    sh -c "'$headcount' run - --as away/its.yaml --db its.db --quiet <away/its.yaml &&
    [ \"\$(sqlite3 its.db 'SELECT name, path FROM sweep, data_file')\" = \"its|$PWD/away/letters.bin\" ]"
check "without --as the files are those of the working directory" \
    sh -c "sed '1i name: its' away/its.yaml | '$headcount' run - 2>&1 | grep -F '$PWD/letters.bin'"
check "... and the sweep has no name" sh -c "'$headcount' run - <away/its.yaml 2>&1 |
    grep -F \"<stdin>:1:1: the file's name '<stdin>' cannot be the name of a sweep\""
check "messages name the file that --as gives" sh -c "echo 'task: {name: gathr}' | '$headcount' run - --as away/its.yaml 2>&1 |
    grep '^headcount run: away/its.yaml:1:14: '"
check "--as is refused without -" \
    sh -c "'$headcount' run sweep.yaml --as x.yaml 2>&1 | grep -F 'this one is sweep.yaml; give - in its place'"
check "a folder as standard input is refused" sh -c "'$headcount' run - <away 2>&1 | grep -F '<stdin>: this is a directory'"
check "run - without a standard input ends with status 3" sh -c "'$headcount' run - <&-; [ \$? -eq 3 ]"

# ---- check ----
check "check finds nothing wrong" "$headcount" check --db whole.db
cp whole.db altered.db && cp -r whole.db.d altered.db.d
sql altered.db "UPDATE trial SET test_acc = 1 WHERE trial_id = 2; CREATE VIEW mine AS SELECT 1"
check "check names an accuracy that the result does not have" sh -c "! '$headcount' check --db altered.db >check.txt &&
    grep -qx \"a trial's rows are not what its result says: trial 2 (test_acc)\" check.txt"
check "check notes a view of the user's own" \
    grep -qx 'note: altered.db has a view that headcount did not make and does not use: mine' check.txt
sql altered.db "UPDATE trial SET test_acc = 1, checkpoint = NULL, checkpoint_sha256 = NULL WHERE trial_id = 2"
check "check counts results without a file" sh -c "'$headcount' check --db altered.db |
    grep -x 'altered.db: 6 trials, 5 files of weights, 1 result whose file is gone: everything is as it should be'"
cp whole.db absurd.db && sql absurd.db "UPDATE trial SET attempt = 1000000000000 WHERE trial_id = 5"
check "an absurd number of attempts is refused by run at once" \
    status_is 3 timeout -s KILL "$(seconds 10)" "$headcount" run sweep.yaml --db absurd.db --quiet
check "... which names the trial" sh -c "'$headcount' run sweep.yaml --db absurd.db 2>&1 | grep 'not those that are counted: trial 5'"
rm "whole.db.d/t4-a1.result"
check "check names weights that are missing" sh -c "'$headcount' check --db whole.db | grep -q 'weights of trial 4'"

# ---- less memory than trials at once would take ----
HEADCOUNT_FREE_MIB=20 "$headcount" run sweep.yaml --db room.db -j 3 2>room.err >/dev/null
check "run says that one trial runs at a time where memory has no room for three" \
    grep -qE '^1 trial at once, not 3: a trial may take [0-9.]+ MB of memory, and 21(\.0)? MB are available$' room.err
check "... and no two trials overlap" \
    [ "$(sql room.db "SELECT count(*) FROM attempt AS a JOIN attempt AS b ON a.trial_id < b.trial_id
    WHERE a.started < b.ended AND b.started < a.ended")" = 0 ]
check "... and the results are the same" same_export room.db

# ---- asked twice to stop ----
# Its workers sleep before their first checkpoint, so that it cannot have stopped before the second signal comes.
env --default-signal=INT $(pausing cut rename 1 all) FAULT_DO=sleep setsid "$headcount" run sweep.yaml --db cut.db --set train.steps=100000 \
    --set train.eval_every=100000 -j 2 2>cut.err >/dev/null &
pid=$!
check "its workers have begun" wait_until sh -c '[ "$(wc -l <cut.count.fired)" = 2 ]'
kill -TERM $pid
wait_beside $pid grep -q stopping cut.err # of two signals that are pending, the kernel hands over the lower one first
kill -INT $pid
wait $pid
code=$?
check "a second signal ends a run at once" [ $code -eq 130 ]
check "... and says so" grep -qx "headcount run: ended at once; the same command resumes the sweep" cut.err

# ---- stopped ----
env $(pausing hup rename 3) setsid "$headcount" run sweep.yaml --db stop.db -j 2 2>stop.err >/dev/null &
pid=$!
wait_beside $pid pauses $pid
check "by_heads answers while the sweep runs" sqlite3 stop.db "SELECT heads, n, mean_acc, ci95_low, ci95_high FROM by_heads"
kill -HUP -$pid
wait $pid
check "a terminal that goes away ends a run with status 75" [ $? -eq 75 ]
left=$(sql stop.db "SELECT '(' || sum(state = 'queued' AND resume_step > 0) || ' half done, saved)' FROM trial")
at=$(sql stop.db "SELECT 'stopped at ' || sum(state = 'completed') || ' of 6 trials' FROM trial")
check "... and says how far it came" grep -qF "headcount run: $at $left; the same command resumes the sweep" stop.err

# ---- the results file goes away ----
"$headcount" run sweep.yaml --db gone.db --quiet --set train.steps=100000 2>gone.err >/dev/null &
pid=$!
wait_until sh -c "[ \"\$(sqlite3 gone.db \"SELECT count(*) FROM curve\" 2>/dev/null)\" -ge 1 ]"
mv gone.db elsewhere.db
wait $pid
code=$?
check "a run whose results file was moved away stops with status 3" [ $code -eq 3 ]
check "... and says why" grep -q 'removed or replaced during the run' gone.err
check "... and what was written is whole" [ "$(sql elsewhere.db 'PRAGMA integrity_check')" = ok ]

# ---- one file by two names ----
ln -s whole.db link.db
check "a run takes a symbolic link for the file that it leads to" "$headcount" run sweep.yaml --db link.db --quiet
check "... with one lock and one folder" sh -c '! [ -e link.db.lock ] && ! [ -e link.db.d ]'
mkdir to
ln -s to/later.db relay.db && ln -s "$PWD/relay.db" early.db
check "... even before the first run, over two links" "$headcount" run sweep.yaml --db early.db --quiet
check "... with one lock and one folder" \
    sh -c "'$headcount' check --db to/later.db && [ -e to/later.db.lock ] && ! ls -d early.db.* relay.db.*"
ln -s to there
check "a folder that is a symbolic link is followed" "$headcount" report --db there/later.db

# ---- the file changes ----
sed -i 's/slots: 2/slots: 1/; s/heads: .1, 2, 4./heads: [16]/' sweep.yaml
check "another sweep of the same name is refused" status_is 2 run whole.db
check "... unless --replace is given" run whole.db --replace --set train.steps=20 --set 'seeds=[7, 8]'
check "what --set said is recorded" \
    [ "$(sql whole.db 'SELECT overrides FROM sweep')" = '["train.steps=20","seeds=[7, 8]"]' ]
check "... and reported" \
    sh -c "'$headcount' report --db whole.db | grep -F -- 'Run with --set train.steps=20 --set seeds=[7, 8].'"
check "... as JSON too" sh -c "'$headcount' report --db whole.db --json >report.json &&
    [ \"\$(sqlite3 :memory: \"SELECT readfile('report.json') ->> '$.overrides[1]'\")\" = 'seeds=[7, 8]' ]"
check "only what --set said last is reported" sh -c "'$headcount' run sweep.yaml --db whole.db --quiet --set train.steps=20 &&
    '$headcount' report --db whole.db | grep -F -- 'Run with --set train.steps=20.'"

# ---- files of development versions ----
cp whole.db old.db && sql old.db 'PRAGMA user_version = 7' && cp old.db keep.db
old_format() { # command...: refused by name, with what to do
    "$headcount" "$@" --db old.db >said 2>&1
    [ $? -eq 2 ] && grep -q 'old.db has format 7, of a development version .*run the sweep again' said ||
        { cat said; return 1; }
}
for command in 'run sweep.yaml' 'plan sweep.yaml' status report 'show 1' 'export results' check gc 'gc -n' heads \
    'sweep note small x'; do
    check "$command refuses a file of format 7" old_format $command
done
check "merge refuses a file of format 7" sh -c "! '$headcount' merge --into all.db old.db 2>err.txt &&
    grep -q 'old.db has format 7' err.txt && [ ! -e all.db ]"
check "a file of format 7 stays as it is, with nothing beside it" sh -c 'cmp old.db keep.db && [ "$(ls -d old.db*)" = old.db ]'
rm -f old.db keep.db

# ---- a file that was renamed with its weights, copied, asked to overwrite something ----
cp one.db moved.db && cp -r one.db.d moved.db.d && cp moved.db copy.db && cp -r moved.db.d copy.db.d
check "gc after renaming keeps the weights" sh -c "'$headcount' gc --db moved.db && ls moved.db.d/t4-a*.result"
rm moved.db.d/t4-a*.result
check "check after renaming looks into the new folder" \
    sh -c "'$headcount' check --db moved.db | grep 'weights of trial 4'"
check "... and a copy has weights of its own" \
    sh -c "'$headcount' check --db copy.db; '$headcount' export weights 4 w.safetensors --db copy.db &&
    [ -s w.safetensors ]"
check "show says where the weights are now" sh -c "'$headcount' show 4 --db copy.db | grep 'weights  *copy.db.d/t4-a'"
check "... as JSON too" sh -c "'$headcount' show 4 --db copy.db --json | grep '\"checkpoint\": *\"copy.db.d/t4-a'"
cp copy.db astray.db && cp -r copy.db.d astray.db.d && mv astray.db.d/t4-a*.result x
sql astray.db "UPDATE trial SET checkpoint = '../x' WHERE trial_id = 4"
for command in check "check --retest" "show 4" "show 4 --json" "heads 4" "prune 4" "export weights 4 w.safetensors" \
    "export attention 4 a.json" "merge --into into.db"; do
    rm -rf w.safetensors a.json into.db*
    database=--db
    case $command in merge*) database= ;; esac
    # shellcheck disable=SC2086
    "$headcount" $command $database astray.db >said 2>&1
    check "$command takes no weights whose name leads out of the folder" \
        sh -c "cat said; grep \"weights of trial 4 is no file's name: '../x'; restore\" said && ! ls w.safetensors a.json into.db"
done
cp copy.db keep.db
mkfifo pipe && ln -s target.safetensors link && : >target.safetensors
for target in copy.db ./copy.db copy.db.d/t4-a1.result copy.db.d/new pipe /dev/null - .; do
    check "weights are not written over $target" status_is 2 "$headcount" export weights 4 $target --db copy.db
done
check "... and all is as it was" sh -c "cmp copy.db keep.db && [ -p pipe ] && [ -c /dev/null ]"
check "weights exported over a link go into the file that it leads to" \
    sh -c "'$headcount' export weights 4 link --db copy.db && [ -L link ] && [ -s target.safetensors ]"
check "gc --dry-run needs no lock and removes nothing" \
    sh -c "'$headcount' gc -n --db copy.db | grep '^would remove' && ls copy.db.d/t4-a*.result"
sql one.db 'SELECT yaml FROM sweep' >sweep.yaml
check "gc --out-of-plan removes weights of trials that left the plan" sh -c "'$headcount' run sweep.yaml --db one.db --quiet --set seeds=1 &&
    '$headcount' gc --out-of-plan --db one.db | grep 'left the plan'"
check "... and check counts them as gone" sh -c "'$headcount' check --db one.db |
    grep '6 trials, 3 files of weights, 3 results whose file is gone: everything'"
check "... and export says so" \
    sh -c "'$headcount' export weights \$(sqlite3 one.db 'SELECT trial_id FROM trial
    WHERE NOT in_plan LIMIT 1') x --db one.db 2>&1 | grep 'removed by gc'"
check "a run with another metric is refused" status_is 2 run one.db --set 'metric={name: val_loss, goal: minimize}'
check "... and plan says so before" \
    sh -c "'$headcount' plan sweep.yaml --db one.db --set 'metric={name: val_loss, goal: minimize}' |
    grep 'chosen by another one'"

# ---- divergence and failure ----
cat >sweep.yaml <<'Y'
name: wild
task: {name: copy, length: 8, vocab: 4}
model: {d_model: 16, heads: 2, d_ff: 16}
train: {steps: 100, lr: [1e-3, 1000], clip: 0, batch: 8, optimizer: adamw, weight_decay: 100, eval_every: 50,
    val_examples: 16, test_examples: 16}
seeds: 1
Y
check "a sweep with a diverged trial ends with status 1" status_is 1 run wild.db
check "... also where nobody reads its report to the end" \
    sh -c "{ sleep 0.1; '$headcount' run sweep.yaml --db wild.db --quiet; echo \$? >code; } | :; grep -qx 1 code"
check "... and says so" sh -c "'$headcount' run sweep.yaml --db wild.db --quiet 2>&1 >/dev/null |
    grep -q '1 trial diverged; .headcount show TRIAL'"
wild=$(sql wild.db "SELECT trial_id FROM trial WHERE state = 'diverged' LIMIT 1")
check "... and show has no weights of it" sh -c "'$headcount' show $wild --db wild.db >wild.txt &&
    grep -q '^  bad step' wild.txt && ! grep '^  weights' wild.txt"
check "... also in JSON" sh -c "'$headcount' show $wild --db wild.db --json | grep -q '\"checkpoint\": *null'"

cat >sweep.yaml <<'Y'
name: slow
task: {name: copy, length: 32, vocab: 4}
model: {d_model: 128, heads: 2, layers: 2, d_ff: 256}
train: {steps: 1000000, batch: 64}
seeds: 1
retries: 0
limits: {time: 1s}
Y
check "a runaway trial is stopped by its time limit, with exit status 1" status_is 1 run slow.db
check "... and the limit is named" sh -c "sqlite3 slow.db 'SELECT error FROM attempt' | grep -q limits.time"
check "plan says that a limit stopped the trial, and what resumes it" sh -c "'$headcount' plan sweep.yaml --db slow.db |
    grep -qx '  failed  *1  stopped by a limit; --retry-failed resumes it'"
sed -i 's/time: 1s/time: 2s/' sweep.yaml
check "a trial with a higher limit goes on" status_is 1 run slow.db --retry-failed
check "... not from the start" [ "$(sql slow.db "SELECT resumed_from_step > 0 FROM attempt WHERE attempt = 2")" = 1 ]
check "... for the difference only" [ "$(sql slow.db "SELECT cpu_s < 1.9 FROM attempt WHERE attempt = 2")" = 1 ]
# ---- somebody reads while a run ends ----
# A second longer than its last trial takes; the report after the run reads by itself.
cat >read.yaml <<'Y'
task: {name: copy}
model: {d_model: 8, heads: [1, 2], d_ff: 8}
train: {steps: 100, val_examples: 8, test_examples: 8}
seeds: 2
Y
ends_amid_reading() {
    "$headcount" run read.yaml --db read.db -q >/dev/null 2>&1 &
    until [ "$(sqlite3 -cmd '.timeout 5000' read.db 'SELECT count(*) FROM trial' 2>/dev/null)" ]; do sleep 0.02; done
    echo 'until [ "$(sqlite3 read.db "SELECT count(*) FROM trial
        WHERE state <> '"'completed'"'")" = 0 ]; do sleep 0.02; done; sleep 1' >last.sh
    printf '.timeout 5000\nBEGIN;\nSELECT count(*) FROM trial;\n.system sh last.sh\nEND;\n' >reading.sql
    sqlite3 -readonly read.db <reading.sql >/dev/null
    wait $!
    ls read.db*
    [ ! -e read.db-wal ] && cp read.db copy.db && once_each copy.db
}
check "a run waits at its end for somebody who reads, and leaves one whole file" ends_amid_reading
finish
