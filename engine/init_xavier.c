/* All matrices Xavier uniform (Glorot and Bengio 2010), all biases 0. */
#include "engine/init.h"

static void fill(struct tensor *t, const struct init_role *role, struct rng *r)
{
    switch (role->kind) {
    case INIT_WEIGHT:
    case INIT_ATTENTION_WEIGHT:
    case INIT_ATTENTION_OUTPUT:
        init_xavier_uniform(t, role, r);
        break;
    case INIT_EMBEDDING:
        init_normal(t, 0.5, r);
        break;
    case INIT_GAIN:
        init_constant(t, 1);
        break;
    case INIT_BIAS:
    case INIT_ATTENTION_BIAS:
    case INIT_SHIFT:
        init_constant(t, 0);
        break;
    }
}

const struct init init_xavier = {.fill = fill};
