/* What the tests of the task over a user's own file share: a task over a file in a folder of this
 * process's own. */
#ifndef TESTS_UNIT_TEXT_TASK_HELP_H
#define TESTS_UNIT_TEXT_TASK_HELP_H

#include "datasets/task_text.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "tests/unit/own_file.h"

/* The task over the file at `path`, and the example that was read or drawn last. */
struct opened {
    struct text_options options;
    struct task_shape shape;
    struct text_buffer facts;
    struct arena arena;
    struct task_source *source;
    int32_t inputs[64], targets[64];
    uint8_t padding[64];
};

static inline void set_options(struct text_options *o, enum text_mode_index mode, int64_t length)
{
    option_defaults(task_text.options, o);
    o->mode = mode;
    o->length = length;
    strcpy(o->file, path);
}

/* Opens it, with the options and facts that it has. */
static inline void open_again(struct opened *o)
{
    assert_true(o->options.length <= 64);
    if (task_text.shape(&o->options, &o->shape, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    arena_init(&o->arena, NULL);
    if (task_text.file->open(&o->arena, &o->options, NULL, false, &o->source, &m) != STATUS_OK)
        fail_msg("%s", m.text);
}

static inline void survey_and_open_split(struct opened *o, enum text_split split,
                                         enum text_mode_index mode, int64_t length,
                                         int64_t instance)
{
    memset(o, 0, sizeof *o);
    set_options(&o->options, mode, length);
    o->options.split = split;
    o->options.instance = instance;
    if (task_text.file->survey(&o->options, &o->facts, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    open_again(o);
}

static inline void survey_and_open(struct opened *o, enum text_mode_index mode, int64_t length,
                                   int64_t instance)
{
    survey_and_open_split(o, TEXT_CONTIGUOUS, mode, length, instance);
}

/* Frees what survey_and_open made. */
static inline void close_all(struct opened *o)
{
    task_text.file->close(o->source);
    arena_free(&o->arena);
    free(o->facts.text);
}

/* Example i of n of a part. */
static inline void read_one(struct opened *o, enum task_part part, int64_t i, int64_t n)
{
    memset(o->inputs, 0x11, sizeof o->inputs);
    memset(o->targets, 0x11, sizeof o->targets);
    memset(o->padding, 0x11, sizeof o->padding);
    if (task_text.file->read(o->source, part, i, n, o->inputs, o->targets, o->padding, &m))
        fail_msg("%s", m.text);
}

/* An example to train on. */
static inline void draw_one(struct opened *o, uint32_t seed, uint32_t element)
{
    struct rng r = rng_at(seed, RNG_DATA, 5, element);
    if (task_text.file->draw(o->source, &r, o->inputs, o->targets, o->padding, &m))
        fail_msg("%s", m.text);
}

#endif
