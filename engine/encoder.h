/* The transformer encoder: embeddings + positions, L layers of multi-head self-attention and
 * feed-forward (Vaswani et al. 2017; pre-norm after Xiong et al. 2020), and an output head of S
 * slots x V classes. Parameter names and shapes of encoder.* are those of PyTorch's
 * nn.TransformerEncoder; README.md lists all. */
#ifndef ENGINE_ENCODER_H
#define ENGINE_ENCODER_H

#include "engine/encoder_config.h"
#include "engine/graph.h"
#include "engine/nn.h"

/* The attention heads that a layer has: those of the options, but where encoder_keep_heads took
 * some away. Without heads a layer's attention adds out_proj_bias and nothing else. */
struct encoder_heads {
    long heads, kv_heads; /* H; G: heads of keys and values */
    long d_k, d_v;
    long width;           /* columns of the residual stream that each head sees; 0: all */
    long inputs;          /* C, or width: columns of in_proj_weight */
    long qkv_width;       /* H*d_k + G*(d_k + d_v) */
    long o_width;         /* H*d_v */
    const int32_t *kv_of; /* (H): whose keys and values each head uses; NULL: h*G/H */
    int32_t *columns;     /* (H,width); NULL where width is 0 */
    int *origin;          /* (H), rising: their numbers in the model as its options say */
};

struct encoder_layer { /* its heads, and its parameters: the first three are NULL without heads */
    struct encoder_heads heads;
    struct tensor *in_proj_weight, *in_proj_bias;   /* (qkv_width,inputs), (qkv_width) */
    struct tensor *out_proj_weight, *out_proj_bias; /* (C,o_width), (C) */
    struct tensor *linear1_weight, *linear1_bias;   /* (F,C), (F) */
    struct tensor *linear2_weight, *linear2_bias;   /* (C,F), (C) */
    struct tensor *norm1_weight, *norm1_bias, *norm2_weight, *norm2_bias; /* (C) */
};

struct encoder {
    struct encoder_config config;
    struct encoder_io io;
    struct encoder_shapes shapes; /* of all heads that the options give it */
    struct nn nn;
    struct tensor *embed[ENCODER_MAX_FIELDS]; /* (V_f,C) */
    struct tensor *pos;   /* (T,C): a parameter, or the constant sinusoids; else NULL */
    struct tensor *turns; /* (T,d_k): cosine and sine of the angles by which pairs of a query's or
                             key's numbers turn; NULL unless positions are rotary */
    struct encoder_layer *layer;            /* (L) */
    struct tensor *norm_weight, *norm_bias; /* (C); NULL under post-norm */
    struct tensor *out_weight, *out_bias;   /* (S*V,C), (S*V) */
    /* What tapes for training add in every layer (graph_disagreement), if they have no probe;
     * weight 0, as it is at first: nothing. */
    struct {
        enum similarity_kind kind;
        double weight;
    } disagreement;
};

/* Declares and lays out the parameters. wants_grad: for training. io is copied, its field names are
 * kept. BAD_INPUT as encoder_shapes, and where task and model do not fit together. */
enum status encoder_new(struct arena *a, const struct encoder_config *c,
                        const struct encoder_io *io, bool wants_grad, struct encoder **e,
                        struct message *m);

/* Draws the parameters from seed by the option `init`, and the columns that heads see by the option
 * `form`. Columns are no parameters: an encoder whose weights are to be loaded needs the seed of
 * its training first. Not for an encoder that lacks heads. */
void encoder_init(struct encoder *e, uint32_t seed);

/* An encoder with copies of e's parameters and columns, without the heads that keep leaves out, and
 * without keys and values that no head uses any more. keep (L,H): by their numbers in the model as
 * its options say. It computes what e would compute if out_proj_weight were 0 for the others.
 * Options and the names of fields are shared with e. BAD_INPUT where e lacks a head that is to be
 * kept. */
enum status encoder_keep_heads(struct arena *a, const struct encoder *e, const bool *keep,
                               bool wants_grad, struct encoder **smaller, struct message *m);

/* What a tape shows of its heads beside the logits. Filled by encoder_graph, all of it the arena's.
 * Each layer's input, its packed queries, keys and values and the heads' outputs are kept, so that
 * graph_forward_from can begin behind any attention. */
struct encoder_probe {
    struct tensor **gate; /* (L): (capacity,H), factors of the heads' outputs, all 1 at first;
                             with gradients in a tape for training */
    const struct node **attention; /* (L); its gate is the next node */
};

/* Builds a tape over the encoder's parameters for slices of up to `capacity` sequences. Several
 * tapes may share one encoder (training and evaluation). probe: NULL where nothing is to be seen of
 * the heads; then the tape has no gates. packs: as in graph_share_packs. *logits (B,T,S*V), (B,S*V)
 * when pooled; it is the input of the last node, a cross-entropy. */
enum status encoder_graph(struct arena *a, const struct encoder *e, long capacity, bool inference,
                          struct encoder_probe *probe, const struct graph *packs, struct graph **g,
                          struct tensor **logits, struct message *m);

#endif
