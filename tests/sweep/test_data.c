/* The validation and test sets of a trial: the same for all, or drawn for each instance. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/heartbeat.h"
#include "sweep/worker/data.h"

#include "tests/test.h"

struct sets {
    struct arena arena;
    struct point point;
    struct data *data;
    size_t tokens, targets; /* numbers of a whole set */
};

/* instance 0 where the task draws none. */
static void sets_new(struct sets *s, const struct task *task, int64_t eval_sets, int64_t instance,
                     uint32_t seed)
{
    struct message m;
    struct point_section section;
    struct task_shape shape;
    point_init(&s->point, task);
    s->point.train.eval_sets = eval_sets;
    s->point.train.val_examples = s->point.train.test_examples = 30;
    s->point.train.batch = 5;
    assert_int_equal(task->shape(s->point.task_options, &shape, &m), STATUS_OK);
    s->point.model.pool = shape.per_sequence ? POOL_FIRST : POOL_NONE;
    s->point.model.mask = shape.causal ? MASK_CAUSAL : MASK_NONE;
    const struct option_entry *o = point_option(&s->point, "task.instance", &section);
    *(int64_t *)(void *)((char *)section.values + o->offset) = o->max > 0 ? instance : 0;
    arena_init(&s->arena, NULL);
    if (data_new(&s->arena, &s->point, seed, NULL, &s->data, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    assert_int_equal(data_draw(s->data, &m), STATUS_OK);
    s->tokens = 30 * (size_t)(shape.length * shape.fields);
    s->targets = 30 * (size_t)(shape.slots * (shape.per_sequence ? 1 : shape.length));
}

static void sets_free(struct sets *s)
{
    arena_free(&s->arena);
}

static bool same(const int32_t *a, const int32_t *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* Whether the same random numbers were drawn: they make the same inputs, or the same targets where
 * the instance is in the inputs. */
static bool same_draws(const struct sets *a, const struct sets *b)
{
    const struct examples *v = data_val(a->data), *w = data_val(b->data);
    const struct examples *x = data_test(a->data), *y = data_test(b->data);
    bool val = same(v->tokens, w->tokens, a->tokens) || same(v->targets, w->targets, a->targets);
    bool test = same(x->tokens, y->tokens, a->tokens) || same(x->targets, y->targets, a->targets);
    assert_int_equal(val, test);
    return val;
}

static void assert_same_targets(const struct sets *a, const struct sets *b)
{
    assert_memory_equal(data_val(a->data)->targets, data_val(b->data)->targets,
                        a->targets * sizeof(int32_t));
    assert_memory_equal(data_test(a->data)->targets, data_test(b->data)->targets,
                        a->targets * sizeof(int32_t));
}

/* Every target is the oracle's, every input within its vocabulary. */
static void assert_sound(const struct sets *s)
{
    const struct task *task = s->point.task;
    const struct task_shape *shape = data_shape(s->data);
    const struct examples *const sets[] = {data_val(s->data), data_test(s->data)};
    size_t tokens = s->tokens / 30, targets = s->targets / 30;
    void *instance = calloc(1, task->instance_size + 1);
    int32_t *solved = calloc(targets, sizeof *solved);
    assert_non_null(instance);
    assert_non_null(solved);
    task->instance(s->point.task_options, instance);
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < s->tokens; i++)
            assert_in_range(sets[k]->tokens[i], 0,
                            shape->vocab[i % tokens % (size_t)shape->fields] - 1);
        for (size_t e = 0; e < 30; e++) {
            task->oracle(s->point.task_options, instance, sets[k]->tokens + e * tokens, solved);
            assert_memory_equal(solved, sets[k]->targets + e * targets, targets * sizeof *solved);
        }
    }
    free(instance), free(solved);
}

/* Instance 0 has the same bytes either way; another one has its own, whatever the seed. */
TEST(eval_sets)
{
    for (const struct task *const *t = task_table; *t; t++) {
        if ((*t)->file)
            continue;
        bool drawn = option_find((*t)->options, "instance")->max > 0;
        struct sets zero, zero_own, one_common, one, again, two;
        sets_new(&zero, *t, EVAL_SETS_COMMON, 0, 0);
        sets_new(&zero_own, *t, EVAL_SETS_INSTANCE, 0, 1);
        sets_new(&one_common, *t, EVAL_SETS_COMMON, 1, 0);
        sets_new(&one, *t, EVAL_SETS_INSTANCE, 1, 0);
        sets_new(&again, *t, EVAL_SETS_INSTANCE, 1, 99);
        sets_new(&two, *t, EVAL_SETS_INSTANCE, UINT32_MAX, 0);
        assert_true(same_draws(&zero, &zero_own));
        assert_same_targets(&zero, &zero_own);
        assert_true(same_draws(&zero, &one_common));
        assert_true(same_draws(&one, &again));
        assert_same_targets(&one, &again);
        assert_int_equal(same_draws(&zero, &one), !drawn);
        assert_int_equal(same_draws(&zero, &two), !drawn);
        assert_int_equal(same_draws(&one, &two), !drawn);
        struct sets *const all[] = {&zero, &zero_own, &one_common, &one, &again, &two};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            assert_sound(all[i]);
            sets_free(all[i]);
        }
    }
}

/* What is trained on does not depend on what is evaluated on. */
TEST(training_examples)
{
    struct sets common, own;
    const struct task *task = task_find("gather");
    sets_new(&common, task, EVAL_SETS_COMMON, 3, 7);
    sets_new(&own, task, EVAL_SETS_INSTANCE, 3, 7);
    struct examples a = {
        .n = 5, .tokens = calloc(common.tokens, 4), .targets = calloc(common.targets, 4)};
    struct examples b = {
        .n = 5, .tokens = calloc(common.tokens, 4), .targets = calloc(common.targets, 4)};
    assert_each(a.tokens, a.targets, b.tokens, b.targets);
    assert_int_equal(data_fill(common.data, 11, &a, NULL), STATUS_OK);
    assert_int_equal(data_fill(own.data, 11, &b, NULL), STATUS_OK);
    assert_memory_equal(a.tokens, b.tokens, common.tokens * 4);
    assert_memory_equal(a.targets, b.targets, common.targets * 4);
    free(a.tokens), free(a.targets), free(b.tokens), free(b.targets);
    sets_free(&common), sets_free(&own);
}

static int beats;

static void hear(void)
{
    beats++;
}

/* An example of task nearest can take a second: the heart beats at each one, and where each one's
 * sources are looked up. */
TEST(a_beat_per_example)
{
    struct sets s;
    beats = 0;
    heartbeat_listener = hear;
    sets_new(&s, task_find("nearest"), EVAL_SETS_COMMON, 0, 0);
    assert_int_equal(beats, 30 + 30);
    assert_non_null(data_sources(&s.arena, s.data, data_test(s.data)));
    assert_int_equal(beats, 30 + 30 + 30);
    heartbeat_listener = NULL;
    sets_free(&s);
}
