/* What `plan` says of the time that trials take. */
#include "forecast_help.h"

#include <math.h>

#include "sweep/plan/machine.h"

/* A sweep of one step per trial, so that nothing but its price of its own counts. */
#define PRICED(heads, steps, seeds)                                                                \
    "name: priced\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                         \
    "model: {d_model: 32, heads: " heads ", layers: 1, d_ff: 32}\n"                                \
    "train: {steps: " steps ", batch: 8, eval_every: 50}\nseeds: " seeds "\n"

FIXTURE(set_up, tear_down)

TEST(a_trial_has_a_price_of_its_own)
{
    struct planned p = plan_of(x, PRICED("[1]", "1", "1000"));
    struct forecast *f = forecast_of(x, p.plan, NULL);
    assert_each(f->left_s.expected > 1000 * 0.005, f->left_s.expected < 1000 * 0.2);
    /* Evaluation and test take 1024 examples each: of one step's work as much as 2048 / (3 * 8). */
    double step = f->point[0].flops_per_step;
    assert_true(fabs(f->point[0].work - step * (1 + 2048 / 24.0)) < 1e-6 * step);
    forecast_free(f);
}

static int asked, answers;
static double speed_of_machine;

static bool pretend(const struct point *p, struct calibration *c)
{
    if (++asked > answers)
        return false;
    *c = (struct calibration){.heads = p->model.heads,
                              .flops_per_step = 1e6,
                              .steps = 10,
                              .seconds = 1e7 / speed_of_machine,
                              .start_s = 0.25};
    return true;
}

TEST(strange_points_are_measured)
{
    struct planned p = plan_of(x, PRICED("[1, 2, 32]", "100", "1"));
    struct forecast *f;
    speed_of_machine = 5e9;
    asked = 0;
    answers = 9;
    assert_ok(forecast_new(p.plan, NULL, false, pretend, &f, &x->m));
    assert_int_equal(asked, 2); /* 2 heads are near enough to 1, 32 are not */
    assert_true(f->cost.start_s == 0.25);
    for (long i = 0; i < f->points; i++) {
        double expected = 0.25 + f->point[i].work / 5e9;
        assert_true(fabs(f->point[i].trial_s - expected) < 1e-9);
        assert_int_equal(f->point[i].source, COST_MEASURED);
    }
    forecast_free(f);
    asked = answers = 0; /* it cannot be */
    assert_ok(forecast_new(p.plan, NULL, false, pretend, &f, &x->m));
    assert_int_equal(asked, 1);
    assert_int_equal(f->point[0].source, COST_ASSUMED);
    forecast_free(f);
}

/* Ends every trial of the plan with a training of so many seconds, and a quarter beside it. */
static void finish_all(struct fixture *x, struct store *s, int64_t sweep, const char *train_s)
{
    int64_t build = add_build(x, s);
    for (struct claimed c; (c = claim(x, s, sweep, build)).trial_id != 0;) {
        char result[1200];
        const char *whole = result_of(0.5), *at = strstr(whole, "1.5,\"resumed");
        snprintf(result, sizeof result, "%.*s%s%s", (int)(at - whole), whole, train_s, at + 3);
        assert_true(finish(x, s, &c, result));
    }
    run_sql(store_db(s), "UPDATE attempt SET cpu_s = 0.25 + (SELECT train_s FROM trial"
                         " WHERE trial.trial_id = attempt.trial_id)");
}

/* Trials that were over in an instant tell nothing of speed; longer ones do, of trials like them.
 */
TEST(speed_is_that_of_trials_like_these)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, PRICED("[1]", "2", "2"));
    finish_all(x, s, 1, "0.003");
    struct planned p = plan_of(x, PRICED("[1]", "1000", "1"));
    struct forecast *f = forecast_of(x, p.plan, s), *alone = forecast_of(x, p.plan, NULL);
    assert_int_equal(f->point[0].source, COST_ASSUMED);
    assert_true(fabs(f->point[0].trial_s - f->cost.start_s -
                     (alone->point[0].trial_s - alone->cost.start_s)) < 1e-9);
    forecast_free(alone);
    forecast_free(f);
    free_plan(x, p);

    /* Two head counts at two speeds: each is the measure of what is near it. */
    char other[512];
    snprintf(other, sizeof other, "%s", PRICED("[1]", "500", "1"));
    memcpy(strstr(other, "priced"), "slower", 6);
    plan_into(x, s, other);
    finish_all(x, s, 2, "4.0");
    snprintf(other, sizeof other, "%s", PRICED("[32]", "500", "1"));
    memcpy(strstr(other, "priced"), "heads3", 6);
    plan_into(x, s, other);
    finish_all(x, s, 3, "40.0");
    p = plan_of(x, PRICED("[1, 2, 16, 32]", "1000", "1"));
    asked = 0;
    assert_ok(forecast_new(p.plan, s, false, pretend, &f, &x->m));
    assert_int_equal(asked, 0); /* nothing is strange */
    double least = f->point[0].trial_s, most = f->point[3].trial_s;
    for (long i = 0; i < 4; i++)
        assert_int_equal(f->point[i].source, COST_ALIKE);
    assert_true(fabs(f->cost.start_s - 0.25) < 1e-9);
    assert_each(least > 7, least<9, most> 70, most < 90);
    assert_each(f->point[1].trial_s<10, f->point[2].trial_s> 60);
    forecast_free(f);
    free_plan(x, p);

    p = plan_of(x, PRICED("[1]", "2", "4")); /* the very configuration, whatever it took */
    f = forecast_of(x, p.plan, s);
    assert_int_equal(f->point[0].source, COST_RECORDED);
    assert_true(fabs(f->point[0].trial_s - f->cost.start_s - 0.003) < 1e-9);
    forecast_free(f);
}

