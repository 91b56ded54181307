#!/bin/sh
# A sweep on four Slurm nodes, with everything in between that may be killed, stopped or taken away
# while it runs: each ends in the export of the undisturbed run, byte for byte, and nothing is done
# twice. Speaks TAP. HEADCOUNT is the program; CLUSTER_FORM=short: a sample. Run from the repository's
# root.
. tests/cluster/bed.sh
can_slurm || skip_all "a sweep on Slurm outlives what happens to its nodes" "slurm-wlm and munge"
slurm_up || skip_all "a sweep on Slurm outlives what happens to its nodes" "a machine on which Slurm starts: $(why_not)"
. tests/cluster/sweep.sh
coordinator='^[^ ]*headcount run .*--launch slurm'

# Something happens in the middle of a sweep that runs on all nodes; its job still comes to the end,
# and its log says what happened.
survives() { # label, pattern, command...
    survives_label=$1 pattern=$2
    shift 2
    db=$dir/survives.db
    fresh "$db"
    submit "$survives_label" "$db" --nodes 4 -- ${survives_in:+--partition=$survives_in}
    await_middle "$survives_label" "$db"
    "$@" || trouble "$survives_label: $* failed"
    ends "$survives_label" COMPLETED 0
    complete "$survives_label" "$db"
    says "$survives_label" "$pattern" "$dir/job.out"
    verdict "$survives_label"
}
again=' is tried again in ' stopped=': stopping; running trials save a checkpoint'

# ---- undisturbed ----

survives "a sweep on four nodes completes" 'trials at once on [1-4] machine' true
hosts_worked "a sweep on four nodes" "$db" 2
verdict "... on more than one of them"

# ---- what is killed ----

controller_lost() { # seconds until it is back
    controller_killed || return
    sleep "$1"
    controller_up
}
node_lost() { # node, which is back at once
    eval "kill -KILL \$node_$1" && node_up "$1"
}
node_given_up() { # node, which is back when Slurm has given it up
    eval "kill -KILL \$node_$1" && wait_long lost "$1" && node_up "$1"
}
lost() { # node
    grep -q "^$1$again" "$dir/job.out"
}
survives "a sweep outlives kill -9 of an agent" "$again" agent_killed
survives "a sweep outlives kill -9 of srun" "^n3$again" all_killed '^srun .*--nodelist=n3'
if long; then
    survives "a sweep outlives kill -9 of all agents at once" "$again" all_killed "$agent"
    survives "a sweep outlives kill -9 of slurmctld, which is back after two seconds" '' while_one_waits controller_lost 2
    survives "a sweep outlives kill -9 of slurmd, which is back at once" '' node_lost n3
    survives "a sweep outlives kill -9 of slurmd, which is back after its node is given up" "^n2$again" while_one_waits node_given_up n2
fi

# ---- what is stopped, and what Slurm ends ----

node_down() { # node
    scontrol update nodename="$1" state=down reason=test && wait_long lost "$1"
    scontrol update nodename="$1" state=resume 2>/dev/null || : # Slurm may have found it alive
}
restarted() {
    [ "$(job_restarts "$job")" -ge 1 ]
}
job_requeued() {
    scontrol requeue "$job" && wait_long restarted
}
limit_near() { # what Slurm does a minute before the time limit
    scancel --batch --signal=USR1 "$job" && wait_long restarted
}
preempted() {
    urgent=$(sbatch --parsable --partition=urgent --nodes=4 --exclusive --output=/dev/null --wrap "sleep 1")
    wait_long job_ended "$urgent" && job_is "$urgent" COMPLETED && wait_long restarted
}
survives "a sweep outlives scontrol requeue" "$stopped" job_requeued
survives "a sweep outlives the signal before the time limit" "$stopped" limit_near
if long; then
    HEADCOUNT_HOST_S=3
    survives "a sweep outlives an agent stopped for longer than its patience" "$again.*(silent|reported nothing of a worker) for 3 s" agent_stopped 8
    HEADCOUNT_HOST_S=60
    survives "a sweep outlives an agent stopped for a minute" '' agent_stopped 60
    HEADCOUNT_HOST_S=20
    survives "a sweep outlives a node that is set down and resumed" "^n3$again" while_one_waits node_down n3
    survives "a sweep outlives preemption by a job of another partition" "$stopped" preempted
