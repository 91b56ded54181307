/* What the verdict says of single head counts: whether they learned, still do, or did not finish.
 */
#include "verdict_help.h"

static const double faint[5] = {.07, .08, .075, .09, .085},
                    guesses[5] = {.063, .064, .062, .06, .07};
TEST(test_at_chance)
{
    struct sketch s = sketch_new();
    add(&s, 1, .06, 5, faint);
    add(&s, 2, .06, 5, guesses);
    struct verdict *v = judge_sketch(&s);
    assert_int_equal(v->kind, VERDICT_AT_CHANCE);
    assert_near(v->row[0].chance_p, 2 * 0.0505957536091473); /* above .0725, after Holm */
    assert_near(v->row[1].chance_p, 0.99665676288549);
    assert_each(!v->row[0].above_chance, v->candidate == 0, v->best == 0, v->rivals == 0);
    struct verdict_text text = words_of(&s, v);
    assert_each(v->plateau_low == 0, text.count == 1, text.headlines == 1);
    verdict_text_free(&text);
    verdict_free(v);
    s.trial[0][1].test = .085; /* less spread: shown to be above */
    s.trial[0][0].test = .082;
    s.trial[0][2].test = .088;
    v = judge_sketch(&s);
    assert_each(v->kind != VERDICT_AT_CHANCE, v->row[0].above_chance, !v->row[1].above_chance);
    verdict_free(v);
    s.in.test_targets = 400; /* four standard errors of so few cases are .0484 */
    assert_kind(&s, VERDICT_AT_CHANCE);
    s.in.test_targets = 0;
    s.in.chance = NAN; /* unknown: nothing can be said about it */
    v = judge_sketch(&s);
    assert_each(v->kind == VERDICT_EDGE, isnan(v->row[0].chance_p), !v->row[0].above_chance);
    verdict_free(v);
}

/* A test set of ten rows leaves 4 * .158 to luck, more than there is above guessing. */
TEST(test_few_test_rows)
{
    const double ones[5] = {1, 1, 1, 1, 1}, most[5] = {.7, .65, .7, .6, .7};
    struct sketch s = sketch_new();
    s.in.chance = .5;
    s.in.test_targets = 10;
    add(&s, 1, 1, 5, most);
    add(&s, 2, 1, 5, most);
    assert_kind(&s, VERDICT_AT_CHANCE);
    add(&s, 4, 1, 5, ones);
    struct verdict *v = judge_sketch(&s);
    assert_each(v->kind != VERDICT_AT_CHANCE, v->row[2].above_chance, !v->row[0].above_chance);
    verdict_free(v);
}

/* One trial that got away is proof, whatever the others drag the mean down to. */
TEST(test_one_trial_above_chance)
{
    struct sketch s = sketch_new();
    add(&s, 1, .06, 5, guesses);
    add(&s, 2, .06, 5, guesses);
    s.trial[1][3].test = .15; /* a tenth of the way from .0625 to 1 is .156 */
    assert_kind(&s, VERDICT_AT_CHANCE);
    s.trial[1][3].test = .16;
    assert_kind(&s, VERDICT_EDGE);
    s.trial[1][3].bad = true;
    assert_kind(&s, VERDICT_AT_CHANCE);
    struct sketch loss = sketch_new(); /* guessing is ln 16 = 2.77; a tenth of the way is 2.495 */
    loss.in.loss = true;
    add(&loss, 1, 2.7, 3, (const double[]){2.77, 2.9, 2.77});
    add(&loss, 2, 2.7, 3, (const double[]){2.77, 2.9, 2.50});
    assert_kind(&loss, VERDICT_AT_CHANCE);
    loss.trial[1][2].test = 2.49;
    assert_kind(&loss, VERDICT_EDGE);
}

TEST(test_all_equal)
{
    const double ones[5] = {1, 1, 1, 1, 1};
    struct sketch s = sketch_new();
    add(&s, 1, .98, 5, ones);
    add(&s, 2, .99, 5, ones);
    struct verdict *v = judge_sketch(&s);
    assert_each(v->kind == VERDICT_ALL_EQUAL, v->candidate == 0, v->rivals == 0);
    assert_each(v->plateau_low == 1, v->plateau_high == 2);
    verdict_free(v);
    s.trial[0][4].test = .999;
    assert_kind(&s, VERDICT_EDGE);
    s.heads[0].n = 0; /* one head count is nothing to be equal to */
    assert_kind(&s, VERDICT_EDGE);
}

