#include "sweep/report/report_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "sweep/report/report_compare_read.h"

/* ---- blocks ---- */

static struct compare_block *add_block(struct report_compare *c, const struct report_setting *name)
{
    struct compare_block *grown = array_grow(c->block, (size_t)c->blocks, sizeof *grown);
    if (!grown)
        return NULL;
    c->block = grown;
    grown[c->blocks] = (struct compare_block){.name = name};
    return &grown[c->blocks++];
}

static struct compare_block *block_of(const struct report_compare *c, const char *setting)
{
    for (int i = 0; i < c->blocks; i++)
        if (strcmp(c->block[i].name->setting, setting) == 0)
            return &c->block[i];
    return NULL;
}

/* Puts the settings beside one another. */
static enum status make_blocks(struct report_compare *c, struct message *m)
{
    for (int i = 0; i < c->sweeps; i++) {
        const struct report_data *r = c->sweep[i];
        for (int k = 0; k < r->settings && r->settings > 1; k++) {
            struct compare_block *b = block_of(c, r->setting[k].setting);
            if (!b && !(b = add_block(c, &r->setting[k])))
                return status_no_memory(m, "the comparison");
            b->set[i] = &r->setting[k];
        }
    }
    for (int i = 0; i < c->sweeps; i++) {
        const struct report_data *r = c->sweep[i];
        if (r->settings != 1)
            continue;
        if (c->blocks == 0 && !add_block(c, &r->setting[0]))
            return status_no_memory(m, "the comparison");
        for (int k = 0; k < c->blocks; k++)
            c->block[k].set[i] = &r->setting[0];
    }
    for (int k = 0; k < c->blocks; k++)
        while (!c->block[k].set[c->block[k].base])
            c->block[k].base++;
    return STATUS_OK;
}

static int compare_lines(const void *a, const void *b)
{
    int64_t x = ((const struct compare_line *)a)->heads;
    int64_t y = ((const struct compare_line *)b)->heads;
    return (x > y) - (x < y);
}

/* Every head count that one of the block's settings has. */
static enum status make_lines(struct report_compare *c, struct compare_block *b, struct message *m)
{
    int most = 0, n = 0;
    for (int i = 0; i < c->sweeps; i++)
        most += b->set[i] ? b->set[i]->verdict->rows : 0;
    b->line = calloc((size_t)most + 1, sizeof *b->line);
    if (!b->line)
        return status_no_memory(m, "the comparison");
    for (int i = 0; i < c->sweeps; i++)
        for (int k = 0; b->set[i] && k < b->set[i]->verdict->rows; k++)
            b->line[n++].heads = b->set[i]->verdict->row[k].heads;
    qsort(b->line, (size_t)n, sizeof *b->line, compare_lines);
    for (int i = 0; i < n; i++)
        if (b->lines == 0 || b->line[i].heads != b->line[b->lines - 1].heads)
            b->line[b->lines++] = b->line[i];
    return STATUS_OK;
}

/* ---- differences ---- */

