#include "engine/encoder.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define AT(member) offsetof(struct encoder_config, member)

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
     .words = WORDS("gelu", "relu"),
     .preset = "gelu",
     .help = "of the feed-forward block; gelu is the exact one, by erf"},
    {.name = "norm",
     .type = OPTION_CHOICE,
     .offset = AT(norm),
     .words = WORDS("pre", "post"),
     .preset = "pre",
     .help = "layer norm before each block (and a final one), or after each residual sum"},
    {.name = "positions",
     .type = OPTION_CHOICE,
     .offset = AT(positions),
     .words = WORDS("learned", "sinusoidal", "none"),
     .preset = "learned",
     .help = "what is added to the token embeddings; sinusoidal as in Vaswani et al. 2017, 3.5"},
    {.name = "pool",
     .type = OPTION_CHOICE,
     .offset = AT(pool),
     .words = WORDS("none", "mean", "first"),
     .preset = "none",
     .help = "one output per sequence from the mean of its positions or from its first"},
    {.name = "init",
     .type = OPTION_CHOICE,
     .offset = AT(init),
     .words = WORDS("pytorch", "xavier"),
     .preset = "pytorch",
     .help = "initial weights: as PyTorch's modules draw them, or Xavier uniform and zero biases; "
             "embeddings and learned positions N(0, 0.5^2) in both"},
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

static enum status refuse_split(const struct encoder_config *c, struct message *m)
{
    long d_model = (long)c->d_model, heads = (long)c->heads;
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

static double layer_parameters(const struct encoder_config *c, const struct encoder_shapes *s)
{
    double C = (double)c->d_model, F = (double)c->d_ff, W = (double)s->qkv_width;
    return W * (C + 1) + C * ((double)s->o_width + 1) + F * (C + 1) + C * (F + 1) + 4 * C;
}

enum status encoder_shapes(const struct encoder_config *c, struct encoder_shapes *s,
                           struct message *m)
{
    bool needs_split = c->d_head == WIDTH_WORD && (c->d_k == WIDTH_WORD || c->d_v == WIDTH_WORD);
    if (needs_split && c->d_model % c->heads != 0)
        return refuse_split(c, m);
    long d_head = c->d_head == WIDTH_WORD ? (long)(c->d_model / c->heads) : (long)c->d_head;
    s->heads = (long)c->heads;
    s->d_k = c->d_k == WIDTH_WORD ? d_head : (long)c->d_k;
    s->d_v = c->d_v == WIDTH_WORD ? d_head : (long)c->d_v;
    s->qkv_width = s->heads * (2 * s->d_k + s->d_v);
    s->o_width = s->heads * s->d_v;
    if (s->qkv_width > INT_MAX)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "model.heads %ld of widths d_k %ld and d_v %ld make a matrix of %ld rows; "
            "allowed: %d",
            s->heads, s->d_k, s->d_v, s->qkv_width, INT_MAX);
    double bytes = layer_parameters(c, s) * (double)c->layers * sizeof(real);
    if (bytes > 0x1p46)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "a model of this shape (model.d_model %ld, d_ff %ld, layers %ld, %ld heads) has "
            "%.3g bytes of weights, more than can be addressed",
            (long)c->d_model, (long)c->d_ff, (long)c->layers, s->heads, bytes);
    return STATUS_OK;
}

/* The first way in which the task's side cannot be served. */
static enum status check_io(const struct encoder_config *c, const struct encoder_io *io,
                            struct message *m)
{
    if (io->length < 1 || io->length > INT_MAX || io->slots < 1 || io->classes < 1 ||
        io->slots > INT_MAX / io->classes)
        return status_fail(m, STATUS_BAD_INPUT,
                           "a task of length %ld with %ld slots of %ld classes cannot be encoded",
                           io->length, io->slots, io->classes);
    if (io->fields < 1 || io->fields > ENCODER_MAX_FIELDS)
        return status_fail(m, STATUS_BAD_INPUT, "a task has 1 to %d input fields, not %d",
                           ENCODER_MAX_FIELDS, io->fields);
    for (int f = 0; f < io->fields; f++)
        if (io->vocab[f] < 1 || io->vocab[f] > INT_MAX)
            return status_fail(m, STATUS_BAD_INPUT,
                               "input field %s cannot have a vocabulary of %ld", io->field[f],
                               io->vocab[f]);
    double bytes = encoder_memory(c, io, 1);
    if (bytes > 0x1p46)
        return status_fail(
            m, STATUS_BAD_INPUT,
            "a model of d_model %ld over sequences of %ld needs %.3g bytes, more than can "
            "be addressed",
            (long)c->d_model, io->length, bytes);
    return STATUS_OK;
}

/* How one kind of parameter is initialised; initialisation is the only thing that depends on it. */
enum role {
    ROLE_IN_PROJ,
    ROLE_WEIGHT,
    ROLE_ATTENTION_BIAS,
    ROLE_BIAS,
    ROLE_GAIN,
    ROLE_SHIFT,
    ROLE_EMBEDDING
};

static const double embedding_spread = 0.5;

static enum nn_init init_of(const struct encoder_config *c, enum role role)
{
    bool pytorch = c->init == INIT_PYTORCH;
    switch (role) {
    case ROLE_IN_PROJ: /* nn.MultiheadAttention draws it so, the others are nn.Linear's */
        return NN_XAVIER;
    case ROLE_WEIGHT:
        return pytorch ? NN_UNIFORM_FAN_IN : NN_XAVIER;
    case ROLE_BIAS:
        return pytorch ? NN_UNIFORM_FAN_IN : NN_ZEROS;
    case ROLE_GAIN:
        return NN_ONES;
    case ROLE_EMBEDDING:
        return NN_NORMAL;
    case ROLE_ATTENTION_BIAS:
    case ROLE_SHIFT:
        break;
    }
    return NN_ZEROS;
}

