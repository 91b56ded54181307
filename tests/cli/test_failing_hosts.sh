#!/bin/sh
# Trials fail on one machine among others, or one trial breaks machines: the others finish, and at most
# one trial pays a retry for what was a machine's fault. Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
not_sanitized "machines fail beside others"
. tests/hosts.sh

rm -f go
run sick --launch "$there" --hosts sick:1,gated:1
check "a host on which trials fail is named with its error and tried again later" \
    wait_beside "$pid" says \
    "^sick is tried again in 1 s: 3 trials in a row came to nothing there, and others work; the last one said: .*gathex"
touch go
check "... and the other host finishes" ended_with 0
check "... and each failed trial is named and tried again" says "^trial [1-6] (.*) was lost at step 0: .*gathex.*; it will resume$"
check "... and only the first failure counts as a retry" rows_say sick "SELECT sum(retries_used) FROM trial" 1
check "... with the same results as on one machine" as_here sick
run sick1 --launch "$there" --hosts sick1:1,sick2:1
check "the run stops when trials fail on all hosts" ended_with 3
check "... and says that the rest is not tried" says "3 trials in a row failed before their first step, so the rest is not tried"

export HEADCOUNT_PAUSE_S=.01
run doom --launch "$there" --hosts last:1,mortal:1
check "a trial fails for good when the only other host is gone" wait_beside "$pid" says "^trial 6 (.*) failed: "
wait_beside "$pid" false || kill -KILL "-$pid"
check "... and the other trials finish" ended_with 1
check "... and no host is blamed" fails says "^last is"
unset HEADCOUNT_PAUSE_S

rm -f go
pause frail rename 2
run crash --launch "$there" --hosts gated:1,frail:1
wait_beside "$pid" stands frail
kill -SEGV "$held"
go_on frail
wait_beside "$pid" sh -c '[ "$(sqlite3 crash.db "SELECT count(*) FROM trial WHERE state = '"'completed'"'")" = 4 ]'
touch go
check "the run finishes when a worker crashes after a step" ended_with 0
check "... and the trial is tried again on the other host" rows_say crash "SELECT group_concat(host) FROM attempt WHERE attempt = 2" gated
rm -f go
pause frail rename 1
run hasty --launch "$there" --hosts gated:1,frail:1 --set seeds=1
wait_beside "$pid" stands frail
kill -XCPU "$held"
go_on frail
check "a trial that a host's CPU time limit ends is tried again" \
    wait_beside "$pid" says "^trial [12] (.*) was lost at step [0-9]*: .*ulimit -t.*; it will resume$"
touch go
check "... and the run finishes" ended_with 0
check "... from the checkpoint, on the other host" rows_say hasty "SELECT host FROM attempt WHERE resumed_from_step > 0" gated

run garbled --launch "$there" --hosts garbled:1,a:1
check "all hosts finish when one garbles curves" ended_with 0
check "... with the same results as on one machine" as_here garbled

words="killed for memory (slurmstepd: error: StepId=1.0 exceeded memory limit (2 > 1), being killed); \
give it more, as in .*--mem=8G."
run lean --launch "$there" --hosts lean:2
check "a host without memory for two trials at once finishes" ended_with 0
check "... and the run names the cause and a remedy" says "^lean is tried again in 1 s: $words"
check "... and says that the host takes one trial at once" says "^lean takes 1 trial at once from now on, not 2, as memory does not suffice"
check "... and no two trials run together after that" \
    rows_say lean "SELECT count(*) FROM attempt a JOIN attempt b ON a.trial_id < b.trial_id
    AND a.outcome = 'completed' AND b.outcome = 'completed' AND a.started < b.ended AND b.started < a.ended" 0
check "... with the same results as on one machine" as_here lean
run fat --launch "$there" --hosts fat:2
check "the other trials finish when one is too large for its host's memory" ended_with 1
check "... and that one fails when it is alone" says "^trial 2 (.*) failed: fat: $words (nothing else ran beside it)"
check "... as the only one" rows_say fat "SELECT group_concat(trial_id || state) FROM trial WHERE state <> 'completed'" 2failed
check "... and the host soon takes two trials at once again" says "^fat takes 2 trials at once again"
headcount run sweep.yaml --db fat.db --retry-failed -q >/dev/null 2>&1
check "... and --retry-failed finishes the trial" as_here fat
run spread --launch "$there" --hosts fat:2,roomier:1
check "all trials finish where another host has memory enough" ended_with 0
check "... with the same results as on one machine" as_here spread

rm -f deaths
run deadly --launch "$there" --hosts deadly1:2,deadly2:2
check "the other trials finish when one takes its host down" ended_with 1
check "... and that one fails for good" \
    says \
    "^trial 2 (.*) failed: deadly[12]: its launcher .*; 5 times without progress$"
check "... as the only one" \
    rows_say deadly "SELECT group_concat(trial_id || state) FROM trial WHERE state <> 'completed'" 2failed
check "... after five hosts went down" [ "$(wc -l <deaths)" = 5 ]
check "... and no host is given up" sh -c '! grep "not used any more" deadly.out'
headcount run sweep.yaml --db deadly.db --retry-failed -q >/dev/null 2>&1
check "... and --retry-failed finishes the trial" as_here deadly
finish
