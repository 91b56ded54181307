/* What the best head count follows, over a map of settings: with h* the lower edge of a cell,
 *
 *     log2 h* = b0 + b1 log2 axis1 + b2 log2 axis2
 *
 * by least squares over the cells, with 95% intervals by the bootstrap over seeds (Efron and
 * Tibshirani 1993, chapter 13: percentile intervals). Pure functions; nothing is random.
 *
 * h* is the fewest heads whose mean lies within `tolerance` of the cell's best mean. It is an
 * estimate, not the outcome of tests: the smallest head count that tests cannot tell from the best
 * falls as seeds become fewer, and a line through such would follow the seeds as much as the task.
 *
 * A draw takes as many seeds as there are, with replacement, the same ones for every cell and head
 * count (a seed has the same batches at all of them), finds h* of each cell again and fits again.
 * Where a cell has nothing at the drawn seeds it is left out of that draw. */
#ifndef SWEEP_JUDGE_FIT_H
#define SWEEP_JUDGE_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/scope.h"

enum { FIT_AXES_MAX = 2, FIT_TERMS_MAX = 1 + FIT_AXES_MAX, FIT_DRAWS = 9999 };

/* So many more cells than coefficients make a fit: with one more it fits almost whatever they are.
 */
enum { FIT_CELLS_SPARE = 2 };

/* Minimizes |y - X b|, x (n, terms) row by row, y (n), by Gram and Schmidt's orthogonalization,
 * done twice. work: scratch of n * (terms + 1). False, with b (terms) untouched, where the columns
 * of X are linearly dependent or n < terms. *r2: share of the variance of y that the fit explains,
 * for an X whose first column is 1; NaN where y is constant. 1 <= terms <= FIT_TERMS_MAX. */
bool fit_least_squares(int n, int terms, const double *x, const double *y, double *work, double *b,
                       double *r2);

struct fit_heads {
    int64_t heads;
    const double *value; /* (units): larger is better; NaN: no result at this seed */
};

struct fit_cell {
    double axis[FIT_AXES_MAX];     /* > 0 */
    int count;                     /* 0: the cell is left out */
    const struct fit_heads *heads; /* by rising head count */
};

struct fit_input {
    int axes; /* 1 or 2 */
    int cells;
    const struct fit_cell *cell;
    int units; /* seeds, or whatever is resampled, of all cells together */
    double tolerance;
};

/* h* of a cell where unit u counts weight[u] times; 0 where no head count has a value. */
int64_t fit_edge(const struct fit_cell *c, const int *weight, int units, double tolerance);

/* Whether that h* is the smallest head count tried, so that it may lie lower still. */
bool fit_at_floor(const struct fit_cell *c, int64_t edge);

struct fit_term {
    double estimate, low, high;
};

struct fit {
    int cells;     /* that have an h* */
    int floor;     /* of those: fit_at_floor */
    bool possible; /* FIT_CELLS_SPARE more cells than terms, and axes that vary apart */
    struct fit_term term[FIT_TERMS_MAX]; /* b0, b1, b2; NaN where it is not possible */
    double r2;
    int draws; /* of FIT_DRAWS that could be fitted; the intervals are theirs */
};

/* Fits the map; low and high are NaN where fewer than half of the draws could be fitted or there is
 * only one unit. */
struct fit fit_map(struct scope *x, const struct fit_input *in);

#endif
