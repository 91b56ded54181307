#!/bin/sh
# configs/schedulers/gridengine.sh, as it stands there, on Debian's Grid Engine (gridengine-master,
# -exec, -client) with one host of 32 slots: private, on 127.0.0.1, gone with the test. Speaks TAP. HEADCOUNT is the
# program; run from the repository's root.
. tests/cluster/bed.sh
share=/usr/share/gridengine lib=/usr/lib/gridengine
can_grid() {
    [ "$(id -u)" = 0 ] && [ -x $lib/sge_qmaster ] && [ -x $lib/sge_execd ] && [ -x $lib/qrsh ] && [ -d $share/util ]
}
can_grid || skip_all "a sweep runs on Grid Engine" "gridengine-master, gridengine-exec and gridengine-client, and root"

SGE_ROOT=$bed/sge SGE_CELL=bed
export SGE_ROOT SGE_CELL
grid_conf() { # what its daemons read before they know anything
    cat >"$SGE_ROOT/bed/common/bootstrap" <<C
admin_user none
default_domain none
ignore_fqdn true
spooling_method classic
spooling_lib libspoolc
spooling_params $SGE_ROOT/bed/common;$SGE_ROOT/spool
binary_path $SGE_ROOT/bin
qmaster_spool_dir $SGE_ROOT/spool
security_mode none
listener_threads 2
worker_threads 2
scheduler_threads 1
C
    echo "localhost $(hostname)" >"$SGE_ROOT/bed/common/host_aliases"
    echo localhost >"$SGE_ROOT/bed/common/act_qmaster"
    sed "s|^execd_spool_dir.*|execd_spool_dir $SGE_ROOT/execd|; s/^min_\([ug]id\).*/min_\1 0/
        s|^mailer.*|mailer /bin/true|; s/^load_report_time.*/load_report_time 00:00:02/" $share/default-configuration \
            >"$bed/configuration"
    spoolinit classic libspoolc "$SGE_ROOT/bed/common;$SGE_ROOT/spool" init &&
        spooldefaults configuration "$bed/configuration" &&
        spooldefaults complexes $share/util/resources/centry &&
        spooldefaults usersets $share/util/resources/usersets &&
        spooldefaults managers root
}
environment() { # name, rule: of parallel jobs
    printf '%s\n' "pe_name $1" 'slots 99' 'user_lists NONE' 'xuser_lists NONE' 'start_proc_args NONE' \
        'stop_proc_args NONE' "allocation_rule $2" 'control_slaves TRUE' 'job_is_first_task FALSE' \
        'urgency_slots min' 'accounting_summary FALSE' 'qsort_args NONE' >"$bed/$1"
    qconf -Ap "$bed/$1"
}
grid_up() {
    arch=$($share/util/arch) && free_ports 2 || return 1
    SGE_ARCH=$arch SGE_QMASTER_PORT=$port SGE_EXECD_PORT=$((port + 1)) PATH=$lib:$PATH
    export SGE_ARCH SGE_QMASTER_PORT SGE_EXECD_PORT
    mkdir -p "$SGE_ROOT/bed/common" "$SGE_ROOT/spool/job_scripts" "$SGE_ROOT/execd" "$SGE_ROOT/bin" "$SGE_ROOT/utilbin"
    ln -s $share/util "$SGE_ROOT/util"
    ln -s $lib "$SGE_ROOT/bin/$arch"
    ln -s $lib "$SGE_ROOT/utilbin/$arch"
    grid_conf >"$bed/conf.out" 2>&1 || return 1
    SGE_ND=1 sge_qmaster >"$bed/qmaster.out" 2>&1 </dev/null &
    wait_long qconf -as localhost || return 1
    SGE_ND=1 sge_execd >"$bed/execd.out" 2>&1 </dev/null &
    {
        environment smp '$pe_slots'
        environment mpi '$round_robin'
        qconf -sq | sed 's/^qname.*/qname all.q/; s/^hostlist.*/hostlist localhost/; s/^slots .*/slots 32/
            s/^pe_list.*/pe_list smp mpi/; s/^load_thresholds.*/load_thresholds NONE/; s|^shell .*|shell /bin/sh|
            s/^shell_start_mode.*/shell_start_mode unix_behavior/' >"$bed/queue"
        qconf -Aq "$bed/queue"
        qconf -ssconf | sed 's/^schedule_interval.*/schedule_interval 0:0:1/; s/^flush_\(.*\)_sec.*/flush_\1_sec 1/
            s/^job_load_adjustments.*/job_load_adjustments NONE/' >"$bed/scheduler"
        qconf -Msconf "$bed/scheduler"
    } >"$bed/qconf.out" 2>&1
    wait_long grid_ready
}
grid_ready() {
    qstat -f | grep -q '^all.q@localhost.* lx-[^ ]* *$'
}
grid_idle() {
    jobs=$(qstat) && [ -z "$jobs" ]
}
grid_up || skip_all "a sweep runs on Grid Engine" "a machine on which it starts: $(tail -n 2 "$bed"/*.out \
    2>&1 | tr '\n' ' ')"
. tests/cluster/sweep.sh
mkdir "$dir/bin" "$dir/work"
ln -s "$headcount" "$dir/bin/headcount"
PATH=$dir/bin:$PATH
cd "$dir/work" || exit 1
cp "$sweep" sweep.yaml

# ---- the lines ----

cp "$root/configs/schedulers/gridengine.sh" lines
check "Grid Engine takes the lines of gridengine.sh" sh -e lines
wait_long grid_idle || trouble "jobs are left: $(qstat)"
[ "$(echo sweep-?-of-8.db | wc -w)" = 8 ] || trouble "shards: $(echo sweep-*)"
complete "the shards of an array, merged" sweep.db
complete "a job on several machines" results/headcount.db
verdict "an array with its merge and a job with several slots give the results from here"

# ---- what is lost ----

sed -n '/ -pe mpi /,/^END/p' lines >alone
fresh results/headcount.db
sh alone >submitted 2>&1 || trouble "$(cat submitted)"
await_middle "an agent is killed" results/headcount.db
all_killed "$agent" || trouble "there was no agent"
wait_long grid_idle || trouble "the job goes on: $(qstat)"
complete "an agent is killed" results/headcount.db
grep -q 'localhost is tried again in 1 s: ' STDIN.e* || trouble "it does not say so: $(cat STDIN.e*)"
verdict "a job goes on when its agent is killed"

rm -f STDIN.*
sed 's/\\; true/ /' alone >without
fresh results/headcount.db
sh without >submitted 2>&1 || trouble "$(cat submitted)"
await_middle "without true" results/headcount.db
all_killed "$agent" || trouble "there was no agent"
wait_long grid_idle || trouble "the job goes on: $(qstat)"
grep -q 'tightly integrated parallel task .* failed - killing job' "$SGE_ROOT/spool/messages" ||
    trouble "$(tail "$SGE_ROOT/spool/messages")"
verdict "... but Grid Engine would end it if the lines had no true"

# ---- its time limit ----

if long; then
    rm -f STDIN.*
    fresh results/headcount.db
    echo 'exec headcount run sweep.yaml --set train.steps=1000000' | qsub -cwd -V -l s_rt=0:0:20 >submitted 2>&1
    wait_long grid_idle || trouble "the job goes on: $(qstat)"
    grep -q \
        '^headcount run: stopped at 0 of 12 trials (.* half done, saved); the same command resumes the sweep$' \
        STDIN.e* ||
        trouble "it does not say so: $(cat STDIN.e*)"
    verdict "a run saves its trials and stops at a soft time limit"
fi
finish
