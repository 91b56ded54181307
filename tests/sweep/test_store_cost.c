/* Views as the program asks them, of one sweep: they have what the file's views have, and cost as
 * much as that sweep has trials. What they have is in tests/data/contract/expected/sql. */
#include "scope_help.h"
#include "store_help.h"

#include "engine/base/text.h"
#include "sweep/evidence/evidence.h"
#include "sweep/page/page.h"

static void load_views(sqlite3 *db)
{
    static char text[1 << 16];
    FILE *f = fopen("tests/data/db/views.sql", "r");
    assert_non_null(f); /* tests run from the repository's root */
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    run_sql(db, text);
}

/* Head counts 1 (.2, .4, .6), 2 (three of .1), 4 (1.0) and 8 (.1, .4) of setting {}, in one layer.
 */
static struct store *paid(struct fixture *x)
{
    struct store *s = open_store(x, STORE_WRITE);
    load_views(store_db(s));
    run_sql(store_db(s),
            /* 2 s in the first attempt of each trial, as many as it has heads in the second */
            "INSERT INTO attempt (trial_id, attempt, build_id, started, resumed_from_step, cpu_s,"
            "  max_rss_kib) SELECT trial_id, 1, 1, 'then', 0, 2, 1000 + seed FROM trial;"
            "INSERT INTO attempt (trial_id, attempt, build_id, started, resumed_from_step, cpu_s)"
            "  SELECT trial_id, 2, 1, 'now', 0, heads FROM trial JOIN config USING (config_id);"
            "INSERT INTO pruning (trial_id, method, kept, infer_ms) SELECT trial_id, 'none', heads,"
            "  heads + seed * seed FROM trial JOIN config USING (config_id)"
            "  WHERE state = 'completed' AND heads < 8;"
            "UPDATE config SET n_params = 1000 * heads");
    return s;
}

FIXTURE(set_up, tear_down)

/* ---- views of one sweep ---- */

/* All that a query has, every digit of it. */
static char *all_of(struct rows *r)
{
    struct text_buffer all = {0};
    while (rows_next(r))
        for (int i = 0; i < rows_columns(r); i++) {
            if (rows_kind(r, i) == ROWS_REAL)
                text_add(&all, "%s=%.17g\n", rows_name(r, i), rows_real(r, i));
            else
                text_add(&all, "%s=%s\n", rows_name(r, i), rows_null(r, i) ? "-" : rows_text(r, i));
        }
    assert_int_equal(rows_close(r), STATUS_OK);
    text_add(&all, "end\n");
    return all.text;
}

/* A second sweep has the same trials, but for their values. */
static void add_other_sweep(sqlite3 *db)
{
    run_sql(db, "CREATE TEMP TABLE own AS SELECT * FROM sweep WHERE sweep_id = 1;"
                "UPDATE own SET sweep_id = 77, name = 'another';"
                "INSERT INTO sweep SELECT * FROM own; DROP TABLE own;"
                "CREATE TEMP TABLE own AS SELECT * FROM trial WHERE sweep_id = 1;"
                "UPDATE own SET sweep_id = 77, trial_id = trial_id + 1000, test_acc = test_acc / 2;"
                "INSERT INTO trial SELECT * FROM own; DROP TABLE own");
}

static char *all_of_sweep(struct fixture *x, struct store *s, const char *sql, int64_t sweep_id)
{
    char *all = NULL;
    assert_ok(IN_SCOPE(in, s, &x->m,
                       { all = all_of(scope_rows_of_sweep(in, sql, VALUES(INTEGER(sweep_id)))); }));
    return all;
}

/* What a view says of each of two sweeps, and of both, is the same. */
static void assert_view(struct fixture *x, struct store *s, const char *view)
{
    static const char *const names[] = {"plain", "another"};
    static const int64_t ids[] = {1, 77};
    char sql[100];
    for (int i = 0; i < 2; i++) {
        snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE sweep = '%s'", view, names[i]);
        struct rows all = rows_open(s, &x->m, sql, NO_VALUES);
        snprintf(sql, sizeof sql, "SELECT * FROM %s", view);
        char *expected = all_of(&all), *got = all_of_sweep(x, s, sql, ids[i]);
        assert_string_equal(got, expected);
        free(expected);
        free(got);
    }
}

