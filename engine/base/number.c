#include "engine/base/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

enum number_form number_form(const char *text)
{
    const char *p = text;
    if (*p == '-' || *p == '+')
        p++;
    const char *whole = p;
    while (is_digit(*p))
        p++;
    ptrdiff_t digits = p - whole;
    bool integral = true;
    if (*p == '.') {
        integral = false;
        const char *fraction = ++p;
        while (is_digit(*p))
            p++;
        if (digits == 0 && p == fraction)
            return NUMBER_NONE;
    } else if (digits == 0) {
        return NUMBER_NONE;
    }
    if (*p == 'e' || *p == 'E') {
        integral = false;
        p++;
        if (*p == '-' || *p == '+')
            p++;
        if (!is_digit(*p))
            return NUMBER_NONE;
        while (is_digit(*p))
            p++;
    }
    if (*p)
        return NUMBER_NONE;
    if (digits > 1 && *whole == '0')
        return NUMBER_LEADING_ZERO;
    return integral ? NUMBER_INTEGER : NUMBER_REAL;
}

bool number_value(const char *text, double *x)
{
    *x = strtod(text, NULL);
    if (!isfinite(*x))
        return false;
    if (*x == 0) {
        for (const char *p = text; *p && *p != 'e' && *p != 'E'; p++)
            if (*p >= '1' && *p <= '9')
                return false;
        *x = 0; /* never -0: equal values have equal bytes */
    }
    return true;
}

bool number_parse(const char *text, double *x, bool *integral)
{
    enum number_form form = number_form(text);
    *integral = form == NUMBER_INTEGER;
    return (form == NUMBER_INTEGER || form == NUMBER_REAL) && number_value(text, x);
}

/* Adds digits 1 unit up in the last place; digits is not all nines at 16 places of a power of 2. */
static void digits_up(char *digits)
{
    size_t i = strlen(digits);
    while (i > 0 && digits[i - 1] == '9')
        digits[--i] = '0';
    if (i > 0)
        digits[i - 1]++;
}

/* x as `count` digits d.ddd x 10^exponent, rounded to nearest. */
static void digits_of(double x, int count, char digits[24], int *exponent)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", count - 1, x);
    size_t n = 0;
    const char *p = text;
    for (; *p != 'e'; p++)
        if (is_digit(*p))
            digits[n++] = *p;
    digits[n] = '\0';
    *exponent = (int)strtol(p + 1, NULL, 10);
}

static bool digits_read_back(double x, const char *digits, int exponent)
{
    char text[48];
    snprintf(text, sizeof text, "%c.%se%d", digits[0], digits + 1, exponent);
    return strtod(text, NULL) == x;
}

/* The fewest digits that read back as x > 0 (Steele and White 1990's criterion). Up to 15 digits
 * survive the way through a normal double, so if so few suffice, rounding to 15 shows them. Only at
 * a power of two, where the spacing below is half of that above, can 16 digits read back that are
 * not the nearest 16. */
static void digits_shortest(double x, char digits[24], int *exponent)
{
    for (int count = x < DBL_MIN ? 1 : 15; count <= 17; count++) {
        digits_of(x, count, digits, exponent);
        if (digits_read_back(x, digits, *exponent))
            break;
        if (count == 16) {
            digits_up(digits);
            if (digits_read_back(x, digits, *exponent))
                break;
        }
    }
    size_t n = strlen(digits);
    while (n > 1 && digits[n - 1] == '0')
        digits[--n] = '\0';
}

int number_format(double x, char *text, size_t size)
{
    if (x == 0)
        return snprintf(text, size, "0");
    char digits[24] = "";
    int exponent;
    const char *sign = x < 0 ? "-" : "";
    digits_shortest(fabs(x), digits, &exponent);
    int k = (int)strlen(digits), n = exponent + 1; /* ECMA-262 Number::toString's k and n */
    if (k <= n && n <= 21)
        return snprintf(text, size, "%s%s%.*s", sign, digits, n - k, "00000000000000000000");
    if (0 < n && n <= 21)
        return snprintf(text, size, "%s%.*s.%s", sign, n, digits, digits + n);
    if (-6 < n && n <= 0)
        return snprintf(text, size, "%s0.%.*s%s", sign, -n, "000000", digits);
    return snprintf(text, size, "%s%c%s%se%+d", sign, digits[0], k > 1 ? "." : "", digits + 1,
                    exponent);
}
