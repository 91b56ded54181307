/* What the verdict decides and the numbers behind it, from SciPy where they are not by hand. */
#include "verdict_help.h"

static void assert_near(double actual, double expected)
{
    if (!(fabs(actual - expected) <= 1e-12 + 1e-6 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", actual, expected);
}

static void assert_kind(struct sketch *s, enum verdict_kind kind)
{
    struct verdict *v = judge_sketch(s);
    assert_string_equal(verdict_kind_name(v->kind), verdict_kind_name(kind));
    verdict_free(v);
}

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
    s.trial[2][0].exact = .5;
    s.trial[2][2].exact = .9;
    struct verdict *v = judge_sketch(&s);
    assert_int_equal(v->kind, VERDICT_UNTESTED); /* the largest has no results */
    assert_true(v->candidate == 4 && v->best == 4 && v->interior == 3 && v->finished == 4);
    assert_true(v->smallest == 1 && v->largest == 32);
    assert_near(v->alpha, .05 / 3);
    assert_int_equal(v->rivals, 2);
    assert_int_equal(v->rival[0].outcome, RIVAL_BEATEN);
    assert_int_equal(v->rival[1].outcome, RIVAL_UNTESTED);
    assert_int_equal(v->rival[1].unpaired, 5);
    const struct verdict_row *r = v->row;
    assert_near(r[2].test.mean, (.99 + .0625 + .98 + 1 + .99) / 5);
    assert_near(r[2].completed_mean, .99);
    assert_near(r[2].val_mean, (4 * .99 + .0625) / 5);
    assert_near(r[2].exact_mean, .7);
    assert_true(isnan(r[1].exact_mean) && isnan(r[1].late_gain) && !r[1].improving);
    assert_true(r[2].test.n == 5 && r[2].trials == 5 && r[2].bad == 1 && r[2].test.min == .0625);
    assert_true(r[1].solved == 4 && fabs(r[1].solved_low - .28358) < 1e-5 &&
                fabs(r[1].solved_high - .99495) < 1e-5);
    assert_true(r[0].solved == 0 && r[0].solved_low == 0);
    assert_true(r[0].above_chance && r[1].above_chance && !r[4].above_chance);
    assert_true(isnan(r[1].best_p) && r[1].among_best && !r[0].among_best && r[2].among_best);
    assert_near(r[0].best_p, 1.6404653331167734e-06); /* three comparisons: one-sided p times 3 */
    assert_near(r[3].best_p, 0.5608514494500882);
    assert_true(r[4].test.n == 0 && !r[4].among_best && !r[4].in_plateau);
    assert_true(isnan(r[4].solved_low));
    assert_true(v->smallest_among_best == 4 && v->plateau_low == 4 && v->plateau_high == 16);
    assert_int_equal(v->plateau_holes, 0);
    verdict_free(v);
}

/* Validation picks the best; a head count that does better on test stays in the set. */
static void test_better_than_best(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .98, 5, good);
    add(&s, 2, .99, 5, low);
    add(&s, 4, .97, 5, poor);
    struct verdict *v = judge_sketch(&s);
    assert_int_equal(v->best, 2);
    assert_true(v->row[0].among_best && v->row[0].best_p == 1);
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
    assert_near(v->rival[0].pair.mean, ((.6 - .1) + (.9 - .2)) / 2);
    assert_int_equal(v->rival[0].unpaired, 3);
    verdict_free(v);
}

/* The fewest heads within the tolerance, rounding or not. */
static void test_tolerances(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .96, 5, low);
    add(&s, 2, .975, 5, fair);
    add(&s, 4, .985, 5, fair);
    add(&s, 8, .99, 5, good);
    add(&s, 16, .98, 5, low);
    struct verdict *v = judge_sketch(&s);
    assert_true(v->candidate == 4);
    assert_true(v->candidate_at[0] == 8 && v->candidate_at[1] == 4 && v->candidate_at[2] == 2);
    verdict_free(v);
}

/* Any rival may contradict a claim, so each is held against alpha / rivals; to confirm it takes
 * them all. */
