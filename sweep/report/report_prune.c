/* Pruning for people, as JSON and as CSV. */
#include "sweep/report/report_prune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep/report/document.h"
#include "sweep/report/report_prune_read.h"
#include "sweep/report/rows_table.h"

/* ---- for people ---- */

/* What there is with as many heads kept: a line of a curve's table. */
struct wide {
    long kept;
    int n;
    struct sample test[PRUNE_METHODS];
    struct compare_result less_random[PRUNE_METHODS];
    double n_params, infer_ms;
};

static bool has_method(const struct prune_curve *c, int method)
{
    bool has = false;
    for (int i = 0; i < c->points; i++)
        has = has || c->point[i].method == method;
    return has;
}

#define WIDE(member)           TABLE_CELL(struct wide, member)
#define WIDE_OF(member, makes) TABLE_MAKE(struct wide, member, makes)

/* What a method has, of the first; the others' stand behind it in struct wide. */
static void add_method(const struct prune_curve *c, const struct trained_metric *metric, int method,
                       struct table *t)
{
    struct table_column mean = {WIDE(test[0].summary.mean)},
                        interval = {WIDE_OF(test, sample_interval)};
    struct table_column bits = {WIDE_OF(test, trained_bits), .right = true, .decimals = 3};
    struct table_column less = {WIDE_OF(less_random, sample_difference_mean)},
                        its_interval = {WIDE_OF(less_random, sample_difference_interval)};
    mean.at += (size_t)method * sizeof(struct sample);
    interval.at += (size_t)method * sizeof(struct sample);
    bits.at += (size_t)method * sizeof(struct sample);
    interval.leave_out = method == PRUNE_RANDOM ? 1 : 4;
    less.at = its_interval.at += (size_t)method * sizeof(struct compare_result);
    its_interval.leave_out = 5;
    table_add_titled(t, mean, "%s by %s", metric->loss ? "loss" : "acc",
                     prune_by_name((enum prune_by)method));
    table_add_titled(t, interval, "95%% interval");
    if (metric->bits)
        table_add_titled(t, bits, "bits/byte");
    if (method == PRUNE_RANDOM || !has_method(c, PRUNE_RANDOM))
        return;
    table_add_titled(t, less, "- random");
    table_add_titled(t, its_interval, "95%% interval");
}

static struct table *curve_table(struct scope *x, const struct trained_metric *metric,
                                 const struct prune_curve *c)
{
    static const struct table_column none = {0}, kept = {WIDE(kept)}, n = {WIDE(n)};
    static const struct table_column params = {WIDE(n_params), .decimals = TABLE_WHOLE,
                                               .leave_out = 3};
    static const struct table_column ms = {WIDE(infer_ms), .decimals = 4, .leave_out = 2};
    struct table *t = table_new(x, &none);
    table_add_titled(t, kept, "kept");
    table_add_titled(t, n, "n");
    for (int k = 0; k < PRUNE_METHODS; k++)
        if (has_method(c, k))
            add_method(c, metric, k, t);
    table_add_titled(t, params, "params");
    table_add_titled(t, ms, "ms");
    return t;
}

/* A line per head count that any method has left. */
static void add_line(const struct prune_curve *c, long kept, struct table *t)
{
    const struct prune_point *any = NULL, *random = prune_point_find(c, kept, PRUNE_RANDOM);
    bool whole = kept == c->heads * c->layers;
    struct wide line = {.kept = kept};
    for (int k = 0; k < PRUNE_METHODS; k++) {
        const struct prune_point *p = prune_point_find(c, kept, k);
        any = any ? any : p;
        line.test[k] = p ? p->test : NO_SAMPLE;
        line.less_random[k] = sample_difference(whole || !random ? NULL : &random->test,
                                                whole || !p ? NULL : &p->test);
    }
    if (!any)
        return;
    line.n = any->test.n;
    line.n_params = any->n_params;
    line.infer_ms = any->infer_ms.summary.mean;
    table_row(t, &line);
}

