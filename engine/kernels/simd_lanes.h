/* What attention with heads as lanes works on, and how it gets there: numbers of LANES heads from
 * the rows of one or of several sequences, and back. */
#ifndef ENGINE_KERNELS_SIMD_LANES_H
#define ENGINE_KERNELS_SIMD_LANES_H

#include "engine/kernels/simd_attention_keys.h"
#include "engine/kernels/simd_heads.h"

enum {
    LANES_MAX_BLOCK = 4,
    LANES_CHUNK = 32 /* queries whose dropout bits are taken at once; a multiple of every BLOCK */
};

/* LANES heads: of one sequence or, where a sequence has only half of that or less, of several (with
 * padding each sequence sees keys of its own, and is alone). Every array of the second part ends
 * with a dimension of LANES. */
struct lanes {
    const struct attention *a;
    long width; /* WIDTH */
    struct seen_keys seen;
    long heads;        /* of this group, <= LANES */
    long each;         /* of one of its sequences */
    long words;        /* of dropout bits in a row: T/32 rounded up */
    long row, o_row;   /* numbers from a position to the next in q, dq; in o, d_o */
    long skip, o_skip; /* from a sequence to the next */
    bool shared;       /* keys_shared */
    /* columns of qkv where a head's keys and values begin; the first head's alone if they lie side
     * by side */
    int32_t key[LANES], value[LANES];
    /* the group's first head at the sequence's first position: */
    const float *q, *o_in, *d_o, *saved_in;
    float *o, *dq, *saved; /* saved (T,2,heads): largest score; dropout's scale / sum */

    float *k, *v;   /* (n,WIDTH) */
    float *s;       /* (n,BLOCK) scores of a block */
    float *extreme; /* (2) largest and smallest key, for WIDTH 1 */
    float *dk, *dv; /* (n,WIDTH) */
    uint32_t *keep; /* (LANES_CHUNK, T/32 rounded up) */
};

/* The WIDTH that d_k and d_v take; 0: too wide. */
static long lanes_width(const struct attention *a)
{
    const long widest = a->d_k > a->d_v ? a->d_k : a->d_v;
    return widest <= 2 ? widest : widest <= LANES_MAX_WIDTH ? LANES_MAX_WIDTH : 0;
}

static size_t lanes_layout(const struct attention *a, void *scratch, struct lanes *g)
{
    struct pieces p = {scratch, 0};
    const long T = a->T;
    g->a = a;
    g->width = lanes_width(a);
    g->words = (T + 31) / 32;
    g->row = attention_row(a);
    g->o_row = a->H * a->d_v;
    g->skip = T * g->row;
    g->o_skip = T * g->o_row;
    g->shared = keys_shared(a);
    seen_keys_layout(T, &p, &g->seen);
    const size_t keys = p.used;
    g->k = piece(&p, T * g->width, sizeof(vf));
    g->v = piece(&p, T * g->width, sizeof(vf));
    g->s = piece(&p, T * LANES_MAX_BLOCK, sizeof(vf));
    g->extreme = piece(&p, 2, sizeof(vf));
    /* away from k and v, also modulo 4096: else a key's load waits for the last gradient's store */
    p.used += (keys + 1536 - p.used) % 4096;
    g->dk = piece(&p, T * g->width, sizeof(vf));
    g->dv = piece(&p, T * g->width, sizeof(vf));
    g->keep = piece(&p, LANES_CHUNK * g->words, sizeof(vu));
    return p.used;
}

/* row_load where the row of each sequence, `skip` numbers after the one before, holds its part. */
ALWAYS_INLINE void heads_load(const struct lanes *g, const float *row, long skip, long D,
                              const int WIDTH, vf *x)
{
    if (g->each == g->heads) {
        row_load(row, g->heads, D, WIDTH, x);
        return;
    }
    float whole[LANES_MAX_WIDTH * LANES] = {0};
    const long n = g->each * D;
    for (long at = 0; at < g->heads * D; at += n, row += skip)
        for (long c = 0; c < n; c += LANES)
            vstore_n(whole + at + c, n - c, vload_n(row + c, n - c));
    row_load(whole, g->heads, D, WIDTH, x);
}

/* The inverse. */
ALWAYS_INLINE void heads_store(const struct lanes *g, float *row, long skip, long D,
                               const int WIDTH, const vf *x)
{
    if (g->each == g->heads) {
        row_store(row, g->heads, D, WIDTH, x);
        return;
    }
    float whole[LANES_MAX_WIDTH * LANES] = {0};
    const long n = g->each * D;
    row_store(whole, g->heads, D, WIDTH, x);
    for (long at = 0; at < g->heads * D; at += n, row += skip)
        for (long c = 0; c < n; c += LANES)
            vstore_n(row + c, n - c, vload_n(whole + at + c, n - c));
}

