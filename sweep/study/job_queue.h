/* Many jobs, each answered by a worker of its own (sweep/worker/worker_pool.h): what a study asks
 * takes from a tenth of a second to minutes.
 *
 * The worker sends its answer in pieces (WIRE_ANSWER) and ends with status 0; until then the answer
 * does not count. One that gives no sign of life is ended (sweep/worker/watch.h). */
#ifndef SWEEP_STUDY_JOB_QUEUE_H
#define SWEEP_STUDY_JOB_QUEUE_H

#include "engine/base/status.h"

enum { JOB_ANSWER_MAX = 256 << 20 /* bytes */ };

/* How a job ended. Texts live as long as the call that gets them. */
struct job_ending {
    const char *answer; /* NULL: it failed */
    const char *error;  /* of one that failed: why */
    double cpu_s;
};

struct job_queue {
    const char *verb; /* the hidden command that a worker is (process_spawn) */
    int workers, jobs;
    int cores; /* that may be used: those that are idle go to the workers that run */
    void *context;
    /* The text of job i, malloced. Anything but OK ends it all. */
    enum status (*text)(void *context, int i, char **text, struct message *m);
    /* Job i begins in slot 0..workers-1. */
    void (*begins)(void *context, int i, int slot);
    /* Job i has ended. Anything but OK ends it all. Workers go on meanwhile. */
    enum status (*ends)(void *context, int i, int slot, const struct job_ending *e,
                        struct message *m);
    /* Called a few times a second. */
    void (*turns)(void *context);
};

/* Runs all jobs in their order, as many at once as there are workers. Between stop_install and
 * stop_restore (sweep/worker/stop.h): at a signal the jobs that run are dropped, and the answer is
 * INTERRUPTED. Other failures: what `text` and `ends` say, or that no worker can be started; jobs
 * that run are dropped then, too. */
enum status job_queue_run(const struct job_queue *q, struct message *m);

#endif
