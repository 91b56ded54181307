#include "engine/kernels/similarity.h"

#include <math.h>
#include <string.h>

static double pairs(const struct attention *a)
{
    return (double)a->H * (double)(a->H - 1);
}

static const real *row(const struct attention *a, enum similarity_kind kind, const real *x, long h)
{
    return x + (kind == SIMILARITY_SUBSPACE ? attention_kv(a, h) : h) * a->d_v;
}

/* 1/|x|; 0 where x is 0 */
static double inverse_norm(const real *x, long n)
{
    double squares = 0;
    for (long i = 0; i < n; i++)
        squares += (double)x[i] * (double)x[i];
    return squares > 0 ? 1 / sqrt(squares) : 0;
}

/* sum = the sum over heads of x_h/|x_h|; returns how many are not 0. */
static long sum_directions(const struct attention *a, enum similarity_kind kind, const real *x,
                           double *sum)
{
    long count = 0;
    memset(sum, 0, (size_t)a->d_v * sizeof *sum);
    for (long h = 0; h < a->H; h++) {
        const real *x_h = row(a, kind, x, h);
        double inverse = inverse_norm(x_h, a->d_v);
        count += inverse > 0;
        for (long d = 0; d < a->d_v; d++)
            sum[d] += (double)x_h[d] * inverse;
    }
    return count;
}

double similarity_cosine(const struct attention *a, enum similarity_kind kind, const real *x,
                         double *sum)
{
    double square = -(double)sum_directions(a, kind, x, sum);
    for (long d = 0; d < a->d_v; d++)
        square += sum[d] * sum[d];
    return square / pairs(a);
}

/* With u_h = x_h/|x_h| and s their sum: dx_h = 2 (s - (s.u_h) u_h) / |x_h|, over the pairs. */
void similarity_cosine_backward(const struct attention *a, enum similarity_kind kind, const real *x,
                                double factor, double *sum, real *dx)
{
    sum_directions(a, kind, x, sum);
    for (long h = 0; h < a->H; h++) {
        const real *x_h = row(a, kind, x, h);
        real *dx_h = dx + (x_h - x);
        double inverse = inverse_norm(x_h, a->d_v), along = 0;
        for (long d = 0; d < a->d_v; d++)
            along += sum[d] * (double)x_h[d] * inverse;
        for (long d = 0; d < a->d_v; d++)
            dx_h[d] += (real)(factor * 2 * inverse * (sum[d] - along * (double)x_h[d] * inverse) /
                              pairs(a));
    }
}

double similarity_weights(const struct attention *a, const real *w, double *sum)
{
    double *squares = sum + a->T, total = 0;
    memset(sum, 0, (size_t)(2 * a->T) * sizeof *sum);
    for (long h = 0; h < a->H; h++, w += a->T * a->T)
        for (long j = 0; j < a->T; j++) {
            sum[j] += (double)w[j];
            squares[j] += (double)w[j] * (double)w[j];
        }
    for (long j = 0; j < a->T; j++)
        total += sum[j] * sum[j] - squares[j];
    return total / pairs(a);
}

void similarity_weights_backward(const struct attention *a, const real *w, double factor,
                                 double *sum, real *dw)
{
    similarity_weights(a, w, sum);
    for (long h = 0; h < a->H; h++, w += a->T * a->T, dw += a->T)
        for (long j = 0; j < a->T; j++)
            dw[j] = (real)(factor * 2 * (sum[j] - (double)w[j]) / pairs(a));
}
