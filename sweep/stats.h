/* The statistics behind the verdict. Each is checked against published tables and SciPy. */
#ifndef SWEEP_STATS_H
#define SWEEP_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Regularised incomplete beta function I_x(a,b) (continued fraction of Lentz; DLMF 8.17.22). */
double stats_beta(double a, double b, double x);

/* Student t: two-sided p of |t| with df degrees of freedom; quantile at `p` (0<p<1). */
double stats_t_p(double t, double df);
double stats_t_quantile(double p, double df);

struct stats_summary {
    int n;
    double mean, sd, median, min, max; /* sd, low, high: NaN for n < 2 */
    double low, high;                  /* 95% t interval */
    bool all_equal;                    /* zero variance: not an interval of zero width */
};
/* Two passes. */
struct stats_summary stats_summarize(const double *x, int n);

struct stats_paired {
    int n, wins, losses, ties; /* of a over b */
    double mean, sd, low, high; /* of a - b */
    double t, p;                /* two-sided paired t test; p = NaN for n < 2; when all differences
                                   are equal and not 0, p = 0 is not claimed: p = NaN, all_equal */
    double sign_flip_p;         /* exact two-sided sign-flip test of the mean (Fisher 1935), n <= 20;
                                   beyond, 100,000 counter-based draws, exact = false */
    double sign_flip_least;     /* smallest value it can take with n: 2/2^n */
    bool exact, all_equal;
};
struct stats_paired stats_pair(const double *a, const double *b, int n);

/* Smallest n at which the exact sign-flip test can go below alpha. */
int stats_sign_flip_seeds(double alpha);

/* Exact binomial interval (Clopper and Pearson 1934), 95%, k of n. */
void stats_binomial(int k, int n, double *low, double *high);

#endif
