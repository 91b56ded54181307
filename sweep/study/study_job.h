/* A study's job as its worker gets it: a record (sweep/worker/fields.h) of study, folder, data,
 * options and the number of trials, and then one for each of the trials. */
#ifndef SWEEP_STUDY_STUDY_JOB_H
#define SWEEP_STUDY_STUDY_JOB_H

#include "sweep/study/study.h"

/* *text is malloced; NULL after a failure. BAD_INPUT where these are too many trials for
 * WIRE_JOB_MAX. */
enum status study_job_text(const struct study *study, const struct study_job *j, char **text,
                           struct message *m);

/* Reads it back; everything j points to is the arena's. BAD_INPUT where it is not what
 * study_job_text wrote. */
enum status study_job_parse(struct arena *a, const char *text, const struct study **study,
                            struct study_job *j, struct message *m);

/* Whether a worker's job is a study's. */
bool study_job_is(const char *text);

/* The life of a worker that has such a job. It sends its answer in pieces and ends with status 0;
 * what went wrong is said in one line on stderr, and its status is 1. */
int study_worker(const char *job);

#endif
