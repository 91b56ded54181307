/* Attention with queries as lanes, for heads of any width: some 32 queries of one head at a time.
 * Everything between the products is vertical, because scores are kept transposed, (keys, queries).
 * Keys that padding hides are left out when a head is packed, so nothing below knows of them. Of
 * heads so narrow that 2 or 4 fill a vector together, as many are taken at once (simd_groups.h).
 *
 * Forward, for one head and one block of queries (s, p are (n,row), n the keys that are seen):
 *     s = k q^T;  p = 2^(s - max);  o = p^T v / sum p
 * with log2(e) and the scale multiplied into q^T. Backward (Dao et al. 2022, algorithm 4):
 *     p = 2^(s - log2-sum-exp);  dp = v dO^T;  ds = p (dp - sum_j p dp)
 *     dq = ds^T k;  dk += ds q;  dv += p dO */
#ifndef ENGINE_KERNELS_SIMD_ATTENTION_TILES_H
#define ENGINE_KERNELS_SIMD_ATTENTION_TILES_H

#include "engine/kernels/simd_dropout.h"
#include "engine/kernels/simd_math.h"
#include "engine/kernels/simd_product.h"

/* Numbers in a row of s, p, ds: the queries of a block, times the heads of a group. */
enum { TILE_ROW = 32, TILE_GROUP_ROW = 64 };

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

/* Rows of whole vectors, `step` numbers apart. */
struct tile_rows {
    float *at;
    long step;
};

/* The scratch of one head, or of a group of them. What is called packed is used where it is
 * instead, if that can be. With a group, a packed row is one vector: the group's heads,
 * interleaved. */
struct tiles {
    int group;    /* heads taken at once: 1, 2, 4 */
    long row;     /* numbers in a row of s: TILE_ROW or TILE_GROUP_ROW */
    long queries; /* of a block: row/group */
    struct seen_keys seen;
    struct tile_rows k, v;   /* (n,d_k), (n,d_v) packed */
    struct tile_rows q, g;   /* (T,d_k), (T,d_v) packed; g is dO */
    struct tile_rows dk, dv; /* (n,d_k), (n,d_v) before they are unpacked */
    float *room[6];          /* for the above */
    float *out;              /* (queries, d_k or d_v) for o or dq before they are unpacked */
    float *qt, *gt;          /* (d_k,row), (d_v,row): this block's, scaled */
    float *s, *dp;           /* (n,row) */
    float *lse, *inverse;    /* (row) */
    uint32_t *keep;          /* (T/32 rounded up, row) */
    uint64_t *bits;
};

/* How many heads fill a vector together; 1 where they do not. */
static int tiles_group(const struct attention *a)
{
    for (int group = 2; group <= GROUP_MOST; group *= 2)
        if (group * a->d_k == LANES && a->d_v == a->d_k && a->H % group == 0)
            return group;
    return 1;
}

static size_t tiles_layout(const struct attention *a, void *scratch, struct tiles *t)
{
    struct pieces p = {scratch, 0};
    const long T = a->T, wk = round_up(a->d_k, LANES), wv = round_up(a->d_v, LANES);
    t->group = tiles_group(a);
    t->row = t->group == 1 ? TILE_ROW : TILE_GROUP_ROW;
    t->queries = t->row / t->group;
    t->seen.list = piece(&p, T, sizeof *t->seen.list);
    for (int i = 0; i < 6; i++)
        t->room[i] = piece(&p, T * (i % 2 ? wv : wk), sizeof(float));
    t->out = piece(&p, t->row * (wk > wv ? wk : wv), sizeof(float));
    t->qt = piece(&p, wk * t->row, sizeof(float));
    t->gt = piece(&p, wv * t->row, sizeof(float));
    t->s = piece(&p, T * t->row, sizeof(float));
    t->dp = piece(&p, T * t->row, sizeof(float));
    t->lse = piece(&p, t->row, sizeof(float));
    t->inverse = piece(&p, t->row, sizeof(float));
    t->keep = piece(&p, (T + 31) / 32 * t->row, sizeof *t->keep);
    t->bits = piece(&p, keep_buffer(t->queries * T), sizeof *t->bits);
    return p.used;
}

/* Whether n rows `step` numbers apart start at so few places of a 4096-byte way of the first-level
 * cache that they push each other out. */
