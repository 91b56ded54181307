/* Initialisations: the numbers that a network's parameters start from. One is a file,
 * init_<name>.c, and a line in inits.def, which declares it in inits.h, lists it in
 * inits.c and offers it as a value of the option model.init.
 *
 * Stored results depend on every number that is drawn. */
#ifndef ENGINE_INIT_H
#define ENGINE_INIT_H

#include <stdbool.h>

#include "engine/base/rng.h"
#include "engine/base/tensor.h"

enum init_kind {
    INIT_WEIGHT,           /* (N,K), of another linear layer */
    INIT_BIAS,             /* (N), beside it */
    INIT_ATTENTION_WEIGHT, /* (H*d_k + G*(d_k + d_v),K): the packed projections to queries, keys and
                              values of all heads */
    INIT_ATTENTION_OUTPUT, /* (C,H*d_v): the projection of the heads' outputs */
    INIT_ATTENTION_BIAS,   /* beside either of these */
    INIT_EMBEDDING,        /* (V,C) or (T,C), a table of rows */
    INIT_GAIN,             /* (C), of a layer norm */
    INIT_SHIFT             /* (C), of a layer norm */
};

/* The heads whose rows or columns a matrix holds. */
struct init_heads {
    long heads, kv_heads; /* H; G: heads of keys and values */
    long d_k, d_v;
};

/* A parameter's role in its network. Its initial numbers may depend on this, its name and its shape
 * only. */
struct init_role {
    enum init_kind kind;
    long fan_in, fan_out;    /* K and N of the weight, or of the weight that a bias stands beside */
    struct init_heads heads; /* of INIT_ATTENTION_WEIGHT and INIT_ATTENTION_OUTPUT; else 0 */
};

struct init {
    /* Sets all of t->data. r belongs to this parameter alone. */
    void (*fill)(struct tensor *t, const struct init_role *role, struct rng *r);
};

extern const struct init *const init_table[]; /* in the order of inits.def; ends with NULL */

/* Building blocks of initialisations; each sets all of t->data, element after element. */
void init_constant(struct tensor *t, double value);
/* N(0, spread^2) */
void init_normal(struct tensor *t, double spread, struct rng *r);
/* U(-1/sqrt(fan_in), +), as nn.Linear (He et al. 2015 with a = sqrt 5) */
void init_fan_in_uniform(struct tensor *t, const struct init_role *role, struct rng *r);
/* U(-sqrt(6/(fan_in + fan_out)), +) (Glorot and Bengio 2010) */
void init_xavier_uniform(struct tensor *t, const struct init_role *role, struct rng *r);

/* A head's part of the matrix of a layer's attention: `rows` rows of `columns` numbers, each row
 * `stride` behind the one before. */
struct init_block {
    real *data;
    long rows, columns, stride;
};
/* The i-th block of t, an INIT_ATTENTION_WEIGHT (queries of all heads, then keys, then values:
 * H + 2G blocks) or INIT_ATTENTION_OUTPUT (H blocks). False past the last. Sets *of_kind to the
 * first block of its kind: queries, keys, values or outputs. */
bool init_block(const struct tensor *t, const struct init_role *role, long i,
                struct init_block *block, long *of_kind);

#endif
