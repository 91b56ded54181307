/* A report as CSV: the view by_heads, and behind its columns those of what the sweep has besides:
 * bits per byte of a text, shifted test sets, labels. */
#include <stdlib.h>
#include <string.h>

#include "sweep/report/report_labels.h"
#include "sweep/report/report_parts.h"
#include "sweep/report/rows_table.h"

/* Of the settings whose losses are of bytes: so many nats are a bit. */
#define BYTES                                                                                      \
    "SELECT DISTINCT setting, ln(2) AS nats FROM trial JOIN config USING (config_id)"              \
    " WHERE sweep_id = ?1 AND in_plan = 1 AND task = 'text' AND mode = 'lm'"

static const char *const bits_columns[] = {"mean_bits_per_byte", "bits_low", "bits_high"};
enum { BITS_COLUMNS = sizeof bits_columns / sizeof *bits_columns };

struct csv {
    struct table_column *by_heads;
    bool bits;
    struct report_shift *shift;
    struct report_labels *labels;
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
    return c->shift ? c->shift->sets + 1 : 0;
}

static int label_lists(const struct csv *c)
{
    return c->labels ? c->labels->labels : 0;
}

static const char *set_of(const struct csv *c, int list)
{
    return list ? c->shift->set[list - 1] : "";
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
    while (c->by_heads[n].name)
        n++;
    size_t more = (c->bits ? BITS_COLUMNS : 0) + (size_t)shift_lists(c) * REPORT_SHIFT_COLUMNS +
                  (size_t)label_lists(c) * REPORT_LABELS_COLUMNS;
    c->column = calloc((size_t)n + more + 1, sizeof *c->column);
    c->name = calloc(more + 1, sizeof *c->name);
    c->out_of_memory = !c->column || !c->name;
    if (c->out_of_memory)
        return;
    memcpy(c->column, c->by_heads, (size_t)n * sizeof *c->column);
    c->columns = n;
    for (int k = 0; k < BITS_COLUMNS && c->bits; k++)
        add_column(c, bits_columns[k], "", "");
    for (int i = 0; i < shift_lists(c); i++)
        for (int k = 0; k < REPORT_SHIFT_COLUMNS; k++)
            add_column(c, i ? "eval_" : "training", set_of(c, i), report_shift_columns[k]);
    for (int i = 0; i < label_lists(c); i++)
        for (int k = 0; k < REPORT_LABELS_COLUMNS; k++)
            add_column(c, "label_", c->labels->label[i], report_labels_columns[k]);
}

/* ---- rows ---- */

static enum status write_rows(struct csv *c, struct store *s, int64_t sweep_id, FILE *out,
                              struct message *m)
{
    enum { SETTING, HEADS, BITS, OWN = BITS + BITS_COLUMNS };
    struct table *t = table_new(c->column);
    struct rows rows = rows_open(s, m,
                                 "SELECT b.*, b.setting, heads, mean_loss / nats, loss_low / nats,"
                                 " loss_high / nats FROM by_heads AS b LEFT JOIN (" BYTES ") AS y"
                                 " ON y.setting = b.setting"
                                 " WHERE sweep = (SELECT name FROM sweep WHERE sweep_id = ?1)"
                                 " ORDER BY b.setting, heads",
                                 VALUES(INTEGER(sweep_id)));
    while (rows_next(&rows)) {
        int n = rows_columns(&rows) - OWN;
        const char *setting = rows_given(&rows, n + SETTING);
        int64_t heads = rows_integer(&rows, n + HEADS);
        for (int i = 0; i < n; i++)
            rows_cell(&rows, i, t);
        for (int k = 0; k < BITS_COLUMNS && c->bits; k++)
            table_real(t, rows_real(&rows, n + BITS + k));
        for (int i = 0; i < shift_lists(c); i++)
            report_shift_cells(c->shift, setting, set_of(c, i), heads, t);
        for (int i = 0; i < label_lists(c); i++)
            report_labels_cells(c->labels, setting, c->labels->label[i], heads, t);
    }
    enum status status = rows_close(&rows);
    if (status == STATUS_OK)
        status = table_write(t, TABLE_CSV, false, out, m);
    table_free(t);
    return status;
}

/* ---- all of it ---- */

static enum status read_bits(struct store *s, int64_t sweep_id, bool *bits, struct message *m)
{
    struct rows rows = rows_open(s, m, BYTES, VALUES(INTEGER(sweep_id)));
    *bits = rows_next(&rows);
    return rows_close(&rows);
}

static enum status write_all(struct csv *c, struct store *s, int64_t sweep_id, FILE *out,
                             struct message *m)
{
    enum status status = report_columns(s, &c->by_heads, m);
    if (status == STATUS_OK)
        status = read_bits(s, sweep_id, &c->bits, m);
    if (status == STATUS_OK)
        status = report_shift_read(s, sweep_id, &c->shift, m);
    if (status == STATUS_OK)
        status = report_labels_read(s, sweep_id, &c->labels, m);
    if (status != STATUS_OK)
        return status;
    make_columns(c);
    return c->out_of_memory ? status_fail(m, STATUS_NO_MEMORY, "no memory for the report")
                            : write_rows(c, s, sweep_id, out, m);
}

enum status report_csv(struct store *s, int64_t sweep_id, FILE *out, struct message *m)
{
    struct csv c = {0};
    enum status status = store_snapshot(s, m);
    if (status != STATUS_OK)
        return status;
    status = write_all(&c, s, sweep_id, out, m);
    store_snapshot_end(s);
    for (int i = 0; i < c.names; i++)
        free(c.name[i]);
    free(c.name);
    free(c.column);
    report_shift_free(c.shift);
    report_labels_free(c.labels);
    report_columns_free(c.by_heads);
    return status;
}
