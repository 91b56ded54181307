/* What a sweep that `ask` made came to, in three sentences: what was found; how sure that is; what
 * limits it. */
#ifndef SWEEP_ASK_ANSWER_H
#define SWEEP_ASK_ANSWER_H

#include "sweep/ask/design.h"
#include "sweep/report/report_data.h"

/* What only the caller can find out. */
struct answer_beside {
    double order_bits; /* ANSWER_ORDER's bits per byte for the test part of a text; NaN: unknown */
    double minutes;    /* for `fresh` fresh seeds; NaN: unknown, or more are of no use */
    int fresh;
};
enum {
    ANSWER_ORDER = 2 /* of a byte model, which a net that has learned anything is better than */
};

/* Adds the three, each a line of its own, of the first setting of the report. A sentence is only
 * composed here where the verdict has none of that kind. */
void answer_write(const struct report_data *r, const struct look *l,
                  const struct answer_beside *beside, struct text_buffer *out);

/* How many fresh seeds halve what could not show, as intervals shrink with the root of their
 * number; 0 where that is less than the margin of equivalence, where nothing was compared, and
 * where intervals are over blocks of a text too, which more seeds do not narrow. */
double answer_seeds(const struct report_data *r);

#endif
