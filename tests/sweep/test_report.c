/* From rows in a results file to the report in every format. The whole text of tests/data/report is
 * what must come out; the numbers behind it are checked in test_stats.c and tests/verdicts, all
 * members of the JSON by the contract (tests/data/contract). */
#include "report_help.h"

/* CSV is the view, column by column, every digit. */
static void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-12 + 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", got, expected);
}

static void assert_csv(struct fixture *f)
{
    char *csv = report(f, REPORT_CSV, false), *rest = csv;
    sqlite3_stmt *view;
    assert_int_equal(
        sqlite3_prepare_v2(store_db(f->store), "SELECT * FROM by_heads", -1, &view, NULL),
        SQLITE_OK);
    int columns = sqlite3_column_count(view);
    for (int row = -1; row < 0 || sqlite3_step(view) == SQLITE_ROW; row++) {
        for (int i = 0; i < columns; i++) {
            const char *expected =
                row < 0 ? sqlite3_column_name(view, i) : (const char *)sqlite3_column_text(view, i);
            const char *got = strsep(&rest, i == columns - 1 ? "\n" : ",");
            if (row >= 0 &&
                sqlite3_column_type(view, i) == SQLITE_FLOAT) /* sums differ by SQLite */
                assert_near(strtod(got, NULL), sqlite3_column_double(view, i));
            else
                assert_string_equal(got, expected ? expected : "");
        }
    }
    assert_string_equal(rest, "");
    sqlite3_finalize(view);
    free(csv);
}

FIXTURE(set_up, tear_down)

TEST(test_exploratory)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    assert_file("gather.txt", report(f, REPORT_TEXT, false));
    assert_csv(f);
    assert_file("gather.md", report(f, REPORT_MARKDOWN, false));
}

/* No line is wider than a page, with colour there is nothing new but escapes. */
TEST(test_text)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    char *plain = report(f, REPORT_TEXT, false), *colored = report(f, REPORT_TEXT, true);
    assert_null(strchr(plain, '\033'));
    char *to = colored;
    for (const char *from = colored; *from; from++) {
        if (*from == '\033')
            from = strchr(from, 'm');
        else
            *to++ = *from;
    }
    assert_true(to < colored + strlen(colored));
    *to = '\0';
    assert_string_equal(plain, colored);
    for (char *rest = plain, *line; (line = strsep(&rest, "\n"));)
        assert_true(text_width(line) <= 100);
    free(plain);
    free(colored);
}

/* On a narrow terminal columns are left out, the least important first, and it says which. */
TEST(test_narrow)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    assert_file("gather-60.txt", report_on(f, REPORT_TEXT, (struct text_page){.columns = 60}));
    assert_file("gather-80.txt", report_on(f, REPORT_TEXT, (struct text_page){.columns = 80}));
    assert_file("gather.txt", report_on(f, REPORT_TEXT, (struct text_page){.columns = 120}));
    for (int columns = 50; columns <= 100; columns++)
        assert_fits(report_on(f, REPORT_TEXT, (struct text_page){.columns = columns}), columns);
}

/* Everything that is said, and nothing of more lines. */
TEST(test_explained)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{\"task.slots\":4}", "slots=4");
    f->explain = true;
    assert_file("explained.txt", report(f, REPORT_TEXT, false));
    add_gather(f, 5, "{\"task.slots\":5}", "slots=5");
    assert_file("explained.md", report(f, REPORT_MARKDOWN, false));
}

#define HASH "hex(zeroblob(32))"

/* Two settings in the order of the plan (not of their names), a claim that was changed, a diverged
 * trial, trials that are still queued or have left the plan. */
TEST(test_settings)
{
    add_sweep(f, "'gather'", "[]", "'{\"best\":4,\"over\":[1,32]}'");
    sql(f, "INSERT INTO plan_change (sweep_id, changed, pairs, added, removed, what, claim, seen,"
           " seen_outside, trials_ended, pairs_sha256) VALUES"
           " (1, '2025', 9, 9, 0, '{}', '{\"best\":1}', 0, 0, 0, " HASH "),"
           " (1, '2025', 9, 0, 0, '{}', (SELECT claim FROM sweep), 3, 0, 3, " HASH ")");
    add_gather(f, 8, "{\"task.slots\":8}", "slots=8");
    add_gather(f, 10, "{\"task.slots\":10}", "slots=10");
    sql(f, "UPDATE trial SET state = 'diverged', test_acc = NULL WHERE trial_id = 820001");
    sql(f, "UPDATE trial SET state = 'queued' WHERE trial_id = 1050000");
    sql(f, "UPDATE trial SET in_plan = 0 WHERE trial_id = 800004");
    sql(f, "UPDATE config SET n_params = 9999 WHERE config_id = 85");
    assert_file("settings.txt", report(f, REPORT_TEXT, false));
    for (int columns = 60; columns <= 100; columns += 20)
        assert_fits(report_on(f, REPORT_TEXT, (struct text_page){.columns = columns}), columns);
    char *json = report(f, REPORT_JSON, false);
    assert_json(f, json, "$.outside_plan[0].heads", "1");
    assert_json(f, json, "$.outside_plan[0].mean", "0.705");
    assert_json(f, json, "$.settings[0].verdict.claim_proof.status", "changed");
    assert_json(f, json, "$.settings[0].setting", "{\"task.slots\":8}");
    free(json);
}

