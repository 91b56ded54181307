/* A trial that is spread over threads: its bytes are those of one. */
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/rng.h"
#include "engine/train.h"
#include "tests/test.h"
#include "tests/unit/own_threads.h"

enum { T = 5, V = 6, S = 2, BATCH = 13, SET = 150, FIELDS = 2 };

static const struct encoder_io io = {.length = T,
                                     .fields = FIELDS,
                                     .field = {"token", "kind"},
                                     .vocab = {V, V},
                                     .slots = S,
                                     .classes = V};
static uint8_t padding[SET * T];

static enum status fill(void *context, int64_t step, struct examples *e, struct message *m)
{
    (void)m;
    struct rng r = rng_at(1, RNG_DATA, (uint64_t)step, 0);
    for (long i = 0; i < e->n * T * FIELDS; i++)
        e->tokens[i] = (int32_t)rng_below(&r, V);
    for (long i = 0; i < e->n * T * S; i++)
        e->targets[i] = i % 7 == 6 ? -100 : e->tokens[i / S * FIELDS + i % S];
    e->padding = context;
    return STATUS_OK;
}

struct setup {
    struct encoder_config model;
    struct train_config train;
};

/* What a trial may be made of. */
enum { VARIANTS = 8 };
static struct setup variant(int i)
{
    struct setup s;
    option_defaults(encoder_options, &s.model);
    option_defaults(train_options, &s.train);
    s.model.d_model = 16;
    s.model.heads = 2;
    s.model.d_ff = 32;
    s.model.layers = 2;
    s.train.batch = BATCH;
    s.train.lr = 1e-2;
    s.train.val_examples = s.train.test_examples = SET;
    s.model.dropout = i == 1 || i == 2 ? 0.2 : 0;
    s.train.disagreement = i == 2 || i == 3 ? i : i == 7 ? SIMILARITY_POSITION : 0;
    s.train.disagreement_weight = s.train.disagreement ? 0.5 : 0;
    s.model.norm = i == 3 ? NORM_POST : NORM_PRE;
    s.model.positions = i > 5 ? POSITIONS_ROTARY : POSITIONS_LEARNED;
    s.model.kv_heads = i == 7 ? 1 : WIDTH_WORD;
    s.train.optimizer = i == 4 ? OPTIM_ADAM : OPTIM_ADAMW;
    if (i == 5) { /* more than a chunk of parameters, and of no whole vectors: by OpenBLAS */
        s.model.d_model = 150;
        s.model.d_ff = 250;
        s.model.layers = 1;
    }
    return s;
}

