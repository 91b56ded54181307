/* What the jobs' scripts know of the queue. */
#include "sweep/cli/batch.h"

/* Once a job is requeued Slurm sends SIGTERM to all that runs in it, and KillWait seconds (30)
 * later SIGKILL. Until then it takes changes of the job, which before that it would refuse, as the
 * job was running. Without them the job would begin again after about two minutes. */
void batch_add_queueing(struct text_buffer *b)
{
    enum { TRIES = 288 }; /* a day, at five minutes each */
    text_add(
        b,
        "# Back into the queue, but for a job that Slurm itself ends (scancel, preemption): it is\n"
        "# not RUNNING any more (-t: whatever SQUEUE_STATES says). What is requeued gets SIGTERM, "
        "with\n"
        "# all that this script starts.\n"
        "requeue() {\n"
        "    [ \"$(squeue -h -t all -o %%T -j \"$job\")\" = RUNNING ] || return\n"
        "    trap '' TERM\n"
        "    scontrol requeue \"$job\"\n"
        "}\n"
        "# Another process holds the results file: this job begins again when its job has ended.\n"
        "wait_for_holder() {\n"
        "    holder=$([ ! -f \"$db.lock\" ] || head -c 300 <\"$db.lock\" |\n"
        "        sed -n '1s/.*, job \\([0-9]*\\) of Slurm$/\\1/p')\n"
        "    [ \"$holder\" != \"$SLURM_JOB_ID\" ] || holder= # it was this job\n"
        "    if [ \"${SLURM_RESTART_COUNT:-0}\" -ge %d ]; then\n"
        "        echo \"This job has come back %d times and is not tried again.\" >&2\n"
        "        return\n"
        "    fi\n"
        "    requeue || return\n"
        "    if [ \"$holder\" ] &&\n"
        "        scontrol update jobid=\"$job\" dependency=\"afterany:$holder\"; then\n"
        "        echo \"This job begins again when job $holder has ended.\" >&2\n"
        "    else\n"
        "        scontrol update jobid=\"$job\" starttime=now+300 &&\n"
        "            echo \"This job is tried again in 5 minutes, %d times at most.\" >&2\n"
        "    fi\n"
        "}\n",
        TRIES, TRIES, TRIES);
}
