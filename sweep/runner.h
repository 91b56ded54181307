/* The coordinator: lock, plan, recover, claim, spawn, read, commit, stop. Never calls BLAS. */
#ifndef SWEEP_RUNNER_H
#define SWEEP_RUNNER_H

#include <stdbool.h>

#include "sweep/plan.h"
#include "sweep/store.h"

struct runner_options {
    const char *db;
    int workers;  /* 0: sweep file's, else usable cores */
    bool quiet, retry_failed, replace;
};

enum runner_outcome {
    RUNNER_DONE,        /* nothing left to run */
    RUNNER_SOME_FAILED, /* nothing left, some failed or diverged */
    RUNNER_STOPPED,     /* asked to stop (or disk full); resumable: exit 75 */
    RUNNER_KILLED       /* second signal: exit 128 + signal */
};

struct runner_result {
    enum runner_outcome outcome;
    int signal;
    int64_t sweep_id;
};

/* Runs the sweep of p to its end or to a stop. Progress on stderr. */
enum status runner_run(const struct plan *p, const struct runner_options *o,
                       struct runner_result *r, struct message *m);

/* Cores this process may use: sched_getaffinity and the cgroup's quota, at least 1. */
int runner_usable_cores(void);

#endif
