/* How many directions the heads' outputs, side by side, really fill: exp of the entropy of the
 * normalised singular values of the matrix of all positions (Roy and Vetterli 2007, definition 1).
 * The singular values are the roots of the eigenvalues of its Gram matrix. */
#include "engine/kernels/blas.h"
#include "engine/measures/eigen.h"
#include "engine/measures/measure.h"

#include <math.h>
#include <string.h>

static const struct measure_column columns[] = {
    {"effective_rank", "directions that the outputs of all heads fill"},
    {0},
};

enum { ROWS = 256 }; /* at once */

static long width(const struct measure_view *v)
{
    return v->attention.H * v->attention.d_v;
}

/* The Gram matrix (W,W), and room for ROWS rows or for two vectors of W */
static size_t kept(const struct measure_view *v)
{
    size_t W = (size_t)width(v);
    return W * W + ROWS * W;
}

static void add(const struct measure_view *v, double *gram)
{
    long W = width(v), rows = 0;
    double *row = gram + W * W;
    for (long at = 0; at < v->attention.B * v->attention.T; at++) {
        if (v->keys[at] > 0) {
            const real *o = v->output + at * W;
            for (long i = 0; i < W; i++)
                row[rows * W + i] = (double)o[i];
            rows++;
        }
        if (rows == ROWS) {
            blas_gram(rows, W, row, gram);
            rows = 0;
        }
    }
    if (rows > 0)
        blas_gram(rows, W, row, gram);
}

static void value(const struct measure_view *v, double *gram, double *out)
{
    long W = width(v);
    double *eigen = gram + W * W, sum = 0, entropy = 0;
    if (!eigenvalues(W, gram, eigen, eigen + W))
        return;
    for (long i = 0; i < W; i++) {
        eigen[i] = sqrt(fmax(eigen[i], 0));
        sum += eigen[i];
    }
    for (long i = 0; i < W; i++)
        if (eigen[i] > 0)
            entropy -= eigen[i] / sum * log(eigen[i] / sum);
    *out = exp(entropy);
}

const struct measure measure_effective_rank = {
    .level = MEASURE_LAYER,
    .columns = columns,
    .kept = kept,
    .add = add,
    .value = value,
};
