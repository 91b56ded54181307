/* Pruning for people, as JSON and as CSV. */
#include "sweep/report/report_prune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/report/document.h"
#include "sweep/report/report_prune_read.h"
#include "sweep/report/rows_table.h"

/* ---- for people ---- */

enum { WIDE_MAX = 4 + 5 * PRUNE_METHODS, TITLE_SIZE = 48 };

/* What a table of a curve stands on; kept as long as the table. */
struct frame {
    struct table_column column[WIDE_MAX + 1];
    char title[WIDE_MAX][TITLE_SIZE];
    int columns;
    bool shown[PRUNE_METHODS]; /* those that the curve has */
};

__attribute__((format(printf, 4, 5))) static void add_column(struct frame *f, int decimals,
                                                             int leave_out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->title[f->columns], TITLE_SIZE, format, arguments);
    va_end(arguments);
    f->column[f->columns] = (struct table_column){.title = f->title[f->columns],
                                                  .right = decimals >= 0,
                                                  .decimals = decimals >= 0 ? decimals : 0,
                                                  .leave_out = leave_out};
    f->columns++;
}

static bool is_compared(const struct frame *f, int method)
{
    return method != PRUNE_RANDOM && f->shown[method] && f->shown[PRUNE_RANDOM];
}

static void frame_curve(const struct prune_curve *c, struct frame *f)
{
    *f = (struct frame){0};
    for (int i = 0; i < c->points; i++)
        if (c->point[i].method < PRUNE_METHODS)
            f->shown[c->point[i].method] = true;
    add_column(f, 0, 0, "kept");
    add_column(f, 0, 0, "n");
    for (int k = 0; k < PRUNE_METHODS; k++) {
        if (!f->shown[k])
            continue;
        add_column(f, 3, 0, "acc by %s", prune_by_name((enum prune_by)k));
        add_column(f, -1, k == PRUNE_RANDOM ? 1 : 4, "95%% interval");
        if (is_compared(f, k)) {
            add_column(f, -1, 0, "- random");
            add_column(f, -1, 5, "95%% interval");
        }
    }
    add_column(f, 0, 3, "params");
    add_column(f, 4, 2, "ms");
}

/* A line per head count that any method has left. */
static void add_line(const struct prune_curve *c, const struct frame *f, long kept, struct table *t)
{
    const struct prune_point *any = NULL, *random = prune_point_find(c, kept, PRUNE_RANDOM);
    bool whole = kept == c->heads * c->layers;
    for (int k = 0; k < PRUNE_METHODS && !any; k++)
        any = prune_point_find(c, kept, k);
    table_integer(t, kept);
    table_integer(t, any->acc.n);
    for (int k = 0; k < PRUNE_METHODS; k++) {
        const struct prune_point *p = prune_point_find(c, kept, k);
        if (!f->shown[k])
            continue;
        sample_mean_cell(t, p ? &p->acc : NULL);
        sample_interval_cell(t, p ? &p->acc : NULL);
        if (is_compared(f, k)) {
            struct compare_result r = sample_difference(whole || !random ? NULL : &random->acc,
                                                        whole || !p ? NULL : &p->acc);
            sample_difference_cells(t, &r);
        }
    }
    table_printf(t, "%.0f", any->n_params);
    sample_mean_cell(t, &any->infer_ms);
}

/* "d_model=32: Trained with 8 heads, fine-tuned for 500 steps at lr 0.001" */
static void write_heading(const struct prune_curve *c, struct document *d)
{
    struct text_buffer text = {0};
    text_add(&text, "%s%sTrained with %ld head%s", c->label, c->label[0] ? ": " : "", c->heads,
             c->heads == 1 ? "" : "s");
    if (c->layers > 1)
        text_add(&text, " in each of %ld layers", c->layers);
    if (c->finetuned)
        text_add(&text, ", fine-tuned for %ld steps at lr %g", c->finetuned, c->lr);
    if (text.out_of_memory)
        d->out_of_memory = true;
    else
        document_heading(d, text.text);
    free(text.text);
}

/* "ablation █▇▆▄▂▁", below the table: mean accuracy, from 0 to 1, as the heads go. Text only, where
 * the locale has UTF-8. */
