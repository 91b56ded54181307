
#include <math.h>
#include <stdlib.h>

#include "engine/base/clock.h"
#include "engine/base/rng.h"
#include "engine/base/scope.h"
#include "engine/encoder_cost.h"
#include "engine/kernels/attention.h"
#include "engine/kernels/attention_by_head.h"
#include "engine/kernels/blas.h"
#include "sweep/cli/bench.h"

/* All but sharp are shapes that peers are timed on as well (tests/bench/peer.py). */
const struct bench_workload bench_workloads[] = {
    {"gather", 32, 1, 64, 32, 64, 16, 4, .trained = 1000},
    {"sharp", 32, 1, 64, 32, 64, 16, 4, .heads = 16, .sharp = true},
    {"toy", 64, 2, 256, 32, 64, 32, 1, .trained = 300},
    {"small", 128, 2, 512, 64, 64, 64, 1, .trained = 50},
    {"medium", 256, 4, 1024, 128, 32, 256, 1, .trained = 5},
    {"large", 512, 4, 2048, 128, 16, 256, 1, .trained = 0},
    {"long", 64, 2, 256, 512, 16, 32, 1, .trained = 30},
    {.name = NULL},
};

enum { LEAST = 5, MOST = 10000 };

/* Where a trainer's examples come from: fresh ones until step `fresh`, then the last ones again. */
struct source {
    const struct bench_workload *w;
    int64_t fresh;
};

static enum status fill(void *context, int64_t step, struct examples *e, struct message *m)
{
    (void)m;
    const struct source *source = context;
    const struct bench_workload *w = source->w;
    if (step > source->fresh)
        return STATUS_OK;
    struct rng r = rng_at(0, RNG_DATA, (uint64_t)step, 0);
    for (int64_t i = 0; i < e->n * w->length; i++)
        e->tokens[i] = (int32_t)rng_below(&r, (uint32_t)w->vocab);
    for (int64_t i = 0; i < e->n * w->length * w->slots; i++) {
        const int64_t at = i / w->slots, place = at % w->length + 1 + i % w->slots;
        e->targets[i] = e->tokens[at / w->length * w->length + place % w->length];
    }
    return STATUS_OK;
}

struct matrices {
    real *a, *b, *c; /* large enough for every operand */
};

/* y = x w^T, dx = dy w, dw = dy^T x */
static void floor_linear(const struct matrices *x, long M, long in, long out)
{
    blas_nt(M, out, in, x->a, x->b, 0, x->c);
    blas_nn(M, out, in, x->a, x->b, 0, x->c);
    blas_tn(M, out, in, x->a, x->b, 0, x->c);
}

/* Scores, output, and their four gradients, of one head of one sequence. */
static void floor_attention(const struct matrices *x, long T, long d_k, long d_v)
{
    blas_gemm(0, 1, T, T, d_k, 1, x->a, d_k, x->b, d_k, 0, x->c, T);
    blas_gemm(0, 0, T, d_v, T, 1, x->a, T, x->b, d_v, 0, x->c, d_v);
    blas_gemm(1, 0, T, d_v, T, 1, x->a, T, x->b, d_v, 0, x->c, d_v);
    blas_gemm(0, 1, T, T, d_v, 1, x->a, d_v, x->b, d_v, 0, x->c, T);
    blas_gemm(0, 0, T, d_k, T, 1, x->a, T, x->b, d_k, 0, x->c, d_k);
    blas_gemm(1, 0, T, d_k, T, 1, x->a, T, x->b, d_k, 0, x->c, d_k);
}

static void floor_step(const struct matrices *x, const struct bench_workload *w,
                       const struct encoder_shapes *s)
{
    long M = (long)(w->batch * w->length), C = (long)w->d_model;
    for (int64_t layer = 0; layer < w->layers; layer++) {
        floor_linear(x, M, C, s->qkv_width);
        for (int64_t i = 0; i < w->batch * s->heads; i++)
            floor_attention(x, (long)w->length, s->d_k, s->d_v);
        floor_linear(x, M, s->o_width, C);
        floor_linear(x, M, C, (long)w->d_ff);
        floor_linear(x, M, (long)w->d_ff, C);
    }
    floor_linear(x, M, C, (long)(w->slots * w->vocab));
}

