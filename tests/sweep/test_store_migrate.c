/* Migrating where calls, memory and locks of others stand in the way: the old format or the new
 * one, whole. */
#include "store_troubles.h"

static long short_of_memory; /* the allocation of a backup that fails; 0: none */

/* With this a backup begins. */
int unlink(const char *path)
{
    if (short_of_memory && strstr(path, ".backup.new"))
        arm(MEMORY, short_of_memory);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static const struct store_migration two_steps[] = {{1, "ALTER TABLE sweep ADD COLUMN first TEXT"},
                                                   {2, "ALTER TABLE sweep ADD COLUMN second TEXT"},
                                                   {0, NULL}};
static const struct store_format third = {3, two_steps, false};

static void assert_whole(struct fixture *x)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    assert_answer(db, "PRAGMA integrity_check", "ok");
    /* Both steps or none, and the version knows. */
    assert_answer(db,
                  "SELECT 1 + count(*) = (SELECT user_version FROM pragma_user_version) FROM"
                  " pragma_table_info('sweep') WHERE name IN ('first', 'second')",
                  "1");
    assert_answer(db, "SELECT count(*) FROM trial", "2");
    sqlite3_close(db);
}

/* Trouble everywhere in a migration: the old format or the new one, whole. */
static void troubled_migrations(void **state)
{
    struct fixture *x = *state;
    char saved[400];
    struct store *s = NULL;
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
            enum status status = store_open_format(x->db, STORE_WRITE, &third, &s, &x->m);
            fired = disarm();
            stand_between(false);
            if (status == STATUS_OK)
                close_store(x, s);
            else if (!fired)
                fail_msg("trouble %d at %ld: %s", (int)kind, n, x->m.text);
            else if (kind == MEMORY)
                assert_status(STATUS_NO_MEMORY, status);
            assert_whole(x);
        }
    }
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
        enum status status = store_open_format(x->db, STORE_WRITE, &third, &s, &x->m);
        short_of_memory = 0;
        assert_true(disarm());
        if (status == STATUS_OK)
            close_store(x, s);
        else
            assert_status(STATUS_NO_MEMORY, status);
        of_backups += strstr(x->m.text, ".v1.backup.new: backing it up") != NULL;
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
    assert_status(STATUS_BUSY, store_open_format(x->db, STORE_WRITE, &third, &s, &x->m));
    run_sql(reader, "COMMIT");
    sqlite3_close(reader);
    assert_whole(x);
}

static void a_step_that_cannot_be_taken(void **state)
{
    static const struct store_migration broken[] = {
        {1, "ALTER TABLE sweep ADD COLUMN first TEXT; SELECT nonsense"},
        {2, "ALTER TABLE sweep ADD COLUMN second TEXT"},
        {0, NULL}};
    static const struct store_format f = {3, broken, false};
    struct fixture *x = *state;
    struct store *s;
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    close_store(x, r.s);
    assert_status(STATUS_INTERNAL, store_open_format(x->db, STORE_WRITE, &f, &s, &x->m));
    assert_non_null(strstr(x->m.text, "nonsense"));
    assert_whole(x);
    close_store(x, open_store(x, STORE_READ)); /* still the old format */
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(troubled_migrations),
        TEST(backups_without_memory),
        TEST(a_migration_waits_for_readers),
        TEST(a_step_that_cannot_be_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
