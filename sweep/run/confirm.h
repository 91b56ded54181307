/* confirm: when all exploring trials of a setting have ended, its candidate is written down as a
 * claim, which trials on fresh seeds then decide. */
#ifndef SWEEP_RUN_CONFIRM_H
#define SWEEP_RUN_CONFIRM_H

#include "engine/base/text.h"
#include "sweep/trials/trials.h"

/* Writes down what is to be confirmed of every setting that is due, between store_begin and
 * store_commit, after looks_judge. Adds what that is, a line for people each, to `said`: to be said
 * once it is committed. */
enum status confirm_judge(struct store *s, const struct plan *p, int64_t sweep_id,
                          struct text_buffer *said, struct message *m);

#endif
