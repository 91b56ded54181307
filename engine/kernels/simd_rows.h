/* Layer normalisation and cross-entropy: sums over a row, then one pass over it. */
#ifndef ENGINE_KERNELS_SIMD_ROWS_H
#define ENGINE_KERNELS_SIMD_ROWS_H

#include "engine/kernels/simd_math.h"

#define LAYERNORM_EPSILON 1e-5f

static void layernorm_forward(long M, long C, const real *x, const real *gain, const real *bias,
                              real *y, real *mean, real *rstd)
{
    const float share = 1 / (float)C;
    for (long r = 0; r < M; r++, x += C, y += C) {
        vf sum = vset(0), squares = vset(0);
        for (long c = 0; c < C; c += LANES)
            sum += vload_n(x + c, C - c);
        const float mu = vsum(sum) * share;
        long c = 0;
        for (; c + LANES <= C; c += LANES) {
            vf d = vload(x + c) - mu;
            squares += d * d;
        }
        if (c < C) {
            vf d = vload_or(x + c, C - c, mu) - mu;
            squares += d * d;
        }
        const float inverse = 1 / sqrtf(vsum(squares) * share + LAYERNORM_EPSILON);
        for (c = 0; c < C; c += LANES) {
            vf n = (vload_n(x + c, C - c) - mu) * inverse;
            vstore_n(y + c, C - c, n * vload_n(gain + c, C - c) + vload_n(bias + c, C - c));
        }
        mean[r] = mu;
        rstd[r] = inverse;
    }
}

/* ROWS rows: dgain and dbias are read and written once for all of them. */
ALWAYS_INLINE void layernorm_backward_rows(const int ROWS, long C, const float *x,
                                           const float *gain, const float *mean, const float *rstd,
                                           const float *dy, float beta, float *dx, float *dgain,
                                           float *dbias)
{
    const float share = 1 / (float)C;
    vf sum[4] = {{0}}, moment[4] = {{0}};
    for (long c = 0; c < C; c += LANES) {
        const vf w = vload_n(gain + c, C - c);
        vf to_gain = vset(0), to_bias = vset(0);
        for (int r = 0; r < ROWS; r++) {
            vf d = vload_n(dy + r * C + c, C - c);
            vf n = (vload_n(x + r * C + c, C - c) - mean[r]) * rstd[r];
            sum[r] += d * w;
            moment[r] += d * w * n;
            to_gain += d * n;
            to_bias += d;
        }
        vstore_n(dgain + c, C - c, vload_n(dgain + c, C - c) + to_gain);
        vstore_n(dbias + c, C - c, vload_n(dbias + c, C - c) + to_bias);
    }
    for (int r = 0; r < ROWS; r++, x += C, dy += C, dx += C) {
        const float s = vsum(sum[r]) * share, m = vsum(moment[r]) * share;
        for (long c = 0; c < C; c += LANES) {
            vf g = vload_n(dy + c, C - c) * vload_n(gain + c, C - c);
            vf n = (vload_n(x + c, C - c) - mean[r]) * rstd[r];
            vf d = (g - s - n * m) * rstd[r];
            vstore_n(dx + c, C - c, beta == 0 ? d : d + vload_n(dx + c, C - c));
        }
    }
}

static void layernorm_backward(long M, long C, const real *x, const real *gain, const real *mean,
                               const real *rstd, const real *dy, real beta, real *dx, real *dgain,
                               real *dbias)
{
    long r = 0;
    for (; r + 4 <= M; r += 4)
        layernorm_backward_rows(4, C, x + r * C, gain, mean + r, rstd + r, dy + r * C, beta,
                                dx + r * C, dgain, dbias);
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

/* x (rows,V) -> t->x */
ALWAYS_INLINE void turned_load(long rows, long V, const float *x, struct turned_rows *t)
{
    for (long c = 0; c < V; c += LANES) {
        vf tile[LANES];
#pragma GCC unroll 16
        for (long i = 0; i < LANES; i++)
            tile[i] = i < rows ? vload_n(x + i * V + c, V - c) : vset(0);
        vtranspose(tile);
#pragma GCC unroll 16
        for (long i = 0; i < LANES; i++)
            t->x[c + i] = tile[i];
    }
}

ALWAYS_INLINE void turned_store(long rows, long V, const struct turned_rows *t, float *dx)
{
    for (long c = 0; c < V; c += LANES) {
        vf tile[LANES];
#pragma GCC unroll 16
        for (long i = 0; i < LANES; i++)
            tile[i] = t->x[c + i];
        vtranspose(tile);
#pragma GCC unroll 16
        for (long i = 0; i < LANES; i++)
            if (i < rows)
                vstore_n(dx + i * V + c, V - c, tile[i]);
    }
}

ALWAYS_INLINE void turned_softmax(long V, struct turned_rows *t)
{
    t->top = vset(-INFINITY);
    t->sum = t->hit = vset(0);
    t->first = (vi){EVERY_LANE(-1)};
    for (long v = 0; v < V; v++)
        t->top = vmax(t->top, t->x[v]);
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

/* At most LANES rows of at most TURNED_CLASSES logits; returns their loss. dx may be x. */
static double cross_entropy_turned(long rows, long V, const float *x, const int32_t *target,
                                   uint8_t *correct, float scale, float *dx)
{
    struct turned_rows t; /* an initializer would clear 4 KiB each time */
    t.target = (vi){EVERY_LANE(-1)};
    memcpy(&t.target, target, (size_t)rows * sizeof *target);
    turned_load(rows, V, x, &t);
    turned_softmax(V, &t);
    const uint32_t right = vbits((t.first == t.target) & (t.sum == t.sum));
    const vf above = t.top - t.hit, ln = vlog(t.sum);
    double loss = 0;
    for (long i = 0; i < rows; i++) {
        correct[i] = target[i] < 0 ? 2 : right >> i & 1;
        loss += target[i] < 0 ? 0 : (double)above[i] + (double)ln[i];
    }
    if (dx) {
        turned_gradient(V, scale, &t);
        turned_store(rows, V, &t, dx);
    }
    return loss;
}

static double cross_entropy(long R, long V, const real *logits, const int32_t *target,
                            uint8_t *correct, real scale, real *dlogits)
{
    double loss = 0;
    /* also because logarithms are cheap by the vector only */
    for (long r = 0; r < R; r += LANES) {
        const long rows = R - r < LANES ? R - r : LANES;
        loss += (V <= TURNED_CLASSES ? cross_entropy_turned : cross_entropy_wide)(
            rows, V, logits + r * V, target + r, correct + r, scale,
            dlogits ? dlogits + r * V : NULL);
    }
    return loss;
}

#endif
