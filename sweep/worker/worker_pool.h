/* The workers of this process, each in a slot of its own: an agent's. A worker answers one job and
 * ends: starting a process with OpenBLAS takes 20 ms, its CPU time is known, its memory goes with
 * it, and whatever becomes of it concerns this job alone. */
#ifndef SWEEP_WORKER_WORKER_POOL_H
#define SWEEP_WORKER_WORKER_POOL_H

#include "sweep/worker/process.h"

/* Starts as {0}. Slots are numbered from 0, and there as soon as something is started in them. */
struct worker_pool {
    struct process **process; /* (slots); NULL: nothing was started there yet */
    int slots;
    char **environment;
};

/* Starts a worker in a slot where none runs: as process_spawn. */
enum status worker_pool_start(struct worker_pool *w, int slot, const char *job, size_t size,
                              struct message *m);

/* The process number of the worker in the slot; 0: none runs there. */
pid_t worker_pool_pid(const struct worker_pool *w, int slot);
int worker_pool_running(const struct worker_pool *w);

/* Adds the descriptors to listen to, up to 2 for each slot; returns how many. */
int worker_pool_poll(const struct worker_pool *w, struct pollfd *fds);

/* As process_attend, where a worker runs in the slot: how it ended, valid until the slot's next
 * start. NULL: none has just ended there. */
const struct worker_end *worker_pool_attend(struct worker_pool *w, int slot, process_listener said,
                                            void *context);

/* As process_order (to the order's slot), process_stop and process_kill; nothing where none runs
 * there. */
void worker_pool_order(struct worker_pool *w, const struct wire_frame *order);
void worker_pool_stop(struct worker_pool *w, int slot);
void worker_pool_kill(struct worker_pool *w, int slot);

/* Kills those that run, waits for their ends so many seconds at most, and frees what w holds. */
void worker_pool_free(struct worker_pool *w, double patience_s);

#endif
