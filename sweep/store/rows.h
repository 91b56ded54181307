/* Reading queries: a prepared statement stepped row by row, with the store's errors as statuses. */
#ifndef SWEEP_STORE_ROWS_H
#define SWEEP_STORE_ROWS_H

#include <stdarg.h>

#include "sweep/store/store.h"

struct sqlite3_stmt;

struct rows {
    struct store *store;
    struct sqlite3_stmt *statement;
    enum status status; /* OK until something failed; then there are no more rows */
    struct message *message;
};

/* Prepares sql and binds one value per letter of `types`: i int64_t, t const char *. m is kept and
 * gets the error, if any. */
struct rows rows_open(struct store *s, struct message *m, const char *sql, const char *types, ...);

/* Advances to the next row; false at the end and on failure. */
bool rows_next(struct rows *r);

/* Starts again with another text as the first value. */
void rows_rebind(struct rows *r, const char *text);

/* Column i of the present row: NaN, 0, NULL for SQL's NULL. Texts live until the next call of
 * rows_next or rows_close. */
int64_t rows_integer(const struct rows *r, int i);
double rows_real(const struct rows *r, int i);
const char *rows_text(const struct rows *r, int i);
bool rows_null(const struct rows *r, int i);

/* How many columns a row has, and what column i is called. */
int rows_columns(const struct rows *r);
const char *rows_name(const struct rows *r, int i);

/* What column i of the present row holds. */
enum rows_kind { ROWS_NULL, ROWS_INTEGER, ROWS_REAL, ROWS_TEXT };
enum rows_kind rows_kind(const struct rows *r, int i);

/* Frees the statement; returns how it went. */
enum status rows_close(struct rows *r);

#endif