static void test_contradiction(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 2, .5, 5, (const double[]){.50, .52, .51, .53, .50});
    add(&s, 4, .5, 5, (const double[]){.51, .53, .53, .53, .51}); /* better, p = .0341 */
    add(&s, 8, .5, 5, poor);
    claim(&s, 2, 4, 0);
    assert_kind(&s, VERDICT_CLAIM_CONTRADICTED);
    claim(&s, 2, 8, 0);
    struct verdict *v = judge_sketch(&s);
    assert_near(v->rival[0].p, 0.03410942316740962);
    assert_int_equal(v->rival[0].outcome, RIVAL_NOT_BEATEN);
    assert_int_equal(v->rival[1].outcome, RIVAL_BEATEN);
    assert_int_equal(v->kind, VERDICT_CLAIM_NOT_CONFIRMED);
    verdict_free(v);
}

/* Only a claim that was first is judged as one. */
static void test_proof(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 16, .28, 5, poor);
    claim(&s, 4, 1, 16);
    for (int status = PROOF_FIRST; status <= PROOF_PLAN_CHANGED; status++) {
        s.in.proof.status = (enum verdict_proof_status)status;
        struct verdict *v = judge_sketch(&s);
        bool first = status == PROOF_FIRST;
        assert_int_equal(v->kind, first ? VERDICT_CLAIM_CONFIRMED : VERDICT_MIDDLE);
        assert_true(v->prediction == first && v->decided);
        assert_int_equal(v->proof.status, status);
        verdict_free(v);
    }
}

/* .05 is shared by the looks, and only findings end them. */
static void test_looks(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 2, .98, 5, fair);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .28, 5, poor);
    s.in.looks = 3;
    s.in.look = 1;
    struct verdict *v = judge_sketch(&s);
    assert_near(v->alpha, .05 / 3 / 2);
    assert_near(v->level, 1 - .05 / 3);
    assert_true(v->decided && v->looks == 3 && v->look == 1);
    verdict_free(v);
    s.in.planned++; /* not all of this look has ended */
    v = judge_sketch(&s);
    assert_true(v->kind == VERDICT_MIDDLE && !v->decided);
    verdict_free(v);
    s.in.planned--;
    claim(&s, 4, 1, 2);
    v = judge_sketch(&s);
    assert_near(v->alpha, .05 / 3);
    assert_true(v->kind == VERDICT_CLAIM_NOT_CONFIRMED && !v->decided);
    verdict_free(v);
    s.in.claim_over_count = 1;
    v = judge_sketch(&s);
    assert_true(v->kind == VERDICT_CLAIM_CONFIRMED && v->decided);
    verdict_free(v);
    s.in.claim_best = 8;
    v = judge_sketch(&s);
    assert_true(v->kind == VERDICT_CLAIM_CONTRADICTED && v->decided);
    verdict_free(v);
}

static const double faint[5] = {.07, .08, .075, .09, .085},
                    guesses[5] = {.063, .064, .062, .06, .07};

static void test_at_chance(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .06, 5, faint);
    add(&s, 2, .06, 5, guesses);
    struct verdict *v = judge_sketch(&s);
    assert_int_equal(v->kind, VERDICT_AT_CHANCE);
    assert_near(v->row[0].chance_p, 2 * 0.0505957536091473); /* above .0725, after Holm */
    assert_near(v->row[1].chance_p, 0.99665676288549);
    assert_true(!v->row[0].above_chance && v->candidate == 0 && v->best == 0 && v->rivals == 0);
    assert_true(v->plateau_low == 0 && v->sentences == 1 && v->lead == 1);
    verdict_free(v);
    s.trial[0][1].test = .085; /* less spread: shown to be above */
    s.trial[0][0].test = .082;
    s.trial[0][2].test = .088;
    v = judge_sketch(&s);
    assert_true(v->kind != VERDICT_AT_CHANCE && v->row[0].above_chance && !v->row[1].above_chance);
    verdict_free(v);
    s.in.test_targets = 400; /* four standard errors of so few cases are .0484 */
    assert_kind(&s, VERDICT_AT_CHANCE);
    s.in.test_targets = 0;
    s.in.chance = NAN; /* unknown: nothing can be said about it */
    v = judge_sketch(&s);
    assert_true(v->kind == VERDICT_EDGE && isnan(v->row[0].chance_p) && !v->row[0].above_chance);
    verdict_free(v);
}

