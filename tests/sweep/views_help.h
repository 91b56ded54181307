/* Views held against numbers worked out by hand. */
#ifndef TESTS_VIEWS_HELP_H
#define TESTS_VIEWS_HELP_H

#include "store_help.h"

#include <math.h>

/* Student t at .975 in closed form for one and two degrees of freedom. */
#define T1 tan(.475 * M_PI)
#define T2 (.95 * sqrt(2 / .0975))
static const double NONE = NAN;

/* The ends of an interval of an accuracy, which is cut at 0 and 1. */
#define LOW(mean, half)  fmax((mean) - (half), 0)
#define HIGH(mean, half) fmin((mean) + (half), 1)

static inline void load_sql(sqlite3 *db, const char *path)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("%s cannot be opened: tests run from the repository's root", path);
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    run_sql(db, text);
}

static inline struct store *loaded(struct fixture *x, const char *path)
{
    struct store *s = open_store(x, STORE_WRITE);
    load_sql(store_db(s), path);
    return s;
}

/* The first row of the query has these numbers; NONE stands for NULL. */
static inline void assert_row(sqlite3 *db, const char *sql, const double *expected, int count)
{
    sqlite3_stmt *row = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_int_equal(sqlite3_column_count(row), count);
    for (int i = 0; i < count; i++) {
        bool null = sqlite3_column_type(row, i) == SQLITE_NULL;
        double got = sqlite3_column_double(row, i);
        if (null != isnan(expected[i]) ||
            (!null && !(fabs(got - expected[i]) <= 1e-12 + 1e-12 * fabs(expected[i]))))
            fail_msg("%s: %s is %s, not %.17g", sql, sqlite3_column_name(row, i),
                     null ? "NULL" : (const char *)sqlite3_column_text(row, i), expected[i]);
    }
    sqlite3_finalize(row);
}
#define assert_numbers(db, sql, ...)                                                               \
    assert_row((db), (sql), (const double[]){__VA_ARGS__},                                         \
               (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

static inline void read_query(const char *path, char *sql, size_t size)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(sql, 1, size - 1, f);
    sql[n] = '\0';
    fclose(f);
}

/* How many rows a query of results/queries gives. */
static inline int rows_of(sqlite3 *db, const char *path)
{
    char sql[1 << 13];
    read_query(path, sql, sizeof sql);
    sqlite3_stmt *query = NULL;
    const char *rest = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &query, &rest) != SQLITE_OK)
        fail_msg("%s: %s", path, sqlite3_errmsg(db));
    int rows = 0, code;
    while ((code = sqlite3_step(query)) == SQLITE_ROW)
        rows++;
    assert_int_equal(code, SQLITE_DONE);
    sqlite3_finalize(query);
    assert_string_equal(rest, "\n");
    return rows;
}

#endif
