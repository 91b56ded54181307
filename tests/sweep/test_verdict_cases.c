/* The sentences of the verdict in special cases: nothing learned, nothing finished, nothing that
 * differs, plateaus, clusters. */
#include "verdict_help.h"

TEST(test_bad_trials)
{
    const double one_bad[5] = {.99, -1, .98, 1, .99}, all_bad[5] = {-1, -1, -1, -1, -1};
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, one_bad);
    add(&s, 16, 0, 5, all_bad);
    EXPECT(&s, VERDICT_NOT_SIGNIFICANT,
           "Not significant: 4 heads, the fewest within 0.005 of the best validation accuracy, did "
           "better than 16 (difference in test accuracy +0.742, p = .0161), but are not shown to "
           "be better than 1 (difference in test accuracy +0.095, p = .642), within 1500 steps, on "
           "this task instance.",
           "1 of 5 trials with 4 heads diverged or failed and counts as guessing (test accuracy "
           "0.0625); the mean of the others is 0.990.",
           "All 5 trials with 16 heads diverged or failed and count as guessing (test accuracy "
           "0.0625).",
           "The best of the head counts tried is one of 1 and 4 heads, with 95% confidence; 16 is "
           "shown to be worse than another one.",
           "Failing to tell head counts apart does not show that they are equal: `equivalence` in "
           "the sweep file tests that.",
           "4 heads against 1: +0.095 test accuracy, 95% interval -0.428 to +0.617, over 5 seeds "
           "(4 won, 1 lost); two-sided paired t test p = .642.",
           "4 heads against 16: +0.742 test accuracy, 95% interval +0.227 to +1.257, over 5 seeds "
           "(4 won, 0 lost); two-sided paired t test p = .0161.",
           "Other head counts, training lengths, task instances and tasks were not tested.",
           "Because 4 was chosen after seeing the results, each comparison must reach p < .05 (.05 "
           "/ 1, for the 1 head count between the smallest and the largest).",
           "The exact sign-flip test, which assumes no normal distribution, gives p = .75 against "
           "1 and p = .125 against 16.",
           "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
           "for p < .05.",
           "A head count cannot be the best if another is better in a one-sided paired t test at p "
           "< .025 (.05 / 2 comparisons).");
    struct sketch unknown = sketch_new();
    unknown.in.chance = NAN;
    add(&unknown, 1, .70, 5, one_bad);
    EXPECT(&unknown, VERDICT_SINGLE, "No comparison: 1 is the only head count that was tried.",
           "1 of 5 trials with 1 head diverged or failed and is left out, as what guessing gets is "
           "not known.");
}

/* A guess is better than what has learned something worse, but nothing that was trained. */
TEST(test_mostly_bad)
{
    const double worse[5] = {3.1, 3, 3.2, 3.1, 3}, lost[5] = {-1, -1, -1, -1, -1},
                 half[5] = {-1, -1, -1, 1.1, 1}, learned[5] = {1.1, 1, 1.2, 1.1, 1};
    struct sketch s = sketch_new();
    s.in.loss = true;
    add(&s, 1, 3, 5, worse);
    add(&s, 4, 0, 5, lost);
    add(&s, 16, 1, 5, learned);
    claim(&s, 4, 1, 0);
    expect_sentence(&s, 0,
                    "Claim not confirmed: 4 heads, claimed to be better than 1, are not shown to "
                    "be better than 1 (difference in test loss, less is better: -0.307, p = .0012, "
                    "but most trials with 4 heads diverged or failed), within 1500 steps, on this "
                    "task instance.");
    expect_sentence(&s, 1,
                    "All 5 trials with 4 heads diverged or failed and count as guessing (test loss "
                    "2.77). A head count that loses more than half of its trials in this way is "
                    "never called better than another.");
    assert_kind(&s, VERDICT_CLAIM_NOT_CONFIRMED);
    s.in.claim_best = 1;
    s.over[0] = 4;
    expect_sentence(&s, 0,
                    "Claim not confirmed: 1 head, claimed to be better than 4, is not shown to be "
                    "better than 4 (difference in test loss, less is better: +0.307, p = .0012, "
                    "but most trials with 4 heads diverged or failed), within 1500 steps, on this "
                    "task instance.");
    s = sketch_new();
    add(&s, 1, .9, 5, (const double[]){.9, .8, .9, .8, .9});
    add(&s, 4, .95, 5, (const double[]){-1, -1, -1, .99, 1});
    s.in.chance = NAN; /* what is left speaks for nothing either */
    expect_with(&s, "3 of 5",
                "3 of 5 trials with 4 heads diverged or failed and are left out, as what guessing "
                "gets is not known. A head count that loses more than half of its trials in this "
                "way is never called better than another.");
    s = sketch_new();
    s.in.loss = true;
    add(&s, 1, 3, 5, half);
    add(&s, 4, 3, 5, lost);
    s.trial[0][0].trial_id = 7;
    expect_sentence(&s, 0,
                    "No verdict: with each head count, more than half of the trials diverged or "
                    "failed; `headcount show 7` says why.");
    assert_kind(&s, VERDICT_UNTRAINED);
}

