/* Every statistic against SciPy (tests/data/stats, made by make_stats.py) within 1e-6 relative, and
 * against printed tables. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/judge/crossed.h"
#include "sweep/judge/stats.h"

#include "tests/test.h"

enum { MAX_FIELDS = 12, MAX_LINE = 4096, MAX_SEEDS = 64, MAX_CELLS = 96 };

struct table_file {
    FILE *f;
    char line[MAX_LINE];
    char *field[MAX_FIELDS];
    int rows;
};

static void file_open(struct table_file *t, const char *path)
{
    t->f = fopen(path, "r");
    t->rows = 0;
    if (!t->f)
        fail_msg("%s: cannot be opened (run from the repository root)", path);
    assert_non_null(fgets(t->line, sizeof t->line, t->f));
}

/* Splits the next line at commas into exactly n fields; closes at the end, where it returns false.
 */
static bool file_next(struct table_file *t, int n)
{
    if (!fgets(t->line, sizeof t->line, t->f)) {
        fclose(t->f);
        assert_true(t->rows > 0);
        return false;
    }
    t->rows++;
    t->line[strcspn(t->line, "\n")] = '\0';
    char *rest = t->line;
    for (int i = 0; i < n; i++) {
        t->field[i] = strsep(&rest, ",");
        assert_non_null(t->field[i]);
    }
    assert_null(rest);
    return true;
}

static double number(const struct table_file *t, int i)
{
    return strtod(t->field[i], NULL);
}

static void assert_close(double actual, double expected, const char *what, int row)
{
    double allowed = 1e-12 + 1e-6 * fmax(fabs(actual), fabs(expected));
    if (!(fabs(actual - expected) <= allowed))
        fail_msg("%s, row %d: %.17g, expected %.17g", what, row, actual, expected);
}

TEST(test_beta)
{
    struct table_file t;
    file_open(&t, "tests/data/stats/beta.csv");
    while (file_next(&t, 4))
        assert_close(stats_beta(number(&t, 0), number(&t, 1), number(&t, 2)), number(&t, 3), "beta",
                     t.rows);
    assert_true(stats_beta(2, 3, 0) == 0);
    assert_true(stats_beta(2, 3, 1) == 1);
}

TEST(test_t)
{
    struct table_file t;
    file_open(&t, "tests/data/stats/t_p.csv");
    while (file_next(&t, 3)) {
        assert_close(stats_t_p(number(&t, 1), number(&t, 0)), number(&t, 2), "t_p", t.rows);
        assert_close(stats_t_p(-number(&t, 1), number(&t, 0)), number(&t, 2), "t_p(-t)", t.rows);
    }
    file_open(&t, "tests/data/stats/t_quantile.csv");
    while (file_next(&t, 3)) {
        double q = stats_t_quantile(number(&t, 1), number(&t, 0));
        assert_close(q, number(&t, 2), "t_quantile", t.rows);
        assert_close(stats_t_quantile(1 - number(&t, 1), number(&t, 0)), -q, "symmetry", t.rows);
    }
    assert_true(fabs(stats_t_quantile(.5, 3)) < 1e-12);
    assert_true(isnan(stats_t_quantile(0, 3)));
    assert_true(isnan(stats_t_quantile(1, 3)));
    assert_true(stats_t_p(INFINITY, 3) == 0);
    assert_true(isnan(stats_t_p(NAN, 3)));
}

TEST(test_binomial)
{
    struct table_file t;
    file_open(&t, "tests/data/stats/binomial.csv");
    while (file_next(&t, 4)) {
        double low, high;
        stats_binomial(atoi(t.field[0]), atoi(t.field[1]), &low, &high);
        assert_close(low, number(&t, 2), "low", t.rows);
        assert_close(high, number(&t, 3), "high", t.rows);
    }
}