fi

# Until its time is over only the steps of the job have been told: the run starts their agents again. The
# sweep cannot end meanwhile, as the worker that is the last to have begun waits.
in_grace() {
    wait_until newest_waits || return
    urgent=$(sbatch --parsable --partition=urgent --nodes=4 --exclusive --output=/dev/null --wrap "sleep 1")
    wait_long again_at_work && wait_until newest_waits && wait_long restarted && wait_long job_ended "$urgent"
}
newest_waits() {
    newest=$(bed_pids "$worker" | tail -n 1)
    [ -n "$newest" ] && kill -STOP "$newest"
}
again_at_work() {
    grep -q '^n[1-4] is back$' "$dir/job.out"
}
if long; then
    survives_in=grace
    survives "a sweep outlives preemption in a partition with a GraceTime" "$again.*exit code 75" in_grace
    says "preempted in a partition with a GraceTime" "$stopped" "$dir/job.out"
    survives_in=
fi

# ---- ends that are ends ----

db=$dir/ended.db
submit "scancel" "$db" --nodes 4 --
await_middle "scancel" "$db"
scancel "$job"
ends "scancel" CANCELLED
sleep 2 # cred_expire: a requeued job would start again
job_is "$job" CANCELLED || trouble "scancel: the job is back: $(job_state "$job")"
submit "scancel, submitted again" "$db" --nodes 4 --
ends "scancel, submitted again" COMPLETED 0
complete "scancel" "$db"
verdict "a job that was cancelled stays away, and goes on when it is submitted again"

fresh "$db"
submit "a killed coordinator" "$db" --nodes 4 --
await_middle "a killed coordinator" "$db"
all_killed "$coordinator" || trouble "no coordinator to kill"
ends "a killed coordinator" FAILED 137
submit "a killed coordinator, submitted again" "$db" --nodes 4 --
ends "a killed coordinator, submitted again" COMPLETED 0
complete "a killed coordinator" "$db"
verdict "a job whose coordinator is killed fails, and goes on when it is submitted again"

machine_dead() { # node: all that runs there, its steps' shepherds too
    eval "kill -KILL \$node_$1"
    for there in $(bed_pids .); do
        tr '\0' '\n' <"/proc/$there/environ" | grep -qx "SLURMD_NODENAME=$1" || continue
        shepherd=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$there/status")
        grep -qs slurmstepd "/proc/$shepherd/cmdline" && kill -KILL "$shepherd"
        kill -KILL "$there"
    done
} 2>/dev/null
node_is_down() { # node
    [ -n "$(sinfo -h -n "$1" -t down -o %n)" ]
}
if long; then
    fresh "$db"
    submit "a dead machine" "$db" --nodes 4 -- --no-kill=off
    await_middle "a dead machine" "$db"
    machine_dead n1
    wait_long node_is_down n1 || trouble "a dead machine: Slurm does not give it up"
    node_up n1
    ends "a dead machine" COMPLETED 0
    restarted || trouble "a dead machine: the job did not start again"
    complete "a dead machine" "$db"
    verdict "Slurm requeues a job whose first node dies where --no-kill is off"
fi

if long; then
    fresh "$db"
    submit "two submits" "$db" --nodes 2 --
    first=$job
    await_middle "two submits" "$db"
    cp "$dir/job.out" "$dir/first.out"
    submit "two submits" "$db" --nodes 2 --
    says "two submits" "^Job $first works on .*: this one begins when it has ended" "$dir/submitted"
    ends "two submits" COMPLETED 0
    job_is "$first" COMPLETED || trouble "two submits: the first is $(job_state "$first")"
    says "two submits" 'nothing to run: all 12 trials have ended' "$dir/job.out"
    complete "two submits" "$db"
    verdict "a second submit of a sweep begins when the first has ended, and has nothing to do"
fi
finish
