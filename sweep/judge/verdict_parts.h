/* What the files of the verdict share: verdict_rows.c summarizes each arm, verdict_compare.c
 * compares them, verdict.c decides. */
#ifndef SWEEP_JUDGE_VERDICT_PARTS_H
#define SWEEP_JUDGE_VERDICT_PARTS_H

#include "sweep/judge/verdict.h"

/* Shared by the steps of one judgement. */
struct judge {
    const struct verdict_input *in;
    struct verdict *v;
    double sign;  /* 1, or -1 where values are losses: sign * value is the larger the better */
    double alpha; /* .05 / looks */
    /* As long as the longest list of trials: values of one or two arms per unit; with
     * replicate differences by seed, unit after unit, and how many of them each unit has. */
    double *a, *b, *difference;
    int *size;
    double *table; /* (units, blocks): differences of two arms; NULL without blocks */
    double *p;     /* one per arm */
    int *order;    /* one per arm */
};

/* The value that a trial counts with, and whether it counts at all. */
bool judge_counts(const struct judge *j, const struct verdict_trial *t);
double judge_test(const struct judge *j, const struct verdict_trial *t);
double judge_guess(const struct judge *j, const struct verdict_trial *t);

/* Has results and takes part in the tests. */
bool row_tested(const struct verdict_row *r);

/* Whether more than half of the trials that did not end at a limit diverged or failed. */
bool mostly_bad(const struct verdict_arm *a);

/* The smallest or the largest head count that took part, without the candidate: those that it is
 * held against. 0: there is none. */
int64_t outermost(const struct verdict *v, bool largest);

/* Index of an arm; -1: there is none of that id. */
int arm_index(const struct verdict_input *in, int64_t id);

/* Fills v->row, but for the comparisons, and v->units. */
void summarize_rows(struct judge *j);

/* Whether no arm is shown to be above guessing; marks those that are. false where guessing
 * is unknown. */
bool all_at_chance(struct judge *j);

/* Whether at least two arms have results and all trials have the same test value. */
bool all_equal(const struct judge *j);

/* Adds to v->rival the comparison of `candidate` with a rival. One that is better at p < `alpha` /
 * `family` is BETTER. */
void compare_rival(struct judge *j, int64_t candidate, int64_t rival, int family);

/* Whether the units are splits of one file, which share rows. */
bool units_share_rows(const struct verdict_input *in);

/* How many of v's rivals have that outcome. */
int rivals_with(const struct verdict *v, enum rival_outcome outcome);

/* Fills best_p, among_best of the rows: those that no other beats. */
void compare_with_best(struct judge *j);

/* Fills plateau_p, equivalent_p, equivalent, in_plateau of the rows and the plateau of v. */
void find_plateau(struct judge *j, int best);

#endif
