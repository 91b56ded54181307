/* The tape: buffers that share memory, gradients of outputs with several users, refusals. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engine/base/rng.h"
#include "engine/graph.h"
#include "engine/layout.h"

#include "tests/test.h"

enum { B = 2, N = 5 };

static struct arena arena;

static struct tensor *draw(uint32_t seed, long rows, long columns)
{
    struct tensor *t = tensor_new(&arena, "w", SHAPE(rows, columns), true);
    struct rng r = rng_at(seed, RNG_DATA, 0, 0);
    for (long i = 0; i < rows * columns; i++)
        t->data[i] = (real)rng_normal(&r);
    return t;
}

static struct tensor *vector(uint32_t seed, long n)
{
    struct tensor *t = draw(seed, 1, n);
    t->shape = SHAPE(n);
    return t;
}

static struct tensor *residual(struct graph *g, struct tensor *x, struct tensor *bias,
                               struct tensor *other)
{
    return graph_residual(g, x, bias, other, (struct dropout_site){0});
}

static void finish(struct graph *g)
{
    struct message m;
    if (graph_finish(g, &m) != STATUS_OK)
        fail_msg("%s", m.text);
}

/* A graph under test: builds its nodes on g from external x and w, returns the last output. */
typedef struct tensor *(*builder)(struct graph *g, struct tensor *x, struct tensor *w,
                                  struct tensor *bias);

/* Outputs used once, twice, by the same node twice, in both orders around a residual. */
static struct tensor *chain(struct graph *g, struct tensor *x, struct tensor *w,
                            struct tensor *bias)
{
    struct tensor *a = graph_linear(g, x, w, NULL);
    struct tensor *b = graph_gelu(g, a, bias);
    struct tensor *c = graph_linear(g, b, w, NULL);
    return residual(g, c, bias, a);
}

static struct tensor *residual_made_after_branch(struct graph *g, struct tensor *x,
                                                 struct tensor *w, struct tensor *bias)
{
    struct tensor *a = graph_linear(g, x, w, NULL);
    struct tensor *b = graph_gelu(g, x, bias);
    struct tensor *c = graph_gelu(g, b, NULL);
    return residual(g, a, bias, c);
}

static struct tensor *branch_used_twice(struct graph *g, struct tensor *x, struct tensor *w,
                                        struct tensor *bias)
{
    struct tensor *a = graph_linear(g, x, w, bias);
    struct tensor *b = graph_linear(g, a, w, NULL);
    struct tensor *c = graph_gelu(g, b, NULL);
    struct tensor *d = residual(g, b, NULL, a);
    return residual(g, d, bias, c);
}

static struct tensor *user_after_branch(struct graph *g, struct tensor *x, struct tensor *w,
                                        struct tensor *bias)
{
    struct tensor *a = graph_linear(g, x, w, bias);
    struct tensor *b = graph_linear(g, a, w, NULL);
    struct tensor *c = graph_gelu(g, a, NULL);
    struct tensor *d = residual(g, b, bias, a);
    return residual(g, c, NULL, d);
}

static struct tensor *same_input_twice(struct graph *g, struct tensor *x, struct tensor *w,
                                       struct tensor *bias)
{
    struct tensor *a = graph_linear(g, x, w, bias);
    struct tensor *b = residual(g, a, bias, a);
    return residual(g, b, NULL, b);
}

static struct tensor *activation_used_twice(struct graph *g, struct tensor *x, struct tensor *w,
                                            struct tensor *bias)
{
    struct tensor *a = graph_linear(g, x, w, NULL);
    struct tensor *b = graph_gelu(g, a, bias);
    struct tensor *c = graph_gelu(g, a, NULL);
    struct tensor *d = graph_linear(g, b, w, NULL);
    return residual(g, d, NULL, c);
}

