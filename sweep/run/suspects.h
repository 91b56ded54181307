/* Whom the coordinator suspects where something was lost. */
#ifndef SWEEP_RUN_SUSPECTS_H
#define SWEEP_RUN_SUSPECTS_H

#include <stdbool.h>
#include <stdint.h>

/* ---- trials that may take a machine down ---- */

/* Trials whose machine was lost while they ran: which of them takes machines down?
 *
 * A machine may have been lost with many trials, of which one at most did it. What tells that one
 * from the others is that they get further elsewhere. So a loss counts against a trial only until
 * it gets further than where it was lost; a trial with SUSPECT_LOSSES of them begins by itself:
 * until it gets further nothing else is begun on its machine, and trials that run there already get
 * further as they run. (Trials that are lost together again and again before their first step would
 * all look guilty else.) With SUSPECT_LIMIT of them it did it, if two of the latest were of another
 * machine than the others, as one machine may be what is broken; or there is no other at work.
 *
 * What is taken to be a machine's fault costs a trial nothing, EXCUSE_LIMIT times where it gets no
 * further in between. */

enum { SUSPECT_LOSSES = 2, SUSPECT_LIMIT = 5, EXCUSE_LIMIT = 3 };

struct crash_suspect {
    int64_t trial;              /* 0: no entry */
    int64_t step;               /* the furthest that it was lost or excused at */
    int losses;                 /* since it last got further than that */
    int excuses;                /* likewise */
    int machine[SUSPECT_LIMIT]; /* of the latest losses: the k-th at k % SUSPECT_LIMIT */
};

/* Starts as {0}. */
struct crash_suspects {
    struct crash_suspect *table; /* (capacity): open addressing */
    int capacity, used;
};

/* The trial had come to `step` when its machine was lost. Returns its entry, valid until the next
 * call; NULL where there is no memory: then this loss does not count. */
const struct crash_suspect *crash_suspects_lost(struct crash_suspects *s, int64_t trial,
                                                int64_t step, int machine);

/* Whether two of its latest losses were of another machine than the others. */
bool crash_suspect_is_spread(const struct crash_suspect *k);

/* The trial came to nothing at `step`, and its machine is to blame: whether that may cost it
 * nothing (once more). */
bool crash_suspects_excuse(struct crash_suspects *s, int64_t trial, int64_t step);

/* Whether the trial, which is or goes on at `step`, is under suspicion and has not got further. */
bool crash_suspects_at(const struct crash_suspects *s, int64_t trial, int64_t step);

/* How often it was lost without getting further. */
int crash_suspects_losses(const struct crash_suspects *s, int64_t trial);

void crash_suspects_free(struct crash_suspects *s);

/* ---- machines on which a trial came to nothing ---- */

/* The trials that came to nothing on a machine: it leaves them to others that have not failed at
 * them. Only so many of the latest are kept, and of those that were lost with it the ones that were
 * so most often. */

enum { HOST_BLOCKLIST_MAX = 8 };

struct host_blocklist {
    int count;
    struct blocked_trial {
        int64_t trial;
        int losses;           /* how often it was lost with a machine; 0: it failed */
        bool failed_early;    /* without a step, and no trial got further on the machine since */
    } of[HOST_BLOCKLIST_MAX]; /* (count), the latest last */
};

/* The trial came to nothing there (once more). */
void host_blocklist_add(struct host_blocklist *s, int64_t trial, int losses, bool failed_early);

/* It came to something there. */
void host_blocklist_remove(struct host_blocklist *s, int64_t trial);

bool host_blocklist_has(const struct host_blocklist *s, int64_t trial);

/* A trial got further on the machine: the machine itself is not what was wrong. */
void host_blocklist_further(struct host_blocklist *s);

/* How many different trials failed there without a step since one got further. */
int host_blocklist_failed_early(const struct host_blocklist *s);

#endif
