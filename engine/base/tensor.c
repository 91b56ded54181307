#include "engine/base/tensor.h"

#include <string.h>

struct tensor *tensor_new(struct arena *a, const char *name, struct shape shape, bool wants_grad)
{
    struct tensor *t = arena_alloc(a, 1, sizeof *t);
    t->name = name;
    t->shape = shape;
    t->node = TENSOR_OUTSIDE;
    t->data = arena_alloc(a, (size_t)tensor_size(t), sizeof(real));
    if (wants_grad)
        t->grad = arena_alloc(a, (size_t)tensor_size(t), sizeof(real));
    return t;
}

long tensor_size(const struct tensor *t)
{
    return tensor_rows(t) * tensor_width(t);
}

long tensor_rows(const struct tensor *t)
{
    long rows = 1;
    for (int i = 0; i < t->shape.rank - 1; i++)
        rows *= t->shape.dim[i];
    return rows;
}

long tensor_width(const struct tensor *t)
{
    return t->shape.dim[t->shape.rank - 1];
}

real tensor_grad_beta(struct tensor *t)
{
    real beta = t->grad_written ? 1 : 0;
    t->grad_written = true;
    return beta;
}

real *tensor_grad_sum(struct tensor *t)
{
    if (!t || !t->grad)
        return NULL;
    if (tensor_grad_beta(t) == 0)
        memset(t->grad, 0, (size_t)tensor_size(t) * sizeof(real));
    return t->grad;
}
