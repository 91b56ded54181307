/* Layer normalization over the last dimension (Ba, Kiros, Hinton 2016), as nn.LayerNorm. */
#include "engine/ops/op.h"

enum { X, GAIN, BIAS }; /* x (..,C), gain (C), bias (C); y (..,C) */

struct tensor *graph_layernorm(struct graph *g, struct tensor *x, struct tensor *gain,
                               struct tensor *bias)
{
    return op_apply(g, &op_layernorm, NULL, 3,
                    (struct tensor *[]){[X] = x, [GAIN] = gain, [BIAS] = bias});
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct tensor *x = n->in[X];
    if (!x || x->shape.rank < 2 || !n->in[GAIN] || !n->in[BIAS] ||
        !op_is_bias(n->in[GAIN], tensor_width(x)) || !op_is_bias(n->in[BIAS], tensor_width(x)))
        return op_mismatch(n, m, "needs x (..,C), a gain (C) and a bias (C)");
    *out = x->shape;
    return STATUS_OK;
}

/* mean, then 1/standard deviation of each row. */
static long saved(const struct node *n, bool inference)
{
    (void)inference;
    return 2 * tensor_rows(n->out);
}

static void forward(struct node *n, struct pass *p)
{
    const struct tensor *x = n->in[X];
    p->kernels->layernorm_forward(pass_rows(x, p), tensor_width(x), x->data, n->in[GAIN]->data,
                                  n->in[BIAS]->data, n->out->data, n->saved,
                                  n->saved + tensor_rows(n->out));
}

static void backward(struct node *n, struct pass *p)
{
    struct tensor *x = n->in[X];
    p->kernels->layernorm_backward(pass_rows(x, p), tensor_width(x), x->data, n->in[GAIN]->data,
                                   n->saved, n->saved + tensor_rows(n->out), n->out->grad,
                                   tensor_grad_beta(x), x->grad, tensor_grad_sum(n->in[GAIN]),
                                   tensor_grad_sum(n->in[BIAS]));
}

static const struct gradcheck_case cases[] = {
    {.name = "per position", .in = {SHAPE(3, 4, 6), SHAPE(6), SHAPE(6)}},
    {.name = "per sequence", .in = {SHAPE(3, 17), SHAPE(17), SHAPE(17)}},
    {.name = "two wide", .in = {SHAPE(3, 2), SHAPE(2), SHAPE(2)}},
    {0},
};

const struct op op_layernorm = {
    .name = "layernorm",
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .saved = saved,
    .backward_reads = 1u << X | 1u << GAIN,
    .cases = cases,
};
