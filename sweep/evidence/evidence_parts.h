/* What the files of evidence.h share:
 *
 *   evidence.c          all of it: what the sweep asks, what its trials were tested on, what each
 *                       head count chose, what settings have in common
 *   evidence_trials.c   settings, head counts, trials
 *   evidence_confirm.c  whether its claim was first; what was written down to be confirmed, and its
 *                       trials on fresh seeds
 *   evidence_between.c  which settings are held against each other */
#ifndef SWEEP_EVIDENCE_EVIDENCE_PARTS_H
#define SWEEP_EVIDENCE_EVIDENCE_PARTS_H

#include "sweep/evidence/evidence.h"

/* While settings are in the order of their texts; NULL: there is none. */
struct evidence_setting *evidence_find(struct evidence *e, const char *setting);

/* Leaves the settings in the order of their texts. */
void evidence_read_trials(struct scope *x, struct evidence *e);
/* Once the trials are there. */
void evidence_read_confirm(struct scope *x, struct evidence *e);

/* Gives the input of what is confirmed its trials, once these stay where they are. */
void evidence_bind_confirm(const struct evidence *e, struct evidence_setting *set);

#endif
