/* Whole files: what is written comes back; where a call fails the old file stays and nothing else
 * does; what is no file, or too large a one, is not read. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "tests/unit/faults.h"

#include <stddef.h>
#include <stdint.h>

#include "tests/test.h"
#include "tests/unit/file_folder.h"

/* The next read: READ_HALF of what it could, the end too early, or this error. */
enum { READ_ALL = 0, READ_HALF = -1, READ_END = -2 };
static int next_read;

ssize_t read(int fd, void *bytes, size_t size)
{
    int how = next_read;
    next_read = READ_ALL;
    if (how > 0) {
        errno = how;
        return -1;
    }
    if (how == READ_END)
        return 0;
    return syscall(SYS_read, fd, bytes, how == READ_HALF ? size / 2 : size);
}

/* What read becomes under _FORTIFY_SOURCE. */
ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room);
ssize_t __read_chk(int fd, void *bytes, size_t size, size_t room)
{
    assert_true(size <= room);
    return read(fd, bytes, size);
}

static int fstat_error;

int fstat(int fd, struct stat *st)
{
    if (fstat_error) {
        errno = fstat_error;
        return -1;
    }
    return fstatat(fd, "", st, AT_EMPTY_PATH);
}

/* What the next `same_random` calls of getrandom give: always 7. */
static int same_random;

ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    if (same_random-- <= 0)
        return syscall(SYS_getrandom, bytes, size, flags);
    memset(bytes, 0, size);
    *(unsigned char *)bytes = 7;
    return (ssize_t)size;
}

static void assert_text(const char *expected)
{
    void *bytes;
    size_t size;
    struct message m;
    assert_int_equal(file_read(path, strlen(expected), &bytes, &size, &m), STATUS_OK);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(bytes, expected);
    free(bytes);
}

FIXTURE(set_up, tear_down)

TEST(parts_come_back)
{
    enum { PARTS = 2 * IOV_MAX + 10 };
    static char expected[4 * PARTS], *at;
    static struct iovec parts[PARTS];
    static const struct {
        enum fault_call call;
        int error;
    } hindrances[] = {{FAULT_NONE, 0}, {FAULT_WRITEV, EINTR}, {FAULT_WRITEV, 0}};
    struct message m;
    for (size_t k = 0; k < sizeof hindrances / sizeof *hindrances; k++) {
        at = expected;
        for (int i = 0; i < PARTS; i++) {
            char *part = at;
            at += sprintf(at, "%.*s", i % 4, "xyz"); /* every fourth is empty */
            parts[i] = (struct iovec){part, (size_t)(at - part)};
        }
        fault_arm(hindrances[k].call, 1, hindrances[k].error);
        assert_int_equal(file_write(path, parts, PARTS, &m), STATUS_OK);
        assert_int_equal(fault_disarm(), k > 0);
        assert_text(expected);
    }
    assert_int_equal(file_write(path, parts, 0, &m), STATUS_OK);
    assert_text("");
}

TEST(a_write_that_fails)
{
    static const struct {
        enum fault_call call;
        int error;
        enum status status;
        const char *words;
    } cases[] = {{FAULT_WRITEV, EIO, STATUS_IO, "cannot write: Input/output error"},
                 {FAULT_WRITEV, ENOSPC, STATUS_DISK_FULL, "cannot write"},
                 {FAULT_SYNC, EIO, STATUS_IO, "cannot sync"},
                 {FAULT_SYNC, EDQUOT, STATUS_DISK_FULL, "cannot sync"},
                 {FAULT_CLOSE, EIO, STATUS_IO, "cannot close"},
                 {FAULT_RENAME, EACCES, STATUS_IO, "cannot rename"}};
    struct message m;
    assert_int_equal(write_text("old", &m), STATUS_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fault_arm(cases[i].call, 1, cases[i].error);
        assert_int_equal(write_text("new", &m), cases[i].status);
        assert_true(fault_disarm());
        if (!strstr(m.text, cases[i].words) || !strstr(m.text, path))
            fail_msg("%s: %s", cases[i].words, m.text);
        assert_int_equal(names_in_folder(), 1);
        assert_text("old");
    }
    fault_arm(FAULT_CLOSE, 1, EINTR); /* closed all the same */
    assert_int_equal(write_text("new", &m), STATUS_OK);
    assert_true(fault_disarm());
    assert_text("new");
}

