/* What the view by_heads has of a sweep. */
#ifndef SWEEP_REPORT_REPORT_ROWS_H
#define SWEEP_REPORT_REPORT_ROWS_H

#include "sweep/report/report_data.h"

/* Reads all of it into r->by_heads, with the columns of the view, and which of its rows are of
 * which setting. */
void report_rows_read(struct report_data *r);

#endif
