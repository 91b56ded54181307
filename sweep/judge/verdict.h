/* The verdict on arms, which are compared with each other: a pure function from the results of
 * their trials. Its words are made by verdict_text.h. As a rule the arms are the head counts of one
 * setting of a sweep. Others have names, as two settings at one head count: their tests are the
 * same, but they are in no order, so that none is the smallest or lies in the middle.
 *
 * Values are test accuracies, or test losses where the sweep's metric is a loss: there "better" is
 * smaller. Differences are candidate minus rival in the metric's own sign.
 *
 * - Units. A test looks at independent units: the seeds or, with replicate, the instances. There
 *   the differences of one instance are averaged over the seeds that both head counts have, and the
 *   t test and the sign-flip test are made over the instances. Instances that are splits of one
 *   file share rows: the t test's standard errors allow for it (Nadeau and Bengio 2003), the
 *   sign-flip test's p does not. Where units are files, judged by a loss, guessing costs something
 *   else at each: a bad trial counts as a guess at its own file, and a head count is above guessing
 *   by the mean over the files of what it gains on guessing there.
 * - Text. Where the test set is a text, its contiguous blocks are a sample too: of the text that
 *   the finding should hold for. Every difference is then tested over seeds and blocks at once
 *   (crossed.h), by the t tests below with other standard errors; the sign-flip test stays one over
 *   seeds.
 * - A claim that was first (`proof`) is confirmed if the paired t test against each rival gives
 *   p < alpha in the right direction. All must hold, so nothing is corrected (intersection-union
 *   test: Berger 1982). It is contradicted if a rival is better at p < alpha / rivals: any of them
 *   would do. A claim that was not first is no prediction and is judged as if there were none.
 * - Without one the finding is exploratory. The candidate is the head count with the best mean
 *   validation value; among those within .005 of it, the one with the fewest heads. It must beat
 *   the smallest and the largest head count, each at p < alpha / k, with k head counts between
 *   them, to pay for having picked it. A candidate at an edge is no middle. Of two arms with names
 *   the first is held against the second at alpha; between.h corrects for how many such pairs there
 *   are.
 * - alpha is .05 / looks: a verdict may be taken at each of them (Bonferroni).
 * - Under tune, a head count that chose the smallest or the largest value that it was given may
 *   have a better one beyond. Nothing is said that calls such a head count worse: a claim over it
 *   is undecided, a middle that beats it is not found, and a claim whose best it is, is not
 *   contradicted (RIVAL_AT_EDGE). What calls it better stands.
 * - Where all differences are equal and not 0, the t test is undefined and the exact sign-flip test
 *   decides in its place.
 * - A trial that diverged or failed counts as a guess. One that ended at a limit does not: its head
 *   count is not finished and is left out of every test, of the edges and of the plateau.
 * - A guess may be better than what others have learned. So nothing is called better, nor within a
 *   margin of the best, by trials of which more than half diverged or failed: such a head count is
 *   not picked, beats nobody and is in no plateau. Where all are such, there is no verdict.
 * - The set that contains the best: all head counts but those that another one beats at one-sided
 *   p < alpha / (m - 1), for m head counts. The truly best one is left out with a probability of at
 *   most alpha, because that takes one of m - 1 comparisons with it to err; the one of best mean
 *   validation value has no place of its own in it. These are comparisons with the best in the
 *   sense of Hsu 1984, by tests that do not need equal variances.
 * - Plateau, with a margin (`equivalence`): a head count is shown to be within the margin of the
 *   best, whichever that is, if the one-sided paired t test rejects "worse by the margin or more"
 *   against every other one (intersection-union again), corrected over the head counts after Holm
 *   1979 with the bound of Shaffer 1986 (the best itself is never a false rejection). Any two that
 *   are shown to be so differ by less than the margin: they are equivalent, as by two one-sided
 *   tests (Schuirmann 1987). The plateau is these; the one of best validation value has to be shown
 *   like any other, and where none is, there is no plateau. Without a margin the plateau is the set
 *   that contains the best.
 * - Whoever is at least as good as another one at each of the same units (and in each block of a
 *   text) is in either set if that one is: its p is then that of the other. Equal values, as at an
 *   accuracy of 1, leave but the sign-flip test, which few units cannot pass.
 * - At chance: no head count is shown to be above guessing, by the one-sided t test of its mean
 *   against guessing + max(.01, 4 standard errors of the test set), or half of the way to perfect
 *   where that is less, corrected over the head counts after Holm, nor by a single trial that
 * covers as much and a tenth of the way from guessing to perfect.
 * - Confirming. With `confirm` an exploratory candidate is held once more against the smallest and
 *   the largest head count other than itself, by the tests of a claim, among trials on units that
 *   took no part in picking it: at the full alpha, as picking it costs nothing there. The kind is
 *   that of the exploring trials. */
