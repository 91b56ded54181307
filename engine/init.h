/* Initialisations: the numbers that a network's parameters start from. One is a file,
 * init_<name>.c, and a line in inits.def, which declares `extern const struct init init_<name>;`
 * here, lists it in inits.c and offers it as a value of the option model.init.
 *
 * Stored results depend on every number that is drawn. */
#ifndef ENGINE_INIT_H
#define ENGINE_INIT_H

#include "engine/base/rng.h"
#include "engine/base/tensor.h"

enum init_kind {
    INIT_WEIGHT,           /* (N,K), of a linear layer */
    INIT_BIAS,             /* (N), beside it */
    INIT_ATTENTION_WEIGHT, /* (H*(2*d_k + d_v),C): the packed projections to queries, keys, values
                            */
    INIT_ATTENTION_BIAS,   /* beside these, and beside the projection of the heads' outputs */
    INIT_EMBEDDING,        /* (V,C) or (T,C), a table of rows */
    INIT_GAIN,             /* (C), of a layer norm */
    INIT_SHIFT             /* (C), of a layer norm */
};

/* A parameter's role in its network. Its initial numbers may depend on this, its name and its shape
 * only. */
struct init_role {
    enum init_kind kind;
    long fan_in, fan_out; /* K and N of the weight, or of the weight that a bias stands beside */
};

struct init {
    /* Sets all of t->data. r belongs to this parameter alone. */
    void (*fill)(struct tensor *t, const struct init_role *role, struct rng *r);
};

#define INIT(name, what) extern const struct init init_##name;
#include "engine/inits.def"
#undef INIT

extern const struct init *const init_table[]; /* in the order of inits.def; ends with NULL */

/* Building blocks of initialisations; each sets all of t->data, element after element. */
void init_constant(struct tensor *t, double value);
/* N(0, spread^2) */
void init_normal(struct tensor *t, double spread, struct rng *r);
/* U(-1/sqrt(fan_in), +), as nn.Linear (He et al. 2015 with a = sqrt 5) */
void init_fan_in_uniform(struct tensor *t, const struct init_role *role, struct rng *r);
/* U(-sqrt(6/(fan_in + fan_out)), +) (Glorot and Bengio 2010) */
void init_xavier_uniform(struct tensor *t, const struct init_role *role, struct rng *r);

#endif
