/* What the tests of tasks share: a task with its options set, ready to draw from. */
#ifndef TESTS_UNIT_TASK_HELP_H
#define TESTS_UNIT_TASK_HELP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/task_common.h"

#include "tests/test.h"

enum { OPTIONS_MAX = 2048 }; /* what sweep/plan/point.h has room for */

struct setup {
    const struct task *task;
    _Alignas(16) unsigned char options[OPTIONS_MAX];
    struct task_shape shape;
    void *instance;
    size_t inputs, targets; /* numbers of one example */
};

/* settings: "length=5 offsets=1,-1" over the defaults. */
static inline void setup_options(struct setup *s, const char *task, const char *settings)
{
    memset(s, 0, sizeof *s);
    s->task = task_find(task);
    assert_non_null(s->task);
    assert_true(s->task->options_size <= OPTIONS_MAX);
    option_defaults(s->task->options, s->options);
    char text[256];
    assert_true(strlen(settings) < sizeof text);
    strcpy(text, settings);
    for (char *next = NULL, *name = strtok_r(text, " ", &next); name;
         name = strtok_r(NULL, " ", &next)) {
        char *value = strchr(name, '='), *rest = NULL;
        assert_non_null(value);
        *value++ = '\0';
        const struct option_entry *o = option_find(s->task->options, name);
        assert_non_null(o);
        for (char *item = strtok_r(value, ",", &rest); item; item = strtok_r(NULL, ",", &rest)) {
            struct message m;
            if (option_parse(o, "task", item, false, s->options, &m) != STATUS_OK)
                fail_msg("%s %s: %s", task, settings, m.text);
        }
    }
}

/* The same, with its shape and its instance; for setup_free. */
static inline void setup_task(struct setup *s, const char *task, const char *settings)
{
    struct message m;
    setup_options(s, task, settings);
    if (s->task->shape(s->options, &s->shape, &m) != STATUS_OK)
        fail_msg("%s %s: %s", task, settings, m.text);
    s->instance = malloc(s->task->instance_size + 1);
    assert_non_null(s->instance);
    memset(s->instance, 0xa5, s->task->instance_size + 1);
    s->task->instance(s->options, s->instance);
    assert_int_equal(((unsigned char *)s->instance)[s->task->instance_size], 0xa5);
    s->inputs = (size_t)(s->shape.length * s->shape.fields);
    s->targets = (size_t)((s->shape.per_sequence ? 1 : s->shape.length) * s->shape.slots);
}

static inline void setup_free(struct setup *s)
{
    free(s->instance);
}

/* One example. */
static inline void draw(const struct setup *s, uint32_t seed, enum rng_stream stream, uint64_t step,
                        uint32_t element, int32_t *inputs, int32_t *targets)
{
    struct rng r = rng_at(seed, stream, step, element);
    s->task->example(s->options, s->instance, &r, inputs, targets);
}

/* Room for n; malloced. */
static inline int32_t *numbers(size_t n)
{
    int32_t *p = malloc((n + 1) * sizeof *p);
    assert_non_null(p);
    return p;
}

#endif
