/* Queries of one's own: values in and out, and every way a query fails. Then what statements and
 * transactions of the store do at their limits. */
#include "scope_help.h"
#include "store_troubles.h"

#include <fcntl.h>
#include <math.h>

#include "sweep/report/table.h"

FIXTURE(set_up, tear_down)

/* ---- rows ---- */

TEST(values_in_and_out)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct rows r = rows_open(s, &x->m, "SELECT ?1, ?2, NULL, 0.5 UNION ALL SELECT ?2, 1, '', NULL",
                              VALUES(TEXT("größe"), INTEGER(INT64_MIN)));
    assert_true(rows_next(&r));
    assert_string_equal(rows_text(&r, 0), "größe");
    assert_true(rows_integer(&r, 1) == INT64_MIN);
    assert_true(rows_null(&r, 2));
    assert_null(rows_text(&r, 2));
    assert_int_equal(rows_integer(&r, 2), 0);
    assert_true(isnan(rows_real(&r, 2)));
    assert_true(rows_real(&r, 3) == 0.5);
    assert_true(rows_next(&r));
    assert_true(rows_integer(&r, 0) == INT64_MIN);
    assert_false(rows_null(&r, 2));
    assert_true(isnan(rows_real(&r, 3)));
    assert_false(rows_next(&r));
    assert_ok(rows_close(&r));

    r = rows_open(s, &x->m, "SELECT ?1 || '!'", VALUES(TEXT("one")));
    assert_true(rows_next(&r));
    assert_string_equal(rows_text(&r, 0), "one!");
    rows_rebind(&r, VALUES(TEXT("two")));
    assert_true(rows_next(&r));
    assert_string_equal(rows_text(&r, 0), "two!");
    assert_ok(rows_close(&r));
}

/* A statement is prepared once and used again: nothing of the time before is left in it. */
TEST(statements_used_again)
{
    static const char two[] = "SELECT ?1, ?2";
    struct store *s = open_store(x, STORE_WRITE);
    struct rows r = rows_open(s, &x->m, two, VALUES(INTEGER(1), TEXT("before")));
    assert_true(rows_next(&r));
    const struct sqlite3_stmt *first = r.statement;
    struct rows within = rows_open(s, &x->m, two, VALUES(INTEGER(2), INTEGER(3)));
    assert_true(rows_next(&within));
    assert_int_equal(rows_integer(&within, 0), 2);
    assert_int_equal(rows_integer(&r, 0), 1);
    assert_ok(rows_close(&r));
    r = rows_open(s, &x->m, two, VALUES(INTEGER(4)));
    assert_ptr_equal(r.statement, first);
    assert_true(rows_next(&r));
    assert_int_equal(rows_integer(&r, 0), 4);
    assert_true(rows_null(&r, 1));
    assert_ok(rows_close(&within));
    assert_ok(rows_close(&r));

    /* closed at its first row, it does not keep the file from anybody */
    run_sql(store_db(s), "INSERT INTO build VALUES (1, '', '', '', '', '', '', '', ''),"
                         " (2, 'x', '', '', '', '', '', '', '')");
    r = rows_open(s, &x->m, "SELECT version FROM build", NO_VALUES);
    assert_true(rows_next(&r));
    assert_ok(rows_close(&r));
    run_sql(store_db(s), "PRAGMA wal_checkpoint(TRUNCATE); ALTER TABLE build ADD COLUMN mine TEXT");
    r = rows_open(s, &x->m, "SELECT * FROM build", NO_VALUES);
    assert_true(rows_next(&r));
    assert_int_equal(rows_columns(&r), 10);
    assert_ok(rows_close(&r));

    /* more of them than are kept */
    for (int i = 0; i < 3 * STORE_IDLE; i++) {
        char sql[40];
        snprintf(sql, sizeof sql, "SELECT %d", i % (2 * STORE_IDLE));
        r = rows_open(s, &x->m, sql, NO_VALUES);
        assert_true(rows_next(&r));
        assert_int_equal(rows_integer(&r, 0), i % (2 * STORE_IDLE));
        assert_ok(rows_close(&r));
    }
}

