/* The verdict in words. What it says, and when, is a table of rules: verdict_rules.def. */
#ifndef SWEEP_JUDGE_VERDICT_TEXT_H
#define SWEEP_JUDGE_VERDICT_TEXT_H

#include "engine/base/text.h"
#include "sweep/judge/verdict.h"

enum { VERDICT_LIMITS_SHOWN = 10 };

struct verdict_sentence {
    const char *rule; /* its key: "still_improving" */
    const char *text; /* UTF-8, to be set as a paragraph */
    size_t common; /* bytes; what follows them is this setting's own, though others say the same */
};

struct verdict_text {
    int headlines; /* the first so many are to be read first: the finding and, behind it, what fresh
                      trials say of it; at least 1 */
    int shown;     /* the first so many, with these, are for everyone: at most VERDICT_LIMITS_SHOWN
                      of what limits the finding. The others explain */
    int count;
    struct verdict_sentence *sentence;
};

/* How often, in percent, a false claim is confirmed with n units where the better one has a tail
 * below and is twice (`twice`) to 4 times as widely spread: from `make calibrate`, cases "claim
 * false by 0, near 1, best ... as wide". Of the next smaller n that was simulated, or the smallest.
 */
struct verdict_tail_rates {
    int n, twice, four_times;
};
struct verdict_tail_rates verdict_tail_rates(int n);

/* Words for what was decided on `in`, in the scope's memory; keeps neither. */
struct verdict_text verdict_text_new(struct scope *x, const struct verdict_input *in,
                                     const struct verdict *v);

/* What the head counts of v->row[].in_plateau are together: "confidence set" without a margin, with
 * one "plateau" or, where it jumps over a head count, "set with a gap". */
const char *verdict_set_name(const struct verdict *v);

/* The values of a tuned axis, by its number, and which head counts were given others: "0.001, 0.003
 * and 0.01 (4 heads: 0.001 alone)"; of many values the ends and their number. There are choices. */
void verdict_text_values(const struct verdict_input *in, int axis, struct text_buffer *out);

#endif