TEST(test_no_difference)
{
    struct sketch s = sketch_new();
    add(&s, 1, .5, 5, good);
    add(&s, 2, .9, 5, good);
    claim(&s, 2, 1, 0);
    EXPECT(
        &s, VERDICT_CLAIM_NOT_CONFIRMED,
        "Claim not confirmed: 2 heads, claimed to be better than 1, are not shown to be better "
        "than 1 (difference in test accuracy 0, p = 1), within 1500 steps, on this task instance.",
        "No head count is shown to be worse than another one: each of those tried could be the "
        "best.",
        "Failing to tell head counts apart does not show that they are equal: `equivalence` in the "
        "sweep file tests that.",
        "2 heads against 1: no difference at any of 5 seeds.",
        "Other head counts, training lengths, task instances and tasks were not tested.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p < "
        ".05 (.05 / 1 comparison).");
}

/* Beyond the exact range the sign-flip test is not called exact; unknown steps are not named. */
TEST(test_many_seeds)
{
    struct sketch s = sketch_new();
    double a[30], b[30];
    for (int k = 0; k < 30; k++) {
        a[k] = .9 + .001 * (k % 3);
        b[k] = .5 + .001 * (k % 7);
    }
    add(&s, 1, .5, 30, b);
    add(&s, 2, .9, 30, a);
    claim(&s, 2, 1, 0);
    s.in.steps = 0;
    EXPECT(&s, VERDICT_CLAIM_CONFIRMED,
           "Claim confirmed: 2 heads are better than 1 (difference in test accuracy +0.398, p < "
           ".0001), as predicted before the first trial, on this task instance.",
           "The best of the head counts tried is 2 heads, with 95% confidence; 1 is shown to be "
           "worse than another one.",
           "2 heads against 1: +0.398 test accuracy, 95% interval +0.397 to +0.399, over 30 seeds "
           "(30 won, 0 lost); two-sided paired t test p < .0001.",
           "Other head counts, task instances and tasks were not tested.",
           "The sign-flip test, which assumes no normal distribution, gives p < .0001 against 1.",
           "A head count cannot be the best if another is better in a one-sided paired t test at p "
           "< .05 (.05 / 1 comparison).");
}

TEST(test_nothing)
{
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
    EXPECT(
        &wild, VERDICT_UNTRAINED,
        "No verdict: every trial diverged or failed; `headcount show 7` says why.",
        "All 2 trials with 1 head diverged or failed and count as guessing (test accuracy 0.0625).",
        "All 2 trials with 4 heads diverged or failed and count as guessing (test accuracy "
        "0.0625).");
    wild.in.chance = NAN; /* nothing that counts is not nothing */
    EXPECT(&wild, VERDICT_UNTRAINED,
           "No verdict: every trial diverged or failed; `headcount show 7` says why.",
           "All 2 trials with 1 head diverged or failed and are left out, as what guessing gets is "
           "not known.",
           "All 2 trials with 4 heads diverged or failed and are left out, as what guessing gets "
           "is not known.");
}