TEST(rows_as_cells)
{
    static const struct table_column columns[] = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {0}};
    struct store *s = open_store(x, STORE_WRITE);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_ok(IN_SCOPE(in, s, &x->m, {
        static const char sql[] = "SELECT 1, 0.25, 'x' UNION ALL SELECT NULL, x'61', 2";
        struct table *t = table_new(in, columns);
        rows_to_table(in, scope_rows(in, sql, NO_VALUES), t);
        table_write(t, TABLE_CSV, false, out);
    }));
    fclose(out);
    assert_string_equal(text, "a,b,c\n1,0.25,x\n,a,2\n");
    free(text);
}

/* After a failure there are no more rows, and closing tells. */
static void assert_failed(struct fixture *x, struct rows *r, enum status expected)
{
    assert_false(rows_next(r));
    if (r->status != expected)
        fail_msg("status %d, not %d: %s", (int)r->status, (int)expected, x->m.text);
    rows_rebind(r, VALUES(TEXT("again")));
    assert_false(rows_next(r));
    assert_non_null(strstr(x->m.text, x->db));
    assert_int_equal(rows_close(r), expected);
}

TEST(queries_that_fail)
{
    static const char count[] = "SELECT count(*) FROM trial WHERE ?1 <> ''";
    char longer[600];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    stand_between(true);
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));

    struct rows rows = rows_open(r.s, &x->m, "SELECT nonsense", NO_VALUES);
    assert_failed(x, &rows, STATUS_INTERNAL);

    sqlite3_limit(r.db, SQLITE_LIMIT_LENGTH, 500);
    rows = rows_open(r.s, &x->m, count, VALUES(TEXT(longer)));
    assert_failed(x, &rows, STATUS_INTERNAL);
    rows = rows_open(r.s, &x->m, count, VALUES(TEXT("short")));
    assert_true(rows_next(&rows));
    rows_rebind(&rows, VALUES(TEXT(longer)));
    assert_failed(x, &rows, STATUS_INTERNAL);
    sqlite3_limit(r.db, SQLITE_LIMIT_LENGTH, 1000000);

    rows = rows_open(r.s, &x->m, count, VALUES(TEXT("")));
    arm(STOPPED, 1);
    assert_failed(x, &rows, STATUS_INTERRUPTED);
    assert_true(disarm());
    if (FAULTS_IN_MALLOC) {
        rows = rows_open(r.s, &x->m, "SELECT hex(zeroblob(100000)) || ?1", VALUES(TEXT("")));
        arm(MEMORY, 1);
        assert_failed(x, &rows, STATUS_NO_MEMORY);
        assert_true(disarm());
    }
    close_store(x, r.s);
    stand_between(false);

    /* Somebody writes without WAL. */
    sqlite3 *other;
    assert_int_equal(sqlite3_open(x->db, &other), SQLITE_OK);
    struct store *s = open_store(x, STORE_READ);
    store_set_busy_timeout(s, 1);
    run_sql(other, "BEGIN EXCLUSIVE");
    rows = rows_open(s, &x->m, count, VALUES(TEXT("")));
    assert_failed(x, &rows, STATUS_BUSY);
    run_sql(other, "ROLLBACK");
    sqlite3_close(other);
    long page = atol(ask(store_db(s), "SELECT rootpage FROM sqlite_schema WHERE name = 'trial'"));
    close_store(x, s);

    int fd = open(x->db, O_WRONLY);
    assert_int_equal(pwrite(fd, "\x0d\xff\xff\xff\xff\xff\xff\xff", 8, (page - 1) * 4096), 8);
    close(fd);
    s = open_store(x, STORE_READ);
    rows = rows_open(s, &x->m, "SELECT * FROM trial WHERE setting_label <> ?1", VALUES(TEXT("")));
    assert_failed(x, &rows, STATUS_CORRUPT);
}

/* The schema lets no other word in; a file that was made to hold one is refused by its name. */
TEST(words_that_no_trial_can_have)
{
    struct counts counts;
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    run_sql(r.db, "PRAGMA ignore_check_constraints = ON;"
                  "UPDATE trial SET state = 'lost', choice = 'random' WHERE trial_id = 2");
    assert_status(STATUS_CORRUPT, store_counts(r.s, r.sweep, &counts, &x->m));
    assert_non_null(strstr(x->m.text, "state is 'lost'"));
    struct rows rows = rows_open(r.s, &x->m, "SELECT choice FROM trial", NO_VALUES);
    assert_true(rows_next(&rows));
    assert_int_equal(rows_choice(&rows, 0), CHOICE_CHOSEN);
    assert_true(rows_next(&rows));
    rows_choice(&rows, 0);
    assert_failed(x, &rows, STATUS_CORRUPT);
    assert_non_null(strstr(x->m.text, "choice is 'random'"));
}