static void write_lines(const struct prune_curve *c, const struct frame *f, struct document *d)
{
    double x[SPARKLINE_CELLS];
    char line[SPARKLINE_SIZE];
    for (int k = 0; k < PRUNE_METHODS && !d->markdown && text_utf8(); k++) {
        int n = 0;
        for (int i = 0; i < c->points && f->shown[k] && n < SPARKLINE_CELLS; i++) {
            const struct prune_point *p = prune_point_find(c, c->point[i].kept, k);
            bool first = i == 0 || c->point[i].kept != c->point[i - 1].kept;
            if (first && p && p->acc.n > 0)
                x[n++] = p->acc.summary.mean;
        }
        text_sparkline(x, n, 0, 1, SPARKLINE_CELLS, line);
        if (n > 2)
            text_print(d->out, "%-10s  %s\n", prune_by_name((enum prune_by)k), line);
    }
}

static enum status write_curve(const struct prune_curve *c, struct document *d, struct message *m)
{
    struct frame f;
    frame_curve(c, &f);
    struct table *t = table_new(f.column);
    for (int i = 0; i < c->points; i++)
        if (i == 0 || c->point[i].kept != c->point[i - 1].kept)
            add_line(c, &f, c->point[i].kept, t);
    write_heading(c, d);
    enum status s = document_table(d, t, m);
    write_lines(c, &f, d);
    table_free(t);
    return s;
}

/* Whether a point is a model pruned by an estimate to a head count that others were trained with.
 */
static const struct trained *rival_of(const struct prune_data *d, const struct prune_curve *c,
                                      const struct prune_point *p)
{
    bool pruned = p->method < PRUNE_RANDOM && p->kept < c->heads * c->layers;
    return pruned ? prune_trained_find(d, c, p->kept) : NULL;
}

/* The columns of the table of rivals that say the same in every line are left out. */
struct differing {
    bool setting, by, finetuned;
};

static struct differing differing_of(const struct prune_data *data)
{
    struct differing is = {false, false, false};
    for (int i = 0; i < data->curves; i++) {
        const struct prune_curve *c = &data->curve[i];
        is.setting = is.setting || c->label[0];
        is.finetuned = is.finetuned || c->finetuned;
        for (int k = 0; k < c->points; k++)
            is.by = is.by || c->point[k].method == PRUNE_ABLATION;
    }
    return is;
}

static void add_rivals(const struct prune_curve *c, const struct prune_point *p,
                       const struct trained *trained, struct table *t)
{
    struct compare_result r = sample_difference(&trained->acc, &p->acc);
    table_text(t, c->label);
    table_integer(t, c->heads * c->layers);
    table_integer(t, p->kept);
    table_text(t, prune_by_name((enum prune_by)p->method));
    table_integer(t, c->finetuned);
    table_integer(t, p->acc.n);
    sample_mean_cell(t, &p->acc);
    sample_interval_cell(t, &p->acc);
    sample_mean_cell(t, &trained->acc);
    sample_interval_cell(t, &trained->acc);
    sample_difference_cells(t, &r);
    table_printf(t, "%.0f", p->n_params);
    table_printf(t, "%.0f", trained->n_params);
}

static enum status write_rivals(const struct prune_data *data, struct document *d,
                                struct message *m)
{
    struct differing is = differing_of(data);
    const struct table_column columns[] = {
        {.name = "setting", .title = is.setting ? "setting" : NULL},
        {.title = "trained", .right = true},
        {.title = "pruned to", .right = true},
        {.name = "by", .title = is.by ? "by" : NULL},
        {.name = "finetuned", .title = is.finetuned ? "fine-tuned" : NULL, .right = true},
        {.title = "n", .right = true},
        {.title = "mean", .right = true, .decimals = 3},
        {.title = "95% interval", .leave_out = 1},
        {.title = "trained with it", .right = true, .decimals = 3},
        {.title = "95% interval", .leave_out = 1},
        {.title = "difference"},
        {.title = "95% interval"},
        {.title = "params", .right = true, .leave_out = 2},
        {.title = "trained's", .right = true, .leave_out = 2},
        {0}};
    struct table *t = table_new(columns);
    for (int i = 0; i < data->curves; i++) {
        const struct prune_curve *c = &data->curve[i];
        for (int k = 0; k < c->points; k++) {
            const struct trained *trained = rival_of(data, c, &c->point[k]);
            if (trained)
                add_rivals(c, &c->point[k], trained, t);
        }
    }
    enum status s = STATUS_OK;
    if (table_rows(t) > 0) {
        document_heading(d, "Pruned, or trained with as few");
        s = document_table(d, t, m);
    }
    table_free(t);
    return s;
}

