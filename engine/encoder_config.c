/* An encoder's options, the shapes that follow from them, and the number of its parameters. */
#include "engine/encoder_config.h"

#include <limits.h>
#include <stddef.h>

#include "engine/base/real.h"

/* The words of a choice, each at the place of its enumerator, in their order. */
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define AT(member) offsetof(struct encoder_config, member)

static const char *const init_names[] = {
#define INIT(name, what) #name,
#include "engine/inits.def"
#undef INIT
    NULL,
};

const struct option_entry encoder_options[] = {
    {.name = "d_model",
     .type = OPTION_INT,
     .offset = AT(d_model),
     .min = 1,
     .max = 65536,
     .preset = "64",
     .help = "width of the residual stream, C"},
    {.name = "heads",
     .type = OPTION_INT,
     .offset = AT(heads),
     .min = 1,
     .max = 65536,
     .preset = "4",
     .help = "attention heads per layer, H"},
    {.name = "d_head",
     .type = OPTION_INT,
     .offset = AT(d_head),
     .min = 1,
     .max = 65536,
     .words = WORDS("split"),
     .preset = "split",
     .help = "width of a head; split: d_model / heads, so that parameters do not grow with heads"},
    {.name = "d_k",
     .type = OPTION_INT,
     .offset = AT(d_k),
     .min = 1,
     .max = 65536,
     .words = WORDS("d_head"),
     .preset = "d_head",
     .help = "width of a head's queries and keys, where it differs from d_head"},
    {.name = "d_v",
     .type = OPTION_INT,
     .offset = AT(d_v),
     .min = 1,
     .max = 65536,
     .words = WORDS("d_head"),
     .preset = "d_head",
     .help = "width of a head's values, where it differs from d_head"},
    {.name = "layers",
     .type = OPTION_INT,
     .offset = AT(layers),
     .min = 1,
     .max = 1024,
     .preset = "1",
     .help = "encoder layers, L"},
    {.name = "d_ff",
     .type = OPTION_INT,
     .offset = AT(d_ff),
     .min = 1,
     .max = 1e6,
     .preset = "256",
     .help = "width of the feed-forward block, F"},
    {.name = "activation",
     .type = OPTION_CHOICE,
     .offset = AT(activation),
     .words = WORDS([ACTIVATION_GELU] = "gelu", [ACTIVATION_RELU] = "relu"),
     .preset = "gelu",
     .help = "of the feed-forward block; gelu is the exact one, by erf"},
    {.name = "norm",
     .type = OPTION_CHOICE,
     .offset = AT(norm),
     .words = WORDS([NORM_PRE] = "pre", [NORM_POST] = "post"),
     .preset = "pre",
     .help = "layer norm before each block (and a final one), or after each residual sum"},
    {.name = "positions",
     .type = OPTION_CHOICE,
     .offset = AT(positions),
     .words = WORDS([POSITIONS_LEARNED] = "learned", [POSITIONS_SINUSOIDAL] = "sinusoidal",
                    [POSITIONS_NONE] = "none"),
     .preset = "learned",
     .help = "what is added to the token embeddings; sinusoidal as in Vaswani et al. 2017, 3.5"},
    {.name = "pool",
     .type = OPTION_CHOICE,
     .offset = AT(pool),
     .words = WORDS([POOL_NONE] = "none", [POOL_MEAN] = "mean", [POOL_FIRST] = "first"),
     .preset = "none",
     .help = "one output per sequence from the mean of its positions or from its first"},
    {.name = "init",
     .type = OPTION_CHOICE,
     .offset = AT(init),
     .words = init_names,
     .preset = "pytorch",
     .help = "initial weights; embeddings and learned positions are always N(0, 0.5^2)"
#define INIT(name, what) "; " #name ": " what
#include "engine/inits.def"
#undef INIT
    },
    {.name = "dropout",
     .type = OPTION_REAL,
     .offset = AT(dropout),
     .min = 0,
     .max = 0.999,
     .preset = "0",
     .help = "probability of dropping, on embeddings, attention weights and in both blocks"},
    {.name = NULL},
};

/* Largest divisor of n that is <= most. */
static long divisor_below(long n, long most)
{
    while (n % most != 0)
        most--;
    return most;
}