TEST(what_is_done_of_a_trial_is_deducted)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, PRICED("[1]", "100", "2"));
    struct planned p = plan_of(x, PRICED("[1]", "100", "2"));
    struct forecast *f = forecast_of(x, p.plan, s);
    double start = f->cost.start_s, one = f->point[0].trial_s - start;
    assert_true(fabs(f->left_s.expected - 2 * (start + one)) < 1e-9);
    forecast_free(f);
    int64_t build = add_build(x, s);
    struct claimed a = claim(x, s, 1, build), b = claim(x, s, 1, build);
    struct attempt_end end = {.step = 75};
    bool accepted;
    assert_ok(store_requeue(s, a.trial_id, a.attempt, &end, &accepted, &x->m));
    assert_ok(store_curve(s, b.trial_id, b.attempt,
                          "[{\"step\":50,\"train_loss\":2,\"train_acc\":0.5,\"val_loss\":1.25,"
                          "\"val_acc\":0.5,\"grad_norm\":1,\"lr\":0.001,\"cpu_s\":0.7}]",
                          &x->m));
    f = forecast_of(x, p.plan, s);
    one = f->point[0].trial_s - start; /* at the speed of what is done */
    assert_true(fabs(f->left_s.expected - (2 * start + (0.25 + 0.5) * one)) < 1e-9);
    forecast_free(f);
}

static void expect_left(struct fixture *x, struct store *s, double expected)
{
    struct cost c;
    struct cost_left left;
    cost_init(&c);
    assert_ok(cost_read(&c, s, &x->m));
    assert_ok(cost_left(&c, s, 1, &left, &x->m));
    assert_true(left.known);
    if (!(fabs(left.core_s - expected) < 1e-9 * expected))
        fail_msg("%g s are left, expected %g", left.core_s, expected);
}

/* `status` knows only the results file, `plan` also the sweep file: both say the same. What half of
 * a trial took tells what the rest will, before any trial has ended. */
TEST(plan_and_status_agree)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, TUNED);
    struct planned p = plan_of(x, TUNED);
    int64_t build = add_build(x, s);
    struct claimed a = claim(x, s, 1, build), b = claim(x, s, 1, build);
    struct attempt_end end = {.step = 50};
    bool accepted;
    static const char row[] = "[{\"step\":50,\"train_loss\":2,\"train_acc\":0.5,\"val_loss\":1.25,"
                              "\"val_acc\":0.5,\"grad_norm\":1,\"lr\":0.001,\"cpu_s\":60}]";
    assert_ok(store_curve(s, a.trial_id, a.attempt, row, &x->m));
    assert_ok(store_curve(s, b.trial_id, b.attempt, row, &x->m));
    assert_ok(store_requeue(s, a.trial_id, a.attempt, &end, &accepted, &x->m));
    struct forecast *f = forecast_of(x, p.plan, s);
    assert_int_equal(f->point[0].source, COST_ALIKE);
    assert_each(f->point[0].trial_s > 110, f->point[0].trial_s < 180); /* and its test */
    expect_left(x, s, f->left_s.expected);
    forecast_free(f);
    assert_true(finish(x, s, &b, result_of(0.5)));
    f = forecast_of(x, p.plan, s);
    expect_left(x, s, f->left_s.expected);
    forecast_free(f);
}

TEST(nothing_is_known_of_an_untried_sweep)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct cost c;
    struct cost_left left;
    plan_into(x, s, TUNED);
    cost_init(&c);
    assert_ok(cost_read(&c, s, &x->m));
    assert_ok(cost_left(&c, s, 1, &left, &x->m));
    assert_false(left.known);
}

static bool has_openblas(void)
{
    char line[4096];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        found |= strstr(line, "openblas") != NULL;
    fclose(f);
    return found;
}

/* The real one: something is measured, of any size of model, and not in this process. */
TEST(a_child_measures)
{
    struct point p;
    struct calibration c;
    calibrate_patience_ms = 600000;
    point_init(&p, task_find("gather"));
    assert_true(calibrate(&p, &c));
    assert_int_equal(c.heads, 4);
    assert_each(c.steps >= 1, c.seconds > 0, c.start_s > 0, c.start_s < 60);
    double speed = c.flops_per_step * c.steps / c.seconds;
    assert_each(speed > 1e5, speed < 1e13);
    p.model.d_model = 1024; /* a step of this takes many seconds */
    p.model.layers = 24;
    p.train.batch = 512;
    p.train.val_examples = 1000000;
    assert_true(calibrate(&p, &c));
    assert_true(c.steps >= 1);
    p.model.d_model = 65536;
    assert_false(calibrate(&p, &c));
    assert_false(has_openblas());
}