/* One trial that got away is proof, whatever the others drag the mean down to. */
static void test_one_trial_above_chance(void **state)
{
    (void)state;
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

static void test_all_equal(void **state)
{
    (void)state;
    const double ones[5] = {1, 1, 1, 1, 1};
    struct sketch s = sketch_new();
    add(&s, 1, .98, 5, ones);
    add(&s, 2, .99, 5, ones);
    struct verdict *v = judge_sketch(&s);
    assert_true(v->kind == VERDICT_ALL_EQUAL && v->candidate == 0 && v->rivals == 0);
    assert_true(v->plateau_low == 1 && v->plateau_high == 2);
    verdict_free(v);
    s.trial[0][4].test = .999;
    assert_kind(&s, VERDICT_EDGE);
    s.heads[0].n = 0; /* one head count is nothing to be equal to */
    assert_kind(&s, VERDICT_EDGE);
}

static void test_improving(void **state)
{
    (void)state;
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
    assert_true(v->row[0].improving && !v->row[1].improving && !v->row[2].improving);
    assert_near(v->row[0].late_gain, 0.0182);
    assert_near(v->row[0].late_low, 0.005077074129165046);
    assert_near(v->row[0].late_high, 0.031322925870834954);
    verdict_free(v);
    s.trial[0][4].late_slope = -.006; /* alone p = .025; one of three head counts needs .05 / 3 */
    v = judge_sketch(&s);
    assert_true(v->row[0].late_gain > .002 && !v->row[0].improving);
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
static void test_limited(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 2, .98, 5, fair);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .995, 5, good);
    s.trial[3][1].limited = true;
    struct verdict *v = judge_sketch(&s);
    assert_true(v->kind == VERDICT_EDGE && v->candidate == 4 && v->best == 4);
    assert_true(v->largest == 4 && v->interior == 1 && v->finished == 3);
    const struct verdict_row *r = &v->row[3];
    assert_true(r->limited == 1 && r->trials == 4 && r->bad == 0 && r->test.n == 4);
    assert_true(!r->among_best && !r->in_plateau && isnan(r->best_p) && isnan(r->chance_p));
    verdict_free(v);
    s.trial[3][1].bad = true; /* its attempt failed: still no guess */
    v = judge_sketch(&s);
    assert_true(v->row[3].bad == 0 && v->row[3].limited == 1 && v->row[3].test.n == 4);
    verdict_free(v);
}

static void test_limited_claim(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 4, .99, 5, good);
    add(&s, 8, .99, 5, good);
    claim(&s, 4, 1, 8);
    s.trial[2][1].limited = true;
    struct verdict *v = judge_sketch(&s);
    assert_true(v->kind == VERDICT_CLAIM_UNDECIDED && !v->decided);
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
}

/* Against every other head count, not only the best; the multipliers of three are 2, 2, 1. */
static void test_plateau(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 2, .99, 5, good);
    add(&s, 4, .98, 5, fair);
    s.in.equivalence = .05;
    struct verdict *v = judge_sketch(&s);
    const struct verdict_row *r = v->row;
    assert_true(v->plateau_low == 2 && v->plateau_high == 4 && v->plateau_margin == .05);
    assert_near(r[0].plateau_p, 0.9999988079336343);
    assert_near(r[1].plateau_p, 0.0007336304916229932);
    assert_near(r[2].plateau_p, 0.0018405080271156036);
    assert_true(isnan(r[1].equivalent_p) && !r[1].equivalent && r[1].in_plateau);
    assert_true(r[2].equivalent && r[2].in_plateau && !r[0].in_plateau && !r[0].equivalent);
    assert_near(r[2].equivalent_p, 0.0018405080271156036);
    verdict_free(v);
    struct sketch two = sketch_new(); /* two head counts: plain two one-sided tests */
    add(&two, 2, .99, 5, good);
    add(&two, 4, .98, 5, fair);
    two.in.equivalence = .02;
    v = judge_sketch(&two);
    assert_near(v->row[0].plateau_p, 0.006158676235120204);
    assert_near(v->row[1].plateau_p, 0.03997982327279099);
    assert_near(v->row[1].equivalent_p, 0.03997982327279099);
    assert_true(v->row[1].equivalent && v->plateau_high == 4);
    verdict_free(v);
    two.in.looks = 2; /* .04 is not below .025 */
    v = judge_sketch(&two);
    assert_true(!v->row[1].equivalent && v->plateau_high == 2);
    verdict_free(v);
    two.in.looks = 0;
    two.in.equivalence = .018;
    v = judge_sketch(&two);
    assert_true(!v->row[1].equivalent && !v->row[1].in_plateau && v->row[1].among_best);
    verdict_free(v);
}

