/* The tape: buffers that share memory, gradients of outputs with several users, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "engine/base/rng.h"
#include "engine/graph.h"
#include "engine/layout.h"

#include <cmocka.h>

enum { B = 2, N = 5 };

static struct arena arena;

static struct tensor *draw(uint32_t seed, long rows, long columns)
{
    struct tensor *t = tensor_new(&arena, "w", (struct shape){2, {rows, columns}}, true);
    struct rng r = rng_at(seed, RNG_DATA, 0, 0);
    for (long i = 0; i < rows * columns; i++)
        t->data[i] = (real)rng_normal(&r);
    return t;
}

static struct tensor *vector(uint32_t seed, long n)
{
    struct tensor *t = draw(seed, 1, n);
    t->shape = (struct shape){1, {n}};
    return t;
}

static struct tensor *apply(struct graph *g, const struct op *op, struct tensor *a,
                            struct tensor *b, struct tensor *c)
{
    struct message m;
    struct tensor *y =
        graph_apply(g, op, (struct attributes){0}, 3, (struct tensor *[]){a, b, c}, &m);
    if (!y)
        fail_msg("%s", m.text);
    return y;
}

/* A graph under test: builds its nodes on g from external x and w, returns the last output. */
typedef struct tensor *(*builder)(struct graph *g, struct tensor *x, struct tensor *w,
                                  struct tensor *bias);

/* Outputs used once, twice, by the same node twice, in both orders around a residual. */
static struct tensor *chain(struct graph *g, struct tensor *x, struct tensor *w,
                            struct tensor *bias)
{
    struct tensor *a = apply(g, &op_linear, x, w, NULL);
    struct tensor *b = apply(g, &op_gelu, a, bias, NULL);
    struct tensor *c = apply(g, &op_linear, b, w, NULL);
    return apply(g, &op_residual, c, bias, a);
}

static struct tensor *residual_made_after_branch(struct graph *g, struct tensor *x,
                                                 struct tensor *w, struct tensor *bias)
{
    struct tensor *a = apply(g, &op_linear, x, w, NULL);
    struct tensor *b = apply(g, &op_gelu, x, bias, NULL);
    struct tensor *c = apply(g, &op_gelu, b, NULL, NULL);
    return apply(g, &op_residual, a, bias, c);
}

static struct tensor *branch_used_twice(struct graph *g, struct tensor *x, struct tensor *w,
                                        struct tensor *bias)
{
    struct tensor *a = apply(g, &op_linear, x, w, bias);
    struct tensor *b = apply(g, &op_linear, a, w, NULL);
    struct tensor *c = apply(g, &op_gelu, b, NULL, NULL);
    struct tensor *d = apply(g, &op_residual, b, NULL, a);
    return apply(g, &op_residual, d, bias, c);
}

static struct tensor *user_after_branch(struct graph *g, struct tensor *x, struct tensor *w,
                                        struct tensor *bias)
{
    struct tensor *a = apply(g, &op_linear, x, w, bias);
    struct tensor *b = apply(g, &op_linear, a, w, NULL);
    struct tensor *c = apply(g, &op_gelu, a, NULL, NULL);
    struct tensor *d = apply(g, &op_residual, b, bias, a);
    return apply(g, &op_residual, c, NULL, d);
}

static struct tensor *same_input_twice(struct graph *g, struct tensor *x, struct tensor *w,
                                       struct tensor *bias)
{
    struct tensor *a = apply(g, &op_linear, x, w, bias);
    struct tensor *b = apply(g, &op_residual, a, bias, a);
    return apply(g, &op_residual, b, NULL, b);
}

static struct tensor *activation_used_twice(struct graph *g, struct tensor *x, struct tensor *w,
                                            struct tensor *bias)
{
    struct tensor *a = apply(g, &op_linear, x, w, NULL);
    struct tensor *b = apply(g, &op_gelu, a, bias, NULL);
    struct tensor *c = apply(g, &op_gelu, a, NULL, NULL);
    struct tensor *d = apply(g, &op_linear, b, w, NULL);
    return apply(g, &op_residual, d, NULL, c);
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
    struct tensor *a = apply(g, &op_linear, x, w, NULL);
    struct tensor *b = apply(g, &op_gelu, a, bias, NULL);
    struct tensor *c = apply(g, &op_linear, a, w, NULL);
    struct tensor *d = apply(g, &op_gelu, a, NULL, NULL);
    struct tensor *e = apply(g, &op_residual, c, NULL, d);
    return apply(g, &op_residual, e, NULL, b);
}