static const char LEGEND[] =
    "acc: test accuracy over n seeds or instances, with 95% t intervals of the means and of the "
    "differences (cut at 0 and 1; each is 95% by itself). kept: heads of the whole model; which go "
    "is decided on the validation set and estimated anew after each. params and ms (median time of "
    "one example in batches of 64, on one core) are those of the really smaller model; difference: "
    "pruned - trained.";

/* Study `heads` has the whole model's row, too. */
static bool has_method(const struct prune_curve *c)
{
    bool has = false;
    for (int i = 0; i < c->points; i++)
        has = has || c->point[i].method < PRUNE_METHODS;
    return has;
}

static enum status write_people(const struct prune_data *data, bool markdown, struct text_page page,
                                FILE *out, struct message *m)
{
    struct document d = document_new(out, markdown, page);
    struct text_buffer text = {0};
    enum status s = STATUS_OK;
    document_title(&d, data->name, data->question);
    text_add(&text, "Heads were removed in %ld of %ld trials.", data->pruned, data->trials);
    document_text(&d, DOCUMENT_PARAGRAPH, &text);
    for (int i = 0; i < data->curves && s == STATUS_OK; i++)
        if (has_method(&data->curve[i]))
            s = write_curve(&data->curve[i], &d, m);
    if (s == STATUS_OK)
        s = write_rivals(data, &d, m);
    if (s == STATUS_OK)
        document_legend(&d, LEGEND);
    enum status ended = document_end(&d, m);
    return s == STATUS_OK ? ended : s;
}

/* ---- for programs ---- */

static void add_row(struct table *t, const struct prune_data *data, const struct prune_curve *c,
                    const struct prune_point *p)
{
    bool greedy = p->method < PRUNE_RANDOM && p->kept < c->heads * c->layers;
    const struct prune_point *random = greedy ? prune_point_find(c, p->kept, PRUNE_RANDOM) : NULL;
    const struct trained *trained = rival_of(data, c, p);
    struct compare_result r = sample_difference(random ? &random->acc : NULL, &p->acc);
    struct compare_result u = sample_difference(trained ? &trained->acc : NULL, &p->acc);
    table_json(t, c->setting);
    table_text(t, c->label);
    table_integer(t, c->heads);
    table_integer(t, c->layers);
    table_integer(t, c->finetuned);
    table_real(t, c->lr);
    table_text(t, p->method < PRUNE_METHODS ? prune_by_name((enum prune_by)p->method) : "none");
    table_integer(t, p->kept);
    sample_cells(t, &p->acc);
    table_real(t, p->n_params);
    table_real(t, p->flops_per_example);
    table_real(t, p->infer_ms.summary.median);
    sample_difference_numbers(t, &r);
    sample_cells(t, trained ? &trained->acc : NULL);
    sample_difference_numbers(t, &u);
}

static const struct table_column ROWS[] = {{.name = "setting"},
                                           {.name = "setting_label"},
                                           {.name = "heads"},
                                           {.name = "layers"},
                                           {.name = "finetuned_steps"},
                                           {.name = "lr"},
                                           {.name = "method"},
                                           {.name = "kept"},
                                           {.name = "n"},
                                           {.name = "mean_acc"},
                                           {.name = "ci95_low"},
                                           {.name = "ci95_high"},
                                           {.name = "n_params"},
                                           {.name = "flops_per_example"},
                                           {.name = "infer_ms"},
                                           {.name = "minus_random"},
                                           {.name = "minus_random_low"},
                                           {.name = "minus_random_high"},
                                           {.name = "minus_random_test"},
                                           {.name = "trained_n"},
                                           {.name = "trained_acc"},
                                           {.name = "trained_low"},
                                           {.name = "trained_high"},
                                           {.name = "minus_trained"},
                                           {.name = "minus_trained_low"},
                                           {.name = "minus_trained_high"},
                                           {.name = "minus_trained_test"},
                                           {0}};

