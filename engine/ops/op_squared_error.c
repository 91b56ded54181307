/* The sum of squared errors, of targets that are numbers. Adds to the pass's loss_sum; its output
 * tensor is only a handle. */
#include "engine/ops/op.h"

enum { X, TARGET }; /* x (..,N), target (..,N); out (B), not written */

struct tensor *graph_squared_error(struct graph *g, struct tensor *x, struct tensor *target)
{
    return op_apply(g, &op_squared_error, NULL, 2, (struct tensor *[]){[X] = x, [TARGET] = target});
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct tensor *x = n->in[X], *target = n->in[TARGET];
    if (!x || !target || x->shape.rank < 2 || tensor_rows(x) != tensor_rows(target) ||
        tensor_width(x) != tensor_width(target))
        return op_mismatch(n, m, "x and target must have one shape (..,N)");
    *out = SHAPE(x->shape.dim[0]);
    return STATUS_OK;
}

static void forward(struct node *n, struct pass *p)
{
    const struct tensor *x = n->in[X], *target = n->in[TARGET];
    long count = pass_rows(x, p) * tensor_width(x);
    for (long i = 0; i < count; i++) {
        double error = (double)x->data[i] - (double)target->data[i];
        p->loss_sum += error * error;
    }
}

/* dx = 2 (x - target) loss_scale, and the target's is its negative. */
static void add_gradient(struct tensor *t, const struct node *n, const struct pass *p, real scale)
{
    if (!t->grad)
        return;
    const real *x = n->in[X]->data, *target = n->in[TARGET]->data;
    long count = pass_rows(t, p) * tensor_width(t);
    real beta = tensor_grad_beta(t);
    for (long i = 0; i < count; i++)
        t->grad[i] = scale * (x[i] - target[i]) + (beta != 0 ? t->grad[i] : 0);
}

static void backward(struct node *n, struct pass *p)
{
    add_gradient(n->in[X], n, p, 2 * p->loss_scale);
    add_gradient(n->in[TARGET], n, p, -2 * p->loss_scale);
}

static const struct gradcheck_case cases[] = {
    {.name = "per sequence", .in = {SHAPE(3, 4), SHAPE(3, 4)}},
    {.name = "per position, constant target",
     .in = {SHAPE(3, 2, 5), SHAPE(3, 2, 5)},
     .constant = 1u << TARGET},
    {.name = "constant x", .in = {SHAPE(3, 4), SHAPE(3, 4)}, .constant = 1u << X},
    {0},
};

const struct op op_squared_error = {
    .name = "squared_error",
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .backward_reads = 1u << X | 1u << TARGET,
    .constant = 1u << X | 1u << TARGET,
    .is_loss = true,
    .cases = cases,
};
