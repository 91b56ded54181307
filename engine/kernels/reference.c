/* Every kernel in its most obvious form: one element at a time, sums in double whatever `real` is.
 * The fast tables are held against this one, so it is written to be read, not to be run. */
#include "engine/kernels/attention.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/kernels.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "engine/base/rng.h"

#define EPSILON     1e-5                   /* of layernorm, as PyTorch */
#define SQRT_HALF   0.70710678118654752440 /* 1/sqrt(2) */
#define DENSITY_AT0 0.39894228040143267794 /* 1/sqrt(2 pi) */

/* 0 for a dropped element, 1/(1-p) for a kept one. e counts from the buffer's element 0. */
static double dropout_factor(const struct dropout *d, uint64_t e)
{
    if (d->probability == 0)
        return 1;
    e += d->first;
    const uint32_t key[2] = {d->seed, RNG_DROPOUT};
    const uint32_t counter[4] = {(uint32_t)(e / 128 * 16 + e % 16), d->site, (uint32_t)d->step,
                                 (uint32_t)(d->step >> 32)};
    uint32_t word = rng_philox(key, counter).word[e / 16 % 4];
    uint32_t half = e / 64 % 2 ? word >> 16 : word & 0xffff;
    return half >= dropout_threshold(d) ? (double)dropout_scale(d) : 0;
}

static void dropout_draw(const struct dropout *d, long n, uint64_t *kept)
{
    memset(kept, 0, (size_t)dropout_words(n) * sizeof *kept);
    for (uint64_t e = 0; e < (uint64_t)n; e++) {
        uint64_t at = dropout_skip(d) + e;
        kept[at / 64] |= (uint64_t)(dropout_factor(d, e) > 0) << at % 64;
    }
}

/* One sequence of one head: rows of packed buffers and the distance between them. */
struct head {
    const real *q, *k, *v;  /* (T,d_k), (T,d_k), (T,d_v) */
    const uint8_t *padding; /* (T) or NULL */
    bool causal;
    long row;         /* numbers from a position's row to the next's, in qkv */
    uint64_t element; /* dropout element of (i,j) = (0,0) */
};

static struct head head_at(const struct attention *a, const real *qkv, long b, long h)
{
    const long g = attention_kv(a, h);
    const real *base = qkv + b * a->T * attention_row(a);
    return (struct head){
        .q = base + h * a->d_k,
        .k = base + attention_key_column(a, g),
        .v = base + attention_value_column(a, g),
        .padding = a->padding ? a->padding + b * a->T : NULL,
        .causal = a->causal,
        .row = attention_row(a),
        .element = (uint64_t)((b * a->H + h) * a->T * a->T),
    };
}

static bool sees(const struct head *s, long i, long j)
{
    return (!s->padding || !s->padding[j]) && !(s->causal && j > i);
}

static double dot(long n, const real *x, const real *y)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += (double)x[i] * (double)y[i];
    return sum;
}

/* scale q_i . k_j */
static double score(const struct attention *a, const struct head *s, long i, long j)
{
    return (double)a->scale * dot(a->d_k, s->q + i * s->row, s->k + j * s->row);
}

/* Row i of w = softmax of its scores, 0 where a key is not seen. */
static void softmax_row(const struct attention *a, const struct head *s, long i, double *w)
{
    double largest = -INFINITY, sum = 0;
    for (long j = 0; j < a->T; j++)
        if (sees(s, i, j))
            largest = fmax(largest, score(a, s, i, j));
    for (long j = 0; j < a->T; j++)
        sum += w[j] = sees(s, i, j) ? exp(score(a, s, i, j) - largest) : 0;
    for (long j = 0; j < a->T && sum != 0; j++)
        w[j] /= sum;
}

/* A row's weights (T), and a sum over it (d_k or d_v). */
static size_t attention_scratch(const struct attention *a)
{
    return (size_t)(a->T + (a->d_k > a->d_v ? a->d_k : a->d_v)) * sizeof(double);
}

static void attention_forward(const struct attention *a, const real *qkv, real *o, real *saved,
                              void *scratch)
{
    double *w = scratch, *sum = w + a->T;
    (void)saved;
    for (long b = 0; b < a->B; b++) {
        for (long h = 0; h < a->H; h++) {
            struct head s = head_at(a, qkv, b, h);
            for (long i = 0; i < a->T; i++) {
                softmax_row(a, &s, i, w);
                memset(sum, 0, (size_t)a->d_v * sizeof *sum);
                for (long j = 0; j < a->T; j++) {
                    if (!sees(&s, i, j))
                        continue;
                    double p =
                        w[j] * dropout_factor(&a->dropout, s.element + (uint64_t)(i * a->T + j));
                    for (long d = 0; d < a->d_v; d++)
                        sum[d] += p * (double)s.v[j * s.row + d];
                }
                for (long d = 0; d < a->d_v; d++)
                    o[((b * a->T + i) * a->H + h) * a->d_v + d] = (real)sum[d];
            }
        }
    }
}