#ifndef SWEEP_JUDGE_VERDICT_H
#define SWEEP_JUDGE_VERDICT_H

#include <stdint.h>

#include "engine/base/scope.h"
#include "sweep/judge/crossed.h"
#include "sweep/judge/stats.h"

struct verdict_trial {
    int64_t seed;
    int64_t trial_id;    /* 0: unknown */
    int unit;            /* with replicate: number of its instance, from 0 */
    bool bad;            /* diverged or failed; the values are not looked at */
    bool limited;        /* ended at a limit of time or memory; the values are not looked at */
    double test, val;    /* accuracy, or loss, at the step of the best validation */
    double exact;        /* share of test sequences with every position right; NaN: unknown */
    double late_slope;   /* what the validation metric gains per tenth of the training steps: least
                            squares over the last 5 evaluations, > 0: still improving (a loss falls);
                            NaN: unknown */
    const double *block; /* (blocks) test loss of each block of the text; NULL: unknown */
    double guess;        /* loss of guessing at its unit, where units are files; 0: the input's */
};

/* What trials are tested on. */
enum verdict_data {
    VERDICT_TOY,  /* examples that are made up */
    VERDICT_ROWS, /* rows of a file; an instance is one way to split them */
    VERDICT_TEXT  /* the bytes of a text: losses are said in bits per byte too */
};

/* Whether a better value than the chosen one may lie beyond those that a head count was given. */
enum grid_edge {
    GRID_INNER, /* no: it lies between others, or its score is perfect, or the option ends there */
    GRID_SMALLEST, /* it is the smallest of several */
    GRID_LARGEST,
    GRID_ONLY /* it had no choice, and other head counts had others */
};

/* Under tune: the values that an arm was given of an axis, and which it chose. */
struct verdict_axis {
    const char *path; /* "train.lr" */
    int values;
    struct verdict_value {
        double number;    /* NaN for a word */
        const char *text; /* for people */
    } * value;            /* rising */
    int chosen;           /* index of one; -1: none yet */
    enum grid_edge edge;
};

/* What is compared. */
struct verdict_arm {
    int64_t id;       /* a head count of the plan; of an arm with a name any number. Never 0 */
    const char *name; /* "kv_heads=1"; NULL: it is a head count */
    int n;            /* trials that have ended; may be 0 */
    const struct verdict_trial *trial; /* by rising unit and, in it, rising seed */
    int64_t d_head;                    /* 0: unknown */
    const char *lr;     /* learning rate, "0.003"; NULL: unknown, or not chosen yet */
    const char *shared; /* label of another setting that has these very trials; NULL: none */
    int axes;           /* of which it chooses a value, as all other arms do; 0 without tune */
    struct verdict_axis *axis; /* all are chosen, or none yet */
    /* For those who read it. */
    int planned; /* trials, with looks up to the open one */
    int completed;
    double train_s; /* of the completed ones together */
    int64_t n_params;
};

/* Whether a claim was written down before there were results that it could have been read off. */
enum verdict_proof_status {
    PROOF_FIRST,
    PROOF_LATE,        /* written after `seen` of `pairs` trials had ended */
    PROOF_CHANGED,     /* it said something else when `seen` trials had ended */
    PROOF_PLAN_CHANGED /* trials were added to or removed from the plan after `seen` had ended */
};

struct verdict_proof {
    enum verdict_proof_status status;
    int64_t seen, pairs;    /* (config, seed) pairs that had ended, that were planned; pairs 0:
                               unknown */
    int64_t added, removed; /* PLAN_CHANGED: trials, over all such changes */
};

/* Trials that had ended when a claim was written, of the task, model and seed of a judged one,
 * with other options of training. */
