/* How far a head looks: the mean over rows of |i-j| under the attention weights. */
#include "engine/measures/rows.h"

static const struct measure_column columns[] = {
    {"distance", "mean distance between a query and its keys, by their weights"},
    {0},
};

static double distance(const real *w, long T, long i, int32_t keys)
{
    (void)keys;
    double sum = 0;
    for (long j = 0; j < T; j++)
        sum += (double)w[j] * (double)(i > j ? i - j : j - i);
    return sum;
}

static void add(const struct measure_view *v, double *sum)
{
    rows_add(v, sum, 1, distance);
}

const struct measure measure_distance = {
    .level = MEASURE_HEAD,
    .needs = MEASURE_WEIGHTS,
    .columns = columns,
    .kept = rows_kept,
    .add = add,
    .value = rows_mean,
};
