/* What is picked to be confirmed, and what fresh trials then say of it: by themselves, at the full
 * alpha. */
#include "tests/sweep/confirm_help.h"

#define SAYS(b, sentence) expect_with(&(b).explored, "fresh seeds", sentence)

/* ---- what is picked ---- */

static void assert_pick(struct sketch *s, enum verdict_kind kind, int64_t best, int64_t over1,
                        int64_t over2)
{
    struct verdict *v = judge_sketch(s);
    struct verdict_pick pick = verdict_pick(&s->in, v);
    assert_string_equal(verdict_kind_name(pick.kind), verdict_kind_name(kind));
    assert_int_equal(pick.best, best);
    assert_int_equal(pick.over_count, (over1 != 0) + (over2 != 0));
    assert_int_equal(pick.over[0], over1);
    assert_int_equal(pick.over[1], over2);
    verdict_free(v);
}

/* One head count after the other, each with five trials; 0 ends them. */
struct row {
    int64_t heads;
    double val;
    const double *test;
};

static void pick_of(const struct row *row, enum verdict_kind kind, int64_t best, int64_t over1,
                    int64_t over2)
{
    struct sketch s = sketch_new();
    for (; row->heads; row++)
        add(&s, row->heads, row->val, 5, row->test);
    assert_pick(&s, kind, best, over1, over2);
}
#define PICK(kind, best, over1, over2, ...)                                                        \
    pick_of((const struct row[]){__VA_ARGS__, {0, 0, NULL}}, kind, best, over1, over2)

TEST(candidate_over_the_outermost)
{
    PICK(VERDICT_MIDDLE, 4, 1, 16, {1, .7, low}, {2, .8, fair}, {4, .99, good}, {16, .3, poor});
    /* The largest, over its neighbour as well; the smallest; one of two. */
    PICK(VERDICT_EDGE, 16, 1, 4, {1, .3, poor}, {4, .7, low}, {16, .99, good});
    PICK(VERDICT_EDGE, 1, 4, 16, {1, .99, good}, {4, .7, low}, {16, .3, poor});
    PICK(VERDICT_EDGE, 4, 1, 0, {1, .7, low}, {4, .99, good});
    /* A middle that is not shown to be better. */
    PICK(VERDICT_NOT_SIGNIFICANT, 4, 1, 16, {1, .97, fair}, {4, .99, good}, {16, .3, poor});
}

TEST(nothing_to_pick)
{
    static const double guess[5] = {.06, .07, .06, .05, .06};
    static const struct row none = {0, 0, NULL};
    pick_of(&none, VERDICT_NOTHING, 0, 0, 0);
    PICK(VERDICT_AT_CHANCE, 0, 0, 0, {1, .06, guess}, {4, .06, guess});
    PICK(VERDICT_SINGLE, 0, 0, 0, {4, .99, good});
    PICK(VERDICT_ALL_EQUAL, 0, 0, 0, {1, .5, flat}, {4, .5, flat}, {16, .5, flat});
    PICK(VERDICT_UNTRAINED, 0, 0, 0, {1, .5, broken}, {4, .5, broken});
}

/* One that did not finish is no rival; the next one is. */
TEST(unfinished_is_no_rival)
{
    struct both b = middle_found();
    b.explored.trial[3][2].limited = true;
    assert_pick(&b.explored, VERDICT_EDGE, 4, 1, 2);
    for (int i = 0; i < 4; i++)
        b.explored.trial[i][0].limited = true;
    assert_pick(&b.explored, VERDICT_UNFINISHED, 0, 0, 0);
}

