/* How many trials at once there is memory for. */
#ifndef SWEEP_WORKER_MEMORY_BUDGET_H
#define SWEEP_WORKER_MEMORY_BUDGET_H

#include "sweep/plan/plan.h"

/* What a worker takes beside its model and examples: program, libraries, buffers of products. */
enum { MEMORY_BUDGET_WORKER = 16 << 20 };

/* The trials of one point. */
struct memory_budget_point {
    double bytes; /* of each: what point_memory says, and what its threads take where their number
                     is told, but not more than limits.memory allows */
    long trials;
};

/* What the trials of a plan take. */
struct memory_budget {
    long points;                       /* 0: there was no memory to find out */
    struct memory_budget_point *point; /* (points), the largest first */
    double thread;                     /* bytes of a further thread of a trial, at most */
};

/* Looks at every point and trial of the plan, once for all machines. memory_budget_clear when done.
 */
void memory_budget_init(struct memory_budget *r, const struct plan *p);
void memory_budget_clear(struct memory_budget *r);

/* The largest n, from 1 to wanted, such that any n trials fit into so many free bytes together: the
 * n largest do. *largest: bytes of the largest trial. `wanted` where that is not known. */
int memory_budget_trials(const struct memory_budget *r, int wanted, double available,
                         double *largest);

/* How many further threads fit beside any n of these trials. */
int memory_budget_threads(const struct memory_budget *r, int n, double available);

/* Bytes that the job of Slurm whose environment this is has on a node on which so many CPUs are its
 * own: SLURM_MEM_PER_NODE, or SLURM_MEM_PER_CPU for each. Infinite outside a job, and where it has
 * all of the node (0) or does not say. */
double memory_budget_of_job(double cpus);

/* machine_memory_free(), but not more than this process's job has on this node; or what
 * HEADCOUNT_FREE_MIB says there is, for tests. */
double memory_budget_available(void);

#endif
