#!/bin/sh
# One machine among others is broken, or one trial breaks machines: the others finish, and no trial pays
# for what was a machine's fault. Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
. tests/hosts.sh
# Of hosts that stand beside others for what those come to, `gated` begins its first trial when there is
# a file go: how fast the machine of the test is does not matter then. `mounted` sees the folder by way of
# a link *.link, and its agent is mounted.pid.
cat >bad <<'SH'
#!/bin/sh
host=$1
shift
export LC_ALL=C
case $host in
readonly) ulimit -f 0 && exec "$@" ;;
broken) ulimit -f 1 && exec "$@" ;;
sick*) sed -u 's/"gather"/"gathex"/' | "$@" ;;
deadly*) sed -u "/trial=2$/e echo $host >>deaths; kill -KILL 0" | "$@" ;;
garbled) "$@" | sed -u 's/\[{"step/[{!step/' ;;
cramped) ulimit -n 18 && exec "$@" ;;
roomy) sed -u '/trial=/e until [ -e room ]; do sleep .02; done' | sh -c 'echo $$ >roomy.pid; exec "$@"' agent "$@" ;;
doomed) sed -u '/trial=[45]$/,/^config=/s/"gather"/"gathex"/' | "$@" ;;
last)
    sed -u '/trial=/e until [ -e died ]; do sleep .02; done
    /trial=6$/,/^config=/s/"gather"/"gathex"/' | "$@"
    ;;
mortal)
    [ ! -e died ] || exit 255
    sed -u '/trial=/{x;s/^/x/;/xx/e touch died; kill -KILL 0
    x;}' | "$@"
    ;;
frail) echo $$ >frail.pid && exec "$@" ;;
gated) sed -u '/trial=/e until [ -e go ]; do sleep .02; done' | "$@" ;;
mounted) sed -u 's|\.db\.d$|.link|' | sh -c 'echo $$ >mounted.pid; exec "$@"' agent "$@" ;;
*) exec "$@" ;;
esac
SH
chmod +x bad
there="./bad {host}"

run broken --launch "$there" --hosts gated:1,broken:2,readonly
status_says() {
    headcount status --db broken.db | tr '\n' ' ' | grep "far: not on broken, which lost [0-9]* attempts\?, the last one to: .*\." &&
        headcount status --json --db broken.db | grep '"lost_on":{"broken":{"attempts":[0-9]*,"error":".*"}}'
}
check "status says where trials do not run, and why" wait_beside "$pid" status_says
check "... with growing pauses" wait_beside "$pid" says "^broken is tried again in 2 s: its storage fails: "
touch go
check "a host whose storage fails: the others finish" ended_with 0
check "... it is told" says "^broken is tried again in 1 s: its storage fails: .*File too large"
report_says() { headcount report --db broken.db | tr '\n' ' ' | grep "lost on these machines, and their trials went on elsewhere: broken ([0-9]*)\."; }
check "... the report says so" report_says
check "... one that cannot write at all is refused" says "^readonly is not used any more: it does not get to write into the results folder: .*File too large"
check "... to the same bytes" as_here broken

# Nine machines in one file, h5 with two losses; a loss on no known machine, one of a trial that is not
# in the plan any more.
cp broken.db crowd.db
sqlite3 crowd.db "DELETE FROM attempt WHERE outcome = 'requeued'; UPDATE trial SET in_plan = 0 WHERE trial_id = 5;
    UPDATE trial SET state = 'running' WHERE trial_id = 1;
    WITH lost (trial, host) AS (VALUES (5, 'gone'), (6, NULL), (6, 'h5'), (6, 'h1'), (6, 'h2'), (6, 'h3'),
        (6, 'h4'), (6, 'h5'), (6, 'h6'), (6, 'h7'), (6, 'h8'), (6, 'h9'))
    INSERT INTO attempt (trial_id, attempt, build_id, host, started, ended, outcome, resumed_from_step, error)
        SELECT trial, 100 + row_number() OVER (), 1, host, 'then', '9', 'requeued', 0, host || ': cut' FROM lost;
    UPDATE attempt SET error = 'cut' WHERE host IS NULL AND outcome = 'requeued'"
