/* Softmax cross-entropy of S slots of V classes per position (or per sequence), over the targets
 * that are not masked. Adds to the pass's loss_sum; its output tensor is only a handle. */
#include "engine/ops/op.h"

/* in: logits (B,..,S*V); out (B), not written */

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct tensor *logits = n->in[0];
    if (!logits || n->attributes.slots < 1 || tensor_width(logits) % n->attributes.slots != 0)
        return op_mismatch(n, m, "needs logits (B,..,S*V)");
    *out = (struct shape){1, {logits->shape.dim[0]}};
    return STATUS_OK;
}

/* The gradient is made with the loss, where the exponentials are at hand. */
static void forward(struct node *n, struct pass *p)
{
    struct tensor *logits = n->in[0];
    long S = n->attributes.slots;
    if (p->targets)
        p->loss_sum = p->kernels->cross_entropy(pass_rows(logits, p) * S, tensor_width(logits) / S,
                                                logits->data, p->targets, p->correct, p->loss_scale,
                                                logits->grad);
}

static void backward(struct node *n, struct pass *p)
{
    (void)p;
    n->in[0]->grad_written = true;
}

static const struct gradcheck_case cases[] = {
    {.name = "one slot", .attributes = {.slots = 1}, .in = {{3, {3, 4, 5}}}},
    {.name = "slots", .attributes = {.slots = 3}, .in = {{3, {3, 4, 6}}}},
    {.name = "masked", .attributes = {.slots = 2}, .in = {{3, {3, 4, 10}}}, .masked = true},
    {.name = "per sequence", .attributes = {.slots = 2}, .in = {{2, {3, 6}}}},
    {0},
};

const struct op op_cross_entropy = {
    .name = "cross_entropy",
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .grad_in_forward = true,
    .cases = cases,
};
