/* What host.c, host_launch.c and host_deadlines.c share; nobody else includes this. */
#ifndef SWEEP_HOSTS_HOST_INTERNAL_H
#define SWEEP_HOSTS_HOST_INTERNAL_H

#include "sweep/hosts/host.h"

/* Starts the launcher and its pipes. On failure nothing is left open. */
enum status host_spawn(struct host *h, struct message *m);

/* At a time, of what one host says: the others, and the results file, are not to wait for one that
 * floods. */
enum { HOST_READS_MAX = 16 };

/* Keeps the last of what the launcher, or the shell over there, has to say. */
void host_read_errors(struct host *h);

/* The last line of it that says something; "" where there is none. */
const char *host_last_words(struct host *h);

/* The line of it that says that all was killed for memory, in Slurm's words; NULL where none does.
 * To be called after host_last_words. */
const char *host_memory_words(struct host *h);

void host_close_fd(int *fd);

/* ---- host_deadlines.c ---- */

/* Seconds between two beats. */
double host_beat_s(const struct host *h);

/* Its launcher has been started: nothing is owed. */
void host_clock_start(struct host *h, double now);

/* Lets the clock run on by the time since the last call, of which only so much counts as this
 * process can have been awake. */
void host_clock_run(struct host *h, double now);

/* Its state is another now. */
void host_enter(struct host *h, enum host_state state);

/* A START goes to that slot; NO_MEMORY. Or the slot's worker is to end, by what it was told or by
 * what it said. */
enum status host_lane_asked(struct host *h, int slot, struct message *m);
void host_lane_leaves(struct host *h, int slot);

/* A frame has come about that slot: SPAWNED, RUNS, ENDED or a worker's message. False where that
 * cannot be. unstarted: of ENDED. */
bool host_lane_heard(struct host *h, int slot, uint32_t type, bool unstarted);

enum host_due {
    HOST_DUE_NOTHING,
    HOST_DUE_SIGN,  /* it has been silent for too long: it, or what is in between, is gone */
    HOST_DUE_ANSWER /* it is there, and owes what it should have said by now */
};

/* What is overdue; `why` then says it. */
enum host_due host_overdue(const struct host *h, char *why, size_t size);

#endif