static bool rows_collide(long n, long step)
{
    const unsigned long bytes = (unsigned long)step * sizeof(float), even = bytes & -bytes;
    return n > 4 * (even < 4096 ? (long)(4096 / even) : 1);
}

/* n rows of d numbers per head that begin at `column` of x (,step) and are only read: used where
 * they are if whole vectors stay within x's rows (lanes past d then hold a neighbour's numbers, and
 * no lane that counts looks there), else packed into room. list: which rows; NULL: the first n. */
static struct tile_rows tile_rows_pack(int group, long n, const int32_t *list, long d,
                                       const float *x, long column, long step, float *room)
{
    const long wide = round_up(d, LANES);
    if (group == 1 && !list && column + wide <= step && !rows_collide(n, step))
        return (struct tile_rows){(float *)(uintptr_t)(x + column), step};
    for (long r = 0; r < n; r++) {
        const float *from = x + column + (list ? list[r] : r) * step;
        long c = 0;
        if (group == 2)
            vstore(room + r * wide, group_zip(vload(from), 2));
        else if (group == 4)
            vstore(room + r * wide, group_zip(vload(from), 4));
        for (; group == 1 && c + LANES <= d; c += LANES)
            vstore(room + r * wide + c, vload(from + c));
        if (group == 1 && c < d)
            vstore(room + r * wide + c, vload_n(from + c, d - c));
    }
    return (struct tile_rows){room, wide};
}

/* Where results that belong at x (,step) are to be written: there if they are whole vectors. */
static struct tile_rows tile_rows_target(int group, long n, const int32_t *list, long d, float *x,
                                         long step, float *room)
{
    if (group == 1 && !list && d % LANES == 0 && !rows_collide(n, step))
        return (struct tile_rows){x, step};
    return (struct tile_rows){room, round_up(d, LANES)};
}

/* Brings them to x, if they are not there. */
static void rows_unpack(int group, long n, const int32_t *list, long d, struct tile_rows from,
                        float *x, long step)
{
    if (from.at == x)
        return;
    for (long r = 0; r < n; r++, from.at += from.step) {
        float *to = x + (list ? list[r] : r) * step;
        long c = 0;
        if (group == 2)
            vstore(to, group_unzip(vload(from.at), 2));
        else if (group == 4)
            vstore(to, group_unzip(vload(from.at), 4));
        for (; group == 1 && c + LANES <= d; c += LANES)
            vstore(to + c, vload(from.at + c));
        if (group == 1 && c < d)
            vstore_n(to + c, d - c, vload(from.at + c));
    }
}

/* x (rows,d) with rows `step` apart -> xt (d,TILE_ROW), times scale; lanes past `rows` are 0. */
static void pack_transposed(long rows, long d, const float *x, long step, float scale, float *xt)
{
    for (long r = 0; r < rows; r += LANES) {
        for (long c = 0; c < d; c += LANES) {
            const long n = d - c < LANES ? d - c : LANES;
            vf tile[LANES];
#pragma GCC unroll 16
            for (long i = 0; i < LANES; i++)
                tile[i] = r + i < rows ? vload_n(x + (r + i) * step + c, n) * scale : vset(0);
            vtranspose(tile);
#pragma GCC unroll 16
            for (long i = 0; i < LANES; i++)
                if (i < n)
                    vstore(xt + (c + i) * TILE_ROW + r, tile[i]);
        }
    }
}

/* The same for a group of heads, side by side or packed (interleaved): x (rows,LANES) -> xt
 * (LANES/GROUP,TILE_GROUP_ROW). */
ALWAYS_INLINE void pack_group(const int GROUP, bool packed, long rows, const float *x, long step,
                              float scale, float *xt)
{
    const int d = LANES / GROUP;
    for (long r = 0; r < rows; r += LANES) {
        vf tile[LANES];
#pragma GCC unroll 16
        for (long i = 0; i < LANES; i++)
            tile[i] = r + i < rows ? vload(x + (r + i) * step) * scale : vset(0);
        vtranspose(tile);
#pragma GCC unroll 8
        for (int k = 0; k < d; k++) {
            vf zipped[GROUP_MOST];
            group_zip_vectors(tile + (packed ? k * GROUP : k), packed ? 1 : d, GROUP, zipped);
            for (int i = 0; i < GROUP; i++)
                vstore(xt + k * TILE_GROUP_ROW + r * GROUP + i * LANES, zipped[i]);
        }
    }
}

