/* Pruning for people, as JSON and as CSV. */
#include "sweep/report/report_prune.h"

#include <stdio.h>
#include <string.h>

#include "sweep/report/document.h"
#include "sweep/report/table.h"
#include "sweep/report/trained.h"
#include "sweep/study/pruner.h"

/* ---- reading ---- */

/* Models of one setting that were trained with one head count, with as many heads left, by one
 * method; and what these are held against. */
struct row {
    char *setting, *label;
    long heads, layers;
    long finetuned; /* steps */
    double lr;      /* of fine-tuning */
    long kept;
    const char *by;                     /* "none": nothing was removed */
    struct sample test, infer_ms;       /* test: accuracy or loss, as trained.metric says */
    double n_params, flops_per_example; /* means */
    bool rival;                         /* there is a model that was trained with as few: */
    struct sample trained;
    struct compare_result less_random, less_trained;
};

struct prune_data {
    struct scope *scope;
    char *name, *question;
    long trials, pruned; /* that are judged; of these, how many have rows */
    int rows;
    struct row *row; /* by setting, heads, layers, fine-tuning, falling `kept`, and method */
    struct trained_list trained;
};

static void read_sweep(struct prune_data *d, int64_t sweep_id)
{
    struct scope *x = d->scope;
    struct rows *r = scope_rows(
        x,
        TRAINED_JUDGED "SELECT name, question, (SELECT count(*) FROM judged),"
                       " (SELECT count(DISTINCT trial_id) FROM study JOIN judged USING (trial_id)"
                       "   WHERE name = 'prune')"
                       "  FROM sweep WHERE sweep_id = ?1",
        VALUES(INTEGER(sweep_id)));
    while (scope_next(x, r)) {
        d->name = scope_given(x, r, 0);
        d->question = scope_given(x, r, 1);
        d->trials = (long)rows_integer(r, 2);
        d->pruned = (long)rows_integer(r, 3);
    }
}

/* Of the same models, but for the heads that they have left. */
static bool is_same_model(const struct row *a, const struct row *b)
{
    return a->heads == b->heads && a->layers == b->layers && a->finetuned == b->finetuned &&
           a->lr == b->lr && strcmp(a->setting, b->setting) == 0;
}

/* The row of the present unit: the last one, or a new one. */
static struct row *row_of(struct prune_data *d, struct row now)
{
    struct row *last = d->rows ? &d->row[d->rows - 1] : NULL;
    if (last && is_same_model(last, &now) && last->kept == now.kept &&
        strcmp(last->by, now.by) == 0)
        return last;
    d->row = arena_grow(&d->scope->arena, d->row, (size_t)d->rows, sizeof *d->row);
    d->row[d->rows] = now;
    return &d->row[d->rows++];
}

/* A unit. */
static void add_unit(struct prune_data *d, struct rows *r)
{
    enum {
        SETTING,
        LABEL,
        HEADS,
        LAYERS,
        FINETUNED,
        LR,
        KEPT,
        METHOD,
        UNIT,
        TEST,
        PARAMS,
        FLOPS,
        MS
    };
    struct scope *x = d->scope;
    enum prune_by by;
    struct row now = {.setting = scope_given(x, r, SETTING),
                      .label = scope_given(x, r, LABEL),
                      .heads = (long)rows_integer(r, HEADS),
                      .layers = (long)rows_integer(r, LAYERS),
                      .finetuned = (long)rows_integer(r, FINETUNED),
                      .lr = rows_real(r, LR),
                      .kept = (long)rows_integer(r, KEPT),
                      .by = prune_by_find(rows_given(r, METHOD), &by) ? prune_by_name(by) : "none"};
    if (strcmp(now.by, "none") == 0 && now.kept != now.heads * now.layers)
        return; /* a method of somebody else's */
    struct row *row = row_of(d, now);
    int64_t unit = rows_integer(r, UNIT);
    sample_add(x, &row->test, unit, rows_real(r, TEST));
    if (!rows_null(r, MS))
        sample_add(x, &row->infer_ms, unit, rows_real(r, MS));
    row->n_params += (rows_real(r, PARAMS) - row->n_params) / row->test.n;
    row->flops_per_example += (rows_real(r, FLOPS) - row->flops_per_example) / row->test.n;
}

