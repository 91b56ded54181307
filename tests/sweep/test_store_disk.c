/* The results file on a disk that fills up at every single write, and on one whose syncs fail. */
#include "store_help.h"

#include <errno.h>

static const struct attempt_end NO_END;

static int writes_left = -1; /* until the disk is full; negative: never */
static int full_errno = ENOSPC;

static ssize_t limited_pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    if (writes_left == 0) {
        errno = full_errno;
        return -1;
    }
    if (writes_left > 0)
        writes_left--;
    return pwrite(fd, bytes, size, at);
}

static void limit_writes(bool on)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    static const char *const calls[] = {"pwrite", "pwrite64"};
    for (int i = 0; i < 2; i++)
        vfs->xSetSystemCall(vfs, calls[i], on ? (sqlite3_syscall_ptr)limited_pwrite : NULL);
}

FIXTURE(set_up, tear_down)

/* The disk fills up at the Nth write of claim, finish, claim, for every N, by WAL and by journal.
 */
TEST(disk_fills_at_every_write)
{
    static const struct store_migration none[] = {{0, NULL}};
    static const int errors[] = {ENOSPC, EDQUOT, EFBIG};
    for (int round = 0; round < 4; round++) {
        const struct store_format f = {STORE_VERSION, none, round == 3};
        full_errno = errors[round % 3];
        struct run r;
        char planned[400];
        bool fits = false;
        snprintf(planned, sizeof planned, "%s/planned.db", x->folder);
        remove(x->db);
        assert_ok(store_open_format(x->db, STORE_WRITE, &f, &r.s, &x->m));
        r.sweep = plan_into(x, r.s, SWEEP("[1, 2]", "seeds: 1\n")).sweep_id;
        r.build = add_build(x, r.s);
        close_store(x, r.s);
        copy_file(x->db, planned, 0);
        for (int n = 0; !fits; n++) {
            copy_file(planned, x->db, 0);
            assert_ok(store_open_format(x->db, STORE_WRITE, &f, &r.s, &x->m));
            limit_writes(true);
            writes_left = n;
            struct claimed c = {0}, next = {0};
            bool accepted = false;
            enum status status = store_claim(r.s, r.sweep, r.build, NULL, false, &c, &x->m);
            enum status finished = STATUS_OK, claimed_next = STATUS_OK;
            if (status == STATUS_OK)
                finished = store_finish(r.s, c.trial_id, 1, result_of(0.5), NULL, NULL, &NO_END,
                                        &accepted, &x->m);
            if (status == STATUS_OK && finished == STATUS_OK)
                claimed_next = store_claim(r.s, r.sweep, r.build, NULL, false, &next, &x->m);
            limit_writes(false);
            fits = status == STATUS_OK && finished == STATUS_OK && claimed_next == STATUS_OK;
            if (!fits && status != STATUS_DISK_FULL && finished != STATUS_DISK_FULL &&
                claimed_next != STATUS_DISK_FULL)
                fail_msg("write %d, %s: %d %d %d: %s", n, strerror(full_errno), (int)status,
                         (int)finished, (int)claimed_next, x->m.text);
            /* What was acknowledged is there, also for the next opener; what was not can be done.
             */
            close_store(x, r.s);
            assert_ok(store_open_format(x->db, STORE_WRITE, &f, &r.s, &x->m));
            r.db = store_db(r.s);
            assert_answer(r.db, "PRAGMA integrity_check", "ok");
            assert_string_equal(ask(r.db, "SELECT state FROM trial WHERE trial_id = 1"),
                                status != STATUS_OK     ? "queued"
                                : finished != STATUS_OK ? "running"
                                                        : "completed");
            if (status != STATUS_OK)
                c = claim(x, r.s, r.sweep, r.build);
            if (!accepted)
                assert_true(finish(x, r.s, &c, result_of(0.5)));
            close_store(x, r.s);
        }
    }
}

/* A curve too long for a cache of one page, so that the disk is met before the commit. */
static const char *long_curve(void)
{
    static char rows[200000];
    size_t used = (size_t)snprintf(rows, sizeof rows, "[");
    for (int step = 0; step < 5000; step++)
        used += (size_t)snprintf(rows + used, sizeof rows - used, "%s{\"step\":%d,\"lr\":0.125}",
                                 step ? "," : "", step);
    snprintf(rows + used, sizeof rows - used, "]");
    return rows;
}

/* A file that must not grow: SQLite undoes the statement; the rest of the batch can be kept. */
TEST(full_file_spares_the_batch)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    char limit[64];
    assert_ok(store_begin(r.s, &x->m));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    snprintf(limit, sizeof limit, "PRAGMA max_page_count = %ld",
             atol(ask(r.db, "PRAGMA page_count")));
    run_sql(r.db, limit);
    assert_status(STATUS_DISK_FULL, store_curve(r.s, c.trial_id, c.attempt, long_curve(), &x->m));
    assert_ok(store_commit(r.s, &x->m));
    assert_answer(r.db, "SELECT count(*) FROM attempt", "1");
    assert_answer(r.db, "SELECT count(*) FROM curve", "0");
}

/* A disk that takes no more: SQLite rolls back the whole batch, and nothing of it may be
 * acknowledged after that. */
TEST(full_disk_ends_the_batch)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    full_errno = ENOSPC;
    run_sql(r.db, "PRAGMA cache_size = 1");
    assert_ok(store_begin(r.s, &x->m));
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    limit_writes(true);
    writes_left = 0;
    enum status status = store_curve(r.s, c.trial_id, c.attempt, long_curve(), &x->m);
    limit_writes(false);
    assert_int_equal(status, STATUS_DISK_FULL);
    assert_true(sqlite3_get_autocommit(r.db));
    assert_status(STATUS_DISK_FULL, store_claim(r.s, r.sweep, r.build, NULL, false, &c, &x->m));
    assert_non_null(strstr(x->m.text, "undone"));
    assert_status(STATUS_DISK_FULL, store_commit(r.s, &x->m));
    assert_answer(r.db, "SELECT count(*) FROM attempt", "0");
    assert_int_equal(claim(x, r.s, r.sweep, r.build).trial_id, 1);
}

static bool syncs_fail;

/* Stands in front of the C library's for SQLite too. */
int fdatasync(int fd)
{
    if (syncs_fail) {
        errno = EIO;
        return -1;
    }
    return fsync(fd);
}

TEST(a_failed_sync_is_final)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 1\n"));
    struct claimed c;
    syncs_fail = true;
    enum status status = store_claim(r.s, r.sweep, r.build, NULL, false, &c, &x->m);
    syncs_fail = false;
    assert_int_equal(status, STATUS_IO);
    assert_int_equal(c.trial_id, 0);
    /* The disk says it is well again; what it lost in between nobody knows. */
    assert_status(STATUS_IO, store_claim(r.s, r.sweep, r.build, NULL, false, &c, &x->m));
    assert_non_null(strstr(x->m.text, "could not be made durable"));
    assert_status(STATUS_IO, store_begin(r.s, &x->m));
    close_store(x, r.s);
    r.s = open_store(x, STORE_WRITE);
    assert_answer(store_db(r.s), "PRAGMA integrity_check", "ok");
    assert_answer(store_db(r.s), "SELECT count(*) FROM trial", "2");
}
