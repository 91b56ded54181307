#include "sweep/judge/compare.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "sweep/judge/stats.h"

static const double LEVEL = .95;

struct moments {
    double mean, variance; /* of the mean: sd^2 / n; NaN for n < 2 */
};

/* Of a's values, less b's at the same place where b is not NULL. Differences that are equal up to
 * rounding have no variance. */
static struct moments moments_of(const double *a, const double *b, int n)
{
    double sum = 0, squares = 0, size = 0, most = 0;
    for (int i = 0; i < n; i++) {
        double base = b ? b[i] : 0;
        sum += a[i] - base;
        size = fmax(size, fmax(fabs(a[i]), fabs(base)));
    }
    double mean = sum / n;
    for (int i = 0; i < n; i++) {
        double d = a[i] - (b ? b[i] : 0) - mean;
        squares += d * d;
        most = fmax(most, fabs(d));
    }
    if (most <= 4 * DBL_EPSILON * size)
        squares = 0;
    return (struct moments){mean, n > 1 ? squares / (n - 1) / n : NAN};
}

static bool same_units(const struct compare_sample *a, const struct compare_sample *b)
{
    if (a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++)
        if (a->unit[i] != b->unit[i])
            return false;
    return true;
}

/* Degrees of freedom after Satterthwaite 1946. */
static double welch_df(struct moments a, int na, struct moments b, int nb)
{
    double sum = a.variance + b.variance;
    return sum * sum / (a.variance * a.variance / (na - 1) + b.variance * b.variance / (nb - 1));
}

struct compare_result compare_samples(const struct compare_sample *a,
                                      const struct compare_sample *b, bool same_task)
{
    struct compare_result r = {COMPARE_NOTHING, NAN, NAN, NAN, NAN, NAN, NAN};
    double variance;
    if (a->n < 1 || b->n < 1)
        return r;
    if (same_task && same_units(a, b)) {
        struct moments d = moments_of(b->value, a->value, a->n);
        r.test = COMPARE_PAIRED;
        r.mean = d.mean;
        variance = d.variance;
        r.df = a->n - 1;
    } else {
        struct moments x = moments_of(a->value, NULL, a->n), y = moments_of(b->value, NULL, b->n);
        r.test = COMPARE_WELCH;
        r.mean = y.mean - x.mean;
        variance = x.variance + y.variance;
        r.df = welch_df(x, a->n, y, b->n);
    }
    if (!(variance > 0)) {
        r.df = NAN;
        return r;
    }
    double half = stats_t_quantile((1 + LEVEL) / 2, r.df) * sqrt(variance);
    r.low = r.mean - half;
    r.high = r.mean + half;
    r.t = r.mean / sqrt(variance);
    r.p = stats_t_p(r.t, r.df);
    return r;
}

const char *compare_test_name(enum compare_test test)
{
    static const char *const names[] = {
        [COMPARE_NOTHING] = NULL, [COMPARE_PAIRED] = "paired", [COMPARE_WELCH] = "welch"};
    return names[test];
}
