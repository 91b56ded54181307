/* Training: learning, slices, exactness, divergence, evaluation, and that a step allocates
 * nothing. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/rng.h"
#include "engine/encoder_cost.h"
#include "engine/train.h"

#include "tests/test.h"

/* Calls of the allocator, where it can be counted: sanitizers bring their own. */
static long allocations;
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ALLOCATIONS_COUNTED 1
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}
#else
#define ALLOCATIONS_COUNTED 0
#endif

enum { T = 5, V = 6, S = 2, BATCH = 7 };

static const struct encoder_io io = {
    .length = T, .fields = 1, .field = {"token"}, .vocab = {V}, .slots = S, .classes = V};

/* Slot 0: the token itself. Slot 1: the next one, masked at the end. */
static enum status copy_task(void *context, int64_t step, struct examples *e, struct message *m)
{
    (void)context, (void)m;
    for (long b = 0; b < e->n; b++) {
        struct rng r = rng_at(1, RNG_DATA, (uint64_t)step, (uint32_t)b);
        int32_t *x = e->tokens + b * T, *y = e->targets + b * T * S;
        for (int i = 0; i < T; i++)
            x[i] = (int32_t)rng_below(&r, V);
        for (int i = 0; i < T; i++) {
            y[i * S] = x[i];
            y[i * S + 1] = i + 1 < T ? x[i + 1] : -100;
        }
    }
    return STATUS_OK;
}

/* The same, where sequences end in padding of various lengths. */
static enum status padded_task(void *context, int64_t step, struct examples *e, struct message *m)
{
    enum status s = copy_task(context, step, e, m);
    e->padding = context;
    for (long b = 0; b < e->n; b++)
        for (long i = T - b % 3; i < T; i++)
            e->padding[b * T + i] = 1;
    return s;
}

/* All tokens are 0 and there is one target. */
static enum status one_target(void *context, int64_t step, struct examples *e, struct message *m)
{
    enum status s = copy_task(context, step, e, m);
    memset(e->tokens, 0, (size_t)e->n * T * sizeof *e->tokens);
    for (long i = 0; i < e->n * T * S; i++)
        e->targets[i] = i == 0 ? 0 : -100;
    return s;
}

struct setup {
    struct encoder_config model;
    struct train_config train;
};

static struct setup defaults(void)
{
    struct setup s;
    option_defaults(encoder_options, &s.model);
    option_defaults(train_options, &s.train);
    s.model.d_model = 16;
    s.model.heads = 2;
    s.model.d_ff = 32;
    s.train.batch = BATCH;
    s.train.steps = 300;
    s.train.lr = 1e-2;
    return s;
}

