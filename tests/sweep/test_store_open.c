/* Opening and closing where things stand in the way: foreign journals, folders that are
 * none, file systems without WAL, pragmas without effect, syncs and allocations that fail. */
#include "store_troubles.h"

#include <sys/statfs.h>

/* ---- the system ---- */

static long file_system; /* the type statfs tells; 0: the true one, negative: it fails */

int statfs(const char *path, struct statfs *fs)
{
    if (file_system < 0) {
        errno = EACCES;
        return -1;
    }
    int result = (int)syscall(SYS_statfs, path, fs);
    if (file_system > 0)
        fs->f_type = file_system;
    return result;
}

static int syncs_left = -1; /* until one of SQLite's fails; negative: none does */

int fdatasync(int fd)
{
    if (syncs_left >= 0 && syncs_left-- == 0) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, fd);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* As another user than root where the test runs as root, who may do everything. */
static enum status open_as_nobody(struct fixture *x, enum store_mode mode, struct store **s)
{
    bool root = geteuid() == 0;
    if (root)
        assert_int_equal(seteuid(65534), 0);
    enum status status = store_open(x->db, mode, s, &x->m);
    if (root)
        assert_int_equal(seteuid(0), 0);
    return status;
}

FIXTURE(set_up, tear_down)

/* ---- names ---- */

TEST(folders_that_are_none)
{
    struct store *s;
    char folder[400];
    snprintf(folder, sizeof folder, "%s.d", x->db);
    write_file(folder, "a file");
    assert_status(STATUS_IO, store_open(x->db, STORE_WRITE, &s, &x->m));
    assert_non_null(strstr(x->m.text, "results.db.d: cannot make this folder: Not a directory"));
    assert_int_equal(unlink(folder), 0);
    assert_int_equal(symlink("nowhere", folder), 0);
    assert_status(STATUS_IO, store_open(x->db, STORE_WRITE, &s, &x->m));
    assert_non_null(strstr(x->m.text, "Not a directory"));
    assert_int_equal(unlink(folder), 0);
    assert_int_equal(symlink(x->folder, folder), 0); /* to a folder is as good as one */
    close_store(x, open_store(x, STORE_WRITE));
}

TEST(a_folder_that_takes_none)
{
    struct store *s = NULL;
    assert_int_equal(chmod(x->folder, 0555), 0);
    enum status status = open_as_nobody(x, STORE_WRITE, &s);
    assert_int_equal(chmod(x->folder, 0755), 0);
    assert_status(STATUS_IO, status);
    assert_non_null(strstr(x->m.text, "results.db.d: cannot make this folder: Permission denied"));
}

TEST(a_file_that_must_not_be_read)
{
    struct store *s = open_store(x, STORE_WRITE);
    close_store(x, s);
    assert_int_equal(chmod(x->folder, 0755), 0);
    assert_int_equal(chmod(x->db, 0200), 0);
    assert_status(STATUS_IO, open_as_nobody(x, STORE_READ, &s));
    assert_non_null(strstr(x->m.text, "Permission denied"));
}

TEST(a_name_from_here)
{
    struct store *s = NULL;
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(x->folder), 0);
    enum status status = store_open("./results.db", STORE_WRITE, &s, &x->m);
    if (status == STATUS_OK)
        status = store_close(s, &x->m);
    assert_int_equal(chdir(here), 0);
    assert_ok(status);
    close_store(x, open_store(x, STORE_READ));
}

TEST(a_name_too_long_for_sqlite)
{
    struct store *s;
    char path[1024];
    size_t used = (size_t)snprintf(path, sizeof path, "%s", x->folder);
    for (int i = 0; i < 3; i++) {
        used += (size_t)snprintf(path + used, sizeof path - used, "/%0200d", i);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(path + used, sizeof path - used, "/results.db");
    assert_int_not_equal(store_open(path, STORE_WRITE, &s, &x->m), STATUS_OK);
    write_file(path, "words");
    assert_status(STATUS_BAD_INPUT, store_open(path, STORE_READ, &s, &x->m));
    assert_non_null(strstr(x->m.text, "bytes"));
}

/* ---- what a journal brings back ---- */

/* A file whose header is gone for now and that its journal makes a database of `setup` again. */
static void leave_hot_journal(struct fixture *x, const char *setup)
{
    char work[400], journal[420], to[420];
    sqlite3 *db;
    snprintf(work, sizeof work, "%s/work.db", x->folder);
    snprintf(journal, sizeof journal, "%s-journal", work);
    snprintf(to, sizeof to, "%s-journal", x->db);
    assert_int_equal(sqlite3_open(work, &db), SQLITE_OK);
    run_sql(db, setup);
    /* A cache of one page spills before the commit; the version is on the first page. */
    run_sql(db, "PRAGMA cache_size = 1; BEGIN; PRAGMA user_version = 99; CREATE TABLE big (x);"
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)"
                " INSERT INTO big SELECT hex(randomblob(100)) FROM n");
    copy_file(journal, to, 0);
    copy_file(work, x->db, 100);
    run_sql(db, "ROLLBACK");
    sqlite3_close(db);
    assert_int_equal(unlink(work), 0);
}

