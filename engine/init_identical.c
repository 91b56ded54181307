/* As pytorch, but all heads of a layer start with the numbers of its first: a test of symmetry.
 * Heads that see the same columns then compute the same and get the same gradients, so that
 * training cannot tell them apart; dropout can. */
#include <string.h>

#include "engine/inits.h"

static void fill(struct tensor *t, const struct init_role *role, struct rng *r)
{
    struct init_block b, first;
    long of_kind, unused;
    init_pytorch.fill(t, role, r);
    if (role->kind != INIT_ATTENTION_WEIGHT && role->kind != INIT_ATTENTION_OUTPUT)
        return;
    for (long i = 0; init_block(t, role, i, &b, &of_kind); i++) {
        if (of_kind == i)
            continue;
        init_block(t, role, of_kind, &first, &unused);
        for (long row = 0; row < b.rows; row++)
            memcpy(b.data + row * b.stride, first.data + row * first.stride,
                   (size_t)b.columns * sizeof(real));
    }
}

const struct init init_identical = {.fill = fill};
