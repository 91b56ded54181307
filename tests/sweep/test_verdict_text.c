/* Every sentence of the verdict, in the order in which it is read: claims, exploratory findings. */
#include "verdict_help.h"

TEST(test_claim_confirmed)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 16, .28, 5, poor);
    describe(&s, "0.003");
    claim(&s, 4, 1, 16);
    EXPECT(
        &s, VERDICT_CLAIM_CONFIRMED,
        "Claim confirmed: 4 heads are better than 1 (difference in test accuracy +0.282, p < "
        ".0001) and 16 (+0.712, p < .0001), as predicted before the first trial, within 1500 "
        "steps at lr 0.003 for all, on this task instance.",
        "The best of the head counts tried is 4 heads (d_head 8), with 95% confidence; 1 and 16 "
        "are each shown to be worse than another one.",
        "4 heads against 1: +0.282 test accuracy, 95% interval +0.266 to +0.298, over 5 seeds "
        "(5 won, 0 lost); two-sided paired t test p < .0001.",
        "4 heads against 16: +0.712 test accuracy, 95% interval +0.682 to +0.742, over 5 seeds "
        "(5 won, 0 lost); two-sided paired t test p < .0001.",
        "Other head counts, training lengths, learning rates, task instances and tasks were not "
        "tested.",
        "The claim is confirmed if the head count that it calls better is so in every comparison "
        "(two-sided t test, p < .05); because all must hold, p is not corrected.",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 "
        "against 1 and p = .0625 against 16.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p "
        "< .025 (.05 / 2 comparisons).");
}

TEST(test_claim_not_confirmed)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .98, 5, fair);
    add(&s, 8, .99, 5, good);
    claim(&s, 4, 1, 8);
    EXPECT(
        &s, VERDICT_CLAIM_NOT_CONFIRMED,
        "Claim not confirmed: 4 heads, claimed to be better than 1 and 8, did better than 1 "
        "(difference in test accuracy +0.276, p < .0001), but are not shown to be better than 8 "
        "(difference in test accuracy -0.006, p = .374), within 1500 steps, on this task instance.",
        "The best of the head counts tried is one of 4 and 8 heads, with 95% confidence; 1 is "
        "shown to be worse than another one.",
        "Failing to tell head counts apart does not show that they are equal: `equivalence` in "
        "the sweep file tests that.",
        "4 heads against 1: +0.276 test accuracy, 95% interval +0.257 to +0.295, over 5 seeds "
        "(5 won, 0 lost); two-sided paired t test p < .0001.",
        "4 heads against 8: -0.006 test accuracy, 95% interval -0.023 to +0.011, over 5 seeds "
        "(1 won, 2 lost); two-sided paired t test p = .374.",
        "Other head counts, training lengths, task instances and tasks were not tested.",
        "The claim is confirmed if the head count that it calls better is so in every comparison "
        "(two-sided t test, p < .05); because all must hold, p is not corrected.",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 "
        "against 1 and p = .5 against 8.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p "
        "< .025 (.05 / 2 comparisons).");
}

TEST(test_claim_contradicted)
{
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
        "Claim contradicted: 8 heads, claimed to be better than 1 and 32, are significantly "
        "worse than 1 (difference in test accuracy -0.264, p < .0001) and are not shown to be "
        "better than 32 (difference in test accuracy -0.002, p = .838), within 1500 steps, on "
        "this task instance.",
        "1 head varies 2.7 times as much between seeds as 8. If rare seeds are far worse and "
        "these 5 miss them, the finding errs more often than p says: in simulated sweeps with 5 "
        "seeds a false claim was confirmed in 13 to 25%, not 2.5%.",
        "The best of the head counts tried is one of 1, 4 and 16 heads, with 95% confidence; 8 "
        "and 32 are each shown to be worse than another one.",
        "Failing to tell head counts apart does not show that they are equal: `equivalence` in "
        "the sweep file tests that.",
        "8 heads against 1: -0.264 test accuracy, 95% interval -0.311 to -0.217, over 5 seeds "
        "(0 won, 5 lost); two-sided paired t test p < .0001.",
        "8 heads against 32: -0.002 test accuracy, 95% interval -0.027 to +0.023, over 5 seeds "
        "(2 won, 3 lost); two-sided paired t test p = .838.",
        "Other head counts, training lengths, task instances and tasks were not tested.",
        "The claim is confirmed if the head count that it calls better is so in every comparison "
        "(two-sided t test, p < .05); because all must hold, p is not corrected.",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 "
        "against 1 and p = 1 against 32.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p "
        "< .0125 (.05 / 4 comparisons).");
}

/* A tail that five seeds do not show: said of the better one where it is the wider one, as far as
 * guesses at 45% of its seeds could make up the difference. */