/* What chose an edge of its grid cannot be called worse, whether the finding says so or not. */
TEST(no_rival_at_an_edge)
{
    struct both b = middle_found();
    TUNE(&b.explored, 1, "train.lr", 0, GRID_INNER, "0.001", "0.01");
    TUNE(&b.explored, 2, "train.lr", 0, GRID_SMALLEST, "0.001", "0.01");
    TUNE(&b.explored, 4, "train.lr", 1, GRID_LARGEST, "0.001", "0.01");
    TUNE(&b.explored, 16, "train.lr", 0, GRID_INNER, "0.001", "0.01");
    assert_pick(&b.explored, VERDICT_MIDDLE, 4, 1, 16);
    b.explored.axis[3][0].edge = GRID_LARGEST;
    assert_pick(&b.explored, VERDICT_RIVAL_AT_EDGE, 0, 0, 0);
    memcpy(&b.explored.trial[0], &b.explored.trial[2], sizeof b.explored.trial[0]);
    assert_pick(&b.explored, VERDICT_RIVAL_AT_EDGE, 0, 0, 0);
    b.explored.axis[1][0].edge = GRID_INNER; /* the largest alone */
    assert_pick(&b.explored, VERDICT_RIVAL_AT_EDGE, 0, 0, 0);
    b.explored.axis[1][0].edge = GRID_SMALLEST; /* the smallest alone */
    b.explored.axis[3][0].edge = GRID_INNER;
    assert_pick(&b.explored, VERDICT_RIVAL_AT_EDGE, 0, 0, 0);
    b.explored.axis[1][0].edge = GRID_INNER; /* only 4, which it is not held against */
    assert_pick(&b.explored, VERDICT_EDGE, 1, 2, 16);
}

/* It is no lack of a finding: more values may help. */
TEST(a_rival_at_an_edge_is_the_reason_that_nothing_is_confirmed)
{
    struct both b = middle_found();
    TUNE(&b.explored, 1, "train.lr", 0, GRID_INNER, "0.001", "0.01");
    TUNE(&b.explored, 2, "train.lr", 0, GRID_SMALLEST, "0.001", "0.01");
    TUNE(&b.explored, 4, "train.lr", 1, GRID_LARGEST, "0.001", "0.01");
    TUNE(&b.explored, 16, "train.lr", 0, GRID_SMALLEST, "0.001", "0.01");
    b.confirm.written = true;
    b.explored.in.confirm = &b.confirm;
    assert_kind(&b.explored, VERDICT_RIVAL_AT_EDGE); /* the finding says what helps */
    expect_with(&b.explored, "Nothing is confirmed",
                "Nothing is confirmed, as 16 heads chose the smallest lr tried, 0.001, and may be "
                "better beyond it.");
    memcpy(&b.explored.trial[0], &b.explored.trial[2], sizeof b.explored.trial[0]);
    assert_kind(&b.explored, VERDICT_EDGE);
    expect_with(&b.explored, "Nothing is confirmed",
                "Nothing is confirmed, as 2 and 16 heads chose the smallest lr tried, 0.001, and "
                "may be better beyond it; try more values (`extend` in `tune`, or a wider list).");
}

/* ---- what fresh trials say ---- */

TEST(confirmed)
{
    struct both b = middle_found();
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 4, fresh_good);
    add_fresh(&b, 16, fresh_poor);
    write_down(&b, 4, 1, 16);
    struct verdict *v = judge_sketch(&b.explored);
    assert_int_equal(v->kind, VERDICT_MIDDLE); /* of the exploring trials, as ever */
    assert_int_equal(v->confirmed->kind, VERDICT_CLAIM_CONFIRMED);
    assert_near(v->confirmed->alpha, .05); /* picking it costs nothing here */
    assert_near(v->alpha, .025);
    assert_int_equal(v->confirmed->rival[0].pair.n, 6);
    verdict_free(v);
    SAYS(b,
         "Confirmed on 6 fresh seeds: 4 heads are better than 1 (difference in test accuracy "
         "+0.285, p < .0001) and 16 (+0.713, p < .0001); 4 heads were explored on 5 other seeds.");
    expect_with(
        &b.explored, "Exploratory finding",
        "Exploratory finding, a middle head count wins: 4 heads are better than both 1 (difference "
        "in test accuracy +0.282, p < .0001) and 16 (+0.712, p < .0001), the smallest and the "
        "largest head count tried, within 1500 steps, on this task instance.");
    expect_with(&b.explored, "To confirm this", NULL);
    expect_with(&b.explored, "The candidate was chosen",
                "The candidate was chosen without these seeds, so each comparison must reach p < "
                ".05; nothing else is tested on them.");
    char *rival = sentence_with(&b.explored, "On fresh seeds, 4 heads against 16: ");
    assert_non_null(rival);
    free(rival);
    b.explored.in.confirm = NULL;
    expect_with(&b.explored, "To confirm this",
                "To confirm this, run a new sweep with unused seeds and claim: {best: 4, over: [1, "
                "16]}.");
}

