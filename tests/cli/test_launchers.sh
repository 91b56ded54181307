#!/bin/sh
# The lines of configs/schedulers, as they stand there, each with stand-ins for the commands of the scheduler:
# they do to words, streams and variables what the real ones do. Speaks TAP. HEADCOUNT is the program; run from
# the repository's root.
. tests/tap.sh
not_sanitized "the lines for other schedulers work as they stand"
settle
# ---- what stands in ----
stand_in() { # path: a script from stdin
    mkdir -p "$(dirname "$1")"
    { echo '#!/bin/sh' && cat; } >"$1"
    chmod +x "$1"
}
# What all kinds of qsub and bsub do with a job: `job FIRST LAST VARIABLE`, its script on stdin, its output in job.out.
# It starts with no stdin. What it depends on has ended when it is submitted.
stand_in bin/job <<'SH'
cat >script.$$
for task in $(seq "$1" "$2"); do
    env "$3=$task" sh "$PWD/script.$$" </dev/null >>"$DIR/job.out" 2>&1 || exit
done
SH
# ssh, rsh and those that stand in their place give one line to a shell over there.
stand_in bin/ssh <<'SH'
[ "$1 $2" = "-o BatchMode=yes" ] && shift 2
echo "$1" >>"$DIR/started"
shift
exec sh -c "$*"
SH
stand_in gridengine/qsub <<'SH'
task=1-1
while [ $# -gt 0 ]; do
    case $1 in
    -cwd | -V) ;;
    -N | -hold_jid) shift ;;
    -t) task=$2 && shift ;;
    -pe) NSLOTS=$3 && shift 2 ;;
    *) echo "qsub: unknown option $1" >&2 && exit 1 ;;
    esac
    shift
done
export NSLOTS PE_HOSTFILE="$DIR/pe_hostfile"
printf '%s UNDEFINED\n' 'n1 1 all.q@n1' 'n2 2 all.q@n2' 'n1 1 more.q@n1' >"$PE_HOSTFILE"
exec job ${task%-*} ${task#*-} SGE_TASK_ID
SH
stand_in gridengine/qrsh <<'SH'
[ "$1" = -inherit ] || exit 1
shift
exec ssh -o BatchMode=yes "$@"
SH
stand_in pbs/qsub <<'SH'
task=1-1
while [ $# -gt 0 ]; do
    case $1 in
    -V) ;;
    -l) shift ;;
    -J) task=$2 && shift ;;
    -W) [ "$2" = "depend=afterany:17[].server" ] && shift || exit 1 ;;
    *) echo "qsub: unknown option $1" >&2 && exit 1 ;;
    esac
    shift
done
export PBS_O_WORKDIR="$PWD" PBS_JOBID=18.server PBS_NODEFILE="$DIR/nodefile"
printf '%s\n' n1 n2 n1 >"$PBS_NODEFILE"
mkdir -p "$DIR/home"
cd "$DIR/home" && job ${task%-*} ${task#*-} PBS_ARRAY_INDEX && echo '17[].server'
SH
stand_in pbs/pbs_attach <<'SH'
[ "$1 $2" = "-j 18.server" ] || exit 1
shift 2
exec "$@"
SH
stand_in lsf/bsub <<'SH'
task=1-1
while [ $# -gt 0 ]; do
    case $1 in
    -J) task=${2#*[} task=${task%]} ;;
    -n | -R | -w) ;;
    *) echo "bsub: unknown option $1" >&2 && exit 1 ;;
    esac
    shift 2
done
export LSB_MCPU_HOSTS='n1 2 n2 1'
exec job ${task%-*} ${task#*-} LSB_JOBINDEX
SH
stand_in lsf/blaunch <<'SH'
exec ssh -o BatchMode=yes "$@"
SH
# kubectl starts the words themselves, without a shell. A pod that has vanished is not found.
stand_in kubernetes/kubectl <<'SH'
case $1 in
apply)
    command=$(sed -n '/^ *command: \[sh, -c\]$/,$s/^ *- \(n=.*\)/\1/p' "$3")
    for index in $(seq 0 $(($(sed -n 's/^ *completions: //p' "$3") - 1))); do
        JOB_COMPLETION_INDEX=$index sh -c "$command" </dev/null >>"$DIR/job.out" 2>&1 || exit 1
    done
    ;;
