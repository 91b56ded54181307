/* What the files of the verdict's words share. */
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
    int item;    /* number of the head count or rival that a sentence of each is about */
};

#define put(w, ...) text_add((w)->out, __VA_ARGS__)

/* "is" or "are". */
const char *verb(int64_t n);

/* What separates item i of n in "1, 2 and 4". */
const char *separator(int i, int n);

/* "4 heads"; "4", after heads; of settings their names. "p = .03"; "-0.120", tiny ones with the
 * digit that counts; "test accuracy". */
void put_heads(const struct writer *w, int64_t heads);
void put_rival(const struct writer *w, int64_t heads);
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

/* "48 trials like these had ended, which differ in train.eval_every". */
void put_similar(const struct writer *w);

/* Tells some head counts from the others. */
typedef bool row_test(const struct writer *w, const struct verdict_row *r);
bool is_unfinished(const struct writer *w, const struct verdict_row *r);
bool is_among_best(const struct writer *w, const struct verdict_row *r);
bool has_completed(const struct writer *w, const struct verdict_row *r); /* any trial */

/* "tried"; "that finished" where head counts that were tried are left out. */
const char *tried(const struct writer *w);

int count_rows(const struct writer *w, row_test *chosen);

/* "4, 8 and 16": those that `chosen` takes, each written by put_item; NULL: its number. */
void put_rows(const struct writer *w, row_test *chosen,
              void (*put_item)(const struct writer *w, const struct verdict_row *r));

/* "4, 8 and 16 heads". */
void put_heads_of(const struct writer *w, row_test *chosen);

/* heads is one of v's. */
const struct verdict_row *row_of(const struct verdict *v, int64_t heads);

/* What the verdict is about, by its kind; whether it names a head count, or the claim does.
 * verdict_text_finding.c. */
void write_finding(const struct writer *w);
bool is_named(const struct writer *w, int64_t heads);

/* The same of two settings, and what was claimed of them; verdict_text_between.c. */
void write_sides_finding(const struct writer *w);
void put_sides_claim(const struct writer *w);

/* Which head counts are equivalent to the best, which may be the best, and how that was found:
 * verdict_text_heads.c. */
void write_equivalent(const struct writer *w);
void write_could_be_best(const struct writer *w);
void write_not_equal(const struct writer *w);
void write_could_be_best_method(const struct writer *w);
void write_equivalent_method(const struct writer *w);

/* Single head counts: of all of them, or of the one at hand; verdict_text_heads.c. */
void write_one_unit(const struct writer *w);
void write_trials_apart(const struct writer *w);
void write_bad(const struct writer *w);
void write_equal_units(const struct writer *w);
void write_shared(const struct writer *w);

/* How it was tested; verdict_text_pairs.c. */
void write_candidate(const struct writer *w);
void write_corrected_level(const struct writer *w);
void write_all_must_hold(const struct writer *w);
void write_too_few(const struct writer *w);
void write_minimum_p(const struct writer *w);
void write_rare_failure_caveat(const struct writer *w);
void write_flat_ends(const struct writer *w);

/* What the comparison with a rival comes to, and where it errs more than its level says;
 * verdict_text_pairs.c. */
void write_rival(const struct writer *w);
void write_wide_winner(const struct writer *w);
void write_shared_rows(const struct writer *w);
void write_few_files(const struct writer *w);
void write_alike_blocks(const struct writer *w);
void write_files_drawn(const struct writer *w);
void write_spread(const struct writer *w);
/* What sign-flip tests say of all of them; the opening is its article. */
void write_sign_flip(const struct writer *w);
void put_sign_flip(const struct writer *w, const char *opening);

/* What fresh trials say of the finding, their comparison with a rival, and the level that they are
 * held against; verdict_text_confirm.c. */
void write_confirmation(const struct writer *w);
void write_fresh_rival(const struct writer *w);
void write_fresh_level(const struct writer *w);
void write_fresh_sign_flip(const struct writer *w);

/* The rivals of one outcome: "1 (difference in test accuracy +0.1, p < .0001) and 32 (+0.7, p <
 * .0001)"; of one rival what is in brackets, but for the closing one. verdict_text_finding.c. */
void put_rivals_of(const struct writer *w, enum rival_outcome outcome);
void put_numbers(const struct writer *w, const struct verdict_rival *r, bool named);

/* ", but most trials with 4 heads diverged or failed", where that is why a head count is not called
 * better than another. verdict_text_finding.c. */
void put_mostly_bad(const struct writer *w, const struct verdict_rival *r);

/* "; the lead over 1 and 8 is below the margin of equivalence, 0.01": nothing where there is none.
 * verdict_text_finding.c. */
void put_small_leads(const struct writer *w, double margin);

/* "4 heads better than 1 and 16": of a claim of head counts; verdict_rules.c. */
void put_claim(const struct writer *w);

/* Under tune, what was chosen; verdict_text.c. */
void write_choices(const struct writer *w);
void write_same_instances(const struct writer *w);

/* Of the head counts that are meant, those that chose an edge of their grid: "32 heads chose the
 * largest lr tried, 0.1, and may be better beyond it", after the opening. Where there are none it
 * puts nothing, and false. */
typedef bool heads_test(const struct writer *w, int64_t heads);
bool put_edges(const struct writer *w, heads_test *meant, const char *opening);
/* Whether there are any. */
bool any_edge(const struct writer *w, heads_test *meant);

/* How the finding of a kind of verdict is said. */
struct finding {
    const char *opening;
    void (*write)(const struct writer *w);
    bool bounded; /* by the steps of the training */
};

/* The headline: opening, budget, finding, and the edges of those head counts that it names, with
 * what helps where they leave it undecided. */
void put_finding(const struct writer *w, const struct finding *f, heads_test *named);

#endif
