/* Claims: that good ones are read and written in one way, and that every bad one is refused at its
 * place. */
#include "plan_help.h"

#define AXES                                                                                       \
    "task: {name: gather, slots: [2, 3]}\n"                                                        \
    "model: {d_model: 16, heads: [1, 2, 8], kv_heads: [1, 2, 8], d_ff: [16, 32], layers: 1}\n"     \
    "train: {lr: [1e-3, 1e-2], batch: [8, 16], steps: 20}\n"                                       \
    "constraints: ['model.heads % model.kv_heads == 0', 'model.heads > 1 or model.d_ff == 16']\n"
#define TUNED AXES "tune: [train.lr]\nreplicate: [train.batch]\n"
#define PLAIN "task: {name: gather}\nmodel: {d_model: 16, heads: [1, 2], kv_heads: [1, 2]}\n"
#define CLAIM "claim: {better: {model.kv_heads: 1}, than: {model.kv_heads: 8}, heads: 8}\n"

static void assert_text(const char *yaml, const char *claim)
{
    struct plan *p = plan_of(yaml);
    assert_string_equal(plan_claim(p), claim);
    free_all(p);
}

/* One text for what means the same. */
TEST(claims_that_mean_the_same_have_one_text)
{
    assert_text(AXES, "");
    assert_text(AXES "claim: {over: [8, 1], best: 2}\n", "{\"best\":2,\"over\":[1,8]}");
    assert_text(AXES CLAIM, "{\"better\":{\"model.kv_heads\":1},\"heads\":8,\"than\":{"
                            "\"model.kv_heads\":8}}");
    assert_text(TUNED "claim: {heads: 8, than: {model.d_ff: 32, model.kv_heads: 2},"
                      " better: {model.kv_heads: 1, model.d_ff: 16}}\n",
                "{\"better\":{\"model.d_ff\":16,\"model.kv_heads\":1},\"heads\":8,\"than\":{"
                "\"model.d_ff\":32,\"model.kv_heads\":2}}");
    assert_text(AXES "claim: {better: {train.lr: 0.001}, than: {train.lr: 1e-2}, heads: 1}\n",
                "{\"better\":{\"train.lr\":0.001},\"heads\":1,\"than\":{\"train.lr\":0.01}}");
    struct config *c = config_of(AXES CLAIM);
    assert_int_equal(c->claim.axes, 1);
    assert_string_equal(c->claim.axis[0], "model.kv_heads");
    assert_true(c->has_claim && c->claim.heads == 8 && c->claim.over_count == 0);
    config_free(c);
}

/* What hangs on the axis may differ: a slice has no width of segments. */
TEST(a_claim_may_compare_forms_of_different_options)
{
    assert_text("task: {name: gather}\n"
                "model: {d_model: 32, heads: 4, d_head: 8, form: [cut, segments],"
                " segment_width: [4, 8]}\n"
                "claim: {better: {model.form: segments}, than: {model.form: cut}, heads: 4}\n",
                "{\"better\":{\"model.form\":\"segments\"},\"heads\":4,\"than\":{\"model.form\":"
                "\"cut\"}}");
}

