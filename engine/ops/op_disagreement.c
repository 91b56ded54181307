/* x passes through; beside it, weight times how alike the heads are is added to what is minimised
 * (Li et al. 2018, eq. 4; engine/kernels/similarity.h): per sequence the mean over its positions
 * that are not padding, then the mean over the sequences of the whole batch. One head is like no
 * other. */
#include <string.h>

#include "engine/kernels/blas.h"
#include "engine/kernels/similarity.h"
#include "engine/ops/op.h"

/* x, y: the packed queries, keys and values, or for the kind `output` the heads' outputs */

struct tensor *graph_disagreement(struct graph *g, struct tensor *x,
                                  struct disagreement_options options)
{
    return op_apply(g, &op_disagreement, &options, 1, &x);
}

static struct attention setting(const struct node *n, const struct pass *p)
{
    const struct disagreement_options *o = n->options;
    struct attention a = op_attention_of(&o->attention, n->in[0]->shape.dim[1], p);
    a.dropout.probability = 0;
    return a;
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct disagreement_options *o = n->options;
    const struct tensor *x = n->in[0];
    if (!x || x->shape.rank != 3 || o->attention.heads < 1 || o->attention.d_v < 1)
        return op_mismatch(n, m, "needs the numbers of at least one head");
    struct attention a = setting(n, &(struct pass){.batch = 0});
    long width = o->kind == SIMILARITY_OUTPUT ? a.H * a.d_v : attention_row(&a);
    if (tensor_width(x) != width)
        return op_mismatch(n, m, "needs what attention takes or, for outputs, what it gives");
    *out = x->shape;
    return STATUS_OK;
}

/* Room to work on one sequence. Only the kind `position` needs more than `sum`. */
struct scratch {
    double *sum;
    real *weights, *dscores; /* (H,T,T) */
    real *dw;                /* (H,T) */
    void *kernel;
};

