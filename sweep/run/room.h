/* How many trials at once there is memory for. */
#ifndef SWEEP_RUN_ROOM_H
#define SWEEP_RUN_ROOM_H

#include "sweep/plan/plan.h"

/* What a worker takes beside its model and examples: program, libraries, buffers of products. */
enum { ROOM_WORKER = 16 << 20 };

/* The largest n, from 1 to wanted, such that any n trials of the plan fit into so many free bytes
 * together: the n largest do. A trial takes what point_memory says, but not more than limits.memory
 * allows it. *largest: bytes of the largest trial. Where memory for the answer itself is out, it is
 * `wanted`. */
int room_for_trials(const struct plan *p, int wanted, double available, double *largest);

/* machine_memory_free(), or what HEADCOUNT_FREE_MIB says there is, for tests. */
double room_free(void);

#endif
