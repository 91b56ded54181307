/* What a sweep that `ask` made came to, in three sentences: what was found; how sure that is; what
 * limits it. */
#ifndef SWEEP_ASK_ANSWER_H
#define SWEEP_ASK_ANSWER_H

#include "engine/base/text.h"
#include "sweep/ask/design.h"
#include "sweep/report/report_data.h"

enum {
    ANSWER_ORDER = 2 /* of a byte model, which a net that has learned anything is better than */
};

/* Adds the three, each a line of its own, of the first setting of the report, which has trained
 * the nets of d. A sentence is only composed here where the verdict has none of that kind.
 * order_bits: what a byte model of ANSWER_ORDER needs for each byte of a text's test part; NaN: it
 * is not known, or there is no text. */
void answer_write(const struct report_data *r, const struct look *l, const struct design *d,
                  double order_bits, struct text_buffer *out);

#endif