static double loss(struct graph *g, struct pass *p, const struct tensor *y, const real *weight)
{
    double sum = 0;
    graph_forward(g, p);
    for (long i = 0; i < tensor_size(y); i++)
        sum += (double)weight[i] * (double)y->data[i];
    return sum;
}

static struct tensor *activation_used_three_times(struct graph *g, struct tensor *x,
                                                  struct tensor *w, struct tensor *bias)
{
    struct tensor *a = graph_linear(g, x, w, NULL);
    struct tensor *b = graph_gelu(g, a, bias);
    struct tensor *c = graph_linear(g, a, w, NULL);
    struct tensor *d = graph_gelu(g, a, NULL);
    struct tensor *e = residual(g, c, NULL, d);
    return residual(g, e, NULL, b);
}

static struct tensor *branch_with_a_user(struct graph *g, struct tensor *x, struct tensor *w,
                                         struct tensor *bias)
{
    struct tensor *a = graph_linear(g, x, w, bias);
    struct tensor *b = graph_linear(g, x, w, NULL);
    struct tensor *c = graph_gelu(g, b, NULL);
    struct tensor *d = residual(g, b, bias, a);
    return residual(g, c, NULL, d);
}

/* Along one random direction per tensor, in float: coarse, but a gradient that was overwritten or
 * added twice is off by far more. */
static void check_direction(struct graph *g, struct pass *p, const struct tensor *y,
                            const real *weight, struct tensor *t, const char *name)
{
    const double eps = 1e-2;
    struct rng r = rng_at(99, RNG_DATA, 0, 0);
    double analytic = 0;
    real kept[N * N], direction[N * N];
    long n = tensor_size(t);
    memcpy(kept, t->data, (size_t)n * sizeof(real));
    for (long i = 0; i < n; i++) {
        direction[i] = (real)rng_normal(&r);
        analytic += (double)direction[i] * (double)t->grad[i];
    }
    double value[2];
    for (int side = 0; side < 2; side++) {
        for (long i = 0; i < n; i++)
            t->data[i] = kept[i] + (real)(side ? -eps : eps) * direction[i];
        value[side] = loss(g, p, y, weight);
    }
    memcpy(t->data, kept, (size_t)n * sizeof(real));
    double numeric = (value[0] - value[1]) / (2 * eps);
    if (!(fabs(analytic - numeric) <= 2e-3 + 4e-3 * fabs(numeric)))
        fail_msg("%s: analytic %g, numeric %g", name, analytic, numeric);
}

static void check_graph(builder build, const char *name)
{
    arena_init(&arena, NULL);
    struct tensor *x = draw(1, B, N), *w = draw(2, N, N), *bias = vector(3, N);
    struct tensor *weight = draw(4, B, N);
    for (long i = 0; i < N * N; i++)
        w->data[i] *= (real)0.3;
    struct graph *g = graph_new(&arena, B, false);
    struct tensor *y = build(g, x, w, bias);
    finish(g);
    struct pass p = {.kernels = kernels_best(), .training = true, .batch = B};
    loss(g, &p, y, weight->data);
    memcpy(y->grad, weight->data, B * N * sizeof(real));
    graph_backward(g, &p);
    struct tensor *const inputs[] = {x, w, bias};
    for (int i = 0; i < 3; i++)
        check_direction(g, &p, y, weight->data, inputs[i], name);
    arena_free(&arena);
}

TEST(gradients_whatever_is_shared)
{
    check_graph(chain, "chain");
    check_graph(residual_made_after_branch, "residual made after branch");
    check_graph(branch_used_twice, "branch used twice");
    check_graph(user_after_branch, "user after branch");
    check_graph(same_input_twice, "same input twice");
    check_graph(activation_used_twice, "activation used twice");
    check_graph(activation_used_three_times, "activation used three times");
    check_graph(branch_with_a_user, "branch with a user");
}

