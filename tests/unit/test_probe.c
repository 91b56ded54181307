/* What a probe shows of the heads, and that it changes nothing. */
#include <stddef.h>
#include <string.h>

#include "engine/train.h"

#include "tests/test.h"

enum { B = 3, T = 5, SLOTS = 2, CLASSES = 4, LAYERS = 2, HEADS = 3, D_V = 4 };

static const struct encoder_io io = {
    .length = T, .fields = 1, .field = {"token"}, .vocab = {6}, .slots = SLOTS, .classes = CLASSES};

struct probed {
    struct arena arena;
    struct encoder *encoder;
    struct encoder_probe probe;
    struct graph *graph, *plain;
    struct tensor *logits, *plain_logits;
    int32_t tokens[B * T], targets[B * T * SLOTS];
    uint8_t correct[B * T * SLOTS];
    struct pass pass;
};

static void probed_new(struct probed *p, enum encoder_norm norm, bool inference)
{
    struct message m;
    struct encoder_config c;
    memset(p, 0, sizeof *p);
    option_defaults(encoder_options, &c);
    c.d_model = 8;
    c.heads = HEADS;
    c.d_head = D_V;
    c.layers = LAYERS;
    c.d_ff = 16;
    c.norm = norm;
    arena_init(&p->arena, NULL);
    if (encoder_new(&p->arena, &c, &io, !inference, &p->encoder, &m) != STATUS_OK ||
        encoder_graph(&p->arena, p->encoder, B, inference, NULL, NULL, &p->plain, &p->plain_logits,
                      &m) != STATUS_OK ||
        encoder_graph(&p->arena, p->encoder, B, inference, &p->probe, NULL, &p->graph, &p->logits,
                      &m) != STATUS_OK)
        fail_msg("%s", m.text);
    encoder_init(p->encoder, 1);
    struct rng r = rng_at(4, RNG_DATA, 0, 0);
    for (int i = 0; i < B * T; i++)
        p->tokens[i] = (int32_t)rng_below(&r, 6);
    for (int i = 0; i < B * T * SLOTS; i++)
        p->targets[i] = (int32_t)rng_below(&r, CLASSES);
    p->pass = (struct pass){.tokens = p->tokens,
                            .targets = p->targets,
                            .correct = p->correct,
                            .loss_scale = 1,
                            .batch = B};
}

static size_t logits_size(const struct probed *p)
{
    return (size_t)tensor_size(p->logits) * sizeof(real);
}

TEST(gates_of_one_change_nothing)
{
    static struct probed p;
    for (int i = 0; i < 4; i++) {
        probed_new(&p, i % 2 ? NORM_POST : NORM_PRE, i / 2);
        for (int k = 0; kernels_available(k); k++) {
            p.pass.kernels = kernels_available(k);
            graph_forward(p.plain, &p.pass);
            double loss = p.pass.loss_sum;
            graph_forward(p.graph, &p.pass);
            assert_memory_equal(p.logits->data, p.plain_logits->data, logits_size(&p));
            assert_true(p.pass.loss_sum == loss);
        }
        arena_free(&p.arena);
    }
}

/* A gate of 0 is a head whose columns of W_O are 0, to the last bit; and it can be set after a
 * forward, from the last layer to the first, without running what comes before. */
TEST(ablation_is_a_zeroed_block)
{
    static struct probed p;
    probed_new(&p, NORM_PRE, true);
    for (int k = 0; kernels_available(k); k++) {
        p.pass.kernels = kernels_available(k);
        graph_forward(p.graph, &p.pass);
        for (int l = LAYERS - 1; l >= 0; l--)
            for (int h = 0; h < HEADS; h++) {
                for (int b = 0; b < B; b++)
                    p.probe.gate[l]->data[b * HEADS + h] = 0;
                graph_forward_from(p.graph, p.probe.attention[l]->out->node + 1, &p.pass);
                for (int b = 0; b < B; b++)
                    p.probe.gate[l]->data[b * HEADS + h] = 1;
                struct tensor *w = p.encoder->layer[l].out_proj_weight; /* (C,H*d_v) */
                real kept[8 * HEADS * D_V];
                assert_int_equal(tensor_size(w), 8 * HEADS * D_V);
                memcpy(kept, w->data, sizeof kept);
                for (int c = 0; c < 8; c++)
                    memset(w->data + c * HEADS * D_V + h * D_V, 0, D_V * sizeof(real));
                double loss = p.pass.loss_sum;
                graph_forward(p.plain, &p.pass);
                assert_memory_equal(p.logits->data, p.plain_logits->data, logits_size(&p));
                assert_true(p.pass.loss_sum == loss);
                memcpy(w->data, kept, sizeof kept);
            }
    }
    arena_free(&p.arena);
}

static enum status fill(void *context, int64_t step, struct examples *e, struct message *m)
{
    (void)context, (void)m;
    struct rng r = rng_at(9, RNG_DATA, (uint64_t)step, 0);
    for (long i = 0; i < e->n * T; i++)
        e->tokens[i] = (int32_t)rng_below(&r, 6);
    for (long i = 0; i < e->n * T * SLOTS; i++)
        e->targets[i] = e->tokens[i / SLOTS] % CLASSES;
    return STATUS_OK;
}

/* An encoder that is there already is trained as a new one with the same weights would be. */
TEST(trainer_of_an_encoder)
{
    struct arena a;
    struct message m;
    struct encoder_config c;
    struct train_config train;
    struct trainer *one, *other;
    struct encoder *e;
    option_defaults(encoder_options, &c);
    option_defaults(train_options, &train);
    c.heads = 2;
    c.d_model = 8;
    arena_init(&a, NULL);
    assert_int_equal(trainer_new(&a, &c, &io, &train, 5, fill, NULL, &one, &m), STATUS_OK);
    assert_int_equal(encoder_new(&a, &c, &io, true, &e, &m), STATUS_OK);
    memcpy(e->nn.data, one->encoder->nn.data, (size_t)e->nn.size * sizeof(real));
    assert_int_equal(trainer_of(&a, e, &train, 5, fill, NULL, &other, &m), STATUS_OK);
    assert_ptr_equal(other->encoder, e);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(trainer_step(one, &m), STATUS_OK);
        assert_int_equal(trainer_step(other, &m), STATUS_OK);
    }
    assert_memory_equal(e->nn.data, one->encoder->nn.data, (size_t)e->nn.size * sizeof(real));
    arena_free(&a);
}
