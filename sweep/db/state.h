/* The words of the results file that the program acts on: each is an enum, with its texts in one
 * table. rows.h reads them; SQL names them as they are written there. */
#ifndef SWEEP_DB_STATE_H
#define SWEEP_DB_STATE_H

#include <stdbool.h>

/* trial.state; trials/trials.h draws how a trial moves through them. */
enum trial_state {
    TRIAL_QUEUED,
    TRIAL_RUNNING,
    TRIAL_COMPLETED,
    TRIAL_DIVERGED,
    TRIAL_FAILED,
    TRIAL_NOT_NEEDED,
    TRIAL_STATES
};

/* trial.choice: what `tune` has decided about it. */
enum trial_choice { CHOICE_CHOSEN, CHOICE_WAITING, CHOICE_ELIMINATED, TRIAL_CHOICES };

/* attempt.outcome. */
enum attempt_outcome {
    OUTCOME_COMPLETED,
    OUTCOME_DIVERGED,
    OUTCOME_FAILED,
    OUTCOME_REQUEUED,
    ATTEMPT_OUTCOMES
};

/* attempt.cause: why an attempt was requeued. */
enum attempt_cause {
    CAUSE_LOST, /* killed or lost where it ran, or never begun there */
    CAUSE_STOPPED,
    CAUSE_PAUSED,      /* at its rung */
    CAUSE_COORDINATOR, /* the coordinator or its machine went down */
    ATTEMPT_CAUSES
};

const char *trial_state_name(enum trial_state s);
const char *trial_choice_name(enum trial_choice c);
const char *attempt_outcome_name(enum attempt_outcome o);
const char *attempt_cause_name(enum attempt_cause c);

/* The one of that name; false where there is none. */
bool trial_state_find(const char *name, enum trial_state *s);
bool trial_choice_find(const char *name, enum trial_choice *c);

/* Whether a trial in that state has ended: completed, diverged or failed. */
bool trial_state_ended(enum trial_state s);

#endif