crowd_says() { # command, words
    headcount "$1" --db crowd.db 2>/dev/null | tr '\n' ' ' | grep -F -e "$2"
}
others='h1, which lost 1 attempt, the last one to: cut; h2, which'
check "of many machines the worst are told, by status" crowd_says status "far: not on h5, which lost 2 attempts, the last one to: cut; $others"
check "... and how many more there are" crowd_says status "; h8, which lost 1 attempt, the last one to: cut; and 1 more. "
check "... by the report" crowd_says report "went on elsewhere: h5 (2), h1 (1), h2 (1), h3 (1), h4 (1), h6 (1), h7 (1), h8 (1) and 1 more."

orphans() { run orphans --set seeds=1 --set "train.steps=$(steps 1500)" --launch "$there" "$@"; }
orphans --hosts a:1,b:1
both_run() { [ "$(sqlite3 orphans.db "SELECT count(DISTINCT host) FROM trial JOIN attempt USING (trial_id, attempt) WHERE state = 'running'")" = 2 ]; }
check "the coordinator is killed while two hosts work" wait_beside "$pid" both_run
kill -KILL "$pid"
wait "$pid" 2>/dev/null
orphans --hosts a:1
one_runs() {
    headcount status --json --db orphans.db >orphans.json
    grep -F '"hosts":{"a":1}' orphans.json
}
check "... the next run is on one of them" wait_beside "$pid" one_runs
headcount status --db orphans.db >orphans.txt 2>&1
check "... no machine is said to have lost anything" grep -F '"lost_on":{}' orphans.json
check "... by status" sh -c 'grep "^far: on 1 machine" orphans.txt && ! grep "which lost" orphans.txt'
check "... it finishes" ended_with 0
check "... two attempts were lost" rows_say orphans "SELECT count(*), count(DISTINCT host) FROM attempt WHERE outcome = 'requeued'" "2|2"
check "... by no machine, says the report" sh -c 'headcount report --db orphans.db >orphans.txt && ! grep "lost on" orphans.txt'

export HEADCOUNT_PAUSE_S=.01
run worn --launch "$there" --hosts broken:1
check "no host whose storage works: the run stops" ended_with 2
check "... it is given up the eighth time in a row" says "^broken is not used any more: given up after 8 times: its storage fails: .*File too large"
check "... after seven tries" [ "$(grep -c "^broken is tried again in" worn.out)" = 7 ]
check "... that are all it says" says "no machine is left to work on: broken: given up after 8 times: its storage fails"
unset HEADCOUNT_PAUSE_S

