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

/* Whether an expression over a JSON text is true, by SQLite's own reader. */
static void assert_answer(struct fixture *f, const char *json, const char *expression)
{
    char query[1024];
    sqlite3_stmt *statement;
    snprintf(query, sizeof query, "SELECT %s", expression);
    assert_int_equal(sqlite3_prepare_v2(store_db(f->store), query, -1, &statement, NULL),
                     SQLITE_OK);
    sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    if (sqlite3_column_int(statement, 0) != 1)
        fail_msg("%s is false", expression);
    sqlite3_finalize(statement);
}

static void add_text(struct fixture *f)
{
    add_sweep(f, "'text'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    make_text(f);
}

FIXTURE(set_up, tear_down)

TEST(test_text)
{
    add_text(f);
    assert_file("text.txt", report(f, REPORT_TEXT, false));
    assert_file("text.md", report(f, REPORT_MARKDOWN, false));
    assert_file("text.csv", report(f, REPORT_CSV, false));
}

/* Both units of a loss; three intervals, of which that over both is the comparison's. */
TEST(test_text_json)
{
    add_text(f);
    char *json = report(f, REPORT_JSON, false);
    const char *const expected[][2] = {
        {"$.metric", "test_loss"},
        {"$.settings[0].verdict.guess", "3.1"},
        {"$.settings[0].verdict.comparisons[0].blocks", "8"},
        {"$.settings[0].verdict.comparisons[0].over.seeds.df", "4"},
        {"$.settings[0].verdict.comparisons[0].over.blocks.df", "7"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_json(f, json, expected[i][0], expected[i][1]);
    assert_answer(f, json,
                  "abs(?1 ->> '$.settings[0].verdict.heads[0].mean_bits' * ln(2) - 1.5827) < 1e-9");
    assert_answer(f, json, "abs(?1 ->> '$.settings[0].verdict.guess_bits' * ln(2) - 3.1) < 1e-9");
    assert_answer(f, json,
                  "abs(c ->> '$.mean_diff_bits' * ln(2) - (c ->> '$.mean_diff')) < 1e-9 AND"
                  " abs(c ->> '$.ci_low_bits' * ln(2) - (c ->> '$.ci_low')) < 1e-9 AND"
                  " c ->> '$.ci_low' = c ->> '$.over.both.ci_low' AND"
                  " c ->> '$.ci_high' = c ->> '$.over.both.ci_high' AND"
                  " c ->> '$.p' = c ->> '$.over.both.p' AND"
                  " c ->> '$.ci_low' <= min(c ->> '$.over.seeds.ci_low',"
                  "                         c ->> '$.over.blocks.ci_low') AND"
                  " c ->> '$.p' >= max(c ->> '$.over.seeds.p', c ->> '$.over.blocks.p')"
                  " FROM (SELECT ?1 -> '$.settings[0].verdict.comparisons[0]' AS c)");
    free(json);
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
    assert_file("labels.txt", report(f, REPORT_TEXT, false));
    assert_file("labels.md", report(f, REPORT_MARKDOWN, false));
    assert_file("labels.csv", report(f, REPORT_CSV, false));
    char *json = report(f, REPORT_JSON, false);
    assert_json(f, json, "$.settings[0].labels[0].label", "neg");
    assert_json(f, json, "$.settings[0].labels[0].heads", "1");
    assert_json(f, json, "$.settings[0].labels[1].label", "neither, nor");
    assert_json(f, json, "$.settings[0].labels[17].heads", "32");
    assert_json(f, json, "$.settings[0].labels[17].n_rows", "42");
    assert_answer(f, json, "abs(?1 ->> '$.settings[0].labels[0].mean' - 0.7094 * 0.99) < 1e-9");
    free(json);
}

/* Head counts that recognise every label have no worst one. */
TEST(test_labels_all_recognised)
{
    add_labels(f, "[\"neg\",\"pos\"]");
    sql(f, "UPDATE label_acc SET acc = 1 WHERE trial_id IN (SELECT trial_id FROM trial JOIN config"
           " USING (config_id) WHERE heads <> 2 AND heads <> 8)");
    char *text = report(f, REPORT_MARKDOWN, false);
    const char *worst = strstr(text, "Recognised worst: ");
    assert_non_null(worst);
    assert_non_null(strstr(worst, " with 2 heads (0."));
    assert_non_null(strstr(worst, " with 8 heads (0."));
    assert_null(strstr(worst, "1.000)"));
    free(text);
    sql(f, "UPDATE label_acc SET acc = 0.99951");
    text = report(f, REPORT_MARKDOWN, false);
    assert_non_null(strstr(text, "Test accuracy of each label"));
    assert_null(strstr(text, "Recognised worst"));
    free(text);
}

/* Labels that differ in spaces alone can be told apart. */
TEST(test_labels_with_spaces)
{
    add_labels(f, "[\"neg\",\"neg \"]");
    char *text = report(f, REPORT_TEXT, false);
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
    char *text = report(f, REPORT_TEXT, false);
    assert_file("labels-many.txt", strdup(strstr(text, "Test accuracy of each label")));
    free(text);
}