TEST(test_wide_winner)
{
    const double narrow[5] = {.90, .91, .90, .91, .90}, wide[5] = {.95, .99, .92, .98, .96};
    const char *sentence =
        "4 heads vary 5 times as much between seeds as 1. If rare seeds are far worse and these 5 "
        "miss them, the finding errs more often than p says: in simulated sweeps with 5 seeds a "
        "false claim was confirmed in 13 to 25%, not 2.5%.";
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
    expect_with(&s, "If rare",
                "4 heads vary more between seeds than 1. If rare seeds are far worse and these 5 "
                "miss them, the finding errs more often than p says: in simulated sweeps with 5 "
                "seeds a false claim was confirmed in 13 to 25%, not 2.5%.");
    for (int k = 0; k < 5; k++)
        s.trial[0][k].test = .9 + 1e-4 * (k % 2);
    char *said = sentence_with(&s, "If rare");
    assert_non_null(strstr(said, "vary 500 times as much between seeds as 1."));
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
                "Claim confirmed: 4 heads are better than 1 (difference in test accuracy +0.086, p "
                "= .0039), as predicted before the first trial, within 1500 steps, on this task "
                "instance.");
    expect_with(&other, "If rare", NULL);
    assert_each(verdict_tail_rates(2).n == 5, verdict_tail_rates(7).n == 5);
    assert_each(verdict_tail_rates(8).n == 8, verdict_tail_rates(40).n == 20);
}

TEST(test_claim_untested)
{
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
TEST(test_no_prediction)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 16, .28, 5, poor);
    claim(&s, 4, 1, 16);
    s.in.proof = (struct verdict_proof){PROOF_LATE, 15, 15, 0, 0};
    EXPECT(
        &s, VERDICT_MIDDLE,
        "Exploratory finding, a middle head count wins: 4 heads are better than both 1 (difference "
        "in test accuracy +0.282, p < .0001) and 16 (+0.712, p < .0001), the smallest and the "
        "largest head count tried, within 1500 steps, on this task instance.",
        "The claim, 4 heads better than 1 and 16, is no prediction: it was written after 15 of 15 "
        "trials had ended. The results are judged as if it were not there.",
        "The best of the head counts tried is 4 heads, with 95% confidence; 1 and 16 are each "
        "shown to be worse than another one.",
        "4 heads against 1: +0.282 test accuracy, 95% interval +0.266 to +0.298, over 5 seeds (5 "
        "won, 0 lost); two-sided paired t test p < .0001.",
        "4 heads against 16: +0.712 test accuracy, 95% interval +0.682 to +0.742, over 5 seeds (5 "
        "won, 0 lost); two-sided paired t test p < .0001.",
        "Other head counts, training lengths, task instances and tasks were not tested.",
        "To confirm this, run a new sweep with unused seeds and claim: {best: 4, over: [1, 16]}.",
        "Because 4 was chosen after seeing the results, each comparison must reach p < .05 (.05 / "
        "1, for the 1 head count between the smallest and the largest).",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 against 1 "
        "and p = .0625 against 16.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p < "
        ".025 (.05 / 2 comparisons).");
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
TEST(test_similar_trials)
{
    char evaluations[] = "train.eval_every", steps[] = "train.steps";
    char *differ[] = {evaluations, steps};
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    claim(&s, 4, 1, 0);
    s.in.similar = (struct verdict_similar){48, 1, differ};
    expect_with(&s, "Claim confirmed",
                "Claim confirmed: 4 heads are better than 1 (difference in test accuracy +0.282, p "
                "< .0001), within 1500 steps, on this task instance, as predicted before its first "
                "trial; 48 trials like these had ended, which differ in train.eval_every.");
    expect_with(&s, "When the claim", NULL);
    s.in.similar = (struct verdict_similar){1, 2, differ};
    expect_with(
        &s, "Claim confirmed",
        "Claim confirmed: 4 heads are better than 1 (difference in test accuracy +0.282, p < "
        ".0001), within 1500 steps, on this task instance, as predicted before its first trial; 1 "
        "trial like these had ended, which differs in train.eval_every and train.steps.");
    s.in.claim_over_count = 0;
    claim(&s, 1, 4, 0);
    expect_with(&s, "When the claim",
                "When the claim was written, 1 trial like these had ended, which differs in "
                "train.eval_every and train.steps.");
}

