/* The views against numbers worked out by hand from tests/data/db/views.sql and tune.sql. */
#include "views_help.h"

#define BY_HEADS                                                                                   \
    "SELECT n, n_bad, mean_acc, sd_acc, ci95_low, ci95_high, min_acc, median_acc, max_acc,"        \
    " n_solved, mean_train_acc, mean_exact, mean_train_s FROM by_heads WHERE "

FIXTURE(set_up, tear_down)

TEST(by_heads_has_the_designs_columns)
{
    struct store *s = loaded(x, "tests/data/db/views.sql");
    assert_answer(store_db(s), "SELECT group_concat(name, ' ') FROM pragma_table_info('by_heads')",
                  "sweep setting setting_label task heads d_model n n_bad mean_acc sd_acc ci95_low "
                  "ci95_high min_acc median_acc max_acc n_solved mean_train_acc mean_exact "
                  "mean_train_s n_params chance n_trials n_limit mean_loss loss_low loss_high "
                  "mean_all all_low all_high");
    assert_answer(store_db(s),
                  "SELECT group_concat(sweep || setting_label || task || heads ||"
                  " d_model || n_params, ' ') FROM by_heads",
                  "plainslots=2gather1329000 plainslots=2gather2329000 plaingather1329000 "
                  "plaingather2329000 plaingather4329000 plaingather8329000 plaingather16329000");
}

TEST(by_heads_numbers)
{
    struct store *s = loaded(x, "tests/data/db/views.sql");
    sqlite3 *db = store_db(s);
    double half = T2 * .2 / sqrt(3);
    assert_numbers(db, BY_HEADS "setting = '{}' AND heads = 1", 3, 0, .4, .2, LOW(.4, half),
                   HIGH(.4, half), .2, .4, .6, 0, .2, .1, 3);
    /* All equal: exactly so, although .1 + .1 + .1 is not .3. */
    assert_answer(db,
                  "SELECT mean_acc = 0.1 AND sd_acc = 0 AND ci95_low = 0.1 AND ci95_high = 0.1"
                  " AND n = 3 FROM by_heads WHERE setting = '{}' AND heads = 2",
                  "1");
    assert_numbers(db, BY_HEADS "setting = '{}' AND heads = 4", 1, 2, 1, NONE, NONE, NONE, 1, 1, 1,
                   1, .5, .25, 2);
    half = T1 * .15;
    assert_numbers(db, BY_HEADS "heads = 8", 2, 0, .25, .15 * sqrt(2), LOW(.25, half),
                   HIGH(.25, half), .1, .25, .4, 0, .125, .0625, 2.5);
    assert_numbers(db, BY_HEADS "heads = 16", 0, 1, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 0,
                   NONE, NONE, NONE);
    half = T1 * .005;
    assert_numbers(db, BY_HEADS "setting_label = 'slots=2' AND heads = 1", 2, 0, .985,
                   .005 * sqrt(2), LOW(.985, half), HIGH(.985, half), .98, .985, .99, 1, .4925,
                   .24625, 2.5);
}

TEST(medians_of_odd_and_even_counts)
{
    struct store *s = loaded(x, "tests/data/db/views.sql");
    for (int n = 4; n <= 7; n++) {
        static const double median[] = {.45, .4, .35, .3}; /* smaller ones come in */
        char sql[512];
        snprintf(
            sql, sizeof sql,
            "INSERT INTO trial SELECT trial_id + 100 + %d, sweep_id, config_id, seed + %d,"
            " state, in_plan, plan_order, setting, setting_label, tuning, is_tuning, choice,"
            " attempt, retries_used, resume_step, steps_done, best_step, train_acc, val_acc,"
            " val_loss, %g, test_acc_by_slot, test_exact, test_loss, chance, bad_step, train_s,"
            " NULL, NULL, NULL, replicate, look, until, limit_hit, in_shard, added, confirms FROM "
            "trial "
            "WHERE "
            "config_id = 1 "
            "AND seed = 0",
            n, 10 * n, n == 4 ? .5 : .3 - (n - 5) * .1);
        run_sql(store_db(s), sql);
        assert_numbers(store_db(s),
                       "SELECT median_acc FROM by_heads WHERE setting = '{}' AND heads = 1",
                       median[n - 4]);
    }
}

