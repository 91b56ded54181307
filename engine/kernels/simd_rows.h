/* Layer normalisation and cross-entropy: sums over a row, then one pass over it. */
#ifndef ENGINE_KERNELS_SIMD_ROWS_H
#define ENGINE_KERNELS_SIMD_ROWS_H

#include "engine/kernels/simd_math.h"

#define LAYERNORM_EPSILON 1e-5f

/* Rows are taken by the vector, so that sums, square root and division are made for all of them at
 * once. ROWS: rows that there are; the rest of the vector is 0. */
ALWAYS_INLINE void layernorm_forward_rows(const int ROWS, long C, const float *x, const float *gain,
                                          const float *bias, float *y, float *mean, float *rstd)
{
    const float share = 1 / (float)C;
    vf sum[LANES], squares[LANES];
#pragma GCC unroll 16
    for (int r = 0; r < LANES; r++) {
        sum[r] = vset(0);
        for (long c = 0; r < ROWS && c < C; c += LANES)
            sum[r] += vload_n(x + r * C + c, C - c);
    }
    vstore_n(mean, ROWS, vsum_each(sum) * share);
#pragma GCC unroll 16
    for (int r = 0; r < LANES; r++) {
        squares[r] = vset(0);
        for (long c = 0; r < ROWS && c < C; c += LANES) {
            vf d = vload_or(x + r * C + c, C - c, mean[r]) - mean[r];
            squares[r] += d * d;
        }
    }
    vstore_n(rstd, ROWS, 1 / vsqrt(vsum_each(squares) * share + LAYERNORM_EPSILON));
    for (long c = 0; c < C; c += LANES) {
        const vf w = vload_n(gain + c, C - c), b = vload_n(bias + c, C - c);
        for (int r = 0; r < ROWS; r++) {
            vf n = (vload_n(x + r * C + c, C - c) - mean[r]) * rstd[r];
            vstore_n(y + r * C + c, C - c, n * w + b);
        }
    }
}

ALWAYS_INLINE void layernorm_forward_width(long M, long C, const float *x, const float *gain,
                                           const float *bias, float *y, float *mean, float *rstd)
{
    long r = 0;
    for (; r + LANES <= M; r += LANES)
        layernorm_forward_rows(LANES, C, x + r * C, gain, bias, y + r * C, mean + r, rstd + r);
    for (; r < M; r++)
        layernorm_forward_rows(1, C, x + r * C, gain, bias, y + r * C, mean + r, rstd + r);
}

/* Rows of two and of four vectors are compiled apart: unless they are unrolled, loops that short
 * cost more than what is in them. */
static void layernorm_forward(long M, long C, const real *x, const real *gain, const real *bias,
                              real *y, real *mean, real *rstd)
{
    if (C == 2 * LANES)
        layernorm_forward_width(M, 2 * LANES, x, gain, bias, y, mean, rstd);
    else if (C == 4 * LANES)
        layernorm_forward_width(M, 4 * LANES, x, gain, bias, y, mean, rstd);
    else
        layernorm_forward_width(M, C, x, gain, bias, y, mean, rstd);
}

enum { LAYERNORM_ROWS = LANES / 2 }; /* two sums each make a vector */

/* dgain and dbias are read and written once for all rows. */
ALWAYS_INLINE void layernorm_backward_rows(const int ROWS, long C, const float *x,
                                           const float *gain, const float *mean, const float *rstd,
                                           const float *dy, float beta, float *dx, float *dgain,
                                           float *dbias)
{
    vf sum[LANES] = {{0}}; /* of dy gain; from LAYERNORM_ROWS on, of dy gain n */
    for (long c = 0; c < C; c += LANES) {
        const vf w = vload_n(gain + c, C - c);
        vf to_gain = vset(0), to_bias = vset(0);
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++) {
            vf d = vload_n(dy + r * C + c, C - c);
            vf n = (vload_n(x + r * C + c, C - c) - mean[r]) * rstd[r];
            sum[r] += d * w;
            sum[LAYERNORM_ROWS + r] += d * w * n;
            to_gain += d * n;
            to_bias += d;
        }
        vstore_n(dgain + c, C - c, vload_n(dgain + c, C - c) + to_gain);
        vstore_n(dbias + c, C - c, vload_n(dbias + c, C - c) + to_bias);
    }
    float share[LANES];
    vstore(share, vsum_each(sum) * (1 / (float)C));
    for (long c = 0; c < C; c += LANES) {
        const vf w = vload_n(gain + c, C - c);
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++) {
            const long at = r * C + c;
            vf n = (vload_n(x + at, C - c) - mean[r]) * rstd[r];
            vf d = vload_n(dy + at, C - c) * w - share[r] - n * share[LAYERNORM_ROWS + r];
            d *= rstd[r];
            vstore_n(dx + at, C - c, beta == 0 ? d : d + vload_n(dx + at, C - c));
        }
    }
}