/* Head counts that did not learn are not compared. */
TEST(test_at_chance)
{
    struct sketch s = sketch_new();
    add(&s, 1, .06, 5, (const double[]){.0630, .0621, .0640, .0625, .0619});
    add(&s, 2, .06, 5, (const double[]){.0641, .0633, .0625, .0640, .0629});
    describe(&s, "1e-06");
    s.in.steps = 2;
    claim(&s, 2, 1, 0);
    EXPECT(&s, VERDICT_AT_CHANCE,
           "At chance: no head count is shown to be better than guessing (test accuracy 0.0625; "
           "the best mean is 0.0634, with 2 heads), within 2 steps at lr 1e-06 for all, on this "
           "task instance; there is nothing to compare.");
    s.trial[0][1].bad = true; /* not even this */
    s.in.planned = 20;
    EXPECT(&s, VERDICT_AT_CHANCE,
           "Preliminary, with 10 of 20 trials ended (a verdict needs them all: stopping when the "
           "numbers look good is no test). At chance: no head count is shown to be better than "
           "guessing (test accuracy 0.0625; the best mean is 0.0634, with 2 heads), within 2 steps "
           "at lr 1e-06 for all, on this task instance; there is nothing to compare.");
}

TEST(test_loss_at_chance)
{
    struct sketch s = sketch_new();
    s.in.loss = true;
    add(&s, 1, 2.8, 3, (const double[]){2.80, 2.77, 2.81});
    add(&s, 2, 2.8, 3, (const double[]){2.79, 2.76, 2.80});
    EXPECT(&s, VERDICT_AT_CHANCE,
           "At chance: no head count is shown to be better than guessing (test loss 2.77; the best "
           "mean is 2.78, with 2 heads), within 1500 steps, on this task instance; there is "
           "nothing to compare.");
}

TEST(test_all_equal)
{
    const double ones[5] = {1, 1, 1, 1, 1};
    struct sketch s = sketch_new();
    add(&s, 1, .99, 5, ones);
    add(&s, 4, 1, 5, ones);
    EXPECT(&s, VERDICT_ALL_EQUAL,
           "All equal: each of 10 trials, at every one of 2 head counts, has a test accuracy of "
           "1.000, within 1500 steps, on this task instance.",
           "Other head counts, training lengths, task instances and tasks were not tested.");
    claim(&s, 4, 1, 0);
    expect_sentence(
        &s, 0,
        "All equal: each of 10 trials, at every one of 2 head counts, has a test accuracy of "
        "1.000, within 1500 steps, on this task instance; the claim is not confirmed.");
}

TEST(test_still_improving)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    for (int k = 0; k < 5; k++) {
        s.trial[0][k].late_slope = .02 + .001 * k;
        s.trial[1][k].late_slope = .004 + .001 * k;
    }
    expect_sentence(&s, 1,
                    "1 and 4 heads were still improving at the last step (validation accuracy "
                    "+0.022 and +0.006 per 150 steps); more steps may change the comparison.");
    s.in.loss = true;
    s.in.steps = 9;
    s.trial[1][1].late_slope = -1;
    expect_sentence(&s, 1,
                    "1 head was still improving at the last step (validation loss -0.022 per tenth "
                    "of the training); more steps may change the comparison.");
}

