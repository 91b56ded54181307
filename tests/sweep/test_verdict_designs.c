/* The sentences of the verdict where a sweep has a design of its own: replicates, losses, looks,
 * tuning. */
#include "verdict_help.h"

TEST(test_replicated)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 6, (const double[]){.70, .72, .69, .71, .73, .74});
    add(&s, 2, .99, 6, (const double[]){.99, .98, .95, .97, .99, .98});
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 6; k++)
            s.trial[i][k].unit = k / 2;
    s.in.replicated = "task.instance";
    claim(&s, 2, 1, 0);
    EXPECT(
        &s, VERDICT_CLAIM_CONFIRMED,
        "Claim confirmed: 2 heads are better than 1 (difference in test accuracy +0.262, p = "
        ".00077), as predicted before the first trial, within 1500 steps, over 3 task instances.",
        "The best of the head counts tried is 2 heads, with 95% confidence; 1 is shown to be worse "
        "than another one.",
        "2 heads against 1: +0.262 test accuracy, 95% interval +0.230 to +0.293, over 3 task "
        "instances (3 won, 0 lost; each the mean of its seeds, 6 pairs in all); two-sided paired t "
        "test p = .00077.",
        "Other head counts, training lengths, tasks and seeds (every task instance had the same) "
        "were not tested.",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .25 against 1.",
        "With 3 task instances the exact sign-flip test cannot go below p = .25; at least 6 are "
        "needed for p < .05.",
        "2 heads against 1: the estimated standard deviation of the difference is 0.015 between "
        "seeds and, beyond what seeds explain, 0.007 between task instances.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p < "
        ".05 (.05 / 1 comparison).");
    TUNE(&s, 1, "train.lr", 1, GRID_INNER, "0.001", "0.003", "0.01");
    TUNE(&s, 2, "train.lr", 1, GRID_INNER, "0.001", "0.003", "0.01");
    expect_with(&s, "The task instances that",
                "The task instances that chose these values judge them as well, with other seeds: "
                "on other task instances they may do a little worse.");
    s.in.choices = 0;
    s.in.replicated = "task.noise";
    expect_sentence(&s, 0,
                    "Claim confirmed: 2 heads are better than 1 (difference in test accuracy "
                    "+0.262, p = .00077), as predicted before the first trial, within 1500 steps, "
                    "over 3 replicates (task.noise).");
}

/* Six texts, whose losses lie far apart, two seeds each: a difference of .04 and what a text (up to
 * .02) and a seed (.01) do to it. Guessing costs 1 more than the smallest head count loses. */
static struct sketch sketch_of_texts(void)
{
    static const double level[6] = {1, 1.5, 2, 2.5, 3, 3.5},
                        own[6] = {.02, -.02, .01, -.01, .01, -.01};
    struct sketch s = sketch_new();
    double first[12], second[12];
    for (int k = 0; k < 12; k++) {
        first[k] = level[k / 2];
        second[k] = first[k] - .04 - own[k / 2] + (k % 2 ? .01 : -.01);
    }
    s.in.loss = true;
    s.in.data = VERDICT_TEXT;
    s.in.replicated = "task.file";
    add(&s, 1, 1.04, 12, first);
    add(&s, 2, 1, 12, second);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 12; k++) {
            s.trial[i][k].seed = k % 2;
            s.trial[i][k].unit = k / 2;
            s.trial[i][k].guess = level[k / 2] + 1;
        }
    claim(&s, 2, 1, 0);
    return s;
}

