#include "engine/encoder.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "engine/encoder_cost.h"

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
