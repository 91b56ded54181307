#include "sweep/ask/design.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/file.h"

/* ---- the tables ---- */

static const struct design_size text_sizes[] = {
    {"text-32x1", 32, 1, 64, 32, 16, "[5e-3, 15e-3, 45e-3]", 200, 1480},
    {"text-32x2", 32, 2, 128, 64, 16, "[5e-3, 15e-3, 45e-3]", 400, 2000},
    {"text-64x2", 64, 2, 256, 64, 32, "[5e-3, 15e-3, 45e-3]", 600, 4000},
    {"text-128x2", 128, 2, 512, 128, 32, "[2e-3, 6e-3, 18e-3]", 1600, 10000},
    {"text-128x4", 128, 4, 512, 256, 32, "[1e-3, 3e-3, 9e-3]", 4000, 40000},
};

static const struct design_size rows_sizes[] = {
    {"rows-32x1", 32, 1, 64, 0, 32, "[3e-3, 1e-2, 3e-2]", 200, 1000},
    {"rows-64x2", 64, 2, 128, 0, 32, "[2e-3, 6e-3, 18e-3]", 400, 3000},
    {"rows-128x2", 128, 2, 512, 0, 32, "[1e-3, 3e-3, 9e-3]", 1600, 10000},
};

/* One width only: how many heads a toy takes hangs on it more than on anything else. And few steps:
 * after 800 one head has .985 of gather with 3 slots, after 3000 it has all but all of it. */
static const struct design_size toy_sizes[] = {
    {"toy-32", 32, 1, 64, 0, 64, "[3e-3, 1e-2, 3e-2, 1e-1]", 200, 800},
};

static const struct design_kind kinds[LOOK_KINDS] = {
    [LOOK_TEXT] = {text_sizes, sizeof text_sizes / sizeof *text_sizes, .02,
                   "nats, .03 bits per byte", 40},
    [LOOK_ROWS] = {rows_sizes, sizeof rows_sizes / sizeof *rows_sizes, .01, "one row in a hundred",
                   60},
    [LOOK_TOY] = {toy_sizes, sizeof toy_sizes / sizeof *toy_sizes, .01, "one answer in a hundred",
                  0},
};

/* Few seeds explore: they only have to find what is worth confirming. More go into fresh ones,
 * which decide, and into the choice of the learning rate. */
static const struct design_level levels[] = {{1, 5, 6},   {2, 5, 8},   {2, 6, 8},   {2, 8, 8},
                                             {3, 8, 10},  {3, 10, 12}, {3, 12, 16}, {3, 16, 20},
                                             {3, 20, 24}, {4, 24, 32}};

/* Lengths to which the texts of rows are cut. */
static const long row_lengths[] = {32, 64, 128, 256};

const struct design_kind *design_kind(enum look_kind kind)
{
    return &kinds[kind];
}

const struct design_size *design_size(const struct design *d)
{
    return &kinds[d->kind].size[d->size];
}

int design_levels(void)
{
    return sizeof levels / sizeof *levels;
}

const struct design_level *design_level(const struct design *d)
{
    return &levels[d->level];
}

void design_set_level(struct design *d, int level)
{
    d->level = level;
    d->seeds = levels[level].seeds;
    d->confirm = levels[level].confirm;
}

long design_row_length(const struct look *l)
{
    size_t last = sizeof row_lengths / sizeof *row_lengths - 1, i = 0;
    while (i < last && row_lengths[i] < l->typical)
        i++;
    return row_lengths[i];
}

static long whole_steps(double steps)
{
    long whole = (long)steps / DESIGN_STEPS * DESIGN_STEPS;
    return whole > 0 ? whole : DESIGN_STEPS;
}

long design_steps_max(const struct design *d, const struct look *l)
{
    const struct design_size *size = design_size(d);
    double seen = (double)(l->batch ? l->batch : size->batch), most = (double)size->steps_max;
    if (kinds[d->kind].passes == 0)
        return size->steps_max;
    if (d->kind == LOOK_TEXT)
        seen *= (double)(l->length ? l->length : size->length);
    double all = d->kind == LOOK_TEXT
                     ? .8 * (double)look_integer(l, "size")
                     : (double)(look_integer(l, "rows") - 2 * look_integer(l, "test_rows"));
    double passed = kinds[d->kind].passes * all / seen;
    return whole_steps(passed < most ? passed : most);
}

long design_steps_min(const struct design *d, const struct look *l)
{
    long least = design_size(d)->steps_min, most = design_steps_max(d, l);
    return d->size == 0 && most < least ? most : least;
}

/* ---- names ---- */

const char *design_subject(const struct look *l)
{
    return l->kind == LOOK_TOY ? l->point.task->name : file_last_name(look_string(l, "file"));
}

void design_name(const struct look *l, const char *digits, char name[DESIGN_NAME_SIZE])
{
    enum { STEM = 48 };
    const char *subject = design_subject(l), *dot = strrchr(subject, '.');
    size_t n = dot && dot > subject ? (size_t)(dot - subject) : strlen(subject), used = 0;
    for (size_t i = 0; i < n && used < STEM; i++) {
        char c[2] = {subject[i], '\0'};
        name[used++] = (c[0] >= '0' && c[0] <= '9') || (c[0] >= 'A' && c[0] <= 'Z') ||
                               (c[0] >= 'a' && c[0] <= 'z') || c[0] == '.' || c[0] == '_'
                           ? c[0]
                           : '-';
    }
    snprintf(name + used, DESIGN_NAME_SIZE - used, "-%.6s", digits);
    if (name[0] == '-') /* which would be an option where it is typed */
        name[0] = '_';
}
