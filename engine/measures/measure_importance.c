/* I_h = E_x |dL(x)/dxi_h|, xi_h the head's gate, L(x) the mean loss over the unmasked targets of
 * the sequence x; and the same normalised by the L2 norm over the layer's heads (Michel, Levy,
 * Neubig 2019, eq. 2). */
#include "engine/measures/measure.h"

#include <math.h>

enum { IMPORTANCE, NORM, COLUMNS };

static const struct measure_column columns[] = {
    [IMPORTANCE] = {"importance", "mean size of the gradient with respect to the head's gate"},
    [NORM] = {"importance_norm", "the same, with a norm of 1 over the layer's heads"},
    {0},
};

/* (H) sums over sequences, and their number */
static size_t kept(const struct measure_view *v)
{
    return (size_t)v->attention.H + 1;
}

static void add(const struct measure_view *v, double *sum)
{
    long H = v->attention.H;
    for (long b = 0; b < v->attention.B; b++)
        for (long h = 0; h < H; h++)
            sum[h] += fabs(v->gradient[b * H + h]);
    sum[H] += (double)v->attention.B;
}

static void value(const struct measure_view *v, double *sum, double *out)
{
    long H = v->attention.H;
    double squares = 0;
    for (long h = 0; h < H; h++)
        squares += sum[h] * sum[h];
    for (long h = 0; h < H; h++) {
        out[h * COLUMNS + IMPORTANCE] = sum[h] / sum[H];
        out[h * COLUMNS + NORM] = sum[h] / sqrt(squares);
    }
}

const struct measure measure_importance = {
    .level = MEASURE_HEAD,
    .needs = MEASURE_GRADIENTS,
    .columns = columns,
    .kept = kept,
    .add = add,
    .value = value,
};
