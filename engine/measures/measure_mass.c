/* Who looks where: the mean weight that a head gives to the position which holds a slot's target.
 * Where the model pools, every position is a query (the first alone, where that is the pool). */
#include "engine/measures/measure.h"

static const struct measure_column columns[] = {
    {"mass", "mean attention on the position that holds the slot's target"},
    {0},
};

/* (H,S) sums, then (S) numbers of rows */
static size_t kept(const struct measure_view *v)
{
    return (size_t)((v->attention.H + 1) * v->slots);
}

static void add(const struct measure_view *v, double *sum)
{
    long H = v->attention.H, T = v->attention.T, S = v->slots;
    bool pooled = v->encoder->config.pool != POOL_NONE;
    long queries = v->encoder->config.pool == POOL_FIRST ? 1 : T;
    for (long b = 0; b < v->attention.B; b++)
        for (long i = 0; i < queries; i++) {
            if (v->keys[b * T + i] == 0)
                continue;
            for (long s = 0; s < S; s++) {
                int32_t j = v->sources[(pooled ? b : b * T + i) * S + s];
                if (j < 0)
                    continue;
                for (long h = 0; h < H; h++)
                    sum[h * S + s] += (double)v->weights[((b * H + h) * T + i) * T + j];
                sum[H * S + s]++;
            }
        }
}

static void value(const struct measure_view *v, double *sum, double *out)
{
    long H = v->attention.H, S = v->slots;
    for (long i = 0; i < H * S; i++)
        out[i] = sum[i] / sum[H * S + i % S];
}

const struct measure measure_mass = {
    .level = MEASURE_SLOT,
    .needs = MEASURE_WEIGHTS | MEASURE_SOURCES,
    .columns = columns,
    .kept = kept,
    .add = add,
    .value = value,
};