/* Of one whose heads were chosen: against random ones, and models that were trained with as few. */
static void compare(struct prune_data *d, struct row *row)
{
    const char *random = prune_by_name(PRUNE_RANDOM);
    const struct row *other = NULL;
    const struct trained *trained = NULL;
    bool chosen = row->kept < row->heads * row->layers && strcmp(row->by, random) != 0;
    for (int i = 0; chosen && i < d->rows; i++)
        if (is_same_model(&d->row[i], row) && d->row[i].kept == row->kept &&
            strcmp(d->row[i].by, random) == 0)
            other = &d->row[i];
    for (int i = 0; chosen && i < d->trained.count; i++) {
        const struct trained *t = &d->trained.item[i];
        if (t->layers == row->layers && t->heads * t->layers == row->kept &&
            strcmp(t->setting, row->setting) == 0)
            trained = t;
    }
    row->rival = trained;
    row->trained = trained ? trained->test : NO_SAMPLE;
    row->less_random = sample_difference(other ? &other->test : NULL, &row->test, true);
    row->less_trained = sample_difference(trained ? &trained->test : NULL, &row->test, true);
}

static void read_rows(struct prune_data *d, int64_t sweep_id)
{
    struct scope *x = d->scope;
    struct rows *r = scope_rows(
        x,
        TRAINED_JUDGED
        "SELECT setting, setting_label, heads, layers, finetuned_steps, lr, kept, method, unit,"
        "       avg(iif(?2, p.test_loss, p.test_acc)) AS test, avg(p.n_params),"
        "       avg(flops_per_example), avg(infer_ms)"
        "  FROM pruning AS p JOIN judged USING (trial_id)"
        " GROUP BY setting, heads, layers, finetuned_steps, lr, kept, method, unit"
        " HAVING test IS NOT NULL"
        " ORDER BY place, setting_label COLLATE setting_values, setting, heads, layers, "
        "finetuned_steps, lr,"
        " kept DESC, method, unit",
        VALUES(INTEGER(sweep_id), INTEGER(d->trained.metric.loss)));
    while (scope_next(x, r))
        add_unit(d, r);
    for (int i = 0; i < d->rows; i++) {
        trained_finish(x, &d->row[i].test, &d->trained.metric);
        sample_finish(x, &d->row[i].infer_ms, STATS_ANY);
    }
    for (int i = 0; i < d->rows; i++)
        compare(d, &d->row[i]);
}

static struct prune_data *prune_data_read(struct scope *x, int64_t sweep_id)
{
    struct prune_data *d = arena_alloc(&x->arena, 1, sizeof *d);
    d->scope = x;
    scope_read_begin(x);
    read_sweep(d, sweep_id);
    d->trained = trained_read(x, sweep_id);
    read_rows(d, sweep_id);
    scope_read_end(x);
    return d;
}

/* ---- a sweep ---- */

#define ROW(member)            TABLE_CELL(struct row, member)
#define MAKE(member, function) TABLE_MAKE(struct row, member, function)
/* To people, columns that would say the same in every row are left out. */
enum {
    HAS_SETTINGS = 1,
    HAS_LAYERS = 2,
    HAS_FINETUNED = 4,
    BESIDE_RANDOM = 8,
    BESIDE_TRAINED = 16
};

static unsigned conditions_of(const struct prune_data *data)
{
    unsigned conditions = trained_conditions(&data->trained.metric);
    for (int i = 0; i < data->rows; i++) {
        const struct row *row = &data->row[i];
        conditions |= row->label[0] ? HAS_SETTINGS : 0;
        conditions |= row->layers > 1 ? HAS_LAYERS : 0;
        conditions |= row->finetuned ? HAS_FINETUNED : 0;
        conditions |= row->less_random.test != COMPARE_NOTHING ? BESIDE_RANDOM : 0;
        conditions |= row->rival ? BESIDE_TRAINED : 0;
    }
    return conditions;
}

