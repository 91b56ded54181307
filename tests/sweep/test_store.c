/* Opening and closing the results file: creation, refusals that leave the bytes alone, recovery
 * after a kill, journal modes. */
#include "store_help.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "sweep/db/lock.h"

/* The file's bytes, freed by the caller. */
static char *bytes_of(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, in);
    fclose(in);
    return bytes;
}

static bool exists(const struct fixture *x, const char *suffix)
{
    char path[400];
    struct stat st;
    snprintf(path, sizeof path, "%s%s", x->db, suffix);
    return stat(path, &st) == 0;
}

FIXTURE(set_up, tear_down)

TEST(creates_file_and_folders)
{
    struct store *s = NULL;
    char version[16];
    snprintf(x->db, sizeof x->db, "%s/a/b/results.db", x->folder);
    assert_ok(store_open(x->db, STORE_WRITE, &s, &x->m));
    assert_answer(store_db(s), "PRAGMA application_id", "1212498244");
    snprintf(version, sizeof version, "%d", STORE_VERSION);
    assert_answer(store_db(s), "PRAGMA user_version", version);
    assert_answer(store_db(s), "PRAGMA journal_mode", "wal");
    assert_answer(store_db(s), "PRAGMA synchronous", "2");
    assert_answer(store_db(s), "PRAGMA foreign_keys", "1");
    assert_answer(store_db(s), "PRAGMA integrity_check", "ok");
    assert_answer(store_db(s),
                  "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND sql NOT "
                  "LIKE '%STRICT%'",
                  "0");
    assert_true(exists(x, ".d"));
    close_store(x, s);
    assert_false(exists(x, "-wal"));
    s = open_store(x, STORE_READ);
    assert_answer(store_db(s), "PRAGMA journal_mode", "delete");
    close_store(x, s);
}

TEST(quantiles_serve_any_n)
{
    struct store *s = open_store(x, STORE_WRITE);
    /* Abramowitz and Stegun 1964, table 26.10. */
    assert_answer(store_db(s), "SELECT round(t, 3) FROM t_quantile WHERE level = 0.975 AND df = 1",
                  "12.706");
    assert_answer(store_db(s), "SELECT round(t, 3) FROM t_quantile WHERE level = 0.975 AND df = 4",
                  "2.776");
    assert_answer(store_db(s),
                  "SELECT round(t, 3) FROM t_quantile WHERE level = 0.975 AND df = 120", "1.98");
    assert_answer(store_db(s), "SELECT count(*) FROM t_quantile WHERE df <= 999", "999");
}

TEST(names_that_sqlite_would_interpret)
{
    static const char *const names[] = {":memory:", "file:x?mode=memory", "a%20b#c?immutable=1"};
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(x->folder), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct store *s = NULL;
        struct stat st;
        enum status status = store_open(names[i], STORE_WRITE, &s, &x->m);
        if (status == STATUS_OK)
            status = store_close(s, &x->m);
        int found = stat(names[i], &st);
        if (status != STATUS_OK || found != 0)
            assert_int_equal(chdir(here), 0);
        assert_int_equal(status, STATUS_OK);
        assert_int_equal(found, 0);
    }
    assert_int_equal(chdir(here), 0);
}

/* Both modes, and who would lock it, refuse the file with these words and leave it byte for byte,
 * with nothing beside it. */
static void assert_refused(struct fixture *x, const char *words)
{
    size_t before, after;
    char *old = bytes_of(x->db, &before);
    for (int mode = STORE_READ; mode <= STORE_WRITE; mode++) {
        struct store *s = NULL;
        assert_status(STATUS_BAD_INPUT, store_open(x->db, (enum store_mode)mode, &s, &x->m));
        assert_null(s);
        if (!strstr(x->m.text, words))
            fail_msg("\"%s\" is not in: %s", words, x->m.text);
        char *new = bytes_of(x->db, &after);
        assert_int_equal(before, after);
        assert_memory_equal(old, new, before);
        free(new);
    }
    free(old);
    int lock;
    assert_status(STATUS_BAD_INPUT, lock_take(x->db, &lock, &x->m));
    assert_non_null(strstr(x->m.text, words));
    assert_false(exists(x, "-wal") || exists(x, "-shm") || exists(x, "-journal") ||
                 exists(x, ".d") || exists(x, ".lock"));
}

