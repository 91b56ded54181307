#!/bin/sh
# Trials for which memory does not suffice: in a control group whose limit the kernel keeps, and on Slurm,
# which kills a whole step that takes more than its job has. Fewer run at once, and one that is too large
# even alone fails with the limit named. Speaks TAP. HEADCOUNT is the program; CLUSTER_FORM=short: a sample.
# Run from the repository's root.
. tests/cluster/bed.sh
sweep=$dir/memory.yaml # each trial takes 110 MB, by estimate 220
cat >"$sweep" <<'Y'
name: memory
task: {name: gather, length: 64, vocab: 8, slots: 1}
model: {d_model: 8, heads: [1, 2], d_ff: 8}
train: {steps: 60, batch: 4, eval_every: 30, val_examples: 200000}
seeds: 2
Y
undisturbed

# ---- a control group ----

group=
trap 'bed_down; clean_up; [ -z "$group" ] || rmdir "$group"' EXIT
base_of() { # the mount's folder, its controller in /proc/self/cgroup
    base=$1$(sed -n "s/^[0-9]*:$2://p" /proc/self/cgroup)
    [ -d "$base" ] || base=$1
}
group_up() { # false where no group may be made here that limits memory; $group
    base_of /sys/fs/cgroup/memory memory
    [ -w "$base/memory.limit_in_bytes" ] || {
        base_of /sys/fs/cgroup ''
        grep -qsw memory "$base/cgroup.subtree_control" || echo +memory >"$base/cgroup.subtree_control" || return
    }
    mkdir "$base/headcount-test.$$" && group=$base/headcount-test.$$ && group_allows $((180 << 20))
} 2>/dev/null
group_allows() { # bytes, none of them in swap
    for limit in memory.max memory.limit_in_bytes memory.memsw.limit_in_bytes; do
        [ ! -e "$group/$limit" ] || echo "$1" >"$group/$limit" || echo "$1" >"$group/$limit" || return
    done
    [ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
} 2>/dev/null
in_group() { # db, arguments...: $code. The kernel takes a worker rather than others of the group
    in_group_db=$1
    shift
    HEADCOUNT_FREE_MIB=10000 limited sh -c 'echo 1000 >/proc/self/oom_score_adj
        echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" \
        "$headcount" run "$sweep" --db "$in_group_db" "$@"
    code=$?
}
killed='killed by the system for memory, of which its control group has 1?[0-9.]+ MB; give it more, as in .*--mem=8G'
group_up || {
    [ -z "$group" ] || rmdir "$group"
    group=
    skip "trials run one at a time in a control group without memory for two" "rights to make a group that limits memory"
}
if [ "$group" ]; then
    in_group "$dir/group.db" -j2
    [ $code = 0 ] || trouble "two at once: status $code: $(tail -n 5 "$dir/said")"
    says "two at once" "^trial [1-4] .* was lost at step [0-9]+: $killed" "$dir/said"
    says "two at once" '^1 trial at once from now on, not 2, as memory does not suffice' "$dir/said"
    complete "two at once" "$dir/group.db"
    verdict "trials run one at a time in a control group without memory for two"
fi
if [ "$group" ] && long; then
    in_group "$dir/agent.db" --launch 'env HOST={host}' --hosts a:2
    [ $code = 0 ] || trouble "an agent: status $code: $(tail -n 5 "$dir/said")"
    says "an agent" "^trial [1-4] .* was lost at step [0-9]+: $killed" "$dir/said"
    says "an agent" '^a takes 1 trial at once from now on, not 2, as memory does not suffice' "$dir/said"
    complete "an agent" "$dir/agent.db"
    verdict "... also where an agent runs in that group"

    # What is too large for the group by itself is refused before it begins: another has taken the rest.
    mkfifo "$dir/never"
    setsid sh -c 'echo $$ >"$0/cgroup.procs"
        { head -c 80000000 /dev/zero && : >"$1" && read -r end <"$2"; } | tail -c 80000000 >/dev/null' \
        "$group" "$dir/full" "$dir/never" &
    hog=$!
    started="$started $hog"
    wait_until test -e "$dir/full" || trouble "one: nobody takes the rest of the memory"
    group_allows $((160 << 20)) || trouble "one: the group cannot be made smaller"
    in_group "$dir/one.db" -j2 --set seeds=1 --set model.heads=1
    [ $code = 1 ] || trouble "one: status $code: $(tail -n 5 "$dir/said")"
    says "one" "^trial 1 .* failed: $killed. \(nothing else ran beside it\)" "$dir/said"
    kill -KILL "-$hog"
    wait "$hog"
    verdict "a trial too large for its control group fails, with the limit named"
fi

# ---- Slurm ----

bed_gather=jobacct_gather/linux bed_selects=CR_Core_Memory
bed_conf='JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill'
can_slurm || skip_all "fewer trials run at once where Slurm kills for memory" "slurm-wlm and munge"
slurm_up || skip_all "fewer trials run at once where Slurm kills for memory" "a machine on which Slurm starts: $(why_not)"

# In the step of an allocation, of which the coordinator does not know what memory it has.
in_step() { # label, MB, db, arguments...; $code
    in_step_label=$1 in_step_mb=$2 db=$3
    shift 3
    salloc --no-shell --nodelist=n1 --exclusive --mem="${in_step_mb}M" >"$dir/salloc.out" 2>&1 ||
        trouble "$in_step_label: salloc: $(cat "$dir/salloc.out")"
    job=$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' "$dir/salloc.out")
    SLURM_JOB_ID=$job SLURM_JOB_NODELIST=n1 SLURM_JOB_CPUS_PER_NODE=2 setsid \
        "$headcount" run "$sweep" --db "$db" --launch slurm "$@" >"$dir/run.out" 2>&1 </dev/null &
    pid=$!
    started="$started $pid"
    await_run "$in_step_label"
    scancel "$job"
}
killed='killed for memory \(.*exceeded memory limit \([0-9]+ > [0-9]+\), being killed\); give it more, as in .*--mem=8G'

in_step "two in a step" 180 "$dir/step.db"
[ "$code" = 0 ] || trouble "two in a step: status $code: $(tail -n 5 "$dir/run.out")"
says "two in a step" "^n1 is tried again in 1 s: $killed" "$dir/run.out"
says "two in a step" '^n1 takes 1 trial at once from now on, not 2, as memory does not suffice' "$dir/run.out"
complete "two in a step" "$dir/step.db"
verdict "a step that was killed for memory takes one trial at once from then on"

long || {
    finish
    exit
}

in_step "one in a step" 90 "$dir/alone.db" --set seeds=1 --set model.heads=1
[ "$code" = 1 ] || trouble "one in a step: status $code: $(tail -n 5 "$dir/run.out")"
says "one in a step" "^trial 1 .* failed: n1: $killed. \(nothing else ran beside it\)" "$dir/run.out"
verdict "a trial too large for its step fails, with the limit named"

submit "a job" "$dir/job.db" --nodes 1 -- --mem=180M
ends "a job" COMPLETED 0
says "a job" '^1 trial at once on 1 machine: ' "$dir/job.out"
! grep -q 'killed for memory' "$dir/job.out" || trouble "a job: $(grep 'killed for memory' "$dir/job.out")"
complete "a job" "$dir/job.db"
verdict "a job with memory for one trial at once runs no more than one"

job=$(sbatch --parsable --nodes=1 --cpus-per-task=2 --mem-per-cpu=90M --output="$dir/job.out" \
    --wrap "'$headcount' run '$sweep' --db '$dir/wrap.db' -j2")
ends "by hand" COMPLETED 0
says "by hand" '^1 trial at once, not 2: a trial may take ' "$dir/job.out"
complete "by hand" "$dir/wrap.db"
verdict "... nor does run -j2 in a job made by hand"
finish
