/* Points: their canonical JSON, reading it back, and what options cannot be together. */
#include <stdio.h>

#include "engine/base/sha256.h"
#include "tests/sweep/config_help.h"

static void test_options(void **state)
{
    (void)state;
    struct point p;
    struct point_section section;
    point_init(&p, task_find("gather"));
    assert_int_equal(p.model.heads, 4);
    assert_int_equal(p.model.d_head, WIDTH_WORD);
    assert_true(p.train.lr == 1e-3);
    const struct option_entry *o = point_option(&p, "train.schedule.warmup", &section);
    assert_string_equal(o->name, "schedule.warmup");
    assert_string_equal(section.name, "train");
    assert_ptr_equal(section.values, &p.train);
    assert_ptr_equal(point_option(&p, "task.slots", &section),
                     option_find(p.task->options, "slots"));
    assert_ptr_equal(section.values, p.task_options);
    assert_null(point_option(&p, "task.name", &section));
    assert_null(point_option(&p, "heads", &section));
    assert_null(point_option(&p, "models.heads", &section));
    assert_null(point_option(&p, "model.", &section));
}

/* The identity of a default point, byte by byte: a change here makes every stored result a stranger
 * and is a new version of the task or of training. */
static void test_json(void **state)
{
    (void)state;
    struct point p;
    char json[POINT_JSON_MAX];
    point_init(&p, task_find("gather"));
    p.model.d_k = 3;
    p.train.schedule = SCHEDULE_LINEAR;
    int n = point_json(&p, json);
    assert_int_equal(n, strlen(json));
    assert_string_equal(
        json,
        "{\"model\":{\"activation\":\"gelu\",\"d_ff\":256,\"d_head\":\"split\",\"d_k\":3,"
        "\"d_model\":64,\"d_v\":\"d_head\",\"dropout\":0,\"heads\":4,\"init\":\"pytorch\","
        "\"layers\":1,\"norm\":\"pre\",\"pool\":\"none\",\"positions\":\"learned\"},"
        "\"task\":{\"name\":\"gather\",\"options\":{\"instance\":0,\"length\":32,\"offsets\":[],"
        "\"slots\":4,\"vocab\":16},\"version\":1},"
        "\"train\":{\"batch\":64,\"beta1\":0.9,\"beta2\":0.999,\"clip\":1,\"epsilon\":1e-8,"
        "\"eval_every\":100,\"examples\":0,\"lr\":0.001,\"optimizer\":\"adamw\","
        "\"schedule\":{\"name\":\"linear\",\"warmup\":0},\"steps\":1000,\"test_examples\":1024,"
        "\"val_examples\":1024,\"version\":1,\"weight_decay\":0.01},\"v\":1}");
}

/* Every task's points come back from their JSON, also with lists as long as they may be. */
static void test_round_trip(void **state)
{
    (void)state;
    for (const struct task *const *t = task_table; *t; t++) {
        struct point p, back;
        struct message m;
        char json[POINT_JSON_MAX], again[POINT_JSON_MAX];
        point_init(&p, *t);
        p.model.norm = NORM_POST;
        p.model.d_v = 7;
        p.train.lr = 0.1 + 0.2;
        for (const struct option_entry *o = (*t)->options; o->name; o++) {
            if (o->type != OPTION_INT_LIST)
                continue;
            struct int_list *list = (struct int_list *)(void *)(p.task_options + o->offset);
            for (list->n = 0; list->n < OPTION_LIST_MAX; list->n++)
                list->item[list->n] = (int64_t)o->min;
        }
        assert_in_range(point_json(&p, json), 100, POINT_JSON_MAX - 1);
        if (point_parse(json, &back, &m))
            fail_msg("%s: %s", json, m.text);
        assert_ptr_equal(back.task, *t);
        point_json(&back, again);
        assert_string_equal(json, again);
        assert_memory_equal(&back.model, &p.model, sizeof p.model);
        assert_memory_equal(&back.train, &p.train, sizeof p.train);
        assert_memory_equal(back.task_options, p.task_options, (*t)->options_size);
    }
}

