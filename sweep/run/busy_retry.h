/* Waits for a results file on which another program holds a lock. */
#ifndef SWEEP_RUN_BUSY_RETRY_H
#define SWEEP_RUN_BUSY_RETRY_H

#include <stdbool.h>

#include "engine/base/status.h"

/* How long to wait for a lock that is met when a file is opened. */
enum { BUSY_TIMEOUT_S = 30 };

struct busy_retry {
    double since_s;   /* when the waiting began; 0: nobody waits */
    double timeout_s; /* INFINITY: until a signal */
    void *context;    /* of say, which tells a person, once, what is waited for */
    void (*say)(void *context, const char *text);
};

/* *s: how a change of the file went. Where it is BUSY, waits a moment and returns true: the change
 * is to be tried again. Else false; *s is as it was, or INTERRUPTED where a signal came meanwhile
 * (stop.h). */
bool retry_while_busy(struct busy_retry *t, enum status *s, struct message *m);

#endif
