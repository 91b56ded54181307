/* Least squares against NIST's certified values and NumPy (tests/data/stats, made by make_fit.py);
 * the bootstrap against all the draws there are. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/judge/fit.h"

#include "tests/sweep/scope_help.h"
#include "tests/test.h"

static void assert_close(double actual, double expected, double relative, const char *what)
{
    if (!(fabs(actual - expected) <= 1e-12 + relative * fabs(expected)))
        fail_msg("%s: %.17g, expected %.17g", what, actual, expected);
}

/* Norris of the NIST Statistical Reference Datasets, linear regression: y, x. */
static const double NORRIS[36][2] = {
    {.1, .2},       {338.8, 337.4}, {118.1, 118.2}, {888, 884.6},   {9.2, 10.1},    {228.1, 226.5},
    {668.5, 666.3}, {998.5, 996.3}, {449.1, 448.6}, {778.9, 777},   {559.2, 558.2}, {.3, .4},
    {.1, .6},       {778.1, 775.5}, {668.8, 666.9}, {339.3, 338},   {448.9, 447.5}, {10.8, 11.6},
    {557.7, 556},   {228.3, 228.1}, {998, 995.8},   {888.8, 887.6}, {119.6, 120.2}, {.3, .3},
    {.6, .3},       {557.6, 556.8}, {339.3, 339.1}, {888, 887.2},   {998.5, 999},   {778.9, 779},
    {10.2, 11.1},   {117.6, 118.3}, {228.9, 229.2}, {668.4, 669.1}, {449.2, 448.9}, {.2, .5}};

TEST(test_nist)
{
    double x[72], y[36], work[108], b[2], r2;
    for (int i = 0; i < 36; i++) {
        y[i] = NORRIS[i][0];
        x[2 * i] = 1;
        x[2 * i + 1] = NORRIS[i][1];
    }
    assert_true(fit_least_squares(36, 2, x, y, work, b, &r2));
    assert_close(b[0], -0.262323073774029, 1e-11, "intercept");
    assert_close(b[1], 1.00211681802045, 1e-13, "slope");
    assert_close(r2, 0.999993745883712, 1e-13, "R squared");
}

TEST(test_numpy)
{
    char line[16384];
    int rows = 0;
    FILE *in = fopen("tests/data/stats/fit.csv", "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    for (; fgets(line, sizeof line, in); rows++) {
        double v[256], x[150], y[50], work[200], b[FIT_TERMS_MAX], r2;
        int count = 0;
        for (char *rest = line, *field; (field = strsep(&rest, ",")) && count < 256; count++)
            v[count] = strtod(field, NULL);
        int n = (int)v[0], terms = (int)v[1];
        assert_int_equal(count, 2 + terms + 1 + n * (terms + 1));
        const double *expected = v + 2, *data = v + 3 + terms;
        for (int i = 0; i < n; i++) {
            memcpy(x + i * terms, data + i * (terms + 1), (size_t)terms * sizeof *x);
            y[i] = data[i * (terms + 1) + terms];
        }
        assert_true(fit_least_squares(n, terms, x, y, work, b, &r2));
        for (int t = 0; t < terms; t++)
            assert_close(b[t], expected[t], 1e-8, "coefficient");
        assert_close(r2, expected[terms], 1e-8, "R squared");
    }
    fclose(in);
    assert_int_equal(rows, 5);
}

TEST(test_impossible)
{
    double work[16], b[2] = {7, 7}, r2;
    const double same[] = {1, 3, 1, 3, 1, 3}, y[] = {1, 2, 3};
    assert_false(fit_least_squares(3, 2, same, y, work, b, &r2));
    assert_false(fit_least_squares(1, 2, same, y, work, b, &r2));
    assert_each(b[0] == 7, b[1] == 7);
    const double x[] = {1, 1, 1, 2, 1, 4}, flat[] = {2, 2, 2};
    assert_true(fit_least_squares(3, 2, x, flat, work, b, &r2));
    assert_close(b[0], 2, 1e-12, "constant");
    assert_true(isnan(r2));
}