TEST(test_middle)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .985, 5, fair);
    add(&s, 8, .989, 5, good);
    add(&s, 32, .28, 5, poor);
    describe(&s, "0.003");
    EXPECT(
        &s, VERDICT_MIDDLE,
        "Exploratory finding, a middle head count wins: 4 heads are better than both 1 (difference "
        "in test accuracy +0.276, p < .0001) and 32 (+0.706, p < .0001), the smallest and the "
        "largest head count tried, within 1500 steps at lr 0.003 for all, on this task instance.",
        "The best of the head counts tried is one of 4 and 8 heads (d_head 8 and 4), with 95% "
        "confidence; 1 and 32 are each shown to be worse than another one.",
        "Failing to tell head counts apart does not show that they are equal: `equivalence` in the "
        "sweep file tests that.",
        "4 heads against 1: +0.276 test accuracy, 95% interval +0.257 to +0.295, over 5 seeds (5 "
        "won, 0 lost); two-sided paired t test p < .0001.",
        "4 heads against 32: +0.706 test accuracy, 95% interval +0.683 to +0.729, over 5 seeds (5 "
        "won, 0 lost); two-sided paired t test p < .0001.",
        "Other head counts, training lengths, learning rates, task instances and tasks were not "
        "tested.",
        "To confirm this, run a new sweep with unused seeds and claim: {best: 4, over: [1, 32]}.",
        "8 heads have the highest mean validation accuracy (0.9890); 4 heads are fewer and within "
        "0.005 of it (0.9850), so 4 is the candidate.",
        "Because 4 was chosen after seeing the results, each comparison must reach p < .025 (.05 / "
        "2, for the 2 head counts between the smallest and the largest).",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 against 1 "
        "and p = .0625 against 32.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 7 are needed "
        "for p < .025.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p < "
        ".0167 (.05 / 3 comparisons).");
}

TEST(test_not_significant)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, fair);
    add(&s, 8, .98, 5, good);
    EXPECT(&s, VERDICT_NOT_SIGNIFICANT,
           "Not significant: 4 heads, the fewest within 0.005 of the best validation accuracy, did "
           "better than 1 (difference in test accuracy +0.276, p < .0001), but are not shown to be "
           "better than 8 (difference in test accuracy -0.006, p = .374), within 1500 steps, on "
           "this task instance.",
           "The best of the head counts tried is one of 4 and 8 heads, with 95% confidence; 1 is "
           "shown to be worse than another one.",
           "Failing to tell head counts apart does not show that they are equal: `equivalence` in "
           "the sweep file tests that.",
           "4 heads against 1: +0.276 test accuracy, 95% interval +0.257 to +0.295, over 5 seeds "
           "(5 won, 0 lost); two-sided paired t test p < .0001.",
           "4 heads against 8: -0.006 test accuracy, 95% interval -0.023 to +0.011, over 5 seeds "
           "(1 won, 2 lost); two-sided paired t test p = .374.",
           "Other head counts, training lengths, task instances and tasks were not tested.",
           "Because 4 was chosen after seeing the results, each comparison must reach p < .05 (.05 "
           "/ 1, for the 1 head count between the smallest and the largest).",
           "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 "
           "against 1 and p = .5 against 8.",
           "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
           "for p < .05.",
           "A head count cannot be the best if another is better in a one-sided paired t test at p "
           "< .025 (.05 / 2 comparisons).");
}

TEST(test_edges)
{
    struct sketch s = sketch_new();
    add(&s, 1, .99, 5, good);
    add(&s, 2, .99, 5, fair);
    add(&s, 4, .28, 5, poor);
    EXPECT(
        &s, VERDICT_EDGE,
        "No middle head count wins: 1 head, the smallest head count tried, is the fewest within "
        "0.005 of the best validation accuracy, within 1500 steps, on this task instance.",
        "The best of the head counts tried is one of 1 and 2 heads, with 95% confidence; 4 is "
        "shown to be worse than another one.",
        "Failing to tell head counts apart does not show that they are equal: `equivalence` in the "
        "sweep file tests that.",
        "Other head counts, training lengths, task instances and tasks were not tested.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p < "
        ".025 (.05 / 2 comparisons).");
    struct sketch t = sketch_new();
    add(&t, 1, .28, 5, poor);
    add(&t, 2, .70, 5, low);
    add(&t, 4, .99, 5, good);
    EXPECT(
        &t, VERDICT_EDGE,
        "No middle head count wins: 4 heads, the largest head count tried, are the fewest within "
        "0.005 of the best validation accuracy, within 1500 steps, on this task instance.",
        "The best of the head counts tried is 4 heads, with 95% confidence; 1 and 2 are each shown "
        "to be worse than another one.",
        "Other head counts, training lengths, task instances and tasks were not tested.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p < "
        ".025 (.05 / 2 comparisons).");
}

