#include "engine/kernels/attention_by_head.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/attention.h"
#include "engine/kernels/blas.h"

#ifdef REAL_DOUBLE
#define real_exp exp
#else
#define real_exp expf
#endif

/* One row of scores -> weights; the first `seen` keys may be looked at. */
static void softmax(long T, long seen, const uint8_t *padding, real *w)
{
    real top = -INFINITY, sum = 0;
    for (long j = 0; j < T; j++) {
        if (j >= seen || (padding && padding[j]))
            w[j] = -INFINITY;
        top = w[j] > top ? w[j] : top;
    }
    if (top == -INFINITY) {
        memset(w, 0, (size_t)T * sizeof *w);
        return;
    }
    for (long j = 0; j < T; j++)
        sum += w[j] = real_exp(w[j] - top);
    for (long j = 0; j < T; j++)
        w[j] /= sum;
}

void attention_by_head_forward(const struct attention *a, const real *qkv, real *o, real *w)
{
    const long T = a->T, row = attention_row(a), o_row = a->H * a->d_v;
    for (long head = 0; head < a->B * a->H; head++, w += T * T) {
        const long b = head / a->H, h = head % a->H, g = attention_kv(a, h);
        const real *x = qkv + b * T * row;
        const uint8_t *padding = a->padding ? a->padding + b * T : NULL;
        blas_gemm(0, 1, T, T, a->d_k, a->scale, x + h * a->d_k, row, x + attention_key_column(a, g),
                  row, 0, w, T);
        for (long i = 0; i < T; i++)
            softmax(T, a->causal ? i + 1 : T, padding, w + i * T);
        blas_gemm(0, 0, T, a->d_v, T, 1, w, T, x + attention_value_column(a, g), row, 0,
                  o + b * T * o_row + h * a->d_v, o_row);
    }
}

/* dw -> ds = scale w (dw - sum_j w dw) */
static void softmax_backward(long T, real scale, const real *w, real *dw)
{
    real delta = 0;
    for (long j = 0; j < T; j++)
        delta += w[j] * dw[j];
    for (long j = 0; j < T; j++)
        dw[j] = scale * w[j] * (dw[j] - delta);
}

void attention_by_head_backward(const struct attention *a, const real *qkv, const real *w,
                                const real *d_o, real *dqkv, real *dw)
{
    const long T = a->T, row = attention_row(a), o_row = a->H * a->d_v;
    memset(dqkv, 0, (size_t)(a->B * T * row) * sizeof *dqkv);
    for (long head = 0; head < a->B * a->H; head++, w += T * T) {
        const long b = head / a->H, h = head % a->H, g = attention_kv(a, h);
        const long k = attention_key_column(a, g), v = attention_value_column(a, g);
        const real *x = qkv + b * T * row, *own = d_o + b * T * o_row + h * a->d_v;
        real *dx = dqkv + b * T * row;
        blas_gemm(1, 0, T, a->d_v, T, 1, w, T, own, o_row, 1, dx + v, row);
        blas_gemm(0, 1, T, T, a->d_v, 1, own, o_row, x + v, row, 0, dw, T);
        for (long i = 0; i < T; i++)
            softmax_backward(T, a->scale, w + i * T, dw + i * T);
        blas_gemm(0, 0, T, a->d_k, T, 1, dw, T, x + k, row, 0, dx + h * a->d_k, row);
        blas_gemm(1, 0, T, a->d_k, T, 1, dw, T, x + h * a->d_k, row, 1, dx + k, row);
    }
}