/* ---- maps ---- */

enum { CELLS = 4, HEADS = 4, UNITS = 3 };

struct map {
    double value[CELLS][HEADS][UNITS];
    struct fit_heads heads[CELLS][HEADS];
    struct fit_cell cell[CELLS];
    struct fit_input in;
};

/* A map over one axis 1, 2, 4, 8 whose cell i does well from `edge[i]` heads on (1, 2, 4, 8). */
static void make_map(struct map *map, const int64_t edge[CELLS])
{
    map->in = (struct fit_input){
        .axes = 1, .cells = CELLS, .cell = map->cell, .units = UNITS, .tolerance = .005};
    for (int i = 0; i < CELLS; i++) {
        map->cell[i] = (struct fit_cell){{1 << i, NAN}, HEADS, map->heads[i]};
        for (int k = 0; k < HEADS; k++) {
            map->heads[i][k] = (struct fit_heads){1 << k, map->value[i][k]};
            for (int u = 0; u < UNITS; u++)
                map->value[i][k][u] = 1 << k >= edge[i] ? .99 + .001 * u : .5;
        }
    }
}

static struct fit fit_of(const struct map *map)
{
    struct fit f = {0};
    assert_int_equal(IN_SCOPE(x, NULL, NULL, f = fit_map(x, &map->in)), STATUS_OK);
    return f;
}

TEST(test_edge)
{
    struct map map;
    static const int each[UNITS] = {1, 1, 1}, first[UNITS] = {3, 0, 0}, last[UNITS] = {0, 0, 3};
    make_map(&map, (int64_t[]){4, 4, 4, 4});
    assert_int_equal(fit_edge(&map.cell[0], each, UNITS, .005), 4);
    /* Exactly the tolerance below the best counts as the best, further below does not. */
    for (int u = 0; u < UNITS; u++)
        map.value[0][1][u] = map.value[0][2][u] - .005;
    assert_int_equal(fit_edge(&map.cell[0], each, UNITS, .005), 2);
    assert_int_equal(fit_edge(&map.cell[0], each, UNITS, .0049), 4);
    /* Only the seeds with a weight count. */
    map.value[0][1][0] = 0;
    map.value[0][1][2] = 1;
    assert_int_equal(fit_edge(&map.cell[0], first, UNITS, .005), 4);
    assert_int_equal(fit_edge(&map.cell[0], last, UNITS, .005), 2);
    /* A seed without a result is left out; nothing but those is no edge. */
    for (int k = 0; k < HEADS; k++)
        map.value[0][k][0] = NAN;
    assert_int_equal(fit_edge(&map.cell[0], first, UNITS, .005), 0);
    assert_int_equal(fit_edge(&map.cell[0], each, UNITS, .005), 2);
}