/* Bad trials as guesses, and losses; what ended at a limit is in neither. */
TEST(by_heads_other_means)
{
    struct store *s = loaded(x, "tests/data/db/views.sql");
    sqlite3 *db = store_db(s);
    static const char ask_for[] = "SELECT n, n_bad, n_limit, n_trials, mean_all, all_low, all_high"
                                  " FROM by_heads WHERE setting = '{}' AND heads = ";
    char sql[300];
    /* 1, and two at 1/16 */
    double mean = (1 + 2 / 16.) / 3, sd = (1 - 1 / 16.) / sqrt(3), half = T2 * sd / sqrt(3);
    snprintf(sql, sizeof sql, "%s4", ask_for);
    assert_numbers(db, sql, 1, 2, 0, 1, mean, LOW(mean, half), HIGH(mean, half));
    run_sql(db, "UPDATE trial SET limit_hit = 1 WHERE config_id = 4 AND state = 'failed'");
    mean = (1 + 1 / 16.) / 2, half = T1 * (1 - 1 / 16.) / 2;
    assert_numbers(db, sql, 1, 1, 1, 1, mean, LOW(mean, half), HIGH(mean, half));
    snprintf(sql, sizeof sql, "%s16", ask_for);
    assert_numbers(db, sql, 0, 1, 0, 0, 1 / 16., NONE, NONE);
    run_sql(db, "UPDATE trial SET test_loss = 1 + 0.5 * seed WHERE config_id = 1");
    assert_numbers(db,
                   "SELECT mean_loss, loss_low, loss_high FROM by_heads WHERE setting = '{}'"
                   " AND heads = 1",
                   1.5, 1.5 - T2 * .5 / sqrt(3), 1.5 + T2 * .5 / sqrt(3));
    run_sql(db, "UPDATE trial SET test_loss = 0.3 + 0.3 * seed WHERE config_id = 1");
    assert_numbers(db,
                   "SELECT mean_loss, loss_low, loss_high FROM by_heads WHERE setting = '{}'"
                   " AND heads = 1",
                   .6, 0, .6 + T2 * .3 / sqrt(3));
    run_sql(db, "UPDATE trial SET test_loss = 1 + 0.5 * seed WHERE config_id = 1;"
                "UPDATE trial SET test_loss = 0.5 WHERE config_id = 2");
    assert_numbers(db,
                   "SELECT mean_loss_diff FROM paired WHERE setting = '{}' AND heads_a = 2"
                   " AND heads_b = 1",
                   -1);
}

/* Two instances with two seeds each are two values, not four. */
TEST(instances_are_the_units)
{
    struct store *s = loaded(x, "tests/data/db/views.sql");
    sqlite3 *db = store_db(s);
    run_sql(db, "UPDATE sweep SET replicate = '[\"task.instance\"]';"
                "UPDATE trial SET in_plan = 0 WHERE config_id NOT IN (1, 2, 8, 101, 102);"
                /* instance 0: seeds 0, 1; instance 1: seed 2, and 3 of heads 1 (config 101) only */
                "UPDATE trial SET setting = '{}', setting_label = '', replicate ="
                " json_object('task.instance', iif(seed < 2 AND config_id < 100, 0, 1));"
                "UPDATE trial SET seed = 2 WHERE config_id = 102;"
                "UPDATE trial SET seed = 3 - seed WHERE config_id = 101");
    /* 1 head: (.4 + .2) / 2 and (.6 + .99 + .98) / 3 */
    double a = .3, b = (.6 + .99 + .98) / 3, half = T1 * fabs(a - b) / 2;
    assert_numbers(db,
                   "SELECT n, n_trials, mean_acc, ci95_low, ci95_high, min_acc, median_acc"
                   " FROM by_heads WHERE heads = 1",
                   2, 5, (a + b) / 2, LOW((a + b) / 2, half), HIGH((a + b) / 2, half), .3,
                   (a + b) / 2);
}

TEST(instances_are_paired_within)
{
    struct store *s = loaded(x, "tests/data/db/views.sql");
    sqlite3 *db = store_db(s);
    run_sql(db, "UPDATE sweep SET replicate = '[\"task.instance\"]';"
                "UPDATE trial SET replicate = json_object('task.instance', iif(seed < 2, 0, 1))");
    /* 1 against 2 heads: instance 0: .1 at seed 0 and .3 at seed 1, instance 1: .5 at seed 2 */
    double half = T1 * (.5 - .2) / 2;
    assert_numbers(db,
                   "SELECT n, mean_diff, ci95_low, ci95_high, wins FROM paired WHERE setting = '{}'"
                   " AND heads_a = 1 AND heads_b = 2",
                   2, .35, .35 - half, .35 + half, 2);
}

