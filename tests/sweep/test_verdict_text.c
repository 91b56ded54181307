/* Every sentence of the verdict, in the order in which it is read: claims, exploratory findings. */
#include "verdict_help.h"

static void test_claim_confirmed(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 16, .28, 5, poor);
    describe(&s, "0.003");
    claim(&s, 4, 1, 16);
    EXPECT(
        &s, VERDICT_CLAIM_CONFIRMED,
        "Confidence set: 4 heads (d_head 8) alone, with 95% confidence the best of the head counts "
        "tried.",
        "Claim confirmed: 4 heads are better than 1 and 16, as predicted before the first trial, "
        "within 1500 steps at lr "
        "0.003 for all, on this task instance.",
        "4 heads against 1: +0.282 test accuracy, 95% interval +0.266 to +0.298, over 5 seeds (5 "
        "won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
        "4 heads against 16: +0.712 test accuracy, 95% interval +0.682 to +0.742, over 5 seeds (5 "
        "won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
        "The claim holds if each of these t tests gives p < 0.05; as all must, none is corrected.",
        "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 are needed "
        "for p < 0.05.",
        "A head count is left out of the confidence set where another beats it "
        "in a "
        "one-sided paired t test at p < 0.025 (0.05 / 2 comparisons).",
        "Not tested: other head counts, other training lengths, other learning rates, other "
        "instances of the task or other tasks.");
}

static void test_claim_not_confirmed(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .98, 5, fair);
    add(&s, 8, .99, 5, good);
    claim(&s, 4, 1, 8);
    EXPECT(
        &s, VERDICT_CLAIM_NOT_CONFIRMED,
        "Confidence set: 4 and 8 heads cannot be told apart from the best; with 95% confidence the "
        "best of the head counts tried is among them.",
        "Claim not confirmed: 4 heads are not shown to be better than 8 (difference -0.006, p = "
        "0.374), within 1500 steps, on this task instance.",
        "4 heads against 1: +0.276 test accuracy, 95% interval +0.257 to +0.295, over 5 seeds "
        "(5 won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
        "4 heads against 8: -0.006 test accuracy, 95% interval -0.023 to +0.011, over 5 seeds "
        "(1 won, 2 lost); paired t test p = 0.374, exact sign-flip test p = 0.5.",
        "The claim holds if each of these t tests gives p < 0.05; as all must, none is corrected.",
        "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 are "
        "needed for p < 0.05.",
        "A head count is left out of the confidence set where another beats it "
        "in "
        "a one-sided paired t test at p < 0.025 (0.05 / 2 comparisons). Not told apart is not "
        "shown to be equal: `equivalence` in the sweep file tests that.",
        "Not tested: other head counts, other training lengths, other instances of the task or "
        "other tasks.");
}

static void test_claim_contradicted(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .99, 5, good);
    add(&s, 4, .99, 5, good);
    s.trial[0][0].test = .9;
    add(&s, 8, .98, 5, low);
    add(&s, 16, .98, 5, fair);
    add(&s, 32, .7, 5, (const double[]){.72, .70, .71, .69, .74});
    claim(&s, 8, 1, 32);
    EXPECT(
        &s, VERDICT_CLAIM_CONTRADICTED,
        "Confidence set: 1, 4 and 16 heads cannot be told apart from the best; 8 lies between and "
        "is "
        "left out; with 95% confidence the best of the head counts tried is among them.",
        "Claim contradicted: 8 heads are significantly worse than 1 (difference -0.264, p < "
        "0.0001) and not shown to be better than 32 (difference -0.002, p = 0.838), within 1500 "
        "steps, on this task instance.",
        "8 heads against 1: -0.264 test accuracy, 95% interval -0.311 to -0.217, over 5 seeds "
        "(0 won, 5 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
        "8 heads against 32: -0.002 test accuracy, 95% interval -0.027 to +0.023, over 5 seeds "
        "(2 won, 3 lost); paired t test p = 0.838, exact sign-flip test p = 1.",
        "1 head, better than 8, varies more between seeds (2.7 times as much). If rare seeds are "
        "far worse and these 5 do not show it, this is wrong more often than its level says: in "
        "simulated sweeps with 5 seeds a false claim was confirmed in 13 to 25%, not 2.5%.",
        "The claim holds if each of these t tests gives p < 0.05; as all must, none is corrected.",
        "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 are "
        "needed for p < 0.05.",
        "A head count is left out of the confidence set where another beats it "
        "in "
        "a one-sided paired t test at p < 0.0125 (0.05 / 4 comparisons). Not told apart is not "
        "shown to be equal: `equivalence` in the sweep file tests that.",
        "Not tested: other head counts, other training lengths, other instances of the task or "
        "other tasks.");
}

