/* What a results file may hold that is not the program's own, and what a writer that was killed
 * leaves to readers. */
#include "store_help.h"

#include <pthread.h>
#include <sys/stat.h>

#include "sweep/trials/store_check.h"

#define ENDLESS "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"

/* By a connection that has no guards. */
static void edit(struct fixture *x, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    run_sql(db, sql);
    sqlite3_close(db);
}

static void shell(struct fixture *x, const char *words)
{
    char command[600];
    snprintf(command, sizeof command, "cd '%s' && %s", x->folder, words);
    assert_int_equal(system(command), 0);
}

static void make(struct fixture *x)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    close_store(x, r.s);
}

FIXTURE(set_up, tear_down)

/* ---- the program's own names ---- */

TEST(what_is_not_the_programs_is_refused)
{
    static const struct {
        const char *sql, *words;
    } cases[] = {
        {"DROP VIEW trials; CREATE VIEW trials AS " ENDLESS, "view trials is different"},
        {"DROP VIEW progress; CREATE TABLE progress (name TEXT)", "view progress is now a table"},
        {"DROP VIEW cost", "view cost is missing"},
        {"DROP TABLE build; CREATE VIEW build AS " ENDLESS, "table build is now a view"},
        {"DROP TABLE results_file; CREATE VIEW results_file AS SELECT i AS id FROM (" ENDLESS
         ") WHERE i < 0",
         "table results_file is now a view"},
        {"DROP TABLE trial; CREATE VIEW trial AS SELECT iif(i < 0, 'running', '') AS state FROM"
         " (" ENDLESS ")",
         "table trial is now a view"},
        {"ALTER TABLE trial ADD COLUMN x TEXT AS (replace(hex(zeroblob(99)), '0', setting)) "
         "VIRTUAL",
         "table trial is different"},
        {"ALTER TABLE curve ADD COLUMN mine TEXT", "table curve is different"},
        {"ALTER TABLE head_metric ADD COLUMN mine TEXT", "table head_metric is different"},
        {"DROP INDEX trial_claim", "index trial_claim is missing"},
        {"ALTER TABLE t_quantile RENAME COLUMN t TO u", "table t_quantile is different"},
        {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
         " replace(sql, 'state IN', 'stateIN') WHERE name = 'progress';"
         "UPDATE sqlite_schema SET sql = replace(sql, 'LEFT JOIN', 'CROSS JOIN')"
         " WHERE name = 'trials'",
         "view trials is different"},
    };
    make(x);
    shell(x, "cp results.db saved");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct store *s;
        struct told told = {0};
        edit(x, cases[i].sql);
        for (enum store_mode mode = STORE_READ; mode <= STORE_WRITE; mode++) {
            if (mode == STORE_CHECK)
                continue;
            assert_status(STATUS_BAD_INPUT, store_open(x->db, mode, &s, &x->m));
            if (!strstr(x->m.text, cases[i].words) || !strstr(x->m.text, x->db))
                fail_msg("%s: %s", cases[i].sql, x->m.text);
        }
        s = open_store(x, STORE_CHECK);
        assert_status(STATUS_CORRUPT, store_check(s, tell, &told, &x->m));
        if (!strstr(told.text, cases[i].words))
            fail_msg("%s: %s", cases[i].sql, told.text);
        close_store(x, s);
        shell(x, "cp saved results.db");
    }
}

static void count_missing(void *context, const char *what)
{
    assert_non_null(strstr(what, "table more_"));
    assert_non_null(strstr(what, " is missing"));
    ++*(int *)context;
}

TEST(a_schema_may_have_any_number_of_objects)
{
    enum { MORE = 100 };
    struct text_buffer schema = {0};
    int missing = 0;
    make(x);
    text_add(&schema, "%s", store_schema);
    for (int i = 0; i < MORE; i++)
        text_add(&schema, "CREATE TABLE more_%d (x INTEGER) STRICT;\n", i);
    struct store *s = open_store(x, STORE_READ);
    assert_ok(store_foreign_objects(s, schema.text, count_missing, &missing, &x->m));
    assert_int_equal(missing, MORE);
    free(schema.text);
}

/* Comments and line breaks are not what a table is; measures may be younger than the file. */
TEST(other_words_for_the_same_are_taken)
{
    make(x);
    edit(x, "ALTER TABLE head_metric ADD COLUMN younger REAL;"
            "ALTER TABLE head_metric ADD COLUMN youngest_1 REAL;"
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
            " replace(replace(sql, char(10), '  -- ''; of yesterday' || char(10)), '  ', '   ')"
            " WHERE type = 'table' AND name NOT LIKE 'sqlite%'");
    close_store(x, open_store(x, STORE_READ));
    close_store(x, open_store(x, STORE_WRITE));
}

/* ---- what is a user's own ---- */

