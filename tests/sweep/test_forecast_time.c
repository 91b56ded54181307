/* What `plan` says of the time that trials take. */
#include "forecast_help.h"

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
    assert_each(f->left.core_s.expected > 1000 * 0.005, f->left.core_s.expected < 1000 * 0.2);
    /* Evaluation and test take 1024 examples each: of one step's work as much as 2048 / (3 * 8). */
    double step = of_preview(f, "SELECT flops_per_step FROM config");
    double work = (one_trial(f, 1) - f->cost.start_s) * 1e10; /* at the assumed speed */
    assert_true(fabs(work - step * (1 + 2048 / 24.0)) < 1e-6 * step);
    forecast_free(f);
}

static int source_of(const struct forecast *f, int heads)
{
    char sql[120];
    snprintf(sql, sizeof sql,
             "SELECT source FROM takes JOIN config USING (config_id) WHERE heads = %d", heads);
    return (int)of_preview(f, sql);
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
    double step = of_preview(f, "SELECT flops_per_step FROM config WHERE heads = 32");
    assert_true(fabs(one_trial(f, 32) - .25 - step * (100 + 3 * 1024 / 24.0) / 5e9) < 1e-9);
    assert_int_equal(source_of(f, 1), COST_MEASURED);
    assert_int_equal(source_of(f, 32), COST_MEASURED);
    forecast_free(f);
    asked = answers = 0; /* it cannot be */
    assert_ok(forecast_new(p.plan, NULL, false, pretend, &f, &x->m));
    assert_int_equal(asked, 1);
    assert_int_equal(source_of(f, 1), COST_ASSUMED);
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
    assert_int_equal(source_of(f, 1), COST_ASSUMED);
    assert_true(fabs(one_trial(f, 1) - f->cost.start_s -
                     (one_trial(alone, 1) - alone->cost.start_s)) < 1e-9);
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
    double least = one_trial(f, 1), most = one_trial(f, 32);
    for (int heads = 1; heads <= 32; heads *= heads == 2 ? 8 : 2)
        assert_int_equal(source_of(f, heads), COST_ALIKE);
    assert_true(fabs(f->cost.start_s - 0.25) < 1e-9);
    assert_each(least > 7, least<9, most> 70, most < 90);
    assert_each(one_trial(f, 2) < 10, one_trial(f, 16) > 60);
    forecast_free(f);
    free_plan(x, p);

    p = plan_of(x, PRICED("[1]", "2", "4")); /* the very configuration, whatever it took */
    f = forecast_of(x, p.plan, s);
    assert_int_equal(source_of(f, 1), COST_RECORDED);
    assert_true(fabs(one_trial(f, 1) - f->cost.start_s - 0.003) < 1e-9);
    forecast_free(f);
}

TEST(what_is_done_of_a_trial_is_deducted)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, PRICED("[1]", "100", "2"));
    struct planned p = plan_of(x, PRICED("[1]", "100", "2"));
    struct forecast *f = forecast_of(x, p.plan, s);
    double start = f->cost.start_s, one = one_trial(f, 1) - start;
    assert_true(fabs(f->left.core_s.expected - 2 * (start + one)) < 1e-9);
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
    one = one_trial(f, 1) - start; /* at the speed of what is done */
    assert_true(fabs(f->left.core_s.expected - (2 * start + (0.25 + 0.5) * one)) < 1e-9);
    forecast_free(f);
}

static struct cost_left left_of(struct fixture *x, struct store *s)
{
    struct cost c;
    struct cost_left left = {0};
    struct scope *scope = scope_of(s, &x->m);
    cost_init(&c);
    if (scope_enter(scope)) {
        cost_read(scope, &c);
        left = cost_left(scope, &c, 1);
    }
    assert_ok(scope_end(scope));
    return left;
}

static void expect_left(struct fixture *x, struct store *s, double expected)
{
    struct cost_left left = left_of(x, s);
    assert_true(left.known);
    if (!(fabs(left.core_s.expected - expected) < 1e-9 * expected))
        fail_msg("%g s are left, expected %g", left.core_s.expected, expected);
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
    assert_int_equal(source_of(f, 1), COST_ALIKE);
    assert_each(one_trial(f, 1) > 110, one_trial(f, 1) < 180); /* and its test */
    expect_left(x, s, f->left.core_s.expected);
    forecast_free(f);
    assert_true(finish(x, s, &b, result_of(0.5)));
    f = forecast_of(x, p.plan, s);
    expect_left(x, s, f->left.core_s.expected);
    forecast_free(f);
}

TEST(nothing_is_known_of_an_untried_sweep)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, TUNED);
    assert_false(left_of(x, s).known);
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