/* With p the softmax of a row, r the dropout factors, dp_j = r_j dO.v_j:
 *   ds_j = p_j (dp_j - sum_l p_l dp_l),   dq += scale ds_j k_j,   dk_j += scale ds_j q,
 *   dv_j += r_j p_j dO;   and sum_l p_l dp_l = dO . o. */
static void attention_backward(const struct attention *a, const real *qkv, const real *o,
                               const real *saved, const real *d_o, real *dqkv, void *scratch)
{
    double *w = scratch, *dq = w + a->T;
    (void)saved;
    memset(dqkv, 0, (size_t)(a->B * a->T * attention_row(a)) * sizeof *dqkv);
    for (long b = 0; b < a->B; b++) {
        for (long h = 0; h < a->H; h++) {
            struct head s = head_at(a, qkv, b, h);
            real *dk = dqkv + (s.k - qkv), *dv = dqkv + (s.v - qkv);
            for (long i = 0; i < a->T; i++) {
                const long at = ((b * a->T + i) * a->H + h) * a->d_v;
                double delta = dot(a->d_v, o + at, d_o + at);
                softmax_row(a, &s, i, w);
                memset(dq, 0, (size_t)a->d_k * sizeof *dq);
                for (long j = 0; j < a->T; j++) {
                    if (!sees(&s, i, j))
                        continue;
                    double r = dropout_factor(&a->dropout, s.element + (uint64_t)(i * a->T + j));
                    double dp = r * dot(a->d_v, d_o + at, s.v + j * s.row);
                    double ds = (double)a->scale * w[j] * (dp - delta);
                    for (long d = 0; d < a->d_k; d++) {
                        dq[d] += ds * (double)s.k[j * s.row + d];
                        dk[j * s.row + d] += (real)(ds * (double)s.q[i * s.row + d]);
                    }
                    for (long d = 0; d < a->d_v; d++)
                        dv[j * s.row + d] += (real)(r * w[j] * (double)d_o[at + d]);
                }
                for (long d = 0; d < a->d_k; d++)
                    dqkv[(s.q - qkv) + i * s.row + d] = (real)dq[d];
            }
        }
    }
}

static void attention_weights(const struct attention *a, const real *qkv, real *w, void *scratch)
{
    double *row = scratch;
    for (long b = 0; b < a->B; b++) {
        for (long h = 0; h < a->H; h++) {
            struct head s = head_at(a, qkv, b, h);
            for (long i = 0; i < a->T; i++, w += a->T) {
                softmax_row(a, &s, i, row);
                for (long j = 0; j < a->T; j++)
                    w[j] = (real)row[j];
            }
        }
    }
}

/* Products that fit no set of vectors are OpenBLAS's; these are what others are held against. */
static bool linear_suits(long N, long K)
{
    (void)N;
    (void)K;
    return false;
}

static void linear_pack(long N, long K, const real *w, real *forward, real *backward)
{
    for (long n = 0; n < N; n++)
        for (long k = 0; k < K; k++)
            forward[k * N + n] = w[n * K + k];
    if (backward)
        memcpy(backward, w, (size_t)(N * K) * sizeof *w);
}

static void linear_product(long M, long N, long K, const real *x, const real *p, const real *bias,
                           real beta, real *y, real *room)
{
    (void)room;
    for (long m = 0; m < M; m++)
        for (long n = 0; n < N; n++) {
            double sum = bias ? (double)bias[n] : 0;
            for (long k = 0; k < K; k++)
                sum += (double)x[m * K + k] * (double)p[k * N + n];
            y[m * N + n] = (real)(sum + (beta == 0 ? 0 : (double)y[m * N + n]));
        }
}

static void linear_backward_weight(long M, long N, long K, const real *dy, const real *x, real beta,
                                   real *dw, real *room)
{
    (void)room;
    for (long n = 0; n < N; n++)
        for (long k = 0; k < K; k++) {
            double sum = 0;
            for (long m = 0; m < M; m++)
                sum += (double)dy[m * N + n] * (double)x[m * K + k];
            dw[n * K + k] = (real)(sum + (beta == 0 ? 0 : (double)dw[n * K + k]));
        }
}

