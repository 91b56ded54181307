/* What `headcount submit` hands to Slurm, or shows. */
#ifndef SWEEP_CLI_SUBMIT_JOBS_H
#define SWEEP_CLI_SUBMIT_JOBS_H

#include "sweep/cli/batch.h"

struct submit_manner {
    bool dry_run;  /* a script for the shell on stdout, and nothing is submitted */
    bool parsable; /* on stdout only the number of the last job */
    bool wait;     /* until the last job has ended */
};

/* Submits the jobs of a sweep with so many trials, the last of which leaves its results file whole
 * where it succeeds. What works on that file already is waited for: r->after is set. *exit_status:
 * the last job's own where it is waited for, EXIT_SOME_FAILED where the job that merges was
 * refused; else EXIT_DONE. */
enum status submit_jobs(struct batch_request *r, long trials, const struct submit_manner *how,
                        int *exit_status, struct message *m);

#endif
