/* An operation of the tape: shape check, forward, backward and its own gradient-check cases stand
 * in one file, ops/op_<name>.c, and one line in ops.def puts it in the table:
 *
 *     OP(linear, struct tensor *x, struct tensor *weight, struct tensor *bias)
 *
 * declares here `extern const struct op op_linear;` and the function that applies it,
 *
 *     struct tensor *graph_linear(struct graph *g, struct tensor *x, struct tensor *weight,
 *                                 struct tensor *bias);
 *
 * both of which op_linear.c defines. Whatever loops over the table (gradient checks, naming) covers
 * a new operation at once. */
#ifndef ENGINE_OPS_OP_H
#define ENGINE_OPS_OP_H

#include <stdint.h>

#include "engine/base/status.h"
#include "engine/base/team.h"
#include "engine/base/tensor.h"
#include "engine/kernels/similarity.h"

enum { OP_MAX_INPUTS = 18 }; /* an embedding of 16 fields, and positions */

/* Where slices of a batch run at once, each on a tape of its own over the same parameters, they add
 * to the gradients of a parameter in the order of the slices: the backward of a node waits until
 * the slice before has done with it. */
struct turn {
    struct team *team;
    const atomic_int *before; /* nodes whose backward the slice before has done; NULL: it is over */
    atomic_int *done;         /* nodes whose backward this slice has done; NULL: nobody waits */
};

/* What changes from replay to replay; the caller of graph_forward says it. */
struct pass {
    const struct kernels *kernels; /* NULL: the fastest */
    bool training;                 /* dropout is on */
    uint32_t seed;
    uint64_t step;
    long first;             /* index of this slice's first sequence within the whole batch */
    long batch;             /* B of this slice, 1..the graph's capacity; 0: all of it */
    const int32_t *tokens;  /* (B,T,fields), 0..V-1 each */
    const int32_t *targets; /* (B,T,S) or (B,S) when pooled; negative = masked; NULL: no loss */
    const uint8_t *padding; /* (B,T) 1 = ignore; NULL: none */
    real loss_scale;        /* backward gives the gradient of loss_scale * loss_sum: for a mean over
                               the whole batch, 1 / its unmasked targets (or its numbers) */
    double loss_sum;        /* out: the loss of this slice, summed and not scaled */
    long sequences;         /* of the whole batch, for means over it; 0: those of this slice */
    double penalty;   /* out: what other nodes add, as it is, to loss_scale * loss_sum; backward
                         gives the gradient of the sum */
    uint8_t *correct; /* out, per target of this slice: 1 right, 0 wrong, 2 masked */
    struct turn turn; /* all 0: no other slice runs */
    bool prepared;    /* by graph_prepare: the weights have been packed for this pass and do not
                         change until it ends */
    void *scratch;    /* the graph's, as large as the largest request of its nodes */
};

struct op;

/* An operation as it was applied. */
struct node {
    const struct op *op;
    const void *options; /* op->options_size bytes, which only op's file reads by name */
    int inputs;
    struct tensor *in[OP_MAX_INPUTS]; /* an optional input that is absent is NULL */
    struct tensor *out;
    int turn; /* nodes whose backward the slice before must have done, from the last node on, before
                 this one may add to gradients of parameters: all that use one of them; 0: none */
    bool keep;    /* out shares its memory with nothing that comes after it */
    real *saved;  /* op->saved(node) numbers, kept from forward to backward; NULL: 0 */
    real *packed; /* op->packed(node) numbers, for op->prepare; NULL: 0 */
};

/* The tape, in the order in which operations were applied: written by op_apply, replayed by
 * graph.c. */
struct graph {
    struct arena *arena;
    long capacity;
    bool inference;
    int count, allocated; /* nodes */
    struct node *node;
    enum status status; /* of the first refusal, with its message: nothing is applied after it */
    struct message message;
    const struct graph *packs; /* the tape whose packed parameters it uses; NULL: its own */
    void *scratch;
    size_t memory;
};

/* A place in the network where numbers are dropped in training (Srivastava et al. 2014): which ones
 * is a function of the pass's seed and step and of this number, so that no two places of one
 * network may have the same. */
struct dropout_site {
    double probability; /* [0,1); 0: nothing is dropped */
    uint32_t number;
};

struct attention_options {
    long heads;                  /* H */
    long kv_heads;               /* G heads of keys and values, a divisor of H or as kv_of says;
                                    0: H */
    long d_k, d_v;               /* widths of a head's queries and keys, and of its values */
    const int32_t *kv_of;        /* (H) whose keys and values each head uses, 0..G-1; NULL: head h
                                    those of h*G/H; kept, the caller's, for the tape's life */
    bool causal;                 /* query i sees no key j > i */
    struct dropout_site dropout; /* of the weights */
};

struct rotary_options {
    long d_k;          /* even */
    long heads;        /* those of queries and those of keys, H + G */
    const real *turns; /* (T,d_k): cosine and sine of each pair's angle; kept, the caller's, for
                          the tape's life */
};

struct linear_heads_options {
    long heads, d_k, d_v;   /* as in struct attention_options */
    const int32_t *columns; /* (H,K), 0..C-1, no two alike in a head: columns of x that it sees;
                               kept, the caller's, for the tape's life; read when it runs */
};

struct disagreement_options {
    struct attention_options attention; /* of the layer; its dropout is not looked at */
    enum similarity_kind kind;
    double weight;
};

