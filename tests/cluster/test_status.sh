#!/bin/sh
# headcount status of an array on Slurm: before its first task begins, while one works and others wait, after
# scancel, and when all is merged. Speaks TAP. HEADCOUNT is the program. Run from the repository's root.
. tests/cluster/bed.sh
can_slurm || skip_all "status tells what an array on Slurm is at" "slurm-wlm and munge"
slurm_up || skip_all "status tells what an array on Slurm is at" "a machine on which Slurm starts: $(why_not)"
. tests/cluster/sweep.sh
host=$(hostname)
db=$dir/array.db
told() { # pattern
    "$headcount" status --db "$db" >"$dir/told" 2>&1 </dev/null &&
        tr '\n' ' ' <"$dir/told" | sed 's/  */ /g' | grep -Eq -- "$1"
}
tells() { # label, pattern
    wait_long told "$2" || trouble "$1: status does not say /$2/: $(cat "$dir/told")"
}

# ---- a job that waits ----

scontrol update partitionname=main state=down
submit "a job that waits" "$dir/nodes.db" --nodes 2 --
whole=$db
db=$dir/nodes.db
tells "a job that waits" "^$dir/nodes.db is not there yet. faults: job $job waits \(PartitionDown\). \$"
db=$whole
scancel "$job"
verdict "status tells of a job that waits before there is a results file"

# ---- an array ----

submit "an array" "$db" --array 3%1 -c 1 --
merge=$(sed -n 's/^Submitted job \([0-9]*\): merges.*/\1/p' "$dir/submitted")
tells "an array" \
    "is not there yet. faults: all 3 shards wait \(job $job: PartitionDown\). \
faults: job $merge merges the shards when they have ended \(Dependency\). \$"
verdict "status tells why an array waits of which no task has begun"

scontrol update partitionname=main state=up
await_middle "an array" "$dir/array-1-of-3.db"
held=$(bed_pids "$worker" | head -n 1)
kill -STOP "$held"
tells "an array" \
    "^sweep .* faults [1-9][0-9]*/12 1 .* faults: of 3 shards 1 runs \(${job}_1 on $host\), 2 wait \
\(job $job: JobArrayTaskLimit\). faults: job $merge merges .* running of shard .* 1/3 faults "
verdict "status tells which task of an array runs and why two wait"

scancel "${job}_1"
kill -CONT "$held"
tells "a task that was cancelled" \
    "faults: of 3 shards 1 runs \(${job}_2 on $host\), 1 waits .*, 1 is lost \(shard 1, [1-4] trials? left: \
nobody works on it, and it is not in the queue; the same submit goes on\)"
verdict "status calls a task that was cancelled lost"

scancel "$merge" "$job"
wait_long job_ended "$merge"
wait_long nodes_idle
tells "a cancelled array" "faults: (of|all) 3 shards .*(lost \(shards 1|are lost \()"
verdict "status calls the shards of a cancelled array lost"

submit "the same submit" "$db" --array 3 -c 1 --
job=$(sed -n 's/^Submitted job \([0-9]*\): merges.*/\1/p' "$dir/submitted")
ends "the same submit" COMPLETED 0
complete "the same submit" "$db"
tells "when all is merged" "^sweep .* faults 12/12 0 0 [^:]*:[0-9]* \$"
verdict "once all is merged status says nothing of shards"
finish
