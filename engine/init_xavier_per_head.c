/* As xavier, but the fans of the attention's matrices are those of each head's own block: (d_k,K)
 * for its queries and for its keys, (d_v,K) for its values, (C,d_v) for its output. */
#include <math.h>

#include "engine/inits.h"

static void fill(struct tensor *t, const struct init_role *role, struct rng *r)
{
    struct init_block b;
    long of_kind;
    init_xavier.fill(t, role, r);
    if (role->kind != INIT_ATTENTION_WEIGHT && role->kind != INIT_ATTENTION_OUTPUT)
        return;
    for (long i = 0; init_block(t, role, i, &b, &of_kind); i++) {
        double ratio = sqrt((double)(role->fan_in + role->fan_out) / (double)(b.rows + b.columns));
        for (long row = 0; row < b.rows; row++)
            for (long k = 0; k < b.columns; k++)
                b.data[row * b.stride + k] = (real)(ratio * (double)b.data[row * b.stride + k]);
    }
}

const struct init init_xavier_per_head = {.fill = fill};