TEST(test_not_finished)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 2, .99, 5, good);
    add(&s, 4, .28, 5, poor);
    add(&s, 8, 1, 5, good);
    s.trial[3][2].limited = true;
    EXPECT(
        &s, VERDICT_MIDDLE,
        "Exploratory finding, a middle head count wins: 2 heads are better than both 1 (difference "
        "in test accuracy +0.282, p < .0001) and 4 (+0.712, p < .0001), the smallest and the "
        "largest head count that finished, within 1500 steps, on this task instance.",
        "Not finished within the limit of time or memory: 8 heads (1 of 5 trials); a head count "
        "with such a trial is in no comparison.",
        "The best of the head counts that finished is 2 heads, with 95% confidence; 1 and 4 are "
        "each shown to be worse than another one.",
        "2 heads against 1: +0.282 test accuracy, 95% interval +0.266 to +0.298, over 5 seeds (5 "
        "won, 0 lost); two-sided paired t test p < .0001.",
        "2 heads against 4: +0.712 test accuracy, 95% interval +0.682 to +0.742, over 5 seeds (5 "
        "won, 0 lost); two-sided paired t test p < .0001.",
        "Other head counts, training lengths, task instances and tasks were not tested.",
        "To confirm this, run a new sweep with unused seeds and claim: {best: 2, over: [1, 4]}.",
        "Because 2 was chosen after seeing the results, each comparison must reach p < .05 (.05 / "
        "1, for the 1 head count between the smallest and the largest).",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 against 1 "
        "and p = .0625 against 4.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p < "
        ".025 (.05 / 2 comparisons).");
    s.trial[2][0].test = s.trial[2][1].test = 1; /* 2 is not shown to be better than 4 */
    expect_with(&s, "The best of",
                "The best of the head counts that finished is one of 2 and 4 heads, with 95% "
                "confidence; 1 is shown to be worse than another one.");
    s.in.equivalence = .05;
    expect_with(&s, "The best of",
                "The best of the head counts that finished is one of 2 and 4 heads, with 95% "
                "confidence; 1 is shown to be worse than another one.");
    s.in.equivalence = 0;
    claim(&s, 2, 1, 8);
    expect_sentence(&s, 0, "Claim undecided: 8 heads did not finish.");
    expect_with(&s, "against 8", NULL);
    for (int k = 0; k < 2; k++)
        s.trial[2][k].limited = true;
    expect_sentence(&s, 0,
                    "Claim undecided: 8 heads did not finish."); /* the claim does not name 4 */
    expect_sentence(&s, 1,
                    "Not finished within the limit of time or memory: 4 heads (2 of 5 trials) and "
                    "8 heads (1 of 5 trials); a head count with such a trial is in no comparison.");
    s.in.has_claim = false;
    expect_sentence(
        &s, 0,
        "No middle head count wins: 2 heads, the largest head count that finished, are the fewest "
        "within 0.005 of the best validation accuracy, within 1500 steps, on this task instance.");
    s.trial[1][0].limited = true;
    expect_sentence(&s, 0, "No comparison: 1 is the only head count that finished.");
    s.trial[0][0].limited = true;
    expect_sentence(&s, 0,
                    "No verdict: no head count finished within the limit of time or memory.");
}

