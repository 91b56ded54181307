/* Attention with queries as lanes, for heads of any width: some 32 queries of one head at a time.
 * Everything between the products is vertical, because scores are kept transposed, (keys, queries).
 * Keys that padding hides are left out when a head is packed, so nothing below knows of them. Of
 * heads so narrow that 2 or 4 fill a vector together, as many are taken at once (simd_groups.h).
 * With a causal mask a block takes the keys up to its last query, and what is left of them above
 * the diagonal becomes -inf.
 *
 * Forward, for one head and one block of queries (s, p are (n,row), n the keys that are seen):
 *     s = k q^T;  p = 2^(s - max);  o = p^T v / sum p
 * with log2(e) and the scale multiplied into q^T. Backward (Dao et al. 2022, algorithm 4):
 *     p = 2^(s - max) / sum;  dp = v dO^T;  ds = p (dp - sum_j p dp)
 *     dq = ds^T k;  dk += ds q;  dv += p dO */
#ifndef ENGINE_KERNELS_SIMD_ATTENTION_TILES_H
#define ENGINE_KERNELS_SIMD_ATTENTION_TILES_H

#include <float.h>

#include "engine/kernels/simd_math.h"
#include "engine/kernels/simd_product.h"
#include "engine/kernels/simd_tile_rows.h"

/* The scratch of one head, or of a group of them. What is called packed is used where it is
 * instead, if that can be. With a group, a packed row is one vector: the group's heads,
 * interleaved. */
struct tiles {
    int group;    /* heads taken at once: 1, 2, 4 */
    long row;     /* numbers in a row of s: TILE_ROW or TILE_GROUP_ROW */
    long queries; /* of a block: row/group, or half of that */
    struct seen_keys seen;
    bool shared;             /* keys_shared */
    long key[GROUP_MAX];     /* columns of qkv where the keys of each head begin */
    long value[GROUP_MAX];   /* and its values */
    struct tile_rows k, v;   /* (n,d_k), (n,d_v) packed */
    struct tile_rows q, g;   /* (T,d_k), (T,d_v) packed; g is dO */
    struct tile_rows dk, dv; /* (n,d_k), (n,d_v) before they are unpacked */
    float *room[6];          /* for the above */
    float *out;              /* (queries, d_k or d_v) for o or dq before they are unpacked */
    float *qt, *gt;          /* (d_k,row), (d_v,row): this block's, scaled */
    float *s, *dp;           /* (n,row) */
    uint32_t *keep;          /* (T/32 rounded up, row) */
};

