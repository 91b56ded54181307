/* Files that are not there, as `ask` would see them. */
#ifndef TESTS_LOOK_HELP_H
#define TESTS_LOOK_HELP_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/ask/look.h"

#include "tests/test.h"

static inline void set_integer(struct look *l, const char *option, int64_t value)
{
    memcpy(l->point.task_options + option_find(l->point.task->options, option)->offset, &value,
           sizeof value);
}

static inline void set_text(struct look *l, const char *option, const char *value)
{
    memcpy(l->point.task_options + option_find(l->point.task->options, option)->offset, value,
           strlen(value) + 1);
}

/* All of these are the caller's to free. */
static inline struct look *text_of(int64_t size)
{
    struct look *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->kind = LOOK_TEXT;
    point_init(&l->point, task_find("text"));
    set_integer(l, "size", size);
    set_text(l, "file", "a/b.txt");
    l->shape.causal = true;
    return l;
}

static inline struct look *rows_of(int64_t rows, int64_t test_rows, int64_t typical)
{
    struct look *l = text_of(100 * rows);
    l->kind = LOOK_ROWS;
    set_integer(l, "rows", rows);
    set_integer(l, "test_rows", test_rows);
    l->shape = (struct task_shape){.per_sequence = true};
    l->names_columns = l->names_separator = true;
    l->typical = typical;
    return l;
}

static inline struct look *toy_of(const char *task, const char *const *sets, int count)
{
    struct look *l = malloc(sizeof *l);
    struct message m = {{0}};
    assert_non_null(l);
    if (look_toy(task, sets, count, l, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    return l;
}

#endif
