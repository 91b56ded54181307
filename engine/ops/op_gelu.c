/* y = gelu(x + bias), exact: z Phi(z) (Hendrycks and Gimpel 2016). */
#include "engine/ops/op.h"

enum { X, BIAS }; /* x (..,N), bias (N) or absent; y (..,N) */

struct tensor *graph_gelu(struct graph *g, struct tensor *x, struct tensor *bias)
{
    return op_apply(g, &op_gelu, NULL, 2, (struct tensor *[]){[X] = x, [BIAS] = bias});
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct tensor *x = n->in[X];
    if (!x || x->shape.rank < 2 || !op_is_bias(n->in[BIAS], tensor_width(x)))
        return op_mismatch(n, m, "needs x (..,N) and a bias (N) or none");
    *out = x->shape;
    return STATUS_OK;
}

/* The slope at every number; inference needs none. */
static long saved(const struct node *n, bool inference)
{
    return inference ? 0 : tensor_size(n->out);
}

static void forward(struct node *n, struct pass *p)
{
    const struct tensor *x = n->in[X], *bias = n->in[BIAS];
    p->kernels->gelu_forward(pass_rows(x, p), tensor_width(x), x->data, bias ? bias->data : NULL,
                             n->out->data, n->saved);
}

static void backward(struct node *n, struct pass *p)
{
    struct tensor *x = n->in[X];
    p->kernels->activation_backward(pass_rows(x, p), tensor_width(x), n->saved, n->out->grad,
                                    tensor_grad_beta(x), x->grad, tensor_grad_sum(n->in[BIAS]));
}

static unsigned shares_grad(const struct node *n)
{
    (void)n;
    return 1u << X;
}

static const struct gradcheck_case cases[] = {
    {.name = "with bias", .in = {SHAPE(3, 4, 5), SHAPE(5)}},
    {.name = "without bias", .in = {SHAPE(3, 19)}},
    {0},
};

const struct op op_gelu = {
    .name = "gelu",
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .saved = saved,
    .shares_grad = shares_grad,
    .cases = cases,
};
