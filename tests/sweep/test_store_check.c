/* What the tables promise each other: every promise, broken by hand, is named; what a run relies on
 * is also looked at when it starts. */
#include "store_help.h"

#include "sweep/trials/store_check.h"

/* Trial 1 completed, 2 running, 3 queued after a lost attempt, 4 queued. */
static struct run four_trials(struct fixture *x)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 2\n"));
    struct claimed c[3];
    bool accepted;
    for (int i = 0; i < 3; i++)
        c[i] = claim(x, r.s, r.sweep, r.build);
    finish(x, r.s, &c[0], result_of(0.5));
    struct attempt_end lost = {.step = 20};
    assert_ok(store_requeue(r.s, c[2].trial_id, c[2].attempt, &lost, &accepted, &x->m));
    return r;
}

FIXTURE(set_up, tear_down)

TEST(a_file_as_it_should_be)
{
    struct run r = four_trials(x);
    struct told told = {0};
    assert_ok(store_check(r.s, tell, &told, &x->m));
    assert_string_equal(told.text, "");
    assert_ok(store_check_numbers(r.s, &x->m));
    close_store(x, r.s);
}

/* Its weights overflowed in its last step, as its last evaluation found out. */
TEST(divergence_after_the_last_step)
{
    struct run r = four_trials(x);
    struct told told = {0};
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    assert_true(finish(x, r.s, &c,
                       "{\"state\":\"diverged\",\"steps_done\":100,\"best_step\":50,"
                       "\"train_acc\":0.5,\"val_acc\":0.5,\"test_acc\":null,"
                       "\"test_acc_by_slot\":null,\"test_exact\":null,\"test_loss\":null,"
                       "\"chance\":0.125,\"train_s\":1,\"resumed_from_step\":0,"
                       "\"error\":\"not finite after step 100\",\"bad_step\":101,\"curve\":[]}"));
    assert_ok(store_check_numbers(r.s, &x->m));
    assert_ok(store_check(r.s, tell, &told, &x->m));
    assert_string_equal(told.text, "");
    close_store(x, r.s);
}

/* Numbers that the schema allows. */
TEST(numbers_out_of_somebodys_hand)
{
    static const char *const cases[][2] = {
        {"UPDATE trial SET attempt = 1000000000000 WHERE trial_id = 4",
         "the attempts of a trial are not those that are counted: trial 4"},
        {"UPDATE trial SET attempt = 0 WHERE trial_id = 1",
         "the attempts of a trial are not those that are counted: trial 1"},
        {"UPDATE attempt SET attempt = 1 << 62 WHERE trial_id = 3",
         "the attempts of a trial are not those that are counted: trial 3"},
        {"DELETE FROM attempt WHERE trial_id = 2",
         "the attempts of a trial are not those that are counted: trial 2"},
        {"UPDATE trial SET retries_used = 1 << 62 WHERE trial_id = 3",
         "a trial used more retries than it had attempts: trial 3"},
        {"UPDATE trial SET resume_step = 101 WHERE trial_id = 3",
         "a trial is at a step beyond its last: trial 3"},
        {"UPDATE trial SET steps_done = 1 << 62 WHERE trial_id = 4",
         "a trial is at a step beyond its last: trial 4"},
        {"UPDATE trial SET bad_step = 1 << 62 WHERE trial_id = 4",
         "a trial is at a step beyond its last: trial 4"},
        {"UPDATE trial SET bad_step = 102 WHERE trial_id = 4",
         "a trial is at a step beyond its last: trial 4"},
        {"UPDATE attempt SET ended = 'now' WHERE trial_id = 2",
         "a running trial has no attempt that is open: trial 2"},
        {"UPDATE config SET n_params = 1 << 62 WHERE config_id = 1",
         "an impossible number of parameters or operations: config 1"},
        {"UPDATE config SET flops_per_step = 9e999 WHERE config_id = 2",
         "an impossible number of parameters or operations: config 2"},
        {"UPDATE config SET config_json = json_set(config_json, '$.train.batch', 9)"
         " WHERE config_id = 2",
         "a configuration does not match its SHA-256: config 2"},
    };
    struct run r = four_trials(x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct told told = {0};
        run_sql(r.db, "SAVEPOINT before");
        run_sql(r.db, cases[i][0]);
        assert_status(STATUS_CORRUPT, store_check_numbers(r.s, &x->m));
        if (!strstr(x->m.text, cases[i][1]) || !strstr(x->m.text, x->db))
            fail_msg("%s: %s", cases[i][0], x->m.text);
        assert_ok(store_check(r.s, tell, &told, &x->m));
        if (!strstr(told.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], told.text);
        run_sql(r.db, "ROLLBACK TO before; RELEASE before");
    }
    close_store(x, r.s);
}

