/* An encoder's options and the shapes that follow from them. Nothing is built here, so that code
 * which only plans can use it. */
#ifndef ENGINE_ENCODER_CONFIG_H
#define ENGINE_ENCODER_CONFIG_H

#include <stdint.h>

#include "engine/base/option.h"

enum { ENCODER_MAX_FIELDS = 16 };

enum encoder_activation { ACTIVATION_GELU, ACTIVATION_RELU };
enum encoder_norm { NORM_PRE, NORM_POST };
enum encoder_positions {
    POSITIONS_LEARNED,
    POSITIONS_SINUSOIDAL,
    POSITIONS_NONE,
    POSITIONS_ROTARY
};
enum encoder_pool { POOL_NONE, POOL_MEAN, POOL_FIRST };
enum encoder_mask { MASK_NONE, MASK_CAUSAL };
enum { WIDTH_WORD = -1 }; /* d_head: "split"; d_k, d_v: "d_head"; kv_heads: "heads" */

/* What the sweep file says under `model`; described by encoder_options. */
struct encoder_config {
    int64_t d_model, heads, layers, d_ff;
    int64_t d_head;   /* WIDTH_WORD: d_model / heads, or as wide as the columns that a head sees */
    int64_t d_k, d_v; /* WIDTH_WORD: d_head */
    int64_t kv_heads; /* WIDTH_WORD: heads */
    int64_t form;     /* index into form_table */
    int64_t segment_width, segment_overlap; /* of forms that take them; 0: d_model / heads */
    int64_t mask;                           /* enum encoder_mask */
    int64_t activation, norm, positions, pool;
    int64_t init; /* index into init_table */
    double dropout;
};
extern const struct option_entry encoder_options[];

/* The encoder's inputs and outputs, as the task defines them. */
struct encoder_io {
    long length;                           /* T */
    int fields;                            /* input columns per position */
    const char *field[ENCODER_MAX_FIELDS]; /* names: embed.{field}.weight */
    long vocab[ENCODER_MAX_FIELDS];
    long slots, classes; /* S, V */
};

/* Why a model cannot be. */
struct encoder_fault {
    const char *const *option; /* paths of the options at fault ("model.heads"), the one to change
                                  first; ends with NULL */
    const char *rule; /* what they would meet: "model.d_model % model.heads == 0"; NULL: no rule */
};

/* The shapes that follow from the head options, computed nowhere else. */
struct encoder_shapes {
    struct encoder_fault fault; /* all 0: none */
    long heads, kv_heads;       /* H; G: heads of keys and values */
    long d_k, d_v;
    long width;     /* columns of the residual stream that a head sees; 0: all */
    long inputs;    /* C, or width: columns of in_proj_weight */
    long qkv_width; /* H*d_k + G*(d_k + d_v): rows of in_proj_weight */
    long o_width;   /* H*d_v: columns of out_proj.weight */
};
/* BAD_INPUT where the model cannot be: heads that do not divide d_model under split ("model.heads
 * is 12, which does not divide model.d_model 32; ..."), what the form of its heads refuses, heads
 * of keys and values that do not divide the others, an odd d_k under rotary positions, more memory
 * than can be addressed. */
enum status encoder_shapes(const struct encoder_config *c, struct encoder_shapes *s,
                           struct message *m);

/* Writes out what options mean, so that models which are the same have the same options: the widths
 * that a word stands for; the default where an option makes no difference. A model that cannot be
 * stays as it is. */
void encoder_resolve(struct encoder_config *c);

/* How many parameters each part of the model has. Valid configurations only. */
struct encoder_parts {
    int64_t embeddings, positions, attention, feed_forward, norms, output;
};
struct encoder_parts encoder_parts(const struct encoder_config *c, const struct encoder_io *io);
int64_t encoder_parts_sum(const struct encoder_parts *n);
int64_t encoder_parameters(const struct encoder_config *c,
                           const struct encoder_io *io); /* the sum */

#endif