static enum status write_rows(const struct prune_data *data, enum table_format format, FILE *out,
                              struct message *m)
{
    struct table *t = table_new(ROWS);
    for (int i = 0; i < data->curves; i++)
        for (int k = 0; k < data->curve[i].points; k++)
            add_row(t, data, &data->curve[i], &data->curve[i].point[k]);
    enum status s = table_write(t, format, false, out, m);
    table_free(t);
    return s;
}

static enum status write_json(const struct prune_data *data, FILE *out, struct message *m)
{
    fputs("{\"sweep\":", out);
    text_json(out, data->name);
    fprintf(out, ",\"trials\":%ld,\"pruned\":%ld,\"rows\":", data->trials, data->pruned);
    enum status s = write_rows(data, TABLE_JSON, out, m);
    fputs("}\n", out);
    return s == STATUS_OK ? text_check(out, m) : s;
}

static enum status report_sweep(struct store *s, int64_t sweep_id, enum report_format f,
                                struct text_page page, FILE *out, struct message *m)
{
    struct prune_data data;
    enum status status = prune_data_read(s, sweep_id, &data, m);
    if (status == STATUS_OK && data.pruned == 0)
        status = status_fail(m, STATUS_BAD_INPUT, "no heads of %s were removed yet", data.name);
    if (status == STATUS_OK)
        status = f == REPORT_JSON  ? write_json(&data, out, m)
                 : f == REPORT_CSV ? write_rows(&data, TABLE_CSV, out, m)
                                   : write_people(&data, f == REPORT_MARKDOWN, page, out, m);
    prune_data_free(&data);
    return status;
}

/* ---- one trial ---- */

static enum status report_trial(struct store *s, int64_t trial_id, enum report_format f,
                                struct text_page page, FILE *out, struct message *m)
{
    static const struct table_column columns[] = {
        {.name = "method", .title = "method"},
        {.name = "finetuned_steps", .title = "fine-tuned", .right = true, .leave_out = 1},
        {.name = "lr"},
        {.name = "kept", .title = "kept", .right = true},
        {.name = "val_acc", .title = "val", .right = true, .decimals = 3},
        {.name = "test_acc", .title = "test", .right = true, .decimals = 3},
        {.name = "test_loss", .title = "loss", .right = true, .decimals = 3},
        {.name = "n_params", .title = "params", .right = true},
        {.name = "flops_per_example"},
        {.name = "infer_ms", .title = "ms", .right = true, .decimals = 4},
        {.name = "removed", .title = "removed [layer,head]", .leave_out = 2},
        {0}};
    enum { REMOVED = 10 };
    struct table *t = table_new(columns);
    struct rows r =
        rows_open(s, m,
                  "SELECT method, finetuned_steps, lr, kept, val_acc, test_acc, test_loss,"
                  "       n_params, flops_per_example, infer_ms, removed"
                  "  FROM pruning WHERE trial_id = ?1"
                  " ORDER BY finetuned_steps, lr, kept DESC, method",
                  VALUES(INTEGER(trial_id)));
    while (rows_next(&r)) {
        for (int i = 0; i < REMOVED; i++)
            rows_cell(&r, i, t);
        table_json(t, rows_given(&r, REMOVED));
    }
    enum status status = rows_close(&r);
    if (status == STATUS_OK)
        status = f == REPORT_TEXT ? table_write_page(t, page, out, m)
                                  : table_write(t,
                                                f == REPORT_JSON  ? TABLE_JSON
                                                : f == REPORT_CSV ? TABLE_CSV
                                                                  : TABLE_MARKDOWN,
                                                false, out, m);
    if (f == REPORT_JSON)
        fputc('\n', out);
    table_free(t);
    return status;
}

enum status report_prune(struct store *s, int64_t sweep_id, int64_t trial_id, enum report_format f,
                         struct text_page page, FILE *out, struct message *m)
{
    return trial_id > 0 ? report_trial(s, trial_id, f, page, out, m)
                        : report_sweep(s, sweep_id, f, page, out, m);
}
