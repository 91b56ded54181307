/* Reports on learning from a user's file: losses of a text in bits per byte too, with its blocks as
 * a sample, and labels one by one. */
#include "report_help.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* The trials of gather become such of a text: 8 blocks, some of them harder, some of them at more
 * than one head only. */
static void make_text(struct fixture *f)
{
    sql(f,
        "UPDATE sweep SET metric = 'val_loss', goal = 'minimize', question = 'How many heads for "
        "this text?';"
        "UPDATE config SET config_json = json_set(json_remove(config_json, '$.task.options'),"
        " '$.task.name', 'text', '$.task.options', json('{\"classes\":256,\"entropy\":3.1,"
        "\"instance\":0,\"length\":32,\"majority\":0.16,\"mode\":\"lm\",\"rows\":0,\"sha256\":"
        "\"" SHA "\",\"size\":123456}'));"
        "INSERT INTO data_file (path, options, sha256, size, mtime_ns, facts, read_ns) VALUES"
        " ('/home/of/nobody/a.txt', '{}', '" SHA "', 123456, 1, '{}', 2);"
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

FIXTURE(set_up, tear_down)

TEST(test_text)
{
    add_sweep(f, "'text'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    make_text(f);
    assert_file("text.txt", report(f, REPORT_TEXT));
}

/* The trials of gather become such of a classification. */
static void add_labels(struct fixture *f, const char *labels)
{
    add_sweep(f, "'reviews'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    sql(f,
        "UPDATE sweep SET question = 'How many heads for these reviews?';"
        "UPDATE config SET config_json = json_set(json_remove(config_json, '$.task.options'),"
        " '$.task.name', 'text', '$.task.options', json('{\"classes\":3,\"entropy\":1.0,"
        "\"instance\":0,\"length\":32,\"majority\":0.4,\"mode\":\"classify\",\"rows\":1200,"
        "\"sha256\":\"" SHA "\",\"size\":123456}'));"
        "INSERT INTO label_acc (trial_id, label, n, acc)"
        " SELECT trial_id, value, 40 + 2 * key, test_acc * (1 - 0.01 * ((3 * key + heads) %% 7))"
        "   FROM json_each('%s'), trial JOIN config USING (config_id) WHERE state = 'completed'",
        labels);
}

TEST(test_labels)
{
    add_labels(f, "[\"neg\",\"pos\",\"neither, nor\"]");
    assert_file("labels.txt", report(f, REPORT_TEXT));
}

/* Head counts that recognise every label have no worst one. */
TEST(test_labels_all_recognised)
{
    add_labels(f, "[\"neg\",\"pos\"]");
    sql(f, "UPDATE label_acc SET acc = 1 WHERE trial_id IN (SELECT trial_id FROM trial JOIN config"
           " USING (config_id) WHERE heads <> 2 AND heads <> 8)");
    char *text = report(f, REPORT_MARKDOWN);
    const char *worst = strstr(text, "Recognised worst: ");
    assert_non_null(worst);
    assert_non_null(strstr(worst, " with 2 heads (0."));
    assert_non_null(strstr(worst, " with 8 heads (0."));
    assert_null(strstr(worst, "1.000)"));
    free(text);
    sql(f, "UPDATE label_acc SET acc = 0.99951");
    text = report(f, REPORT_MARKDOWN);
    assert_non_null(strstr(text, "Test accuracy of each label"));
    assert_null(strstr(text, "Recognised worst"));
    free(text);
}

/* Labels that differ in spaces alone can be told apart. */
TEST(test_labels_with_spaces)
{
    add_labels(f, "[\"neg\",\"neg \"]");
    char *text = report(f, REPORT_TEXT);
    assert_non_null(strstr(text, "\n\"neg \" "));
    assert_non_null(strstr(text, "\nneg "));
    assert_non_null(strstr(text, "\"neg \" with "));
    free(text);
}

/* Of many labels, those that are recognised worst. */
TEST(test_many_labels)
{
    add_labels(f, "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\",\"k\",\"l\","
                  "\"m\",\"n\",\"o\",\"p\",\"q\",\"r\",\"a label whose name is rather long\"]");
    char *text = report(f, REPORT_TEXT);
    assert_file("labels-many.txt", strdup(strstr(text, "Test accuracy of each label")));
    free(text);
}