TEST(test_texts)
{
    struct sketch s = sketch_of_texts();
    EXPECT(
        &s, VERDICT_CLAIM_CONFIRMED,
        "Claim confirmed: 2 heads are better than 1 (difference in test loss, less is better: "
        "-0.040 nats or -0.058 bits per byte, p = .00146), as predicted before the first trial, "
        "within 1500 steps, over 6 texts.",
        "The 6 texts were chosen, not drawn: nothing is known of kinds of text that are not among "
        "them.",
        "The best of the head counts tried is 2 heads, with 95% confidence; 1 is shown to be worse "
        "than another one.",
        "2 heads against 1: -0.040 nats or -0.058 bits per byte in test loss (less is better), "
        "95% interval in nats -0.056 to -0.024, over 6 texts (6 won, 0 lost; each the mean of its "
        "seeds, 12 pairs in all); two-sided paired t test p = .00146.",
        "Other head counts, training lengths and seeds (every text had the same) were not tested.",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0312 against "
        "1.",
        "2 heads against 1: the estimated standard deviation of the difference is 0.014 between "
        "seeds and, beyond what seeds explain, 0.012 between texts.",
        "Even 6 texts drawn at random can miss what holds for 39% of all, and they tell the "
        "standard deviation between texts to about 32%.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p < "
        ".05 (.05 / 1 comparison).");
    s.in.equivalence = .1;
    expect_sentence(&s, 2,
                    "1 and 2 heads are shown to be equivalent: each is within 0.1 of the best test "
                    "loss, with 95% confidence.");
    s.in.equivalence = 0;
    s.in.data = VERDICT_ROWS;
    expect_sentence(&s, 0,
                    "Claim confirmed: 2 heads are better than 1 (difference in test loss, less is "
                    "better: -0.040, p = .00146), as predicted before the first trial, within 1500 "
                    "steps, over 6 files.");
}

/* What guessing costs differs by text: where one is learned, a loss above another's guess is none;
 * a trial that diverged counts as a guess at its own text. */
TEST(test_guessing_at_texts)
{
    struct sketch s = sketch_of_texts();
    struct verdict *v = judge_sketch(&s);
    assert_true(v->guess_varies);
    assert_near(v->guess, 3.25);
    assert_each(v->row[0].above_chance, v->row[1].above_chance, v->units_at_chance == 0);
    verdict_free(v);
    for (int i = 0; i < 2; i++) /* the sixth text is not learned, the first diverges once */
        for (int k = 10; k < 12; k++)
            s.trial[i][k].guess = s.trial[i][k].test;
    s.trial[1][0].bad = true;
    v = judge_sketch(&s);
    assert_int_equal(v->units_at_chance, 1);
    assert_near(v->rival[0].pair.mean, (6 * -.04 + (2 - (1 - .04 - .02 - .01)) / 2) / 6);
    verdict_free(v);
    expect_with(&s, "1 of 12 trials",
                "1 of 12 trials with 2 heads diverged or failed and counts as guessing (test loss "
                "3.08 on average); the mean of the others is 2.326.");
    char *caveat = sentence_with(&s, "were chosen, not drawn");
    assert_non_null(strstr(caveat,
                           "not among them. At 1 of 6 texts no head count's mean is "
                           "above guessing; differences there count as much as elsewhere."));
    free(caveat);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 12; k++)
            s.trial[i][k].guess = s.trial[0][k].test - .02 * (k / 2 % 2);
    assert_kind(&s, VERDICT_AT_CHANCE);
}

TEST(test_loss)
{
    struct sketch s = sketch_new();
    s.in.loss = true;
    add(&s, 1, 1.7, 5, (const double[]){1.70, 1.72, 1.69, 1.71, 1.73});
    add(&s, 2, .99, 5, good);
    add(&s, 4, 1.2, 5, (const double[]){1.28, 1.27, 1.30, 1.26, 1.29});
    EXPECT(
        &s, VERDICT_MIDDLE,
        "Exploratory finding, a middle head count wins: 2 heads are better than both 1 (difference "
        "in test loss, less is better: -0.718, p < .0001) and 4 (-0.288, p < .0001), the smallest "
        "and the largest head count tried, within 1500 steps, on this task instance.",
        "The best of the head counts tried is 2 heads, with 95% confidence; 1 and 4 are each "
        "shown to be worse than another one.",
        "2 heads against 1: -0.718 test loss (less is better), 95% interval -0.734 to -0.702, "
        "over 5 seeds (5 won, 0 lost); two-sided paired t test p < .0001.",
        "2 heads against 4: -0.288 test loss (less is better), 95% interval -0.318 to -0.258, "
        "over 5 seeds (5 won, 0 lost); two-sided paired t test p < .0001.",
        "Other head counts, training lengths, task instances and tasks were not tested.",
        "To confirm this, run a new sweep with unused seeds and claim: {best: 2, over: [1, 4]}.",
        "Because 2 was chosen after seeing the results, each comparison must reach p < .05 (.05 "
        "/ 1, for the 1 head count between the smallest and the largest).",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 "
        "against 1 and p = .0625 against 4.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p "
        "< .025 (.05 / 2 comparisons).");
}

