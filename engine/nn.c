#include "engine/nn.h"

#include <math.h>
#include <string.h>

#include "engine/base/rng.h"

/* Parameters are few and declared once: the list grows by one. */
struct tensor *nn_declare(struct arena *a, struct nn *nn, const char *name, struct shape shape,
                          enum nn_init init, long fan_in, long fan_out, double spread)
{
    if ((nn->count & (nn->count - 1)) == 0) { /* full whenever it is a power of two */
        size_t room = nn->count ? 2 * (size_t)nn->count : 1;
        struct nn_parameter *more = arena_alloc(a, room, sizeof *more);
        if (nn->count)
            memcpy(more, nn->list, (size_t)nn->count * sizeof *more);
        nn->list = more;
    }
    struct tensor *t = arena_alloc(a, 1, sizeof *t);
    t->name = arena_string(a, name);
    t->shape = shape;
    t->node = TENSOR_OUTSIDE;
    nn->list[nn->count++] = (struct nn_parameter){t, init, fan_in, fan_out, spread};
    nn->size += tensor_size(t);
    return t;
}

void nn_finish(struct arena *a, struct nn *nn, bool wants_grad)
{
    nn->data = arena_alloc(a, (size_t)nn->size, sizeof(real));
    if (wants_grad)
        nn->grad = arena_alloc(a, (size_t)nn->size, sizeof(real));
    long at = 0;
    for (int i = 0; i < nn->count; i++) {
        struct tensor *t = nn->list[i].tensor;
        t->data = nn->data + at;
        t->grad = wants_grad ? nn->grad + at : NULL;
        at += tensor_size(t);
    }
}

static double draw(const struct nn_parameter *p, struct rng *r)
{
    switch (p->init) {
    case NN_UNIFORM_FAN_IN:
        return (2 * rng_uniform(r) - 1) / sqrt((double)p->fan_in);
    case NN_XAVIER:
        return (2 * rng_uniform(r) - 1) * sqrt(6 / (double)(p->fan_in + p->fan_out));
    case NN_NORMAL:
        return p->spread * rng_normal(r);
    case NN_ONES:
        return 1;
    case NN_ZEROS:
        break;
    }
    return 0;
}

void nn_init(struct nn *nn, uint32_t seed)
{
    for (int i = 0; i < nn->count; i++) {
        const struct nn_parameter *p = &nn->list[i];
        struct rng r = rng_at(seed, RNG_INIT, rng_name(p->tensor->name), 0);
        long size = tensor_size(p->tensor);
        for (long k = 0; k < size; k++)
            p->tensor->data[k] = (real)draw(p, &r);
    }
}

struct tensor *nn_find(const struct nn *nn, const char *name)
{
    for (int i = 0; i < nn->count; i++)
        if (strcmp(nn->list[i].tensor->name, name) == 0)
            return nn->list[i].tensor;
    return NULL;
}

void nn_zero_grad(struct nn *nn)
{
    for (int i = 0; i < nn->count; i++)
        nn->list[i].tensor->grad_written = false;
}
