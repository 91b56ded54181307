/* The budget of a finding: the steps it names, and what trials of more steps change. */
#include "verdict_help.h"

/* What sketches are compared with. */
static struct verdict_trial later_trial[MAX_HEADS][MAX_TRIALS];
static struct verdict_heads later_heads[MAX_HEADS];
static struct verdict_longer later;

/* Gives a head count (by its index) these test values after 6000 steps. */
static void add_later(struct sketch *s, int i, int n, const double *test)
{
    later = (struct verdict_longer){.steps = 6000, .heads = later_heads};
    later_heads[i] = (struct verdict_heads){s->heads[i].heads, .n = n, .trial = later_trial[i]};
    for (int k = 0; k < n; k++)
        later_trial[i][k] =
            (struct verdict_trial){.seed = k, .bad = test[k] < 0, .test = test[k], .val = NAN};
    s->in.longer = &later;
}

/* 4 heads against 1 and 16, both edges; nothing is known of longer trials yet. */
static struct sketch middle(void)
{
    struct sketch s = sketch_new();
    memset(later_heads, 0, sizeof later_heads);
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 16, .28, 5, poor);
    s.in.decays = true;
    return s;
}

static const double slow[5] = {.90, .91, .88, .92, .92}, equal[5] = {.99, 1, .98, 1, .985};

/* A schedule that ends at 0 hides what more steps would do: the budget stands where one reads. */
TEST(the_budget_comes_first)
{
    struct sketch s = middle();
    describe(&s, "0.003");
    expect_with(
        &s, "wins",
        "Exploratory finding, a middle head count wins after 1500 steps: 4 heads are better than "
        "both 1 (difference in test accuracy +0.282, p < .0001) and 16 (+0.712, p < .0001), the "
        "smallest and the largest head count tried, at lr 0.003 for all, on this task instance.");
    expect_with(&s, "The best of",
                "The best of the head counts tried after 1500 steps is 4 heads (d_head 8), with "
                "95% confidence; 1 and 16 are each shown to be worse than another one.");
    expect_with(
        &s, "were not tested",
        "Other head counts, training lengths, learning rates, task instances and tasks were not "
        "tested.");
    expect_with(&s, "flat end",
                "The learning rate ends at 0, which flattens every curve: a flat end does not show "
                "that more steps would change nothing.");
    claim(&s, 4, 1, 16);
    expect_with(&s, "Claim",
                "Claim confirmed after 1500 steps: 4 heads are better than 1 (difference in test "
                "accuracy +0.282, p < .0001) and 16 (+0.712, p < .0001), as predicted before the "
                "first trial, at lr 0.003 for all, on this task instance.");
    s.over[0] = 4;
    s.in.claim_best = 1;
    expect_with(&s, "Claim",
                "Claim contradicted after 1500 steps: 1 head, claimed to be better than 4 and 16, "
                "did better than 16 (difference in test accuracy +0.430, p < .0001), but is "
                "significantly worse than 4 (difference in test accuracy -0.282, p < .0001), at lr "
                "0.003 for all, on this task instance.");
    s.in.steps = 0;
    expect_with(&s, "Claim",
                "Claim contradicted: 1 head, claimed to be better than 4 and 16, did better than "
                "16 (difference in test accuracy +0.430, p < .0001), but is significantly worse "
                "than 4 (difference in test accuracy -0.282, p < .0001), at lr 0.003 for all, on "
                "this task instance.");
    s.in.decays = false;
    s.in.steps = 1500;
    expect_with(&s, "Claim",
                "Claim contradicted: 1 head, claimed to be better than 4 and 16, did better than "
                "16 (difference in test accuracy +0.430, p < .0001), but is significantly worse "
                "than 4 (difference in test accuracy -0.282, p < .0001), within 1500 steps at lr "
                "0.003 for all, on this task instance.");
}

