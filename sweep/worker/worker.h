/* One trial in its own process: the program itself, started by an agent as `headcount worker`, to
 * which its orders and messages go through pipes (wire.h). What it computes: trial.h; its files:
 * trial_files.h. */
#ifndef SWEEP_WORKER_WORKER_H
#define SWEEP_WORKER_WORKER_H

/* Exit statuses of a worker; anything else is a failure of the trial itself. */
enum worker_exit {
    WORKER_FINISHED = 0,
    WORKER_FAILED = 1,
    WORKER_STOPPED = 75, /* checkpointed, as asked */
    WORKER_DISK_FULL = 76,
    WORKER_OVER_MEMORY = 77,
    WORKER_OVER_TIME = 78,
    WORKER_STORAGE = 79, /* a file of the trial, or what it learns from, is not there or damaged */
    WORKER_PAUSED = 80,  /* checkpointed at its rung */
    WORKER_OVER_CPU = 82 /* over no limit of the sweep, but `ulimit -t` of its machine */
};

/* The life of a worker whose job is to train a trial; returns its exit status. What went wrong is
 * said in one line on stderr, which the coordinator keeps. */
int worker_train(const char *job);

#endif
