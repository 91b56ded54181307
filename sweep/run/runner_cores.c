/* How many trials run at once on a machine, and how many threads each of them has (cores.h). */
#include "sweep/run/runner_internal.h"

int runner_grant_cores(const struct runner *r, struct machine *machine,
                       const struct memory_budget *memory, int usable, int64_t asked,
                       double available, int *wanted, double *largest)
{
    struct cores *c = &machine->cores;
    *c = cores_granted(usable, asked, plan_config(r->plan)->threads);
    *wanted = c->trials < plan_trials(r->plan) ? c->trials : (int)plan_trials(r->plan);
    int slots = memory_budget_trials(memory, *wanted, available, largest);
    int threads = slots + memory_budget_threads(memory, slots, available);
    if (threads < c->cores)
        c->cores = threads;
    return slots;
}

/* Free slots are counted where they may find a trial the next moment. */
static void share(struct runner *r, struct machine *machine)
{
    struct cores c = machine->cores;
    int among = 0, k = 0;
    if (machine->most < machine->slots && machine->most < c.cores)
        c.cores = machine->most; /* memory did not suffice for more */
    for (int i = 0; i < machine->slots; i++) {
        const struct slot *s = &machine->slot[i];
        among += s->phase == SLOT_RUNS || (machine->works && !r->dry && s->phase == SLOT_FREE);
    }
    if (among > machine->most)
        among = machine->most;
    for (int i = 0; i < machine->slots; i++)
        if (machine->slot[i].phase == SLOT_RUNS)
            slot_set_threads(&machine->slot[i], cores_of(&c, among, k++));
}

void runner_share_cores(struct runner *r)
{
    for (int k = 0; k < r->machines && !r->stopping; k++)
        share(r, &r->machine[k]);
}
