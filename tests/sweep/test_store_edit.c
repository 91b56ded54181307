/* What people change in a results file: remarks; what deleting a sweep costs. What it
 * leaves: scenario deleted. */
#include "store_help.h"

FIXTURE(set_up, tear_down)

TEST(remarks_are_lines_of_text)
{
    static const struct {
        const char *text, *wrong;
    } refused[] = {
        {"two\nlines", "byte 4 of the note is a line break"},
        {"\x1b[31m", "byte 1 of the note is a line break or another control character"},
        {"C1: \xc2\x9b", "byte 5 of the note"},
        {"no \xff", "byte 4 of the note is no UTF-8"},
    };
    char longest[4002];
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    assert_answer(r.db, "SELECT remark FROM sweep", "NULL");
    assert_ok(store_set_sweep_note(r.s, r.sweep, "größer, bitte", &x->m));
    assert_ok(store_set_trial_note(r.s, 2, "loud fan", &x->m));
    assert_answer(r.db, "SELECT remark FROM progress", "größer, bitte");
    assert_answer(r.db, "SELECT group_concat(coalesce(remark, '-')) FROM trials", "-,loud fan");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_status(STATUS_BAD_INPUT, store_set_sweep_note(r.s, r.sweep, refused[i].text, &x->m));
        assert_non_null(strstr(x->m.text, refused[i].wrong));
    }
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_status(STATUS_BAD_INPUT, store_set_trial_note(r.s, 2, longest, &x->m));
    assert_non_null(strstr(x->m.text, "4001 bytes; allowed: 4000"));
    assert_answer(r.db, "SELECT remark FROM sweep", "größer, bitte");
    assert_ok(store_set_sweep_note(r.s, r.sweep, "", &x->m));
    assert_answer(r.db, "SELECT remark FROM sweep", "NULL");
}

/* Else each row that goes would cost a look at all rows of a table. */
TEST(what_goes_along_is_found_by_an_index)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    sqlite3_stmt *references = NULL;
    int count = 0;
    static const char all[] =
        "SELECT t.name || ' WHERE ' || f.\"from\", f.on_delete FROM sqlite_schema AS t,"
        " pragma_foreign_key_list(t.name) AS f WHERE f.\"table\" IN ('sweep', 'trial')";
    assert_int_equal(sqlite3_prepare_v2(r.db, all, -1, &references, NULL), SQLITE_OK);
    for (; sqlite3_step(references) == SQLITE_ROW; count++) {
        char sql[200];
        sqlite3_stmt *plan = NULL;
        snprintf(sql, sizeof sql, "EXPLAIN QUERY PLAN DELETE FROM %s = 1",
                 (const char *)sqlite3_column_text(references, 0));
        assert_string_equal((const char *)sqlite3_column_text(references, 1), "CASCADE");
        assert_int_equal(sqlite3_prepare_v2(r.db, sql, -1, &plan, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(plan), SQLITE_ROW);
        const char *how = (const char *)sqlite3_column_text(plan, 3);
        if (strncmp(how, "SEARCH ", 7) != 0)
            fail_msg("%s: %s", sql, how);
        sqlite3_finalize(plan);
    }
    assert_true(count > 9);
    sqlite3_finalize(references);
}

static int count_work(void *context)
{
    ++*(long *)context;
    return 0;
}

/* Thousands of instructions of SQLite's that deleting one of two sweeps of so many trials takes. */
static long work_of_deleting(struct fixture *x, struct run r, int trials)
{
    char sql[1024];
    long thousands = 0;
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
             "INSERT INTO config (config_sha256, n_params, flops_per_step, chance, config_json)"
             " SELECT printf('%%064d', %d + i), 1, 1, 0, config_json FROM n, config"
             " WHERE config_id = 1",
             2 * trials, trials);
    run_sql(r.db, sql);
    run_sql(r.db,
            "INSERT OR REPLACE INTO sweep SELECT 2, 'other', question, yaml, yaml_sha256,"
            " plan_sha256, metric, goal, tune, claim, created, last_run, drawn, overrides,"
            " remark, replicate, looks, equivalence, rungs, eval, measure, shards, extend, confirm "
            "FROM sweep WHERE "
            "sweep_id = 1;"
            "INSERT INTO trial (sweep_id, config_id, seed, in_plan, plan_order, setting,"
            " setting_label, tuning, is_tuning, chance)"
            " SELECT 1 + config_id % 2, config_id, 7, 1, 0, '{}', '', '{}', 0, 0"
            " FROM config WHERE n_params = 1");
    sqlite3_progress_handler(r.db, 1000, count_work, &thousands);
    assert_ok(store_delete(r.s, 2, &x->m));
    sqlite3_progress_handler(r.db, 0, NULL, NULL);
    run_sql(r.db, "DELETE FROM trial WHERE seed = 7; DELETE FROM config WHERE n_params = 1");
    return thousands;
}

/* Sweeps may have 100,000 trials. */
TEST(deleting_takes_as_long_as_there_are_trials)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    long one = work_of_deleting(x, r, 500);
    long four = work_of_deleting(x, r, 2000);
    if (four > 6 * one)
        fail_msg("%ld and, with four times the trials, %ld thousand instructions", one, four);
}
