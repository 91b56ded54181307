/* An operation of the tape: shape check, forward, backward and its own gradient-check cases stand
 * in one file, ops/op_<name>.c, and one line in ops.def puts it in the table:
 *
 *     OP(linear)
 *
 * which declares `extern const struct op op_linear;` here and lists it in ops.c. Whatever loops
 * over the table (gradient checks, naming) covers a new operation at once. */
#ifndef ENGINE_OPS_OP_H
#define ENGINE_OPS_OP_H

#include <stdint.h>

#include "engine/base/status.h"
#include "engine/base/tensor.h"
#include "engine/kernels/kernels.h"

enum { OP_MAX_INPUTS = 18 }; /* an embedding of 16 fields, and positions */

/* What an operation is told besides its tensors. Each reads its own members; 0 means none. */
struct attributes {
    long heads, d_k, d_v; /* attention */
    double dropout;       /* attention, residual */
    uint32_t site;        /* which dropout site of the network this is */
    long fields;          /* embedding: columns of tokens */
    long length;          /* embedding: T */
    long slots;           /* cross-entropy: targets per position */
    bool first;           /* pool: the first position instead of the mean */
};

/* What changes from replay to replay; bound by graph_forward. */
struct pass {
    const struct kernels *kernels;
    bool training; /* dropout is on */
    uint32_t seed;
    uint64_t step;
    long first;             /* index of this slice's first sequence within the whole batch */
    long batch;             /* B of this slice, 1..the graph's capacity */
    const int32_t *tokens;  /* (B,T,fields), 0..V-1 each */
    const int32_t *targets; /* (B,T,S) or (B,S) when pooled; negative = masked; NULL: no loss */
    const uint8_t *padding; /* (B,T) 1 = ignore; NULL: none */
    real loss_scale;        /* 1 / unmasked targets of the whole batch */
    double loss_sum;        /* out: summed loss of the unmasked targets */
    uint8_t *correct;       /* out, per target of this slice: 1 right, 0 wrong, 2 masked */
    void *scratch;          /* the graph's, as large as the largest request of its nodes */
};

struct op;

struct node {
    const struct op *op;
    struct attributes attributes;
    int inputs;
    struct tensor *in[OP_MAX_INPUTS]; /* an optional input that is absent is NULL */
    struct tensor *out;
    real *saved; /* op->saved(node) numbers, kept from forward to backward */
};

enum { GRADCHECK_BATCH = 3, GRADCHECK_MAX_INPUTS = 5 };

/* One case of an operation's gradient check: data for whoever checks. Inputs, tokens and targets
 * are drawn by the checker; tokens of field f are below in[f].dim[0], targets below
 * width / slots. */
struct gradcheck_case {
    const char *name; /* NULL ends a list */
    struct attributes attributes;
    struct shape in[GRADCHECK_MAX_INPUTS]; /* rank 0: absent; B is GRADCHECK_BATCH */
    unsigned constant;                     /* bit i: in[i] wants no gradient */
    bool padding; /* some positions are padding, the last sequence is nothing else */
    bool masked;  /* some targets are masked */
    bool kink;    /* not differentiable at 0: in[0] is drawn away from it, the others small */
};

/* Bits of `backward_reads` besides those of the inputs. */
#define OP_READS_OUT (1u << 31)

struct op {
    const char *name;
    /* Checks the inputs and says the output's shape, except for dim[0], which is always the slice's
     * B. BAD_INPUT names operation and dimensions. */
    enum status (*shape)(const struct node *n, struct shape *out, struct message *m);
    void (*forward)(struct node *n, struct pass *p);
    /* Adds to the gradient of every input (tensor_grad_beta, tensor_grad_sum). In a graph for
     * training all inputs want a gradient, except an embedding's positions and a linear's x. */
    void (*backward)(struct node *n, struct pass *p);
    long (*saved)(const struct node *n);     /* numbers to keep per replay; NULL: none */
    size_t (*scratch)(const struct node *n); /* bytes needed while it runs; NULL: none */
    /* What the tape must know to let buffers share memory. backward_reads: bit i where backward
     * reads in[i]->data, OP_READS_OUT where it reads out->data. shares_grad: bit i where backward
     * can work with in[i]->grad being the same buffer as out->grad, provided that it is the first
     * to write in[i]'s gradient; NULL: nowhere. */
    unsigned backward_reads;
    unsigned (*shares_grad)(const struct node *n);
    bool grad_in_forward; /* forward leaves the gradient of in[0] in its grad already */
    const struct gradcheck_case *cases; /* at least one per branch */
};

/* Rows of t that the slice of p fills: t's first dimension is the graph's capacity. */
static inline long pass_rows(const struct tensor *t, const struct pass *p)
{
    return tensor_rows(t) / t->shape.dim[0] * p->batch;
}

/* The dropout of node n in this pass; its buffer has `elements` numbers per sequence. */
struct dropout op_dropout(const struct node *n, const struct pass *p, long elements);

/* True where t is a vector of n numbers, or absent. */
bool op_is_bias(const struct tensor *t, long n);

/* BAD_INPUT: "linear of (2,3,4), (5,6): what must be". */
enum status op_mismatch(const struct node *n, struct message *m, const char *what);

#define OP(name) extern const struct op op_##name;
#include "engine/ops/ops.def"
#undef OP

extern const struct op *const op_table[]; /* ends with NULL */

#endif
