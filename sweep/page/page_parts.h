/* What the files that write the pieces of a page share. */
#ifndef SWEEP_PAGE_PAGE_PARTS_H
#define SWEEP_PAGE_PAGE_PARTS_H

#include "sweep/page/page.h"
#include "sweep/report/report_data.h"

/* Begins a snapshot and reads the report of a sweep, with its rows, in it. page_close_report ends
 * both. */
enum status page_open_report(struct store *s, int64_t sweep_id, struct report_data **report,
                             struct message *m);
void page_close_report(struct store *s, struct report_data *report);

/* The best trial of the first setting's candidate, of those that have their weights: whose
 * attention is shown where none was named. 0: there is none. */
enum status page_best_trial(struct store *s, int64_t sweep_id, const struct report_data *report,
                            int64_t *trial_id, struct message *m);

/* page_summary of a report that is open. */
enum status page_put_summary(struct store *s, int64_t sweep_id, const struct report_data *report,
                             FILE *out, struct message *m);

#endif