/* A claim is not judged where nothing has ended; where some has, in the others. */
TEST(test_claim_not_judged_yet)
{
    add_sweep(f, "'gather'", "[]", "'{\"best\":4,\"over\":[1,32]}'");
    sql(f, "INSERT INTO plan_change (sweep_id, changed, pairs, added, removed, what, claim, seen,"
           " seen_outside, trials_ended, pairs_sha256) VALUES"
           " (1, '2025', 9, 9, 0, '{}', (SELECT claim FROM sweep), 0, 0, 0, " HASH ")");
    add_gather(f, 8, "{\"task.slots\":8}", "slots=8");
    add_gather(f, 10, "{\"task.slots\":10}", "slots=10");
    sql(f, "UPDATE trial SET state = 'queued' WHERE config_id >= 100");
    assert_says(report(f, REPORT_MARKDOWN, false),
                "The claim is judged in each of 2 settings: confirmed in 1, not judged yet in 1.");
    sql(f, "UPDATE trial SET state = 'queued'");
    assert_says(report(f, REPORT_MARKDOWN, false),
                "The claim is judged in each of 2 settings: nothing has been judged yet.");
}

TEST(test_nothing_run)
{
    struct grid_point p = {4, 1, .003, "{}", "", "{}"};
    add_sweep(f, "'gather'", "[]", "NULL");
    add_config(f, 1, &p, 9488);
    add_trial(f, 1, 0, &p, "chosen", NAN);
    assert_file("nothing.txt", report(f, REPORT_TEXT, false));
    free(report(f, REPORT_MARKDOWN, false));
    free(report(f, REPORT_JSON, false));
}

/* Losses: less is better, on a scale of their own; a head count that met its limit has no mean. */
TEST(test_loss)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    sql(f, "UPDATE sweep SET metric = 'val_loss', goal = 'minimize';"
           "UPDATE trial SET val_loss = 3 - 2.5 * val_acc, test_loss = 3 - 2.5 * test_acc;"
           "UPDATE trial SET state = 'failed', limit_hit = 1, test_acc = NULL WHERE trial_id = "
           "450001");
    assert_file("loss.txt", report(f, REPORT_TEXT, false));
}

/* Two seeds on each of two instances, one on a third. */
static void replicate_instances(struct fixture *f)
{
    sql(f, "UPDATE sweep SET replicate = '[\"task.instance\"]';"
           "UPDATE trial SET replicate = '{\"task.instance\":' || (seed / 2) || '}';"
           "INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance,"
           "  config_json) SELECT config_id + 1000 * value, printf('%%064d', config_id + 1000 * "
           "value),"
           "  n_params, flops_per_step, chance, json_set(config_json, '$.task.options.instance', "
           "value)"
           "  FROM config, json_each('[1,2]') AS i;"
           "UPDATE trial SET config_id = config_id + 1000 * (seed / 2)");
}

/* Five seeds on three instances are three values, with two components of their variance. */
TEST(test_replicate)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    replicate_instances(f);
    sql(f, "UPDATE sweep SET equivalence = 0.02");
    assert_file("replicate.txt", report(f, REPORT_TEXT, false));
}

/* Two looks: the interval of a difference is wider, and later seeds are not there yet. */
TEST(test_looks)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    sql(f, "UPDATE sweep SET looks = '[3,5]'; UPDATE trial SET look = 2 WHERE seed > 2");
    char *json = report(f, REPORT_JSON, false);
    assert_json(f, json, "$.settings[0].verdict.heads[0].n", "3");
    assert_json(f, json, "$.settings[0].verdict.comparisons[0].ci_level", "0.975");
    free(json);
    char *text = report(f, REPORT_TEXT, false);
    assert_non_null(strstr(text, "97.5% interval"));
    free(text);
}