/* "d_model=32: Trained with 8 heads, fine-tuned for 500 steps at lr 0.001" */
static void write_heading(const struct prune_curve *c, struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    text_add(&text, "%s%sTrained with %ld head%s", c->label, c->label[0] ? ": " : "", c->heads,
             text_plural(c->heads));
    if (c->layers > 1)
        text_add(&text, " in each of %ld layers", c->layers);
    if (c->finetuned)
        text_add(&text, ", fine-tuned for %s at lr %g", text_counted(c->finetuned, "step").text,
                 c->lr);
    document_heading(d, text.text);
}

/* Of accuracies all that there may be; of losses what the curve has. */
static void bounds_of(const struct prune_curve *c, bool loss, double *low, double *high)
{
    *low = loss ? NAN : 0;
    *high = loss ? NAN : 1;
    for (int i = 0; i < c->points && loss; i++) {
        *low = fmin(*low, c->point[i].test.summary.mean);
        *high = fmax(*high, c->point[i].test.summary.mean);
    }
}

/* "ablation █▇▆▄▂▁", below the table: means within their bounds as the heads go. Text only, where
 * the locale has UTF-8. */
static void write_lines(const struct prune_curve *c, bool loss, struct document *d)
{
    double x[SPARKLINE_CELLS], low, high;
    char line[SPARKLINE_SIZE];
    bounds_of(c, loss, &low, &high);
    for (int k = 0; k < PRUNE_METHODS && !d->markdown && text_utf8(); k++) {
        int n = 0;
        for (int i = 0; i < c->points && has_method(c, k) && n < SPARKLINE_CELLS; i++) {
            const struct prune_point *p = prune_point_find(c, c->point[i].kept, k);
            bool first = i == 0 || c->point[i].kept != c->point[i - 1].kept;
            if (first && p && p->test.n > 0)
                x[n++] = p->test.summary.mean;
        }
        text_sparkline(x, n, low, high, SPARKLINE_CELLS, line);
        if (n > 2)
            text_print(d->out, "%-10s  %s\n", prune_by_name((enum prune_by)k), line);
    }
}

static void write_curve(const struct prune_curve *c, const struct trained_metric *metric,
                        struct document *d)
{
    struct table *t = curve_table(d->scope, metric, c);
    for (int i = 0; i < c->points; i++)
        if (i == 0 || c->point[i].kept != c->point[i - 1].kept)
            add_line(c, c->point[i].kept, t);
    write_heading(c, d);
    document_table(d, t);
    write_lines(c, metric->loss, d);
}

/* A point of a curve and what it is held against. */
struct row {
    struct prune_curve curve;
    struct prune_point point;
    long trained_with; /* heads of the whole model */
    const char *by;
    bool rival; /* there is a model that was trained with as few: */
    struct sample trained;
    double trained_params;
    struct compare_result less_random, less_trained;
};

static struct row row_of(const struct prune_data *data, const struct prune_curve *c,
                         const struct prune_point *p)
{
    bool greedy = p->method < PRUNE_RANDOM && p->kept < c->heads * c->layers;
    const struct prune_point *random = greedy ? prune_point_find(c, p->kept, PRUNE_RANDOM) : NULL;
    const struct trained *trained = greedy ? prune_trained_find(data, c, p->kept) : NULL;
    return (struct row){
        .curve = *c,
        .point = *p,
        .trained_with = c->heads * c->layers,
        .by = p->method < PRUNE_METHODS ? prune_by_name((enum prune_by)p->method) : "none",
        .rival = trained,
        .trained = trained ? trained->test : NO_SAMPLE,
        .trained_params = trained ? trained->n_params : NAN,
        .less_random = sample_difference(random ? &random->test : NULL, &p->test),
        .less_trained = sample_difference(trained ? &trained->test : NULL, &p->test)};
}

#define ROW(member)            TABLE_CELL(struct row, member)
#define MAKE(member, function) TABLE_MAKE(struct row, member, function)
#define BITS(member)           MAKE(member, trained_bits), .right = true, .decimals = 3