TEST(test_improving)
{
    const double slope[5] = {.02, .021, .019, .03, .001};
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 2, .99, 5, good);
    add(&s, 4, .99, 5, good);
    for (int k = 0; k < 5; k++) {
        s.trial[0][k].late_slope = slope[k];
        s.trial[1][k].late_slope = .0019; /* sure, but nothing to speak of */
        s.trial[2][k].late_slope = k ? -.01 : .2;
    }
    struct verdict *v = judge_sketch(&s);
    assert_each(v->row[0].improving, !v->row[1].improving, !v->row[2].improving);
    assert_near(v->row[0].late_gain, 0.0182);
    assert_near(v->row[0].late_low, 0.005077074129165046);
    assert_near(v->row[0].late_high, 0.031322925870834954);
    verdict_free(v);
    s.trial[1][0].limited = s.trial[0][1].limited = true; /* not finished: no word about its end */
    v = judge_sketch(&s);
    assert_true(!v->row[0].improving);
    verdict_free(v);
    s.trial[1][0].limited = s.trial[0][1].limited = false;
    const double weak[5] = {.02, .02, .01, .01, -.006}; /* one-sided p = .035, one of two */
    for (int k = 0; k < 5; k++) {
        s.trial[0][k].late_slope = weak[k];
        s.trial[1][k].late_slope = k - 2.;
        s.trial[2][k].late_slope = NAN;
    }
    v = judge_sketch(&s);
    assert_each(v->row[0].late_gain > .01, !v->row[0].improving);
    verdict_free(v);
    s.in.loss = true; /* .01 of a loss is nothing to speak of */
    s.trial[0][0].late_slope = .001;
    for (int k = 0; k < 5; k++)
        s.trial[0][k].late_slope = .0099;
    v = judge_sketch(&s);
    assert_true(!v->row[0].improving);
    verdict_free(v);
}

/* One trial at a limit takes its head count out of everything. */
TEST(test_limited)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 2, .98, 5, fair);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .995, 5, good);
    s.trial[3][1].limited = true;
    struct verdict *v = judge_sketch(&s);
    assert_each(v->kind == VERDICT_EDGE, v->candidate == 4, v->best == 4);
    assert_each(v->largest == 4, v->interior == 1, v->finished == 3);
    const struct verdict_row *r = &v->row[3];
    assert_each(r->limited == 1, r->trials == 4, r->bad == 0, r->test.n == 4);
    assert_each(!r->among_best, !r->in_plateau, isnan(r->best_p), isnan(r->chance_p));
    verdict_free(v);
    s.in.count = 4;
    add(&s, 16, .99, 5, good); /* beyond it the plateau goes on: what did not finish is no hole */
    v = judge_sketch(&s);
    assert_each(v->plateau_high == 16, v->plateau_holes == 0);
    verdict_free(v);
    s.in.count = 4;
    s.trial[3][1].bad = true; /* its attempt failed: still no guess */
    v = judge_sketch(&s);
    assert_each(v->row[3].bad == 0, v->row[3].limited == 1, v->row[3].test.n == 4);
    verdict_free(v);
}

TEST(test_limited_claim)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .99, 5, good);
    claim(&s, 4, 1, 8);
    s.trial[2][1].limited = true;
    struct verdict *v = judge_sketch(&s);
    assert_each(v->kind == VERDICT_CLAIM_UNDECIDED, !v->decided);
    assert_int_equal(v->rival[0].outcome, RIVAL_BEATEN);
    assert_int_equal(v->rival[1].outcome, RIVAL_UNFINISHED);
    verdict_free(v);
    s.trial[2][1].limited = false;
    s.trial[1][1].limited = true; /* the claim's best */
    assert_kind(&s, VERDICT_CLAIM_UNDECIDED);
    s.trial[1][1].limited = false;
    s.trial[2][1].limited = true;
    s.in.claim_best = 1; /* one rival that did finish is better */
    s.over[0] = 4;
    assert_kind(&s, VERDICT_CLAIM_CONTRADICTED);
    for (int i = 0; i < 3; i++)
        s.trial[i][0].limited = true;
    assert_kind(&s, VERDICT_UNFINISHED);
    s.trial[0][0].limited = false; /* bad ones beside them do not make it a divergence */
    for (int k = 0; k < 5; k++)
        s.trial[0][k].bad = true;
    assert_kind(&s, VERDICT_UNFINISHED);
}

