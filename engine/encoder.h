/* The transformer encoder: embeddings + positions, L layers of multi-head self-attention and
 * feed-forward (Vaswani et al. 2017; pre-norm after Xiong et al. 2020), and an output head of S
 * slots x V classes. Parameter names and shapes of encoder.* are those of PyTorch's
 * nn.TransformerEncoder; README.md lists all. */
#ifndef ENGINE_ENCODER_H
#define ENGINE_ENCODER_H

#include "engine/base/option.h"
#include "engine/graph.h"
#include "engine/nn.h"

enum { ENCODER_MAX_FIELDS = 16 };

enum encoder_activation { ACTIVATION_GELU, ACTIVATION_RELU };
enum encoder_norm { NORM_PRE, NORM_POST };
enum encoder_positions { POSITIONS_LEARNED, POSITIONS_SINUSOIDAL, POSITIONS_NONE };
enum encoder_pool { POOL_NONE, POOL_MEAN, POOL_FIRST };
enum encoder_init { INIT_PYTORCH, INIT_XAVIER };
enum { WIDTH_WORD = -1 }; /* d_head: "split"; d_k, d_v: "d_head" */

/* What the sweep file says under `model`; described by encoder_options. */
struct encoder_config {
    int64_t d_model, heads, layers, d_ff;
    int64_t d_head;   /* WIDTH_WORD: d_model / heads */
    int64_t d_k, d_v; /* WIDTH_WORD: d_head */
    int64_t activation, norm, positions, pool, init;
    double dropout;
};
extern const struct option_entry encoder_options[];

/* What goes in and out; comes from the task. */
struct encoder_io {
    long length;                           /* T */
    int fields;                            /* input columns per position */
    const char *field[ENCODER_MAX_FIELDS]; /* names: embed.{field}.weight */
    long vocab[ENCODER_MAX_FIELDS];
    long slots, classes; /* S, V */
};

/* The shapes that the head options come to. The only place where they do. */
struct encoder_shapes {
    long heads, d_k, d_v;
    long qkv_width; /* H*(2*d_k + d_v): rows of in_proj_weight */
    long o_width;   /* H*d_v: columns of out_proj.weight */
};
/* BAD_INPUT where the model cannot be: heads that do not divide d_model under split ("model.heads
 * is 12, which does not divide model.d_model 32; ..."), more memory than can be addressed. */
enum status encoder_shapes(const struct encoder_config *c, struct encoder_shapes *s,
                           struct message *m);

struct encoder_layer {                              /* one layer's parameters */
    struct tensor *in_proj_weight, *in_proj_bias;   /* (qkv_width,C), (qkv_width) */
    struct tensor *out_proj_weight, *out_proj_bias; /* (C,o_width), (C) */
    struct tensor *linear1_weight, *linear1_bias;   /* (F,C), (F) */
    struct tensor *linear2_weight, *linear2_bias;   /* (C,F), (C) */
    struct tensor *norm1_weight, *norm1_bias, *norm2_weight, *norm2_bias; /* (C) */
};

struct encoder {
    struct encoder_config config;
    struct encoder_io io;
    struct encoder_shapes shapes;
    struct nn nn;
    struct tensor *embed[ENCODER_MAX_FIELDS]; /* (V_f,C) */
    struct tensor *pos; /* (T,C): a parameter, or the constant sinusoids; NULL under none */
    struct encoder_layer *layer;            /* (L) */
    struct tensor *norm_weight, *norm_bias; /* (C); NULL under post-norm */
    struct tensor *out_weight, *out_bias;   /* (S*V,C), (S*V) */
};

/* Declares and lays out the parameters. wants_grad: for training. io is copied, its field names are
 * kept. BAD_INPUT as encoder_shapes, and where task and model do not fit together. */
enum status encoder_new(struct arena *a, const struct encoder_config *c,
                        const struct encoder_io *io, bool wants_grad, struct encoder **e,
                        struct message *m);

/* Builds a tape over the encoder's parameters for slices of up to `capacity` sequences. Several
 * tapes may share one encoder (training and evaluation). *logits (B,T,S*V), (B,S*V) when pooled;
 * it is the input of the last node, a cross-entropy. */
enum status encoder_graph(struct arena *a, struct encoder *e, long capacity, bool inference,
                          struct graph **g, struct tensor **logits, struct message *m);

/* Sequences per slice such that a slice's working set fits the second-level cache (taken as 1 MiB:
 * a function of the shapes alone, never of the machine, because the order of summation is part of
 * the result), but at least about 256 rows for the matrix products. Between 1 and batch; the slices
 * of a batch are of nearly one size. */
long encoder_slice(const struct encoder_config *c, const struct encoder_io *io, long batch);

/* Number of trained parameters, and multiply-adds x 2 of one training step's matrix products
 * (forward, backward twice that). Valid configurations only. */
int64_t encoder_parameters(const struct encoder_config *c, const struct encoder_io *io);
double encoder_step_flops(const struct encoder_config *c, const struct encoder_io *io, long batch);
/* Bytes a training process of this shape needs, roughly, for `plan` to refuse the impossible. */
double encoder_memory(const struct encoder_config *c, const struct encoder_io *io, long batch);

#endif
