/* The formats of a report: report_people.c has text and Markdown, report_json.c JSON. Each writes r
 * to out and fails as table_write does. */
#ifndef SWEEP_REPORT_REPORT_PARTS_H
#define SWEEP_REPORT_REPORT_PARTS_H

#include "sweep/report/report_data.h"

/* page: width in columns; 0: as wide as the report needs. */
enum status report_text(const struct report_data *r, int page, bool color, FILE *out,
                        struct message *m);
enum status report_markdown(const struct report_data *r, FILE *out, struct message *m);
/* r with the rows of the view by_heads. */
enum status report_json(const struct report_data *r, FILE *out, struct message *m);

#endif
