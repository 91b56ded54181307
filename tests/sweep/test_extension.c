/* Values beyond those that a sweep file lists: the numbers, and the points that have them. */
#include "sweep/plan/extension.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/sweep/plan_help.h"
#include "tests/test.h"

TEST(test_numbers)
{
    static const struct {
        double outermost, neighbour, beyond;
    } cases[] = {
        {.01, .003, .033},  {.033, .01, .11}, {1e-3, 3e-3, 3.3e-4}, {3.3e-4, 1e-3, 1.1e-4},
        {1e-3, 1e-4, 1e-2}, {.1, .2, .05},    {.8, .4, 1.6},        {300, 100, 900},
        {1.01, 1, 0},       {1, 1.01, .99},   {.0101, .01, 0},      {1e-5, 1e-4, 1e-6},
        {1e308, 1e300, 0},  {9.4, 9.3, 9.5},  {9.41, 9.4, 0},       {1e-300, 1e-10, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double beyond = extension_beyond(cases[i].outermost, cases[i].neighbour);
        if (beyond != cases[i].beyond)
            fail_msg("beyond %.17g from %.17g: %.17g, should be %.17g", cases[i].outermost,
                     cases[i].neighbour, beyond, cases[i].beyond);
    }
}

/* Two tasks, a replicated axis, options that canonical points write otherwise (kv_heads equal to
 * heads, segments), a tuned word beside a tuned number, values under --set. */
#define SWEEP(rates, rest)                                                                         \
    "task: {name: [gather, pointers], length: 16}\n"                                               \
    "model: {d_model: 32, heads: [2, 4], kv_heads: [2, heads], pool: none}\n"                      \
    "train: {lr: " rates ", optimizer: [adamw, adam], schedule: {warmup: [0, 9]}}\n"               \
    "replicate: [train.schedule.warmup]\ntune: {axes: [train.optimizer, train.lr], extend: "       \
    "2}\n" rest

enum { PER_RATE = 4 }; /* optimizers and warmups vary faster than rates */

static struct extension *extension_of(const char *text)
{
    struct extension *e;
    struct message m;
    if (extension_new("s.yaml", text, NULL, 0, &e, &m) != STATUS_OK)
        fail_msg("refused:\n%s\n%s", text, m.text);
    return e;
}

/* Every point with one rate is found from that with another: the same bytes as the plan makes. */
TEST(test_same_as_planned)
{
    struct plan *p = plan_of(SWEEP("[.01, .033]", ""));
    struct extension *e = extension_of(SWEEP("[.003, .01]", ""));
    struct message m;
    char json[POINT_JSON_MAX], sha256[65];
    struct plan_text text, other;
    int found = 0;
    for (long i = 0; i < plan_points(p); i++) {
        plan_identity(p, i, json, sha256);
        plan_text(p, i, &text);
        if (!strstr(text.tuning, "0.01"))
            continue;
        const struct extension_point old = {json, text.setting, text.replicate, text.tuning};
        struct extended_point extended;
        if (extension_point(e, &old, "train.lr", .033, &extended, &m) != STATUS_OK)
            fail_msg("%s", m.text);
        assert_each(extended.possible, strcmp(extended.value, "0.033") == 0);
        plan_identity(p, i + PER_RATE, json, sha256);
        plan_text(p, i + PER_RATE, &other);
        assert_string_equal(other.setting, text.setting);
        assert_string_equal(extended.json, json);
        assert_string_equal(extended.sha256, sha256);
        found++;
    }
    assert_int_equal(found, plan_points(p) / 2);
    free_all(p);
    extension_free(e);
}

/* What a sweep file with `rest` says to so large a rate for the first point. */
static bool is_possible(const char *rest, double rate)
{
    char text[2048], json[POINT_JSON_MAX], sha256[65];
    struct plan_text name;
    struct extended_point extended;
    struct message m;
    snprintf(text, sizeof text, "%s%s", SWEEP("[.003, .01]", ""), rest);
    struct plan *p = plan_of(text);
    struct extension *e = extension_of(text);
    plan_identity(p, 0, json, sha256);
    plan_text(p, 0, &name);
    const struct extension_point old = {json, name.setting, name.replicate, name.tuning};
    if (extension_point(e, &old, "train.lr", rate, &extended, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    extension_free(e);
    free_all(p);
    return extended.possible;
}

TEST(test_forbidden)
{
    assert_each(is_possible("", .033), is_possible("", 1000));
    assert_false(is_possible("", 1001)); /* train.lr has its own end */
    static const char capped[] = "constraints: [\"train.lr <= .02 or task.name == 'pointers'\"]\n";
    assert_each(!is_possible(capped, .033), is_possible(capped, .02));
    assert_false(is_possible("constraints: [\"1 / (train.lr - .033) < 0\"]\n", .033));
    assert_false(is_possible("exclude: [{train.lr: [.033, .05]}]\n", .033));
    assert_false(is_possible("exclude: [{model.heads: 2, train.lr: .033}]\n", .033));
    assert_true(is_possible("exclude: [{model.heads: 4, train.lr: .033}]\n", .033));
    /* The point is asked as the file gives it: kv_heads is 2, though it is written `heads`. */
    assert_false(is_possible("exclude: [{model.kv_heads: 2, train.lr: .033}]\n", .033));
    assert_false(is_possible("constraints: [\"model.kv_heads != 2 or train.lr < .02\"]\n"
                             "exclude: [{model.kv_heads: heads}]\n",
                             .033));
}

TEST(test_refused)
{
    struct message m;
    struct extension *e = NULL;
    static const char bad[] = "task: {name: gather}\nmodell: {}\n";
    assert_int_equal(extension_new("s.yaml", bad, NULL, 0, &e, &m), STATUS_BAD_INPUT);
    assert_null(e);
    assert_non_null(strstr(m.text, "to be extended: s.yaml:2:1: unknown key 'modell'"));
    e = extension_of(SWEEP("[.003, .01]", ""));
    struct extended_point extended;
    const struct extension_point odd[] = {
        {"{}", "{}", "{}", "{}"},
        {"", "{}", "{}", "{}"},
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        assert_int_equal(extension_point(e, &odd[i], "train.lr", .033, &extended, &m),
                         STATUS_BAD_INPUT);
    /* Of another sweep: none that this file makes. */
    struct plan *p = plan_of("task: {name: sort}\n"), *q = plan_of("task: {name: gather}\n");
    char json[POINT_JSON_MAX], sha256[65];
    plan_identity(p, 0, json, sha256);
    const struct extension_point other = {json, "{}", "{}", "{}"};
    assert_int_equal(extension_point(e, &other, "train.lr", .033, &extended, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "the task sort, which the sweep file does not name");
    plan_identity(q, 0, json, sha256);
    assert_int_equal(extension_point(e, &other, "train.lr", .033, &extended, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "a configuration that the sweep file does not make: {"));
    free_all(p);
    free_all(q);
    extension_free(e);
}
