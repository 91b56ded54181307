/* Attention with heads as lanes, for many narrow heads: LANES heads at a time, each lane runs its
 * own head from end to end. There is no horizontal step at all, so the cost of a head hardly
 * depends on its width, down to 1.
 *
 * DK and DV stand for d_k and d_v; BLOCK queries share every load of a key and a value. Where the
 * three are constants, a block's numbers live in registers. */
#ifndef ENGINE_KERNELS_SIMD_ATTENTION_LANES_H
#define ENGINE_KERNELS_SIMD_ATTENTION_LANES_H

#include "engine/kernels/simd_attention_tiles.h"

enum {
    LANES_MAX_WIDTH = 8, /* widest head taken this way */
    LANES_MAX_BLOCK = 4,
    LANES_CHUNK = 32 /* queries whose dropout bits are drawn at once */
};

/* LANES heads of one sequence. Every array ends with a dimension of LANES. */
struct lanes {
    struct seen_keys seen;
    long heads;     /* of this group, <= LANES */
    float *k, *v;   /* (n,DK), (n,DV) */
    float *s;       /* (n,BLOCK) */
    float *lse;     /* (T rounded up to LANES) */
    float *dk, *dv; /* (n,DK), (n,DV) */
    uint32_t *keep; /* (LANES_CHUNK, T/32 rounded up) */
    uint64_t *bits;
};

static size_t lanes_layout(const struct attention *a, void *scratch, struct lanes *g)
{
    struct pieces p = {scratch, 0};
    const long T = a->T, words = (T + 31) / 32;
    g->seen.list = piece(&p, T, sizeof *g->seen.list);
    g->k = piece(&p, T * a->d_k, sizeof(vf));
    g->v = piece(&p, T * a->d_v, sizeof(vf));
    g->s = piece(&p, T * LANES_MAX_BLOCK, sizeof(vf));
    g->lse = piece(&p, round_up(T, LANES), sizeof(vf));
    g->dk = piece(&p, T * a->d_k, sizeof(vf));
    g->dv = piece(&p, T * a->d_v, sizeof(vf));
    g->keep = piece(&p, LANES_CHUNK * words, sizeof(vu));
    g->bits = piece(&p, keep_buffer(LANES_CHUNK * T), sizeof *g->bits);
    return p.used;
}

/* The vector that begins at `at` of a row of n numbers, zeros past its end. */
ALWAYS_INLINE vf row_vector(const float *row, long n, long at)
{
    return n - at >= LANES ? vload(row + at) : n > at ? vload_n(row + at, n - at) : vset(0);
}

ALWAYS_INLINE void row_vector_set(float *row, long n, long at, vf x)
{
    if (n - at >= LANES)
        vstore(row + at, x);
    else if (n > at)
        vstore_n(row + at, n - at, x);
}

/* row (heads,D) -> x[d], heads in lanes. */
ALWAYS_INLINE void heads_load(const float *row, long heads, const int D, vf *x)
{
    const long n = heads * D;
    if (D == 1) {
        x[0] = row_vector(row, n, 0);
    } else if (D == 2) {
        vunzip(row_vector(row, n, 0), row_vector(row, n, LANES), &x[0], &x[1]);
    } else if (D == 4) {
        vf even[2], odd[2];
        for (int i = 0; i < 2; i++)
            vunzip(row_vector(row, n, 2 * i * LANES), row_vector(row, n, (2 * i + 1) * LANES),
                   &even[i], &odd[i]);
        vunzip(even[0], even[1], &x[0], &x[2]);
        vunzip(odd[0], odd[1], &x[1], &x[3]);
    } else {
        for (int d = 0; d < D; d++) {
            float lane[LANES] = {0};
            for (long h = 0; h < heads; h++)
                lane[h] = row[h * D + d];
            x[d] = vload(lane);
        }
    }
}

/* The inverse. */
ALWAYS_INLINE void heads_store(float *row, long heads, const int D, const vf *x)
{
    const long n = heads * D;
    if (D == 1) {
        row_vector_set(row, n, 0, x[0]);
    } else if (D == 2) {
        vf part[2];
        vzip(x[0], x[1], &part[0], &part[1]);
        for (int i = 0; i < 2; i++)
            row_vector_set(row, n, i * LANES, part[i]);
    } else if (D == 4) {
        vf even[2], odd[2], part[2];
        vzip(x[0], x[2], &even[0], &even[1]);
        vzip(x[1], x[3], &odd[0], &odd[1]);
        for (int i = 0; i < 2; i++) {
            vzip(even[i], odd[i], &part[0], &part[1]);
            row_vector_set(row, n, 2 * i * LANES, part[0]);
            row_vector_set(row, n, (2 * i + 1) * LANES, part[1]);
        }
    } else {
        for (int d = 0; d < D; d++) {
            float lane[LANES];
            vstore(lane, x[d]);
            for (long h = 0; h < heads; h++)
                row[h * D + d] = lane[h];
        }
    }
}

