# A cluster on this machine, for tests: Debian's Slurm with four nodes n1..n4 of two CPUs each and the
# partition `main`, whose jobs those of `urgent` put back into the queue, at once, and those of `grace`
# after some seconds; and a private sshd. All of it listens on 127.0.0.1 only, keeps everything it has in
# $bed, and ends with the test. Sourced from the repository's root, with what the fault matrix has
# (tests/crash/harness.sh).
#
#   can_slurm, slurm_up      whether its programs are there; start it, false where it does not come up
#                            ($bed_gather, $bed_selects, $bed_conf: other lines of its configuration)
#   can_ssh, ssh_up          the same of sshd; then `$ssh NAME COMMAND` runs COMMAND here
#   bed_down                 everything that was started in it is killed; done at the end of the test
#   bed_pids PATTERN         processes within the bed whose command line matches ($agent, $worker)
CRASH_FORM=${CLUSTER_FORM:-long}
. tests/crash/harness.sh
trap 'bed_down; clean_up' EXIT
bed=$dir/bed
SLURM_CONF=$bed/slurm.conf
HEADCOUNT_CHECKPOINT_S=1
HEADCOUNT_HOST_S=20 # what is killed shows at once; a busy machine needs patience
export SLURM_CONF HEADCOUNT_CHECKPOINT_S HEADCOUNT_HOST_S
mkdir "$bed"
chmod 755 "$dir" "$bed" # munge refuses a path in which others cannot look
PATH=$PATH:/usr/sbin:/sbin
agent='^[^ ]*headcount agent' worker='^[^ ]*headcount worker'

# ---- processes ----

# What runs in the bed has its SLURM_CONF: daemons, steps, jobs, and what users of the bed started.
bed_pids() { # pattern of the whole command line
    grep -lzsx "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ | sed "/^\/proc\/$$\//d; s/environ\$/cmdline/" |
        xargs -r grep -aszH '' 2>/dev/null | tr '\0' '\n' | awk -F: '
            match($0, "^/proc/[0-9]+/cmdline:") { line[$1] = line[$1] substr($0, RLENGTH + 1) " " }
            END { for (file in line) print line[file] file }' |
        grep -E -- "$1" | sed 's/.*\/proc\/\([0-9]*\)\/cmdline$/\1/' | sort -n
}
all_killed() { # pattern
    victims=$(bed_pids "$1")
    [ -n "$victims" ] && kill -KILL $victims
}
agent_at_work() { # $at_work: one that has a worker
    agents=$(bed_pids "$agent")
    for child in $(bed_pids "$worker"); do
        at_work=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$child/status" 2>/dev/null)
        echo "$agents" | grep -qx "${at_work:-none}" && return
    done
    return 1
}
agent_killed() {
    wait_until agent_at_work && kill -KILL "$at_work"
}
agent_stopped() { # seconds
    wait_until agent_at_work && kill -STOP "$at_work" && sleep "$1"
    kill -CONT "$at_work" 2>/dev/null || : # it may have been ended for its silence
}
none_left() {
    [ -z "$(bed_pids "$agent|$worker")" ]
}
agents_gone() { # label
    wait_until none_left || trouble "$1: agents or workers are left: $(bed_pids "$agent|$worker" | tr '\n' ' ')"
}
bed_down() {
    [ -z "$guard" ] || kill -KILL "$guard" 2>/dev/null
    [ ! -s "$bed/ssh/pid" ] || kill -KILL "$(cat "$bed/ssh/pid")" 2>/dev/null # sshd writes over its environment
    tries=0
    while left=$(bed_pids .); [ -n "$left" ] && [ $tries -lt 100 ]; do
        kill -KILL $left 2>/dev/null
        sleep 0.1
        tries=$((tries + 1))
    done
}
# Whatever becomes of the test, kill -9 too: the bed does not outlive it.
guard=
(
    trap - EXIT
    trap '' INT TERM HUP
    while kill -0 $$; do sleep 1; done
    bed_down
    clean_up
) >/dev/null 2>&1 </dev/null &
guard=$!
free_ports() { # how many on end; the first in $port
    tries=0
    while [ $tries -lt 100 ]; do
        port=$((20000 + $(od -An -N2 -tu2 /dev/urandom) % 12000))
        tries=$((tries + 1))
        taken=
        for offset in $(seq 0 $(($1 - 1))); do
            grep -qi "^ *[0-9]*: [0-9A-F]*:$(printf %04X $((port + offset))) " /proc/net/tcp \
                /proc/net/tcp6 2>/dev/null &&
                taken=1
        done
        [ -z "$taken" ] && return
    done
    return 1
}

# As wait_until (tap.sh), for what waits for Slurm's own pauses too, and for a busy machine.
wait_long() { # command...
    patience=$(($(seconds 90) * 5))
    until "$@" >/dev/null 2>&1; do
        patience=$((patience - 1))
        [ $patience -lt 0 ] && return 1
        sleep 0.2
    done
}
await_run() { # label: as await (harness.sh), of a sweep that may take its time; $pid, $code
    wait_long is_over "$pid"
    await "$1" "$pid"
}

