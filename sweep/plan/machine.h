/* The cores and memory that this process may use: those of the machine, or less where its control
 * group, or one above it, limits it (v1 and v2, wherever they are mounted). */
#ifndef SWEEP_PLAN_MACHINE_H
#define SWEEP_PLAN_MACHINE_H

#include <stdbool.h>

/* Cores: the smaller of sched_getaffinity's set and the group's CPU quota, at least 1. */
int machine_cores(void);

struct machine_memory {
    double bytes;
    bool by_group; /* the group allows less than the machine has */
};

/* The same at every call. bytes is infinite where the system does not say. */
struct machine_memory machine_memory(void);

/* How many processes of this group the system has killed, ever, for lack of memory; 0 where it does
 * not say. */
double machine_memory_kills(void);

/* Bytes that could be had now without swapping: what the system takes to be available, or what a
 * group still grants, where files that it has cached do not count. Infinite where neither says. */
double machine_memory_free(void);

#endif
