/* What the files of the verdict's words share:
 *
 *   verdict_text.c          what all sentences are made of; under tune, what was given and chosen
 *   verdict_text_finding.c  what the verdict is about
 *   verdict_text_confirm.c  what fresh trials say of it
 *   verdict_text_heads.c    single head counts; which may be the best, which are equivalent to it
 *   verdict_text_pairs.c    comparisons with rivals; how all was tested, and where that errs
 *   verdict_rules.c         how far it got, what it was decided by, what was not tested */
#ifndef SWEEP_JUDGE_VERDICT_TEXT_PARTS_H
#define SWEEP_JUDGE_VERDICT_TEXT_PARTS_H

#include "engine/base/text.h"
#include "sweep/judge/verdict_parts.h"

/* A sentence is written without its full stop. */
struct writer {
    const struct verdict_input *in;
    const struct verdict *v;
    struct text_buffer *out;
    size_t *own; /* where in it the part begins that is this setting's own; untouched: nowhere */
    int item;    /* number of the arm or rival that a sentence of each is about */
};

#define put(w, ...) text_add((w)->out, __VA_ARGS__)

/* The sentences. */
#define RULE(key, place, needs, about, named) void write_##key(const struct writer *w);
#include "sweep/judge/verdict_rules.def"
#undef RULE

/* "is" or "are". */
const char *verb(int64_t n);

/* What separates item i of n in "1, 2 and 4". */
const char *separator(int i, int n);

/* "4 heads"; "4", after heads; of arms with names always these. Whether it is one: "1 head". */
void put_arm(const struct writer *w, int64_t arm);
void put_rival(const struct writer *w, int64_t arm);
bool is_one(const struct writer *w, int64_t arm);
const char *arm_verb(const struct writer *w, int64_t arm); /* "is" or "are" */

/* Of arms with names " at 8 heads (d_ff=64)". */
void put_place(const struct writer *w);

/* "p = .03"; "-0.120", tiny ones with the digit that counts; "test accuracy". */
void put_p(const struct writer *w, double p);
void put_difference(const struct writer *w, double x);
const char *test_metric(const struct writer *w);
/* Of a text, " nats or 1.234 bits per byte" after a loss; of a difference " nats or -0.041 bits per
 * byte"; and "95% interval in nats" for "95% interval". */
void put_loss_bits(const struct writer *w, double loss);
void put_difference_bits(const struct writer *w, double loss);
void put_interval(const struct writer *w);
/* "paired t test", or what it is where comparisons go over blocks of a text too. */
const char *paired_test(const struct writer *w);
const char *val_metric(const struct writer *w);

/* Whether the learning rate is tuned. */
bool tunes_rate(const struct verdict_input *in);

/* " after 1500 steps", where no curve can show that more would change nothing; "" elsewhere: then
 * put_scope says how many. */
void put_after(const struct writer *w);

/* ", within 1500 steps at lr 0.003 for all, on this task instance": what bounds every finding. Of a
 * text: ", over 8 seeds and 32 blocks of the test text". */
void put_scope(const struct writer *w);

/* "4 heads better than 1 and 16": the claim; "48 trials like these had ended, which differ in
 * train.eval_every". */
void put_claim(const struct writer *w);
void put_similar(const struct writer *w);

/* Tells some arms from the others. ROW_TEST makes one of a file's own, of w and r. */
typedef bool row_test(const struct writer *w, const struct verdict_row *r);
#define ROW_TEST(name, condition)                                                                  \
    static bool name(const struct writer *w, const struct verdict_row *r)                          \
    {                                                                                              \
        (void)w;                                                                                   \
        return condition;                                                                          \
    }
bool is_unfinished(const struct writer *w, const struct verdict_row *r);
bool is_among_best(const struct writer *w, const struct verdict_row *r);

int count_rows(const struct writer *w, row_test *chosen);

/* "4, 8 and 16": those that `chosen` takes, each written by put_item; NULL: as a rival. */
void put_rows(const struct writer *w, row_test *chosen,
              void (*put_item)(const struct writer *w, const struct verdict_row *r));

/* "4, 8 and 16 heads". Whether it is one: "1 head". */
bool put_arms_of(const struct writer *w, row_test *chosen);

/* arm is one of v's. */
const struct verdict_row *row_of(const struct verdict *v, int64_t arm);

/* "tried"; "that finished" where head counts that were tried are left out. */
const char *tried(const struct writer *w);

/* Whether the finding names an arm, or the claim does. */
bool is_named(const struct writer *w, int64_t arm);

/* The rivals of one outcome: "1 (difference in test accuracy +0.1, p < .0001) and 32 (+0.7, p <
 * .0001)". */
void put_rivals_of(const struct writer *w, enum rival_outcome outcome);

/* The same of the candidate: "4 heads are better than 1 (...) and 32 (...)". */
void put_than(const struct writer *w, const char *how, enum rival_outcome outcome);

/* "; the lead over 1 and 8 is below the margin of equivalence, 0.01": nothing where there is none.
 */
void put_small_leads(const struct writer *w, double margin);

/* What sign-flip tests say of all rivals; the opening is its article. */
void put_sign_flip(const struct writer *w, const char *opening);

/* Of the arms that are meant, those that chose an edge of their grid: "32 heads chose the largest
 * lr tried, 0.1, and may be better beyond it", after the opening. Where there are none it puts
 * nothing, and false. */
typedef bool arm_test(const struct writer *w, int64_t arm);
bool put_edges(const struct writer *w, arm_test *meant, const char *opening);
/* Whether there are any. */
bool any_edge(const struct writer *w, arm_test *meant);

#endif
