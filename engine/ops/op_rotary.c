/* Rotary positions: the numbers 2i and 2i + 1 of every query and key are turned by an angle in
 * proportion to the position, so that a score depends on how far query and key lie apart (Su et al.
 * 2021, RoFormer, eq. 34). What stands between in_proj and attention. */
#include "engine/ops/op.h"

struct tensor *graph_rotary(struct graph *g, struct tensor *x, struct rotary_options options)
{
    return op_apply(g, &op_rotary, &options, 1, &x);
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct tensor *x = n->in[0];
    const struct rotary_options *o = n->options;
    if (o->d_k < 2 || o->d_k % 2 != 0 || o->heads < 1 || !o->turns)
        return op_mismatch(n, m, "needs heads of an even width, and angles");
    if (!x || x->shape.rank != 3 || tensor_width(x) < o->heads * o->d_k)
        return op_mismatch(n, m, "needs (B,T,N) with N at least heads*d_k");
    *out = x->shape;
    return STATUS_OK;
}

static void turn(const struct node *n, const struct pass *p, bool back, const real *from, real beta,
                 real *to)
{
    const struct rotary_options *o = n->options;
    const struct rotation t = {.T = n->out->shape.dim[1],
                               .width = o->d_k,
                               .groups = o->heads,
                               .turns = o->turns,
                               .back = back};
    p->kernels->rotate(pass_rows(n->out, p), tensor_width(n->out), &t, from, beta, to);
}

static void forward(struct node *n, struct pass *p)
{
    turn(n, p, false, n->in[0]->data, 0, n->out->data);
}

/* A turn keeps lengths, so its transpose is the turn back. dx may be dy. */
static void backward(struct node *n, struct pass *p)
{
    turn(n, p, true, n->out->grad, tensor_grad_beta(n->in[0]), n->in[0]->grad);
}

static unsigned shares_grad(const struct node *n)
{
    (void)n;
    return 1u << 0;
}

/* Any numbers will do for a linear map: (4,2) and (3,4). */
static const real narrow[] = {1, 0, 0.5, 0.75, -0.375, 0.875, -1, 0.125};
static const real wide[] = {1, 0, 1, 0, 0.5, 0.75, 0.875, 0.125, -0.375, 0.875, 0.75, 0.25};

static const struct gradcheck_case cases[] = {
    {.name = "all of a row",
     .options = &(const struct rotary_options){.d_k = 2, .heads = 3, .turns = narrow},
     .in = {SHAPE(3, 4, 6)}},
    {.name = "values stay",
     .options = &(const struct rotary_options){.d_k = 4, .heads = 2, .turns = wide},
     .in = {SHAPE(3, 3, 13)}},
    {0},
};

const struct op op_rotary = {
    .name = "rotary",
    .options_size = sizeof(struct rotary_options),
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .shares_grad = shares_grad,
    .cases = cases,
};
