/* A worker's own ends of the pipes that process.h made, the same for every kind of worker. */
#ifndef SWEEP_WORKER_WORKER_ENDS_H
#define SWEEP_WORKER_WORKER_ENDS_H

#include "sweep/worker/wire.h"

/* The first thing a worker does: its process gets its name, the signals that a terminal sends to
 * the whole group are left to the coordinator, who says SIGTERM when it is time to stop, and every
 * heartbeat (engine/base/heartbeat.h) is passed on as WIRE_ALIVE, twice a second at most. */
void worker_begin(void);

/* Reads the job to its end, and closes the descriptor. size: of text, at least WIRE_JOB_MAX.
 * BAD_INPUT where there is none: somebody typed the hidden command `verb`. */
enum status worker_read_job(const char *verb, char *text, size_t size, struct message *m);

/* How many threads this worker may use now: at least 1. */
int worker_threads(void);

/* Says something. Nobody may be there any more (worker_is_alone). */
void worker_tell(enum wire_type type, const void *payload, size_t size);

/* Whether the coordinator has gone. Where the system takes a worker along with its coordinator this
 * is never seen; where it does not, the work is another worker's by now. */
bool worker_is_alone(void);

#endif
