/* Sweeps side by side: what is paired with what, and what is said of it. And names, of one sweep
 * and of several, which are other people's text. */
#include "report_help.h"

static char *compared(struct fixture *f, enum report_format format)
{
    return report_on(f, COMPARED, format, (struct text_page){0});
}

FIXTURE(set_up, tear_down)

/* Paired where seeds and task are the same, unpaired where not; head counts that only
 * one sweep has; what differs, once. */
TEST(test_compare)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    add_second(f, "'gather-fast'");
    sql(f, "DELETE FROM trial WHERE trial_id = 100000000 + 430004"); /* 8 heads: a seed less */
    sql(f, "UPDATE config SET config_json = json_set(config_json, '$.task.options.vocab', 32)"
           " WHERE config_id = 144");                                   /* 16: another task */
    sql(f, "DELETE FROM trial WHERE sweep_id = 2 AND config_id = 145"); /* 32: not there */
    sql(f, "UPDATE config SET config_json = json_set(config_json, '$.model.heads', 3)"
           " WHERE config_id = 141"); /* 2 is 3 */
    sql(f, "UPDATE trial SET state = 'queued' WHERE trial_id = 100000000 + 400004");
    assert_file("compare.txt", compared(f, REPORT_TEXT));
    assert_file("compare.md", compared(f, REPORT_MARKDOWN));
    assert_file("compare.csv", compared(f, REPORT_CSV));
    assert_fits(f, COMPARED, 50, 1);
    char *json = compared(f, REPORT_JSON);
    assert_json(f, json, "$.sweeps[1].sweep", "gather-fast");
    assert_json(f, json, "$.sweeps[1].ended", "23");
    assert_json(f, json, "$.differences[1].option", "train.lr");
    assert_json(f, json, "$.differences[1].values[0]", "0.003");
    assert_json(f, json, "$.rows[5].heads", "4");
    assert_json(f, json, "$.rows[5].test", "paired");
    assert_json(f, json, "$.rows[5].against", "gather");
    free(json);
}

/* Trials that diverged count as guesses, which is told as in the report of their sweep. */
TEST(test_compare_diverged)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    add_second(f, "'gather-fast'");
    char *before = compared(f, REPORT_TEXT);
    assert_null(strstr(before, "failed"));
    free(before);
    sql(f, "UPDATE trial SET state = 'diverged', best_step = NULL, train_acc ="
           " NULL, val_acc = NULL, val_loss = NULL, test_acc = NULL, test_exact = NULL, test_loss ="
           " NULL WHERE sweep_id = 2 AND (config_id = 142 OR trial_id = 100000000 + 430001)");
    assert_file("compare-failed.txt", compared(f, REPORT_TEXT));
    assert_fits(f, COMPARED, 50, 1);
}

/* Settings of the same name stand together; a sweep of one setting stands beside all. */
TEST(test_compare_settings)
{
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 1, "{\"task.slots\":1}", "slots=1");
    add_gather(f, 2, "{\"task.slots\":2}", "slots=2");
    add_second(f, "'gather-fast'");
    sql(f, "UPDATE trial SET setting = '{\"task.slots\":3}', setting_label = 'slots=3'"
           " WHERE sweep_id = 2 AND config_id BETWEEN 120 AND 129");
    char *json = compared(f, REPORT_JSON);
    assert_json(f, json, "$.rows[0].setting_label", "slots=1");
    assert_json(f, json, "$.rows[1].test", "paired");
    assert_json(f, json, "$.rows[12].setting_label", "slots=2");
    assert_json(f, json, "$.rows[12].sweep", "gather");
    assert_json(f, json, "$.rows[18].setting_label", "slots=3");
    assert_json(f, json, "$.rows[18].sweep", "gather-fast");
    assert_json(f, json, "$.rows[23].heads", "32");
    free(json);
    sql(f, "DELETE FROM trial WHERE sweep_id = 2 AND config_id >= 120;"
           "UPDATE trial SET setting = '{}', setting_label = '' WHERE sweep_id = 2");
    json = compared(f, REPORT_JSON);
    assert_json(f, json, "$.rows[1].test", "paired");
    assert_json(f, json, "$.rows[13].setting_label", "slots=2");
    assert_json(f, json, "$.rows[13].sweep", "gather-fast");
    assert_json(f, json, "$.rows[13].test", "welch");
    free(json);
}

/* Names are other people's text. */
TEST(test_hostile_name)
{
    add_sweep(f, "'a\"b\\c' || char(27) || '[2J' || char(10) || ',|x*'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    char *text = report_on(f, REPORT, REPORT_TEXT, (struct text_page){.color = true}),
         *csv = report(f, REPORT_CSV);
    char *markdown = report(f, REPORT_MARKDOWN), *json = report(f, REPORT_JSON);
    assert_null(strstr(text, "\033[2J"));
    assert_non_null(strstr(text, "a\"b\\c?[2J?,|x*"));
    assert_non_null(strstr(csv, "\n\"a\"\"b\\c\033[2J\n,|x*\",{}"));
    assert_non_null(strstr(markdown, "# a\"b\\\\c?\\[2J?,\\|x\\*\n"));
    assert_json(f, json, "$.sweep", "a\"b\\c\033[2J\n,|x*");
    free(text);
    free(csv);
    free(markdown);
    free(json);
    add_second(f, "'b|' || char(27) || '[2J'");
    text = compared(f, REPORT_TEXT);
    markdown = compared(f, REPORT_MARKDOWN);
    json = compared(f, REPORT_JSON);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "A is a\"b\\c?[2J?,|x*, B is b|?[2J."));
    assert_non_null(strstr(markdown, "B is b\\|?\\[2J."));
    assert_json(f, json, "$.sweeps[1].sweep", "b|\033[2J");
    free(text);
    free(markdown);
    free(json);
}
