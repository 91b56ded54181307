/* The mean over rows of the entropy of the attention weights, as a share of the most it can be, the
 * logarithm of the number of keys that the row sees: 0 for one key, 1 for all alike. A row that
 * sees a single key has no choice and is left out. */
#include "engine/measures/rows.h"

#include <string.h>

static const struct measure_column columns[] = {
    {"entropy", "mean entropy of the attention weights, 0 to 1: all keys alike"},
    {0},
};

/* -w log w to 1e-7, for w in [0,1], with no call and no branch, so that it becomes vectors: w = 2^e
 * m with m in [1/sqrt 2, sqrt 2), and log m = 2 atanh s, s = (m-1)/(m+1), |s| < .172, by its
 * series. */
static inline float surprise(float w, float distance)
{
    (void)distance;
    const int32_t root_half = 0x3f3504f3; /* the bits of 1/sqrt 2 */
    float at_least = w > 1e-30f ? w : 1e-30f, m;
    int32_t bits;
    memcpy(&bits, &at_least, sizeof bits);
    int32_t e = (bits - root_half) >> 23;
    bits -= e * (1 << 23);
    memcpy(&m, &bits, sizeof m);
    float s = (m - 1) / (m + 1), square = s * s;
    float series = 1 + square * (1.f / 3 + square * (1.f / 5 + square * (1.f / 7 + square / 9)));
    return -w * ((float)e * 0.693147181f + 2 * s * series);
}

static double entropy(const real *w, long T, long i, int32_t keys)
{
    return rows_sum(w, T, i, surprise) / log(keys);
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
