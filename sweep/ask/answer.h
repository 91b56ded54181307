/* What a sweep that `ask` made came to, in three sentences: what was found; how sure that is; what
 * limits it. */
#ifndef SWEEP_ASK_ANSWER_H
#define SWEEP_ASK_ANSWER_H

#include "sweep/ask/design.h"
#include "sweep/report/report_data.h"

/* Adds the three, each a line of its own, of the first setting of the report. A sentence is only
 * composed here where the verdict has none of that kind. */
void answer_write(const struct report_data *r, const struct look *l, struct text_buffer *out);

#endif
