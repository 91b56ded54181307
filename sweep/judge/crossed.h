/* The mean of a table of numbers whose rows and columns are both samples: differences between two
 * head counts, a row for each seed and a column for each block of a text. How far may it be from
 * the mean over all seeds, over all text, over both?
 *
 *     x_ij = mu + r_i + c_j + e_ij       i = 1..R, j = 1..C
 *
 * with independent random r, c, e (crossed random effects, one value in a cell: Cornfield and Tukey
 * 1956). The variance of the mean is estimated
 *
 *     over rows      v_r = s^2(row means) / R                                     R - 1 df
 *     over columns   v_c = s^2(column means) / C                                  C - 1 df
 *     over both      v_r + v_c - MS_e / (R C)    (MS_e: of what neither explains)
 *
 * the last with degrees of freedom after Satterthwaite 1946, and never below the larger of the
 * other two. With few rows both the estimate and its degrees of freedom are unsteady; so an
 * interval over both is at least as wide as either of the others, and its p at least as large.
 * Simulated errors: `make calibrate`. Further reading: Owen 2007, "The pigeonhole bootstrap", on
 * what goes wrong where one of the two is resampled alone.
 *
 * Columns stand in an order, in which neighbours may be alike, as in a text. They then count for
 * fewer: C (1 - a) / (1 + a) in place of C (Bayley and Hammersley 1946), with a the correlation of
 * neighbouring column means, corrected for its bias (Kendall 1954), cut at 0; never below 2. With
 * fewer than CROSSED_ALIKE columns it cannot be told, and is taken as 0. */
#ifndef SWEEP_JUDGE_CROSSED_H
#define SWEEP_JUDGE_CROSSED_H

#include <stdbool.h>

enum { CROSSED_ALIKE = 16 };
enum crossed_over { CROSSED_ROWS, CROSSED_COLUMNS, CROSSED_BOTH, CROSSED_OVER };

struct crossed {
    int rows, columns; /* 0: there is no table */
    double mean;
    double effective;        /* columns that they count for: at most `columns` */
    double se[CROSSED_OVER]; /* of the mean; NaN with fewer than 2 rows (columns; either); 0 where
                                nothing varies */
    double df[CROSSED_OVER]; /* NaN likewise, and where se is 0 */
};

/* x (rows, columns), rows >= 1, columns >= 1; size: the largest magnitude of the numbers that it
 * was computed from. Spread that their rounding explains is none. */
struct crossed crossed_new(const double *x, int rows, int columns, double size);

/* Whether a test over rows and columns is possible. */
bool crossed_testable(const struct crossed *c);

/* Two-sided p of "the true mean is 0"; NaN where it is not testable. */
double crossed_p(const struct crossed *c, enum crossed_over over);

/* One-sided p of "the true mean is at most `bound`", over both; NaN likewise. */
double crossed_above(const struct crossed *c, double bound);

/* Interval of the mean, 0 < level < 1; NaN likewise. */
void crossed_interval(const struct crossed *c, enum crossed_over over, double level, double *low,
                      double *high);

#endif