/* What no run relies on: `check` tells. */
TEST(other_promises)
{
    static const char *const cases[][2] = {
        {"UPDATE trial SET test_acc = 1 WHERE trial_id = 3",
         "a trial that has not run has results: trial 3"},
        {"UPDATE trial SET steps_done = 99 WHERE trial_id = 1",
         "a completed trial did not do all its steps: trial 1"},
        {"DELETE FROM curve WHERE step = 50", "no row of the curve at its last or its best step"},
        {"UPDATE trial SET best_step = 100 WHERE trial_id = 1",
         "the best step is not the earliest with the best metric: trial 1"},
        {"UPDATE trial SET train_acc = 0.75 WHERE trial_id = 1",
         "a trial's accuracy or loss is not that of its curve at its best step: trial 1"},
        {"UPDATE curve SET val_loss = 1 WHERE step = 50",
         "a trial's accuracy or loss is not that of its curve at its best step: trial 1"},
        {"UPDATE attempt SET outcome = 'failed' WHERE trial_id = 1",
         "a trial has ended, but no attempt ended it: trial 1"},
        {"UPDATE trial SET in_shard = 0 WHERE trial_id = 4",
         "a trial is of another shard of a sweep that has none: trial 4"},
        {"UPDATE sweep SET shards = '{\"of\":2,\"here\":[1,3]}'",
         "a sweep has shards that it was not cut into: sweep plain"},
        {"UPDATE sweep SET shards = '{}'",
         "a sweep has shards that it was not cut into: sweep plain"},
        {"UPDATE attempt SET ended = NULL WHERE trial_id = 3",
         "an attempt was left open: trial 3 attempt 1"},
        {"UPDATE attempt SET resumed_from_step = 1 << 62 WHERE trial_id = 3",
         "from a step that its trial does not have: trial 3 attempt 1"},
        {"UPDATE trial SET until = 100, is_tuning = 1 WHERE trial_id = 4",
         "a trial pauses where it never can: trial 4"},
        {"UPDATE trial SET until = 50 WHERE trial_id = 3",
         "a trial pauses where it never can: trial 3"},
        {"UPDATE trial SET until = 50 WHERE trial_id = 1",
         "a trial has ended, but is to pause: trial 1"},
        {"UPDATE trial SET is_tuning = 1, choice = 'waiting', until = 50 WHERE trial_id = 3",
         "a tuning trial waits before its rung: trial 3"},
        {"UPDATE trial SET limit_hit = 1 WHERE trial_id = 1",
         "a trial hit a limit, but has not failed: trial 1"},
        {"INSERT INTO look VALUES (1, '{}', 1, 'now', 'edge', 0)",
         "a look has no trials, or one of them has not ended: sweep plain, look 1"},
        {"INSERT INTO look VALUES (1, '{\"x\":1}', 1, 'now', 'edge', 0)",
         "a look has no trials, or one of them has not ended: sweep plain, look 1"},
        {"INSERT INTO look VALUES (1, '{}', 2, 'now', 'edge', 0)",
         "a look was judged without those before it, or after a decision: sweep plain, look 2"},
        {"UPDATE sweep SET claim = '{}'",
         "a sweep's plan or claim is not the one that was recorded last: sweep plain"},
        {"UPDATE trial SET in_plan = 0 WHERE trial_id = 4",
         "a sweep's plan or claim is not the one that was recorded last: sweep plain"},
        /* as by sqlite3, which leaves foreign keys off */
        {"PRAGMA defer_foreign_keys = ON; INSERT INTO curve (trial_id, step) VALUES (99, 50)",
         "rows refer to rows that do not exist: 1 of curve to trial"},
        {"DELETE FROM plan_change",
         "a sweep's plan or claim is not the one that was recorded last: sweep plain"},
        {"UPDATE t_quantile SET t = 0 WHERE df = 4", "from a number that is no t quantile: df 4"},
        {"UPDATE t_quantile SET level = 0 WHERE df = 4", "that is no t quantile: df 4"},
        {"UPDATE t_quantile SET df = 1 << 62 WHERE df = 4", "that is no t quantile: df 4611"},
    };
    struct run r = four_trials(x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct told told = {0};
        run_sql(r.db, "SAVEPOINT before");
        run_sql(r.db, cases[i][0]);
        assert_ok(store_check_numbers(r.s, &x->m));
        assert_ok(store_check(r.s, tell, &told, &x->m));
        if (!strstr(told.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], told.text);
        run_sql(r.db, "ROLLBACK TO before; RELEASE before");
    }
    close_store(x, r.s);
}