/* Shared memory is the point of sharing: a tape for inference needs no more than two outputs. */
TEST(inference_takes_turns)
{
    arena_init(&arena, NULL);
    struct tensor *x = draw(1, B, 16), *w = draw(2, 16, 16);
    struct graph *g = graph_new(&arena, B, true);
    struct tensor *y = x;
    for (int i = 0; i < 9; i++)
        y = graph_linear(g, y, w, NULL);
    finish(g);
    assert_int_equal(graph_memory(g), 2 * B * 16 * sizeof(real));
    assert_null(y->grad);
    arena_free(&arena);
}

/* The example at the head of graph.c, place by place. */
static void check_places(bool inference, long places, const long *data, const long *grad)
{
    enum { NODES = 4, WIDE = 64 }; /* beside which the loss's handle and its gradient are small */
    arena_init(&arena, NULL);
    struct tensor *x = draw(1, B, WIDE), *w = draw(2, WIDE, WIDE), *bias = vector(3, WIDE);
    struct tensor *t[NODES];
    struct graph *g = graph_new(&arena, B, inference);
    t[0] = graph_linear(g, x, w, NULL);
    t[1] = graph_gelu(g, t[0], bias);
    t[2] = graph_linear(g, t[1], w, NULL);
    t[3] = residual(g, t[2], bias, t[0]);
    graph_squared_error(g, t[3], x);
    finish(g);
    const long size = B * WIDE;
    assert_in_range(graph_memory(g), (size_t)(places * size) * sizeof(real),
                    (size_t)(places * size) * sizeof(real) + 2 * ARENA_ALIGNMENT);
    for (int i = 0; i < NODES; i++) {
        assert_int_equal(t[i]->data - t[0]->data, data[i] * size);
        if (grad)
            assert_int_equal(t[i]->grad - t[0]->data, grad[i] * size);
    }
    arena_free(&arena);
}

TEST(buffers_share_as_the_example_says)
{
    check_places(false, 5, (long[]){0, 1, 3, 4}, (long[]){0, 3, 0, 0});
    check_places(true, 3, (long[]){0, 1, 2, 1}, NULL);
}

/* Where two buffers are alive together they must not overlap; random lives, many times. */
TEST(layout_never_overlaps)
{
    enum { COUNT = 40 };
    for (uint32_t seed = 0; seed < 200; seed++) {
        struct layout_buffer b[COUNT];
        struct rng r = rng_at(seed, RNG_DATA, 0, 0);
        size_t sum = 0;
        for (int i = 0; i < COUNT; i++) {
            int from = (int)rng_below(&r, 30);
            b[i] = (struct layout_buffer){
                .size = rng_below(&r, 1000), .from = from, .to = from + (int)rng_below(&r, 9)};
            sum += b[i].size + ARENA_ALIGNMENT;
        }
        arena_init(&arena, NULL);
        size_t total = layout_place(&arena, b, COUNT);
        assert_true(total <= sum);
        for (int i = 0; i < COUNT; i++) {
            assert_int_equal(b[i].offset % ARENA_ALIGNMENT, 0);
            assert_true(b[i].offset + b[i].size <= total);
            for (int k = 0; k < i; k++)
                assert_true(b[i].to < b[k].from || b[k].to < b[i].from ||
                            b[i].offset + b[i].size <= b[k].offset ||
                            b[k].offset + b[k].size <= b[i].offset);
        }
        arena_free(&arena);
    }
}

/* What is kept still holds its value after forward and backward, alone and beside others. */
TEST(kept_values_last)
{
    for (int inference = 0; inference < 2; inference++) {
        arena_init(&arena, NULL);
        struct tensor *x = draw(1, B, N), *w = draw(2, N, N), *y[6];
        struct graph *whole = graph_new(&arena, B, inference);
        for (int i = 0; i < 6; i++)
            y[i] = graph_linear(whole, i ? y[i - 1] : x, w, NULL);
        graph_keep(whole, y[2]);
        graph_keep(whole, x);    /* from outside: nothing to do */
        graph_keep(whole, NULL); /* after a refusal: nothing to do */
        finish(whole);
        struct graph *start = graph_new(&arena, B, true);
        struct tensor *expected = x;
        for (int i = 0; i < 3; i++)
            expected = graph_linear(start, expected, w, NULL);
        finish(start);
        struct pass p = {0};
        graph_forward(start, &p);
        graph_forward(whole, &p);
        if (!inference)
            graph_backward(whole, &p);
        assert_memory_equal(y[2]->data, expected->data, B * N * sizeof(real));
        arena_free(&arena);
    }
}

