#include "sweep/cli/bench.h"

#include <math.h>
#include <stdlib.h>

#include "engine/base/clock.h"
#include "engine/base/rng.h"
#include "engine/encoder_cost.h"
#include "engine/kernels/blas.h"

/* toy, small and medium are shapes that PyTorch was timed on as well (engine/README.md). */
const struct bench_workload bench_workloads[] = {
    {"gather", 32, 1, 64, 32, 64, 16, 4},
    {"toy", 64, 2, 256, 32, 64, 32, 1},
    {"small", 128, 2, 512, 64, 64, 64, 1},
    {"medium", 256, 4, 1024, 128, 32, 256, 1},
    {.name = NULL},
};

enum { LEAST = 5, MOST = 10000 };

/* Random tokens, drawn once: every step sees the same batch. */
static void fill_once(void *context, int64_t step, struct examples *e)
{
    const struct bench_workload *w = context;
    if (step > 0)
        return;
    struct rng r = rng_at(0, RNG_DATA, 0, 0);
    for (int64_t i = 0; i < e->n * w->length; i++)
        e->tokens[i] = (int32_t)rng_below(&r, (uint32_t)w->vocab);
    for (int64_t i = 0; i < e->n * w->length * w->slots; i++)
        e->targets[i] = (int32_t)rng_below(&r, (uint32_t)w->vocab);
}

struct matrices {
    real *a, *b, *c; /* large enough for every operand */
};

/* y = x w^T, dx = dy w, dw = dy^T x */
static void floor_linear(const struct matrices *x, long M, long in, long out)
{
    blas_nt(M, out, in, x->a, x->b, 0, x->c);
    blas_nn(M, in, out, x->a, x->b, 0, x->c);
    blas_tn(out, in, M, x->a, x->b, 0, x->c);
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

/* The two in turn, so that a drift of the machine's speed meets both. */
static enum status measure(struct trainer *t, const struct matrices *x,
                           const struct bench_workload *w, double seconds, double *times,
                           struct bench_result *r, struct message *m)
{
    double *step = times, *floor = times + MOST, start = 0;
    enum status s = STATUS_OK;
    int n = -2; /* two to warm up */
    for (; s == STATUS_OK && n < MOST && (n < LEAST || clock_now_s() - start < seconds); n++) {
        if (n == 0)
            start = clock_now_s();
        double t0 = clock_now_s();
        s = trainer_step(t, m);
        double t1 = clock_now_s();
        floor_step(x, w, &t->encoder->shapes);
        double t2 = clock_now_s();
        if (n >= 0) {
            step[n] = t1 - t0;
            floor[n] = t2 - t1;
        }
    }
    if (s == STATUS_OK) {
        r->step_s = median(step, n);
        r->floor_s = median(floor, n);
        r->repetitions = n;
    }
    return s;
}

static struct encoder_config config_of(const struct bench_workload *w, int64_t heads,
                                       double dropout)
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

enum status bench_step(const struct bench_workload *w, int64_t heads, double dropout,
                       double seconds, struct bench_result *r, struct message *m)
{
    struct bench_workload copy = *w;
    struct encoder_config model = config_of(w, heads, dropout);
    struct encoder_io io = {.length = (long)w->length,
                            .fields = 1,
                            .field = {"token"},
                            .vocab = {(long)w->vocab},
                            .slots = (long)w->slots,
                            .classes = (long)w->vocab};
    struct train_config train;
    option_defaults(train_options, &train);
    train.batch = w->batch;
    train.steps = 1000000000;

    static struct arena a; /* static: what changes after setjmp is lost in automatic variables */
    jmp_buf exhausted;
    arena_init(&a, &exhausted);
    if (setjmp(exhausted) != 0) {
        arena_free(&a);
        return status_fail(m, STATUS_NO_MEMORY, "out of memory for this shape");
    }
    struct trainer *t;
    enum status s = trainer_new(&a, &model, &io, &train, 0, fill_once, &copy, &t, m);
    if (s == STATUS_OK) {
        struct matrices x = make_matrices(&a, w, &t->encoder->shapes);
        double *times = arena_alloc(&a, (size_t)2 * MOST, sizeof *times);
        s = measure(t, &x, w, seconds, times, r, m);
        r->flops = encoder_step_flops(&model, &io, (long)w->batch);
    }
    arena_free(&a);
    return s;
}

double bench_peak(void)
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
    return 2e-9 * (double)(n * n * n) / best;
}