TEST(a_journal_tells_whose_file_it_is)
{
    static const struct {
        const char *setup, *words;
    } cases[] = {
        {"CREATE TABLE photo (id INTEGER)", "another program"},
        {"CREATE TABLE trial (id INTEGER); PRAGMA application_id = 1212498244",
         "PRAGMA user_version = 8"},
        {"CREATE TABLE photo (id INTEGER); PRAGMA application_id = 77", "another program"},
        {"CREATE TABLE photo (id INTEGER); DROP TABLE photo; PRAGMA application_id = 77",
         "another program"},
        {"CREATE TABLE trial (id INTEGER); PRAGMA application_id = 1212498244;"
         " PRAGMA user_version = 99",
         "format 99, of a newer headcount"},
        {"CREATE TABLE trial (id INTEGER); PRAGMA application_id = 1212498244;"
         " PRAGMA user_version = 7",
         "format 7, of a development version"},
        {"CREATE TABLE photo (id INTEGER); DROP TABLE photo", "holds no results yet"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct store *s;
        leave_hot_journal(x, cases[i].setup);
        assert_status(STATUS_BAD_INPUT, store_open(x->db, STORE_READ, &s, &x->m));
        if (!strstr(x->m.text, cases[i].words))
            fail_msg("%s: %s", cases[i].setup, x->m.text);
    }
    /* The last one is empty: it may become a results file. */
    leave_hot_journal(x, cases[sizeof cases / sizeof *cases - 1].setup);
    close_store(x, open_store(x, STORE_WRITE));
    close_store(x, open_store(x, STORE_READ));
}

/* A reader lets a moment's writer roll back; where that fails it says so, and next time it works.
 */
TEST(recovery_is_tried_again)
{
    static const enum trouble kinds[] = {REFUSED, SYSTEM, MEMORY};
    char saved[400], saved_journal[420], journal[420];
    struct store *s = NULL;
    snprintf(saved, sizeof saved, "%s/saved.db", x->folder);
    snprintf(saved_journal, sizeof saved_journal, "%s-journal", saved);
    snprintf(journal, sizeof journal, "%s-journal", x->db);
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    run_sql(r.db, "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN;"
                  "UPDATE trial SET setting_label = 'half'; UPDATE t_quantile SET t = 0");
    copy_file(x->db, saved, 0);
    copy_file(journal, saved_journal, 0);
    run_sql(r.db, "ROLLBACK");
    close_store(x, r.s);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        bool fired = true;
        for (long n = 1; fired; n += 1 + n / 10) {
            copy_file(saved, x->db, 0);
            copy_file(saved_journal, journal, 0);
            stand_between(true);
            arm(kinds[k], n);
            enum status status = store_open(x->db, STORE_READ, &s, &x->m);
            fired = disarm();
            stand_between(false);
            if (status != STATUS_OK) {
                assert_true(fired);
                s = open_store(x, STORE_READ);
            }
            assert_answer(store_db(s), "SELECT count(*) FROM t_quantile WHERE t = 0", "0");
            assert_answer(store_db(s), "SELECT group_concat(setting_label, '|') FROM trial", "|");
            close_store(x, s);
        }
    }
}

