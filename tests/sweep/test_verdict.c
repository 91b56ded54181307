/* Every branch of the verdict, with its exact sentences. Accuracies are chosen so that the numbers
 * can be checked by hand or with R: t.test(a, b, paired = TRUE). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/judge/verdict.h"

#include <cmocka.h>

enum { MAX_HEADS = 8, MAX_SEEDS = 30 };

/* A setting under construction. */
struct sketch {
    struct verdict_input in;
    struct verdict_heads heads[MAX_HEADS];
    struct verdict_trial trial[MAX_HEADS][MAX_SEEDS];
    int64_t over[MAX_HEADS];
    struct verdict_choice choice[MAX_HEADS];
};

static struct sketch sketch_new(void)
{
    return (struct sketch){.in = {.chance = .0625, .steps = 1500}};
}

/* Adds a head count whose n seeds (from 0) have these test accuracies; validation accuracy is
 * val at every seed. A negative accuracy is a bad trial. */
static void add(struct sketch *s, int64_t heads, double val, int n, const double *test)
{
    int i = s->in.count++;
    s->heads[i] = (struct verdict_heads){.heads = heads, .n = n};
    for (int k = 0; k < n; k++)
        s->trial[i][k] = (struct verdict_trial){.seed = k,
                                                .bad = test[k] < 0,
                                                .test = test[k],
                                                .val = val,
                                                .exact = NAN,
                                                .late_slope = NAN};
    s->in.planned += n;
}

static void claim(struct sketch *s, int64_t best, int64_t over1, int64_t over2)
{
    s->in.has_claim = true;
    s->in.claim_best = best;
    s->over[s->in.claim_over_count++] = over1;
    if (over2)
        s->over[s->in.claim_over_count++] = over2;
}

static struct verdict *judge_sketch(struct sketch *s)
{
    struct verdict *v;
    for (int i = 0; i < s->in.count; i++)
        s->heads[i].trial = s->trial[i];
    s->in.heads = s->heads;
    s->in.claim_over = s->over;
    s->in.choice = s->choice;
    assert_int_equal(verdict_new(&s->in, &v, NULL), STATUS_OK);
    return v;
}

/* Judges and compares kind and all sentences. */
static void expect(struct sketch *s, enum verdict_kind kind, const char *const *sentences)
{
    struct verdict *v = judge_sketch(s);
    assert_string_equal(verdict_kind_name(v->kind), verdict_kind_name(kind));
    int i = 0;
    for (; sentences[i]; i++) {
        assert_true(i < v->sentences);
        assert_string_equal(v->sentence[i], sentences[i]);
    }
    assert_int_equal(v->sentences, i);
    verdict_free(v);
}

#define EXPECT(s, kind, ...) expect(s, kind, (const char *const[]){__VA_ARGS__, NULL})

static const double low[5] = {.70, .72, .69, .71, .73}, good[5] = {.99, 1, .98, 1, .99},
                    fair[5] = {.97, 1, .99, .98, .99}, poor[5] = {.28, .27, .30, .26, .29};

static void test_claim_confirmed(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 16, .28, 5, poor);
    claim(&s, 4, 1, 16);
    EXPECT(&s, VERDICT_CLAIM_CONFIRMED,
           "Claim confirmed: within 1500 steps, on this task instance, 4 heads are better than 1 "
           "and 16, as predicted.",
           "4 heads against 1: +0.282 test accuracy, 95% interval +0.266 to +0.298, over 5 seeds "
           "(5 won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
           "4 heads against 16: +0.712 test accuracy, 95% interval +0.682 to +0.742, over 5 seeds "
           "(5 won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
           "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 seeds are "
           "needed for p < 0.05.",
           "Within 1500 steps, on this task instance, 4 heads have the highest mean validation "
           "accuracy; every other head count is told apart from it on test accuracy (paired t "
           "tests, Holm-corrected p < 0.05).");
}

static void test_claim_not_confirmed(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .98, 5, fair);
    claim(&s, 4, 1, 8);
    EXPECT(&s, VERDICT_CLAIM_NOT_CONFIRMED,
           "Claim not confirmed: within 1500 steps, on this task instance, 4 heads are not shown "
           "to be better than 8 (p = 0.374).",
           "4 heads against 1: +0.282 test accuracy, 95% interval +0.266 to +0.298, over 5 seeds "
           "(5 won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
           "4 heads against 8: +0.006 test accuracy, 95% interval -0.011 to +0.023, over 5 seeds "
           "(2 won, 1 lost); paired t test p = 0.374, exact sign-flip test p = 0.5.",
           "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 seeds are "
           "needed for p < 0.05.",
           "Within 1500 steps, on this task instance, 4 heads have the highest mean validation "
           "accuracy; 8 cannot be told apart from it on test accuracy (paired t tests, "
           "Holm-corrected p >= 0.05). None of these has fewer heads.");
}

