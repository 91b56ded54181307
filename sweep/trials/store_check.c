#include "sweep/trials/store_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/sha256.h"
#include "sweep/db/rows.h"
#include "sweep/trials/trials_internal.h"

enum list { of_trials, of_configs, of_results, of_everything };

static const struct promise {
    enum list list;
    const char *broken, *sql;
} promises[] = {
#define STATEMENT(list, broken, sql) {list, broken, sql},
#include "trials_checks.h"
};
enum { PROMISES = sizeof promises / sizeof *promises };

/* Whom to tell of what is broken. */
struct teller {
    store_breach *breach;
    void *context;
};

static void check_promise(struct scope *x, const struct promise *p, const struct teller *t)
{
    struct rows *r = scope_rows(x, p->sql, NO_VALUES);
    while (scope_next(x, r))
        t->breach(t->context, p->broken, rows_text(r, 0));
}

static void check_promises(struct scope *x, enum list list, const struct teller *t)
{
    for (int i = 0; i < PROMISES; i++)
        if (promises[i].list == list)
            check_promise(x, &promises[i], t);
}

static enum status check_whole(struct store *s, const struct teller *t, struct message *m)
{
    static const struct promise whole = {of_everything, "the database is damaged",
                                         "SELECT integrity_check FROM pragma_integrity_check"
                                         " WHERE integrity_check <> 'ok'"};
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        check_promise(x, &whole, t);
    return scope_end(x);
}

/* The pages, and each row against its table. SQLite leaves the CHECK constraints out where a
 * connection cannot write: a copy can. "" is a file without a name, gone when it is closed. */
static enum status check_integrity(struct store *s, const struct teller *t, struct message *m)
{
    if (!sqlite3_db_readonly(s->db, "main"))
        return check_whole(s, t, m);
    struct store copy = {.path = s->path, .mode = s->mode};
    enum status status = store_connect(&copy, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, m);
    if (status == STATUS_OK)
        status = store_copy(s->db, &copy, m);
    if (status == STATUS_OK)
        status = check_whole(&copy, t, m);
    store_forget_statements(&copy);
    sqlite3_close(copy.db);
    return status;
}

/* Identities are the SHA-256 of what stands beside them. */
static void check_configs(struct scope *x, const struct teller *t)
{
    enum { CONFIG, JSON, SHA256 };
    struct rows *r =
        scope_rows(x, "SELECT config_id, config_json, config_sha256 FROM config", NO_VALUES);
    while (scope_next(x, r)) {
        char sha256[65], what[40];
        const char *json = rows_text(r, JSON), *recorded = rows_text(r, SHA256);
        sha256_hex(json ? json : "", json ? strlen(json) : 0, sha256);
        snprintf(what, sizeof what, "config %" PRId64, rows_integer(r, CONFIG));
        if (!recorded || strcmp(sha256, recorded) != 0)
            t->breach(t->context, "a configuration does not match its SHA-256", what);
    }
}

static void tell_foreign(void *context, const char *what)
{
    const struct teller *t = context;
    t->breach(t->context, "not as headcount makes it", what);
}

/* What is not the program's own is not read. */
static void refuse_foreign(struct scope *x, struct teller *t)
{
    scope_check(x, store_foreign_objects(x->store, store_schema, tell_foreign, t, x->message));
    scope_fail(x, STATUS_CORRUPT,
               "%s: its tables or views are different, so nothing else of it was checked",
               x->store->path);
}

enum status store_check(struct store *s, store_breach *breach, void *context, struct message *m)
{
    struct teller t = {breach, context};
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        if (s->foreign)
            refuse_foreign(x, &t);
        scope_check(x, check_integrity(s, &t, m));
        check_promises(x, of_everything, &t);
        check_promises(x, of_results, &t);
        check_promises(x, of_trials, &t);
        check_promises(x, of_configs, &t);
        check_configs(x, &t);
    }
    return scope_end(x);
}

bool store_breach_of_result(const char *broken)
{
    for (int i = 0; i < PROMISES; i++)
        if (promises[i].list == of_results && strcmp(broken, promises[i].broken) == 0)
            return true;
    return false;
}

enum status store_find_foreign(struct store *s, store_foreign *found, void *context,
                               struct message *m)
{
    struct rows r =
        rows_open(s, m,
                  "SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'trigger') AND"
                  " (type = 'trigger' OR name GLOB '*[^a-z_]*'"
                  "  OR instr(?1, printf('\nCREATE VIEW %s AS', name)) = 0)"
                  " ORDER BY type, name",
                  VALUES(TEXT(store_schema)));
    while (rows_next(&r))
        found(context, rows_given(&r, 0), rows_given(&r, 1));
    return rows_close(&r);
}

struct first_breach {
    bool found;
    char text[256];
};

static void keep_first(void *context, const char *broken, const char *what)
{
    struct first_breach *first = context;
    if (!first->found)
        snprintf(first->text, sizeof first->text, "%s: %s", broken, what);
    first->found = true;
}

static void refuse_broken(struct scope *x, const struct first_breach *first)
{
    const char *folder = store_folder(x->store);
    if (first->found)
        scope_fail(x, STATUS_CORRUPT,
                   "%.*s is not as it should be (%s); `headcount check` lists all that "
                   "is wrong: restore a copy of the file, or mend it with sqlite3",
                   (int)strlen(folder) - 2, folder, first->text);
}

enum status store_check_numbers(struct store *s, struct message *m)
{
    struct first_breach first = {0};
    const struct teller t = {keep_first, &first};
    struct scope *x = scope_of(s, m);
    if (scope_enter(x)) {
        check_promises(x, of_trials, &t);
        check_promises(x, of_configs, &t);
        check_configs(x, &t);
        refuse_broken(x, &first);
    }
    return scope_end(x);
}

static void check_trial(struct scope *x, int64_t trial_id)
{
    struct first_breach first = {0};
    for (int i = 0; i < PROMISES; i++) {
        char sql[512];
        if (promises[i].list != of_trials)
            continue;
        snprintf(sql, sizeof sql, "%s AND trial_id = ?", promises[i].sql);
        struct rows *r = scope_rows(x, sql, VALUES(INTEGER(trial_id)));
        while (scope_next(x, r))
            keep_first(&first, promises[i].broken, rows_text(r, 0));
    }
    refuse_broken(x, &first);
}

enum status store_check_trial(struct store *s, int64_t trial_id, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        check_trial(x, trial_id);
    return scope_end(x);
}
