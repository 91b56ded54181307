#include "sweep/report/rows_table.h"

#include <stdio.h>
#include <stdlib.h>

void rows_cell(const struct rows *r, int i, struct table *t)
{
    switch (rows_kind(r, i)) {
    case ROWS_INTEGER:
        table_integer(t, rows_integer(r, i));
        break;
    case ROWS_REAL:
        table_real(t, rows_real(r, i));
        break;
    case ROWS_NULL:
    case ROWS_TEXT:
        table_text(t, rows_text(r, i));
    }
}

void rows_to_table(struct rows *r, struct table *t)
{
    while (rows_next(r))
        for (int i = 0; i < rows_columns(r); i++)
            rows_cell(r, i, t);
}

void report_columns_free(struct table_column *columns)
{
    for (int i = 0; columns && columns[i].name; i++)
        free((char *)columns[i].name);
    free(columns);
}

enum status report_columns(struct store *s, struct table_column **columns, struct message *m)
{
    struct rows rows = rows_open(s, m, "SELECT * FROM by_heads LIMIT 0", NO_VALUES);
    enum status status = rows.status;
    int n = status == STATUS_OK ? rows_columns(&rows) : 0;
    struct table_column *c = calloc((size_t)n + 1, sizeof *c);
    *columns = c;
    for (int i = 0; c && i < n && status == STATUS_OK; i++) {
        char *name = NULL;
        if (asprintf(&name, "%s", rows_name(&rows, i)) < 0)
            status = status_fail(m, STATUS_NO_MEMORY, "no memory for the report");
        else
            c[i].name = name;
    }
    rows_close(&rows);
    return c ? status : status_fail(m, STATUS_NO_MEMORY, "no memory for the report");
}
