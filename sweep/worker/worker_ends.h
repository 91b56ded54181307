/* A worker's own ends of the pipes that process.h made, the same whatever its job is. */
#ifndef SWEEP_WORKER_WORKER_ENDS_H
#define SWEEP_WORKER_WORKER_ENDS_H

#include "sweep/worker/wire.h"

/* What process_fork started gets its name, and leaves the signals that a terminal sends to the
 * whole group to the coordinator. */
void worker_leave_signals(void);

/* The first thing a worker does: that, and every heartbeat (engine/base/heartbeat.h) is passed on
 * as WIRE_ALIVE, twice a second at most. SIGTERM asks it to stop. */
void worker_begin(void);

/* Waits for the job. size: of text, at least WIRE_JOB_MAX. IO where none comes: somebody typed the
 * hidden command; BAD_INPUT where it is none; NO_MEMORY. */
enum status worker_read_job(char *text, size_t size, struct message *m);

/* How many threads this worker may use now: at least 1. Takes in the orders that have come. */
int worker_threads(void);

/* Says something. Nobody may be there any more (worker_is_alone). */
void worker_tell(enum wire_type type, const void *payload, size_t size);

/* Whether its agent has gone. Where the system takes a worker along with its agent this is never
 * seen; where it does not, the work is another worker's by now. */
bool worker_is_alone(void);

#endif
