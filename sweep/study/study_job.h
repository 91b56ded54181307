/* A study's job as its worker gets it, JSON on one line:
 *
 *     {"study":"heads","folder":"results/headcount.db.d","options":{"on":"val"},
 *      "data":"/home/me/corpus.txt",
 *      "trials":[{"trial_id":1,"sweep_id":1,"best_step":1500,"file":"t1-a1.result","sha256":"...",
 *                 "config_sha256":"...","seed":0,"n_params":12256,"heads":4,"layers":1,
 *                 "val_acc":0.998,"test_acc":0.997,"setting":"{}"},...]}
 *
 * The folder's name may be of any bytes: json_add_bytes. */
#ifndef SWEEP_STUDY_STUDY_JOB_H
#define SWEEP_STUDY_STUDY_JOB_H

#include "sweep/study/study.h"

/* *text is malloced. BAD_INPUT where these are too many trials for WIRE_JOB_MAX. */
enum status study_job_text(const struct study *study, const struct study_job *j, char **text,
                           struct message *m);

/* Reads it back; everything j points to is the arena's. INTERNAL where it is not what
 * study_job_text wrote. */
enum status study_job_parse(struct arena *a, const char *text, const struct study **study,
                            struct study_job *j, struct message *m);

#endif
