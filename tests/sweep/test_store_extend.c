/* tune.extend in the results file, where a hand has changed it or its sweep file cannot be read.
 * What it adds to a plan is shown by tests/scenarios/extend*. */
#include "store_help.h"

#include "sweep/trials/store_check.h"

#include "tests/test.h"

#define FAR                                                                                        \
    "name: far\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                            \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 100, batch: 8, lr: [1e-3, 3e-3, 1e-2], eval_every: 50}\n"                      \
    "tune: {axes: [train.lr], seeds: 2, extend: 2}\nseeds: 2\n"

/* One head learns best at .11, two heads at .003. */
static const char *result_at(const struct claimed *c)
{
    double rate = strtod(strstr(c->config_json, "\"lr\":") + 5, NULL);
    return result_of(c->heads == 1 ? .5 + rate / (rate > .2 ? 10 : 1)
                                   : .9 - (rate > .003 ? rate : .004 - rate));
}

/* Claims and finishes up to so many trials. */
static void work(struct fixture *x, struct run *r, int most)
{
    for (int n = 0; n < most; n++) {
        struct claimed c = claim(x, r->s, r->sweep, r->build);
        if (!c.trial_id)
            break;
        assert_true(finish(x, r->s, &c, result_at(&c)));
    }
}

FIXTURE(set_up, tear_down)

/* What a hand has put where it cannot be is found. */
TEST(check_finds_values_added_by_hand)
{
    struct run r = start(x, FAR);
    struct told told = {0};
    work(x, &r, 100);
    run_sql(r.db, "UPDATE trial SET added = 3 WHERE added = 2 AND is_tuning AND seed = 1000");
    assert_ok(store_check(r.s, tell, &told, &x->m));
    assert_int_equal(told.count, 1);
    assert_non_null(strstr(told.text, "a value was added to a sweep that adds none, or not so far "
                                      "beyond its list: trial "));
    run_sql(r.db, "UPDATE trial SET added = 0 WHERE added = 3");
    told = (struct told){0};
    assert_ok(store_check(r.s, tell, &told, &x->m));
    assert_non_null(strstr(told.text, "plan or claim is not the one that was recorded last"));
}

/* The file that is stored cannot be read any more: whoever needs it says so, and nothing changes.
 */
TEST(a_file_that_is_refused)
{
    struct run r = start(x, FAR);
    bool accepted = true;
    work(x, &r, 8);
    run_sql(r.db, "UPDATE sweep SET yaml = 'task: {nam: gather}'");
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    struct attempt_end end = {.cpu_s = 1};
    assert_status(STATUS_BAD_INPUT,
                  store_finish(r.s, c.trial_id, c.attempt, result_at(&c), "t1-a1.result",
                               RESULT_SHA256, &end, &accepted, &x->m));
    assert_false(accepted);
    assert_non_null(strstr(x->m.text, "the sweep file that is stored, to be extended: far:1:7: "));
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE state = 'running'", "1");
    plan_into(x, r.s, FAR); /* the same command puts it back */
    assert_true(finish(x, r.s, &c, result_at(&c)));
    assert_answer(r.db, "SELECT group_concat(DISTINCT lr) FROM trials WHERE added", "0.033");
}
