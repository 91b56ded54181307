#include "sweep/cli/bench.h"

#include <math.h>
#include <stdlib.h>

#include "engine/base/clock.h"
#include "engine/base/rng.h"
#include "engine/encoder_cost.h"
#include "engine/kernels/blas.h"

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

static enum status timed_step(struct trainer *t, double *seconds, struct message *m)
{
    double start = clock_now_s();
    enum status s = trainer_step(t, m);
    *seconds = clock_now_s() - start;
    return s;
}

/* All in turn, so that a drift of the machine's speed meets each. */
static enum status measure(const struct subject *x, const struct bench_workload *w, double seconds,
                           struct bench_result *r, struct message *m)
{
    double *step = x->times, *floor = step + MOST, *random = floor + MOST, start = 0;
    enum status s = STATUS_OK;
    int n = -2; /* two to warm up */
    for (; s == STATUS_OK && n < MOST && (n < LEAST || clock_now_s() - start < seconds); n++) {
        const int i = n < 0 ? 0 : n;
        if (n == 0)
            start = clock_now_s();
        s = timed_step(x->step, &step[i], m);
        if (s == STATUS_OK && x->random)
            s = timed_step(x->random, &random[i], m);
        double before = clock_now_s();
        floor_step(&x->matrices, w, &x->step->encoder->shapes);
        floor[i] = clock_now_s() - before;
    }
    if (s == STATUS_OK) {
        r->step_s = median(step, n);
        r->floor_s = median(floor, n);
        r->random_s = x->random ? median(random, n) : NAN;
        r->repetitions = n;
    }
    return s;
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
static enum status make_trainer(struct arena *a, const struct encoder_config *model,
                                struct source *source, bool sharp, struct trainer **t,
                                struct message *m)
{
    const struct bench_workload *w = source->w;
    const struct encoder_io io = io_of(w);
    struct train_config train;
    option_defaults(train_options, &train);
    train.batch = w->batch;
    train.steps = 1000000000;
    enum status s = trainer_new(a, model, &io, &train, 0, fill, source, t, m);
    if (s == STATUS_OK && w->threads > 1)
        trainer_set_threads(*t, w->threads < TEAM_MAX ? (int)w->threads : TEAM_MAX);
    if (s == STATUS_OK && sharp)
        sharpen((*t)->encoder);
    for (int64_t i = 0; s == STATUS_OK && i < source->fresh; i++)
        s = trainer_step(*t, m);
    if (s == STATUS_OK)
        (*t)->config.lr = 1e-12;
    return s;
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

enum status bench_step(const struct bench_workload *w, int64_t heads, double dropout,
                       double seconds, struct bench_result *r, struct message *m)
{
    const struct encoder_config model = bench_model(w, heads, dropout);
    const struct encoder_io io = io_of(w);
    struct source trained = {w, w->trained}, random = {w, 0};
    static struct arena a; /* static: what changes after setjmp is lost in automatic variables */
    jmp_buf exhausted;
    arena_init(&a, &exhausted);
    if (setjmp(exhausted) != 0) {
        arena_free(&a);
        return status_no_memory(m, "this shape");
    }
    struct subject x = {.random = NULL};
    enum status s = make_trainer(&a, &model, &trained, w->sharp, &x.step, m);
    if (s == STATUS_OK && (w->trained > 0 || w->sharp))
        s = make_trainer(&a, &model, &random, false, &x.random, m);
    if (s == STATUS_OK) {
        x.matrices = make_matrices(&a, w, &x.step->encoder->shapes);
        x.times = arena_alloc(&a, (size_t)3 * MOST, sizeof *x.times);
        s = measure(&x, w, seconds, r, m);
        r->flops = encoder_step_flops(&model, &io, (long)w->batch);
        r->peak_flops = peak_flops();
    }
    arena_free(&a);
    return s;
}
