#include "sweep/db/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/db/store_internal.h"

/* Whether a reader that met what a dead writer left may try its statement again. */
static bool may_retry(const struct store *s, int code)
{
    bool may = false;
    return (code & 0xff) == SQLITE_READONLY && s->mode != STORE_WRITE &&
           store_recover(s, &may, NULL) == STATUS_OK && may;
}

static int prepare(struct rows *r, const char *sql)
{
    return sqlite3_prepare_v3(r->store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &r->statement,
                              NULL);
}

static void fail(struct rows *r)
{
    r->status = store_error(r->store, r->doing, r->message);
}

/* ---- statements ---- */

/* Preparing takes longer than most statements run, and the coordinator runs the same ones for each
 * trial: they are kept. SQLite itself prepares them anew when the schema has changed. */
static enum status take_statement(struct rows *r, const char *sql)
{
    struct store *s = r->store;
    for (int i = 0; i < STORE_IDLE; i++)
        if (s->idle[i] && strcmp(sqlite3_sql(s->idle[i]), sql) == 0) {
            r->statement = s->idle[i];
            s->idle[i] = NULL;
            return STATUS_OK;
        }
    errno = 0;
    int code = prepare(r, sql);
    if (may_retry(s, code))
        code = prepare(r, sql);
    if (code != SQLITE_OK)
        fail(r);
    return r->status;
}

static void put_statement(struct store *s, sqlite3_stmt *statement)
{
    int i = 0;
    while (i < STORE_IDLE && s->idle[i])
        i++;
    if (i == STORE_IDLE) {
        i = (int)(s->idle_next++ % STORE_IDLE);
        sqlite3_finalize(s->idle[i]);
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    s->idle[i] = statement;
}

void store_forget_statements(struct store *s)
{
    for (int i = 0; i < STORE_IDLE; i++) {
        sqlite3_finalize(s->idle[i]);
        s->idle[i] = NULL;
    }
}

static int bind_value(sqlite3_stmt *statement, int i, const struct value *v)
{
    switch (v->type) {
    case VALUE_INTEGER:
        return sqlite3_bind_int64(statement, i, v->integer);
    case VALUE_REAL:
        return sqlite3_bind_double(statement, i, v->real);
    default:
        return sqlite3_bind_text(statement, i, v->text, -1, SQLITE_STATIC);
    }
}

static void bind(struct rows *r, const struct value *values, int count)
{
    for (int i = 0; i < count && r->status == STATUS_OK; i++) {
        if (bind_value(r->statement, i + 1, &values[i]) != SQLITE_OK)
            fail(r);
    }
}

struct rows store_rows(struct store *s, const char *doing, const char *sql,
                       const struct value *values, int count, struct message *m)
{
    struct rows r = {.store = s, .doing = doing, .message = m};
    if (take_statement(&r, sql) == STATUS_OK)
        bind(&r, values, count);
    return r;
}

struct rows rows_open(struct store *s, struct message *m, const char *sql,
                      const struct value *values, int count)
{
    return store_rows(s, "reading", sql, values, count, m);
}

enum status rows_ask(struct store *s, struct message *m, const char *sql,
                     const struct value *values, int count, int64_t *answer)
{
    return store_integer(s, "reading", sql, values, count, 0, answer, m);
}

bool rows_next(struct rows *r)
{
    if (r->status != STATUS_OK)
        return false;
    errno = 0;
    int code = sqlite3_step(r->statement);
    if (may_retry(r->store, code)) { /* the first row is not there yet */
        sqlite3_reset(r->statement);
        code = sqlite3_step(r->statement);
    }
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        fail(r);
    return false;
}

void rows_rebind(struct rows *r, const struct value *values, int count)
{
    if (r->status != STATUS_OK)
        return;
    sqlite3_reset(r->statement);
    bind(r, values, count);
}

static enum status repeat(struct rows *r)
{
    rows_next(r);
    if (r->status == STATUS_OK)
        sqlite3_reset(r->statement);
    return r->status;
}

enum status store_repeat(struct rows *r, const struct value *values, int count)
{
    rows_rebind(r, values, count);
    return repeat(r);
}

enum status store_repeat_row(struct rows *r, const struct rows *row)
{
    for (int i = 0; i < rows_columns(row) && r->status == STATUS_OK; i++)
        if (sqlite3_bind_value(r->statement, i + 1, sqlite3_column_value(row->statement, i)) !=
            SQLITE_OK)
            fail(r);
    return repeat(r);
}

int64_t rows_integer(const struct rows *r, int i)
{
    return sqlite3_column_int64(r->statement, i);
}

double rows_real(const struct rows *r, int i)
{
    return rows_null(r, i) ? NAN : sqlite3_column_double(r->statement, i);
}

const char *rows_text(const struct rows *r, int i)
{
    return (const char *)sqlite3_column_text(r->statement, i);
}

void rows_copy(const struct rows *r, int i, char *to, size_t size)
{
    const char *text = rows_text(r, i);
    snprintf(to, size, "%s", text ? text : "");
}

static void refuse_word(struct rows *r, int i)
{
    const char *text = rows_text(r, i);
    if (!text && sqlite3_errcode(r->store->db) == SQLITE_NOMEM) {
        fail(r);
        return;
    }
    r->status = status_fail(r->message, STATUS_CORRUPT, "%s: a trial's %s is '%.40s'",
                            r->store->path, rows_name(r, i), text ? text : "NULL");
}

const char *rows_given(struct rows *r, int i)
{
    const char *text = rows_text(r, i);
    if (text)
        return text;
    if (sqlite3_errcode(r->store->db) == SQLITE_NOMEM)
        fail(r);
    else
        r->status = status_fail(
            r->message, STATUS_CORRUPT,
            "%s: %s is NULL, which it must not be; use `headcount check` to list all that is wrong",
            r->store->path, rows_name(r, i));
    return "";
}

enum trial_state rows_state(struct rows *r, int i)
{
    enum trial_state state = TRIAL_QUEUED;
    const char *text = rows_text(r, i);
    if (!text || !trial_state_find(text, &state))
        refuse_word(r, i);
    return state;
}

enum trial_choice rows_choice(struct rows *r, int i)
{
    enum trial_choice choice = CHOICE_CHOSEN;
    const char *text = rows_text(r, i);
    if (!text || !trial_choice_find(text, &choice))
        refuse_word(r, i);
    return choice;
}

bool rows_null(const struct rows *r, int i)
{
    return sqlite3_column_type(r->statement, i) == SQLITE_NULL;
}

int rows_columns(const struct rows *r)
{
    return sqlite3_column_count(r->statement);
}

const char *rows_name(const struct rows *r, int i)
{
    return sqlite3_column_name(r->statement, i);
}

enum rows_kind rows_kind(const struct rows *r, int i)
{
    switch (sqlite3_column_type(r->statement, i)) {
    case SQLITE_NULL:
        return ROWS_NULL;
    case SQLITE_INTEGER:
        return ROWS_INTEGER;
    case SQLITE_FLOAT:
        return ROWS_REAL;
    default:
        return ROWS_TEXT;
    }
}

enum status rows_close(struct rows *r)
{
    if (r->status == STATUS_OK && r->statement)
        put_statement(r->store, r->statement);
    else
        sqlite3_finalize(r->statement);
    r->statement = NULL;
    return r->status;
}

enum status rows_close_after(struct rows *r, enum status status)
{
    enum status closed = rows_close(r);
    return status == STATUS_OK ? closed : status;
}