static enum status refuse_split(const struct encoder_config *c, enum encoder_fault *fault,
                                struct message *m)
{
    long d_model = (long)c->d_model, heads = (long)c->heads;
    *fault = heads > d_model ? ENCODER_HEADS_ABOVE_WIDTH : ENCODER_HEADS_INDIVISIBLE;
    if (heads > d_model)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "model.heads is %ld, more than model.d_model %ld; choose at most %ld, or give "
            "model.d_head a number",
            heads, d_model, d_model);
    long below = divisor_below(d_model, heads), above = heads;
    while (d_model % above != 0)
        above++;
    return status_fail(
        m, STATUS_BAD_INPUT,
        "model.heads is %ld, which does not divide model.d_model %ld; choose %ld or %ld, or "
        "give model.d_head a number",
        heads, d_model, below, above);
}

static struct encoder_parts count(const struct encoder_config *c, const struct encoder_shapes *s,
                                  const struct encoder_io *io)
{
    int64_t C = c->d_model, F = c->d_ff, vocabulary = 0;
    for (int f = 0; f < io->fields; f++)
        vocabulary += io->vocab[f];
    return (struct encoder_parts){
        .embeddings = vocabulary * C,
        .positions = c->positions == POSITIONS_LEARNED ? io->length * C : 0,
        .attention = c->layers * (s->qkv_width * (C + 1) + C * (s->o_width + 1)),
        .feed_forward = c->layers * (F * (C + 1) + C * (F + 1)),
        .norms = 2 * C * (2 * c->layers + (c->norm == NORM_PRE)),
        .output = io->slots * io->classes * (C + 1),
    };
}

int64_t encoder_parts_sum(const struct encoder_parts *n)
{
    return n->embeddings + n->positions + n->attention + n->feed_forward + n->norms + n->output;
}

enum status encoder_shapes(const struct encoder_config *c, struct encoder_shapes *s,
                           struct message *m)
{
    bool needs_split = c->d_head == WIDTH_WORD && (c->d_k == WIDTH_WORD || c->d_v == WIDTH_WORD);
    if (needs_split && c->d_model % c->heads != 0)
        return refuse_split(c, &s->fault, m);
    long d_head = c->d_head == WIDTH_WORD ? (long)(c->d_model / c->heads) : (long)c->d_head;
    s->heads = (long)c->heads;
    s->d_k = c->d_k == WIDTH_WORD ? d_head : (long)c->d_k;
    s->d_v = c->d_v == WIDTH_WORD ? d_head : (long)c->d_v;
    s->qkv_width = s->heads * (2 * s->d_k + s->d_v);
    s->o_width = s->heads * s->d_v;
    if (s->qkv_width > INT_MAX) {
        s->fault = ENCODER_HEADS_TOO_WIDE;
        return status_fail(
            m, STATUS_BAD_INPUT,
            "model.heads %ld of widths d_k %ld and d_v %ld make a matrix of %ld rows; "
            "allowed: %d",
            s->heads, s->d_k, s->d_v, s->qkv_width, INT_MAX);
    }
    struct encoder_parts layers = count(c, s, &(struct encoder_io){0});
    double bytes = (double)encoder_parts_sum(&layers) * sizeof(real);
    if (bytes > 0x1p46) {
        s->fault = ENCODER_TOO_LARGE;
        return status_fail(
            m, STATUS_BAD_INPUT,
            "a model of this shape (model.d_model %ld, d_ff %ld, layers %ld, %ld heads) has "
            "%.3g bytes of weights, more than can be addressed",
            (long)c->d_model, (long)c->d_ff, (long)c->layers, s->heads, bytes);
    }
    s->fault = ENCODER_POSSIBLE;
    return STATUS_OK;
}

struct encoder_parts encoder_parts(const struct encoder_config *c, const struct encoder_io *io)
{
    struct encoder_shapes s = {0};
    encoder_shapes(c, &s, NULL);
    return count(c, &s, io);
}

int64_t encoder_parameters(const struct encoder_config *c, const struct encoder_io *io)
{
    struct encoder_parts n = encoder_parts(c, io);
    return encoder_parts_sum(&n);
}
