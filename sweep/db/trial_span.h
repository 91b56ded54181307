/* How the trials of a sweep lie in a results file. */
#ifndef SWEEP_DB_TRIAL_SPAN_H
#define SWEEP_DB_TRIAL_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/status.h"

struct store;

/* All trials of the sweep, those outside its plan too. */
struct trial_span {
    int64_t count, least, most; /* least, most: trial_id; 0 without trials */
};

/* From the index of sweeps alone. Fails as rows_ask. */
enum status trial_span_read(struct store *s, int64_t sweep_id, struct trial_span *span,
                            struct message *m);

/* Whether a walk along the table from the first to the last meets few trials of other sweeps. Then
 * it is the quickest way; else their numbers are to be taken from the index. */
bool trial_span_dense(const struct trial_span *span);

#endif