/* A canonical JSON with one piece replaced is refused for that. */
static void test_parse_refused(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *message;
    } list[] = {
        {"\"v\":1}", "\"v\":2}",
         "version 2 of the configuration format, which this program does "
         "not have (it has 1)"},
        {"\"v\":1}", "\"w\":1}", "no version of the configuration format is given"},
        {"\"options\":{", "\"option\":{", "model, task or train is missing"},
        {"\"gather\"", "\"gathr\"", "the task gathr, which this program does not have"},
        {"\"version\":1},\"train\"", "\"version\":9},\"train\"",
         "version 9 of task gather, which this program does not have (it has 1)"},
        {"\"version\":1,\"weight", "\"version\":3,\"weight",
         "version 3 of training, which this program does not have (it has 1)"},
        {"\"heads\":4", "\"heds\":4", "model.heds is not an option of this program"},
        {"\"heads\":4", "\"heads\":0", "model.heads is 0; allowed: 1 to 65536"},
        {"\"heads\":4", "\"heads\":[4]", "model.heads is a list"},
        {"\"heads\":4", "\"heads\":4.0",
         "model.heads is 4.0, but must be a whole number, written without point or exponent; "
         "allowed: 1 to 65536"},
        {"\"heads\":4", "\"heads\":{\"a\":1}", "model.heads is a mapping"},
        {"\"heads\":4", "\"heads\":\"4\"",
         "model.heads is \"4\", a quoted string, where a number is expected; write it without "
         "quotes; allowed: 1 to 65536"},
        {"\"heads\":4", "\"heads\":null",
         "model.heads is null, which means no value; allowed: 1 to 65536"},
        {"\"norm\":\"pre\"", "\"norm\":true", "model.norm is true; allowed: pre, post"},
        {"{\"name\":\"cosine\",\"warmup\":0}", "\"cosine\"", "train is not a mapping"},
        {"\"offsets\":[]", "\"offsets\":[1,\"x\"]",
         "task.offsets is \"x\", which is not a number; allowed: -4095 to 4095"},
        {"\"offsets\":[]", "\"offsets\":3", "task.offsets is not a list"},
        {"\"heads\":4,", "", "it is not what this program writes for it"}, /* an option left out */
        {"\"lr\":0.001", "\"lr\":1e-3", "it is not what this program writes for it"},
        {"\"heads\":4", "\"heads\": 4", "it is not what this program writes for it"},
        {"\"warmup\":0", "\"wormup\":0", "train.schedule.wormup is not an option of this program"},
        {"\"version\":1,\"weight", "\"version\":\"1\",\"weight", "no version of training is given"},
        {"\"gather\"", "[]", "model, task or train is missing"},
    };
    static const struct {
        const char *old, *new, *message;
    } broken[] = {
        {"\"v\":1}", "\"v\":1", "expected , or }"},
        {"\"v\":1}", "\"v\":1} 1", "something follows the end"},
        {"\"heads\":4", "\"heads\":04", "number with a leading zero"},
        {"\"heads\":4", "\"heads\":four", "expected a string, number, true, false or null"},
        {"\"heads\":4", "heads:4", "expected a string"},
        {"\"offsets\":[]", "\"offsets\":[1 2]", "expected , or ]"},
        {"\"offsets\":[]", "\"offsets\":[[[[[[[[[[[[[[[[", "nested deeper than the format allows"},
    };
    struct point p;
    char json[POINT_JSON_MAX], changed[POINT_JSON_MAX];
    point_init(&p, task_find("gather"));
    point_json(&p, json);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct message m = {{0}};
        char expected[256];
        const char *at = strstr(json, list[i].old);
        assert_non_null(at);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - json), json, list[i].new,
                 at + strlen(list[i].old));
        assert_int_equal(point_parse(changed, &p, &m), STATUS_BAD_INPUT);
        snprintf(expected, sizeof expected, "a stored configuration: %s", list[i].message);
        assert_string_equal(m.text, expected);
    }
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct message m = {{0}};
        const char *at = strstr(json, broken[i].old);
        assert_non_null(at);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - json), json, broken[i].new,
                 at + strlen(broken[i].old));
        assert_int_equal(point_parse(changed, &p, &m), STATUS_BAD_INPUT);
        assert_non_null(strstr(m.text, "a stored configuration, byte "));
        assert_non_null(strstr(m.text, broken[i].message));
    }
}

/* Never more than POINT_JSON_MAX bytes are looked at, whatever stands in the file. */
static void test_parse_long(void **state)
{
    (void)state;
    static char json[3 * POINT_JSON_MAX];
    struct point p;
    struct message m;
    point_init(&p, task_find("gather"));
    int n = point_json(&p, json);
    memset(json + n, ' ', sizeof json - 1 - (size_t)n);
    assert_int_equal(point_parse(json, &p, &m), STATUS_BAD_INPUT);
    memset(json, '[', sizeof json - 1);
    assert_int_equal(point_parse(json, &p, &m), STATUS_BAD_INPUT);
    memset(json, '1', sizeof json - 1);
    assert_int_equal(point_parse(json, &p, &m), STATUS_BAD_INPUT);
}