static void test_claim_contradicted(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .98, 5, fair);
    claim(&s, 1, 4, 0);
    s.in.proof.status = PROOF_CHANGED;
    EXPECT(&s, VERDICT_CLAIM_CONTRADICTED,
           "Claim contradicted: within 1500 steps, on this task instance, 1 head is significantly "
           "worse than 4 (p < 0.0001).",
           "The claim was changed after trials had run: this is no test of a prediction made "
           "beforehand.",
           "1 head against 4: -0.282 test accuracy, 95% interval -0.298 to -0.266, over 5 seeds (0 "
           "won, 5 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
           "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 seeds are "
           "needed for p < 0.05.",
           "Within 1500 steps, on this task instance, 4 heads have the highest mean validation "
           "accuracy; 8 cannot be told apart from it on test accuracy (paired t tests, "
           "Holm-corrected p >= 0.05). None of these has fewer heads.");
    struct sketch both = sketch_new(); /* one rival is better, another only not beaten */
    add(&both, 1, .99, 5, good);
    add(&both, 4, .99, 5, good);
    both.trial[0][0].test = .9;
    add(&both, 8, .98, 5, low);
    add(&both, 16, .98, 5, fair);
    add(&both, 32, .7, 5, (const double[]){.72, .70, .71, .69, .74});
    claim(&both, 8, 1, 32);
    EXPECT(
        &both, VERDICT_CLAIM_CONTRADICTED,
        "Claim contradicted: within 1500 steps, on this task instance, 8 heads are significantly "
        "worse than 1 (p < 0.0001) and not shown to be better than 32 (p = 0.838).",
        "8 heads against 1: -0.264 test accuracy, 95% interval -0.311 to -0.217, over 5 seeds (0 "
        "won, 5 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
        "8 heads against 32: -0.002 test accuracy, 95% interval -0.027 to +0.023, over 5 seeds (2 "
        "won, 3 lost); paired t test p = 0.838, exact sign-flip test p = 1.",
        "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 seeds are "
        "needed for p < 0.05.",
        "Within 1500 steps, on this task instance, 1 head has the highest mean validation "
        "accuracy; 4 and 16 cannot be told apart from it on test accuracy (paired t tests, "
        "Holm-corrected p >= 0.05). None of these has fewer heads.");
}

static void test_claim_untested(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 1, low);
    add(&s, 4, .99, 5, good);
    claim(&s, 4, 1, 32);
    EXPECT(&s, VERDICT_CLAIM_UNTESTED,
           "Claim not tested yet: 4 heads share fewer than two seeds with 1 and with 32.",
           "4 heads against 1: +0.290 test accuracy at the one seed in common.",
           "4 heads against 32: no seed in common.");
}

static void test_middle(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .985, 5, fair);
    add(&s, 8, .989, 5, good);
    add(&s, 32, .28, 5, poor);
    EXPECT(
        &s, VERDICT_MIDDLE,
        "Exploratory finding, a middle head count wins: within 1500 steps, on this task instance, "
        "4 heads are better than both the smallest (1) and the largest (32) head count tried.",
        "8 heads have the highest mean validation accuracy (0.9890); 4 heads are fewer and within "
        "0.005 of it (0.9850), so 4 is the candidate.",
        "4 was picked from the results, so each comparison needs p < 0.025 (0.05 / 2, for the "
        "2 head counts between the smallest and the largest).",
        "4 heads against 1: +0.276 test accuracy, 95% interval +0.257 to +0.295, over 5 seeds (5 "
        "won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
        "4 heads against 32: +0.706 test accuracy, 95% interval +0.683 to +0.729, over 5 seeds (5 "
        "won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
        "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 7 seeds are "
        "needed for p < 0.025.",
        "Within 1500 steps, on this task instance, 8 heads have the highest mean validation "
        "accuracy; 4 cannot be told apart from it on test accuracy (paired t tests, Holm-corrected "
        "p >= 0.05). The smallest of these is 4.",
        "To confirm it, predict it: a sweep with claim: {best: 4, over: [1, 32]} and seeds not "
        "used here.");
}