ALWAYS_INLINE vf vdot(const vf *x, const float *y, const int D, vf sum)
{
#pragma GCC unroll 4
    for (int d = 0; d < D; d++)
        sum += x[d] * vload(y + d * LANES);
    return sum;
}

ALWAYS_INLINE vu lanes_keep(const struct lanes *g, long T, long query, long key)
{
    return *(const vu_loose *)(g->keep + (query * ((T + 31) / 32) + key / 32) * LANES);
}

/* Bits of queries i .. i+queries-1 of the group's heads; the first head of the group is `head`. */
static void lanes_draw(const struct attention *a, const struct lanes *g, long head, long i,
                       long queries)
{
    const long words = (a->T + 31) / 32;
    for (long l = 0; l < g->heads; l++)
        keep_matrix(&a->dropout, a->dropout.first + (uint64_t)(((head + l) * a->T + i) * a->T),
                    queries, a->T, g->keep + l, words * LANES, LANES, g->bits);
}

/* BLOCK queries from i on: their largest scores, and for wider heads the scores themselves. */
ALWAYS_INLINE void lanes_scores(const struct lanes *g, const int BLOCK, const int DK,
                                const vf q[][LANES_MAX_WIDTH], vf *top)
{
    for (int c = 0; c < BLOCK; c++)
        top[c] = vset(-INFINITY);
    if (DK == 1) {
        /* q k is largest at the largest or at the smallest key */
        vf high = vset(-INFINITY), low = vset(INFINITY);
        for (long j = 0; j < g->seen.n; j++) {
            high = vmax(high, vload(g->k + j * LANES));
            low = vmin(low, vload(g->k + j * LANES));
        }
        for (int c = 0; c < BLOCK; c++)
            top[c] = vmax(q[c][0] * high, q[c][0] * low);
        return;
    }
    for (long j = 0; j < g->seen.n; j++) {
        for (int c = 0; c < BLOCK; c++) {
            vf s = vdot(q[c], g->k + j * DK * LANES, DK, vset(0));
            vstore(g->s + (j * BLOCK + c) * LANES, s);
            top[c] = vmax(top[c], s);
        }
    }
}

ALWAYS_INLINE void lanes_forward_block(const struct attention *a, const struct lanes *g, long i,
                                       const float *q_rows, float *o_rows, const int BLOCK,
                                       const int DK, const int DV, const bool drop)
{
    const long row = a->H * (2 * a->d_k + a->d_v), o_row = a->H * a->d_v;
    vf q[LANES_MAX_BLOCK][LANES_MAX_WIDTH], o[LANES_MAX_BLOCK][LANES_MAX_WIDTH];
    vf top[LANES_MAX_BLOCK], sum[LANES_MAX_BLOCK];
    for (int c = 0; c < BLOCK; c++) {
        heads_load(q_rows + (i + c) * row, g->heads, DK, q[c]);
        for (int d = 0; d < DK; d++)
            q[c][d] *= a->scale * LOG2_E;
        for (int d = 0; d < DV; d++)
            o[c][d] = vset(0);
        sum[c] = vset(0);
    }
    lanes_scores(g, BLOCK, DK, q, top);
    for (long j = 0; j < g->seen.n; j++) {
        const long key = g->seen.list[j];
        for (int c = 0; c < BLOCK; c++) {
            vf p = vexp2(DK == 1 ? q[c][0] * vload(g->k + j * LANES) - top[c]
                                 : vload(g->s + (j * BLOCK + c) * LANES) - top[c]);
            sum[c] += p;
            if (drop)
                p = vkeep_bit(lanes_keep(g, a->T, i % LANES_CHUNK + c, key), key, p);
            for (int d = 0; d < DV; d++)
                o[c][d] += p * vload(g->v + (j * DV + d) * LANES);
        }
    }
    const float kept_scale = drop ? dropout_scale(&a->dropout) : 1;
    for (int c = 0; c < BLOCK; c++) {
        const vf inverse = g->seen.n ? kept_scale / sum[c] : vset(0);
        for (int d = 0; d < DV; d++)
            o[c][d] *= inverse;
        heads_store(o_rows + (i + c) * o_row, g->heads, DV, o[c]);
        vstore(g->lse + (i + c) * LANES, g->seen.n ? top[c] * LN_2 + vlog(sum[c]) : vset(0));
    }
}

