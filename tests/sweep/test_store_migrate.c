/* Formats to come, also where calls, memory and locks of others stand in the way: the old format or
 * the new one, whole. */
#include "store_files.h"

#include "tests/test.h"

static long short_of_memory; /* the allocation of a backup that fails; 0: none */

/* With this a backup begins. */
int unlink(const char *path)
{
    if (short_of_memory && strstr(path, ".backup.new"))
        arm(MEMORY, short_of_memory);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static void backup_of(const struct fixture *x, const char *suffix, char *path, size_t size)
{
    int n = snprintf(path, size, "%s.v%d.backup%s", x->db, STORE_VERSION, suffix);
    assert_in_range(n, 0, size - 1);
}

/* ---- formats to come ---- */

static const struct store_migration two_steps[] = {
    {STORE_VERSION + 1,
     "ALTER TABLE sweep ADD COLUMN second TEXT; UPDATE sweep SET second = first || '!'"},
    {STORE_VERSION,
     "ALTER TABLE sweep ADD COLUMN first TEXT; UPDATE sweep SET first = upper(name)"},
    {0, NULL}};
static const struct store_format later = {STORE_VERSION + 2, two_steps, false};

FIXTURE(set_up, tear_down)

TEST(older_version_is_migrated)
{
    struct fixture y = *x;
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
TEST(no_backup_no_migration)
{
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

TEST(failed_migration_changes_nothing)
{
    static const struct store_migration broken[] = {
        {STORE_VERSION, "ALTER TABLE sweep ADD COLUMN first TEXT; DELETE FROM config"}, {0, NULL}};
    static const struct store_migration missing[] = {{STORE_VERSION + 6, "SELECT 1"}, {0, NULL}};
    const struct store_format f[] = {{STORE_VERSION + 1, broken, false},
                                     {STORE_VERSION + 1, missing, false}};
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

static void assert_users_view(struct fixture *x)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    assert_answer(db, "SELECT * FROM mine", "2");
    sqlite3_close(db);
}

/* Trouble everywhere in a migration: the old format or the new one, whole. */
TEST(troubled_migrations)
{
    char saved[400];
    struct store *s = NULL;
    int folder_syncs = 0;
    snprintf(saved, sizeof saved, "%s/saved.db", x->folder);
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    run_sql(r.db, "CREATE VIEW mine AS SELECT count(*) FROM trials");
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
            assert_users_view(x);
        }
    }
    assert_true(folder_syncs > 0); /* the backup's name is durable before the file changes */
}

TEST(backups_without_memory)
{
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

TEST(a_migration_waits_for_readers)
{
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

TEST(a_step_that_cannot_be_taken)
{
    static const struct store_migration broken[] = {
        {STORE_VERSION, "ALTER TABLE sweep ADD COLUMN first TEXT; SELECT nonsense"},
        {STORE_VERSION + 1, "ALTER TABLE sweep ADD COLUMN second TEXT"},
        {0, NULL}};
    static const struct store_format f = {STORE_VERSION + 2, broken, false};
    struct store *s;
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    close_store(x, r.s);
    assert_status(STATUS_INTERNAL, store_open_format(x->db, STORE_WRITE, &f, &s, &x->m));
    assert_non_null(strstr(x->m.text, "nonsense"));
    assert_whole(x);
    close_store(x, open_store(x, STORE_READ)); /* still the old format */
}

/* A reader's copy: it is there whole or not at all, and the file stays as it is. */
TEST(troubled_readers)
{
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
    assert_each(opened >= TROUBLES - REFUSED, failed > 20);
}