/* Columns of the table of rivals that would say the same in every line are left out. */
enum { SETTINGS = 1, METHODS = 2, FINETUNED = 4 };

static unsigned conditions_of(const struct prune_data *data)
{
    unsigned conditions = trained_conditions(&data->trained.metric);
    for (int i = 0; i < data->curves; i++) {
        const struct prune_curve *c = &data->curve[i];
        conditions |= c->label[0] ? SETTINGS : 0;
        conditions |= c->finetuned ? FINETUNED : 0;
        for (int k = 0; k < c->points; k++)
            conditions |= c->point[k].method == PRUNE_ABLATION ? METHODS : 0;
    }
    return conditions;
}

/* Models pruned by an estimate beside those that were trained with as few heads. */
static void write_rivals(const struct prune_data *data, struct document *d)
{
    static const struct table_column columns[] = {
        {.title = "setting", ROW(curve.label), .when = SETTINGS},
        {.title = "trained", ROW(trained_with)},
        {.title = "pruned to", ROW(point.kept)},
        {.title = "by", ROW(by), .when = METHODS},
        {.title = "fine-tuned", ROW(curve.finetuned), .when = FINETUNED},
        {.title = "n", ROW(point.test.n)},
        {.title = "mean", ROW(point.test.summary.mean)},
        {.title = "95% interval", MAKE(point.test, sample_interval), .leave_out = 1},
        {.title = "bits/byte", BITS(point.test), .when = TRAINED_BITS, .leave_out = 1},
        {.title = "trained with it", ROW(trained.summary.mean)},
        {.title = "95% interval", MAKE(trained, sample_interval), .leave_out = 1},
        {.title = "trained's bits", BITS(trained), .when = TRAINED_BITS, .leave_out = 1},
        {.title = "difference", MAKE(less_trained, sample_difference_mean)},
        {.title = "95% interval", MAKE(less_trained, sample_difference_interval)},
        {.title = "params", ROW(point.n_params), .decimals = TABLE_WHOLE, .leave_out = 2},
        {.title = "trained's", ROW(trained_params), .decimals = TABLE_WHOLE, .leave_out = 2},
        {0}};
    struct table *t = table_when(d->scope, columns, conditions_of(data));
    for (int i = 0; i < data->curves; i++) {
        for (int k = 0; k < data->curve[i].points; k++) {
            struct row row = row_of(data, &data->curve[i], &data->curve[i].point[k]);
            if (row.rival)
                table_row(t, &row);
        }
    }
    if (table_rows(t) == 0)
        return;
    document_heading(d, "Pruned, or trained with as few");
    document_table(d, t);
}

static void write_legend(const struct trained_metric *metric, struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    text_add(&text,
             "%s over n seeds or instances, with 95%% t intervals of the means and of the "
             "differences (cut at %s; each is 95%% by itself).",
             metric->loss ? "loss: test loss in nats, less is better," : "acc: test accuracy",
             metric->loss ? "0" : "0 and 1");
    text_add(&text,
             "%s kept: heads of the whole model; which go is decided on the validation set and "
             "estimated anew after each. params and ms (median time of one example in batches of "
             "64, on one core) are those of the really smaller model; difference: pruned - "
             "trained.",
             trained_bits_legend(metric));
    document_legend(d, text.text);
}

/* Study `heads` has the whole model's row, too. */
static bool has_methods(const struct prune_curve *c)
{
    bool has = false;
    for (int k = 0; k < PRUNE_METHODS; k++)
        has = has || has_method(c, k);
    return has;
}

static void write_people(const struct prune_data *data, bool markdown, struct text_page page,
                         FILE *out)
{
    struct document d = document_new(data->scope, out, markdown, page);
    struct text_buffer text = scope_text(data->scope);
    document_title(&d, data->name, data->question);
    text_add(&text, "Heads were removed in %ld of %s.", data->pruned,
             text_counted(data->trials, "trial").text);
    document_text(&d, DOCUMENT_PARAGRAPH, &text);
    for (int i = 0; i < data->curves; i++)
        if (has_methods(&data->curve[i]))
            write_curve(&data->curve[i], &data->trained.metric, &d);
    write_rivals(data, &d);
    write_legend(&data->trained.metric, &d);
}

