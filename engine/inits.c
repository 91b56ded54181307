#include <math.h>

#include "engine/inits.h"

const struct init *const init_table[] = {
#define INIT(name, what) &init_##name,
#include "engine/inits.def"
#undef INIT
    NULL,
};

void init_constant(struct tensor *t, double value)
{
    for (long i = 0; i < tensor_size(t); i++)
        t->data[i] = (real)value;
}

void init_normal(struct tensor *t, double spread, struct rng *r)
{
    for (long i = 0; i < tensor_size(t); i++)
        t->data[i] = (real)(spread * rng_normal(r));
}

void init_fan_in_uniform(struct tensor *t, const struct init_role *role, struct rng *r)
{
    double root = sqrt((double)role->fan_in);
    for (long i = 0; i < tensor_size(t); i++)
        t->data[i] = (real)((2 * rng_uniform(r) - 1) / root);
}

bool init_block(const struct tensor *t, const struct init_role *role, long i,
                struct init_block *block, long *of_kind)
{
    const struct init_heads *h = &role->heads;
    const long K = tensor_width(t);
    if (role->kind == INIT_ATTENTION_OUTPUT) {
        *block = (struct init_block){t->data + i * h->d_v, tensor_rows(t), h->d_v, K};
        *of_kind = 0;
        return i < h->heads;
    }
    const long keys = h->heads, values = h->heads + h->kv_heads, end = values + h->kv_heads;
    *of_kind = i < keys ? 0 : i < values ? keys : values;
    long row = i < values ? i * h->d_k : values * h->d_k + (i - values) * h->d_v;
    *block = (struct init_block){t->data + row * K, i < values ? h->d_k : h->d_v, K, K};
    return i < end;
}

void init_xavier_uniform(struct tensor *t, const struct init_role *role, struct rng *r)
{
    double bound = sqrt(6 / (double)(role->fan_in + role->fan_out));
    for (long i = 0; i < tensor_size(t); i++)
        t->data[i] = (real)((2 * rng_uniform(r) - 1) * bound);
}