/* lse (T,LANES) <-> saved (heads,T). */
static void lanes_lse_out(const struct lanes *g, long T, float *saved)
{
    for (long i = 0; i < T; i += LANES) {
        vf tile[LANES];
        for (long l = 0; l < LANES; l++)
            tile[l] = vload(g->lse + (i + l) * LANES);
        vtranspose(tile);
        for (long l = 0; l < g->heads; l++)
            row_vector_set(saved + l * T, T, i, tile[l]);
    }
}

static void lanes_lse_in(const struct lanes *g, long T, const float *saved)
{
    for (long i = 0; i < T; i += LANES) {
        vf tile[LANES];
        for (long l = 0; l < LANES; l++)
            tile[l] = l < g->heads ? row_vector(saved + l * T, T, i) : vset(0);
        vtranspose(tile);
        for (long l = 0; l < LANES; l++)
            vstore(g->lse + (i + l) * LANES, tile[l]);
    }
}

/* Keys and values of the group that starts at head h of sequence b. */
ALWAYS_INLINE void lanes_pack(const struct attention *a, const struct lanes *g, const float *qkv,
                              long b, long h, const int DK, const int DV)
{
    const long row = a->H * (2 * a->d_k + a->d_v);
    for (long j = 0; j < g->seen.n; j++) {
        const float *from = qkv + (b * a->T + g->seen.list[j]) * row + a->H * a->d_k;
        vf x[LANES_MAX_WIDTH];
        heads_load(from + h * a->d_k, g->heads, DK, x);
        for (int d = 0; d < DK; d++)
            vstore(g->k + (j * DK + d) * LANES, x[d]);
        heads_load(from + a->H * a->d_k + h * a->d_v, g->heads, DV, x);
        for (int d = 0; d < DV; d++)
            vstore(g->v + (j * DV + d) * LANES, x[d]);
    }
}

ALWAYS_INLINE void lanes_forward(const struct attention *a, const float *qkv, float *o,
                                 float *saved, void *scratch, const int BLOCK, const int DK,
                                 const int DV, const bool drop)
{
    struct lanes g;
    lanes_layout(a, scratch, &g);
    const long row = a->H * (2 * a->d_k + a->d_v);
    for (long b = 0; b < a->B; b++) {
        seen_keys_find(a, b, &g.seen);
        for (long h = 0; h < a->H; h += LANES) {
            const float *q_rows = qkv + b * a->T * row + h * a->d_k;
            float *o_rows = o + (b * a->T * a->H + h) * a->d_v;
            g.heads = a->H - h < LANES ? a->H - h : LANES;
            lanes_pack(a, &g, qkv, b, h, DK, DV);
            for (long i = 0; i < a->T;) {
                if (drop && i % LANES_CHUNK == 0)
                    lanes_draw(a, &g, b * a->H + h, i,
                               a->T - i < LANES_CHUNK ? a->T - i : LANES_CHUNK);
                if (i + BLOCK <= a->T) {
                    lanes_forward_block(a, &g, i, q_rows, o_rows, BLOCK, DK, DV, drop);
                    i += BLOCK;
                } else {
                    lanes_forward_block(a, &g, i, q_rows, o_rows, 1, DK, DV, drop);
                    i++;
                }
            }
            lanes_lse_out(&g, a->T, saved + (b * a->H + h) * a->T);
        }
    }
}

/* With c the scale of the scores: q is loaded times c log2(e), so dk comes out times that and is
 * put right at the end; do is loaded times dropout's scale. */
