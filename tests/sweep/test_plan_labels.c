/* What the points of a plan are called: the setting that each belongs to, and its label for people.
 */
#include <stdio.h>

#include "tests/sweep/plan_help.h"

TEST(test_settings)
{
    struct plan_text name;
    struct plan *p = plan_of("task: {name: [gather, recall], slots: [1, 2]}\n"
                             "model: {heads: [1, 2], d_head: [split, 8]}\n"
                             "train: {lr: [1e-3, 3e-3], schedule: {name: [linear, cosine]}}\n"
                             "tune: [train.lr]\n");
    plan_text(p, 0, &name);
    assert_string_equal(name.setting, "{\"model.d_head\":\"split\",\"task.name\":\"gather\","
                                      "\"task.slots\":1,\"train.schedule.name\":\"linear\"}");
    assert_string_equal(name.label, "task=gather, slots=1, d_head=split, schedule=linear");
    assert_string_equal(name.tuning, "{\"train.lr\":0.001}");
    plan_text(p, plan_points(p) - 1, &name);
    assert_string_equal(name.label, "task=recall, slots=2, d_head=8, schedule=cosine");
    assert_string_equal(name.tuning, "{\"train.lr\":0.003}");
    free_all(p);
    p = plan_of(GATHER "model: {heads: [1, 2], norm: [pre]}\n");
    plan_text(p, 1, &name);
    assert_string_equal(name.setting, "{}");
    assert_string_equal(name.label, "");
    assert_string_equal(name.tuning, "{}");
    free_all(p);

    /* Options that make no difference to a point are no part of what it is called. */
    p = plan_of(GATHER
                "model: {form: [project, segments], segment_width: [4, 8], heads: [2, 4],\n"
                "  segment_overlap: [false, true], d_model: 32}\n"
                "tune: [train.lr]\ntrain: {lr: [1e-3, 3e-3]}\n"
                "exclude: [{model.form: project, model.heads: 2, model.segment_width: 4}]\n");
    assert_int_equal(plan_points(p), 20);
    for (long i = 0; i < 4; i++) { /* heads 2 is left of width 8, heads 4 of width 4 */
        plan_text(p, i, &name);
        assert_string_equal(name.setting, "{\"model.form\":\"project\"}");
        assert_string_equal(name.label, "form=project");
        assert_int_equal(plan_candidates(p, i), 2);
    }
    plan_text(p, plan_points(p) - 1, &name);
    assert_string_equal(name.setting, "{\"model.form\":\"segments\",\"model.segment_overlap\":true,"
                                      "\"model.segment_width\":8}");
    assert_string_equal(name.label, "form=segments, segment_width=8, segment_overlap=true");
    free_all(p);
}

TEST(test_full_labels)
{
    static const struct {
        const char *label, *tuning, *full;
    } cases[] = {
        {"", "{}", ""},
        {"slots=4", "{}", "slots=4"},
        {"slots=4", "", "slots=4"},
        {"", "{\"train.lr\":0.001,\"model.norm\":\"pre\"}", "lr=0.001, norm=pre"},
        {"slots=4", "{\"train.lr\":0.001}", "slots=4, lr=0.001"},
        {"", "{\"model.x\":1,\"train.x\":2}", "model.x=1, train.x=2"},
        {"", "{\"train.a.name\":\"b\"}", "train.a.name=b"},
        {"", "{\"task.file\":\"a,b: {c}.txt\",\"train.lr\":1}", "file=a,b: {c}.txt, lr=1"},
        {"x=1", "{\"task.file\":\"\\\"{\\\\\"}", "x=1, file=\"{\\"},
        {"", "{\"task.x\":\"\",\"task.y\":[1,-1]}", "x=, y=[1, -1]"},
    };
    char text[64], cut[8];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan_full_label(cases[i].label, cases[i].tuning, text, sizeof text);
        assert_string_equal(text, cases[i].full);
        plan_full_label(cases[i].label, cases[i].tuning, cut, sizeof cut);
        assert_memory_equal(cut, cases[i].full, strlen(cut));
        assert_true(strlen(cut) == sizeof cut - 1 || strlen(cut) == strlen(text));
    }
}

/* Settings are written down in a fixed room; what could outgrow it is refused beforehand. */
TEST(test_settings_too_long)
{
    char text[4096] = "method: random\nsamples: 3\ntask:\n  name: gather\n  slots: 64\n"
                      "  length: 4096\n  offsets:\n";
    struct plan_text name;
    size_t used = strlen(text);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 64; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d%s", i ? "" : "    - [",
                                     -4000 + i + k, i < 63 ? "," : "]\n");
    struct plan *p = plan_of(text);
    plan_text(p, 0, &name);
    assert_int_equal(strlen(name.setting), strlen("{\"task.offsets\":[]}") + 64 * 6 - 1);
    free_all(p);
    snprintf(text + used, sizeof text - used,
             "model:\n"
             "  d_ff: [10, 100]\n"
             "  layers: [1, 2]\n"
             "  d_k: [d_head, 8]\n"
             "  d_v: [d_head, 8]\n"
             "  norm: [pre, post]\n"
             "  activation: [gelu, relu]\n"
             "  positions: [learned, sinusoidal]\n"
             "  init: [pytorch, xavier]\n"
             "  dropout: [0, 0.00012345678901234567]\n"
             "train:\n"
             "  lr: [1, 0.00012345678901234567]\n"
             "  beta1: [0, 0.00012345678901234567]\n"
             "  beta2: [0, 0.00012345678901234567]\n"
             "  epsilon: [1, 0.00012345678901234567]\n"
             "  clip: [0, 0.00012345678901234567]\n"
             "  weight_decay: [0, 0.00012345678901234567]\n"
             "  val_examples: [1, 10]\n"
             "  test_examples: [1, 10]\n"
             "  eval_every: [1, 10]\n"
             "  examples: [1, 10]\n"
             "  steps: [9, 10]\n"
             "  batch: [1, 10]\n"
             "  optimizer: [adam, adamw]\n"
             "  schedule:\n"
             "    warmup: [0, 1]\n"
             "    name: [cosine, constant]\n");
    assert_refused(
        text, "s.yaml:36:11: too much varies at once: the names and longest values of the axes up "
              "to train.schedule.name take more than 1024 characters; split the sweep");
}
