/* Attention with heads as lanes, for many narrow heads: LANES heads at a time, each lane runs its
 * own head from end to end. There is no horizontal step at all, so the cost of a head hardly
 * depends on its width, down to 1.
 *
 * BLOCK queries share every load of a key and a value. Blocks are compiled for a WIDTH of 1, 2 and
 * 4, so that their numbers live in registers; d_k and d_v are filled up to the next of these with
 * zeros. What goes around the blocks is compiled once. */
#ifndef ENGINE_KERNELS_SIMD_ATTENTION_LANES_H
#define ENGINE_KERNELS_SIMD_ATTENTION_LANES_H

#include "engine/kernels/simd_attention_tiles.h"
#include "engine/kernels/simd_heads.h"

enum {
    LANES_MAX_BLOCK = 4,
    LANES_CHUNK = 32 /* queries whose dropout bits are drawn at once; a multiple of every BLOCK */
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
    /* the group's first head at the sequence's first position: */
    const float *q, *o_in, *d_o;
    float *o, *dq;

    float *k, *v;   /* (n,WIDTH) */
    float *s;       /* (n,BLOCK) scores of a block */
    float *extreme; /* (2) largest and smallest key, for WIDTH 1 */
    float *lse;     /* (T rounded up to LANES) */
    float *dk, *dv; /* (n,WIDTH) */
    uint32_t *keep; /* (LANES_CHUNK, T/32 rounded up) */
    uint64_t *bits;
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
    g->row = a->H * (2 * a->d_k + a->d_v);
    g->o_row = a->H * a->d_v;
    g->skip = T * g->row;
    g->o_skip = T * g->o_row;
    g->seen.list = piece(&p, T, sizeof *g->seen.list);
    g->k = piece(&p, T * g->width, sizeof(vf));
    g->v = piece(&p, T * g->width, sizeof(vf));
    g->s = piece(&p, T * LANES_MAX_BLOCK, sizeof(vf));
    g->extreme = piece(&p, 2, sizeof(vf));
    g->lse = piece(&p, round_up(T, LANES), sizeof(vf));
    g->dk = piece(&p, T * g->width, sizeof(vf));
    g->dv = piece(&p, T * g->width, sizeof(vf));
    g->keep = piece(&p, LANES_CHUNK * g->words, sizeof(vu));
    g->bits = piece(&p, keep_buffer(LANES_CHUNK * T), sizeof *g->bits);
    return p.used;
}

/* The same where the row of each sequence, `skip` numbers after the one before, holds its part. */
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

ALWAYS_INLINE vf vdot(const vf *x, const float *y, const int WIDTH, vf sum)
{
    for (int d = 0; d < WIDTH; d++)
        sum += x[d] * vload(y + d * LANES);
    return sum;
}

/* The word that holds the dropout bits of (query, key). */
ALWAYS_INLINE vu lanes_keep(const struct lanes *g, long query, long key)
{
    return *(const vu_loose *)(g->keep + (query % LANES_CHUNK * g->words + key / 32) * LANES);
}

/* Largest scores of the BLOCK queries; unless WIDTH is 1, the scores themselves stay in g->s. */
ALWAYS_INLINE void lanes_scores(const struct lanes *g, const int BLOCK, const int WIDTH,
                                const vf q[][LANES_MAX_WIDTH], vf *top)
{
    if (WIDTH == 1) {
        /* q k is largest at the largest or at the smallest key */
        const vf high = vload(g->extreme), low = vload(g->extreme + LANES);
        for (int c = 0; c < BLOCK; c++)
            top[c] = vmax(q[c][0] * high, q[c][0] * low);
        return;
    }
    for (int c = 0; c < BLOCK; c++)
        top[c] = vset(-INFINITY);
    for (long j = 0; j < g->seen.n; j++) {
        for (int c = 0; c < BLOCK; c++) {
            vf s = vdot(q[c], g->k + j * WIDTH * LANES, WIDTH, vset(0));
            vstore(g->s + (j * BLOCK + c) * LANES, s);
            top[c] = vmax(top[c], s);
        }
    }
}

