#include "sweep/judge/stats.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/rng.h"

static const double LEVEL = .95;

/* lgamma would write the global signgam. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* The continued fraction of I_x(a,b) by Lentz's method in the form of Thompson and Barnett (1986):
 * the ratios of successive numerators c and denominators 1/d, kept away from 0. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (int i = 1; i < 10000; i++) {
        double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
        double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
        double term[2] = {even, odd}, factor = 1;
        for (int k = 0; k < 2; k++) {
            d = 1 + term[k] * d;
            c = 1 + term[k] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            factor = c * d;
            f *= factor;
        }
        if (fabs(factor - 1) < 4 * DBL_EPSILON)
            break;
    }
    return f;
}

/* I_x(a,b) where both x and y = 1 - x are known without rounding one from the other. */
static double beta_of(double a, double b, double x, double y)
{
    if (x <= 0)
        return 0;
    if (y <= 0)
        return 1;
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
    /* The fraction converges fast below the mean; the symmetry DLMF 8.17.4 serves the other side.
     */
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

double stats_beta(double a, double b, double x)
{
    return beta_of(a, b, x, 1 - x);
}

double stats_t_p(double t, double df)
{
    double square = t * t;
    if (isnan(t))
        return NAN;
    if (isinf(square))
        return 0;
    return beta_of(df / 2, .5, df / (df + square), square / (df + square));
}

static double t_density(double t, double df)
{
    return exp(log_gamma((df + 1) / 2) - log_gamma(df / 2) - (df + 1) / 2 * log1p(t * t / df)) /
           sqrt(df * M_PI);
}

double stats_t_quantile(double p, double df)
{
    if (!(p > 0 && p < 1))
        return NAN;
    double tails = 2 * fmin(p, 1 - p), low = 0, high = 1;
    while (stats_t_p(high, df) > tails && high < DBL_MAX / 4)
        high *= 2;
    /* Newton on the two-sided p, which falls in t; a step that leaves the bracket is a bisection.
     */
    double t = (low + high) / 2;
    for (int i = 0; i < 200 && high - low > 2 * DBL_EPSILON * high; i++) {
        double excess = stats_t_p(t, df) - tails;
        if (excess > 0)
            low = t;
        else
            high = t;
        double next = t + excess / (2 * t_density(t, df));
        if (!(next > low && next < high))
            next = (low + high) / 2;
        if (fabs(next - t) <= DBL_EPSILON * t)
            break;
        t = next;
    }
    return p < .5 ? -t : t;
}

double stats_above(double mean, double sd, int n, double bound)
{
    if (n < 2)
        return NAN;
    if (sd == 0)
        return mean > bound ? ldexp(1, -n) : 1;
    double t = (mean - bound) / (sd / sqrt(n)), both = stats_t_p(t, n - 1);
    return t > 0 ? both / 2 : 1 - both / 2;
}

/* The last one is kept: intervals over equally many values come in rows. */
static double interval_factor(int n, double level)
{
    static _Thread_local struct {
        int n;
        double level, factor;
    } last;
    if (n != last.n || level != last.level) {
        last.n = n;
        last.level = level;
        last.factor = stats_t_quantile((1 + level) / 2, n - 1) / sqrt(n);
    }
    return last.factor;
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_interval(enum stats_scale scale, double mean, double half, double *low, double *high)
{
    *low = mean - half;
    *high = mean + half;
    if (scale != STATS_ANY && *low < 0)
        *low = 0;
    if (scale == STATS_ACCURACY && *high > 1)
        *high = 1;
}

struct stats_summary stats_summarize(double *x, int n, enum stats_scale scale)
{
    struct stats_summary s = {n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, false};
    if (n < 1)
        return s;
    qsort(x, (size_t)n, sizeof *x, compare_reals);
    s.min = x[0];
    s.max = x[n - 1];
    s.median = n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    s.mean = s.min == s.max ? s.min : sum / n;
    if (n < 2)
        return s;
    for (int i = 0; i < n; i++)
        squares += (x[i] - s.mean) * (x[i] - s.mean);
    s.sd = sqrt(squares / (n - 1));
    s.all_equal = s.min == s.max;
    if (!s.all_equal)
        stats_interval(scale, s.mean, interval_factor(n, LEVEL) * s.sd, &s.low, &s.high);
    return s;
}

/* ---- the sign-flip test ---- */

enum { HALF_SUMS = 1 << (STATS_EXACT_MAX / 2) };

/* All 2^n sums of +-d[i] in rising order: each d doubles the list, by merging the list shifted down
 * with the list shifted up. */
static int signed_sums(const double *d, int n, double sums[HALF_SUMS])
{
    double shifted[HALF_SUMS];
    int count = 1;
    sums[0] = 0;
    for (int i = 0; i < n; i++) {
        double step = fabs(d[i]);
        int down = 0, up = 0;
        for (int k = 0; k < 2 * count; k++) {
            if (up == count || (down < count && sums[down] - step <= sums[up] + step))
                shifted[k] = sums[down++] - step;
            else
                shifted[k] = sums[up++] + step;
        }
        count *= 2;
        memcpy(sums, shifted, (size_t)count * sizeof *sums);
    }
    return count;
}

/* The share of all 2^n signs whose sum is at least as far from 0 as `threshold` > 0. The n signs
 * are halved: sums of each half are listed in order, and pairs that reach the threshold counted by
 * one walk through both lists, 2^(n/2) steps in place of 2^n. By symmetry the negative tail is as
 * large. */
static double share_of_signs(const double *d, int n, double threshold)
{
    double first[HALF_SUMS], second[HALF_SUMS];
    int firsts = signed_sums(d, n / 2, first);
    int seconds = signed_sums(d + n / 2, n - n / 2, second);
    int64_t hits = 0;
    int reached = seconds; /* second[reached..] reaches the threshold with first[i] */
    for (int i = 0; i < firsts; i++) {
        while (reached > 0 && first[i] + second[reached - 1] >= threshold)
            reached--;
        hits += seconds - reached;
    }
    return 2 * (double)hits / ldexp(1, n);
}

/* The sum of a[i] - b[i] for i in [8 group, 8 group + 8), each with the sign that its bit says. */
static double group_sum(const double *a, const double *b, int n, int group, unsigned bits)
{
    double sum = 0;
    for (int i = 8 * group; i < n && i < 8 * group + 8; i++)
        sum += bits >> (i % 8) & 1 ? b[i] - a[i] : a[i] - b[i];
    return sum;
}

/* The same over draws of signs. Each draw takes the next whole bytes of a stream of Philox blocks;
 * eight signs at a time are looked up, as far as the tables go. */
static double share_of_draws(const double *a, const double *b, int n, double threshold)
{
    enum { TABLES = 32 };
    static const uint32_t key[2] = {0x666C6970 /* "flip" */, 1};
    double table[TABLES][256];
    int groups = (n + 7) / 8;
    for (int g = 0; g < groups && g < TABLES; g++)
        for (unsigned bits = 0; bits < 256; bits++)
            table[g][bits] = group_sum(a, b, n, g, bits);
    int draws = n > 200 ? 200 * (STATS_DRAWS / n) : STATS_DRAWS;
    draws = draws < 2000 ? 2000 : draws;
    int hits = 0;
    struct rng_block block = {{0}};
    uint64_t byte = 0;
    for (int k = 0; k < draws; k++) {
        double sum = 0;
        for (int g = 0; g < groups; g++, byte++) {
            if (byte % 16 == 0)
                block = rng_philox(
                    key, (uint32_t[4]){(uint32_t)(byte / 16), (uint32_t)(byte / 16 >> 32), 0, 0});
            unsigned bits = block.word[byte / 4 % 4] >> (byte % 4 * 8) & 255;
            sum += g < TABLES ? table[g][bits] : group_sum(a, b, n, g, bits);
        }
        hits += fabs(sum) >= threshold;
    }
    return (1.0 + hits) / (1.0 + draws);
}

static void sign_flip(const double *a, const double *b, struct stats_paired *r)
{
    double sum = 0, size = 0, d[STATS_EXACT_MAX] = {0};
    for (int i = 0; i < r->n; i++) {
        sum += a[i] - b[i];
        size += fabs(a[i] - b[i]);
        if (r->exact)
            d[i] = a[i] - b[i];
    }
    /* Equal sums that were added in another order must count as equal. */
    double threshold = fabs(sum) - 1e-10 * size;
    if (threshold <= 0)
        r->sign_flip_p = 1;
    else if (r->exact)
        r->sign_flip_p = share_of_signs(d, r->n, threshold);
    else
        r->sign_flip_p = share_of_draws(a, b, r->n, threshold);
}

/* ---- paired comparison ---- */

struct stats_paired stats_pair_t(const double *a, const double *b, int n)
{
    struct stats_paired r = {.n = n,
                             .mean = NAN,
                             .sd = NAN,
                             .low = NAN,
                             .high = NAN,
                             .t = NAN,
                             .p = NAN,
                             .sign_flip_p = NAN,
                             .sign_flip_least = n < 1 ? 1 : ldexp(2, -n),
                             .exact = n <= STATS_EXACT_MAX};
    if (n < 1)
        return r;
    double sum = 0, squares = 0, size = 0, min = INFINITY, max = -INFINITY;
    for (int i = 0; i < n; i++) {
        double d = a[i] - b[i];
        sum += d;
        min = fmin(min, d);
        max = fmax(max, d);
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
    }
    double rounding = 4 * DBL_EPSILON * size;
    r.mean = sum / n;
    for (int i = 0; i < n; i++) {
        double d = a[i] - b[i];
        r.wins += d > rounding;
        r.losses += d < -rounding;
        squares += (d - r.mean) * (d - r.mean);
    }
    r.ties = n - r.wins - r.losses;
    if (n < 2)
        return r;
    r.all_equal = max - min <= rounding;
    r.sd = r.all_equal ? 0 : sqrt(squares / (n - 1));
    if (r.all_equal) {
        r.p = r.ties == n ? 1 : NAN;
    } else {
        stats_pair_level(&r, LEVEL);
        r.t = r.mean / (r.sd / sqrt(n));
        r.p = stats_t_p(r.t, n - 1);
    }
    return r;
}

void stats_pair_level(struct stats_paired *r, double level)
{
    if (r->n < 2 || r->all_equal)
        return;
    double half = interval_factor(r->n, level) * r->sd;
    r->low = r->mean - half;
    r->high = r->mean + half;
}

struct stats_paired stats_pair(const double *a, const double *b, int n)
{
    struct stats_paired r = stats_pair_t(a, b, n);
    if (n > 0)
        sign_flip(a, b, &r);
    return r;
}

int stats_sign_flip_seeds(double alpha)
{
    int n = 1;
    while (ldexp(2, -n) >= alpha)
        n++;
    return n;
}

void stats_holm(double *p, int m, int *order)
{
    stats_step_down(p, m, m, order);
}

void stats_step_down(double *p, int m, int most, int *order)
{
    for (int i = 0; i < m; i++) { /* insertion: head counts are few; NaN goes last */
        int k = i;
        for (; k > 0 && (p[i] < p[order[k - 1]] || (isnan(p[order[k - 1]]) && !isnan(p[i]))); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    double running = 0;
    for (int i = 0; i < m && !isnan(p[order[i]]); i++) {
        int left = m - i < most ? m - i : most;
        running = fmax(running, fmin(1, left * p[order[i]]));
        p[order[i]] = running;
    }
}

/* x with I_x(a,b) = p, by bisection: monotone, and nobody waits for it. */
static double beta_quantile(double p, double a, double b)
{
    double low = 0, high = 1;
    for (int i = 0; i < 100 && high - low > DBL_EPSILON * high; i++) {
        double x = (low + high) / 2;
        if (stats_beta(a, b, x) < p)
            low = x;
        else
            high = x;
    }
    return (low + high) / 2;
}

void stats_binomial(int k, int n, double *low, double *high)
{
    double tail = (1 - LEVEL) / 2;
    *low = k == 0 ? 0 : beta_quantile(tail, k, n - k + 1);
    *high = k == n ? 1 : beta_quantile(1 - tail, k + 1, n - k);
}

void stats_median_interval(const double *sorted, int n, double *low, double *high)
{
    *low = *high = NAN;
    /* P(fewer than i of n values lie below the median) = I_1/2(n - i + 1, i). */
    int i = 0;
    while (i < n / 2 && stats_beta(n - i, i + 1, .5) <= (1 - LEVEL) / 2)
        i++;
    if (i == 0)
        return;
    *low = sorted[i - 1];
    *high = sorted[n - i];
}

void stats_components(const double *x, const int *size, int groups, double *between, double *within)
{
    double all = 0, among = 0, inside = 0, squares = 0;
    int n = 0;
    for (int g = 0; g < groups; g++)
        for (int i = 0; i < size[g]; i++)
            all += x[n++];
    all /= n;
    const double *first = x;
    for (int g = 0; g < groups; g++) {
        double mean = 0;
        for (int i = 0; i < size[g]; i++)
            mean += first[i] / size[g];
        for (int i = 0; i < size[g]; i++)
            inside += (first[i] - mean) * (first[i] - mean);
        among += size[g] * (mean - all) * (mean - all);
        squares += (double)size[g] * size[g];
        first += size[g];
    }
    *between = *within = NAN;
    if (groups < 2 || n == groups)
        return;
    *within = inside / (n - groups);
    *between = fmax(0, (among / (groups - 1) - *within) / ((n - squares / n) / (groups - 1)));
}

struct fraction_text fraction_text(double x)
{
    struct fraction_text t;
    snprintf(t.text, sizeof t.text, "%.3g", x);
    if (strncmp(t.text, "0.", 2) == 0)
        memmove(t.text, t.text + 1, strlen(t.text));
    return t;
}