#define PAIRED                                                                                     \
    "SELECT n, mean_diff, sd_diff, ci95_low, ci95_high, wins FROM paired WHERE setting = '{}' "    \
    "AND "

TEST(paired_numbers)
{
    struct store *s = loaded(x, "tests/data/db/views.sql");
    sqlite3 *db = store_db(s);
    /* .1, .3, .5 */
    double half = T2 * .2 / sqrt(3);
    assert_numbers(db, PAIRED "heads_a = 1 AND heads_b = 2", 3, .3, .2, .3 - half, .3 + half, 3);
    assert_numbers(db, PAIRED "heads_a = 2 AND heads_b = 1", 3, -.3, .2, -.3 - half, -.3 + half, 0);
    /* Only seeds 0 and 1 are on both sides: .1 and 0. */
    half = T1 * .05;
    assert_numbers(db, PAIRED "heads_a = 1 AND heads_b = 8", 2, .05, .05 * sqrt(2), .05 - half,
                   .05 + half, 1);
    assert_numbers(db, PAIRED "heads_a = 4 AND heads_b = 1", 1, .8, NONE, NONE, NONE, 1);
    assert_answer(db,
                  "SELECT count(*) FROM paired WHERE heads_a = heads_b OR 16 IN (heads_a, "
                  "heads_b)",
                  "0");
    assert_answer(db, "SELECT count(*) FROM paired WHERE setting_label = 'slots=2'", "2");
    /* Equal differences: no spread, exactly. */
    run_sql(db, "UPDATE trial SET test_acc = 0.3 WHERE config_id = 1");
    assert_answer(db,
                  "SELECT sd_diff = 0 AND mean_diff = ci95_low AND mean_diff = ci95_high AND n ="
                  " 3 FROM paired WHERE setting = '{}' AND heads_a = 1 AND heads_b = 2",
                  "1");
}

TEST(generated_columns_are_typed)
{
    struct store *s = loaded(x, "tests/data/db/views.sql");
    sqlite3 *db = store_db(s);
    /* lr was written as 1; d_k as a number, d_v follows d_head. */
    assert_answer(db,
                  "SELECT typeof(lr) || ' ' || d_head || ' ' || d_k || ' ' || d_v FROM config"
                  " WHERE config_id = 8",
                  "real 4 4 4");
    assert_answer(db, "SELECT d_head || ' ' || d_k || ' ' || d_v FROM config WHERE config_id = 2",
                  "16 4 16");
    static const char *const wrong[] = {"$.model.heads", "$.task.name", "$.train.lr",
                                        "$.train.steps", "$.model.d_model"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char sql[512];
        for (int kind = 0; kind < 2; kind++) {
            snprintf(sql, sizeof sql,
                     "UPDATE config SET config_json = json_%s(config_json, '%s'%s) WHERE config_id"
                     " = 1",
                     kind ? "remove" : "set", wrong[i], kind ? "" : ", json('[1]')");
            /* An array reads as text, which is what a task's name is. */
            if (kind == 0 && strcmp(wrong[i], "$.task.name") == 0)
                continue;
            if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_CONSTRAINT_CHECK &&
                (sqlite3_extended_errcode(db) & 0xff) != SQLITE_CONSTRAINT)
                fail_msg("accepted: %s", sql);
        }
    }
}

TEST(no_number_is_infinite)
{
    static const char *const columns[] = {"test_loss", "val_loss",  "train_s",   "test_acc",
                                          "val_acc",   "train_acc", "test_exact"};
    struct store *s = loaded(x, "tests/data/db/views.sql");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "UPDATE trial SET %s = 9e999", columns[i]);
        assert_int_not_equal(sqlite3_exec(store_db(s), sql, NULL, NULL, NULL), SQLITE_OK);
    }
}

/* ---- tune ---- */