TEST(test_plateau)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 2, .98, 5, fair);
    add(&s, 4, .71, 5, low);
    add(&s, 8, .99, 5, good);
    describe(&s, "0.003");
    s.trial[0][0].test = .6;
    expect_sentence(&s, 1,
                    "The best of the head counts tried is one of 2 and 8 heads (d_head 16 and 4), "
                    "with 95% confidence; 1 and 4 are each shown to be worse than another one.");
    s.heads[1].d_head = s.heads[3].d_head = 8;
    expect_sentence(&s, 1,
                    "The best of the head counts tried is one of 2 and 8 heads (d_head 8), with "
                    "95% confidence; 1 and 4 are each shown to be worse than another one.");
    s.in.equivalence = .05;
    expect_sentence(&s, 1,
                    "2 and 8 heads (d_head 8) are shown to be equivalent: each is within 0.05 of "
                    "the best test accuracy, with 95% confidence; 4, which lies between, is not.");
    expect_with(&s, "each comparison with",
                "A head count is equivalent to the best if each comparison with another one shows "
                "that it is less than 0.05 worse (one-sided paired t test, p < .05, corrected for "
                "the number of head counts: Holm 1979).");
    expect_with(&s, "Equivalence is",
                "Equivalence is about means: with 5 seeds, failures in up to 45% of all seeds can "
                "go unseen.");
    s.in.equivalence = .02;
    expect_with(&s, "Equivalence is", NULL);
    expect_sentence(&s, 1,
                    "Only 8 heads (d_head 8) are shown to be within 0.02 of the best test "
                    "accuracy, with 95% confidence.");
    s.in.equivalence = .005;
    expect_sentence(&s, 1,
                    "No head count is shown to be within 0.005 of the best test accuracy, with 95% "
                    "confidence.");
    struct verdict *none = judge_sketch(&s);
    assert_int_equal(none->plateau_low, 0);
    assert_int_equal(none->plateau_high, 0);
    for (int i = 0; i < none->rows; i++)
        assert_false(none->row[i].in_plateau);
    verdict_free(none);
    struct sketch t = sketch_new(); /* the best on validation is not shown to be near the top */
    add(&t, 1, .99, 5, (const double[]){.90, .99, .93, .99, .99});
    add(&t, 2, .98, 5, (const double[]){.990, .988, .991, .987, .990});
    t.in.equivalence = .04;
    add(&t, 4, .98, 5, (const double[]){.989, .988, .991, .987, .990});
    expect_sentence(&t, 1,
                    "2 and 4 heads are shown to be equivalent: each is within 0.04 of the best "
                    "test accuracy, with 95% confidence; 1 head, best on validation, is not.");
    t.in.count = 2;
    t.in.planned = 10;
    expect_sentence(&t, 1,
                    "Only 2 heads are shown to be within 0.04 of the best test accuracy, with 95% "
                    "confidence; 1 head, best on validation, is not.");
}

/* Equal values are pointed out only where they are all there is. */
TEST(test_equal_rows)
{
    const double ones[5] = {1, 1, 1, 1, 1};
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 2, .99, 5, ones);
    expect_with(&s, "no spread",
                "2 heads: all 5 seeds gave the same test accuracy, so there is no spread to "
                "compute an interval from.");
    s.trial[1][2].limited = true;
    expect_with(&s, "no spread", NULL);
}

TEST(test_clusters)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .9, 7, (const double[]){.42, 1, .99, .40, 1, .98, .41});
    expect_with(
        &s, "two groups",
        "Trials fall into two groups with 4 heads (3 trials at 0.400 to 0.420 and 4 at 0.980 to "
        "1.000; median 0.980, 95% interval 0.400 to 1.000), and the mean describes neither.");
    s.trial[1][0].test = s.trial[1][3].test = .99;
    s.heads[1].n = 5;
    expect_with(&s, "two groups", NULL); /* .99, 1, .99, .99, 1 */
    s.trial[1][4].test = .1;
    expect_with(&s, "two groups",
                "Trials fall into two groups with 4 heads (1 trial at 0.100 and 4 at 0.990 to "
                "1.000; median 0.990), and the mean describes neither.");
}

/* Where a margin says what matters a smaller gap is one, of eight trials. */
TEST(test_near_clusters)
{
    static const double near[8] = {.95, .951, .95, .951, .99, .991, .99, .991};
    struct sketch s = sketch_new();
    add(&s, 1, .70, 8, near);
    add(&s, 4, .9, 8, near);
    expect_with(&s, "two groups", NULL);
    s.in.equivalence = .02;
    expect_with(&s, "two groups",
                "Trials fall into two groups with 1 head (4 trials at 0.950 to 0.951 and 4 at "
                "0.990 to 0.991; median 0.970, 95% interval 0.950 to 0.991) and 4 heads (4 trials "
                "at 0.950 to 0.951 and 4 at 0.990 to 0.991; median 0.970, 95% interval 0.950 to "
                "0.991), and the mean describes neither.");
    s.heads[0].n = s.heads[1].n = 7;
    expect_with(&s, "two groups", NULL);
}

