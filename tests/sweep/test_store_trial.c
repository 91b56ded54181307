/* The life of a trial in the results file: claims, endings and their fence, locks held by others,
 * many processes at once. */
#include "store_help.h"

#include <sys/wait.h>

static const struct attempt_end NO_END;

/* Every row of every table that a change of trials can touch. */
static const char EVERYTHING[] =
    "SELECT (SELECT group_concat(trial_id || state || attempt || retries_used || resume_step ||"
    " steps_done || coalesce(test_acc, '-') || choice) FROM trial)"
    " || (SELECT count(*) || coalesce(group_concat(trial_id || attempt || coalesce(ended, '') ||"
    " coalesce(error, '')), '') FROM attempt)"
    " || (SELECT count(*) || coalesce(group_concat(trial_id || step || val_acc), '') FROM curve)";

FIXTURE(set_up, tear_down)

TEST(a_trial_that_came_to_nothing_is_left_to_others)
{
    struct run r = start(x, SWEEP("[1]", "seeds: 2\n"));
    struct claimed c = {0};
    const struct attempt_end end = {.cause = CAUSE_LOST};
    bool ok, failed;
    assert_ok(store_claim(r.s, r.sweep, r.build, "a", true, &c, &x->m));
    assert_int_equal(c.trial_id, 1);
    assert_ok(store_requeue(r.s, 1, 1, &end, &ok, &x->m));
    assert_ok(store_claim(r.s, r.sweep, r.build, "a", true, &c, &x->m));
    assert_int_equal(c.trial_id, 2);
    assert_ok(store_fail(r.s, 2, 1, 1, &NO_END, &failed, &ok, &x->m));
    assert_ok(store_claim(r.s, r.sweep, r.build, "a", true, &c, &x->m));
    assert_each(c.trial_id == 0, c.left);
    assert_ok(store_claim(r.s, r.sweep, r.build, "b", true, &c, &x->m));
    assert_int_equal(c.trial_id, 1);
    assert_ok(store_claim(r.s, r.sweep, r.build, "a", false, &c, &x->m)); /* nobody else works */
    assert_int_equal(c.trial_id, 2);
    assert_ok(store_claim(r.s, r.sweep, r.build, "a", true, &c, &x->m));
    assert_each(c.trial_id == 0, !c.left);
}

TEST(finish_takes_everything)
{
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    assert_ok(store_curve(r.s, c.trial_id, 1, "[{\"step\":25,\"val_acc\":0.5}]", &x->m));
    assert_answer(r.db, "SELECT val_acc FROM curve WHERE step = 25", "0.5");
    assert_ok(store_add_warning(r.s, c.trial_id, 1, "one", &x->m));
    assert_ok(store_add_warning(r.s, c.trial_id, 1, "two", &x->m));
    assert_true(finish(x, r.s, &c, result_of(0.75)));
    assert_answer(r.db,
                  "SELECT concat FROM (SELECT state || ' ' || steps_done || ' ' || best_step || ' '"
                  " || train_acc || ' ' || val_acc || ' ' || val_loss || ' ' || test_acc || ' ' ||"
                  " test_acc_by_slot || ' ' || test_exact || ' ' || test_loss || ' ' || chance ||"
                  " ' ' || train_s || ' ' || checkpoint AS concat FROM trials)",
                  "completed 100 50 0.75 0.75 1.25 0.75 [0.75,1] 0.0 0.25 0.125 1.5 "
                  "t1-a1.result");
    assert_answer(
        r.db,
        "SELECT outcome || ' ' || resumed_from_step || ' ' || exit_code || ' ' || cpu_s ||"
        " ' ' || max_rss_kib || ' ' || note FROM attempt WHERE ended IS NOT NULL"
        " AND error IS NULL AND signal IS NULL",
        "completed 20 0 2.5 4096 one\ntwo");
    /* The live row is gone. */
    assert_answer(r.db, "SELECT group_concat(step || ':' || val_loss || ':' || lr) FROM curve",
                  "50:1.25:0.001,100:1.5:0.0005");
}

