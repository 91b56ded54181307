/* The coordinator: lock, plan, recover, claim, spawn, listen, commit, stop. It is the only writer
 * of the results file and never calls a BLAS product.
 *
 * One loop around poll(): messages of workers are taken as they come; what has ended since is kept
 * as a list of endings; endings, live curve rows and the claims for the slots that became free go
 * into one transaction. If the file is locked by somebody else, the transaction is given up, the
 * list stays, the pipes are drained on, and it is tried again: training never waits for the file.
 *
 * Environment, for tests: HEADCOUNT_CHECKPOINT_S, seconds between checkpoints (default 10). */
#ifndef SWEEP_RUN_RUNNER_H
#define SWEEP_RUN_RUNNER_H

#include <stdbool.h>

#include "sweep/plan/plan.h"
#include "sweep/store/store.h"

struct runner_options {
    const char *db;
    int workers; /* 0: the sweep file's number, else all usable cores */
    bool quiet, retry_failed, replace;
};

enum runner_outcome {
    RUNNER_DONE,        /* nothing left to run */
    RUNNER_SOME_FAILED, /* nothing left, some failed or diverged */
    RUNNER_STOPPED,     /* asked to stop, or disk full; resumable: exit 75 */
    RUNNER_KILLED       /* second signal: exit 128 + signal */
};

struct runner_result {
    enum runner_outcome outcome;
    int signal;
    int64_t sweep_id;
    bool ran;    /* at least one trial was started */
    long failed; /* trials of the sweep that are failed at the end */
};

/* Runs the sweep of p to its end or to a stop. Progress and notes on stderr. */
enum status runner_run(const struct plan *p, const struct runner_options *o,
                       struct runner_result *r, struct message *m);

#endif