TEST(a_users_own_stays_and_is_never_run)
{
    struct told told = {0};
    make(x);
    edit(x, "CREATE VIEW mine AS " ENDLESS ";"
            "CREATE VIEW above AS SELECT * FROM trials JOIN mine ON trial_id = i;"
            "CREATE TABLE fired (what TEXT);"
            "CREATE TABLE diary (sweep_id INTEGER REFERENCES sweep ON DELETE CASCADE, day TEXT);"
            "INSERT INTO diary VALUES (1, 'Monday');"
            "CREATE TABLE \"results_file (\n    id TEXT PRIMARY KEY CHECK\" (" /* of the schema */
            " \"config_id FROM trial) AND not_there /*\" INTEGER REFERENCES config);"
            "CREATE INDEX by_day ON diary (day); CREATE INDEX by_chance ON trial (chance);"
            "CREATE TRIGGER loud AFTER UPDATE ON trial BEGIN"
            " INSERT INTO fired SELECT 'trial' FROM mine; END;"
            "CREATE TRIGGER never BEFORE DELETE ON sweep BEGIN SELECT RAISE(ABORT, 'no'); END;"
            "CREATE TRIGGER instead INSTEAD OF INSERT ON progress BEGIN DELETE FROM sweep; END");
    struct store *s = open_store(x, STORE_WRITE);
    sqlite3 *db = store_db(s);
    struct claimed c = claim(x, s, 1, add_build(x, s));
    assert_true(finish(x, s, &c, result_of(0.75)));
    assert_answer(db, "SELECT count(*) FROM fired", "0");
    assert_ok(store_check(s, tell, &told, &x->m));
    assert_int_equal(told.count, 0);
    assert_ok(store_delete(s, 1, &x->m));
    assert_answer(db, "SELECT count(*) FROM diary", "0");
    assert_answer(db, "SELECT count(*) FROM trial", "0");
    close_store(x, s);
    s = open_store(x, STORE_CHECK);
    assert_ok(store_check(s, tell, &told, &x->m));
    assert_int_equal(told.count, 0);
    assert_answer(store_db(s),
                  "SELECT count(*) FROM sqlite_schema WHERE name IN ('mine', 'above',"
                  " 'fired', 'diary', 'by_day', 'by_chance', 'loud', 'never',"
                  " 'instead')",
                  "9");
}

TEST(a_connection_is_guarded)
{
    make(x);
    for (enum store_mode mode = STORE_READ; mode <= STORE_WRITE; mode++) {
        struct store *s = open_store(x, mode);
        sqlite3 *db = store_db(s);
        int on = -1;
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, -1, &on);
        assert_int_equal(on, 1);
        sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, -1, &on);
        assert_int_equal(on, 0);
        assert_answer(db, "PRAGMA foreign_keys", "1");
        assert_int_not_equal(sqlite3_exec(db, "ATTACH ':memory:' AS other", NULL, NULL, NULL),
                             SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, "SELECT zeroblob(1 << 29)", NULL, NULL, NULL),
                         SQLITE_TOOBIG);
        close_store(x, s);
    }
}

/* ---- an end to what takes long ---- */

static bool ask_thrice(void *context)
{
    return ++*(int *)context > 3;
}

TEST(a_long_statement_is_stopped)
{
    int64_t answer;
    int asked = 0;
    make(x);
    struct store *s = open_store(x, STORE_READ);
    store_stop_when(s, ask_thrice, &asked);
    assert_status(STATUS_INTERRUPTED,
                  rows_ask(s, &x->m, "SELECT count(*) FROM (" ENDLESS ")", NO_VALUES, &answer));
    assert_int_equal(asked, 4);
}

/* ---- what a killed writer leaves ---- */

/* The file, and what lies beside it, as when a writer is killed in the middle of a change. */
static void cut_off(struct fixture *x, const char *suffix, const char *begin)
{
    char keep[100];
    sqlite3 *db;
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    run_sql(db, "PRAGMA cache_size = 1");
    run_sql(db, begin);
    snprintf(keep, sizeof keep, "mkdir cut && cp results.db results.db%s cut", suffix);
    shell(x, keep);
    sqlite3_close(db);
    shell(x, "cp cut/* . && rm -r cut");
}

static const char half[] = "BEGIN; UPDATE sweep SET question = 'half';"
                           "UPDATE t_quantile SET t = 0; UPDATE trial SET setting_label = 'half'";

/* It was opened when all was well. */
TEST(a_reader_meets_a_journal)
{
    int64_t n = -1;
    make(x);
    struct store *s = open_store(x, STORE_READ);
    for (int again = 0; again < 2; again++) {
        cut_off(x, "-journal", half);
        assert_ok(rows_ask(s, &x->m, "SELECT count(*) FROM t_quantile WHERE t = 0", NO_VALUES, &n));
        assert_int_equal(n, 0);
    }
}

static enum status read_as_nobody(struct fixture *x)
{
    struct store *s = NULL;
    bool root = geteuid() == 0;
    shell(x, "chmod a-w . results.db*");
    if (root)
        assert_int_equal(seteuid(65534), 0);
    enum status status = store_open(x->db, STORE_READ, &s, &x->m);
    if (status == STATUS_OK)
        store_close(s, NULL);
    if (root)
        assert_int_equal(seteuid(0), 0);
    shell(x, "chmod u+w . results.db*");
    return status;
}

/* Who may not write there can take nothing back: told, and no failure of this program. */
TEST(a_closed_folder_with_half_a_change)
{
    make(x);
    assert_int_equal(chmod(x->folder, 0755), 0);
    cut_off(x, "-journal", half);
    assert_status(STATUS_BUSY, read_as_nobody(x));
    assert_non_null(strstr(x->m.text, "left in the midst of a change"));
    close_store(x, open_store(x, STORE_READ));
    assert_ok(read_as_nobody(x));
}

TEST(a_log_without_its_index_in_a_closed_folder)
{
    make(x);
    assert_int_equal(chmod(x->folder, 0755), 0);
    cut_off(x, "-wal", "PRAGMA journal_mode = WAL; UPDATE sweep SET question = 'new'");
    assert_status(STATUS_BUSY, read_as_nobody(x));
    struct store *s = open_store(x, STORE_READ);
    assert_answer(store_db(s), "SELECT question FROM sweep", "new");
}
