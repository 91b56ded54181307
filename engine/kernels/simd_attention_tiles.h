/* Attention with queries as lanes, for heads of any width: QUERIES queries of one head at a time.
 * Everything between the products is vertical, because scores are kept transposed, (keys, queries).
 * Keys that padding hides are left out when a head is packed, so nothing below knows of them.
 *
 * Forward, for one head and one block of queries (s, p are (n,QUERIES), n the keys that are seen):
 *     s = k q^T;  p = 2^(s - max);  o = p^T v / sum p
 * with log2(e) and the scale multiplied into q^T. Backward (Dao et al. 2022, algorithm 4):
 *     p = 2^(s - log2-sum-exp);  dp = v dO^T;  ds = p (dp - sum_j p dp)
 *     dq = ds^T k;  dk += ds q;  dv += p dO */
#ifndef ENGINE_KERNELS_SIMD_ATTENTION_TILES_H
#define ENGINE_KERNELS_SIMD_ATTENTION_TILES_H

#include "engine/kernels/simd_dropout.h"
#include "engine/kernels/simd_math.h"
#include "engine/kernels/simd_product.h"

/* Queries of a block; also the row length of s, p, ds. */
enum { QUERIES = 32 };

ALWAYS_INLINE long round_up(long n, long multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

/* Hands out 64-aligned pieces of the caller's scratch; with base NULL it only adds up. */
struct pieces {
    char *base;
    size_t used;
};

ALWAYS_INLINE void *piece(struct pieces *p, long count, size_t size)
{
    void *at = p->base ? p->base + p->used : NULL;
    p->used += ((size_t)count * size + 63) / 64 * 64;
    return at;
}

struct seen_keys {
    long n;        /* keys of this sequence that padding does not hide */
    int32_t *list; /* (T) their positions */
};

static inline void seen_keys_find(const struct attention *a, long b, struct seen_keys *s)
{
    s->n = 0;
    for (long j = 0; j < a->T; j++)
        if (!a->padding || !a->padding[b * a->T + j])
            s->list[s->n++] = (int32_t)j;
}

struct tiles {
    struct seen_keys seen;
    long wk, wv;          /* d_k and d_v rounded up to whole vectors: rows of what is packed */
    float *k, *v;         /* (n,wk), (n,wv) */
    float *q, *g;         /* (T,wk), (T,wv); g is dO */
    float *qt, *gt;       /* (d_k,QUERIES), (d_v,QUERIES): this block's, scaled */
    float *s, *dp;        /* (n,QUERIES) */
    float *lse, *inverse; /* (QUERIES) */
    float *out, *dk, *dv; /* (QUERIES, max(wk,wv)), (n,wk), (n,wv) */
    uint32_t *keep;       /* (T/32 rounded up, QUERIES) */
    uint64_t *bits;
};

static size_t tiles_layout(const struct attention *a, void *scratch, struct tiles *t)
{
    struct pieces p = {scratch, 0};
    const long T = a->T;
    t->wk = round_up(a->d_k, LANES);
    t->wv = round_up(a->d_v, LANES);
    t->seen.list = piece(&p, T, sizeof *t->seen.list);
    t->k = piece(&p, T * t->wk, sizeof(float));
    t->v = piece(&p, T * t->wv, sizeof(float));
    t->q = piece(&p, T * t->wk, sizeof(float));
    t->g = piece(&p, T * t->wv, sizeof(float));
    t->qt = piece(&p, t->wk * QUERIES, sizeof(float));
    t->gt = piece(&p, t->wv * QUERIES, sizeof(float));
    t->s = piece(&p, T * QUERIES, sizeof(float));
    t->dp = piece(&p, T * QUERIES, sizeof(float));
    t->lse = piece(&p, QUERIES, sizeof(float));
    t->inverse = piece(&p, QUERIES, sizeof(float));
    t->out = piece(&p, QUERIES * (t->wk > t->wv ? t->wk : t->wv), sizeof(float));
    t->dk = piece(&p, T * t->wk, sizeof(float));
    t->dv = piece(&p, T * t->wv, sizeof(float));
    t->keep = piece(&p, (T + 31) / 32 * QUERIES, sizeof *t->keep);
    t->bits = piece(&p, keep_buffer(QUERIES * T), sizeof *t->bits);
    return p.used;
}

/* Copies rows of d numbers (list[r], or r without a list) to rows of `wide`, zeros behind. */
static inline void pack_rows(long rows, const int32_t *list, long d, const float *x, long x_row,
                             long wide, float *to)
{
    for (long r = 0; r < rows; r++, to += wide) {
        const float *from = x + (list ? list[r] : r) * x_row;
        long c = 0;
        for (; c + LANES <= d; c += LANES)
            vstore(to + c, vload(from + c));
        if (c < d)
            vstore(to + c, vload_n(from + c, d - c));
    }
}

/* The inverse, each row times its number in `scale` (rows), or without one. */
static inline void unpack_rows(long rows, const int32_t *list, long d, const float *x, long wide,
                               const float *scale, float *to, long to_row)
{
    for (long r = 0; r < rows; r++, x += wide) {
        float *row = to + (list ? list[r] : r) * to_row;
        const vf s = vset(scale ? scale[r] : 1);
        long c = 0;
        for (; c + LANES <= d; c += LANES)
            vstore(row + c, vload(x + c) * s);
        if (c < d)
            vstore_n(row + c, d - c, vload(x + c) * s);
    }
}

/* x (rows,d) with rows x_row apart -> xt (d,QUERIES), times scale; lanes past `rows` are 0. */
static inline void pack_transposed(long rows, long d, const float *x, long x_row, float scale,
                                   float *xt)
{
    for (long r = 0; r < rows; r += LANES) {
        for (long c = 0; c < d; c += LANES) {
            const long n = d - c < LANES ? d - c : LANES;
            vf tile[LANES];
#pragma GCC unroll 16
            for (long i = 0; i < LANES; i++)
                tile[i] = r + i < rows ? vload_n(x + (r + i) * x_row + c, n) * scale : vset(0);
            vtranspose(tile);
#pragma GCC unroll 16
            for (long i = 0; i < LANES; i++)
                if (i < n)
                    vstore(xt + (c + i) * QUERIES + r, tile[i]);
        }
    }
}

/* Blocks of c with queries as lanes: (n,QUERIES) = x (n,w) times xt (depth,QUERIES). */
static void product_scores(long n, long lanes, long depth, const float *x, long w, const float *xt,
                           float *c)
{
    product_run(&(struct product){.rows = n,
                                  .columns = lanes,
                                  .depth = depth,
                                  .a = x,
                                  .x = xt,
                                  .x_row = QUERIES,
                                  .c = c,
                                  .c_row = QUERIES},
                w, 1);
}

/* c (queries,w) = s^T x, s (n,QUERIES), x (n,w) */
static void product_over_keys(long queries, long n, long w, const float *s, const float *x,
                              float *c)
{
    product_run(&(struct product){.rows = queries,
                                  .columns = w,
                                  .depth = n,
                                  .a = s,
                                  .x = x,
                                  .x_row = w,
                                  .c = c,
                                  .c_row = w},
                1, QUERIES);
}

/* c (n,w) (+)= s x, s (n,QUERIES), x (queries,w) */
static void product_over_queries(long n, long queries, long w, const float *s, const float *x,
                                 bool add, float *c)
{
    product_run(&(struct product){.rows = n,
                                  .columns = w,
                                  .depth = queries,
                                  .a = s,
                                  .x = x,
                                  .x_row = w,
                                  .c = c,
                                  .c_row = w,
                                  .add = add},
                QUERIES, 1);
}

/* x where dropout keeps key j for the queries from lane c on, else 0. */
ALWAYS_INLINE vf tiles_keep(const struct tiles *t, long c, long j, vf x)
{
    const long key = t->seen.list[j];
    return vkeep_bit(*(const vu_loose *)(t->keep + key / 32 * QUERIES + c), vkey_bit(key), x);
}

/* s -> p, dropped where the block's bits say so; lse (natural) and 1/sum of the QUERIES lanes. */
ALWAYS_INLINE void tiles_softmax(const struct tiles *t, long lanes, const bool drop,
                                 float kept_scale)
{
    const long n = t->seen.n;
    for (long c = 0; c < lanes; c += LANES) {
        vf top = vset(-INFINITY), sum = vset(0);
        float *s = t->s + c;
        for (long j = 0; j < n; j++)
            top = vmax(top, vload(s + j * QUERIES));
        for (long j = 0; j < n; j++) {
            vf p = vexp2(vload(s + j * QUERIES) - top);
            sum += p;
            if (drop)
                p = tiles_keep(t, c, j, p);
            vstore(s + j * QUERIES, p);
        }
        vstore(t->lse + c, top * LN_2 + vlog(sum));
        vstore(t->inverse + c, kept_scale / sum);
    }
}

static void tiles_draw(const struct attention *a, const struct tiles *t, long head, long i,
                       long queries)
{
    keep_matrix(&a->dropout, a->dropout.first + (uint64_t)((head * a->T + i) * a->T), queries, a->T,
                t->keep, 1, QUERIES, t->bits);
}

static void tiles_forward(const struct attention *a, const float *qkv, float *o, float *saved,
                          void *scratch)
{
    struct tiles t;
    tiles_layout(a, scratch, &t);
    const long row = a->H * (2 * a->d_k + a->d_v), o_row = a->H * a->d_v;
    const bool drop = a->dropout.probability > 0;
    const float kept_scale = drop ? dropout_scale(&a->dropout) : 1;
    for (long head = 0; head < a->B * a->H; head++) {
        const long b = head / a->H, h = head % a->H;
        const float *q = qkv + b * a->T * row + h * a->d_k, *k = q + a->H * a->d_k;
        const float *v = qkv + b * a->T * row + 2 * a->H * a->d_k + h * a->d_v;
        if (h == 0)
            seen_keys_find(a, b, &t.seen);
        pack_rows(t.seen.n, t.seen.list, a->d_k, k, row, t.wk, t.k);
        pack_rows(t.seen.n, t.seen.list, a->d_v, v, row, t.wv, t.v);
        for (long i = 0; i < a->T; i += QUERIES) {
            const long queries = a->T - i < QUERIES ? a->T - i : QUERIES;
            const long lanes = round_up(queries, LANES);
            pack_transposed(queries, a->d_k, q + i * row, row, a->scale * LOG2_E, t.qt);
            product_scores(t.seen.n, lanes, a->d_k, t.k, t.wk, t.qt, t.s);
            if (drop) {
                tiles_draw(a, &t, head, i, queries);
                tiles_softmax(&t, lanes, true, kept_scale);
            } else {
                tiles_softmax(&t, lanes, false, kept_scale);
            }
            product_over_keys(queries, t.seen.n, t.wv, t.s, t.v, t.out);
            if (t.seen.n == 0) {
                memset(t.lse, 0, QUERIES * sizeof *t.lse);
                memset(t.inverse, 0, QUERIES * sizeof *t.inverse);
            }
            unpack_rows(queries, NULL, a->d_v, t.out, t.wv, t.inverse,
                        o + (b * a->T + i) * o_row + h * a->d_v, o_row);
            memcpy(saved + head * a->T + i, t.lse, (size_t)queries * sizeof *saved);
        }
    }
}

/* s -> p as the values saw it (dropped, scaled); dp -> ds. g carries the scale of the scores and of
 * dropout, so ds comes out scaled. */
ALWAYS_INLINE void tiles_softmax_backward(const struct tiles *t, long lanes, const bool drop,
                                          float kept_scale)
{
    const long n = t->seen.n;
    for (long c = 0; c < lanes; c += LANES) {
        const vf lse = vload(t->lse + c) * LOG2_E;
        vf delta = vset(0);
        float *s = t->s + c, *dp = t->dp + c;
        for (long j = 0; j < n; j++) {
            vf p = vexp2(vload(s + j * QUERIES) - lse), d = vload(dp + j * QUERIES);
            vstore(s + j * QUERIES, p);
            if (drop) {
                d = tiles_keep(t, c, j, d);
                vstore(dp + j * QUERIES, d);
            }
            delta += p * d;
        }
        for (long j = 0; j < n; j++) {
            vf p = vload(s + j * QUERIES);
            vstore(dp + j * QUERIES, p * (vload(dp + j * QUERIES) - delta));
            if (drop) {
                p = tiles_keep(t, c, j, p);
                vstore(s + j * QUERIES, p * kept_scale);
            }
        }
    }
}

/* One block of queries of one head: dq to its place, dk and dv added up in the tiles. */
static void tiles_backward_block(const struct attention *a, struct tiles *t, long head, long i,
                                 const float *saved, float *dq, long row)
{
    const bool drop = a->dropout.probability > 0;
    const float kept_scale = drop ? dropout_scale(&a->dropout) : 1;
    const long queries = a->T - i < QUERIES ? a->T - i : QUERIES;
    const long lanes = round_up(queries, LANES), n = t->seen.n;
    pack_transposed(queries, a->d_k, t->q + i * t->wk, t->wk, a->scale * LOG2_E, t->qt);
    pack_transposed(queries, a->d_v, t->g + i * t->wv, t->wv, a->scale * kept_scale, t->gt);
    memset(t->lse, 0, QUERIES * sizeof *t->lse);
    memcpy(t->lse, saved + head * a->T + i, (size_t)queries * sizeof *saved);
    product_scores(n, lanes, a->d_k, t->k, t->wk, t->qt, t->s);
    product_scores(n, lanes, a->d_v, t->v, t->wv, t->gt, t->dp);
    if (drop) {
        tiles_draw(a, t, head, i, queries);
        tiles_softmax_backward(t, lanes, true, kept_scale);
    } else {
        tiles_softmax_backward(t, lanes, false, kept_scale);
    }
    product_over_keys(queries, n, t->wk, t->dp, t->k, t->out);
    unpack_rows(queries, NULL, a->d_k, t->out, t->wk, NULL, dq + i * row, row);
    product_over_queries(n, queries, t->wk, t->dp, t->q + i * t->wk, i > 0, t->dk);
    product_over_queries(n, queries, t->wv, t->s, t->g + i * t->wv, i > 0, t->dv);
}

static void tiles_backward(const struct attention *a, const float *qkv, const float *saved,
                           const float *d_o, float *dqkv, void *scratch)
{
    struct tiles t;
    tiles_layout(a, scratch, &t);
    const long row = a->H * (2 * a->d_k + a->d_v), o_row = a->H * a->d_v;
    for (long head = 0; head < a->B * a->H; head++) {
        const long b = head / a->H, h = head % a->H;
        const long q = b * a->T * row + h * a->d_k, k = q + a->H * a->d_k;
        const long v = b * a->T * row + 2 * a->H * a->d_k + h * a->d_v;
        if (h == 0) {
            seen_keys_find(a, b, &t.seen);
            if (t.seen.n < a->T)
                memset(dqkv + b * a->T * row, 0, (size_t)(a->T * row) * sizeof *dqkv);
        }
        pack_rows(t.seen.n, t.seen.list, a->d_k, qkv + k, row, t.wk, t.k);
        pack_rows(t.seen.n, t.seen.list, a->d_v, qkv + v, row, t.wv, t.v);
        pack_rows(a->T, NULL, a->d_k, qkv + q, row, t.wk, t.q);
        pack_rows(a->T, NULL, a->d_v, d_o + b * a->T * o_row + h * a->d_v, o_row, t.wv, t.g);
        for (long i = 0; i < a->T; i += QUERIES)
            tiles_backward_block(a, &t, head, i, saved, dqkv + q, row);
        unpack_rows(t.seen.n, t.seen.list, a->d_k, t.dk, t.wk, NULL, dqkv + k, row);
        unpack_rows(t.seen.n, t.seen.list, a->d_v, t.dv, t.wv, NULL, dqkv + v, row);
    }
}

#endif
