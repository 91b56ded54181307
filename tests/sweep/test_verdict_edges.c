/* Head counts that chose an edge of their grid: what is not said of them, and what is. */
#include "verdict_help.h"

enum { FIRST, INNER, LAST };

/* One head falls short of four, and so do 32. Each chose an inner one of three learning rates. */
static struct sketch tuned(void)
{
    struct sketch s = sketch_new();
    add(&s, 1, .71, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 32, .28, 5, poor);
    for (int i = 0; i < 3; i++)
        TUNE(&s, s.heads[i].heads, "train.lr", INNER, GRID_INNER, "0.01", "0.03", "0.1");
    return s;
}

static void choose(struct sketch *s, int heads, int chosen, enum grid_edge edge)
{
    s->axis[heads][0].chosen = chosen;
    s->axis[heads][0].edge = edge;
}

static void assert_decided(struct sketch *s, bool decided)
{
    struct verdict *v = judge_sketch(s);
    assert_int_equal(v->decided, decided);
    verdict_free(v);
}

/* The outcome of each rival, and "" behind them. */
static void assert_outcomes(struct sketch *s, const char *first, const char *second)
{
    struct verdict *v = judge_sketch(s);
    const char *const expected[] = {first, second};
    for (int i = 0; i < v->rivals; i++)
        assert_string_equal(rival_outcome_name(v->rival[i].outcome), expected[i]);
    verdict_free(v);
}

TEST(inner_choices_change_nothing)
{
    struct sketch s = tuned();
    EXPECT(
        &s, VERDICT_MIDDLE,
        "Exploratory finding, a middle head count wins: 4 heads are better than both 1 (difference "
        "in test accuracy +0.282, p < .0001) and 32 (+0.712, p < .0001), the smallest and the "
        "largest head count tried, within 1500 steps, each head count at its own best of lr 0.01, "
        "0.03 and 0.1, on this task instance.",
        "The best of the head counts tried is 4 heads, with 95% confidence; 1 and 32 are each "
        "shown to be worse than another one.",
        "4 heads against 1: +0.282 test accuracy, 95% interval +0.266 to +0.298, over 5 seeds (5 "
        "won, 0 lost); two-sided paired t test p < .0001.",
        "4 heads against 32: +0.712 test accuracy, 95% interval +0.682 to +0.742, over 5 seeds (5 "
        "won, 0 lost); two-sided paired t test p < .0001.",
        "Each head count's own values were chosen on validation: lr=0.03 with 1, 4 and 32 heads; "
        "the finding is only about these values.",
        "Other head counts, training lengths, learning rates, task instances and tasks were not "
        "tested.",
        "To confirm this, run a new sweep with unused seeds and claim: {best: 4, over: [1, 32]}.",
        "Because 4 was chosen after seeing the results, each comparison must reach p < .05 (.05 / "
        "1, for the 1 head count between the smallest and the largest).",
        "The exact sign-flip test, which assumes no normal distribution, gives p = .0625 against 1 "
        "and p = .0625 against 32.",
        "With 5 seeds the exact sign-flip test cannot go below p = .0625; at least 6 are needed "
        "for p < .05.",
        "A head count cannot be the best if another is better in a one-sided paired t test at p < "
        ".025 (.05 / 2 comparisons).");
}

