/* An operation of the tape: shape check, forward, backward and its own gradient-check cases stand
 * in one file, ops/op_<name>.c, and one line in ops.def puts it in the table:
 *
 *     OP(linear)
 *
 * which declares `extern const struct op op_linear;` here and lists it in ops.c. Whatever loops
 * over the table (gradient checks, naming) covers a new operation at once. */
#ifndef ENGINE_OP_H
#define ENGINE_OP_H

#include <stdint.h>

#include "engine/kernels/kernels.h"
#include "engine/status.h"
#include "engine/tensor.h"

enum { OP_MAX_INPUTS = 8 };

/* What an operation is told besides its tensors. Each reads its own members; 0 means none. */
struct attributes {
    long heads, d_k, d_v;  /* attention */
    double dropout;        /* attention, residual */
    uint32_t site;         /* which dropout site of the network this is */
    long field, fields;    /* embedding: columns of tokens */
    long length;           /* T, where the inputs do not tell */
    long slots;            /* cross-entropy: targets per position */
    int choice;            /* pool: POOL_MEAN | POOL_FIRST */
    bool sinusoidal;       /* embedding: positions are computed, not learned */
};

/* What changes from replay to replay; bound by graph_forward. */
struct pass {
    const struct kernels *kernels;
    bool training;         /* dropout is on */
    uint32_t seed;
    uint64_t step;
    long first;            /* index of this slice's first sequence within the whole batch */
    long batch;            /* B of this slice, <= the graph's capacity */
    const int32_t *tokens; /* (B,T,fields) */
    const int32_t *targets;/* (B,T,S) or (B,S) when pooled; negative = masked; NULL: no loss */
    const uint8_t *padding;/* (B,T) 1 = ignore; NULL: none */
    real loss_scale;       /* 1 / unmasked targets of the whole batch */
    double loss_sum;       /* out: summed loss of the unmasked targets */
    uint8_t *correct;      /* out: per target 1 right, 0 wrong, 2 masked; NULL: not wanted */
    void *scratch;         /* the graph's, as large as the largest request of its nodes */
};

struct op;

struct node {
    const struct op *op;
    struct attributes attributes;
    int inputs;
    struct tensor *in[OP_MAX_INPUTS]; /* an optional input that is absent is NULL */
    struct tensor *out;
    real *saved;                      /* op->saved(node) numbers, kept from forward to backward */
};

struct gradcheck; /* tests/gradient/gradcheck.h */

struct op {
    const char *name;
    /* Checks the inputs and says the output's shape; BAD_INPUT names operation and dimensions. */
    enum status (*shape)(const struct node *n, struct shape *out, struct message *m);
    void (*forward)(struct node *n, struct pass *p);
    /* Adds to the gradient of every input that wants one (tensor_grad_beta). */
    void (*backward)(struct node *n, struct pass *p);
    long (*saved)(const struct node *n);     /* numbers to keep per replay; NULL: none */
    size_t (*scratch)(const struct node *n); /* bytes needed while it runs; NULL: none */
    /* Builds this operation's gradient-check cases; at least one per branch. Not in release
     * objects' way: a few hundred bytes. */
    void (*check)(struct gradcheck *c);
};

#define OP(name) extern const struct op op_##name;
#include "engine/ops.def"
#undef OP

extern const struct op *const op_table[]; /* ends with NULL */

#endif
