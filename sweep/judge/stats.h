/* The statistics behind the verdict. Each is checked against published tables and SciPy. */
#ifndef SWEEP_JUDGE_STATS_H
#define SWEEP_JUDGE_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Regularised incomplete beta function I_x(a,b), a, b > 0, 0 <= x <= 1 (continued fraction DLMF
 * 8.17.22, evaluated by the method of Lentz 1976). */
double stats_beta(double a, double b, double x);

/* Student t: two-sided p of |t| with df > 0 degrees of freedom; quantile at `p` (0<p<1). */
double stats_t_p(double t, double df);
double stats_t_quantile(double p, double df);

/* One-sided t test of n values with this mean and standard deviation: p of "the true mean is at
 * most `bound`", small where the mean is well above it. With sd = 0 the t test is undefined and the
 * one-sided sign-flip test of the differences from the bound decides: 2^-n, or 1 where the mean is
 * not above. NaN for n < 2. "At least" is tested by turning the signs of mean and bound; two such
 * tests make one of equivalence (Schuirmann 1987). */
double stats_above(double mean, double sd, int n, double bound);

/* What values are: an interval of their mean is cut where none can lie. */
enum stats_scale { STATS_ANY, STATS_ACCURACY /* 0 to 1 */, STATS_LOSS /* 0 and more */ };

/* mean - half to mean + half, cut as the scale says: every interval of a mean that anybody is shown
 * comes from here, or from a view that cuts alike. NaN stays NaN. */
void stats_interval(enum stats_scale scale, double mean, double half, double *low, double *high);

struct stats_summary {
    int n;
    double mean, sd, median, min, max; /* NaN for n < 1; sd for n < 2 */
    double low, high; /* 95% t interval, cut; NaN for n < 2 and when all are equal */
    bool all_equal;   /* n >= 2 and zero variance, which is no interval of zero width */
};
/* Mean and variance in two passes. Sorts x, of n values. */
struct stats_summary stats_summarize(double *x, int n, enum stats_scale scale);

/* Interval of the median of n values in rising order, from the i-th smallest to the i-th largest
 * with the largest i whose coverage is at least 95% (binomial: Conover 1999, section 3.2). NaN for
 * n < 6, where not even the extremes cover as much. */
void stats_median_interval(const double *sorted, int n, double *low, double *high);

/* Variance components of the one-way random effects model, from the mean squares between and within
 * (Searle 1971, section 9.6; unequal group sizes): x holds the values group after group, size[i] of
 * group i. *between is cut at 0. NaN with fewer than two groups, or with no group of two. */
void stats_components(const double *x, const int *size, int groups, double *between,
                      double *within);

enum { STATS_EXACT_MAX = 24, STATS_DRAWS = 100000 };

struct stats_paired {
    int n, wins, losses, ties; /* of a over b */
    double mean, sd;           /* of a - b; sd NaN for n < 2 */
    double low, high;          /* 95% t interval of it; NaN for n < 2 and when all are equal */
    double t, p;               /* two-sided paired t test. NaN for n < 2; when all differences are
                                  equal, t is NaN and p is 1 (all 0) or NaN: p = 0 is not claimed */
    double sign_flip_p;     /* two-sided sign-flip test of the mean (Fisher 1935, section 21), over
                               all 2^n signs for n <= STATS_EXACT_MAX; beyond, over draws of
                               signs, (1 + hits) / (1 + draws) (Phipson and Smyth 2010) */
    double sign_flip_least; /* smallest value it can take with n: 2/2^n (1 for n = 0) */
    bool exact, all_equal;  /* all_equal: n >= 2 and all differences equal up to rounding */
};
/* a and b, n values each, are paired by position. Draws are a function of nothing but n:
 * STATS_DRAWS of them, fewer (at least 2,000) beyond n = 200. */
struct stats_paired stats_pair(const double *a, const double *b, int n);

/* The same without the sign-flip test (sign_flip_p NaN), where many pairs are compared. */
struct stats_paired stats_pair_t(const double *a, const double *b, int n);

/* Sets the interval of r to another level, 0 < level < 1. */
void stats_pair_level(struct stats_paired *r, double level);

/* Smallest n at which the exact sign-flip test can go below alpha, 0 < alpha. */
int stats_sign_flip_seeds(double alpha);

/* Adjusts m p-values in place for m tests (Holm 1979, "A simple sequentially rejective multiple
 * test procedure"): an adjusted value below alpha rejects with family-wise error alpha. NaN (no
 * test was possible) stays NaN but is counted among the m. order: scratch of m. */
void stats_holm(double *p, int m, int *order);

/* The same where at most `most` of the m hypotheses can be true together (Shaffer 1986). */
void stats_step_down(double *p, int m, int most, int *order);

/* Exact binomial interval (Clopper and Pearson 1934), 95%, 0 <= k <= n successes of n >= 1. */
void stats_binomial(int k, int n, double *low, double *high);

/* x as "%.3g" without the 0 before its point, for people: ".0312". Of what cannot exceed 1. */
struct fraction_text {
    char text[24];
};
struct fraction_text fraction_text(double x);

#endif
