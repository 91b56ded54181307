/* Attention with heads as lanes, for many narrow heads: LANES heads at a time, each lane runs its
 * own head from end to end. There is no horizontal step at all, so the cost of a head hardly
 * depends on its width, down to 1.
 *
 * BLOCK queries share every load of a key and a value. Blocks are compiled for a WIDTH of 1, 2 and
 * 4, so that their numbers live in registers; d_k and d_v are filled up to the next of these with
 * zeros. What goes around the blocks is compiled once. */
#ifndef ENGINE_KERNELS_SIMD_ATTENTION_LANES_H
#define ENGINE_KERNELS_SIMD_ATTENTION_LANES_H

#include "engine/kernels/simd_lanes.h"
#include "engine/kernels/simd_math.h"

ALWAYS_INLINE vf vdot_add(const vf *x, const float *y, const int WIDTH, vf sum)
{
    for (int d = 0; d < WIDTH; d++)
        sum += x[d] * vload(y + d * LANES);
    return sum;
}

ALWAYS_INLINE vf vdot(const vf *x, const float *y, const int WIDTH)
{
    return vdot_add(x + 1, y + LANES, WIDTH - 1, x[0] * vload(y));
}

/* The word that holds the dropout bits of (query, key). */
ALWAYS_INLINE vu lanes_keep(const struct lanes *g, long query, long key)
{
    return *(const vu_loose *)(g->keep + (query % LANES_CHUNK * g->words + key / 32) * LANES);
}

/* Keys from..to-1 of a block of queries i .. i+BLOCK-1. Of a diagonal part, which begins behind the
 * first query, each query sees the keys up to its own position. */
struct lanes_part {
    long i, from, to;
    bool diagonal;
};

ALWAYS_INLINE bool lanes_sees(const struct lanes *g, const struct lanes_part *part, int c, long j)
{
    return !part->diagonal || g->seen.list[j] <= part->i + c;
}

/* Largest scores of the BLOCK queries; unless WIDTH is 1, the scores themselves stay in g->s. */
ALWAYS_INLINE void lanes_scores(const struct lanes *g, const struct lanes_part part,
                                const int BLOCK, const int WIDTH, const vf q[][LANES_MAX_WIDTH],
                                vf *top)
{
    for (long j = part.from; j < part.to; j++) {
        for (int c = 0; c < BLOCK; c++) {
            if (!lanes_sees(g, &part, c, j))
                continue;
            vf s = vdot(q[c], g->k + j * WIDTH * LANES, WIDTH);
            if (WIDTH > 1)
                vstore(g->s + (j * BLOCK + c) * LANES, s);
            top[c] = vmax(top[c], s);
        }
    }
}

ALWAYS_INLINE void lanes_forward_part(const struct lanes *g, const struct lanes_part part,
                                      const int BLOCK, const int WIDTH, const bool drop,
                                      const vf q[][LANES_MAX_WIDTH], const vf *top, vf *sum,
                                      vf o[][LANES_MAX_WIDTH])
{
    for (long j = part.from; j < part.to; j++) {
        const long key = drop ? g->seen.list[j] : 0;
        const vu bit = vkey_bit(key);
        for (int c = 0; c < BLOCK; c++) {
            if (!lanes_sees(g, &part, c, j))
                continue;
            const vf s = WIDTH == 1 ? vdot(q[c], g->k + j * LANES, 1)
                                    : vload(g->s + (j * BLOCK + c) * LANES);
            vf p = vexp2(s - top[c]);
            sum[c] += p;
            if (drop)
                p = vkeep_bit(lanes_keep(g, part.i + c, key), bit, p);
            for (int d = 0; d < WIDTH; d++)
                o[c][d] += p * vload(g->v + (j * WIDTH + d) * LANES);
        }
    }
}