/* A task whose targets are one per sequence, and an option introduced late. */
struct late_options {
    int64_t length, vocab, instance, extra;
};

static const struct option_entry late_table[] = {
    {.name = "extra",
     .offset = offsetof(struct late_options, extra),
     .max = 9,
     .preset = "2",
     .late = true},
    {.name = "instance", .offset = offsetof(struct late_options, instance), .preset = "0"},
    {.name = "length", .offset = offsetof(struct late_options, length), .max = 99, .preset = "8"},
    {.name = "vocab", .offset = offsetof(struct late_options, vocab), .max = 99, .preset = "4"},
    {0}};

static enum status late_shape(const void *options, struct task_shape *s, struct message *m)
{
    const struct late_options *o = options;
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
                                      .options_size = sizeof(struct late_options),
                                      .shape = late_shape};

static void test_late(void **state)
{
    (void)state;
    struct point p;
    char json[POINT_JSON_MAX];
    point_init(&p, &late_task);
    point_json(&p, json);
    assert_non_null(strstr(json, "\"options\":{\"instance\":0,\"length\":8,\"vocab\":4},"
                                 "\"version\":3}"));
    ((struct late_options *)(void *)p.task_options)->extra = 3;
    point_json(&p, json);
    assert_non_null(strstr(json, "\"options\":{\"extra\":3,\"instance\":0,"));
    assert_null(strstr(json, "eval_sets"));
    p.train.eval_sets = EVAL_SETS_INSTANCE;
    point_json(&p, json);
    assert_non_null(strstr(json, "\"eval_every\":100,\"eval_sets\":\"instance\",\"examples\":0"));
}

/* Of gather at its defaults, as the first version of this program wrote it. */
#define GATHER_SHA256 "c91d3a5ed71763e1dcf04902637ab0d3205a92901b4d246a0372dbb4278b1257"

static void set_model(struct point *p, const char *option, const char *word)
{
    struct message m;
    if (option_parse(option_find(encoder_options, option), "model", word, false, &p->model, &m))
        fail_msg("%s", m.text);
}

/* Options of heads that came later: each of these lists computes what a model that never mentions
 * them computes, and is it. */
static void test_canonical_default(void **state)
{
    (void)state;
    static const char *const same[][4][2] = {
        {{"kv_heads", "4"}},
        {{"kv_heads", "heads"}, {"mask", "none"}, {"form", "project"}},
        {{"segment_width", "8"}, {"segment_overlap", "true"}},
        {{"kv_heads", "4"}, {"segment_width", "3"}},
    };
    struct point p;
    char json[POINT_JSON_MAX], now[POINT_JSON_MAX], sha256[65];
    point_init(&p, task_find("gather"));
    sha256_hex(json, (size_t)point_json(&p, json), sha256);
    assert_string_equal(sha256, GATHER_SHA256);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        point_init(&p, task_find("gather"));
        for (int k = 0; k < 4 && same[i][k][0]; k++)
            set_model(&p, same[i][k][0], same[i][k][1]);
        struct point before = p;
        point_json(&p, now);
        assert_string_equal(now, json);
        assert_memory_equal(&p, &before, sizeof p);
    }
}