TEST(divergence_is_a_result)
{
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    assert_true(finish(x, r.s, &c,
                       "{\"state\":\"diverged\",\"steps_done\":31,\"best_step\":null,\"train_acc\":"
                       "null,\"val_acc\":null,\"test_acc\":null,\"test_acc_by_slot\":null,"
                       "\"test_exact\":null,\"test_loss\":null,\"chance\":0.125,\"train_s\":0.5,"
                       "\"resumed_from_step\":0,\"error\":\"NaN at linear1\",\"bad_step\":31,"
                       "\"curve\":[]}"));
    assert_answer(r.db,
                  "SELECT state || ' ' || bad_step || ' ' || steps_done || ' ' || error FROM trials"
                  " WHERE test_acc IS NULL AND test_acc_by_slot IS NULL",
                  "diverged 31 31 NaN at linear1");
    assert_answer(r.db, "SELECT outcome FROM attempt", "diverged");
}

TEST(impossible_results_are_refused)
{
    static const char *const results[] = {
        "",
        "{",
        "[]",
        "{\"state\":\"queued\"}",
        "{\"state\":\"completed\"}",
        "{\"state\":\"completed\",\"steps_done\":1,\"best_step\":1,\"train_acc\":1.5,\"val_acc\":1,"
        "\"test_acc\":1,\"test_exact\":1,\"test_loss\":1,\"train_s\":1,\"curve\":[]}",
        "{\"state\":\"completed\",\"steps_done\":1,\"best_step\":1,\"train_acc\":1,\"val_acc\":1,"
        "\"test_acc\":1,\"test_exact\":1,\"test_loss\":1e999,\"train_s\":1,\"curve\":[]}",
        "{\"state\":\"completed\",\"steps_done\":1,\"best_step\":1,\"train_acc\":1,\"val_acc\":1,"
        "\"test_acc\":\"much\",\"test_exact\":1,\"test_loss\":1,\"train_s\":1,\"curve\":[]}",
        "{\"state\":\"diverged\",\"steps_done\":1,\"curve\":[{\"step\":null}]}"};
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    char before[4096];
    snprintf(before, sizeof before, "%s", ask(r.db, EVERYTHING));
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        bool accepted = true;
        enum status status = store_finish(r.s, c.trial_id, c.attempt, results[i], NULL, NULL,
                                          &NO_END, &accepted, &x->m);
        if (status != STATUS_CORRUPT || accepted)
            fail_msg("%s: %d %s", results[i], (int)status, x->m.text);
        assert_string_equal(ask(r.db, EVERYTHING), before);
    }
}

static int64_t fail_saying(struct fixture *x, struct run *r, const char *error)
{
    struct attempt_end end = {.exit_code = 1, .error = error};
    bool failed, accepted;
    struct claimed c = claim(x, r->s, r->sweep, r->build);
    assert_ok(store_fail(r->s, c.trial_id, c.attempt, 0, &end, &failed, &accepted, &x->m));
    assert_true(accepted);
    return c.trial_id;
}

/* Whole, until there is too much of it in the file; then the end, in whole characters. */
TEST(what_trials_said_is_bounded)
{
    struct run r = start(x, SWEEP("[1]", "seeds: 4\n"));
    char said[2000] = "x";
    for (int i = 0; i < 497; i++) /* U+10400, of four bytes */
        memcpy(said + 1 + 4 * i, "\xf0\x90\x90\x80", 4);
    memcpy(said + 1989, "\nlast word", 11);
    fail_saying(x, &r, said);
    assert_answer(r.db, "SELECT length(CAST(error AS BLOB)) FROM attempt WHERE trial_id = 1",
                  "1999");
    run_sql(r.db, "UPDATE attempt SET error = hex(zeroblob(32 << 20)) WHERE trial_id = 1");
    close_store(x, r.s);
    r.s = open_store(x, STORE_WRITE);
    r.db = store_db(r.s);
    fail_saying(x, &r, said);
    assert_answer(r.db,
                  "SELECT length(CAST(error AS BLOB)) || substr(error, -10) || unicode(error)"
                  " FROM attempt WHERE trial_id = 2",
                  "498\nlast word66560");
    fail_saying(x, &r, "short");
    assert_answer(r.db, "SELECT error FROM attempt WHERE trial_id = 3", "short");
}

