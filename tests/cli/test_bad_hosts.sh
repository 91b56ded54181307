#!/bin/sh
# One machine among others has no storage or no room: the others finish, and no trial pays for it. Machines
# on which trials fail: test_failing_hosts.sh. Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
. tests/hosts.sh
run broken --launch "$there" --hosts gated:1,broken:2,readonly
status_says() {
    headcount status --db broken.db | tr '\n' ' ' |
        grep "far: not on broken, which lost [0-9]* attempts\?, the last one to: .*\." &&
        headcount status --json --db broken.db | grep '"lost_on":{"broken":{"attempts":[0-9]*,"error":".*"}}'
}
check "status names the host where trials do not run, and why" wait_beside "$pid" status_says
check "... and the run tries it again after growing pauses" wait_beside "$pid" says "^broken is tried again in 2 s: its storage fails: "
touch go
check "the other hosts finish when one host's storage fails" ended_with 0
check "... and the run names that host with its error" says "^broken is tried again in 1 s: its storage fails: .*File too large"
report_says() { headcount report --db broken.db | tr '\n' ' ' |
    grep "lost on these machines, and their trials went on elsewhere: broken ([0-9]*)\."; }
check "... and the report names it, too" report_says
check "... and a host that cannot write at all is not used any more" \
    says "^readonly is not used any more: it does not get to write into the results folder: .*File too large"
check "... with the same results as on one machine" as_here broken

# Nine machines in one file, h5 with two losses; a loss on no known machine, one of a trial that is not
# in the plan any more.
cp broken.db crowd.db
sqlite3 crowd.db "DELETE FROM attempt WHERE outcome = 'requeued'; UPDATE trial SET in_plan = 0 WHERE trial_id = 5;
    UPDATE trial SET state = 'running' WHERE trial_id = 1;
    WITH lost (trial, host) AS (VALUES (5, 'gone'), (6, NULL), (6, 'h5'), (6, 'h1'), (6, 'h2'), (6, 'h3'),
        (6, 'h4'), (6, 'h5'), (6, 'h6'), (6, 'h7'), (6, 'h8'), (6, 'h9'))
    INSERT INTO attempt (trial_id, attempt, build_id, host, started, ended, outcome, cause, resumed_from_step, error)

            SELECT trial, 100 + row_number() OVER (), 1, host, 'then', '9', 'requeued', 'lost', 0, host || ': cut'
            FROM lost;
    UPDATE attempt SET error = 'cut' WHERE host IS NULL AND outcome = 'requeued'"
crowd_says() { # command, words
    headcount "$1" --db crowd.db 2>/dev/null | tr -s '\n ' ' ' | grep -F -e "$2"
}
others='h1, which lost 1 attempt, the last one to: cut; h2, which'
check "status names the worst of many hosts that lost trials" \
    crowd_says status "far: not on h5, which lost 2 attempts, the last one to: cut; $others"
check "... and says how many more there are" \
    crowd_says status "; h8, which lost 1 attempt, the last one to: cut; and 1 more. "
check "the report names the worst of many hosts and how many more there are" \
    crowd_says report "went on elsewhere: h5 (2), h1 (1), h2 (1), h3 (1), h4 (1), h6 (1), h7 (1), h8 (1) and 1 more."

orphans() { run orphans --set seeds=1 --launch "$there" "$@"; }
pause a start 1
pause b start 1
orphans --hosts a:1,b:1
wait_beside "$pid" stands a
wait_beside "$pid" stands b
both_run() { [ "$(sqlite3 orphans.db "SELECT count(DISTINCT host) FROM trial JOIN attempt USING (trial_id, attempt)
    WHERE state = 'running'")" = 2 ]; }
check "two hosts work when the coordinator is killed" wait_beside "$pid" both_run
kill -KILL "$pid"
wait "$pid" 2>/dev/null
pause a start 1
orphans --hosts a:1
wait_beside "$pid" stands a
one_runs() {
    headcount status --json --db orphans.db >orphans.json
    grep -F '"hosts":{"a":1}' orphans.json
}
check "... and the next run uses one of them" wait_beside "$pid" one_runs
headcount status --db orphans.db >orphans.txt 2>&1
check "... and its JSON status blames no host for lost trials" grep -F '"lost_on":{}' orphans.json
check "... and neither does its status as text" sh -c 'grep "^far: on 1 machine" orphans.txt && ! grep "which lost" orphans.txt'
go_on a
check "... and it finishes" ended_with 0
no_pauses
check "... and both hosts' attempts are recorded as lost" \
    rows_say orphans "SELECT count(*), count(DISTINCT host) FROM attempt WHERE outcome = 'requeued'" "2|2"
check "... and the report blames no host for them" \
    sh -c 'headcount report --db orphans.db >orphans.txt && ! grep "lost on" orphans.txt'

run worn --launch "$there" --hosts broken:1
check "the run stops when no host has working storage" ended_with 3
check "... and says what failed" says "File too large"

pause a rename 2
run own --launch "$there" --hosts a:1
wait_beside "$pid" stands a
mv own.db.d own.away
go_on a
check "the run stops when storage fails on this machine, too" ended_with 3
check "... and no host is blamed" fails says "^a is"
mv own.away own.db.d
run own --launch "$there" --hosts a:1
check "... and the next run finishes" ended_with 0
check "... with the same results as on one machine" as_here own

mounts() { # db, N: two trials; `mounted` is about to name its Nth checkpoint of one, and sees no folder
    rm -f go
    ln -s "$1.db.d" "$1.link"
    pause mounted rename "$2"
    run "$1" --launch "$there" --hosts gated:1,mounted:1 --set seeds=1
    wait_beside "$pid" stands mounted
    rm "$1.link"
}
mounts torn 2
go_on mounted
check "a host whose storage fails after a checkpoint is tried again later" \
    wait_beside "$pid" says "^mounted is tried again in 1 s: its storage fails: "
touch go
check "... and the other host finishes" ended_with 0
check "... from that checkpoint" \
    rows_say torn "SELECT count(*) FROM attempt WHERE resumed_from_step > 0 AND outcome = 'completed'" 1
mounts left 1
kill -TERM "$(agent mounted)" # which lets its worker go on, to its end
touch go
check "the other hosts finish when one host's storage fails as it leaves" ended_with 0
check "... and the run says that its trial is tried again" says "^trial [12] (.*) was lost at step [0-9]*: .*; it will resume$"

run few_files --launch "$there" --hosts few_files:3
check "a host with room for one of three workers finishes with one" ended_with 0
check "... and the run says so once" \
    [ "$(grep -c "^few_files takes 1 trial at once from now on, not 3, as it cannot start more: .*Too many open files" few_files.out)" = 1 ]
check "... and does not treat the host as lost" fails says "tried again in"
check "... with the same results as on one machine" as_here few_files

finish