static void layernorm_forward(long M, long C, const real *x, const real *gain, const real *bias,
                              real *y, real *mean, real *rstd)
{
    for (long r = 0; r < M; r++, x += C, y += C) {
        double sum = 0, squares = 0;
        for (long c = 0; c < C; c++)
            sum += (double)x[c];
        double mu = sum / (double)C;
        for (long c = 0; c < C; c++)
            squares += ((double)x[c] - mu) * ((double)x[c] - mu);
        double inverse = 1 / sqrt(squares / (double)C + EPSILON);
        for (long c = 0; c < C; c++)
            y[c] = (real)(((double)x[c] - mu) * inverse * (double)gain[c] + (double)bias[c]);
        mean[r] = (real)mu;
        rstd[r] = (real)inverse;
    }
}

/* With n the normalised row and g = dy*gain: dx = rstd (g - mean(g) - n mean(g n)). */
static void layernorm_backward(long M, long C, const real *x, const real *gain, const real *mean,
                               const real *rstd, const real *dy, real beta, real *dx, real *dgain,
                               real *dbias)
{
    for (long r = 0; r < M; r++, x += C, dy += C, dx += C) {
        double mu = (double)mean[r], inverse = (double)rstd[r], sum = 0, moment = 0;
        for (long c = 0; c < C; c++) {
            double n = ((double)x[c] - mu) * inverse, g = (double)dy[c] * (double)gain[c];
            sum += g;
            moment += g * n;
            dgain[c] += (real)((double)dy[c] * n);
            dbias[c] += dy[c];
        }
        for (long c = 0; c < C; c++) {
            double n = ((double)x[c] - mu) * inverse, g = (double)dy[c] * (double)gain[c];
            double share = inverse * (g - (sum + n * moment) / (double)C);
            dx[c] = (real)(share + (beta == 0 ? 0 : (double)dx[c]));
        }
    }
}

static double gelu(double z)
{
    return z * 0.5 * erfc(-z * SQRT_HALF);
}

static double gelu_slope(double z)
{
    return 0.5 * erfc(-z * SQRT_HALF) + z * DENSITY_AT0 * exp(-0.5 * z * z);
}

/* Not fmax: a NaN must come through. */
static double relu(double z)
{
    return z < 0 ? 0 : z;
}

static double relu_slope(double z)
{
    return z > 0 ? 1 : z <= 0 ? 0 : NAN;
}

static void activation_forward(double (*f)(double), double (*f_slope)(double), long M, long N,
                               const real *x, const real *bias, real *y, real *slope)
{
    for (long r = 0; r < M; r++) {
        for (long c = 0; c < N; c++) {
            long e = r * N + c;
            double z = (double)x[e] + (bias ? (double)bias[c] : 0);
            y[e] = (real)f(z);
            if (slope)
                slope[e] = (real)f_slope(z);
        }
    }
}

static void gelu_forward(long M, long N, const real *x, const real *bias, real *y, real *slope)
{
    activation_forward(gelu, gelu_slope, M, N, x, bias, y, slope);
}

static void relu_forward(long M, long N, const real *x, const real *bias, real *y, real *slope)
{
    activation_forward(relu, relu_slope, M, N, x, bias, y, slope);
}

static void activation_backward(long M, long N, const real *slope, const real *dy, real beta,
                                real *dx, real *dbias)
{
    for (long r = 0; r < M; r++) {
        for (long c = 0; c < N; c++) {
            long e = r * N + c;
            real share = dy[e] * slope[e];
            dx[e] = share + (beta == 0 ? 0 : dx[e]);
            if (dbias)
                dbias[c] += share;
        }
    }
}

static void residual_forward(long M, long N, const real *x, const real *bias, const real *residual,
                             const struct dropout *d, real *y)
{
    for (long e = 0; e < M * N; e++) {
        double z = (double)x[e] + (bias ? (double)bias[e % N] : 0);
        double r = dropout_factor(d, (uint64_t)e);
        y[e] = (real)((r == 0 ? 0 : r * z) + (residual ? (double)residual[e] : 0));
    }
}

static void residual_backward(long M, long N, const struct dropout *d, const real *dy, real beta,
                              real *dx, real *dbias)
{
    for (long e = 0; e < M * N; e++) {
        double r = dropout_factor(d, (uint64_t)e);
        real share = r == 0 ? 0 : (real)(r * (double)dy[e]);
        dx[e] = share + (beta == 0 ? 0 : dx[e]);
        if (dbias)
            dbias[e % N] += share;
    }
}

