/* The trials that failed, part of `headcount show`. */
#ifndef SWEEP_CLI_SHOW_FAILED_H
#define SWEEP_CLI_SHOW_FAILED_H

#include "sweep/report/table.h"

/* The attempts of trial ?1: a query, and its columns in a table. */
extern const struct table_column show_attempt_columns[];
extern const char show_attempt_sql[];

/* The trials of a sweep's plan that failed or diverged, with all of their attempts. As text those
 * that ended with the same error, but for numbers in it, stand together below it; as JSON an array
 * of trials, by trial_id. */
void show_failed(struct scope *x, int64_t sweep_id, bool json);

#endif
