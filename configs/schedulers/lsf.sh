# Lines to copy. An array whose tasks each run a shard, and a job that merges them:
bsub -J 'shards[1-8]' -n 4 -R 'span[hosts=1]' <<'END'
exec headcount run sweep.yaml -j 4 --shard $LSB_JOBINDEX/8 --db sweep-$LSB_JOBINDEX-of-8.db
END
bsub -w 'ended(shards)' <<'END'
exec headcount merge --whole --into sweep.db sweep-*-of-8.db
END
# Or one job on several machines:
bsub -n 32 <<'END'
exec headcount run sweep.yaml --launch 'blaunch {host}' --hosts "$(printf '%s:%s\n' $LSB_MCPU_HOSTS | paste -sd,)"
END