/* Keys or values: the row of the first sequence -> x. column: of each head in a row. */
ALWAYS_INLINE void keys_load(const struct lanes *g, const float *row, const int32_t *column, long D,
                             const int WIDTH, vf *x)
{
    if (!g->shared) {
        heads_load(g, row + column[0], g->skip, D, WIDTH, x);
        return;
    }
    float lane[LANES_MAX_WIDTH][LANES] = {{0}};
    for (long first = 0; first < g->heads; first += g->each, row += g->skip)
        for (long h = 0; h < g->each; h++)
            for (int d = 0; d < WIDTH; d++)
                if (d < D)
                    lane[d][first + h] = row[column[h] + d];
    for (int d = 0; d < WIDTH; d++)
        x[d] = vload(lane[d]);
}

/* The inverse; what is shared is added up: first over neighbours that share it. */
ALWAYS_INLINE void keys_store(const struct lanes *g, float *row, const int32_t *column, long D,
                              const int WIDTH, const vf *x)
{
    if (!g->shared) {
        heads_store(g, row + column[0], g->skip, D, WIDTH, x);
        return;
    }
    for (int d = 0; d < WIDTH && d < D; d++) {
        float lane[LANES], *to = row + d, sum = 0;
        vstore(lane, x[d]);
        for (long first = 0; first < g->heads; first += g->each, to += g->skip) {
            for (long h = 0; h < g->each; h++) {
                sum += lane[first + h];
                if (h + 1 < g->each && column[h + 1] == column[h])
                    continue;
                to[column[h]] += sum;
                sum = 0;
            }
        }
    }
}

/* Every seen key's (heads,D) numbers -> (n,WIDTH,LANES). from: of the first sequence. */
ALWAYS_INLINE void lanes_pack_width(const struct lanes *g, const float *from, const int32_t *column,
                                    long D, const int WIDTH, float *to)
{
    for (long j = 0; j < g->seen.n; j++, to += WIDTH * LANES) {
        vf x[LANES_MAX_WIDTH];
        keys_load(g, from + g->seen.list[j] * g->row, column, D, WIDTH, x);
        for (int d = 0; d < WIDTH; d++)
            vstore(to + d * LANES, x[d]);
    }
}

/* The inverse, times scale. */
ALWAYS_INLINE void lanes_unpack_width(const struct lanes *g, const float *from,
                                      const int32_t *column, long D, const int WIDTH, float scale,
                                      float *to)
{
    for (long j = 0; j < g->seen.n; j++, from += WIDTH * LANES) {
        vf x[LANES_MAX_WIDTH];
        for (int d = 0; d < WIDTH; d++)
            x[d] = vload(from + d * LANES) * scale;
        keys_store(g, to + g->seen.list[j] * g->row, column, D, WIDTH, x);
    }
}

static void lanes_pack(const struct lanes *g, const float *from, const int32_t *column, long D,
                       float *to)
{
    if (g->width == 1)
        lanes_pack_width(g, from, column, D, 1, to);
    else if (g->width == 2)
        lanes_pack_width(g, from, column, D, 2, to);
    else
        lanes_pack_width(g, from, column, D, 4, to);
}

static void lanes_unpack(const struct lanes *g, const float *from, const int32_t *column, long D,
                         float scale, float *to)
{
    if (g->width == 1)
        lanes_unpack_width(g, from, column, D, 1, scale, to);
    else if (g->width == 2)
        lanes_unpack_width(g, from, column, D, 2, scale, to);
    else
        lanes_unpack_width(g, from, column, D, 4, scale, to);
}

/* The heads of the group that begins with head h of sequence b. */
static void lanes_take(struct lanes *g, long b, long h)
{
    const struct attention *a = g->a;
    const long left = a->B - b, fit = a->padding ? 1 : LANES / a->H;
    g->each = a->H - h < LANES ? a->H - h : LANES;
    g->heads = g->each * (fit <= 1 ? 1 : left < fit ? left : fit);
    for (long l = 0; l < (g->shared ? g->each : 1); l++) {
        g->key[l] = (int32_t)attention_key_column(a, attention_kv(a, h + l));
        g->value[l] = (int32_t)attention_value_column(a, attention_kv(a, h + l));
    }
}

#endif
