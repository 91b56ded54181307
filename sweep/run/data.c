#include "sweep/run/data.h"

#include <string.h>

#include "engine/base/heartbeat.h"

struct data {
    struct point point;
    struct encoder_io io;
    struct task_shape shape;
    uint32_t seed;
    struct example_source source;
    struct examples val, test;
    struct examples finite; /* n = 0: fresh examples */
    uint32_t *order;        /* (finite.n), of `epoch` */
    int64_t epoch;
};

struct example_source example_source(const struct point *p, const struct task_shape *shape,
                                     void *instance)
{
    if (p->task->instance)
        p->task->instance(p->task_options, instance);
    return (struct example_source){
        .task = p->task,
        .options = p->task_options,
        .instance = instance,
        .tokens_each = shape->length * shape->fields,
        .targets_each = shape->slots * (shape->per_sequence ? 1 : shape->length),
    };
}

uint32_t data_eval_seed(const struct point *p)
{
    const struct option_entry *instance = option_find(p->task->options, "instance");
    int64_t seed = 0;
    if (p->train.eval_sets == EVAL_SETS_INSTANCE)
        memcpy(&seed, p->task_options + instance->offset, sizeof seed);
    return (uint32_t)seed;
}

void example_draw(const struct example_source *s, uint32_t seed, enum rng_stream stream,
                  int64_t step, uint32_t index, int32_t *tokens, int32_t *targets)
{
    struct rng r = rng_at(seed, stream, (uint64_t)step, index);
    s->task->example(s->options, s->instance, &r, tokens, targets);
}

static struct examples examples_new(struct arena *a, const struct data *d, long n)
{
    struct examples e = {.n = n};
    e.tokens = arena_alloc(a, (size_t)(n * d->source.tokens_each), sizeof *e.tokens);
    e.targets = arena_alloc(a, (size_t)(n * d->source.targets_each), sizeof *e.targets);
    return e;
}

void examples_draw(const struct example_source *s, uint32_t seed, enum rng_stream stream,
                   int64_t step, struct examples *e)
{
    for (long i = 0; i < e->n; i++) {
        if (i % 256 == 255)
            heartbeat();
        example_draw(s, seed, stream, step, (uint32_t)i, e->tokens + i * s->tokens_each,
                     e->targets + i * s->targets_each);
    }
}

enum status data_new(struct arena *a, const struct point *p, uint32_t seed, struct data **out,
                     struct message *m)
{
    struct data *d = arena_alloc(a, 1, sizeof *d);
    d->point = *p;
    d->seed = seed;
    d->epoch = -1;
    enum status s = point_check(p, &d->io, &d->shape, NULL, m);
    if (s != STATUS_OK)
        return s;
    size_t instance_size = p->task->instance_size ? p->task->instance_size : 1;
    d->source = example_source(&d->point, &d->shape, arena_alloc(a, 1, instance_size));
    d->val = examples_new(a, d, (long)p->train.val_examples);
    d->test = examples_new(a, d, (long)p->train.test_examples);
    if (p->train.examples > 0) {
        d->finite = examples_new(a, d, (long)p->train.examples);
        d->order = arena_alloc(a, (size_t)d->finite.n, sizeof *d->order);
    }
    *out = d;
    return STATUS_OK;
}

void data_draw(struct data *d)
{
    uint32_t seed = data_eval_seed(&d->point);
    examples_draw(&d->source, seed, RNG_VAL, 0, &d->val);
    examples_draw(&d->source, seed, RNG_TEST, 0, &d->test);
    examples_draw(&d->source, d->seed, RNG_DATA, 0, &d->finite);
}

const struct encoder_io *data_io(const struct data *d)
{
    return &d->io;
}

const struct task_shape *data_shape(const struct data *d)
{
    return &d->shape;
}

const struct examples *data_val(const struct data *d)
{
    return &d->val;
}

const struct examples *data_test(const struct data *d)
{
    return &d->test;
}

const int32_t *data_sources(struct arena *a, const struct data *d, const struct examples *set)
{
    const struct example_source *s = &d->source;
    if (!s->task->sources)
        return NULL;
    int32_t *source = arena_alloc(a, (size_t)(set->n * s->targets_each), sizeof *source);
    for (long i = 0; i < set->n; i++)
        s->task->sources(s->options, s->instance, set->tokens + i * s->tokens_each,
                         source + i * s->targets_each);
    return source;
}

static void use_epoch(struct data *d, int64_t epoch)
{
    if (d->epoch == epoch)
        return;
    struct rng r = rng_at(d->seed, RNG_ORDER, (uint64_t)epoch, 0);
    rng_permutation(&r, d->order, (uint32_t)d->finite.n);
    d->epoch = epoch;
}

void data_fill(void *context, int64_t step, struct examples *e)
{
    struct data *d = context;
    if (d->finite.n == 0) {
        examples_draw(&d->source, d->seed, RNG_DATA, step, e);
        return;
    }
    for (long b = 0; b < e->n; b++) {
        int64_t position = step * e->n + b;
        use_epoch(d, position / d->finite.n);
        long i = (long)d->order[position % d->finite.n];
        memcpy(e->tokens + b * d->source.tokens_each, d->finite.tokens + i * d->source.tokens_each,
               (size_t)d->source.tokens_each * sizeof *e->tokens);
        memcpy(e->targets + b * d->source.targets_each,
               d->finite.targets + i * d->source.targets_each,
               (size_t)d->source.targets_each * sizeof *e->targets);
    }
}
