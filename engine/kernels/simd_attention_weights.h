/* The weights of attention, for whoever wants to see them: a head of any width, with WEIGHT_KEYS
 * keys as lanes, for all queries that may see one of them. */
#ifndef ENGINE_KERNELS_SIMD_ATTENTION_WEIGHTS_H
#define ENGINE_KERNELS_SIMD_ATTENTION_WEIGHTS_H

#include <float.h>

#include "engine/kernels/simd_math.h"
#include "engine/kernels/simd_product.h"
#include "engine/kernels/simd_tile_rows.h"

enum { WEIGHT_KEYS = TILE_ROW };

/* The scratch of one head. */
struct weights {
    float *kt; /* (d_k,WEIGHT_KEYS), scaled */
    float *s;  /* (T,WEIGHT_KEYS) */
};

static size_t weights_layout(const struct attention *a, void *scratch, struct weights *w)
{
    struct pieces p = {scratch, 0};
    w->kt = piece(&p, round_up(a->d_k, LANES) * WEIGHT_KEYS, sizeof(float));
    w->s = piece(&p, a->T * WEIGHT_KEYS, sizeof(float));
    return p.used;
}

/* Scores of keys first .. first+keys-1 of one head -> w (T,T); q its queries, k those keys. */
static void weights_scores(const struct attention *a, const struct weights *t, const float *q,
                           const float *k, long first, long keys, float *w)
{
    const long row = attention_row(a), blind = a->causal ? first : 0; /* queries */
    pack_transposed(keys, a->d_k, k, row, a->scale * LOG2_E, t->kt);
    const struct product p = {.rows = a->T - blind,
                              .columns = WEIGHT_KEYS,
                              .depth = a->d_k,
                              .a = q + blind * row,
                              .x = t->kt,
                              .x_row = WEIGHT_KEYS,
                              .c = t->s,
                              .c_row = WEIGHT_KEYS};
    product_run(&p, row, 1, BLOCK_SHORT, 1);
    for (long i = blind; i < a->T; i++)
        for (long c = 0; c < keys; c += LANES)
            vstore_n(w + i * a->T + first + c, keys - c,
                     vload(t->s + (i - blind) * WEIGHT_KEYS + c));
}

/* Scores -> weights of a query that sees the first `seen` of T keys, but for those that padding
 * hides. */
static void weights_softmax(long T, long seen, const uint8_t *padding, float *w)
{
    vf top = vset(-FLT_MAX), sum = vset(0);
    for (long j = 0; padding && j < seen; j++)
        w[j] = padding[j] ? -INFINITY : w[j];
    for (long c = 0; c < seen; c += LANES)
        top = vmax(top, vload_or(w + c, seen - c, -INFINITY));
    top = vset(vmax_across(top));
    for (long c = 0; c < seen; c += LANES) {
        const vf p = vexp2(vload_or(w + c, seen - c, -INFINITY) - top);
        sum += p;
        vstore_n(w + c, seen - c, p);
    }
    const float whole = vsum(sum), inverse = whole == 0 ? 0 : 1 / whole;
    for (long j = 0; j < T; j++)
        w[j] = j < seen ? w[j] * inverse : 0;
}

static void attention_weights(const struct attention *a, const float *qkv, float *w, void *scratch)
{
    const long T = a->T, row = attention_row(a);
    struct weights t;
    weights_layout(a, scratch, &t);
    for (long head = 0; head < a->B * a->H; head++, w += T * T) {
        const long b = head / a->H, h = head % a->H;
        const float *x = qkv + b * T * row;
        const float *k = x + attention_key_column(a, attention_kv(a, h));
        for (long j = 0; j < T; j += WEIGHT_KEYS)
            weights_scores(a, &t, x + h * a->d_k, k + j * row, j,
                           T - j < WEIGHT_KEYS ? T - j : WEIGHT_KEYS, w);
        for (long i = 0; i < T; i++)
            weights_softmax(T, a->causal ? i + 1 : T, a->padding ? a->padding + b * T : NULL,
                            w + i * T);
    }
}

#endif
