/* How different the heads are: the similarities of engine/kernels/similarity.h, negated, as means
 * over positions and sequences. A layer of one head has none. */
#include "engine/kernels/similarity.h"
#include "engine/measures/measure.h"

enum { SUBSPACE, POSITION, OUTPUT, COLUMNS };

static const struct measure_column columns[] = {
    [SUBSPACE] = {"disagreement_subspace", "minus the mean cosine between the values of two heads"},
    [POSITION] = {"disagreement_position", "minus the mean overlap of the weights of two heads"},
    [OUTPUT] = {"disagreement_output", "minus the mean cosine between the outputs of two heads"},
    {0},
};

/* (COLUMNS) sums over positions, their number, and room to work in */
static size_t kept(const struct measure_view *v)
{
    return (size_t)(COLUMNS + 1 + similarity_scratch(&v->attention));
}

static void add(const struct measure_view *v, double *sum)
{
    const struct attention *a = &v->attention;
    double *scratch = sum + COLUMNS + 1;
    for (long b = 0; b < a->B && a->H > 1; b++)
        for (long t = 0; t < a->T; t++) {
            long at = b * a->T + t;
            if (v->keys[at] == 0)
                continue;
            const real *values = v->qkv + at * attention_row(a) + attention_value_column(a, 0);
            const real *weights = v->weights + (b * a->H * a->T + t) * a->T;
            sum[SUBSPACE] += similarity_cosine(a, SIMILARITY_SUBSPACE, values, scratch);
            sum[POSITION] += similarity_weights(a, weights, scratch);
            sum[OUTPUT] +=
                similarity_cosine(a, SIMILARITY_OUTPUT, v->output + at * a->H * a->d_v, scratch);
            sum[COLUMNS]++;
        }
}

static void value(const struct measure_view *v, double *sum, double *out)
{
    (void)v;
    for (int i = 0; i < COLUMNS; i++)
        out[i] = -sum[i] / sum[COLUMNS];
}

const struct measure measure_disagreement = {
    .level = MEASURE_LAYER,
    .needs = MEASURE_WEIGHTS,
    .columns = columns,
    .kept = kept,
    .add = add,
    .value = value,
};