/* Queries i .. i+BLOCK-1: o and saved. */
ALWAYS_INLINE void lanes_forward_block(const struct lanes *g, long i, const int BLOCK,
                                       const int WIDTH, const bool drop)
{
    const int32_t *upto = g->seen.upto + i;
    const struct lanes_part all = {i, 0, upto[0], false};
    const struct lanes_part diagonal = {i, upto[0], upto[BLOCK - 1], true};
    vf q[LANES_MAX_BLOCK][LANES_MAX_WIDTH], o[LANES_MAX_BLOCK][LANES_MAX_WIDTH];
    vf top[LANES_MAX_BLOCK], sum[LANES_MAX_BLOCK];
    for (int c = 0; c < BLOCK; c++) {
        heads_load(g, g->q + (i + c) * g->row, g->skip, g->a->d_k, WIDTH, q[c]);
        for (int d = 0; d < WIDTH; d++) {
            q[c][d] *= g->a->scale * LOG2_E;
            o[c][d] = vset(0);
        }
        sum[c] = vset(0);
        top[c] = vset(-INFINITY);
    }
    if (WIDTH == 1 && !g->a->causal) {
        /* q k is largest at the largest or at the smallest key */
        const vf high = vload(g->extreme), low = vload(g->extreme + LANES);
        for (int c = 0; c < BLOCK; c++)
            top[c] = vmax(q[c][0] * high, q[c][0] * low);
    } else {
        lanes_scores(g, all, BLOCK, WIDTH, q, top);
        lanes_scores(g, diagonal, BLOCK, WIDTH, q, top);
    }
    lanes_forward_part(g, all, BLOCK, WIDTH, drop, q, top, sum, o);
    lanes_forward_part(g, diagonal, BLOCK, WIDTH, drop, q, top, sum, o);
    const float kept_scale = drop ? dropout_scale(&g->a->dropout) : 1;
    for (int c = 0; c < BLOCK; c++) {
        const bool blind = upto[c] == 0;
        const vf inverse = blind ? vset(0) : kept_scale / sum[c];
        for (int d = 0; d < WIDTH; d++)
            o[c][d] *= inverse;
        heads_store(g, g->o + (i + c) * g->o_row, g->o_skip, g->a->d_v, WIDTH, o[c]);
        float *saved = g->saved + (i + c) * ATTENTION_SAVED * g->heads;
        vstore_n(saved, g->heads, top[c]);
        vstore_n(saved + g->heads, g->heads, inverse);
    }
}

ALWAYS_INLINE void lanes_backward_part(const struct lanes *g, const struct lanes_part part,
                                       const int BLOCK, const int WIDTH, const bool drop,
                                       const vf q[][LANES_MAX_WIDTH],
                                       const vf d_o[][LANES_MAX_WIDTH], const vf *top,
                                       const vf *delta, vf dq[][LANES_MAX_WIDTH])
{
    for (long j = part.from; j < part.to; j++) {
        const long key = drop ? g->seen.list[j] : 0;
        const vu bit = vkey_bit(key);
        const float *k = g->k + j * WIDTH * LANES, *v = g->v + j * WIDTH * LANES;
        float *dk_row = g->dk + j * WIDTH * LANES, *dv_row = g->dv + j * WIDTH * LANES;
        vf dk[LANES_MAX_WIDTH], dv[LANES_MAX_WIDTH];
        for (int d = 0; d < WIDTH; d++) {
            dk[d] = vload(dk_row + d * LANES);
            dv[d] = vload(dv_row + d * LANES);
        }
        for (int c = 0; c < BLOCK; c++) {
            if (!lanes_sees(g, &part, c, j))
                continue;
            /* as forward, to the bit: else weights of large scores would not add up to 1 */
            const vf p = vexp2(vdot(q[c], k, WIDTH) - top[c]);
            vf kept = p, dp;
            if (drop) {
                const vu word = lanes_keep(g, part.i + c, key);
                dp = vkeep_bit(word, bit, vdot(d_o[c], v, WIDTH)) - delta[c];
                kept = vkeep_bit(word, bit, p);
            } else {
                dp = vdot_add(d_o[c], v, WIDTH, -delta[c]);
            }
            const vf ds = p * dp;
            for (int d = 0; d < WIDTH; d++) {
                dq[c][d] += ds * vload(k + d * LANES);
                dk[d] += ds * q[c][d];
                dv[d] += kept * d_o[c][d];
            }
        }
        for (int d = 0; d < WIDTH; d++) {
            vstore(dk_row + d * LANES, dk[d]);
            vstore(dv_row + d * LANES, dv[d]);
        }
    }
}

/* Queries i .. i+BLOCK-1: dq, and their share of dk and dv. q is loaded times scale log2(e), so dk
 * comes out times that and is put right at the end; d_o is loaded times what makes weights, scaled
 * for dropout, of 2^(s - top): these need it no more. */
