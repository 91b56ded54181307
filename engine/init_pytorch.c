/* As PyTorch's modules draw them: nn.Linear, nn.MultiheadAttention, nn.LayerNorm. Embeddings are
 * drawn at half the spread of nn.Embedding's. */
#include "engine/init.h"

static void fill(struct tensor *t, const struct init_role *role, struct rng *r)
{
    switch (role->kind) {
    case INIT_WEIGHT:
    case INIT_ATTENTION_OUTPUT:
    case INIT_BIAS:
        init_fan_in_uniform(t, role, r);
        break;
    case INIT_ATTENTION_WEIGHT:
        init_xavier_uniform(t, role, r);
        break;
    case INIT_EMBEDDING:
        init_normal(t, 0.5, r);
        break;
    case INIT_GAIN:
        init_constant(t, 1);
        break;
    case INIT_ATTENTION_BIAS:
    case INIT_SHIFT:
        init_constant(t, 0);
        break;
    }
}

const struct init init_pytorch = {.fill = fill};