/* What is left of it: no claim to make next, and no level that a middle would need. */
TEST(a_rival_at_an_edge_is_no_loser)
{
    struct sketch s = tuned();
    choose(&s, 2, LAST, GRID_LARGEST);
    assert_kind(&s, VERDICT_RIVAL_AT_EDGE);
    assert_decided(&s, true);
    assert_outcomes(&s, "better", "rival_at_edge");
    expect_sentence(&s, 1,
                    "The best of the head counts tried is 4 heads, with 95% confidence; 1 and 32 "
                    "are each shown to be worse than another one; this is about the values tried.");
    expect_sentence(
        &s, 0,
        "Undecided: 4 heads did better than both the smallest (1) and the largest (32) head count "
        "tried, within 1500 steps, each head count at its own best of lr 0.01, 0.03 and 0.1, on "
        "this task instance, but 32 heads chose the largest lr tried, 0.1, and may be better "
        "beyond it; try more values (`extend` in `tune`, or a wider list).");
    expect_with(&s, "chosen after",
                "Because 4 was chosen after seeing the results, each comparison must reach p < .05 "
                "(.05 / 1, for the 1 head count between the smallest and the largest).");
    expect_with(&s, "predict it", NULL);
    expect_with(&s, "may lie beyond", NULL); /* said above */
    choose(&s, 0, FIRST, GRID_SMALLEST);
    expect_sentence(
        &s, 0,
        "Undecided: 4 heads did better than both the smallest (1) and the largest (32) head count "
        "tried, within 1500 steps, each head count at its own best of lr 0.01, 0.03 and 0.1, on "
        "this task instance, but 1 head chose the smallest lr tried, 0.01, and may be better "
        "beyond it; 32 heads chose the largest lr tried, 0.1, and may be better beyond it; try "
        "more values (`extend` in `tune`, or a wider list).");
    claim(&s, 4, 1, 32);
    choose(&s, 0, LAST, GRID_LARGEST);
    assert_kind(&s, VERDICT_RIVAL_AT_EDGE);
    assert_decided(&s, true);
    expect_sentence(&s, 0,
                    "Claim undecided: 4 heads did better than 1 and 32, within 1500 steps, each "
                    "head count at its own best of lr 0.01, 0.03 and 0.1, on this task instance, "
                    "but 1 and 32 heads chose the largest lr tried, 0.1, and may be better beyond "
                    "it; try more values (`extend` in `tune`, or a wider list).");
    expect_with(&s, "The claim holds", NULL);
    s.in.planned++;
    assert_decided(&s, false);
}

/* It could only be better still. */
TEST(the_better_side_at_an_edge_stands)
{
    struct sketch s = tuned();
    choose(&s, 1, LAST, GRID_LARGEST);
    assert_kind(&s, VERDICT_MIDDLE);
    expect_sentence(&s, 0,
                    "Exploratory finding, a middle head count wins: 4 heads are better than both 1 "
                    "(difference in test accuracy +0.282, p < .0001) and 32 (+0.712, p < .0001), "
                    "the smallest and the largest head count tried, within 1500 steps, each head "
                    "count at its own best of lr 0.01, 0.03 and 0.1, on this task instance; 4 "
                    "heads chose the largest lr tried, 0.1, and may be better beyond it.");
    expect_with(&s, "this is about", NULL); /* nobody at an edge is left out */
    claim(&s, 4, 1, 32);
    assert_kind(&s, VERDICT_CLAIM_CONFIRMED);
    assert_outcomes(&s, "better", "better");
    expect_sentence(
        &s, 0,
        "Claim confirmed: 4 heads are better than 1 (difference in test accuracy +0.282, p < "
        ".0001) and 32 (+0.712, p < .0001), as predicted before the first trial, within 1500 "
        "steps, each head count at its own best of lr 0.01, 0.03 and 0.1, on this task instance; 4 "
        "heads chose the largest lr tried, 0.1, and may be better beyond it.");
}

TEST(a_contradiction_needs_the_claims_best_inside)
{
    struct sketch s = tuned();
    claim(&s, 1, 4, 0);
    assert_kind(&s, VERDICT_CLAIM_CONTRADICTED);
    choose(&s, 1, FIRST, GRID_SMALLEST);
    assert_kind(&s, VERDICT_CLAIM_CONTRADICTED);
    expect_sentence(
        &s, 0,
        "Claim contradicted: 1 head, claimed to be better than 4, is significantly worse than 4 "
        "(difference in test accuracy -0.282, p < .0001), within 1500 steps, each head count at "
        "its own best of lr 0.01, 0.03 and 0.1, on this task instance; 4 heads chose the smallest "
        "lr tried, 0.01, and may be better beyond it.");
    choose(&s, 1, INNER, GRID_INNER);
    choose(&s, 0, LAST, GRID_LARGEST);
    assert_kind(&s, VERDICT_RIVAL_AT_EDGE);
    assert_outcomes(&s, "candidate_at_edge", "");
    assert_decided(&s, true);
    expect_sentence(
        &s, 0,
        "Claim undecided: 1 head did worse than 4 (difference in test accuracy -0.282, p < .0001), "
        "within 1500 steps, each head count at its own best of lr 0.01, 0.03 and 0.1, on this task "
        "instance, but 1 head chose the largest lr tried, 0.1, and may be better beyond it; try "
        "more values (`extend` in `tune`, or a wider list).");
}