ALWAYS_INLINE void lanes_backward_block(const struct lanes *g, long i, const int BLOCK,
                                        const int WIDTH, const bool drop)
{
    const int32_t *upto = g->seen.upto + i;
    const struct lanes_part all = {i, 0, upto[0], false};
    const struct lanes_part diagonal = {i, upto[0], upto[BLOCK - 1], true};
    const float scale = g->a->scale, kept_scale = drop ? dropout_scale(&g->a->dropout) : 1;
    vf q[LANES_MAX_BLOCK][LANES_MAX_WIDTH], dq[LANES_MAX_BLOCK][LANES_MAX_WIDTH];
    vf d_o[LANES_MAX_BLOCK][LANES_MAX_WIDTH], top[LANES_MAX_BLOCK], delta[LANES_MAX_BLOCK];
    for (int c = 0; c < BLOCK; c++) {
        const float *saved = g->saved_in + (i + c) * ATTENTION_SAVED * g->heads;
        const vf inverse = vload_n(saved + g->heads, g->heads);
        vf o[LANES_MAX_WIDTH];
        heads_load(g, g->q + (i + c) * g->row, g->skip, g->a->d_k, WIDTH, q[c]);
        heads_load(g, g->o_in + (i + c) * g->o_row, g->o_skip, g->a->d_v, WIDTH, o);
        heads_load(g, g->d_o + (i + c) * g->o_row, g->o_skip, g->a->d_v, WIDTH, d_o[c]);
        top[c] = vload_n(saved, g->heads);
        delta[c] = vset(0);
        for (int d = 0; d < WIDTH; d++) {
            d_o[c][d] *= inverse;
            delta[c] += o[d] * d_o[c][d];
            q[c][d] *= scale * LOG2_E;
            dq[c][d] = vset(0);
        }
        delta[c] *= 1 / kept_scale;
    }
    lanes_backward_part(g, all, BLOCK, WIDTH, drop, q, d_o, top, delta, dq);
    lanes_backward_part(g, diagonal, BLOCK, WIDTH, drop, q, d_o, top, delta, dq);
    for (int c = 0; c < BLOCK; c++) {
        for (int d = 0; d < WIDTH; d++)
            dq[c][d] *= scale;
        heads_store(g, g->dq + (i + c) * g->row, g->skip, g->a->d_k, WIDTH, dq[c]);
    }
}

typedef void lanes_block(const struct lanes *g, long i);

/* Each works on a copy of g that no store can alias, so that its fields stay in registers. */
#define LANES_BLOCK(direction, drop_word, block, width, drop)                                      \
    static void direction##drop_word##_##width##_by_##block(const struct lanes *g, long i)         \
    {                                                                                              \
        const struct lanes own = *g;                                                               \
        lanes_##direction##_block(&own, i, block, width, drop);                                    \
    }
#define LANES_BLOCKS(block, width)                                                                 \
    LANES_BLOCK(forward, , block, width, false)                                                    \
    LANES_BLOCK(forward, _drop, block, width, true)                                                \
    LANES_BLOCK(backward, , block, width, false)                                                   \
    LANES_BLOCK(backward, _drop, block, width, true)
LANES_BLOCKS(4, 1)
LANES_BLOCKS(1, 1)
LANES_BLOCKS(4, 2)
LANES_BLOCKS(1, 2)
LANES_BLOCKS(2, 4)
LANES_BLOCKS(1, 4)

/* The blocks of a width: `size` queries at once, and one for what is left. */
struct lanes_blocks {
    long width, size;
    lanes_block *forward[2][2], *backward[2][2]; /* [dropout][one] */
};
static const struct lanes_blocks lanes_blocks[] = {
    {1,
     4,
     {{forward_1_by_4, forward_1_by_1}, {forward_drop_1_by_4, forward_drop_1_by_1}},
     {{backward_1_by_4, backward_1_by_1}, {backward_drop_1_by_4, backward_drop_1_by_1}}},
    {2,
     4,
     {{forward_2_by_4, forward_2_by_1}, {forward_drop_2_by_4, forward_drop_2_by_1}},
     {{backward_2_by_4, backward_2_by_1}, {backward_drop_2_by_4, backward_drop_2_by_1}}},
    {4,
     2,
     {{forward_4_by_2, forward_4_by_1}, {forward_drop_4_by_2, forward_drop_4_by_1}},
     {{backward_4_by_2, backward_4_by_1}, {backward_drop_4_by_2, backward_drop_4_by_1}}},
};