TEST(every_kind_of_finding_names_the_budget)
{
    struct sketch s = sketch_new();
    s.in.decays = true;
    add(&s, 1, .99, 5, good);
    add(&s, 4, .99, 5, fair);
    expect_with(
        &s, "No middle head count wins after",
        "No middle head count wins after 1500 steps: 1 head, the smallest head count tried, is the "
        "fewest within 0.005 of the best validation accuracy, on this task instance.");
    s.in.equivalence = .0001;
    expect_with(&s, "within 0.0001",
                "No head count is shown to be within 0.0001 of the best test accuracy after 1500 "
                "steps, with 95% confidence.");
    s = sketch_new();
    s.in.decays = true;
    add(&s, 2, .97, 5, good);
    add(&s, 4, .99, 5, fair);
    add(&s, 8, .70, 5, low);
    expect_with(&s, "ot significant",
                "Not significant after 1500 steps: 4 heads, the fewest within 0.005 of the best "
                "validation accuracy, did better than 8 (difference in test accuracy +0.276, p < "
                ".0001), but are not shown to be better than 2 (difference in test accuracy "
                "-0.006, p = .374), on this task instance.");
    claim(&s, 4, 2, 0);
    expect_with(&s, "Claim",
                "Claim not confirmed after 1500 steps: 4 heads, claimed to be better than 2, are "
                "not shown to be better than 2 (difference in test accuracy -0.006, p = .374), on "
                "this task instance.");
    static const double chance[5] = {.06, .0625, .065, .0625, .0625}, one[5] = {1, 1, 1, 1, 1};
    s = sketch_new();
    s.in.decays = true;
    add(&s, 1, .06, 5, chance);
    add(&s, 4, .06, 5, chance);
    expect_sentence(&s, 0,
                    "At chance after 1500 steps: no head count is shown to be better than guessing "
                    "(test accuracy 0.0625; the best mean is 0.0625, with 1 head), on this task "
                    "instance; there is nothing to compare.");
    s = sketch_new();
    s.in.decays = true;
    add(&s, 1, 1, 5, one);
    add(&s, 4, 1, 5, one);
    expect_sentence(&s, 0,
                    "All equal after 1500 steps: each of 10 trials, at every one of 2 head counts, "
                    "has a test accuracy of 1.000, on this task instance.");
}

TEST(a_finding_may_hold_after_more_steps)
{
    struct sketch s = middle();
    add_later(&s, 0, 5, slow);
    add_later(&s, 1, 5, good);
    add_later(&s, 2, 5, low);
    struct verdict *v = judge_sketch(&s);
    assert_each(v->longer == LONGER_HOLDS, v->gains == 3, v->gain[0].heads == 1);
    assert_near(v->gain[0].pair.mean, .196);
    assert_near(v->later[0].pair.mean, .086);
    assert_near(v->later[1].pair.mean, .282);
    assert_each(v->later[0].heads == 1, v->later[0].outcome == RIVAL_BEATEN);
    verdict_free(v);
    expect_with(
        &s, "wins",
        "Exploratory finding, a middle head count wins after 1500 steps and after 6000: 4 heads "
        "are better than both 1 (difference in test accuracy +0.282, p < .0001) and 16 (+0.712, p "
        "< .0001), the smallest and the largest head count tried, on this task instance.");
    expect_with(&s, "instead",
                "With 6000 steps instead, test accuracy changes with 1 head by +0.196, 95% "
                "interval +0.185 to +0.207, over 5 seeds; with 4 heads by 0, over 5 seeds; with 16 "
                "heads by +0.430, 95% interval +0.398 to +0.462, over 5 seeds. There 4 heads "
                "against 1: +0.086, 95% interval +0.072 to +0.100, over 5 seeds, p < .0001; "
                "against 16: +0.282, 95% interval +0.266 to +0.298, over 5 seeds, p < .0001.");
    expect_with(&s, "were not tested",
                "Other head counts, task instances and tasks were not tested.");
    later.sweep = "budget"; /* two seeds of five tell what they gain, and not what holds */
    later_heads[0].n = later_heads[1].n = later_heads[2].n = 2;
    expect_with(&s, "instead",
                "With 6000 steps instead (sweep budget), test accuracy changes with 1 head by "
                "+0.195, 95% interval +0.131 to +0.259, over 2 seeds; with 4 heads by 0, over 2 "
                "seeds; with 16 heads by +0.435, 95% interval +0.244 to +0.626, over 2 seeds. "
                "There 4 heads against 1: +0.090, over 2 seeds, p = .5; against 16: +0.285, 95% "
                "interval +0.221 to +0.349, over 2 seeds, p = .0112.");
    expect_with(
        &s, "wins",
        "Exploratory finding, a middle head count wins after 1500 steps: 4 heads are better than "
        "both 1 (difference in test accuracy +0.282, p < .0001) and 16 (+0.712, p < .0001), the "
        "smallest and the largest head count tried, on this task instance.");
    later_heads[0].n = later_heads[2].n = 5;
    later_heads[1].n = 4;
    v = judge_sketch(&s);
    assert_each(v->longer == LONGER_UNTESTED, v->gains == 3);
    verdict_free(v);
}