/* How many heads fill a vector together; 1 where they do not. */
static int tiles_group(const struct attention *a)
{
    for (int group = 2; group <= GROUP_MAX; group *= 2)
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
    /* half as many where two vectors are left: less above the diagonal is computed for nothing */
    t->queries = t->row / t->group / (a->causal && t->row >= 4 * LANES ? 2 : 1);
    t->shared = keys_shared(a);
    seen_keys_layout(T, &p, &t->seen);
    for (int i = 0; i < 6; i++)
        t->room[i] = piece(&p, T * (i % 2 ? wv : wk), sizeof(float));
    t->out = piece(&p, t->row * (wk > wv ? wk : wv), sizeof(float));
    t->qt = piece(&p, wk * t->row, sizeof(float));
    t->gt = piece(&p, wv * t->row, sizeof(float));
    t->s = piece(&p, T * t->row, sizeof(float));
    t->dp = piece(&p, T * t->row, sizeof(float));
    t->keep = piece(&p, (T + 31) / 32 * t->row, sizeof *t->keep);
    return p.used;
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

/* Queries first .. first+queries-1 of a head or of a group of them, and the keys that they see. */
struct tile_block {
    long head; /* the first one's, counted over sequences and heads */
    long first, queries;
    long lanes; /* queries of all its heads, rounded up to whole vectors */
    long keys;  /* that any of the queries sees: with a causal mask, no more are computed */
    long all;   /* that every query sees */
    long blind; /* queries that see none: the first ones */
};

static struct tile_block tile_block_at(const struct attention *a, const struct tiles *t, long head,
                                       long first)
{
    const int32_t *upto = t->seen.upto + first;
    struct tile_block b = {.head = head, .first = first};
    b.queries = a->T - first < t->queries ? a->T - first : t->queries;
    b.lanes = round_up(b.queries * t->group, LANES);
    b.keys = upto[b.queries - 1];
    b.all = upto[0];
    while (b.blind < b.queries && upto[b.blind] == 0)
        b.blind++;
    return b;
}

/* s = k q^T for the block's queries in qt, -inf where a query does not see the key. */
static void tiles_scores(const struct attention *a, const struct tiles *t,
                         const struct tile_block *b)
{
    product_scores(t, b->keys, b->lanes, a->d_k, t->k, t->qt, t->s);
    for (long j = b->all; j < b->keys; j++) {
        const long hidden = (t->seen.list[j] - b->first) * t->group;
        for (long c = 0; c < hidden; c += LANES)
            vstore_n(t->s + j * t->row + c, hidden - c, vset(-INFINITY));
    }
}

/* x where dropout keeps key j for the queries from lane c on, else 0. */
ALWAYS_INLINE vf tiles_keep(const struct tiles *t, long c, long j, vf x)
{
    const long key = t->seen.list[j];
    return vkeep_bit(*(const vu_loose *)(t->keep + key / 32 * t->row + c), vkey_bit(key), x);
}

/* s -> 2^(s - top), dropped where the block's bits say so. top, inverse (queries,group): the
 * largest score, and kept_scale / sum. */
ALWAYS_INLINE void tiles_softmax(const struct tiles *t, const struct tile_block *b, const bool drop,
                                 float kept_scale, float *tops, float *inverses)
{
    const long n = b->keys, row = t->row, used = b->queries * t->group;
    for (long c = 0; c < b->lanes; c += LANES) {
        vf top = vset(-FLT_MAX), sum = vset(0); /* finite: p = 0 where all scores are -inf */
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
        vstore_n(tops + c, used - c, top);
        vstore_n(inverses + c, used - c, kept_scale / sum);
    }
    for (long c = 0; c < b->blind * t->group; c++)
        tops[c] = inverses[c] = 0;
}

static void tiles_draw(const struct attention *a, const struct tiles *t, const struct tile_block *b)
{
    for (int g = 0; g < t->group; g++)
        keep_queries(a, b->head + g, b->first, b->queries, t->keep + g, t->group, t->row);
}

/* One block: o and saved. x, o: of its head at the sequence's first position; saved (2,T,group). */
static void tiles_forward_block(const struct attention *a, const struct tiles *t,
                                const struct tile_block *b, const float *x, float *o, float *saved)
{
    const long row = attention_row(a), o_row = a->H * a->d_v;
    float *own = o + b->first * o_row;
    float *top = saved + b->first * t->group, *inverse = top + a->T * t->group;
    tiles_transpose(t, false, b->queries, a->d_k, x + b->first * row, row, a->scale * LOG2_E,
                    t->qt);
    tiles_scores(a, t, b);
    if (a->dropout.probability > 0) {
        tiles_draw(a, t, b);
        tiles_softmax(t, b, true, dropout_scale(&a->dropout), top, inverse);
    } else {
        tiles_softmax(t, b, false, 1, top, inverse);
    }
    const struct tile_rows out =
        tile_rows_target(t->group, b->queries, NULL, a->d_v, own, o_row, t->out);
    product_over_keys(t, b->queries, b->keys, a->d_v, t->s, t->v, inverse, out);
    rows_unpack(t->group, b->queries, NULL, a->d_v, out, false, own, o_row);
}

/* Keys and values of the heads from h on, from the sequence at x; those of the head before stay
 * where they are if it is the same. */
static void tiles_take_keys(const struct attention *a, struct tiles *t, long h, const float *x)
{
    const long n = t->seen.n, row = attention_row(a);
    const int32_t *list = n < a->T ? t->seen.list : NULL;
    if (h > 0 && t->group == 1 && attention_kv(a, h) == attention_kv(a, h - 1))
        return;
    for (int g = 0; g < t->group; g++) {
        t->key[g] = attention_key_column(a, attention_kv(a, h + g));
        t->value[g] = attention_value_column(a, attention_kv(a, h + g));
    }
    if (t->group == 2 && t->shared) {
        t->k = group_rows_pack(2, n, list, x, t->key, row, t->room[0]);
        t->v = group_rows_pack(2, n, list, x, t->value, row, t->room[1]);
    } else if (t->group == 4 && t->shared) {
        t->k = group_rows_pack(4, n, list, x, t->key, row, t->room[0]);
        t->v = group_rows_pack(4, n, list, x, t->value, row, t->room[1]);
    } else {
        t->k = tile_rows_pack(t->group, n, list, a->d_k, x, t->key[0], row, t->room[0]);
        t->v = tile_rows_pack(t->group, n, list, a->d_v, x, t->value[0], row, t->room[1]);
    }
}

static void tiles_forward(const struct attention *a, const float *qkv, float *o, float *saved,
                          void *scratch)
{
    struct tiles t;
    tiles_layout(a, scratch, &t);
    for (long head = 0; head < a->B * a->H; head += t.group) {
        const long b = head / a->H, h = head % a->H;
        const float *x = qkv + b * a->T * attention_row(a);
        if (h == 0)
            seen_keys_find(a, b, &t.seen);
        tiles_take_keys(a, &t, h, x);
        for (long i = 0; i < a->T; i += t.queries) {
            const struct tile_block block = tile_block_at(a, &t, head, i);
            tiles_forward_block(a, &t, &block, x + h * a->d_k, o + (b * a->T * a->H + h) * a->d_v,
                                saved + head * a->T * ATTENTION_SAVED);
        }
    }
}

/* s -> p as the values saw it (dropped, scaled); dp -> ds. g carries the scale of the scores, so ds
 * comes out scaled. */
ALWAYS_INLINE void tiles_softmax_backward(const struct tiles *t, const struct tile_block *b,
                                          const bool drop, float kept_scale, const float *tops,
                                          const float *inverses)
{
    const long n = b->keys, row = t->row, used = b->queries * t->group;
    for (long c = 0; c < b->lanes; c += LANES) {
        const vf top = vload_n(tops + c, used - c), inverse = vload_n(inverses + c, used - c);
        vf delta = vset(0);
        float *s = t->s + c, *dp = t->dp + c;
        for (long j = 0; j < n; j++) {
            vf p = vexp2(vload(s + j * row) - top) * inverse, d = vload(dp + j * row);
            vstore(s + j * row, p);
            if (drop) {
                d = tiles_keep(t, c, j, d);
                vstore(dp + j * row, d);
            }
            delta += p * d;
        }
        delta *= 1 / kept_scale;
        for (long j = 0; j < n; j++) {
            vf p = vload(s + j * row);
            vstore(dp + j * row, p * (vload(dp + j * row) - delta));
            if (drop)
                vstore(s + j * row, tiles_keep(t, c, j, p));
        }
    }
}

/* One block: its dq, and its share of dk and dv, which is added to that of the blocks before. dq:
 * of its head at the sequence's first position. */
static void tiles_backward_block(const struct attention *a, const struct tiles *t,
                                 const struct tile_block *b, bool add, const float *saved,
                                 float *dq)
{
    const long row = attention_row(a), queries = b->queries;
    const struct tile_rows q = {t->q.at + b->first * t->q.step, t->q.step};
    const struct tile_rows g = {t->g.at + b->first * t->g.step, t->g.step};
    const float *top = saved + b->first * t->group, *inverse = top + a->T * t->group;
    float *own = dq + b->first * row;
    tiles_transpose(t, true, queries, a->d_k, q.at, q.step, a->scale * LOG2_E, t->qt);
    tiles_transpose(t, true, queries, a->d_v, g.at, g.step, a->scale, t->gt);
    tiles_scores(a, t, b);
    product_scores(t, b->keys, b->lanes, a->d_v, t->v, t->gt, t->dp);
    if (a->dropout.probability > 0) {
        tiles_draw(a, t, b);
        tiles_softmax_backward(t, b, true, dropout_scale(&a->dropout), top, inverse);
    } else {
        tiles_softmax_backward(t, b, false, 1, top, inverse);
    }
    const struct tile_rows out =
        tile_rows_target(t->group, queries, NULL, a->d_k, own, row, t->out);
    product_over_keys(t, queries, b->keys, a->d_k, t->dp, t->k, NULL, out);
    rows_unpack(t->group, queries, NULL, a->d_k, out, false, own, row);
    product_over_queries(t, b->keys, queries, a->d_k, t->dp, q, add, t->dk);
    product_over_queries(t, b->keys, queries, a->d_v, t->s, g, add, t->dv);
}

/* dk and dv of the sequence at dx: where they are made, and how they get there. Shared ones are
 * added to what other heads left. */
static void tiles_key_gradients_begin(const struct attention *a, struct tiles *t, float *dx)
{
    const long n = t->seen.n, row = attention_row(a);
    const int32_t *list = n < a->T ? t->seen.list : NULL;
    t->dk = (struct tile_rows){t->room[4], round_up(a->d_k, LANES)};
    t->dv = (struct tile_rows){t->room[5], round_up(a->d_v, LANES)};
    if (t->shared)
        return;
    t->dk = tile_rows_target(t->group, n, list, a->d_k, dx + t->key[0], row, t->room[4]);
    t->dv = tile_rows_target(t->group, n, list, a->d_v, dx + t->value[0], row, t->room[5]);
}

static void tiles_key_gradients_end(const struct attention *a, const struct tiles *t, float *dx)
{
    const long n = t->seen.n, row = attention_row(a);
    const int32_t *list = n < a->T ? t->seen.list : NULL;
    if (t->group == 2 && t->shared) {
        group_rows_add(2, n, list, t->dk, dx, t->key, row);
        group_rows_add(2, n, list, t->dv, dx, t->value, row);
    } else if (t->group == 4 && t->shared) {
        group_rows_add(4, n, list, t->dk, dx, t->key, row);
        group_rows_add(4, n, list, t->dv, dx, t->value, row);
    } else {
        rows_unpack(t->group, n, list, a->d_k, t->dk, t->shared, dx + t->key[0], row);
        rows_unpack(t->group, n, list, a->d_v, t->dv, t->shared, dx + t->value[0], row);
    }
}

static void tiles_backward(const struct attention *a, const float *qkv, const float *saved,
                           const float *d_o, float *dqkv, void *scratch)
{
    const long row = attention_row(a), o_row = a->H * a->d_v;
    struct tiles t;
    tiles_layout(a, scratch, &t);
    const long blocks = (a->T + t.queries - 1) / t.queries;
    for (long head = 0; head < a->B * a->H; head += t.group) {
        const long b = head / a->H, h = head % a->H;
        const float *x = qkv + b * a->T * row, *g = d_o + b * a->T * o_row;
        float *dx = dqkv + b * a->T * row;
        if (h == 0) {
            seen_keys_find(a, b, &t.seen);
            gradients_clear(a, b, 1, &t.seen, dqkv);
        }
        tiles_take_keys(a, &t, h, x);
        t.q = tile_rows_pack(t.group, a->T, NULL, a->d_k, x, h * a->d_k, row, t.room[2]);
        t.g = tile_rows_pack(t.group, a->T, NULL, a->d_v, g, h * a->d_v, o_row, t.room[3]);
        tiles_key_gradients_begin(a, &t, dx);
        for (long i = 0; i < blocks; i++) {
            /* with a causal mask only the last block sees all keys: it goes first */
            const long first = (a->causal ? blocks - 1 - i : i) * t.queries;
            const struct tile_block block = tile_block_at(a, &t, head, first);
            tiles_backward_block(a, &t, &block, i > 0, saved + head * a->T * ATTENTION_SAVED,
                                 dx + h * a->d_k);
        }
        tiles_key_gradients_end(a, &t, dx);
    }
}

#endif
