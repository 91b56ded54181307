#include "sweep/db/store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "sweep/judge/stats.h"

enum {
    WRITER_TIMEOUT_MS = 50,   /* the coordinator has pipes to drain */
    READER_TIMEOUT_MS = 2000, /* a reader has nothing better to do */
    T_LAST_DF = 1000
};

const char store_schema[] =
#include "schema.h"
#include "views.h"
    ;

static const struct store_format format = {STORE_VERSION, store_migrations, false};

/* ---- connections ---- */

enum status store_connect(struct store *s, const char *name, int flags, struct message *m)
{
    int code =
        sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX, NULL);
    if (!s->db)
        return status_no_memory(m, s->path);
    if (code != SQLITE_OK || store_add_functions(s->db) != SQLITE_OK)
        return store_error(s, "opening", m);
    s->unreadable = SQLITE_OK;
    store_harden(s->db);
    store_set_busy_timeout(s, s->mode == STORE_WRITE ? WRITER_TIMEOUT_MS : READER_TIMEOUT_MS);
    return store_script(s, "setting up the connection",
                        "PRAGMA foreign_keys = ON;"
                        "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192",
                        m);
}

static void disconnect(struct store *s)
{
    store_forget_statements(s);
    sqlite3_close(s->db);
    s->db = NULL;
}

/* A URI, whose reader takes the file for unchanging: no locks, no shared memory, no log. */
static enum status connect_immutable(struct store *s, struct message *m)
{
    static const char hex[] = "0123456789ABCDEF", tail[] = "?immutable=1";
    char *uri = malloc(3 * strlen(s->path) + 32), *to = uri;
    if (!uri)
        return status_no_memory(m, s->path);
    memcpy(to, "file:", 5);
    to += 5;
    for (const char *from = s->path; *from; from++) {
        if (strchr("%?#", *from)) {
            *to++ = '%';
            *to++ = hex[(unsigned char)*from >> 4];
            *to++ = hex[(unsigned char)*from & 15];
        } else {
            *to++ = *from;
        }
    }
    memcpy(to, tail, sizeof tail);
    enum status status = store_connect(s, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, m);
    free(uri);
    return status;
}

/* What the file says it is once SQLite has rolled back or recovered what a dead writer left. */
struct identity {
    int64_t id, version, objects;
};

static struct identity read_identity(struct scope *x)
{
    return (struct identity){
        .objects = scope_number(x, "reading", "SELECT count(*) FROM sqlite_schema", NO_VALUES),
        .id = scope_number(x, "reading", "PRAGMA application_id", NO_VALUES),
        .version = scope_number(x, "reading", "PRAGMA user_version", NO_VALUES)};
}

static struct identity check_identity(struct scope *x, const struct store_format *f)
{
    const struct identity i = read_identity(x);
    if (i.objects > 0 || (i.id != 0 && i.id != STORE_APPLICATION_ID))
        scope_check(x, store_check_marks(x->store->path, i.id, i.version, f->version, x->message));
    return i;
}

/* That they are the program's own, and what measures it has. Formats to come are those of tests. */
static enum status know_objects(struct store *s, const struct store_format *f, struct message *m)
{
    enum status status =
        f->version == STORE_VERSION ? store_judge_objects(s, store_schema, m) : STATUS_OK;
    return status == STATUS_OK && !s->foreign ? store_know_measures(s, m) : status;
}

/* ---- creating ---- */

static void fill_quantiles(struct scope *x)
{
    static const double level = .975;
    struct rows *insert =
        scope_query(x, "filling t_quantile", "INSERT INTO t_quantile VALUES (?, ?, ?)", NO_VALUES);
    for (int df = 1; df <= T_LAST_DF; df++)
        scope_repeat(x, insert,
                     VALUES(REAL(level), INTEGER(df), REAL(stats_t_quantile(level, df))));
    scope_close(x, insert);
}

enum status store_set_version(struct store *s, int version, struct message *m)
{
    char pragma[80];
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             STORE_APPLICATION_ID, version);
    return store_script(s, "setting the format version", pragma, m);
}

/* Everything in one transaction, in rollback mode: the file is empty or whole. */
static enum status create(struct store *s, const struct store_format *f, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        scope_change(x);
        if (read_identity(x).objects == 0) { /* else somebody else has just done it */
            scope_script(x, "creating the tables", store_schema);
            scope_script(x, "giving the file an id",
                         "INSERT INTO results_file VALUES (lower(hex(randomblob(16))))");
            fill_quantiles(x);
            scope_check(x, store_set_version(s, f->version, m));
        }
    }
    return scope_commit(x);
}

