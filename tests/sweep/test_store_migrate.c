/* Older formats: what was kept of each is read and migrated; then formats to come, also where
 * calls, memory and locks of others stand in the way: the old format or the new one, whole. */
#include "store_troubles.h"

static long short_of_memory; /* the allocation of a backup that fails; 0: none */

/* With this a backup begins. */
int unlink(const char *path)
{
    if (short_of_memory && strstr(path, ".backup.new"))
        arm(MEMORY, short_of_memory);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static void assert_version(const char *path, int version)
{
    char expected[12];
    sqlite3 *db;
    snprintf(expected, sizeof expected, "%d", version);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_answer(db, "PRAGMA user_version", expected);
    sqlite3_close(db);
}

static void backup_of(const struct fixture *x, const char *suffix, char *path, size_t size)
{
    int n = snprintf(path, size, "%s.v%d.backup%s", x->db, STORE_VERSION, suffix);
    assert_in_range(n, 0, size - 1);
}

static char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    assert_true(f && bytes);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

enum { HEADER = 100 }; /* where SQLite counts the changes to a file */

static void assert_same_bytes(const char *a, const char *b, size_t from)
{
    size_t a_size, b_size;
    char *a_bytes = read_all(a, &a_size), *b_bytes = read_all(b, &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a_bytes + from, b_bytes + from, a_size - from);
    free(a_bytes);
    free(b_bytes);
}

/* ---- formats that were ---- */

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
    assert_answer(db, "SELECT overrides FROM sweep", overrides);
    assert_answer(
        db, "SELECT group_concat(DISTINCT replicate || look || ifnull(until, '-')) FROM trial",
        "{}1-");
    assert_answer(db,
                  "SELECT group_concat(DISTINCT replicate || looks || ifnull(equivalence, '-')"
                  " || ifnull(rungs, '-')) FROM sweep",
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

/* The program's views are made anew; a user's stay, and so does what they say. */
static void views_of_a_user_stay(void **state)
{
    struct fixture *x = *state;
    sqlite3 *db;
    copy_file("tests/data/db/format-2.db", x->db, 0);
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    run_sql(db,
            "CREATE VIEW mine AS SELECT count(*) AS done FROM trials WHERE state = 'completed'");
    sqlite3_close(db);
    struct store *s = open_store(x, STORE_WRITE);
    assert_answer(store_db(s), "SELECT done FROM mine", "3");
    close_store(x, s);
}

/* ---- formats to come ---- */

static const struct store_migration two_steps[] = {
    {STORE_VERSION + 1,
     "ALTER TABLE sweep ADD COLUMN second TEXT; UPDATE sweep SET second = first || '!'"},
    {STORE_VERSION,
     "ALTER TABLE sweep ADD COLUMN first TEXT; UPDATE sweep SET first = upper(name)"},
    {0, NULL}};
static const struct store_format later = {STORE_VERSION + 2, two_steps, false};

static void older_version_is_migrated(void **state)
{
    struct fixture *x = *state, y = *x;
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    close_store(x, s);
    assert_ok(store_open_format(x->db, STORE_READ, &later, &s, &x->m)); /* in memory only */
    assert_answer(store_db(s), "SELECT second FROM sweep", "PLAIN!");
    assert_int_not_equal(sqlite3_exec(store_db(s), "DELETE FROM sweep", NULL, NULL, NULL),
                         SQLITE_OK);
    close_store(x, s);
    assert_version(x->db, STORE_VERSION);

    assert_ok(store_open_format(x->db, STORE_WRITE, &later, &s, &x->m));
    assert_answer(store_db(s), "SELECT second FROM sweep", "PLAIN!");
    assert_answer(store_db(s), "PRAGMA foreign_keys", "1");
    assert_answer(store_db(s), "PRAGMA journal_mode", "wal");
    close_store(x, s);
    assert_version(x->db, STORE_VERSION + 2);
    assert_status(STATUS_BAD_INPUT, store_open(x->db, STORE_READ, &s, &x->m)); /* newer, now */

    backup_of(x, "", y.db, sizeof y.db);
    assert_version(y.db, STORE_VERSION);
    s = open_store(&y, STORE_READ);
    assert_answer(store_db(s), "SELECT count(*) FROM trial", "2");
    assert_answer(store_db(s),
                  "SELECT count(*) FROM pragma_table_info('sweep') WHERE name = 'first'", "0");
    close_store(&y, s);
}

/* Without a backup there is no migration. */
static void no_backup_no_migration(void **state)
{
    struct fixture *x = *state;
    struct store *s = open_store(x, STORE_WRITE);
    static const char *const in_the_way[] = {".new", ""};
    close_store(x, s);
    for (int i = 0; i < 2; i++) {
        char folder[400], file[410];
        backup_of(x, in_the_way[i], folder, sizeof folder);
        snprintf(file, sizeof file, "%s/x", folder);
        assert_int_equal(mkdir(folder, 0700), 0);
        assert_int_equal(mkdir(file, 0700), 0);
        assert_status(STATUS_IO, store_open_format(x->db, STORE_WRITE, &later, &s, &x->m));
        assert_non_null(strstr(x->m.text, folder));
        assert_version(x->db, STORE_VERSION);
        assert_int_equal(rmdir(file), 0);
        assert_int_equal(rmdir(folder), 0);
    }
}

static void failed_migration_changes_nothing(void **state)
{
    static const struct store_migration broken[] = {
        {STORE_VERSION, "ALTER TABLE sweep ADD COLUMN first TEXT; DELETE FROM config"}, {0, NULL}};
    static const struct store_migration missing[] = {{STORE_VERSION + 6, "SELECT 1"}, {0, NULL}};
    const struct store_format f[] = {{STORE_VERSION + 1, broken, false},
                                     {STORE_VERSION + 1, missing, false}};
    struct fixture *x = *state;
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    close_store(x, s);
    for (enum store_mode mode = STORE_READ; mode <= STORE_WRITE; mode++) {
        assert_status(STATUS_CORRUPT, store_open_format(x->db, mode, &f[0], &s, &x->m));
        assert_non_null(strstr(x->m.text, "without parent"));
        assert_status(STATUS_BAD_INPUT, store_open_format(x->db, mode, &f[1], &s, &x->m));
    }
    s = open_store(x, STORE_READ);
    assert_answer(store_db(s), "SELECT count(*) FROM config", "2");
    assert_answer(store_db(s),
                  "SELECT count(*) FROM pragma_table_info('sweep') WHERE name = 'first'", "0");
    close_store(x, s);
}

/* ---- trouble ---- */

static void assert_whole(struct fixture *x)
{
    sqlite3 *db;
    char steps[24], backup[400];
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    assert_answer(db, "PRAGMA integrity_check", "ok");
    /* Both steps or none, and the version knows. */
    snprintf(steps, sizeof steps, "%ld",
             strtol(ask(db, "PRAGMA user_version"), NULL, 10) - STORE_VERSION);
    assert_answer(db,
                  "SELECT count(*) FROM pragma_table_info('sweep')"
                  " WHERE name IN ('first', 'second')",
                  steps);
    assert_answer(db, "SELECT count(*) FROM trial", "2");
    sqlite3_close(db);
    /* A backup is whole where it is, and it is there where the file is of a new format. */
    backup_of(x, "", backup, sizeof backup);
    if (strcmp(steps, "0") == 0 && access(backup, F_OK) != 0)
        return;
    assert_version(backup, STORE_VERSION);
    assert_int_equal(sqlite3_open(backup, &db), SQLITE_OK);
    assert_answer(db, "PRAGMA integrity_check", "ok");
    assert_answer(db, "SELECT count(*) FROM trial", "2");
    sqlite3_close(db);
    assert_int_equal(unlink(backup), 0);
}

/* Trouble everywhere in a migration: the old format or the new one, whole. */
static void troubled_migrations(void **state)
{
    struct fixture *x = *state;
    char saved[400];
    struct store *s = NULL;
    int folder_syncs = 0;
    snprintf(saved, sizeof saved, "%s/saved.db", x->folder);
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    close_store(x, r.s);
    copy_file(x->db, saved, 0);
    for (enum trouble kind = REFUSED; kind <= TROUBLES; kind++) {
        bool fired = true;
        for (long n = 1; fired; n += 1 + n / (kind == MEMORY ? 3 : 10)) {
            copy_file(saved, x->db, 0);
            stand_between(true);
            if (kind == TROUBLES) /* the store's own sync of the folder */
                fault_arm(FAULT_SYNC, (int)n, EIO);
            else
                arm(kind, n);
            enum status status = store_open_format(x->db, STORE_WRITE, &later, &s, &x->m);
            fired = disarm();
            stand_between(false);
            if (kind == TROUBLES) {
                assert_int_equal(status != STATUS_OK, fired);
                folder_syncs += fired;
            }
            if (status == STATUS_OK)
                close_store(x, s);
            else if (!fired)
                fail_msg("trouble %d at %ld: %s", (int)kind, n, x->m.text);
            else if (kind == MEMORY)
                assert_status(STATUS_NO_MEMORY, status);
            assert_whole(x);
        }
    }
    assert_true(folder_syncs > 0); /* the backup's name is durable before the file changes */
}

static void backups_without_memory(void **state)
{
    struct fixture *x = *state;
    char saved[400];
    struct store *s = NULL;
    int of_backups = 0;
    if (!FAULTS_IN_MALLOC)
        skip();
    snprintf(saved, sizeof saved, "%s/saved.db", x->folder);
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    close_store(x, r.s);
    copy_file(x->db, saved, 0);
    for (long n = 1; n < 80; n++) {
        copy_file(saved, x->db, 0);
        short_of_memory = n;
        enum status status = store_open_format(x->db, STORE_WRITE, &later, &s, &x->m);
        short_of_memory = 0;
        assert_true(disarm());
        if (status == STATUS_OK)
            close_store(x, s);
        else
            assert_status(STATUS_NO_MEMORY, status);
        of_backups += strstr(x->m.text, ".backup.new: ") != NULL;
        assert_whole(x);
    }
    assert_true(of_backups > 5);
}

static void a_migration_waits_for_readers(void **state)
{
    struct fixture *x = *state;
    struct store *s;
    sqlite3 *reader;
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    close_store(x, r.s);
    assert_int_equal(sqlite3_open(x->db, &reader), SQLITE_OK);
    run_sql(reader, "PRAGMA journal_mode = WAL; BEGIN; SELECT count(*) FROM trial");
    assert_status(STATUS_BUSY, store_open_format(x->db, STORE_WRITE, &later, &s, &x->m));
    run_sql(reader, "COMMIT");
    sqlite3_close(reader);
    assert_whole(x);
}

static void a_step_that_cannot_be_taken(void **state)
{
    static const struct store_migration broken[] = {
        {STORE_VERSION, "ALTER TABLE sweep ADD COLUMN first TEXT; SELECT nonsense"},
        {STORE_VERSION + 1, "ALTER TABLE sweep ADD COLUMN second TEXT"},
        {0, NULL}};
    static const struct store_format f = {STORE_VERSION + 2, broken, false};
    struct fixture *x = *state;
    struct store *s;
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    close_store(x, r.s);
    assert_status(STATUS_INTERNAL, store_open_format(x->db, STORE_WRITE, &f, &s, &x->m));
    assert_non_null(strstr(x->m.text, "nonsense"));
    assert_whole(x);
    close_store(x, open_store(x, STORE_READ)); /* still the old format */
}

/* A reader's copy: it is there whole or not at all, and the file stays as it is. */
static void troubled_readers(void **state)
{
    struct fixture *x = *state;
    char saved[400];
    struct store *s = NULL;
    int opened = 0, failed = 0;
    snprintf(saved, sizeof saved, "%s/saved.db", x->folder);
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    close_store(x, r.s);
    copy_file(x->db, saved, 0);
    for (enum trouble kind = REFUSED; kind < TROUBLES; kind++) {
        bool fired = true;
        for (long n = 1; fired; n += 1 + n / (kind == MEMORY ? 3 : 10)) {
            stand_between(true);
            arm(kind, n);
            enum status status = store_open_format(x->db, STORE_READ, &later, &s, &x->m);
            fired = disarm();
            stand_between(false);
            if (status == STATUS_OK) {
                assert_answer(store_db(s), "SELECT second FROM sweep", "PLAIN!");
                close_store(x, s);
            } else if (!fired) {
                fail_msg("trouble %d at %ld: %s", (int)kind, n, x->m.text);
            }
            opened += status == STATUS_OK;
            failed += status != STATUS_OK;
            assert_same_bytes(x->db, saved, 0);
        }
    }
    assert_true(opened >= TROUBLES - REFUSED && failed > 20);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(format_1_is_read_and_migrated),
        TEST(format_2_is_read_and_migrated),
        TEST(format_3_is_read_and_migrated),
        TEST(names_of_a_user),
        TEST(backups_are_made_anew),
        TEST(views_of_a_user_stay),
        TEST(older_version_is_migrated),
        TEST(no_backup_no_migration),
        TEST(failed_migration_changes_nothing),
        TEST(troubled_migrations),
        TEST(troubled_readers),
        TEST(backups_without_memory),
        TEST(a_migration_waits_for_readers),
        TEST(a_step_that_cannot_be_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