/* One that is not beaten is told first: no value beyond would confirm the claim. */
TEST(not_beaten_is_not_confirmed)
{
    struct sketch s = sketch_new();
    add(&s, 1, .71, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .98, 5, fair);
    for (int i = 0; i < 3; i++)
        TUNE(&s, s.heads[i].heads, "train.lr", INNER, GRID_INNER, "0.01", "0.03", "0.1");
    choose(&s, 0, LAST, GRID_LARGEST);
    claim(&s, 4, 1, 8);
    assert_kind(&s, VERDICT_CLAIM_NOT_CONFIRMED);
    assert_decided(&s, false);
    expect_sentence(
        &s, 0,
        "Claim not confirmed: 4 heads, claimed to be better than 1 and 8, are not shown to be "
        "better than 8 (difference in test accuracy +0.006, p = .374), within 1500 steps, each "
        "head count at its own best of lr 0.01, 0.03 and 0.1, on this task instance; 1 head chose "
        "the largest lr tried, 0.1, and may be better beyond it.");
}

/* What is picked on validation is not called worse either: it is not shown to be better. */
TEST(a_candidate_at_an_edge_is_no_loser)
{
    struct sketch s = tuned();
    for (int k = 0; k < 5; k++) {
        s.trial[0][k].test = good[k];
        s.trial[1][k].test = low[k];
    }
    expect_with(
        &s, "Not significant",
        "Not significant: 4 heads, the fewest within 0.005 of the best validation accuracy, did "
        "better than 32 (difference in test accuracy +0.430, p < .0001), but are significantly "
        "worse than 1 (difference in test accuracy -0.282, p < .0001), within 1500 steps, each "
        "head count at its own best of lr 0.01, 0.03 and 0.1, on this task instance.");
    choose(&s, 1, LAST, GRID_LARGEST);
    expect_with(
        &s, "Not significant",
        "Not significant: 4 heads, the fewest within 0.005 of the best validation accuracy, did "
        "better than 32 (difference in test accuracy +0.430, p < .0001), but are not shown to be "
        "better than 1 (difference in test accuracy -0.282, p < .0001), within 1500 steps, each "
        "head count at its own best of lr 0.01, 0.03 and 0.1, on this task instance; 4 heads chose "
        "the largest lr tried, 0.1, and may be better beyond it.");
}

/* More seeds do not move an edge. */
TEST(no_further_look_opens)
{
    struct sketch s = tuned();
    s.in.looks = 3;
    s.in.look = 1;
    choose(&s, 2, LAST, GRID_LARGEST);
    assert_decided(&s, true);
    expect_with(&s, "look 1",
                "Ended at look 1 of 3, because more seeds do not change what was chosen. Each look "
                "tests at .0167 (.05 / 3), because there are several.");
}

TEST(losses_at_an_edge)
{
    struct sketch s = tuned();
    s.in.loss = true;
    s.in.guess_loss = 2.77;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 5; k++) {
            struct verdict_trial *t = &s.trial[i][k];
            t->test = 2 - t->test;
            t->val = 2 - t->val;
        }
    assert_kind(&s, VERDICT_MIDDLE);
    choose(&s, 1, FIRST, GRID_SMALLEST);
    assert_kind(&s, VERDICT_MIDDLE);
    choose(&s, 0, FIRST, GRID_SMALLEST);
    assert_kind(&s, VERDICT_RIVAL_AT_EDGE);
    claim(&s, 32, 4, 0);
    assert_kind(&s, VERDICT_CLAIM_CONTRADICTED);
    choose(&s, 2, FIRST, GRID_SMALLEST);
    assert_kind(&s, VERDICT_RIVAL_AT_EDGE);
}

TEST(all_at_chance_may_be_better_beyond)
{
    static const double guess[5] = {.06, .0625, .061, .063, .062};
    struct sketch s = sketch_new();
    add(&s, 1, .06, 5, guess);
    add(&s, 2, .06, 5, guess);
    TUNE(&s, 1, "train.lr", FIRST, GRID_SMALLEST, "0.01", "0.1");
    TUNE(&s, 2, "train.lr", 1, GRID_LARGEST, "0.01", "0.1");
    assert_kind(&s, VERDICT_AT_CHANCE);
    expect_with(&s, "At chance",
                "At chance: no head count is shown to be better than guessing (test accuracy "
                "0.0625; the best mean is 0.0617, with 1 head), within 1500 steps, each head count "
                "at its own best of lr 0.01 and 0.1, on this task instance; there is nothing to "
                "compare; 1 head chose the smallest lr tried, 0.01, and may be better beyond it; 2 "
                "heads chose the largest lr tried, 0.1, and may be better beyond it.");
}