static void test_not_significant(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .98, 5, fair);
    EXPECT(&s, VERDICT_NOT_SIGNIFICANT,
           "Not significant: within 1500 steps, on this task instance, 4 heads, picked by "
           "validation accuracy, are not shown to be better than 8 (p = 0.374).",
           "4 was picked from the results, so each comparison needs p < 0.05 (0.05 / 1, for the "
           "1 head count between the smallest and the largest).",
           "4 heads against 1: +0.282 test accuracy, 95% interval +0.266 to +0.298, over 5 seeds "
           "(5 won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
           "4 heads against 8: +0.006 test accuracy, 95% interval -0.011 to +0.023, over 5 seeds "
           "(2 won, 1 lost); paired t test p = 0.374, exact sign-flip test p = 0.5.",
           "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 seeds are "
           "needed for p < 0.05.",
           "Within 1500 steps, on this task instance, 4 heads have the highest mean validation "
           "accuracy; 8 cannot be told apart from it on test accuracy (paired t tests, "
           "Holm-corrected p >= 0.05). None of these has fewer heads.");
}

static void test_edges(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .99, 5, good);
    add(&s, 2, .99, 5, fair);
    add(&s, 4, .28, 5, poor);
    EXPECT(&s, VERDICT_EDGE,
           "No middle: within 1500 steps, on this task instance, the best head count on validation "
           "(the fewest heads within 0.005 of the top) is the smallest one tried, 1.",
           "Within 1500 steps, on this task instance, 1 head has the highest mean validation "
           "accuracy; 2 cannot be told apart from it on test accuracy (paired t tests, "
           "Holm-corrected p >= 0.05). None of these has fewer heads.");
    struct sketch t = sketch_new();
    add(&t, 1, .28, 5, poor);
    add(&t, 2, .70, 5, low);
    add(&t, 4, .99, 5, good);
    EXPECT(&t, VERDICT_EDGE,
           "No middle: within 1500 steps, on this task instance, the best head count on validation "
           "(the fewest heads within 0.005 of the top) is the largest one tried, 4; more heads "
           "were not tried.",
           "Within 1500 steps, on this task instance, 4 heads have the highest mean validation "
           "accuracy; every other head count is told apart from it on test accuracy (paired t "
           "tests, Holm-corrected p < 0.05).");
}

static void test_zero_variance(void **state)
{
    (void)state;
    const double ones[6] = {1, 1, 1, 1, 1, 1}, half[6] = {.5, .5, .5, .5, .5, .5};
    struct sketch s = sketch_new();
    add(&s, 1, .5, 5, half);
    add(&s, 2, 1, 5, ones);
    add(&s, 4, .5, 5, half);
    EXPECT(
        &s, VERDICT_NOT_SIGNIFICANT,
        "Not significant: within 1500 steps, on this task instance, 2 heads, picked by validation "
        "accuracy, are not shown to be better than 1 (p = 0.0625) and 4 (p = 0.0625).",
        "2 was picked from the results, so each comparison needs p < 0.05 (0.05 / 1, for the "
        "1 head count between the smallest and the largest).",
        "2 heads against 1: +0.500 test accuracy at each of 5 seeds; equal differences leave the t "
        "test undefined, so the exact sign-flip test decides: p = 0.0625.",
        "2 heads against 4: +0.500 test accuracy at each of 5 seeds; equal differences leave the t "
        "test undefined, so the exact sign-flip test decides: p = 0.0625.",
        "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 seeds are "
        "needed for p < 0.05.",
        "Within 1500 steps, on this task instance, 2 heads have the highest mean validation "
        "accuracy; 1 and 4 cannot be told apart from it on test accuracy (paired t tests, "
        "Holm-corrected p >= 0.05). The smallest of these is 1.",
        "1, 2 and 4 heads: all 5 seeds gave the same accuracy, so there is no spread to compute an "
        "interval from.");
    struct sketch six = sketch_new(); /* six seeds can go below .05 */
    add(&six, 1, .5, 6, half);
    add(&six, 2, 1, 6, ones);
    add(&six, 4, 1, 6, ones);
    claim(&six, 2, 1, 0);
    EXPECT(&six, VERDICT_CLAIM_CONFIRMED,
           "Claim confirmed: within 1500 steps, on this task instance, 2 heads are better than 1, "
           "as predicted.",
           "2 heads against 1: +0.500 test accuracy at each of 6 seeds; equal differences leave "
           "the t test undefined, so the exact sign-flip test decides: p = 0.0312.",
           "Within 1500 steps, on this task instance, 2 heads have the highest mean validation "
           "accuracy; 1 and 4 cannot be told apart from it on test accuracy (paired t tests, "
           "Holm-corrected p >= 0.05). The smallest of these is 1.",
           "1, 2 and 4 heads: all 6 seeds gave the same accuracy, so there is no spread to compute "
           "an interval from.");
}

