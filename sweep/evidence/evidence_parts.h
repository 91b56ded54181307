/* What the files of evidence.h share:
 *
 *   evidence.c          all of it; what the test set has, what settings have in common
 *   evidence_scan.c     the trials of the plan (evidence_scan.h)
 *   evidence_trials.c   settings, head counts, trials
 *   evidence_sweep.c    what the sweep asks: claim, looks, margin; what is outside its plan
 *   evidence_tune.c     what each head count chose, from what
 *   evidence_proof.c    whether its claim was first
 *   evidence_confirm.c  what was written down to be confirmed, and its trials on fresh seeds
 *   evidence_between.c  which settings are held against each other
 *   evidence_file.c     of tasks over a user's file: what is sampled, losses of blocks of a text */
#ifndef SWEEP_EVIDENCE_EVIDENCE_PARTS_H
#define SWEEP_EVIDENCE_EVIDENCE_PARTS_H

#include "sweep/evidence/evidence.h"

/* While settings are in the order of their texts; NULL: there is none. */
struct evidence_setting *evidence_find(struct evidence *e, const char *setting);

void evidence_read_sweep(struct scope *x, struct evidence *e);
void evidence_read_outside(struct scope *x, struct evidence *e);
void evidence_read_changes(struct scope *x, struct evidence *e);
/* Leaves the settings in the order of their texts. */
void evidence_read_trials(struct scope *x, struct evidence *e);
/* Once the trials are there, one after the other. */
void evidence_read_tune(struct scope *x, struct evidence *e);
void evidence_read_confirm(struct scope *x, struct evidence *e);
void evidence_read_file(struct scope *x, struct evidence *e);

/* Gives the input of what is confirmed its trials, once these stay where they are. */
void evidence_bind_confirm(const struct evidence *e, struct evidence_setting *set);

/* What that row of plan_change says of trials like those that decide about its claim. */
struct verdict_similar evidence_similar_of(struct scope *x, int64_t plan_change_id);

#endif
