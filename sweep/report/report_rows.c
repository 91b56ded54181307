#include "sweep/report/report_rows.h"

#include <stdlib.h>
#include <string.h>

#include "sweep/db/rows.h"
#include "sweep/report/rows_table.h"

static int compare_settings(const void *a, const void *b)
{
    return strcmp((*(struct report_setting *const *)a)->setting,
                  (*(struct report_setting *const *)b)->setting);
}

/* The settings in the order of their texts, as the rows are; NULL: no memory. */
static struct report_setting **by_text(const struct report_data *r)
{
    struct report_setting **set = malloc(((size_t)r->settings + 1) * sizeof *set);
    for (int i = 0; set && i < r->settings; i++)
        set[i] = &r->setting[i];
    if (set)
        qsort(set, (size_t)r->settings, sizeof *set, compare_settings);
    return set;
}

/* Returns the setting that the row is of. */
static const char *add_row(struct rows *rows, struct table *t)
{
    const char *setting = "";
    for (int i = 0; i < rows_columns(rows); i++)
        if (strcmp(rows_name(rows, i), "setting") == 0)
            table_json(t, setting = rows_given(rows, i));
        else
            rows_cell(rows, i, t);
    return setting;
}

enum status report_rows_read(struct store *s, int64_t sweep_id, struct report_data *r,
                             struct message *m)
{
    struct report_setting **set = by_text(r);
    int at = 0;
    struct rows rows = rows_of_sweep(s, m, "SELECT * FROM by_heads", VALUES(INTEGER(sweep_id)));
    r->by_heads = table_new((const struct table_column[]){{0}});
    for (int i = 0; rows.status == STATUS_OK && i < rows_columns(&rows); i++)
        table_add_named(r->by_heads, (struct table_column){0}, "%s", rows_name(&rows, i));
    for (long row = 0; set && rows_next(&rows); row++) {
        const char *setting = add_row(&rows, r->by_heads);
        while (at < r->settings && strcmp(set[at]->setting, setting) < 0)
            at++;
        if (at == r->settings || strcmp(set[at]->setting, setting) != 0)
            continue;
        set[at]->first_row = set[at]->rows ? set[at]->first_row : row;
        set[at]->rows++;
    }
    enum status status = rows_close(&rows);
    if (status == STATUS_OK && (!set || table_width(r->by_heads) < 0))
        status = status_no_memory(m, "the report");
    free(set);
    return status;
}