static void tiles_transpose(const struct tiles *t, bool packed, long rows, long d, const float *x,
                            long step, float scale, float *xt)
{
    if (t->group == 2)
        pack_group(2, packed, rows, x, step, scale, xt);
    else if (t->group == 4)
        pack_group(4, packed, rows, x, step, scale, xt);
    else
        pack_transposed(rows, d, x, step, scale, xt);
}

/* c (n,row) = x xt, x (n,depth), xt (depth,row) */
static void product_scores(const struct tiles *t, long n, long lanes, long depth,
                           struct tile_rows x, const float *xt, float *c)
{
    const struct product p = {.rows = n,
                              .columns = lanes,
                              .depth = depth,
                              .a = x.at,
                              .x = xt,
                              .x_row = t->row,
                              .c = c,
                              .c_row = t->row};
    if (t->group == 2)
        product_run(&p, LANES, 2, BLOCK_SHORT, 2);
    else if (t->group == 4)
        product_run(&p, LANES, 4, BLOCK_SHORT, 4);
    else
        product_run(&p, x.step, 1, BLOCK_SHORT, 1);
}

/* c (queries,d) = s^T x, s (n,row), x (n,d); rows of c times scale (queries), if any */
static void product_over_keys(const struct tiles *t, long queries, long n, long d, const float *s,
                              struct tile_rows x, const float *scale, struct tile_rows c)
{
    const struct product p = {.rows = queries,
                              .columns = round_up(d, LANES),
                              .depth = n,
                              .a = s,
                              .x = x.at,
                              .x_row = x.step,
                              .c = c.at,
                              .c_row = c.step,
                              .scale = scale};
    if (t->group == 2)
        product_run(&p, 2, TILE_GROUP_ROW, BLOCK_SHORT, 2);
    else if (t->group == 4)
        product_run(&p, 4, TILE_GROUP_ROW, BLOCK_SHORT, 4);
    else
        product_run(&p, 1, TILE_ROW, BLOCK_SHORT, 1);
}

/* c (n,d) (+)= s x, s (n,row), x (queries,d) */
static void product_over_queries(const struct tiles *t, long n, long queries, long d,
                                 const float *s, struct tile_rows x, bool add, struct tile_rows c)
{
    const struct product p = {.rows = n,
                              .columns = round_up(d, LANES),
                              .depth = queries,
                              .a = s,
                              .x = x.at,
                              .x_row = x.step,
                              .c = c.at,
                              .c_row = c.step,
                              .add = add};
    if (t->group == 2)
        product_run(&p, TILE_GROUP_ROW, 2, BLOCK_SHORT, 2);
    else if (t->group == 4)
        product_run(&p, TILE_GROUP_ROW, 4, BLOCK_SHORT, 4);
    else
        product_run(&p, TILE_ROW, 1, BLOCK_SHORT, 1);
}

/* x where dropout keeps key j for the queries from lane c on, else 0. */
ALWAYS_INLINE vf tiles_keep(const struct tiles *t, long c, long j, vf x)
{
    const long key = t->seen.list[j];
    return vkeep_bit(*(const vu_loose *)(t->keep + key / 32 * t->row + c), vkey_bit(key), x);
}

/* s -> p, dropped where the block's bits say so; lse (natural) and 1/sum of every lane. */
ALWAYS_INLINE void tiles_softmax(const struct tiles *t, long lanes, const bool drop,
                                 float kept_scale)
{
    const long n = t->seen.n, row = t->row;
    for (long c = 0; c < lanes; c += LANES) {
        vf top = vset(-INFINITY), sum = vset(0);
        float *s = t->s + c;
        for (long j = 0; j < n; j++)
            top = vmax(top, vload(s + j * row));
        for (long j = 0; j < n; j++) {
            vf p = vexp2(vload(s + j * row) - top);
            sum += p;
            if (drop)
                p = tiles_keep(t, c, j, p);
            vstore(s + j * row, p);
        }
        vstore(t->lse + c, top * LN_2 + vlog(sum));
        vstore(t->inverse + c, kept_scale / sum);
    }
}

static void tiles_draw(const struct attention *a, const struct tiles *t, long head, long i,
                       long queries)
{
    for (int g = 0; g < t->group; g++)
        keep_matrix(&a->dropout, a->dropout.first + (uint64_t)(((head + g) * a->T + i) * a->T),
                    queries, a->T, t->keep + g, t->group, t->row, t->bits);
}

