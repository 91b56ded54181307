/* What tune.extend has added to a sweep, and what it may still add, for a forecast. */
#ifndef SWEEP_RUN_FORECAST_EXTEND_H
#define SWEEP_RUN_FORECAST_EXTEND_H

#include "sweep/run/forecast.h"

/* Adds r, so many times. */
void forecast_add(struct forecast_range *sum, struct forecast_range r, double times);

/* Finds the points whose head count may choose otherwise than the file says, as the values that it
 * chooses from are others now. Before anything is estimated. */
enum status forecast_reopen(const struct plan *p, struct store *s, struct forecast *f,
                            struct message *m);

/* Adds both to what was found for the listed trials. s: NULL where there is no results file. */
enum status forecast_extend(const struct plan *p, struct store *s, bool retry_failed,
                            struct forecast *f, struct message *m);

#endif
