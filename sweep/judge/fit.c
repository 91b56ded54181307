#include "sweep/judge/fit.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/rng.h"

/* ---- least squares ---- */

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Column c of a matrix (n, ...) that is stored column by column. */
static double *column(double *q, int n, int c)
{
    return q + (ptrdiff_t)c * n;
}

/* Takes out of column c of q what lies along the columns before it, which are orthonormal, and adds
 * the shares to r. The second pass removes what rounding left of the first (Giraud et al. 2005). */
static void orthogonalize(int n, int c, int before, double *q, double r[FIT_TERMS_MAX])
{
    for (int pass = 0; pass < 2; pass++) {
        for (int p = 0; p < before; p++) {
            const double *along = column(q, n, p);
            double *of = column(q, n, c);
            double share = dot(n, along, of);
            r[p] += share;
            for (int i = 0; i < n; i++)
                of[i] -= share * along[i];
        }
    }
}

static double explained(int n, const double *y, const double *residual)
{
    double mean = 0, total = 0;
    for (int i = 0; i < n; i++)
        mean += y[i] / n;
    for (int i = 0; i < n; i++)
        total += (y[i] - mean) * (y[i] - mean);
    return total > 0 ? 1 - dot(n, residual, residual) / total : NAN;
}

bool fit_least_squares(int n, int terms, const double *x, const double *y, double *work, double *b,
                       double *r2)
{
    double r[FIT_TERMS_MAX + 1][FIT_TERMS_MAX] = {{0}}; /* column c in terms of those before it */
    double *residual = column(work, n, terms);
    if (n < terms)
        return false;
    for (int c = 0; c < terms; c++) {
        double *q = column(work, n, c);
        for (int i = 0; i < n; i++)
            q[i] = x[i * terms + c];
        double size = sqrt(dot(n, q, q));
        orthogonalize(n, c, c, work, r[c]);
        double left = sqrt(dot(n, q, q));
        if (!(left > 1e-10 * size))
            return false;
        r[c][c] = left;
        for (int i = 0; i < n; i++)
            q[i] /= left;
    }
    memcpy(residual, y, (size_t)n * sizeof *y);
    orthogonalize(n, terms, terms, work, r[terms]);
    for (int c = terms - 1; c >= 0; c--) {
        b[c] = r[terms][c];
        for (int k = c + 1; k < terms; k++)
            b[c] -= r[k][c] * b[k];
        b[c] /= r[c][c];
    }
    *r2 = explained(n, y, residual);
    return true;
}

/* ---- h* ---- */

static double weighted_mean(const double *value, const int *weight, int units)
{
    double sum = 0;
    int n = 0;
    for (int u = 0; u < units; u++) {
        if (weight[u] && !isnan(value[u])) {
            sum += weight[u] * value[u];
            n += weight[u];
        }
    }
    return n ? sum / n : NAN;
}

int64_t fit_edge(const struct fit_cell *c, const int *weight, int units, double tolerance)
{
    double best = -INFINITY;
    for (int i = 0; i < c->count; i++)
        best = fmax(best, weighted_mean(c->heads[i].value, weight, units));
    /* Rounding must not shut out a mean that is exactly the tolerance away; NaN compares false. */
    for (int i = 0; i < c->count; i++)
        if (weighted_mean(c->heads[i].value, weight, units) >= best - tolerance - 1e-12)
            return c->heads[i].heads;
    return 0;
}

bool fit_at_floor(const struct fit_cell *c, int64_t edge)
{
    return c->count > 0 && edge == c->heads[0].heads;
}

/* ---- the map ---- */

struct mapper {
    const struct fit_input *in;
    double *x /* (cells, terms) */, *y /* (cells) */, *work;
    int *weight;   /* (units) */
    double *drawn; /* (terms, FIT_DRAWS): b of each draw that could be fitted */
};

/* Fits the cells that have an h* under the present weights, which it counts. */
static bool fit_cells(struct mapper *a, int *cells, int *floor, double *b, double *r2)
{
    const struct fit_input *in = a->in;
    int terms = 1 + in->axes;
    *cells = *floor = 0;
    for (int i = 0; i < in->cells; i++) {
        const struct fit_cell *c = &in->cell[i];
        int64_t edge = fit_edge(c, a->weight, in->units, in->tolerance);
        if (edge == 0)
            continue;
        *floor += fit_at_floor(c, edge);
        a->y[*cells] = log2((double)edge);
        double *row = a->x + (ptrdiff_t)(*cells)++ * terms;
        row[0] = 1;
        for (int k = 0; k < in->axes; k++)
            row[1 + k] = log2(c->axis[k]);
    }
    return *cells > terms && fit_least_squares(*cells, terms, a->x, a->y, a->work, b, r2);
}

static void draw_units(struct mapper *a, int draw)
{
    static const uint32_t key[2] = {0x626F6F74 /* "boot" */, 1};
    uint32_t units = (uint32_t)a->in->units;
    struct rng_block block = {{0}};
    memset(a->weight, 0, units * sizeof *a->weight);
    for (uint32_t i = 0; i < units; i++) {
        if (i % 4 == 0)
            block = rng_philox(key, (uint32_t[4]){i / 4, (uint32_t)draw, 0, 0});
        a->weight[(uint64_t)block.word[i % 4] * units >> 32]++;
    }
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void bootstrap(struct mapper *a, struct fit *f)
{
    int terms = 1 + a->in->axes, cells, floor;
    double b[FIT_TERMS_MAX], r2;
    for (int draw = 0; draw < FIT_DRAWS; draw++) {
        draw_units(a, draw);
        if (!fit_cells(a, &cells, &floor, b, &r2))
            continue;
        for (int t = 0; t < terms; t++)
            a->drawn[t * FIT_DRAWS + f->draws] = b[t];
        f->draws++;
    }
    if (f->draws <= FIT_DRAWS / 2)
        return;
    int tail = (f->draws + 1) / 40; /* of 9999 draws the 250th from below and from above */
    for (int t = 0; t < terms; t++) {
        double *drawn = column(a->drawn, FIT_DRAWS, t);
        qsort(drawn, (size_t)f->draws, sizeof *drawn, compare_reals);
        f->term[t].low = drawn[tail - 1];
        f->term[t].high = drawn[f->draws - tail];
    }
}

struct fit fit_map(struct scope *x, const struct fit_input *in)
{
    size_t cells = (size_t)in->cells, terms = 1 + (size_t)in->axes;
    struct mapper a = {.in = in,
                       .x = arena_alloc(&x->arena, cells * terms, sizeof *a.x),
                       .y = arena_alloc(&x->arena, cells, sizeof *a.y),
                       .work = arena_alloc(&x->arena, cells * (terms + 1), sizeof *a.work),
                       .weight = arena_alloc(&x->arena, (size_t)in->units, sizeof *a.weight),
                       .drawn = arena_alloc(&x->arena, terms * FIT_DRAWS, sizeof *a.drawn)};
    double b[FIT_TERMS_MAX] = {0};
    struct fit f = {.r2 = NAN};
    for (int t = 0; t < FIT_TERMS_MAX; t++)
        f.term[t] = (struct fit_term){NAN, NAN, NAN};
    for (int u = 0; u < in->units; u++)
        a.weight[u] = 1;
    f.possible =
        fit_cells(&a, &f.cells, &f.floor, b, &f.r2) && f.cells >= (int)terms + FIT_CELLS_SPARE;
    for (size_t t = 0; t < terms && f.possible; t++)
        f.term[t].estimate = b[t];
    if (f.possible && in->units > 1)
        bootstrap(&a, &f);
    return f;
}