TEST(test_map)
{
    struct map map;
    make_map(&map, (int64_t[]){1, 2, 4, 8});
    struct fit f = fit_of(&map);
    assert_true(f.possible);
    assert_int_equal(f.cells, 4);
    assert_int_equal(f.floor, 1);
    assert_int_equal(f.draws, FIT_DRAWS);
    assert_close(f.term[1].estimate, 1, 1e-12, "slope");
    assert_close(f.term[1].low, 1, 1e-12, "no spread between seeds: low");
    assert_close(f.term[1].high, 1, 1e-12, "no spread between seeds: high");
    assert_close(f.r2, 1, 1e-12, "R squared");

    /* A cell that was left out: too few; and an axis that does not vary. */
    map.cell[3].count = 0;
    f = fit_of(&map);
    assert_false(f.possible); /* a line through three has one to spare */
    assert_int_equal(f.cells, 3);
    assert_true(isnan(f.term[1].estimate));
    make_map(&map, (int64_t[]){1, 2, 4, 8});
    for (int i = 0; i < CELLS; i++)
        map.cell[i].axis[0] = 4;
    assert_false(fit_of(&map).possible);

    /* What is at the floor is so for the head counts that were tried in its cell. */
    make_map(&map, (int64_t[]){1, 2, 4, 8});
    assert_each(fit_at_floor(&map.cell[0], 1), !fit_at_floor(&map.cell[1], 2));
    map.cell[1].heads++;
    map.cell[1].count--;
    assert_true(fit_at_floor(&map.cell[1], 2));
    map.cell[0].count = 0;
    assert_each(!fit_at_floor(&map.cell[0], 1), !fit_at_floor(&map.cell[0], 0));
    assert_int_equal(fit_of(&map).floor, 1);

    /* One seed is nothing to draw from. */
    make_map(&map, (int64_t[]){1, 2, 4, 8});
    map.in.units = 1;
    f = fit_of(&map);
    assert_each(f.possible, isnan(f.term[1].low), f.draws == 0);
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Two seeds want more heads in the last cell than the third: all 27 draws of three seeds, listed,
 * have a 2.5% and a 97.5% point that the bootstrap must find. */
TEST(test_bootstrap)
{
    struct map map;
    double slope[27], work[12], y[CELLS], b[2], r2;
    double x[2 * CELLS];
    make_map(&map, (int64_t[]){1, 2, 4, 8});
    map.value[3][2][2] = map.value[3][3][2] + .001;
    map.value[3][1][2] = map.value[3][3][2] + .001;
    map.value[1][0][0] = map.value[1][1][0];
    for (int draw = 0; draw < 27; draw++) {
        int weight[UNITS] = {0};
        for (int i = 0, rest = draw; i < UNITS; i++, rest /= 3)
            weight[rest % 3]++;
        for (int i = 0; i < CELLS; i++) {
            y[i] = log2((double)fit_edge(&map.cell[i], weight, UNITS, map.in.tolerance));
            x[2 * i] = 1;
            x[2 * i + 1] = i;
        }
        assert_true(fit_least_squares(CELLS, 2, x, y, work, b, &r2));
        slope[draw] = b[1];
    }
    qsort(slope, 27, sizeof *slope, compare_reals);
    struct fit f = fit_of(&map);
    assert_true(slope[0] < slope[26]);
    assert_close(f.term[1].low, slope[0], 1e-12, "low"); /* 1 of 27 is 3.7% */
    assert_close(f.term[1].high, slope[26], 1e-12, "high");
    assert_each(f.term[1].low <= f.term[1].estimate, f.term[1].estimate <= f.term[1].high);
}

/* Forty seeds of which cell i has a result at seed[i] alone: a draw without it leaves the cell out.
 */
static struct fit sparse_fit(const int seed[CELLS])
{
    static double value[CELLS][HEADS][40];
    struct map map;
    make_map(&map, (int64_t[]){1, 2, 4, 8});
    map.in.units = 40;
    for (int i = 0; i < CELLS; i++) {
        for (int k = 0; k < HEADS; k++) {
            for (int u = 0; u < 40; u++)
                value[i][k][u] = u == seed[i] ? map.value[i][k][0] : NAN;
            map.heads[i][k].value = value[i][k];
        }
    }
    return fit_of(&map);
}

TEST(test_sparse)
{
    struct fit f = sparse_fit((int[]){5, 5, 5, 5}); /* 1 - (39/40)^40 = 64% of the draws have it */
    assert_each(f.draws > .62 * FIT_DRAWS, f.draws < .66 * FIT_DRAWS);
    assert_close(f.term[1].low, 1, 1e-12, "low");
    f = sparse_fit((int[]){5, 5, 7, 7}); /* 40% have both */
    assert_each(f.draws > .38 * FIT_DRAWS, f.draws < .42 * FIT_DRAWS);
    assert_close(f.term[1].estimate, 1, 1e-12, "slope");
    assert_each(isnan(f.term[1].low), isnan(f.term[1].high));
}