# ---- Slurm ----

can_slurm() {
    for program in munged slurmctld slurmd sbatch srun scontrol; do
        command -v $program >/dev/null || return 1
    done
}
slurm_conf() {
    cat <<C
ClusterName=bed
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$bed/munge/socket,cred_expire=5
CredType=cred/munge
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$bed/state
SlurmdSpoolDir=$bed/spool/%n
SlurmctldPidFile=$bed/slurmctld.pid
SlurmdPidFile=$bed/%n.pid
SlurmctldLogFile=$bed/slurmctld.log
SlurmdLogFile=$bed/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
MpiDefault=none
JobAcctGatherType=${bed_gather:-jobacct_gather/none}
SelectType=select/cons_tres
SelectTypeParameters=${bed_selects:-CR_Core}
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
KillWait=60
SlurmdTimeout=5
SlurmctldTimeout=5
MessageTimeout=5
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
NodeName=n[1-4] NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 4))] CPUs=2 RealMemory=1000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE PriorityTier=1 PreemptMode=REQUEUE
PartitionName=grace Nodes=ALL MaxTime=INFINITE PriorityTier=1 PreemptMode=REQUEUE GraceTime=20
PartitionName=urgent Nodes=ALL MaxTime=INFINITE PriorityTier=2 PreemptMode=OFF
$bed_conf
C
}
controller_up() {
    slurmctld -D >"$bed/slurmctld.out" 2>&1 </dev/null &
    controller=$!
}
# When it has on disk that $job runs, which it writes some seconds late: a controller that comes back without
# that starts the job once more beside itself, or forgets it.
controller_killed() {
    touch "$dir/now"
    scontrol update jobid="$job" comment=running && wait_long controller_saved && kill -KILL "$controller"
}
controller_saved() {
    [ "$bed/state/job_state" -nt "$dir/now" ]
}
node_up() { # name
    slurmd -D -N "$1" >"$bed/$1.out" 2>&1 </dev/null &
    eval "node_$1=$!"
}
nodes_idle() {
    [ "$(sinfo -h -p main -t idle -o %D 2>/dev/null)" = 4 ]
}
slurm_up() {
    mkdir -p "$bed/munge" "$bed/state" "$bed/spool/n1" "$bed/spool/n2" "$bed/spool/n3" "$bed/spool/n4"
    head -c 128 /dev/urandom >"$bed/munge/key"
    chmod 400 "$bed/munge/key"
    munged --foreground --key-file="$bed/munge/key" --socket="$bed/munge/socket" --pid-file="$bed/munge/pid" \
        --log-file="$bed/munge/log" --seed-file="$bed/munge/seed" >"$bed/munge/out" 2>&1 </dev/null &
    wait_until test -S "$bed/munge/socket" || return 1
    free_ports 5 || return 1
    slurm_conf >"$SLURM_CONF"
    controller_up
    for node in n1 n2 n3 n4; do
        node_up $node
    done
    wait_long nodes_idle
}

why_not() {
    tail -n 2 "$bed"/*.out "$bed/munge/out" "$bed"/*.log 2>&1 | tr '\n' ' '
}

# ---- jobs ----

job_state() { # job: PENDING, RUNNING, COMPLETED, ...
    scontrol show job -o "$1" 2>/dev/null | sed -n 's/.* JobState=\([A-Z_]*\).*/\1/p'
}
job_status() { # job: the exit status of its script
    scontrol show job -o "$1" 2>/dev/null | sed -n 's/.* ExitCode=\([0-9]*\):.*/\1/p'
}
job_restarts() { # job: how often it was put back into the queue
    scontrol show job -o "$1" 2>/dev/null | sed -n 's/.* Restarts=\([0-9]*\).*/\1/p'
}
job_is() { # job, states...
    is_state=$(job_state "$1")
    shift
    for state; do
        [ "$is_state" = "$state" ] && return 0
    done
    return 1
}
job_ended() { # job
    job_is "$1" COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL PREEMPTED BOOT_FAIL DEADLINE OUT_OF_MEMORY
}

submit() { # label, results file, words for submit..., of which `--` is one; $job
    submit_label=$1 submit_db=$2
    shift 2
    rm -f "$dir/job.out"
    "$headcount" submit "$sweep" --db "$submit_db" "$@" --output="$dir/job.out" >"$dir/submitted" 2>&1 ||
        trouble "$submit_label: submit: $(cat "$dir/submitted")"
    job=$(sed -n 's/^Submitted job \([0-9]*\):.*/\1/p' "$dir/submitted" | head -n 1)
}
ends() { # label, state, exit status where it has one
    wait_long job_ended "$job" || trouble "$1: job $job is $(job_state "$job"): $(tail -n 5 "$dir/job.out")"
    job_is "$job" "$2" && [ "$(job_status "$job")" = "${3:-$(job_status "$job")}" ] ||
        trouble "$1: job $job is $(job_state "$job") with status $(job_status "$job"): $(tail -n 5 "$dir/job.out")"
    wait_long nodes_idle || trouble "$1: the nodes are not idle: $(sinfo -h)"
    agents_gone "$1"
}

