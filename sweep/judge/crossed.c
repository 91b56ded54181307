#include "sweep/judge/crossed.h"

#include <float.h>
#include <math.h>

#include "sweep/judge/stats.h"

/* ---- the analysis of variance ---- */

static double mean_of(const double *x, int n, int step)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[(size_t)i * (size_t)step];
    return sum / n;
}

/* Sums of squares of row means and column means about the mean, and of what is left of all cells;
 * neighbours: of products of column means that stand side by side. */
struct squares {
    double rows, columns, left, neighbours;
};

static struct squares squares_of(const double *x, int rows, int columns, double mean)
{
    struct squares s = {0, 0, 0, 0};
    double cells = 0, before = 0;
    for (int i = 0; i < rows; i++) {
        double r = mean_of(x + (size_t)i * (size_t)columns, columns, 1) - mean;
        s.rows += r * r;
    }
    for (int k = 0; k < columns; k++) {
        double c = mean_of(x + k, rows, columns) - mean;
        s.columns += c * c;
        s.neighbours += before * c;
        before = c;
    }
    for (int i = 0; i < rows * columns; i++)
        cells += (x[i] - mean) * (x[i] - mean);
    s.left = fmax(0, cells - columns * s.rows - rows * s.columns);
    return s;
}

/* How many independent columns they are worth. */
static double effective_columns(const struct squares *s, int columns)
{
    if (columns < CROSSED_ALIKE || !(s->columns > 0))
        return columns;
    double alike = (columns * s->neighbours / s->columns + 1) / (columns - 4);
    alike = fmin(fmax(alike, 0), 1);
    return fmax(columns * (1 - alike) / (1 + alike), 2);
}

/* The sum of two estimates less what both contain. */
static void add_both(struct crossed *c, double left, double left_df)
{
    double r = c->se[CROSSED_ROWS] * c->se[CROSSED_ROWS];
    double k = c->se[CROSSED_COLUMNS] * c->se[CROSSED_COLUMNS];
    double row_df = c->df[CROSSED_ROWS], column_df = c->df[CROSSED_COLUMNS];
    double sum = r + k - left, larger = fmax(r, k);
    double spread = r * r / row_df + k * k / column_df + left * left / left_df;
    bool below = sum < larger;
    c->se[CROSSED_BOTH] = sqrt(below ? larger : sum);
    c->df[CROSSED_BOTH] = below ? (r > k ? row_df : column_df) : sum * sum / spread;
}

struct crossed crossed_new(const double *x, int rows, int columns, double size)
{
    struct crossed c = {.rows = rows, .columns = columns, .mean = mean_of(x, rows * columns, 1)};
    struct squares s = squares_of(x, rows, columns, c.mean);
    double left_df = (rows - 1.) * (columns - 1);
    c.effective = effective_columns(&s, columns);
    for (int i = 0; i < CROSSED_OVER; i++)
        c.se[i] = c.df[i] = NAN;
    if (rows > 1) {
        c.se[CROSSED_ROWS] = sqrt(s.rows / (rows - 1) / rows);
        c.df[CROSSED_ROWS] = rows - 1;
    }
    if (columns > 1) {
        c.se[CROSSED_COLUMNS] = sqrt(s.columns / (columns - 1) / c.effective);
        c.df[CROSSED_COLUMNS] = c.effective - 1;
    }
    if (rows > 1 && columns > 1)
        add_both(&c, s.left / left_df / rows / columns, left_df);
    for (int i = 0; i < CROSSED_OVER; i++)
        if (c.se[i] <= 4 * DBL_EPSILON * size) {
            c.se[i] = 0;
            c.df[i] = NAN;
        }
    return c;
}

/* ---- tests and intervals ---- */

bool crossed_testable(const struct crossed *c)
{
    return c->columns > 0 && c->se[CROSSED_BOTH] > 0;
}

/* Asks `of` over rows, columns and both, and takes the largest answer; NaN are none. */
static double largest(const struct crossed *c, double (*of)(double se, double df, double x),
                      double x)
{
    double most = NAN;
    for (int i = 0; i < CROSSED_OVER; i++)
        if (c->se[i] > 0)
            most = fmax(most, of(c->se[i], c->df[i], x));
    return most;
}

static double two_sided(double se, double df, double distance)
{
    return stats_t_p(distance / se, df);
}

static double one_sided(double se, double df, double distance)
{
    double both = two_sided(se, df, distance);
    return distance > 0 ? both / 2 : 1 - both / 2;
}

static double half_width(double se, double df, double level)
{
    return se * stats_t_quantile((1 + level) / 2, df);
}

double crossed_p(const struct crossed *c, enum crossed_over over)
{
    if (over == CROSSED_BOTH)
        return crossed_testable(c) ? largest(c, two_sided, c->mean) : NAN;
    return c->se[over] > 0 ? two_sided(c->se[over], c->df[over], c->mean) : NAN;
}

double crossed_above(const struct crossed *c, double bound)
{
    return crossed_testable(c) ? largest(c, one_sided, c->mean - bound) : NAN;
}

void crossed_interval(const struct crossed *c, enum crossed_over over, double level, double *low,
                      double *high)
{
    double half = NAN;
    if (over == CROSSED_BOTH)
        half = crossed_testable(c) ? largest(c, half_width, level) : NAN;
    else if (c->se[over] > 0)
        half = half_width(c->se[over], c->df[over], level);
    *low = c->mean - half;
    *high = c->mean + half;
}
