/* What is said of a trial's state and of the reason for it. */
#include "sweep/run/forecast.h"

static const char *const reasons[FORECAST_STATES] = {
    [FORECAST_NEW] = "not in the results file yet",
    [FORECAST_QUEUED] = "queued; resumes from its checkpoint if it has one",
    [FORECAST_RUNNING] = "running, or to be resumed if its run was killed",
    [FORECAST_COMPLETED] = "done: its result is kept",
    [FORECAST_DIVERGED] = "diverged: that is its result",
    [FORECAST_FAILED] = "failed too often; --retry-failed tries again",
    [FORECAST_NOT_NEEDED] = "tuning chooses another setting for its head count",
    [FORECAST_ELSEWHERE] = "of other shards",
};

const char *forecast_name(enum forecast_state s)
{
    if (s == FORECAST_ELSEWHERE)
        return "elsewhere";
    return s == FORECAST_NEW ? "new" : trial_state_name((enum trial_state)(s - FORECAST_QUEUED));
}

const char *forecast_reason(enum forecast_state s, enum forecast_note note, bool retry_failed)
{
    if (s == FORECAST_FAILED && note == FORECAST_LIMITED)
        return retry_failed ? "stopped by a limit, will be resumed"
                            : "stopped by a limit; --retry-failed resumes it";
    if (s == FORECAST_FAILED && retry_failed)
        return "failed, will be tried again";
    if (note == FORECAST_RUNG)
        return s == FORECAST_NOT_NEEDED ? "eliminated at a rung" : "waits at a rung for the others";
    if (note == FORECAST_CHOICE)
        return "runs if tuning chooses its setting";
    if (note == FORECAST_CONFIRM)
        return s == FORECAST_NOT_NEEDED ? "on fresh seeds, but no claim names its head count"
                                        : "on fresh seeds, to confirm what was found";
    if (note == FORECAST_LOOK)
        return s == FORECAST_NOT_NEEDED ? "an earlier look decided"
                                        : "runs if an earlier look does not decide";
    return reasons[s];
}