struct verdict_similar {
    int64_t trials;
    int count;
    char **differ; /* (count) the options: "train.eval_every" */
};

/* That an arm is better than each of some others, which need not be among those that are judged. */
struct verdict_claim {
    int64_t best; /* ids of arms; 0: nothing is claimed */
    int over_count;
    const int64_t *over;
    struct verdict_proof proof;
    struct verdict_similar similar; /* where the proof is FIRST */
};

/* What fresh seeds or instances are to decide about the finding of the others (`confirm`). */
struct verdict_confirm {
    int64_t units;                     /* of each arm that is held against others */
    bool written;                      /* all exploring trials have ended, and ... */
    const struct verdict_input *input; /* ... this is claimed and tested; NULL: nothing is */
    int64_t repeated; /* further instances, which draw a task that was explored or that another one
                         draws: they do not count */
};

/* What arms with names have in common: sentences say it with them. */
struct verdict_place {
    int64_t heads;
    const char *same; /* "d_ff=64"; "" */
};

struct verdict_input {
    int count;
    struct verdict_arm *arm; /* head counts rise */
    bool named; /* arms have names and are in no order: two of them, as in between.h. Else they are
                   head counts */
    const struct verdict_place *place; /* of arms with names; NULL: nothing is said of it */
    bool loss;                         /* values are losses: smaller is better */
    enum verdict_data data;
    bool interleaved;     /* the test text comes from all over its file, not from the end */
    int blocks;           /* of the test text, in every trial; 0: none, 1 is as good as none */
    double chance;        /* accuracy of guessing; NaN: unknown, bad trials left out */
    double guess_loss;    /* loss of guessing; 0: -ln(chance), as where all targets are as likely */
    int64_t test_targets; /* cases in the test set that an accuracy is a mean over; 0: unknown */
    int planned;   /* trials of all arms, with looks up to the open one; fewer ended ones make the
                      verdict preliminary */
    int64_t steps; /* training steps, the most where they differ; 0: unknown */
    bool decays; /* the learning rate ends at 0, so that curves end flat, whatever more steps do */
    struct verdict_claim claim;
    long tuning, tuning_ended; /* trials that only serve to choose: all that are needed, and those
                                  of them that have ended */
    long eliminated;           /* ... that lost at a rung, in neither */
    int tuning_seeds;          /* on which each value was tried; 0: unknown */
    const char *replicated;    /* axes whose values are random samples, "task.instance"; NULL: the
                                  units are seeds */
    int instances, different;  /* replicated instances, and how many of them draw tasks that differ:
                                  each of these is one unit */
    const char *alike;         /* which draw the same: "0, 2 and 5; 1 and 3"; NULL: none do */
    int looks, look;           /* how many, which is open (from 1); 0: no looks */
    double equivalence;        /* margin in units of the metric; 0: not asked */
    const struct verdict_confirm *confirm; /* NULL: not asked */
};

enum verdict_kind {
    VERDICT_NOTHING,   /* no trial has ended */
    VERDICT_UNTRAINED, /* of every head count more than half diverged or failed */
    VERDICT_SINGLE,    /* one head count (that finished): nothing to compare */
    VERDICT_CLAIM_CONFIRMED,
    VERDICT_CLAIM_NOT_CONFIRMED,
    VERDICT_CLAIM_CONTRADICTED, /* a rival is significantly better */
    VERDICT_CLAIM_UNTESTED,     /* fewer than two units in common with a rival */
    VERDICT_MIDDLE,             /* exploratory: the candidate beats both edges */
    VERDICT_NOT_SIGNIFICANT,    /* exploratory: it is not shown to */
    VERDICT_EDGE,               /* exploratory: the candidate is the smallest or the largest */
    VERDICT_UNTESTED,           /* exploratory: fewer than two units in common with an edge */
    VERDICT_AT_CHANCE,          /* no head count is shown to be above guessing */
    VERDICT_ALL_EQUAL,          /* every trial of every head count has the same test value */
    VERDICT_CLAIM_UNDECIDED,    /* a head count that the claim names did not finish */
    VERDICT_UNFINISHED,         /* no head count finished within the limit */
    VERDICT_RIVAL_AT_EDGE,      /* what the tests would say calls a head count worse that chose an
                                   edge of its grid: a claim is undecided, a middle is not found */
    VERDICT_SETTING_BETTER      /* of two arms with names, without a claim: one is */
};