TEST(test_published)
{
    struct table_file t;
    file_open(&t, "tests/data/stats/published.csv");
    while (file_next(&t, 6)) {
        double x = number(&t, 1), y = number(&t, 2), low, high, value;
        if (!strcmp(t.field[0], "t_quantile")) {
            value = stats_t_quantile(y, x);
        } else if (!strcmp(t.field[0], "t_p")) {
            value = stats_t_p(x, y);
        } else {
            stats_binomial((int)x, (int)y, &low, &high);
            value = strcmp(t.field[0], "binomial_low") ? high : low;
        }
        double half_unit = .5000001 * pow(10, -number(&t, 4));
        if (!(fabs(value - number(&t, 3)) <= half_unit))
            fail_msg("%s(%g, %g) is %.9g, printed %s", t.field[0], x, y, value, t.field[3]);
    }
}

static int numbers(char *text, double *x)
{
    int n = 0;
    for (char *word; (word = strsep(&text, " "));)
        x[n++] = strtod(word, NULL);
    return n;
}

TEST(test_pairs)
{
    struct table_file t;
    file_open(&t, "tests/data/stats/pairs.csv");
    while (file_next(&t, 12)) {
        double a[MAX_SEEDS], b[MAX_SEEDS];
        int n = numbers(t.field[10], a);
        assert_int_equal(numbers(t.field[11], b), n);
        assert_int_equal(n, atoi(t.field[0]));
        struct stats_paired r = stats_pair(a, b, n);
        assert_int_equal(r.wins, atoi(t.field[1]));
        assert_int_equal(r.losses, atoi(t.field[2]));
        assert_int_equal(r.wins + r.losses + r.ties, n);
        assert_close(r.mean, number(&t, 3), "mean", t.rows);
        assert_close(r.sd, number(&t, 4), "sd", t.rows);
        assert_close(r.low, number(&t, 5), "low", t.rows);
        assert_close(r.high, number(&t, 6), "high", t.rows);
        assert_close(r.t, number(&t, 7), "t", t.rows);
        assert_close(r.p, number(&t, 8), "p", t.rows);
        assert_close(r.sign_flip_p, number(&t, 9), "sign_flip_p", t.rows);
        assert_true(r.exact);
        assert_false(r.all_equal);
        assert_true(r.sign_flip_p >= r.sign_flip_least);
        struct stats_paired back = stats_pair(b, a, n);
        assert_close(back.mean, -r.mean, "mean of b - a", t.rows);
        assert_close(back.p, r.p, "p of b - a", t.rows);
        assert_close(back.sign_flip_p, r.sign_flip_p, "sign_flip_p of b - a", t.rows);
    }
}

/* Darwin's maize, height of crossed minus self-fertilised plants in eighths of an inch: Fisher
 * 1935, section 21, counts 1,726 of the 32,768 signs at least as extreme. */
TEST(test_fisher)
{
    const double d[15] = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
    const double zero[15] = {0};
    struct stats_paired r = stats_pair(d, zero, 15);
    assert_true(r.sign_flip_p == 1726. / 32768);
    assert_true(fabs(r.t - 2.148) < .0005);
    assert_int_equal(r.wins, 13);
}

TEST(test_pair_without_variance)
{
    const double a[4] = {.3, .5, .7, .9}, b[4] = {.2, .4, .6, .8};
    struct stats_paired r = stats_pair(a, b, 4); /* .1 each, up to rounding */
    assert_each(r.all_equal, isnan(r.p), isnan(r.t), isnan(r.low), isnan(r.high));
    assert_close(r.mean, .1, "mean", 0);
    assert_true(r.sd == 0);
    assert_true(r.sign_flip_p == 2. / 16);
    r = stats_pair(a, a, 4);
    assert_each(r.all_equal, r.p == 1, r.sign_flip_p == 1, r.ties == 4);
    r = stats_pair(a, b, 1);
    assert_each(!r.all_equal, isnan(r.p), isnan(r.sd), isnan(r.low), r.wins == 1);
    assert_true(r.sign_flip_p == 1);
    r = stats_pair(a, b, 0);
    assert_each(isnan(r.mean), isnan(r.sign_flip_p), r.sign_flip_least == 1);
}

/* Beyond the exact range draws stand for all signs: the normal limit is close at n = 60, and the
 * value is the same every time. */
