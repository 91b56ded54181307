#include "sweep/worker/example_source.h"

#include <string.h>
#include <unistd.h>

#include "engine/base/heartbeat.h"

/* ---- opening and closing ---- */

static enum status add_remedy(const struct example_source *s, enum status status, struct message *m)
{
    if (status != STATUS_CORRUPT || !m)
        return status;
    struct message why = *m;
    return status_fail(m, status, "%.1900s: %s", why.text,
                       s->copied ? "remove this copy, and the next `headcount run` makes it again"
                                 : "put the old file back");
}

static enum status open_file(struct arena *a, const struct point *p, const struct data_place *place,
                             struct example_source *s, struct message *m)
{
    const struct task_file *file = p->task->file;
    const struct option_entry *name = option_find(p->task->options, "file");
    char *options = arena_alloc(a, 1, p->task->options_size);
    memcpy(options, p->task_options, p->task->options_size);
    if (place)
        memcpy(options + name->offset, place->name, sizeof place->name);
    s->options = options;
    s->copied = place && place->copied;
    if (s->copied)
        data_stamp(place->path, s->hashed);
    bool good = s->copied && s->hashed[0] && strcmp(s->hashed, place->good) == 0;
    if (good)
        s->hashed[0] = '\0';
    enum status status = file->open(a, options, place ? place->path : NULL, good, &s->file, m);
    if (place && status == STATUS_BAD_INPUT) /* it was surveyed, and could be read then */
        status = s->copied && access(place->path, R_OK) != 0 ? STATUS_IO : STATUS_CORRUPT;
    return add_remedy(s, status, m);
}

enum status example_source_open(struct arena *a, const struct point *p,
                                const struct task_shape *shape, const struct data_place *place,
                                struct example_source *s, struct message *m)
{
    const struct task *task = p->task;
    *s = (struct example_source){
        .task = task,
        .tokens_each = shape->length * shape->fields,
        .targets_each = shape->slots * (shape->per_sequence ? 1 : shape->length),
        .padding_each = shape->padded ? shape->length : 0,
    };
    memcpy(s->part, shape->part, sizeof s->part);
    if (task->file)
        return open_file(a, p, place, s, m);
    void *options = arena_alloc(a, 1, task->options_size);
    void *instance = arena_alloc(a, 1, task->instance_size ? task->instance_size : 1);
    memcpy(options, p->task_options, task->options_size);
    task->instance(options, instance);
    s->options = options;
    s->instance = instance;
    return STATUS_OK;
}

void example_source_close(struct example_source *s)
{
    if (s->file)
        s->task->file->close(s->file);
    s->file = NULL;
}

enum status example_source_check(const struct example_source *s, bool all, struct message *m)
{
    return s->file && !s->copied ? add_remedy(s, s->task->file->check(s->file, all, m), m)
                                 : STATUS_OK;
}

/* ---- examples ---- */

long example_source_count(const struct example_source *s, enum task_part part, int64_t asked)
{
    return (long)point_examples(s->part[part], asked);
}

struct examples examples_new(struct arena *a, const struct example_source *s, long n)
{
    struct examples e = {.n = n};
    e.tokens = arena_alloc(a, (size_t)(n * s->tokens_each), sizeof *e.tokens);
    e.targets = arena_alloc(a, (size_t)(n * s->targets_each), sizeof *e.targets);
    if (s->padding_each)
        e.padding = arena_alloc(a, (size_t)(n * s->padding_each), sizeof *e.padding);
    return e;
}

struct examples examples_range(const struct example_source *s, const struct examples *e, long first,
                               long n)
{
    return (struct examples){.n = n,
                             .tokens = e->tokens + first * s->tokens_each,
                             .targets = e->targets + first * s->targets_each,
                             .padding = e->padding ? e->padding + first * s->padding_each : NULL};
}

static enum task_part part_of(enum rng_stream stream)
{
    switch (stream) {
    case RNG_VAL:
        return TASK_VAL;
    case RNG_TEST:
    case RNG_EVAL:
        return TASK_TEST;
    default:
        return TASK_TRAIN;
    }
}

enum status example_draw(const struct example_source *s, uint32_t seed, enum rng_stream stream,
                         int64_t step, long i, long n, const struct examples *x, struct message *m)
{
    const struct task_file *file = s->task->file;
    enum task_part part = part_of(stream);
    struct rng r = rng_at(seed, stream, (uint64_t)step, (uint32_t)i);
    if (file && part == TASK_TRAIN)
        return file->draw(s->file, &r, x->tokens, x->targets, x->padding, m);
    if (file)
        return file->read(s->file, part, i, n, x->tokens, x->targets, x->padding, m);
    s->task->example(s->options, s->instance, &r, x->tokens, x->targets);
    return STATUS_OK;
}

enum status examples_draw(const struct example_source *s, uint32_t seed, enum rng_stream stream,
                          int64_t step, struct examples *e, struct message *m)
{
    enum status status = STATUS_OK;
    for (long i = 0; i < e->n && status == STATUS_OK; i++) {
        struct examples x = examples_range(s, e, i, 1);
        heartbeat();
        status = example_draw(s, seed, stream, step, i, e->n, &x, m);
    }
    return status;
}

enum status examples_draw_finite(const struct example_source *s, uint32_t seed, struct examples *e,
                                 struct message *m)
{
    int64_t all = s->part[TASK_TRAIN];
    if (all == 0)
        return examples_draw(s, seed, RNG_DATA, 0, e, m);
    enum status status = STATUS_OK;
    for (long i = 0; i < e->n && status == STATUS_OK; i++) {
        struct examples x = examples_range(s, e, i, 1);
        struct rng r = rng_at(seed, RNG_DATA, 0, (uint32_t)i);
        int64_t stretch = all / e->n, rest = all % e->n;
        int64_t first = i * stretch + (i < rest ? i : rest), size = stretch + (i < rest);
        int64_t k = first + (int64_t)(rng_uniform(&r) * (double)size);
        heartbeat();
        status =
            s->task->file->read(s->file, TASK_TRAIN, k, all, x.tokens, x.targets, x.padding, m);
    }
    return status;
}

void example_copy(const struct example_source *s, const struct examples *set, long from,
                  struct examples *e, long to)
{
    struct examples x = examples_range(s, set, from, 1), y = examples_range(s, e, to, 1);
    memcpy(y.tokens, x.tokens, (size_t)s->tokens_each * sizeof *x.tokens);
    memcpy(y.targets, x.targets, (size_t)s->targets_each * sizeof *x.targets);
    if (x.padding && y.padding)
        memcpy(y.padding, x.padding, (size_t)s->padding_each);
}