/* A trial that diverged has the loss of a guess. */
TEST(test_bad_loss)
{
    struct sketch s = sketch_new();
    s.in.loss = true;
    add(&s, 1, 1, 3, (const double[]){1, 1.2, -1});
    struct verdict *v = judge_sketch(&s);
    assert_near(v->guess, log(16));
    assert_near(v->row[0].test.mean, (2.2 + log(16)) / 3);
    assert_near(v->row[0].completed_mean, 1.1);
    assert_true(v->row[0].solved == 0);
    verdict_free(v);
}

/* Of trials that are mostly guesses nothing good is said: they are not picked, put nobody out of
 * the set that contains the best, and are not shown to be close to it. */
TEST(test_mostly_bad)
{
    const double lost[5] = {-1, -1, -1, -1, -1}, worse[5] = {3.1, 3, 3.2, 3.1, 3},
                 wild[5] = {1, 4, 1.2, 5, 1}, near[5] = {2.70, 2.71, 2.70, 2.69, 2.70};
    struct sketch s = sketch_new(), close = sketch_new();
    s.in.loss = close.in.loss = true;
    add(&s, 1, 3, 5, worse);
    add(&s, 4, 0, 5, lost);
    add(&s, 16, 1, 5, wild);
    struct verdict *v = judge_sketch(&s);
    assert_each(v->row[1].mostly_bad, !v->row[0].mostly_bad, v->row[0].among_best,
                v->row[1].among_best, v->row[0].best_p > .05);
    verdict_free(v);
    close.in.equivalence = .1;
    add(&close, 1, 0, 5, lost);
    add(&close, 2, 2.77, 5, near); /* the loss of guessing is within .005 */
    add(&close, 4, 3, 5, worse);
    v = judge_sketch(&close);
    assert_each(v->best == 2, v->candidate == 2, v->candidate_at[2] == 2, !v->row[0].in_plateau,
                v->row[1].in_plateau);
    assert_near(v->row[0].plateau_p, 1);
    verdict_free(v);
    close.trial[0][0].bad = close.trial[0][1].bad = close.trial[0][2].bad = false;
    for (int k = 0; k < 3; k++) /* two of five are not most */
        close.trial[0][k].test = close.trial[0][k].val = 2.771;
    v = judge_sketch(&close);
    assert_each(!v->row[0].mostly_bad, v->candidate == 1, v->row[0].in_plateau);
    verdict_free(v);
}

TEST(test_medians)
{
    struct sketch s = sketch_new();
    add(&s, 1, .5, 6, (const double[]){.42, 1, .99, .40, 1, .98});
    add(&s, 2, .5, 5, (const double[]){.5, .59, .68, .77, .86}); /* no gap of .1 */
    add(&s, 4, .5, 5, (const double[]){.1, .3, .5, .7, .9});     /* wide apart, but all of them */
    add(&s, 8, .5, 3, (const double[]){.1, .9, .9});             /* too few */
    struct verdict *v = judge_sketch(&s);
    const struct verdict_row *r = v->row;
    assert_each(r[0].median_low == .40, r[0].median_high == 1, r[0].bimodal);
    assert_each(r[0].clusters[0].n == 2, r[0].clusters[0].low == .40);
    assert_each(r[0].clusters[0].high == .42, r[0].clusters[1].n == 4);
    assert_each(r[0].clusters[1].low == .98, r[0].clusters[1].high == 1);
    assert_each(isnan(r[1].median_low), !r[1].bimodal, !r[2].bimodal, !r[3].bimodal);
    assert_each(r[0].apart, !r[1].apart, !r[2].apart, !r[3].apart);
    verdict_free(v);
}

/* A margin says which gaps matter: one trial of eight solves the task. */
TEST(test_apart)
{
    struct sketch s = sketch_new();
    add(&s, 1, .5, 8, (const double[]){.977, .978, .979, .977, .978, 1, .979, .977});
    add(&s, 2, .5, 4, (const double[]){.98, .981, .985, .98});
    for (int asked = 0; asked < 2; asked++) {
        s.in.equivalence = asked * .005;
        struct verdict *v = judge_sketch(&s);
        assert_each(v->row[0].apart == asked, !v->row[0].bimodal, !v->row[1].apart);
        if (asked)
            assert_each(v->row[0].clusters[0].n == 7, v->row[0].clusters[1].low == 1);
        verdict_free(v);
    }
    expect_with(
        &s, "two groups",
        "Trials fall into two groups with 1 head (7 trials at 0.977 to 0.979 and 1 at 1.000; "
        "median 0.978, 95% interval 0.977 to 1.000), and the mean describes neither.");
}