static void test_one_seed(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 1, low);
    add(&s, 4, .99, 1, good);
    add(&s, 16, .28, 1, poor);
    EXPECT(&s, VERDICT_UNTESTED,
           "Not tested yet: 4 heads share fewer than two seeds with 1 and with 16.",
           "4 heads against 1: +0.290 test accuracy at the one seed in common.",
           "4 heads against 16: +0.710 test accuracy at the one seed in common.",
           "One seed per head count: no interval and no test is possible. Run at least two seeds, "
           "better five or more.");
}

static void test_missing_seeds(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 16, .28, 3, poor);
    for (int k = 0; k < 3; k++)
        s.trial[2][k].seed = 2 * k; /* 0, 2, 4 */
    s.in.planned = 15;
    EXPECT(
        &s, VERDICT_MIDDLE,
        "Preliminary, with 13 of 15 trials ended (a verdict needs them all: stopping when the "
        "numbers look good is no test). Exploratory finding, a middle head count wins: within 1500 "
        "steps, on this task instance, 4 heads are better than both the smallest (1) and the "
        "largest (16) head count tried.",
        "4 was picked from the results, so each comparison needs p < 0.05 (0.05 / 1, for the "
        "1 head count between the smallest and the largest).",
        "4 heads against 1: +0.282 test accuracy, 95% interval +0.266 to +0.298, over 5 seeds (5 "
        "won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
        "4 heads against 16: +0.703 test accuracy, 95% interval +0.675 to +0.732, over 3 seeds (3 "
        "won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.25; 2 seeds that only "
        "one of them has are left out.",
        "With 3 seeds the exact sign-flip test cannot go below p = 0.25; at least 6 seeds are "
        "needed for p < 0.05.",
        "Within 1500 steps, on this task instance, 4 heads have the highest mean validation "
        "accuracy; every other head count is told apart from it on test accuracy (paired t tests, "
        "Holm-corrected p < 0.05).",
        "To confirm it, predict it: a sweep with claim: {best: 4, over: [1, 16]} and seeds not "
        "used here.");
}

static void test_bad_trials(void **state)
{
    (void)state;
    const double one_bad[5] = {.99, -1, .98, 1, .99}, all_bad[5] = {-1, -1, -1, -1, -1};
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, one_bad);
    add(&s, 16, 0, 5, all_bad);
    EXPECT(&s, VERDICT_NOT_SIGNIFICANT,
           "Not significant: within 1500 steps, on this task instance, 4 heads, picked by "
           "validation accuracy, are not shown to be better than 1 (p = 0.642).",
           "4 was picked from the results, so each comparison needs p < 0.05 (0.05 / 1, for the "
           "1 head count between the smallest and the largest).",
           "4 heads against 1: +0.095 test accuracy, 95% interval -0.428 to +0.617, over 5 seeds "
           "(4 won, 1 lost); paired t test p = 0.642, exact sign-flip test p = 0.75.",
           "4 heads against 16: +0.742 test accuracy, 95% interval +0.227 to +1.257, over 5 seeds "
           "(4 won, 0 lost); paired t test p = 0.0161, exact sign-flip test p = 0.125.",
           "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 seeds are "
           "needed for p < 0.05.",
           "Within 1500 steps, on this task instance, 4 heads have the highest mean validation "
           "accuracy; 1 cannot be told apart from it on test accuracy (paired t tests, "
           "Holm-corrected p >= 0.05). The smallest of these is 1.",
           "4 heads: 1 of 5 trials diverged or failed; it counts at chance accuracy (0.0625), the "
           "mean of the completed alone is 0.990.",
           "16 heads: all 5 trials diverged or failed; they count at chance accuracy (0.0625).");
    struct sketch unknown = sketch_new();
    unknown.in.chance = NAN;
    add(&unknown, 1, .70, 5, one_bad);
    EXPECT(&unknown, VERDICT_SINGLE, "No comparison: 1 is the only head count that was tried.",
           "1 head: 1 of 5 trials diverged or failed; chance accuracy is not known, so it is left "
           "out.");
}

