/* Trials whose machine was lost while they ran: which of them takes machines down?
 *
 * A machine may have been lost with many trials, of which one at most did it. What tells that one
 * from the others is that they get further elsewhere. So a loss counts against a trial only until
 * it gets further than where it was lost; a trial with SUSPECT_LOSSES of them begins by itself:
 * until it gets further nothing else is begun on its machine, and trials that run there already get
 * further as they run. (Trials that are lost together again and again before their first step would
 * all look guilty else.) With SUSPECT_LIMIT of them it did it, if not all were of one machine, as
 * that may be what is broken; or there is no other at work. */
#ifndef SWEEP_RUN_SUSPECTS_H
#define SWEEP_RUN_SUSPECTS_H

#include <stdbool.h>
#include <stdint.h>

enum { SUSPECT_LOSSES = 2, SUSPECT_LIMIT = 5 };

struct suspect {
    int64_t trial;  /* 0: no entry */
    int64_t step;   /* the furthest that it was lost at */
    int losses;     /* since it last got further than that */
    int machine;    /* of the last of them */
    bool elsewhere; /* they were of different machines */
};

/* Starts as {0}. */
struct suspects {
    struct suspect *table; /* (capacity): open addressing */
    int capacity, used;
};

/* The trial had come to `step` when its machine was lost. Returns its entry, valid until the next
 * call; NULL where there is no memory: then this loss does not count. */
const struct suspect *suspects_lost(struct suspects *s, int64_t trial, int64_t step, int machine);

/* Whether the trial, which is or goes on at `step`, is under suspicion and has not got further. */
bool suspects_at(const struct suspects *s, int64_t trial, int64_t step);

/* How often it was lost without getting further. */
int suspects_losses(const struct suspects *s, int64_t trial);

void suspects_free(struct suspects *s);

#endif