/* ---- for programs ---- */

static const struct table_column ROWS[] = {
    {.name = "setting", ROW(curve.setting), .json = true},
    {.name = "setting_label", ROW(curve.label)},
    {.name = "heads", ROW(curve.heads)},
    {.name = "layers", ROW(curve.layers)},
    {.name = "finetuned_steps", ROW(curve.finetuned)},
    {.name = "lr", ROW(curve.lr)},
    {PAGE("Kept", .key = "kept")},
    {.name = "method", ROW(by), PAGE("By")},
    {.name = "kept", ROW(point.kept)},
    {.name = "n", ROW(point.test.n), PAGE("n")},
    {.name = "mean_acc",
     ROW(point.test.summary.mean),
     .only_if = TRAINED_ACCURACY,
     PAGE_ANY("Accuracy")},
    {.name = "mean_loss", ROW(point.test.summary.mean), .only_if = TRAINED_LOSS, PAGE_ANY("Loss")},
    {.name = "ci95_low", ROW(point.test.summary.low), PAGE("95% from")},
    {.name = "ci95_high", ROW(point.test.summary.high), PAGE("to")},
    {.name = "mean_bits",
     MAKE(point.test, trained_bits),
     .only_if = TRAINED_BITS,
     PAGE_ANY("Bits per byte", .show = "four")},
    {.name = "n_params", ROW(point.n_params)},
    {.name = "flops_per_example", ROW(point.flops_per_example)},
    {.name = "infer_ms", ROW(point.infer_ms.summary.median)},
    {.name = "minus_random", ROW(less_random.mean), PAGE_ANY("Less random", .show = "signedFour")},
    {.name = "minus_random_low", ROW(less_random.low)},
    {.name = "minus_random_high", ROW(less_random.high)},
    {.name = "minus_random_test", MAKE(less_random, sample_difference_test)},
    {.name = "trained_n", ROW(trained.n)},
    {.name = "trained_acc",
     ROW(trained.summary.mean),
     .only_if = TRAINED_ACCURACY,
     PAGE_ANY("Trained with it")},
    {.name = "trained_loss",
     ROW(trained.summary.mean),
     .only_if = TRAINED_LOSS,
     PAGE_ANY("Trained with it")},
    {.name = "trained_bits", MAKE(trained, trained_bits), .only_if = TRAINED_BITS},
    {.name = "trained_low", ROW(trained.summary.low)},
    {.name = "trained_high", ROW(trained.summary.high)},
    {.name = "minus_trained",
     ROW(less_trained.mean),
     PAGE_ANY("Less trained", .show = "signedFour")},
    {.name = "minus_trained_low", ROW(less_trained.low)},
    {.name = "minus_trained_high", ROW(less_trained.high)},
    {.name = "minus_trained_test", MAKE(less_trained, sample_difference_test)},
    {PAGE("Parameters", .key = "n_params", .show = "quantity")},
    {PAGE_ANY("ms per example", .key = "infer_ms", .show = "threeDigits")},
    {0}};

void report_prune_page_columns(struct json_writer *w)
{
    table_page_columns(ROWS, ~0u, w, "pruning");
}

static void write_rows(const struct prune_data *data, enum table_format format, FILE *out)
{
    struct table *t = table_when(data->scope, ROWS, trained_conditions(&data->trained.metric));
    for (int i = 0; i < data->curves; i++)
        for (int k = 0; k < data->curve[i].points; k++) {
            struct row row = row_of(data, &data->curve[i], &data->curve[i].point[k]);
            table_row(t, &row);
        }
    table_write(t, format, false, out);
}

static void write_json(const struct prune_data *data, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_text(&w, "sweep", data->name);
    trained_metric_json(&data->trained.metric, &w);
    json_add_integer(&w, "trials", data->trials);
    json_add_integer(&w, "pruned", data->pruned);
    json_add_key(&w, "rows");
    write_rows(data, TABLE_JSON, out);
    json_end_object(&w);
    fputc('\n', out);
}

