#!/bin/sh
# Trials fail on one machine among others, or one trial breaks machines: the others finish, and no trial
# pays for what was a machine's fault. Speaks TAP. HEADCOUNT is the program; run from the repository's root.
. tests/tap.sh
. tests/hosts.sh

rm -f go
run sick --launch "$there" --hosts sick:1,gated:1
check "a host on which trials fail is told" \
    wait_beside "$pid" says \
    "^sick is tried again in 1 s: 3 trials in a row came to nothing there, and others work; the last one said: .*gathex"
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
pause frail rename 2
run crash --launch "$there" --hosts gated:1,frail:1
wait_beside "$pid" stands frail
kill -SEGV "$held"
go_on frail
wait_beside "$pid" sh -c '[ "$(sqlite3 crash.db "SELECT count(*) FROM trial WHERE state = '"'completed'"'")" = 4 ]'
touch go
check "a trial that fails after a step" ended_with 0
check "... is tried again elsewhere" rows_say crash "SELECT group_concat(host) FROM attempt WHERE attempt = 2" gated
rm -f go
pause frail rename 1
run hasty --launch "$there" --hosts gated:1,frail:1 --set seeds=1
wait_beside "$pid" stands frail
kill -XCPU "$held"
go_on frail
check "a host's own \`ulimit -t\`" \
    wait_beside "$pid" says "^trial [12] (.*) failed on frail: .*ulimit -t.*; it will be tried again$"
touch go
check "... the others finish" ended_with 0
check "... from there" rows_say hasty "SELECT host FROM attempt WHERE resumed_from_step > 0" gated

run garbled --launch "$there" --hosts garbled:1,a:1
check "a host that garbles curves: the others and itself finish" ended_with 0
check "... to the same bytes" as_here garbled

words="killed for memory (slurmstepd: error: StepId=1.0 exceeded memory limit (2 > 1), being killed); \
give it more, as in .*--mem=8G."
run lean --launch "$there" --hosts lean:2
check "a host without memory for two at once finishes" ended_with 0
check "... it is told" says "^lean is tried again in 1 s: $words"
check "... with one at once" says "^lean takes 1 trial at once from now on, not 2, as memory does not suffice"
check "... no two ran together after that" \
    rows_say lean "SELECT count(*) FROM attempt a JOIN attempt b ON a.trial_id < b.trial_id
    AND a.outcome = 'completed' AND b.outcome = 'completed' AND a.started < b.ended AND b.started < a.ended" 0
check "... to the same bytes" as_here lean
run fat --launch "$there" --hosts fat:2
check "a trial too large for its machine's memory: the others finish" ended_with 1
check "... it has failed, once it was alone" says "^trial 2 (.*) failed: fat: $words (nothing else ran beside it)"
check "... it alone" rows_say fat "SELECT group_concat(trial_id || state) FROM trial WHERE state <> 'completed'" 2failed
check "... and not for long is there one at once" says "^fat takes 2 trials at once again"
headcount run sweep.yaml --db fat.db --retry-failed -q >/dev/null 2>&1
check "... and --retry-failed goes on with it" as_here fat
run spread --launch "$there" --hosts fat:2,roomier:1
check "where another host has memory enough, all finish" ended_with 0
check "... to the same bytes" as_here spread

rm -f deaths
run deadly --launch "$there" --hosts deadly1:2,deadly2:2
check "a trial that takes its machine down: the others finish" ended_with 1
check "... it has failed for good" \
    says \
    "^trial 2 (.*) failed: its machine was lost 5 times while it ran, and it got no further in between; \
the last time deadly"
check "... it alone" \
    rows_say deadly "SELECT group_concat(trial_id || state) FROM trial WHERE state <> 'completed'" 2failed
check "... after five machines" [ "$(wc -l <deaths)" = 5 ]
check "... none of which is refused" sh -c '! grep "not used any more" deadly.out'
headcount run sweep.yaml --db deadly.db --retry-failed -q >/dev/null 2>&1
check "... and --retry-failed tries it again" as_here deadly
finish
