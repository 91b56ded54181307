/* What came of learning from a text: losses of its blocks and accuracies of its labels, from the
 * result to the tables, and what `check` promises of them. */
#include "store_help.h"

#include "sweep/trials/store_check.h"

#define SHA    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define BLOCKS ",\"block_loss\":[0.5,0,0.25]"
#define LABELS                                                                                     \
    ",\"label_acc\":[{\"label\":\"neg\",\"n\":30,\"acc\":0.25},"                                   \
    "{\"label\":\"a \\\"b\\\"\",\"n\":10,\"acc\":0.75}]"

/* A completed trial's result with further members, in a buffer that the next call overwrites. */
static const char *result_with(double acc, const char *members)
{
    static char text[2048];
    const char *plain = result_of(acc);
    snprintf(text, sizeof text, "%.*s%s}", (int)strlen(plain) - 1, plain, members);
    return text;
}

/* All configurations become such of task text. */
static void make_text(sqlite3 *db, const char *mode)
{
    char sql[600];
    snprintf(sql, sizeof sql,
             "UPDATE config SET config_json = json_set(config_json, '$.task.name', 'text',"
             " '$.task.options', json_object('mode', '%s', 'sha256', '" SHA "', 'size', 10))",
             mode);
    run_sql(db, sql);
}

static const char ALL_BLOCKS[] =
    "SELECT group_concat(trial_id || ' ' || block || ' ' || loss, ', ') FROM block_loss";
static const char ALL_LABELS[] =
    "SELECT group_concat(trial_id || ' ' || label || ' ' || n || ' ' || acc, ', ') FROM label_acc";

FIXTURE(set_up, tear_down)

TEST(a_result_brings_its_parts)
{
    struct run r = start(x, SWEEP("[1, 2, 4]", "seeds: 1\n"));
    struct claimed lm = claim(x, r.s, r.sweep, r.build), rows = claim(x, r.s, r.sweep, r.build);
    /* Left by a hand that queued the trial again. */
    run_sql(r.db, "INSERT INTO block_loss VALUES (1, 0, 9), (1, 3, 9);"
                  "INSERT INTO label_acc VALUES (2, 'neg', 1, 1), (2, 'pos', 1, 1)");
    assert_true(finish(x, r.s, &lm, result_with(.5, BLOCKS ",\"label_acc\":null")));
    assert_true(finish(x, r.s, &rows, result_with(.375, LABELS ",\"block_loss\":null")));
    assert_answer(r.db, ALL_BLOCKS, "1 0 0.5, 1 1 0.0, 1 2 0.25");
    assert_answer(r.db, ALL_LABELS, "2 a \"b\" 10 0.75, 2 neg 30 0.25");
    struct claimed toy = claim(x, r.s, r.sweep, r.build);
    assert_true(finish(x, r.s, &toy, result_of(.5)));
    assert_false(finish(x, r.s, &lm, result_with(.5, LABELS))); /* it has ended */
    assert_answer(r.db, "SELECT count(*) FROM block_loss", "3");
    assert_answer(r.db, "SELECT count(*) FROM label_acc", "2");
}

TEST(impossible_parts_are_refused)
{
    static const char *const parts[] = {
        ",\"block_loss\":[0.5,null]",
        ",\"block_loss\":[1e999]",
        ",\"block_loss\":[\"much\"]",
        ",\"block_loss\":[[1]]",
        ",\"label_acc\":[{\"label\":\"neg\",\"n\":30}]",
        ",\"label_acc\":[{\"n\":30,\"acc\":0.5}]",
        ",\"label_acc\":[{\"label\":\"neg\",\"n\":0,\"acc\":0.5}]",
        ",\"label_acc\":[{\"label\":\"neg\",\"n\":1,\"acc\":1.5}]",
        ",\"label_acc\":[{\"label\":\"neg\",\"n\":1,\"acc\":1},"
        "{\"label\":\"neg\",\"n\":1,\"acc\":1}]",
        ",\"label_acc\":[7]",
    };
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    struct attempt_end end = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool accepted = true;
        assert_status(STATUS_CORRUPT,
                      store_finish(r.s, c.trial_id, c.attempt, result_with(.5, parts[i]), NULL,
                                   NULL, &end, &accepted, &x->m));
        assert_false(accepted);
        assert_answer(r.db, "SELECT state FROM trial", "running");
        assert_answer(r.db, "SELECT count(*) FROM block_loss, label_acc", "0");
    }
}

TEST(promises_of_texts)
{
    static const char *const cases[][2] = {
        {"UPDATE block_loss SET trial_id = 2",
         "a trial that has not completed has a loss of text or an accuracy of a label: trial 2"},
        {"UPDATE label_acc SET trial_id = 2",
         "a trial that has not completed has a loss of text or an accuracy of a label: trial 2"},
        {"UPDATE block_loss SET block = 3 WHERE block = 0",
         "the blocks of a trial's text are not numbered from 0: trial 1"},
        {"UPDATE block_loss SET loss = 0.1",
         "a trial's test loss is not between those of its blocks: trial 1"},
        {"UPDATE label_acc SET acc = 0.5",
         "a trial's test accuracy is not the mean of those of its labels: trial 1"},
        {"DELETE FROM data_file",
         "a configuration learns from a file of which nothing is known: config 1"},
        {"UPDATE data_file SET size = 11",
         "a file has another size than its configuration says: config 1, /a.txt"},
    };
    struct run r = start(x, SWEEP("[1]", "seeds: 2\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    struct told told = {0};
    assert_true(finish(x, r.s, &c, result_with(.375, BLOCKS LABELS)));
    make_text(r.db, "lm");
    run_sql(r.db, "INSERT INTO data_file VALUES ('/a.txt', '{}', '" SHA "', 10, 1, '{}', 1)");
    static const char hashed[] = "a configuration does not match its SHA-256: config 1\n";
    assert_ok(store_check(r.s, tell, &told, &x->m));
    assert_string_equal(told.text, hashed); /* it was changed by hand */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        told = (struct told){0};
        run_sql(r.db, "SAVEPOINT before");
        run_sql(r.db, cases[i][0]);
        assert_ok(store_check(r.s, tell, &told, &x->m));
        if (told.count != 2 || !strstr(told.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], told.text);
        run_sql(r.db, "ROLLBACK TO before; RELEASE before");
    }
}
