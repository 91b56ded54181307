/* Threads that share a job: the caller's, and as many others as were asked for and could be
 * started. A job is cut into pieces, which are begun in the order of their numbers, each by whoever
 * is free. Where a piece must not touch something before an earlier one has finished with it, it
 * waits for a count that the other advances: what comes of a job then depends on its pieces alone,
 * not on the number of threads or on who was faster.
 *
 * A thread without work yields its core for some tens of microseconds and then sleeps. A job waits
 * for nobody who has not begun: where the cores are taken, the caller does all of it. The threads
 * take no signals. Their heartbeats (base/heartbeat.h) are counted, and passed on by the caller
 * while it waits for them. */
#ifndef ENGINE_BASE_TEAM_H
#define ENGINE_BASE_TEAM_H

#include <stdatomic.h>

struct team;

enum { TEAM_MAX = 64 }; /* threads */

/* The calling thread alone. NULL: no memory. All functions here but team_await and team_advance are
 * for the thread that made it. */
struct team *team_new(void);

/* Ends the threads. NULL is ignored. */
void team_free(struct team *t);

/* From now on up to `threads` share a job, 1..TEAM_MAX, the caller among them. Returns how many:
 * fewer where no more can be started. Those beyond have ended when it returns. */
int team_set_threads(struct team *t, int threads);

/* Calls work for every piece 0..pieces-1 once, and returns when all have returned. member: who does
 * it, 0 (the caller) up to the number of threads - 1, each one piece at a time. t NULL: the caller
 * alone, in order. */
void team_run(struct team *t, long pieces, void (*work)(void *context, int member, long piece),
              void *context);

/* Within a job: waits until another piece, which began earlier, has advanced *count to at least
 * `least`. What was written before that is seen. */
void team_await(struct team *t, const atomic_int *count, int least);
void team_advance(struct team *t, atomic_int *count, int to);

#endif
