/* A pool of worker processes, each of which answers one job and ends: what a study asks takes from
 * a tenth of a second to minutes, and starting a process with OpenBLAS 20 ms, so that a process of
 * its own is cheap for every job; its CPU time is known, its memory goes with it, and whatever
 * becomes of it concerns this job alone.
 *
 * The worker sends its answer in pieces (WIRE_ANSWER) and ends with status 0; until then the answer
 * does not count. One that gives no sign of life is ended (sweep/worker/watch.h). */
#ifndef SWEEP_STUDY_WORKER_POOL_H
#define SWEEP_STUDY_WORKER_POOL_H

#include <stdbool.h>

#include "engine/base/status.h"

enum { WORKER_POOL_ANSWER_MAX = 256 << 20 /* bytes */ };

/* How a job ended. Texts live as long as the call that gets them. */
struct worker_pool_ending {
    const char *answer; /* NULL: it failed */
    const char *error;  /* of one that failed: why */
    double cpu_s;
};

struct worker_pool_jobs {
    const char *verb; /* the hidden command that a worker is (process_spawn) */
    int workers, jobs;
    void *context;
    /* The text of job i, malloced. Anything but OK ends the pool. */
    enum status (*text)(void *context, int i, char **text, struct message *m);
    /* Job i begins in slot 0..workers-1. */
    void (*begins)(void *context, int i, int slot);
    /* Job i has ended. Anything but OK ends the pool. Workers go on meanwhile. */
    enum status (*ends)(void *context, int i, int slot, const struct worker_pool_ending *e,
                        struct message *m);
    /* Called a few times a second. */
    void (*turns)(void *context);
};

/* Runs all jobs in their order, as many at once as there are workers. Between stop_install and
 * stop_restore (sweep/worker/stop.h): at a signal the jobs that run are dropped, and the answer is
 * INTERRUPTED. Other failures: what `text` and `ends` say, or that no worker can be started; jobs
 * that run are dropped then, too. */
enum status worker_pool_run(const struct worker_pool_jobs *p, struct message *m);

#endif