/* Queries i .. i+BLOCK-1: o and lse. */
ALWAYS_INLINE void lanes_forward_block(const struct lanes *g, long i, const int BLOCK,
                                       const int WIDTH, const bool drop)
{
    vf q[LANES_MAX_BLOCK][LANES_MAX_WIDTH], o[LANES_MAX_BLOCK][LANES_MAX_WIDTH];
    vf top[LANES_MAX_BLOCK], sum[LANES_MAX_BLOCK];
    for (int c = 0; c < BLOCK; c++) {
        heads_load(g, g->q + (i + c) * g->row, g->skip, g->a->d_k, WIDTH, q[c]);
        for (int d = 0; d < WIDTH; d++) {
            q[c][d] *= g->a->scale * LOG2_E;
            o[c][d] = vset(0);
        }
        sum[c] = vset(0);
    }
    lanes_scores(g, BLOCK, WIDTH, q, top);
    for (long j = 0; j < g->seen.n; j++) {
        const long key = drop ? g->seen.list[j] : 0;
        const vu bit = vkey_bit(key);
        for (int c = 0; c < BLOCK; c++) {
            vf p = vexp2(WIDTH == 1 ? q[c][0] * vload(g->k + j * LANES) - top[c]
                                    : vload(g->s + (j * BLOCK + c) * LANES) - top[c]);
            sum[c] += p;
            if (drop)
                p = vkeep_bit(lanes_keep(g, i + c, key), bit, p);
            for (int d = 0; d < WIDTH; d++)
                o[c][d] += p * vload(g->v + (j * WIDTH + d) * LANES);
        }
    }
    const bool blind = g->seen.n == 0;
    const float kept_scale = drop ? dropout_scale(&g->a->dropout) : 1;
    for (int c = 0; c < BLOCK; c++) {
        const vf inverse = blind ? vset(0) : kept_scale / sum[c];
        for (int d = 0; d < WIDTH; d++)
            o[c][d] *= inverse;
        heads_store(g, g->o + (i + c) * g->o_row, g->o_skip, g->a->d_v, WIDTH, o[c]);
        vstore(g->lse + (i + c) * LANES, blind ? vset(0) : top[c] * LN_2 + vlog(sum[c]));
    }
}

/* Queries i .. i+BLOCK-1: dq, and their share of dk and dv. q is loaded times scale log2(e), so dk
 * comes out times that and is put right at the end; d_o is loaded times dropout's scale. */
ALWAYS_INLINE void lanes_backward_block(const struct lanes *g, long i, const int BLOCK,
                                        const int WIDTH, const bool drop)
{
    const float scale = g->a->scale, kept_scale = drop ? dropout_scale(&g->a->dropout) : 1;
    vf q[LANES_MAX_BLOCK][LANES_MAX_WIDTH], dq[LANES_MAX_BLOCK][LANES_MAX_WIDTH];
    vf d_o[LANES_MAX_BLOCK][LANES_MAX_WIDTH], lse[LANES_MAX_BLOCK], delta[LANES_MAX_BLOCK];
    for (int c = 0; c < BLOCK; c++) {
        vf o[LANES_MAX_WIDTH];
        heads_load(g, g->q + (i + c) * g->row, g->skip, g->a->d_k, WIDTH, q[c]);
        heads_load(g, g->o_in + (i + c) * g->o_row, g->o_skip, g->a->d_v, WIDTH, o);
        heads_load(g, g->d_o + (i + c) * g->o_row, g->o_skip, g->a->d_v, WIDTH, d_o[c]);
        delta[c] = vset(0);
        for (int d = 0; d < WIDTH; d++) {
            delta[c] += o[d] * d_o[c][d];
            d_o[c][d] *= kept_scale;
            q[c][d] *= scale * LOG2_E;
            dq[c][d] = vset(0);
        }
        lse[c] = vload(g->lse + (i + c) * LANES) * LOG2_E;
    }
    for (long j = 0; j < g->seen.n; j++) {
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
            vf p = vexp2(vdot(q[c], k, WIDTH, -lse[c])), kept = p, dp;
            if (drop) {
                const vu word = lanes_keep(g, i + c, key);
                dp = vkeep_bit(word, bit, vdot(d_o[c], v, WIDTH, vset(0))) - delta[c];
                kept = vkeep_bit(word, bit, p);
            } else {
                dp = vdot(d_o[c], v, WIDTH, -delta[c]);
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
                keep_matrix(&a->dropout, a->dropout.first + (uint64_t)(((head + l) * T + i) * T),
                            queries, T, g->keep + l, g->words * LANES, LANES, g->bits);
        }
        const bool one = i + size > T;
        blocks[one](g, i);
        i += one ? 1 : size;
    }
}

/* Every seen key's (heads,D) numbers -> (n,WIDTH,LANES). */
ALWAYS_INLINE void lanes_pack_width(const struct lanes *g, const float *from, long D,
                                    const int WIDTH, float *to)
{
    for (long j = 0; j < g->seen.n; j++, to += WIDTH * LANES) {
        vf x[LANES_MAX_WIDTH];
        heads_load(g, from + g->seen.list[j] * g->row, g->skip, D, WIDTH, x);
        for (int d = 0; d < WIDTH; d++)
            vstore(to + d * LANES, x[d]);
    }
}

