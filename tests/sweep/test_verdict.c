/* What the verdict decides and the numbers behind it, from SciPy where they are not by hand. */
#include "verdict_help.h"

TEST(test_numbers)
{
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
    assert_each(v->candidate == 4, v->best == 4, v->interior == 3, v->finished == 4);
    assert_each(v->smallest == 1, v->largest == 32);
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
    assert_each(isnan(r[1].exact_mean), isnan(r[1].late_gain), !r[1].improving);
    assert_each(r[2].test.n == 5, r[2].trials == 5, r[2].bad == 1, r[2].test.min == .0625);
    assert_each(r[1].solved == 4, fabs(r[1].solved_low - .28358) < 1e-5,
                fabs(r[1].solved_high - .99495) < 1e-5);
    assert_each(r[0].solved == 0, r[0].solved_low == 0);
    assert_each(r[0].above_chance, r[1].above_chance, !r[4].above_chance);
    assert_each(r[1].best_p == 1, r[1].among_best, !r[0].among_best, r[2].among_best);
    assert_near(r[0].best_p, 1.6404653331167734e-06); /* three comparisons: one-sided p times 3 */
    assert_near(r[3].best_p, 0.5608514494500882);
    assert_each(r[4].test.n == 0, !r[4].among_best, !r[4].in_plateau);
    assert_true(isnan(r[4].solved_low));
    assert_each(v->smallest_among_best == 4, v->plateau_low == 4, v->plateau_high == 16);
    assert_int_equal(v->plateau_holes, 0);
    verdict_free(v);
}

/* Validation picks the best; a head count that does better on test stays in the set. */
TEST(test_better_than_best)
{
    struct sketch s = sketch_new();
    add(&s, 1, .98, 5, good);
    add(&s, 2, .99, 5, low);
    add(&s, 4, .97, 5, poor);
    struct verdict *v = judge_sketch(&s);
    assert_int_equal(v->best, 2);
    assert_each(v->row[0].among_best, v->row[0].best_p == 1);
    assert_true(!v->row[2].among_best);
    assert_int_equal(v->smallest_among_best, 1);
    assert_int_equal(v->kind, VERDICT_NOT_SIGNIFICANT);
    assert_int_equal(v->rival[0].outcome, RIVAL_BETTER);
    assert_int_equal(v->rival[1].outcome, RIVAL_BEATEN);
    verdict_free(v);
}

