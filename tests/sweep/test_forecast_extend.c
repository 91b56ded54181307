/* What `plan` says of values that tune.extend has added, and of those that it may still add. */
#include "forecast_help.h"

#include "tests/unit/faults.h"

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
    return c->heads == 1 ? 1 - .5 / (1 + rate) : rate < .001 ? .1 : .5 / (1 + rate);
}

static void finish_some(struct fixture *x, struct run *r, int trials)
{
    for (int i = 0; i < trials; i++) {
        struct claimed c = claim(x, r->s, r->sweep, r->build);
        if (c.trial_id)
            assert_true(finish(x, r->s, &c, result_of(score(&c))));
    }
}

FIXTURE(set_up, tear_down)

TEST(values_that_may_be_added_widen_a_forecast)
{
    struct planned p = plan_of(x, EXTENDED);
    struct forecast *f = forecast_of(x, p.plan, NULL);
    double one = f->point[0].trial_s;
    /* 24 tuning trials, 4 judged; each of two head counts may have two more values, with 2 x 3. */
    assert_each(f->tuning_left == 24, f->may_add == 24, f->added_count == 0, f->planned == 28);
    assert_range(f->left_s, 28 * one, 40 * one, 52 * one);
    assert_range(f->trials_left, 4, 4, 4);
    forecast_free(f);
}

TEST(a_forecast_is_right_after_each_trial)
{
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
    free_plan(x, p);
    /* A file without extend has no place for them, one that lists them has. */
    p = plan_of(x, "name: far\ntask: {name: gather, length: 16, vocab: 8, slots: 2,"
                   " instance: [1, 2]}\nmodel: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
                   "train: {steps: 100, batch: 8, lr: [1e-3, 1e-2, .1], eval_every: 50}\n"
                   "replicate: [task.instance]\ntune: {axes: [train.lr], seeds: 3}\nseeds: 1\n");
    f = forecast_of(x, p.plan, r.s);
    assert_each(f->leaving == 16, f->added_count == 0, f->may_add == 0, f->tuning_left == 6);
    forecast_free(f);
}

#define WITHOUT_EXTEND                                                                             \
    "name: far\ntask: {name: gather, length: 16, vocab: 8, slots: 2, instance: [1, 2]}\n"          \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 100, batch: 8, lr: [1e-3, 1e-2], eval_every: 50}\n"                            \
    "replicate: [task.instance]\ntune: {axes: [train.lr], seeds: 3}\nseeds: 1\n"

/* The value that is due for the head count of that place in the plan. */
static void assert_due(const struct forecast *f, long i, int64_t heads, const char *tuning,
                       long trials)
{
    assert_true(i < f->due_count);
    assert_int_equal(f->point[f->due[i].point].heads, heads);
    assert_string_equal(f->due[i].tuning, tuning);
    assert_int_equal(f->due[i].trials, trials);
}

/* A sweep that has ended, whose file asks for extend now: each head count has chosen an edge, and
 * gets the next value at once. */
TEST(extend_given_after_the_end_is_due_at_once)
{
    struct run r = start(x, WITHOUT_EXTEND);
    finish_some(x, &r, 40);
    struct planned p = plan_of(x, EXTENDED);
    struct forecast *f = forecast_of(x, p.plan, r.s);
    double one = f->point[0].trial_s;
    assert_each(f->to_run == 0, f->due_count == 2, f->will_add == 12, f->may_add == 24);
    assert_due(f, 0, 1, "{\"train.lr\":0.1}", 6);
    assert_due(f, 1, 2, "{\"train.lr\":0.0001}", 6);
    /* Two instances of each head count would be judged anew, if it chose otherwise. */
    assert_range(f->trials_left, 0, 2, 4);
    assert_range(f->left_s, 12 * one, 20 * one, 28 * one);
    forecast_free(f);
    /* The run does so. */
    plan_into(x, r.s, EXTENDED);
    f = forecast_of(x, p.plan, r.s);
    assert_each(f->due_count == 0, f->will_add == 0, f->tuning_left == 12, f->may_add == 12);
    forecast_free(f);
}

