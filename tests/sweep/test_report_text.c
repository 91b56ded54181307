/* Reports on learning from a user's file: losses of a text in bits per byte too, with its blocks as
 * a sample, and labels one by one. */
#include "report_help.h"

/* The trials of gather become such of a text: 8 blocks, some of them harder, some of them at more
 * than one head only. */
static void make_text(struct fixture *f)
{
    sql(f,
        "UPDATE sweep SET metric = 'val_loss', goal = 'minimize', question = 'How many heads for "
        "this text?';"
        "UPDATE config SET config_json = json_set(json_remove(config_json, '$.task.options'),"
        " '$.task.name', 'text', '$.task.options', json('{\"classes\":256,\"entropy\":3.1,"
        "\"instance\":0,\"length\":32,\"majority\":0.16,\"mode\":\"lm\",\"rows\":0,\"sha256\":\""
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\",\"size\":123456}'));"
        "UPDATE trial SET chance = 0.16, test_exact = 0, val_loss = 3 - 2 * val_acc"
        " WHERE state = 'completed';"
        "WITH RECURSIVE n (b) AS (SELECT 0 UNION ALL SELECT b + 1 FROM n WHERE b < 7)"
        "INSERT INTO block_loss (trial_id, block, loss)"
        " SELECT trial_id, b, 3 - 2 * test_acc + 0.1 * (b %% 4) - 0.15"
        "        + iif(heads > 1, 0.05 * (b / 4) - 0.025, 0) + 0.001 * ((seed * b) %% 5)"
        "   FROM n, trial JOIN config USING (config_id) WHERE state = 'completed';"
        "UPDATE trial SET test_loss = (SELECT avg(loss) FROM block_loss AS b"
        " WHERE b.trial_id = trial.trial_id) WHERE state = 'completed'");
}

static void add_text(struct fixture *f)
{
    add_sweep(f, "'text'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    make_text(f);
}

static void test_text(void **state)
{
    struct fixture *f = *state;
    add_text(f);
    assert_file("text.txt", report(f, REPORT_TEXT, false));
    assert_file("text.md", report(f, REPORT_MARKDOWN, false));
    char *json = report(f, REPORT_JSON, false);
    assert_json(f, json, "$.metric", "test_loss");
    free(json);
    assert_file("text.csv", report(f, REPORT_CSV, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_text, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
