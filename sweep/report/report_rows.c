#include "sweep/report/report_rows.h"

#include <stdlib.h>
#include <string.h>

#include "sweep/report/rows_table.h"

static int compare_settings(const void *a, const void *b)
{
    return strcmp((*(struct report_setting *const *)a)->setting,
                  (*(struct report_setting *const *)b)->setting);
}

/* The settings in the order of their texts, as the rows are. */
static struct report_setting **by_text(const struct report_data *r)
{
    struct report_setting **set =
        arena_alloc(&r->scope->arena, (size_t)r->settings, sizeof(struct report_setting *));
    for (int i = 0; i < r->settings; i++)
        set[i] = &r->setting[i];
    qsort(set, (size_t)r->settings, sizeof(struct report_setting *), compare_settings);
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

void report_rows_read(struct report_data *r)
{
    struct scope *x = r->scope;
    struct report_setting **set = by_text(r);
    int at = 0;
    struct rows *rows =
        scope_rows_of_sweep(x, "SELECT * FROM by_heads", VALUES(INTEGER(r->sweep_id)));
    r->by_heads = table_new(x, (const struct table_column[]){{0}});
    for (int i = 0; rows->status == STATUS_OK && i < rows_columns(rows); i++)
        table_add_named(r->by_heads, (struct table_column){0}, "%s", rows_name(rows, i));
    for (long row = 0; scope_next(x, rows); row++) {
        const char *setting = add_row(rows, r->by_heads);
        while (at < r->settings && strcmp(set[at]->setting, setting) < 0)
            at++;
        if (at == r->settings || strcmp(set[at]->setting, setting) != 0)
            continue;
        set[at]->first_row = set[at]->rows ? set[at]->first_row : row;
        set[at]->rows++;
    }
}