static struct matrices make_matrices(struct arena *a, const struct bench_workload *w,
                                     const struct encoder_shapes *s)
{
    long rows = (long)(w->batch * w->length);
    long widest = s->qkv_width;
    const long others[] = {(long)w->d_ff, (long)w->d_model, (long)(w->slots * w->vocab),
                           (long)w->length};
    for (int i = 0; i < 4; i++)
        widest = others[i] > widest ? others[i] : widest;
    rows = rows > widest ? rows : widest;
    struct matrices x;
    real **each[] = {&x.a, &x.b, &x.c};
    for (int i = 0; i < 3; i++) {
        *each[i] = arena_alloc(a, (size_t)(rows * widest), sizeof(real));
        for (long k = 0; k < rows * widest; k++)
            (*each[i])[k] = (real)(k % 13) * (real)0.01;
    }
    return x;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, compare);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* What is measured: steps of one or two trainers, and the floor. */
struct subject {
    struct trainer *step, *random; /* random: with random weights, NULL where step has them */
    struct matrices matrices;
    double *times; /* (3,MOST) */
};

static double timed_step(struct scope *x, struct trainer *t)
{
    double start = clock_now_s();
    scope_check(x, trainer_step(t, x->message));
    return clock_now_s() - start;
}

/* All in turn, so that a drift of the machine's speed meets each. */
static void measure(struct scope *x, const struct subject *of, const struct bench_workload *w,
                    double seconds, struct bench_result *r)
{
    double *step = of->times, *floor = step + MOST, *random = floor + MOST, start = 0;
    int n = -2; /* two to warm up */
    for (; n < MOST && (n < LEAST || clock_now_s() - start < seconds); n++) {
        const int i = n < 0 ? 0 : n;
        if (n == 0)
            start = clock_now_s();
        step[i] = timed_step(x, of->step);
        if (of->random)
            random[i] = timed_step(x, of->random);
        double before = clock_now_s();
        floor_step(&of->matrices, w, &of->step->encoder->shapes);
        floor[i] = clock_now_s() - before;
    }
    r->step_s = median(step, n);
    r->floor_s = median(floor, n);
    r->random_s = of->random ? median(random, n) : NAN;
    r->repetitions = n;
}

static struct encoder_io io_of(const struct bench_workload *w)
{
    return (struct encoder_io){.length = (long)w->length,
                               .fields = 1,
                               .field = {"token"},
                               .vocab = {(long)w->vocab},
                               .slots = (long)w->slots,
                               .classes = (long)w->vocab};
}

struct encoder_config bench_model(const struct bench_workload *w, int64_t heads, double dropout)
{
    struct encoder_config c;
    option_defaults(encoder_options, &c);
    c.d_model = w->d_model;
    c.layers = w->layers;
    c.d_ff = w->d_ff;
    c.heads = heads;
    c.dropout = dropout;
    return c;
}

/* Queries and keys so long that scores differ by e^40 and more within a row. */
static void sharpen(const struct encoder *e)
{
    const real factor = 20;
    const long rows = e->shapes.heads * 2 * e->shapes.d_k;
    for (int64_t l = 0; l < e->config.layers; l++) {
        const struct tensor *w = e->layer[l].in_proj_weight;
        for (long i = 0; i < rows * tensor_width(w); i++)
            w->data[i] *= factor;
    }
}

/* A trainer after w->trained steps, or sharp; its weights hardly move from then on. */
static struct trainer *make_trainer(struct scope *x, const struct encoder_config *model,
                                    struct source *source, bool sharp)
{
    const struct bench_workload *w = source->w;
    const struct encoder_io io = io_of(w);
    struct train_config train;
    struct trainer *t;
    option_defaults(train_options, &train);
    train.batch = w->batch;
    train.steps = 1000000000;
    scope_check(x, trainer_new(&x->arena, model, &io, &train, 0, fill, source, &t, x->message));
    if (w->threads > 1)
        trainer_set_threads(t, w->threads < TEAM_MAX ? (int)w->threads : TEAM_MAX);
    if (sharp)
        sharpen(t->encoder);
    for (int64_t i = 0; i < source->fresh; i++)
        scope_check(x, trainer_step(t, x->message));
    t->config.lr = 1e-12;
    return t;
}