static size_t aligned(size_t bytes)
{
    return (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
}

/* Places the scratch in `memory` and returns its size; memory NULL: the size alone. */
static size_t place(const struct node *n, const struct attention *a, char *memory,
                    struct scratch *r)
{
    const struct disagreement_options *o = n->options;
    size_t H = (size_t)a->H, T = (size_t)a->T, used = 0;
    const size_t sizes[] = {(size_t)similarity_scratch(a) * sizeof(double),
                            H * T * T * sizeof(real), H * T * T * sizeof(real),
                            H * T * sizeof(real), op_attention_scratch(a)};
    enum { PARTS = sizeof sizes / sizeof sizes[0] };
    void *at[PARTS] = {NULL};
    for (int i = 0; i < (o->kind == SIMILARITY_POSITION ? PARTS : 1); i++) {
        at[i] = memory ? memory + used : NULL;
        used += aligned(sizes[i]);
    }
    *r = (struct scratch){at[0], at[1], at[2], at[3], at[4]};
    return used;
}

static size_t scratch(const struct node *n)
{
    struct attention a = setting(n, &(struct pass){.batch = 1});
    struct scratch r;
    return place(n, &a, NULL, &r);
}

/* One sequence of the slice: the same attention with B = 1. */
static struct attention sequence(const struct attention *a, long b)
{
    struct attention one = *a;
    one.B = 1;
    one.padding = a->padding ? a->padding + b * a->T : NULL;
    return one;
}

static bool counts(const struct attention *one, long t)
{
    return !one->padding || !one->padding[t];
}

/* What a position's similarity is multiplied by in what is minimised. */
static double share(const struct node *n, const struct pass *p, const struct attention *one)
{
    const struct disagreement_options *o = n->options;
    long positions = 0;
    for (long t = 0; t < one->T; t++)
        positions += counts(one, t);
    long sequences = p->sequences ? p->sequences : p->batch;
    return positions ? o->weight / ((double)positions * (double)sequences) : 0;
}

static void forward(struct node *n, struct pass *p)
{
    const struct disagreement_options *o = n->options;
    const struct attention a = setting(n, p);
    long row = tensor_width(n->out);
    struct scratch r;
    place(n, &a, p->scratch, &r);
    memcpy(n->out->data, n->in[0]->data, (size_t)(pass_rows(n->out, p) * row) * sizeof(real));
    for (long b = 0; b < p->batch && a.H > 1; b++) {
        const struct attention one = sequence(&a, b);
        const real *x = n->in[0]->data + b * a.T * row;
        double sum = 0;
        if (o->kind == SIMILARITY_POSITION)
            p->kernels->attention_weights(&one, x, r.weights, r.kernel);
        long column = o->kind == SIMILARITY_SUBSPACE ? attention_value_column(&a, 0) : 0;
        for (long t = 0; t < a.T; t++)
            if (counts(&one, t))
                sum += o->kind == SIMILARITY_POSITION
                           ? similarity_weights(&one, r.weights + t * a.T, r.sum)
                           : similarity_cosine(&one, o->kind, x + t * row + column, r.sum);
        p->penalty += share(n, p, &one) * sum;
    }
}

/* dscores (H,T,T) = the gradient with respect to scale q.k: w (dw - sum w dw) in every row. */
static void backward_softmax(const struct attention *one, double factor, const struct scratch *r)
{
    long H = one->H, T = one->T;
    for (long t = 0; t < T; t++) {
        bool is_row = counts(one, t);
        if (is_row)
            similarity_weights_backward(one, r->weights + t * T, factor, r->sum, r->dw);
        for (long h = 0; h < H; h++) {
            const real *w = r->weights + (h * T + t) * T, *dw = r->dw + h * T;
            real *ds = r->dscores + (h * T + t) * T, mean = 0;
            for (long j = 0; is_row && j < T; j++)
                mean += w[j] * dw[j];
            for (long j = 0; j < T; j++)
                ds[j] = is_row ? w[j] * (dw[j] - mean) : 0;
        }
    }
}

/* dq += scale dscores k, dk += scale dscores^T q */
static void backward_scores(const struct attention *one, const real *x, const struct scratch *r,
                            real *dx)
{
    long T = one->T, row = attention_row(one);
    for (long h = 0; h < one->H; h++) {
        const real *ds = r->dscores + h * T * T;
        long q = h * one->d_k, k = attention_key_column(one, attention_kv(one, h));
        blas_gemm(0, 0, T, one->d_k, T, one->scale, ds, T, x + k, row, 1, dx + q, row);
        blas_gemm(1, 0, T, one->d_k, T, one->scale, ds, T, x + q, row, 1, dx + k, row);
    }
}

static void backward(struct node *n, struct pass *p)
{
    const struct disagreement_options *o = n->options;
    const struct attention a = setting(n, p);
    struct tensor *in = n->in[0];
    long row = tensor_width(n->out);
    struct scratch r;
    place(n, &a, p->scratch, &r);
    real beta = tensor_grad_beta(in);
    if (in->grad != n->out->grad)
        p->kernels->add(pass_rows(in, p) * row, n->out->grad, beta, in->grad);
    for (long b = 0; b < p->batch && a.H > 1; b++) {
        const struct attention one = sequence(&a, b);
        const real *x = in->data + b * a.T * row;
        real *dx = in->grad + b * a.T * row;
        double factor = share(n, p, &one);
        if (o->kind == SIMILARITY_POSITION) {
            p->kernels->attention_weights(&one, x, r.weights, r.kernel);
            backward_softmax(&one, factor, &r);
            backward_scores(&one, x, &r, dx);
            continue;
        }
        long column = o->kind == SIMILARITY_SUBSPACE ? attention_value_column(&a, 0) : 0;
        for (long t = 0; t < a.T; t++)
            if (counts(&one, t))
                similarity_cosine_backward(&one, o->kind, x + t * row + column, factor, r.sum,
                                           dx + t * row + column);
    }
}

static unsigned shares_grad(const struct node *n)
{
    (void)n;
    return 1u;
}

static const int32_t ragged[] = {1, 0, 1};

#define OPTIONS(KIND, ...)                                                                         \
    &(const struct disagreement_options)                                                           \
    {                                                                                              \
        .attention = {__VA_ARGS__}, .kind = (KIND), .weight = 0.7                                  \
    }
static const struct gradcheck_case cases[] = {
    {.name = "outputs",
     .options = OPTIONS(SIMILARITY_OUTPUT, .heads = 3, .d_k = 1, .d_v = 2),
     .in = {SHAPE(3, 4, 6)}},
    {.name = "outputs with padding",
     .options = OPTIONS(SIMILARITY_OUTPUT, .heads = 2, .d_k = 1, .d_v = 3),
     .in = {SHAPE(3, 4, 6)},
     .padding = true},
    {.name = "values",
     .options = OPTIONS(SIMILARITY_SUBSPACE, .heads = 3, .d_k = 1, .d_v = 2),
     .in = {SHAPE(3, 4, 12)}},
    {.name = "shared values with padding",
     .options = OPTIONS(SIMILARITY_SUBSPACE, .heads = 4, .kv_heads = 2, .d_k = 1, .d_v = 3),
     .in = {SHAPE(3, 4, 12)},
     .padding = true},
    {.name = "weights",
     .options = OPTIONS(SIMILARITY_POSITION, .heads = 3, .d_k = 2, .d_v = 1),
     .in = {SHAPE(3, 4, 15)}},
    {.name = "weights of shared keys, causal, with padding",
     .options = OPTIONS(SIMILARITY_POSITION, .heads = 3, .kv_heads = 2, .kv_of = ragged, .d_k = 2,
                        .d_v = 1, .causal = true),
     .in = {SHAPE(3, 4, 12)},
     .padding = true},
    {.name = "one head",
     .options = OPTIONS(SIMILARITY_OUTPUT, .heads = 1, .d_k = 1, .d_v = 3),
     .in = {SHAPE(3, 4, 3)}},
    {0},
};

const struct op op_disagreement = {
    .name = "disagreement",
    .options_size = sizeof(struct disagreement_options),
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .scratch = scratch,
    .backward_reads = 1u << 0,
    .shares_grad = shares_grad,
    .cases = cases,
};