TEST(refuses_text)
{
    FILE *f = fopen(x->db, "w");
    fputs("name: gather\n", f);
    fclose(f);
    assert_refused(x, "not an SQLite database");
}

TEST(refuses_foreign)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    run_sql(db, "PRAGMA journal_mode = WAL; CREATE TABLE photo (id INTEGER)");
    sqlite3_close(db);
    assert_refused(x, "or a copy by `.dump`");
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    run_sql(db, "PRAGMA application_id = 77");
    sqlite3_close(db);
    assert_refused(x, "another program (application_id 77)");
}

TEST(refuses_other_formats)
{
    char folder[400], owner[420], sql[60], words[80], backup[24];
    close_store(x, open_store(x, STORE_WRITE));
    snprintf(folder, sizeof folder, "%s.d", x->db);
    snprintf(owner, sizeof owner, "%s/" STORE_OWNER, folder);
    assert_int_equal(unlink(owner), 0);
    assert_int_equal(rmdir(folder), 0);
    for (int version = 1; version <= STORE_VERSION + 1; version++) {
        sqlite3 *db;
        if (version == STORE_VERSION)
            continue;
        assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
        snprintf(sql, sizeof sql, "PRAGMA user_version = %d", version);
        run_sql(db, sql);
        sqlite3_close(db);
        snprintf(words, sizeof words, "results.db has format %d, of a %s", version,
                 version < STORE_VERSION ? "development version of headcount;" : "newer headcount");
        assert_refused(x, words);
        if (version < STORE_VERSION)
            assert_non_null(strstr(x->m.text, "run the sweep again into another file"));
        snprintf(backup, sizeof backup, ".v%d.backup", version);
        assert_false(exists(x, backup));
    }
}

TEST(refuses_what_is_no_file)
{
    struct store *s;
    assert_status(STATUS_BAD_INPUT, store_open(x->folder, STORE_WRITE, &s, &x->m));
    assert_non_null(strstr(x->m.text, "a folder"));
    assert_status(STATUS_BAD_INPUT, store_open("", STORE_WRITE, &s, &x->m));
    assert_status(STATUS_BAD_INPUT, store_open(x->db, STORE_READ, &s, &x->m));
    assert_non_null(strstr(x->m.text, "no results file"));
    assert_false(exists(x, "")); /* reading makes nothing */
    assert_status(STATUS_IO, store_open("/proc/headcount/x.db", STORE_WRITE, &s, &x->m));
    assert_status(STATUS_BAD_INPUT, store_open("/dev/null", STORE_WRITE, &s, &x->m));
}

/* What is no name of a file is refused before a folder or a lock is made. */
TEST(refuses_what_is_no_name)
{
    static const char *const names[] = {"", "new/", "new/.", "new/..", ".", "..", "/dev/null", "/"};
    char here[400];
    assert_non_null(getcwd(here, sizeof here));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct store *s;
        int lock;
        assert_int_equal(chdir(x->folder), 0);
        enum status opened = store_open(names[i], STORE_WRITE, &s, &x->m);
        enum status locked = lock_take(names[i], &lock, &x->m);
        assert_int_equal(chdir(here), 0);
        assert_int_equal(opened, STATUS_BAD_INPUT);
        assert_int_equal(locked, STATUS_BAD_INPUT);
        assert_int_equal(rmdir(x->folder), 0); /* it is empty */
        assert_int_equal(mkdir(x->folder, 0700), 0);
    }
    assert_int_not_equal(access("/dev/null.lock", F_OK), 0);
}

