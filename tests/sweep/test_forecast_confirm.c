/* What `plan` says of trials that confirm, before their claim is written down, and after. */
#include "forecast_help.h"

#include <math.h>

#include "sweep/run/confirm.h"

#define FRESH SWEEP("[1, 2, 4, 8]", "seeds: 3\nconfirm: 6\n")

static void assert_range(struct forecast_range r, double least, double expected, double most)
{
    if (fabs(r.least - least) + fabs(r.expected - expected) + fabs(r.most - most) > 1e-9 * most)
        fail_msg("%g %g %g, should be %g %g %g", r.least, r.expected, r.most, least, expected,
                 most);
}

/* The counts are those of the view, whoever asks. */
static void assert_counts(struct run *r, const struct forecast *f)
{
    char counts[80];
    snprintf(counts, sizeof counts, "%ld %ld %ld %ld", f->planned, f->not_needed, f->to_run,
             f->leaving);
    assert_answer(r->db,
                  "SELECT planned || ' ' || not_needed || ' ' || (queued + running) || ' 0'"
                  " FROM progress",
                  counts);
}

static double score(const struct claimed *c)
{
    static const double of[] = {[1] = .7, [2] = .95, [4] = .5, [8] = .3};
    return of[c->heads] + .001 * (double)(c->seed * c->heads * 3 % 5);
}

/* Ends one trial, as a coordinator does. */
static void end_one(struct fixture *x, struct run *r, const struct planned *p, bool learns)
{
    struct text_buffer said = {0};
    struct claimed c = claim(x, r->s, r->sweep, r->build);
    assert_true(finish(x, r->s, &c, result_of(learns ? score(&c) : .125)));
    assert_ok(confirm_judge(r->s, p->plan, r->sweep, &said, &x->m));
    free(said.text);
}

FIXTURE(set_up, tear_down)

TEST(confirming_trials_widen_a_forecast)
{
    struct planned p = plan_of(x, FRESH);
    struct forecast *f = forecast_of(x, p.plan, NULL);
    double one = f->point[0].trial_s, sum = 0, three = 0, shortest = INFINITY;
    for (long i = 0; i < f->points; i++) {
        sum += f->point[i].trial_s;
        shortest = fmin(shortest, f->point[i].trial_s);
    }
    three = sum - shortest; /* the three head counts that take longest */
    assert_true(one > 0);
    assert_each(f->may_confirm == 18, f->planned == 12, f->confirming_count == 0);
    assert_range(f->trials_left, 12, 21, 30);
    assert_range(f->left_s, 3 * sum, 3 * sum + 3 * three, 3 * sum + 6 * three);
    forecast_free(f);
}

TEST(a_forecast_is_right_after_each_trial)
{
    struct run r = start(x, FRESH);
    struct planned p = plan_of(x, FRESH);
    for (int ended = 0;; ended++) {
        struct forecast *f = forecast_of(x, p.plan, r.s);
        bool written = ended >= 12;
        assert_counts(&r, f);
        assert_each(f->may_confirm == (written ? 0 : 18), f->leaving == 0,
                    f->confirming_count == (written ? 24 : 0),
                    lround(f->trials_left.least) == f->to_run);
        assert_int_equal(lround(f->trials_left.most), f->to_run + f->may_confirm);
        forecast_free(f);
        if (ended == 30)
            break;
        end_one(x, &r, &p, true);
    }
    free_plan(x, p);
    /* A file without confirm has no place for them. */
    p = plan_of(x, SWEEP("[1, 2, 4, 8]", "seeds: 3\n"));
    struct forecast *f = forecast_of(x, p.plan, r.s);
    assert_each(f->leaving == 24, f->confirming_count == 0, f->may_confirm == 0, f->to_run == 0);
    forecast_free(f);
}

TEST(without_a_claim_no_confirming_trial_is_left_to_run)
{
    struct run r = start(x, FRESH);
    struct planned p = plan_of(x, FRESH);
    for (int i = 0; i < 12; i++)
        end_one(x, &r, &p, false);
    struct forecast *f = forecast_of(x, p.plan, r.s);
    assert_counts(&r, f);
    assert_each(f->to_run == 0, f->not_needed == 24, f->may_confirm == 0);
    assert_string_equal(forecast_reason(f->confirming[0].state, f->confirming[0].note, false),
                        "on fresh seeds, but no claim names its head count");
    assert_range(f->left_s, 0, 0, 0);
    forecast_free(f);
}

/* Fresh instances are no points of the plan: their time is that of a listed one. */
TEST(a_fresh_instance_takes_the_time_of_a_listed_one)
{
    static const char many[] =
        "name: many\ntask: {name: gather, length: 16, vocab: 8, slots: 2, instance: [1, 2, 3]}\n"
        "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
        "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n"
        "seeds: 2\nreplicate: [task.instance]\n"
        "confirm: {instances: [9, 10, 11, 12, 13, 14]}\n";
    struct run r = start(x, many);
    struct planned p = plan_of(x, many);
    struct forecast *f = forecast_of(x, p.plan, r.s);
    assert_each(f->may_confirm == 24, f->planned == 12);
    forecast_free(f);
    for (int i = 0; i < 12; i++)
        end_one(x, &r, &p, true);
    f = forecast_of(x, p.plan, r.s);
    assert_counts(&r, f);
    assert_each(f->to_run == 24, f->confirming_count == 24, f->may_confirm == 0);
    assert_true(f->left_s.least > 0);
    forecast_free(f);
}

#define GATHER(slots, d_ff, confirm)                                                               \
    "name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: " slots "}\n"                  \
    "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: " d_ff "}\n"                          \
    "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\nseeds: 3\n" confirm

/* Another sweep file has the fresh trials of the configurations that it shares with this one. */
TEST(a_forecast_knows_what_claims_are_about)
{
    static const char yaml[] = GATHER("2", "32", "confirm: 6\n");
    static const struct {
        const char *yaml;
        long confirming, may_confirm;
    } files[] = {{GATHER("[2, 1]", "32", "confirm: 6\n"), 18, 18},
                 {GATHER("1", "32", "confirm: 6\n"), 0, 18},
                 {GATHER("2", "64", "confirm: 6\n"), 0, 18},
                 {GATHER("2", "32", ""), 0, 0},
                 {yaml, 18, 0}};
    struct run r = start(x, yaml);
    struct planned p = plan_of(x, yaml);
    struct plan_changes changes;
    for (int i = 0; i < 20; i++)
        end_one(x, &r, &p, true);
    free_plan(x, p);
    /* From the first file to each other one and back. */
    for (size_t i = 0; i < 2 * sizeof files / sizeof *files; i++) {
        size_t to = i % 2 ? sizeof files / sizeof *files - 1 : i / 2;
        p = plan_of(x, files[to].yaml);
        struct forecast *f = forecast_of(x, p.plan, r.s);
        assert_each(f->confirming_count == files[to].confirming,
                    f->may_confirm == files[to].may_confirm);
        assert_ok(store_plan(r.s, p.plan, true, &changes, &x->m));
        f->leaving = 0;
        assert_counts(&r, f);
        forecast_free(f);
        free_plan(x, p);
    }
}
