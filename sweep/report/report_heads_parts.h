/* What the files of report_heads share: queries whose columns depend on which measures the results
 * file has, and their rows as tables. */
#ifndef SWEEP_REPORT_REPORT_HEADS_PARTS_H
#define SWEEP_REPORT_REPORT_HEADS_PARTS_H

#include "sweep/report/document.h"
#include "sweep/report/report_heads.h"
#include "sweep/report/rows_table.h"

/* A head is sharp where at least this share of its attention lies on one slot. */
#define SHARP "0.5"

/* A table with the columns that the query has; it may have failed. */
struct table *heads_table(struct scope *x, const struct rows *r);

/* The measures that a table of the file has. */
struct heads_names {
    int count;
    char **name;
};
struct heads_names heads_measures(struct scope *x, const char *table);

/* What every query begins with: `one`, the trials whose answers count, each with the loss of its
 * whole model, and `main`, of each of their heads the slot that it looks at most. */
extern const char heads_measured_sql[];

struct rows *heads_query(struct scope *x, const struct heads_question *q, const char *sql);

/* ---- report_heads_sweep.c, report_heads_trial.c ---- */

void heads_of_sweep(struct scope *x, const struct heads_question *q, struct text_page page,
                    FILE *out);
void heads_of_trial(struct scope *x, const struct heads_question *q, struct text_page page,
                    FILE *out);

#endif