#define REFUSED(g, says)                                                                           \
    do {                                                                                           \
        struct message m;                                                                          \
        assert_int_equal(graph_finish(g, &m), STATUS_BAD_INPUT);                                   \
        assert_string_equal(m.text, says);                                                         \
    } while (0)

#define REFUSES(call, says)                                                                        \
    do {                                                                                           \
        struct graph *g = graph_new(&arena, B, false);                                             \
        assert_null(call);                                                                         \
        REFUSED(g, says);                                                                          \
    } while (0)

TEST(refuses_shapes_by_name)
{
    arena_init(&arena, NULL);
    struct tensor *x = draw(1, B, 4), *w = draw(2, 3, 5), *many[OP_MAX_INPUTS + 1];
    for (int i = 0; i <= OP_MAX_INPUTS; i++)
        many[i] = w;
    REFUSES(graph_linear(g, x, w, NULL),
            "linear of (2,4), (3,5), none: needs x (..,K) and a weight (N,K)");
    REFUSES(graph_linear(g, draw(3, B + 1, 5), w, NULL),
            "linear of (3,5), (3,5), none: the first dimension must be the graph's capacity, 2");
    REFUSES(graph_layernorm(g, x, NULL, NULL),
            "layernorm of (2,4), none, none: needs x (..,C), a gain (C) and a bias (C)");
    REFUSES(graph_attention(g, x, (struct attention_options){.heads = 2}),
            "attention of (2,4): needs (B,T,H*d_k + G*(d_k + d_v))");
    REFUSES(graph_attention(g, x, (struct attention_options){.heads = 4, .kv_heads = 3}),
            "attention of (2,4): needs keys and values for every head");
    const real turns[8] = {0};
    REFUSES(graph_rotary(g, x, (struct rotary_options){.d_k = 2, .heads = 1, .turns = turns}),
            "rotary of (2,4): needs (B,T,N) with N at least heads*d_k");
    REFUSES(graph_rotary(g, x, (struct rotary_options){.d_k = 3, .heads = 1, .turns = turns}),
            "rotary of (2,4): needs heads of an even width, and angles");
    REFUSES(graph_rotary(g, x, (struct rotary_options){.d_k = 2, .heads = 1}),
            "rotary of (2,4): needs heads of an even width, and angles");
    REFUSES(graph_embedding(g, 3, 0, NULL, NULL),
            "embedding of none: needs one table (V,C) per field, and positions or none");
    REFUSES(graph_embedding(g, 3, OP_MAX_INPUTS, many, NULL),
            "embedding of none, none, none, none, none, none, none, none, none, none, none, none, "
            "none, none, none, none, none, none: needs one table (V,C) per field, and positions or "
            "none");
    REFUSES(graph_embedding(g, 2, 1, (struct tensor *[]){w}, w),
            "embedding of (3,5), (3,5): positions must be (T,C)");
    REFUSES(graph_cross_entropy(g, x, 3), "cross_entropy of (2,4): needs logits (B,..,S*V)");
    REFUSES(graph_squared_error(g, x, w),
            "squared_error of (2,4), (3,5): x and target must have one shape (..,N)");
    REFUSES(graph_pool(g, x, POOLING_MEAN), "pool of (2,4): needs (B,T,C)");
    REFUSES(residual(g, x, w, NULL),
            "residual of (2,4), (3,5), none: needs x (..,N) and a bias (N) or none");
    REFUSES(graph_gelu(g, x, w), "gelu of (2,4), (3,5): needs x (..,N) and a bias (N) or none");
    struct tensor *fixed = tensor_new(&arena, "x", SHAPE(B, 4), false);
    REFUSES(graph_gelu(g, fixed, NULL), "gelu of (2,4), none: input 0 must want a gradient");
    assert_non_null(graph_gelu(graph_new(&arena, B, true), fixed, NULL)); /* inference: none do */
    arena_free(&arena);
}

