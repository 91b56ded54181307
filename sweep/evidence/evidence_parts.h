/* What the files of evidence.h share:
 *
 *   evidence.c          all of it: what the sweep asks, what each head count chose
 *   evidence_trials.c   its trials, settings and arms
 *   evidence_claims.c   how the plan and its claims came to be: whether a claim was first, what was
 *                       written down to be confirmed
 *   evidence_between.c  which settings are held against each other */
#ifndef SWEEP_EVIDENCE_EVIDENCE_PARTS_H
#define SWEEP_EVIDENCE_EVIDENCE_PARTS_H

#include "sweep/evidence/evidence.h"

/* While settings are in the order of their texts; NULL: there is none. */
struct evidence_setting *evidence_find(struct evidence *e, const char *setting);

/* The settings of which trials explore, in the order of their texts. */
void evidence_read_trials(struct scope *x, struct evidence *e);

/* The claim of the sweep file, of head counts or of settings, and whether it was first; what
 * changed the plan. */
void evidence_read_claim(struct scope *x, struct evidence *e);
void evidence_read_changes(struct scope *x, struct evidence *e);

/* Once the settings are there: what was claimed of each when its exploring trials had ended. */
void evidence_read_confirm(struct scope *x, struct evidence *e);

#endif