/* The last resort of a reader, where nothing can be made in the folder, without memory. */
TEST(a_closed_folder_without_memory)
{
    struct store *s = NULL;
    int errors = 0;
    close_store(x, open_store(x, STORE_WRITE));
    sqlite3 *db;
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    run_sql(db, "PRAGMA journal_mode = WAL");
    sqlite3_close(db);
    assert_int_equal(chmod(x->folder, 0555), 0);
    bool fired = FAULTS_IN_MALLOC;
    for (long n = 1; fired; n = next_occasion(n)) {
        sqlite3_shutdown(); /* else it has memory already */
        arm(MEMORY, n);
        enum status status = open_as_nobody(x, STORE_READ, &s);
        fired = disarm();
        if (status == STATUS_OK)
            close_store(x, s);
        else if (!fired || status != STATUS_NO_MEMORY)
            break;
        errors += status != STATUS_OK;
    }
    assert_int_equal(chmod(x->folder, 0755), 0);
    assert_false(fired);
    assert_true(errors > 10 || !FAULTS_IN_MALLOC);
}

/* ---- creating ---- */

static struct fixture *racing; /* somebody else creates its file when a writer locks it */

static int overtaken(unsigned event, void *unused, void *statement, void *sql)
{
    (void)event, (void)unused, (void)statement;
    if (racing && strcmp(sql, "BEGIN IMMEDIATE") == 0) {
        struct fixture *x = racing;
        racing = NULL;
        close_store(x, open_store(x, STORE_WRITE));
    }
    return 0;
}

static int watch_for_race(sqlite3 *db, char **error, const void *api)
{
    (void)error, (void)api;
    return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, overtaken, NULL);
}

TEST(two_create_it)
{
    racing = x;
    sqlite3_auto_extension((void (*)(void))watch_for_race);
    struct store *s = open_store(x, STORE_WRITE);
    sqlite3_reset_auto_extension();
    assert_null(racing);
    assert_answer(store_db(s), "SELECT count(*) FROM t_quantile", "1000");
    assert_answer(store_db(s), "PRAGMA integrity_check", "ok");
}

TEST(somebody_else_is_about_to)
{
    struct store *s;
    sqlite3 *other;
    assert_int_equal(sqlite3_open(x->db, &other), SQLITE_OK);
    run_sql(other, "BEGIN IMMEDIATE");
    assert_status(STATUS_BUSY, store_open(x->db, STORE_WRITE, &s, &x->m));
    assert_non_null(strstr(x->m.text, "locked by another program"));
    assert_non_null(strstr(x->m.text, "fuser"));
    run_sql(other, "ROLLBACK");
    sqlite3_close(other);
    close_store(x, open_store(x, STORE_WRITE));
}

/* ---- the journal ---- */

TEST(no_wal_where_it_does_not_work)
{
    static const long types[] = {0x6969 /* NFS */, -1};
    for (int i = 0; i < 3; i++) {
        sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
        if (i < 2)
            file_system = types[i];
        else /* no shared memory at all */
            sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1);
        struct store *s = open_store(x, STORE_WRITE);
        file_system = 0;
        sqlite3_vfs_register(vfs, 1);
        assert_answer(store_db(s), "PRAGMA journal_mode", "delete");
        assert_answer(store_db(s), "PRAGMA synchronous", "3");
        close_store(x, s);
    }
    struct store *s = open_store(x, STORE_WRITE);
    assert_answer(store_db(s), "PRAGMA journal_mode", "wal");
}

TEST(pragmas_without_effect)
{
    static const struct {
        const char *pragma, *words;
        enum status status;
    } cases[] = {
        {"journal_mode", "neither WAL nor a rollback journal", STATUS_IO},
        {"synchronous", "synchronous writes cannot be switched on", STATUS_IO},
        {"integrity_check", "is damaged: no answer", STATUS_CORRUPT},
    };
    struct run r = start(x, SWEEP("[1]", "seeds: 1\n"));
    claim(x, r.s, r.sweep, r.build); /* left running: the next opening checks integrity */
    close_store(x, r.s);
    stand_between(true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trouble.ignore = cases[i].pragma;
        enum status status = store_open(x->db, STORE_WRITE, &r.s, &x->m);
        trouble.ignore = NULL;
        assert_status(cases[i].status, status);
        if (!strstr(x->m.text, cases[i].words))
            fail_msg("%s: %s", cases[i].pragma, x->m.text);
    }
    stand_between(false);
    close_store(x, open_store(x, STORE_WRITE));
}

