/* Shifted test sets of a point, by their JSON (tests/sweep_files/eval.case: by the key eval). */
#include <stdlib.h>

#include "sweep/plan/shift.h"
#include "tests/sweep/config_help.h"

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
