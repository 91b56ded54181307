/* Gradient checks in double: every operation of the table through its own cases, and the whole
 * model over its options. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "engine/encoder.h"
#include "engine/form.h"
#include "engine/kernels/denormals.h"
#include "tests/gradient/gradcheck.h"
#include "tests/test.h"

TEST(every_operation)
{
    for (int i = 0; op_table[i]; i++) {
        const struct op *op = op_table[i];
        if (!op->cases || !op->cases[0].name)
            fail_msg("operation %s has no gradient-check case", op->name);
        for (const struct gradcheck_case *c = op->cases; c->name; c++) {
            char text[GRADCHECK_TEXT] = "";
            if (!gradcheck_op(op, c, text))
                fail_msg("%s, %s: %s", op->name, c->name, text);
        }
    }
}

/* A check that accepts everything proves nothing. */
TEST(check_sees_wrong_gradients)
{
    assert_true(gradcheck_agree(1, 1 + 0.9e-6));
    assert_false(gradcheck_agree(1, 1 + 1.1e-6));
    assert_false(gradcheck_agree(1, -1));
    assert_false(gradcheck_agree(2e-8, 0));
    assert_false(gradcheck_agree(NAN, 0));
    assert_false(gradcheck_agree(0, NAN));
}

enum { BATCH = 3, CAPACITY = 2, LENGTH = 3, FIELDS = 2, SLOTS = 2, CLASSES = 3 };

static const struct encoder_io io = {
    .length = LENGTH,
    .fields = FIELDS,
    .field = {"token", "other"},
    .vocab = {4, 2},
    .slots = SLOTS,
    .classes = CLASSES,
};

/* A model, its tape and one batch. */
struct model {
    struct arena arena;
    struct encoder *encoder;
    struct graph *graph;
    struct encoder_probe probe;
    int32_t tokens[BATCH * LENGTH * FIELDS], targets[BATCH * LENGTH * SLOTS];
    uint8_t padding[BATCH * LENGTH], correct[BATCH * LENGTH * SLOTS];
    bool padded;
};

/* Loss of the batch in slices; with backward, gradients too. */
static double run(struct model *m, bool backward)
{
    long per_sequence = SLOTS * (m->encoder->config.pool == POOL_NONE ? LENGTH : 1), unmasked = 0;
    for (long i = 0; i < BATCH * per_sequence; i++)
        unmasked += m->targets[i] >= 0;
    struct pass p = {
        .kernels = &kernels_reference, .training = true, .seed = 3, .step = 11, .sequences = BATCH};
    p.loss_scale = 1 / (real)unmasked;
    double loss = 0;
    long capacity = m->graph->capacity;
    for (long first = 0; first < BATCH; first += capacity) {
        p.first = first;
        p.batch = BATCH - first < capacity ? BATCH - first : capacity;
        p.tokens = m->tokens + first * LENGTH * FIELDS;
        p.targets = m->targets + first * per_sequence;
        p.padding = m->padded ? m->padding + first * LENGTH : NULL;
        p.correct = m->correct;
        graph_forward(m->graph, &p);
        if (backward)
            graph_backward(m->graph, &p);
        loss += p.loss_sum * p.loss_scale + p.penalty;
    }
    return loss;
}

static double model_loss(void *context)
{
    return run(context, false);
}

/* Weights, tokens, targets and padding. Gains and biases get off their neutral start, where wrong
 * gradients could hide. */
static void draw_model(struct model *m, bool masked)
{
    struct draws d = {.seed = 21};
    for (long i = 0; i < m->encoder->nn.size; i++)
        m->encoder->nn.data[i] += (real)(0.3 * draw_normal(&d));
    for (long i = 0; i < BATCH * LENGTH * FIELDS; i++)
        m->tokens[i] = draw_below(&d, io.vocab[i % FIELDS]);
    for (long i = 0; i < BATCH * LENGTH * SLOTS; i++)
        m->targets[i] = masked && i % 3 == 1 ? -100 : draw_below(&d, CLASSES);
    memset(m->padding, 0, sizeof m->padding);
    m->padding[2] = m->padding[LENGTH] = 1;
    memset(m->padding + 2 * LENGTH, 1, LENGTH);
}