static void test_no_difference(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .5, 5, good);
    add(&s, 2, .9, 5, good);
    claim(&s, 2, 1, 0);
    EXPECT(&s, VERDICT_CLAIM_NOT_CONFIRMED,
           "Claim not confirmed: within 1500 steps, on this task instance, 2 heads are not shown "
           "to be better than 1 (p = 1).",
           "2 heads against 1: no difference at any of 5 seeds.",
           "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 seeds are "
           "needed for p < 0.05.",
           "Within 1500 steps, on this task instance, 2 heads have the highest mean validation "
           "accuracy; 1 cannot be told apart from it on test accuracy (paired t tests, "
           "Holm-corrected p >= 0.05). The smallest of these is 1.");
}

/* Beyond the exact range the sign-flip test is not called exact; unknown steps are not named. */
static void test_many_seeds(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    double a[MAX_SEEDS], b[MAX_SEEDS];
    for (int k = 0; k < MAX_SEEDS; k++) {
        a[k] = .9 + .001 * (k % 3);
        b[k] = .5 + .001 * (k % 7);
    }
    add(&s, 1, .5, MAX_SEEDS, b);
    add(&s, 2, .9, MAX_SEEDS, a);
    claim(&s, 2, 1, 0);
    s.in.proof.status = PROOF_CHANGED;
    s.in.steps = 0;
    EXPECT(&s, VERDICT_CLAIM_CONFIRMED,
           "Claim confirmed: on this task instance, 2 heads are better than 1.",
           "The claim was changed after trials had run: this is no test of a prediction made "
           "beforehand.",
           "2 heads against 1: +0.398 test accuracy, 95% interval +0.397 to +0.399, over 30 seeds "
           "(30 won, 0 lost); paired t test p < 0.0001, sign-flip test p < 0.0001.",
           "On this task instance, 2 heads have the highest mean validation accuracy; every other "
           "head count is told apart from it on test accuracy (paired t tests, Holm-corrected p < "
           "0.05).");
}

static void test_nothing(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, NAN, 0, NULL);
    add(&s, 4, NAN, 0, NULL);
    s.in.planned = 10;
    EXPECT(&s, VERDICT_NOTHING, "No trial has ended: there is nothing to judge yet.");
    s.in.tuning = 60;
    s.in.tuning_ended = 15;
    EXPECT(&s, VERDICT_NOTHING,
           "Tuning is under way (15 of 60 trials); no trial that will be judged has ended.");
    s.in.tuning_ended = 60;
    EXPECT(&s, VERDICT_NOTHING,
           "No trial that is judged has ended: there is nothing to judge yet.");
    struct sketch single = sketch_new();
    add(&single, 1, .99, 5, good);
    EXPECT(&single, VERDICT_SINGLE, "No comparison: 1 is the only head count that was tried.");
    const double all_bad[2] = {-1, -1};
    struct sketch wild = sketch_new();
    add(&wild, 1, 0, 2, all_bad);
    add(&wild, 4, 0, 2, all_bad);
    wild.trial[0][0].trial_id = 7;
    EXPECT(&wild, VERDICT_UNTRAINED,
           "No verdict: every trial diverged or failed; `headcount show 7` says why.",
           "1 head: all 2 trials diverged or failed; they count at chance accuracy (0.0625).",
           "4 heads: all 2 trials diverged or failed; they count at chance accuracy (0.0625).");
}

static void test_tuned(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .99, 5, good);
    add(&s, 2, .28, 5, poor);
    s.in.choices = 2;
    s.choice[0] = (struct verdict_choice){1, "lr=0.003", ""};
    s.choice[1] = (struct verdict_choice){2, "lr=0.01", "lr"};
    EXPECT(&s, VERDICT_EDGE,
           "No middle: within 1500 steps, on this task instance, the best head count on validation "
           "(the fewest heads within 0.005 of the top) is the smallest one tried, 1.",
           "Within 1500 steps, on this task instance, 1 head has the highest mean validation "
           "accuracy; every other head count is told apart from it on test accuracy (paired t "
           "tests, Holm-corrected p < 0.05).",
           "Chosen for each head count on validation, with separate seeds: lr=0.003 with 1 head; "
           "lr=0.01 with 2 heads.",
           "Warning: a choice is at the edge of its grid, so that a better value may lie beyond "
           "it: lr with 2 heads.");
}

