/* What a point may be: options that came late leave its JSON as it was, each kind of fault has its
 * options (tests/sweep_files/impossible.case has the messages), and what needs too much memory is
 * refused. */
#include <stdio.h>

#include "tests/sweep/config_help.h"

/* A task whose targets are one per sequence, and an option introduced late. */
struct later_options {
    int64_t length, vocab, instance, extra;
};

static const struct option_entry late_table[] = {
    {.name = "extra",
     .offset = offsetof(struct later_options, extra),
     .max = 9,
     .default_value = "2",
     .omit_at_default = true},
    {.name = "instance", .offset = offsetof(struct later_options, instance), .default_value = "0"},
    {.name = "length",
     .offset = offsetof(struct later_options, length),
     .max = 99,
     .default_value = "8"},
    {.name = "vocab",
     .offset = offsetof(struct later_options, vocab),
     .max = 99,
     .default_value = "4"},
    {0}};

static enum status late_shape(const void *options, struct task_shape *s, struct message *m)
{
    const struct later_options *o = options;
    static const char *const extra[] = {"task.extra", NULL};
    s->at_fault = extra;
    if (o->extra == 9)
        return status_fail_within(m, STATUS_BAD_INPUT, "task.extra is 9");
    *s = (struct task_shape){.length = o->length,
                             .fields = 1,
                             .field = {"token"},
                             .vocab = {o->vocab},
                             .slots = 1,
                             .classes = o->vocab,
                             .per_sequence = true,
                             .chance = 0.25};
    return STATUS_OK;
}

static const struct task late_task = {.name = "late",
                                      .version = 3,
                                      .options = late_table,
                                      .options_size = sizeof(struct later_options),
                                      .shape = late_shape};

TEST(test_late)
{
    struct point p;
    char json[POINT_JSON_MAX];
    point_init(&p, &late_task);
    point_json(&p, json);
    assert_non_null(strstr(json, "\"options\":{\"instance\":0,\"length\":8,\"vocab\":4},"
                                 "\"version\":3}"));
    ((struct later_options *)(void *)p.task_options)->extra = 3;
    point_json(&p, json);
    assert_non_null(strstr(json, "\"options\":{\"extra\":3,\"instance\":0,"));
    assert_null(strstr(json, "eval_sets"));
    p.train.eval_sets = EVAL_SETS_INSTANCE;
    point_json(&p, json);
    assert_non_null(strstr(json, "\"eval_every\":100,\"eval_sets\":\"instance\",\"examples\":0"));
}

static void assert_impossible(const struct point *p, const char *option, const char *message)
{
    struct encoder_io io;
    struct task_shape shape;
    struct point_fault fault;
    struct message m = {{0}};
    if (point_check(p, &io, &shape, &fault, &m) != STATUS_BAD_INPUT)
        fail_msg("taken, should be: %s", message);
    if (strncmp(m.text, message, strlen(message)) != 0)
        fail_msg("\ngives:  %s\nshould: %s", m.text, message);
    assert_string_equal(fault.option[0], option);
    for (const char *const *o = fault.option; *o; o++) { /* each of them exists */
        struct point_section section;
        struct point q = *p;
        assert_true(strcmp(*o, "task.name") == 0 || point_option(&q, *o, &section) != NULL);
    }
    assert_int_equal(point_check(p, &io, &shape, NULL, NULL), STATUS_BAD_INPUT);
}

TEST(test_check)
{
    struct point p;
    struct encoder_io io;
    struct task_shape shape;
    struct message m;
    point_init(&p, task_find("gather"));
    assert_int_equal(point_check(&p, &io, &shape, NULL, &m), STATUS_OK);
    assert_each(io.length == 32, io.fields == 1, io.vocab[0] == 16, io.slots == 4, io.classes == 16,
                shape.slots == 4);
    p.model.d_model = 65536;
    p.model.d_head = 5;
    p.model.layers = 1024;
    assert_impossible(&p, "model.d_model", "it would take about ");
    point_init(&p, task_find("gather"));
    p.train.examples = 100000000;
    p.train.test_examples = 1000000;
    ((int64_t *)(void *)p.task_options)[0] = 4096; /* length */
    assert_impossible(&p, "model.d_model", "it would take about ");

    point_init(&p, &late_task);
    assert_impossible(&p, "model.pool",
                      "model.pool is none, but task late has one target per sequence; use mean "
                      "or first");
    p.model.pool = POOL_FIRST;
    assert_int_equal(point_check(&p, &io, &shape, NULL, &m), STATUS_OK);
    assert_true(shape.chance == 0.25);
    ((struct later_options *)(void *)p.task_options)->extra = 9;
    assert_impossible(&p, "task.extra", "task.extra is 9");
}

/* The sets of a file are no larger than its parts; a row takes its padding, a source its own. */
TEST(test_memory)
{
    struct point p;
    struct encoder_io io;
    struct task_shape shape;
    struct message m;
    point_init(&p, task_find("gather"));
    p.train.val_examples = 1000;
    p.train.test_examples = 2000;
    p.train.examples = 500;
    p.train.batch = 32;
    assert_int_equal(point_check(&p, &io, &shape, NULL, &m), STATUS_OK);
    const double all = point_memory(&p, &io, &shape);
    const double example = 4 * (double)(io.length * io.fields + io.slots * io.length);
    shape.memory = 12345;
    assert_true(point_memory(&p, &io, &shape) == all + 12345);
    shape.memory = 0;
    shape.part[TASK_TRAIN] = 400;
    shape.part[TASK_VAL] = 990;
    shape.part[TASK_TEST] = 2000;
    assert_true(point_memory(&p, &io, &shape) == all - 110 * example);
    shape = (struct task_shape){.padded = true};
    assert_true(point_memory(&p, &io, &shape) == all + 3532 * (double)io.length);
}