# ---- ssh ----

can_ssh() {
    command -v sshd >/dev/null && command -v ssh >/dev/null && command -v ssh-keygen >/dev/null
}
# Commands come through $bed/login, which a test may change: it gets the name that the user connects
# to in $BED_HOST and the command in $SSH_ORIGINAL_COMMAND.
ssh_up() {
    mkdir -p "$bed/ssh"
    ssh-keygen -q -t ed25519 -N '' -f "$bed/ssh/host_key" &&
        ssh-keygen -q -t ed25519 -N '' -f "$bed/ssh/key" || return 1
    cp "$bed/ssh/key.pub" "$bed/ssh/authorized"
    printf '#!/bin/sh\nexec sh -c "$SSH_ORIGINAL_COMMAND"\n' >"$bed/login"
    chmod 755 "$bed/login"
    free_ports 1 || return 1
    mkdir -p /run/sshd 2>/dev/null || :
    cat >"$bed/ssh/sshd_config" <<C
ListenAddress 127.0.0.1
Port $port
HostKey $bed/ssh/host_key
PidFile $bed/ssh/pid
AuthorizedKeysFile $bed/ssh/authorized
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
MaxStartups 100
AcceptEnv BED_HOST HEADCOUNT_*
SetEnv SLURM_CONF=$SLURM_CONF
ForceCommand $bed/login
C
    cat >"$bed/ssh/config" <<C
Host *
HostName 127.0.0.1
Port $port
IdentityFile $bed/ssh/key
IdentitiesOnly yes
BatchMode yes
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
SendEnv HEADCOUNT_*
$(for name in a b c d; do printf 'Host %s\nSetEnv BED_HOST=%s\n' $name $name; done)
C
    "$(command -v sshd)" -D -e -f "$bed/ssh/sshd_config" >"$bed/ssh/log" 2>&1 </dev/null &
    sshd=$!
    ssh="ssh -F $bed/ssh/config"
    wait_until $ssh a true
}
on_hosts() { # results file, hosts: runs $sweep there, in the background; $pid
    setsid "$headcount" run "$sweep" --db "$1" --launch "$ssh {host}" --hosts "$2" >"$dir/run.out" 2>&1 </dev/null &
    pid=$!
    started="$started $pid"
}
sessions() { # pids of the server's ends of connections
    workers_of "$sshd"
}

# ---- sweeps ----

# What $sweep comes to undisturbed, on this machine alone, in $reference (harness.sh); it took $took s.
undisturbed() {
    reference=$dir/reference.jsonl
    fresh "$dir/reference.db"
    took=$(date +%s)
    "$headcount" run "$sweep" --db "$dir/reference.db" --quiet >"$dir/said" 2>&1 ||
        trouble "the undisturbed run: status $?: $(tail -n 3 "$dir/said")"
    took=$(($(date +%s) - took + 1))
    "$headcount" export results --db "$dir/reference.db" >"$reference"
    verdict "the undisturbed run completes"
}
# Of a results file at work: how many trials are so.
trials() { # db, state
    sqlite3 -readonly "$1" "SELECT count(*) FROM trial WHERE state = '$2'" 2>/dev/null
}
in_the_middle() { # db: some have ended, some run
    [ "$(trials "$1" completed)" -ge 1 ] && [ "$(trials "$1" running)" -ge 1 ]
} 2>/dev/null
# The sweep cannot end while a command runs, as a worker on n1 waits.
while_one_waits() { # command...
    wait_until worker_on_n1 && kill -STOP "$on_n1" || return
    "$@"
    command_status=$?
    kill -CONT "$on_n1" && return $command_status
}
worker_on_n1() { # $on_n1
    for on_n1 in $(bed_pids "$worker"); do
        tr '\0' '\n' <"/proc/$on_n1/environ" | grep -qx SLURMD_NODENAME=n1 && return
    done
    return 1
}
await_middle() { # label, db
    wait_long in_the_middle "$2" || trouble "$1: the sweep does not come to its middle: $(tail -n 5 "$dir"/*.out)"
}
hosts_worked() { # label, db, how many hosts have completed trials of it at least
    worked=$(sqlite3 "$2" "SELECT count(DISTINCT host) FROM attempt WHERE outcome = 'completed'")
    [ "$worked" -ge "$3" ] || trouble "$1: $worked hosts have completed trials: $(tail -n 5 "$dir"/*.out)"
}
says() { # label, pattern, file: what the run has said
    grep -Eq -- "$2" "$3" || trouble "$1: does not say /$2/: $(grep -v ' s$' "$3" | head -n 8)"
}
# As whole (harness.sh), of a sweep that is to be over already.
complete() { # label, db
    left=$(sqlite3 "$2" "SELECT count(*) FROM trial WHERE state <> 'completed'" 2>&1)
    [ "$left" = 0 ] || trouble "$1: trials left: $left: $(tail -n 5 "$dir"/*.out)"
    same_results "$1" "$2"
    "$headcount" check --db "$2" >"$dir/said" 2>&1 || trouble "$1: check: $(tail -n 3 "$dir/said")"
}
