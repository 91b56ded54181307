/* Sums are the same whatever SQLite's version: these are taken by hand. */
#include "store_help.h"

#include <math.h>

#define OF(sum, values) "SELECT " sum " FROM (SELECT column1 AS x FROM (VALUES " values "))"

static void assert_real(sqlite3 *db, const char *sql, double expected)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(sqlite3_column_type(statement, 0), SQLITE_FLOAT);
    if (sqlite3_column_double(statement, 0) != expected)
        fail_msg("%s: %.17g, expected %.17g", sql, sqlite3_column_double(statement, 0), expected);
    sqlite3_finalize(statement);
}

FIXTURE(set_up, tear_down)

TEST(nothing_is_lost_to_rounding)
{
    struct store *s = open_store(x, STORE_WRITE);
    sqlite3 *db = store_db(s);
    assert_real(db, OF("sum(x)", "(.1), (.2), (.3)"), .6); /* plainly: .6000000000000001 */
    assert_real(db, OF("sum(x)", "(1e100), (1.0), (-1e100)"), 1);
    assert_real(db, OF("avg(x)", "(1e100), (4.0), (-1e100), (NULL)"), 4. / 3);
    assert_real(db, OF("total(x)", "(1e100), (1), (-1e100)"), 1);
    assert_real(db, OF("sum(x)", "(1), (2.5), ('.5'), ('word')"), 4);
    assert_real(db, OF("sum(x)", "(1e999), (1.0)"), INFINITY);
}

TEST(they_are_otherwise_those_of_sqlite)
{
    struct store *s = open_store(x, STORE_WRITE);
    sqlite3 *db = store_db(s);
    assert_answer(db, OF("sum(x) || typeof(sum(x))", "(1), (2), (NULL), ('4')"), "7integer");
    assert_answer(db, OF("sum(x) IS NULL AND avg(x) IS NULL", "(NULL)"), "1");
    assert_answer(db, OF("typeof(sum(x)) || typeof(avg(x)) || total(x)", "(1)") " WHERE x > 1",
                  "nullnull0.0");
    assert_real(db, OF("sum(x)", "(9223372036854775807), (1)"), 9223372036854775808.);
    assert_answer(db,
                  "SELECT group_concat(y) FROM (SELECT sum(x) OVER (ORDER BY x ROWS 1 PRECEDING)"
                  " AS y FROM (SELECT column1 AS x FROM (VALUES (1), (2), (3.5), (4))))",
                  "1,3,5.5,7.5");
}
