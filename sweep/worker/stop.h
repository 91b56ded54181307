/* Signals of the coordinator. Handlers only count and wake the event loop through a pipe. */
#ifndef SWEEP_WORKER_STOP_H
#define SWEEP_WORKER_STOP_H

#include <stdbool.h>

#include "engine/base/status.h"

/* The process ends STOP_WITHIN_S seconds after the first request to stop, whatever holds it up (a
 * disk that does not answer, a terminal that takes no output), with exit status STOP_FORCED. Work
 * in progress is lost as after a SIGKILL, and the next run recovers from it. STOP_FORCED is what
 * cli/command.h calls EXIT_RESUMABLE. */
enum { STOP_WITHIN_S = 10, STOP_FORCED = 75 };

/* From now on SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGXCPU (`ulimit -t`) ask to stop, SIGCHLD
 * wakes, SIGPIPE and SIGXFSZ are ignored. SIGINT and SIGHUP stay ignored where they were (`&` in a
 * script, nohup). SIGHUP, SIGUSR1 and SIGXCPU count once only: kernel and
 * shell both report a terminal that has gone, and batch systems and the kernel repeat their
 * warning; none of these means impatience. */
enum status stop_install(struct message *m);
/* Puts back the handlers that were there before. */
void stop_restore(void);

int stop_wake_fd(void);  /* readable when something happened */
void stop_drain(void);   /* empties it */
int stop_requests(void); /* how many requests to stop have come */
int stop_signal(void);   /* the signal of the last one */

/* Whether one has come: for store_stop_when, whose context it does not look at. */
bool stop_asked(void *context);

#endif
