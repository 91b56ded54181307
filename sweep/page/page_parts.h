/* What the files that write the pieces of a page share. */
#ifndef SWEEP_PAGE_PAGE_PARTS_H
#define SWEEP_PAGE_PAGE_PARTS_H

#include "sweep/page/page.h"
#include "sweep/report/report.h"
#include "sweep/report/report_compare.h"
#include "sweep/report/report_data.h"

/* Writes the report, with names for paths, which --set may have had. */
void page_put_report(const struct report_data *r, enum report_format f, FILE *out);

/* The best trial of the first setting's candidate, of those that have their weights: whose
 * attention is shown where none was named. 0: there is none. */
int64_t page_best_trial(const struct report_data *report);

/* page_comparison of what was read with its rows; and the comparison in words. */
void page_put_comparison(const struct report_compare *c, FILE *out);
void page_put_comparison_words(const struct report_compare *c, FILE *out);

/* page_summary of a report that was read with its rows. */
void page_put_summary(const struct report_data *report, FILE *out);

#endif