static void add(long n, const real *x, real beta, real *y)
{
    for (long i = 0; i < n; i++)
        y[i] = x[i] + (beta == 0 ? 0 : y[i]);
}

static void column_sums(long M, long N, const real *dy, real *dbias)
{
    for (long c = 0; c < N; c++) {
        double sum = (double)dbias[c];
        for (long r = 0; r < M; r++)
            sum += (double)dy[r * N + c];
        dbias[c] = (real)sum;
    }
}

static void fill_rows(long M, long N, const real *bias, real *y)
{
    for (long e = 0; e < M * N; e++)
        y[e] = bias[e % N];
}

static double cross_entropy_row(long V, const real *logits, int32_t target, uint8_t *correct,
                                real scale, real *dlogits)
{
    long best = 0;
    double sum = 0;
    for (long v = 0; v < V; v++)
        if (logits[v] > logits[best] || (isnan(logits[v]) && !isnan(logits[best])))
            best = v;
    const double largest = (double)logits[best], hit = (double)logits[target];
    for (long v = 0; v < V; v++)
        sum += exp((double)logits[v] - largest);
    *correct = best == target && !isnan(largest);
    if (dlogits)
        for (long v = 0; v < V; v++)
            dlogits[v] =
                (real)((double)scale * (exp((double)logits[v] - largest) / sum - (v == target)));
    return log(sum) + largest - hit;
}

static void rows_gather(long R, long C, const real *table, const int32_t *index, long stride,
                        const real *cycle, long T, real beta, real *y)
{
    for (long r = 0; r < R; r++)
        for (long c = 0; c < C; c++) {
            real sum = table[index[r * stride] * C + c];
            if (beta != 0)
                sum = y[r * C + c] + sum;
            y[r * C + c] = cycle ? sum + cycle[r % T * C + c] : sum;
        }
}

static void rows_scatter(long R, long C, const real *dy, const int32_t *index, long stride,
                         real *dtable)
{
    for (long r = 0; r < R; r++)
        for (long c = 0; c < C; c++)
            dtable[index[r * stride] * C + c] += dy[r * C + c];
}

static void rotate(long R, long N, const struct rotation *t, const real *x, real beta, real *y)
{
    const double sign = t->back ? -1 : 1;
    const long turned = t->groups * t->width;
    for (long r = 0; r < R; r++, x += N, y += N) {
        for (long c = 0; c < turned; c += 2) {
            const real *turn = t->turns + r % t->T * t->width + c % t->width;
            const double cosine = (double)turn[0], sine = sign * (double)turn[1];
            const double first = (double)x[c], second = (double)x[c + 1];
            const double old[2] = {beta == 0 ? 0 : (double)y[c], beta == 0 ? 0 : (double)y[c + 1]};
            y[c] = (real)(old[0] + first * cosine - second * sine);
            y[c + 1] = (real)(old[1] + second * cosine + first * sine);
        }
        for (long c = turned; c < N; c++)
            y[c] = beta == 0 ? x[c] : y[c] + x[c];
    }
}

static double cross_entropy(long R, long V, const real *logits, const int32_t *target,
                            uint8_t *correct, real scale, real *dlogits)
{
    double loss = 0;
    for (long r = 0; r < R; r++) {
        real *d = dlogits ? dlogits + r * V : NULL;
        if (target[r] >= 0) {
            loss += cross_entropy_row(V, logits + r * V, target[r], &correct[r], scale, d);
            continue;
        }
        correct[r] = 2;
        if (d)
            memset(d, 0, (size_t)V * sizeof *d);
    }
    return loss;
}

static double square_sum(long n, const real *x)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
}

static void adamw(long n, const struct adamw *p, real *w, const real *g, real *m, real *v)
{
    const double beta1 = (double)p->beta1, beta2 = (double)p->beta2, lr = (double)p->lr;
    for (long i = 0; i < n; i++) {
        double slope = (double)g[i] * (double)p->grad_scale;
        double first = beta1 * (double)m[i] + (1 - beta1) * slope;
        double second = beta2 * (double)v[i] + (1 - beta2) * slope * slope;
        double step = first / (double)p->correction1 /
                      (sqrt(second / (double)p->correction2) + (double)p->epsilon);
        w[i] = (real)((double)w[i] * (1 - lr * (double)p->weight_decay) - lr * step);
        m[i] = (real)first;
        v[i] = (real)second;
    }
}

const struct kernels kernels_reference = {
    .name = "reference",
#define KERNEL(function) .function = function,
#include "engine/kernels/kernels.def"
#undef KERNEL
};
