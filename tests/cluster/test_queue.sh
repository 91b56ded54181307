#!/bin/sh
# Jobs that want one results file, on Slurm: several submits at once, one after the other, beside a run
# outside Slurm; what other programs make of their ends. Speaks TAP. HEADCOUNT is the program;
# CLUSTER_FORM=short: a sample. Run from the repository's root.
. tests/cluster/bed.sh
can_slurm || skip_all "jobs that want one results file wait for each other" "slurm-wlm and munge"
slurm_up || skip_all "jobs that want one results file wait for each other" "a machine on which Slurm starts: $(why_not)"
cd "$dir" || exit
for name in a b c; do
    cat >$name.yaml <<Y
name: $name
task: {name: gather, length: 16, vocab: 8, slots: 2}
model: {d_model: 16, heads: [1, 2], d_ff: 32}
train: {steps: 400, batch: 32, lr: 3e-3, eval_every: 100, val_examples: 64, test_examples: 64}
seeds: 3
Y
done

# A sweep's job, its output in $name.out, its number in $job.
submits() { # name, words for submit..., of which -- is the last but those for sbatch
    name=$1
    shift
    "$headcount" submit $name.yaml "$@" --output="$dir/$name.out" >$name.said 2>&1 ||
        trouble "$name: submit: $(cat $name.said)"
    job=$(sed -n 's/^Submitted job \([0-9]*\):.*/\1/p' $name.said | head -n 1)
}
completes() { # label, job, name
    wait_long job_ended "$2" || trouble "$1: job $2 is $(job_state "$2"): $(tail -n 5 $3.out)"
    job_is "$2" COMPLETED && [ "$(job_status "$2")" = 0 ] ||
        trouble "$1: job $2 is $(job_state "$2") with status $(job_status "$2"): $(tail -n 5 $3.out)"
}
# All sweeps of a results file are whole.
holds() { # label, db, names...
    holds_label=$1 holds_db=$2
    shift 2
    [ "$(sqlite3 "$holds_db" "SELECT count(*) FROM trial WHERE state = 'completed'" 2>&1)" = $((6 * $#)) ] ||
        trouble "$holds_label: $(sqlite3 "$holds_db" 'SELECT sweep, state, count(*) FROM trials GROUP BY 1, 2' \
        2>&1 | tr '\n' ' ')"
    "$headcount" check --db "$holds_db" >check.said 2>&1 || trouble "$holds_label: check: $(tail -n 3 check.said)"
    wait_long nodes_idle || trouble "$holds_label: the nodes are not idle"
}
told() { # label, pattern, file
    grep -Eq -- "$2" "$3" || trouble "$1: no /$2/ in: $(tail -n 8 "$3")"
}
blocked() { # the nodes are taken, until free
    blocker=$(sbatch --parsable --nodes=4 --exclusive --output=/dev/null --wrap 'while :; do sleep 1; done')
    wait_long job_is "$blocker" RUNNING || trouble "no job to wait for"
}
free() {
    scancel "$blocker"
}
job_waits() { # job, reason: pending, after so many restarts
    [ "$(squeue -h -j "$1" -o '%T %r')" = "PENDING $2" ] && [ "$(job_restarts "$1")" -ge "$3" ]
}

tasks_completed() { # array
    [ "$(job_state "$1" | sort -u)" = COMPLETED ]
}

# ---- one after the other ----

blocked
submits a --db one.db --nodes 1 --
first=$job
submits b --db one.db --nodes 1 --
second=$job
submits c --db one.db --nodes 1 --
third=$job
told "three submits" "^Job $first works on one.db: this one begins when it has ended\.$" b.said
told "three submits" "^Jobs $first and $second work on one.db: this one begins when they have ended\.$" c.said
free
completes "three submits" "$first" a
completes "three submits" "$second" b
completes "three submits" "$third" c
[ "$(job_restarts "$second")$(job_restarts "$third")" = 00 ] || trouble "three submits: one was put back into the queue"
holds "three submits" one.db a b c
verdict "three submits into one results file each wait for those before"

# ---- two that know nothing of each other ----

"$headcount" submit a.yaml --db two.db --nodes 1 -n -- --output="$dir/a.out" >a.sh
"$headcount" submit b.yaml --db two.db --nodes 1 -n -- --output="$dir/b.out" >b.sh
rm -f a.out b.out
blocked
first=$(sh a.sh | sed -n 's/^Submitted batch job //p')
second=$(sh b.sh | sed -n 's/^Submitted batch job //p')
free
completes "two at once" "$first" a
completes "two at once" "$second" b
[ $(($(job_restarts "$first") + $(job_restarts "$second"))) -ge 1 ] || trouble "two at once: none found the file in use"
cat a.out b.out >both.out
told "two at once" \
    "two.db is in use by process [0-9]* on .*, job ($first|$second) of Slurm; .*\(scancel ($first|$second)\)" both.out
told "two at once" "^This job begins again when job ($first|$second) has ended\.$" both.out
holds "two at once" two.db a b
verdict "of two jobs on one file one goes back until the other has ended"

# ---- a holder that goes back into the queue ----

if long; then
    submits a --db back.db --nodes 1 --set train.steps=4000 --
    first=$job
    await_middle "a holder that comes back" back.db
    submits b --db back.db --nodes 1 --
    second=$job
    scancel --batch --signal=USR1 "$first"
    completes "a holder that comes back" "$first" a
    completes "a holder that comes back" "$second" b
    [ "$(job_restarts "$first")" -ge 1 ] || trouble "a holder that comes back: it did not"
    holds "a holder that comes back" back.db a b
    verdict "a job waits on while the one before it goes back near its time limit"
fi

# ---- a holder outside Slurm ----

if long && ! can_inject; then
    skip "a job goes back for five minutes while a run outside Slurm holds its file" "a plain build and a compiler"
elif long; then
    env $(pausing plain start 1) setsid "$headcount" run a.yaml --db plain.db >plain.out 2>&1 </dev/null &
    pid=$!
    started="$started $pid"
    wait_long pauses "$pid" || trouble "a run outside Slurm: no worker pauses: $(tail -n 3 plain.out)"
    submits b --db plain.db --nodes 1 --
    told "a run outside Slurm" "^plain.db is in use by process $pid on [^,]*: a job that finds it so goes back" b.said
    wait_long job_waits "$job" BeginTime 1 ||
        trouble "a run outside Slurm: job $job is $(job_state "$job"): $(tail -n 5 b.out)"
    told "a run outside Slurm" '^This job is tried again in 5 minutes, 288 times at most\.$' b.out
    begins=$(($(date -d "$(squeue -h -j "$job" -o %S)" +%s) - $(date +%s)))
    [ "$begins" -gt 120 ] && [ "$begins" -le 300 ] || trouble "a run outside Slurm: the job begins in $begins s"
    kill -CONT "$held"
    wait "$pid" || trouble "a run outside Slurm: status $?: $(tail -n 3 plain.out)"
    scontrol update jobid="$job" starttime=now+10 # until cred_expire Slurm would end a requeued job
    completes "a run outside Slurm" "$job" b
    holds "a run outside Slurm" plain.db a b
    verdict "a job goes back for five minutes while a run outside Slurm holds its file"
fi

# ---- for other programs ----

"$headcount" submit a.yaml --db array.db --array 3%2 -c 1 --parsable -- --output="$dir/a.out" >number 2>a.said ||
    trouble "an array for a chain: $(cat a.said)"
array=$(sed -n 's/^Submitted job \([0-9]*\):.*/\1/p' a.said | head -n 1)
[ "$(scontrol show job -o "$array" | sed -n 's/.*ArrayTaskThrottle=\([0-9]*\).*/\1/p' | head -n 1)" = 2 ] ||
    trouble "an array for a chain: not two at a time"
merge=$(cat number)
after=$(sbatch --parsable --dependency="afterok:$merge" --output="$dir/after.out" --wrap \
    "'$headcount' report --db '$dir/array.db' a")
completes "an array for a chain" "$merge" a
completes "an array for a chain" "$after" after
told "an array for a chain" '^Task gather\. ' after.out
holds "an array for a chain" array.db a
verdict "a job that depends on the number of --parsable finds the merged file whole"

if long; then
    "$headcount" submit a.yaml --db waited.db --array 2 -c 1 -- --output="$dir/a.out" --wait >a.said 2>&1 ||
        trouble "--wait: status $?: $(tail -n 5 a.said)"
    holds "--wait" waited.db a
    blocked
    mkdir gone
    (cd gone && exec "$headcount" submit ../b.yaml -c 1 -- --output="$dir/b.out" --wait >../b.said 2>&1) &
    pid=$!
    wait_long grep -q '^Submitted job' b.said || trouble "--wait: nothing is said before the end"
    rmdir gone
    free
    wait "$pid"
    code=$?
    [ $code -eq 1 ] || [ $code -eq 2 ] ||
        trouble "--wait: of a job whose folder is gone: status $code: $(cat b.said b.out)"
    verdict "submit --wait ends with the job's own status"

    "$headcount" submit a.yaml --db hand.db --array 2 -c 1 --merge-options "--partition='no such'" -- \
        --output="$dir/a.out" >a.said 2>&1
    code=$?
    [ $code -eq 1 ] || trouble "a merge that is refused: status $code: $(cat a.said)"
    job=$(sed -n 's/^Submitted job \([0-9]*\):.*/\1/p' a.said)
    wait_long tasks_completed "$job" || trouble "a merge that is refused: the array is $(job_state \
        "$job" | tr '\n' ' ')"
    by_hand=$(sed -n 's/^    headcount merge/merge/p' a.said)
    sh -c "'$headcount' $by_hand" >merge.said 2>&1 ||
        trouble "a merge that is refused: by hand: $(cat a.said merge.said)"
    holds "a merge that is refused" hand.db a
    verdict "an array runs although Slurm refuses its merge, and the named command merges it"
fi
finish