/* Of those that no other sentence is about. */
TEST(others_are_told_apart)
{
    struct sketch s = sketch_new();
    add(&s, 1, .71, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .98, 5, fair);
    add(&s, 32, .28, 5, poor);
    for (int i = 0; i < 4; i++)
        TUNE(&s, s.heads[i].heads, "train.lr", INNER, GRID_INNER, "0.01", "0.03", "0.1");
    choose(&s, 2, LAST, GRID_LARGEST);
    assert_kind(&s, VERDICT_MIDDLE);
    expect_with(&s, "beyond",
                "At the edge of the grid: 8 heads chose the largest lr tried, "
                "0.1, and may be better beyond it.");
}

/* With a margin, two sentences leave head counts out. */
TEST(a_plateau_is_about_the_values_tried)
{
    struct sketch s = tuned();
    s.in.equivalence = .05;
    add(&s, 64, .98, 5, fair);
    TUNE(&s, 64, "train.lr", INNER, GRID_INNER, "0.01", "0.03", "0.1");
    choose(&s, 0, LAST, GRID_LARGEST);
    expect_sentence(
        &s, 1,
        "4 and 64 heads are shown to be equivalent: each is within 0.05 of the best test accuracy, "
        "with 95% confidence; 32, which lies between, is not; this is about the values tried.");
    expect_with(
        &s, "The best of",
        "The best of the head counts tried is one of 4 and 64 heads, with 95% confidence; 1 and 32 "
        "are each shown to be worse than another one; this is about the values tried.");
    s.heads[2].n = 0;
    s.in.planned -= 5;
    expect_sentence(&s, 1,
                    "4 and 64 heads are shown to be equivalent: each is within 0.05 of the best "
                    "test accuracy, with 95% confidence; this is about the values tried.");
}

/* Where none is shown, those are left out that are not among the best. */
TEST(no_plateau_is_about_the_values_tried)
{
    struct sketch s = sketch_new();
    s.in.equivalence = .001;
    add(&s, 1, .71, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .98, 5, fair);
    for (int i = 0; i < 3; i++)
        TUNE(&s, s.heads[i].heads, "train.lr", INNER, GRID_INNER, "0.01", "0.03", "0.1");
    choose(&s, 0, LAST, GRID_LARGEST);
    choose(&s, 2, FIRST, GRID_SMALLEST);
    claim(&s, 4, 1, 0);
    expect_sentence(&s, 2,
                    "No head count is shown to be within 0.001 of the best test accuracy, with 95% "
                    "confidence; this is about the values tried.");
    expect_with(&s, "At the edge",
                "At the edge of the grid: 8 heads chose the smallest lr tried, 0.01, and may be "
                "better beyond it.");
}

/* ---- the values of each head count ---- */

static void assert_values(struct sketch *s, int axis, const char *expected)
{
    struct text_buffer text = {0};
    verdict_free(judge_sketch(s));
    verdict_text_values(&s->in, axis, &text);
    assert_string_equal(text.text, expected);
    free(text.text);
}

