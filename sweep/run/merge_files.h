/* The files of trials that are merged from other results files (sweep/store/merge.h): weights and
 * checkpoints, which are there, durable and under their new names, before a row says so. */
#ifndef SWEEP_RUN_MERGE_FILES_H
#define SWEEP_RUN_MERGE_FILES_H

#include "sweep/store/merge.h"

struct merge_files;

/* folder: where they are to go, kept by the caller. weights: false leaves weights behind. NULL
 * where there is no memory. */
struct merge_files *merge_files_new(const char *folder, bool weights);
void merge_files_free(struct merge_files *f);

/* A merge_mover whose context is a struct merge_files. */
enum status merge_files_note(void *f, struct merge_move *move, struct message *m);

/* Brings all that was noted, as hard links or, on another file system, as copies, and syncs them.
 * What lies there from a merge that was cut off and is the same stays. A checkpoint that is missing
 * is passed over: its trial begins anew. Weights that are missing or not those that were recorded:
 * BAD_INPUT, CORRUPT. After a failure merge_files_drop. */
enum status merge_files_bring(struct merge_files *f, struct message *m);

/* Takes away what was brought, where the merge is not committed. */
void merge_files_drop(struct merge_files *f);

#endif
