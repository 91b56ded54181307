/* What `plan` says of values that tune.extend has added, and of those that it may still add. */
#include "forecast_help.h"

#include <math.h>

#define EXTENDED                                                                                   \
    "name: far\ntask: {name: gather, length: 16, vocab: 8, slots: 2, instance: [1, 2]}\n"          \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 100, batch: 8, lr: [1e-3, 1e-2], eval_every: 50}\n"                            \
    "replicate: [task.instance]\ntune: {axes: [train.lr], seeds: 3, extend: 2}\nseeds: 1\n"

static void assert_range(struct forecast_range r, double least, double expected, double most)
{
    if (fabs(r.least - least) + fabs(r.expected - expected) + fabs(r.most - most) > 1e-9 * most)
        fail_msg("%g %g %g, should be %g %g %g", r.least, r.expected, r.most, least, expected,
                 most);
}

/* The counts are those of the view, whoever asks. */
static void assert_counts(struct run *r, const struct forecast *f)
{
    char sql[200];
    snprintf(sql, sizeof sql,
             "SELECT (planned, not_needed, queued + running, elsewhere) = (%ld, %ld, %ld, %ld)"
             " FROM progress",
             f->planned, f->not_needed, f->to_run, f->elsewhere);
    if (strcmp(ask(r->db, sql), "1") != 0)
        fail_msg("%ld %ld %ld %ld, should be %s", f->planned, f->not_needed, f->to_run,
                 f->elsewhere,
                 ask(r->db, "SELECT planned || ' ' || not_needed || ' ' || (queued + running)"
                            " || ' ' || elsewhere FROM progress"));
}

/* One head is best at the largest rate, two heads at .001 (of two values, so that both are edges:
 * below it, it is worse). */
static double score(const struct claimed *c)
{
    const char *at = strstr(c->config_json, "\"lr\":");
    double rate = strtod(at + 5, NULL);
    return c->heads == 1 ? .5 + rate / 4 : rate < .001 ? .1 : .5 - rate;
}

static void finish_some(struct fixture *x, struct run *r, int trials)
{
    for (int i = 0; i < trials; i++) {
        struct claimed c = claim(x, r->s, r->sweep, r->build);
        if (c.trial_id)
            assert_true(finish(x, r->s, &c, result_of(score(&c))));
    }
}

static void least_and_most(void **state)
{
    struct fixture *x = *state;
    struct planned p = plan_of(x, EXTENDED);
    struct forecast *f = forecast_of(x, p.plan, NULL);
    double one = f->point[0].trial_s;
    /* 24 tuning trials, 4 judged; each of two head counts may have two more values, with 2 x 3. */
    assert_each(f->tuning_left == 24, f->may_add == 24, f->added_count == 0, f->planned == 28);
    assert_range(f->left_s, 28 * one, 40 * one, 52 * one);
    assert_range(f->trials_left, 4, 4, 4);
    forecast_free(f);
    free_plan(p);
}

static void as_it_goes_on(void **state)
{
    struct fixture *x = *state;
    struct run r = start(x, EXTENDED);
    struct planned p = plan_of(x, EXTENDED);
    for (int ended = 0; ended < 60; ended++) {
        struct forecast *f = forecast_of(x, p.plan, r.s);
        assert_counts(&r, f);
        assert_each(f->leaving == 0, f->tuning_left + lround(f->trials_left.least) == f->to_run);
        long added = strtol(ask(r.db, "SELECT count(*) FROM trial WHERE added"), NULL, 10);
        assert_int_equal(f->added_count, added);
        forecast_free(f);
        finish_some(x, &r, 1);
    }
    /* One head had both, two heads needed one: nothing is left. */
    struct forecast *f = forecast_of(x, p.plan, r.s);
    assert_each(f->to_run == 0, f->may_add == 0, f->added_count == 3 * 8);
    assert_range(f->left_s, 0, 0, 0);
    forecast_free(f);
    free_plan(p);
    /* A file without extend has no place for them, one that lists them has. */
    p = plan_of(x, "name: far\ntask: {name: gather, length: 16, vocab: 8, slots: 2,"
                   " instance: [1, 2]}\nmodel: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
                   "train: {steps: 100, batch: 8, lr: [1e-3, 1e-2, .1], eval_every: 50}\n"
                   "replicate: [task.instance]\ntune: {axes: [train.lr], seeds: 3}\nseeds: 1\n");
    f = forecast_of(x, p.plan, r.s);
    assert_each(f->leaving == 16, f->added_count == 0, f->may_add == 0, f->tuning_left == 6);
    forecast_free(f);
    free_plan(p);
    close_store(x, r.s);
}

/* What may be added to head counts of other shards is theirs. */
static void of_a_shard(void **state)
{
    struct fixture *x = *state;
    struct run r = start(x, EXTENDED);
    struct planned p = plan_of(x, EXTENDED);
    finish_some(x, &r, 22); /* one head has ended its 12, and has one value more */
    for (int k = 1; k <= 2; k++) {
        assert_ok(plan_set_shard(p.plan, (struct plan_shard){k, 2}, &x->m));
        struct forecast *f = forecast_of(x, p.plan, r.s);
        assert_each(f->may_add == (k == 1 ? 6 : 12), f->added_count > 0);
        forecast_free(f);
    }
    free_plan(p);
    close_store(x, r.s);
}

int main(void)
{
#define FORECAST_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        FORECAST_TEST(least_and_most),
        FORECAST_TEST(as_it_goes_on),
        FORECAST_TEST(of_a_shard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