TEST(values_of_each_head_count)
{
    struct sketch s = sketch_new();
    TUNE(&s, 1, "train.lr", INNER, GRID_INNER, "0.0001", "0.001", "0.01");
    TUNE(&s, 2, "train.lr", INNER, GRID_INNER, "0.0001", "0.001", "0.01");
    TUNE(&s, 4, "train.lr", FIRST, GRID_ONLY, "0.0001");
    assert_values(&s, 0, "0.0001, 0.001 and 0.01 (4 heads: 0.0001 alone)");
    TUNE(&s, 8, "train.lr", LAST, GRID_INNER, "0.0001", "0.001", "0.01", "0.1");
    TUNE(&s, 16, "train.lr", FIRST, GRID_ONLY, "0.0001");
    TUNE(&s, 32, "train.lr", FIRST, GRID_SMALLEST, "0.001", "0.01");
    TUNE(&s, 64, "train.lr", INNER, GRID_INNER, "0.01", "0.001", "0.0001");
    assert_values(&s, 0,
                  "0.0001, 0.001 and 0.01 (4 and 16 heads: 0.0001 alone; 8 heads: also 0.1; 32 "
                  "heads: 0.001 and 0.01)");
    s = sketch_new(); /* as many have the one as the other */
    TUNE(&s, 1, "train.lr", FIRST, GRID_ONLY, "0.001");
    TUNE(&s, 2, "train.lr", FIRST, GRID_SMALLEST, "0.001", "0.01");
    assert_values(&s, 0, "0.001 and 0.01 (1 head: 0.001 alone)");
}

/* As random axes have them: nobody would read a sentence of hundreds. */
TEST(many_values_are_counted)
{
    struct sketch s = sketch_new();
    TUNE(&s, 1, "train.lr", INNER, GRID_INNER, "1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
         "11", "12", "13");
    TUNE(&s, 2, "train.lr", INNER, GRID_INNER, "1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
         "11", "12", "13");
    TUNE(&s, 4, "train.lr", INNER, GRID_INNER, "1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
         "11", "12");
    assert_values(&s, 0, "1 to 13, 13 values (4 heads: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 12)");
}

/* A head count that was given one value is told so, and may be better at another. */
TEST(one_value_is_an_edge)
{
    struct sketch s = tuned();
    s.axis[2][0].values = 1;
    choose(&s, 2, FIRST, GRID_ONLY);
    assert_kind(&s, VERDICT_RIVAL_AT_EDGE);
    expect_sentence(
        &s, 0,
        "Undecided: 4 heads did better than both the smallest (1) and the largest (32) head count "
        "tried, within 1500 steps, each head count at its own best of lr 0.01, 0.03 and 0.1 (32 "
        "heads: 0.01 alone), on this task instance, but 32 heads were given no lr but 0.01, and "
        "may be better at another; try more values (`extend` in `tune`, or a wider list).");
    choose(&s, 0, LAST, GRID_LARGEST);
    s.heads[0].heads = s.choice[0].heads = 2;
    expect_with(
        &s, "Undecided",
        "Undecided: 4 heads did better than both the smallest (2) and the largest (32) head count "
        "tried, within 1500 steps, each head count at its own best of lr 0.01, 0.03 and 0.1 (32 "
        "heads: 0.01 alone), on this task instance, but 2 heads chose the largest lr tried, 0.1, "
        "and may be better beyond it; 32 heads were given no lr but 0.01, and may be better at "
        "another; try more values (`extend` in `tune`, or a wider list).");
}

TEST(several_axes)
{
    struct sketch s = sketch_new();
    add(&s, 1, .99, 5, good);
    add(&s, 2, .28, 5, poor);
    for (int i = 1; i < 3; i++) {
        TUNE(&s, i, "train.clip", i - 1, i == 2 ? GRID_LARGEST : GRID_INNER, "0", "1");
        TUNE(&s, i, "train.schedule.warmup", i - 1, i == 2 ? GRID_LARGEST : GRID_INNER, "0", "75");
    }
    describe(&s, "0.01");
    expect_with(
        &s, "No middle",
        "No middle head count wins: 1 head, the smallest head count tried, is the fewest within "
        "0.005 of the best validation accuracy, within 1500 steps at lr 0.01 for all, each head "
        "count at its own best of clip 0 and 1, and of warmup 0 and 75, on this task instance.");
    expect_with(&s, "The best of",
                "The best of the head counts tried is 1 head (d_head 32), with 95% confidence; 2 "
                "is shown to be worse than another one; this is about the values tried.");
    expect_with(&s, "own values",
                "Each head count's own values were chosen on validation: clip=0, warmup=0 with 1 "
                "head; clip=1, warmup=75 with 2 heads; the finding is only about these values.");
    choose(&s, 1, -1, GRID_INNER);
    s.axis[1][1].chosen = -1;
    s.axis[1][1].edge = GRID_INNER;
    expect_with(&s, "own values",
                "Each head count's own values are being chosen on validation: clip=0, warmup=0 "
                "with 1 head; the finding is only about these values.");
}
