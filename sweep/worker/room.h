/* How many trials at once there is memory for. */
#ifndef SWEEP_WORKER_ROOM_H
#define SWEEP_WORKER_ROOM_H

#include "sweep/plan/plan.h"

/* What a worker takes beside its model and examples: program, libraries, buffers of products. */
enum { ROOM_WORKER = 16 << 20 };

/* The trials of one point. */
struct room_point {
    double bytes; /* of each: what point_memory says, but not more than limits.memory allows */
    long trials;
};

/* What the trials of a plan take. */
struct room {
    long points;              /* 0: there was no memory to find out */
    struct room_point *point; /* (points), the largest first */
};

/* Looks at every point and trial of the plan, once for all machines. room_clear when done. */
void room_init(struct room *r, const struct plan *p);
void room_clear(struct room *r);

/* The largest n, from 1 to wanted, such that any n trials fit into so many free bytes together: the
 * n largest do. *largest: bytes of the largest trial. `wanted` where the room is not known. */
int room_for_trials(const struct room *r, int wanted, double available, double *largest);

/* Bytes that the job of Slurm whose environment this is has on a node on which so many CPUs are its
 * own: SLURM_MEM_PER_NODE, or SLURM_MEM_PER_CPU for each. Infinite outside a job, and where it has
 * all of the node (0) or does not say. */
double room_of_job(double cpus);

/* machine_memory_free(), but not more than this process's job has on this node; or what
 * HEADCOUNT_FREE_MIB says there is, for tests. */
double room_free(void);

#endif