/* A best that was picked by luck vouches for nobody: what is far from the truly best one stays out,
 * however close to the picked one. */
static void test_plateau_of_the_picked(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .99, 5, (const double[]){.930, .931, .930, .932, .931});
    add(&s, 2, .98, 5, (const double[]){.931, .930, .932, .930, .931});
    add(&s, 4, .97, 5, (const double[]){.960, .962, .961, .960, .961});
    s.in.equivalence = .01;
    struct verdict *v = judge_sketch(&s);
    assert_true(v->best == 1 && v->row[0].in_plateau && !v->row[1].in_plateau);
    assert_true(v->row[2].in_plateau && !v->row[2].equivalent && v->plateau_holes == 1);
    verdict_free(v);
}

/* Three instances with 2, 1 and 3 seeds in common. */
static void test_replicates(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .5, 7, (const double[]){.70, .72, .60, .99, .80, .82, .84});
    add(&s, 4, .6, 6, (const double[]){.80, .81, .75, .83, .85, .89});
    const int unit[7] = {0, 0, 1, 1, 2, 2, 2}, seed[7] = {0, 1, 0, 5, 0, 1, 2};
    for (int k = 0; k < 7; k++) {
        s.trial[0][k].unit = unit[k];
        s.trial[0][k].seed = seed[k];
        int other = k < 3 ? k : k + 1; /* without seed 5 of instance 1 */
        s.trial[1][k].unit = k < 6 ? unit[other] : 0;
        s.trial[1][k].seed = k < 6 ? seed[other] : 0;
    }
    s.in.replicated = "task.instance";
    claim(&s, 4, 1, 0);
    struct verdict *v = judge_sketch(&s);
    const struct verdict_rival *r = v->rival;
    assert_true(r->pair.n == 3 && r->seed_pairs == 6 && r->unpaired == 1 && v->units == 3);
    assert_string_equal(v->unit, "task instance");
    assert_near(r->pair.mean, 0.09388888888888892);
    assert_near(r->pair.low, -0.04689920855688058);
    assert_near(r->pair.high, 0.23467698633465844);
    assert_near(r->p, 0.10302849829567343);
    assert_near(r->sd_between, 0.053823505060240216);
    assert_near(r->sd_within, 0.01027402333828166);
    assert_near(r->pair.sign_flip_p, .25);  /* signs of three instances, not of six seeds */
    const struct verdict_row *row = v->row; /* means of instance means */
    assert_near(row[0].test.mean, (.71 + (.60 + .99) / 2 + .82) / 3);
    assert_true(row[0].test.n == 3 && row[0].trials == 7 && row[0].solved == 1);
    assert_true(isnan(row[0].solved_low)); /* trials of one instance are not independent */
    verdict_free(v);
    s.in.replicated = NULL;
    for (int k = 0; k < 7; k++)
        s.trial[0][k].seed = s.trial[1][k].seed = k;
    v = judge_sketch(&s);
    assert_true(v->rival->pair.n == 6 && isnan(v->rival->sd_between) && v->units == 0);
    verdict_free(v);
}