/* Written piece by piece: the old file, or all of the new one, and nothing beside it. */
TEST(a_draft_is_whole_or_not_there)
{
    static const struct {
        enum fault_call call;
        int error;
        enum status status;
    } cases[] = {{FAULT_SYNC, ENOSPC, STATUS_DISK_FULL}, {FAULT_RENAME, EACCES, STATUS_IO}};
    struct rlimit unlimited, short_files = {.rlim_cur = 4};
    struct file_draft d;
    struct message m;
    assert_int_equal(write_text("old", &m), STATUS_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(file_draft_new(path, &d, &m), STATUS_OK);
        fputs("new", d.out);
        fault_arm(cases[i].call, 1, cases[i].error);
        assert_int_equal(file_draft_keep(&d, &m), cases[i].status);
        assert_true(fault_disarm());
        assert_int_equal(names_in_folder(), 1);
        assert_text("old");
    }
    for (int early = 0; early < 2; early++) { /* by an earlier flush, or by the last */
        assert_int_equal(file_draft_new(path, &d, &m), STATUS_OK);
        fputs("longer", d.out);
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
        short_files.rlim_max = unlimited.rlim_max;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &short_files);
        if (early)
            assert_int_equal(fflush(d.out), EOF);
        assert_int_equal(file_draft_keep(&d, &m), STATUS_IO);
        setrlimit(RLIMIT_FSIZE, &unlimited);
        assert_non_null(strstr(m.text, path));
        assert_int_equal(names_in_folder(), 1);
        assert_text("old");
    }
    assert_int_equal(file_draft_new(path, &d, &m), STATUS_OK);
    assert_int_equal(names_in_folder(), 2);
    file_draft_drop(&d);
    assert_int_equal(names_in_folder(), 1);
    assert_int_equal(file_draft_new(path, &d, &m), STATUS_OK);
    fputs("new", d.out);
    assert_int_equal(file_draft_keep(&d, &m), STATUS_OK);
    assert_int_equal(names_in_folder(), 1);
    assert_text("new");
}

/* After the rename the new file is there; whether for good only the folder's sync can tell. */
TEST(a_folder_that_cannot_be_synced)
{
    static const int unable[] = {EINVAL, EOPNOTSUPP, ENOSYS, EBADF};
    struct message m;
    bool can;
    fault_arm(FAULT_SYNC, 2, EIO);
    assert_int_equal(write_text("new", &m), STATUS_IO);
    assert_true(fault_disarm());
    assert_non_null(strstr(m.text, "cannot sync the folder"));
    assert_int_equal(names_in_folder(), 1);
    assert_text("new");
    for (size_t i = 0; i < sizeof unable / sizeof *unable; i++) {
        fault_arm(FAULT_SYNC, 2, unable[i]); /* a file system that knows no such thing */
        assert_int_equal(write_text("newer", &m), STATUS_OK);
        assert_true(fault_disarm());
        assert_text("newer");
        fault_arm(FAULT_SYNC, 1, unable[i]);
        assert_int_equal(file_can_sync_folder(path, &can, &m), STATUS_OK);
        assert_false(can);
        fault_arm(FAULT_SYNC, 1, unable[i]);
        assert_int_equal(write_text("of the file itself", &m), STATUS_IO);
        assert_text("newer");
    }
    fault_arm(FAULT_SYNC, 1, EIO);
    assert_int_equal(file_can_sync_folder(path, &can, &m), STATUS_IO);
    fault_disarm();
    assert_int_equal(file_can_sync_folder(path, &can, &m), STATUS_OK);
    assert_true(can);
}

enum { BYTES = 3 * (1 << 16) + 5 };

/* A file of several pieces, whose last is short. */
static void fill_source(const char *from, char sha256[65])
{
    static char bytes[BYTES];
    struct message m;
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (char)(i * 7 + i / 251);
    struct iovec part = {bytes, BYTES};
    assert_int_equal(file_write(from, &part, 1, &m), STATUS_OK);
    sha256_hex(bytes, BYTES, sha256);
}