TEST(test_zero_variance)
{
    const double ones[6] = {1, 1, 1, 1, 1, 1}, half[6] = {.5, .5, .5, .5, .5, .5};
    struct sketch s = sketch_new();
    add(&s, 1, .5, 5, half);
    add(&s, 2, 1, 5, ones);
    add(&s, 4, .5, 5, half);
    EXPECT(
        &s, VERDICT_NOT_SIGNIFICANT,
        "Not significant: 2 heads, the fewest within 0.005 of the best validation accuracy, are "
        "not shown to be better than 1 (difference in test accuracy +0.500, p = .0625) and 4 "
        "(+0.500, p = .0625), within 1500 steps, on this task instance.",
        "No head count is shown to be worse than another one: each of those tried could be the "
        "best.",
        "Failing to tell head counts apart does not show that they are equal: `equivalence` in the "
        "sweep file tests that.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.",
        "2 heads against 1: +0.500 test accuracy at each of 5 seeds; equal differences leave the t "
        "test undefined, so the exact sign-flip test decides: p = .0625.",
        "2 heads against 4: +0.500 test accuracy at each of 5 seeds; equal differences leave the t "
        "test undefined, so the exact sign-flip test decides: p = .0625.",
        "Other head counts, training lengths, task instances and tasks were not tested.",
        "Because 2 was chosen after seeing the results, each comparison must reach p < .05 (.05 / "
        "1, for the 1 head count between the smallest and the largest).",
        "A head count cannot be the best if another is better in a one-sided paired t test at p < "
        ".025 (.05 / 2 comparisons).",
        "1, 2 and 4 heads: all 5 seeds gave the same test accuracy, so there is no spread to "
        "compute an interval from.");
    struct sketch six = sketch_new(); /* six seeds can go below .05 */
    add(&six, 1, .5, 6, half);
    add(&six, 2, 1, 6, ones);
    add(&six, 4, 1, 6, ones);
    claim(&six, 2, 1, 0);
    EXPECT(&six, VERDICT_CLAIM_CONFIRMED,
           "Claim confirmed: 2 heads are better than 1 (difference in test accuracy +0.500, p = "
           ".0312), as predicted before the first trial, within 1500 steps, on this task instance.",
           "The best of the head counts tried is one of 2 and 4 heads, with 95% confidence; 1 is "
           "shown to be worse than another one.",
           "Failing to tell head counts apart does not show that they are equal: `equivalence` in "
           "the sweep file tests that.",
           "2 heads against 1: +0.500 test accuracy at each of 6 seeds; equal differences leave "
           "the t test undefined, so the exact sign-flip test decides: p = .0312.",
           "Other head counts, training lengths, task instances and tasks were not tested.",
           "A head count cannot be the best if another is better in a one-sided paired t test at p "
           "< .025 (.05 / 2 comparisons).",
           "1, 2 and 4 heads: all 6 seeds gave the same test accuracy, so there is no spread to "
           "compute an interval from.");
}

TEST(test_one_seed)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 1, low);
    add(&s, 4, .99, 1, good);
    add(&s, 16, .28, 1, poor);
    EXPECT(&s, VERDICT_UNTESTED,
           "Not tested yet: 4 heads share fewer than two seeds with 1 and with 16.",
           "One seed per head count: no interval and no test is possible. Run at least two, better "
           "eight or more.",
           "4 heads against 1: +0.290 test accuracy at the one seed in common.",
           "4 heads against 16: +0.710 test accuracy at the one seed in common.");
    s.in.planned = 6; /* two seeds each, of which one has ended */
    expect_sentence(
        &s, 1,
        "At most one seed per head count has ended: no interval and no test is possible yet.");
}

TEST(test_missing_seeds)
{
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
        "numbers look good is no test). Exploratory finding, a middle head count wins: 4 heads are "
        "better than both 1 (difference in test accuracy +0.282, p < .0001) and 16 (+0.703, p < "
        ".0001), the smallest and the largest head count tried, within 1500 steps, on this task "
        "instance.",
        "The best of the head counts tried is one of 4 and 8 heads, with 95% confidence; 1 and 16 "
        "are each shown to be worse than another one; 1 head count could not be compared, for want "
        "of "
        "seeds, and may be the best.",
        "Failing to tell head counts apart does not show that they are equal: `equivalence` in the "
        "sweep file tests that.",
        "4 heads against 1: +0.282 test accuracy, 95% interval +0.266 to +0.298, over 5 seeds (5 "
        "won, 0 lost); two-sided paired t test p < .0001.",
        "4 heads against 16: +0.703 test accuracy, 95% interval +0.675 to +0.732, over 3 seeds (3 "
        "won, 0 lost); two-sided paired t test p < .0001; 2 seeds that only one of them has are "
        "left out.",
        "Other head counts, training lengths, task instances and tasks were not tested.",
        "To confirm this, run a new sweep with unused seeds and claim: {best: 4, over: [1, 16]}.",
        "Because 4 was chosen after seeing the results, each comparison must reach p < .025 (.05 / "
        "2, for the 2 head counts between the smallest and the largest).",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 against 1 "
        "and p = .25 against 16.",
        "With 3 seeds the exact sign-flip test cannot go below p = .25; at least 7 are needed for "
        "p < .025.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p < "
        ".0167 (.05 / 3 comparisons).");
}