/* A tail that five seeds do not show: said of the better one where it is the wider one, as far as
 * guesses at 45% of its seeds could make up the difference. */
static void test_wide_winner(void **state)
{
    (void)state;
    const double narrow[5] = {.90, .91, .90, .91, .90}, wide[5] = {.95, .99, .92, .98, .96};
    const char *sentence =
        "4 heads, better than 1, vary more between seeds (5 times as much). If rare seeds are far "
        "worse and these 5 do not show it, this is wrong more often than its level says: in "
        "simulated sweeps with 5 seeds a false claim was confirmed in 13 to 25%, not 2.5%.";
    struct sketch s = sketch_new();
    add(&s, 1, .9, 5, narrow);
    add(&s, 4, .96, 5, wide);
    claim(&s, 4, 1, 0);
    expect_with(&s, "If rare", sentence);
    s.in.claim_best = 1;
    s.over[0] = 4;
    expect_with(&s, "If rare", sentence);
    for (int k = 0; k < 5; k++)
        s.trial[0][k].test = .9;
    expect_with(
        &s, "If rare",
        "4 heads, better than 1, vary more between seeds. If rare seeds are far worse and these 5 "
        "do not show it, this is wrong more often than its level says: in simulated sweeps with 5 "
        "seeds a false claim was confirmed in 13 to 25%, not 2.5%.");
    for (int k = 0; k < 5; k++)
        s.trial[0][k].test = .9 + 1e-4 * (k % 2);
    char *said = sentence_with(&s, "If rare");
    assert_non_null(strstr(said, "vary more between seeds (500 times as much)."));
    free(said);
    for (int k = 0; k < 5; k++)
        s.trial[0][k].test = .50;
    expect_with(&s, "If rare", NULL); /* .46 is more than .45 of .96 - .0625 */
    for (int k = 0; k < 5; k++)
        s.trial[0][k].test = .94; /* not better */
    expect_with(&s, "If rare", NULL);
    struct sketch other = sketch_new();
    add(&other, 1, .9, 5, (const double[]){.90, .94, .87, .93, .91});
    add(&other, 4, .96, 5, (const double[]){1, .99, 1, .99, 1});
    claim(&other, 4, 1, 0);
    expect_with(&other, "Claim confirmed",
                "Claim confirmed: 4 heads are better than 1, as predicted before the first trial, "
                "within 1500 steps, on this task instance.");
    expect_with(&other, "If rare", NULL);
    assert_each(verdict_tail_rates(2).n == 5, verdict_tail_rates(7).n == 5);
    assert_each(verdict_tail_rates(8).n == 8, verdict_tail_rates(40).n == 20);
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

/* A claim that was not first is no prediction, and it is said why. */
static void test_no_prediction(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 16, .28, 5, poor);
    claim(&s, 4, 1, 16);
    s.in.proof = (struct verdict_proof){PROOF_LATE, 15, 15, 0, 0};
    EXPECT(
        &s, VERDICT_MIDDLE,
        "Confidence set: 4 heads alone, with 95% confidence the best of the head counts tried.",
        "Exploratory finding, a middle head count wins: 4 heads are better than both the smallest "
        "(1) and the largest (16) head count tried, within 1500 steps, on this task instance.",
        "The claim, 4 heads better than 1 and 16, is no prediction: it was written after 15 of 15 "
        "trials had ended. The results are judged as if it were not there.",
        "4 was picked from the results, so each comparison needs p < 0.05 (0.05 / 1, for the 1 "
        "head count between the smallest and the largest).",
        "4 heads against 1: +0.282 test accuracy, 95% interval +0.266 to +0.298, over 5 seeds (5 "
        "won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
        "4 heads against 16: +0.712 test accuracy, 95% interval +0.682 to +0.742, over 5 seeds (5 "
        "won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
        "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 are needed "
        "for p < 0.05.",
        "A head count is left out of the confidence set where another beats it "
        "in a "
        "one-sided paired t test at p < 0.025 (0.05 / 2 comparisons).",
        "To confirm it, predict it: a sweep with claim: {best: 4, over: [1, 16]} and seeds not "
        "used here.",
        "Not tested: other head counts, other training lengths, other instances of the task or "
        "other tasks.");
    s.in.proof = (struct verdict_proof){PROOF_CHANGED, 3, 15, 0, 0};
    expect_with(&s, "no prediction",
                "The claim, 4 heads better than 1 and 16, is no prediction: it was changed after 3 "
                "of 15 trials had ended. The results are judged as if it were not there.");
    s.in.proof = (struct verdict_proof){PROOF_PLAN_CHANGED, 12, 15, 1, 20};
    expect_with(&s, "no prediction",
                "The claim, 4 heads better than 1 and 16, is no prediction: the plan was changed "
                "(1 trial added, 20 removed) after 12 of 15 trials had ended. The results are "
                "judged as if it were not there.");
    s.in.proof = (struct verdict_proof){PROOF_PLAN_CHANGED, 12, 15, 0, 0};
    expect_with(&s, "no prediction",
                "The claim, 4 heads better than 1 and 16, is no prediction: what it is judged by "
                "was changed after 12 of 15 trials had ended. The results are judged as if it were "
                "not there.");
    s.in.proof = (struct verdict_proof){PROOF_CHANGED, 0, 0, 0, 0};
    expect_with(&s, "no prediction",
                "The claim, 4 heads better than 1 and 16, is no prediction: it was changed after "
                "trials had ended. The results are judged as if it were not there.");
    expect_with(&s, "as predicted", NULL);
}

