/* A small encoder with a tape and a batch, for tests of what it computes. */
#ifndef TESTS_UNIT_ENCODER_MODEL_H
#define TESTS_UNIT_ENCODER_MODEL_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engine/base/rng.h"
#include "engine/encoder.h"

#include "tests/test.h"

enum { B = 3, T = 6, V = 7, S = 2, OUT = 5 };

static const struct encoder_io io = {
    .length = T, .fields = 2, .field = {"a", "b"}, .vocab = {V, 3}, .slots = S, .classes = OUT};

static struct encoder_config defaults(void)
{
    struct encoder_config c;
    option_defaults(encoder_options, &c);
    c.d_model = 16;
    c.d_ff = 24;
    return c;
}

/* One encoder with a tape and a batch. */
struct model {
    struct arena arena;
    struct encoder *encoder;
    struct graph *graph;
    struct tensor *logits;
    int32_t tokens[B * T * 2];
    uint8_t padding[B * T];
};

static void model_new(struct model *m, const struct encoder_config *c)
{
    struct message why;
    memset(m, 0, sizeof *m);
    arena_init(&m->arena, NULL);
    if (encoder_new(&m->arena, c, &io, false, &m->encoder, &why) != STATUS_OK ||
        encoder_graph(&m->arena, m->encoder, B, true, NULL, NULL, &m->graph, &m->logits, &why) !=
            STATUS_OK)
        fail_msg("%s", why.text);
    encoder_init(m->encoder, 1);
    struct rng r = rng_at(2, RNG_DATA, 0, 0);
    for (int i = 0; i < B * T * 2; i++)
        m->tokens[i] = (int32_t)rng_below(&r, (uint32_t)io.vocab[i % 2]);
}

static inline const real *model_run(struct model *m)
{
    struct pass p = {
        .kernels = kernels_best(), .batch = B, .tokens = m->tokens, .padding = m->padding};
    graph_forward(m->graph, &p);
    return m->logits->data;
}

#endif