/* A model reads like its formula: only graph_finish is asked, and it tells the first refusal. */
TEST(the_first_refusal_is_told)
{
    arena_init(&arena, NULL);
    struct tensor *x = draw(1, B, 4), *w = draw(2, 3, 5);
    struct graph *g = graph_new(&arena, B, false);
    struct tensor *h = graph_relu(g, graph_linear(g, x, w, NULL), NULL);
    graph_keep(g, h);
    assert_null(graph_linear(g, x, draw(3, 4, 4), NULL)); /* nothing wrong with it */
    graph_squared_error(g, h, x);
    REFUSED(g, "linear of (2,4), (3,5), none: needs x (..,K) and a weight (N,K)");
    REFUSED(graph_new(&arena, B, false), "a graph without operations");
    g = graph_new(&arena, B, false);
    graph_squared_error(g, x, x);
    graph_cross_entropy(g, x, 1);
    REFUSED(g, "squared_error must be the last operation");
    arena_free(&arena);
}

/* Against numbers worked out by hand; only the sequences of the slice count. */
TEST(squared_error_by_hand)
{
    static const real x_data[] = {1, 2, -3, 0, 5, 9}, target_data[] = {0, 2, 1, 4, 5, 7};
    arena_init(&arena, NULL);
    struct tensor *x = draw(1, 3, 2), *target = draw(2, 3, 2);
    memcpy(x->data, x_data, sizeof x_data);
    memcpy(target->data, target_data, sizeof target_data);
    struct graph *g = graph_new(&arena, 3, false);
    graph_squared_error(g, x, target);
    finish(g);
    struct pass p = {.loss_scale = (real)0.5};
    graph_forward(g, &p);
    assert_true(p.loss_sum == 1 + 0 + 16 + 16 + 0 + 4);
    graph_backward(g, &p);
    p.batch = 2;
    graph_forward(g, &p);
    assert_true(p.loss_sum == 1 + 0 + 16 + 16);
    graph_backward(g, &p); /* adds to the gradients of the slice before it */
    const real expected[] = {2, 0, -8, -8, 0, 2};
    for (int i = 0; i < 6; i++) {
        assert_true(x->grad[i] == expected[i]);
        assert_true(target->grad[i] == -expected[i]);
    }
    arena_free(&arena);
}

TEST(locates_the_first_bad_number)
{
    char where[128];
    arena_init(&arena, NULL);
    struct tensor *x = draw(1, B, N), *w = draw(2, N, N), *bias = vector(3, N);
    bias->name = "layer.bias";
    struct graph *g = graph_new(&arena, B, false);
    struct tensor *y = graph_linear(g, x, w, NULL);
    y = graph_gelu(g, y, bias);
    y = graph_linear(g, y, w, NULL);
    finish(g);
    struct pass p = {.kernels = kernels_best(), .batch = B};
    graph_locate_bad(g, &p, where, sizeof where);
    assert_string_equal(where, "");
    bias->data[3] = NAN;
    graph_locate_bad(g, &p, where, sizeof where);
    assert_string_equal(where, "the output of gelu (layer.bias)");
    bias->data[3] = 0;
    y->grad[1] = INFINITY;
    graph_locate_bad(g, &p, where, sizeof where);
    assert_string_equal(where, "the gradient that linear gives its input (w)");
    arena_free(&arena);
}
