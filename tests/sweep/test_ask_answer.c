/* What the answer says was found, and how sure that is: each is true of what was explored and of
 * what fresh seeds decided, whatever these come to, and neither contradicts the other. */
#include "tests/sweep/answer_help.h"

/* Two heads come close to 8 and 16, which are better. */
static const double close_by[6] = {.994, .995, .996, .995, .995, .995},
                    best_of_8[5] = {.999, 1, .999, 1, .999},
                    best_of_16[6] = {1, .999, 1, .999, 1, 1};

/* ---- made up ---- */

/* The pick is 2: the fewest heads within .005 of the best validation accuracy. */
static struct both two_come_close(void)
{
    struct both b = {sketch_new(), sketch_new(), {.units = 6}};
    add(&b.explored, 1, .7, 5, low);
    add(&b.explored, 2, .995, 5, close_by);
    add(&b.explored, 8, .999, 5, best_of_8);
    add(&b.explored, 16, .999, 5, best_of_16);
    return b;
}

/* By now 2 is picked, and not 4. */
static void pick_two(struct both *b)
{
    for (int k = 0; k < 5; k++)
        b->explored.trial[1][k].val = .99;
}

/* All have tried two learning rates, of which one head count chose the largest. */
static void tune_to_edge(struct sketch *s, int64_t heads)
{
    for (int i = 0; i < s->in.count; i++) {
        bool edge = s->heads[i].heads == heads;
        TUNE(s, s->heads[i].heads, "train.lr", edge, edge ? GRID_LARGEST : GRID_INNER, "0.001",
             "0.01");
    }
}

/* Nothing was written down to be confirmed. */
static void write_nothing(struct both *b)
{
    b->confirm.written = true;
    b->explored.in.confirm = &b->confirm;
}

#define CHOICE "For gather no head count is confirmed as best; the choice so far: "
#define EXPLORED                                                                                   \
    "99.2% right, against 71.0% right with 1 and 28.0% right with 16; 2 may be as good."

/* ---- confirmed ---- */

TEST(what_is_confirmed_is_told_by_fresh_trials)
{
    struct both b = middle_found();
    confirm_four(&b);
    expect_line(&b.explored, FOUND,
                "For gather take 4 heads, 99.3% right, against 70.8% right with 1 and 28.0% right "
                "with 16; 2 may be as good.");
    expect_part(&b.explored, SURE, "Confirmed on 6 fresh seeds: 4 heads are better than 1 (");
}

TEST(what_is_confirmed_stays_so_whatever_is_picked_by_now)
{
    struct both b = middle_found();
    pick_two(&b);
    confirm_four(&b);
    expect_line(&b.explored, FOUND,
                "For gather take 4 heads, 99.3% right, against 70.8% right with 1 and 28.0% right "
                "with 16; 2 may be as good; the exploring trials alone would now pick 2.");
    for (int k = 0; k < 5; k++)
        b.explored.trial[3][k].val = .999;
    expect_line(&b.explored, FOUND,
                "For gather take 4 heads, 99.3% right, against 70.8% right with 1 and 28.0% right "
                "with 16; 2 may be as good; the exploring trials alone would now pick 16.");
}

/* Its number stands nowhere else, and fewer heads may be what somebody wants. */
TEST(what_is_worse_by_less_than_the_margin_is_named)
{
    static const double best[] = {.998, .999, .998, .999, .998},
                        close[] = {.992, .993, .992, .993, .993};
    struct both b = {sketch_new(), sketch_new(), {.units = 6}};
    b.explored.in.equivalence = .02;
    add(&b.explored, 1, .7, 5, low);
    add(&b.explored, 4, .998, 5, best);
    add(&b.explored, 8, .99, 5, close);
    add(&b.explored, 16, .3, 5, poor);
    confirm_four(&b);
    expect_line(
        &b.explored, FOUND,
        "For gather take 4 heads, 99.3% right, against 70.8% right with 1 and 28.0% right "
        "with 16; in the exploring trials 8 is shown to be within 2 percentage points of the "
        "best.");
}

