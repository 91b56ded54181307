/* The order in which heads are removed. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/kernels/blas.h"
#include "sweep/study/pruner.h"

#include "tests/test.h"

enum {
    LENGTH = 5,
    VOCAB = 6,
    CLASSES = 4,
    EXAMPLES = 300,
    LAYERS = 2,
    HEADS = 4,
    ALL = LAYERS * HEADS
};

struct fixture {
    struct arena arena;
    struct encoder *encoder;
    struct trainer *trainer;
    struct examples set;
    struct message m;
};

#undef TEST_FIXTURE
#define TEST_FIXTURE struct fixture *x

static struct encoder_io io(void)
{
    return (struct encoder_io){.length = LENGTH,
                               .fields = 1,
                               .field = {"token"},
                               .vocab = {VOCAB},
                               .slots = 1,
                               .classes = CLASSES};
}

/* An encoder as its seed draws it, and examples at random. */
static int set_up(void **state)
{
    static struct fixture x;
    struct encoder_config model;
    struct train_config train;
    option_defaults(encoder_options, &model);
    option_defaults(train_options, &train);
    model.d_model = 16;
    model.heads = HEADS;
    model.layers = LAYERS;
    model.d_ff = 16;
    train.val_examples = train.test_examples = EXAMPLES;
    train.batch = 8;
    struct encoder_io shape = io();
    arena_init(&x.arena, NULL);
    assert_int_equal(blas_start(1, &x.m), STATUS_OK);
    assert_int_equal(encoder_new(&x.arena, &model, &shape, true, &x.encoder, &x.m), STATUS_OK);
    encoder_init(x.encoder, 3);
    assert_int_equal(trainer_of(&x.arena, x.encoder, &train, 0, NULL, NULL, &x.trainer, &x.m),
                     STATUS_OK);
    x.set = (struct examples){.n = EXAMPLES};
    x.set.tokens = arena_alloc(&x.arena, EXAMPLES * LENGTH, sizeof(int32_t));
    x.set.targets = arena_alloc(&x.arena, EXAMPLES * LENGTH, sizeof(int32_t));
    struct rng r = rng_at(1, RNG_VAL, 0, 0);
    for (int i = 0; i < EXAMPLES * LENGTH; i++) {
        x.set.tokens[i] = (int32_t)rng_below(&r, VOCAB);
        x.set.targets[i] = (int32_t)rng_below(&r, CLASSES);
    }
    *state = &x;
    return 0;
}

static int tear_down(void **state)
{
    arena_free(&((struct fixture *)*state)->arena);
    return 0;
}

/* Multiplies a head's block of W_O. */
static void scale_head(struct encoder *e, long layer, long head, real factor)
{
    struct tensor *w = e->layer[layer].out_proj_weight; /* (C,H*d_v) */
    long d_v = e->shapes.d_v, O = tensor_width(w);
    for (long c = 0; c < tensor_rows(w); c++)
        for (long i = 0; i < d_v; i++)
            w->data[c * O + head * d_v + i] *= factor;
}

static void remove_all(struct fixture *x, enum prune_by by, uint32_t seed,
                       struct pruner_head order[ALL])
{
    struct pruner *p;
    assert_int_equal(pruner_new(&x->arena, x->encoder, &x->set, by, seed, &p, &x->m), STATUS_OK);
    assert_int_equal(p->heads, ALL);
    for (int i = 0; i < ALL; i++) {
        pruner_remove(p);
        assert_int_equal(p->removed, i + 1);
        int left = 0;
        for (int h = 0; h < ALL; h++)
            left += p->keep[h];
        assert_int_equal(left, ALL - i - 1);
    }
    memcpy(order, p->order, ALL * sizeof *order);
}

static void assert_orders_equal(const struct pruner_head *a, const struct pruner_head *b)
{
    for (int i = 0; i < ALL; i++) {
        assert_int_equal(a[i].layer, b[i].layer);
        assert_int_equal(a[i].head, b[i].head);
    }
}

FIXTURE(set_up, tear_down)

/* What a head adds is in proportion to its block of W_O. */
TEST(importance_goes_by_what_heads_add)
{
    static const struct pruner_head known[ALL] = {{1, 2}, {0, 3}, {0, 1}, {1, 0},
                                                  {0, 0}, {1, 3}, {1, 1}, {0, 2}};
    struct pruner_head order[ALL];
    real factor = 1;
    for (int i = ALL - 2; i >= 0; i--)
        scale_head(x->encoder, known[i].layer, known[i].head, factor *= (real).1);
    scale_head(x->encoder, known[0].layer, known[0].head, 0);
    remove_all(x, PRUNE_IMPORTANCE, 0, order);
    assert_orders_equal(order, known);
}

