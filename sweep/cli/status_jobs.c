#include "sweep/cli/status_jobs.h"

#include <stdlib.h>
#include <string.h>

void status_jobs_ask(struct status_jobs *jobs, const char *db)
{
    enum { PATIENCE_MS = 3000 };
    struct message ignored;
    slurm_jobs_within(db, PATIENCE_MS, &jobs->job, &jobs->count, &jobs->answered, &ignored);
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
