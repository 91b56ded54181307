/* What the files of the verdict's words share. */
#ifndef SWEEP_JUDGE_VERDICT_TEXT_H
#define SWEEP_JUDGE_VERDICT_TEXT_H

#include "engine/base/text.h"
#include "sweep/judge/verdict_parts.h"

/* Sentences are written into one text, a line feed after each, and cut apart at the end. */
struct writer {
    const struct verdict_input *in;
    const struct verdict *v;
    struct text_buffer *out;
};

#define put(w, ...) text_add((w)->out, __VA_ARGS__)

/* Of all head counts; fewer than w->in->planned until the sweep is done. */
int trials_ended(const struct writer *w);

/* "s" unless n is 1; "is" or "are". */
const char *plural(int64_t n);
const char *verb(int64_t n);

/* What separates item i of n in "1, 2 and 4". */
const char *separator(int i, int n);

/* "4 heads"; "p = 0.03"; "-0.120", tiny ones with the digit that counts; "test accuracy". */
void put_heads(const struct writer *w, int64_t heads);
void put_p(const struct writer *w, double p);
void put_difference(const struct writer *w, double x);
const char *test_metric(const struct writer *w);
/* Of a text, ", 1.234 bits per byte" after a loss; of a difference ", -0.041 bits per byte". */
void put_loss_bits(const struct writer *w, double loss);
void put_difference_bits(const struct writer *w, double loss);
/* "paired t test", or what it is where comparisons go over blocks of a text too. */
const char *paired_test(const struct writer *w);
const char *val_metric(const struct writer *w);

/* ", within 1500 steps at lr 0.003 for all, on this task instance": what bounds every finding. Of a
 * text: ", over 8 seeds and 32 blocks of the test text". */
void put_scope(const struct writer *w);

/* "4, 8 and 16": the head counts that `chosen` takes; how many these are is returned and, with
 * `out` false, nothing is written. */
int put_list(const struct writer *w, bool (*chosen)(const struct verdict_row *), bool out);

/* heads is one of v's. */
const struct verdict_row *row_of(const struct verdict *v, int64_t heads);

/* What is read first, the finding last; verdict_text_lead.c. */
void say_lead(const struct writer *w);

/* What a comparison comes to; verdict_text_pairs.c. */
void say_rival(const struct writer *w, const struct verdict_rival *r);

/* What it rests on; verdict_text_rest.c. */
void say_rest(const struct writer *w);

#endif