/* Though the few exploring trials leave it in the set that contains the best. */
TEST(what_is_shown_to_be_worse_is_not_as_good)
{
    struct both b = {sketch_new(), sketch_new(), {.units = 6}};
    add(&b.explored, 1, .97, 5, fair);
    add(&b.explored, 4, .99, 5, good);
    add(&b.explored, 16, .3, 5, poor);
    struct verdict *v = judge_sketch(&b.explored);
    assert_true(v->row[0].among_best);
    verdict_free(v);
    confirm_four(&b);
    expect_line(&b.explored, FOUND,
                "For gather take 4 heads, 99.3% right, against 70.8% right with 1 and 28.0% right "
                "with 16.");
}

TEST(others_are_not_as_good_but_better_where_that_is_shown)
{
    struct both b = two_come_close();
    expect_line(&b.explored, FOUND,
                CHOICE "2 heads, 99.5% right, against 71.0% right with 1 and 100.0% right with 16; "
                       "8 or 16 is better, by about 0.46 percentage points.");
    tune_to_edge(&b.explored, 2);
    expect_part(&b.explored, FOUND, "; 8 or 16 did better, by about 0.46 percentage points.");
}

/* One that varies so much that it may be the best, too, though it did worse. */
TEST(only_what_did_better_is_said_to_be)
{
    struct both b = two_come_close();
    b.explored.trial[2][1].test = .9;
    struct verdict *v = judge_sketch(&b.explored);
    assert_true(v->row[2].among_best && v->row[2].test.mean < v->row[1].test.mean);
    verdict_free(v);
    expect_part(&b.explored, FOUND, "; 16 is better, by about 0.46 percentage points.");
}

/* The lead is not one over the number of fresh seeds that stands beside it. */
TEST(a_lead_in_exploring_trials_is_said_to_be_theirs)
{
    struct both b = two_come_close();
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 2, fresh_good);
    write_down(&b, 2, 1, 0);
    expect_line(&b.explored, FOUND,
                "For gather the confirmed choice is 2 heads, 99.3% right, against 70.8% right with "
                "1; in the exploring trials 8 or 16 did better, by about 0.46 percentage points.");
}

/* ---- not confirmed ---- */

TEST(what_fresh_trials_contradict_is_not_to_be_taken)
{
    struct both b = two_come_close();
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 2, close_by);
    add_fresh(&b, 16, best_of_16);
    write_down(&b, 2, 1, 16);
    expect_line(&b.explored, FOUND,
                "For gather do not take 2 heads, 99.5% right, against 100.0% right with 16; the "
                "best may be 8 or 16.");
    expect_part(&b.explored, SURE,
                "Contradicted on 6 fresh seeds: 2 heads are significantly worse than 16 (");
}

/* The exploring trials had shut it out of the set that contains the best. */
TEST(what_fresh_trials_show_to_be_better_may_be_the_best)
{
    struct both b = middle_found();
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 4, close_by);
    add_fresh(&b, 16, best_of_16);
    write_down(&b, 4, 1, 16);
    expect_line(&b.explored, FOUND,
                "For gather do not take 4 heads, 99.5% right, against 100.0% right with 16; the "
                "best may be 2 or 16.");
}

TEST(what_is_not_confirmed_is_a_choice)
{
    struct both b = middle_found();
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 4, fresh_mixed);
    write_down(&b, 4, 1, 0);
    expect_line(&b.explored, FOUND,
                CHOICE "4 heads, 73.8% right, against 70.8% right with 1; 2 may be as good.");
    expect_part(&b.explored, SURE, "Not confirmed on 6 fresh seeds: 4 heads are not shown to be");
}

/* Nothing else was seen on fresh seeds than their being equal. */
TEST(what_is_equal_on_fresh_seeds_is_a_choice)
{
    struct both b = middle_found();
    add_fresh(&b, 1, flat);
    add_fresh(&b, 4, flat);
    write_down(&b, 4, 1, 0);
    expect_line(&b.explored, FOUND, CHOICE "4 heads, 50.0% right; 2 may be as good.");
    expect_part(&b.explored, SURE, "Not confirmed on 6 fresh seeds: 4 heads better than 1, but");
}