/* A bias on the keys shifts all scores of a query alike: the softmax does not see it. */
static void check_key_bias(const struct model *m, const char *name)
{
    const struct encoder_shapes *s = &m->encoder->shapes;
    for (long l = 0; l < m->encoder->config.layers; l++) {
        const real *dbias = m->encoder->layer[l].in_proj_bias->grad + s->heads * s->d_k;
        for (long i = 0; i < s->kv_heads * s->d_k; i++)
            if (!(fabs(dbias[i]) < 1e-14))
                fail_msg("%s: key bias %ld of layer %ld has gradient %g", name, i, l, dbias[i]);
    }
}

/* weight: of the term that makes heads disagree. */
static void check_model_adding(const struct encoder_config *c, enum similarity_kind kind,
                               double weight, bool padded, bool masked, const char *name)
{
    static struct model m;
    struct message why;
    struct tensor *logits;
    m.padded = padded;
    arena_init(&m.arena, NULL);
    if (encoder_new(&m.arena, c, &io, true, &m.encoder, &why) != STATUS_OK)
        fail_msg("%s: %s", name, why.text);
    m.encoder->disagreement.kind = kind;
    m.encoder->disagreement.weight = weight;
    if (encoder_graph(&m.arena, m.encoder, CAPACITY, false, NULL, NULL, &m.graph, &logits, &why) !=
        STATUS_OK)
        fail_msg("%s: %s", name, why.text);
    encoder_init(m.encoder, 1);
    draw_model(&m, masked);
    nn_zero_grad(&m.encoder->nn);
    run(&m, true);
    if (c->positions != POSITIONS_ROTARY) /* where keys turn, what is added to all is not alike */
        check_key_bias(&m, name);
    for (int i = 0; i < m.encoder->nn.count; i++) {
        struct tensor *t = m.encoder->nn.list[i].tensor;
        char text[GRADCHECK_TEXT];
        if (!gradcheck_tensor(t, t->name, model_loss, &m, text))
            fail_msg("%s: %s", name, text);
    }
    arena_free(&m.arena);
}

static void check_model(const struct encoder_config *c, bool padded, bool masked, const char *name)
{
    check_model_adding(c, SIMILARITY_OUTPUT, 0, padded, masked, name);
}

static const struct {
    int64_t heads, d_head, d_k, d_v;
} head_shapes[] = {
    {1, WIDTH_WORD, WIDTH_WORD, WIDTH_WORD},
    {2, WIDTH_WORD, WIDTH_WORD, WIDTH_WORD},
    {4, WIDTH_WORD, WIDTH_WORD, WIDTH_WORD},
    {3, 2, WIDTH_WORD, WIDTH_WORD},
    {2, WIDTH_WORD, 3, 1},
};
enum { HEAD_SHAPES = sizeof head_shapes / sizeof head_shapes[0] };

static struct encoder_config small_model(void)
{
    return (struct encoder_config){
        .d_model = 4,
        .heads = 2,
        .layers = 1,
        .d_ff = 3,
        .d_head = WIDTH_WORD,
        .d_k = WIDTH_WORD,
        .d_v = WIDTH_WORD,
        .kv_heads = WIDTH_WORD,
    };
}

TEST(whole_models_have_correct_gradients)
{
    for (int i = 0; i < 2 * 2 * 4 * 3 * HEAD_SHAPES; i++) {
        struct encoder_config c = small_model();
        c.norm = i % 2;
        c.activation = i / 2 % 2;
        c.positions = i / 4 % 4;
        c.pool = i / 16 % 3;
        int shape = i / 48;
        c.heads = head_shapes[shape].heads;
        c.d_head = head_shapes[shape].d_head;
        c.d_k = head_shapes[shape].d_k;
        c.d_v = head_shapes[shape].d_v;
        if (encoder_shapes(&c, &(struct encoder_shapes){0}, NULL) != STATUS_OK)
            c.d_k = 4; /* the odd ones, which cannot turn */
        for (int extra = 0; extra < 4; extra++) {
            char name[96];
            c.dropout = extra & 1 ? 0.25 : 0;
            bool harder = extra & 2; /* padding and masked targets */
            snprintf(name, sizeof name,
                     "norm %d activation %d positions %d pool %d head shape %d extra %d",
                     (int)c.norm, (int)c.activation, (int)c.positions, (int)c.pool, shape, extra);
            check_model(&c, harder, harder, name);
        }
    }
}