/* ---- what a writer makes sure of ---- */

static void check_integrity(struct scope *x)
{
    const char *verdict =
        scope_string(x, "checking integrity", "PRAGMA integrity_check(1)", NO_VALUES);
    if (!verdict || strcmp(verdict, "ok") != 0)
        scope_fail(x, STATUS_CORRUPT,
                   "%s is damaged: %s (restore a copy, or save what can be read "
                   "with `sqlite3 FILE .recover`)",
                   x->store->path, verdict ? verdict : "no answer");
}

static enum status set_journal(struct store *s, const char *mode, bool *took, struct message *m)
{
    char pragma[40];
    snprintf(pragma, sizeof pragma, "PRAGMA journal_mode = %s", mode);
    struct rows set = store_rows(s, "setting the journal mode", pragma, NO_VALUES, m);
    *took = rows_next(&set) && sqlite3_stricmp(rows_text(&set, 0), mode) == 0;
    /* The row comes first; the file's header is written and synced when the statement ends. */
    rows_next(&set);
    *took = *took && set.status == STATUS_OK;
    return rows_close(&set);
}

/* For a rollback journal. EXTRA: its removal is synced too, else a power loss could undo a commit;
 * but to SQLite it is a failed commit if the folder cannot be synced. */
static void set_synchronous(struct scope *x)
{
    bool can;
    scope_check(x, file_can_sync_folder(x->store->path, &can, x->message));
    scope_script(x, "setting synchronous",
                 can ? "PRAGMA synchronous = EXTRA" : "PRAGMA synchronous = FULL");
}

/* WAL lets people read while the sweep runs. Where it does not work, a rollback journal does. */
static void choose_journal(struct scope *x, bool avoid_wal)
{
    struct store *s = x->store;
    bool took = false;
    if (!avoid_wal && store_wal_is_safe(s->path)) {
        enum status status = set_journal(s, "wal", &s->wal, x->message);
        if (status == STATUS_BUSY || status == STATUS_DISK_FULL || s->broken)
            scope_leave(x, status);
    }
    if (s->wal) {
        scope_script(x, "setting synchronous", "PRAGMA synchronous = FULL");
    } else {
        scope_check(x, set_journal(s, "delete", &took, x->message));
        if (!took)
            scope_fail(x, STATUS_IO, "%s: neither WAL nor a rollback journal can be used", s->path);
    }
    if (scope_number(x, "setting synchronous", "PRAGMA synchronous", NO_VALUES) < 2)
        scope_fail(x, STATUS_IO, "%s: synchronous writes cannot be switched on", s->path);
}

static bool stat_log(const struct store *s, struct stat *log)
{
    return stat(sqlite3_filename_wal(sqlite3_db_filename(s->db, "main")), log) == 0;
}

/* Which files this connection writes to. The log is there once something was read. */
static void note_files(struct scope *x)
{
    struct store *s = x->store;
    if (stat(s->path, &s->opened) != 0)
        scope_fail(x, status_of_errno(errno), "%s: %s", s->path, strerror(errno));
    scope_number(x, "reading", "PRAGMA user_version", NO_VALUES);
    s->has_log = s->wal && stat_log(s, &s->log);
}

/* Makes the file where there is none. With the mode that umask gives; SQLite would let nobody else
 * write, and its journals have the mode of the file. */
