#include "sweep/store/rows.h"

#include <errno.h>
#include <math.h>

#include "sweep/store/store_internal.h"

static void rows_fail(struct rows *r)
{
    r->status = store_error(r->store, "reading", r->message);
}

struct rows rows_open(struct store *s, struct message *m, const char *sql, const char *types, ...)
{
    struct rows r = {.store = s, .message = m};
    va_list values;
    r.status = store_prepare(s, "reading", sql, &r.statement, m);
    if (r.status != STATUS_OK)
        return r;
    va_start(values, types);
    for (int i = 0; types[i]; i++) {
        int code = types[i] == 'i'
                       ? sqlite3_bind_int64(r.statement, i + 1, va_arg(values, int64_t))
                       : sqlite3_bind_text(r.statement, i + 1, va_arg(values, const char *), -1,
                                           SQLITE_TRANSIENT);
        if (code != SQLITE_OK) {
            rows_fail(&r);
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
    errno = 0;
    int code = sqlite3_step(r->statement);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        rows_fail(r);
    return false;
}

void rows_rebind(struct rows *r, const char *text)
{
    if (r->status != STATUS_OK)
        return;
    sqlite3_reset(r->statement);
    if (sqlite3_bind_text(r->statement, 1, text, -1, SQLITE_TRANSIENT) != SQLITE_OK)
        rows_fail(r);
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
    sqlite3_finalize(r->statement);
    r->statement = NULL;
    return r->status;
}