static struct trainer *make_trainer(struct arena *a, const struct setup *s)
{
    struct trainer *t;
    struct message m;
    arena_init(a, NULL);
    for (int i = 0; i < SET * T; i++)
        padding[i] = i % T > 1 + i / T % 4;
    if (trainer_new(a, &s->model, &io, &s->train, 1, fill, padding, &t, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    t->slice = 1; /* the tape holds any slice up to the batch */
    t->eval_slice = 2;
    return t;
}

/* Holds the caller at its first beat until another thread has done a slice's forward. */
static struct trainer *held;

__attribute__((no_sanitize("thread"))) static void hold(void)
{
    bool alone = held && running > 0;
    while (alone) {
        for (int i = 1; i <= running; i++)
            alone = alone && *(volatile uint8_t *)held->member[i]->correct == 9;
        sched_yield();
    }
    held = NULL;
}

static void step(struct trainer *t)
{
    struct message m;
    for (int i = 0; i < t->members; i++)
        t->member[i]->correct[0] = 9;
    held = t->members > 1 ? t : NULL;
    heartbeat_listener = hold;
    if (trainer_step(t, &m) != STATUS_OK)
        fail_msg("%s", m.text);
}

struct answers {
    struct metrics metrics;
    double by_slot[S];
    int32_t classes[SET * T * S];
};

static void answer(struct trainer *t, struct answers *a)
{
    static int32_t tokens[SET * T * FIELDS], targets[SET * T * S];
    struct examples set = {.n = SET, .tokens = tokens, .targets = targets};
    fill(padding, 1 << 20, &set, NULL);
    heartbeat_listener = NULL;
    memset(a, 0, sizeof *a);
    a->metrics.acc_by_slot = a->by_slot;
    trainer_evaluate(t, &set, &a->metrics);
    a->metrics.acc_by_slot = NULL;
    trainer_predict(t, &set, a->classes);
}

static void assert_equal_trainers(const struct trainer *a, const struct trainer *b)
{
    size_t bytes = (size_t)a->encoder->nn.size * sizeof(real);
    assert_memory_equal(a->encoder->nn.grad, b->encoder->nn.grad, bytes);
    assert_memory_equal(a->encoder->nn.data, b->encoder->nn.data, bytes);
    assert_memory_equal(a->optim.m, b->optim.m, bytes);
    assert_memory_equal(a->optim.v, b->optim.v, bytes);
    assert_each(a->loss_sum == b->loss_sum, a->grad_norm == b->grad_norm);
    assert_each(a->correct_sum == b->correct_sum, a->target_sum == b->target_sum);
}

FIXTURE(set_up, tear_down)

/* The number changes between two steps, too. */
TEST(the_number_does_not_matter)
{
    static const int threads[] = {2, 3, 8, 1, 2, 5};
    enum { STEPS = sizeof threads / sizeof *threads };
    static struct answers expected, found;
    for (int i = 0; i < VARIANTS; i++) {
        struct arena a, b;
        struct setup s = variant(i);
        struct trainer *one = make_trainer(&a, &s), *many = make_trainer(&b, &s);
        assert_int_equal(i == 5, one->encoder->nn.size > 65536);
        for (int k = 0; k < STEPS; k++) {
            trainer_set_threads(many, threads[k]);
            assert_int_equal(running, threads[k] - 1);
            step(one);
            step(many);
            assert_equal_trainers(one, many);
            answer(one, &expected);
            answer(many, &found);
            assert_memory_equal(&expected, &found, sizeof found);
        }
        arena_free(&a);
        arena_free(&b);
        assert_int_equal(running, 0);
    }
}

/* Fewer threads than asked for: the system has none left, the arena no memory. */
TEST(fewer_threads_compute_the_same)
{
    struct arena a, b;
    struct setup s = variant(1);
    struct trainer *one = make_trainer(&a, &s), *many = make_trainer(&b, &s);
    startable = 1;
    trainer_set_threads(many, 4);
    assert_int_equal(running, 1);
    step(one);
    step(many);
    assert_equal_trainers(one, many);
    arena_free(&b);

    startable = 1000;
    many = make_trainer(&b, &s);
    size_t before = b.used;
    trainer_set_threads(many, 2);
    size_t one_more = many->member[1]->arena.used;
    assert_each(b.used == before, one_more > 0);
    b.limit = before + 2 * one_more + one_more / 2;
    trainer_set_threads(many, 4);
    assert_int_equal(running, 2);
    b.limit = before;
    trainer_set_threads(many, 5);
    assert_int_equal(running, 2);
    step(many);
    assert_equal_trainers(one, many);
    trainer_set_threads(many, 1);
    assert_int_equal(running, 0);
    arena_free(&a);
    arena_free(&b);
}

/* More threads than slices are not made. */
TEST(no_thread_without_a_slice)
{
    struct arena a;
    struct setup s = variant(0);
    struct trainer *t = make_trainer(&a, &s);
    t->slice = 4;
    t->eval_slice = 25;
    trainer_set_threads(t, 1000);
    assert_int_equal(running, 5);
    arena_free(&a);
    t = make_trainer(&a, &s);
    trainer_set_threads(t, 0);
    trainer_set_threads(t, -3);
    assert_int_equal(running, 0);
    arena_free(&a);
}
