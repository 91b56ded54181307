/* The coordinator: lock, plan, recover, claim, spawn, listen, commit, stop. It is the only writer
 * of the results file and never calls a BLAS product.
 *
 * One loop around poll(): it reads the workers' messages as they arrive and keeps a list of the
 * attempts that have ended; then one transaction writes these endings, live rows of the curves, and
 * the claims for the slots that became free. While another program holds a lock on the file, the
 * transaction is rolled back and tried again later; the list is kept and the pipes are still read,
 * so training never waits for the file.
 *
 * Environment, for tests: HEADCOUNT_CHECKPOINT_S, seconds between checkpoints (default 10);
 * HEADCOUNT_SILENCE_S (watch.h); HEADCOUNT_FREE_MIB (memory_budget.h). */
#ifndef SWEEP_RUN_RUNNER_H
#define SWEEP_RUN_RUNNER_H

#include <stdbool.h>

#include "sweep/hosts/crew.h"
#include "sweep/plan/plan.h"
#include "sweep/trials/trials.h"

struct runner_options {
    const char *db;
    int workers; /* of each machine; 0: the sweep file's number, else all usable cores */
    bool quiet, retry_failed, replace;
    bool no_copy; /* of files that trials learn from */
    struct crew_options crew;
    const char *const *from; /* (froms): files whose trials are taken over */
    int froms, froms_named;  /* of the first ones a person wants to know that they have none */
    /* Called when the plan is in the file, before the first trial starts; NULL: nobody asks. */
    void (*begun)(void *context, int64_t sweep_id);
    void *context;
};

enum runner_outcome {
    RUNNER_DONE,        /* nothing left to run */
    RUNNER_SOME_FAILED, /* nothing left to run, some trials failed or diverged */
    RUNNER_STOPPED,     /* asked to stop, or disk full; resumable: exit 75 */
    RUNNER_KILLED       /* second signal: exit 128 + signal */
};

struct runner_result {
    enum runner_outcome outcome;
    int signal;
    int64_t sweep_id;
    bool ran;              /* at least one trial was started */
    long trials;           /* of the plan; 0: the file could not be asked */
    long failed, diverged; /* those that are so at the end */
    long ended, half_done; /* half done: queued, with a checkpoint to resume from */
    char looks[256];       /* how far they are (looks_words); "" without */
};

/* Runs the sweep of p to its end or to a stop. Progress and notes on stderr. */
enum status runner_run(const struct plan *p, const struct runner_options *o,
                       struct runner_result *r, struct message *m);

#endif