/* What studies found out about trial 1, of one head, and trials of two heads. */
TEST(promises_of_studies)
{
    static const char found[] =
        "INSERT INTO study SELECT trial_id, 'heads', '{}', 'now', 1, 1, checkpoint_sha256"
        "  FROM trial WHERE trial_id = 1;"
        "INSERT INTO head_metric VALUES (1, 50, 'val', 0, 0, .5, 1, 1, .5, 1, 0, 3, 1);"
        "INSERT INTO head_metric (trial_id, step, split, layer, head) VALUES (1, 50, 'test', 0, 0);"
        "INSERT INTO layer_metric VALUES (1, 50, 'val', 0, -1, -1, 1, 1);"
        "INSERT INTO head_slot VALUES (1, 50, 'val', 0, 0, 0, .5);"
        "INSERT INTO pruning (trial_id, method, kept) VALUES (1, 'none', 1);"
        "INSERT INTO pruning (trial_id, method, kept, removed) VALUES (1, 'random', 0, '[[0,0]]');"
        "INSERT INTO ensemble (sweep_id, setting, heads, members, trials) VALUES (1, '{}', 1, 1,"
        "  '[1]')";
    static const char *const cases[][2] = {
        {"UPDATE study SET trial_id = 2",
         "a study was answered about a trial that has not completed: trial 2, study heads"},
        {"UPDATE study SET checkpoint_sha256 = printf('%064d', 7)",
         "answered from other weights than its trial has: trial 1, study heads"},
        {"UPDATE head_metric SET step = 101",
         "layer or head that its trial does not have: trial 1"},
        {"UPDATE layer_metric SET layer = 1",
         "layer or head that its trial does not have: trial 1"},
        {"UPDATE head_slot SET head = 1", "layer or head that its trial does not have: trial 1"},
        {"UPDATE head_metric SET entropy = 1.01", "measure of heads is not within its bounds: tri"},
        {"UPDATE head_metric SET importance = -1", "of heads is not within its bounds: trial 1"},
        {"UPDATE head_slot SET mass = 2", "a measure of heads is not within its bounds: trial 1"},
        {"UPDATE layer_metric SET disagreement_position = .5",
         "a measure of layers is not within its bounds: trial 1"},
        {"UPDATE pruning SET kept = 2 WHERE method = 'none'",
         "and those that were removed are not all heads: trial 1, none 2"},
        {"UPDATE pruning SET removed = '[[0,1]]' WHERE method = 'random'",
         "and those that were removed are not all heads: trial 1, random 0"},
        {"UPDATE ensemble SET members = 2",
         "an ensemble is not of so many completed trials of its sweep with so many heads: sweep "
         "plain, trials [1]"},
        {"UPDATE ensemble SET trials = '[2]'", "so many heads: sweep plain, trials [2]"},
        {"UPDATE ensemble SET heads = 2", "so many heads: sweep plain, trials [1]"},
    };
    struct run r = four_trials(x);
    struct told told = {0};
    run_sql(r.db, found);
    assert_ok(store_check(r.s, tell, &told, &x->m));
    assert_string_equal(told.text, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        told = (struct told){0};
        run_sql(r.db, "SAVEPOINT before");
        run_sql(r.db, cases[i][0]);
        assert_ok(store_check(r.s, tell, &told, &x->m));
        if (told.count != 1 || !strstr(told.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], told.text);
        run_sql(r.db, "ROLLBACK TO before; RELEASE before");
    }
    close_store(x, r.s);
}

