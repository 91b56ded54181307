/* Weights that are packed once for several slices: the same numbers as where each slice packs them,
 * and never those of an earlier step. */
#include <stddef.h>
#include <string.h>

#include "engine/base/rng.h"
#include "engine/graph.h"
#include "engine/kernels/kernels.h"

#include "tests/test.h"

enum { B = 5, C = 32, F = 48 };

static struct arena arena;

struct tape {
    struct graph *graph;
    struct tensor *y;
};

static struct tensor *draw(uint32_t seed, long rows, long columns)
{
    struct tensor *t = tensor_new(&arena, "t", SHAPE(rows, columns), true);
    struct rng r = rng_at(seed, RNG_DATA, 0, 0);
    for (long i = 0; i < tensor_size(t); i++)
        t->data[i] = (real)rng_normal(&r);
    return t;
}

static struct tape build(struct tensor *x, struct tensor *w1, struct tensor *w2, bool inference,
                         const struct graph *packs)
{
    struct tape t = {.graph = graph_new(&arena, B, inference)};
    graph_share_packs(t.graph, packs);
    struct tensor *h = graph_relu(t.graph, graph_linear(t.graph, x, w1, NULL), NULL);
    t.y = graph_linear(t.graph, h, w2, NULL);
    struct message m;
    assert_int_equal(graph_finish(t.graph, &m), STATUS_OK);
    return t;
}

static void run(const struct tape *t, struct pass *p, real *y)
{
    graph_forward(t->graph, p);
    memcpy(y, t->y->data, B * C * sizeof *y);
}

TEST(prepared_weights_give_the_same_bits)
{
    const struct kernels *k;
    for (int i = 0; (k = kernels_available(i)); i++) {
        arena_init(&arena, NULL);
        struct tensor *x = draw(1, B, C), *w1 = draw(2, F, C), *w2 = draw(3, C, F);
        struct tape t = build(x, w1, w2, false, NULL);
        real y[2][B * C], dx[2][B * C], dw[2][F * C];
        for (int prepared = 0; prepared < 2; prepared++) {
            struct pass p = {.kernels = k, .training = true};
            if (prepared)
                graph_prepare(t.graph, &p);
            assert_int_equal(p.prepared, prepared);
            run(&t, &p, y[prepared]);
            memcpy(t.y->grad, x->data, B * C * sizeof(real));
            x->grad_written = w1->grad_written = w2->grad_written = false;
            graph_backward(t.graph, &p);
            memcpy(dx[prepared], x->grad, sizeof dx[0]);
            memcpy(dw[prepared], w1->grad, sizeof dw[0]);
        }
        assert_memory_equal(y[0], y[1], sizeof y[0]);
        assert_memory_equal(dx[0], dx[1], sizeof dx[0]);
        assert_memory_equal(dw[0], dw[1], sizeof dw[0]);
        arena_free(&arena);
    }
}

TEST(a_changed_weight_counts)
{
    const struct kernels *k;
    for (int i = 0; (k = kernels_available(i)); i++) {
        arena_init(&arena, NULL);
        struct tensor *x = draw(1, B, C), *w1 = draw(2, F, C), *w2 = draw(3, C, F);
        struct tape t = build(x, w1, w2, true, NULL);
        real before[B * C], after[B * C], fresh[B * C];
        struct pass p = {.kernels = k};
        run(&t, &p, before);
        for (long f = 0; f < F; f++)
            w2->data[f] += 1;
        run(&t, &p, after);
        assert_memory_not_equal(before, after, sizeof before);
        graph_prepare(t.graph, &p);
        run(&t, &p, fresh);
        assert_memory_equal(after, fresh, sizeof after);
        arena_free(&arena);
    }
}

TEST(tapes_share)
{
    arena_init(&arena, NULL);
    struct tensor *x = draw(1, B, C), *w1 = draw(2, F, C), *w2 = draw(3, C, F);
    struct tape train = build(x, w1, w2, false, NULL);
    struct tape evaluation = build(x, w1, w2, true, train.graph);
    struct tape other = build(x, w1, draw(4, C, F), true, train.graph);
    struct tape back = build(x, w1, w2, false, evaluation.graph);
    const struct node *first = graph_node(train.graph, 0), *last = graph_node(train.graph, 2);
    assert_ptr_equal(graph_node(evaluation.graph, 0)->packed, first->packed);
    assert_ptr_equal(graph_node(evaluation.graph, 2)->packed, last->packed);
    assert_ptr_equal(graph_node(other.graph, 0)->packed, first->packed);
    if (first->packed) { /* some table has products of its own */
        assert_ptr_not_equal(graph_node(other.graph, 2)->packed, last->packed);
        assert_ptr_not_equal(graph_node(other.graph, 2)->packed, NULL);
    }
    real alone[B * C], shared[B * C];
    struct pass p = {.kernels = kernels_best()};
    run(&evaluation, &p, alone);
    w1->data[3] += 1;
    graph_prepare(train.graph, &p);
    run(&evaluation, &p, shared);
    p.prepared = false;
    run(&back, &p, alone);
    assert_memory_equal(alone, shared, sizeof alone);
    arena_free(&arena);
}

/* What a tape for inference packs does not suffice for one with gradients. */
TEST(gradients_need_more)
{
    arena_init(&arena, NULL);
    struct tensor *x = draw(1, B, C), *w1 = draw(2, F, C), *w2 = draw(3, C, F);
    struct tape evaluation = build(x, w1, w2, true, NULL);
    struct tape train = build(x, w1, w2, false, evaluation.graph);
    const real *few = graph_node(evaluation.graph, 2)->packed;
    if (few)
        assert_ptr_not_equal(graph_node(train.graph, 2)->packed, few);
    assert_ptr_equal(graph_node(train.graph, 0)->packed, graph_node(evaluation.graph, 0)->packed);
    arena_free(&arena);
}