/* Of one product of 1024 x 1024 x 1024 a second, the best of some. NaN when memory is out. */
static double peak_flops(void)
{
    enum { TRIES = 12 };
    const size_t n = 1024;
    real *x = aligned_alloc(64, 3 * n * n * sizeof *x);
    if (!x)
        return NAN;
    for (size_t i = 0; i < 3 * n * n; i++)
        x[i] = (real)(i % 13) * (real)0.01;
    double best = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        double start = clock_now_s();
        blas_nt((long)n, (long)n, (long)n, x, x + n * n, 0, x + 2 * n * n);
        best = fmin(best, clock_now_s() - start);
    }
    free(x);
    return 2 * (double)(n * n * n) / best;
}

static void time_step(struct scope *x, const struct bench_workload *w, int64_t heads,
                      double dropout, double seconds, struct bench_result *r)
{
    const struct encoder_config model = bench_model(w, heads, dropout);
    const struct encoder_io io = io_of(w);
    struct source trained = {w, w->trained}, random = {w, 0};
    struct subject of = {.step = make_trainer(x, &model, &trained, w->sharp)};
    if (w->trained > 0 || w->sharp)
        of.random = make_trainer(x, &model, &random, false);
    of.matrices = make_matrices(&x->arena, w, &of.step->encoder->shapes);
    of.times = arena_alloc(&x->arena, (size_t)3 * MOST, sizeof *of.times);
    measure(x, &of, w, seconds, r);
    r->flops = encoder_step_flops(&model, &io, (long)w->batch);
    r->peak_flops = peak_flops();
}

enum status bench_step(const struct bench_workload *w, int64_t heads, double dropout,
                       double seconds, struct bench_result *r, struct message *m)
{
    struct scope *x = scope_new(NULL, "this shape", m);
    if (scope_enter(x))
        time_step(x, w, heads, dropout, seconds, r);
    return scope_end(x);
}

/* ---- attention alone ---- */

/* One attention, and room for what it reads and writes. */
struct attention_subject {
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

static void attention_subject_new(struct arena *a, const struct encoder_config *c,
                                  const struct encoder_shapes *s, const struct bench_workload *w,
                                  struct attention_subject *x)
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

static double timed_kernels(const struct attention_subject *x, const struct attention *a)
{
    const struct kernels *k = kernels_best();
    const double start = clock_now_s();
    k->attention_forward(a, x->qkv, x->o, x->saved, x->scratch);
    k->attention_backward(a, x->qkv, x->o, x->saved, x->d_o, x->dqkv, x->scratch);
    return clock_now_s() - start;
}

/* A sequence at a time, forward and backward: weights of the whole batch would not fit into any
 * cache. */
static double timed_by_head(const struct attention_subject *x)
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
static void measure_attention(const struct attention_subject *x, double seconds,
                              struct bench_attention_result *r)
{
    const bool plain = !x->own.causal && x->own.G == x->own.H;
    const bool dropout = x->own.dropout.probability > 0;
    const double start = clock_now_s();
    r->own_s = r->full_s = r->by_head_s = INFINITY;
    for (int n = 0; n < MOST && (n < LEAST || clock_now_s() - start < seconds); n++) {
        r->own_s = fmin(r->own_s, timed_kernels(x, &x->own));
        r->full_s = plain ? r->own_s : fmin(r->full_s, timed_kernels(x, &x->full));
        r->by_head_s = dropout ? NAN : fmin(r->by_head_s, timed_by_head(x));
        r->repetitions = n + 1;
    }
}

enum status bench_attention(const struct bench_workload *w, const struct encoder_config *c,
                            double seconds, struct bench_attention_result *r, struct message *m)
{
    struct scope *x = scope_new(NULL, "this shape", m);
    if (scope_enter(x)) {
        struct attention_subject of;
        scope_check(x, encoder_shapes(c, &r->shapes, m));
        attention_subject_new(&x->arena, c, &r->shapes, w, &of);
        measure_attention(&of, seconds, r);
    }
    return scope_end(x);
}
