/* Softmax cross-entropy of S slots of V classes per position (or per sequence), over the targets
 * that are not masked. Adds to the pass's loss_sum; its output tensor is only a handle. */
#include "engine/ops/op.h"

/* in: logits (B,..,S*V); out (B), not written */

struct options {
    long slots; /* S */
};

struct tensor *graph_cross_entropy(struct graph *g, struct tensor *logits, long slots)
{
    return op_apply(g, &op_cross_entropy, &(struct options){slots}, 1, &logits);
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct options *o = n->options;
    const struct tensor *logits = n->in[0];
    if (!logits || o->slots < 1 || tensor_width(logits) % o->slots != 0)
        return op_mismatch(n, m, "needs logits (B,..,S*V)");
    *out = SHAPE(logits->shape.dim[0]);
    return STATUS_OK;
}

/* The gradient is made with the loss, where the exponentials are at hand. */
static void forward(struct node *n, struct pass *p)
{
    const struct options *o = n->options;
    struct tensor *logits = n->in[0];
    long S = o->slots;
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
    {.name = "one slot", .options = &(const struct options){1}, .slots = 1, .in = {SHAPE(3, 4, 5)}},
    {.name = "slots", .options = &(const struct options){3}, .slots = 3, .in = {SHAPE(3, 4, 6)}},
    {.name = "masked",
     .options = &(const struct options){2},
     .slots = 2,
     .in = {SHAPE(3, 4, 10)},
     .masked = true},
    {.name = "per sequence",
     .options = &(const struct options){2},
     .slots = 2,
     .in = {SHAPE(3, 6)}},
    {0},
};

const struct op op_cross_entropy = {
    .name = "cross_entropy",
    .options_size = sizeof(struct options),
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .is_loss = true,
    .grad_in_forward = true,
    .cases = cases,
};
