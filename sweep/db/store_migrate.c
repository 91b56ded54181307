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
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/db/store_internal.h"

static const char DOING[] = "migrating";

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

static enum status copy_into(struct store *s, struct store *copy, struct message *m)
{
    errno = 0;
    if (sqlite3_open_v2(copy->path, &copy->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        return store_error(copy, "backing up before migrating", m);
    store_harden(copy->db);
    return store_copy(s->db, copy, m);
}

/* A copy as `{path}.v{version}.backup`, there under that name only when it is whole. */
static void back_up(struct scope *x, int version)
{
    struct store *s = x->store;
    const char *name = scope_print(x, "%s.v%d.backup", s->path, version);
    struct store copy = {.path = scope_print(x, "%s.new", name), .mode = STORE_WRITE};
    scope_check(x, create_anew(s, copy.path, x->message));
    enum status status = copy_into(s, &copy, x->message);
    sqlite3_close(copy.db);
    scope_check(x, status);
    if (rename(copy.path, name) != 0)
        scope_fail(x, status_of_errno(errno), "%s: %s", name, strerror(errno));
    scope_check(x, file_sync_folder(name, x->message));
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

static void refuse_object(struct scope *x, const char *name, int version)
{
    const char *path = x->store->path;
    const char *type = scope_string(x, DOING,
                                    "SELECT type FROM sqlite_schema WHERE name = ? COLLATE NOCASE"
                                    " AND type <> 'trigger'",
                                    VALUES(TEXT(name)));
    if (!type)
        return;
    bool table = strcmp(type, "table") == 0;
    scope_fail(x, STATUS_BAD_INPUT,
               "%s holds %s %s \"%s\" of yours; format %d of results files needs that name. Give "
               "yours another one (sqlite3 %s '%s %s%s') and try again; nothing was changed",
               path, strcspn(type, "i") == 0 ? "an" : "a", type, name, version, path,
               table                       ? "ALTER TABLE"
               : strcmp(type, "view") == 0 ? "DROP VIEW"
                                           : "DROP INDEX",
               name, table ? " RENAME TO NEW_NAME" : "; CREATE ...");
}

static void refuse_column(struct scope *x, const char *table, const char *name, int version)
{
    const char *path = x->store->path;
    if (scope_number(x, DOING, "SELECT 1 FROM pragma_table_info(?) WHERE name = ? COLLATE NOCASE",
                     VALUES(TEXT(table), TEXT(name))))
        scope_fail(x, STATUS_BAD_INPUT,
                   "%s: table %s has a column \"%s\" of yours; format %d of results "
                   "files needs that name. Give yours another one (sqlite3 %s 'ALTER "
                   "TABLE %s RENAME COLUMN %s TO NEW_NAME') and try again; nothing was "
                   "changed",
                   path, table, name, version, path, table, name);
}

/* A table of the program's own, which the step makes anew. */
static bool is_dropped(const char *sql, const char *table)
{
    char drop[120];
    snprintf(drop, sizeof drop, "DROP TABLE %s;", table);
    return strstr(sql, drop) != NULL;
}

/* A user may have made tables, indexes, views and columns of their own in the file. */
static void refuse_taken_names(struct scope *x, int from, const struct store_format *f)
{
    static const char *const objects[] = {"CREATE TABLE ", "CREATE INDEX ", "-- adds view "};
    for (const struct store_migration *step = f->migrations; step->sql; step++) {
        char name[80], column[80];
        const char *at;
        if (step->from < from)
            continue;
        for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
            for (at = step->sql; (at = name_after(at, objects[i], name, sizeof name));)
                if (!is_dropped(step->sql, name))
                    refuse_object(x, name, f->version);
        for (at = step->sql; (at = name_after(at, "ALTER TABLE ", name, sizeof name)) &&
                             (at = name_after(at, " ADD COLUMN ", column, sizeof column));)
            refuse_column(x, name, column, f->version);
    }
}

/* ---- the steps ---- */

static const char CREATE_VIEW[] = "\nCREATE VIEW ";

/* Views hold nothing, so they are always today's: away before the steps, there again after them. */
static void drop_views(struct scope *x)
{
    char name[80];
    for (const char *at = store_schema; (at = name_after(at, CREATE_VIEW, name, sizeof name));)
        scope_script(x, DOING, scope_print(x, "DROP VIEW IF EXISTS %s", name));
}

/* SQLite prepares the first statement of a text and leaves the rest. */
static void create_views(struct scope *x)
{
    for (const char *at = store_schema; (at = strstr(at, CREATE_VIEW));)
        scope_run(x, DOING, ++at, NO_VALUES);
}

/* Runs the statements that are the only value of a query. */
static void run_made(struct scope *x, const char *query)
{
    scope_script(x, DOING, scope_string(x, DOING, query, NO_VALUES));
}

/* What a user has made upon the program's tables and views is put aside: SQLite takes no column
 * away that an index needs, nor any while a view or trigger refers to what is not there. With the
 * program's views their triggers go, which are a user's. */
static void put_users_aside(struct scope *x)
{
    scope_script(x, DOING,
                 "CREATE TEMP TABLE of_user AS SELECT type, name, sql FROM main.sqlite_schema"
                 " WHERE type IN ('view', 'trigger')"
                 " OR (type = 'index' AND tbl_name = 'config' AND sql IS NOT NULL)"
                 " ORDER BY type = 'trigger', rowid");
    drop_views(x);
    scope_script(x, DOING,
                 "DELETE FROM temp.of_user WHERE type = 'view' AND name NOT IN"
                 " (SELECT name FROM main.sqlite_schema WHERE type = 'view')");
    run_made(x, "SELECT coalesce(group_concat(printf('DROP %s IF EXISTS main.\"%w\"',"
                " type, name), ';'), '')"
                " FROM (SELECT * FROM of_user ORDER BY type <> 'trigger')");
}

/* A statement may end with a comment, which would take in what follows on its line. */
static void put_users_back(struct scope *x)
{
    run_made(x, "SELECT coalesce(group_concat(sql || iif(instr(sql, '--'), char(10), ''), ';'), '')"
                " FROM of_user");
    scope_script(x, DOING, "DROP TABLE temp.of_user");
}

static void apply_steps(struct scope *x, int from, const struct store_format *f)
{
    for (int version = from; version < f->version; version++) {
        const struct store_migration *step = f->migrations;
        while (step->sql && step->from != version)
            step++;
        if (!step->sql)
            scope_fail(x, STATUS_BAD_INPUT,
                       "%s has format %d, which this headcount cannot migrate to format %d",
                       x->store->path, version, f->version);
        scope_script(x, DOING, step->sql);
    }
}

static void apply_migrations(struct scope *x, int from, const struct store_format *f)
{
    put_users_aside(x);
    apply_steps(x, from, f);
    create_views(x);
    put_users_back(x);
    int64_t orphans =
        scope_number(x, DOING, "SELECT count(*) FROM pragma_foreign_key_check", NO_VALUES);
    if (orphans > 0)
        scope_fail(x, STATUS_CORRUPT, "%s: migrating from format %d left %s without parent",
                   x->store->path, from, text_counted(orphans, "row").text);
    scope_check(x, store_set_version(x->store, f->version, x->message));
}

/* In rollback mode, so that the version in the file's header is always the true one; with foreign
 * keys off, as a table that is made anew needs it (www.sqlite.org/lang_altertable.html). */
enum status store_migrate(struct store *s, int from, const struct store_format *f,
                          struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        refuse_taken_names(x, from, f);
        scope_script(x, "leaving WAL mode before migrating",
                     "PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF");
        back_up(x, from);
        scope_change(x);
        apply_migrations(x, from, f);
    }
    enum status status = scope_commit(x);
    if (status != STATUS_OK)
        return status;
    s->migrated_from = from;
    return store_script(s, DOING, "PRAGMA foreign_keys = ON", m);
}

enum status store_migrate_copy(struct store *s, int from, const struct store_format *f,
                               struct message *m)
{
    sqlite3 *file = s->db;
    struct scope *x = scope_of(s, m);
    if (!x)
        return STATUS_NO_MEMORY;
    store_forget_statements(s);
    if (scope_enter(x)) {
        scope_check(x, store_connect(s, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, m));
        scope_check(x, store_copy(file, s, m));
        refuse_taken_names(x, from, f);
        scope_script(x, DOING, "PRAGMA foreign_keys = OFF");
        apply_migrations(x, from, f);
    }
    enum status status = scope_end(x);
    sqlite3_close(file);
    return status;
}
