/* What the store's own files know of studies. */
#ifndef SWEEP_TRIALS_STUDY_ROWS_H
#define SWEEP_TRIALS_STUDY_ROWS_H

#include "sweep/trials/study.h"
#include "sweep/trials/trials_internal.h"

/* Writes the rows {table: [{column: value},...]} in json. What a row does not say, the object
 * `fill` does. Rows with the same primary key get the new values of the columns that are named.
 * INTERNAL for a key that is no column. */
enum status store_keep_rows(struct store *s, const char *table, const char *json, const char *fill,
                            struct message *m);

/* The rows that a trial measured as it was trained, out of its result (sweep/worker/result.h). */
enum status store_keep_measures(struct store *s, int64_t trial_id, const char *result,
                                struct message *m);

/* The rows of a study's answer; t: the first trial that was asked. */
enum status store_keep_answer(struct store *s, const char *answer, const struct study_trial *t,
                              struct message *m);

/* Removes all that studies found out about a trial if any of it is from other weights than these.
 * NULL: whatever it is from. */
enum status store_forget_answers(struct store *s, int64_t trial_id, const char *but_from,
                                 struct message *m);

#endif
