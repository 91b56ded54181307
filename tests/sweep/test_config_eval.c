/* The key eval of a sweep file: shifted test sets, and why a model cannot be given one. */
#include <stdlib.h>

#include "sweep/plan/shift.h"
#include "tests/sweep/config_help.h"

#define GATHER "task: {name: gather, slots: 2}\nmodel: {positions: none}\n"

TEST(test_sets_are_read_by_name)
{
    struct config *c = config_of("task: {name: gather}\n");
    assert_int_equal(c->evals, 0);
    assert_string_equal(c->eval_json, "{}");
    config_free(c);
    c = config_of(GATHER "eval:\n"
                         "  short.er_2: {offsets: [2, -1], length: 16}\n"
                         "  again: {}\n");
    assert_int_equal(c->evals, 2);
    assert_string_equal(c->eval[0].name, "again");
    assert_string_equal(c->eval[0].json, "{}");
    assert_int_equal(c->eval[1].options, 2);
    assert_string_equal(c->eval[1].option[1].name, "offsets");
    assert_string_equal(c->eval[1].json, "{\"length\":16,\"offsets\":[2,-1]}");
    assert_string_equal(c->eval_json,
                        "{\"again\":{},\"short.er_2\":{\"length\":16,\"offsets\":[2,-1]}}");
    config_free(c);
    c = config_of("task: {name: mqar}\nmodel: {positions: none}\n"
                  "eval: {x: {noise: .50, gaps: uniform}}\n");
    assert_string_equal(c->eval_json, "{\"x\":{\"gaps\":\"uniform\",\"noise\":0.5}}");
    config_free(c);
}

TEST(wrong_test_sets_are_refused)
{
    static const struct refusal list[] = {
        {GATHER "eval: [long]\n", "s.yaml:3:7: eval must be a mapping, not a list"},
        {GATHER "eval:\n", "s.yaml:3:6: eval must be a mapping, not empty"},
        {GATHER "eval: {long: 64}\n",
         "s.yaml:3:14: eval.long must be a mapping, not a single value"},
        {GATHER "eval: {'a b': {}}\n", "s.yaml:3:8: the name 'a b' of a test set must be 1 to 64 "
                                       "letters, digits, '.', '_', '-'"},
        {GATHER "eval: {a: {}, a: {}}\n",
         "s.yaml:3:15: duplicate key 'a'; it is already on line 3"},
        {GATHER "eval: {long: {lenght: 64}}\n",
         "s.yaml:3:15: unknown key 'lenght' under eval.long (did you mean length?)"},
        {GATHER "eval: {long: {name: copy}}\n", "s.yaml:3:15: unknown key 'name' under eval.long"},
        {GATHER "eval: {long: {lr: .1}}\n", "s.yaml:3:15: unknown key 'lr' under eval.long"},
        {"task: {name: [gather, copy]}\neval: {a: {slots: 4}}\n",
         "s.yaml:2:12: unknown key 'slots' under eval.a"},
        {GATHER "eval: {long: {length: [32, 64]}}\n",
         "s.yaml:3:23: eval.long.length must be a single value, not a list; give each value a test "
         "set of its own"},
        {GATHER "eval: {long: {length: 0}}\n", "s.yaml:3:23: task.length is 0; allowed: 1 to 4096"},
        {GATHER "eval: {long: {length: '64'}}\n", "s.yaml:3:23: task.length is \"64\", a quoted "
                                                  "string, where a number is expected; write it "
                                                  "without quotes; allowed: 1 to 4096"},
        {GATHER "eval: {a: {offsets: 3}}\n",
         "s.yaml:3:21: eval.a.offsets must be a list, not a single value; write [3]"},
        {GATHER "eval: {a: {offsets: [3, x]}}\n",
         "s.yaml:3:25: task.offsets is x, which is not a number; allowed: -4095 to 4095"},
    };
    ASSERT_ALL_REFUSED(list);
}