TEST(a_claim_may_not_hold_after_more_steps)
{
    struct sketch s = middle();
    claim(&s, 4, 1, 16);
    add_later(&s, 0, 5, equal);
    add_later(&s, 1, 5, good);
    add_later(&s, 2, 5, poor);
    expect_with(&s, "Claim",
                "Claim confirmed after 1500 steps, not shown after 6000: 4 heads are better than 1 "
                "(difference in test accuracy +0.282, p < .0001) and 16 (+0.712, p < .0001), as "
                "predicted before the first trial, on this task instance.");
    struct verdict *v = judge_sketch(&s);
    assert_each(v->kind == VERDICT_CLAIM_CONFIRMED, v->longer == LONGER_FAILS);
    assert_each(v->later[0].outcome == RIVAL_NOT_BEATEN, v->later[1].outcome == RIVAL_BEATEN);
    verdict_free(v);
}

/* Nor where a rival chose an edge of what it tried there. */
TEST(edges_count_there_too)
{
    struct verdict_axis axis = {.path = "train.lr", .edge = GRID_LARGEST};
    const struct verdict_choice choice = {.heads = 16, .axes = 1, .axis = &axis};
    struct sketch s = middle();
    add_later(&s, 0, 5, slow);
    add_later(&s, 1, 5, good);
    add_later(&s, 2, 5, low);
    later.choices = 1;
    later.choice = &choice;
    expect_with(&s, "wins",
                "Exploratory finding, a middle head count wins after 1500 steps, not shown after "
                "6000: 4 heads are better than both 1 (difference in test accuracy +0.282, p < "
                ".0001) and 16 (+0.712, p < .0001), the smallest and the largest head count tried, "
                "on this task instance.");
    char *said = sentence_with(&s, "instead");
    assert_non_null(strstr(said, "p < .0001, at an edge of what 16 tried there."));
    free(said);
    axis.edge = GRID_INNER;
    struct verdict *v = judge_sketch(&s);
    assert_true(v->longer == LONGER_HOLDS);
    verdict_free(v);
}

/* A contradiction holds where each rival that was better still is. */
TEST(a_contradiction)
{
    struct sketch s = middle();
    claim(&s, 1, 4, 16);
    add_later(&s, 0, 5, slow);
    add_later(&s, 1, 5, good);
    add_later(&s, 2, 5, poor);
    struct verdict *v = judge_sketch(&s);
    assert_each(v->kind == VERDICT_CLAIM_CONTRADICTED, v->longer == LONGER_HOLDS);
    verdict_free(v);
    add_later(&s, 0, 5, good);
    v = judge_sketch(&s);
    assert_each(v->kind == VERDICT_CLAIM_CONTRADICTED, v->longer == LONGER_FAILS);
    verdict_free(v);
    add_later(&s, 0, 5, low); /* now the other one is better */
    add_later(&s, 1, 5, poor);
    add_later(&s, 2, 5, good);
    v = judge_sketch(&s);
    assert_each(v->later[0].outcome == RIVAL_BEATEN, v->later[1].outcome == RIVAL_BETTER);
    assert_each(v->kind == VERDICT_CLAIM_CONTRADICTED, v->longer == LONGER_FAILS);
    verdict_free(v);
}