/* Ends a tuning trial; acc < 0: diverged. */
static void end_tuning(sqlite3 *db, int heads, const char *lr, int seed, double acc, double loss)
{
    char sql[512];
    snprintf(
        sql, sizeof sql,
        "UPDATE trial SET state = '%s', best_step = 1, train_acc = 0, val_acc = %s%.17g%s,"
        " val_loss = %.17g, test_acc = 0, test_exact = 0, test_loss = 0, train_s = 1 WHERE seed"
        " = %d AND config_id = (SELECT config_id FROM config WHERE heads = %d AND lr = %s)",
        acc < 0 ? "diverged" : "completed", acc < 0 ? "nullif(" : "", acc < 0 ? 0 : acc,
        acc < 0 ? ", 0)" : "", loss, seed, heads, lr);
    run_sql(db, sql);
    assert_int_equal(sqlite3_changes(db), 1);
}

TEST(chosen_by_mean_validation_accuracy)
{
    struct store *s = loaded(x, "tests/data/db/tune.sql");
    sqlite3 *db = store_db(s);
    end_tuning(db, 1, "0.001", 1000, .5, 3);
    end_tuning(db, 1, "0.001", 1001, .5, 3);
    end_tuning(db, 1, "0.003", 1000, .875, 2);
    end_tuning(db, 1, "0.003", 1001, -1, 0); /* diverged: counts as guessing, 1/16 */
    end_tuning(db, 1, "0.01", 1000, .5, 1);
    assert_answer(db, "SELECT count(*) FROM chosen", "0"); /* one is still out */
    assert_answer(db, "SELECT group_concat(DISTINCT settled) FROM tuning", "0");
    end_tuning(db, 1, "0.01", 1001, .5, 1);
    assert_numbers(db,
                   "SELECT score, n, n_bad, rank, settled FROM tuning WHERE heads = 1 AND tuning"
                   " LIKE '%0.003%'",
                   .46875, 2, 1, 3, 1);
    /* A tie between .001 and .01 goes to the one planned first. */
    assert_answer(db, "SELECT group_concat(heads || tuning || score) FROM chosen",
                  "1{\"train.lr\":0.001}0.5");
    end_tuning(db, 1, "0.01", 1001, .75, 1);
    assert_answer(db, "SELECT heads || tuning || score FROM chosen", "1{\"train.lr\":0.01}0.625");
}

TEST(chosen_by_loss)
{
    struct store *s = loaded(x, "tests/data/db/tune.sql");
    sqlite3 *db = store_db(s);
    run_sql(db, "UPDATE sweep SET metric = 'val_loss', goal = 'minimize'");
    for (int seed = 1000; seed <= 1001; seed++) {
        end_tuning(db, 1, "0.001", seed, .5, 3);
        end_tuning(db, 1, "0.003", seed, .9, 2);
        end_tuning(db, 1, "0.01", seed, seed == 1000 ? .9 : -1, .5);
    }
    /* A diverged trial has no loss: fewer of them come first. */
    assert_answer(db, "SELECT tuning || score FROM chosen", "{\"train.lr\":0.003}2.0");
    for (int seed = 1000; seed <= 1001; seed++)
        end_tuning(db, 1, "0.01", seed, .9, .5);
    assert_answer(db, "SELECT value || edge FROM tried WHERE edge IS NOT NULL", "0.01largest");
    for (int seed = 1000; seed <= 1001; seed++)
        end_tuning(db, 1, "0.01", seed, .9, 0); /* perfect */
    assert_answer(db, "SELECT count(edge) FROM tried", "0");
}