/* The verdict on losses is the mirror image of the one on accuracies. */
static void test_loss_mirrors(void **state)
{
    (void)state;
    struct sketch a = sketch_new();
    a.in.chance = NAN;
    add(&a, 1, .70, 5, low);
    add(&a, 2, .985, 5, fair);
    add(&a, 4, .989, 5, good);
    add(&a, 8, .28, 5, poor);
    a.in.equivalence = .03;
    struct sketch b = a;
    b.in.loss = true;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 5; k++) {
            b.trial[i][k].test = 1 - b.trial[i][k].test;
            b.trial[i][k].val = 1 - b.trial[i][k].val;
        }
    for (int claimed = 0; claimed < 3; claimed++) {
        if (claimed) {
            a.in.claim_over_count = b.in.claim_over_count = 0;
            claim(&a, claimed == 1 ? 2 : 1, 1 + 3 * (claimed == 2), 8);
            claim(&b, claimed == 1 ? 2 : 1, 1 + 3 * (claimed == 2), 8);
        }
        struct verdict *v = judge_sketch(&a), *w = judge_sketch(&b);
        assert_true(v->kind == w->kind && v->candidate == w->candidate && v->best == w->best);
        assert_true(v->plateau_low == w->plateau_low && v->plateau_high == w->plateau_high);
        for (int i = 0; i < 4; i++) {
            assert_true(v->row[i].among_best == w->row[i].among_best);
            assert_true(v->row[i].equivalent == w->row[i].equivalent);
            assert_true(v->row[i].in_plateau == w->row[i].in_plateau);
            assert_true(w->row[i].solved == 0 && isnan(w->row[i].solved_low));
        }
        for (int i = 0; i < v->rivals; i++) {
            assert_true(v->rival[i].outcome == w->rival[i].outcome);
            assert_near(w->rival[i].pair.mean, -v->rival[i].pair.mean);
            assert_near(w->rival[i].p, v->rival[i].p);
            assert_true(v->rival[i].pair.wins == w->rival[i].pair.wins);
        }
        verdict_free(v);
        verdict_free(w);
    }
}

/* A trial that diverged has the loss of a guess. */
static void test_bad_loss(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    s.in.loss = true;
    add(&s, 1, 1, 3, (const double[]){1, 1.2, -1});
    struct verdict *v = judge_sketch(&s);
    assert_near(v->guess, log(16));
    assert_near(v->row[0].test.mean, (2.2 + log(16)) / 3);
    assert_near(v->row[0].completed_mean, 1.1);
    verdict_free(v);
}

static void test_medians(void **state)
{
    (void)state;
    struct sketch s = sketch_new();
    add(&s, 1, .5, 6, (const double[]){.42, 1, .99, .40, 1, .98});
    add(&s, 2, .5, 5, (const double[]){.5, .59, .68, .77, .86}); /* spread, but no clusters */
    struct verdict *v = judge_sketch(&s);
    const struct verdict_row *r = v->row;
    assert_true(r[0].median_low == .40 && r[0].median_high == 1 && r[0].bimodal);
    assert_true(r[0].clusters[0].n == 2 && r[0].clusters[0].low == .40);
    assert_true(r[0].clusters[0].high == .42 && r[0].clusters[1].n == 4);
    assert_true(r[0].clusters[1].low == .98 && r[0].clusters[1].high == 1);
    assert_true(isnan(r[1].median_low) && !r[1].bimodal);
    verdict_free(v);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(verdict_kind_name(VERDICT_AT_CHANCE), "at_chance");
    assert_string_equal(verdict_kind_name(VERDICT_UNFINISHED), "unfinished");
    assert_string_equal(rival_outcome_name(RIVAL_BEATEN), "better");
    assert_string_equal(rival_outcome_name(RIVAL_UNFINISHED), "unfinished");
    assert_string_equal(verdict_proof_name(PROOF_LATE), "late");
    assert_string_equal(verdict_proof_name(PROOF_PLAN_CHANGED), "plan_changed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_better_than_best),
        cmocka_unit_test(test_pairs_by_seed),
        cmocka_unit_test(test_tolerances),
        cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_proof),
        cmocka_unit_test(test_looks),
        cmocka_unit_test(test_at_chance),
        cmocka_unit_test(test_one_trial_above_chance),
        cmocka_unit_test(test_all_equal),
        cmocka_unit_test(test_improving),
        cmocka_unit_test(test_limited),
        cmocka_unit_test(test_limited_claim),
        cmocka_unit_test(test_plateau),
        cmocka_unit_test(test_plateau_of_the_picked),
        cmocka_unit_test(test_replicates),
        cmocka_unit_test(test_loss_mirrors),
        cmocka_unit_test(test_bad_loss),
        cmocka_unit_test(test_medians),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
