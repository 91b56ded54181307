#include "sweep/db/setting_order.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int setting_order_register(sqlite3 *db)
{
    return sqlite3_create_collation(db, "setting_values", SQLITE_UTF8, NULL, compare);
}
