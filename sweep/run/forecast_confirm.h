/* The trials that `confirm` asks for, for a forecast: those that a results file has, and as many as
 * there may be where nothing is written down yet. */
#ifndef SWEEP_RUN_FORECAST_CONFIRM_H
#define SWEEP_RUN_FORECAST_CONFIRM_H

#include "sweep/run/forecast.h"

/* Adds both to what was found for the listed trials, whose times are known. s: NULL where there is
 * no results file. */
enum status forecast_confirm(const struct plan *p, struct store *s, bool retry_failed,
                             struct forecast *f, struct message *m);

#endif