/* Which seeds are paired must not depend on the order in which head counts have them. */
TEST(test_pairs_by_seed)
{
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
TEST(test_tolerances)
{
    struct sketch s = sketch_new();
    add(&s, 1, .96, 5, low);
    add(&s, 2, .975, 5, fair);
    add(&s, 4, .985, 5, fair);
    add(&s, 8, .99, 5, good);
    add(&s, 16, .98, 5, low);
    struct verdict *v = judge_sketch(&s);
    assert_true(v->candidate == 4);
    assert_each(v->candidate_at[0] == 8, v->candidate_at[1] == 4, v->candidate_at[2] == 2);
    verdict_free(v);
    struct sketch exact = sketch_new(); /* .0102 - .005 is rounded to more than .0052 */
    exact.in.chance = NAN;
    add(&exact, 1, .0052, 2, low);
    add(&exact, 2, .0102, 2, good);
    v = judge_sketch(&exact);
    assert_true(v->candidate == 1);
    verdict_free(v);
}

/* Any rival may contradict a claim, so each is held against alpha / rivals; to confirm it takes
 * them all. */
TEST(test_contradiction)
{
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
TEST(test_proof)
{
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
        assert_each(v->prediction == first, v->decided);
        assert_int_equal(v->proof.status, status);
        verdict_free(v);
    }
}

/* .05 is shared by the looks, and only findings end them. */
TEST(test_looks)
{
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
    assert_each(v->decided, v->looks == 3, v->look == 1);
    verdict_free(v);
    s.in.planned++; /* not all of this look has ended */
    v = judge_sketch(&s);
    assert_each(v->kind == VERDICT_MIDDLE, !v->decided);
    verdict_free(v);
    s.in.planned--;
    claim(&s, 4, 1, 2);
    v = judge_sketch(&s);
    assert_near(v->alpha, .05 / 3);
    assert_each(v->kind == VERDICT_CLAIM_NOT_CONFIRMED, !v->decided);
    verdict_free(v);
    s.in.claim_over_count = 1;
    v = judge_sketch(&s);
    assert_each(v->kind == VERDICT_CLAIM_CONFIRMED, v->decided);
    verdict_free(v);
    s.in.claim_best = 8;
    v = judge_sketch(&s);
    assert_each(v->kind == VERDICT_CLAIM_CONTRADICTED, v->decided);
    verdict_free(v);
}

/* Against every other head count, not only the best; the multipliers of three are 2, 2, 1. */
TEST(test_plateau)
{
    struct sketch s = sketch_new();
    add(&s, 1, .70, 5, low);
    add(&s, 2, .99, 5, good);
    add(&s, 4, .98, 5, fair);
    s.in.equivalence = .05;
    struct verdict *v = judge_sketch(&s);
    const struct verdict_row *r = v->row;
    assert_each(v->plateau_low == 2, v->plateau_high == 4, v->plateau_margin == .05);
    assert_near(r[0].plateau_p, 0.9999988079336343);
    assert_near(r[1].plateau_p, 0.0007336304916229932);
    assert_near(r[2].plateau_p, 0.0018405080271156036);
    assert_each(isnan(r[1].equivalent_p), !r[1].equivalent, r[1].in_plateau);
    assert_each(r[2].equivalent, r[2].in_plateau, !r[0].in_plateau, !r[0].equivalent);
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
    assert_each(v->row[1].equivalent, v->plateau_high == 4);
    verdict_free(v);
    two.in.looks = 2; /* .04 is not below .025 */
    v = judge_sketch(&two);
    assert_each(!v->row[1].equivalent, v->row[0].in_plateau, !v->row[1].in_plateau);
    verdict_free(v);
    two.in.looks = 0;
    two.in.equivalence = .018;
    v = judge_sketch(&two);
    assert_each(!v->row[1].equivalent, !v->row[1].in_plateau, v->row[1].among_best);
    verdict_free(v);
}

/* A best that was picked by luck vouches for nobody, itself included: what is far from the truly
 * best one stays out. */
TEST(test_plateau_of_the_picked)
{
    struct sketch s = sketch_new();
    add(&s, 1, .99, 5, (const double[]){.930, .931, .930, .932, .931});
    add(&s, 2, .98, 5, (const double[]){.931, .930, .932, .930, .931});
    add(&s, 4, .97, 5, (const double[]){.960, .962, .961, .960, .961});
    s.in.equivalence = .01;
    struct verdict *v = judge_sketch(&s);
    assert_each(v->best == 1, !v->row[0].in_plateau, !v->row[1].in_plateau);
    assert_each(v->row[2].in_plateau, !v->row[2].equivalent, v->plateau_low == 4);
    verdict_free(v);
    s.in.equivalence = 0;
    v = judge_sketch(&s);
    assert_each(!v->row[0].among_best, !v->row[1].among_best, v->smallest_among_best == 4);
    verdict_free(v);
}

/* 1 beats 2 at the seeds that both have, 2 beats 4, and 4 beats 1. */
/* Who is at least as good at every seed is in a set that the other one is in. */
TEST(test_sets_by_values)
{
    const double ones[5] = {1, 1, 1, 1, 1}, near[5] = {.998, .997, .999, .998, .998},
                 far[5] = {.9, .91, .92, .9, .89};
    struct sketch s = sketch_new();
    s.in.equivalence = .01;
    add(&s, 1, 1, 5, ones);
    add(&s, 2, 1, 5, ones);
    add(&s, 4, 1, 5, near);
    add(&s, 8, .9, 5, far);
    struct verdict *v = judge_sketch(&s);
    assert_each(v->row[0].in_plateau, v->row[1].in_plateau, v->row[2].in_plateau,
                !v->row[3].in_plateau, v->row[0].plateau_by_values, !v->row[2].plateau_by_values,
                v->row[1].equivalent, v->row[0].plateau_p == v->row[2].plateau_p);
    verdict_free(v);
    expect_with(&s, "shown to be equivalent",
                "1, 2 and 4 heads are shown to be equivalent: each is within 0.01 "
                "of the best test accuracy, with 95% confidence.");
    expect_with(&s, "Holm 1979",
                "A head count is equivalent to the best if each comparison with another one shows "
                "that it is less than 0.01 worse (one-sided paired t test, p < .05, corrected for "
                "the number of head counts: Holm 1979); 1 and 2 as well, at least as good as such "
                "a one at every seed.");
    s.trial[0][3].test = .9979; /* worse at one seed */
    s.heads[1].n = 4;           /* not all of its seeds */
    v = judge_sketch(&s);
    assert_each(!v->row[0].plateau_by_values, !v->row[1].plateau_by_values);
    verdict_free(v);
    /* A steady small lag is seen where a wide one is not. */
    struct sketch steady = sketch_new();
    add(&steady, 1, 1, 5, ones);
    add(&steady, 2, .99, 5, (const double[]){.990, .991, .990, .989, .990});
    add(&steady, 4, .9, 5, (const double[]){.990, .5, .989, .6, .990});
    v = judge_sketch(&steady);
    assert_each(v->row[0].among_best, v->row[2].among_best, v->row[1].among_best,
                v->row[1].best_by_values, v->row[1].best_p == v->row[2].best_p);
    verdict_free(v);
    steady.trial[2][1].test = .992;
    v = judge_sketch(&steady);
    assert_each(!v->row[1].among_best, v->row[2].among_best, !v->row[1].best_by_values);
    verdict_free(v);
}

TEST(test_circle)
{
    struct sketch s = sketch_new();
    add(&s, 1, .98, 6, (const double[]){.60, .61, .60, .30, .31, .30});
    add(&s, 2, .97, 6, (const double[]){.50, .50, .51, .60, .61, .60});
    add(&s, 4, .96, 6, (const double[]){.40, .40, .41, .50, .51, .51});
    for (int k = 0; k < 6; k++) { /* pairs: 0 to 2, 3 to 5, 6 to 8 */
        s.trial[0][k].seed = k < 3 ? k : k + 3;
        s.trial[1][k].seed = k;
        s.trial[2][k].seed = k + 3;
    }
    struct verdict *v = judge_sketch(&s);
    for (int i = 0; i < 3; i++)
        assert_each(v->row[i].best_p < .05, v->row[i].among_best, v->row[i].in_plateau);
    verdict_free(v);
}

/* Three instances with 2, 1 and 3 seeds in common. */
TEST(test_replicates)
{
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
    assert_each(r->pair.n == 3, r->seed_pairs == 6, r->unpaired == 1, v->units == 3);
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
    assert_each(row[0].test.n == 3, row[0].trials == 7, row[0].solved == 1);
    assert_true(isnan(row[0].solved_low)); /* trials of one instance are not independent */
    verdict_free(v);
    s.in.replicated = NULL;
    for (int k = 0; k < 7; k++)
        s.trial[0][k].seed = s.trial[1][k].seed = k;
    v = judge_sketch(&s);
    assert_each(v->rival->pair.n == 6, isnan(v->rival->sd_between), v->units == 0);
    verdict_free(v);
}

/* The verdict on losses is the mirror image of the one on accuracies. */
TEST(test_loss_mirrors)
{
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
        assert_each(v->kind == w->kind, v->candidate == w->candidate, v->best == w->best);
        assert_each(v->plateau_low == w->plateau_low, v->plateau_high == w->plateau_high);
        for (int i = 0; i < 4; i++) {
            assert_true(v->row[i].among_best == w->row[i].among_best);
            assert_true(v->row[i].equivalent == w->row[i].equivalent);
            assert_true(v->row[i].in_plateau == w->row[i].in_plateau);
            assert_each(w->row[i].solved == 0, isnan(w->row[i].solved_low));
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

/* What cannot be compared is not shown to be anything. */
TEST(test_too_few)
{
    struct sketch s = sketch_new();
    add(&s, 1, .98, 5, fair);
    add(&s, 2, .99, 5, good);
    add(&s, 4, .97, 1, poor);
    s.in.equivalence = .1;
    struct verdict *v = judge_sketch(&s);
    assert_each(isnan(v->row[0].plateau_p), isnan(v->row[2].plateau_p));
    assert_each(!v->row[0].equivalent, !v->row[0].in_plateau, v->row[2].among_best);
    verdict_free(v);
    struct sketch unknown = sketch_new(); /* what a bad trial counts as is not known: no pair */
    unknown.in.chance = NAN;
    add(&unknown, 1, .70, 5, low);
    add(&unknown, 2, .99, 5, good);
    unknown.trial[1][2].bad = true;
    claim(&unknown, 2, 1, 0);
    v = judge_sketch(&unknown);
    assert_each(v->rival->pair.n == 4, v->rival->unpaired == 1);
    verdict_free(v);
}

/* Within looks everything is held against .05 / looks: here p is between that and .05. */
TEST(test_looks_bind_the_plateau)
{
    struct sketch s = sketch_new();
    add(&s, 1, .98, 5, (const double[]){.980, .970, .990, .985, .975});
    add(&s, 2, .99, 5, (const double[]){.985, .990, .990, .995, .985});
    struct verdict *v = judge_sketch(&s);
    assert_each(v->row[0].best_p<.05, v->row[0].best_p> .05 / 3, !v->row[0].among_best);
    verdict_free(v);
    s.in.looks = 3;
    v = judge_sketch(&s);
    assert_each(v->row[0].among_best, v->row[0].in_plateau);
    verdict_free(v);
}

TEST(test_names)
{
    assert_string_equal(verdict_kind_name(VERDICT_AT_CHANCE), "at_chance");
    assert_string_equal(verdict_kind_name(VERDICT_UNFINISHED), "unfinished");
    assert_string_equal(rival_outcome_name(RIVAL_BEATEN), "better");
    assert_string_equal(rival_outcome_name(RIVAL_UNFINISHED), "unfinished");
    assert_string_equal(verdict_proof_name(PROOF_LATE), "late");
    assert_string_equal(verdict_proof_name(PROOF_PLAN_CHANGED), "plan_changed");
}