/* A tie goes to a value between others, and the choice is no edge. */
TEST(ties_go_inside)
{
    struct store *s = loaded(x, "tests/data/db/tune.sql");
    sqlite3 *db = store_db(s);
    static const char edges[] = "SELECT group_concat(heads || ' ' || axis || ' ' || value || ' ' ||"
                                " edge, ', ') FROM (SELECT * FROM tried WHERE edge IS NOT NULL"
                                " ORDER BY heads)";
    static const char *const rates[] = {"0.001", "0.003", "0.01"};
    for (int i = 0; i < 3; i++)
        for (int seed = 1000; seed <= 1001; seed++)
            for (int heads = 1; heads <= 2; heads++)
                end_tuning(db, heads, rates[i], seed, .5, 2);
    assert_answer(db, "SELECT group_concat(heads || tuning, ' ') FROM chosen",
                  "1{\"train.lr\":0.003} 2{\"train.lr\":0.003}");
    assert_answer(db, edges, "NULL");
    end_tuning(db, 1, "0.001", 1000, .75, 2);
    end_tuning(db, 2, "0.01", 1000, .75, 2);
    assert_answer(db, edges, "1 train.lr 0.001 smallest, 2 train.lr 0.01 largest");
    /* A perfect score has nothing beyond. */
    end_tuning(db, 1, "0.001", 1000, 1, 2);
    end_tuning(db, 1, "0.001", 1001, 1, 2);
    assert_answer(db, edges, "2 train.lr 0.01 largest");
    /* A value all of whose seeds diverged was tried. */
    end_tuning(db, 2, "0.003", 1000, 1, 2);
    end_tuning(db, 2, "0.01", 1000, -1, 2);
    end_tuning(db, 2, "0.01", 1001, -1, 2);
    assert_answer(db, edges, "NULL");
    /* One value where others had more; one for all is no choice. */
    run_sql(db, "UPDATE trial SET in_plan = 0 WHERE config_id IN (11, 22, 23)");
    assert_answer(db, edges, "1 train.lr 0.003 smallest, 2 train.lr 0.001 only");
    run_sql(db, "UPDATE trial SET in_plan = 0 WHERE config_id = 13");
    assert_answer(db, edges, "1 train.lr 0.003 only, 2 train.lr 0.001 only");
    run_sql(db, "UPDATE trial SET in_plan = config_id IN (12, 22)");
    assert_answer(db, edges, "NULL");
}

/* Axes of words have no edges, and a number alone among words is none. */
TEST(edges_of_several_axes)
{
    struct store *s = loaded(x, "tests/data/db/tune.sql");
    sqlite3 *db = store_db(s);
    run_sql(
        db,
        "UPDATE trial SET tuning = json_set(tuning, '$.\"model.d_head\"', iif(config_id IN (11,"
        " 21), 'split', 8), '$.\"train.batch\"', iif(config_id IN (11, 13, 21), 32, 64)),"
        " state = iif(is_tuning, 'completed', state), best_step = 1, train_acc = 0, test_acc = 0,"
        " test_exact = 0, test_loss = 0, train_s = 1, val_loss = 1, val_acc = .5");
    assert_answer(db,
                  "SELECT group_concat(n_outer, ' ') FROM (SELECT * FROM tuning WHERE heads = 1"
                  " ORDER BY rank)",
                  "1 2 2");
    assert_answer(
        db,
        "SELECT group_concat(axis || ' ' || value || ' ' || chosen || coalesce(' ' || edge,"
        " ''), ', ') FROM (SELECT * FROM tried WHERE heads = 1 ORDER BY axis, value)",
        "model.d_head 8 1, model.d_head split 0, train.batch 32 0, train.batch 64 1 "
        "largest, train.lr 0.001 0, train.lr 0.003 1, train.lr 0.01 0");
    run_sql(db, "UPDATE trial SET state = 'queued' WHERE is_tuning AND config_id = 12");
    assert_answer(db, "SELECT count(*) || count(chosen) FROM tried WHERE heads = 1", "70");
}

/* ---- results/queries ---- */

TEST(the_queries_answer)
{
    struct store *s = loaded(x, "tests/data/db/views.sql");
    sqlite3 *db = store_db(s);
    run_sql(db, "INSERT INTO attempt (trial_id, attempt, build_id, started, outcome,"
                " resumed_from_step) SELECT trial_id, 1, 1, '2026', state, 0 FROM trial WHERE state"
                " IN ('completed', 'failed', 'diverged');"
                "INSERT INTO curve (trial_id, step, val_acc, elapsed_s) SELECT trial_id, step,"
                " test_acc, step FROM trial, (SELECT 50 AS step UNION SELECT 100)");
    assert_int_equal(rows_of(db, "results/queries/accuracy_by_heads.sql"), 7);
    assert_int_equal(rows_of(db, "results/queries/learning_curves.sql"), 12); /* 6 x 2 steps */
    assert_int_equal(rows_of(db, "results/queries/failures.sql"), 3);
    assert_int_equal(rows_of(db, "results/queries/paired_differences.sql"), 4); /* 3 + 1 */
    assert_int_equal(rows_of(db, "results/queries/fastest_to_99.sql"), 6);
}
