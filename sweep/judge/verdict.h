/* The verdict on one setting of a sweep: a pure function from the results of its trials.
 *
 * - With a claim (a prediction written down before the first trial) it is confirmed if the paired
 *   t test of test accuracy against each rival gives p < .05 in the right direction. All must hold,
 *   so nothing is corrected (intersection-union test: Berger 1982).
 * - Without one the finding is exploratory. The candidate is the head count with the best mean
 *   validation accuracy; among those within .005 of it, the one with the fewest heads. It must beat
 *   the smallest and the largest head count, each at p < .05 / k, with k head counts between
 * smallest and largest, to pay for having picked it. A candidate at an edge is no middle.
 * - Where all differences are equal and not 0, the t test is undefined and the exact sign-flip test
 *   decides in its place.
 * - A trial that diverged or failed counts at chance accuracy.
 * - Head counts that cannot be told apart from the best: the best is the one of highest mean
 *   validation accuracy (no tolerance), so that the test accuracies to be compared did not choose
 *   it. Every other is compared with it by the paired t test on test accuracy, p-values corrected
 *   after Holm 1979 over these comparisons. One that is not shown to be worse (corrected p >= .05,
 *   or better) cannot be told apart. These are comparisons with the best in the sense of Hsu 1984,
 *   by tests that do not need equal variances. */
#ifndef SWEEP_JUDGE_VERDICT_H
#define SWEEP_JUDGE_VERDICT_H

#include <stdint.h>

#include "engine/base/status.h"
#include "sweep/judge/stats.h"

struct verdict_trial {
    int64_t seed;
    bool bad; /* diverged or failed; the accuracies are not looked at */
    double test_acc, val_acc;
    int64_t trial_id; /* 0: unknown */
};

/* One head count of the plan. */
struct verdict_heads {
    int64_t heads;
    int n;                             /* trials that have ended; may be 0 */
    const struct verdict_trial *trial; /* by rising seed */
};

/* Under tune: the setting that was chosen for a head count. */
struct verdict_choice {
    int64_t heads;
    const char *label; /* "lr=0.003" */
    const char *edge;  /* the tuned options whose choice is at the edge of the grid, "" for none */
};

struct verdict_input {
    int count;
    const struct verdict_heads *heads; /* by rising head count */
    double chance;                     /* accuracy of guessing; NaN: unknown, bad trials left out */
    int planned;   /* trials of this setting; fewer ended ones make the verdict preliminary */
    int64_t steps; /* training steps, the most where they differ; 0: unknown */
    bool has_claim;
    int64_t claim_best;
    int claim_over_count;
    const int64_t *claim_over;
    bool claim_changed;        /* after trials had run */
    long tuning, tuning_ended; /* trials that only serve to choose, those that have ended */
    int choices;               /* 0 without tune */
    const struct verdict_choice *choice;
};

enum verdict_kind {
    VERDICT_NOTHING,   /* no trial has ended */
    VERDICT_UNTRAINED, /* all that ended diverged or failed */
    VERDICT_SINGLE,    /* one head count: nothing to compare */
    VERDICT_CLAIM_CONFIRMED,
    VERDICT_CLAIM_NOT_CONFIRMED,
    VERDICT_CLAIM_CONTRADICTED, /* a rival is significantly better */
    VERDICT_CLAIM_UNTESTED,     /* fewer than two seeds in common with a rival */
    VERDICT_MIDDLE,             /* exploratory: the candidate beats both edges */
    VERDICT_NOT_SIGNIFICANT,    /* exploratory: it is not shown to */
    VERDICT_EDGE,               /* exploratory: the candidate is the smallest or the largest */
    VERDICT_UNTESTED            /* exploratory: fewer than two seeds in common with an edge */
};

/* A head count's results with bad trials at chance. */
struct verdict_row {
    int64_t heads;
    struct stats_summary test; /* all ended trials */
    int bad;
    double completed_mean;          /* test accuracy without the bad ones; NaN if there are none */
    double val_mean;                /* of all ended trials */
    int solved;                     /* test accuracy >= VERDICT_SOLVED */
    double solved_low, solved_high; /* exact binomial interval of solved / test.n; NaN for n = 0 */
    double best_p;   /* Holm-corrected, against the best; NaN for the best and where not testable */
    bool among_best; /* is the best, or cannot be told apart from it */
};

enum rival_outcome { RIVAL_BEATEN, RIVAL_NOT_BEATEN, RIVAL_BETTER, RIVAL_UNTESTED };

struct verdict_rival {
    int64_t heads;
    struct stats_paired pair; /* candidate - rival, over the seeds that both have */
    int unpaired;             /* seeds that only one of them has */
    double p; /* decides: of the t test or, where that is undefined, of the sign-flip test */
    enum rival_outcome outcome;
};

extern const double VERDICT_SOLVED;    /* .99 */
extern const double VERDICT_TOLERANCE; /* .005 */

struct verdict {
    enum verdict_kind kind;
    double alpha;                /* each rival's p is held against this; NaN without rivals */
    int interior;                /* head counts between the smallest and the largest */
    int64_t candidate;           /* the claim's best, or the one picked; 0: none */
    int64_t best;                /* highest mean validation accuracy; 0: none */
    int64_t smallest_among_best; /* 0: none */
    int rows;                    /* as many as input.count */
    struct verdict_row *row;
    int rivals;
    struct verdict_rival *rival;
    int sentences;
    char **sentence; /* UTF-8, to be set as paragraphs; the first is the finding */
};

/* Judges; the result keeps nothing of the input. Free with verdict_free. Fails with NO_MEMORY. */
enum status verdict_new(const struct verdict_input *in, struct verdict **v, struct message *m);
void verdict_free(struct verdict *v);

/* "claim_confirmed", "middle", ...: for programs. */
const char *verdict_kind_name(enum verdict_kind kind);

/* The second half of verdict_new, in verdict_text.c: writes the sentences. NO_MEMORY. */
enum status verdict_sentences(const struct verdict_input *in, struct verdict *v, struct message *m);

#endif