static const struct table_column ROWS[] = {
    {.name = "setting", ROW(setting), .json = true},
    {.name = "setting_label", .title = "setting", ROW(label), .when = HAS_SETTINGS},
    {NAMED("heads"), ROW(heads)},
    {NAMED("layers"), ROW(layers), .when = HAS_LAYERS, .leave_out = 2},
    {.name = "finetuned_steps", .title = "+steps", ROW(finetuned), .when = HAS_FINETUNED},
    {NAMED("lr"), ROW(lr), .decimals = 4, .when = HAS_FINETUNED, .leave_out = 2},
    {PAGE("Kept", .key = "kept")},
    {.name = "method", .title = "by", ROW(by), PAGE("By")},
    {NAMED("kept"), ROW(kept)},
    {NAMED("n"), ROW(test.n), PAGE("n")},
    {.name = "mean_acc",
     .title = "acc",
     ROW(test.summary.mean),
     .only_if = TRAINED_ACCURACY,
     PAGE_ANY("Accuracy")},
    {.name = "mean_loss",
     .title = "loss",
     ROW(test.summary.mean),
     .only_if = TRAINED_LOSS,
     PAGE_ANY("Loss")},
    {.title = "95% interval", MAKE(test, sample_interval), .leave_out = 5},
    {.name = "ci95_low", ROW(test.summary.low), PAGE("95% from")},
    {.name = "ci95_high", ROW(test.summary.high), PAGE("to")},
    {.name = "mean_bits",
     .title = "bits/byte",
     MAKE(test, trained_bits),
     .right = true,
     .decimals = 3,
     .only_if = TRAINED_BITS,
     PAGE_ANY("Bits per byte", .show = "four")},
    {.name = "n_params", .title = "params", ROW(n_params), .decimals = TABLE_WHOLE, .leave_out = 2},
    {.name = "flops_per_example", ROW(flops_per_example)},
    {.name = "infer_ms",
     .title = "ms",
     ROW(infer_ms.summary.median),
     .decimals = 4,
     .leave_out = 1},
    {.name = "minus_random", ROW(less_random.mean), PAGE_ANY("Less random", .show = "signedFour")},
    {.title = "- random",
     MAKE(less_random, sample_difference_mean),
     .when = BESIDE_RANDOM,
     .leave_out = 4},
    {.title = "95% interval",
     MAKE(less_random, sample_difference_interval),
     .when = BESIDE_RANDOM,
     .leave_out = 3},
    {.name = "minus_random_low", ROW(less_random.low)},
    {.name = "minus_random_high", ROW(less_random.high)},
    {.name = "minus_random_test", MAKE(less_random, sample_difference_test)},
    {.name = "trained_n", ROW(trained.n)},
    {.name = "trained_acc",
     .title = "trained",
     ROW(trained.summary.mean),
     .leave_out = 4,
     .when = BESIDE_TRAINED,
     .only_if = TRAINED_ACCURACY,
     PAGE_ANY("Trained with it")},
    {.name = "trained_loss",
     .title = "trained",
     ROW(trained.summary.mean),
     .leave_out = 4,
     .when = BESIDE_TRAINED,
     .only_if = TRAINED_LOSS,
     PAGE_ANY("Trained with it")},
    {.name = "trained_bits", MAKE(trained, trained_bits), .only_if = TRAINED_BITS},
    {.name = "trained_low", ROW(trained.summary.low)},
    {.name = "trained_high", ROW(trained.summary.high)},
    {.name = "minus_trained",
     ROW(less_trained.mean),
     PAGE_ANY("Less trained", .show = "signedFour")},
    {.title = "- trained", MAKE(less_trained, sample_difference_mean), .when = BESIDE_TRAINED},
    {.title = "95% interval",
     MAKE(less_trained, sample_difference_interval),
     .when = BESIDE_TRAINED,
     .leave_out = 6},
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

static struct table *rows_table(const struct prune_data *data)
{
    struct table *t = table_when(data->scope, ROWS, conditions_of(data));
    for (int i = 0; i < data->rows; i++)
        table_row(t, &data->row[i]);
    return t;
}

static void write_people(const struct prune_data *data, bool markdown, struct text_page page,
                         FILE *out)
{
    const struct trained_metric *metric = &data->trained.metric;
    struct document d = document_new(data->scope, out, markdown, page);
    struct text_buffer text = scope_text(data->scope);
    document_title(&d, data->name, data->question);
    text_add(&text, "Heads were removed in %ld of %s.", data->pruned,
             text_counted(data->trials, "trial").text);
    document_text(&d, DOCUMENT_PARAGRAPH, &text);
    document_table(&d, rows_table(data));
    text_add(&text,
             "%s over n seeds or instances, with 95%% t intervals of the means and of the "
             "differences (cut at %s; each is 95%% by itself).",
             metric->loss ? "loss: test loss in nats, less is better," : "acc: test accuracy",
             metric->loss ? "0" : "0 and 1");
    text_add(&text,
             "%s heads: of each layer of the trained model; kept: of the whole model; which go is "
             "decided on the validation set and estimated anew after each. params and ms (median "
             "time of one example in batches of 64, on one core) are those of the really smaller "
             "model. +steps: of fine-tuning. trained: the model that was trained with as many "
             "heads as are kept.",
             trained_bits_legend(metric));
    document_legend(&d, text.text);
}

static void write_json(const struct prune_data *data, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_text(&w, "sweep", data->name);
    trained_metric_json(&data->trained.metric, &w);
    json_add_integer(&w, "trials", data->trials);
    json_add_integer(&w, "pruned", data->pruned);
    table_add_json(rows_table(data), &w, "rows");
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
        table_write(rows_table(data), TABLE_CSV, false, out);
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
