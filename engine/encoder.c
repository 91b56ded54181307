#include "engine/encoder.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "engine/base/text.h"
#include "engine/encoder_cost.h"
#include "engine/encoder_heads.h"
#include "engine/form.h"

/* Refuses inputs and outputs that this encoder cannot have; names the first fault. */
static enum status check_io(const struct encoder_config *c, const struct encoder_io *io,
                            struct message *m)
{
    if (io->length < 1 || io->length > INT_MAX || io->slots < 1 || io->classes < 1 ||
        io->slots > INT_MAX / io->classes)
        return status_fail(m, STATUS_BAD_INPUT,
                           "a task of length %ld with %s of %ld classes cannot be encoded",
                           io->length, text_counted(io->slots, "slot").text, io->classes);
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

/* Where parameters are declared. */
struct place {
    struct arena *arena;
    struct nn *nn;
    long layer;
};

enum { NAME_SIZE = 96 };

static const char *full_name(struct place p, const char *name, char full[NAME_SIZE])
{
    snprintf(full, NAME_SIZE, "encoder.layers.%ld.%s", p.layer, name);
    return full;
}

static struct tensor *matrix(struct place p, const char *name, enum init_kind kind, long rows,
                             long columns)
{
    char full[NAME_SIZE];
    return nn_matrix(p.arena, p.nn, full_name(p, name, full), kind, rows, columns);
}

static struct tensor *heads_matrix(struct place p, const char *name, enum init_kind kind,
                                   const struct encoder_heads *h, long rows, long columns)
{
    char full[NAME_SIZE];
    struct init_heads heads = {h->heads, h->kv_heads, h->d_k, h->d_v};
    return nn_heads_matrix(p.arena, p.nn, full_name(p, name, full), kind, heads, rows, columns);
}

static struct tensor *vector(struct place p, const char *name, enum init_kind kind, long size,
                             long fan_in)
{
    char full[NAME_SIZE];
    return nn_vector(p.arena, p.nn, full_name(p, name, full), kind, size, fan_in);
}

static void declare_layer(struct arena *a, struct encoder *e, long layer)
{
    struct encoder_layer *l = &e->layer[layer];
    struct place p = {a, &e->nn, layer};
    long C = (long)e->config.d_model, F = (long)e->config.d_ff;
    long K = l->heads.inputs, W = l->heads.qkv_width, O = l->heads.o_width;
    if (l->heads.heads > 0) {
        l->in_proj_weight =
            heads_matrix(p, "self_attn.in_proj_weight", INIT_ATTENTION_WEIGHT, &l->heads, W, K);
        l->in_proj_bias = vector(p, "self_attn.in_proj_bias", INIT_ATTENTION_BIAS, W, K);
        l->out_proj_weight =
            heads_matrix(p, "self_attn.out_proj.weight", INIT_ATTENTION_OUTPUT, &l->heads, C, O);
    }
    l->out_proj_bias = vector(p, "self_attn.out_proj.bias", INIT_ATTENTION_BIAS, C, O);
    l->linear1_weight = matrix(p, "linear1.weight", INIT_WEIGHT, F, C);
    l->linear1_bias = vector(p, "linear1.bias", INIT_BIAS, F, C);
    l->linear2_weight = matrix(p, "linear2.weight", INIT_WEIGHT, C, F);
    l->linear2_bias = vector(p, "linear2.bias", INIT_BIAS, C, F);
    l->norm1_weight = vector(p, "norm1.weight", INIT_GAIN, C, C);
    l->norm1_bias = vector(p, "norm1.bias", INIT_SHIFT, C, C);
    l->norm2_weight = vector(p, "norm2.weight", INIT_GAIN, C, C);
    l->norm2_bias = vector(p, "norm2.bias", INIT_SHIFT, C, C);
}

/* Cosine and sine of t / 10000^(2i/d_k), for pair i of a query's or key's numbers at position t (Su
 * et al. 2021, RoFormer, eq. 34, with the angles of eq. 15). */
static struct tensor *turns(struct arena *a, long T, long d_k)
{
    struct tensor *angles = tensor_new(a, NULL, SHAPE(T, d_k), false);
    for (long t = 0; t < T; t++)
        for (long c = 0; c < d_k; c += 2) {
            double angle = (double)t * pow(10000, -(double)c / (double)d_k);
            angles->data[t * d_k + c] = (real)cos(angle);
            angles->data[t * d_k + c + 1] = (real)sin(angle);
        }
    return angles;
}

/* PE(t, 2i) = sin(t / 10000^(2i/C)), PE(t, 2i+1) = cos of the same (Vaswani et al. 2017, 3.5). */
static struct tensor *sinusoids(struct arena *a, long T, long C)
{
    struct tensor *pos = tensor_new(a, NULL, SHAPE(T, C), false);
    for (long t = 0; t < T; t++)
        for (long c = 0; c < C; c++) {
            double angle = (double)t * pow(10000, -(double)(c - c % 2) / (double)C);
            pos->data[t * C + c] = (real)(c % 2 ? cos(angle) : sin(angle));
        }
    return pos;
}

void encoder_declare(struct arena *a, struct encoder *e, bool wants_grad)
{
    const struct encoder_config *c = &e->config;
    const struct encoder_io *io = &e->io;
    long C = (long)c->d_model, outputs = io->slots * io->classes;
    char name[NAME_SIZE];
    for (int f = 0; f < io->fields; f++) {
        snprintf(name, sizeof name, "embed.%s.weight", io->field[f]);
        e->embed[f] = nn_matrix(a, &e->nn, name, INIT_EMBEDDING, io->vocab[f], C);
    }
    if (c->positions == POSITIONS_LEARNED)
        e->pos = nn_matrix(a, &e->nn, "pos.weight", INIT_EMBEDDING, io->length, C);
    else if (c->positions == POSITIONS_SINUSOIDAL)
        e->pos = sinusoids(a, io->length, C);
    else if (c->positions == POSITIONS_ROTARY)
        e->turns = turns(a, io->length, e->shapes.d_k);
    for (long l = 0; l < c->layers; l++)
        declare_layer(a, e, l);
    if (c->norm == NORM_PRE) {
        e->norm_weight = nn_vector(a, &e->nn, "encoder.norm.weight", INIT_GAIN, C, C);
        e->norm_bias = nn_vector(a, &e->nn, "encoder.norm.bias", INIT_SHIFT, C, C);
    }
    e->out_weight = nn_matrix(a, &e->nn, "out.weight", INIT_WEIGHT, outputs, C);
    e->out_bias = nn_vector(a, &e->nn, "out.bias", INIT_BIAS, outputs, C);
    nn_finish(a, &e->nn, wants_grad);
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
    for (long l = 0; l < c->layers; l++)
        e->layer[l].heads = encoder_heads_all(a, &shapes);
    encoder_declare(a, e, wants_grad);
    *out = e;
    return STATUS_OK;
}

void encoder_init(struct encoder *e, uint32_t seed)
{
    nn_init(&e->nn, init_table[e->config.init], seed);
    for (long l = 0; l < e->config.layers && e->shapes.width > 0; l++)
        form_columns(&e->config, seed, l, e->shapes.width, e->layer[l].heads.columns);
}