/* What constraints forbid is not due, and where extend is smaller nothing is. */
TEST(forbidden_values_are_not_due)
{
    struct run r = start(x, WITHOUT_EXTEND);
    finish_some(x, &r, 40);
    struct planned p = plan_of(x, EXTENDED "constraints: [\"train.lr < .05\"]\n");
    struct forecast *f = forecast_of(x, p.plan, r.s);
    assert_each(f->due_count == 1, f->will_add == 6, f->may_add == 12);
    assert_due(f, 0, 2, "{\"train.lr\":0.0001}", 6);
    forecast_free(f);
    free_plan(x, p);
    p = plan_of(x, WITHOUT_EXTEND);
    f = forecast_of(x, p.plan, r.s);
    assert_each(f->due_count == 0, f->may_add == 0);
    forecast_free(f);
}

/* Values that had left the plan come back with their results; what follows is not known. */
TEST(what_is_known_comes_back)
{
    struct run r = start(x, EXTENDED);
    finish_some(x, &r, 60);
    plan_into(x, r.s, WITHOUT_EXTEND);
    finish_some(x, &r, 10);
    struct planned p = plan_of(x, EXTENDED);
    struct forecast *f = forecast_of(x, p.plan, r.s);
    assert_each(f->to_run == 0, f->due_count == 2, f->will_add == 0, f->may_add == 24);
    assert_due(f, 0, 1, "{\"train.lr\":0.1}", 0);
    forecast_free(f);
}

/* A head count whose listed tuning trials are not all there may yet choose otherwise. */
TEST(an_open_choice_is_not_due)
{
    struct run r = start(x, WITHOUT_EXTEND);
    finish_some(x, &r, 40);
    run_sql(r.db,
            "UPDATE trial SET state = 'queued', best_step = NULL WHERE is_tuning AND trial_id ="
            " (SELECT min(trial_id) FROM trials WHERE is_tuning AND heads = 1)");
    struct planned p = plan_of(x, EXTENDED);
    struct forecast *f = forecast_of(x, p.plan, r.s);
    assert_each(f->due_count == 1, f->will_add == 6, f->may_add == 24, f->tuning_left == 1);
    assert_due(f, 0, 2, "{\"train.lr\":0.0001}", 6);
    forecast_free(f);
}

#define ASKED(rates, tune, rest)                                                                   \
    "name: far\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                            \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 100, batch: 8, lr: " rates ", eval_every: 50}\n"                               \
    "tune: {axes: [train.lr], seeds: 2" tune "}\nseeds: 2\n" rest

static long ended(const struct run *r, bool tuning)
{
    char sql[100];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM trial WHERE state = 'completed' AND is_tuning = %d", tuning);
    return strtol(ask(r->db, sql), NULL, 10);
}

/* What a run of that file has to do is within what was said of it. */
static void assert_within(struct fixture *x, struct run *r, const char *yaml)
{
    struct planned p = plan_of(x, yaml);
    struct forecast *f = forecast_of(x, p.plan, r->s);
    plan_into(x, r->s, yaml);
    long tuning = ended(r, true), judged = ended(r, false);
    finish_some(x, r, 80);
    tuning = ended(r, true) - tuning;
    judged = ended(r, false) - judged;
    if (tuning < f->tuning_left + f->will_add || tuning > f->tuning_left + f->may_add ||
        judged < lround(f->trials_left.least) || judged > lround(f->trials_left.most))
        fail_msg("%ld and %ld have run; said: %ld to %ld and %g to %g\n%s", tuning, judged,
                 f->tuning_left + f->will_add, f->tuning_left + f->may_add, f->trials_left.least,
                 f->trials_left.most, yaml);
    assert_true(!forecast_is_done(f) || tuning + judged == 0);
    forecast_free(f);
    f = forecast_of(x, p.plan, r->s);
    assert_true(forecast_is_done(f));
    assert_int_equal(f->reopened, 0);
    forecast_free(f);
    free_plan(x, p);
}

/* Extend is lowered, raised, removed, and what it had added is listed, in whole and in part: after
 * a run, and after one that was interrupted. One head is best at the largest rate, two at .001. */
