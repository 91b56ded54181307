/* The mean over rows of the largest attention weight (Voita et al. 2019, section 4). */
#include "engine/measures/rows.h"

static const struct measure_column columns[] = {
    {"confidence", "mean largest attention weight"},
    {0},
};

static double largest(const real *w, long T, long i, int32_t keys)
{
    (void)i, (void)keys;
    real most = 0;
    for (long j = 0; j < T; j++)
        most = w[j] > most ? w[j] : most;
    return (double)most;
}

static void add(const struct measure_view *v, double *sum)
{
    rows_add(v, sum, 1, largest);
}

const struct measure measure_confidence = {
    .level = MEASURE_HEAD,
    .needs = MEASURE_WEIGHTS,
    .columns = columns,
    .kept = rows_kept,
    .add = add,
    .value = rows_mean,
};