static const char *const views[] = {"trials",         "by_heads",    "tuning",   "chosen",
                                    "tried",          "paired",      "progress", "cost",
                                    "prune_or_train", "evaluations", "by_label"};

TEST(views_of_one_sweep)
{
    static const char *const changes[] = {
        "",
        "UPDATE trial SET limit_hit = 1 WHERE state = 'failed' AND config_id = 4;"
        "UPDATE trial SET test_acc = .5 WHERE state = 'diverged';"
        "DELETE FROM attempt WHERE trial_id % 2 = 0 OR attempt = 2;"
        "UPDATE attempt SET cpu_s = NULL WHERE trial_id % 3 = 0",
        /* Units are the means of their trials; of trials that are no instance there are none. */
        "UPDATE sweep SET replicate = '[\"task.instance\"]';"
        "UPDATE trial SET replicate = json_object('task.instance', iif(seed < 2, 0, 1))"};
    struct store *s = paid(x);
    add_other_sweep(store_db(s));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        run_sql(store_db(s), changes[i]);
        for (size_t k = 0; k < sizeof views / sizeof *views; k++)
            assert_view(x, s, views[k]);
        assert_answer(store_db(s),
                      "SELECT (SELECT count(*) FROM by_heads WHERE sweep = 'plain') || ' ' ||"
                      " (SELECT count(*) FROM cost WHERE sweep = 'plain')",
                      "7 6");
    }
    close_store(x, s);
}

/* The text of the program is run, and nothing that the file has under the name of a view. */
TEST(views_of_the_file_are_not_run)
{
    struct store *s = paid(x);
    run_sql(store_db(s), "DROP VIEW by_heads; CREATE VIEW by_heads AS SELECT 'foreign' AS sweep;"
                         "CREATE TEMP VIEW cost AS SELECT 'foreign' AS sweep");
    assert_ok(IN_SCOPE(in, s, &x->m, {
        struct rows *own =
            scope_rows_of_sweep(in, "SELECT sweep, count(*) FROM cost", VALUES(INTEGER(1)));
        assert_true(scope_next(in, own));
        assert_string_equal(rows_text(own, 0), "plain");
        assert_int_equal(rows_integer(own, 1), 6);
    }));
    close_store(x, s);
}

/* ---- 100,000 trials ---- */

static int count_work(void *context)
{
    ++*(long *)context;
    return 0;
}

/* Thousands of instructions of SQLite's that a view takes for so many settings of four trials, with
 * two head counts, each pruned. */
static long work_of(struct fixture *x, const char *view, int settings)
{
    char sql[1024];
    long thousands = 0;
    struct store *s = open_store(x, STORE_WRITE);
    sqlite3 *db = store_db(s);
    load_views(db);
    run_sql(db, "DELETE FROM trial WHERE config_id NOT IN (1, 2) OR seed > 1;"
                "UPDATE trial SET attempt = 1");
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
             "INSERT INTO trial (sweep_id, config_id, seed, state, in_plan, plan_order, setting,"
             " setting_label, tuning, is_tuning, chance, best_step, steps_done, train_acc, val_acc,"
             " test_acc, test_exact, test_loss, train_s, attempt)"
             " SELECT 1, config_id, 1000 + 2 * i + seed, state, 1, i,"
             " json_object('i', i), '', '{}', 0, 0, 1, 1, 0, 0, seed / 2.0, 0, 0, 1, 1"
             " FROM n, trial WHERE setting = '{}'",
             settings);
    run_sql(db, sql);
    run_sql(db,
            "INSERT INTO attempt (trial_id, attempt, build_id, started, resumed_from_step)"
            " SELECT trial_id, 1, 1, 'then', 0 FROM trial;"
            "INSERT INTO pruning (trial_id, method, kept, test_acc)"
            " SELECT trial_id, 'none', heads, test_acc FROM trial JOIN config USING (config_id);"
            "INSERT INTO pruning (trial_id, method, kept, test_acc)"
            " SELECT trial_id, 'importance', 1, test_acc FROM trial WHERE config_id = 2;"
            "INSERT INTO evaluation SELECT trial_id, 'noisy', '{}', 1, 1, 0 FROM trial;"
            "UPDATE sweep SET eval = '{\"noisy\":{}}'");
    snprintf(sql, sizeof sql, "SELECT group_concat(heads) FROM (SELECT * FROM %s ORDER BY 1, 2)",
             view);
    sqlite3_progress_handler(db, 1000, count_work, &thousands);
    assert_true(strlen(ask(db, sql)) > 1000);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    close_store(x, s);
    assert_int_equal(remove(x->db), 0);
    return thousands;
}

