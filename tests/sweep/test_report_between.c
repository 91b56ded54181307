/* Settings against each other, as a report shows them. */
#include "report_help.h"

/* Of each seed; of settings with 2, 4 and 8 heads. */
static const double wide[5] = {.99, .97, .98, 1.0, .96}, narrow[5] = {.90, .93, .85, .95, .88},
                    middle[5] = {.93, .96, .90, .97, .91};

/* A setting at one head count; acc < 0: diverged. */
static void add_setting(struct fixture *f, int config, int heads, int kv_heads, int d_ff,
                        const double acc[5])
{
    char setting[80], label[40];
    snprintf(setting, sizeof setting, "{\"model.d_ff\":%d,\"model.kv_heads\":%d}", d_ff, kv_heads);
    snprintf(label, sizeof label, "kv_heads=%d, d_ff=%d", kv_heads, d_ff);
    const struct grid_point p = {4, heads, .003, setting, label, "{}"};
    add_config(f, config, &p, 9488);
    sql(f,
        "UPDATE config SET config_json = json_set(config_json, '$.model.d_ff', %d,"
        " '$.model.kv_heads', %d) WHERE config_id = %d",
        d_ff, kv_heads, config);
    for (int seed = 0; seed < 5; seed++)
        add_trial(f, config, seed, &p, "chosen", acc[seed]);
}

/* Nine settings at 8 heads: 18 pairs differ in one axis, of which eight are shown. */
static void add_grid(struct fixture *f)
{
    static const int kv_heads[3] = {1, 2, 8}, d_ff[3] = {16, 32, 64};
    const double *acc[3][3] = {
        {wide, wide, middle}, {wide, middle, narrow}, {middle, narrow, narrow}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            add_setting(f, 3 * i + k + 1, 8, kv_heads[i], d_ff[k], acc[i][k]);
}

static char *between_on(struct fixture *f, enum report_format format)
{
    return report_on(f, BETWEEN, format, (struct text_page){0});
}

static void add_claim(struct fixture *f, const char *claim, int seen)
{
    sql(f,
        "UPDATE sweep SET claim = '%s';"
        "INSERT INTO plan_change (sweep_id, changed, pairs, added, removed, what, claim, seen,"
        " seen_outside, trials_ended, pairs_sha256) VALUES"
        " (1, '2025', 45, 45, 0, '{}', '%s', %d, 0, %d, hex(zeroblob(32)))",
        claim, claim, seen, seen);
}

FIXTURE(set_up, tear_down)

TEST(all_pairs_of_a_grid_are_reported)
{
    add_sweep(f, "'kv'", "[]", "NULL");
    add_grid(f);
    assert_file("between.txt", report(f, REPORT_TEXT));
    assert_file("between.md", between_on(f, REPORT_MARKDOWN));
    assert_fits(f, REPORT, 70, 10);
}

#define CLAIM "{\"better\":{\"model.kv_heads\":1},\"heads\":8,\"than\":{\"model.kv_heads\":8}}"

/* Each combination of the other axes by itself. */
TEST(a_claim_is_reported_for_each_value_of_other_axes)
{
    add_sweep(f, "'kv'", "[]", "NULL");
    add_grid(f);
    add_claim(f, CLAIM, 0);
    sql(f, "UPDATE trial SET state = 'queued', test_acc = NULL WHERE trial_id = 10003");
    assert_file("between-claim.txt", report(f, REPORT_TEXT));
    sql(f, "DELETE FROM plan_change");
    add_claim(f, CLAIM, 7);
    char *json = report(f, REPORT_JSON);
    assert_json(f, json, "$.between.claims[0].claim_proof.status", "late");
    assert_json(f, json, "$.between.claims[0].prediction", "0");
    assert_json(f, json, "$.between.comparisons[0].comparisons", "18");
    free(json);
}

#define WRONG "{\"better\":{\"model.kv_heads\":8},\"heads\":8,\"than\":{\"model.kv_heads\":1}}"

/* Shown to be worse is shown, whether the claim was first or late. */
TEST(a_wrong_claim_is_shown_to_be_worse_even_if_late)
{
    add_sweep(f, "'kv'", "[]", "NULL");
    add_setting(f, 1, 8, 1, 16, wide);
    add_setting(f, 2, 8, 8, 16, narrow);
    for (int late = 0; late < 2; late++) {
        add_claim(f, WRONG, late ? 10 : 0);
        char *text = report(f, REPORT_TEXT);
        assert_non_null(strstr(text, late ? "Exploratory finding: kv_heads=8 is worse than"
                                          : "Claim contradicted: kv_heads=8 is significantly"));
        assert_non_null(strstr(text, "-0.078  *  [-0.122, -0.034]"));
        assert_non_null(strstr(text, "Shown to be better: 1 of 1."));
        free(text);
        sql(f, "DELETE FROM plan_change");
    }
}

/* Losses of a text are in bits per byte too. */
TEST(losses_of_a_text_are_in_bits_per_byte_too)
{
    add_sweep(f, "'kv'", "[]", "NULL");
    add_setting(f, 1, 8, 1, 16, wide);
    add_setting(f, 2, 8, 8, 16, narrow);
    sql(f, "UPDATE sweep SET metric = 'val_loss', goal = 'minimize';"
           "UPDATE trial SET test_loss = test_acc, val_loss = test_acc;"
           "UPDATE config SET config_json = json_set(config_json, '$.task.name', 'text',"
           " '$.task.options', json('{\"mode\":\"lm\",\"entropy\":3.1}'))");
    assert_file("between-loss.txt", between_on(f, REPORT_TEXT));
}

/* Pairs that have no test: neither is better than guessing, or nothing differs. */
TEST(pairs_at_chance_or_all_equal_are_not_tested)
{
    static const double guess[5] = {.0625, .0624, .0626, .0625, .0625}, one[5] = {1, 1, 1, 1, 1};
    add_sweep(f, "'kv'", "[]", "NULL");
    add_setting(f, 1, 8, 1, 16, guess);
    assert_says(between_on(f, REPORT_TEXT), "No two settings that differ in one axis have results");
    add_setting(f, 2, 8, 2, 16, guess);
    assert_file("between-even.txt", between_on(f, REPORT_TEXT));
    assert_says(report(f, REPORT_TEXT),
                "Between settings\n1 pair of settings is at chance or all equal.");
    add_setting(f, 3, 4, 1, 16, one);
    add_setting(f, 4, 4, 2, 16, one);
    assert_says(between_on(f, REPORT_TEXT), "2 pairs of settings are at chance or all equal.");
    add_setting(f, 5, 2, 1, 16, wide);
    add_setting(f, 6, 2, 2, 16, narrow);
    assert_file("between-some-even.txt", between_on(f, REPORT_TEXT));
    assert_says(report(f, REPORT_TEXT),
                "Shown to be better: 1 of 1.\n2 more pairs are at chance or all equal.");
}
