/* What both layouts of attention share: scratch, the keys that a query sees, whose they are. */
#ifndef ENGINE_KERNELS_SIMD_ATTENTION_KEYS_H
#define ENGINE_KERNELS_SIMD_ATTENTION_KEYS_H

#include "engine/kernels/attention.h"
#include "engine/kernels/simd_dropout.h"

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

/* Keys of one sequence that padding does not hide, in order. A query sees the first of them: all,
 * or with a causal mask those up to its own position. */
struct seen_keys {
    long n;
    int32_t *list; /* (T) their positions */
    int32_t *upto; /* (T) how many query i sees */
};

static inline void seen_keys_layout(long T, struct pieces *p, struct seen_keys *s)
{
    s->list = piece(p, T, sizeof *s->list);
    s->upto = piece(p, T, sizeof *s->upto);
}

/* For sequence b; from the first on, in order. */
static inline void seen_keys_find(const struct attention *a, long b, struct seen_keys *s)
{
    if (b > 0 && !a->padding)
        return; /* the same as before */
    s->n = 0;
    for (long j = 0; j < a->T; j++) {
        if (!a->padding || !a->padding[b * a->T + j])
            s->list[s->n++] = (int32_t)j;
        s->upto[j] = (int32_t)s->n;
    }
    for (long j = 0; j < a->T && !a->causal; j++)
        s->upto[j] = (int32_t)s->n;
}

/* Some heads may have keys and values in common, and some keys and values no head. */
ALWAYS_INLINE bool keys_shared(const struct attention *a)
{
    return a->G != a->H || a->kv_of;
}

/* What backward writes of a sequence and does not reach, or reaches by adding, begins as 0. */
static inline void gradients_clear(const struct attention *a, long b, long sequences,
                                   const struct seen_keys *s, float *dqkv)
{
    const long size = a->T * attention_row(a);
    if (s->n < a->T || keys_shared(a))
        memset(dqkv + b * size, 0, (size_t)(sequences * size) * sizeof *dqkv);
}

/* keep_matrix for queries i .. i+queries-1 of a head (counted over sequences and heads), as far as
 * they see: bits of keys behind the last query's position may be anything with a causal mask. */
static void keep_queries(const struct attention *a, long head, long i, long queries,
                         uint32_t *words, long row_step, long word_step)
{
    const uint64_t element = (uint64_t)((head * a->T + i) * a->T);
    keep_matrix(&a->dropout, element, queries, a->T, a->causal ? i + queries : a->T, words,
                row_step, word_step);
}

#endif