TEST(a_forecast_holds_after_any_change_of_extend)
{
    static const char *const files[] = {ASKED("[1e-3, 1e-2]", ", extend: 2", ""),
                                        ASKED("[1e-3, 1e-2]", ", extend: 1", ""),
                                        ASKED("[1e-3, 1e-2]", "", ""),
                                        ASKED("[1e-3, 1e-2, .1, 1]", "", ""),
                                        ASKED("[1e-4, 1e-3, 1e-2, .1]", ", extend: 2", ""),
                                        ASKED("[1e-3, .1]", ", extend: 1", "")};
    const size_t n = sizeof files / sizeof *files;
    struct run r = start(x, files[0]);
    for (size_t i = 0; i < n * n * 2; i++) {
        const size_t from = i / 2 % n, to = i / 2 / n;
        run_sql(r.db, "DELETE FROM trial"); /* as if none had run */
        plan_into(x, r.s, files[from]);
        finish_some(x, &r, i % 2 ? 80 : 11);
        assert_within(x, &r, files[to]);
    }
}

/* One that lists what was added has nothing left, where each choice is clear; without it others are
 * judged. */
TEST(what_was_added_is_listed)
{
    struct run r = start(x, ASKED("[1e-3, 1e-2]", ", extend: 2", ""));
    finish_some(x, &r, 80);
    struct planned p = plan_of(x, ASKED("[1e-4, 1e-3, 1e-2, .1, 1]", "",
                                        "exclude: [{model.heads: 1, train.lr: 1e-4},"
                                        " {model.heads: 2, train.lr: [.1, 1]}]\n"));
    struct forecast *f = forecast_of(x, p.plan, r.s);
    assert_true(forecast_is_done(f));
    assert_each(f->reopened == 0, f->leaving == 0);
    forecast_free(f);
    free_plan(x, p);
    p = plan_of(x, ASKED("[1e-3, 1e-2]", "", ""));
    f = forecast_of(x, p.plan, r.s);
    double one = f->point[0].trial_s;
    assert_each(f->reopened == 1, f->to_run == 0, f->leaving == 12, f->may_add == 0);
    assert_range(f->trials_left, 0, 1, 2);
    assert_range(f->left_s, 0, one, 2 * one);
    forecast_free(f);
}

/* Allocations fail, one of seven: an error each time, and never a leak. */
TEST(a_forecast_without_memory_is_an_error)
{
    if (!FAULTS_IN_MALLOC)
        skip();
    struct run r = start(x, WITHOUT_EXTEND);
    finish_some(x, &r, 40);
    struct planned p = plan_of(x, EXTENDED);
    bool fired = true;
    int failures = 0;
    for (int n = 1; fired; n += 7) {
        struct forecast *f = NULL;
        fault_arm(FAULT_MALLOC, n, ENOMEM);
        enum status status = forecast_new(p.plan, r.s, false, NULL, &f, &x->m);
        fired = fault_disarm();
        assert_true(status == STATUS_OK || (fired && status == STATUS_NO_MEMORY));
        assert_true((f != NULL) == (status == STATUS_OK));
        failures += status != STATUS_OK;
        forecast_free(f);
    }
    assert_true(failures > 5);
}

/* Those of a value stand side by side, in the order of the plan. */
TEST(added_trials_are_listed_by_their_value)
{
    struct run r = start(x, EXTENDED);
    struct planned p = plan_of(x, EXTENDED);
    finish_some(x, &r, 60);
    struct forecast *f = forecast_of(x, p.plan, r.s);
    int values = 0;
    assert_int_equal(f->added_count, 24);
    for (long i = 0; i < f->added_count; i++) {
        const struct forecast_added *t = &f->added[i];
        bool first = i == 0 || t[-1].point != t->point || strcmp(t[-1].tuning, t->tuning) != 0;
        values += first;
        assert_true(i == 0 || t[-1].point <= t->point);
        assert_true(first || t[-1].trial_id < t->trial_id);
    }
    assert_int_equal(values, 3);
    forecast_free(f);
}

/* What may be added to head counts of other shards is theirs. */
TEST(a_shard_may_add_only_to_its_own_head_counts)
{
    struct run r = start(x, EXTENDED);
    struct planned p = plan_of(x, EXTENDED);
    finish_some(x, &r, 22); /* one head has ended its 12, and has one value more */
    for (int k = 1; k <= 2; k++) {
        assert_ok(plan_set_shard(p.plan, (struct plan_shard){k, 2}, &x->m));
        struct forecast *f = forecast_of(x, p.plan, r.s);
        assert_each(f->may_add == (k == 1 ? 6 : 12), f->added_count > 0);
        forecast_free(f);
    }
}
