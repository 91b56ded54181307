/* The mean over rows of the entropy of the attention weights, as a share of the most it can be, the
 * logarithm of the number of keys that the row sees: 0 for one key, 1 for all alike. A row that
 * sees a single key has no choice and is left out. */
#include "engine/measures/rows.h"

#include <math.h>

static const struct measure_column columns[] = {
    {"entropy", "mean entropy of the attention weights, 0 to 1: all keys alike"},
    {0},
};

static double entropy(const real *w, long T, long i, int32_t keys)
{
    (void)i;
    double sum = 0;
    for (long j = 0; j < T; j++)
        if (w[j] > 0)
            sum -= (double)w[j] * (double)logf((float)w[j]);
    return sum / log(keys);
}

static void add(const struct measure_view *v, double *sum)
{
    rows_add(v, sum, 2, entropy);
}

const struct measure measure_entropy = {
    .level = MEASURE_HEAD,
    .needs = MEASURE_WEIGHTS,
    .columns = columns,
    .kept = rows_kept,
    .add = add,
    .value = rows_mean,
};