/* lse (queries,group) <-> saved (group,T) from query i on. */
static void tiles_lse_out(const struct tiles *t, long queries, long T, float *saved)
{
    for (int g = 0; g < t->group; g++, saved += T)
        for (long i = 0; i < queries; i++)
            saved[i] = t->lse[i * t->group + g];
}

static void tiles_lse_in(const struct tiles *t, long queries, long T, const float *saved)
{
    memset(t->lse, 0, (size_t)t->row * sizeof *t->lse);
    for (int g = 0; g < t->group; g++, saved += T)
        for (long i = 0; i < queries; i++)
            t->lse[i * t->group + g] = saved[i];
}

/* One block of queries of one head (or group); q and o are its first query's. */
static void tiles_forward_block(const struct attention *a, struct tiles *t, long head, long i,
                                const float *q, float *o, float *saved)
{
    const long row = a->H * (2 * a->d_k + a->d_v), o_row = a->H * a->d_v, n = t->seen.n;
    const long queries = a->T - i < t->queries ? a->T - i : t->queries;
    const long lanes = round_up(queries * t->group, LANES);
    tiles_transpose(t, false, queries, a->d_k, q, row, a->scale * LOG2_E, t->qt);
    product_scores(t, n, lanes, a->d_k, t->k, t->qt, t->s);
    if (a->dropout.probability > 0) {
        tiles_draw(a, t, head, i, queries);
        tiles_softmax(t, lanes, true, dropout_scale(&a->dropout));
    } else {
        tiles_softmax(t, lanes, false, 1);
    }
    if (n == 0) {
        memset(t->lse, 0, (size_t)t->row * sizeof *t->lse);
        memset(t->inverse, 0, (size_t)t->row * sizeof *t->inverse);
    }
    const struct tile_rows out =
        tile_rows_target(t->group, queries, NULL, a->d_v, o, o_row, t->out);
    product_over_keys(t, queries, n, a->d_v, t->s, t->v, t->inverse, out);
    rows_unpack(t->group, queries, NULL, a->d_v, out, o, o_row);
    tiles_lse_out(t, queries, a->T, saved);
}

static void tiles_forward(const struct attention *a, const float *qkv, float *o, float *saved,
                          void *scratch)
{
    const long row = a->H * (2 * a->d_k + a->d_v), o_row = a->H * a->d_v, keys = a->H * a->d_k;
    struct tiles t;
    tiles_layout(a, scratch, &t);
    for (long head = 0; head < a->B * a->H; head += t.group) {
        const long b = head / a->H, h = head % a->H;
        const float *x = qkv + b * a->T * row;
        if (h == 0)
            seen_keys_find(a, b, &t.seen);
        const long n = t.seen.n;
        const int32_t *list = n < a->T ? t.seen.list : NULL;
        t.k = tile_rows_pack(t.group, n, list, a->d_k, x, keys + h * a->d_k, row, t.room[0]);
        t.v = tile_rows_pack(t.group, n, list, a->d_v, x, 2 * keys + h * a->d_v, row, t.room[1]);
        for (long i = 0; i < a->T; i += t.queries)
            tiles_forward_block(a, &t, head, i, x + i * row + h * a->d_k,
                                o + (b * a->T + i) * o_row + h * a->d_v, saved + head * a->T + i);
    }
}

/* s -> p as the values saw it (dropped, scaled); dp -> ds. g carries the scale of the scores and of
 * dropout, so ds comes out scaled. */
ALWAYS_INLINE void tiles_softmax_backward(const struct tiles *t, long lanes, const bool drop,
                                          float kept_scale)
{
    const long n = t->seen.n, row = t->row;
    for (long c = 0; c < lanes; c += LANES) {
        const vf lse = vload(t->lse + c) * LOG2_E;
        vf delta = vset(0);
        float *s = t->s + c, *dp = t->dp + c;
        for (long j = 0; j < n; j++) {
            vf p = vexp2(vload(s + j * row) - lse), d = vload(dp + j * row);
            vstore(s + j * row, p);
            if (drop) {
                d = tiles_keep(t, c, j, d);
                vstore(dp + j * row, d);
            }
            delta += p * d;
        }
        for (long j = 0; j < n; j++) {
            vf p = vload(s + j * row);
            vstore(dp + j * row, p * (vload(dp + j * row) - delta));
            if (drop) {
                p = tiles_keep(t, c, j, p);
                vstore(s + j * row, p * kept_scale);
            }
        }
    }
}