TEST(refuses_damage)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    /* A table that nothing looks at; a running trial makes the next writer check all the same. */
    claim(x, s, 1, add_build(x, s));
    long page =
        atol(ask(store_db(s), "SELECT rootpage FROM sqlite_schema WHERE name = 'head_metric'"));
    close_store(x, s);
    int fd = open(x->db, O_WRONLY);
    assert_int_equal(pwrite(fd, "\x0a\xff\xff\xff\xff\xff\xff\xff", 8, (page - 1) * 4096), 8);
    close(fd);
    assert_status(STATUS_CORRUPT, store_open(x->db, STORE_WRITE, &s, &x->m));
    assert_non_null(strstr(x->m.text, x->db));
}

TEST(empty_file_is_a_new_one)
{
    struct store *s;
    fclose(fopen(x->db, "w"));
    assert_status(STATUS_BAD_INPUT, store_open(x->db, STORE_READ, &s, &x->m));
    assert_non_null(strstr(x->m.text, "no results yet"));
    close_store(x, open_store(x, STORE_WRITE));
    close_store(x, open_store(x, STORE_READ));
}

/* What a kill leaves: the file and its log or journal, as they are at that instant. */
TEST(killed_writer_is_recovered)
{
    struct fixture y = *x;
    char log[400];
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    int64_t build = add_build(x, s);
    struct claimed c = claim(x, s, 1, build);
    snprintf(y.db, sizeof y.db, "%s/killed.db", x->folder);
    copy_file(x->db, y.db, 0);
    snprintf(log, sizeof log, "%s-wal", y.db);
    char original[400];
    snprintf(original, sizeof original, "%s-wal", x->db);
    copy_file(original, log, 0);
    close_store(x, s);

    s = open_store(&y, STORE_READ);
    assert_answer(store_db(s), "SELECT running FROM progress", "1");
    close_store(&y, s);
    s = open_store(&y, STORE_WRITE);
    struct running running[4];
    int n = 0;
    assert_ok(store_running(s, running, 4, &n, &x->m));
    assert_int_equal(n, 1);
    assert_int_equal(running[0].trial_id, c.trial_id);
    assert_int_equal(running[0].attempt, 1);
    assert_int_equal(running[0].seed, c.seed);
    assert_string_equal(running[0].config_sha256, c.config_sha256);
    close_store(&y, s);
    assert_false(exists(&y, "-wal"));
}

TEST(hot_journal_is_rolled_back)
{
    struct fixture y = *x;
    char from[400], to[400];
    struct store *s;
    struct store_format f = {STORE_VERSION, &(struct store_migration){0, NULL}, true};
    assert_ok(store_open_format(x->db, STORE_WRITE, &f, &s, &x->m));
    assert_answer(store_db(s), "PRAGMA journal_mode", "delete");
    assert_answer(store_db(s), "PRAGMA synchronous", "3");
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    /* A cache of one page spills in the midst of the transaction: the file is changed before the
     * commit. */
    run_sql(store_db(s), "PRAGMA cache_size = 1; BEGIN; UPDATE trial SET setting_label = 'half'; "
                         "UPDATE t_quantile SET t = 0");
    snprintf(y.db, sizeof y.db, "%s/killed.db", x->folder);
    snprintf(from, sizeof from, "%s-journal", x->db);
    snprintf(to, sizeof to, "%s-journal", y.db);
    copy_file(x->db, y.db, 0);
    copy_file(from, to, 0);
    run_sql(store_db(s), "ROLLBACK");
    close_store(x, s);
    s = open_store(&y, STORE_READ);
    assert_answer(store_db(s), "SELECT count(*) FROM t_quantile WHERE t = 0", "0");
    close_store(&y, s);
    assert_false(exists(&y, "-journal"));
}

