/* confirm in the results file, where anything stands in its way or a hand has changed it. What it
 * writes down and runs is shown by tests/scenarios/confirm*. */
#include "tests/sweep/store_help.h"

#include "sweep/run/confirm.h"
#include "sweep/trials/store_check.h"

/* Two heads are tested against 1 and 8, and not against 4. */
#define FIND SWEEP("[1, 2, 4, 8]", "seeds: 3\nconfirm: 6\n")

/* Completes up to so many trials, as a coordinator does; two heads win. Returns how many. */
static int end_trials(struct fixture *x, struct run *r, const struct planned *p, int most)
{
    static const double score[] = {[1] = .7, [2] = .95, [4] = .5, [8] = .3};
    struct text_buffer said = {0};
    int n = 0;
    for (; n < most; n++) {
        assert_ok(store_begin(r->s, &x->m));
        struct claimed c = claim(x, r->s, r->sweep, r->build);
        if (c.trial_id)
            assert_true(
                finish(x, r->s, &c,
                       result_of(score[c.heads] + .001 * (double)(c.seed * c.heads * 3 % 5))));
        assert_ok(confirm_judge(r->s, p->plan, r->sweep, &said, &x->m));
        assert_ok(store_commit(r->s, &x->m));
        if (!c.trial_id)
            break;
    }
    free(said.text);
    return n;
}

FIXTURE(set_up, tear_down)

/* A transaction that cannot be has changed nothing. */
TEST(a_failed_confirmation_changes_nothing)
{
    struct run r = start(x, FIND);
    struct planned p = plan_of(x, FIND);
    struct text_buffer said = {0};
    run_sql(r.db, "CREATE TEMP TRIGGER t BEFORE INSERT ON plan_change BEGIN SELECT"
                  " raise(ABORT, 'not today'); END");
    for (int i = 0; i < 12; i++) {
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        assert_ok(confirm_judge(r.s, p.plan, r.sweep, &said, &x->m)); /* not yet */
        assert_true(finish(x, r.s, &c, result_of(c.heads == 2 ? .9 : .5)));
    }
    assert_ok(store_begin(r.s, &x->m));
    assert_int_not_equal(confirm_judge(r.s, p.plan, r.sweep, &said, &x->m), STATUS_OK);
    assert_non_null(strstr(x->m.text, "not today"));
    store_rollback(r.s);
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE confirms", "0");
    run_sql(r.db, "DROP TRIGGER t; CREATE TEMP TRIGGER t AFTER UPDATE ON plan_change BEGIN"
                  " DELETE FROM plan_change WHERE by = 'confirm'; END");
    assert_ok(store_begin(r.s, &x->m));
    assert_status(STATUS_INTERNAL, confirm_judge(r.s, p.plan, r.sweep, &said, &x->m));
    assert_non_null(strstr(x->m.text, "is due for ever"));
    store_rollback(r.s);
    free(said.text);
    run_sql(r.db, "DROP TRIGGER t");
    assert_int_equal(end_trials(x, &r, &p, 1), 0); /* nothing is left to end, but it is judged */
    assert_int_equal(end_trials(x, &r, &p, 100), 18);
}

/* What a hand has made otherwise is found. */
TEST(check_finds_confirmations_changed_by_hand)
{
    static const char *const broken[] = {
        "UPDATE trial SET choice = 'chosen', state = 'queued' WHERE confirms = 1",
        "UPDATE trial SET seed = seed - 100 WHERE confirms = 1",
        "DELETE FROM plan_change WHERE by = 'confirm'",
        "UPDATE plan_change SET pairs = 17 WHERE by = 'confirm'",
        "UPDATE plan_change SET what = json_set(what, '$.configs.2', what ->> '$.configs.1')"
        " WHERE by = 'confirm'",
    };
    struct run r = start(x, FIND);
    struct planned p = plan_of(x, FIND);
    end_trials(x, &r, &p, 14);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct told told = {0};
        assert_ok(store_begin(r.s, &x->m));
        run_sql(r.db, broken[i]);
        assert_ok(store_check(r.s, tell, &told, &x->m));
        if (!strstr(told.text, "confirm"))
            fail_msg("%s: %s", broken[i], told.text);
        store_rollback(r.s);
    }
}
