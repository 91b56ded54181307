/* One vector per sequence: the mean over its positions that are not padding (0 where all are), or
 * its first position. */
#include <string.h>

#include "engine/ops/op.h"

/* in (B,T,C); out (B,C) */

struct tensor *graph_pool(struct graph *g, struct tensor *x, enum pooling pooling)
{
    return op_apply(g, &op_pool, &pooling, 1, &x);
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct tensor *x = n->in[0];
    if (!x || x->shape.rank != 3)
        return op_mismatch(n, m, "needs (B,T,C)");
    *out = SHAPE(x->shape.dim[0], x->shape.dim[2]);
    return STATUS_OK;
}

/* The share of position t of sequence b in its pool. */
static real weight(const struct node *n, const struct pass *p, long b, long t)
{
    const enum pooling *pooling = n->options;
    if (*pooling == POOLING_FIRST)
        return t == 0;
    long T = n->in[0]->shape.dim[1], kept = T;
    const uint8_t *padding = p->padding ? p->padding + b * T : NULL;
    for (long i = 0; padding && i < T; i++)
        kept -= padding[i] != 0;
    return padding && padding[t] ? 0 : 1 / (real)kept;
}

static void forward(struct node *n, struct pass *p)
{
    long T = n->in[0]->shape.dim[1], C = n->in[0]->shape.dim[2];
    for (long b = 0; b < p->batch; b++) {
        real *y = n->out->data + b * C;
        memset(y, 0, (size_t)C * sizeof(real));
        for (long t = 0; t < T; t++) {
            const real *x = n->in[0]->data + (b * T + t) * C;
            real w = weight(n, p, b, t);
            for (long c = 0; w != 0 && c < C; c++)
                y[c] += w * x[c];
        }
    }
}

static void backward(struct node *n, struct pass *p)
{
    long T = n->in[0]->shape.dim[1], C = n->in[0]->shape.dim[2];
    real *dx = tensor_grad_sum(n->in[0]);
    for (long b = 0; b < p->batch; b++) {
        const real *dy = n->out->grad + b * C;
        for (long t = 0; t < T; t++) {
            real w = weight(n, p, b, t);
            for (long c = 0; w != 0 && c < C; c++)
                dx[(b * T + t) * C + c] += w * dy[c];
        }
    }
}

static const struct gradcheck_case cases[] = {
    {.name = "mean", .in = {SHAPE(3, 4, 5)}},
    {.name = "mean with padding", .in = {SHAPE(3, 4, 5)}, .padding = true},
    {.name = "first", .options = &(const enum pooling){POOLING_FIRST}, .in = {SHAPE(3, 4, 5)}},
    {0},
};

const struct op op_pool = {
    .name = "pool",
    .options_size = sizeof(enum pooling),
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .cases = cases,
};