run own --launch "$there" --hosts a:1
saved() { ls own.db.d/*.ckpt; }
wait_beside "$pid" saved
mv own.db.d own.away
check "storage that fails here too: the run stops" ended_with 3
check "... and no host is blamed" fails says "^a is"
mv own.away own.db.d
run own --launch "$there" --hosts a:1
check "... and goes on" ended_with 0
check "... to the same bytes" as_here own

two="--set seeds=1 --set train.steps=$(steps 2000)"
mounts() { # db, suffix: two trials, of which `mounted` has come to such a file of one
    rm -f go
    ln -s "$1.db.d" "$1.link"
    run "$1" --launch "$there" --hosts gated:1,mounted:1 $two
    wait_until sh -c "ls $1.db.d/t[12]-a1*.$2"
    rm "$1.link"
}
mounts torn ckpt
check "a host whose storage fails after a checkpoint" wait_beside "$pid" says "^mounted is tried again in 1 s: its storage fails: "
touch go
check "... the others finish" ended_with 0
check "... from the checkpoint" rows_say torn "SELECT count(*) FROM attempt WHERE resumed_from_step > 0 AND outcome = 'completed'" 1
HEADCOUNT_CHECKPOINT_S=60 mounts left lock
kill -TERM "$(agent mounted)"
touch go
check "a host whose storage fails while it leaves: the others finish" ended_with 0
check "... it is told" says "^trial [12] (.*) failed on mounted: .*; it will be tried again$"

rm -f go
run sick --launch "$there" --hosts sick:1,gated:1
check "a host on which trials fail is told" wait_beside "$pid" says "^sick is tried again in 1 s: 3 trials in a row came to nothing there, and others work; the last one said: .*gathex"
touch go
check "... the others finish" ended_with 0
check "... it is told trial by trial" says "^trial [1-6] (.*) failed on sick: .*gathex.*; it will be tried again$"
check "... it costs trials nothing" rows_say sick "SELECT sum(retries_used) FROM trial" 0
check "... to the same bytes" as_here sick
run sick1 --launch "$there" --hosts sick1:1,sick2:1
check "all hosts are so: the run stops" ended_with 3
check "... it is told" says "3 trials in a row failed before their first step, so the rest is not tried"

rm -f go
run adjacent --launch "$there" --hosts gated:1,doomed:1
wait_beside "$pid" sh -c '[ "$(sqlite3 adjacent.db "SELECT count(*) FROM trial WHERE state = '"'completed'"'")" = 3 ]'
touch go
check "two trials that fail one after the other: the others finish" ended_with 0
check "... and no host is blamed" fails says "^doomed is"
check "... to the same bytes" as_here adjacent
export HEADCOUNT_PAUSE_S=.01
run doom --launch "$there" --hosts last:1,mortal:1
check "a trial that fails, and the other host is gone for good" wait_beside "$pid" says "^trial 6 (.*) failed: "
wait_beside "$pid" false || kill -KILL "-$pid"
check "... the others finish" ended_with 1
check "... and no host is blamed" fails says "^last is"
unset HEADCOUNT_PAUSE_S

rm -f go
run crash --launch "$there" --hosts gated:1,frail:1
wait_until sh -c "ls crash.db.d/t[12]-a1*.ckpt"
kill -SEGV $(workers_of "$(agent frail)")
wait_beside "$pid" sh -c '[ "$(sqlite3 crash.db "SELECT count(*) FROM trial WHERE state = '"'completed'"'")" = 4 ]'
touch go
check "a trial that fails after a step" ended_with 0
check "... is tried again elsewhere" rows_say crash "SELECT group_concat(host) FROM attempt WHERE attempt = 2" gated
rm -f go
run hasty --launch "$there" --hosts gated:1,frail:1 $two
wait_until sh -c "ls hasty.db.d/t[12]-a1*.ckpt"
kill -XCPU $(workers_of "$(agent frail)")
check "a host's own \`ulimit -t\`" wait_beside "$pid" says "^trial [12] (.*) failed on frail: .*ulimit -t.*; it will be tried again$"
touch go
check "... the others finish" ended_with 0
check "... from there" rows_say hasty "SELECT host FROM attempt WHERE resumed_from_step > 0" gated

run garbled --launch "$there" --hosts garbled:1,a:1
check "a host that garbles curves: the others and itself finish" ended_with 0
check "... to the same bytes" as_here garbled

run cramped --launch "$there" --hosts cramped:3
check "a host with room for one worker of three has one" ended_with 0
check "... it is told, once" [ "$(grep -c "^cramped takes 1 trial at once, not 3: .*Too many open files" cramped.out)" = 1 ]
check "... and it is not lost" fails says "tried again in"
check "... to the same bytes" as_here cramped

# For a while it has room for one only.
export HEADCOUNT_PAUSE_S=.01
descriptors() { prlimit --pid "$(cat roomy.pid)" --nofile="$1:"; }
claimed() { [ "$(sqlite3 roomy.db "SELECT count(*) FROM attempt")" = 3 ]; }
run roomy --launch "$there" --hosts roomy:3 --set "train.steps=$(steps 1500)"
wait_beside "$pid" claimed
descriptors 18
touch room
wait_beside "$pid" says "^roomy takes 1 trial at once, not 3: .*Too many open files"
descriptors 100
check "a host that gets room again" ended_with 0
check "... has all three" rows_say roomy "SELECT max(n) FROM (SELECT (SELECT count(*) FROM attempt AS b WHERE b.outcome = 'completed'
    AND b.started <= a.started AND a.started < b.ended) AS n FROM attempt AS a WHERE a.outcome = 'completed')" 3
unset HEADCOUNT_PAUSE_S

rm -f deaths
run deadly --launch "$there" --hosts deadly1:2,deadly2:2
check "a trial that takes its machine down: the others finish" ended_with 1
check "... it has failed for good" says "^trial 2 (.*) failed: its machine was lost 5 times while it ran, and it got no further in between; the last time deadly"
check "... it alone" rows_say deadly "SELECT group_concat(trial_id || state) FROM trial WHERE state <> 'completed'" 2failed
check "... after five machines" [ "$(wc -l <deaths)" = 5 ]
check "... none of which is refused" sh -c '! grep "not used any more" deadly.out'
headcount run sweep.yaml --db deadly.db --retry-failed -q >/dev/null 2>&1
check "... and --retry-failed tries it again" as_here deadly
finish