static struct tensor *branch_with_a_user(struct graph *g, struct tensor *x, struct tensor *w,
                                         struct tensor *bias)
{
    struct tensor *a = apply(g, &op_linear, x, w, bias);
    struct tensor *b = apply(g, &op_linear, x, w, NULL);
    struct tensor *c = apply(g, &op_gelu, b, NULL, NULL);
    struct tensor *d = apply(g, &op_residual, b, bias, a);
    return apply(g, &op_residual, c, NULL, d);
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
    graph_finish(g);
    struct pass p = {.kernels = kernels_best(), .training = true, .batch = B};
    loss(g, &p, y, weight->data);
    memcpy(y->grad, weight->data, B * N * sizeof(real));
    graph_backward(g, &p);
    struct tensor *const inputs[] = {x, w, bias};
    for (int i = 0; i < 3; i++)
        check_direction(g, &p, y, weight->data, inputs[i], name);
    arena_free(&arena);
}

static void gradients_whatever_is_shared(void **state)
{
    (void)state;
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
static void inference_takes_turns(void **state)
{
    (void)state;
    arena_init(&arena, NULL);
    struct tensor *x = draw(1, B, 16), *w = draw(2, 16, 16);
    struct graph *g = graph_new(&arena, B, true);
    struct tensor *y = x;
    for (int i = 0; i < 9; i++)
        y = apply(g, &op_linear, y, w, NULL);
    graph_finish(g);
    assert_int_equal(graph_memory(g), 2 * B * 16 * sizeof(real));
    assert_null(y->grad);
    arena_free(&arena);
}

/* Where two buffers are alive together they must not overlap; random lives, many times. */
static void layout_never_overlaps(void **state)
{
    (void)state;
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

static void refuses_shapes_by_name(void **state)
{
    (void)state;
    struct message m;
    arena_init(&arena, NULL);
    struct graph *g = graph_new(&arena, B, false);
    struct tensor *in[] = {draw(1, B, 4), draw(2, 3, 5)};
    assert_null(graph_apply(g, &op_linear, (struct attributes){0}, 2, in, &m));
    assert_string_equal(m.text, "linear of (2,4), (3,5): needs x (..,K) and a weight (N,K)");
    assert_null(graph_apply(g, &op_layernorm, (struct attributes){0}, 2, in, &m));
    assert_null(graph_apply(g, &op_attention, (struct attributes){.heads = 2}, 1, in, &m));
    assert_null(graph_apply(g, &op_embedding, (struct attributes){.fields = 1}, 2, in, &m));
    assert_null(graph_apply(g, &op_cross_entropy, (struct attributes){.slots = 3}, 1, in, &m));
    assert_null(graph_apply(g, &op_pool, (struct attributes){0}, 1, in, &m));
    assert_null(graph_apply(g, &op_residual, (struct attributes){0}, 2, in, &m));
    assert_null(graph_apply(g, &op_gelu, (struct attributes){0}, 2, in, &m));
    arena_free(&arena);
}

static void locates_the_first_bad_number(void **state)
{
    (void)state;
    char where[128];
    arena_init(&arena, NULL);
    struct tensor *x = draw(1, B, N), *w = draw(2, N, N), *bias = vector(3, N);
    bias->name = "layer.bias";
    struct graph *g = graph_new(&arena, B, false);
    struct tensor *y = apply(g, &op_linear, x, w, NULL);
    y = apply(g, &op_gelu, y, bias, NULL);
    y = apply(g, &op_linear, y, w, NULL);
    graph_finish(g);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_whatever_is_shared), cmocka_unit_test(inference_takes_turns),
        cmocka_unit_test(layout_never_overlaps),        cmocka_unit_test(refuses_shapes_by_name),
        cmocka_unit_test(locates_the_first_bad_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
