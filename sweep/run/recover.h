/* What a coordinator finds when it starts: trials that a predecessor left running. */
#ifndef SWEEP_RUN_RECOVER_H
#define SWEEP_RUN_RECOVER_H

#include "sweep/trials/trials.h"

struct recovered {
    int finished; /* they had a durable result, now recorded */
    int resumed;  /* queued again, resume from their newest checkpoint */
    int again;    /* queued again, without one: they start from step 0 */
    int alive; /* their worker was still alive after a short wait; it cannot harm its successor */
};

/* Under the database's lock: every running trial is finished from its durable, valid result or
 * queued again as lost, and counted in r, which the caller zeroed. After BUSY it may be called
 * again for the rest. */
enum status recover_trials(struct store *s, struct recovered *r, struct message *m);

#endif
