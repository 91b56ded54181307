# Lines to copy. An array whose tasks each run a shard, and a job that merges them:
shards=$(qsub -V -J 1-8 -l select=1:ncpus=4 <<'END'
cd "$PBS_O_WORKDIR" && exec headcount run sweep.yaml -j 4 --shard $PBS_ARRAY_INDEX/8 --db sweep-$PBS_ARRAY_INDEX-of-8.db
END
)
qsub -V -W depend=afterany:"$shards" <<'END'
cd "$PBS_O_WORKDIR" && exec headcount merge --whole --into sweep.db sweep-*-of-8.db
END
# Or one job on several machines:
# pbs_attach makes what ssh starts part of the job. pbsdsh and pbs_tmrsh cannot launch: what they start has no stdin.
qsub -V -l select=4:ncpus=8 <<'END'
cd "$PBS_O_WORKDIR" && exec headcount run sweep.yaml -j 8 --hosts "$(sort -u "$PBS_NODEFILE" | paste -sd,)" \
    --launch "ssh -o BatchMode=yes {host} $(command -v pbs_attach) -j $PBS_JOBID"
END