static void layernorm_backward(long M, long C, const real *x, const real *gain, const real *mean,
                               const real *rstd, const real *dy, real beta, real *dx, real *dgain,
                               real *dbias)
{
    long r = 0;
    for (; r + LAYERNORM_ROWS <= M; r += LAYERNORM_ROWS)
        layernorm_backward_rows(LAYERNORM_ROWS, C, x + r * C, gain, mean + r, rstd + r, dy + r * C,
                                beta, dx + r * C, dgain, dbias);
    for (; r < M; r++)
        layernorm_backward_rows(1, C, x + r * C, gain, mean + r, rstd + r, dy + r * C, beta,
                                dx + r * C, dgain, dbias);
}

static float row_largest(long V, const float *x)
{
    vf top = vset(-INFINITY);
    for (long c = 0; c < V; c += LANES)
        top = vmax(top, vload_or(x + c, V - c, -INFINITY));
    return vmax_across(top);
}

/* exp(x - top), stored to e unless NULL; returns the sum. e may be x. */
static float row_exponentials(long V, const float *x, float top, float *e)
{
    vf sum = vset(0);
    for (long c = 0; c < V; c += LANES) {
        vf p = vexp(vload_or(x + c, V - c, -INFINITY) - top);
        sum += p;
        if (e)
            vstore_n(e + c, V - c, p);
    }
    return vsum(sum);
}

/* Where the first number equal to `top` stands; V if none does. No branch hangs on where that is
 * but the end of the loop, because targets cannot be foreseen. */
static long row_first(long V, const float *x, float top)
{
    for (long c = 0; c < V; c += LANES) {
        const uint32_t bits = vbits(vload_or(x + c, V - c, NAN) == vset(top));
        if (bits)
            return c + __builtin_ctz(bits);
    }
    return V;
}

/* One row; returns sum exp(x - top), and top - x[target] in *above. correct: the first largest
 * logit is the target's, and no NaN among them (the sum would be one). */
static float cross_entropy_row(long V, const float *x, int32_t target, uint8_t *correct,
                               float scale, float *dx, float *above)
{
    const float top = row_largest(V, x), hit = x[target];
    *above = top - hit;
    if (!dx) {
        const float sum = row_exponentials(V, x, top, NULL);
        *correct = row_first(V, x, top) == target && !isnan(sum);
        return sum;
    }
    /* dx may be x: what x is needed for comes before it is written */
    const bool hits = row_first(V, x, top) == target;
    const float sum = row_exponentials(V, x, top, dx), share = scale / sum;
    for (long c = 0; c < V; c += LANES)
        vstore_n(dx + c, V - c, vload_n(dx + c, V - c) * share);
    dx[target] -= scale;
    *correct = hits && !isnan(sum);
    return sum;
}

/* At most LANES rows of any length; returns their loss. dx may be x. */
static double cross_entropy_wide(long rows, long V, const float *x, const int32_t *target,
                                 uint8_t *correct, float scale, float *dx)
{
    float above[LANES] = {0}, sum[LANES] = {EVERY_LANE(1)};
    double loss = 0;
    for (long i = 0; i < rows; i++) {
        float *d = dx ? dx + i * V : NULL;
        if (target[i] >= 0) {
            sum[i] = cross_entropy_row(V, x + i * V, target[i], &correct[i], scale, d, &above[i]);
            continue;
        }
        correct[i] = 2;
        if (d)
            memset(d, 0, (size_t)V * sizeof *d);
    }
    const vf ln = vlog(vload(sum));
    for (long i = 0; i < rows; i++)
        loss += (double)above[i] + (double)ln[i];
    return loss;
}

/* The same for LANES rows at a time, turned round so that each lane runs its own row from end to
 * end: where rows are short, sums across lanes cost more than anything else. */
enum { TURNED_CLASSES = 64 };

struct turned_rows {
    vf x[TURNED_CLASSES]; /* logits, then exponentials, then gradients: class by class */
    vi target;            /* -1: masked, or no row */
    vf top, hit, sum;     /* the largest, the target's, the sum of exponentials */
    vi first;             /* where the first largest stands */
};

/* x (rows,V) -> t->x. whole: rows fill a vector, and V is a multiple of it. */
ALWAYS_INLINE void turned_load(long rows, long V, const bool whole, const float *x,
                               struct turned_rows *t)
{
    for (long c = 0; c < V; c += LANES) {
        vf tile[LANES];
#pragma GCC unroll 16
        for (long i = 0; i < LANES; i++)
            tile[i] = whole      ? vload(x + i * V + c)
                      : i < rows ? vload_n(x + i * V + c, V - c)
                                 : vset(0);
        vtranspose(tile);
#pragma GCC unroll 16
        for (long i = 0; i < LANES; i++)
            t->x[c + i] = tile[i];
    }
}