enum pooling { POOLING_MEAN, POOLING_FIRST };

enum { GRADCHECK_BATCH = 3, GRADCHECK_MAX_INPUTS = 5 };

/* One case of an operation's gradient check: data for whoever checks. Inputs, tokens and targets
 * are drawn by the checker. */
struct gradcheck_case {
    const char *name;                      /* NULL ends a list */
    const void *options;                   /* as in struct node; NULL: all 0 */
    struct shape in[GRADCHECK_MAX_INPUTS]; /* rank 0: absent; B is GRADCHECK_BATCH */
    long fields, length; /* tokens (B,length,fields), of field f below in[f].dim[0]; 0: none */
    long slots;          /* targets per row of in[0], each below its width / slots; 0: none */
    unsigned constant;   /* bit i: in[i] wants no gradient */
    bool padding;        /* some positions are padding, the last sequence is nothing else */
    bool masked;         /* some targets are masked */
    bool kink; /* not differentiable at 0: in[0] is drawn away from it, the others small */
};

/* Bits of `backward_reads` besides those of the inputs. */
#define OP_READS_OUT (1u << 31)

struct op {
    const char *name;
    size_t options_size; /* 0: it has none */
    /* Checks the inputs and says the output's shape; dim[0] is the slice's B, 0 where no input has
     * it. BAD_INPUT names operation and dimensions. */
    enum status (*shape)(const struct node *n, struct shape *out, struct message *m);
    void (*forward)(struct node *n, struct pass *p);
    /* Adds to the gradient of every input that wants one (tensor_grad_beta, tensor_grad_sum). */
    void (*backward)(struct node *n, struct pass *p);
    unsigned constant; /* bit i: in[i] need not want a gradient, in a graph for training either */
    /* Numbers to keep per replay, in a tape for inference or for training; NULL: none. */
    long (*saved)(const struct node *n, bool inference);
    size_t (*scratch)(const struct node *n); /* bytes needed while it runs; NULL: none */
    /* Both or none: prepare brings parameters into the order in which p->kernels read them, into
     * so many numbers. in[i]->grad is known by then; what is needed only where an input wants a
     * gradient comes last. */
    long (*packed)(const struct node *n);
    void (*prepare)(struct node *n, const struct pass *p);
    /* What the tape must know to let buffers share memory. backward_reads: bit i where backward
     * reads in[i]->data, OP_READS_OUT where it reads out->data. shares_grad: bit i where backward
     * can work with in[i]->grad being the same buffer as out->grad, provided that it is the first
     * to write in[i]'s gradient; NULL: nowhere. */
    unsigned backward_reads;
    unsigned (*shares_grad)(const struct node *n);
    bool awaits_turn;     /* backward calls op_await_turn before it touches such a gradient; else it
                             is called when the turn has come */
    bool is_loss;         /* forward sets the pass's loss_sum; out is only a handle */
    bool grad_in_forward; /* forward leaves the gradient of in[0] in its grad already */
    const struct gradcheck_case *cases; /* at least one per branch */
};

/* Puts op on the tape: what the functions graph_x are made of. options: op->options_size bytes,
 * which are copied; NULL: all 0. in: NULL where an optional input is absent; else outputs of
 * earlier nodes, or tensors made outside (parameters, and inputs whose first dimension is the
 * graph's capacity). Returns the output, the graph's. NULL where the inputs do not fit, and from
 * then on. */
struct tensor *op_apply(struct graph *g, const struct op *op, const void *options, int inputs,
                        struct tensor *const in[]);

/* Rows of t that the slice of p fills: t's first dimension is the graph's capacity. */
static inline long pass_rows(const struct tensor *t, const struct pass *p)
{
    return tensor_rows(t) / t->shape.dim[0] * p->batch;
}

/* Waits until this slice may add to the gradients of parameters that n uses. */
void op_await_turn(const struct node *n, const struct pass *p);

/* The dropout of a site in this pass; its buffer has `elements` numbers per sequence. saved: those
 * that op_dropout_saved asks for, for the op's saved; forward draws into them what both read. */
struct dropout op_dropout(struct dropout_site site, const struct pass *p, long elements,
                          real *saved);
long op_dropout_saved(struct dropout_site site, long elements); /* of all sequences */
void op_dropout_draw(const struct dropout *d, const struct pass *p, long elements, real *saved);

/* The attention that options describe, over T positions. */
struct attention op_attention_of(const struct attention_options *o, long T, const struct pass *p);

/* What an attention node of a tape computes in this pass: its kernels can be asked for more, such
 * as the weights, from the node's `saved`. */
struct attention op_attention_setting(const struct node *n, const struct pass *p);

/* Bytes of scratch for the attention of whichever table of kernels; a multiple of 64. */
size_t op_attention_scratch(const struct attention *a);

/* True where t is a vector of n numbers, or absent. */
bool op_is_bias(const struct tensor *t, long n);

/* BAD_INPUT: "linear of (2,3,4), (5,6): what must be". */
enum status op_mismatch(const struct node *n, struct message *m, const char *what);

#define OP(name, ...)                                                                              \
    extern const struct op op_##name;                                                              \
    struct tensor *graph_##name(struct graph *g, __VA_ARGS__);
#include "engine/ops/ops.def"
#undef OP

extern const struct op *const op_table[]; /* ends with NULL */

#endif