TEST(test_sign_flip_draws)
{
    double a[60], b[60], small_a[25], small_b[25];
    for (int i = 0; i < 60; i++) {
        a[i] = .8 + .001 * ((i * 37) % 61);
        b[i] = .8 + .001 * ((i * 23 + 5) % 59);
    }
    double sum = 0, squares = 0;
    for (int i = 0; i < 60; i++) {
        sum += a[i] - b[i];
        squares += (a[i] - b[i]) * (a[i] - b[i]);
    }
    struct stats_paired r = stats_pair(a, b, 60);
    assert_false(r.exact);
    assert_true(fabs(r.sign_flip_p - erfc(fabs(sum) / sqrt(2 * squares))) < .01);
    assert_true(r.sign_flip_p == stats_pair(a, b, 60).sign_flip_p);
    assert_true(isnan(stats_pair_t(a, b, 60).sign_flip_p));
    for (int i = 0; i < 25; i++) {
        small_a[i] = 1;
        small_b[i] = .1 * (i % 7);
    }
    r = stats_pair(small_a, small_b, 25); /* never drawn: no p of 0 */
    assert_each(!r.exact, r.sign_flip_p == 1. / (1 + STATS_DRAWS));
    r = stats_pair(small_a, small_b, 24);
    assert_each(r.exact, r.sign_flip_p == r.sign_flip_least);
}

TEST(test_sign_flip_seeds)
{
    assert_int_equal(stats_sign_flip_seeds(.05), 6);
    assert_int_equal(stats_sign_flip_seeds(.0125), 8);
    assert_int_equal(stats_sign_flip_seeds(.0625), 6); /* below, not at */
    assert_int_equal(stats_sign_flip_seeds(1.5), 1);
}

TEST(test_summary)
{
    double x[5] = {.9, .7, 1, .8, .6};
    struct stats_summary s = stats_summarize(x, 5, STATS_ANY);
    assert_close(s.mean, .8, "mean", 0);
    assert_close(s.sd, sqrt(.025), "sd", 0);
    assert_close(s.median, .8, "median", 0);
    assert_close(s.low, .8 - 2.7764451051977996 * sqrt(.025 / 5), "low", 0);
    assert_close(s.high, .8 + 2.7764451051977996 * sqrt(.025 / 5), "high", 0);
    assert_each(s.min == .6, s.max == 1, !s.all_equal);
    double even[4] = {4, 1, 3, 2};
    assert_true(stats_summarize(even, 4, STATS_ANY).median == 2.5);
    double equal[3] = {.1, .1, .1};
    s = stats_summarize(equal, 3, STATS_ACCURACY);
    assert_each(s.all_equal, s.mean == .1, s.sd == 0, isnan(s.low), isnan(s.high));
    s = stats_summarize(equal, 1, STATS_ACCURACY);
    assert_each(s.mean == .1, s.median == .1, isnan(s.sd), isnan(s.low), !s.all_equal);
    s = stats_summarize(equal, 0, STATS_ACCURACY);
    assert_each(isnan(s.mean), isnan(s.min));
    double far[3] = {1e9 + 1, 1e9 + 2, 1e9 + 3}; /* one pass over squares would lose this */
    assert_close(stats_summarize(far, 3, STATS_ANY).sd, 1, "sd", 0);
}

/* No accuracy lies above 1, and none below 0; no loss does either. */
TEST(test_intervals_are_cut)
{
    double x[3] = {.2, 1, 1};
    struct stats_summary any = stats_summarize(x, 3, STATS_ANY),
                         accuracy = stats_summarize(x, 3, STATS_ACCURACY),
                         loss = stats_summarize(x, 3, STATS_LOSS);
    assert_each(any.low<0, any.high> 1);
    assert_each(accuracy.low == 0, accuracy.high == 1);
    assert_each(loss.low == 0, loss.high == any.high);
    double low = 0, high = 0;
    stats_interval(STATS_ACCURACY, NAN, NAN, &low, &high);
    assert_each(isnan(low), isnan(high));
}