static void report_sweep(struct scope *x, int64_t sweep_id, enum report_format f,
                         struct text_page page, FILE *out)
{
    const struct prune_data *data = prune_data_read(x, sweep_id);
    if (data->pruned == 0)
        scope_fail(x, STATUS_BAD_INPUT, "no heads of %s were removed yet", data->name);
    if (f == REPORT_JSON)
        write_json(data, out);
    else if (f == REPORT_CSV)
        write_rows(data, TABLE_CSV, out);
    else
        write_people(data, f == REPORT_MARKDOWN, page, out);
}

/* ---- one trial ---- */

/* What the trial's sweep goes by. */
static struct trained_metric metric_of_trial(struct scope *x, int64_t trial_id)
{
    return trained_metric_read(x, scope_ask(x, "SELECT sweep_id FROM trial WHERE trial_id = ?1",
                                            VALUES(INTEGER(trial_id))));
}

/* People see accuracies where these are what the sweep goes by. */
#define ACC(text) .title = text, .when = TRAINED_ACCURACY

static void report_trial(struct scope *x, int64_t trial_id, enum report_format f,
                         struct text_page page, FILE *out)
{
    enum { BITS_PER_BYTE = 7, REMOVED = 11 };
    static const struct table_column columns[] = {
        {.name = "method", .title = "method"},
        {.name = "finetuned_steps", .title = "fine-tuned", .right = true, .leave_out = 1},
        {.name = "lr"},
        {.name = "kept", .title = "kept", .right = true},
        {.name = "val_acc", ACC("val"), .right = true, .decimals = 3},
        {.name = "test_acc", ACC("test"), .right = true, .decimals = 3},
        {.name = "test_loss", .title = "loss", .right = true, .decimals = 3},
        {.name = "bits_per_byte",
         .title = "bits/byte",
         .right = true,
         .decimals = 3,
         .only_if = TRAINED_BITS},
        {.name = "n_params", .title = "params", .right = true},
        {.name = "flops_per_example"},
        {.name = "infer_ms", .title = "ms", .right = true, .decimals = 4},
        {.name = "removed", .title = "removed [layer,head]", .leave_out = 2},
        {0}};
    struct trained_metric metric = metric_of_trial(x, trial_id);
    struct table *t = table_when(x, columns, trained_conditions(&metric));
    struct rows *r =
        scope_rows(x,
                   "SELECT method, finetuned_steps, lr, kept, val_acc, test_acc, test_loss,"
                   "       test_loss / ln(2), n_params, flops_per_example, infer_ms, removed"
                   "  FROM pruning WHERE trial_id = ?1"
                   " ORDER BY finetuned_steps, lr, kept DESC, method",
                   VALUES(INTEGER(trial_id)));
    while (scope_next(x, r)) {
        for (int i = 0; i < REMOVED; i++)
            if (metric.bits || i != BITS_PER_BYTE)
                rows_cell(r, i, t);
        table_json(t, rows_given(r, REMOVED));
    }
    if (f == REPORT_TEXT)
        table_write_page(t, page, out);
    else
        table_write(t,
                    f == REPORT_JSON  ? TABLE_JSON
                    : f == REPORT_CSV ? TABLE_CSV
                                      : TABLE_MARKDOWN,
                    false, out);
    if (f == REPORT_JSON)
        fputc('\n', out);
}

enum status report_prune(struct store *s, int64_t sweep_id, int64_t trial_id, enum report_format f,
                         struct text_page page, FILE *out, struct message *m)
{
    struct scope *x = scope_new(s, "the report", m);
    if (scope_enter(x)) {
        if (trial_id > 0)
            report_trial(x, trial_id, f, page, out);
        else
            report_sweep(x, sweep_id, f, page, out);
        scope_check(x, text_check(out, m));
    }
    return scope_end(x);
}