static struct trainer *trainer(struct arena *a, const struct setup *s, train_fill fill,
                               void *context)
{
    struct trainer *t;
    struct message m;
    arena_init(a, NULL);
    if (trainer_new(a, &s->model, &io, &s->train, 1, fill, context, &t, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    return t;
}

static void step(struct trainer *t)
{
    struct message m;
    if (trainer_step(t, &m) != STATUS_OK)
        fail_msg("%s", m.text);
}

TEST(words_are_the_enums)
{
    static const struct {
        const char *option, *word;
        int value;
    } words[] = {
        {"schedule.name", "constant", SCHEDULE_CONSTANT},
        {"schedule.name", "cosine", SCHEDULE_COSINE},
        {"schedule.name", "linear", SCHEDULE_LINEAR},
        {"eval_sets", "common", EVAL_SETS_COMMON},
        {"eval_sets", "instance", EVAL_SETS_INSTANCE},
        {"optimizer", "adamw", OPTIM_ADAMW},
        {"optimizer", "adam", OPTIM_ADAM},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_string_equal(option_find(train_options, words[i].option)->words[words[i].value],
                            words[i].word);
}

TEST(learns_to_copy)
{
    struct arena a;
    struct setup s = defaults();
    struct trainer *t = trainer(&a, &s, copy_task, NULL);
    double loss, acc;
    step(t);
    trainer_take_means(t, &loss, &acc);
    assert_each(loss > 1.3, acc < 0.5);
    while (t->step < s.train.steps)
        step(t);
    trainer_take_means(t, &loss, &acc);
    assert_each(loss<0.7, acc> 0.8);

    int32_t tokens[40 * T], targets[40 * T * S];
    struct examples set = {.n = 40, .tokens = tokens, .targets = targets};
    copy_task(NULL, 1 << 20, &set, NULL);
    struct metrics out = {0};
    trainer_evaluate(t, &set, &out);
    assert_each(out.acc > 0.99, out.exact > 0.95, out.loss < 0.1);
    assert_true((double)a.used <= encoder_memory(&s.model, &io, BATCH));
    trainer_take_means(t, &loss, &acc);
    assert_each(loss == 0, acc == 0);
    arena_free(&a);
}

/* Gradients of one step with the batch in slices of `slice`. */
static void gradients(const struct setup *s, long slice, real *grad, double *loss)
{
    struct arena a;
    uint8_t padding[BATCH * T] = {0};
    struct trainer *t = trainer(&a, s, padded_task, padding);
    assert_int_equal(t->slice, BATCH); /* the tape holds any slice up to this */
    t->slice = slice;
    step(t);
    memcpy(grad, t->encoder->nn.grad, (size_t)t->encoder->nn.size * sizeof(real));
    *loss = t->loss_sum;
    arena_free(&a);
}

/* A dropout mask that depended on the slice would change gradients by a large part. */
TEST(slices_do_not_matter)
{
    enum { MOST = 8192 };
    static real whole[MOST], sliced[MOST];
    struct setup s = defaults();
    s.model.layers = 2;
    long size = encoder_parameters(&s.model, &io);
    assert_true(size <= MOST);
    for (int i = 0; i < 5; i++) {
        s.model.dropout = 0.3 * (i % 2);
        s.train.disagreement = i / 2;
        s.train.disagreement_weight = i < 2 ? 0 : 0.5;
        double loss, again;
        gradients(&s, BATCH, whole, &loss);
        for (long slice = 1; slice <= 3; slice += 2) {
            gradients(&s, slice, sliced, &again);
            assert_true(fabs(loss - again) < 1e-6);
            for (long k = 0; k < size; k++)
                if (!(fabs((double)(whole[k] - sliced[k])) <= 1e-6 + 1e-4 * fabs((double)whole[k])))
                    fail_msg("gradient %ld: %g in one slice, %g in slices of %ld", k,
                             (double)whole[k], (double)sliced[k], slice);
        }
    }
}

static void copy_state(const struct trainer *from, struct trainer *to)
{
    size_t bytes = (size_t)from->encoder->nn.size * sizeof(real);
    memcpy(to->encoder->nn.data, from->encoder->nn.data, bytes);
    memcpy(to->optim.m, from->optim.m, bytes);
    memcpy(to->optim.v, from->optim.v, bytes);
    to->optim.t = from->optim.t;
    to->step = from->step;
}

/* Whatever a checkpoint holds decides everything that follows, to the bit. */
TEST(goes_on_from_a_copied_state)
{
    struct arena a, b;
    struct setup s = defaults();
    s.model.dropout = 0.2;
    s.train.warmup = 6;
    for (int i = 0; i < 4; i++) {
        s.train.optimizer = i == 1 ? OPTIM_ADAM : OPTIM_ADAMW;
        s.train.disagreement = i - 1;
        s.train.disagreement_weight = i < 2 ? 0 : 0.5;
        struct trainer *one = trainer(&a, &s, copy_task, NULL);
        struct trainer *other = trainer(&b, &s, copy_task, NULL);
        for (int k = 0; k < 4; k++)
            step(one);
        step(other); /* leaves garbage in its buffers, which must not matter */
        copy_state(one, other);
        for (int k = 0; k < 4; k++) {
            step(one);
            step(other);
        }
        size_t bytes = (size_t)one->encoder->nn.size * sizeof(real);
        assert_memory_equal(one->encoder->nn.data, other->encoder->nn.data, bytes);
        assert_memory_equal(one->optim.v, other->optim.v, bytes);
        assert_each(one->grad_norm == other->grad_norm, one->lr == other->lr);
        arena_free(&a);
        arena_free(&b);
    }
}

TEST(a_step_allocates_nothing)
{
    if (!ALLOCATIONS_COUNTED)
        skip();
    struct arena a;
    struct setup s = defaults();
    struct trainer *t = trainer(&a, &s, copy_task, NULL);
    step(t); /* the first step may take what later ones use again */
    int32_t tokens[9 * T], targets[9 * T * S], classes[9 * T * S];
    struct examples set = {.n = 9, .tokens = tokens, .targets = targets};
    struct metrics out = {0};
    copy_task(NULL, 3, &set, NULL);
    trainer_evaluate(t, &set, &out);
    size_t used = a.used;
    allocations = 0;
    for (int i = 0; i < 5; i++)
        step(t);
    trainer_evaluate(t, &set, &out);
    trainer_predict(t, &set, classes);
    long counted = allocations;
    assert_int_equal(counted, 0);
    assert_int_equal(a.used, used);
    void *volatile one_more = malloc(1); /* the counter counts */
    free(one_more);
    assert_int_equal(allocations, 1);
    arena_free(&a);
}

/* Sets one number, steps, and expects the refusal to name the place and to change nothing. */
static void check_divergence(const char *name, long element, real value, const char *says)
{
    struct arena a;
    struct message m;
    struct setup s = defaults();
    struct trainer *t = trainer(&a, &s, copy_task, NULL);
    step(t);
    nn_find(&t->encoder->nn, name)->data[element] = value;
    size_t bytes = (size_t)t->encoder->nn.size * sizeof(real);
    real *weights = arena_alloc(&a, bytes, 1), *moments = arena_alloc(&a, bytes, 1);
    memcpy(weights, t->encoder->nn.data, bytes);
    memcpy(moments, t->optim.m, bytes);
    double loss_sum = t->loss_sum;
    assert_int_equal(trainer_step(t, &m), STATUS_DIVERGED);
    if (!strstr(m.text, says))
        fail_msg("'%s' does not say '%s'", m.text, says);
    assert_non_null(strstr(m.text, "step 2:"));
    assert_memory_equal(weights, t->encoder->nn.data, bytes);
    assert_memory_equal(moments, t->optim.m, bytes);
    assert_each(t->step == 1, t->optim.t == 1, t->loss_sum == loss_sum);
    arena_free(&a);
}

TEST(divergence_is_named)
{
    check_divergence("encoder.layers.0.linear2.bias", 3, NAN,
                     "the weights of encoder.layers.0.linear2.bias");
    check_divergence("encoder.layers.0.norm1.weight", 2, (real)3e38,
                     "the output of layernorm (encoder.layers.0.norm1.weight)");
}

/* The loss is finite and the gradient is not: a huge column of out.weight meets an input that the
 * final norm has switched off. */
TEST(overflow_in_backward_only)
{
    struct arena a;
    struct message m;
    struct setup s = defaults();
    struct trainer *t = trainer(&a, &s, one_target, NULL);
    t->encoder->norm_weight->data[0] = 0;
    for (long v = 0; v < V; v++)
        t->encoder->out_weight->data[v * s.model.d_model] = v == 0 ? (real)3e38 : (real)-3e38;
    assert_int_equal(trainer_step(t, &m), STATUS_DIVERGED);
    if (!strstr(m.text, "the gradient that linear gives its input"))
        fail_msg("'%s'", m.text);
    assert_null(strstr(m.text, "loss nan"));
    assert_null(strstr(m.text, "loss inf"));
    assert_int_equal(t->step, 0);
    arena_free(&a);
}

/* Metrics from predictions, counted here. */
TEST(evaluation_counts)
{
    enum { COUNT = 23 };
    struct arena a;
    struct setup s = defaults();
    s.train.val_examples = s.train.test_examples = 5; /* so that COUNT takes several slices */
    struct trainer *t = trainer(&a, &s, copy_task, NULL);
    assert_int_equal(t->eval_slice, 5);
    for (int i = 0; i < 40; i++)
        step(t);
    int32_t tokens[COUNT * T], targets[COUNT * T * S], classes[COUNT * T * S];
    struct examples set = {.n = COUNT, .tokens = tokens, .targets = targets};
    copy_task(NULL, 1 << 20, &set, NULL);
    double by_slot[S];
    struct metrics out = {.acc_by_slot = by_slot};
    trainer_evaluate(t, &set, &out);
    trainer_predict(t, &set, classes);
    double right[S] = {0}, all[S] = {0}, exact = 0;
    for (int b = 0; b < COUNT; b++) {
        bool whole = true;
        for (int i = b * T * S; i < (b + 1) * T * S; i++) {
            if (targets[i] < 0)
                continue;
            all[i % S]++;
            right[i % S] += classes[i] == targets[i];
            whole = whole && classes[i] == targets[i];
        }
        exact += whole;
    }
    assert_each(out.acc > 0.2, out.acc < 1); /* else it would prove little */
    assert_true(fabs(out.acc - (right[0] + right[1]) / (all[0] + all[1])) < 1e-12);
    assert_true(fabs(by_slot[0] - right[0] / all[0]) < 1e-12);
    assert_true(fabs(by_slot[1] - right[1] / all[1]) < 1e-12);
    assert_true(fabs(out.exact - exact / COUNT) < 1e-12);
    arena_free(&a);
}

/* Evaluation draws nothing and touches nothing that training goes on from. */
TEST(evaluation_does_not_disturb)
{
    struct arena a, b;
    struct setup s = defaults();
    s.model.dropout = 0.2;
    struct trainer *one = trainer(&a, &s, copy_task, NULL);
    struct trainer *other = trainer(&b, &s, copy_task, NULL);
    int32_t tokens[9 * T], targets[9 * T * S];
    struct examples set = {.n = 9, .tokens = tokens, .targets = targets};
    copy_task(NULL, 3, &set, NULL);
    for (int i = 0; i < 3; i++) {
        struct metrics first = {0}, second = {0};
        step(one);
        trainer_evaluate(one, &set, &first);
        trainer_evaluate(one, &set, &second);
        assert_true(first.loss == second.loss);
        step(other);
    }
    assert_memory_equal(one->encoder->nn.data, other->encoder->nn.data,
                        (size_t)one->encoder->nn.size * sizeof(real));
    arena_free(&a);
    arena_free(&b);
}

static enum status nothing_to_learn(void *context, int64_t number, struct examples *e,
                                    struct message *m)
{
    enum status s = copy_task(context, number, e, m);
    for (long i = 0; i < e->n * T * S; i++)
        e->targets[i] = -100;
    return s;
}

static enum status unreadable(void *context, int64_t number, struct examples *e, struct message *m)
{
    if (number < 2)
        return copy_task(context, number, e, m);
    return status_fail(m, STATUS_CORRUPT, "the file ends in the middle");
}

/* A step without its examples leaves everything as it was. */
TEST(a_step_fails_as_its_examples_do)
{
    struct arena a;
    struct message m;
    struct setup s = defaults();
    struct trainer *t = trainer(&a, &s, unreadable, NULL);
    step(t);
    step(t);
    size_t size = (size_t)t->encoder->nn.size * sizeof(real);
    real *before = arena_alloc(&a, 1, size);
    memcpy(before, t->encoder->nn.data, size);
    assert_int_equal(trainer_step(t, &m), STATUS_CORRUPT);
    assert_string_equal(m.text, "the file ends in the middle");
    assert_memory_equal(before, t->encoder->nn.data, size);
    assert_int_equal(t->step, 2);
    assert_int_equal(t->loss_count, 2);
    arena_free(&a);
}

TEST(fully_masked_batch)
{
    struct arena a;
    struct setup s = defaults();
    struct trainer *t = trainer(&a, &s, nothing_to_learn, NULL);
    step(t);
    assert_each(t->grad_norm == 0, t->loss_sum == 0);
    struct metrics out = {0};
    trainer_evaluate(t, &t->batch, &out);
    assert_each(out.loss == 0, out.acc == 0, out.exact == 1);
    arena_free(&a);
}