/* Every form of heads, masked or not, and heads that share keys and values. */
TEST(forms)
{
    for (int form = 0; form_table[form]; form++) {
        for (int i = 0; i < 32; i++) {
            char name[64];
            struct encoder_config c = small_model();
            c.layers = 2;
            c.form = form;
            c.mask = i % 2;
            c.norm = i / 2 % 2;
            c.dropout = i / 4 % 2 ? 0.25 : 0;
            c.positions = i / 16 ? POSITIONS_ROTARY : POSITIONS_LEARNED;
            c.d_k = i / 16 ? 2 : WIDTH_WORD;
            if (i / 8 % 2 && form_table[form] == &form_project) {
                c.heads = 4;
                c.kv_heads = 2;
            } else if (i / 8 % 2 && form_table[form]->segmented) {
                c.heads = 3; /* 4 columns for them */
                c.segment_width = 3;
                c.segment_overlap = 1;
            }
            snprintf(name, sizeof name, "form %s, %d", form_names[form], i);
            check_model(&c, i % 2, i % 2, name);
        }
    }
}

TEST(models_of_three_layers_have_correct_gradients)
{
    struct encoder_config c = small_model();
    c.layers = 3;
    for (int i = 0; i < 8; i++) {
        char name[64];
        c.norm = i % 2;
        c.activation = i / 2 % 2;
        c.dropout = i / 4 ? 0.25 : 0;
        snprintf(name, sizeof name, "three layers, %d", i);
        check_model(&c, true, true, name);
    }
}

TEST(the_disagreement_of_heads_has_correct_gradients)
{
    for (int i = 0; i < 3 * 2 * 2 * 2; i++) {
        struct encoder_config c = small_model();
        char name[64];
        c.layers = 2;
        c.heads = 4;
        c.d_head = 2;
        c.norm = i / 3 % 2;
        c.mask = i / 6 % 2 ? MASK_CAUSAL : MASK_NONE;
        c.kv_heads = i / 12 ? 2 : WIDTH_WORD;
        c.positions = i / 12 ? POSITIONS_ROTARY : POSITIONS_LEARNED;
        c.dropout = 0.25;
        snprintf(name, sizeof name, "disagreement %d, model %d", i % 3, i / 3);
        check_model_adding(&c, (enum similarity_kind)(i % 3), 0.8, true, true, name);
    }
}

/* The gradient of the loss with respect to every head's gate, in every layer and sequence. */
TEST(gates_of_heads_have_correct_gradients)
{
    static struct model m;
    for (int i = 0; i < 8; i++) {
        struct encoder_config c = small_model();
        struct message why;
        struct tensor *logits;
        c.layers = 2;
        c.norm = i % 2;
        c.pool = i / 2 % 2;
        c.positions = i / 4 % 2 ? POSITIONS_ROTARY : POSITIONS_LEARNED;
        m.padded = i / 4 % 2;
        arena_init(&m.arena, NULL);
        if (encoder_new(&m.arena, &c, &io, true, &m.encoder, &why) != STATUS_OK ||
            encoder_graph(&m.arena, m.encoder, BATCH, false, &m.probe, NULL, &m.graph, &logits,
                          &why) != STATUS_OK)
            fail_msg("%s", why.text);
        encoder_init(m.encoder, 1);
        draw_model(&m, true);
        for (long l = 0; l < c.layers; l++)
            for (long k = 0; k < tensor_size(m.probe.gate[l]); k++)
                m.probe.gate[l]->data[k] = 1 - 0.1 * (real)k;
        run(&m, true);
        for (long l = 0; l < c.layers; l++) {
            char text[GRADCHECK_TEXT], name[64];
            snprintf(name, sizeof name, "model %d, gates of layer %ld", i, l);
            if (!gradcheck_tensor(m.probe.gate[l], name, model_loss, &m, text))
                fail_msg("%s", text);
        }
        arena_free(&m.arena);
    }
}

