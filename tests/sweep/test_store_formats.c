/* Formats that were: what was kept of each is read and migrated. */
#include "store_files.h"

/* Every column of every table, and every view. */
static const char SHAPE[] =
    "SELECT (SELECT group_concat(concat) FROM (SELECT t.name || '.' || c.name || ' ' || c.type || "
    " c.\"notnull\" || ifnull(c.dflt_value, '') || c.pk || c.hidden AS concat"
    " FROM (SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name) AS t,"
    " pragma_table_xinfo(t.name) AS c))"
    " || (SELECT group_concat(sql) FROM (SELECT sql FROM sqlite_schema"
    " WHERE type IN ('view', 'index') ORDER BY name))";

static char *shape_of(struct store *s)
{
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_prepare_v2(store_db(s), SHAPE, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    char *shape = strdup((const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    assert_true(shape && strlen(shape) > 2000);
    return shape;
}

#define OLD " (SELECT * FROM trials WHERE sweep = 'old' ORDER BY trial_id)"

/* What programs of earlier formats left when they were stopped: three trials of four done. */
static void assert_read_as_it_was(struct store *s, const char *overrides)
{
    sqlite3 *db = store_db(s);
    assert_answer(db, "SELECT group_concat(state) FROM" OLD,
                  "completed,completed,completed,queued");
    assert_answer(db, "SELECT group_concat(coalesce(checkpoint, '-')) FROM" OLD,
                  "t1-a1.result,t2-a1.result,t3-a1.result,-");
    assert_answer(db, "SELECT overrides FROM sweep WHERE name = 'old'", overrides);
    assert_answer(db,
                  "SELECT group_concat(DISTINCT replicate || look || ifnull(until, '-')) FROM" OLD,
                  "{}1-");
    assert_answer(db,
                  "SELECT group_concat(DISTINCT replicate || looks || ifnull(equivalence, '-')"
                  " || ifnull(rungs, '-')) FROM sweep WHERE name = 'old'",
                  "[][]--");
}

/* Before there were any. */
static void assert_no_remarks(struct store *s)
{
    assert_answer(store_db(s), "SELECT count(*) FROM trials WHERE remark IS NULL", "4");
    assert_answer(store_db(s), "SELECT count(*) FROM deleted", "0");
    assert_answer(
        store_db(s),
        "SELECT group_concat(pairs || ' ' || seen || ' ' || (plan_change.claim = s.claim) || ' '"
        " || (changed = created)) FROM plan_change JOIN sweep AS s USING (sweep_id)",
        "4 0 1 1");
}

/* A remark on a sweep and on a trial; two deleted trials; a claim that was changed when the first
 * two of its trials had ended; a head count that passed a learning rate over; a trial that was over
 * its time. */
static void assert_format_3(struct store *s)
{
    sqlite3 *db = store_db(s);
    assert_answer(db, "SELECT group_concat(remark) FROM sweep", "kept for later");
    assert_answer(db, "SELECT trial_id || remark FROM trial WHERE remark IS NOT NULL", "2a remark");
    assert_answer(db, "SELECT group_concat(trial_id || ' ' || seen) FROM deleted", "13 1,14 1");
    assert_answer(db, "SELECT group_concat(state) FROM trials WHERE choice = 'passed'",
                  "pruned,pruned");
    assert_answer(db, "SELECT group_concat(trial_id || state) FROM trial WHERE limit_hit",
                  "15failed");
    assert_answer(db,
                  "SELECT group_concat(name || ' ' || pairs || ' ' || seen || ' ' || trials_ended"
                  " || ' ' || coalesce(c.claim ->> 'best', '-'), ', ') FROM plan_change AS c"
                  " JOIN sweep USING (sweep_id)",
                  "old 4 0 0 1, tuned 8 0 0 -, slow 1 0 0 -, old 4 2 2 2");
    assert_answer(db, "SELECT count(*) FROM plan_change WHERE pairs_sha256 IS NOT NULL", "0");
}

/* What formats 1 to 3 have too, and beyond that: hashes of pairs, looks over instances, rungs, rows
 * of the table of measures; and what format 5 makes of old configurations. */
static void assert_format_4(struct store *s)
{
    sqlite3 *db = store_db(s);
    assert_answer(db, "SELECT remark FROM sweep WHERE name = 'old'", "kept for later");
    assert_answer(db, "SELECT trial_id || remark FROM trial WHERE remark IS NOT NULL", "2a remark");
    assert_answer(db, "SELECT group_concat(trial_id || ' ' || seen) FROM deleted", "18 1,19 1");
    assert_answer(db, "SELECT count(*) FROM plan_change WHERE length(pairs_sha256) = 64", "4");
    assert_answer(db, "SELECT group_concat(look || kind) FROM look", "1edge,2edge");
    assert_answer(db, "SELECT group_concat(trial_id || state) FROM trial WHERE limit_hit",
                  "17failed");
    assert_answer(db,
                  "SELECT group_concat(trial_id || ' ' || step || split || layer || head || ' ' ||"
                  " ifnull(importance, '-') || ' ' || ifnull(importance_norm, '-') || ' ' ||"
                  " confidence, ', ') FROM head_metric",
                  "1 15000val00 - 1.0 0.75, 3 0val00 - - 0.5");
    assert_answer(db,
                  "SELECT group_concat(DISTINCT form || mask || ifnull(segment_width, '-') || "
                  "(kv_heads = heads) || (d_head * heads = d_model)) FROM trials",
                  "projectnone-11");
    assert_answer(db, "SELECT group_concat(DISTINCT eval || ifnull(measure, '-')) FROM sweep",
                  "{}-");
}

/* What formats 1 to 4 have too, and beyond that: answers of studies, measures that were taken while
 * trials trained, a further test set, segments as heads. */
static void assert_format_5(struct store *s)
{
    sqlite3 *db = store_db(s);
    assert_answer(db, "SELECT remark FROM sweep WHERE name = 'old'", "kept for later");
    assert_answer(db, "SELECT group_concat(trial_id || ' ' || seen) FROM deleted", "18 1");
    assert_answer(
        db,
        "SELECT group_concat(n || ' ' || name, ', ') FROM (SELECT name, count(*) AS n FROM study"
        " GROUP BY name)",
        "2 ensemble, 2 evaluation, 2 heads, 2 prune");
    assert_answer(db, "SELECT eval || measure FROM sweep WHERE name = 'studied'",
                  "{\"other\":{\"instance\":1}}evals");
    assert_answer(db,
                  "SELECT (SELECT count(*) FROM head_metric) || ' ' || (SELECT count(*) FROM"
                  " layer_metric) || ' ' || (SELECT count(*) FROM head_slot) || ' ' ||"
                  " (SELECT count(*) FROM prune_or_train) || ' ' || (SELECT count(*) FROM"
                  " evaluations) || ' ' || (SELECT trials FROM ensemble)",
                  "8 4 8 2 2 [31,32]");
    assert_answer(db,
                  "SELECT group_concat(DISTINCT form || segment_width || d_head) FROM trials"
                  " WHERE sweep = 'studied'",
                  "segments22");
    assert_answer(db, "SELECT count(mode) + count(data_sha256) + count(bits_per_byte) FROM trials",
                  "0");
    assert_answer(db,
                  "SELECT (SELECT count(*) FROM data_file) + (SELECT count(*) FROM block_loss)"
                  " + (SELECT count(*) FROM label_acc) + (SELECT count(*) FROM by_label)",
                  "0");
}

/* What formats 1 to 5 have too, and beyond that: what was learnt from files, in their parts. */
static void assert_format_6(struct store *s)
{
    sqlite3 *db = store_db(s);
    assert_answer(db, "SELECT remark FROM sweep WHERE name = 'old'", "kept for later");
    assert_answer(db, "SELECT group_concat(path) FROM data_file", "/data/tiny.csv,/data/tiny.txt");
    assert_answer(db,
                  "SELECT group_concat(DISTINCT sweep || mode || (bits_per_byte IS NULL)) FROM"
                  " trials WHERE mode IS NOT NULL",
                  "readlm0,labelsclassify1");
    assert_answer(db,
                  "SELECT (SELECT count(*) FROM block_loss) || ' ' || (SELECT count(*) FROM"
                  " label_acc) || ' ' || (SELECT count(*) FROM study)",
                  "64 2 8");
    assert_answer(db, "SELECT count(*) FROM trials WHERE in_shard = 1", "34");
    assert_answer(db, "SELECT sum(elsewhere) || ' ' || sum(queued) FROM progress", "0 1");
    assert_answer(db, "SELECT count(shards) FROM sweep", "0");
}

static void older_format(struct fixture *x, int version, const char *overrides,
                         void (*assert_rest)(struct store *))
{
    struct fixture fresh = *x;
    char fixture[60], backup[400];
    snprintf(fixture, sizeof fixture, "tests/data/db/format-%d.db", version);
    copy_file(fixture, x->db, 0);

    struct store *s = open_store(x, STORE_READ);
    assert_read_as_it_was(s, overrides);
    assert_rest(s);
    close_store(x, s);
    assert_same_bytes(x->db, fixture, 0);

    s = open_store(x, STORE_WRITE);
    assert_read_as_it_was(s, overrides);
    assert_rest(s);
    assert_int_equal(sqlite3_exec(store_db(s), "UPDATE sweep SET overrides = '{}'", 0, 0, 0),
                     SQLITE_CONSTRAINT_CHECK);
    snprintf(fresh.db, sizeof fresh.db, "%s/fresh.db", x->folder);
    struct store *new = open_store(&fresh, STORE_WRITE);
    char *migrated = shape_of(s), *made = shape_of(new);
    assert_string_equal(migrated, made);
    free(migrated);
    free(made);
    close_store(&fresh, new);
    close_store(x, s);
    assert_version(x->db, STORE_VERSION);
    snprintf(backup, sizeof backup, "%s.v%d.backup", x->db, version);
    assert_same_bytes(backup, fixture, HEADER);
}

static void format_1_is_read_and_migrated(void **state)
{
    older_format(*state, 1, "NULL", assert_no_remarks);
}

static void format_2_is_read_and_migrated(void **state)
{
    older_format(*state, 2, "[\"seeds=2\"]", assert_no_remarks);
}

static void format_3_is_read_and_migrated(void **state)
{
    older_format(*state, 3, "[\"seeds=2\"]", assert_format_3);
}

static void format_4_is_read_and_migrated(void **state)
{
    older_format(*state, 4, "[\"seeds=2\"]", assert_format_4);
}

static void format_5_is_read_and_migrated(void **state)
{
    older_format(*state, 5, "[\"seeds=2\"]", assert_format_5);
}

static void format_6_is_read_and_migrated(void **state)
{
    older_format(*state, 6, "[\"seeds=2\"]", assert_format_6);
}

/* What stands in the way of a name that a newer format needs is named, with what to do; nothing was
 * touched. */
static void names_of_a_user(void **state)
{
    static const struct {
        int version;
        const char *sql, *told, *remedy;
    } cases[] = {
        {3, "CREATE TABLE look (x)", "holds a table \"look\" of yours",
         "ALTER TABLE look RENAME TO NEW_NAME"},
        {2, "CREATE VIEW Plan_Change AS SELECT 1", "holds a view \"plan_change\" of yours",
         "DROP VIEW plan_change"},
        {1, "CREATE TABLE deleted (x)", "holds a table \"deleted\" of yours",
         "ALTER TABLE deleted RENAME TO NEW_NAME"},
        {3, "CREATE INDEX deleted_seen ON trial (seed)", "holds an index \"deleted_seen\" of yours",
         "DROP INDEX deleted_seen"},
        {2, "ALTER TABLE trial ADD COLUMN remark TEXT",
         "table trial has a column \"remark\" of yours", "RENAME COLUMN remark TO NEW_NAME"},
        {4, "CREATE TABLE study (x)", "holds a table \"study\" of yours",
         "ALTER TABLE study RENAME TO NEW_NAME"},
        {4, "CREATE VIEW Cost AS SELECT 1", "holds a view \"cost\" of yours", "DROP VIEW cost"},
        {2, "CREATE TABLE evaluations (x)", "holds a table \"evaluations\" of yours",
         "ALTER TABLE evaluations RENAME TO NEW_NAME"},
        {4, "ALTER TABLE config ADD COLUMN mask TEXT",
         "table config has a column \"mask\" of yours", "RENAME COLUMN mask TO NEW_NAME"},
        {5, "CREATE TABLE label_acc (x)", "holds a table \"label_acc\" of yours",
         "ALTER TABLE label_acc RENAME TO NEW_NAME"},
        {5, "CREATE VIEW by_label AS SELECT 1", "holds a view \"by_label\" of yours",
         "DROP VIEW by_label"},
        {5, "ALTER TABLE config ADD COLUMN mode TEXT",
         "table config has a column \"mode\" of yours", "RENAME COLUMN mode TO NEW_NAME"},
        {6, "CREATE INDEX trial_claim ON trial (seed)", "holds an index \"trial_claim\" of yours",
         "DROP INDEX trial_claim"},
        {6, "ALTER TABLE sweep ADD COLUMN shards TEXT",
         "table sweep has a column \"shards\" of yours", "RENAME COLUMN shards TO NEW_NAME"},
        {3, "ALTER TABLE trial ADD COLUMN look TEXT", "table trial has a column \"look\" of yours",
         "RENAME COLUMN look TO NEW_NAME"},
    };
    struct fixture *x = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct store *s;
        sqlite3 *db;
        char fixture[60], backup[400];
        snprintf(fixture, sizeof fixture, "tests/data/db/format-%d.db", cases[i].version);
        copy_file(fixture, x->db, 0);
        assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
        run_sql(db, cases[i].sql);
        sqlite3_close(db);
        for (enum store_mode mode = STORE_READ; mode <= STORE_WRITE; mode++) {
            assert_status(STATUS_BAD_INPUT, store_open(x->db, mode, &s, &x->m));
            if (!strstr(x->m.text, cases[i].told) || !strstr(x->m.text, cases[i].remedy))
                fail_msg("%s: %s", cases[i].sql, x->m.text);
        }
        assert_version(x->db, cases[i].version);
        snprintf(backup, sizeof backup, "%s.v%d.backup", x->db, cases[i].version);
        assert_int_not_equal(access(backup, F_OK), 0);
    }
}

/* A backup is for as many eyes as the file, and goes through no link that lies in its way. */
static void backups_are_made_anew(void **state)
{
    struct fixture *x = *state;
    char unfinished[400], backup[400], victim[400];
    struct stat st;
    copy_file("tests/data/db/format-3.db", x->db, 0);
    assert_int_equal(chmod(x->db, 0600), 0);
    snprintf(backup, sizeof backup, "%s.v3.backup", x->db);
    snprintf(unfinished, sizeof unfinished, "%s.v3.backup.new", x->db);
    snprintf(victim, sizeof victim, "%s/victim", x->folder);
    assert_int_equal(symlink(victim, unfinished), 0);
    close_store(x, open_store(x, STORE_WRITE));
    assert_int_not_equal(access(victim, F_OK), 0);
    assert_int_equal(lstat(backup, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(st.st_mode & 0777, 0600);
}

/* The program's views are made anew; what a user has made upon them and upon tables stays, also
 * where a column of it is one that goes and comes again. */
static void what_a_user_made_stays(void **state)
{
    struct fixture *x = *state;
    for (int version = 3; version < STORE_VERSION; version++) {
        sqlite3 *db;
        char fixture[60];
        snprintf(fixture, sizeof fixture, "tests/data/db/format-%d.db", version);
        copy_file(fixture, x->db, 0);
        assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
        run_sql(db, "CREATE VIEW mine AS SELECT count(*) AS done FROM trials WHERE sweep = 'old'"
                    " AND state = 'completed' -- of mine\n;"
                    "CREATE VIEW \"my \"\"view\" AS SELECT done, d_head FROM mine, config;"
                    "CREATE TABLE seen (done);"
                    "CREATE TRIGGER look_in INSTEAD OF INSERT ON mine"
                    " BEGIN INSERT INTO seen SELECT done FROM mine; END;"
                    "CREATE TRIGGER asked AFTER UPDATE OF remark ON sweep WHEN new.remark = 'now'"
                    " BEGIN INSERT INTO mine VALUES (0); END;"
                    "CREATE TRIGGER noted INSTEAD OF UPDATE OF remark ON trials"
                    " BEGIN UPDATE trial SET remark = new.remark WHERE trial_id = new.trial_id;"
                    " END;"
                    "ALTER TABLE config ADD COLUMN liked TEXT; UPDATE config SET liked = 'yes';"
                    "CREATE INDEX widths ON config (d_head, d_v)");
        sqlite3_close(db);
        struct store *s = open_store(x, STORE_WRITE);
        assert_answer(store_db(s), "SELECT done FROM mine", "3");
        assert_answer(store_db(s), "SELECT max(done) FROM \"my \"\"view\"", "3");
        assert_answer(store_db(s), "SELECT group_concat(DISTINCT liked) FROM config", "yes");
        assert_answer(store_db(s), "SELECT sql FROM sqlite_schema WHERE name = 'widths'",
                      "CREATE INDEX widths ON config (d_head, d_v)");
        run_sql(store_db(s), "UPDATE sweep SET remark = 'now' WHERE name = 'old'");
        assert_answer(store_db(s), "SELECT group_concat(done) FROM seen", "3");
        run_sql(store_db(s), "UPDATE trials SET remark = 'through a view' WHERE trial_id = 3");
        assert_answer(store_db(s), "SELECT remark FROM trial WHERE trial_id = 3", "through a view");
        assert_answer(store_db(s), "PRAGMA integrity_check", "ok");
        close_store(x, s);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(format_1_is_read_and_migrated),
        TEST(format_2_is_read_and_migrated),
        TEST(format_3_is_read_and_migrated),
        TEST(format_4_is_read_and_migrated),
        TEST(format_5_is_read_and_migrated),
        TEST(format_6_is_read_and_migrated),
        TEST(names_of_a_user),
        TEST(backups_are_made_anew),
        TEST(what_a_user_made_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
