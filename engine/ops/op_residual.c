/* y = residual + dropout(x + bias): the end of a branch; without residual and bias, dropout alone
 * (Srivastava et al. 2014; kept elements are scaled by 1/(1 - probability)). */
#include "engine/ops/op.h"

enum { X, BIAS, RESIDUAL }; /* x (..,N), bias (N) or absent, residual (..,N) or absent; y (..,N) */

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct tensor *x = n->in[X], *r = n->in[RESIDUAL];
    if (!x || x->shape.rank < 2 || !op_is_bias(n->in[BIAS], tensor_width(x)))
        return op_mismatch(n, m, "needs x (..,N) and a bias (N) or none");
    if (r && (tensor_width(r) != tensor_width(x) || tensor_rows(r) != tensor_rows(x)))
        return op_mismatch(n, m, "x and residual must have one shape");
    *out = x->shape;
    return STATUS_OK;
}

static struct dropout dropout(const struct node *n, const struct pass *p)
{
    return op_dropout(n, p, tensor_size(n->out) / n->out->shape.dim[0]);
}

static void forward(struct node *n, struct pass *p)
{
    const struct tensor *x = n->in[X], *bias = n->in[BIAS], *r = n->in[RESIDUAL];
    struct dropout d = dropout(n, p);
    p->kernels->residual_forward(pass_rows(x, p), tensor_width(x), x->data,
                                 bias ? bias->data : NULL, r ? r->data : NULL, &d, n->out->data);
}

/* Where nothing is dropped, dx and the residual's gradient are dy itself, and the tape lets them be
 * one buffer. */
static void backward(struct node *n, struct pass *p)
{
    struct tensor *x = n->in[X], *r = n->in[RESIDUAL];
    const real *dy = n->out->grad;
    real *dbias = tensor_grad_sum(n->in[BIAS]);
    long M = pass_rows(x, p), N = tensor_width(x);
    struct dropout d = dropout(n, p);
    real beta = tensor_grad_beta(x);
    if (x->grad != dy)
        p->kernels->residual_backward(M, N, &d, dy, beta, x->grad, dbias);
    else if (dbias)
        p->kernels->column_sums(M, N, dy, dbias);
    if (!r)
        return;
    beta = tensor_grad_beta(r);
    if (r->grad != dy)
        p->kernels->add(M * N, dy, beta, r->grad);
}

static unsigned shares_grad(const struct node *n)
{
    return 1u << RESIDUAL | (n->attributes.dropout > 0 ? 0 : 1u << X);
}

static const struct gradcheck_case cases[] = {
    {.name = "all", .in = {{3, {3, 4, 5}}, {1, {5}}, {3, {3, 4, 5}}}},
    {.name = "all with dropout",
     .attributes = {.dropout = 0.3, .site = 2},
     .in = {{3, {3, 4, 5}}, {1, {5}}, {3, {3, 4, 5}}}},
    {.name = "dropout alone", .attributes = {.dropout = 0.5, .site = 3}, .in = {{3, {3, 7, 11}}}},
    {.name = "without bias", .in = {{2, {3, 5}}, {0}, {2, {3, 5}}}},
    {0},
};

const struct op op_residual = {
    .name = "residual",
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .shares_grad = shares_grad,
    .cases = cases,
};