static enum status make_file(const struct store *s, struct message *m)
{
    int fd = open(s->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return status_fail(m, status_of_errno(errno), "%s: cannot be written: %s", s->path,
                           strerror(errno));
    close(fd);
    return STATUS_OK;
}

static void prepare_for_writing(struct scope *x, const struct store_format *f,
                                const struct store_header *h)
{
    struct store *s = x->store;
    struct message *m = x->message;
    if (h->kind == STORE_ABSENT)
        scope_check(x, make_file(s, m));
    scope_check(x, store_connect(s, s->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, m));
    if (sqlite3_db_readonly(s->db, "main")) { /* SQLite does not say why */
        scope_check(x, make_file(s, m));
        scope_fail(x, STATUS_IO, "%s: cannot be written", s->path);
    }
    set_synchronous(x);
    const struct identity i = check_identity(x, f);
    bool older = i.objects > 0 && i.version < f->version;
    bool check = older || (i.objects > 0 && h->interrupted);
    if (check)
        check_integrity(x);
    else if (i.objects == 0)
        scope_check(x, create(s, f, m));
    if (older)
        scope_check(x, store_migrate(s, (int)i.version, f, m));
    scope_check(x, know_objects(s, f, m)); /* before anything of it is read */
    scope_check(x, store_claim_folder(s, m));
    if (!check && scope_number(x, "looking for running trials",
                               "SELECT 1 FROM trial WHERE state = 'running' LIMIT 1", NO_VALUES))
        check_integrity(x);
    choose_journal(x, f->avoid_wal);
    note_files(x);
}

static enum status open_for_writing(struct store *s, const struct store_format *f,
                                    const struct store_header *h, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        prepare_for_writing(x, f, h);
    return scope_end(x);
}

/* ---- reading ---- */

/* SQLite rolls back or recovers by itself once somebody reads who may write. */
enum status store_recover(const struct store *s, bool *may, struct message *m)
{
    struct store moment = {.path = s->path, .mode = STORE_WRITE};
    int64_t objects;
    enum status status = store_connect(&moment, s->path, SQLITE_OPEN_READWRITE, m);
    *may = moment.db && !sqlite3_db_readonly(moment.db, "main");
    if (status == STATUS_OK && *may) {
        store_set_busy_timeout(&moment, READER_TIMEOUT_MS);
        status = store_integer(&moment, "recovering", "SELECT count(*) FROM sqlite_schema",
                               NO_VALUES, 0, &objects, m);
    }
    disconnect(&moment);
    return status;
}

/* What every reader looks at first, all of it in one state of the file. */
static enum status begin_reading(struct store *s, const struct store_format *f, int64_t *version,
                                 struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        scope_read_begin(x);
        const struct identity i = check_identity(x, f);
        if (i.objects == 0)
            scope_fail(x, STATUS_BAD_INPUT, "%s holds no results yet", s->path);
        *version = i.version;
        if (i.version == f->version)
            scope_check(x, know_objects(s, f, m));
    }
    return scope_end(x);
}

/* A writer that died may have left a change half made, at any moment, and the next one too. */
static enum status connect_for_reading(struct store *s, const struct store_format *f,
                                       int64_t *version, struct message *m)
{
    enum { PAUSE_MS = 5 };
    double until_s = clock_now_s() + READER_TIMEOUT_MS / 1e3;
    for (;;) {
        enum status status = store_connect(s, s->path, SQLITE_OPEN_READONLY, m);
        if (status == STATUS_OK)
            status = begin_reading(s, f, version, m);
        if (!s->unreadable || !s->db)
            return status;
        bool left = store_interrupted(s->path), may;
        if (!left && s->unreadable == SQLITE_CANTOPEN)
            break;
        disconnect(s);
        status = store_recover(s, &may, m);
        if (status == STATUS_NO_MEMORY)
            return status;
        if (!left && (!may || status == STATUS_IO))
            break;
        if (!may || clock_now_s() > until_s)
            return status_fail(m, STATUS_BUSY,
                               "%s was left in the midst of a change by a program that died "
                               "(%s-journal or %s-wal); run `headcount status` on it as a user who "
                               "may write to it and its folder",
                               s->path, s->path, s->path);
        poll(NULL, 0, PAUSE_MS);
    }
    /* WAL mode in a folder where its shared memory cannot be made, and no log: nobody writes, and
     * the file has it all. */
    disconnect(s);
    enum status status = connect_immutable(s, m);
    return status == STATUS_OK ? begin_reading(s, f, version, m) : status;
}

static enum status open_for_reading(struct store *s, const struct store_format *f,
                                    struct message *m)
{
    int64_t version = 0;
    enum status status = connect_for_reading(s, f, &version, m);
    if (status != STATUS_OK || version == f->version)
        return status;
    status = store_migrate_copy(s, (int)version, f, m);
    if (status == STATUS_OK)
        status = know_objects(s, f, m);
    return status == STATUS_OK ? store_script(s, "migrating", "PRAGMA query_only = ON", m) : status;
}

/* ---- the whole ---- */

static void store_free(struct store *s)
{
    if (!s)
        return;
    disconnect(s);
    free(s->path);
    free(s->folder);
    free(s);
}