static struct tensor *matrix(struct arena *a, struct encoder *e, enum role role, const char *name,
                             long rows, long columns)
{
    return nn_declare(a, &e->nn, name, (struct shape){2, {rows, columns}},
                      init_of(&e->config, role), columns, rows, embedding_spread);
}

/* fan_in: of the matrix that the vector is a bias to. */
static struct tensor *vector(struct arena *a, struct encoder *e, enum role role, const char *name,
                             long size, long fan_in)
{
    return nn_declare(a, &e->nn, name, (struct shape){1, {size}}, init_of(&e->config, role), fan_in,
                      size, 0);
}

static void declare_layer(struct arena *a, struct encoder *e, long index)
{
    struct encoder_layer *l = &e->layer[index];
    const struct encoder_shapes *s = &e->shapes;
    long C = (long)e->config.d_model, F = (long)e->config.d_ff;
    char name[96];
#define NAME(rest) (snprintf(name, sizeof name, "encoder.layers.%ld." rest, index), name)
    l->in_proj_weight =
        matrix(a, e, ROLE_IN_PROJ, NAME("self_attn.in_proj_weight"), s->qkv_width, C);
    l->in_proj_bias =
        vector(a, e, ROLE_ATTENTION_BIAS, NAME("self_attn.in_proj_bias"), s->qkv_width, C);
    l->out_proj_weight =
        matrix(a, e, ROLE_WEIGHT, NAME("self_attn.out_proj.weight"), C, s->o_width);
    l->out_proj_bias =
        vector(a, e, ROLE_ATTENTION_BIAS, NAME("self_attn.out_proj.bias"), C, s->o_width);
    l->linear1_weight = matrix(a, e, ROLE_WEIGHT, NAME("linear1.weight"), F, C);
    l->linear1_bias = vector(a, e, ROLE_BIAS, NAME("linear1.bias"), F, C);
    l->linear2_weight = matrix(a, e, ROLE_WEIGHT, NAME("linear2.weight"), C, F);
    l->linear2_bias = vector(a, e, ROLE_BIAS, NAME("linear2.bias"), C, F);
    l->norm1_weight = vector(a, e, ROLE_GAIN, NAME("norm1.weight"), C, C);
    l->norm1_bias = vector(a, e, ROLE_SHIFT, NAME("norm1.bias"), C, C);
    l->norm2_weight = vector(a, e, ROLE_GAIN, NAME("norm2.weight"), C, C);
    l->norm2_bias = vector(a, e, ROLE_SHIFT, NAME("norm2.bias"), C, C);
#undef NAME
}

/* PE(t, 2i) = sin(t / 10000^(2i/C)), PE(t, 2i+1) = cos of the same (Vaswani et al. 2017, 3.5). */
static struct tensor *sinusoids(struct arena *a, long T, long C)
{
    struct tensor *pos = tensor_new(a, NULL, (struct shape){2, {T, C}}, false);
    for (long t = 0; t < T; t++)
        for (long c = 0; c < C; c++) {
            double angle = (double)t * pow(10000, -(double)(c - c % 2) / (double)C);
            pos->data[t * C + c] = (real)(c % 2 ? cos(angle) : sin(angle));
        }
    return pos;
}

enum status encoder_new(struct arena *a, const struct encoder_config *c,
                        const struct encoder_io *io, bool wants_grad, struct encoder **out,
                        struct message *m)
{
    struct encoder_shapes shapes;
    enum status s = encoder_shapes(c, &shapes, m);
    if (s == STATUS_OK)
        s = check_io(c, io, m);
    if (s != STATUS_OK)
        return s;
    struct encoder *e = arena_alloc(a, 1, sizeof *e);
    e->config = *c;
    e->io = *io;
    e->shapes = shapes;
    e->layer = arena_alloc(a, (size_t)c->layers, sizeof *e->layer);
    long C = (long)c->d_model, outputs = io->slots * io->classes;
    char name[96];
    for (int f = 0; f < io->fields; f++) {
        snprintf(name, sizeof name, "embed.%s.weight", io->field[f]);
        e->embed[f] = matrix(a, e, ROLE_EMBEDDING, name, io->vocab[f], C);
    }
    if (c->positions == POSITIONS_LEARNED)
        e->pos = matrix(a, e, ROLE_EMBEDDING, "pos.weight", io->length, C);
    else if (c->positions == POSITIONS_SINUSOIDAL)
        e->pos = sinusoids(a, io->length, C);
    for (long l = 0; l < c->layers; l++)
        declare_layer(a, e, l);
    if (c->norm == NORM_PRE) {
        e->norm_weight = vector(a, e, ROLE_GAIN, "encoder.norm.weight", C, C);
        e->norm_bias = vector(a, e, ROLE_SHIFT, "encoder.norm.bias", C, C);
    }
    e->out_weight = matrix(a, e, ROLE_WEIGHT, "out.weight", outputs, C);
    e->out_bias = vector(a, e, ROLE_BIAS, "out.bias", outputs, C);
    nn_finish(a, &e->nn, wants_grad);
    *out = e;
    return STATUS_OK;
}
