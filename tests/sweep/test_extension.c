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

/* ---- in the sweep file ---- */

static void assert_refused_so(const char *text, const char *expected)
{
    struct config *c;
    struct plan *p;
    struct message m;
    enum status s = config_parse("s.yaml", text, strlen(text), NULL, 0, &c, &m);
    if (s == STATUS_OK) {
        s = plan_new(c, NULL, 0, &p, &m);
        config_free(c);
    }
    if (s != STATUS_BAD_INPUT)
        fail_msg("not refused:\n%s", text);
    if (strncmp(m.text, expected, strlen(expected)) != 0)
        fail_msg("%s\nshould begin with\n%s", m.text, expected);
}

#define TASK "task: {name: gather}\n"

TEST(test_key)
{
    struct config *c = config_of(TASK "train: {lr: [1e-3, 1e-2]}\n"
                                      "tune: {axes: [train.lr], extend: 4}\n");
    assert_int_equal(c->extend, 4);
    config_free(c);
    c = config_of(TASK "train: {lr: [1e-3, 1e-2]}\ntune: [train.lr]\n");
    assert_int_equal(c->extend, 0);
    config_free(c);
    assert_refused_so(TASK "train: {lr: [1e-3, 1e-2]}\ntune: {axes: [train.lr], extend: 0}\n",
                      "s.yaml:3:34: tune.extend is 0; allowed: 1 to 32");
    assert_refused_so(
        TASK "train: {weight_decay: [.1, 0]}\n"
             "tune: {axes: [train.weight_decay], extend: 4}\n",
        "s.yaml:2:28: tune.extend continues the values of train.weight_decay by their ratio, so "
        "all must be numbers above 0; change them, or leave tune.extend out");
    assert_refused_so(TASK "train: {batch: [8, 16], lr: [1e-3, 1e-2]}\n"
                           "tune: {axes: [train.lr, train.batch], extend: 4}\n",
                      "s.yaml:3:25: train.batch takes whole numbers, which tune.extend cannot "
                      "extend; take it out of tune.axes, or leave tune.extend out");
    assert_refused_so(TASK "method: random\nsamples: 3\ntrain: {lr: {min: .1, max: 1}}\n"
                           "tune: {axes: [train.lr], extend: 4}\n",
                      "s.yaml:5:15: train.lr is drawn from a distribution, but tune.extend "
                      "extends only lists; list its values, or leave tune.extend out");
    assert_refused_so(TASK "train: {optimizer: [adamw, adam]}\n"
                           "tune: {axes: [train.optimizer], extend: 4}\n",
                      "s.yaml:3:33: tune.extend needs a tuned axis of real numbers, and there is "
                      "none; tune one, or leave tune.extend out");
    assert_refused_so(TASK "tune: {axes: [], extend: 4}\n", "s.yaml:2:18: tune.extend needs a");
    assert_refused_so(TASK "extend: 4\n",
                      "s.yaml:2:1: unknown key 'extend' (did you mean tune.extend?)");
}

/* ---- how many ---- */

TEST(test_counts)
{
    static const char text[] =
        "task: {name: gather, instance: [1, 2, 3]}\nmodel: {heads: [1, 2, 4]}\n"
        "train: {lr: [1e-3, 1e-2], weight_decay: [.1, .2], optimizer: [adamw, adam]}\n"
        "tune: {axes: [train.lr, train.weight_decay, train.optimizer], extend: 4}\n"
        "replicate: [task.instance]\nseeds: 1\n"
        "exclude: [{model.heads: 2, train.lr: 1e-2}, {model.heads: 4, train.lr: 1e-2},"
        " {model.heads: 4, train.weight_decay: .2}]\n";
    struct plan *p = plan_of(text);
    for (long i = 0; i < plan_points(p); i++) {
        struct point point;
        plan_point(p, i, &point);
        int64_t heads = point.model.heads;
        assert_int_equal(plan_beyond(p, i), heads == 1 ? 8 : heads == 2 ? 4 : 0);
        assert_int_equal(plan_group(p, i), heads == 1 ? 0 : heads == 2 ? 1 : 2);
    }
    free_all(p);
    /* 42 points, and 12 values with three instances each. */
    char capped[1024];
    struct config *c;
    struct message m;
    snprintf(capped, sizeof capped, "%srun_cap: 78\n", text);
    free_all(plan_of(capped));
    snprintf(capped, sizeof capped, "%srun_cap: 77\n", text);
    c = config_of(capped);
    assert_int_equal(plan_new(c, NULL, 0, &p, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "s.yaml:4:71: the sweep has 42 points, and tune.extend may add 36, "
                                "in all more than run_cap 77; lower tune.extend, shorten lists, or "
                                "raise run_cap");
    config_free(c);
    p = plan_of(TASK "train: {lr: [1e-3, 1e-2]}\ntune: [train.lr]\n");
    assert_each(plan_beyond(p, 0) == 0, plan_group(p, 1) == 0);
    free_all(p);
}

/* At one head kv_heads 1 and `heads` are the same model. Each may be given what the other has. */
TEST(test_alike)
{
#define ALIKE(tune, exclude)                                                                       \
    "task: {name: gather, length: 8, slots: 1}\n"                                                  \
    "model: {d_model: 32, heads: [1, 2], kv_heads: [1, heads]}\n"                                  \
    "train: {lr: [1e-3, 1e-2, 1e-1, 1], steps: 10}\n"                                              \
    "tune: {axes: [train.lr], seeds: 2" tune "}\n" exclude
    static const char *const refused[] = {
        ALIKE(", extend: 2", "exclude: [{model.kv_heads: 1, train.lr: [.1, 1]}]\n"),
        /* Only the first has an outermost number to go beyond. */
        ALIKE(", extend: 2", "exclude: [{model.kv_heads: 1, train.lr: 1}]\n"),
        /* Only the second has one. */
        ALIKE(", extend: 2", "exclude: [{model.kv_heads: 1, train.lr: [.01, .1, 1]}]\n")};
    static const char *const taken[] = {
        ALIKE("", "exclude: [{model.kv_heads: 1, train.lr: [.1, 1]}]\n"), ALIKE(", extend: 2", ""),
        ALIKE(", extend: 2", "exclude: [{model.kv_heads: 1, train.lr: [.1, 1]},"
                             " {model.kv_heads: heads, model.heads: 1}]\n"),
        /* Neither has one. */
        ALIKE(", extend: 2", "exclude: [{model.heads: 1, train.lr: [.1, 1]},"
                             " {model.kv_heads: 1, model.heads: 1, train.lr: .001}]\n")};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_refused_so(refused[i],
                          "s.yaml:4:44: tune.extend: kv_heads=1 and kv_heads=heads are the same "
                          "model with 1 head, so a value that is added to one may already be in "
                          "the other; exclude one of them at that head count");
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        free_all(plan_of(taken[i]));
#undef ALIKE
}

/* What an exclusion is for that fits no listed point. */
TEST(test_notes)
{
    static const char *const texts[] = {
        SWEEP("[.003, .01]", "exclude: [{model.heads: 2, train.lr: .033}]\n"),
        SWEEP("[.003, .01]", "exclude: [{model.heads: 8}]\n"),
    };
    for (int k = 0; k < 2; k++) {
        struct plan *p = plan_of(texts[k]);
        struct message m = {{0}};
        int i = 0;
        assert_int_equal(plan_note(p, &i, &m), k);
        free_all(p);
    }
}
