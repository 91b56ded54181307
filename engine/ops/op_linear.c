/* y = x w^T + bias, as nn.Linear. */
#include "engine/kernels/blas.h"
#include "engine/ops/op.h"

enum { X, W, BIAS }; /* x (..,K), w (N,K), bias (N) or absent; y (..,N) */

struct tensor *graph_linear(struct graph *g, struct tensor *x, struct tensor *weight,
                            struct tensor *bias)
{
    return op_apply(g, &op_linear, NULL, 3,
                    (struct tensor *[]){[X] = x, [W] = weight, [BIAS] = bias});
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct tensor *x = n->in[X], *w = n->in[W];
    if (!x || !w || x->shape.rank < 2 || w->shape.rank != 2 || w->shape.dim[1] != tensor_width(x))
        return op_mismatch(n, m, "needs x (..,K) and a weight (N,K)");
    if (!op_is_bias(n->in[BIAS], w->shape.dim[0]))
        return op_mismatch(n, m, "a bias has one number per row of the weight");
    *out = x->shape;
    out->dim[out->rank - 1] = w->shape.dim[0];
    return blas_start(1, m);
}

/* Whether some table's own products take the weight; which one is known when the tape runs. */
static bool own_products(const struct tensor *w)
{
    const struct kernels *k;
    for (int i = 0; (k = kernels_available(i)); i++)
        if (k->linear_suits(w->shape.dim[0], w->shape.dim[1]))
            return true;
    return false;
}

static size_t scratch(const struct node *n)
{
    const struct tensor *w = n->in[W];
    return own_products(w) ? (size_t)linear_room(w->shape.dim[0], w->shape.dim[1]) * sizeof(real)
                           : 0;
}

/* The weight for the output, then for the input's gradient, if it wants one. */
static long packed(const struct node *n)
{
    const struct tensor *x = n->in[X], *w = n->in[W];
    const long N = w->shape.dim[0], K = w->shape.dim[1];
    return own_products(w) ? linear_panels(N, K) + (x->grad ? linear_panels(K, N) : 0) : 0;
}

static void prepare(struct node *n, const struct pass *p)
{
    const struct tensor *x = n->in[X], *w = n->in[W];
    const long N = w->shape.dim[0], K = w->shape.dim[1];
    if (p->kernels->linear_suits(N, K))
        p->kernels->linear_pack(N, K, w->data, n->packed,
                                x->grad ? n->packed + linear_panels(N, K) : NULL);
}

static void forward(struct node *n, struct pass *p)
{
    const struct tensor *x = n->in[X], *w = n->in[W], *bias = n->in[BIAS];
    long M = pass_rows(x, p), N = w->shape.dim[0], K = w->shape.dim[1];
    if (p->kernels->linear_suits(N, K)) {
        p->kernels->linear_product(M, N, K, x->data, n->packed, bias ? bias->data : NULL, 0,
                                   n->out->data, p->scratch);
        return;
    }
    if (bias)
        p->kernels->fill_rows(M, N, bias->data, n->out->data);
    blas_nt(M, N, K, x->data, w->data, bias ? 1 : 0, n->out->data);
}

static void backward(struct node *n, struct pass *p)
{
    struct tensor *x = n->in[X], *w = n->in[W];
    const real *dy = n->out->grad; /* (M,N) */
    const struct kernels *k = p->kernels;
    long M = pass_rows(x, p), N = w->shape.dim[0], K = w->shape.dim[1];
    bool own = k->linear_suits(N, K);
    if (x->grad && own)
        k->linear_product(M, K, N, dy, n->packed + linear_panels(N, K), NULL, tensor_grad_beta(x),
                          x->grad, p->scratch);
    else if (x->grad)
        blas_nn(M, N, K, dy, w->data, tensor_grad_beta(x), x->grad);
    op_await_turn(n, p);
    if (w->grad && own)
        k->linear_backward_weight(M, N, K, dy, x->data, tensor_grad_beta(w), w->grad, p->scratch);
    else if (w->grad)
        blas_tn(M, N, K, dy, x->data, tensor_grad_beta(w), w->grad);
    real *dbias = tensor_grad_sum(n->in[BIAS]);
    if (dbias)
        k->column_sums(M, N, dy, dbias);
}

static const struct gradcheck_case cases[] = {
    {.name = "with bias", .in = {SHAPE(3, 4, 5), SHAPE(7, 5), SHAPE(7)}},
    {.name = "without bias", .in = {SHAPE(3, 4, 5), SHAPE(7, 5)}},
    {.name = "per sequence", .in = {SHAPE(3, 5), SHAPE(2, 5), SHAPE(2)}},
    {.name = "constant x", .in = {SHAPE(3, 5), SHAPE(2, 5), SHAPE(2)}, .constant = 1u << X},
    {.name = "constant weight and bias",
     .in = {SHAPE(3, 5), SHAPE(2, 5), SHAPE(2)},
     .constant = 1u << W | 1u << BIAS},
    {0},
};

const struct op op_linear = {
    .name = "linear",
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .scratch = scratch,
    .packed = packed,
    .prepare = prepare,
    .backward_reads = 1u << X | 1u << W,
    .constant = 1u << X | 1u << W | 1u << BIAS,
    .awaits_turn = true,
    .cases = cases,
};