/* Of another head count than the pick the fresh trials say nothing. */
TEST(a_pick_that_was_not_claimed_is_told_by_exploring_trials)
{
    struct both b = middle_found();
    pick_two(&b);
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 4, fresh_mixed);
    write_down(&b, 4, 1, 0);
    expect_line(&b.explored, FOUND,
                CHOICE "2 heads, 98.6% right, against 71.0% right with 1 and 28.0% right with 16; "
                       "4 may be as good.");
}

TEST(unfinished_trials_are_no_numbers)
{
    struct both b = middle_found();
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 4, fresh_good);
    b.fresh.trial[1][0].limited = true;
    write_down(&b, 4, 1, 0);
    expect_line(&b.explored, FOUND, CHOICE "4 heads, " EXPLORED);
    expect_part(&b.explored, SURE, "Undecided on 6 fresh seeds: ");
}

/* Seeds that were not fresh, trials that have not ended: the finding says how sure it is. */
TEST(without_a_decision_the_finding_is_told_too)
{
    struct both b = middle_found();
    expect_line(&b.explored, FOUND, CHOICE "4 heads, " EXPLORED);
    confirm_four(&b);
    b.fresh.in.proof = (struct verdict_proof){.status = PROOF_LATE, .seen = 3, .pairs = 18};
    expect_line(&b.explored, FOUND, CHOICE "4 heads, " EXPLORED);
    expect_part(&b.explored, SURE, "Exploratory finding, a middle head count wins: 4 heads are");
    expect_part(&b.explored, SURE, ". Not confirmed: the claim, 4 heads better than 1 and 16, was");
    b.fresh.in.proof = (struct verdict_proof){0};
    b.fresh.in.planned = 24;
    expect_line(&b.explored, FOUND, CHOICE "4 heads, " EXPLORED);
    expect_part(&b.explored, SURE, "Exploratory finding, a middle head count wins: 4 heads are");
    expect_part(&b.explored, SURE, ". To be confirmed on 6 fresh seeds, of whose trials 18 of 24");
}

/* ---- nothing to confirm ---- */

#define NOTHING                                                                                    \
    " Nothing is confirmed, as no head count was found that could be held against others. So "     \
    "there were no confirming trials, and it ended early."

TEST(where_nothing_is_confirmed_the_reason_is_told)
{
    struct both b = middle_found();
    tune_to_edge(&b.explored, 16);
    write_nothing(&b);
    expect_line(&b.explored, FOUND, CHOICE "4 heads, " EXPLORED);
    expect_part(&b.explored, SURE, "Undecided: 4 heads did better than both the smallest (1) and");
    expect_part(&b.explored, SURE, "; try more values (`extend` in `tune`, or a wider list).");
    expect_part(&b.explored, SURE,
                ". Nothing is confirmed, as 16 heads chose the largest lr tried, 0.01, and may be "
                "better beyond it. So there were no confirming trials, and it ended early.");
}

TEST(where_nothing_ended_nothing_was_found)
{
    struct both b = {sketch_new(), sketch_new(), {.units = 6}};
    add(&b.explored, 1, .5, 0, flat);
    write_nothing(&b);
    expect_line(&b.explored, FOUND, "For gather nothing was found.");
    expect_line(&b.explored, SURE, "No trial has ended: there is nothing to judge yet." NOTHING);
}

TEST(equal_results_are_said_to_have_been_seen)
{
    struct both b = {sketch_new(), sketch_new(), {.units = 6}};
    add(&b.explored, 1, .5, 5, flat);
    write_nothing(&b);
    expect_line(&b.explored, FOUND, "For gather nothing was found.");
    expect_line(&b.explored, SURE,
                "No comparison: 1 is the only head count that was tried." NOTHING);
    add(&b.explored, 4, .5, 5, flat);
    expect_line(&b.explored, FOUND,
                "For gather no difference between head counts was seen: every trial has 50.0% "
                "right.");
    expect_part(&b.explored, SURE, "All equal: each of 10 trials, at every one of 2 head counts");
    expect_part(&b.explored, SURE, NOTHING);
}