TEST(wrong_claims_are_refused)
{
    static const struct refusal list[] = {
        {PLAIN "claim: {}\n", "s.yaml:3:8: missing key 'best' under claim"},
        {PLAIN "claim: {best: 1}\n", "s.yaml:3:8: missing key 'over' under claim"},
        {PLAIN "claim: {heads: 8}\n", "s.yaml:3:8: missing key 'better' under claim"},
        {PLAIN "claim: {heads: 8, better: {model.kv_heads: 1}}\n",
         "s.yaml:3:8: missing key 'than' under claim"},
        {PLAIN "claim: {better: {model.kv_heads: 1}, than: {model.kv_heads: 2}}\n",
         "s.yaml:3:8: missing key 'heads' under claim"},
        {PLAIN "claim: {best: 1, over: [2], heads: 8}\n",
         "s.yaml:3:8: a claim is of head counts, {best: 4, over: [1, 16]}, or of two settings, "
         "{better: {model.kv_heads: 1}, than: {model.kv_heads: 8}, heads: 8}; write one of them"},
        {PLAIN "claim: {better: 3, than: {model.kv_heads: 2}, heads: 8}\n",
         "s.yaml:3:17: claim.better must be a mapping, not a single value"},
        {PLAIN "claim: {better: {model.kv_heads: 1}, than: [2], heads: 8}\n",
         "s.yaml:3:44: claim.than must be a mapping, not a list"},
        {PLAIN "claim: {better: {}, than: {}, heads: 8}\n",
         "s.yaml:3:17: claim.better is empty; name the axes by which the settings differ, as in "
         "{model.kv_heads: 1}"},
        {PLAIN "claim: {better: {model.kv_head: 1}, than: {model.kv_heads: 2}, heads: 2}\n",
         "s.yaml:3:18: there is no option 'model.kv_head' (did you mean model.kv_heads?)"},
        {PLAIN "claim: {better: {model.kv_heads: 0}, than: {model.kv_heads: 2}, heads: 2}\n",
         "s.yaml:3:34: model.kv_heads is 0; allowed: 1 to 65536, or heads"},
        {PLAIN "claim: {better: {model.kv_heads: [1]}, than: {model.kv_heads: 2}, heads: 2}\n",
         "s.yaml:3:34: model.kv_heads must be a single value, not a list"},
        {PLAIN "claim: {better: {model.kv_heads: 1}, than: {model.d_ff: 2}, heads: 2}\n",
         "s.yaml:3:45: claim.than names model.d_ff, which claim.better does not; both must name "
         "the same axes"},
        {AXES "claim: {better: {model.kv_heads: 1, model.d_ff: 16}, than: {model.d_ff: 32},"
              " heads: 2}\n",
         "s.yaml:5:60: claim.than lacks model.kv_heads, which claim.better names; both must name "
         "the same axes"},
        {PLAIN "claim: {better: {model.kv_heads: 1}, than: {model.kv_heads: 2}, heads: 0}\n",
         "s.yaml:3:72: claim.heads is 0; allowed: 1 to 65536"},
        {PLAIN "claim: {better: {model.heads: 1}, than: {model.heads: 2}, heads: 2}\n",
         "s.yaml:3:18: settings are compared at one head count, claim.heads, so model.heads cannot "
         "differ; to compare head counts, write {best: 4, over: [1, 16]}"},
        {AXES "claim: {better: {task.slots: 2}, than: {task.slots: 3}, heads: 2}\n",
         "s.yaml:5:18: settings that differ in task.slots cannot be compared: accuracies on "
         "different tasks are not alike; name options of model or train"},
        {AXES "claim: {better: {task.name: gather}, than: {task.name: hist}, heads: 2}\n",
         "s.yaml:5:18: settings that differ in task.name cannot be compared: accuracies on "
         "different tasks are not alike; name options of model or train"},
        {TUNED "claim: {better: {train.lr: 1e-3}, than: {train.lr: 1e-2}, heads: 2}\n",
         "s.yaml:7:18: train.lr is tuned, so settings cannot differ in it: each is compared at its "
         "own best value; name another axis"},
        {TUNED "claim: {better: {train.batch: 8}, than: {train.batch: 16}, heads: 2}\n",
         "s.yaml:7:18: train.batch is replicated, so settings cannot differ in it: each is "
         "compared over all values; name another axis"},
        {PLAIN "claim: {better: {model.layers: 1}, than: {model.layers: 2}, heads: 2}\n",
         "s.yaml:3:18: model.layers has only one value, so no two settings differ in it"},
        {PLAIN "train: {lr: [1e-3, 0.001]}\nconstraints: ['model.heads >= model.kv_heads']\n"
               "claim: {better: {train.lr: 1e-3}, than: {train.lr: 0.001}, heads: 2}\n",
         "s.yaml:5:18: train.lr has only one value, so no two settings differ in it"},
        {PLAIN "looks: [5, 10]\n"
               "claim: {better: {model.kv_heads: 1}, than: {model.kv_heads: 2}, heads: 2}\n",
         "s.yaml:4:1: a claim of settings cannot be used with looks, because each setting may stop "
         "at a different look; write seeds in place of looks"},
        {PLAIN "method: random\nsamples: 3\n"
               "claim: {better: {model.kv_heads: 1}, than: {model.kv_heads: 2}, heads: 2}\n",
         "s.yaml:5:1: a claim of settings needs method: grid: settings that are drawn are not "
         "compared"},
        /* By the plan. */
        {AXES "claim: {better: {model.kv_heads: 4}, than: {model.kv_heads: 2}, heads: 2}\n",
         "s.yaml:5:34: model.kv_heads 4 is not among the values of the sweep"},
        {AXES "claim: {better: {model.kv_heads: 2}, than: {model.kv_heads: 4}, heads: 2}\n",
         "s.yaml:5:61: model.kv_heads 4 is not among the values of the sweep"},
        {AXES "claim: {better: {train.lr: .001}, than: {train.lr: 1e-3}, heads: 2}\n",
         "s.yaml:5:18: claim.better and claim.than are the same setting"},
        {AXES "claim: {better: {model.kv_heads: 1}, than: {model.kv_heads: 2}, heads: 1}\n",
         "s.yaml:5:72: claim.than: no point of the sweep has model.kv_heads=2 with 1 head"},
        {AXES "claim: {better: {model.kv_heads: 1}, than: {model.kv_heads: 2}, heads: 4}\n",
         "s.yaml:5:72: claim.better: no point of the sweep has model.kv_heads=1 with 4 heads"},
        {AXES "exclude: [{model.kv_heads: 1, model.d_ff: 32}, {model.kv_heads: 2, model.d_ff: "
              "16}]\n"
              "claim: {better: {model.kv_heads: 1}, than: {model.kv_heads: 2}, heads: 8}\n",
         "s.yaml:6:18: no two settings with 8 heads differ only in the axes of claim.better and "
         "claim.than; add to both the other axes in which they differ"},
    };
    ASSERT_ALL_REFUSED(list);
}
