#include "sweep/cli/bench.h"

#include <math.h>

#include "engine/base/clock.h"
#include "engine/base/rng.h"
#include "engine/kernels/attention.h"
#include "engine/kernels/attention_by_head.h"

enum { FEWEST = 5, MOST = 10000 };

/* One attention, and room for what it reads and writes. */
struct subject {
    struct attention own, full; /* full: no mask, every head keys of its own */
    real *qkv, *o, *saved, *d_o, *dqkv;
    real *w, *dw;  /* (H,T,T), (T,T): of the loop over heads */
    void *scratch; /* of the kernels */
};

static real *noise(struct arena *a, long n, uint32_t which)
{
    struct rng r = rng_at(0, RNG_DATA, which, 0);
    real *x = arena_alloc(a, (size_t)n, sizeof *x);
    for (long i = 0; i < n; i++)
        x[i] = (real)rng_normal(&r);
    return x;
}

static void subject_new(struct arena *a, const struct encoder_config *c,
                        const struct encoder_shapes *s, const struct bench_workload *w,
                        struct subject *x)
{
    const struct attention plain = {.B = (long)w->batch,
                                    .T = (long)w->length,
                                    .H = s->heads,
                                    .G = s->heads,
                                    .d_k = s->d_k,
                                    .d_v = s->d_v,
                                    .scale = (real)(1 / sqrt((double)s->d_k)),
                                    .dropout = {.probability = c->dropout}};
    x->full = x->own = plain;
    x->own.G = s->kv_heads;
    x->own.causal = c->mask == MASK_CAUSAL;
    const struct attention *f = &x->full;
    const long rows = f->B * f->T, T = f->T;
    x->qkv = noise(a, rows * attention_row(f), 0);
    x->d_o = noise(a, rows * f->H * f->d_v, 1);
    x->dqkv = arena_alloc(a, (size_t)(rows * attention_row(f)), sizeof(real));
    x->o = arena_alloc(a, (size_t)(rows * f->H * f->d_v), sizeof(real));
    x->saved = arena_alloc(a, (size_t)(rows * f->H * ATTENTION_SAVED), sizeof(real));
    x->w = arena_alloc(a, (size_t)(f->H * T * T), sizeof(real));
    x->dw = arena_alloc(a, (size_t)(T * T), sizeof(real));
    const size_t own = kernels_best()->attention_scratch(&x->own);
    const size_t full = kernels_best()->attention_scratch(f);
    x->scratch = arena_alloc(a, own > full ? own : full, 1);
}

static double timed_kernels(const struct subject *x, const struct attention *a)
{
    const struct kernels *k = kernels_best();
    const double start = clock_now_s();
    k->attention_forward(a, x->qkv, x->o, x->saved, x->scratch);
    k->attention_backward(a, x->qkv, x->o, x->saved, x->d_o, x->dqkv, x->scratch);
    return clock_now_s() - start;
}

/* A sequence at a time, forward and backward: weights of the whole batch would not fit into any
 * cache. */
static double timed_by_head(const struct subject *x)
{
    struct attention one = x->own;
    const double start = clock_now_s();
    one.B = 1;
    for (long b = 0; b < x->own.B; b++) {
        const long qkv = b * one.T * attention_row(&one), o = b * one.T * one.H * one.d_v;
        attention_by_head_forward(&one, x->qkv + qkv, x->o + o, x->w);
        attention_by_head_backward(&one, x->qkv + qkv, x->w, x->d_o + o, x->dqkv + qkv, x->dw);
    }
    return clock_now_s() - start;
}

/* All in turn, so that a drift of the machine's speed meets each. */
static void measure(const struct subject *x, double seconds, struct bench_attention_result *r)
{
    const bool plain = !x->own.causal && x->own.G == x->own.H;
    const bool dropout = x->own.dropout.probability > 0;
    const double start = clock_now_s();
    r->own_s = r->full_s = r->by_head_s = INFINITY;
    for (int n = 0; n < MOST && (n < FEWEST || clock_now_s() - start < seconds); n++) {
        r->own_s = fmin(r->own_s, timed_kernels(x, &x->own));
        r->full_s = plain ? r->own_s : fmin(r->full_s, timed_kernels(x, &x->full));
        r->by_head_s = dropout ? NAN : fmin(r->by_head_s, timed_by_head(x));
        r->repetitions = n + 1;
    }
}

enum status bench_attention(const struct bench_workload *w, const struct encoder_config *c,
                            double seconds, struct bench_attention_result *r, struct message *m)
{
    struct encoder_shapes s;
    enum status status = encoder_shapes(c, &s, m);
    if (status != STATUS_OK)
        return status;
    static struct arena a; /* static: what changes after setjmp is lost in automatic variables */
    jmp_buf exhausted;
    arena_init(&a, &exhausted);
    if (setjmp(exhausted) != 0) {
        arena_free(&a);
        return status_no_memory(m, "this shape");
    }
    struct subject x;
    subject_new(&a, c, &s, w, &x);
    measure(&x, seconds, r);
    r->shapes = s;
    arena_free(&a);
    return STATUS_OK;
}