/* What became of the plan while results could be seen stands above everything, by name. */
TEST(test_history)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    sql(f,
        "INSERT INTO plan_change (sweep_id, changed, pairs, added, removed, what, claim, seen,"
        " seen_outside, trials_ended, pairs_sha256) VALUES"
        " (1, '2025-01-02T10:00:00.000Z', 30, 30, 0, '{}', NULL, 0, 0, 0, " HASH "),"
        " (1, '2025-01-03T10:00:00.000Z', 30, 0, 0, '{}', NULL, 0, 0, 0, " HASH "),"
        " (1, '2025-01-04T10:00:00.000Z', 28, 3, 5, '{\"heads_added\":[],\"heads_removed\":[1,64],"
        "\"seeds_added\":[7],\"seeds_removed\":[],\"points_added\":0}', NULL, 30, 0, 30, " HASH "),"
        " (1, '2025-01-05T10:00:00.000Z', 28, 1, 0, '{\"heads_added\":\"\\u001b\"}',"
        " '{\"best\":4}', 1, 0, 1, " HASH "),"
        " (1, '2025-01-06T10:00:00.000Z', 28, 0, 0, '{\"rules\":[\"looks\",\"equivalence\"]}',"
        " '{\"best\":4}', 2, 0, 2, " HASH "),"
        " (1, '2025-01-07T10:00:00.000Z', 28, 0, 1, '{\"rules\":[\"tune\"]}', NULL, 2, 0, 2, " HASH
        ");"
        "UPDATE trial SET in_plan = 0 WHERE seed = 4;"
        "UPDATE trial SET state = 'diverged', test_acc = NULL WHERE trial_id IN (400004, 450004)");
    char *text = report(f, REPORT_TEXT, false), *markdown = report(f, REPORT_MARKDOWN, false);
    *strstr(text, "\nheads") = '\0';
    assert_file("history.txt", text);
    assert_non_null(strstr(markdown, "\n- 6 ended trials of this sweep are outside the plan"));
    free(markdown);
}

TEST(test_failures)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    for (int format = REPORT_TEXT; format <= REPORT_MARKDOWN; format++) {
        assert_int_equal(report_write(f->store, 1, (enum report_format)format, false,
                                      (struct text_page){0}, full, &f->message),
                         STATUS_DISK_FULL);
        clearerr(full);
    }
    add_second(f, "'second'");
    for (int format = REPORT_TEXT; format <= REPORT_MARKDOWN; format++) {
        assert_int_equal(report_write_several(f->store, (int64_t[]){1, 2}, 2,
                                              (enum report_format)format, (struct text_page){0},
                                              full, &f->message),
                         STATUS_DISK_FULL);
        clearerr(full);
    }
    fclose(full);
    assert_int_equal(report_write_several(f->store, (int64_t[]){1, 7}, 2, REPORT_TEXT,
                                          (struct text_page){0}, stdout, &f->message),
                     STATUS_BAD_INPUT);
    assert_int_equal(
        report_write(f->store, 7, REPORT_TEXT, false, (struct text_page){0}, stdout, &f->message),
        STATUS_BAD_INPUT);
    sql(f, "DROP TABLE t_quantile");
    assert_int_equal(
        report_write(f->store, 1, REPORT_JSON, false, (struct text_page){0}, stdout, &f->message),
        STATUS_INTERNAL);
    assert_non_null(strstr(f->message.text, "t_quantile"));
}

/* Two test sets, one of which a trial lacks and has in another wording; one that is not asked for
 * any more. */
static void add_evaluations(struct fixture *f)
{
    sql(f, "UPDATE sweep SET eval = '{\"again\":{},\"long\":{\"length\":64}}'");
    sql(f, "UPDATE trial SET train_acc = min(1, test_acc + .01 + .001 * seed),"
           " checkpoint = trial_id || '.safetensors'");
    sql(f, "INSERT INTO evaluation (trial_id, name, options, acc, exact, loss)"
           " SELECT trial_id, 'again', '{}', test_acc, .5, .5 FROM trial UNION ALL"
           " SELECT trial_id, 'long', '{\"length\": 64}', test_acc / 2 + .01 * (seed %% 2), .1, .9"
           " FROM trial WHERE trial_id <> 450000 UNION ALL"
           " SELECT trial_id, 'long', '{\"length\":128}', 0, 0, 9 FROM trial UNION ALL"
           " SELECT trial_id, 'gone', '{}', 0, 0, 9 FROM trial");
}

TEST(test_shifted)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    add_evaluations(f);
    assert_file("shifted.txt", report(f, REPORT_TEXT, false));
    assert_file("shifted.md", report(f, REPORT_MARKDOWN, false));
    assert_file("shifted.csv", report(f, REPORT_CSV, false));
    for (int columns = 60; columns <= 100; columns += 20)
        assert_fits(report_on(f, REPORT_TEXT, (struct text_page){.columns = columns}), columns);
    char *json = report(f, REPORT_JSON, false);
    assert_json(f, json, "$.settings[0].shifted[11].n", "4");
    free(json);
    sql(f, "UPDATE sweep SET metric = 'val_loss', goal = 'minimize'");
    json = report(f, REPORT_JSON, false);
    assert_json(f, json, "$.settings[0].training", "[]");
    assert_json(f, json, "$.settings[0].shifted[11].mean", "0.9");
    assert_json(f, json, "$.settings[0].shifted[11].mean_diff", "0.4");
    free(json);
}

/* Units are instances: seeds of one are no evidence of their own. */
TEST(test_shifted_replicates)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    add_evaluations(f);
    replicate_instances(f);
    char *json = report(f, REPORT_JSON, false);
    assert_json(f, json, "$.settings[0].shifted[6].n", "3");
    free(json);
}