TEST(the_job_of_slurm_is_kept)
{
    static const struct {
        const char *job, *array, *task, *kept;
    } cases[] = {
        {NULL, NULL, NULL, "-"},     {"17", NULL, NULL, "17"},        {"19", "17", "2", "17_2"},
        {"17; rm", NULL, NULL, "-"}, {"17", "12345678901", "2", "-"}, {"", "", "", "-"},
    };
    struct run r = start(x, SWEEP("[1]", "seeds: 6\n"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const set[][2] = {{"SLURM_JOB_ID", cases[i].job},
                                      {"SLURM_ARRAY_JOB_ID", cases[i].array},
                                      {"SLURM_ARRAY_TASK_ID", cases[i].task}};
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(set[k][1] ? setenv(set[k][0], set[k][1], 1) : unsetenv(set[k][0]), 0);
        claim(x, r.s, r.sweep, r.build);
        assert_answer(r.db, "SELECT coalesce(job, '-') FROM attempt ORDER BY trial_id DESC LIMIT 1",
                      cases[i].kept);
    }
}

TEST(rows_that_are_none_change_nothing)
{
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    static const char *const bad[] = {"[{!step\":1}]",
                                      "",
                                      "[{}]",
                                      "[1]",
                                      "[{\"step\":-1}]",
                                      "[{\"step\":1},{\"step\":2,\"val_acc\":7}]"};
    assert_ok(store_begin(r.s, &x->m));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_status(STATUS_CORRUPT, store_curve(r.s, c.trial_id, 1, bad[i], &x->m));
    assert_ok(store_curve(r.s, c.trial_id, 1, "[{\"step\":5}]", &x->m));
    assert_ok(store_commit(r.s, &x->m));
    assert_answer(r.db, "SELECT group_concat(step) FROM curve", "5");
}

TEST(requeue_costs_no_retry)
{
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct attempt_end end = {.signal = 9, .error = "killed", .step = 60};
    bool accepted;
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    assert_ok(store_requeue(r.s, c.trial_id, c.attempt, &end, &accepted, &x->m));
    assert_true(accepted);
    c = claim(x, r.s, r.sweep, r.build);
    assert_int_equal(c.attempt, 2);
    assert_int_equal(c.resumed_from_step, 60);
    assert_answer(r.db, "SELECT retries_used FROM trial", "0");
    assert_answer(r.db,
                  "SELECT outcome || ' ' || signal || ' ' || error || ' ' || cause FROM attempt"
                  " WHERE exit_code IS NULL AND attempt = 1",
                  "requeued 9 killed lost");
    /* how, nobody knows */
    end = (struct attempt_end){.unseen = true, .error = "lost", .cause = CAUSE_COORDINATOR};
    assert_ok(store_requeue(r.s, c.trial_id, c.attempt, &end, &accepted, &x->m));
    assert_answer(r.db,
                  "SELECT outcome || ' ' || error || ' ' || cause FROM attempt WHERE exit_code IS"
                  " NULL AND signal IS NULL AND attempt = 2",
                  "requeued lost coordinator");
}

/* Whatever a stale worker says changes nothing. */
TEST(late_and_duplicate_reports)
{
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct claimed old = claim(x, r.s, r.sweep, r.build), c = old;
    for (int situation = 0; situation < 3; situation++) {
        bool accepted, failed;
        if (situation == 0) {
            assert_ok(store_requeue(r.s, old.trial_id, 1, &(struct attempt_end){.step = 10},
                                    &accepted, &x->m));
        } else if (situation == 1) {
            c = claim(x, r.s, r.sweep, r.build); /* its successor runs */
        } else {
            assert_true(finish(x, r.s, &c, result_of(0.5)));
            old = c; /* the same report again */
        }
        char before[4096];
        snprintf(before, sizeof before, "%s", ask(r.db, EVERYTHING));
        assert_false(finish(x, r.s, &old, result_of(0.9)));
        assert_ok(
            store_fail(r.s, old.trial_id, old.attempt, 0, &NO_END, &failed, &accepted, &x->m));
        assert_false(accepted || failed);
        assert_ok(store_requeue(r.s, old.trial_id, old.attempt, &(struct attempt_end){.step = 99},
                                &accepted, &x->m));
        assert_false(accepted);
        assert_ok(store_curve(r.s, old.trial_id, old.attempt, "[{\"step\":7}]", &x->m));
        assert_ok(store_spawned(r.s, old.trial_id, old.attempt, 7, &x->m));
        assert_answer(r.db, "SELECT count(*) FROM attempt WHERE pid = 7", "0");
        assert_string_equal(ask(r.db, EVERYTHING), before);
    }
    assert_answer(r.db, "SELECT test_acc FROM trial", "0.5");
}

TEST(a_batch_is_all_or_nothing)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    char before[4096];
    bool accepted;
    snprintf(before, sizeof before, "%s", ask(r.db, EVERYTHING));
    assert_ok(store_begin(r.s, &x->m));
    assert_true(finish(x, r.s, &c, result_of(0.5)));
    assert_int_equal(claim(x, r.s, r.sweep, r.build).trial_id, 2);
    store_rollback(r.s);
    assert_string_equal(ask(r.db, EVERYTHING), before);

    /* A part that fails undoes itself alone, here when the trial is written and the curve is not.
     */
    static const char bad_curve[] = "{\"state\":\"diverged\",\"steps_done\":9,\"curve\":[{}]}";
    assert_ok(store_begin(r.s, &x->m));
    struct claimed second = claim(x, r.s, r.sweep, r.build);
    assert_status(STATUS_CORRUPT, store_finish(r.s, c.trial_id, 1, bad_curve, NULL, NULL, &NO_END,
                                               &accepted, &x->m));
    assert_answer(r.db, "SELECT state || steps_done FROM trial WHERE trial_id = 1", "running0");
    assert_true(finish(x, r.s, &c, result_of(0.5)));
    assert_ok(store_commit(r.s, &x->m));
    assert_int_equal(second.trial_id, 2);
    assert_answer(r.db, "SELECT group_concat(state) FROM trial", "completed,running");
    assert_int_equal(store_commit(r.s, &x->m), STATUS_INTERNAL);
}