/* The effect is that of fresh trials alone: what exploring found does not count. */
TEST(fresh_trials_alone_decide_what_is_confirmed)
{
    struct both b = middle_found();
    add_fresh(&b, 1, fresh_good);
    add_fresh(&b, 4, fresh_low);
    add_fresh(&b, 16, fresh_poor);
    write_down(&b, 4, 1, 16);
    struct verdict *v = judge_sketch(&b.explored);
    assert_int_equal(v->kind, VERDICT_MIDDLE);
    assert_int_equal(v->confirmed->kind, VERDICT_CLAIM_CONTRADICTED);
    verdict_free(v);
    char *said = sentence_with(
        &b.explored, "Contradicted on 6 fresh seeds: 4 heads are "
                     "significantly worse than 1 (difference in test accuracy -0.285, p ");
    assert_non_null(said);
    assert_non_null(strstr(said, "; 4 heads were explored on 5 other seeds."));
    free(said);
}

TEST(not_confirmed)
{
    struct both b = middle_found();
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 4, fresh_mixed);
    write_down(&b, 4, 1, 0);
    char *said =
        sentence_with(&b.explored, "Not confirmed on 6 fresh seeds: 4 heads are not shown "
                                   "to be better than 1 (difference in test accuracy +0.030, p = ");
    assert_non_null(said);
    free(said);
}

TEST(equal_results)
{
    struct both b = middle_found();
    add_fresh(&b, 1, flat);
    add_fresh(&b, 4, flat);
    write_down(&b, 4, 1, 0);
    SAYS(b, "Not confirmed on 6 fresh seeds: 4 heads better than 1, but every trial there has the "
            "same test accuracy; 4 heads were explored on 5 other seeds.");
}

TEST(unfinished_results)
{
    struct both b = middle_found();
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 4, fresh_good);
    b.fresh.trial[0][0].limited = true;
    write_down(&b, 4, 1, 0);
    SAYS(b, "Undecided on 6 fresh seeds: 4 heads better than 1, but some of these did not finish "
            "within the limit of time or memory; 4 heads were explored on 5 other seeds.");
}

TEST(before_it_is_judged)
{
    struct both b = middle_found();
    b.explored.in.confirm = &b.confirm;
    SAYS(b, "What these trials speak for is then to be confirmed on 6 fresh seeds.");
    b.confirm.written = true; /* a finding, but none that can be held against others */
    expect_with(&b.explored, "Nothing is confirmed",
                "Nothing is confirmed, as no head count was found that could be held against "
                "others.");
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 4, fresh_good);
    b.fresh.in.planned = 18;
    write_down(&b, 4, 1, 0);
    SAYS(b, "To be confirmed on 6 fresh seeds, of whose trials 12 of 18 have ended: 4 heads better "
            "than 1; 4 heads were explored on 5 other seeds.");
    expect_with(&b.explored, "On fresh seeds,", NULL);
}

TEST(seeds_that_are_not_fresh)
{
    struct both b = middle_found();
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 4, fresh_good);
    write_down(&b, 4, 1, 0);
    b.fresh.in.proof = (struct verdict_proof){.status = PROOF_LATE, .seen = 3, .pairs = 12};
    expect_with(&b.explored, "not fresh",
                "Not confirmed: the claim, 4 heads better than 1, was written down when 3 of the "
                "12 trials on "
                "its seeds had ended, so that these are not fresh.");
    expect_with(&b.explored, "On fresh seeds,", NULL);
}

TEST(trials_like_these)
{
    static char *differ[] = {(char *)"train.eval_every"};
    struct both b = middle_found();
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 4, fresh_good);
    write_down(&b, 4, 1, 0);
    b.fresh.in.similar = (struct verdict_similar){12, 1, differ};
    SAYS(b, "Confirmed on 6 fresh seeds: 4 heads are better than 1 (difference in test accuracy "
            "+0.285, p < .0001); 4 heads were explored on 5 other seeds; when the claim was "
            "written down, 12 trials like "
            "these had ended, which differ in train.eval_every.");
}

/* With replicate, instances are what is fresh. */
TEST(fresh_instances)
{
    struct both b = middle_found();
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 4, fresh_good);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 6; k++)
            b.fresh.trial[i][k].unit = 1 + k;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 5; k++)
            b.explored.trial[i][k].unit = k;
    write_down(&b, 4, 1, 0);
    b.explored.in.replicated = b.fresh.in.replicated = "task.instance";
    expect_with(&b.explored, "Confirmed",
                "Confirmed on 6 fresh instances: 4 heads are better than 1 (difference in test "
                "accuracy +0.285, p < .0001); 4 heads were explored on 5 other instances.");
}
