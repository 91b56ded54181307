#include "engine/encoder_cost.h"

#include <math.h>

#include "engine/base/real.h"
#include "engine/encoder.h"

static struct encoder_shapes shapes_of(const struct encoder_config *c)
{
    struct encoder_shapes s = {0};
    encoder_shapes(c, &s, NULL);
    return s;
}

/* Multiply-adds of one sequence in the attention block of a layer. */
static double attention_products(const struct encoder_config *c, long length,
                                 const struct encoder_shapes *s)
{
    double C = (double)c->d_model, T = (double)length;
    double keys = c->mask == MASK_CAUSAL ? (T + 1) / 2 : T; /* seen by a position, on average */
    return T * ((double)s->inputs * (double)s->qkv_width + C * (double)s->o_width +
                keys * (double)s->heads * (double)(s->d_k + s->d_v));
}

/* Multiply-adds of one sequence outside of attention blocks. */
static double other_products(const struct encoder_config *c, const struct encoder_io *io)
{
    double C = (double)c->d_model, F = (double)c->d_ff, T = (double)io->length;
    double outputs = c->pool == POOL_NONE ? T : 1;
    return T * (double)c->layers * 2 * C * F +
           outputs * C * (double)io->slots * (double)io->classes;
}

double encoder_step_flops(const struct encoder_config *c, const struct encoder_io *io, long batch)
{
    struct encoder_shapes s = shapes_of(c);
    double attention = (double)c->layers * attention_products(c, io->length, &s);
    return 3 * 2 * (double)batch * (attention + other_products(c, io));
}

double encoder_flops(const struct encoder *e)
{
    double attention = 0;
    for (long l = 0; l < e->config.layers; l++) {
        const struct encoder_heads *h = &e->layer[l].heads;
        struct encoder_shapes s = e->shapes;
        s.heads = h->heads;
        s.qkv_width = h->qkv_width;
        s.o_width = h->o_width;
        attention += attention_products(&e->config, e->io.length, &s);
    }
    return 2 * (attention + other_products(&e->config, &e->io));
}

/* About how many numbers per position one sequence's forward leaves for backward, with the widest
 * gradients beside them. Slices, and so the last bits of results, depend on it. */
static double position_numbers(const struct encoder_config *c, const struct encoder_io *io)
{
    struct encoder_shapes s = shapes_of(c);
    double C = (double)c->d_model, F = (double)c->d_ff, W = (double)s.qkv_width;
    double layer = 4 * C + W + (double)s.o_width + (double)s.heads + 2 * F;
    if (c->dropout > 0) /* a bit for each number that may be dropped */
        layer += F + (2 * C + F + (double)s.heads * (double)io->length) / 32;
    double outputs = (double)io->slots * (double)io->classes;
    if (c->pool != POOL_NONE)
        outputs /= (double)io->length;
    double before_turning = c->positions == POSITIONS_ROTARY ? W : 0; /* of one layer at a time */
    return (double)c->layers * layer + before_turning + 3 * C + 2 * outputs + C + (W > F ? W : F);
}

long encoder_slice(const struct encoder_config *c, const struct encoder_io *io, long batch)
{
    /* 3/4 of the cache, and the rows below which a slice loses more than the cache wins: in layers
     * wider than 64 by packing, in the narrowest by all that is done once a slice. Measured on
     * models of width 16 to 256, all within 3% of their best slice. No number of threads enters, as
     * results depend on the slices. */
    const double cache = 768 * 1024, rows = c->d_model >= 32 && c->d_model <= 64 ? 128 : 256;
    double sequence = position_numbers(c, io) * (double)io->length * sizeof(float);
    double fit = floor(cache / sequence), least = ceil(rows / (double)io->length);
    double share = ceil((double)batch / 8); /* for several threads to have work */
    double most = fmax(1, fmax(least, fmin(fit, share)));
    if (most >= (double)batch)
        return batch;
    long slices = (batch + (long)most - 1) / (long)most;
    return (batch + slices - 1) / slices; /* slices of nearly one size */
}

static double tapes_memory(const struct encoder_config *c, const struct encoder_io *io, long batch)
{
    double slice = (double)encoder_slice(c, io, batch);
    return 2 * slice * (double)io->length * position_numbers(c, io) * sizeof(real);
}

double encoder_thread_memory(const struct encoder_config *c, const struct encoder_io *io,
                             long batch)
{
    const double buffers = 16e6;
    return buffers + tapes_memory(c, io, batch);
}

double encoder_memory(const struct encoder_config *c, const struct encoder_io *io, long batch)
{
    const double process = 48e6; /* the program, OpenBLAS and its buffers */
    const double copies = 8; /* weights, packed either way, gradients, two moments, best weights, a
                                write buffer */
    double T = (double)io->length;
    double weights = (double)encoder_parameters(c, io);
    struct encoder_shapes s = shapes_of(c);
    double positions = c->positions == POSITIONS_SINUSOIDAL ? T * (double)c->d_model
                       : c->positions == POSITIONS_ROTARY   ? T * (double)s.d_k
                                                            : 0;
    double columns = (double)c->layers * (double)s.heads * (double)s.width * sizeof(int32_t);
    double targets = c->pool == POOL_NONE ? T * (double)io->slots : (double)io->slots;
    double examples = (double)batch * (T * io->fields + targets) * sizeof(int32_t);
    return process + (copies * weights + positions) * sizeof(real) + columns +
           tapes_memory(c, io, batch) + examples;
}
