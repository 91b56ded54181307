/* A study's worker: the program itself, started by study_run as `headcount study-worker` with a job
 * (study_job.h). It sends its answer in pieces and ends with status 0; what went wrong is said in
 * one line on stderr, and its status is 1. */
#ifndef SWEEP_STUDY_STUDY_WORKER_H
#define SWEEP_STUDY_STUDY_WORKER_H

#define STUDY_WORKER "study-worker"

/* The whole life of the worker process; returns its exit status. */
int study_worker_main(void);

#endif