/* A prediction, but whoever made it may have known of trials that say much of these. */
static void test_similar_trials(void **state)
{
    (void)state;
    char evaluations[] = "train.eval_every", steps[] = "train.steps";
    char *differ[] = {evaluations, steps};
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    claim(&s, 4, 1, 0);
    s.in.similar = (struct verdict_similar){48, 1, differ};
    expect_with(&s, "Claim confirmed",
                "Claim confirmed: 4 heads are better than 1, within 1500 steps, on this task "
                "instance, as predicted before its first trial; 48 trials like these had ended, "
                "which differ in train.eval_every.");
    expect_with(&s, "When the claim", NULL);
    s.in.similar = (struct verdict_similar){1, 2, differ};
    expect_with(&s, "Claim confirmed",
                "Claim confirmed: 4 heads are better than 1, within 1500 steps, on this task "
                "instance, as predicted before its first trial; 1 trial like these had ended, "
                "which differs in train.eval_every and train.steps.");
    s.in.claim_over_count = 0;
    claim(&s, 1, 4, 0);
    expect_with(&s, "When the claim",
                "When the claim was written, 1 trial like these had ended, which differs in "
                "train.eval_every and train.steps.");
}

static void test_middle(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .985, 5, fair);
    add(&s, 8, .989, 5, good);
    add(&s, 32, .28, 5, poor);
    describe(&s, "0.003");
    EXPECT(&s, VERDICT_MIDDLE,
           "Confidence set: 4 and 8 heads (d_head 8 and 4) cannot be told apart from the best; "
           "with 95% "
           "confidence the best of the head counts tried is among them.",
           "Exploratory finding, a middle head count wins: 4 heads are better than both the "
           "smallest (1) and the largest (32) head count tried, within 1500 steps at lr 0.003 for "
           "all, on this task instance.",
           "8 heads have the highest mean validation accuracy (0.9890); 4 heads are fewer and "
           "within 0.005 of it (0.9850), so 4 is the candidate.",
           "4 was picked from the results, so each comparison needs p < 0.025 (0.05 / 2, for the 2 "
           "head counts between the smallest and the largest).",
           "4 heads against 1: +0.276 test accuracy, 95% interval +0.257 to +0.295, over 5 seeds "
           "(5 won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
           "4 heads against 32: +0.706 test accuracy, 95% interval +0.683 to +0.729, over 5 seeds "
           "(5 won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
           "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 7 are "
           "needed for p < 0.025.",
           "A head count is left out of the confidence set where another beats it in "
           "a one-sided paired t test at p < 0.0167 (0.05 / 3 comparisons). Not told apart is not "
           "shown to be equal: `equivalence` in the sweep file tests that.",
           "To confirm it, predict it: a sweep with claim: {best: 4, over: [1, 32]} and seeds not "
           "used here.",
           "Not tested: other head counts, other training lengths, other learning rates, other "
           "instances of the task or other tasks.");
}