ALWAYS_INLINE void lanes_backward_block(const struct attention *a, const struct lanes *g, long i,
                                        const float *q_rows, const float *o_rows,
                                        const float *do_rows, float *dq_rows, const int BLOCK,
                                        const int DK, const int DV, const bool drop)
{
    const long row = a->H * (2 * a->d_k + a->d_v), o_row = a->H * a->d_v;
    const float kept_scale = drop ? dropout_scale(&a->dropout) : 1;
    vf q[LANES_MAX_BLOCK][LANES_MAX_WIDTH], dq[LANES_MAX_BLOCK][LANES_MAX_WIDTH];
    vf d_o[LANES_MAX_BLOCK][LANES_MAX_WIDTH], lse[LANES_MAX_BLOCK], delta[LANES_MAX_BLOCK];
    for (int c = 0; c < BLOCK; c++) {
        vf o[LANES_MAX_WIDTH];
        heads_load(q_rows + (i + c) * row, g->heads, DK, q[c]);
        heads_load(o_rows + (i + c) * o_row, g->heads, DV, o);
        heads_load(do_rows + (i + c) * o_row, g->heads, DV, d_o[c]);
        delta[c] = vset(0);
        for (int d = 0; d < DV; d++) {
            delta[c] += o[d] * d_o[c][d];
            d_o[c][d] *= kept_scale;
        }
        for (int d = 0; d < DK; d++) {
            q[c][d] *= a->scale * LOG2_E;
            dq[c][d] = vset(0);
        }
        lse[c] = vload(g->lse + (i + c) * LANES) * LOG2_E;
    }
    for (long j = 0; j < g->seen.n; j++) {
        const long key = g->seen.list[j];
        const float *k = g->k + j * DK * LANES, *v = g->v + j * DV * LANES;
        vf dk[LANES_MAX_WIDTH], dv[LANES_MAX_WIDTH];
        for (int d = 0; d < DK; d++)
            dk[d] = vload(g->dk + (j * DK + d) * LANES);
        for (int d = 0; d < DV; d++)
            dv[d] = vload(g->dv + (j * DV + d) * LANES);
        for (int c = 0; c < BLOCK; c++) {
            vf p = vexp2(vdot(q[c], k, DK, -lse[c])), seen = p, dp;
            if (drop) {
                const vu words = lanes_keep(g, a->T, i % LANES_CHUNK + c, key);
                dp = vkeep_bit(words, key, vdot(d_o[c], v, DV, vset(0))) - delta[c];
                seen = vkeep_bit(words, key, p);
            } else {
                dp = vdot(d_o[c], v, DV, -delta[c]);
            }
            const vf ds = p * dp;
            for (int d = 0; d < DK; d++) {
                dq[c][d] += ds * vload(k + d * LANES);
                dk[d] += ds * q[c][d];
            }
            for (int d = 0; d < DV; d++)
                dv[d] += seen * d_o[c][d];
        }
        for (int d = 0; d < DK; d++)
            vstore(g->dk + (j * DK + d) * LANES, dk[d]);
        for (int d = 0; d < DV; d++)
            vstore(g->dv + (j * DV + d) * LANES, dv[d]);
    }
    for (int c = 0; c < BLOCK; c++) {
        for (int d = 0; d < DK; d++)
            dq[c][d] *= a->scale;
        heads_store(dq_rows + (i + c) * row, g->heads, DK, dq[c]);
    }
}

ALWAYS_INLINE void lanes_unpack(const struct attention *a, const struct lanes *g, float *dqkv,
                                long b, long h, const int DK, const int DV)
{
    const long row = a->H * (2 * a->d_k + a->d_v);
    for (long j = 0; j < g->seen.n; j++) {
        float *to = dqkv + (b * a->T + g->seen.list[j]) * row + a->H * a->d_k;
        vf x[LANES_MAX_WIDTH];
        for (int d = 0; d < DK; d++)
            x[d] = vload(g->dk + (j * DK + d) * LANES) * LN_2;
        heads_store(to + h * a->d_k, g->heads, DK, x);
        for (int d = 0; d < DV; d++)
            x[d] = vload(g->dv + (j * DV + d) * LANES);
        heads_store(to + a->H * a->d_k + h * a->d_v, g->heads, DV, x);
    }
}

ALWAYS_INLINE void lanes_backward(const struct attention *a, const float *qkv, const float *o,
                                  const float *saved, const float *d_o, float *dqkv, void *scratch,
                                  const int BLOCK, const int DK, const int DV, const bool drop)
{
    struct lanes g;
    lanes_layout(a, scratch, &g);
    const long row = a->H * (2 * a->d_k + a->d_v);
    for (long b = 0; b < a->B; b++) {
        seen_keys_find(a, b, &g.seen);
        if (g.seen.n < a->T)
            memset(dqkv + b * a->T * row, 0, (size_t)(a->T * row) * sizeof *dqkv);
        for (long h = 0; h < a->H; h += LANES) {
            const long q = b * a->T * row + h * a->d_k, at = (b * a->T * a->H + h) * a->d_v;
            g.heads = a->H - h < LANES ? a->H - h : LANES;
            lanes_pack(a, &g, qkv, b, h, DK, DV);
            lanes_lse_in(&g, a->T, saved + (b * a->H + h) * a->T);
            memset(g.dk, 0, (size_t)(g.seen.n * DK) * sizeof(vf));
            memset(g.dv, 0, (size_t)(g.seen.n * DV) * sizeof(vf));
            for (long i = 0; i < a->T;) {
                if (drop && i % LANES_CHUNK == 0)
                    lanes_draw(a, &g, b * a->H + h, i,
                               a->T - i < LANES_CHUNK ? a->T - i : LANES_CHUNK);
                const bool whole = i + BLOCK <= a->T;
                if (whole)
                    lanes_backward_block(a, &g, i, qkv + q, o + at, d_o + at, dqkv + q, BLOCK, DK,
                                         DV, drop);
                else
                    lanes_backward_block(a, &g, i, qkv + q, o + at, d_o + at, dqkv + q, 1, DK, DV,
                                         drop);
                i += whole ? BLOCK : 1;
            }
            lanes_unpack(a, &g, dqkv, b, h, DK, DV);
        }
    }
}

#endif