/* What programs read: the numbers behind the sentences, from SciPy where they are not by hand. */
static void test_numbers(void **state)
{
    (void)state;
    const double one_bad[5] = {.99, -1, .98, 1, .99};
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .99, 5, one_bad);
    add(&s, 16, .98, 5, fair);
    add(&s, 32, NAN, 0, NULL);
    struct verdict *v = judge_sketch(&s);
    assert_int_equal(v->kind, VERDICT_UNTESTED); /* the largest has no results */
    assert_int_equal(v->candidate, 4);
    assert_int_equal(v->best, 4);
    assert_int_equal(v->interior, 3);
    assert_true(fabs(v->alpha - .05 / 3) < 1e-15);
    assert_int_equal(v->rivals, 2);
    assert_int_equal(v->rival[0].outcome, RIVAL_BEATEN);
    assert_int_equal(v->rival[1].outcome, RIVAL_UNTESTED);
    assert_int_equal(v->rival[1].unpaired, 5);
    const struct verdict_row *r = v->row;
    assert_true(fabs(r[2].test.mean - (.99 + .0625 + .98 + 1 + .99) / 5) < 1e-12);
    assert_true(fabs(r[2].completed_mean - .99) < 1e-12);
    assert_true(fabs(r[2].val_mean - (4 * .99 + .0625) / 5) < 1e-12);
    assert_true(r[2].test.n == 5 && r[2].bad == 1 && r[2].test.min == .0625);
    assert_true(r[1].solved == 4 && fabs(r[1].solved_low - .28358) < 1e-5 &&
                fabs(r[1].solved_high - .99495) < 1e-5);
    assert_true(r[0].solved == 0 && r[0].solved_low == 0);
    assert_true(isnan(r[1].best_p) && r[1].among_best && !r[0].among_best && r[2].among_best);
    assert_true(fabs(r[0].best_p / 3.2809307e-6 - 1) < 1e-4); /* 3 comparisons: p times 3 */
    assert_true(fabs(r[3].best_p - 2 * .373901) < 1e-5);      /* times 2: the second smallest */
    assert_true(r[4].test.n == 0 && !r[4].among_best && isnan(r[4].solved_low));
    assert_int_equal(v->smallest_among_best, 4);
    verdict_free(v);
}

/* Validation picks the best; a head count that does better on test is not told apart as worse. */
static void test_better_than_best(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .98, 5, good);
    add(&s, 2, .99, 5, low);
    add(&s, 4, .97, 5, poor);
    struct verdict *v = judge_sketch(&s);
    assert_int_equal(v->best, 2);
    assert_true(v->row[0].among_best && v->row[0].best_p < .001);
    assert_true(!v->row[2].among_best);
    assert_int_equal(v->smallest_among_best, 1);
    assert_int_equal(v->kind, VERDICT_NOT_SIGNIFICANT);
    assert_int_equal(v->rival[0].outcome, RIVAL_BETTER);
    assert_int_equal(v->rival[1].outcome, RIVAL_BEATEN);
    verdict_free(v);
}

/* Which seeds are paired must not depend on the order in which head counts have them. */
static void test_pairs_by_seed(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .5, 3, (const double[]){.1, .2, .3});
    add(&s, 4, .9, 4, (const double[]){.5, .6, .7, .9});
    s.trial[0][0].seed = 1;
    s.trial[0][1].seed = 3;
    s.trial[0][2].seed = 7;
    claim(&s, 4, 1, 0);
    struct verdict *v = judge_sketch(&s);
    assert_int_equal(v->rival[0].pair.n, 2); /* seeds 1 and 3 */
    assert_true(fabs(v->rival[0].pair.mean - ((.6 - .1) + (.9 - .2)) / 2) < 1e-12);
    assert_int_equal(v->rival[0].unpaired, 3);
    verdict_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claim_confirmed),
        cmocka_unit_test(test_claim_not_confirmed),
        cmocka_unit_test(test_claim_contradicted),
        cmocka_unit_test(test_claim_untested),
        cmocka_unit_test(test_middle),
        cmocka_unit_test(test_not_significant),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_zero_variance),
        cmocka_unit_test(test_one_seed),
        cmocka_unit_test(test_missing_seeds),
        cmocka_unit_test(test_bad_trials),
        cmocka_unit_test(test_no_difference),
        cmocka_unit_test(test_many_seeds),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_tuned),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_better_than_best),
        cmocka_unit_test(test_pairs_by_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