/* What each says where it counts, and that segment_width 0 is the width that it stands for. */
static void test_canonical_forms(void **state)
{
    (void)state;
    static const struct {
        const char *option[4][2], *json;
    } list[] = {
        {{{"kv_heads", "2"}}, "\"init\":\"pytorch\",\"kv_heads\":2,\"layers\":1,\"norm\""},
        {{{"mask", "causal"}}, "\"layers\":1,\"mask\":\"causal\",\"norm\""},
        {{{"form", "cut"}, {"segment_width", "3"}, {"kv_heads", "4"}},
         "\"dropout\":0,\"form\":\"cut\",\"heads\":4,\"init\":\"pytorch\",\"layers\":1,\"norm\":"
         "\"pre\",\"pool\":\"none\",\"positions\":\"learned\"}"},
        {{{"form", "segments"}}, "\"positions\":\"learned\",\"segment_width\":16}"},
        {{{"form", "segments"}, {"segment_width", "16"}},
         "\"positions\":\"learned\",\"segment_width\":16}"},
        {{{"form", "segments"}, {"segment_overlap", "true"}},
         "\"positions\":\"learned\",\"segment_overlap\":true,\"segment_width\":16}"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct point p, back;
        struct message m;
        char json[POINT_JSON_MAX];
        point_init(&p, task_find("gather"));
        for (int k = 0; k < 4 && list[i].option[k][0]; k++)
            set_model(&p, list[i].option[k][0], list[i].option[k][1]);
        point_json(&p, json);
        if (!strstr(json, list[i].json))
            fail_msg("%s\nlacks %s", json, list[i].json);
        if (point_parse(json, &back, &m))
            fail_msg("%s: %s", json, m.text);
        point_canonical(&p);
        assert_memory_equal(&back.model, &p.model, sizeof p.model);
    }
}

static void assert_impossible(const struct point *p, enum point_fault_kind kind, const char *option,
                              const char *message)
{
    struct encoder_io io;
    struct task_shape shape;
    struct point_fault fault;
    struct message m = {{0}};
    if (point_check(p, &io, &shape, &fault, &m) != STATUS_BAD_INPUT)
        fail_msg("taken, should be: %s", message);
    if (strncmp(m.text, message, strlen(message)) != 0)
        fail_msg("\ngives:  %s\nshould: %s", m.text, message);
    assert_int_equal(fault.kind, kind);
    assert_string_equal(fault.option[0], option);
    for (const char *const *o = fault.option; *o; o++) { /* each of them exists */
        struct point_section section;
        struct point q = *p;
        assert_true(strcmp(*o, "task.name") == 0 || point_option(&q, *o, &section) != NULL);
    }
    assert_int_equal(point_check(p, &io, &shape, NULL, NULL), STATUS_BAD_INPUT);
}

/* What a task refuses, it says with the options that it is about. */
static void test_check_tasks(void **state)
{
    (void)state;
    struct point p;
    point_init(&p, task_find("gather"));
    const struct option_entry *slots = option_find(p.task->options, "slots");
    const struct option_entry *instance = option_find(p.task->options, "instance");
    const struct option_entry *offsets = option_find(p.task->options, "offsets");
    const struct option_entry *length = option_find(p.task->options, "length");
    struct int_list *list = (struct int_list *)(void *)(p.task_options + offsets->offset);
    int64_t *drawn = (int64_t *)(void *)(p.task_options + instance->offset);
    list->n = 1;
    assert_impossible(&p, POINT_FAULT_TASK, "task.offsets", "task.offsets has 1 items");
    *drawn = 1;
    assert_impossible(&p, POINT_FAULT_TASK, "task.offsets", "task.offsets gives the offsets");
    list->n = 0;
    *(int64_t *)(void *)(p.task_options + slots->offset) = 32;
    assert_impossible(&p, POINT_FAULT_TASK, "task.slots", "task.slots is 32; with task.length 32");
    *drawn = 0;
    assert_impossible(&p, POINT_FAULT_TASK, "task.offsets", "task.offsets ");
    point_init(&p, task_find("hist"));
    length = option_find(p.task->options, "length");
    *(int64_t *)(void *)(p.task_options + length->offset) = 1;
    *(int64_t *)(void *)(p.task_options + option_find(p.task->options, "bos")->offset) = 1;
    assert_impossible(&p, POINT_FAULT_TASK, "task.length", "task.length is 1 and task.bos");
}

static void test_check(void **state)
{
    (void)state;
    struct point p;
    struct encoder_io io;
    struct task_shape shape;
    struct message m;
    point_init(&p, task_find("gather"));
    assert_int_equal(point_check(&p, &io, &shape, NULL, &m), STATUS_OK);
    assert_int_equal(io.length, 32);
    assert_int_equal(io.fields, 1);
    assert_int_equal(io.vocab[0], 16);
    assert_int_equal(io.slots, 4);
    assert_int_equal(io.classes, 16);
    assert_int_equal(shape.slots, 4);

    p.train.eval_every = 2000; /* above steps: the last step is evaluated anyway */
    p.train.warmup = 1000;
    assert_int_equal(point_check(&p, &io, &shape, NULL, &m), STATUS_OK);
    p.train.warmup = 1001;
    assert_impossible(&p, POINT_FAULT_WARMUP, "train.schedule.warmup",
                      "train.schedule.warmup is 1001, more than train.steps 1000");
    p.train.warmup = 0;
    p.model.heads = 12;
    assert_impossible(&p, POINT_FAULT_SHAPE, "model.heads",
                      "model.heads is 12, which does not divide model.d_model 64");
    p.model.heads = 65;
    assert_impossible(&p, POINT_FAULT_SHAPE, "model.heads",
                      "model.heads is 65, more than model.d_model 64");
    p.model.heads = 12;
    p.model.d_head = 65536;
    assert_int_equal(point_check(&p, &io, &shape, NULL, &m), STATUS_OK);
    p.model.heads = 65536;
    assert_impossible(&p, POINT_FAULT_SHAPE, "model.heads", "model.heads 65536 of widths");
    p.model.heads = 12;
    p.model.d_head = 5;
    assert_int_equal(point_check(&p, &io, &shape, NULL, &m), STATUS_OK);
    p.model.kv_heads = 5;
    assert_impossible(&p, POINT_FAULT_SHAPE, "model.kv_heads",
                      "model.kv_heads is 5, which does not divide model.heads 12");
    p.model.kv_heads = WIDTH_WORD;
    set_model(&p, "form", "segments");
    p.model.segment_width = 6;
    assert_impossible(&p, POINT_FAULT_SHAPE, "model.segment_width",
                      "model.segment_width is 6: 12 heads that share no column would need 72");
    set_model(&p, "form", "project");
    p.model.pool = POOL_MEAN;
    assert_impossible(&p, POINT_FAULT_POOL, "model.pool",
                      "model.pool is mean, but task gather has a target per position; use none");
    p.model.pool = POOL_NONE;
    p.task = task_find("induction");
    assert_impossible(&p, POINT_FAULT_MASK, "model.mask",
                      "model.mask is none, but the inputs of task induction hold each target "
                      "further on, for a model to read; use causal");
    p.model.mask = MASK_CAUSAL;
    assert_int_equal(point_check(&p, &io, &shape, NULL, &m), STATUS_OK);
    p.task = task_find("gather");
    p.model.d_model = 65536;
    p.model.layers = 1024;
    assert_impossible(&p, POINT_FAULT_MEMORY, "model.d_model", "it would take about ");
    point_init(&p, task_find("gather"));
    p.train.examples = 100000000;
    p.train.test_examples = 1000000;
    ((int64_t *)(void *)p.task_options)[0] = 4096; /* length */
    assert_impossible(&p, POINT_FAULT_MEMORY, "model.d_model", "it would take about ");

    point_init(&p, &late_task);
    assert_impossible(&p, POINT_FAULT_POOL, "model.pool",
                      "model.pool is none, but task late has one target per sequence; use mean "
                      "or first");
    p.model.pool = POOL_FIRST;
    assert_int_equal(point_check(&p, &io, &shape, NULL, &m), STATUS_OK);
    assert_true(shape.chance == 0.25);
    ((struct late_options *)(void *)p.task_options)->extra = 9;
    assert_impossible(&p, POINT_FAULT_TASK, "task.extra", "task.extra is 9");
}

/* A weight of 0 asks for nothing: of which kind does not matter, and the identity is the old one.
 */
static void test_canonical_disagreement(void **state)
{
    (void)state;
    char plain[POINT_JSON_MAX], text[POINT_JSON_MAX];
    struct point p, back;
    struct message m;
    point_init(&p, task_find("copy"));
    point_json(&p, plain);
    p.train.disagreement = SIMILARITY_POSITION;
    point_json(&p, text);
    assert_string_equal(text, plain);
    p.train.disagreement_weight = 0.5;
    point_json(&p, text);
    assert_non_null(strstr(text, "\"disagreement\":{\"kind\":\"position\",\"weight\":0.5}"));
    assert_int_equal(point_parse(text, &back, &m), STATUS_OK);
    assert_int_equal(back.train.disagreement, SIMILARITY_POSITION);
    assert_true(back.train.disagreement_weight == 0.5);
    p.train.disagreement = SIMILARITY_OUTPUT; /* the default, left out */
    point_json(&p, text);
    assert_non_null(strstr(text, "\"disagreement\":{\"weight\":0.5}"));
    assert_int_equal(point_parse(text, &back, &m), STATUS_OK);
    assert_int_equal(back.train.disagreement, SIMILARITY_OUTPUT);
}

/* The sets of a file are no larger than its parts; a row takes its padding, a source its own. */
static void test_memory(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_parse_refused),
        cmocka_unit_test(test_parse_long),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_check_tasks),
        cmocka_unit_test(test_canonical_default),
        cmocka_unit_test(test_canonical_forms),
        cmocka_unit_test(test_canonical_disagreement),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