TEST(reads_where_nothing_can_be_written)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    close_store(x, s);
    sqlite3 *db; /* left in WAL mode, as by a writer with readers about */
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    run_sql(db, "PRAGMA journal_mode = WAL");
    sqlite3_close(db);
    /* Root can write anywhere: somebody else must look. A name that a URI would cut short. */
    char odd[400];
    snprintf(odd, sizeof odd, "%s/50%%?#.db", x->folder);
    assert_int_equal(rename(x->db, odd), 0);
    assert_int_equal(chmod(x->folder, 0555), 0);
    bool root = geteuid() == 0;
    if (root)
        assert_int_equal(seteuid(65534), 0);
    enum status status = store_open(odd, STORE_READ, &s, &x->m);
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(x->folder, 0755), 0);
    assert_ok(status);
    assert_answer(store_db(s), "SELECT planned FROM progress", "2");
    close_store(x, s);
}

/* A folder or file without the right to write: said, and nothing taken for written. */
TEST(writes_nothing_where_it_must_not)
{
    struct store *s = open_store(x, STORE_WRITE), *w = NULL;
    close_store(x, s);
    bool root = geteuid() == 0;
    assert_int_equal(chmod(x->db, 0444), 0);
    if (root)
        assert_int_equal(seteuid(65534), 0);
    enum status status = store_open(x->db, STORE_WRITE, &w, &x->m);
    if (root)
        assert_int_equal(seteuid(0), 0);
    assert_status(STATUS_IO, status);
    assert_non_null(strstr(x->m.text, x->db));
}

TEST(readers_come_and_go)
{
    struct store *w = open_store(x, STORE_WRITE);
    plan_into(x, w, SWEEP("[1, 2]", "seeds: 1\n"));
    int64_t build = add_build(x, w);
    struct store *r = open_store(x, STORE_READ);
    run_sql(store_db(r), "BEGIN; SELECT count(*) FROM trial");
    claim(x, w, 1, build); /* a reader in a transaction does not hold up the writer */
    assert_answer(store_db(r), "SELECT running FROM progress", "0");
    struct message m;
    assert_int_equal(store_begin(r, &m), STATUS_INTERNAL);
    close_store(x, w); /* nor its end */
    run_sql(store_db(r), "COMMIT");
    assert_answer(store_db(r), "SELECT running FROM progress", "1");
    close_store(x, r);
    close_store(x, open_store(x, STORE_WRITE));
    assert_false(exists(x, "-wal"));
}

/* Killed while it was made: SQLite's journal beside a file of zeros or nothing. */
TEST(killed_creation_is_begun_again)
{
    char journal[400];
    snprintf(journal, sizeof journal, "%s-journal", x->db);
    for (int size = 0; size <= 4096; size += 4096) {
        FILE *f = fopen(journal, "w");
        fputs("not a whole journal", f);
        fclose(f);
        f = fopen(x->db, "w");
        assert_int_equal(ftruncate(fileno(f), size), 0);
        fclose(f);
        struct store *s = NULL;
        enum status status = store_open(x->db, STORE_WRITE, &s, &x->m);
        if (size == 0) {
            assert_ok(status);
            close_store(x, s);
        } else {
            assert_status(STATUS_CORRUPT, status); /* zeros are no database, as SQLite sees it */
        }
    }
}

/* A log of that name belongs to whoever made it last: one that was removed by the last writer of a
 * file that had stood here before takes all with it that is written from then on. */
TEST(a_file_or_log_that_is_gone)
{
    static const char *const suffixes[] = {"", "-wal"};
    for (int replaced = 0; replaced < 2; replaced++) {
        for (int i = 0; i < 2; i++) {
            char path[400], away[400];
            snprintf(path, sizeof path, "%s%s", x->db, suffixes[i]);
            snprintf(away, sizeof away, "%s/away", x->folder);
            struct store *s = open_store(x, STORE_WRITE);
            assert_true(store_in_place(s));
            plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
            assert_true(store_in_place(s));
            assert_int_equal(rename(path, away), 0);
            if (replaced)
                fclose(fopen(path, "w"));
            assert_false(store_in_place(s));
            assert_int_equal(rename(away, path), 0);
            assert_true(store_in_place(s));
            close_store(x, s);
        }
    }
}
