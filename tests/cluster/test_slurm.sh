#!/bin/sh
# A sweep on four Slurm nodes, with everything in between that may be killed, stopped or taken away
# while it runs: each ends in the export of the undisturbed run, byte for byte, and nothing is done
# twice. Speaks TAP. HEADCOUNT is the program; CLUSTER_FORM=short: a sample. Run from the repository's
# root.
. tests/cluster/bed.sh
can_slurm || skip_all "a sweep on Slurm" "slurm-wlm and munge"
slurm_up || skip_all "a sweep on Slurm" "a machine on which Slurm starts: $(why_not)"
. tests/cluster/sweep.sh
agent='^[^ ]*headcount agent'
coordinator='^[^ ]*headcount run .*--launch slurm'

# Something happens in the middle of a sweep that runs on all nodes; its job still comes to the end.
survives() { # label, command...
    survives_label=$1
    shift
    db=$dir/survives.db
    fresh "$db"
    submit "$survives_label" "$db" --nodes 4 --
    await_middle "$survives_label" "$db"
    "$@" || trouble "$survives_label: $* failed"
    ends "$survives_label" COMPLETED 0
    complete "$survives_label" "$db"
    verdict "$survives_label"
}
kill_one() { # signal, pattern of the command line
    victims=$(bed_pids "$2")
    [ -n "$victims" ] && kill "-$1" "${victims##*
}"
}

# ---- undisturbed ----

nothing() { :; }
survives "a sweep on four nodes" nothing

# ---- what is killed ----

controller_lost() { # seconds until it is back
    kill -KILL "$controller"
    sleep "$1"
    controller_up
}
node_lost() { # node, seconds until it is back
    eval "kill -KILL \$node_$1"
    sleep "$2"
    node_up "$1"
}
all_agents_lost() {
    kill -KILL $(bed_pids "$agent")
}
survives "kill -9 of an agent" kill_one KILL "$agent"
survives "kill -9 of srun" kill_one KILL '^srun .*--nodelist=n3'
if long; then
    survives "kill -9 of all agents at once" all_agents_lost
    survives "kill -9 of slurmctld, back after two seconds" controller_lost 2
    survives "kill -9 of slurmd, back at once" node_lost n3 0
    survives "kill -9 of slurmd, back after Slurm has given its node up" node_lost n2 12
fi

# ---- what is stopped, and what Slurm ends ----

agent_stopped() { # seconds
    stopped=$(bed_pids "$agent" | tail -n 1)
    [ -n "$stopped" ] && kill -STOP "$stopped" && sleep "$1"
    kill -CONT "$stopped" 2>/dev/null || : # Slurm may have ended it with its step
}
node_down() {
    scontrol update nodename=n3 state=down reason=test
    sleep 3
    scontrol update nodename=n3 state=resume 2>/dev/null || : # Slurm may have found it alive
}
requeued() {
    scontrol requeue "$job"
}
preempted() {
    urgent=$(sbatch --parsable --partition=urgent --nodes=4 --exclusive --output=/dev/null --wrap "sleep 1")
    wait_long job_ended "$urgent" && job_is "$urgent" COMPLETED
}
limit_near() { # what Slurm does a minute before the time limit
    scancel --batch --signal=USR1 "$job"
}
survives "scontrol requeue" requeued
survives "the signal before the time limit" limit_near
if long; then
    HEADCOUNT_HOST_S=3
    survives "an agent stopped for longer than its patience, and resumed" agent_stopped 8
    HEADCOUNT_HOST_S=60
    survives "an agent stopped for a minute, and resumed" agent_stopped 60
    HEADCOUNT_HOST_S=20
    survives "a node set down, and resumed" node_down
    survives "preempted by a job of another partition" preempted
fi

# ---- ends that are ends ----

db=$dir/ended.db
submit "scancel" "$db" --nodes 4 --
await_middle "scancel" "$db"
scancel "$job"
ends "scancel" CANCELLED
sleep 2 # cred_expire: a requeued job would start again
job_is "$job" CANCELLED || trouble "scancel: the job is back: $(job_state "$job")"
[ -z "$(bed_pids "$agent")" ] || trouble "scancel: agents are left"
submit "scancel, submitted again" "$db" --nodes 4 --
ends "scancel, submitted again" COMPLETED 0
complete "scancel" "$db"
verdict "scancel: the job stays away; submitted again it goes on"

fresh "$db"
submit "a killed coordinator" "$db" --nodes 4 --
await_middle "a killed coordinator" "$db"
kill -KILL $(bed_pids "$coordinator") || trouble "no coordinator to kill"
ends "a killed coordinator" FAILED 137
tries=0
while [ -n "$(bed_pids "$agent|headcount worker")" ] && [ $((tries += 1)) -lt 100 ]; do sleep 0.1; done
[ -z "$(bed_pids "$agent|headcount worker")" ] || trouble "a killed coordinator: its agents are left"
submit "a killed coordinator, submitted again" "$db" --nodes 4 --
ends "a killed coordinator, submitted again" COMPLETED 0
complete "a killed coordinator" "$db"
verdict "kill -9 of the coordinator with agents alive"

if long; then
    fresh "$db"
    submit "two submits" "$db" --nodes 2 --
    first=$job
    await_middle "two submits" "$db"
    cp "$dir/job.out" "$dir/first.out"
    submit "two submits" "$db" --nodes 2 --
    second=$job
    wait_long job_ended "$second" || trouble "two submits: the second is $(job_state "$second")"
    job_is "$second" FAILED && [ "$(job_status "$second")" = 4 ] ||
        trouble "two submits: the second is $(job_state "$second") with $(job_status "$second")"
    [ "$(job_restarts "$second")" = 0 ] || trouble "two submits: the second went back into the queue"
    job=$first
    ends "two submits" COMPLETED 0
    complete "two submits" "$db"
    verdict "two submits of a sweep: the second ends with status 4 and stays out of the queue"
fi
finish
