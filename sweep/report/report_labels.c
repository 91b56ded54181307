#include "sweep/report/report_labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static void add_row(struct scope *x, struct report_labels *labels, struct rows *r)
{
    enum { SETTING, HEADS, LABEL, N, ROWS, MEAN, LOW, HIGH };
    labels->row = arena_grow(&x->arena, labels->row, (size_t)labels->rows, sizeof *labels->row);
    labels->row[labels->rows++] = (struct report_label){
        scope_given(x, r, SETTING), rows_integer(r, HEADS), scope_given(x, r, LABEL),
        rows_integer(r, N),         rows_real(r, ROWS),     rows_real(r, MEAN),
        rows_real(r, LOW),          rows_real(r, HIGH)};
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each label once. */
static void list_labels(struct scope *x, struct report_labels *labels)
{
    labels->label = arena_alloc(&x->arena, (size_t)labels->rows, sizeof *labels->label);
    for (int i = 0; i < labels->rows; i++)
        labels->label[i] = labels->row[i].label;
    qsort(labels->label, (size_t)labels->rows, sizeof *labels->label, compare_texts);
    for (int i = 0; i < labels->rows; i++)
        if (i == 0 || strcmp(labels->label[i], labels->label[labels->labels - 1]) != 0)
            labels->label[labels->labels++] = labels->label[i];
}

/* The view looks at each trial of the sweep before it finds that there is nothing to say. */
static const char ANY[] = "SELECT 1 FROM label_acc CROSS JOIN trial USING (trial_id)"
                          " WHERE sweep_id = ?1 LIMIT 1";

struct report_labels *report_labels_read(struct scope *x, int64_t sweep_id)
{
    if (!scope_ask(x, ANY, VALUES(INTEGER(sweep_id))))
        return NULL;
    struct report_labels *labels = arena_alloc(&x->arena, 1, sizeof *labels);
    struct rows *rows =
        scope_rows_of_sweep(x,
                            "SELECT setting, heads, label, n, n_rows, mean_acc, ci95_low, ci95_high"
                            " FROM by_label ORDER BY setting, heads, label",
                            VALUES(INTEGER(sweep_id)));
    labels->scope = x;
    while (scope_next(x, rows))
        add_row(x, labels, rows);
    list_labels(x, labels);
    return labels->rows ? labels : NULL;
}

static int compare_rows(const void *a, const void *b)
{
    const struct report_label *x = a, *y = b;
    int order = strcmp(x->setting, y->setting);
    if (order == 0)
        order = (x->heads > y->heads) - (x->heads < y->heads);
    return order ? order : strcmp(x->label, y->label);
}

/* NULL where there is none. */
static const struct report_label *row_at(const struct report_labels *labels, const char *setting,
                                         const char *label, int64_t heads)
{
    struct report_label key = {.setting = (char *)setting, .heads = heads, .label = (char *)label};
    return bsearch(&key, labels->row, (size_t)labels->rows, sizeof key, compare_rows);
}

/* ---- people ---- */

enum { SHOWN_MAX = 16, SHOWN_BYTES = 24 };

/* One setting, as it is shown. */
struct view {
    const struct report_labels *labels;
    const char *setting;
    int heads_count;
    const int64_t *heads; /* rising */
    int labels_count;     /* that have rows */
    int shown;            /* of these, for which there is room: the ones of lowest accuracy */
    int label[SHOWN_MAX]; /* (shown) their numbers, rising */
};

/* Its head counts into `heads`, which has room for one per row: returns how many. */
static int list_heads(const struct report_labels *labels, const char *setting, int64_t *heads)
{
    int n = 0;
    for (int i = 0; i < labels->rows; i++)
        if (strcmp(labels->row[i].setting, setting) == 0 &&
            (n == 0 || heads[n - 1] != labels->row[i].heads))
            heads[n++] = labels->row[i].heads;
    return n;
}

/* The lowest accuracy of label k at any head count; NaN: it has no rows. */
static double lowest_of(const struct view *v, int k)
{
    double lowest = NAN;
    for (int h = 0; h < v->heads_count; h++) {
        const struct report_label *row =
            row_at(v->labels, v->setting, v->labels->label[k], v->heads[h]);
        lowest = fmin(lowest, row ? row->mean : NAN);
    }
    return lowest;
}

static int compare_numbers(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Keeps those of lowest accuracy in their order, lowest first, by insertion. */
static void choose_labels(struct view *v)
{
    double lowest[SHOWN_MAX + 1] = {0};
    int chosen[SHOWN_MAX + 1] = {0};
    for (int k = 0; k < v->labels->labels; k++) {
        double own = lowest_of(v, k);
        if (isnan(own))
            continue;
        int at = v->shown;
        for (; at > 0 && own < lowest[at - 1]; at--) {
            lowest[at] = lowest[at - 1];
            chosen[at] = chosen[at - 1];
        }
        lowest[at] = own;
        chosen[at] = k;
        v->shown += v->shown < SHOWN_MAX;
        v->labels_count++;
    }
    memcpy(v->label, chosen, (size_t)v->shown * sizeof *chosen);
    qsort(v->label, (size_t)v->shown, sizeof *v->label, compare_numbers);
}

static void write_sentence(const struct view *v, const char *unit, struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    text_add(&text, "Test accuracy of each label by head count, the mean over %ss", unit);
    if (v->labels_count > v->shown)
        text_add(&text, ", of the %d of %d labels where it is lowest", v->shown, v->labels_count);
    text_add(&text, "; rows: how many rows of the test set have the label.");
    document_text(d, DOCUMENT_PARAGRAPH, &text);
}

/* In quotes where spaces at its ends would not show. */
static const char *label_shown(const char *label, char shown[SHOWN_BYTES + 2])
{
    char plain[SHOWN_BYTES];
    bool spaces = label[0] == ' ' || (label[0] && label[strlen(label) - 1] == ' ');
    const char *quote = spaces ? "\"" : "";
    snprintf(shown, SHOWN_BYTES + 2, "%s%s%s", quote, text_shown(label, plain, sizeof plain),
             quote);
    return shown;
}

static void add_label(struct table *t, const struct view *v, const char *label)
{
    char shown[SHOWN_BYTES + 2];
    double rows = 0;
    table_text(t, label_shown(label, shown));
    for (int h = 0; h < v->heads_count; h++) {
        const struct report_label *row = row_at(v->labels, v->setting, label, v->heads[h]);
        rows = fmax(rows, row ? row->n_rows : 0);
    }
    table_integer(t, llround(rows));
    for (int h = 0; h < v->heads_count; h++) {
        const struct report_label *row = row_at(v->labels, v->setting, label, v->heads[h]);
        table_real(t, row ? row->mean : NAN);
    }
}

static void write_table(const struct view *v, struct document *d)
{
    static const struct table_column columns[] = {
        {.title = "label"}, {.title = "rows", .right = true, .leave_out = 1}, {0}};
    static const struct table_column accuracy = {.right = true, .decimals = 3};
    struct table *t = table_new(d->scope, columns);
    for (int h = 0; h < v->heads_count; h++)
        table_add_titled(t, accuracy, "%lld", (long long)v->heads[h]);
    for (int i = 0; i < v->shown; i++)
        add_label(t, v, v->labels->label[v->label[i]]);
    document_table(d, t);
}

static const struct report_label *worst_of(const struct view *v, int64_t heads)
{
    const struct report_label *worst = NULL;
    for (int i = 0; i < v->labels->rows; i++) {
        const struct report_label *row = &v->labels->row[i];
        if (row->heads == heads && strcmp(row->setting, v->setting) == 0 &&
            (!worst || row->mean < worst->mean))
            worst = row;
    }
    return worst;
}

/* "Recognised worst: neg with 1 head (0.712), pos with 2 heads (0.801)." Without head counts that
 * recognise every label, as the table shows it. */
static void write_worst(const struct view *v, struct document *d)
{
    static const double always = 0.9995; /* 1.000 in the table */
    struct text_buffer text = scope_text(d->scope);
    for (int h = 0; h < v->heads_count; h++) {
        const struct report_label *worst = worst_of(v, v->heads[h]);
        char shown[SHOWN_BYTES + 2];
        if (worst && worst->mean < always)
            text_add(&text, "%s%s with %lld head%s (%.3f)",
                     text.used ? ", " : "Recognised worst: ", label_shown(worst->label, shown),
                     (long long)worst->heads, text_plural(worst->heads), worst->mean);
    }
    if (text.used)
        text_add(&text, ".");
    document_text(d, DOCUMENT_ITEM, &text);
}

void report_labels_people(const struct report_labels *labels, const char *setting, const char *unit,
                          struct document *d)
{
    if (!labels)
        return;
    int64_t *heads = arena_alloc(&d->scope->arena, (size_t)labels->rows, sizeof *heads);
    struct view v = {.labels = labels, .setting = setting, .heads = heads};
    v.heads_count = list_heads(labels, setting, heads);
    choose_labels(&v);
    if (v.shown == 0)
        return;
    write_sentence(&v, unit, d);
    write_table(&v, d);
    write_worst(&v, d);
}

/* ---- programs ---- */

#define ROW(member) TABLE_CELL(struct report_label, member)

/* csv: the end of a name that begins with the label's. */
static const struct table_column COLUMNS[] = {{.name = "label", ROW(label)},
                                              {.name = "heads", ROW(heads)},
                                              {.name = "n", ROW(n)},
                                              {.name = "n_rows", .csv = "_rows", ROW(n_rows)},
                                              {.name = "mean", .csv = "_mean", ROW(mean)},
                                              {.name = "ci95_low", .csv = "_low", ROW(low)},
                                              {.name = "ci95_high", .csv = "_high", ROW(high)},
                                              {0}};

void report_labels_json(const struct report_labels *labels, const char *setting,
                        struct json_writer *w)
{
    if (!labels)
        return;
    struct table *t = table_new(labels->scope, COLUMNS);
    for (int i = 0; i < labels->rows; i++)
        if (strcmp(labels->row[i].setting, setting) == 0)
            table_row(t, &labels->row[i]);
    table_add_json(t, w, "labels");
}

void report_labels_columns(const struct report_labels *labels, struct table *t)
{
    for (int i = 0; labels && i < labels->labels; i++)
        table_add_csv(t, COLUMNS, ~0u, "label_", labels->label[i]);
}

void report_labels_cells(const struct report_labels *labels, const char *setting, int64_t heads,
                         struct table *t)
{
    for (int i = 0; labels && i < labels->labels; i++)
        table_row_csv(t, COLUMNS, ~0u, row_at(labels, setting, labels->label[i], heads));
}
