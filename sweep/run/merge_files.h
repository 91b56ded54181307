/* The files of trials that are merged from other results files (sweep/merge/merge.h): weights and
 * checkpoints, which are there, durable and under their new names, before a row says so, and the
 * copies of what these trials learn from (sweep/trials/data_file.h). */
#ifndef SWEEP_RUN_MERGE_FILES_H
#define SWEEP_RUN_MERGE_FILES_H

#include "sweep/merge/merge.h"

/* Whether that is the file that is merged into, by whatever name. */
bool merge_is_target(const char *path, const char *into);

/* Opens a results file to be merged, beyond symbolic links, so that its folder is found. *from is
 * NULL where nothing is in it yet. BAD_INPUT where there is none. */
enum status merge_open(const char *path, struct store **from, struct message *m);

struct merge_files;

/* into: what is merged into, kept by the caller. weights: false leaves weights behind. NULL where
 * there is no memory. */
struct merge_files *merge_files_new(struct store *into, bool weights);
void merge_files_free(struct merge_files *f);

/* A merge_mover whose context is a struct merge_files. */
enum status merge_files_note(void *f, struct merge_move *move, struct message *m);

/* Copies all that was noted (file_copy). Each file is opened once, links are not followed, and it
 * is taken only if its header says that it is the result, or a checkpoint, of that trial; as much
 * of it is read as the header says that it has. Weights have to have the SHA-256 that was recorded.
 * Weights that are missing: BAD_INPUT; that are not those that were recorded, or whose result is
 * not what the trial's rows say (store_compare_result): CORRUPT. Rows are held against weights that
 * are left behind, too, where they lie there. INTERRUPTED where a signal came. A checkpoint that is
 * missing is passed over, its trial begins anew. One that is none of its trial is left behind, too,
 * and counted. After a failure merge_files_drop. */
enum status merge_files_bring(struct merge_files *f, struct message *m);

/* How many checkpoints were none. */
long merge_files_left(const struct merge_files *f);

/* Takes away what was brought, where the merge is not committed. */
void merge_files_drop(struct merge_files *f);

#endif