/* A join that SQLite finds no index for takes 16 times as long for four times the trials. */
TEST(views_take_as_long_as_there_are_trials)
{
    static const char *const of_trials[] = {"trials", "by_heads", "prune_or_train", "evaluations",
                                            "cost"};
    for (size_t i = 0; i < sizeof of_trials / sizeof *of_trials; i++) {
        long one = work_of(x, of_trials[i], 250), four = work_of(x, of_trials[i], 1000);
        if (four > 6 * one)
            fail_msg("%s: %ld and, with four times the trials, %ld thousand instructions",
                     of_trials[i], one, four);
    }
}

enum { SMALL = 77 };

static void add_trials(sqlite3 *db, int sweep_id, int trials, int seed)
{
    char sql[600];
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
             "INSERT INTO trial (sweep_id, config_id, seed, state, in_plan, plan_order, setting,"
             " setting_label, tuning, is_tuning, chance)"
             " SELECT %d, 1, %d + i, 'queued', 1, i, '{}', '', '{}', 0, 0 FROM n",
             trials, sweep_id, seed);
    run_sql(db, sql);
}

/* Hundreds of instructions of SQLite's that three trials, the evidence and all views of a sweep of
 * four take, so many of which lie before `large` ones of another sweep, and the others behind them.
 */
static long small_work(struct fixture *x, int before, int large)
{
    long hundreds = 0;
    struct text_buffer page = {0};
    struct store *s = open_store(x, STORE_WRITE);
    sqlite3 *db = store_db(s);
    load_views(db);
    run_sql(db, "CREATE TEMP TABLE own AS SELECT * FROM sweep WHERE sweep_id = 1;"
                "UPDATE own SET sweep_id = 77, name = 'small';"
                "INSERT INTO sweep SELECT * FROM own; DROP TABLE own");
    if (before)
        add_trials(db, SMALL, before, 0);
    add_trials(db, 1, large, 1000);
    if (before < 4)
        add_trials(db, SMALL, 4 - before, 10);
    run_sql(db, "INSERT INTO attempt (trial_id, attempt, build_id, started, resumed_from_step)"
                " SELECT trial_id, 1, 1, 'then', 0 FROM trial;"
                "UPDATE trial SET state = 'completed', best_step = 1, train_acc = 0, val_acc = 0,"
                " test_acc = 0, test_exact = 0, test_loss = 0, train_s = 1;"
                "INSERT INTO pruning (trial_id, method, kept, infer_ms)"
                " SELECT trial_id, 'none', heads, 1 FROM trial JOIN config USING (config_id);"
                "INSERT INTO evaluation SELECT trial_id, 'noisy', '{}', 1, 1, 0 FROM trial;"
                "INSERT INTO label_acc SELECT trial_id, 'a', 1, 1 FROM trial");
    FILE *out = text_stream(&page);
    sqlite3_progress_handler(db, 100, count_work, &hundreds);
    assert_ok(IN_SCOPE(in, s, &x->m, {
        page_trials(in, SMALL, 0, 3, out);
        const struct evidence *e = evidence_read(in, SMALL);
        assert_int_equal(e->settings, 1);
        assert_int_equal(e->setting[0].input.planned, 4);
    }));
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", views[i]);
        assert_ok(IN_SCOPE(in, s, &x->m, {
            assert_true(scope_next(in, scope_rows_of_sweep(in, sql, VALUES(INTEGER(SMALL)))));
        }));
    }
    sqlite3_progress_handler(db, 0, NULL, NULL);
    fclose(out);
    assert_non_null(strstr(page.text, "{\"total\":4,\"next\":"));
    assert_null(strstr(page.text, "null,\"trials\""));
    free(page.text);
    close_store(x, s);
    assert_int_equal(remove(x->db), 0);
    return hundreds;
}

TEST(a_small_sweep_does_not_pay_for_a_large_one)
{
    for (int before = 0; before <= 4; before += 2) {
        long alone = small_work(x, before, 100), beside = small_work(x, before, 10000);
        if (beside > 2 * alone)
            fail_msg("with %d trials before: %ld hundred instructions and, beside many, %ld",
                     before, alone, beside);
    }
}