enum status store_open_format(const char *path, enum store_mode mode, const struct store_format *f,
                              struct store **out, struct message *m)
{
    struct store_header h;
    struct store *s = calloc(1, sizeof *s);
    enum status status = STATUS_OK;
    *out = NULL;
    /* SQLite has its own idea of names such as ":memory:" and "file:x". */
    const char *prefix = *path == ':' || strncmp(path, "file:", 5) == 0 ? "./" : "";
    if (!s || asprintf(&s->path, "%s%s", prefix, path) < 0 ||
        asprintf(&s->folder, "%s.d", path) < 0) {
        status = status_no_memory(m, path);
        goto failed;
    }
    s->mode = mode;
    status = store_probe(path, f->version, &h, m);
    if (status == STATUS_OK && mode != STORE_WRITE && h.kind == STORE_ABSENT)
        status = store_refuse_absent(path, m);
    if (status == STATUS_OK && mode == STORE_WRITE)
        status = file_make_folders_above(s->path, m);
    if (status == STATUS_OK && mode == STORE_WRITE)
        status = file_make_folder(s->folder, m);
    if (status == STATUS_OK && mode == STORE_WRITE &&
        (h.kind == STORE_ABSENT || h.kind == STORE_EMPTY))
        status = store_check_new_folder(s, m);
    if (status == STATUS_OK)
        status = mode == STORE_WRITE ? open_for_writing(s, f, &h, m) : open_for_reading(s, f, m);
    if (status == STATUS_OK) {
        *out = s;
        return STATUS_OK;
    }
failed:
    store_free(s);
    return status;
}

enum status store_open(const char *path, enum store_mode mode, struct store **s, struct message *m)
{
    return store_open_format(path, mode, &format, s, m);
}

/* What it is given was checked in the file that it is from. */
enum status store_open_memory(const char *path, struct store **out, struct message *m)
{
    struct store *s = calloc(1, sizeof *s);
    enum status status = STATUS_NO_MEMORY;
    *out = NULL;
    if (!s || !(s->path = strdup(path)) || !(s->folder = strdup(path)))
        status_no_memory(m, path);
    else
        status = store_connect(s, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, m);
    if (status == STATUS_OK)
        status = store_script(s, "setting up the connection",
                              "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF", m);
    if (status == STATUS_OK) {
        s->mode = STORE_WRITE;
        status = create(s, &format, m);
    }
    if (status == STATUS_OK)
        *out = s;
    else
        store_free(s);
    return status;
}

enum status store_open_begun(const char *path, struct store **s, struct message *m)
{
    struct store_header h;
    *s = NULL;
    enum status status = store_probe(path, STORE_VERSION, &h, m);
    if (status != STATUS_OK || h.kind == STORE_EMPTY || h.kind == STORE_UNSURE)
        return status;
    return store_open(path, STORE_READ, s, m);
}

/* SQLite removes the log by its name when it closes. Where the file is not in its place, that may
 * be the log of another file by now; our own is emptied, so that no new file can take it for its.
 */
static void leave_log(struct store *s)
{
    sqlite3_file_control(s->db, NULL, SQLITE_FCNTL_PERSIST_WAL, &(int){1});
    if (s->wal && !s->broken)
        store_script(s, "moving the log into the file", "PRAGMA wal_checkpoint(TRUNCATE)", NULL);
}

enum status store_close(struct store *s, struct message *m)
{
    enum status status = STATUS_OK;
    bool took;
    if (!s)
        return STATUS_OK;
    store_rollback(s);
    if (s->mode == STORE_WRITE && !store_in_place(s)) {
        leave_log(s);
    } else if (s->wal && !s->broken) {
        status =
            store_script(s, "moving the log into the file", "PRAGMA wal_checkpoint(TRUNCATE)", m);
        if (status == STATUS_OK)
            status = set_journal(s, "delete", &took, m);
        /* Somebody reads. The log stays beside the file; whoever opens it next finds all. */
        if (status == STATUS_BUSY)
            status = STATUS_OK;
    }
    /* After a failed sync SQLite's own closing would sync the log again and believe the answer. */
    if (s->broken)
        sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    store_free(s);
    return status;
}

enum status store_close_after(struct store *s, enum status status, struct message *m)
{
    enum status closed = store_close(s, status == STATUS_OK ? m : NULL);
    return status == STATUS_OK ? closed : status;
}

struct sqlite3 *store_db(struct store *s)
{
    return s->db;
}

const char *store_path(const struct store *s)
{
    return s->path;
}

const char *store_folder(const struct store *s)
{
    return s->folder;
}

void store_set_busy_timeout(struct store *s, int ms)
{
    sqlite3_busy_timeout(s->db, ms);
}

const char *store_migration_words(const struct store *s, char *text, size_t size)
{
    text[0] = '\0';
    if (s->migrated_from)
        snprintf(text, size,
                 "the results file was migrated from format %d to format %d; the old one is kept "
                 "as %.*s.v%d.backup",
                 s->migrated_from, STORE_VERSION, (int)strlen(s->folder) - 2, s->folder,
                 s->migrated_from);
    return text;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool store_in_place(const struct store *s)
{
    struct stat now;
    if (stat(s->path, &now) != 0 || !is_same(&now, &s->opened))
        return false;
    return !s->has_log || (stat_log(s, &now) && is_same(&now, &s->log));
}
