#include "sweep/report/report_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/report/report_compare_read.h"
#include "sweep/report/sample.h"

/* ---- blocks ---- */

static struct compare_block *add_block(struct report_compare *c, const struct report_setting *name)
{
    c->block = arena_grow(&c->scope->arena, c->block, (size_t)c->blocks, sizeof *c->block);
    c->block[c->blocks] = (struct compare_block){.name = name};
    return &c->block[c->blocks++];
}

static struct compare_block *block_of(const struct report_compare *c, const char *setting)
{
    for (int i = 0; i < c->blocks; i++)
        if (strcmp(c->block[i].name->setting, setting) == 0)
            return &c->block[i];
    return NULL;
}

/* Puts the settings beside one another. */
static void make_blocks(struct report_compare *c)
{
    for (int i = 0; i < c->sweeps; i++) {
        const struct report_data *r = c->sweep[i];
        for (int k = 0; k < r->settings && r->settings > 1; k++) {
            struct compare_block *b = block_of(c, r->setting[k].setting);
            b = b ? b : add_block(c, &r->setting[k]);
            b->set[i] = &r->setting[k];
        }
    }
    for (int i = 0; i < c->sweeps; i++) {
        const struct report_data *r = c->sweep[i];
        if (r->settings != 1)
            continue;
        if (c->blocks == 0)
            add_block(c, &r->setting[0]);
        for (int k = 0; k < c->blocks; k++)
            c->block[k].set[i] = &r->setting[0];
    }
    for (int k = 0; k < c->blocks; k++)
        while (!c->block[k].set[c->block[k].base])
            c->block[k].base++;
}

static int compare_lines(const void *a, const void *b)
{
    int64_t x = ((const struct compare_line *)a)->heads;
    int64_t y = ((const struct compare_line *)b)->heads;
    return (x > y) - (x < y);
}

/* Every head count that one of the block's settings has. */
static void make_lines(struct report_compare *c, struct compare_block *b)
{
    int most = 0, n = 0;
    for (int i = 0; i < c->sweeps; i++)
        most += b->set[i] ? b->set[i]->verdict->rows : 0;
    b->line = arena_alloc(&c->scope->arena, (size_t)most, sizeof *b->line);
    for (int i = 0; i < c->sweeps; i++)
        for (int k = 0; b->set[i] && k < b->set[i]->verdict->rows; k++)
            b->line[n++].heads = b->set[i]->verdict->row[k].heads;
    qsort(b->line, (size_t)n, sizeof *b->line, compare_lines);
    for (int i = 0; i < n; i++)
        if (b->lines == 0 || b->line[i].heads != b->line[b->lines - 1].heads)
            b->line[b->lines++] = b->line[i];
}

/* ---- differences ---- */

/* Index of a head count in the setting's rows, -1 where it has none. */
static int row_of(const struct report_setting *set, int64_t heads)
{
    for (int i = 0; set && i < set->verdict->rows; i++)
        if (set->verdict->row[i].heads == heads)
            return i;
    return -1;
}

/* The test value of each unit, bad trials as guesses, by rising unit. A head count that did not
 * finish has none. */
static struct sample sample_of(struct scope *x, const struct report_setting *set, int row)
{
    const struct verdict_heads *h = &set->input.heads[row];
    struct sample sample = {0};
    int in_unit = 0; /* trials of the newest unit */
    for (int i = 0; i < h->n && set->verdict->row[row].limited == 0; i++) {
        const struct verdict_trial *t = &h->trial[i];
        int64_t unit = set->input.replicated ? t->unit : t->seed;
        double value = t->bad ? verdict_guess(set->verdict, t) : t->test;
        if (isnan(value))
            continue;
        if (sample.n && sample.unit[sample.n - 1] == unit) {
            double *mean = &sample.value[sample.n - 1];
            *mean += (value - *mean) / ++in_unit;
        } else {
            sample_add(x, &sample, unit, value);
            in_unit = 1;
        }
    }
    return sample;
}

static bool same_replicates(const struct verdict_input *a, const struct verdict_input *b)
{
    return !a->replicated == !b->replicated &&
           (!a->replicated || strcmp(a->replicated, b->replicated) == 0);
}

static void compare_line(const struct report_compare *c, const struct compare_block *b,
                         struct compare_line *line, const struct compare_tasks *tasks)
{
    const struct report_setting *base = b->set[b->base];
    int first = row_of(base, line->heads);
    const struct sample sample = first < 0 ? NO_SAMPLE : sample_of(c->scope, base, first);
    const char *task = compare_tasks_of(&tasks[b->base], base->setting, line->heads);
    for (int i = 0; i < c->sweeps; i++) {
        const struct report_setting *set = b->set[i];
        int row = row_of(set, line->heads);
        struct compare_cell *cell = &line->cell[i];
        cell->row = row < 0 ? NULL : &set->verdict->row[row];
        if (i == b->base || row < 0)
            continue;
        const struct sample other = sample_of(c->scope, set, row);
        bool same = same_replicates(&base->input, &set->input) &&
                    strcmp(task, compare_tasks_of(&tasks[i], set->setting, line->heads)) == 0;
        cell->diff = sample_difference(&sample, &other, same);
    }
}

/* ---- all of it ---- */

static bool judged_by_loss(const struct report_data *r)
{
    return r->settings > 0 && r->setting[0].input.loss;
}

static void check_metrics(const struct report_compare *c)
{
    for (int i = 1; i < c->sweeps; i++)
        if (judged_by_loss(c->sweep[i]) != judged_by_loss(c->sweep[0]))
            scope_fail(c->scope, STATUS_BAD_INPUT,
                       "%s and %s have different metrics: one is judged by accuracy, the other by "
                       "loss; compare sweeps of one metric",
                       c->sweep[0]->name, c->sweep[i]->name);
}

struct report_compare *report_compare_new(struct scope *x, const int64_t *sweep_id, int sweeps,
                                          bool rows)
{
    struct report_compare *c = arena_alloc(&x->arena, 1, sizeof *c);
    struct compare_tasks tasks[COMPARE_MAX] = {{0}};
    c->scope = x;
    for (int i = 0; i < sweeps; i++) {
        c->sweep[c->sweeps++] = report_data_read(x, sweep_id[i], rows);
        compare_read_options(c, i, sweep_id[i]);
        tasks[i] = compare_read_tasks(x, sweep_id[i]);
    }
    check_metrics(c);
    compare_keep_differing(c);
    make_blocks(c);
    for (int k = 0; k < c->blocks; k++) {
        make_lines(c, &c->block[k]);
        for (int i = 0; i < c->block[k].lines; i++)
            compare_line(c, &c->block[k], &c->block[k].line[i], tasks);
    }
    return c;
}