TEST(test_looks)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 2, .98, 5, fair);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .28, 5, poor);
    s.in.looks = 3;
    s.in.look = 2;
    EXPECT(&s, VERDICT_MIDDLE,
           "Exploratory finding, a middle head count wins: 4 heads are better than both 1 "
           "(difference in test accuracy +0.282, p < .0001) and 8 (+0.712, p < .0001), the "
           "smallest and the largest head count tried, within 1500 steps, on this task instance.",
           "Decided at look 2 of 3. Each look tests at .0167 (.05 / 3), because there are several.",
           "The best of the head counts tried is one of 2 and 4 heads, with 98.3% confidence; 1 "
           "and 8 are each shown to be worse than another one.",
           "Failing to tell head counts apart does not show that they are equal: `equivalence` in "
           "the sweep file tests that.",
           "4 heads against 1: +0.282 test accuracy, 98.3% interval +0.259 to +0.305, over 5 seeds "
           "(5 won, 0 lost); two-sided paired t test p < .0001.",
           "4 heads against 8: +0.712 test accuracy, 98.3% interval +0.670 to +0.754, over 5 seeds "
           "(5 won, 0 lost); two-sided paired t test p < .0001.",
           "Other head counts, training lengths, task instances and tasks were not tested.",
           "To confirm this, run a new sweep with unused seeds and claim: {best: 4, over: [1, 8]}.",
           "Because 4 was chosen after seeing the results, each comparison must reach p < .00833 "
           "(.05 / 3 looks / 2, for the 2 head counts between the smallest and the largest).",
           "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 "
           "against 1 and p = .0625 against 8.",
           "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 8 are needed "
           "for p < .00833.",
           "A head count cannot be the best if another is better in a one-sided paired t test at p "
           "< .00556 (.0167 / 3 comparisons).");
    s.trial[3][0].test = .99;
    expect_with(&s, "look",
                "Look 2 of 3; not decided, so that seeds are added for the next. Each look tests "
                "at .0167 (.05 / 3), because there are several.");
    s.in.look = 3;
    expect_with(
        &s, "the last",
        "Look 3 of 3, the last. Each look tests at .0167 (.05 / 3), because there are several.");
}

TEST(test_tuned)
{
    struct sketch s = sketch_new();
    add(&s, 1, .99, 5, good);
    add(&s, 2, .28, 5, poor);
    TUNE(&s, 1, "train.lr", 0, GRID_INNER, "0.003", "0.01");
    TUNE(&s, 2, "train.lr", 1, GRID_LARGEST, "0.003", "0.01");
    s.in.proof.status = PROOF_PLAN_CHANGED; /* no claim: nothing to say about it */
    s.heads[1].shared = "d_head=8";
    EXPECT(&s, VERDICT_EDGE,
           "No middle head count wins: 1 head, the smallest head count tried, is the fewest within "
           "0.005 of the best validation accuracy, within 1500 steps, each head count at its own "
           "best of lr 0.003 and 0.01, on this task instance.",
           "At the edge of the grid: 2 heads chose the largest lr tried, 0.01, and may be better "
           "beyond it.",
           "The best of the head counts tried is 1 head, with 95% confidence; 2 is shown to be "
           "worse than another one; this is about the values tried.",
           "Each head count's own values were chosen on validation: lr=0.003 with 1 head; lr=0.01 "
           "with 2 heads; the finding is only about these values.",
           "Other head counts, training lengths, learning rates, task instances and tasks were not "
           "tested.",
           "The trials with 2 heads are also those of the setting d_head=8; as evidence they count "
           "once.",
           "A head count cannot be the best if another is better in a one-sided paired t test at p "
           "< .05 (.05 / 1 comparison).");
    s.axis[0][0].chosen = 1;
    expect_with(&s, "own values",
                "Each head count's own values were chosen on validation: lr=0.01 with 1 and 2 "
                "heads; the finding is only about these values.");
    s.in.tuning_seeds = 3;
    expect_with(
        &s, "own values",
        "Each head count's own values were chosen on validation, on 3 seeds that are not judged: "
        "lr=0.01 with 1 and 2 heads; the finding is only about these values.");
    s.in.choices = 0;
    s.heads[0].lr = "0.01";
    s.heads[1].lr = "0.005";
    expect_sentence(&s, 0,
                    "No middle head count wins: 1 head, the smallest head count tried, is the "
                    "fewest within 0.005 of the best validation accuracy, within 1500 steps at lr "
                    "0.01 with 1 and 0.005 with 2, on this task instance.");
}
