#include "sweep/report/rows_table.h"

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

void rows_row(const struct rows *r, struct table *t)
{
    for (int i = 0; i < rows_columns(r); i++)
        rows_cell(r, i, t);
}

void rows_to_table(struct scope *x, struct rows *r, struct table *t)
{
    while (scope_next(x, r))
        rows_row(r, t);
}
