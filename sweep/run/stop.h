/* Signals of the coordinator. Handlers only count and wake the event loop through a pipe. */
#ifndef SWEEP_RUN_STOP_H
#define SWEEP_RUN_STOP_H

#include "engine/base/status.h"

/* From now on SIGINT, SIGTERM, SIGHUP, SIGUSR1 ask to stop, SIGCHLD wakes, SIGPIPE and SIGXFSZ are
 * ignored. SIGHUP and SIGUSR1 count once only: kernel and shell both tell that a terminal has gone,
 * and batch systems repeat their warning; neither means impatience. */
enum status stop_install(struct message *m);
/* What was before. */
void stop_restore(void);

int stop_wake_fd(void);  /* readable when something happened */
void stop_drain(void);   /* empties it */
int stop_requests(void); /* how often a stop was asked for */
int stop_signal(void);   /* by which signal last */

#endif
