/* What heads do, from the results file: of a sweep, the means of each head count over its trials;
 * of one trial, its heads one by one. */
#ifndef SWEEP_REPORT_REPORT_HEADS_H
#define SWEEP_REPORT_REPORT_HEADS_H

#include "sweep/report/report.h"

struct heads_question {
    int64_t sweep_id;
    int64_t trial_id; /* 0: of the whole sweep */
    bool on_test;     /* measured on the test set, else on the validation set */
    enum report_format format;
};

/* Only what the study `heads` has answered counts; how many of the sweep's trials that are is said
 * where it is not all. */
enum status report_heads(struct store *s, const struct heads_question *q, struct text_page page,
                         FILE *out, struct message *m);

/* Heads one by one, of a sweep's trials as far as there is room for `most`, the best of each head
 * count first, or of one trial. */
struct rows *report_heads_rows(struct scope *x, int64_t sweep_id, int64_t trial_id, long most);

/* The columns of a sweep's rows on the page, as "heads". */
void report_heads_page_columns(struct json_writer *w);

#endif