/* ---- locks of others ---- */

static sqlite3 *other(const struct fixture *x)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    return db;
}

TEST(a_lock_is_busy_and_nothing_else)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build), next;
    struct plan_changes changes;
    sqlite3 *lock = other(x);
    char before[4096];
    bool accepted, failed;
    long count;
    store_set_busy_timeout(r.s, 1);
    snprintf(before, sizeof before, "%s", ask(r.db, EVERYTHING));
    run_sql(lock, "BEGIN IMMEDIATE");
    assert_status(STATUS_BUSY, store_begin(r.s, &x->m));
    assert_non_null(strstr(x->m.text, "locked"));
    assert_status(STATUS_BUSY, store_claim(r.s, r.sweep, r.build, NULL, false, &next, &x->m));
    assert_int_equal(next.trial_id, 0);
    assert_status(STATUS_BUSY, store_finish(r.s, c.trial_id, 1, result_of(1), NULL, NULL, &NO_END,
                                            &accepted, &x->m));
    assert_false(accepted);
    assert_status(STATUS_BUSY,
                  store_fail(r.s, c.trial_id, 1, 2, &NO_END, &failed, &accepted, &x->m));
    assert_false(accepted || failed);
    assert_status(STATUS_BUSY, store_requeue(r.s, c.trial_id, 1, &NO_END, &accepted, &x->m));
    assert_false(accepted);
    assert_status(STATUS_BUSY, store_curve(r.s, c.trial_id, 1, "[{\"step\":1}]", &x->m));
    assert_status(STATUS_BUSY, store_spawned(r.s, c.trial_id, 1, 77, &x->m));
    assert_status(STATUS_BUSY, store_add_warning(r.s, c.trial_id, 1, "words", &x->m));
    assert_status(STATUS_BUSY, store_retry_failed(r.s, r.sweep, &count, &x->m));
    struct planned p = plan_of(x, SWEEP("[1, 2, 4]", ""));
    assert_status(STATUS_BUSY, store_plan(r.s, p.plan, false, &changes, &x->m));
    free_plan(x, p);
    assert_string_equal(ask(r.db, EVERYTHING), before);
    run_sql(lock, "ROLLBACK");
    sqlite3_close(lock);
    assert_true(finish(x, r.s, &c, result_of(1)));
    assert_int_equal(claim(x, r.s, r.sweep, r.build).trial_id, 2);
}