/* Room for a sample of one head count: for all of its trials. */
struct unit_arrays {
    int64_t *unit;
    double *value;
};

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
static struct compare_sample sample_of(const struct report_setting *set, int row,
                                       struct unit_arrays *s)
{
    const struct verdict_heads *h = &set->input.heads[row];
    struct compare_sample sample = {0, s->unit, s->value};
    int in_unit = 0; /* trials of the newest unit */
    for (int i = 0; i < h->n && set->verdict->row[row].limited == 0; i++) {
        const struct verdict_trial *t = &h->trial[i];
        int64_t unit = set->input.replicated ? t->unit : t->seed;
        double value = t->bad ? set->verdict->guess : t->test;
        if (isnan(value))
            continue;
        if (sample.n && s->unit[sample.n - 1] == unit) {
            double *mean = &s->value[sample.n - 1];
            *mean += (value - *mean) / ++in_unit;
        } else {
            s->unit[sample.n] = unit;
            s->value[sample.n++] = value;
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
                         struct compare_line *line, const struct compare_tasks *tasks,
                         struct unit_arrays *x, struct unit_arrays *y)
{
    const struct report_setting *base = b->set[b->base];
    int first = row_of(base, line->heads);
    struct compare_sample sample = {0};
    if (first >= 0)
        sample = sample_of(base, first, x);
    const char *task = compare_tasks_of(&tasks[b->base], base->setting, line->heads);
    for (int i = 0; i < c->sweeps; i++) {
        const struct report_setting *set = b->set[i];
        int row = row_of(set, line->heads);
        struct compare_cell *cell = &line->cell[i];
        cell->row = row < 0 ? NULL : &set->verdict->row[row];
        if (i == b->base || row < 0)
            continue;
        struct compare_sample other = sample_of(set, row, y);
        bool same = same_replicates(&base->input, &set->input) &&
                    strcmp(task, compare_tasks_of(&tasks[i], set->setting, line->heads)) == 0;
        cell->diff = compare_samples(&sample, &other, same);
    }
}

/* Room for the trials of any head count. */
static size_t most_trials(const struct report_compare *c)
{
    size_t most = 1;
    for (int i = 0; i < c->sweeps; i++)
        for (int k = 0; k < c->sweep[i]->settings; k++)
            for (int h = 0; h < c->sweep[i]->setting[k].input.count; h++) {
                size_t n = (size_t)c->sweep[i]->setting[k].input.heads[h].n;
                most = n > most ? n : most;
            }
    return most;
}

static enum status compare_blocks(struct report_compare *c, const struct compare_tasks *tasks,
                                  struct message *m)
{
    size_t most = most_trials(c);
    int64_t *unit = calloc(2 * most, sizeof *unit);
    double *value = calloc(2 * most, sizeof *value);
    enum status status = STATUS_OK;
    if (!unit || !value) {
        free(unit);
        free(value);
        return status_no_memory(m, "the comparison");
    }
    for (int k = 0; k < c->blocks && status == STATUS_OK; k++) {
        struct unit_arrays x = {unit, value}, y = {unit + most, value + most};
        status = make_lines(c, &c->block[k], m);
        for (int i = 0; i < c->block[k].lines && status == STATUS_OK; i++)
            compare_line(c, &c->block[k], &c->block[k].line[i], tasks, &x, &y);
    }
    free(unit);
    free(value);
    return status;
}

/* ---- all of it ---- */

static bool judged_by_loss(const struct report_data *r)
{
    return r->settings > 0 && r->setting[0].input.loss;
}

static enum status check_metrics(const struct report_compare *c, struct message *m)
{
    for (int i = 1; i < c->sweeps; i++)
        if (judged_by_loss(c->sweep[i]) != judged_by_loss(c->sweep[0]))
            return status_fail(m, STATUS_BAD_INPUT,
                               "of %s and %s one is judged by accuracy, the other by loss: "
                               "compare sweeps of one metric",
                               c->sweep[0]->name, c->sweep[i]->name);
    return STATUS_OK;
}

enum status report_compare_new(struct store *s, const int64_t *sweep_id, int sweeps,
                               struct report_compare **out, struct message *m)
{
    struct report_compare *c = calloc(1, sizeof *c);
    struct compare_tasks tasks[COMPARE_MAX] = {{0}};
    enum status status = STATUS_OK;
    *out = NULL;
    if (!c)
        return status_no_memory(m, "the comparison");
    for (int i = 0; i < sweeps && status == STATUS_OK; i++) {
        status = report_data_read(s, sweep_id[i], false, &c->sweep[i], m);
        c->sweeps += status == STATUS_OK;
        if (status == STATUS_OK)
            status = compare_read_options(s, c, i, sweep_id[i], m);
        if (status == STATUS_OK)
            status = compare_read_tasks(s, sweep_id[i], &tasks[i], m);
    }
    if (status == STATUS_OK)
        status = check_metrics(c, m);
    if (status == STATUS_OK) {
        compare_keep_differing(c);
        status = make_blocks(c, m);
    }
    if (status == STATUS_OK)
        status = compare_blocks(c, tasks, m);
    for (int i = 0; i < COMPARE_MAX; i++)
        compare_tasks_free(&tasks[i]);
    if (status != STATUS_OK) {
        report_compare_free(c);
        return status;
    }
    *out = c;
    return STATUS_OK;
}

void report_compare_free(struct report_compare *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->options; i++)
        compare_option_free(&c->option[i]);
    for (int i = 0; i < c->blocks; i++)
        free(c->block[i].line);
    for (int i = 0; i < c->sweeps; i++)
        report_data_free(c->sweep[i]);
    free(c->option);
    free(c->block);
    free(c);
}
