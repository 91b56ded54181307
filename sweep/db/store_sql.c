#include "sweep/db/store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"

/* EFBIG: the process's own file size limit, which is room too. */
static bool is_no_room(int error_number)
{
    return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

static enum status status_of_code(int code, int system_errno)
{
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL: /* lost a race for the log's locks too often */
        return STATUS_BUSY;
    case SQLITE_FULL:
        return STATUS_DISK_FULL;
    case SQLITE_NOMEM:
        return STATUS_NO_MEMORY;
    case SQLITE_IOERR:
        if (code == SQLITE_IOERR_NOMEM)
            return STATUS_NO_MEMORY;
        return is_no_room(system_errno) ? STATUS_DISK_FULL : STATUS_IO;
    case SQLITE_CANTOPEN:
        return is_no_room(system_errno) ? STATUS_DISK_FULL : STATUS_IO;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_NOLFS:
        return STATUS_IO;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return STATUS_CORRUPT;
    case SQLITE_INTERRUPT:
        return STATUS_INTERRUPTED;
    default:
        return STATUS_INTERNAL;
    }
}

/* errno was 0 before the call that failed: SQLite itself keeps none of a failed commit. */
enum status store_error(struct store *s, const char *doing, struct message *m)
{
    int last_errno = errno;
    int code = sqlite3_extended_errcode(s->db), primary = code & 0xff, system_errno = 0;
    if (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN) {
        system_errno = sqlite3_system_errno(s->db);
        system_errno = system_errno ? system_errno : last_errno;
    }
    enum status status = status_of_code(code, system_errno);
    /* A reader writes nothing: it met what a writer that died left half done. */
    if (s->mode != STORE_WRITE && primary == SQLITE_READONLY)
        status = STATUS_BUSY;
    bool short_of = system_errno == EMFILE || system_errno == ENFILE || is_no_room(system_errno);
    if (primary == SQLITE_READONLY || (primary == SQLITE_CANTOPEN && !short_of))
        s->unreadable = primary;
    /* After a failed sync the kernel may have dropped the pages and report the next one as a
     * success: what was not acknowledged must not be tried again through the same descriptors. */
    if (code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC)
        s->broken = true;
    if (s->in_batch && s->batch_status == STATUS_OK && sqlite3_get_autocommit(s->db))
        s->batch_status = status;
    if (primary == SQLITE_BUSY)
        return status_fail(
            m, status,
            "%s: %s: database is locked by another program, such as sqlite3 in an "
            "open transaction; end that (`fuser %s` tells its process), or try again "
            "later",
            s->path, doing, s->path);
    return status_fail(m, status, "%s: %s: %s%s%s%s", s->path, doing, sqlite3_errmsg(s->db),
                       system_errno ? " (" : "", system_errno ? strerror(system_errno) : "",
                       system_errno ? ")" : "");
}

enum status store_execute(struct store *s, const char *doing, const char *sql,
                          const struct value *values, int count, long *changed, struct message *m)
{
    struct rows r = store_rows(s, doing, sql, values, count, m);
    rows_next(&r);
    if (r.status == STATUS_OK && changed)
        *changed = (long)sqlite3_changes64(s->db);
    return rows_close(&r);
}

enum status store_script(struct store *s, const char *doing, const char *sql, struct message *m)
{
    errno = 0;
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_error(s, doing, m);
    return STATUS_OK;
}

enum status store_integer(struct store *s, const char *doing, const char *sql,
                          const struct value *values, int count, int64_t otherwise, int64_t *out,
                          struct message *m)
{
    struct rows r = store_rows(s, doing, sql, values, count, m);
    bool row = rows_next(&r);
    if (r.status == STATUS_OK)
        *out = row && !rows_null(&r, 0) ? rows_integer(&r, 0) : otherwise;
    return rows_close(&r);
}

/* ---- transactions ---- */

/* Without effect where SQLite has rolled back by itself, as it does on a full disk. */
static void roll_back(struct store *s)
{
    if (!sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

static enum status begin(struct store *s, struct message *m)
{
    if (s->mode != STORE_WRITE)
        return status_fail(m, STATUS_INTERNAL, "%s: is open for reading only", s->path);
    if (s->broken)
        return status_fail(m, STATUS_IO,
                           "%s: an earlier write could not be made durable; nothing more is "
                           "written until the file is reopened",
                           s->path);
    roll_back(s); /* what could not be rolled back before, for want of memory */
    return store_script(s, "locking for a change", "BEGIN IMMEDIATE", m);
}

static enum status commit(struct store *s, struct message *m)
{
    enum status status = store_script(s, "committing", "COMMIT", m);
    if (status != STATUS_OK)
        roll_back(s);
    return status;
}

enum status store_begin(struct store *s, struct message *m)
{
    if (s->in_batch)
        return status_fail(m, STATUS_INTERNAL, "%s: store_begin twice", s->path);
    enum status status = begin(s, m);
    s->in_batch = status == STATUS_OK;
    s->batch_status = STATUS_OK;
    return status;
}

enum status store_commit(struct store *s, struct message *m)
{
    if (!s->in_batch)
        return status_fail(m, STATUS_INTERNAL, "%s: store_commit without store_begin", s->path);
    s->in_batch = false;
    if (s->batch_status == STATUS_OK)
        return commit(s, m);
    roll_back(s);
    return status_fail(m, s->batch_status, "%s: the changes were undone after an earlier error",
                       s->path);
}

enum status store_change(struct store *s, const char *doing, const char *sql,
                         const struct value *values, int count, struct message *m)
{
    enum status status = store_enter(s, m);
    if (status != STATUS_OK)
        return status;
    return store_leave(s, store_execute(s, doing, sql, values, count, NULL, m), m);
}

void store_rollback(struct store *s)
{
    s->in_batch = false;
    roll_back(s);
}

enum status store_enter(struct store *s, struct message *m)
{
    if (!s->in_batch)
        return begin(s, m);
    if (s->batch_status != STATUS_OK)
        return status_fail(m, s->batch_status, "%s: the changes were undone after an earlier error",
                           s->path);
    return store_execute(s, "setting a savepoint", "SAVEPOINT change", NO_VALUES, NULL, m);
}

enum status store_leave(struct store *s, enum status status, struct message *m)
{
    if (!s->in_batch) {
        if (status == STATUS_OK)
            return commit(s, m);
        roll_back(s);
        return status;
    }
    if (status == STATUS_OK)
        status = store_execute(s, "releasing a savepoint", "RELEASE change", NO_VALUES, NULL, m);
    /* A change that cannot be undone alone goes with the whole batch. */
    if (status != STATUS_OK && !sqlite3_get_autocommit(s->db) &&
        sqlite3_exec(s->db, "ROLLBACK TO change; RELEASE change", NULL, NULL, NULL) != SQLITE_OK)
        s->batch_status = store_error(s, "undoing a change", NULL);
    return status;
}

/* A savepoint, so that one may be begun within another, or within a batch. */
enum status store_snapshot(struct store *s, struct message *m)
{
    return store_script(s, "reading", "SAVEPOINT snapshot", m);
}

void store_snapshot_end(struct store *s)
{
    sqlite3_exec(s->db, "RELEASE snapshot", NULL, NULL, NULL);
}
