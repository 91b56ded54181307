#include "sweep/report/report_rows.h"

#include <stdlib.h>
#include <string.h>

const struct table_column report_rows_columns[] = {{.name = "sweep"},
                                                   {.name = "setting"},
                                                   {.name = "setting_label"},
                                                   {.name = "task"},
                                                   {.name = "heads"},
                                                   {.name = "d_model"},
                                                   {.name = "n"},
                                                   {.name = "n_bad"},
                                                   {.name = "mean_acc"},
                                                   {.name = "sd_acc"},
                                                   {.name = "ci95_low"},
                                                   {.name = "ci95_high"},
                                                   {.name = "min_acc"},
                                                   {.name = "median_acc"},
                                                   {.name = "max_acc"},
                                                   {.name = "n_solved"},
                                                   {.name = "mean_train_acc"},
                                                   {.name = "mean_exact"},
                                                   {.name = "mean_train_s"},
                                                   {.name = "n_params"},
                                                   {.name = "chance"},
                                                   {.name = "n_trials"},
                                                   {.name = "n_limit"},
                                                   {.name = "mean_loss"},
                                                   {.name = "loss_low"},
                                                   {.name = "loss_high"},
                                                   {.name = "mean_all"},
                                                   {.name = "all_low"},
                                                   {.name = "all_high"},
                                                   {.name = NULL}};

void report_rows_add(struct table *t, const char *sweep, const struct evidence_row *r)
{
    table_text(t, sweep);
    table_json(t, r->setting);
    table_text(t, r->label);
    table_text(t, r->task);
    table_integer(t, r->heads);
    table_integer(t, r->d_model);
    table_integer(t, r->n);
    table_integer(t, r->n_bad);
    table_real(t, r->mean_acc);
    table_real(t, r->sd_acc);
    table_real(t, r->ci95_low);
    table_real(t, r->ci95_high);
    table_real(t, r->min_acc);
    table_real(t, r->median_acc);
    table_real(t, r->max_acc);
    table_integer(t, r->n_solved);
    table_real(t, r->mean_train_acc);
    table_real(t, r->mean_exact);
    table_real(t, r->mean_train_s);
    table_integer(t, r->n_params);
    table_real(t, r->chance);
    table_integer(t, r->n_trials);
    table_integer(t, r->n_limit);
    table_real(t, r->mean_loss);
    table_real(t, r->loss_low);
    table_real(t, r->loss_high);
    table_real(t, r->mean_all);
    table_real(t, r->all_low);
    table_real(t, r->all_high);
}

static int compare_settings(const void *a, const void *b)
{
    return strcmp(((const struct evidence_row *)a)->setting,
                  ((const struct evidence_row *)b)->setting);
}

struct table *report_rows(const char *sweep, const struct evidence *e, const char *setting)
{
    struct table *t = table_new(report_rows_columns);
    const struct evidence_row key = {.setting = (char *)setting}, *end = e->row + e->rows;
    const struct evidence_row *row =
        e->rows ? bsearch(&key, e->row, (size_t)e->rows, sizeof key, compare_settings) : NULL;
    while (row && row > e->row && compare_settings(row - 1, &key) == 0)
        row--;
    for (; row && row < end && compare_settings(row, &key) == 0; row++)
        report_rows_add(t, sweep, row);
    return t;
}