static void assert_copy(const char *wanted, mode_t mode)
{
    char sha256[65];
    struct message m;
    struct stat st;
    size_t size;
    int fd;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, mode);
    assert_int_equal(file_open(path, &fd, &size, &m), STATUS_OK);
    assert_int_equal(file_hash(fd, path, size, sha256, &m), STATUS_OK);
    assert_string_equal(sha256, wanted);
    close(fd);
    assert_int_equal(names_in_folder(), 2);
}

TEST(copies_are_whole_or_not_there)
{
    static const struct {
        enum fault_call call;
        int nth, error;
        enum status status;
    } cases[] = {{FAULT_WRITEV, 3, ENOSPC, STATUS_DISK_FULL},
                 {FAULT_WRITEV, 4, EIO, STATUS_IO},
                 {FAULT_SYNC, 1, EIO, STATUS_IO},
                 {FAULT_RENAME, 1, EACCES, STATUS_IO}};
    char from[sizeof path], wanted[65], sha256[65], wrong[65];
    struct message m;
    size_t size = 0;
    int fd;
    snprintf(from, sizeof from, "%s/from", folder);
    fill_source(from, wanted);
    assert_int_equal(file_open(from, &fd, &size, &m), STATUS_OK);
    assert_int_equal(file_hash(fd, from, size, sha256, &m), STATUS_OK);
    assert_string_equal(sha256, wanted);
    assert_int_equal(write_text("old", &m), STATUS_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fault_arm(cases[i].call, cases[i].nth, cases[i].error);
        assert_int_equal(file_copy(fd, from, size, path, 0666, wanted, &m), cases[i].status);
        assert_true(fault_disarm());
        assert_int_equal(names_in_folder(), 2);
        assert_text("old");
    }
    next_read = EIO;
    assert_int_equal(file_copy(fd, from, size, path, 0666, wanted, &m), STATUS_IO);
    next_read = EIO;
    assert_int_equal(file_hash(fd, from, size, sha256, &m), STATUS_IO);
    memcpy(wrong, wanted, sizeof wrong);
    wrong[9] = wrong[9] == '0' ? '1' : '0';
    assert_int_equal(file_copy(fd, from, size, path, 0666, wrong, &m), STATUS_CORRUPT);
    assert_non_null(strstr(m.text, from));
    assert_int_equal(file_hash(fd, from, size + 1, sha256, &m), STATUS_CORRUPT); /* it was cut */
    assert_int_equal(names_in_folder(), 2);
    assert_text("old");
    next_read = READ_HALF;
    fault_arm(FAULT_WRITEV, 1, EINTR);
    mode_t before = umask(027);
    assert_int_equal(file_copy(fd, from, size, path, 0666, wanted, &m), STATUS_OK);
    umask(before);
    assert_true(fault_disarm());
    assert_copy(wanted, 0640);
    fault_kernel_pieces = 3; /* and the rest through memory */
    assert_int_equal(file_copy(fd, from, size, path, 0400, wanted, &m), STATUS_OK);
    assert_copy(wanted, 0400);
    fault_kernel_pieces = BYTES;
    assert_int_equal(file_copy(fd, from, size, path, 0400, wanted, &m), STATUS_OK);
    assert_copy(wanted, 0400);
    assert_int_equal(file_copy(fd, from, size, path, 0666, wrong, &m), STATUS_CORRUPT);
    fault_kernel_pieces = 0;
    assert_copy(wanted, 0400);
    close(fd);
    unlink(from);
}

/* Somebody else's file in a shared folder, under a name that could be foretold, is neither filled
 * nor taken for ours; and the new file's mode is umask's. */
