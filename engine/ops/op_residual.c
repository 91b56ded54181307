/* y = residual + dropout(x + bias): the end of a branch; without residual and bias, dropout alone
 * (Srivastava et al. 2014; kept elements are scaled by 1/(1 - probability)). */
#include "engine/ops/op.h"

enum { X, BIAS, RESIDUAL }; /* x (..,N), bias (N) or absent, residual (..,N) or absent; y (..,N) */

struct tensor *graph_residual(struct graph *g, struct tensor *x, struct tensor *bias,
                              struct tensor *residual, struct dropout_site site)
{
    return op_apply(g, &op_residual, &site, 3,
                    (struct tensor *[]){[X] = x, [BIAS] = bias, [RESIDUAL] = residual});
}

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

static long saved(const struct node *n, bool inference)
{
    const struct dropout_site *site = n->options;
    return inference ? 0 : op_dropout_saved(*site, tensor_size(n->out));
}

static struct dropout dropout(const struct node *n, const struct pass *p)
{
    const struct dropout_site *site = n->options;
    return op_dropout(*site, p, tensor_size(n->out) / n->out->shape.dim[0], n->saved);
}

static void forward(struct node *n, struct pass *p)
{
    const struct tensor *x = n->in[X], *bias = n->in[BIAS], *r = n->in[RESIDUAL];
    struct dropout d = dropout(n, p);
    op_dropout_draw(&d, p, pass_rows(x, p) * tensor_width(x), n->saved);
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
    const struct dropout_site *site = n->options;
    return 1u << RESIDUAL | (site->probability > 0 ? 0 : 1u << X);
}

static const struct gradcheck_case cases[] = {
    {.name = "all", .in = {SHAPE(3, 4, 5), SHAPE(5), SHAPE(3, 4, 5)}},
    {.name = "all with dropout",
     .options = &(const struct dropout_site){.probability = 0.3, .number = 2},
     .in = {SHAPE(3, 4, 5), SHAPE(5), SHAPE(3, 4, 5)}},
    {.name = "dropout alone",
     .options = &(const struct dropout_site){.probability = 0.5, .number = 3},
     .in = {SHAPE(3, 7, 11)}},
    {.name = "without bias", .in = {SHAPE(3, 5), {0}, SHAPE(3, 5)}},
    {0},
};

const struct op op_residual = {
    .name = "residual",
    .options_size = sizeof(struct dropout_site),
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .saved = saved,
    .shares_grad = shares_grad,
    .cases = cases,
};
