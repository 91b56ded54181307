/* How the cores of a machine are shared among the trials that run on it. Nobody else decides that,
 * or reckons with it. */
#ifndef SWEEP_RUN_CORES_H
#define SWEEP_RUN_CORES_H

#include <stdint.h>

/* What may be used of a machine. */
struct cores {
    int cores;   /* at least 1 */
    int trials;  /* at once, at most */
    int threads; /* of each trial; 0: auto, one and its share of the cores that are idle */
};

/* usable: the machine's cores; trials: at once, where somebody said so, else 0: as many as have
 * room. They are then all that may be used, with `threads` each (as in struct config). A trial gets
 * no more threads than there are cores, unless somebody said how many trials. */
struct cores cores_granted(int usable, int64_t trials, int64_t threads);

/* Threads of the k-th (from 0) of so many trials that run, or are about to. */
int cores_of(const struct cores *c, int running, int k);

/* Seconds in which so many trials, alike and of so many core seconds together, are done. Two
 * threads are taken as 1.8 times as fast as one, and what keeps them from 2 keeps more from as
 * many (Amdahl 1967). */
double cores_wall_s(const struct cores *c, double core_s, double trials);

#endif
