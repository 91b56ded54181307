/* How many workers this machine has room for. */
#ifndef SWEEP_RUN_CORES_H
#define SWEEP_RUN_CORES_H

/* Cores this process may use: the smaller of sched_getaffinity's set and the CPU quota of its
 * control group (v2 or v1), at least 1. */
int cores_usable(void);

#endif