static void test_not_significant(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, fair);
    add(&s, 8, .98, 5, good);
    EXPECT(
        &s, VERDICT_NOT_SIGNIFICANT,
        "Confidence set: 4 and 8 heads cannot be told apart from the best; with 95% confidence the "
        "best of the head counts tried is among them.",
        "Not significant: 4 heads, picked by validation accuracy, are not shown to be better "
        "than 8 (difference -0.006, p = 0.374), within 1500 steps, on this task instance.",
        "4 was picked from the results, so each comparison needs p < 0.05 (0.05 / 1, for the 1 "
        "head count between the smallest and the largest).",
        "4 heads against 1: +0.276 test accuracy, 95% interval +0.257 to +0.295, over 5 seeds "
        "(5 won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
        "4 heads against 8: -0.006 test accuracy, 95% interval -0.023 to +0.011, over 5 seeds "
        "(1 won, 2 lost); paired t test p = 0.374, exact sign-flip test p = 0.5.",
        "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 are "
        "needed for p < 0.05.",
        "A head count is left out of the confidence set where another beats it "
        "in "
        "a one-sided paired t test at p < 0.025 (0.05 / 2 comparisons). Not told apart is not "
        "shown to be equal: `equivalence` in the sweep file tests that.",
        "Not tested: other head counts, other training lengths, other instances of the task or "
        "other tasks.");
}

static void test_edges(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .99, 5, good);
    add(&s, 2, .99, 5, fair);
    add(&s, 4, .28, 5, poor);
    EXPECT(
        &s, VERDICT_EDGE,
        "Confidence set: 1 and 2 heads cannot be told apart from the best; with 95% confidence the "
        "best of the head counts tried is among them.",
        "No middle: the best head count on validation (the fewest heads within 0.005 of the "
        "top) is the smallest one tried, 1, within 1500 steps, on this task instance.",
        "A head count is left out of the confidence set where another beats it "
        "in "
        "a one-sided paired t test at p < 0.025 (0.05 / 2 comparisons). Not told apart is not "
        "shown to be equal: `equivalence` in the sweep file tests that.",
        "Not tested: other head counts, other training lengths, other instances of the task or "
        "other tasks.");
    struct sketch t = sketch_new();
    add(&t, 1, .28, 5, poor);
    add(&t, 2, .70, 5, low);
    add(&t, 4, .99, 5, good);
    EXPECT(&t, VERDICT_EDGE,
           "Confidence set: 4 heads alone, with 95% confidence the best of the head counts tried.",
           "No middle: the best head count on validation (the fewest heads within 0.005 of the "
           "top) is the largest one tried, 4 (more heads were not tried), within 1500 steps, on "
           "this task instance.",
           "A head count is left out of the confidence set where another beats it in "
           "a one-sided paired t test at p < 0.025 (0.05 / 2 comparisons).",
           "Not tested: other head counts, other training lengths, other instances of the task or "
           "other tasks.");
}

static void test_zero_variance(void **state)
{
    (void)state;
    const double ones[6] = {1, 1, 1, 1, 1, 1}, half[6] = {.5, .5, .5, .5, .5, .5};
    struct sketch s = sketch_new();
    add(&s, 1, .5, 5, half);
    add(&s, 2, 1, 5, ones);
    add(&s, 4, .5, 5, half);
    EXPECT(&s, VERDICT_NOT_SIGNIFICANT,
           "Confidence set: 1, 2 and 4 heads cannot be told apart from the best; with 95% "
           "confidence the "
           "best of the head counts tried is among them.",
           "Not significant: 2 heads, picked by validation accuracy, are not shown to be better "
           "than 1 (difference +0.500, p = 0.0625) and 4 (difference +0.500, p = 0.0625), within "
           "1500 steps, on this task instance.",
           "2 was picked from the results, so each comparison needs p < 0.05 (0.05 / 1, for the 1 "
           "head count between the smallest and the largest).",
           "2 heads against 1: +0.500 test accuracy at each of 5 seeds; equal differences leave "
           "the t test undefined, so the exact sign-flip test decides: p = 0.0625.",
           "2 heads against 4: +0.500 test accuracy at each of 5 seeds; equal differences leave "
           "the t test undefined, so the exact sign-flip test decides: p = 0.0625.",
           "With 5 seeds the exact sign-flip test cannot go below p = 0.0625; at least 6 are "
           "needed for p < 0.05.",
           "No head count beats another in a one-sided paired t test at "
           "p < 0.025 (0.05 / 2 comparisons). Not told apart is not shown to be equal: "
           "`equivalence` in the sweep file tests that.",
           "1, 2 and 4 heads: all 5 seeds gave the same test accuracy, so there is no spread to "
           "compute an interval from.",
           "Not tested: other head counts, other training lengths, other instances of the task or "
           "other tasks.");
    struct sketch six = sketch_new(); /* six seeds can go below .05 */
    add(&six, 1, .5, 6, half);
    add(&six, 2, 1, 6, ones);
    add(&six, 4, 1, 6, ones);
    claim(&six, 2, 1, 0);
    EXPECT(
        &six, VERDICT_CLAIM_CONFIRMED,
        "Confidence set: 2 and 4 heads cannot be told apart from the best; with 95% confidence the "
        "best of the head counts tried is among them.",
        "Claim confirmed: 2 heads are better than 1, as predicted before the first trial, "
        "within 1500 steps, on this "
        "task instance.",
        "2 heads against 1: +0.500 test accuracy at each of 6 seeds; equal differences leave "
        "the t test undefined, so the exact sign-flip test decides: p = 0.0312.",
        "A head count is left out of the confidence set where another beats it "
        "in "
        "a one-sided paired t test at p < 0.025 (0.05 / 2 comparisons). Not told apart is not "
        "shown to be equal: `equivalence` in the sweep file tests that.",
        "1, 2 and 4 heads: all 6 seeds gave the same test accuracy, so there is no spread to "
        "compute an interval from.",
        "Not tested: other head counts, other training lengths, other instances of the task or "
        "other tasks.");
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
           "One seed per head count: no interval and no test is possible. Run at least two, better "
           "eight or more.");
    s.in.planned = 6; /* two seeds each, of which one has ended */
    expect_sentence(&s, 3,
                    "At most one seed per head count has ended: no interval and no test is "
                    "possible yet.");
}