static const struct lanes_blocks *lanes_blocks_of(long width)
{
    const struct lanes_blocks *w = lanes_blocks;
    while (w->width != width)
        w++;
    return w;
}

/* All queries of the group whose first head is `head` (counted over sequences and heads). */
static void lanes_run(const struct lanes *g, long head, long size, lanes_block *const blocks[2])
{
    const struct attention *a = g->a;
    const long T = a->T;
    for (long i = 0; i < T;) {
        if (a->dropout.probability > 0 && i % LANES_CHUNK == 0) {
            const long queries = T - i < LANES_CHUNK ? T - i : LANES_CHUNK;
            for (long l = 0; l < g->heads; l++)
                keep_queries(a, head + l, i, queries, g->keep + l, g->words * LANES, LANES);
        }
        const bool one = i + size > T;
        blocks[one](g, i);
        i += one ? 1 : size;
    }
}

/* Largest and smallest key of every lane, for heads of width 1. */
static void lanes_extremes(const struct lanes *g)
{
    vf high = vset(-INFINITY), low = high; /* low: of -k */
    for (long j = 0; j < g->seen.n; j++) {
        high = vmax(high, vload(g->k + j * LANES));
        low = vmax(low, -vload(g->k + j * LANES));
    }
    vstore(g->extreme, high);
    vstore(g->extreme + LANES, -low);
}

static void lanes_forward(const struct attention *a, const float *qkv, float *o, float *saved,
                          void *scratch)
{
    struct lanes g;
    lanes_layout(a, scratch, &g);
    const struct lanes_blocks *w = lanes_blocks_of(g.width);
    for (long head = 0; head < a->B * a->H; head += g.heads) {
        const long b = head / a->H, h = head % a->H;
        if (h == 0)
            seen_keys_find(a, b, &g.seen);
        lanes_take(&g, b, h);
        const float *x = qkv + b * g.skip;
        g.q = x + h * a->d_k;
        g.o = o + b * g.o_skip + h * a->d_v;
        g.saved = saved + head * a->T * ATTENTION_SAVED;
        lanes_pack(&g, x, g.key, a->d_k, g.k);
        lanes_pack(&g, x, g.value, a->d_v, g.v);
        if (g.width == 1)
            lanes_extremes(&g);
        lanes_run(&g, head, w->size, w->forward[a->dropout.probability > 0]);
    }
}

static void lanes_backward(const struct attention *a, const float *qkv, const float *o,
                           const float *saved, const float *d_o, float *dqkv, void *scratch)
{
    struct lanes g;
    lanes_layout(a, scratch, &g);
    const struct lanes_blocks *w = lanes_blocks_of(g.width);
    for (long head = 0; head < a->B * a->H; head += g.heads) {
        const long b = head / a->H, h = head % a->H;
        const long at = b * g.o_skip + h * a->d_v;
        const float *x = qkv + b * g.skip;
        float *dx = dqkv + b * g.skip;
        if (h == 0)
            seen_keys_find(a, b, &g.seen);
        lanes_take(&g, b, h);
        if (h == 0)
            gradients_clear(a, b, g.heads / g.each, &g.seen, dqkv);
        g.q = x + h * a->d_k;
        g.dq = dx + h * a->d_k;
        g.o_in = o + at;
        g.d_o = d_o + at;
        g.saved_in = saved + head * a->T * ATTENTION_SAVED;
        lanes_pack(&g, x, g.key, a->d_k, g.k);
        lanes_pack(&g, x, g.value, a->d_v, g.v);
        memset(g.dk, 0, (size_t)(g.seen.n * g.width) * sizeof(vf));
        memset(g.dv, 0, (size_t)(g.seen.n * g.width) * sizeof(vf));
        lanes_run(&g, head, w->size, w->backward[a->dropout.probability > 0]);
        lanes_unpack(&g, g.dk, g.key, a->d_k, LN_2, dx);
        lanes_unpack(&g, g.dv, g.value, a->d_v, 1, dx);
    }
}

#endif
