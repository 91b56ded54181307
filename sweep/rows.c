#include "sweep/rows.h"

#include <math.h>
#include <sqlite3.h>

static void rows_fail(struct rows *r, struct sqlite3 *db)
{
    int code = sqlite3_errcode(db);
    enum status s = STATUS_IO;
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        s = STATUS_BUSY;
    else if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        s = STATUS_CORRUPT;
    else if (code == SQLITE_NOMEM)
        s = STATUS_NO_MEMORY;
    else if (code == SQLITE_ERROR)
        s = STATUS_INTERNAL;
    r->status = fail(r->message, s, "results file: %s", sqlite3_errmsg(db));
}

struct rows rows_open(struct store *s, struct message *m, const char *sql, const char *types, ...)
{
    struct rows r = {NULL, STATUS_OK, m};
    struct sqlite3 *db = store_db(s);
    va_list values;
    if (sqlite3_prepare_v2(db, sql, -1, &r.statement, NULL) != SQLITE_OK) {
        rows_fail(&r, db);
        return r;
    }
    va_start(values, types);
    for (int i = 0; types[i]; i++) {
        int code = types[i] == 'i'
                       ? sqlite3_bind_int64(r.statement, i + 1, va_arg(values, int64_t))
                       : sqlite3_bind_text(r.statement, i + 1, va_arg(values, const char *), -1,
                                           SQLITE_TRANSIENT);
        if (code != SQLITE_OK) {
            rows_fail(&r, db);
            break;
        }
    }
    va_end(values);
    return r;
}

bool rows_next(struct rows *r)
{
    if (r->status != STATUS_OK)
        return false;
    int code = sqlite3_step(r->statement);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        rows_fail(r, sqlite3_db_handle(r->statement));
    return false;
}

void rows_rebind(struct rows *r, const char *text)
{
    if (r->status != STATUS_OK)
        return;
    sqlite3_reset(r->statement);
    if (sqlite3_bind_text(r->statement, 1, text, -1, SQLITE_TRANSIENT) != SQLITE_OK)
        rows_fail(r, sqlite3_db_handle(r->statement));
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

bool rows_null(const struct rows *r, int i)
{
    return sqlite3_column_type(r->statement, i) == SQLITE_NULL;
}

void rows_cell(const struct rows *r, int i, struct table *t)
{
    switch (sqlite3_column_type(r->statement, i)) {
    case SQLITE_INTEGER:
        table_integer(t, rows_integer(r, i));
        break;
    case SQLITE_FLOAT:
        table_real(t, rows_real(r, i));
        break;
    default:
        table_text(t, rows_text(r, i));
    }
}

void rows_to_table(struct rows *r, struct table *t)
{
    while (rows_next(r))
        for (int i = 0; i < sqlite3_column_count(r->statement); i++)
            rows_cell(r, i, t);
}

enum status rows_close(struct rows *r)
{
    sqlite3_finalize(r->statement);
    r->statement = NULL;
    return r->status;
}