/* Trials whose test values lie together. */
struct verdict_cluster {
    int n;
    double low, high;
};

/* An arm's results, bad trials as guesses. */
struct verdict_row {
    int64_t arm;               /* its id */
    int64_t d_head;            /* 0: unknown */
    int trials;                /* ended, that count: all but bad ones where guessing is unknown, and
                                  limited ones */
    struct stats_summary test; /* over units: of trials or, with replicate, of instance means */
    int bad, limited;          /* limited > 0: not finished, in no test */
    bool mostly_bad;           /* more than half of the trials: nothing is called better by them */
    double completed_mean;     /* test value without the bad ones; NaN if there are none */
    double val_mean;           /* over units as above */
    int solved;                /* trials with test accuracy >= VERDICT_SOLVED; 0 for a loss */
    double solved_low, solved_high; /* exact binomial interval of solved / trials; NaN without
                                       trials, for a loss, and with replicate, where trials of one
                                       instance are not independent */
    double exact_mean;              /* of the completed trials that know it; NaN: none */
    double median_low, median_high; /* order-statistic interval of the median over units, at least
                                       95 %; NaN for n < 6 */
    bool apart; /* completed trials fall into two clusters, at least the margin or .1 apart */
    struct verdict_cluster clusters[2]; /* of lower and of higher values */
    bool bimodal;                       /* apart by .1 or more */
    bool above_chance;                  /* shown to be; false where guessing is unknown */
    double chance_p;                    /* Holm-corrected, one-sided; NaN where not testable */
    bool improving; /* still, at the last step: by the one-sided t test of late_gain, corrected over
                       the head counts after Holm, and not by a trifle */
    double late_gain, late_low, late_high; /* mean late_slope and its 95% t interval over units;
                                              NaN where unknown, the interval for one unit too */
    double best_p;       /* smallest one-sided p of "another is not better", times m - 1, at most 1;
                            NaN where not testable */
    bool best_by_values; /* best_p is that of one that it is never worse than, its own is smaller */
    bool among_best;     /* in the set that contains the best */
    double plateau_p;    /* of "worse than the best by the margin or more", corrected; NaN without a
                            margin and where not testable */
    bool plateau_by_values; /* plateau_p is that of one that it is never worse than */
    double equivalent_p;    /* the larger of its plateau_p and that of the best; NaN for the best */
    bool equivalent;        /* to the best, within the margin */
    bool in_plateau;
};

enum rival_outcome {
    RIVAL_BEATEN,
    RIVAL_NOT_BEATEN,
    RIVAL_BETTER,
    RIVAL_UNTESTED,
    RIVAL_UNFINISHED, /* it or the candidate did not finish */
    RIVAL_AT_EDGE,    /* beaten, but it chose an edge of its grid */
    RIVAL_OVER_EDGE   /* better than a claim's best or an arm with a name, which chose an edge */
};

struct verdict_rival {
    int64_t arm;              /* its id */
    struct stats_paired pair; /* candidate - rival, over the units that both have; the interval is
                                 at the verdict's `level`; wins and losses as the metric counts.
                                 Where `crossed` is testable, low, high, t and p are over both */
    struct crossed crossed;   /* the same over seeds (rows) and blocks (columns); 0 columns: there
                                 are no blocks, or not in all of the trials */
    int seed_pairs;           /* with replicate: differences of equal seed, over all instances */
    int unpaired;             /* trials that only one of them has */
    double sd_between, sd_within; /* with replicate: square roots of the variance components of the
                                     differences, between instances and between seeds of one; NaN
                                     where there are too few */
    double spread_ratio; /* standard deviation over these units of the candidate, in those of the
                            rival; NaN for n < 2 and where neither varies */
    double p; /* decides: of the t test or, where that is undefined, of the sign-flip test */
    enum rival_outcome outcome;
};

enum { VERDICT_TOLERANCES = 3 };
extern const double VERDICT_SOLVED;                           /* .99 */
extern const double VERDICT_TOLERANCE;                        /* .005 */
extern const double VERDICT_TOLERANCE_AT[VERDICT_TOLERANCES]; /* 0, .005, .02 */