TEST(test_holm)
{
    double p[4] = {.04, .01, .03, .005};
    int order[4];
    stats_holm(p, 4, order);
    const double expected[4] = {.06, .03, .06, .02}; /* R: p.adjust(p, "holm") */
    for (int i = 0; i < 4; i++)
        assert_close(p[i], expected[i], "holm", i);
    double with_nan[3] = {NAN, .01, .9};
    stats_holm(with_nan, 3, order);
    assert_true(isnan(with_nan[0]));
    assert_close(with_nan[1], .03, "holm beside NaN", 1);
    assert_true(with_nan[2] == 1);
}

/* One-sided: against SciPy's ttest_1samp, both ways. */
TEST(test_above)
{
    struct table_file t;
    file_open(&t, "tests/data/stats/above.csv");
    while (file_next(&t, 5)) {
        double mean = number(&t, 0), sd = number(&t, 1), bound = number(&t, 3);
        int n = atoi(t.field[2]);
        double p = stats_above(mean, sd, n, bound);
        assert_close(p, number(&t, 4), "above", t.rows);
        assert_close(stats_above(-mean, sd, n, -bound), 1 - p, "below", t.rows);
    }
    assert_true(isnan(stats_above(1, NAN, 1, 0)));
    assert_true(stats_above(.1, 0, 5, 0) == 1. / 32); /* no variance: signs alone */
    assert_each(stats_above(0, 0, 5, 0) == 1, stats_above(-1, 0, 5, 0) == 1);
}

TEST(test_median_interval)
{
    struct table_file t;
    file_open(&t, "tests/data/stats/median.csv");
    while (file_next(&t, 3)) {
        double x[128], low, high;
        int n = atoi(t.field[0]);
        for (int i = 0; i < n; i++)
            x[i] = i + 1;
        stats_median_interval(x, n, &low, &high);
        if (n < 6)
            assert_each(isnan(low), isnan(high));
        else
            assert_each(low == number(&t, 1), high == number(&t, 2));
    }
}

TEST(test_components)
{
    /* Strength of cloth from four looms: Montgomery, Design and Analysis of Experiments, chapter
     * 13 (example 13.1): 1.90 within, 6.96 between. */
    const double looms[16] = {98, 97, 99, 96, 91, 90, 93, 92, 96, 95, 97, 95, 95, 96, 99, 98};
    double between, within;
    stats_components(looms, (const int[4]){4, 4, 4, 4}, 4, &between, &within);
    assert_each(fabs(within - 1.90) < .005, fabs(between - 6.96) < .005);
    struct table_file t;
    file_open(&t, "tests/data/stats/components.csv");
    while (file_next(&t, 4)) {
        double x[MAX_SEEDS], sizes[MAX_SEEDS];
        int size[MAX_SEEDS], groups = numbers(t.field[0], sizes);
        for (int i = 0; i < groups; i++)
            size[i] = (int)sizes[i];
        numbers(t.field[3], x);
        stats_components(x, size, groups, &between, &within);
        assert_close(between, number(&t, 1), "between", t.rows);
        assert_close(within, number(&t, 2), "within", t.rows);
    }
    stats_components(looms, (const int[1]){4}, 1, &between, &within);
    assert_each(isnan(between), isnan(within));
    stats_components(looms, (const int[2]){1, 1}, 2, &between, &within);
    assert_each(isnan(between), isnan(within));
}

TEST(test_crossed)
{
    struct table_file t;
    file_open(&t, "tests/data/stats/crossed.csv");
    while (file_next(&t, 10)) {
        double x[MAX_CELLS], low, high;
        struct crossed c;
        assert_true(numbers(t.field[9], x) == atoi(t.field[0]) * atoi(t.field[1]));
        c = crossed_new(x, atoi(t.field[0]), atoi(t.field[1]), 1);
        assert_true(crossed_testable(&c));
        assert_close(c.mean, number(&t, 2), "mean", t.rows);
        assert_close(c.se[CROSSED_ROWS], number(&t, 3), "rows", t.rows);
        assert_close(c.se[CROSSED_COLUMNS], number(&t, 4), "columns", t.rows);
        assert_close(c.se[CROSSED_BOTH], number(&t, 5), "both", t.rows);
        assert_close(c.df[CROSSED_BOTH], number(&t, 6), "df", t.rows);
        assert_close(crossed_p(&c, CROSSED_BOTH), number(&t, 7), "p", t.rows);
        crossed_interval(&c, CROSSED_BOTH, .95, &low, &high);
        assert_close(low, c.mean - number(&t, 8), "low", t.rows);
        assert_close(high, c.mean + number(&t, 8), "high", t.rows);
        double as_far_below = c.mean > 0 ? 0 : 2 * c.mean;
        assert_close(2 * crossed_above(&c, as_far_below), number(&t, 7), "one-sided", t.rows);
        assert_true(crossed_above(&c, c.mean + 1) > .5);
    }
}

