#!/bin/sh
# headcount submit on Slurm: what -n prints runs as well as what it submits; names that a shell would
# obey; an array, its merge, and another one of another number; a time limit far shorter than the sweep.
# Speaks TAP. HEADCOUNT is the program; CLUSTER_FORM=short: a sample. Run from the repository's root.
. tests/cluster/bed.sh
can_slurm || skip_all "what headcount submit submits runs on Slurm" "slurm-wlm and munge"
slurm_up || skip_all "what headcount submit submits runs on Slurm" "a machine on which Slurm starts: $(why_not)"
. tests/cluster/sweep.sh

# ---- an array ----

db=$dir/array.db
submit "an array" "$db" --array 3 -c 1 --
merge=$(sed -n 's/^Submitted job \([0-9]*\): merges.*/\1/p' "$dir/submitted")
# One of its tasks, the one whose SLURM_JOB_ID is that of the array, is stopped as before the time limit,
# and runs again before the merge.
await_middle "an array" "$dir/array-3-of-3.db"
scancel --batch --signal=USR1 "${job}_3"
job=$merge
ends "an array" COMPLETED 0
for k in 1 2 3; do
    done=$(trials "$dir/array-$k-of-3.db" completed)
    [ "${done:-0}" -ge 1 ] && [ "$done" -lt 12 ] || trouble "an array: shard $k has $done trials"
done
complete "an array" "$db"
says "an array" ': stopping; running trials save a checkpoint' "$dir/job.out"
grep -q "^Task gather\. " "$dir/job.out" || trouble "an array: the merge reports nothing: $(tail -n 3 "$dir/job.out")"
verdict "an array whose task was stopped is merged to the undisturbed run"

# ---- another number of shards ----

attempts() { # condition
    sqlite3 "$db" "SELECT count(*) FROM attempt WHERE $1"
}
queue_empty() {
    [ -z "$(squeue -h)" ]
}
db=$dir/again.db
submit "another number" "$db" --array 2 -c 1 --
merge=$(sed -n 's/^Submitted job \([0-9]*\): merges.*/\1/p' "$dir/submitted")
await_middle "another number" "$dir/again-1-of-2.db"
scancel "$merge" "$job"
wait_long queue_empty || trouble "another number: there are jobs: $(squeue -h)"
wait_long nodes_idle || trouble "another number: the nodes are not idle: $(sinfo -h)"
done=$(($(trials "$dir/again-1-of-2.db" completed) + $(trials "$dir/again-2-of-2.db" completed)))
half=$(for k in 1 2; do sqlite3 "$dir/again-$k-of-2.db" "SELECT count(*) FROM trial WHERE state = 'queued'
    AND resume_step > 0"; done | awk '{ n += $1 } END { print n }')
cancelled=$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)
[ "$done" -ge 1 ] && [ "$half" -ge 1 ] || trouble "another number: $done trials done and $half half done"
submit "another number" "$db" --array 3 -c 1 --
job=$(sed -n 's/^Submitted job \([0-9]*\): merges.*/\1/p' "$dir/submitted")
ends "another number" COMPLETED 0
complete "another number" "$db"
[ "$(attempts "outcome = 'completed' AND ended < '$cancelled'")" = "$done" ] ||
    trouble "another number: results are lost"
[ "$(attempts "resumed_from_step > 0")" = "$half" ] || trouble "another number: checkpoints are lost"
verdict "a cancelled array goes on in other shards with $done results and $half checkpoints"

all=$(attempts true)
rm -r "$dir"/again-*
submit "a third number" "$db" --array 4 -c 1 --
job=$(sed -n 's/^Submitted job \([0-9]*\): merges.*/\1/p' "$dir/submitted")
ends "a third number" COMPLETED 0
complete "a third number" "$db"
[ "$(attempts true)" = "$all" ] || trouble "a third number: something was trained"
verdict "an array that is merged has nothing to train in another number of shards"

# ---- names ----

odd="$dir/it's \$(touch hacked) \"odd\" &"
mkdir "$odd"
cp "$sweep" "$odd/-a b.yaml"
(cd "$odd" && "$headcount" submit "./-a b.yaml" --db "o'd d.db" --nodes 2 -n -- --output="$dir/job.out" >"$dir/shown" \
    && sh "$dir/shown" >"$dir/submitted") ||
    trouble "odd names: -n: $(cat "$dir/submitted")"
job=$(sed -n 's/^Submitted batch job //p' "$dir/submitted")
ends "odd names" COMPLETED 0
complete "odd names" "$odd/o'd d.db"
[ -z "$(find "$dir" -name hacked)" ] || trouble "odd names: one was obeyed"
verdict "the script that -n prints runs with names that a shell would obey"

# ---- what the job carries ----

# All that was submitted changes, and goes, while the job waits and runs; it comes back from the queue.
tools="$dir/my tools"
mkdir "$tools"
cp "$headcount" "$tools/headcount"
cp "$sweep" "$tools/edited.yaml"
echo 'module() { loaded="$loaded $1"; export loaded; }; module blas' >"$tools/setup.sh"
plain_headcount=$headcount plain_sweep=$sweep plain_agent=$agent plain_worker=$worker
headcount=$tools/headcount sweep=$tools/edited.yaml
agent='^/.*/headcount agent' worker='^[^-]*headcount worker'
agents_have_modules() { # those of the job, and their own
    agent_at_work && tr '\0' '\n' <"/proc/$at_work/environ" | grep -qx 'loaded= blas blas'
}
back_again() {
    [ "$(job_restarts "$job")" -ge 1 ]
}
db=$dir/edited.db
submit "an edited sweep file" "$db" --nodes 2 --setup "$tools/setup.sh" -- --hold
sed -i 's/steps: 1200/steps: 12/' "$sweep"
rm "$tools/setup.sh"
scontrol release "$job"
await_middle "an edited sweep file" "$db"
while_one_waits wait_until agents_have_modules || trouble "an edited sweep file: agents without what the lines set"
rm "$sweep"
scontrol requeue "$job"
wait_long back_again || trouble "an edited sweep file: the job does not come back"
ends "an edited sweep file" COMPLETED 0
complete "an edited sweep file" "$db"
headcount=$plain_headcount sweep=$plain_sweep agent=$plain_agent worker=$plain_worker
verdict "a job runs the sweep file and lines that were submitted, although both are gone"

# ---- a time limit ----

# Slurm counts limits in minutes: 1 is the shortest, of which the signal takes up to all.
if long; then
    slow=$dir/slow.yaml
    steps=$((1200 * 120 / took)) # two minutes of this machine
    sed "s/steps: 1200/steps: $steps/; s/eval_every: 300/eval_every: $((steps / 3))/; s/faults/slow/" "$sweep" >"$slow"
    db=$dir/slow.db
    sweep=$slow
    submit "a time limit" "$db" --nodes 1 -- --time=1 --signal=B:USR1@15
    tries=0
    until job_ended "$job" || [ $((tries += 1)) -gt 1200 ]; do sleep 0.5; done
    ends "a time limit" COMPLETED 0
    limits=$(job_restarts "$job")
    [ "${limits:-0}" -ge 1 ] || trouble "a time limit: it never came"
    undisturbed
    complete "a time limit" "$db"
    verdict "a sweep far longer than its time limit completes, $limits times back in the queue"
fi
finish
