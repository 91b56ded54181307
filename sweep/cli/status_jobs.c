#include "sweep/cli/status_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"

void status_jobs_ask(struct status_jobs *jobs, const char *db)
{
    enum { PATIENCE_MS = 3000, EVERY_S = 10, UNANSWERED_EVERY_S = 60 };
    struct message ignored;
    double now_s = clock_now_s();
    if (jobs->asked_s > 0 &&
        now_s - jobs->asked_s < (jobs->answered ? EVERY_S : UNANSWERED_EVERY_S))
        return;
    status_jobs_free(jobs);
    slurm_jobs_within(db, PATIENCE_MS, &jobs->job, &jobs->count, &jobs->answered, &ignored);
    jobs->asked_s = now_s;
}

void status_jobs_free(struct status_jobs *jobs)
{
    free(jobs->job);
    *jobs = (struct status_jobs){0};
}

bool status_job_waits(const struct slurm_job *job)
{
    static const char *const states[] = {"PENDING",     "REQUEUED",     "REQUEUE_HOLD",
                                         "REQUEUE_FED", "SPECIAL_EXIT", "SUSPENDED",
                                         "STOPPED",     "RESV_DEL_HOLD"};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(job->state, states[i]) == 0)
            return true;
    return false;
}

const char *status_job_reason(const struct slurm_job *job)
{
    return strcmp(job->reason, "None") == 0 ? "" : job->reason;
}
