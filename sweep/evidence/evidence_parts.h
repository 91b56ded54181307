/* What the files of evidence.h share:
 *
 *   evidence.c          all of it; what the test set has, what settings have in common
 *   evidence_scan.c     the trials of the plan (evidence_scan.h)
 *   evidence_trials.c   settings, head counts, trials
 *   evidence_sweep.c    what the sweep asks: claim, looks, margin; what is outside its plan
 *   evidence_tune.c     what each head count chose, from what
 *   evidence_proof.c    whether its claim was first
 *   evidence_file.c     of tasks over a user's file: what is sampled, losses of blocks of a text */
#ifndef SWEEP_EVIDENCE_EVIDENCE_PARTS_H
#define SWEEP_EVIDENCE_EVIDENCE_PARTS_H

#include "sweep/db/rows.h"
#include "sweep/evidence/evidence.h"

enum status evidence_no_memory(struct message *m);

/* While settings are in the order of their texts; NULL: there is none. */
struct evidence_setting *evidence_find(struct evidence *e, const char *setting);

enum status evidence_read_sweep(struct store *s, struct evidence *e, struct message *m);
enum status evidence_read_outside(struct store *s, struct evidence *e, struct message *m);
enum status evidence_read_changes(struct store *s, struct evidence *e, struct message *m);
/* Leaves the settings in the order of their texts. */
enum status evidence_read_trials(struct store *s, struct evidence *e, struct message *m);
/* Once the trials are there. */
enum status evidence_read_file(struct store *s, struct evidence *e, struct message *m);
enum status evidence_read_tune(struct store *s, struct evidence *e, struct message *m);

#endif
