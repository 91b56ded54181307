/* What a sweep judges its trials by: the best step of each, and the choice under `tune`. */
#ifndef SWEEP_PLAN_METRIC_H
#define SWEEP_PLAN_METRIC_H

#include <stdbool.h>

enum metric { METRIC_VAL_ACC, METRIC_VAL_LOSS, METRICS };

const char *metric_name(enum metric m); /* "val_acc": as in sweep files and column `metric` */
const char *metric_goal(enum metric m); /* "maximize" or "minimize", as in column `goal` */

/* The metric of that name; false where there is none. */
bool metric_find(const char *name, enum metric *m);

/* The number that the best step minimizes, from what validation found at a step. */
double metric_cost(enum metric m, double acc, double loss);

#endif
