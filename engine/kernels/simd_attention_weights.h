/* The weights of attention, for whoever wants to see them: a head of any width, with WEIGHT_KEYS
 * keys as lanes, for all queries that may see one of them. */
#ifndef ENGINE_KERNELS_SIMD_ATTENTION_WEIGHTS_H
#define ENGINE_KERNELS_SIMD_ATTENTION_WEIGHTS_H

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

/* A query's weights of the `keys` keys from `first` on; padding (keys) or NULL; seen: keys that the
 * causal mask lets it see. */
static void weights_row(const float *s, long keys, const uint8_t *padding, long seen, float lse,
                        float *w)
{
    for (long c = 0; c < keys; c += LANES) {
        const vi key = (vi){LANE_NUMBERS} + (int32_t)c;
        vi hidden = key >= (int32_t)seen;
        for (long l = 0; padding && l < LANES && c + l < keys; l++)
            hidden[l] |= padding[c + l] ? -1 : 0;
        vstore_n(w + c, keys - c, vselect(hidden, vset(0), vexp2(vload(s + c) - lse * LOG2_E)));
    }
}

/* Keys first .. first+keys-1 of one head: q its queries, k those keys. */
static void weights_block(const struct attention *a, const struct weights *t, const float *q,
                          const float *k, long first, long keys, const uint8_t *padding,
                          const float *lse, float *w)
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
    for (long i = 0; i < blind; i++)
        memset(w + i * a->T, 0, (size_t)keys * sizeof *w);
    for (long i = blind; i < a->T; i++)
        weights_row(t->s + (i - blind) * WEIGHT_KEYS, keys, padding,
                    a->causal ? i + 1 - first : keys, lse[i], w + i * a->T);
}

static void attention_weights(const struct attention *a, const float *qkv, const float *saved,
                              float *w, void *scratch)
{
    const long T = a->T, row = attention_row(a);
    struct weights t;
    weights_layout(a, scratch, &t);
    for (long head = 0; head < a->B * a->H; head++) {
        const long b = head / a->H, h = head % a->H;
        const float *x = qkv + b * T * row;
        const float *k = x + attention_key_column(a, attention_kv(a, h));
        for (long j = 0; j < T; j += WEIGHT_KEYS)
            weights_block(
                a, &t, x + h * a->d_k, k + j * row, j, T - j < WEIGHT_KEYS ? T - j : WEIGHT_KEYS,
                a->padding ? a->padding + b * T + j : NULL, saved + head * T, w + head * T * T + j);
    }
}

#endif
