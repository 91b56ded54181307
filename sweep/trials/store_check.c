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

static enum status check_promise(struct store *s, const struct promise *p, store_breach *breach,
                                 void *context, struct message *m)
{
    struct rows r = rows_open(s, m, p->sql, NO_VALUES);
    while (rows_next(&r))
        breach(context, p->broken, rows_text(&r, 0));
    return rows_close(&r);
}

static enum status check_promises(struct store *s, enum list list, store_breach *breach,
                                  void *context, struct message *m)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < PROMISES && status == STATUS_OK; i++)
        if (promises[i].list == list)
            status = check_promise(s, &promises[i], breach, context, m);
    return status;
}

static enum status check_numbers(struct store *s, store_breach *breach, void *context,
                                 struct message *m)
{
    enum status status = check_promises(s, of_trials, breach, context, m);
    return status == STATUS_OK ? check_promises(s, of_configs, breach, context, m) : status;
}

/* The pages, and each row against its table. SQLite leaves the CHECK constraints out where a
 * connection cannot write: a copy can. "" is a file without a name, gone when it is closed. */
static enum status check_integrity(struct store *s, store_breach *breach, void *context,
                                   struct message *m)
{
    static const struct promise whole = {of_everything, "the database is damaged",
                                         "SELECT integrity_check FROM pragma_integrity_check"
                                         " WHERE integrity_check <> 'ok'"};
    if (!sqlite3_db_readonly(s->db, "main"))
        return check_promise(s, &whole, breach, context, m);
    struct store copy = {.path = s->path, .mode = s->mode};
    enum status status = store_connect(&copy, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, m);
    if (status == STATUS_OK)
        status = store_copy(s->db, &copy, m);
    if (status == STATUS_OK)
        status = check_promise(&copy, &whole, breach, context, m);
    store_forget_statements(&copy);
    sqlite3_close(copy.db);
    return status;
}

/* Identities are the SHA-256 of what stands beside them. */
static enum status check_configs(struct store *s, store_breach *breach, void *context,
                                 struct message *m)
{
    enum { CONFIG, JSON, SHA256 };
    struct rows r =
        rows_open(s, m, "SELECT config_id, config_json, config_sha256 FROM config", NO_VALUES);
    while (rows_next(&r)) {
        char sha256[65], what[40];
        const char *json = rows_text(&r, JSON), *recorded = rows_text(&r, SHA256);
        sha256_hex(json ? json : "", json ? strlen(json) : 0, sha256);
        snprintf(what, sizeof what, "config %" PRId64, rows_integer(&r, CONFIG));
        if (!recorded || strcmp(sha256, recorded) != 0)
            breach(context, "a configuration does not match its SHA-256", what);
    }
    return rows_close(&r);
}

struct teller {
    store_breach *breach;
    void *context;
};

static void tell_foreign(void *context, const char *what)
{
    const struct teller *t = context;
    t->breach(t->context, "not as headcount makes it", what);
}

/* What is not the program's own is not read. */
static enum status refuse_foreign(struct store *s, const struct teller *t, struct message *m)
{
    enum status status = store_foreign_objects(s, store_schema, tell_foreign, (void *)t, m);
    return status != STATUS_OK ? status
                               : status_fail(m, STATUS_CORRUPT,
                                             "%s: its tables or views are different, so nothing "
                                             "else of it was checked",
                                             s->path);
}

enum status store_check(struct store *s, store_breach *breach, void *context, struct message *m)
{
    if (s->foreign)
        return refuse_foreign(s, &(const struct teller){breach, context}, m);
    enum status status = check_integrity(s, breach, context, m);
    if (status == STATUS_OK)
        status = check_promises(s, of_everything, breach, context, m);
    if (status == STATUS_OK)
        status = check_promises(s, of_results, breach, context, m);
    if (status == STATUS_OK)
        status = check_numbers(s, breach, context, m);
    return status == STATUS_OK ? check_configs(s, breach, context, m) : status;
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

static enum status tell_first(const struct store *s, const struct first_breach *first,
                              struct message *m)
{
    if (!first->found)
        return STATUS_OK;
    return status_fail(m, STATUS_CORRUPT,
                       "%.*s is not as it should be (%s); `headcount check` lists all that "
                       "is wrong: restore a copy of the file, or mend it with sqlite3",
                       (int)strlen(store_folder(s)) - 2, store_folder(s), first->text);
}

enum status store_check_numbers(struct store *s, struct message *m)
{
    struct first_breach first = {0};
    enum status status = check_numbers(s, keep_first, &first, m);
    if (status == STATUS_OK)
        status = check_configs(s, keep_first, &first, m);
    return status == STATUS_OK ? tell_first(s, &first, m) : status;
}

enum status store_check_trial(struct store *s, int64_t trial_id, struct message *m)
{
    struct first_breach first = {0};
    enum status status = STATUS_OK;
    for (int i = 0; i < PROMISES && status == STATUS_OK; i++) {
        char sql[512];
        if (promises[i].list != of_trials)
            continue;
        snprintf(sql, sizeof sql, "%s AND trial_id = ?", promises[i].sql);
        struct rows r = rows_open(s, m, sql, VALUES(INTEGER(trial_id)));
        while (rows_next(&r))
            keep_first(&first, promises[i].broken, rows_text(&r, 0));
        status = rows_close(&r);
    }
    return status == STATUS_OK ? tell_first(s, &first, m) : status;
}