/* Heads that add nothing are equal: by layer, then head. */
TEST(ties_go_by_layer_and_head)
{
    struct pruner_head order[ALL];
    for (int i = 0; i < ALL; i++)
        scale_head(x->encoder, i / HEADS, i % HEADS, 0);
    for (int by = PRUNE_IMPORTANCE; by <= PRUNE_ABLATION; by++) {
        remove_all(x, (enum prune_by)by, 0, order);
        for (int i = 0; i < ALL; i++)
            assert_int_equal(order[i].layer * HEADS + order[i].head, i);
    }
}

/* The same by another route: W_O blocks of copies are zeroed, and all of the network is run. */
TEST(ablation_takes_the_lowest_loss)
{
    struct pruner_head order[ALL], naive[ALL];
    double first[ALL]; /* losses before anything is removed */
    struct nn *nn = &x->encoder->nn;
    size_t size = (size_t)nn->size * sizeof *nn->data;
    real *whole = arena_alloc(&x->arena, 1, size), *left = arena_alloc(&x->arena, 1, size);
    bool gone[ALL] = {false};
    remove_all(x, PRUNE_ABLATION, 0, order);
    memcpy(whole, nn->data, size);
    memcpy(left, nn->data, size);
    for (int i = 0; i < ALL; i++) {
        double least = INFINITY;
        int best = -1;
        for (int h = 0; h < ALL; h++) {
            struct metrics val = {0};
            if (gone[h])
                continue;
            memcpy(nn->data, left, size);
            scale_head(x->encoder, h / HEADS, h % HEADS, 0);
            trainer_evaluate(x->trainer, &x->set, &val);
            if (i == 0)
                first[h] = val.loss;
            if (val.loss < least) {
                least = val.loss;
                best = h;
            }
        }
        memcpy(nn->data, left, size);
        scale_head(x->encoder, best / HEADS, best % HEADS, 0);
        memcpy(left, nn->data, size);
        gone[best] = true;
        naive[i] = (struct pruner_head){best / HEADS, best % HEADS};
    }
    memcpy(nn->data, whole, size);
    assert_orders_equal(order, naive);
    bool anew = false; /* by the first losses it would have been another order */
    for (int i = 1; i < ALL; i++)
        anew = anew || first[order[i].layer * HEADS + order[i].head] <
                           first[order[i - 1].layer * HEADS + order[i - 1].head];
    assert_true(anew);
}

/* A head that was removed and one whose block of W_O is zero are the same to those that are left: a
 * pruner that begins later comes to the same end. */
TEST(importance_is_estimated_anew)
{
    struct pruner_head order[ALL], later[ALL];
    remove_all(x, PRUNE_IMPORTANCE, 0, order);
    for (int i = 0; i < ALL - 1; i++) {
        scale_head(x->encoder, order[i].layer, order[i].head, 0);
        remove_all(x, PRUNE_IMPORTANCE, 0, later);
        for (int k = i + 1; k < ALL; k++) {
            assert_int_equal(later[k].layer, order[k].layer);
            assert_int_equal(later[k].head, order[k].head);
        }
    }
}

TEST(random_hangs_on_the_seed_alone)
{
    struct pruner_head a[ALL], b[ALL], c[ALL];
    bool seen[ALL] = {false};
    remove_all(x, PRUNE_RANDOM, 7, a);
    remove_all(x, PRUNE_RANDOM, 8, c);
    encoder_init(x->encoder, 4);
    remove_all(x, PRUNE_RANDOM, 7, b);
    assert_orders_equal(a, b);
    assert_memory_not_equal(a, c, sizeof a);
    for (int i = 0; i < ALL; i++)
        seen[a[i].layer * HEADS + a[i].head] = true;
    for (int i = 0; i < ALL; i++)
        assert_true(seen[i]);
}

TEST(every_way_to_prune_is_found_by_its_name)
{
    enum prune_by by;
    for (int i = 0; i < PRUNE_METHODS; i++) {
        assert_true(prune_by_find(prune_by_name((enum prune_by)i), &by));
        assert_int_equal(by, i);
    }
    assert_false(prune_by_find("none", &by));
}
