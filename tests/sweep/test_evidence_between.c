/* Which settings of a results file are held against each other, and what they are called. */
#include "store_help.h"

#include "scope_help.h"
#include "sweep/evidence/evidence.h"

#include "tests/test.h"

#define YAML(model, rest)                                                                          \
    "name: plain\n"                                                                                \
    "task: {name: gather, length: 16, vocab: 8, slots: 2}\n"                                       \
    "model: {d_model: 32, layers: 1, " model "}\n"                                                 \
    "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\nseeds: 2\n" rest

/* "kv_heads=1|kv_heads=8|d_ff=64|8" and "!" where it is claimed, a line for each pair. */
static void list_pairs(struct scope *in, int64_t sweep, char *text, size_t size)
{
    const struct evidence *e = evidence_read(in, sweep);
    const struct evidence_pairs pairs = evidence_pair_settings(in, e);
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < pairs.count; i++) {
        const struct between_pair *p = &pairs.pair[i];
        used += (size_t)snprintf(text + used, size - used, "%s%s|%s|%s|%d\n", p->claimed ? "!" : "",
                                 p->sides.name[0], p->sides.name[1], p->sides.same,
                                 (int)p->sides.heads);
        assert_each(p->of[0].planned == 2, p->of[1].planned == 2);
        assert_true(p->of[0].in->heads[p->of[0].heads].heads == p->sides.heads);
        assert_true(p->of[1].in->heads[p->of[1].heads].heads == p->sides.heads);
    }
    if (pairs.too_many)
        snprintf(text + used, size - used, "too many\n");
}

static void assert_pairs(struct fixture *x, const char *yaml, const char *expected)
{
    char text[8192];
    struct store *s = open_store(x, STORE_WRITE);
    int64_t sweep = plan_into(x, s, yaml).sweep_id;
    assert_ok(IN_SCOPE(in, s, &x->m, list_pairs(in, sweep, text, sizeof text)));
    assert_string_equal(text, expected);
    run_sql(store_db(s), "DELETE FROM sweep");
    close_store(x, s);
}

FIXTURE(set_up, tear_down)

/* One axis apart, at each head count that both have. */
TEST(settings_one_axis_apart_are_compared)
{
    assert_pairs(x,
                 YAML("heads: [2, 8], kv_heads: [1, 2, 8], d_ff: [16, 32]",
                      "constraints: ['model.heads % model.kv_heads == 0', 'model.d_ff == 16 or "
                      "model.heads == 8']\n"),
                 "kv_heads=1|kv_heads=2|d_ff=16|2\n"
                 "kv_heads=1|kv_heads=2|d_ff=16|8\n"
                 "d_ff=16|d_ff=32|kv_heads=1|8\n"
                 "kv_heads=1|kv_heads=8|d_ff=16|8\n"
                 "d_ff=16|d_ff=32|kv_heads=2|8\n"
                 "kv_heads=2|kv_heads=8|d_ff=16|8\n"
                 "kv_heads=1|kv_heads=2|d_ff=32|8\n"
                 "kv_heads=1|kv_heads=8|d_ff=32|8\n"
                 "kv_heads=2|kv_heads=8|d_ff=32|8\n"
                 "d_ff=16|d_ff=32|kv_heads=8|8\n");
}

TEST(one_setting_or_a_random_sweep_has_no_pairs)
{
    assert_pairs(x, YAML("heads: [1, 2], d_ff: 16", ""), "");
    assert_pairs(x, YAML("heads: [1, 2], d_ff: [16, 32]", "method: random\nsamples: 4\n"), "");
}

/* Accuracies on different tasks are not alike. */
TEST(settings_of_different_tasks_are_not_compared)
{
    assert_pairs(x,
                 "name: plain\n"
                 "task: {name: gather, length: 16, vocab: 8, slots: [2, 3]}\n"
                 "model: {d_model: 32, layers: 1, heads: 4, d_ff: [16, 32]}\n"
                 "train: {steps: 100, eval_every: 50}\nseeds: 2\n",
                 "d_ff=16|d_ff=32|slots=2|4\nd_ff=16|d_ff=32|slots=3|4\n");
    assert_pairs(x,
                 "name: plain\n"
                 "task: {name: [gather, hist], length: 16}\n"
                 "model: {d_model: 32, layers: 1, heads: 4}\n"
                 "train: {steps: 100, eval_every: 50}\nseeds: 2\n",
                 "");
}

/* What one of them does not have hangs on the axis in which they differ. */
TEST(options_that_one_setting_lacks_may_differ)
{
    assert_pairs(x,
                 YAML("heads: 4, d_ff: 32, d_head: 8, form: [cut, segments],"
                      " segment_width: [4, 8], segment_overlap: true",
                      ""),
                 "form=cut|form=segments, segment_width=4||4\n"
                 "form=cut|form=segments, segment_width=8||4\n"
                 "segment_width=4|segment_width=8|form=segments|4\n");
}