/* Random tapes: outputs used once, several times, by one node twice, or never; whatever the tape
 * lets share memory, gradients must be right. */
enum { WIDTH = 3, NODES = 9 };

struct tape {
    struct arena arena;
    struct graph *graph;
    struct pass pass;
    struct tensor *x, *w, *bias, *out;
};

static double tape_loss(void *context)
{
    struct tape *t = context;
    double sum = 0;
    graph_forward(t->graph, &t->pass);
    for (long i = 0; i < tensor_size(t->out); i++)
        sum += (double)(i + 1) * t->out->data[i];
    return sum;
}

static struct tensor *drawn(struct tape *t, struct draws *d, struct shape shape, double spread)
{
    struct tensor *x = tensor_new(&t->arena, "drawn", shape, true);
    for (long i = 0; i < tensor_size(x); i++)
        x->data[i] = (real)(spread * draw_normal(d));
    return x;
}

/* Applies a random operation to outputs drawn from those there are. */
static struct tensor *random_node(struct tape *t, struct draws *d, struct tensor **there, int count)
{
    struct graph *g = t->graph;
    int choice = draw_below(d, 5);
    struct tensor *x = there[draw_below(d, count)];
    if (choice == 0)
        return graph_linear(g, x, t->w, NULL);
    if (choice == 1)
        return graph_layernorm(g, x, t->bias, t->bias);
    struct tensor *bias = draw_below(d, 2) ? t->bias : NULL;
    if (choice == 2)
        return graph_gelu(g, x, bias);
    struct dropout_site site = {.probability = draw_below(d, 3) == 0 ? 0.3 : 0};
    return graph_residual(g, x, bias, there[draw_below(d, count)], site);
}

static void check_tape(uint32_t seed)
{
    static struct tape t;
    struct draws d = {.seed = seed};
    struct tensor *there[NODES + 1];
    arena_init(&t.arena, NULL);
    t.graph = graph_new(&t.arena, 2, false);
    t.pass = (struct pass){.kernels = &kernels_reference, .training = true, .batch = 2};
    there[0] = t.x = drawn(&t, &d, SHAPE(2, WIDTH), 1);
    t.w = drawn(&t, &d, SHAPE(WIDTH, WIDTH), 0.4);
    t.bias = drawn(&t, &d, SHAPE(WIDTH), 0.4);
    for (int i = 0; i < NODES; i++)
        there[i + 1] = random_node(&t, &d, there, i + 1);
    t.out = there[NODES];
    struct message m;
    for (int i = 0; i <= NODES; i += 4)
        if (draw_below(&d, 2))
            graph_keep(t.graph, there[i]);
    if (graph_finish(t.graph, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    tape_loss(&t);
    for (long i = 0; i < tensor_size(t.out); i++)
        t.out->grad[i] = (real)(i + 1);
    t.x->grad_written = t.w->grad_written = t.bias->grad_written = false;
    graph_backward(t.graph, &t.pass);
    struct tensor *const inputs[] = {t.x, t.w, t.bias};
    for (int i = 0; i < 3; i++) {
        char text[GRADCHECK_TEXT], name[32];
        snprintf(name, sizeof name, "tape %u, input %d", (unsigned)seed, i);
        if (inputs[i]->grad_written && !gradcheck_tensor(inputs[i], name, tape_loss, &t, text))
            fail_msg("%s", text);
    }
    arena_free(&t.arena);
}

TEST(random_tapes_have_correct_gradients)
{
    for (uint32_t seed = 0; seed < 1000; seed++)
        check_tape(seed);
}

/* Last: whatever ran before has left this thread's denormals alone. */
TEST(gradient_checks_leave_denormals_on)
{
    volatile double tiny = 1e-300, product = tiny * 1e-10;
    assert_true(product > 0);
    assert_false(denormals_flushed());
}

/* usage: test_gradients [PATTERN]   Only the tests whose names match. */
