/* Rows of a query as rows of a table. */
#ifndef SWEEP_REPORT_ROWS_TABLE_H
#define SWEEP_REPORT_ROWS_TABLE_H

#include "sweep/report/table.h"

/* Column i of the present row as the next cell of a table. */
void rows_cell(const struct rows *r, int i, struct table *t);

/* The present row as one of a table with as many columns. */
void rows_row(const struct rows *r, struct table *t);

/* Appends all rows that are left to a table with as many columns. */
void rows_to_table(struct scope *x, struct rows *r, struct table *t);

#endif