/* At 4 heads a split d_model of 32 is a width of 8: nothing to compare, but for a claim. */
TEST(equal_models_are_compared_only_for_a_claim)
{
    assert_pairs(x, YAML("heads: [2, 4], d_ff: 32, d_head: [split, 8]", ""),
                 "d_head=split|d_head=8||2\n");
    assert_pairs(x,
                 YAML("heads: [2, 4], d_ff: 32, d_head: [split, 8]",
                      "claim: {better: {model.d_head: 8}, than: {model.d_head: split}, heads: 4}"),
                 "!d_head=8|d_head=split||4\nd_head=split|d_head=8||2\n");
}

/* Named as in the headings of the settings, in their order. */
TEST(pairs_are_named_as_in_the_headings_of_settings)
{
    assert_pairs(x,
                 "name: plain\n"
                 "task: {name: gather, length: 16, vocab: 8, slots: 2}\n"
                 "model: {d_model: 32, layers: 1, heads: 4, d_ff: 32, d_head: 8, form: segments,"
                 " segment_width: 8, segment_overlap: [true, false]}\n"
                 "train: {steps: 100, eval_every: 50, lr: [1e-5, 0.02]}\nseeds: 2\n",
                 "lr=0.00001|lr=0.02|segment_overlap=true|4\n"
                 "segment_overlap=true|segment_overlap=false|lr=0.00001|4\n"
                 "segment_overlap=true|segment_overlap=false|lr=0.02|4\n"
                 "lr=0.00001|lr=0.02|segment_overlap=false|4\n");
}

/* First, once for each combination of the other axes; several axes at once, and words. */
TEST(claimed_pairs_come_first)
{
    assert_pairs(x,
                 YAML("heads: [2, 8], kv_heads: [1, 2], d_ff: [16, 32]",
                      "claim: {better: {model.kv_heads: 2}, than: {model.kv_heads: 1}, heads: 8}"),
                 "!kv_heads=2|kv_heads=1|d_ff=16|8\n"
                 "!kv_heads=2|kv_heads=1|d_ff=32|8\n"
                 "d_ff=16|d_ff=32|kv_heads=1|2\n"
                 "d_ff=16|d_ff=32|kv_heads=1|8\n"
                 "kv_heads=1|kv_heads=2|d_ff=16|2\n"
                 "kv_heads=1|kv_heads=2|d_ff=32|2\n"
                 "d_ff=16|d_ff=32|kv_heads=2|2\n"
                 "d_ff=16|d_ff=32|kv_heads=2|8\n");
    assert_pairs(x,
                 YAML("heads: [2], kv_heads: [1, heads], d_ff: [16, 32]",
                      "claim: {better: {model.kv_heads: heads, model.d_ff: 16},"
                      " than: {model.kv_heads: 1, model.d_ff: 32}, heads: 2}"),
                 "!kv_heads=heads, d_ff=16|kv_heads=1, d_ff=32||2\n"
                 "d_ff=16|d_ff=32|kv_heads=1|2\n"
                 "kv_heads=1|kv_heads=heads|d_ff=16|2\n"
                 "kv_heads=1|kv_heads=heads|d_ff=32|2\n"
                 "d_ff=16|d_ff=32|kv_heads=heads|2\n");
    assert_pairs(x,
                 YAML("heads: 4, d_ff: 32, d_head: 8, form: [cut, segments],"
                      " segment_width: [4, 8], segment_overlap: true",
                      "claim: {better: {model.form: segments}, than: {model.form: cut}, heads: 4}"),
                 "!form=segments, segment_width=4|form=cut||4\n"
                 "!form=segments, segment_width=8|form=cut||4\n"
                 "segment_width=4|segment_width=8|form=segments|4\n");
}

/* Of 32 settings in one axis 496 pairs differ, of 33 there are 528. */
TEST(of_too_many_pairs_only_the_claimed_are_compared)
{
    for (int n = 32; n <= 33; n++) {
        char yaml[1024], list[256] = "", text[32768];
        for (int i = 1; i <= n; i++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%d", i > 1 ? ", " : "",
                     8 * i);
        snprintf(yaml, sizeof yaml,
                 YAML("heads: 2, d_ff: [%s]",
                      "claim: {better: {model.d_ff: 16}, than: {model.d_ff: 8}, heads: 2}\n"),
                 list);
        struct store *s = open_store(x, STORE_WRITE);
        int64_t sweep = plan_into(x, s, yaml).sweep_id;
        assert_ok(IN_SCOPE(in, s, &x->m, list_pairs(in, sweep, text, sizeof text)));
        int lines = 0;
        for (const char *c = text; *c; c++)
            lines += *c == '\n';
        assert_int_equal(lines, n == 32 ? 496 : 2);
        if (n == 33)
            assert_string_equal(text, "!d_ff=16|d_ff=8||2\ntoo many\n");
        run_sql(store_db(s), "DELETE FROM sweep");
        close_store(x, s);
    }
}
