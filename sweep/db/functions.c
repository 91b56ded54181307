/* What SQL can call on each connection, beside SQLite's own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/db/store_internal.h"
#include "sweep/plan/point.h"

/* ---- sums ---- */

/* sum(), total() and avg() as SQLite has them from 3.43 on: compensated (Neumaier 1974). Before, it
 * added plainly, and the last digits of a number would hang on the version. Integers whose sum is
 * none of 64 bits give a real number here, not an error. */
struct sum {
    int64_t count, integer; /* of the values; of those that are integers their sum */
    double high, low;       /* of the rest: the sum, and what it has lost to rounding */
    bool is_real;
};

static void add(struct sum *s, double x)
{
    double high = s->high + x;
    s->low += fabs(s->high) >= fabs(x) ? s->high - high + x : x - high + s->high;
    s->high = high;
}

static void change(sqlite3_context *c, sqlite3_value *value, bool leaves)
{
    struct sum *s = sqlite3_aggregate_context(c, sizeof *s);
    int type = sqlite3_value_numeric_type(value);
    if (!s || type == SQLITE_NULL)
        return;
    s->count += leaves ? -1 : 1;
    if (type == SQLITE_INTEGER) {
        int64_t by = sqlite3_value_int64(value), now;
        if (!(leaves ? __builtin_sub_overflow(s->integer, by, &now)
                     : __builtin_add_overflow(s->integer, by, &now))) {
            s->integer = now;
            return;
        }
    }
    double x = sqlite3_value_double(value);
    s->is_real = true;
    add(s, leaves ? -x : x);
}

static void enter(sqlite3_context *c, int count, sqlite3_value **value)
{
    (void)count;
    change(c, *value, false);
}

static void leave(sqlite3_context *c, int count, sqlite3_value **value)
{
    (void)count;
    change(c, *value, true);
}

static struct sum so_far(sqlite3_context *c)
{
    const struct sum *s = sqlite3_aggregate_context(c, 0); /* NULL: there were no rows */
    return s ? *s : (struct sum){0};
}

static double as_real(struct sum s)
{
    add(&s, (double)s.integer);
    return isfinite(s.low) ? s.high + s.low : s.high;
}

static void give_sum(sqlite3_context *c)
{
    struct sum s = so_far(c);
    if (s.is_real && s.count > 0)
        sqlite3_result_double(c, as_real(s));
    else if (s.count > 0)
        sqlite3_result_int64(c, s.integer);
}

static void give_total(sqlite3_context *c)
{
    sqlite3_result_double(c, as_real(so_far(c)));
}

static void give_average(sqlite3_context *c)
{
    struct sum s = so_far(c);
    if (s.count > 0)
        sqlite3_result_double(c, as_real(s) / (double)s.count);
}

/* ---- configurations ---- */

/* What the options of one mean, and how short they could be written. Rows of earlier versions may
 * spell out what is left out today. */
enum { CONFIG_JSON, PATH, FACTS };

/* The point of a configuration, with the path of its file where that is known. One that this
 * program cannot read, as of another version of its task, means only itself. */
static bool read_point(sqlite3_context *c, sqlite3_value **values, struct point *p)
{
    const char *json = (const char *)sqlite3_value_text(values[CONFIG_JSON]);
    const char *path = (const char *)sqlite3_value_text(values[PATH]);
    if (!json || point_parse(json, p, NULL) != STATUS_OK) {
        sqlite3_result_value(c, values[CONFIG_JSON]);
        return false;
    }
    if (path)
        point_set_file(p, path);
    p->spelled_out = false;
    return true;
}

static void give(sqlite3_context *c, sqlite3_value **values,
                 int (*write)(const struct point *p, const char *facts, char text[POINT_JSON_MAX]))
{
    struct point p;
    char json[POINT_JSON_MAX];
    if (!read_point(c, values, &p))
        return;
    int n = write(&p, (const char *)sqlite3_value_text(values[FACTS]), json);
    sqlite3_result_text(c, json, n, SQLITE_TRANSIENT);
}

static int write_short(const struct point *p, const char *facts, char text[POINT_JSON_MAX])
{
    (void)facts;
    return point_json(p, text);
}

static void give_short(sqlite3_context *c, int count, sqlite3_value **values)
{
    (void)count;
    give(c, values, write_short);
}

static void give_meaning(sqlite3_context *c, int count, sqlite3_value **values)
{
    (void)count;
    give(c, values, point_meaning);
}

static void give_task(sqlite3_context *c, int count, sqlite3_value **values)
{
    (void)count;
    give(c, values, point_task_meaning);
}

/* ---- settings ---- */

/* NaN: these bytes begin with no number. */
static double number_of(const char *text, int size)
{
    char number[32], *end;
    snprintf(number, sizeof number, "%.*s", size, text);
    double x = strtod(number, &end);
    return end == number ? NAN : x;
}

static int compare(void *unused, int a_size, const void *a_text, int b_size, const void *b_text)
{
    const char *a = a_text, *b = b_text;
    int size = a_size < b_size ? a_size : b_size, at = 0;
    (void)unused;
    while (at < size && a[at] == b[at])
        at++;
    int value = at; /* where the value begins in which they differ */
    while (value > 0 && a[value - 1] != '=')
        value--;
    double x = number_of(a + value, a_size - value), y = number_of(b + value, b_size - value);
    if (x < y || x > y)
        return x < y ? -1 : 1;
    return at < size ? (unsigned char)a[at] - (unsigned char)b[at] : a_size - b_size;
}

int setting_compare(const char *a, const char *b)
{
    return compare(NULL, (int)strlen(a), a, (int)strlen(b), b);
}

/* ---- a connection ---- */

static int add_sums(sqlite3 *db)
{
    static const struct {
        const char *name;
        void (*give)(sqlite3_context *c);
    } sums[] = {{"sum", give_sum}, {"total", give_total}, {"avg", give_average}};
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < sizeof sums / sizeof sums[0]; i++)
        code = sqlite3_create_window_function(db, sums[i].name, 1, flags, NULL, enter, sums[i].give,
                                              sums[i].give, leave, NULL);
    return code;
}

int store_add_functions(sqlite3 *db)
{
    static const struct {
        const char *name;
        void (*give)(sqlite3_context *c, int count, sqlite3_value **values);
    } functions[] = {
        {"config_short", give_short}, {"config_meaning", give_meaning}, {"config_task", give_task}};
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    int code = add_sums(db);
    for (size_t i = 0; code == SQLITE_OK && i < sizeof functions / sizeof *functions; i++)
        code = sqlite3_create_function(db, functions[i].name, 3, flags, NULL, functions[i].give,
                                       NULL, NULL);
    return code == SQLITE_OK
               ? sqlite3_create_collation(db, "setting_values", SQLITE_UTF8, NULL, compare)
               : code;
}