TEST(a_reader_keeps_the_journal_as_it_is)
{
    struct store *s;
    sqlite3 *reader;
    close_store(x, open_store(x, STORE_WRITE));
    assert_int_equal(sqlite3_open(x->db, &reader), SQLITE_OK);
    run_sql(reader, "BEGIN; SELECT count(*) FROM trial");
    assert_status(STATUS_BUSY, store_open(x->db, STORE_WRITE, &s, &x->m));
    run_sql(reader, "COMMIT");
    close_store(x, open_store(x, STORE_WRITE));
    sqlite3_close(reader);
}

/* Every sync fails once: of creating, of opening, and of working by a rollback journal. Whoever
 * opens the file next finds it whole. */
TEST(syncs_that_fail)
{
    int failed = 0;
    for (int round = 0; round < 3; round++) {
        static const struct store_migration none[] = {{0, NULL}};
        const struct store_format f = {STORE_VERSION, none, round == 2};
        bool reached = true;
        for (int n = 0; reached; n++) {
            struct store *s = NULL;
            int64_t build = 0;
            struct build_info b = {"", "a", "gcc", "", "", "", "", ""};
            snprintf(b.version, sizeof b.version, "%d", n);
            if (round == 0)
                remove(x->db);
            syncs_left = n;
            enum status status = store_open_format(x->db, STORE_WRITE, &f, &s, &x->m);
            if (status == STATUS_OK && round == 2)
                status = store_build(s, &b, &build, &x->m);
            reached = syncs_left < 0;
            syncs_left = -1;
            /* SQLite overlooks some, as that of the folder of a new journal. */
            assert_true(status == STATUS_OK || (reached && status == STATUS_IO));
            failed += status != STATUS_OK;
            if (s && status != STATUS_OK) /* no second chance for this connection */
                assert_status(STATUS_IO, store_begin(s, &x->m));
            close_store(x, s);
            s = open_store(x, STORE_WRITE);
            assert_answer(store_db(s), "PRAGMA integrity_check", "ok");
            assert_answer(store_db(s), "SELECT count(*) FROM t_quantile", "1000");
            if (round == 2 && status == STATUS_OK) { /* acknowledged */
                char sql[80];
                snprintf(sql, sizeof sql, "SELECT count(*) FROM build WHERE version = '%d'", n);
                assert_answer(store_db(s), sql, "1");
            }
            close_store(x, s);
        }
    }
    assert_true(failed > 8);
}

/* No room for a new file, such as the journal: the disk is full, not broken. */
TEST(no_room_for_a_journal)
{
    int full = 0;
    close_store(x, open_store(x, STORE_WRITE));
    stand_between(true);
    trouble.error = ENOSPC;
    for (int lasts = 0; lasts < 2; lasts++) {
        bool fired = true;
        for (long n = 1; fired; n++) {
            struct store *s = NULL;
            arm(SYSTEM, n);
            trouble.lasts = lasts;
            enum status status = store_open(x->db, STORE_WRITE, &s, &x->m);
            fired = disarm();
            if (status != STATUS_OK && !fired)
                fail_msg("call %ld: %s", n, x->m.text);
            if (lasts && status == STATUS_IO) /* but for reading, which needs no room */
                assert_non_null(strstr(x->m.text, "cannot be read"));
            full += status == STATUS_DISK_FULL;
            close_store(x, s);
        }
    }
    trouble.error = EIO;
    stand_between(false);
    assert_true(full > 10);
}

/* SQLite removes the log by its name when the last connection closes: of a file that is gone it
 * must not, as a new one may have its log there by now. */
TEST(closing_a_removed_file_leaves_its_successor_alone)
{
    char log[400], index[400];
    snprintf(log, sizeof log, "%s-wal", x->db);
    snprintf(index, sizeof index, "%s-shm", x->db);
    struct store *gone = open_store(x, STORE_WRITE);
    run_sql(store_db(gone), "CREATE TABLE lost (x)");
    assert_int_equal(unlink(x->db), 0);
    assert_int_equal(unlink(log), 0);
    assert_int_equal(unlink(index), 0);
    struct store *next = open_store(x, STORE_WRITE);
    run_sql(store_db(next), "CREATE TABLE mine (x)");
    struct stat before, after;
    assert_int_equal(stat(log, &before), 0);
    assert_false(store_in_place(gone));
    close_store(x, gone);
    assert_true(store_in_place(next));
    assert_int_equal(stat(log, &after), 0);
    assert_true(before.st_ino == after.st_ino);
}
