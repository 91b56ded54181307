/* Tables and the verdict of a sweep, from the results file. */
#ifndef SWEEP_REPORT_REPORT_H
#define SWEEP_REPORT_REPORT_H

#include <stdio.h>

#include "engine/base/json_write.h"
#include "engine/base/text.h"
#include "sweep/trials/trials.h"

enum report_format { REPORT_TEXT, REPORT_CSV, REPORT_JSON, REPORT_MARKDOWN };

/* Writes the report of one sweep to out: per setting the verdict in a sentence, a table of head
 * counts (as in the view by_heads), then what limits it and, if it is to explain, how it was
 * tested. JSON always has all. Text is laid out for the page; columns that do not fit are left out,
 * and it says so. */
enum status report_write(struct store *s, int64_t sweep_id, enum report_format f, bool explain,
                         struct text_page page, FILE *out, struct message *m);

/* The same of its settings against each other alone, all pairs of them (report_between.h). */
enum status report_write_between(struct store *s, int64_t sweep_id, enum report_format f,
                                 struct text_page page, FILE *out, struct message *m);

/* A report of what was read (report_data.h). */
struct report_data;
void report_write_data(const struct report_data *r, enum report_format f, bool explain,
                       struct text_page page, FILE *out);

/* The columns of its table on the page, as "by_heads". */
void report_page_columns(const struct report_data *r, struct json_writer *w);

/* Writes several sweeps side by side, 2 to REPORT_SWEEPS_MAX of different ids: per setting a table
 * of head counts, with differences from the first sweep. BAD_INPUT where they are judged by
 * different metrics. */
enum { REPORT_SWEEPS_MAX = 8 };
enum status report_write_several(struct store *s, const int64_t *sweep_id, int sweeps,
                                 enum report_format f, struct text_page page, FILE *out,
                                 struct message *m);

#endif