TEST(temporary_files_are_our_own)
{
    struct message m;
    struct stat st;
    char theirs[300];
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            snprintf(theirs, sizeof theirs, "%s.%ld.tmp", path, (long)getpid());
        else
            snprintf(theirs, sizeof theirs, "%s.headcount-00000007.tmp", path);
        int fd = open(theirs, O_WRONLY | O_CREAT | O_EXCL, 0600);
        assert_true(fd >= 0);
        assert_int_equal(syscall(SYS_write, fd, "theirs", 6), 6);
        close(fd);
        mode_t before = umask(027);
        same_random = i; /* the first name is taken */
        assert_int_equal(write_text("ours", &m), STATUS_OK);
        umask(before);
        assert_text("ours");
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0640);
        assert_int_equal(stat(theirs, &st), 0);
        assert_int_equal(st.st_size, 6);
        if (i == 1) { /* and so are all others */
            same_random = 1000;
            assert_int_equal(write_text("more", &m), STATUS_IO);
            same_random = 0;
            assert_non_null(strstr(m.text, "cannot create: File exists"));
            assert_text("ours");
        }
        assert_int_equal(unlink(theirs), 0);
        assert_int_equal(names_in_folder(), 1);
    }
}

TEST(no_memory)
{
    void *bytes = path;
    size_t size = 1;
    struct message m;
    int errors = 0;
    if (!FAULTS_IN_MALLOC)
        skip();
    bool fired = true;
    for (int n = 1; fired; n++) {
        fault_arm(FAULT_MALLOC, n, ENOMEM);
        enum status status = write_text("text", &m);
        fired = fault_disarm();
        assert_true(status == STATUS_OK || (fired && status == STATUS_NO_MEMORY));
        errors += status != STATUS_OK;
        assert_true(names_in_folder() <= 1);
    }
    assert_true(errors >= 2);
    fault_arm(FAULT_MALLOC, 1, ENOMEM);
    assert_int_equal(file_read(path, 100, &bytes, &size, &m), STATUS_NO_MEMORY);
    assert_true(fault_disarm());
    assert_null(bytes);
    assert_int_equal(size, 0);
}

TEST(interrupted_and_cut_reads)
{
    void *bytes;
    size_t size;
    struct message m;
    assert_int_equal(write_text("words", &m), STATUS_OK);
    next_read = EINTR;
    assert_text("words");
    next_read = READ_HALF;
    assert_text("words");
    next_read = EIO;
    assert_int_equal(file_read(path, 100, &bytes, &size, &m), STATUS_IO);
    assert_null(bytes);
    assert_non_null(strstr(m.text, "cannot read: Input/output error"));
    next_read = READ_END; /* it became shorter */
    assert_int_equal(file_read(path, 100, &bytes, &size, &m), STATUS_OK);
    assert_int_equal(size, 0);
    assert_string_equal(bytes, "");
    free(bytes);
    fstat_error = EIO;
    enum status status = file_read(path, 100, &bytes, &size, &m);
    fstat_error = 0;
    assert_int_equal(status, STATUS_IO);
    assert_null(bytes);
}

TEST(what_is_not_read)
{
    void *bytes;
    size_t size;
    struct message m;
    assert_int_equal(file_read(path, 100, &bytes, &size, &m), STATUS_IO);
    assert_non_null(strstr(m.text, "cannot open: No such file"));
    assert_int_equal(file_read(folder, 100, &bytes, &size, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "is a folder"));
    assert_int_equal(mkfifo(path, 0600), 0); /* which nobody writes to */
    assert_int_equal(file_read(path, 100, &bytes, &size, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "a device or pipe"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(write_text("five5", &m), STATUS_OK);
    assert_int_equal(file_read(path, 4, &bytes, &size, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "has 5 bytes; allowed: up to 4"));
    assert_null(bytes);
    assert_text("five5"); /* up to the limit itself */
}

/* Also at the ends of what the number holds. */
TEST(times_in_nanoseconds)
{
    struct stat st = {.st_mtim = {.tv_sec = 3, .tv_nsec = 7}};
    assert_int_equal(file_mtime_ns(&st), 3000000007);
    st.st_mtim.tv_sec = -1;
    assert_int_equal(file_mtime_ns(&st), -999999993);
    st.st_mtim = (struct timespec){INT64_MAX / 1000000000, 999999999};
    assert_true(file_mtime_ns(&st) == INT64_MAX);
    st.st_mtim.tv_sec = INT64_MIN;
    assert_true(file_mtime_ns(&st) == INT64_MIN);
}
