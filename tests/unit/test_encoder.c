/* The encoder: shapes, costs, and what its output must and must not depend on. Its first weights:
 * test_inits.c; sinusoidal positions: parity; sizes of known models: the contract. */
#include <stdio.h>

#include "engine/encoder_cost.h"
#include "tests/test.h"
#include "tests/unit/encoder_model.h"

TEST(words_are_the_enums)
{
    const struct {
        const char *option, *word;
        int value;
    } words[] = {
        {"activation", "gelu", ACTIVATION_GELU},
        {"activation", "relu", ACTIVATION_RELU},
        {"norm", "pre", NORM_PRE},
        {"norm", "post", NORM_POST},
        {"positions", "learned", POSITIONS_LEARNED},
        {"positions", "none", POSITIONS_NONE},
        {"positions", "sinusoidal", POSITIONS_SINUSOIDAL},
        {"positions", "rotary", POSITIONS_ROTARY},
        {"pool", "none", POOL_NONE},
        {"pool", "mean", POOL_MEAN},
        {"pool", "first", POOL_FIRST},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_string_equal(option_find(encoder_options, words[i].option)->words[words[i].value],
                            words[i].word);
}

static void check_shapes(struct encoder_config c, long d_k, long d_v)
{
    struct encoder_shapes s;
    struct message m;
    if (encoder_shapes(&c, &s, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    assert_int_equal(s.heads, c.heads);
    assert_int_equal(s.d_k, d_k);
    assert_int_equal(s.d_v, d_v);
    assert_int_equal(s.qkv_width, c.heads * (2 * d_k + d_v));
    assert_int_equal(s.o_width, c.heads * d_v);
}

TEST(head_widths)
{
    struct encoder_config c = defaults();
    check_shapes(c, 4, 4);
    c.d_k = 1;
    check_shapes(c, 1, 4);
    c.d_head = 9;
    check_shapes(c, 1, 9);
    c.heads = 5; /* need not divide where nothing is split */
    check_shapes(c, 1, 9);
    c.d_head = WIDTH_WORD;
    c.d_v = 3;
    check_shapes(c, 1, 3);
}

/* Inputs that no task has; what options contradict: tests/sweep_files/impossible.case. */
TEST(impossible_models)
{
    struct encoder_config c = defaults();
    struct arena a;
    struct encoder *e;
    struct message m;
    struct encoder_io bad = io;
    arena_init(&a, NULL);
    bad.vocab[1] = 0;
    assert_int_equal(encoder_new(&a, &c, &bad, true, &e, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "input field b"));
    bad = io;
    bad.slots = bad.classes = 1000000;
    assert_int_equal(encoder_new(&a, &c, &bad, true, &e, &m), STATUS_BAD_INPUT);
    arena_free(&a);
}

/* Multiply-adds x 2 x 3 of the tape's products, from the shapes of its nodes. */
static double tape_flops(const struct graph *g)
{
    double sum = 0;
    const struct node *n;
    for (int i = 0; (n = graph_node(g, i)); i++) {
        const struct attention_options *o = n->options;
        double rows = (double)tensor_rows(n->out);
        if (n->op == &op_linear)
            sum += rows * (double)tensor_size(n->in[1]);
        if (n->op == &op_attention)
            sum += rows * T * (double)(o->heads * (o->d_k + o->d_v));
    }
    return 6 * sum;
}

static void check_costs(const struct encoder_config *c)
{
    struct arena a;
    struct encoder *e;
    struct graph *g;
    struct tensor *logits;
    struct message m;
    arena_init(&a, NULL);
    if (encoder_new(&a, c, &io, true, &e, &m) != STATUS_OK ||
        encoder_graph(&a, e, B, false, NULL, NULL, &g, &logits, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    assert_int_equal(encoder_parameters(c, &io), e->nn.size);
    double expected = tape_flops(g);
    assert_true(fabs(encoder_step_flops(c, &io, B) - expected) <= 1e-9 * expected);
    assert_int_equal(tensor_size(logits), B * (c->pool == POOL_NONE ? T : 1) * S * OUT);
    assert_true((double)a.used <= encoder_memory(c, &io, B));
    arena_free(&a);
}

TEST(closed_formulas_are_what_is_built)
{
    for (int i = 0; i < 2 * 4 * 3 * 4; i++) {
        struct encoder_config c = defaults();
        c.norm = i % 2;
        c.positions = i / 2 % 4;
        c.pool = i / 8 % 3;
        c.layers = 1 + i % 3;
        switch (i / 24) {
        case 1:
            c.heads = 3;
            c.d_head = 5;
            break;
        case 2:
            c.d_k = 7;
            break;
        case 3:
            c.heads = 16;
            c.dropout = 0.1;
            break;
        }
        if (encoder_shapes(&c, &(struct encoder_shapes){0}, NULL) != STATUS_OK)
            c.d_k = 6; /* the odd ones, which cannot turn */
        check_costs(&c);
    }
}

TEST(slices)
{
    for (long length = 1; length <= 4096; length *= 4) {
        for (int64_t width = 8; width <= 512; width *= 4) {
            struct encoder_config c = defaults();
            struct encoder_io long_io = io;
            long_io.length = length;
            c.d_model = width;
            c.d_ff = 4 * width;
            long slice = encoder_slice(&c, &long_io, 64);
            assert_in_range(slice, 1, 64);
            long rows = width == 32 ? 128 : 256;
            if (length * 64 >= rows)
                assert_true(slice * length >= rows / 2); /* before slices are made equal */
            if (length * 64 >= 8 * rows)
                assert_true(slice <= 8);
            assert_true(encoder_slice(&c, &long_io, 1) == 1);
        }
    }
}

static void check_same(const real *a, const real *b, long n, const char *what)
{
    for (long i = 0; i < n; i++)
        if (!(fabs((double)(a[i] - b[i])) <= 1e-5 + 1e-5 * fabs((double)a[i])))
            fail_msg("%s: %g and %g at %ld", what, (double)a[i], (double)b[i], i);
}

TEST(same_seed_same_weights)
{
    static struct model one, other;
    struct encoder_config c = defaults();
    c.heads = 1;
    model_new(&one, &c);
    c.heads = 8;
    model_new(&other, &c);
    assert_int_equal(one.encoder->nn.size, other.encoder->nn.size);
    assert_memory_equal(one.encoder->nn.data, other.encoder->nn.data,
                        (size_t)one.encoder->nn.size * sizeof(real));
    arena_free(&other.arena);
    c.d_head = 5;
    model_new(&other, &c);
    int equal = 0;
    for (int i = 0; i < one.encoder->nn.count; i++) {
        const struct tensor *x = one.encoder->nn.list[i].tensor;
        const struct tensor *y = nn_find(&other.encoder->nn, x->name);
        if (memcmp(&x->shape, &y->shape, sizeof x->shape) != 0)
            continue;
        equal++;
        assert_memory_equal(x->data, y->data, (size_t)tensor_size(x) * sizeof(real));
    }
    assert_int_equal(equal, one.encoder->nn.count - 3); /* in_proj twice, out_proj.weight */
    arena_free(&one.arena);
    arena_free(&other.arena);
}

static const struct dropout_site *site_of(const struct node *n)
{
    const struct attention_options *attention = n->options;
    return n->op == &op_attention ? &attention->dropout : n->op == &op_residual ? n->options : NULL;
}

/* Embedding, then per layer attention weights, projection, activation, feed-forward: each with a
 * stream of its own, none in inference. */
TEST(dropout_sites)
{
    const uint32_t expected[] = {0, 1, 2, 3, 4, 9, 10, 11, 12};
    struct encoder_config c = defaults();
    c.layers = 2;
    c.dropout = 0.1;
    for (int inference = 0; inference < 2; inference++) {
        struct arena a;
        struct encoder *e;
        struct graph *g;
        struct tensor *logits;
        struct message m;
        arena_init(&a, NULL);
        assert_int_equal(encoder_new(&a, &c, &io, true, &e, &m), STATUS_OK);
        assert_int_equal(encoder_graph(&a, e, B, inference, NULL, NULL, &g, &logits, &m),
                         STATUS_OK);
        int found = 0;
        const struct node *n;
        for (int i = 0; (n = graph_node(g, i)); i++) {
            const struct dropout_site *site = site_of(n);
            if (site && site->probability > 0) {
                assert_each(found < 9, site->probability == 0.1);
                assert_int_equal(site->number, expected[found++]);
            }
        }
        assert_int_equal(found, inference ? 0 : 9);
        arena_free(&a);
    }
}

TEST(a_permuted_batch_gives_the_permuted_result)
{
    static struct model m;
    struct encoder_config c = defaults();
    c.layers = 2;
    enum { ROW = T * S * OUT };
    real before[B * ROW];
    model_new(&m, &c);
    m.padding[2] = 1;
    memcpy(before, model_run(&m), sizeof before);
    int32_t first[T * 2];
    uint8_t padding[T];
    memcpy(first, m.tokens, sizeof first);
    memcpy(padding, m.padding, sizeof padding);
    memmove(m.tokens, m.tokens + T * 2, (B - 1) * sizeof first);
    memmove(m.padding, m.padding + T, (B - 1) * sizeof padding);
    memcpy(m.tokens + (B - 1) * T * 2, first, sizeof first);
    memcpy(m.padding + (B - 1) * T, padding, sizeof padding);
    const real *after = model_run(&m);
    check_same(after, before + ROW, (B - 1) * ROW, "moved up");
    check_same(after + (B - 1) * ROW, before, ROW, "moved to the end");
    arena_free(&m.arena);
}

/* What stands at a padded position changes nothing anywhere else; without padding it does. */
TEST(attention_does_not_see_padding)
{
    static struct model m;
    enum { ROW = S * OUT };
    real before[B * T * ROW];
    struct encoder_config c = defaults();
    c.layers = 2;
    for (c.norm = NORM_PRE; c.norm <= NORM_POST; c.norm++) {
        for (int padded = 0; padded < 2; padded++) {
            model_new(&m, &c);
            long hidden = T + 3; /* position 3 of sequence 1 */
            m.padding[hidden] = (uint8_t)padded;
            memcpy(before, model_run(&m), sizeof before);
            m.tokens[hidden * 2] = (m.tokens[hidden * 2] + 1) % V;
            const real *after = model_run(&m);
            int changed = 0;
            for (long r = 0; r < B * T; r++)
                if (r != hidden)
                    changed += memcmp(before + r * ROW, after + r * ROW, ROW * sizeof(real)) != 0;
            assert_int_equal(changed, padded ? 0 : T - 1);
            arena_free(&m.arena);
        }
    }
}

/* Without positions an encoder only sees a set: permuted tokens give permuted results. */
TEST(positions_none_sees_a_set)
{
    static struct model m;
    enum { ROW = S * OUT };
    real before[B * T * ROW];
    struct encoder_config c = defaults();
    c.positions = POSITIONS_NONE;
    model_new(&m, &c);
    memcpy(before, model_run(&m), sizeof before);
    int32_t first[2] = {m.tokens[0], m.tokens[1]};
    memmove(m.tokens, m.tokens + 2, (T - 1) * sizeof first);
    memcpy(m.tokens + 2 * (T - 1), first, sizeof first);
    const real *after = model_run(&m);
    check_same(after, before + ROW, (T - 1) * ROW, "moved left");
    check_same(after + (T - 1) * ROW, before, ROW, "moved to the end");
    arena_free(&m.arena);
}
