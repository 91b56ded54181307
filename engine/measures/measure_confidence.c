/* The mean over rows of the largest attention weight (Voita et al. 2019, section 4). */
#include "engine/measures/rows.h"

static const struct measure_column columns[] = {
    {"confidence", "mean largest attention weight"},
    {0},
};

static double largest(const real *w, long T, long i, int32_t keys)
{
    (void)i, (void)keys;
    enum { LANES = 8 };
    real lane[LANES] = {0}, most = 0;
    long j = 0;
    for (; j + LANES <= T; j += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] = w[j + k] > lane[k] ? w[j + k] : lane[k];
    for (; j < T; j++)
        most = w[j] > most ? w[j] : most;
    for (int k = 0; k < LANES; k++)
        most = lane[k] > most ? lane[k] : most;
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
