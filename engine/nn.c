#include "engine/nn.h"

#include <string.h>

#include "engine/base/heartbeat.h"

static struct tensor *declare(struct arena *a, struct nn *nn, const char *name, struct shape shape,
                              struct init_role role)
{
    if ((nn->count & (nn->count - 1)) == 0) { /* full whenever it is a power of two */
        size_t capacity = nn->count ? 2 * (size_t)nn->count : 1;
        struct nn_parameter *more = arena_alloc(a, capacity, sizeof *more);
        if (nn->count)
            memcpy(more, nn->list, (size_t)nn->count * sizeof *more);
        nn->list = more;
    }
    struct tensor *t = arena_alloc(a, 1, sizeof *t);
    t->name = arena_string(a, name);
    t->shape = shape;
    t->node = TENSOR_OUTSIDE;
    nn->list[nn->count++] = (struct nn_parameter){t, role};
    nn->size += tensor_size(t);
    return t;
}

struct tensor *nn_matrix(struct arena *a, struct nn *nn, const char *name, enum init_kind kind,
                         long rows, long columns)
{
    return declare(a, nn, name, SHAPE(rows, columns),
                   (struct init_role){kind, .fan_in = columns, .fan_out = rows});
}

struct tensor *nn_heads_matrix(struct arena *a, struct nn *nn, const char *name,
                               enum init_kind kind, struct init_heads heads, long rows,
                               long columns)
{
    return declare(a, nn, name, SHAPE(rows, columns),
                   (struct init_role){kind, .fan_in = columns, .fan_out = rows, .heads = heads});
}

struct tensor *nn_vector(struct arena *a, struct nn *nn, const char *name, enum init_kind kind,
                         long size, long fan_in)
{
    return declare(a, nn, name, SHAPE(size),
                   (struct init_role){kind, .fan_in = fan_in, .fan_out = size});
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

void nn_init(struct nn *nn, const struct init *init, uint32_t seed)
{
    for (int i = 0; i < nn->count; i++) {
        struct nn_parameter *p = &nn->list[i];
        struct rng r = rng_at(seed, RNG_INIT, rng_name(p->tensor->name), 0);
        init->fill(p->tensor, &p->role, &r);
        heartbeat();
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
