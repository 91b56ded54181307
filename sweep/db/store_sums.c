/* sum(), total() and avg() as SQLite has them from 3.43 on: compensated (Neumaier 1974). Before, it
 * added plainly, and the last digits of a number would hang on the version. Integers whose sum is
 * none of 64 bits give a real number here, not an error. */
#include <math.h>

#include "sweep/db/store_internal.h"

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

int store_own_sums(sqlite3 *db)
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