/* The inverse, times scale. */
ALWAYS_INLINE void lanes_unpack_width(const struct lanes *g, const float *from, long D,
                                      const int WIDTH, float scale, float *to)
{
    for (long j = 0; j < g->seen.n; j++, from += WIDTH * LANES) {
        vf x[LANES_MAX_WIDTH];
        for (int d = 0; d < WIDTH; d++)
            x[d] = vload(from + d * LANES) * scale;
        heads_store(g, to + g->seen.list[j] * g->row, g->skip, D, WIDTH, x);
    }
}

static void lanes_pack(const struct lanes *g, const float *from, long D, float *to)
{
    if (g->width == 1)
        lanes_pack_width(g, from, D, 1, to);
    else if (g->width == 2)
        lanes_pack_width(g, from, D, 2, to);
    else
        lanes_pack_width(g, from, D, 4, to);
}

static void lanes_unpack(const struct lanes *g, const float *from, long D, float scale, float *to)
{
    if (g->width == 1)
        lanes_unpack_width(g, from, D, 1, scale, to);
    else if (g->width == 2)
        lanes_unpack_width(g, from, D, 2, scale, to);
    else
        lanes_unpack_width(g, from, D, 4, scale, to);
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

/* lse (T,LANES) <-> saved (heads,T). */
static void lanes_lse_out(const struct lanes *g, float *saved)
{
    const long T = g->a->T;
    for (long i = 0; i < T; i += LANES) {
        vf tile[LANES];
        for (long l = 0; l < LANES; l++)
            tile[l] = vload(g->lse + (i + l) * LANES);
        vtranspose(tile);
        for (long l = 0; l < g->heads; l++)
            row_vector_set(saved + l * T, T, i, tile[l]);
    }
}

static void lanes_lse_in(const struct lanes *g, const float *saved)
{
    const long T = g->a->T;
    for (long i = 0; i < T; i += LANES) {
        vf tile[LANES];
        for (long l = 0; l < LANES; l++)
            tile[l] = l < g->heads ? row_vector(saved + l * T, T, i) : vset(0);
        vtranspose(tile);
        for (long l = 0; l < LANES; l++)
            vstore(g->lse + (i + l) * LANES, tile[l]);
    }
}

/* The heads of the group that begins with head h of sequence b. */
static void lanes_take(struct lanes *g, long b, long h)
{
    const struct attention *a = g->a;
    const long left = a->B - b, fit = a->padding ? 1 : LANES / a->H;
    g->each = a->H - h < LANES ? a->H - h : LANES;
    g->heads = g->each * (fit <= 1 ? 1 : left < fit ? left : fit);
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
        g.q = qkv + b * a->T * g.row + h * a->d_k;
        g.o = o + b * a->T * g.o_row + h * a->d_v;
        lanes_pack(&g, g.q + a->H * a->d_k, a->d_k, g.k);
        lanes_pack(&g, qkv + b * a->T * g.row + 2 * a->H * a->d_k + h * a->d_v, a->d_v, g.v);
        if (g.width == 1)
            lanes_extremes(&g);
        lanes_run(&g, head, w->size, w->forward[a->dropout.probability > 0]);
        lanes_lse_out(&g, saved + head * a->T);
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
        const long q = b * a->T * g.row + h * a->d_k, k = q + a->H * a->d_k;
        const long v = b * a->T * g.row + 2 * a->H * a->d_k + h * a->d_v;
        const long at = b * a->T * g.o_row + h * a->d_v;
        if (h == 0) {
            seen_keys_find(a, b, &g.seen);
            if (g.seen.n < a->T)
                memset(dqkv + b * a->T * g.row, 0, (size_t)(a->T * g.row) * sizeof *dqkv);
        }
        lanes_take(&g, b, h);
        g.q = qkv + q;
        g.dq = dqkv + q;
        g.o_in = o + at;
        g.d_o = d_o + at;
        lanes_pack(&g, qkv + k, a->d_k, g.k);
        lanes_pack(&g, qkv + v, a->d_v, g.v);
        lanes_lse_in(&g, saved + head * a->T);
        memset(g.dk, 0, (size_t)(g.seen.n * g.width) * sizeof(vf));
        memset(g.dv, 0, (size_t)(g.seen.n * g.width) * sizeof(vf));
        lanes_run(&g, head, w->size, w->backward[a->dropout.probability > 0]);
        lanes_unpack(&g, g.dk, a->d_k, LN_2, dqkv + k);
        lanes_unpack(&g, g.dv, a->d_v, 1, dqkv + v);
    }
}

#endif