wait) grep -q "^metadata: {name: ${4#job/}}$" shards.yaml ;;
get) [ "$*" = "get pods -l app=headcount -o name" ] && printf 'pod/headcount-%d\n' 0 1 ;;
exec)
    [ "$2 $4" = "-i --" ] || exit 1
    pod=$3
    shift 4
    if [ -e "$pod.gone" ]; then
        echo "Error from server (NotFound): pods \"$pod\" not found" >&2
        exit 1
    fi
    echo "$pod" >>"$DIR/started"
    if [ -e "$pod.vanishes" ]; then
        sed -u "/trial=/e touch $pod.gone; kill -KILL 0" | "$@"
    elif [ -e "$pod.waits" ]; then
        sed -u '/trial=/e until [ -e headcount-1.gone ]; do sleep .02; done' | "$@"
    else
        exec "$@"
    fi
    ;;
esac
SH

# ---- the lines ----
for kind in ssh gridengine pbs lsf kubernetes; do
    cp "$root/configs/schedulers/$kind.sh" $kind.lines
done
cp "$root/configs/schedulers/shards.yaml" .
check "no scheduler's lines are left out" [ "$(cat *.lines | wc -l)" = "$(cat "$root"/configs/schedulers/*.sh | wc -l)" ]

cat >sweep.yaml <<YAML
name: far
task: {name: gather}
model: {d_model: 16, heads: [1, 2]}
train: {steps: 30, batch: 16}
seeds: 4
YAML
headcount run sweep.yaml --db here.db -q >/dev/null 2>&1
headcount export results far --db here.db >here.jsonl
check "the run here that others are compared with has eight trials" [ "$(grep -c . here.jsonl)" -ge 8 ]
lines() { # kind: its lines, in a folder of their own
    mkdir -p "$1" "$1.work"
    cp sweep.yaml shards.yaml "$1.work"
    printf 'n1\nn2\n' >"$1.work/machines.txt"
    (cd "$1.work" && DIR=$PWD PATH=$dir/$1:$dir/bin:$PATH sh -e "$dir/$1.lines" >lines.out 2>&1 </dev/null) && return
    code=$?
    cat "$1.work/lines.out" "$1.work/job.out"
    return $code
}
as_here() { # kind, its results file
    headcount export results far --db "$1.work/$2" >far.jsonl && cmp here.jsonl far.jsonl
}
started_on() { # kind, machines
    [ "$(sort -u "$1.work/started" | tr '\n' ' ')" = "$2 " ] || { cat "$1.work/started"; return 1; }
}
check "the lines for a list of machines run" lines ssh
check "... and start an agent on each machine" started_on ssh "n1 n2"
check "... with the results of a run here" as_here ssh results/headcount.db
for kind in gridengine pbs lsf kubernetes; do
    hosts="n1 n2"
    [ $kind != kubernetes ] || hosts="headcount-0 headcount-1"
    check "the lines for $kind run" lines $kind
    check "... and each task of the array writes its shard" [ "$(echo $kind.work/sweep-?-of-8.db | wc -w)" = 8 ]
    check "... which, merged, have the results of a run here" as_here $kind sweep.db
    check "... the job with several machines starts an agent on each" started_on $kind "$hosts"
    check "... and has the results of a run here" as_here $kind results/headcount.db
done
cp kubernetes.lines spot.lines
sed -i '/^kubectl apply/d; /^headcount merge/d' spot.lines
ln -s kubernetes spot
mkdir spot.work
touch spot.work/headcount-1.vanishes spot.work/headcount-0.waits
check "a run outlives a machine that vanishes for good" lines spot
check "... in the middle of a trial" [ -e spot.work/headcount-1.gone ]
check "... which goes on elsewhere to the same results" as_here spot results/headcount.db
finish
