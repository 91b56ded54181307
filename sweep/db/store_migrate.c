/* The way from each format to the next. There is none yet: format 8, of version 1.0.0, is the first
 * that is read, and tests/data/db/format-8.sql a file of it.
 *
 * A step makes of a file of one format one of the next, but for the views, which are made anew. A
 * new column stands last in its table (ALTER TABLE appends), in the view `trials` where it belongs,
 * and in tests/crash/rows.sh where any value is welcome. A view that is new stands in the step as a
 * comment, "-- adds view NAME", so that a user's own of that name is told. Until there is a step,
 * tests/sweep/test_store_formats.c and test_store_migrate.c make some up. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/db/store_internal.h"

const struct store_migration store_migrations[] = {{0, NULL}};

enum status store_copy(sqlite3 *from, struct store *to, struct message *m)
{
    errno = 0;
    sqlite3_backup *copying = sqlite3_backup_init(to->db, "main", from, "main");
    bool whole = copying && sqlite3_backup_step(copying, -1) == SQLITE_DONE;
    if (sqlite3_backup_finish(copying) != SQLITE_OK || !whole)
        return store_error(to, "copying the file", m);
    return STATUS_OK;
}

/* An empty file of this name, for as many eyes as the results file: what lies there is taken away
 * and not followed. */
static enum status create_anew(const struct store *s, const char *name, struct message *m)
{
    struct stat original;
    unlink(name);
    int mode = stat(s->path, &original) == 0 ? (int)(original.st_mode & 0666) : 0600;
    int fd = open(name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, mode);
    if (fd < 0)
        return status_fail(m, status_of_errno(errno), "%s: %s", name, strerror(errno));
    close(fd);
    return STATUS_OK;
}