/* Without WAL a reader holds up the commit, which then has rolled back. */
TEST(a_reader_of_a_rollback_journal)
{
    static const struct store_migration none[] = {{0, NULL}};
    static const struct store_format f = {STORE_VERSION, none, true};
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    close_store(x, r.s);
    assert_ok(store_open_format(x->db, STORE_WRITE, &f, &r.s, &x->m));
    r.db = store_db(r.s);
    assert_answer(r.db, "PRAGMA journal_mode", "delete");
    store_set_busy_timeout(r.s, 1);
    sqlite3 *reader = other(x);
    run_sql(reader, "BEGIN; SELECT count(*) FROM trial");
    assert_ok(store_begin(r.s, &x->m));
    assert_int_equal(claim(x, r.s, r.sweep, r.build).trial_id, 1);
    assert_status(STATUS_BUSY, store_commit(r.s, &x->m));
    assert_answer(r.db, "SELECT group_concat(state) FROM trial", "queued,queued");
    run_sql(reader, "COMMIT");
    sqlite3_close(reader);
    assert_int_equal(claim(x, r.s, r.sweep, r.build).attempt, 1);
    close_store(x, r.s);
}

/* Opening may meet the others' change of the journal mode; claiming must not meet anything. */
static int claim_all(const char *path, int64_t sweep, int64_t build, int go, int done)
{
    struct store *s = NULL;
    struct message m = {{0}};
    char byte;
    enum status status;
    while ((status = store_open(path, STORE_WRITE, &s, &m)) == STATUS_BUSY)
        usleep(1000);
    if (status == STATUS_OK) {
        struct claimed c;
        store_set_busy_timeout(s, 60000);
        if (read(go, &byte, 1) != 0)
            return 100;
        while ((status = store_claim(s, sweep, build, NULL, false, &c, &m)) == STATUS_OK &&
               c.trial_id)
            continue;
    }
    if (status != STATUS_OK)
        fprintf(stderr, "status %d: %s\n", (int)status, m.text);
    if (write(done, status == STATUS_OK ? "y" : "n", 1) != 1)
        return 101;
    store_close(s, &m);
    return status == STATUS_OK ? 0 : 102;
}

TEST(many_processes_claim_at_once)
{
    enum { PROCESSES = 32, TRIALS = 160 };
    struct run r = start(x, SWEEP("[1, 2, 4, 8]", "seeds: 40\n"));
    pid_t child[PROCESSES];
    int go[2], done[2], status;
    char yes = 0;
    close_store(x, r.s);
    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(done), 0);
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0) {
            close(go[1]);
            _exit(claim_all(x->db, r.sweep, r.build, go[0], done[1]));
        }
    }
    close(go[1]); /* all at once: end of file */
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(read(done[0], &yes, 1), 1);
        assert_int_equal(yes, 'y');
    }
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    close(go[0]), close(done[0]), close(done[1]);
    struct store *s = open_store(x, STORE_READ);
    assert_answer(store_db(s), "SELECT count(*) FROM trial WHERE state = 'running' AND attempt = 1",
                  "160");
    assert_answer(store_db(s), "SELECT count(*) FROM attempt", "160");
    assert_answer(store_db(s), "PRAGMA integrity_check", "ok");
}