/* Over rows, and over columns, it is the paired t test of their means. */
TEST(test_crossed_one_way)
{
    const double x[6] = {.1, .3, .2, .5, .4, .9}, zero[3] = {0};
    const double rows[2] = {.2, .6}, columns[3] = {.3, .35, .55};
    struct stats_paired by_row = stats_pair_t(rows, zero, 2);
    struct stats_paired by_column = stats_pair_t(columns, zero, 3);
    struct crossed c = crossed_new(x, 2, 3, 1);
    double low, high;
    crossed_interval(&c, CROSSED_ROWS, .95, &low, &high);
    assert_close(low, by_row.low, "low over rows", 0);
    assert_close(high, by_row.high, "high over rows", 0);
    assert_close(crossed_p(&c, CROSSED_ROWS), by_row.p, "p over rows", 0);
    crossed_interval(&c, CROSSED_COLUMNS, .95, &low, &high);
    assert_close(low, by_column.low, "low over columns", 0);
    assert_close(crossed_p(&c, CROSSED_COLUMNS), by_column.p, "p over columns", 0);
}

/* One row, or one column, or nothing that varies beyond rounding, makes no test over both. */
TEST(test_crossed_without_variance)
{
    const double x[6] = {.1, .3, .2, .5, .4, .9};
    double same[6], low, high;
    struct crossed c = crossed_new(x, 1, 6, 1), none = {0};
    assert_false(crossed_testable(&c) || crossed_testable(&none));
    assert_each(isnan(crossed_p(&c, CROSSED_BOTH)), isnan(crossed_p(&c, CROSSED_ROWS)));
    assert_true(isnan(crossed_above(&c, 0)));
    assert_true(!isnan(crossed_p(&c, CROSSED_COLUMNS)));
    crossed_interval(&c, CROSSED_BOTH, .95, &low, &high);
    assert_each(isnan(low), isnan(high));
    c = crossed_new(x, 6, 1, 1);
    assert_false(crossed_testable(&c));
    for (int i = 0; i < 6; i++)
        same[i] = 3.3 - (i % 2 ? 3 : 3 + 1e-16 * i);
    c = crossed_new(same, 2, 3, 3.3);
    assert_false(crossed_testable(&c));
    assert_each(c.se[CROSSED_BOTH] == 0, isnan(crossed_p(&c, CROSSED_BOTH)));
}

TEST(test_levels)
{
    const double a[5] = {.9, .7, 1, .8, .6}, zero[5] = {0};
    struct stats_paired r = stats_pair_t(a, zero, 5);
    stats_pair_level(&r, .99);
    assert_close(r.low, .8 - 4.604094871349993 * sqrt(.025 / 5), "low at 99%", 0); /* SciPy */
    assert_close(r.high, .8 + 4.604094871349993 * sqrt(.025 / 5), "high at 99%", 0);
    r = stats_pair_t(zero, zero, 5);
    stats_pair_level(&r, .99);
    assert_each(isnan(r.low), isnan(r.high));
}

/* At most three of four hypotheses can be true at once: 3, 3, 2, 1 in place of 4, 3, 2, 1. */
TEST(test_step_down)
{
    double p[4] = {.04, .01, .03, .005}, two[2] = {.03, .04};
    int order[4];
    stats_step_down(p, 4, 3, order);
    const double expected[4] = {.06, .03, .06, .015};
    for (int i = 0; i < 4; i++)
        assert_close(p[i], expected[i], "step_down", i);
    stats_step_down(two, 2, 1, order);
    assert_each(two[0] == .03, two[1] == .04);
}
