/* What the live view asks the results file: head counts and the best trial, also under tune. */
#include <math.h>

#include "tests/sweep/store_help.h"

static const char tuned[] = "name: tuned\n"
                            "task: {name: gather, length: 16, vocab: 8, slots: 2}\n"
                            "model: {d_model: 32, heads: [2, 4], layers: 1, d_ff: 32}\n"
                            "train: {steps: 100, batch: 8, lr: [1e-3, 1e-2], eval_every: 50}\n"
                            "tune: {axes: [train.lr], seeds: 2}\n"
                            "seeds: 2\n";

static void assert_head(struct fixture *x, const struct run *r, int64_t heads, long ended,
                        double mean)
{
    struct head_counts *list;
    int count;
    assert_ok(store_head_counts(r->s, r->sweep, &list, &count, &x->m));
    assert_int_equal(count, 2);
    const struct head_counts *h = &list[heads == 4];
    assert_int_equal(h->heads, heads);
    assert_int_equal(h->planned, 6);
    assert_int_equal(h->ended, ended);
    if (isnan(mean))
        assert_true(isnan(h->mean));
    else
        assert_true(fabs(h->mean - mean) < 1e-12);
    free(list);
}

/* Claims the next trial, which must have this head count, and completes it. */
static void complete(struct fixture *x, struct run *r, int64_t heads, double acc)
{
    struct claimed c = claim(x, r->s, r->sweep, r->build);
    assert_int_equal(c.heads, heads);
    assert_true(finish(x, r->s, &c, result_of(acc)));
}

FIXTURE(set_up, tear_down)

TEST(the_best_candidate_stands_for_what_is_not_judged_yet)
{
    struct run r = start(x, tuned);
    assert_head(x, &r, 2, 0, NAN);
    complete(x, &r, 2, 0.5); /* lr 1e-3 */
    assert_head(x, &r, 2, 1, 0.5);
    complete(x, &r, 2, 0.25); /* lr 1e-2 */
    complete(x, &r, 4, 0.75);
    complete(x, &r, 4, 0.125);
    complete(x, &r, 2, 0.25);
    complete(x, &r, 2, 0.75);
    assert_head(x, &r, 2, 4, 0.5);
    assert_head(x, &r, 4, 2, 0.75);
    run_sql(r.db, "UPDATE sweep SET metric = 'val_loss', goal = 'minimize';"
                  " UPDATE trial SET val_loss = 2 - val_acc WHERE val_acc IS NOT NULL");
    assert_head(x, &r, 2, 4, 1.5); /* the candidate of least loss */
    run_sql(r.db, "UPDATE sweep SET metric = 'val_acc', goal = 'maximize'");
    complete(x, &r, 4, 0.25);
    complete(x, &r, 4, 0.125);
    complete(x, &r, 2, 0.375); /* the first that judges */
    assert_head(x, &r, 2, 5, 0.375);
    assert_head(x, &r, 4, 4, 0.5);
}

TEST(the_best_of_all_that_completed)
{
    struct run r = start(x, tuned);
    struct best_trial best;
    assert_ok(store_best(r.s, r.sweep, &best, &x->m));
    assert_int_equal(best.trial_id, 0);
    complete(x, &r, 2, 0.5);
    complete(x, &r, 2, 0.75);
    complete(x, &r, 4, 0.75);
    assert_ok(store_best(r.s, r.sweep, &best, &x->m));
    assert_int_equal(best.trial_id, 2);
    assert_int_equal(best.heads, 2);
    assert_int_equal(best.seed, 1000);
    assert_true(best.value == 0.75);
    assert_string_equal(best.label, "lr=0.01");
    run_sql(r.db, "UPDATE trial SET in_plan = 0 WHERE trial_id = 2");
    assert_ok(store_best(r.s, r.sweep, &best, &x->m));
    assert_int_equal(best.trial_id, 3);
    run_sql(r.db, "UPDATE sweep SET metric = 'val_loss', goal = 'minimize';"
                  " UPDATE trial SET val_loss = iif(trial_id = 1, 0.25, 1.5)");
    assert_ok(store_best(r.s, r.sweep, &best, &x->m));
    assert_int_equal(best.trial_id, 1);
    assert_true(best.value == 0.25);
}