/* A lead that is shown but smaller than what matters is said to be that; so is a p below .05 that
 * is not small enough. */
TEST(test_small_leads)
{
    static const double ahead[5] = {.985, .986, .985, .984, .985},
                        near[5] = {.98, .98, .98, .98, .98};
    struct sketch s = sketch_new();
    add(&s, 1, .98, 5, near);
    add(&s, 4, .99, 5, ahead);
    add(&s, 16, .70, 5, low);
    s.in.equivalence = .01;
    expect_sentence(&s, 0,
                    "Exploratory finding, a middle head count wins: 4 heads are better than both 1 "
                    "(difference in test accuracy +0.005, p < .0001) and 16 (+0.275, p < .0001), "
                    "the smallest and the largest head count tried, within 1500 steps, on this "
                    "task instance; the lead over 1 is below the margin of equivalence, 0.01.");
    claim(&s, 4, 1, 16);
    expect_sentence(
        &s, 0,
        "Claim confirmed: 4 heads are better than 1 (difference in test accuracy +0.005, p < "
        ".0001) and 16 (+0.275, p < .0001), as predicted before the first trial, within 1500 "
        "steps, on this task instance; the lead over 1 is below the margin of equivalence, 0.01.");
}

TEST(test_needed_p)
{
    static const double unsteady[5] = {.95, .99, .90, .99, .95};
    struct sketch s = sketch_new();
    add(&s, 1, .98, 5, unsteady);
    add(&s, 2, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 16, .70, 5, low);
    expect_sentence(&s, 0,
                    "Not significant: 4 heads, the fewest within 0.005 of the best validation "
                    "accuracy, did better than 16 (difference in test accuracy +0.282, p < .0001), "
                    "but are not shown to be better than 1 (difference in test accuracy +0.036, p "
                    "= .0491; p < .025 is needed), within 1500 steps, on this task instance.");
}

/* Three head counts, each better than the next at the seeds that both have. */
TEST(test_circle)
{
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
    expect_with(&s, "Each head count",
                "Each head count is shown to be worse than another one, which shows nothing where "
                "seeds are missing.");
    expect_with(&s, "No head count", NULL);
}

/* Of many comparisons, as many are for everyone as there is room for; how it was tested is not. */
TEST(test_shown)
{
    static const char *const methods[] = {"The claim is confirmed if",
                                          "The exact sign-flip test, which",
                                          "With 5 seeds the exact", "A head count cannot be"};
    struct sketch s = sketch_new();
    for (int i = 0; i < MAX_HEADS; i++)
        add(&s, 1 << i, i == 2 ? .99 : .70, 5, i == 2 ? good : low);
    for (int i = 0; i < MAX_HEADS; i++) {
        s.heads[i].shared = i == 2 ? NULL : i == 0 ? "d_ff=8" : i == 1 ? "d_ff=16" : "d_ff=32";
        if (i != 2)
            s.over[s.in.claim_over_count++] = 1 << i;
    }
    s.in.has_claim = true;
    s.in.claim_best = 4;
    struct verdict *v = judge_sketch(&s);
    struct verdict_text text = words_of(&s, v);
    assert_each(text.headlines == 1, text.shown == 1 + VERDICT_LIMITS_SHOWN);
    assert_non_null(strstr(text.sentence[text.shown - 2].text, " were not tested."));
    assert_string_equal(text.sentence[text.shown - 1].text,
                        "The trials with 1 head are also those of the setting d_ff=8; as evidence "
                        "they count once.");
    assert_string_equal(text.sentence[text.shown + 1].text,
                        "The trials with 8, 16, 32, 64 and 128 heads are also those of the setting "
                        "d_ff=32; as evidence they count once.");
    for (int i = 0; i < 4; i++)
        assert_memory_equal(text.sentence[text.shown + 2 + i].text, methods[i], strlen(methods[i]));
    verdict_text_free(&text);
    verdict_free(v);
}
