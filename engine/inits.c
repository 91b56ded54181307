#include <math.h>

#include "engine/init.h"

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

void init_xavier_uniform(struct tensor *t, const struct init_role *role, struct rng *r)
{
    double bound = sqrt(6 / (double)(role->fan_in + role->fan_out));
    for (long i = 0; i < tensor_size(t); i++)
        t->data[i] = (real)((2 * rng_uniform(r) - 1) * bound);
}
