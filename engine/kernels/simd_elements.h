/* Element by element: activations, residual with dropout, sums, the optimizer. */
#ifndef ENGINE_KERNELS_SIMD_ELEMENTS_H
#define ENGINE_KERNELS_SIMD_ELEMENTS_H

#include "engine/kernels/simd_dropout.h"
#include "engine/kernels/simd_math.h"

/* A matrix that needs no columns is one long row. */
ALWAYS_INLINE void flatten(long *M, long *N)
{
    *N *= *M;
    *M = 1;
}

/* z > 0 ? 1 : 0 is the slope, NaN for NaN. */
ALWAYS_INLINE vf vrelu(vf z, vf *slope)
{
    *slope = vselect(z > 0, vset(1), vselect(z <= 0, vset(0), z));
    return vmax(vset(0), z);
}

/* whole: N is whole vectors. */
ALWAYS_INLINE void activation_forward_rows(vf (*f)(vf, vf *), long M, long N, const bool whole,
                                           const float *x, const float *bias, float *y,
                                           float *slope)
{
    for (long r = 0; r < M; r++) {
#pragma GCC unroll 2
        for (long c = 0; c < N; c += LANES) {
            const long e = r * N + c, n = whole ? LANES : N - c;
            vf z = vload_n(x + e, n), s;
            if (bias)
                z += vload_n(bias + c, n);
            vstore_n(y + e, n, f(z, &s));
            if (slope)
                vstore_n(slope + e, n, s);
        }
    }
}

ALWAYS_INLINE void activation_forward(vf (*f)(vf, vf *), long M, long N, const float *x,
                                      const float *bias, float *y, float *slope)
{
    if (!bias)
        flatten(&M, &N);
    if (N % LANES == 0)
        activation_forward_rows(f, M, N, true, x, bias, y, slope);
    else
        activation_forward_rows(f, M, N, false, x, bias, y, slope);
}

static void gelu_forward(long M, long N, const real *x, const real *bias, real *y, real *slope)
{
    activation_forward(vgelu, M, N, x, bias, y, slope);
}

static void relu_forward(long M, long N, const real *x, const real *bias, real *y, real *slope)
{
    activation_forward(vrelu, M, N, x, bias, y, slope);
}

/* n <= LANES columns of ROWS rows, N apart: dbias is read and written once for all of them. */
ALWAYS_INLINE void activation_backward_block(const int ROWS, long n, long N, const float *slope,
                                             const float *dy, float beta, float *dx, float *dbias)
{
    vf sum = vset(0);
    for (int r = 0; r < ROWS; r++, slope += N, dy += N, dx += N) {
        vf share = vload_n(dy, n) * vload_n(slope, n);
        sum += share;
        vstore_n(dx, n, beta == 0 ? share : share + vload_n(dx, n));
    }
    if (dbias)
        vstore_n(dbias, n, vload_n(dbias, n) + sum);
}

static void activation_backward(long M, long N, const real *slope, const real *dy, real beta,
                                real *dx, real *dbias)
{
    if (!dbias)
        flatten(&M, &N);
    long r = 0;
    for (; r + 8 <= M; r += 8)
        for (long c = 0; c < N; c += LANES)
            activation_backward_block(8, N - c, N, slope + r * N + c, dy + r * N + c, beta,
                                      dx + r * N + c, dbias ? dbias + c : NULL);
    for (; r < M; r++)
        for (long c = 0; c < N; c += LANES)
            activation_backward_block(1, N - c, N, slope + r * N + c, dy + r * N + c, beta,
                                      dx + r * N + c, dbias ? dbias + c : NULL);
}

/* plain: nothing is dropped, bias and residual are there, and N is whole vectors. */
ALWAYS_INLINE void residual_forward_rows(long M, long N, const bool plain, const float *x,
                                         const float *bias, const float *residual,
                                         const struct dropout *d, float *y)
{
    const bool drop = !plain && d->probability > 0;
    const float scale = drop ? dropout_scale(d) : 1;
    struct keep_stream keep = keep_begin(d);
    for (long r = 0; r < M; r++) {
        for (long c = 0; c < N; c += LANES) {
            const long e = r * N + c, n = plain ? LANES : N - c;
            vf z = vload_n(x + e, n);
            if (plain || bias)
                z += vload_n(bias + c, n);
            if (drop)
                z = vkeep(keep_next(&keep, n < LANES ? (unsigned)n : LANES), z) * scale;
            vstore_n(y + e, n, plain || residual ? z + vload_n(residual + e, n) : z);
        }
    }
}

static void residual_forward(long M, long N, const real *x, const real *bias, const real *residual,
                             const struct dropout *d, real *y)
{
    if (!bias)
        flatten(&M, &N);
    if (bias && residual && d->probability == 0 && N % LANES == 0)
        residual_forward_rows(M, N, true, x, bias, residual, d, y);
    else
        residual_forward_rows(M, N, false, x, bias, residual, d, y);
}

