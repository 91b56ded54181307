/* The rows of the view by_heads, as the evidence of a sweep has them. */
#ifndef SWEEP_REPORT_REPORT_ROWS_H
#define SWEEP_REPORT_REPORT_ROWS_H

#include "sweep/evidence/evidence.h"
#include "sweep/report/table.h"

extern const struct table_column report_rows_columns[];

/* Adds one to a table whose columns begin with those. */
void report_rows_add(struct table *t, const char *sweep, const struct evidence_row *r);

/* Those of one setting, with the columns of the view. NULL: no memory; free with table_free. */
struct table *report_rows(const char *sweep, const struct evidence *e, const char *setting);

#endif
