# `smp` and `mpi` are parallel environments on one machine and across machines (qconf -spl). `\; true` keeps Grid
# Engine from ending the whole job when an agent dies by a signal.
# Lines to copy. An array whose tasks each run a shard, and a job that merges them:
qsub -cwd -V -N shards -t 1-8 -pe smp 4 <<'END'
exec headcount run sweep.yaml -j $NSLOTS --shard $SGE_TASK_ID/8 --db sweep-$SGE_TASK_ID-of-8.db
END
qsub -cwd -V -hold_jid shards <<'END'
exec headcount merge --whole --into sweep.db sweep-*-of-8.db
END
# Or one job on several machines:
qsub -cwd -V -pe mpi 32 <<'END'
exec headcount run sweep.yaml --launch 'qrsh -inherit {host}' --agent "$(command -v headcount) agent \; true" \
    --hosts "$(awk '{ n[$1] += $2 } END { for (host in n) print host ":" n[host] }' "$PE_HOSTFILE" | paste -sd,)"
END