/* A reader's connection cannot write, and SQLite then does not look at CHECK by itself. */
TEST(what_the_schema_forbids)
{
    static const char *const cases[][2] = {
        {"UPDATE sweep SET goal = 'upwards'",
         "the database is damaged: CHECK constraint failed in sweep"},
        {"UPDATE trial SET val_acc = 2 WHERE trial_id = 1", "CHECK constraint failed in trial"},
        {"UPDATE curve SET step = -1 WHERE step = 50", "CHECK constraint failed in curve"},
    };
    struct run r = four_trials(x);
    run_sql(r.db, "PRAGMA ignore_check_constraints = ON");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct told told = {0};
        run_sql(r.db, cases[i][0]);
        struct store *reader = open_store(x, STORE_READ);
        assert_ok(store_check(reader, tell, &told, &x->m));
        close_store(x, reader);
        if (!strstr(told.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], told.text);
    }
    close_store(x, r.s);
}

/* The rows of a trial beside its result. */
TEST(rows_beside_a_result)
{
    static const char *const cases[][2] = {
        {"UPDATE trial SET test_acc = 0.6", "test_acc"},
        {"UPDATE trial SET test_loss = 0.3, train_s = 2", "test_loss, train_s"},
        {"UPDATE trial SET state = 'diverged', bad_step = 7", "state, bad_step"},
        {"UPDATE trial SET test_acc_by_slot = '[0.5,0]', chance = 0", "test_acc_by_slot, chance"},
        {"UPDATE trial SET test_acc = test_acc * (1 + 1e-15)", ""}, /* another SQLite's rounding */
        {"UPDATE curve SET lr = 1 WHERE step = 100", "curve"},
        {"DELETE FROM curve WHERE step = 100", "curve"},
        {"INSERT INTO curve (trial_id, step) VALUES (1, 99)", "curve"},
        {"INSERT INTO block_loss VALUES (1, 0, 1)", "block_loss"},
        {"INSERT INTO label_acc VALUES (1, 'a', 1, 1)", "label_acc"},
    };
    struct run r = four_trials(x);
    char differ[200];
    assert_ok(store_compare_result(r.s, 1, result_of(0.5), differ, sizeof differ, &x->m));
    assert_string_equal(differ, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_sql(r.db, "SAVEPOINT before");
        run_sql(r.db, cases[i][0]);
        assert_ok(store_compare_result(r.s, 1, result_of(0.5), differ, sizeof differ, &x->m));
        if (strcmp(differ, cases[i][1]) != 0)
            fail_msg("%s: %s", cases[i][0], differ);
        run_sql(r.db, "ROLLBACK TO before; RELEASE before");
    }
    close_store(x, r.s);
}

static void note_foreign(void *context, const char *type, const char *name)
{
    tell(context, type, name);
}

TEST(views_and_triggers_of_a_user)
{
    struct run r = four_trials(x);
    struct told told = {0};
    assert_ok(store_find_foreign(r.s, note_foreign, &told, &x->m));
    assert_string_equal(told.text, "");
    run_sql(r.db, "CREATE VIEW mine AS SELECT 1; CREATE VIEW trial_s AS SELECT 2;"
                  "CREATE TABLE seen (x); CREATE TRIGGER trials AFTER UPDATE ON trial BEGIN"
                  " DELETE FROM seen; END");
    assert_ok(store_find_foreign(r.s, note_foreign, &told, &x->m));
    assert_string_equal(told.text, "trigger: trials\nview: mine\nview: trial_s\n");
    close_store(x, r.s);
}

TEST(a_file_that_cannot_be_read)
{
    struct run r = four_trials(x);
    struct told told = {0};
    run_sql(r.db, "ALTER TABLE attempt RENAME TO tries");
    assert_int_not_equal(store_check_numbers(r.s, &x->m), STATUS_OK);
    assert_int_not_equal(store_check(r.s, tell, &told, &x->m), STATUS_OK);
    close_store(x, r.s);
}