/* What is impossible for one point of the grid is told with the point. */
TEST(test_sets_that_a_point_cannot_have_are_refused)
{
    static const struct refusal list[] = {
        {"task: {name: gather}\nmodel: {heads: [1, 2]}\neval: {a: {}, long: {length: 64}}\n",
         "s.yaml:3:30: the test set long is impossible for the point model.heads=1: task.length is "
         "64 there, but model.positions: learned knows only the 32 positions of training; use "
         "sinusoidal, rotary or none"},
        {GATHER "eval: {more: {slots: 4}}\n", "s.yaml:3:22: the test set more is impossible: "
                                              "task.slots is 4 there, but a model trained on 2 can "
                                              "answer no other number; leave it out"},
        {GATHER "eval: {more: {vocab: 17}}\n", "s.yaml:3:8: the test set more is impossible: the "
                                               "input field token has 17 tokens there; a "
                                               "model trained on 16 has no embedding for others"},
        {"task: {name: hist}\nmodel: {positions: none}\neval: {long: {length: 64}}\n",
         "s.yaml:3:8: the test set long is impossible: targets have 64 classes there; a model "
         "trained on 32 has no output for others"},
        {GATHER "eval: {far: {offsets: [1, 2, 3]}}\n",
         "s.yaml:3:23: the test set far is impossible: task.offsets has 3 items and task.slots is "
         "2; make task.slots 3"},
        {"task: {name: gather, instance: 3}\nmodel: {positions: none}\neval: {a: {length: 64}}\n",
         "s.yaml:3:8: the test set a is impossible: task.instance 3 draws something else there "
         "than in training, as other options differ; train on task.instance 0, or name another "
         "instance for the test set"},
    };
    ASSERT_ALL_REFUSED(list);
}

static struct point point_of(const char *task, int64_t positions)
{
    struct point p;
    point_init(&p, task_find(task));
    p.model.positions = positions;
    return p;
}

TEST(a_shifted_point_has_the_options_of_its_test_set)
{
    struct message m;
    const char *fault;
    struct point shifted, p = point_of("gather", POSITIONS_SINUSOIDAL);
    char json[POINT_JSON_MAX], before[POINT_JSON_MAX];
    point_json(&p, before);
    assert_int_equal(
        point_shift(&p, "{\"length\":64,\"offsets\":[1,2,3,-61]}", &shifted, &fault, &m),
        STATUS_BAD_INPUT);
    assert_string_equal(fault, "offsets");
    assert_int_equal(
        point_shift(&p, "{\"length\":64,\"offsets\":[1,2,3,-4]}", &shifted, &fault, &m), STATUS_OK);
    point_json(&shifted, json);
    assert_non_null(strstr(json, "\"length\":64,\"offsets\":[1,2,3,-4],\"slots\":4"));
    point_json(&p, json);
    assert_string_equal(json, before);
    p.model.positions = POSITIONS_ROTARY;
    assert_int_equal(
        point_shift(&p, "{\"length\":64,\"offsets\":[1,2,3,-4]}", &shifted, &fault, &m), STATUS_OK);
    /* An instance of training is kept where its draw is, and where another one is named. */
    int64_t instance = 3;
    memcpy(p.task_options + option_find(p.task->options, "instance")->offset, &instance, 8);
    assert_int_equal(point_shift(&p, "{}", &shifted, &fault, &m), STATUS_OK);
    assert_int_equal(point_shift(&p, "{\"length\":64,\"instance\":4}", &shifted, &fault, &m),
                     STATUS_OK);
    assert_int_equal(point_shift(&p, "{\"length\":64,\"instance\":3}", &shifted, &fault, &m),
                     STATUS_BAD_INPUT);
}

/* What is stored may be anything. */
TEST(stored_test_sets_that_make_no_sense_are_refused)
{
    static const char *const bad[] = {"",
                                      "{",
                                      "[]",
                                      "{\"length\":64",
                                      "{\"length\":64}x",
                                      "{\"length\":\"64\"}",
                                      "{\"width\":1}",
                                      "{\"length\":{}}",
                                      "{\"length\":[1]}",
                                      "{\"offsets\":1}",
                                      "{\"length\":0}",
                                      "{\"length\":1e9}"};
    struct point shifted, p = point_of("gather", POSITIONS_NONE);
    const char *fault;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct message m = {""};
        if (point_shift(&p, bad[i], &shifted, &fault, &m) != STATUS_BAD_INPUT || !*m.text)
            fail_msg("taken: %s", bad[i]);
    }
}
