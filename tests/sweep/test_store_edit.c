/* What people change in a results file: names, remarks, what is deleted. */
#include "store_help.h"

FIXTURE(set_up, tear_down)

TEST(a_sweep_gets_another_name)
{
    static const char *const no_names[] = {"", "a b", "a/b", "\xc3\xa4", "x\x1b", "7", "-x"};
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    run_sql(r.db, "INSERT INTO sweep (name, question, yaml, yaml_sha256, plan_sha256, metric, goal,"
                  " tune, created, last_run) SELECT 'other', question, yaml, yaml_sha256,"
                  " plan_sha256, metric, goal, tune, created, last_run FROM sweep");
    assert_ok(store_rename(r.s, r.sweep, "plain-1", &x->m));
    assert_ok(store_rename(r.s, r.sweep, "plain-1", &x->m)); /* which it has */
    assert_answer(r.db, "SELECT group_concat(name) FROM (SELECT name FROM sweep ORDER BY name)",
                  "other,plain-1");
    assert_status(STATUS_BAD_INPUT, store_rename(r.s, r.sweep, "other", &x->m));
    assert_non_null(strstr(x->m.text, "already holds a sweep \"other\""));
    for (size_t i = 0; i < sizeof no_names / sizeof *no_names; i++) {
        assert_status(STATUS_BAD_INPUT, store_rename(r.s, r.sweep, no_names[i], &x->m));
        assert_non_null(strstr(x->m.text, "cannot be the name of a sweep"));
    }
    assert_answer(r.db, "SELECT group_concat(name) FROM (SELECT name FROM sweep ORDER BY name)",
                  "other,plain-1");
    /* The file that still has the old name is another sweep. */
    struct plan_changes c = plan_into(x, r.s, SWEEP("[1, 2]", "seeds: 1\n"));
    assert_int_not_equal(c.sweep_id, r.sweep);
}

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

/* Everything of the sweep goes, nothing of others does, and the ledger knows what was tried. */
TEST(a_deleted_sweep_leaves_a_ledger)
{
    static const char other[] = "name: other\n"
                                "task: {name: gather, length: 16, vocab: 8, slots: 2}\n"
                                "model: {d_model: 32, heads: [2, 4], layers: 1, d_ff: 32}\n"
                                "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n"
                                "seeds: 1\nclaim: {best: 2, over: [4]}\n";
    bool failed, accepted;
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 2\nclaim: {best: 1, over: [2]}\n"));
    int64_t second = plan_into(x, r.s, other).sweep_id;
    struct claimed c = claim(x, r.s, second, r.build);
    assert_true(finish(x, r.s, &c, result_of(0.5)));
    for (int i = 0; i < 3; i++) { /* completed, failed, running; the fourth is never tried */
        c = claim(x, r.s, r.sweep, r.build);
        if (i == 0)
            assert_true(finish(x, r.s, &c, result_of(0.5)));
        else if (i == 1)
            assert_ok(store_fail(r.s, c.trial_id, 1, 0, &(struct attempt_end){0}, &failed,
                                 &accepted, &x->m));
    }
    plan_into(x, r.s, SWEEP("[1, 2]", "seeds: 2\nclaim: {best: 2, over: [1]}\n"));
    assert_answer(r.db, "SELECT count(*) FROM plan_change WHERE sweep_id = 1", "2");

    /* what studies found out about both */
    run_sql(r.db,
            "INSERT INTO study SELECT trial_id, 'heads', '{}', 'now', 1, 1, checkpoint_sha256"
            "  FROM trial WHERE state = 'completed';"
            "INSERT INTO head_metric (trial_id, step, split, layer, head)"
            "  SELECT trial_id, 1, 'val', 0, 0 FROM study;"
            "INSERT INTO layer_metric (trial_id, step, split, layer)"
            "  SELECT trial_id, 1, 'val', 0 FROM study;"
            "INSERT INTO head_slot SELECT trial_id, 1, 'val', 0, 0, 0, .5 FROM study;"
            "INSERT INTO pruning (trial_id, method, kept) SELECT trial_id, 'none', 1 FROM study;"
            "INSERT INTO evaluation SELECT trial_id, 'noisy', '{}', 1, 1, 0 FROM study;"
            "INSERT INTO ensemble (sweep_id, setting, heads, members, trials)"
            "  SELECT sweep_id, '{}', 1, 1, '[1]' FROM sweep");

    run_sql(r.db, "INSERT INTO build SELECT 9, version, git_commit, compiler, flags, openblas,"
                  " core_type, kernels, 'old' FROM build;"
                  "UPDATE attempt SET build_id = 9 WHERE trial_id = 2");
    assert_ok(store_delete(r.s, r.sweep, &x->m));
    static const char *const tables[] = {"study",   "head_metric", "layer_metric", "head_slot",
                                         "pruning", "evaluation",  "ensemble"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char sql[80];
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[i]);
        assert_answer(r.db, sql, "1");
    }
    assert_answer(r.db, "SELECT group_concat(name) FROM sweep", "other");
    assert_answer(r.db, "SELECT count(*) || ' ' || sum(state = 'completed') FROM trial", "2 1");
    assert_answer(r.db,
                  "SELECT group_concat(heads) FROM config WHERE config_id IN"
                  " (SELECT config_id FROM trial)",
                  "2,4"); /* 2: of both */
    assert_answer(r.db,
                  "SELECT group_concat(heads) FROM (SELECT heads FROM deleted JOIN config"
                  " USING (config_id) ORDER BY heads)",
                  "1,1,2");
    assert_answer(r.db, "SELECT count(*) FROM config", "3");
    assert_answer(r.db, "SELECT group_concat(cpu) FROM build", "cpu");
    assert_answer(r.db, "SELECT count(*) FROM attempt", "1");
    assert_answer(r.db, "SELECT count(*) FROM curve", "2");
    assert_answer(r.db, "SELECT count(*) FROM plan_change WHERE sweep_id = 1", "0");
    assert_answer(r.db, "SELECT count(*) FROM pragma_foreign_key_check", "0");
    assert_answer(
        r.db,
        "SELECT group_concat(trial_id || ':' || seed || ':' || sweep || ':'"
        " || (ended GLOB '20*Z')) FROM (SELECT * FROM deleted JOIN config USING (config_id)"
        " WHERE deleted GLOB '20*Z' AND ended IS NOT NULL ORDER BY trial_id)",
        "1:0:plain:1,2:0:plain:1");
    assert_answer(r.db, "SELECT trial_id || ':' || seed FROM deleted WHERE ended IS NULL", "3:1");
}

/* Files of a deleted trial may still lie in the folder: no other trial gets its number. */
TEST(numbers_are_not_given_again)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 2\n"));
    for (int i = 0; i < 4; i++)
        claim(x, r.s, r.sweep, r.build);
    assert_ok(store_delete(r.s, r.sweep, &x->m));
    plan_into(x, r.s, SWEEP("[1, 2]", "seeds: 2\n"));
    assert_answer(r.db, "SELECT group_concat(trial_id || '.' || plan_order) FROM trial",
                  "5.0,6.1,7.2,8.3");
    assert_answer(r.db, "SELECT count(*) FROM deleted JOIN trial USING (trial_id)", "0");
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