/* Where nothing is said to be better, what the edges gain is all. */
TEST(without_a_winner)
{
    struct sketch s = sketch_new();
    add(&s, 1, .99, 5, good);
    add(&s, 4, .97, 5, fair);
    add(&s, 8, .70, 5, low);
    add_later(&s, 0, 5, good);
    add_later(&s, 2, 5, slow);
    expect_with(
        &s, "No middle",
        "No middle head count wins: 1 head, the smallest head count tried, is the fewest within "
        "0.005 of the best validation accuracy, within 1500 steps, on this task instance.");
    expect_with(
        &s, "instead",
        "With 6000 steps instead, test accuracy changes with 1 head by 0, over 5 seeds; with "
        "8 heads by +0.196, 95% interval +0.185 to +0.207, over 5 seeds.");
}

TEST(as_a_loss)
{
    static const double many[5] = {2.70, 2.72, 2.69, 2.71, 2.73}, few[5] = {1.9, 2, 1.98, 2, 1.99},
                        most[5] = {2.28, 2.27, 2.30, 2.26, 2.29};
    struct sketch s = sketch_new();
    s.in.loss = true;
    s.in.guess_loss = 5;
    add(&s, 1, 2.7, 5, many);
    add(&s, 4, 1.9, 5, few);
    add(&s, 16, 2.7, 5, many);
    add_later(&s, 0, 5, most);
    add_later(&s, 1, 5, few);
    add_later(&s, 2, 5, many);
    struct verdict *v = judge_sketch(&s);
    assert_each(v->kind == VERDICT_MIDDLE, v->longer == LONGER_HOLDS);
    verdict_free(v);
    expect_with(&s, "instead",
                "With 6000 steps instead, test loss (less is better) changes with 1 head by "
                "-0.430, 95% interval -0.462 to -0.398, over 5 seeds; with 4 heads by 0, over 5 "
                "seeds; with 16 heads by 0, over 5 seeds. There 4 heads against 1: -0.306, 95% "
                "interval -0.365 to -0.247, over 5 seeds, p = .000138; against 16: -0.736, 95% "
                "interval -0.783 to -0.689, over 5 seeds, p < .0001.");
    add_later(&s, 2, 5, few);
    v = judge_sketch(&s);
    assert_true(v->longer == LONGER_FAILS);
    verdict_free(v);
}

/* Nothing is said unless all that the finding names can be compared. */
TEST(too_little_is_known)
{
    struct sketch s = middle();
    add_later(&s, 0, 5, slow);
    add_later(&s, 1, 5, good);
    expect_with(&s, "instead", NULL);
    add_later(&s, 2, 1, poor);
    expect_with(&s, "instead", NULL);
    add_later(&s, 2, 5, poor);
    later_trial[2][4].limited = true;
    expect_with(&s, "instead", NULL);
    claim(&s, 4, 1, 32); /* not in the plan */
    later_trial[2][4].limited = false;
    expect_with(&s, "instead", NULL);
    s.in.claim_best = 32;
    expect_with(&s, "instead", NULL);
    for (int k = 0; k < 5; k++)
        later_trial[2][k].seed = k + 10;
    s.in.claim_best = 4;
    s.over[1] = 16;
    struct verdict *v = judge_sketch(&s);
    assert_each(v->longer == LONGER_UNTESTED, v->kind == VERDICT_CLAIM_CONFIRMED);
    verdict_free(v);
}

/* A trial that diverged counts as a guess here too. */
TEST(bad_ones_are_guesses)
{
    static const double wild[5] = {.9, -1, .9, .9, .9};
    struct sketch s = middle();
    add_later(&s, 0, 5, wild);
    add_later(&s, 1, 5, good);
    add_later(&s, 2, 5, poor);
    struct verdict *v = judge_sketch(&s);
    assert_near(v->gain[0].pair.mean, (.9 * 4 + .0625) / 5 - .71);
    verdict_free(v);
}

/* Guesses that are better than what others have come to show nothing here either. */
TEST(guesses_confirm_nothing)
{
    static const double wild[5] = {-1, -1, -1, -1, -1}, worse[5] = {.01, .02, .01, 0, .01};
    struct sketch s = middle();
    add_later(&s, 0, 5, worse);
    add_later(&s, 1, 5, wild);
    add_later(&s, 2, 5, worse);
    struct verdict *v = judge_sketch(&s);
    assert_each(v->kind == VERDICT_MIDDLE, v->longer == LONGER_FAILS);
    assert_string_equal(rival_outcome_name(v->later[0].outcome), "not_shown");
    verdict_free(v);
}
