#include "sweep/db/state.h"

#include <string.h>

static const struct {
    const char *name;
    bool ended;
} states[TRIAL_STATES] = {
    [TRIAL_QUEUED] = {"queued", false},      [TRIAL_RUNNING] = {"running", false},
    [TRIAL_COMPLETED] = {"completed", true}, [TRIAL_DIVERGED] = {"diverged", true},
    [TRIAL_FAILED] = {"failed", true},       [TRIAL_NOT_NEEDED] = {"not_needed", false},
};
static const char *const choices[TRIAL_CHOICES] = {
    [CHOICE_CHOSEN] = "chosen",
    [CHOICE_WAITING] = "waiting",
    [CHOICE_ELIMINATED] = "eliminated",
};
static const char *const outcomes[ATTEMPT_OUTCOMES] = {
    [OUTCOME_COMPLETED] = "completed",
    [OUTCOME_DIVERGED] = "diverged",
    [OUTCOME_FAILED] = "failed",
    [OUTCOME_REQUEUED] = "requeued",
};
static const char *const causes[ATTEMPT_CAUSES] = {
    [CAUSE_LOST] = "lost",
    [CAUSE_STOPPED] = "stopped",
    [CAUSE_PAUSED] = "paused",
    [CAUSE_COORDINATOR] = "coordinator",
};

const char *trial_state_name(enum trial_state s)
{
    return states[s].name;
}

const char *trial_choice_name(enum trial_choice c)
{
    return choices[c];
}

const char *attempt_outcome_name(enum attempt_outcome o)
{
    return outcomes[o];
}

const char *attempt_cause_name(enum attempt_cause c)
{
    return causes[c];
}

bool trial_state_find(const char *name, enum trial_state *s)
{
    for (int i = 0; i < TRIAL_STATES; i++)
        if (strcmp(states[i].name, name) == 0) {
            *s = (enum trial_state)i;
            return true;
        }
    return false;
}

bool trial_choice_find(const char *name, enum trial_choice *c)
{
    for (int i = 0; i < TRIAL_CHOICES; i++)
        if (strcmp(choices[i], name) == 0) {
            *c = (enum trial_choice)i;
            return true;
        }
    return false;
}

bool trial_state_ended(enum trial_state s)
{
    return states[s].ended;
}
