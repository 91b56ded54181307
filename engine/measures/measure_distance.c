/* How far a head looks: the mean over rows of |i-j| under the attention weights. */
#include "engine/measures/rows.h"

static const struct measure_column columns[] = {
    {"distance", "mean distance between a query and its keys, by their weights"},
    {0},
};

static inline float weighted(float w, float distance)
{
    return w * distance;
}

static double distance(const real *w, long T, long i, int32_t keys)
{
    (void)keys;
    return rows_sum(w, T, i, weighted);
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