struct verdict {
    enum verdict_kind kind;
    bool prediction;     /* the kind is about a claim that was first */
    int ended;           /* trials */
    bool preliminary;    /* fewer than planned */
    bool decided;        /* no further look is needed: confirmed, contradicted or middle; or
                            more seeds are of no use: a rival is at an edge */
    const char *unit;    /* what tests count: "seed", "task instance" (of a file's rows "split"),
                            "text"    or, of rows, "file", or, of other axes, "replicate" */
    int units;           /* with replicate: instances; else 0 */
    double guess;        /* value of a guess; NaN: unknown */
    bool guess_varies;   /* from trial to trial, as units are files: it is the mean */
    int units_at_chance; /* then: units at which no head count's mean is above guessing there */
    double alpha;        /* each rival's p is held against this; NaN without rivals */
    double level;        /* of the intervals of paired differences: .95 without looks */
    bool blocks;         /* comparisons go over the blocks of a text too */
    int finished;        /* head counts with results and none at a limit */
    int64_t smallest, largest; /* of the finished ones: the edges; 0: none */
    int interior;              /* finished head counts between the edges */
    int64_t candidate;         /* the claim's best, or the one picked; 0: none */
    int64_t
        candidate_at[VERDICT_TOLERANCES]; /* what would be picked at these tolerances; 0: none */
    int64_t best;                         /* best mean validation value; 0: none */
    int64_t smallest_among_best;          /* 0: none */
    double plateau_margin;             /* NaN without equivalence: the set that contains the best */
    int64_t plateau_low, plateau_high; /* smallest and largest in the plateau; 0: none */
    int plateau_holes; /* head counts between these with results that are not in it */
    int rows;          /* as many as input.count */
    struct verdict_row *row;
    int rivals;
    struct verdict_rival *rival;
    struct verdict *confirmed; /* of input.confirm: by fresh units alone; NULL without a claim */
};

/* What is to be confirmed of an exploratory verdict: its candidate over the smallest and the
 * largest head count other than itself, of which one is its neighbour where it is an edge. 0 head
 * counts where there is nothing to confirm: kind says why, and else is the verdict's. */
struct verdict_pick {
    enum verdict_kind kind;
    int64_t best, over[2];
    int over_count;
};
struct verdict_pick verdict_pick(const struct verdict_input *in, const struct verdict *v);

/* Judges, in the scope's memory; the result keeps nothing of the input. */
struct verdict *verdict_new(struct scope *x, const struct verdict_input *in);

/* What a trial that diverged or failed counts as; NaN: unknown. */
double verdict_guess(const struct verdict *v, const struct verdict_trial *t);

/* Whether the units are files, each a text or a table of its own. */
bool verdict_over_files(const struct verdict_input *in);

/* Whether losses are of bytes, in nats, and so to be told in bits per byte too: loss / ln 2. */
bool verdict_has_bits(const struct verdict_input *in);

/* The one of the two that did better, candidate or rival; the rival where neither did. */
int64_t verdict_ahead(const struct verdict_input *in, const struct verdict *v,
                      const struct verdict_rival *r);

/* Whether they differ by what is needed, but that one is not called better because more than half
 * of its trials are guesses. */
bool verdict_won_by_guesses(const struct verdict_input *in, const struct verdict *v,
                            const struct verdict_rival *r);

/* Under tune: the first arm that chooses, of whose axes all others choose as well; NULL without.
 * How many have chosen. */
const struct verdict_arm *verdict_tuned(const struct verdict_input *in);
int verdict_chosen(const struct verdict_input *in);

/* Whether an arm chose an edge of its grid, on any axis; false without tune. */
bool verdict_at_edge(const struct verdict_input *in, int64_t arm);

/* "smallest", "largest", "only"; NULL for INNER: for programs. */
const char *grid_edge_name(enum grid_edge edge);

/* "claim_confirmed", "middle", ...: for programs. */
const char *verdict_kind_name(enum verdict_kind kind);

/* "better", "not_shown", ...: the candidate against a rival, for programs. */
const char *rival_outcome_name(enum rival_outcome outcome);

/* "first", "late", "changed", "plan_changed": for programs. */
const char *verdict_proof_name(enum verdict_proof_status status);

#endif