ALWAYS_INLINE void turned_store(long rows, long V, const bool whole, const struct turned_rows *t,
                                float *dx)
{
    for (long c = 0; c < V; c += LANES) {
        vf tile[LANES];
#pragma GCC unroll 16
        for (long i = 0; i < LANES; i++)
            tile[i] = t->x[c + i];
        vtranspose(tile);
#pragma GCC unroll 16
        for (long i = 0; i < LANES; i++)
            if (whole)
                vstore(dx + i * V + c, tile[i]);
            else if (i < rows)
                vstore_n(dx + i * V + c, V - c, tile[i]);
    }
}

ALWAYS_INLINE void turned_softmax(long V, struct turned_rows *t)
{
    t->top = vset(-INFINITY);
    t->sum = t->hit = vset(0);
    t->first = (vi){EVERY_LANE(-1)};
#pragma GCC unroll 16
    for (long v = 0; v < V; v++)
        t->top = vmax(t->top, t->x[v]);
#pragma GCC unroll 16
    for (long v = V - 1; v >= 0; v--) {
        const vi here = (vi){EVERY_LANE((int32_t)v)};
        const vf x = t->x[v], e = vexp(x - t->top);
        t->first = (vi)vselect(x == t->top, (vf)here, (vf)t->first);
        t->hit = vselect(t->target == here, x, t->hit);
        t->sum += e;
        t->x[v] = e;
    }
}

ALWAYS_INLINE void turned_gradient(long V, float scale, struct turned_rows *t)
{
    const vf share = scale / t->sum;
    for (long v = 0; v < V; v++) {
        const vf hot = vselect(t->target == (vi){EVERY_LANE((int32_t)v)}, vset(scale), vset(0));
        t->x[v] = vselect(t->target >= 0, t->x[v] * share - hot, vset(0));
    }
}

/* At most LANES rows of at most TURNED_CLASSES logits; adds their loss. dx may be x. */
ALWAYS_INLINE void cross_entropy_turned(long rows, long V, const bool whole, const float *x,
                                        const int32_t *target, uint8_t *correct, float scale,
                                        float *dx, vd *loss)
{
    struct turned_rows t; /* an initializer would clear 4 KiB each time */
    t.target = (vi){EVERY_LANE(-1)};
    memcpy(&t.target, target, (size_t)rows * sizeof *target);
    turned_load(rows, V, whole, x, &t);
    turned_softmax(V, &t);
    const vi counts = t.target >= 0, right = (t.first == t.target) & (t.sum == t.sum);
    const vb outcome = __builtin_convertvector((counts & right & 1) | (~counts & 2), vb);
    memcpy(correct, &outcome, (size_t)rows);
    *loss += vsum_halves((vf)(counts & (vi)(t.top - t.hit))) +
             vsum_halves((vf)(counts & (vi)vlog(t.sum)));
    if (dx) {
        turned_gradient(V, scale, &t);
        turned_store(rows, V, whole, &t, dx);
    }
}

static double cross_entropy_narrow(long R, long V, const float *logits, const int32_t *target,
                                   uint8_t *correct, float scale, float *dlogits)
{
    vd loss = {0};
    long r = 0;
    for (; V == LANES && r + LANES <= R; r += LANES) /* apart: its loops are unrolled */
        cross_entropy_turned(LANES, LANES, true, logits + r * V, target + r, correct + r, scale,
                             dlogits ? dlogits + r * V : NULL, &loss);
    for (; V % LANES == 0 && r + LANES <= R; r += LANES)
        cross_entropy_turned(LANES, V, true, logits + r * V, target + r, correct + r, scale,
                             dlogits ? dlogits + r * V : NULL, &loss);
    for (; r < R; r += LANES)
        cross_entropy_turned(R - r < LANES ? R - r : LANES, V, false, logits + r * V, target + r,
                             correct + r, scale, dlogits ? dlogits + r * V : NULL, &loss);
    double total = 0;
    for (int l = 0; l < LANES / 2; l++)
        total += loss[l];
    return total;
}

static double cross_entropy(long R, long V, const real *logits, const int32_t *target,
                            uint8_t *correct, real scale, real *dlogits)
{
    if (V <= TURNED_CLASSES)
        return cross_entropy_narrow(R, V, logits, target, correct, scale, dlogits);
    double loss = 0;
    for (long r = 0; r < R; r += LANES) /* because logarithms are cheap by the vector only */
        loss += cross_entropy_wide(R - r < LANES ? R - r : LANES, V, logits + r * V, target + r,
                                   correct + r, scale, dlogits ? dlogits + r * V : NULL);
    return loss;
}

#endif
