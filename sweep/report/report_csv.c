/* A report as CSV: the view by_heads, and behind its columns those of what the sweep has besides:
 * bits per byte of a text, shifted test sets, labels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/report/report_labels.h"
#include "sweep/report/report_parts.h"
#include "sweep/report/report_rows.h"

static const char *const bits_columns[] = {"mean_bits_per_byte", "bits_low", "bits_high"};
enum { BITS_COLUMNS = sizeof bits_columns / sizeof *bits_columns };

struct csv {
    const struct report_data *r;
    bool bits;                   /* losses of some settings are of bytes */
    struct table_column *column; /* all of them */
    int columns;
    char **name; /* of those behind by_heads; to be freed */
    int names;
    bool out_of_memory;
};

/* ---- columns ---- */

/* How many lists of columns there are behind by_heads and bits: training and each set, each label.
 */
static int shift_lists(const struct csv *c)
{
    return c->r->shift ? c->r->shift->sets + 1 : 0;
}

static int label_lists(const struct csv *c)
{
    return c->r->labels ? c->r->labels->labels : 0;
}

static const char *set_of(const struct csv *c, int list)
{
    return list ? c->r->shift->set[list - 1] : "";
}

/* "eval_" "long" "_mean" */
static void add_column(struct csv *c, const char *kind, const char *which, const char *what)
{
    struct text_buffer name = {0};
    text_add(&name, "%s%s%s", kind, which, what);
    c->out_of_memory = c->out_of_memory || name.out_of_memory;
    c->column[c->columns++].name = c->name[c->names++] = name.text;
}

static void make_columns(struct csv *c)
{
    int n = 0;
    while (report_rows_columns[n].name)
        n++;
    size_t more = (c->bits ? BITS_COLUMNS : 0) + (size_t)shift_lists(c) * REPORT_SHIFT_COLUMNS +
                  (size_t)label_lists(c) * REPORT_LABELS_COLUMNS;
    c->column = calloc((size_t)n + more + 1, sizeof *c->column);
    c->name = calloc(more + 1, sizeof *c->name);
    c->out_of_memory = !c->column || !c->name;
    if (c->out_of_memory)
        return;
    memcpy(c->column, report_rows_columns, (size_t)n * sizeof *c->column);
    c->columns = n;
    for (int k = 0; k < BITS_COLUMNS && c->bits; k++)
        add_column(c, bits_columns[k], "", "");
    for (int i = 0; i < shift_lists(c); i++)
        for (int k = 0; k < REPORT_SHIFT_COLUMNS; k++)
            add_column(c, i ? "eval_" : "training", set_of(c, i), report_shift_columns[k]);
    for (int i = 0; i < label_lists(c); i++)
        for (int k = 0; k < REPORT_LABELS_COLUMNS; k++)
            add_column(c, "label_", c->r->labels->label[i], report_labels_columns[k]);
}

/* ---- rows ---- */

/* Nats that a unit of the losses of a setting is: NaN where they are not of bytes. */
static double nats_of(const struct csv *c, const char *setting)
{
    for (int i = 0; i < c->r->settings; i++)
        if (strcmp(c->r->setting[i].setting, setting) == 0)
            return c->r->setting[i].input.data == VERDICT_TEXT ? M_LN2 : NAN;
    return NAN;
}

static void add_row(struct csv *c, const struct evidence_row *row, struct table *t)
{
    report_rows_add(t, c->r->name, row);
    if (c->bits) {
        double nats = nats_of(c, row->setting);
        table_real(t, row->mean_loss / nats);
        table_real(t, row->loss_low / nats);
        table_real(t, row->loss_high / nats);
    }
    for (int i = 0; i < shift_lists(c); i++)
        report_shift_cells(c->r->shift, row->setting, set_of(c, i), row->heads, t);
    for (int i = 0; i < label_lists(c); i++)
        report_labels_cells(c->r->labels, row->setting, c->r->labels->label[i], row->heads, t);
}

enum status report_csv(const struct report_data *r, FILE *out, struct message *m)
{
    struct csv c = {.r = r};
    struct table *t = NULL;
    for (int i = 0; i < r->settings; i++)
        c.bits = c.bits || r->setting[i].input.data == VERDICT_TEXT;
    make_columns(&c);
    if (!c.out_of_memory)
        t = table_new(c.column);
    for (int i = 0; i < r->evidence->rows && t; i++)
        add_row(&c, &r->evidence->row[i], t);
    enum status status = t ? table_write(t, TABLE_CSV, false, out, m)
                           : status_fail(m, STATUS_NO_MEMORY, "no memory for the report");
    table_free(t);
    for (int i = 0; i < c.names; i++)
        free(c.name[i]);
    free(c.name);
    free(c.column);
    return status;
}
