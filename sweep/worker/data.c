#include "sweep/worker/data.h"

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
    uint8_t *padding;       /* (batch,T) of the step that is filled; NULL: nothing is padded */
    int64_t epoch;
};

uint32_t data_eval_seed(const struct point *p)
{
    const struct option_entry *instance = option_find(p->task->options, "instance");
    int64_t seed = 0;
    if (p->train.eval_sets == EVAL_SETS_INSTANCE)
        memcpy(&seed, p->task_options + instance->offset, sizeof seed);
    return (uint32_t)seed;
}

enum status data_new(struct arena *a, const struct point *p, uint32_t seed,
                     const struct data_place *place, struct data **out, struct message *m)
{
    struct data *d = arena_alloc(a, 1, sizeof *d);
    const struct train_config *train = &p->train;
    d->point = *p;
    d->seed = seed;
    d->epoch = -1;
    enum status s = point_check(p, &d->io, &d->shape, NULL, m);
    if (s == STATUS_OK)
        s = example_source_open(a, p, &d->shape, place, &d->source, m);
    if (s != STATUS_OK)
        return s;
    const struct example_source *source = &d->source;
    d->val = examples_new(a, source, example_source_count(source, TASK_VAL, train->val_examples));
    d->test =
        examples_new(a, source, example_source_count(source, TASK_TEST, train->test_examples));
    if (train->examples > 0) {
        d->finite =
            examples_new(a, source, example_source_count(source, TASK_TRAIN, train->examples));
        d->order = arena_alloc(a, (size_t)d->finite.n, sizeof *d->order);
    }
    if (source->padding_each)
        d->padding = arena_alloc(a, (size_t)(train->batch * source->padding_each), 1);
    *out = d;
    return STATUS_OK;
}

const char *data_hashed(const struct data *d)
{
    return d->source.hashed;
}

void data_close(struct data *d)
{
    if (d)
        example_source_close(&d->source);
}

enum status data_draw(struct data *d, struct message *m)
{
    uint32_t seed = data_eval_seed(&d->point);
    enum status s = examples_draw(&d->source, seed, RNG_VAL, 0, &d->val, m);
    if (s == STATUS_OK)
        s = examples_draw(&d->source, seed, RNG_TEST, 0, &d->test, m);
    if (s == STATUS_OK)
        s = examples_draw_finite(&d->source, d->seed, &d->finite, m);
    return s;
}

enum status data_check(const struct data *d, bool all, struct message *m)
{
    return example_source_check(&d->source, all, m);
}

struct examples data_range(const struct data *d, const struct examples *set, long first, long n)
{
    return examples_range(&d->source, set, first, n);
}

const char *data_label(const struct data *d, long k)
{
    const struct task_file *file = d->point.task->file;
    return file ? file->label(d->source.file, k) : NULL;
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
    for (long i = 0; i < set->n; i++) {
        heartbeat();
        s->task->sources(s->options, s->instance, set->tokens + i * s->tokens_each,
                         source + i * s->targets_each);
    }
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

enum status data_fill(void *context, int64_t step, struct examples *e, struct message *m)
{
    struct data *d = context;
    e->padding = d->padding;
    if (d->finite.n == 0)
        return examples_draw(&d->source, d->seed, RNG_DATA, step, e, m);
    for (long b = 0; b < e->n; b++) {
        int64_t position = step * e->n + b;
        use_epoch(d, position / d->finite.n);
        example_copy(&d->source, &d->finite, (long)d->order[position % d->finite.n], e, b);
    }
    return STATUS_OK;
}
