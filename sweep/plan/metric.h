/* The metric by which a sweep chooses the best step of each trial and, under `tune`, the setting.
 */
#ifndef SWEEP_PLAN_METRIC_H
#define SWEEP_PLAN_METRIC_H

#include <stdbool.h>

enum metric { METRIC_VAL_ACC, METRIC_VAL_LOSS, METRICS };

const char *metric_name(enum metric m); /* "val_acc": as in sweep files and column `metric` */
const char *metric_goal(enum metric m); /* "maximize" or "minimize", as in column `goal` */

/* The metric of that name; false where there is none. */
bool metric_find(const char *name, enum metric *m);

/* Its value at a step with this validation accuracy and loss. */
double metric_value(enum metric m, double acc, double loss);

/* The cost of a step with this validation accuracy and loss; the best step has the lowest. */
double metric_cost(enum metric m, double acc, double loss);

#endif
