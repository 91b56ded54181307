/* Two samples against each other, by what R prints for its data set `sleep` (Student 1908). */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "sweep/judge/compare.h"

#include "tests/test.h"

static const double FIRST[10] = {.7, -1.6, -.2, -1.2, -.1, 3.4, 3.7, .8, 0, 2};
static const double SECOND[10] = {1.9, .8, 1.1, .1, -.1, 4.4, 5.5, 1.6, 4.6, 3.4};
static const int64_t UNITS[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
static const int64_t OTHERS[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11};

static void assert_printed(double actual, double printed, double last_digit)
{
    if (!(fabs(actual - printed) <= last_digit / 2))
        fail_msg("%.17g, printed %g", actual, printed);
}

/* t.test(extra ~ group, data = sleep): t = -1.8608, df = 17.776, p-value = 0.07939, 95 percent
 * confidence interval -3.3654832 0.2054832. */
TEST(test_welch)
{
    struct compare_sample b = {10, UNITS, FIRST}, a = {10, UNITS, SECOND};
    struct compare_result r = compare_samples(&a, &b, false);
    assert_int_equal(r.test, COMPARE_WELCH);
    assert_printed(r.mean, -1.58, 1e-9);
    assert_printed(r.t, -1.8608, 1e-4);
    assert_printed(r.df, 17.776, 1e-3);
    assert_printed(r.p, .07939, 1e-5);
    assert_printed(r.low, -3.3654832, 1e-7);
    assert_printed(r.high, .2054832, 1e-7);
}

/* t.test(first, second, paired = TRUE): t = -4.0621, df = 9, p-value = 0.002833, 95 percent
 * confidence interval -2.4598858 -0.7001142. */
TEST(test_paired)
{
    struct compare_sample b = {10, UNITS, FIRST}, a = {10, UNITS, SECOND};
    struct compare_result r = compare_samples(&a, &b, true);
    assert_int_equal(r.test, COMPARE_PAIRED);
    assert_printed(r.t, -4.0621, 1e-4);
    assert_printed(r.df, 9, 1e-9);
    assert_printed(r.p, .002833, 1e-6);
    assert_printed(r.low, -2.4598858, 1e-7);
    assert_printed(r.high, -.7001142, 1e-7);
    assert_string_equal(compare_test_name(r.test), "paired");
}

/* Another unit, or one less, is no pairing. */
TEST(test_units)
{
    struct compare_sample a = {10, UNITS, SECOND}, other = {10, OTHERS, FIRST};
    struct compare_sample fewer = {9, UNITS, FIRST};
    struct compare_result r = compare_samples(&a, &other, true);
    assert_int_equal(r.test, COMPARE_WELCH);
    assert_printed(r.df, 17.776, 1e-3);
    assert_int_equal(compare_samples(&a, &fewer, true).test, COMPARE_WELCH);
    assert_string_equal(compare_test_name(COMPARE_WELCH), "welch");
}

/* Without spread or with one value there is a difference and no interval; without values nothing.
 */
TEST(test_degenerate)
{
    const double up[3] = {.1 + .2, .6 + .1, 1.3}, down[3] = {0, .4, 1}, flat[3] = {1, 1, 1};
    struct compare_sample a = {3, UNITS, down}, b = {3, UNITS, up}, same = {3, UNITS, flat};
    struct compare_sample one = {1, UNITS, up}, none = {0, NULL, NULL};
    struct compare_result r = compare_samples(&a, &b, true);
    assert_printed(r.mean, .3, 1e-9);
    assert_each(isnan(r.low), isnan(r.high), isnan(r.p), isnan(r.df));
    r = compare_samples(&same, &same, false);
    assert_each(r.mean == 0, isnan(r.low));
    r = compare_samples(&same, &b, false); /* only one of them varies: its degrees of freedom */
    assert_printed(r.df, 2, 1e-9);
    assert_true(!isnan(r.low));
    r = compare_samples(&a, &one, false);
    assert_printed(r.mean, .3 - 1.4 / 3, 1e-9);
    assert_each(isnan(r.low), isnan(r.df));
    r = compare_samples(&a, &none, true);
    assert_int_equal(r.test, COMPARE_NOTHING);
    assert_true(isnan(r.mean));
    assert_null(compare_test_name(r.test));
}
