#include "sweep/plan/metric.h"

#include <string.h>

static const struct {
    const char *name, *goal;
} metrics[METRICS] = {
    [METRIC_VAL_ACC] = {"val_acc", "maximize"},
    [METRIC_VAL_LOSS] = {"val_loss", "minimize"},
};

const char *metric_name(enum metric m)
{
    return metrics[m].name;
}

const char *metric_goal(enum metric m)
{
    return metrics[m].goal;
}

bool metric_find(const char *name, enum metric *m)
{
    for (int i = 0; i < METRICS; i++)
        if (strcmp(metrics[i].name, name) == 0) {
            *m = (enum metric)i;
            return true;
        }
    return false;
}

double metric_value(enum metric m, double acc, double loss)
{
    return m == METRIC_VAL_LOSS ? loss : acc;
}

double metric_cost(enum metric m, double acc, double loss)
{
    double value = metric_value(m, acc, loss);
    return m == METRIC_VAL_LOSS ? value : -value;
}
