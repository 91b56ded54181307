/* y = x * gate: each head's output times a factor of its own, one per sequence. The gradient with
 * respect to a gate says what the head contributes (Michel et al. 2019, section 2.3); a gate of 0
 * takes the head away. */
#include "engine/ops/op.h"

enum { X, GATE }; /* x (B,T,H*w), gate (B,H); y (B,T,H*w) */

struct tensor *graph_gate(struct graph *g, struct tensor *x, struct tensor *gate)
{
    return op_apply(g, &op_gate, NULL, 2, (struct tensor *[]){[X] = x, [GATE] = gate});
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct tensor *x = n->in[X], *gate = n->in[GATE];
    if (!x || !gate || x->shape.rank != 3 || gate->shape.rank != 2 ||
        gate->shape.dim[0] != x->shape.dim[0] || tensor_width(x) % tensor_width(gate) != 0)
        return op_mismatch(n, m, "needs x (B,T,H*w) and a gate (B,H)");
    *out = x->shape;
    return STATUS_OK;
}

static void forward(struct node *n, struct pass *p)
{
    const struct tensor *x = n->in[X];
    long T = x->shape.dim[1], H = tensor_width(n->in[GATE]), w = tensor_width(x) / H;
    const real *from = x->data;
    real *to = n->out->data;
    for (long b = 0; b < p->batch; b++)
        for (long t = 0; t < T; t++)
            for (long h = 0; h < H; h++, from += w, to += w) {
                real factor = n->in[GATE]->data[b * H + h];
                for (long i = 0; i < w; i++)
                    to[i] = from[i] * factor;
            }
}

/* dx = dy * gate, dgate = sum over the positions and the head's numbers of dy * x. dx may be dy. */
static void backward(struct node *n, struct pass *p)
{
    struct tensor *x = n->in[X], *gate = n->in[GATE];
    long T = x->shape.dim[1], H = tensor_width(gate), w = tensor_width(x) / H;
    real *dgate = tensor_grad_sum(gate);
    bool add = x->grad && tensor_grad_beta(x) != 0;
    for (long b = 0; b < p->batch; b++)
        for (long t = 0; t < T; t++)
            for (long h = 0; h < H; h++) {
                long at = ((b * T + t) * H + h) * w;
                real factor = gate->data[b * H + h], sum = 0;
                const real *dy = n->out->grad + at;
                for (long i = 0; dgate && i < w; i++)
                    sum += dy[i] * x->data[at + i];
                if (dgate)
                    dgate[b * H + h] += sum;
                for (long i = 0; x->grad && i < w; i++)
                    x->grad[at + i] = dy[i] * factor + (add ? x->grad[at + i] : 0);
            }
}

static unsigned shares_grad(const struct node *n)
{
    (void)n;
    return 1u << X;
}

static const struct gradcheck_case cases[] = {
    {.name = "one head", .in = {SHAPE(3, 4, 5), SHAPE(3, 1)}},
    {.name = "heads", .in = {SHAPE(3, 4, 6), SHAPE(3, 3)}},
    {.name = "constant gate", .in = {SHAPE(3, 2, 4), SHAPE(3, 2)}, .constant = 1u << GATE},
    {.name = "constant x", .in = {SHAPE(3, 2, 4), SHAPE(3, 2)}, .constant = 1u << X},
    {0},
};

const struct op op_gate = {
    .name = "gate",
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .constant = 1u << X | 1u << GATE,
    .backward_reads = 1u << X | 1u << GATE,
    .shares_grad = shares_grad,
    .cases = cases,
};
