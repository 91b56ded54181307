/* The allocation of Slurm that the machines of a run are of, and that may end before the run does.
 */
#include "sweep/run/runner_internal.h"

#include <stdlib.h>

#include "sweep/hosts/slurm.h"

/* Whether no agent is there, and at least one is there no more. */
static bool all_are_away(const struct runner *r)
{
    bool lost = false;
    for (int k = 0; k < r->machines; k++) {
        const struct machine *machine = &r->machine[k];
        enum host_state state = machine->host->state;
        if (state != HOST_WAITING && state != HOST_STARTING && state != HOST_REFUSED)
            return false;
        lost = lost || (machine->heard && state != HOST_REFUSED);
    }
    return lost;
}

/* An allocation that is gone does not come again: the run would wait for ever, and hold the results
 * file. The launcher's words for it, which may change, are not relied upon. */
void runner_seek_allocation(struct runner *r, double now)
{
    static const double ask_every_s = 10;
    if (!r->slurm || r->stopping || now < r->asked_s + ask_every_s || !all_are_away(r))
        return;
    if (slurm_allocation() == SLURM_GONE) {
        runner_say(r,
                   "the allocation (job %s of Slurm) is gone: stopping; the same command in a new "
                   "allocation goes on",
                   getenv("SLURM_JOB_ID"));
        runner_stop(r);
    }
    r->asked_s = clock_now_s();
}
