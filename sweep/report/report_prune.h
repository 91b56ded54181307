/* What became of trained models as their heads were removed (table `pruning`), and of models that
 * were trained with as few. */
#ifndef SWEEP_REPORT_REPORT_PRUNE_H
#define SWEEP_REPORT_REPORT_PRUNE_H

#include "sweep/report/report.h"

/* Of a sweep: per setting and trained head count, how test accuracy falls with the heads that are
 * kept, greedy orders beside random ones, and models pruned to a head count beside those trained
 * with it. Of a trial (trial_id > 0): its rows. BAD_INPUT where nothing was pruned yet; else fails
 * as table_write does. */
enum status report_prune(struct store *s, int64_t sweep_id, int64_t trial_id, enum report_format f,
                         struct text_page page, FILE *out, struct message *m);

/* The columns of a sweep's rows on the page, as "pruning". */
void report_prune_page_columns(struct json_writer *w);

#endif
