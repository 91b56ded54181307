/* Waiting for one's turn at a results file on which another program holds a lock. */
#ifndef SWEEP_RUN_TURN_H
#define SWEEP_RUN_TURN_H

#include <stdbool.h>

#include "engine/base/status.h"

/* Until a lock that was met when a file is opened is given up. */
enum { TURN_PATIENCE_S = 30 };

struct turn {
    double since_s;    /* since when it is waited; 0: it is not */
    double patience_s; /* INFINITY: until a signal */
    void *context;     /* of say, which tells a person, once, that it is waited */
    void (*say)(void *context, const char *text);
};

/* Looks at what a change of the file answered. True, after a moment, where it was BUSY and is to be
 * tried again; else *s is as it was, or INTERRUPTED where a signal came meanwhile (stop.h). */
bool turn_wait(struct turn *t, enum status *s, struct message *m);

#endif