TEST(guessing_is_not_called_learning_nothing)
{
    static const double guess[5] = {.06, .07, .06, .05, .06};
    struct both b = {sketch_new(), sketch_new(), {.units = 6}};
    b.explored.in.chance = .06;
    add(&b.explored, 1, .06, 5, guess);
    add(&b.explored, 4, .06, 5, guess);
    write_nothing(&b);
    expect_line(&b.explored, FOUND,
                "For gather no head count is shown to be better than guessing (6.0% right).");
    expect_part(&b.explored, SURE, NOTHING);
}

/* ---- equivalence ---- */

/* 1, 4 and 16 heads are shown to be within .05 of each other. */
static void explore_little_apart(struct both *b)
{
    static const double fair_too[5] = {.99, .98, .99, 1, .97};
    add(&b->explored, 1, .97, 5, fair);
    add(&b->explored, 4, .99, 5, good);
    add(&b->explored, 16, .98, 5, fair_too);
    b->explored.in.equivalence = .05;
}

TEST(what_does_not_matter_is_said_not_to)
{
    static const double near[6] = {.98, .99, .96, .99, .98, .98};
    struct both b = {sketch_new(), sketch_new(), {.units = 6}};
    explore_little_apart(&b);
    expect_line(&b.explored, FOUND,
                "For gather the number of heads hardly matters; the choice so far: 4 heads, 99.2% "
                "right, against 98.6% right with 1 and 98.6% right with 16; all are shown to be "
                "within 5 percentage points of the best.");
    add_fresh(&b, 1, near);
    add_fresh(&b, 4, fresh_good);
    write_down(&b, 4, 1, 0);
    expect_line(&b.explored, FOUND,
                "For gather take 4 heads, though it seems to matter little: 99.3% right, against "
                "98.0% right with 1; all are shown to be within 5 percentage points of the best.");
    expect_part(&b.explored, SURE, "the lead over 1 is below the margin of equivalence, 0.05");
}

/* Fresh seeds alone decide that, too. */
TEST(what_matters_on_fresh_seeds_is_not_called_little)
{
    struct both b = {sketch_new(), sketch_new(), {.units = 6}};
    explore_little_apart(&b);
    add_fresh(&b, 1, fresh_low);
    add_fresh(&b, 4, fresh_good);
    write_down(&b, 4, 1, 0);
    expect_line(&b.explored, FOUND,
                "For gather take 4 heads, 99.3% right, against 70.8% right with 1; 16 may be as "
                "good.");
}

/* That fresh seeds tell them apart does not make the difference matter. */
TEST(what_hardly_matters_is_not_advised_against)
{
    struct both b = {sketch_new(), sketch_new(), {.units = 6}};
    explore_little_apart(&b);
    add_fresh(&b, 1, fresh_good);
    add_fresh(&b, 4, close_by);
    add_fresh(&b, 16, best_of_16);
    write_down(&b, 4, 1, 16);
    expect_line(&b.explored, FOUND,
                "For gather the number of heads hardly matters, although in fresh trials 4 heads "
                "did worse: 99.5% right, against 100.0% right with 16; all are shown to be within "
                "5 percentage points of the best.");
    expect_part(&b.explored, SURE,
                "Contradicted on 6 fresh seeds: 4 heads are significantly worse than 16 (");
}

TEST(two_head_counts_can_hardly_matter)
{
    static const double even[5] = {.990, .991, .990, .991, .990},
                        odd[5] = {.991, .990, .991, .990, .991};
    struct sketch two = sketch_new();
    add(&two, 1, .99, 5, even);
    add(&two, 4, .99, 5, odd);
    two.in.equivalence = .01;
    expect_line(&two, FOUND,
                "For gather the number of heads hardly matters; the choice so far: 1 head, 99.0% "
                "right; all are shown to be within 1 percentage point of the best.");
}
