/* Points: their canonical JSON, reading it back, and which of them mean the same. */
#include <stdio.h>

#include "engine/base/sha256.h"
#include "tests/sweep/config_help.h"

TEST(test_options)
{
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
TEST(test_json)
{
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
TEST(test_round_trip)
{
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
TEST(test_parse_refused)
{
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
        {"{\"name\":\"cosine\",\"warmup\":0}", "\"cosine\"",
         "train.schedule is not an option of this program"},
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
TEST(test_parse_long)
{
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

/* Of gather at its defaults, as the first version of this program wrote it. */
#define GATHER_SHA256 "c91d3a5ed71763e1dcf04902637ab0d3205a92901b4d246a0372dbb4278b1257"

/* Options of heads that came later: each of these lists computes what a model that never mentions
 * them computes, and is it. */
TEST(test_canonical_default)
{
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
TEST(test_canonical_forms)
{
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

/* A weight of 0 asks for nothing: of which kind does not matter, and the identity is the old one.
 */
TEST(test_canonical_disagreement)
{
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