static void residual_backward(long M, long N, const struct dropout *d, const real *dy, real beta,
                              real *dx, real *dbias)
{
    const bool drop = d->probability > 0;
    const float scale = drop ? dropout_scale(d) : 1;
    struct keep_stream keep = keep_begin(d);
    if (!dbias)
        flatten(&M, &N);
    for (long r = 0; r < M; r++) {
        for (long c = 0; c < N; c += LANES) {
            const long e = r * N + c, n = N - c;
            vf share = vload_n(dy + e, n);
            if (drop)
                share = vkeep(keep_next(&keep, n < LANES ? (unsigned)n : LANES), share) * scale;
            if (dbias)
                vstore_n(dbias + c, n, vload_n(dbias + c, n) + share);
            vstore_n(dx + e, n, beta == 0 ? share : share + vload_n(dx + e, n));
        }
    }
}

static void add(long n, const real *x, real beta, real *y)
{
    for (long i = 0; i < n; i += LANES) {
        vf z = vload_n(x + i, n - i);
        vstore_n(y + i, n - i, beta == 0 ? z : z + vload_n(y + i, n - i));
    }
}

static void column_sums(long M, long N, const real *dy, real *dbias)
{
    long r = 0;
    for (; r + 4 <= M; r += 4, dy += 4 * N)
        for (long c = 0; c < N; c += LANES) {
            const long n = N - c;
            vf sum = (vload_n(dy + c, n) + vload_n(dy + N + c, n)) +
                     (vload_n(dy + 2 * N + c, n) + vload_n(dy + 3 * N + c, n));
            vstore_n(dbias + c, n, vload_n(dbias + c, n) + sum);
        }
    for (; r < M; r++, dy += N)
        add(N, dy, 1, dbias);
}

static void fill_rows(long M, long N, const real *bias, real *y)
{
    for (long r = 0; r < M; r++)
        memcpy(y + r * N, bias, (size_t)N * sizeof *y);
}

static void rows_gather(long R, long C, const real *table, const int32_t *index, long stride,
                        const real *cycle, long T, real beta, real *y)
{
    long t = 0; /* r % T */
    for (long r = 0; r < R; r++, index += stride, y += C) {
        const float *from = table + *index * C, *also = cycle ? cycle + t * C : NULL;
        t = t + 1 == T ? 0 : t + 1;
        for (long c = 0; c < C; c += LANES) {
            vf sum = vload_n(from + c, C - c);
            if (beta != 0)
                sum = vload_n(y + c, C - c) + sum;
            vstore_n(y + c, C - c, also ? sum + vload_n(also + c, C - c) : sum);
        }
    }
}

static void rows_scatter(long R, long C, const real *dy, const int32_t *index, long stride,
                         real *dtable)
{
    for (long r = 0; r < R; r++, index += stride, dy += C) {
        float *to = dtable + *index * C;
        for (long c = 0; c < C; c += LANES)
            vstore_n(to + c, C - c, vload_n(to + c, C - c) + vload_n(dy + c, C - c));
    }
}

static double square_sum(long n, const real *x)
{
    enum { SUMS = 4 };
    vd sum[SUMS] = {{0}};
    double total = 0;
    long i = 0;
    for (; i + SUMS * LANES / 2 <= n; i += SUMS * LANES / 2)
        for (int s = 0; s < SUMS; s++) {
            vd z = vdouble(*(const vf_half_loose *)(x + i + s * LANES / 2));
            sum[s] += z * z;
        }
    sum[0] += sum[1] + (sum[2] + sum[3]);
    for (int l = 0; l < LANES / 2; l++)
        total += sum[0][l];
    for (; i < n; i++)
        total += (double)x[i] * (double)x[i];
    return total;
}

static void adamw(long n, const struct adamw *p, real *w, const real *g, real *m, real *v)
{
    const struct adamw a = *p; /* no store can alias it */
    const float decay = 1 - a.lr * a.weight_decay, step = a.lr / a.correction1;
    const float spread = 1 / sqrtf(a.correction2);
    for (long i = 0; i < n; i += LANES) {
        const long left = n - i;
        vf slope = vload_n(g + i, left) * a.grad_scale;
        vf first = vload_n(m + i, left) * a.beta1 + slope * (1 - a.beta1);
        vf second = vload_n(v + i, left) * a.beta2 + slope * slope * (1 - a.beta2);
        vf weight = vload_n(w + i, left) * decay;
        vstore_n(m + i, left, first);
        vstore_n(v + i, left, second);
        vstore_n(w + i, left, weight - step * first / (vsqrt(second) * spread + a.epsilon));
    }
}

#endif
