/* Troubles that SQLite and the store meet on order: refused statements, interruptions, system calls
 * and allocations that fail. */
#ifndef TESTS_STORE_TROUBLES_H
#define TESTS_STORE_TROUBLES_H

#include "store_help.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tests/unit/faults.h"

enum trouble {
    NONE,
    REFUSED, /* SQLite will not prepare a statement */
    STOPPED, /* a statement is interrupted */
    SYSTEM,  /* a system call of SQLite's fails */
    MEMORY,  /* an allocation fails */
    TROUBLES
};

static struct {
    enum trouble kind;
    long left; /* strikes when this gets to 0 */
    bool lasts, fired;
    int error;          /* of SYSTEM */
    const char *ignore; /* a pragma without effect */
} trouble = {.error = EIO};

/* The nth occasion from now on. */
static inline void arm(enum trouble kind, long n)
{
    trouble.kind = kind;
    trouble.left = n;
    trouble.lasts = trouble.fired = false;
    if (kind == MEMORY)
        fault_arm(FAULT_MALLOC, (int)n, ENOMEM);
}

/* Ends the trouble and tells whether there was any. */
static inline bool disarm(void)
{
    bool fired = fault_disarm() || trouble.fired;
    trouble.kind = NONE;
    return fired;
}

static bool strikes(enum trouble kind)
{
    if (trouble.kind != kind || (--trouble.left != 0 && !(trouble.lasts && trouble.fired)))
        return false;
    trouble.fired = true;
    errno = trouble.error;
    return true;
}

static int authorize(void *unused, int action, const char *a, const char *b, const char *c,
                     const char *d)
{
    (void)unused, (void)b, (void)c, (void)d;
    if (action == SQLITE_PRAGMA && trouble.ignore && strcmp(a, trouble.ignore) == 0)
        return SQLITE_IGNORE;
    if (action == SQLITE_READ || action == SQLITE_FUNCTION)
        return SQLITE_OK;
    return strikes(REFUSED) ? SQLITE_DENY : SQLITE_OK;
}

static int statement_starts(unsigned event, void *unused, void *statement, void *sql)
{
    (void)event, (void)unused, (void)sql;
    if (strikes(STOPPED))
        sqlite3_interrupt(sqlite3_db_handle(statement));
    return 0;
}

/* What sqlite3_auto_extension wants: called with every new connection. */
static int watch(sqlite3 *db, char **error, const void *api)
{
    (void)error, (void)api;
    sqlite3_set_authorizer(db, authorize, NULL);
    return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, statement_starts, NULL);
}

static int failing_open(const char *path, int flags, int mode)
{
    return strikes(SYSTEM) ? -1 : open(path, flags, mode);
}

static int failing_fcntl(int fd, int command, void *argument)
{
    return strikes(SYSTEM) ? -1 : fcntl(fd, command, argument);
}

static int failing_fstat(int fd, struct stat *st)
{
    return strikes(SYSTEM) ? -1 : fstat(fd, st);
}

static int failing_ftruncate(int fd, off_t size)
{
    return strikes(SYSTEM) ? -1 : ftruncate(fd, size);
}

static ssize_t failing_pread(int fd, void *bytes, size_t size, off_t at)
{
    return strikes(SYSTEM) ? -1 : pread(fd, bytes, size, at);
}

static ssize_t failing_pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    return strikes(SYSTEM) ? -1 : pwrite(fd, bytes, size, at);
}

static void *failing_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return strikes(SYSTEM) ? MAP_FAILED : mmap(at, size, protection, flags, fd, offset);
}

static inline void stand_between(bool on)
{
#define CALL(f) (sqlite3_syscall_ptr) f
    static const struct {
        const char *name;
        sqlite3_syscall_ptr call;
    } calls[] = {{"open", CALL(failing_open)},     {"fcntl", CALL(failing_fcntl)},
                 {"fstat", CALL(failing_fstat)},   {"ftruncate", CALL(failing_ftruncate)},
                 {"pread", CALL(failing_pread)},   {"pread64", CALL(failing_pread)},
                 {"pwrite", CALL(failing_pwrite)}, {"pwrite64", CALL(failing_pwrite)},
                 {"mmap", CALL(failing_mmap)}};
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        vfs->xSetSystemCall(vfs, calls[i].name, on ? calls[i].call : NULL);
    if (on)
        sqlite3_auto_extension((void (*)(void))watch);
    else
        sqlite3_reset_auto_extension();
}

/* The occasion to try after the nth: each of the first 64, then ever wider apart; under
 * CRASH_FORM=long all of them. */
static inline long next_occasion(long n)
{
    const char *form = getenv("CRASH_FORM");
    return n + 1 + (form && strcmp(form, "long") == 0 ? 0 : n / 64);
}

#endif