/* A copy as `{path}.v{version}.backup`, there under that name only when it is whole. */
static enum status back_up(struct store *s, int version, struct message *m)
{
    size_t size = strlen(s->path) + 40;
    char *name = malloc(size), *unfinished = malloc(size);
    struct store copy = {.path = unfinished, .mode = STORE_WRITE};
    enum status status = STATUS_OK;
    if (!name || !unfinished) {
        status = status_no_memory(m, s->path);
        goto done;
    }
    snprintf(name, size, "%s.v%d.backup", s->path, version);
    snprintf(unfinished, size, "%s.v%d.backup.new", s->path, version);
    status = create_anew(s, unfinished, m);
    if (status != STATUS_OK)
        goto done;
    errno = 0;
    if (sqlite3_open_v2(unfinished, &copy.db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        status = store_error(&copy, "backing up before migrating", m);
    if (status == STATUS_OK) {
        store_harden(copy.db);
        status = store_copy(s->db, &copy, m);
    }
    sqlite3_close(copy.db);
    if (status != STATUS_OK)
        goto done;
    if (rename(unfinished, name) != 0)
        status = status_fail(m, status_of_errno(errno), "%s: %s", name, strerror(errno));
    else
        status = file_sync_folder(name, m);
done:
    free(unfinished);
    free(name);
    return status;
}

/* ---- names ---- */

/* The next name in `sql` behind a keyword, in `name`; where the text goes on, or NULL. */
static const char *name_after(const char *sql, const char *keyword, char *name, size_t size)
{
    const char *at = strstr(sql, keyword);
    if (!at)
        return NULL;
    at += strlen(keyword);
    int length = (int)strcspn(at, " (\n");
    snprintf(name, size, "%.*s", length, at);
    return at + length;
}

static enum status refuse_object(struct store *s, const char *name, int version, struct message *m)
{
    struct rows r = store_rows(s, "migrating",
                               "SELECT type FROM sqlite_schema WHERE name = ? COLLATE NOCASE"
                               " AND type <> 'trigger'",
                               VALUES(TEXT(name)), m);
    if (rows_next(&r)) {
        const char *type = rows_given(&r, 0);
        bool table = strcmp(type, "table") == 0;
        r.status = status_fail(
            m, STATUS_BAD_INPUT,
            "%s holds %s %s \"%s\" of yours; format %d of results files needs that name. Give "
            "yours another one (sqlite3 %s '%s %s%s') and try again; nothing was changed",
            s->path, strcspn(type, "i") == 0 ? "an" : "a", type, name, version, s->path,
            table                       ? "ALTER TABLE"
            : strcmp(type, "view") == 0 ? "DROP VIEW"
                                        : "DROP INDEX",
            name, table ? " RENAME TO NEW_NAME" : "; CREATE ...");
    }
    return rows_close(&r);
}

static enum status refuse_column(struct store *s, const char *table, const char *name, int version,
                                 struct message *m)
{
    int64_t there = 0;
    enum status status = store_integer(
        s, "migrating", "SELECT 1 FROM pragma_table_info(?) WHERE name = ? COLLATE NOCASE",
        VALUES(TEXT(table), TEXT(name)), 0, &there, m);
    if (status == STATUS_OK && there)
        status = status_fail(m, STATUS_BAD_INPUT,
                             "%s: table %s has a column \"%s\" of yours; format %d of results "
                             "files needs that name. Give yours another one (sqlite3 %s 'ALTER "
                             "TABLE %s RENAME COLUMN %s TO NEW_NAME') and try again; nothing was "
                             "changed",
                             s->path, table, name, version, s->path, table, name);
    return status;
}

/* A table of the program's own, which the step makes anew. */
static bool is_dropped(const char *sql, const char *table)
{
    char drop[120];
    snprintf(drop, sizeof drop, "DROP TABLE %s;", table);
    return strstr(sql, drop) != NULL;
}

/* A user may have made tables, indexes, views and columns of their own in the file. */
static enum status refuse_taken_names(struct store *s, int from, const struct store_format *f,
                                      struct message *m)
{
    static const char *const objects[] = {"CREATE TABLE ", "CREATE INDEX ", "-- adds view "};
    enum status status = STATUS_OK;
    for (const struct store_migration *step = f->migrations; step->sql; step++) {
        char name[80], column[80];
        const char *at;
        if (step->from < from)
            continue;
        for (int i = 0; i < (int)(sizeof objects / sizeof *objects); i++)
            for (at = step->sql; status == STATUS_OK &&
                                 (at = name_after(at, objects[i], name, sizeof name)) != NULL;)
                if (!is_dropped(step->sql, name))
                    status = refuse_object(s, name, f->version, m);
        for (at = step->sql; status == STATUS_OK &&
                             (at = name_after(at, "ALTER TABLE ", name, sizeof name)) != NULL;) {
            at = name_after(at, " ADD COLUMN ", column, sizeof column);
            if (!at)
                break;
            status = refuse_column(s, name, column, f->version, m);
        }
    }
    return status;
}

/* ---- the steps ---- */

/* Views hold nothing, so they are always today's: away before the steps, there again after them. */
static enum status drop_views(struct store *s, struct message *m)
{
    static const char create[] = "\nCREATE VIEW ";
    enum status status = STATUS_OK;
    for (const char *at = store_schema; status == STATUS_OK && (at = strstr(at, create));) {
        char sql[120];
        at += strlen(create);
        snprintf(sql, sizeof sql, "DROP VIEW IF EXISTS %.*s", (int)strcspn(at, " "), at);
        status = store_script(s, "migrating", sql, m);
    }
    return status;
}

static enum status create_views(struct store *s, struct message *m)
{
    enum status status = STATUS_OK;
    for (const char *at = store_schema; status == STATUS_OK && (at = strstr(at, "\nCREATE VIEW "));
         at++) {
        /* SQLite prepares the first statement of a text and leaves the rest. */
        struct rows create = store_rows(s, "migrating", at + 1, NO_VALUES, m);
        rows_next(&create);
        status = rows_close(&create);
    }
    return status;
}

/* Runs the statements that are the only value of a query. */
static enum status run_made(struct store *s, const char *query, struct message *m)
{
    struct rows r = store_rows(s, "migrating", query, NO_VALUES, m);
    char *script = rows_next(&r) ? text_copy(rows_given(&r, 0)) : NULL;
    if (r.status == STATUS_OK && !script)
        r.status = status_no_memory(m, s->path);
    enum status status = rows_close(&r);
    if (status == STATUS_OK)
        status = store_script(s, "migrating", script, m);
    free(script);
    return status;
}

/* What a user has made upon the program's tables and views is put aside: SQLite takes no column
 * away that an index needs, nor any while a view or trigger refers to what is not there. With the
 * program's views their triggers go, which are a user's. */
static enum status put_users_aside(struct store *s, struct message *m)
{
    enum status status =
        store_script(s, "migrating",
                     "CREATE TEMP TABLE of_user AS SELECT type, name, sql FROM main.sqlite_schema"
                     " WHERE type IN ('view', 'trigger')"
                     " OR (type = 'index' AND tbl_name = 'config' AND sql IS NOT NULL)"
                     " ORDER BY type = 'trigger', rowid",
                     m);
    if (status == STATUS_OK)
        status = drop_views(s, m);
    if (status == STATUS_OK)
        status = store_script(s, "migrating",
                              "DELETE FROM temp.of_user WHERE type = 'view' AND name NOT IN"
                              " (SELECT name FROM main.sqlite_schema WHERE type = 'view')",
                              m);
    if (status == STATUS_OK)
        status = run_made(s,
                          "SELECT coalesce(group_concat(printf('DROP %s IF EXISTS main.\"%w\"',"
                          " type, name), ';'), '')"
                          " FROM (SELECT * FROM of_user ORDER BY type <> 'trigger')",
                          m);
    return status;
}

static enum status put_users_back(struct store *s, struct message *m)
{
    /* A statement may end with a comment, which would take in what follows on its line. */
    enum status status = run_made(
        s,
        "SELECT coalesce(group_concat(sql || iif(instr(sql, '--'), char(10), ''), ';'), '')"
        " FROM of_user",
        m);
    return status == STATUS_OK ? store_script(s, "migrating", "DROP TABLE temp.of_user", m)
                               : status;
}

static enum status apply_steps(struct store *s, int from, const struct store_format *f,
                               struct message *m)
{
    enum status status = STATUS_OK;
    for (int version = from; status == STATUS_OK && version < f->version; version++) {
        const struct store_migration *step = f->migrations;
        while (step->sql && step->from != version)
            step++;
        if (!step->sql)
            return status_fail(m, STATUS_BAD_INPUT,
                               "%s has format %d, which this headcount cannot migrate to format %d",
                               s->path, version, f->version);
        status = store_script(s, "migrating", step->sql, m);
    }
    return status;
}

static enum status apply_migrations(struct store *s, int from, const struct store_format *f,
                                    struct message *m)
{
    int64_t orphans = 0;
    enum status status = put_users_aside(s, m);
    if (status == STATUS_OK)
        status = apply_steps(s, from, f, m);
    if (status == STATUS_OK)
        status = create_views(s, m);
    if (status == STATUS_OK)
        status = put_users_back(s, m);
    if (status == STATUS_OK)
        status = store_integer(s, "migrating", "SELECT count(*) FROM pragma_foreign_key_check",
                               NO_VALUES, 0, &orphans, m);
    if (status == STATUS_OK && orphans > 0)
        status =
            status_fail(m, STATUS_CORRUPT, "%s: migrating from format %d left %s without parent",
                        s->path, from, text_counted(orphans, "row").text);
    return status == STATUS_OK ? store_set_version(s, f->version, m) : status;
}

/* In rollback mode, so that the version in the file's header is always the true one; with foreign
 * keys off, as a table that is made anew needs it (www.sqlite.org/lang_altertable.html). */
enum status store_migrate(struct store *s, int from, const struct store_format *f,
                          struct message *m)
{
    enum status status = refuse_taken_names(s, from, f, m);
    if (status == STATUS_OK)
        status = store_script(s, "leaving WAL mode before migrating",
                              "PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF", m);
    if (status == STATUS_OK)
        status = back_up(s, from, m);
    if (status == STATUS_OK)
        status = store_enter(s, m);
    if (status != STATUS_OK)
        return status;
    status = store_leave(s, apply_migrations(s, from, f, m), m);
    if (status != STATUS_OK)
        return status;
    s->migrated_from = from;
    return store_script(s, "migrating", "PRAGMA foreign_keys = ON", m);
}

enum status store_migrate_copy(struct store *s, int from, const struct store_format *f,
                               struct message *m)
{
    sqlite3 *file = s->db;
    store_forget_statements(s);
    enum status status =
        store_connect(s, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, m);
    if (status == STATUS_OK)
        status = store_copy(file, s, m);
    if (status == STATUS_OK)
        status = refuse_taken_names(s, from, f, m);
    if (status == STATUS_OK)
        status = store_script(s, "migrating", "PRAGMA foreign_keys = OFF", m);
    if (status == STATUS_OK)
        status = apply_migrations(s, from, f, m);
    sqlite3_close(file);
    return status;
}