static void test_missing_seeds(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .2, 1, poor);
    add(&s, 16, .28, 3, poor);
    for (int k = 0; k < 3; k++)
        s.trial[3][k].seed = 2 * k; /* 0, 2, 4 */
    s.in.planned = 20;
    EXPECT(
        &s, VERDICT_MIDDLE,
        "Preliminary, with 14 of 20 trials ended (a verdict needs them all: stopping when the "
        "numbers look good is no test). Confidence set: 4 and 8 heads cannot be told apart from "
        "the best; "
        "with 95% confidence the best of the head counts tried is among them.",
        "Exploratory finding, a middle head count wins: 4 heads are better than both the smallest "
        "(1) and the largest (16) head count tried, within 1500 steps, on this task instance.",
        "4 was picked from the results, so each comparison needs p < 0.025 (0.05 / 2, for the 2 "
        "head counts between the smallest and the largest).",
        "4 heads against 1: +0.282 test accuracy, 95% interval +0.266 to +0.298, over 5 seeds (5 "
        "won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.0625.",
        "4 heads against 16: +0.703 test accuracy, 95% interval +0.675 to +0.732, over 3 seeds (3 "
        "won, 0 lost); paired t test p < 0.0001, exact sign-flip test p = 0.25; 2 seeds that only "
        "one of them has are left out.",
        "With 3 seeds the exact sign-flip test cannot go below p = 0.25; at least 7 are needed for "
        "p < 0.025.",
        "A head count is left out of the confidence set where another beats it "
        "in a "
        "one-sided paired t test at p < 0.0167 (0.05 / 3 comparisons). 1 head count could not be "
        "compared, for want of seeds, and stays in. Not told apart is not shown to be equal: "
        "`equivalence` in the sweep file tests that.",
        "To confirm it, predict it: a sweep with claim: {best: 4, over: [1, 16]} and seeds not "
        "used here.",
        "Not tested: other head counts, other training lengths, other instances of the task or "
        "other tasks.");
}

/* Three head counts, each better than the next at the seeds that both have. */
static void test_circle(void **state)
{
    (void)state;
    static const double rises[6] = {.50, .51, .52, .90, .91, .90},
                        falls[6] = {.90, .91, .90, .50, .51, .52};
    struct sketch s = sketch_new();
    add(&s, 1, .9, 6, rises);
    add(&s, 2, .9, 6, rises);
    add(&s, 4, .9, 6, falls);
    for (int k = 0; k < 6; k++) {
        s.trial[1][k].seed = k + 3;
        s.trial[2][k].seed = k < 3 ? k : k + 3;
    }
    expect_with(&s, "beaten",
                "Each head count is beaten by another in a one-sided paired t test at p < 0.025 "
                "(0.05 / 2 comparisons), which shows nothing where seeds are missing. Not told "
                "apart is not shown to be equal: `equivalence` in the sweep file tests that.");
    expect_with(&s, "No head count", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claim_confirmed),    cmocka_unit_test(test_claim_not_confirmed),
        cmocka_unit_test(test_claim_contradicted), cmocka_unit_test(test_wide_winner),
        cmocka_unit_test(test_claim_untested),     cmocka_unit_test(test_no_prediction),
        cmocka_unit_test(test_similar_trials),     cmocka_unit_test(test_middle),
        cmocka_unit_test(test_not_significant),    cmocka_unit_test(test_edges),
        cmocka_unit_test(test_zero_variance),      cmocka_unit_test(test_one_seed),
        cmocka_unit_test(test_missing_seeds),      cmocka_unit_test(test_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
