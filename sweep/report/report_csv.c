/* A report as CSV: the view by_heads, and behind its columns those of what the sweep has besides:
 * bits per byte of a text, shifted test sets, labels. */
#include "sweep/report/report_parts.h"
#include "sweep/report/report_rows.h"

enum status report_csv(const struct report_data *r, FILE *out, struct message *m)
{
    struct table *t = table_new(report_rows_columns);
    unsigned conditions = report_csv_columns(r, t);
    report_shift_columns(r->shift, t);
    report_labels_columns(r->labels, t);
    for (int i = 0; i < r->evidence->rows && t; i++) {
        const struct evidence_row *row = &r->evidence->row[i];
        report_rows_add(t, r->name, row);
        report_csv_cells(r, conditions, row, t);
        report_shift_cells(r->shift, row->setting, row->heads, t);
        report_labels_cells(r->labels, row->setting, row->heads, t);
    }
    enum status s = table_write(t, TABLE_CSV, false, out, m);
    table_free(t);
    return s;
}
