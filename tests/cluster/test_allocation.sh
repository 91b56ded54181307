#!/bin/sh
# The allocation of a run ends while its coordinator, which is outside it, lives on: the run ends with 75
# and lets go of the results file, and the same command in a new allocation goes on. Speaks TAP.
# HEADCOUNT is the program; CLUSTER_FORM=short: a sample. Run from the repository's root.
. tests/cluster/bed.sh
can_slurm || skip_all "a run ends with its allocation, and goes on in a new one" "slurm-wlm and munge"
slurm_up || skip_all "a run ends with its allocation, and goes on in a new one" "a machine on which Slurm starts: $(why_not)"
. tests/cluster/sweep.sh

# As within `salloc headcount run --launch slurm`, which does not end its command with the allocation.
allocate() { # label, options of salloc...; $job
    allocate_label=$1
    shift
    salloc --no-shell --nodelist=n[1-2] --exclusive "$@" >"$dir/salloc.out" 2>&1 ||
        trouble "$allocate_label: salloc: $(cat "$dir/salloc.out")"
    job=$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' "$dir/salloc.out")
}
begin_in() { # db; $pid
    SLURM_JOB_ID=$job SLURM_JOB_NODELIST='n[1-2]' SLURM_JOB_CPUS_PER_NODE='2(x2)' \
        setsid "$headcount" run "$sweep" --db "$1" --launch slurm >"$dir/run.out" 2>&1 </dev/null &
    pid=$!
    started="$started $pid"
}
is_gone() { # label: the run has seen it
    await_run "$1"
    [ "$code" = 75 ] || trouble "$1: status $code: $(tail -n 5 "$dir/run.out")"
    says "$1" "^the allocation \(job $job of Slurm\) is gone: stopping; .* in a new allocation goes on" "$dir/run.out"
    agents_gone "$1"
}
goes_on() { # label, db: in a new allocation
    allocate "$1"
    begin_in "$2"
    await_run "$1"
    [ "$code" = 0 ] || trouble "$1: status $code in a new allocation: $(tail -n 5 "$dir/run.out")"
    scancel "$job"
    complete "$1" "$2"
}

db=$dir/cancelled.db
allocate "scancel"
begin_in "$db"
await_middle "scancel" "$db"
scancel "$job"
is_gone "scancel"
goes_on "scancel" "$db"
verdict "a run whose allocation is cancelled ends with 75, and goes on in a new one"

allocate "an allocation that was gone before"
scancel "$job"
wait_long job_ended "$job" || trouble "an allocation that was gone before: $(job_state "$job")"
SLURM_JOB_ID=$job SLURM_JOB_NODELIST=n1 SLURM_JOB_CPUS_PER_NODE=2 \
    limited "$headcount" run "$sweep" --db "$dir/late.db" --launch slurm
code=$?
[ $code = 75 ] || trouble "an allocation that was gone before: status $code: $(tail -n 5 "$dir/said")"
says "an allocation that was gone before" "^the allocation \(job $job of Slurm\) is gone: stopping" "$dir/said"
verdict "a run in an allocation that is already gone ends with 75"

# ---- what is no end ----

lost_twice() {
    [ "$(grep -c '^n1 is tried again in ' "$dir/run.out")" -ge 2 ]
}
# srun and squeue get no answer, and no agent is left; until then a worker keeps the sweep from its end.
no_controller() {
    wait_until worker_on_n1 && kill -STOP "$on_n1" && controller_killed && all_killed "$agent" &&
        wait_long lost_twice && kill -0 "$pid"
    no_controller_status=$?
    controller_up
    return $no_controller_status
}
if long; then
    db=$dir/controller.db
    allocate "no controller"
    begin_in "$db"
    await_middle "no controller" "$db"
    no_controller || trouble "no controller: the run did not wait for it: $(tail -n 5 "$dir/run.out")"
    await_run "no controller"
    [ "$code" = 0 ] || trouble "no controller: status $code: $(tail -n 5 "$dir/run.out")"
    complete "no controller" "$db"
    scancel "$job"
    verdict "a run waits while there is no agent and no controller"

    db=$dir/limit.db
    allocate "a time limit" --time=1
    begin_in "$db"
    wait_until worker_on_n1 && kill -STOP "$on_n1" && wait_long job_ended "$job" ||
        trouble "a time limit: job $job is $(job_state "$job")"
    is_gone "a time limit"
    goes_on "a time limit" "$db"
    verdict "a run ends with 75 at the time limit of salloc, and goes on in a new allocation"
fi
finish
