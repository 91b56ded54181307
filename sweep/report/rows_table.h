/* Rows of a query as rows of a table. */
#ifndef SWEEP_REPORT_ROWS_TABLE_H
#define SWEEP_REPORT_ROWS_TABLE_H

#include "sweep/report/table.h"
#include "sweep/store/rows.h"

/* Column i of the present row as the next cell of a table. */
void rows_cell(const struct rows *r, int i, struct table *t);

/* Appends all rows that are left to a table with as many columns. */
void rows_to_table(struct rows *r, struct table *t);

/* The columns of the view by_heads, all of which a report in CSV or JSON has. Free with
 * report_columns_free. */
enum status report_columns(struct store *s, struct table_column **columns, struct message *m);
void report_columns_free(struct table_column *columns);

#endif