/* One block of queries of one head (or group): its dq, and its share of dk and dv. */
static void tiles_backward_block(const struct attention *a, struct tiles *t, long head, long i,
                                 const float *saved, float *dq)
{
    const bool drop = a->dropout.probability > 0;
    const float kept_scale = drop ? dropout_scale(&a->dropout) : 1;
    const long queries = a->T - i < t->queries ? a->T - i : t->queries;
    const long row = a->H * (2 * a->d_k + a->d_v), lanes = round_up(queries * t->group, LANES),
               n = t->seen.n;
    const struct tile_rows q = {t->q.at + i * t->q.step, t->q.step};
    const struct tile_rows g = {t->g.at + i * t->g.step, t->g.step};
    tiles_transpose(t, true, queries, a->d_k, q.at, q.step, a->scale * LOG2_E, t->qt);
    tiles_transpose(t, true, queries, a->d_v, g.at, g.step, a->scale * kept_scale, t->gt);
    tiles_lse_in(t, queries, a->T, saved);
    product_scores(t, n, lanes, a->d_k, t->k, t->qt, t->s);
    product_scores(t, n, lanes, a->d_v, t->v, t->gt, t->dp);
    if (drop) {
        tiles_draw(a, t, head, i, queries);
        tiles_softmax_backward(t, lanes, true, kept_scale);
    } else {
        tiles_softmax_backward(t, lanes, false, kept_scale);
    }
    const struct tile_rows out = tile_rows_target(t->group, queries, NULL, a->d_k, dq, row, t->out);
    product_over_keys(t, queries, n, a->d_k, t->dp, t->k, NULL, out);
    rows_unpack(t->group, queries, NULL, a->d_k, out, dq, row);
    product_over_queries(t, n, queries, a->d_k, t->dp, q, i > 0, t->dk);
    product_over_queries(t, n, queries, a->d_v, t->s, g, i > 0, t->dv);
}

static void tiles_backward(const struct attention *a, const float *qkv, const float *saved,
                           const float *d_o, float *dqkv, void *scratch)
{
    const long row = a->H * (2 * a->d_k + a->d_v), o_row = a->H * a->d_v, keys = a->H * a->d_k;
    struct tiles t;
    tiles_layout(a, scratch, &t);
    for (long head = 0; head < a->B * a->H; head += t.group) {
        const long b = head / a->H, h = head % a->H;
        const float *x = qkv + b * a->T * row;
        float *dx = dqkv + b * a->T * row;
        float *dk = dx + keys + h * a->d_k, *dv = dx + 2 * keys + h * a->d_v;
        if (h == 0) {
            seen_keys_find(a, b, &t.seen);
            if (t.seen.n < a->T)
                memset(dx, 0, (size_t)(a->T * row) * sizeof *dx);
        }
        const long n = t.seen.n;
        const int32_t *list = n < a->T ? t.seen.list : NULL;
        t.k = tile_rows_pack(t.group, n, list, a->d_k, x, keys + h * a->d_k, row, t.room[0]);
        t.v = tile_rows_pack(t.group, n, list, a->d_v, x, 2 * keys + h * a->d_v, row, t.room[1]);
        t.q = tile_rows_pack(t.group, a->T, NULL, a->d_k, x, h * a->d_k, row, t.room[2]);
        t.g = tile_rows_pack(t.group, a->T, NULL, a->d_v, d_o + b * a->T * o_row, h * a->d_v, o_row,
                             t.room[3]);
        t.dk = tile_rows_target(t.group, n, list, a->d_k, dk, row, t.room[4]);
        t.dv = tile_rows_target(t.group, n, list, a->d_v, dv, row, t.room[5]);
        for (long i = 0; i < a->T; i += t.queries)
            tiles_backward_block(a, &t, head, i, saved + head * a->T + i,
                                 dx + i * row + h * a->d_k);
        rows_unpack(t.group, n, list, a->d_k, t.dk, dk, row);
        rows_unpack(t.group, n, list, a->d_v, t.dv, dv, row);
    }
}

#endif
