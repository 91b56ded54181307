/* The jobs of Slurm that work on a results file, as `headcount status` asks for them. */
#ifndef SWEEP_CLI_STATUS_JOBS_H
#define SWEEP_CLI_STATUS_JOBS_H

#include "sweep/hosts/slurm.h"

struct status_jobs { /* starts as {0} */
    struct slurm_job *job;
    int count;
    bool answered; /* squeue has told of all of them; without, there may be others */
};

/* Asks squeue, for three seconds at most. What goes wrong with that is nobody's concern. */
void status_jobs_ask(struct status_jobs *jobs, const char *db);
void status_jobs_free(struct status_jobs *jobs);

/* Whether a job waits, rather than that it runs (or is about to, or ends). */
bool status_job_waits(const struct slurm_job *job);

/* "Resources", why it waits; "" where Slurm gives no reason. */
const char *status_job_reason(const struct slurm_job *job);

#endif
