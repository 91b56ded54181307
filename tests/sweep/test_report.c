/* From rows in a results file to the report in every format. The whole text of tests/data/report is
 * what must come out; the numbers behind it are checked in test_stats.c and tests/verdicts, all
 * members of the JSON by the contract (tests/data/contract). */
#include "report_help.h"

FIXTURE(set_up, tear_down)

static void add_finding(struct fixture *f)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
}

/* With colour there is nothing new but escapes. */
TEST(test_color)
{
    add_finding(f);
    char *plain = report(f, REPORT_TEXT), *to;
    char *colored = to = report_on(f, REPORT, REPORT_TEXT, (struct text_page){.color = true});
    assert_null(strchr(plain, '\033'));
    for (const char *from = colored; *from; from++) {
        if (*from == '\033')
            from = strchr(from, 'm');
        else
            *to++ = *from;
    }
    assert_true(to < colored + strlen(colored));
    *to = '\0';
    assert_string_equal(plain, colored);
    free(plain);
    free(colored);
}

/* On a narrow terminal columns are left out, the least important first, and it says which. */
TEST(test_narrow)
{
    static const struct {
        int columns;
        const char *name;
    } pages[] = {{60, "gather-60.txt"}, {80, "gather-80.txt"}, {120, "gather.txt"}};
    add_finding(f);
    for (int i = 0; i < 3; i++)
        assert_file(pages[i].name, report_on(f, REPORT, REPORT_TEXT,
                                             (struct text_page){.columns = pages[i].columns}));
    assert_fits(f, REPORT, 50, 1);
}

/* Everything that is said, and nothing of more lines. */
TEST(test_explained)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{\"task.slots\":4}", "slots=4");
    f->explain = true;
    assert_file("explained.txt", report(f, REPORT_TEXT));
    add_gather(f, 5, "{\"task.slots\":5}", "slots=5");
    assert_file("explained.md", report(f, REPORT_MARKDOWN));
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
    assert_file("settings.txt", report(f, REPORT_TEXT));
    assert_fits(f, REPORT, 60, 20);
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
    assert_says(report(f, REPORT_MARKDOWN),
                "The claim is judged in each of 2 settings: confirmed in 1, not judged yet in 1.");
    sql(f, "UPDATE trial SET state = 'queued'");
    assert_says(report(f, REPORT_MARKDOWN),
                "The claim is judged in each of 2 settings: nothing has been judged yet.");
}

TEST(test_nothing_run)
{
    struct grid_point p = {4, 1, .003, "{}", "", "{}"};
    add_sweep(f, "'gather'", "[]", "NULL");
    add_config(f, 1, &p, 9488);
    add_trial(f, 1, 0, &p, "chosen", NAN);
    assert_file("nothing.txt", report(f, REPORT_TEXT));
}

/* Losses: less is better, on a scale of their own; a head count that met its limit has no mean. */
TEST(test_loss)
{
    add_finding(f);
    sql(f, "UPDATE sweep SET metric = 'val_loss', goal = 'minimize';"
           "UPDATE trial SET val_loss = 3 - 2.5 * val_acc, test_loss = 3 - 2.5 * test_acc;"
           "UPDATE trial SET state = 'failed', limit_hit = 1, test_acc = NULL WHERE trial_id = "
           "450001");
    assert_file("loss.txt", report(f, REPORT_TEXT));
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
    add_finding(f);
    replicate_instances(f);
    sql(f, "UPDATE sweep SET equivalence = 0.02");
    assert_file("replicate.txt", report(f, REPORT_TEXT));
}

/* What became of the plan while results could be seen stands above everything, by name. */
TEST(test_history)
{
    add_finding(f);
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
    char *text = report(f, REPORT_TEXT), *markdown = report(f, REPORT_MARKDOWN);
    *strstr(text, "\nheads") = '\0';
    assert_file("history.txt", text);
    assert_non_null(strstr(markdown, "\n- 6 ended trials of this sweep are outside the plan"));
    free(markdown);
}

TEST(test_failures)
{
    add_finding(f);
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
    add_finding(f);
    add_evaluations(f);
    assert_file("shifted.txt", report(f, REPORT_TEXT));
    assert_fits(f, REPORT, 60, 20);
    sql(f, "UPDATE sweep SET metric = 'val_loss', goal = 'minimize'");
    char *json = report(f, REPORT_JSON);
    assert_json(f, json, "$.settings[0].training", "[]");
    assert_json(f, json, "$.settings[0].shifted[11].n", "4");
    assert_json(f, json, "$.settings[0].shifted[11].mean_diff", "0.4");
    free(json);
    replicate_instances(f); /* seeds of one are no evidence of their own */
    json = report(f, REPORT_JSON);
    assert_json(f, json, "$.settings[0].shifted[6].n", "3");
    free(json);
}