/* The same for a column that is never NULL. */
TEST(a_text_that_is_missing)
{
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct rows rows =
        rows_open(r.s, &x->m, "SELECT '4', NULL AS setting UNION ALL SELECT '', ''", NO_VALUES);
    assert_true(rows_next(&rows));
    assert_string_equal(rows_given(&rows, 0), "4");
    assert_string_equal(rows_given(&rows, 1), "");
    assert_failed(x, &rows, STATUS_CORRUPT);
    assert_non_null(strstr(x->m.text, "setting is NULL, which it must not be"));
}

/* ---- statements and transactions ---- */

TEST(a_text_beyond_the_limit)
{
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    char longer[3000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    sqlite3_limit(r.db, SQLITE_LIMIT_LENGTH, 2000);
    assert_status(STATUS_INTERNAL, store_add_warning(r.s, c.trial_id, c.attempt, longer, &x->m));
    assert_non_null(strstr(x->m.text, "too big"));
    assert_ok(store_add_warning(r.s, c.trial_id, c.attempt, "short", &x->m));
    assert_answer(r.db, "SELECT note FROM attempt", "short");
}

TEST(a_table_in_use_is_busy)
{
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    struct rows rows = rows_open(r.s, &x->m, "SELECT * FROM trial", NO_VALUES);
    assert_true(rows_next(&rows));
    assert_status(STATUS_BUSY, store_script(r.s, "dropping", "DROP TABLE curve", &x->m));
    assert_ok(rows_close(&rows));
    assert_ok(store_script(r.s, "dropping", "DROP TABLE curve", &x->m));
}

TEST(batches_do_not_nest)
{
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    assert_ok(store_begin(r.s, &x->m));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    assert_int_equal(c.attempt, 1);
    assert_status(STATUS_INTERNAL, store_begin(r.s, &x->m));
    assert_non_null(strstr(x->m.text, "twice"));
    assert_ok(store_commit(r.s, &x->m)); /* the first one goes on */
    assert_answer(r.db, "SELECT state FROM trial", "running");
}

/* Of several errors after SQLite has rolled a batch back, the first is its reason. */
TEST(the_first_error_ends_the_batch)
{
    struct counts c;
    stand_between(true);
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    assert_ok(store_begin(r.s, &x->m));
    claim(x, r.s, r.sweep, r.build);
    run_sql(r.db, "ROLLBACK"); /* as SQLite itself does on a full disk */
    arm(STOPPED, 1);
    assert_status(STATUS_INTERRUPTED, store_counts(r.s, r.sweep, &c, &x->m));
    arm(REFUSED, 1);
    assert_status(STATUS_INTERNAL, store_counts(r.s, r.sweep, &c, &x->m));
    assert_true(disarm());
    stand_between(false);
    assert_status(STATUS_INTERRUPTED, store_commit(r.s, &x->m));
    assert_answer(r.db, "SELECT state FROM trial", "queued");
}

/* ---- what a file can be asked ---- */

TEST(more_sweeps_than_a_message_names)
{
    struct store *s = open_store(x, STORE_WRITE);
    int64_t id;
    run_sql(
        store_db(s),
        "WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n LIMIT 20)"
        " INSERT INTO sweep (name, yaml, yaml_sha256, plan_sha256, metric, goal, tune, created,"
        " last_run, question) SELECT 'a-rather-long-name-of-a-sweep-' || i, '', hex(zeroblob(32)),"
        " hex(zeroblob(32)), 'val_acc', 'maximize', '[]', '', '', '' FROM n");
    assert_status(STATUS_BAD_INPUT, store_sweep(s, "none", &id, &x->m));
    assert_non_null(strstr(x->m.text, "it holds: a-rather-long-name-of-a-sweep-10, a-rather"));
    assert_null(strstr(x->m.text, "sweep-29"));
}
