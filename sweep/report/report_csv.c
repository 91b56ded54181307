/* A report as CSV: the view by_heads, and behind its columns those of what the sweep has besides:
 * bits per byte of a text, shifted test sets, labels. */
#include <stdlib.h>

#include "sweep/report/report_parts.h"

static void add_row(const struct report_data *r, unsigned conditions,
                    const struct report_setting *set, long row, struct table *t)
{
    int64_t heads = (int64_t)table_number(r->by_heads, row, "heads");
    table_copy_row(t, r->by_heads, row);
    report_csv_cells(r, conditions, set, row, t);
    report_shift_cells(r->shift, set->setting, heads, t);
    report_labels_cells(r->labels, set->setting, heads, t);
}

static int compare_rows(const void *a, const void *b)
{
    const struct report_setting *x = *(const struct report_setting *const *)a;
    const struct report_setting *y = *(const struct report_setting *const *)b;
    return (x->first_row > y->first_row) - (x->first_row < y->first_row);
}

/* In the order of the view; those of a drawn sweep as its settings stand in reports. */
static void add_rows(const struct report_data *r, unsigned conditions, struct table *t)
{
    const struct report_setting **set =
        arena_alloc(&r->scope->arena, (size_t)r->settings, sizeof(struct report_setting *));
    for (int i = 0; i < r->settings; i++)
        set[i] = &r->setting[i];
    if (!r->evidence->drawn)
        qsort(set, (size_t)r->settings, sizeof(struct report_setting *), compare_rows);
    for (int i = 0; i < r->settings; i++)
        for (long row = 0; row < set[i]->rows; row++)
            add_row(r, conditions, set[i], set[i]->first_row + row, t);
}

void report_csv(const struct report_data *r, FILE *out)
{
    struct table *t = table_like(r->scope, r->by_heads);
    unsigned conditions = report_csv_columns(r, t);
    report_shift_columns(r->shift, t);
    report_labels_columns(r->labels, t);
    add_rows(r, conditions, t);
    table_write(t, TABLE_CSV, false, out);
}
