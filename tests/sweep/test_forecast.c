/* How many trials and steps `plan` says are still to run. */
#include "forecast_help.h"

#include <math.h>

static long counted(const struct forecast *f, enum forecast_state state)
{
    long n = 0;
    for (long i = 0; i < f->points; i++)
        n += f->point[i].count[state];
    return n;
}

FIXTURE(set_up, tear_down)

/* Of the settings of a head count one runs in the end: counted by its share as long as it is not
 * known which, then in full. */
TEST(tuning_counts_what_will_run)
{
    struct planned p = plan_of(x, TUNED);
    struct store *s = open_store(x, STORE_WRITE);
    struct forecast *f = forecast_of(x, p.plan, NULL);
    assert_int_equal(f->candidates, 2);
    assert_int_equal(counted(f, FORECAST_NEW), 16);
    double one = f->point[0].trial_s;
    assert_each(one > 0, fabs(f->left_s.expected - 14 * one) < 1e-9 * one);
    forecast_free(f);

    plan_into(x, s, TUNED);
    int64_t build = add_build(x, s);
    struct claimed c[12];
    for (int i = 0; i < 12; i++)
        c[i] = claim(x, s, 1, build);
    for (int i = 0; i < 12; i++)
        if (strstr(c[i].config_json, "\"heads\":1,"))
            assert_true(finish(x, s, &c[i], result_of(0.5)));
    f = forecast_of(x, p.plan, s);
    assert_int_equal(counted(f, FORECAST_COMPLETED), 6);
    assert_int_equal(counted(f, FORECAST_NOT_NEEDED), 1);
    double expected = 0;
    for (long i = 0; i < f->points; i++) /* two of heads 1, of which one was chosen, two of 2 */
        expected += f->point[i].heads == 2 ? 3.5 * f->point[i].trial_s : f->point[i].trial_s / 2;
    assert_true(fabs(f->left_s.expected - expected) < 1e-9 * expected);
    forecast_free(f);
}

/* What a shard does not run it does not count; what is done it has done, wherever that was. */
TEST(a_shard_counts_its_own)
{
    struct planned p = plan_of(x, TUNED), cut = plan_of(x, TUNED);
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, TUNED);
    int64_t build = add_build(x, s);
    for (int i = 0; i < 12; i++) {
        struct claimed c = claim(x, s, 1, build);
        if (strstr(c.config_json, "\"heads\":1,"))
            assert_true(finish(x, s, &c, result_of(0.5)));
    }
    struct forecast *whole = forecast_of(x, p.plan, s);
    double seconds = 0;
    long to_run = 0;
    for (int k = 1; k <= 2; k++) {
        assert_ok(plan_set_shard(cut.plan, (struct plan_shard){k, 2}, &x->m));
        struct forecast *f = forecast_of(x, cut.plan, s);
        assert_int_equal(counted(f, FORECAST_COMPLETED), 6);
        assert_int_equal(f->to_run + f->elsewhere, whole->to_run);
        assert_int_equal(f->planned + f->elsewhere, whole->planned);
        assert_int_equal(f->not_needed, whole->not_needed);
        for (long i = 0; i < f->points; i++) /* shard 1 has heads 1, shard 2 has heads 2 */
            assert_true(f->point[i].heads == k || forecast_to_run(&f->point[i], false) == 0);
        to_run += f->to_run;
        seconds += f->left_s.expected;
        forecast_free(f);
    }
    assert_int_equal(to_run, whole->to_run);
    assert_true(fabs(seconds - whole->left_s.expected) < 1e-9 * seconds);
    forecast_free(whole);
}

static void assert_near(double x, double expected)
{
    if (!(fabs(x - expected) < 1e-9 * expected))
        fail_msg("%.12g, should be %.12g", x, expected);
}

#define RUNGS                                                                                      \
    "name: rungs\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                          \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 1000, batch: 8, lr: [1e-4, 3e-4, 1e-3, 3e-3, 1e-2], eval_every: 10}\n"         \
    "tune: {axes: [train.lr], seeds: 2, rungs: {min_steps: 100, eta: 3}}\nseeds: 3\n"

/* Of five candidates two go on from step 100, one from step 300. */
TEST(rungs_leave_a_share_of_the_steps)
{
    struct planned p = plan_of(x, RUNGS);
    struct forecast *f = forecast_of(x, p.plan, NULL);
    assert_near(f->tuning_steps, 2 * 2 * 5 * 1000);
    assert_near(f->tuning_steps_left, 2 * 2 * (5 * 100 + 2 * 200 + 1 * 700));
    assert_int_equal(f->tuning_left, 2 * 2 * 5);
    assert_near(f->trials_left.least, 2 * 3);
    double start = f->cost.start_s, seconds = 0;
    for (long i = 0; i < f->points; i++) { /* 3 / 5 of a trial, and 2 * 1600 / 5000 of two */
        double one = f->point[i].trial_s - start;
        seconds += 3 * (start + one) / 5 + 2 * (start + one * 0.32);
    }
    assert_near(f->left_s.expected, seconds);
    assert_near(f->left_s.most, seconds);
    forecast_free(f);
}

/* The last of three looks is as likely as the first. */
TEST(looks_have_a_least_and_a_most)
{
    struct planned p = plan_of(x, "name: looks\ntask: {name: gather, length: 16}\n"
                                  "model: {d_model: 32, heads: [1, 2], d_ff: 32}\n"
                                  "train: {lr: [1e-3, 1e-2]}\ntune: {axes: [train.lr], seeds: 2}\n"
                                  "looks: [5, 10, 20]\n");
    struct forecast *f = forecast_of(x, p.plan, NULL);
    assert_int_equal(f->tuning_left, 8);
    assert_near(f->trials_left.least, 2 * 5);
    assert_near(f->trials_left.expected, 2 * (5 + 5 * 2 / 3.0 + 10 / 3.0));
    assert_near(f->trials_left.most, 2 * 20);
    double seconds[3] = {0, 0, 0};
    for (long i = 0; i < f->points; i++) {
        seconds[0] += f->point[i].trial_s * (2 + 2.5);
        seconds[1] += f->point[i].trial_s * (2 + (5 + 10 / 3.0 + 10 / 3.0) / 2);
        seconds[2] += f->point[i].trial_s * (2 + 10);
    }
    assert_near(f->left_s.least, seconds[0]);
    assert_near(f->left_s.expected, seconds[1]);
    assert_near(f->left_s.most, seconds[2]);
    forecast_free(f);
}

static void edit(struct fixture *x, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    run_sql(db, sql);
    sqlite3_close(db);
}

/* The look that is open, and those behind it, are read from the trials of the file. */
TEST(looks_go_on_from_the_open_one)
{
    static const char looks[] = "name: looks\ntask: {name: gather, length: 16}\n"
                                "model: {d_model: 32, heads: [1, 2], d_ff: 32}\n"
                                "looks: [2, 3, 5]\n";
    struct store *s = open_store(x, STORE_WRITE);
    struct planned p = plan_of(x, looks);
    plan_into(x, s, looks);
    edit(x, "UPDATE trial SET choice = 'waiting' WHERE seed >= 2");
    struct forecast *f = forecast_of(x, p.plan, s);
    assert_int_equal(f->noted[FORECAST_QUEUED][FORECAST_PLAIN], 2 * 2);
    assert_int_equal(f->noted[FORECAST_QUEUED][FORECAST_LOOK], 2 * 3);
    assert_near(f->trials_left.least, 2 * 2);
    assert_near(f->trials_left.most, 2 * 5);
    forecast_free(f);
    edit(x, "UPDATE trial SET choice = 'chosen' WHERE seed = 2"); /* the first look is over */
    f = forecast_of(x, p.plan, s);
    assert_int_equal(f->point[0].look, 2);
    assert_near(f->trials_left.least, 2 * 3);
    assert_near(f->trials_left.expected, 2 * (3 + 2 / 2.0));
    forecast_free(f);
    edit(x, "UPDATE trial SET state = 'not_needed', choice = 'eliminated' WHERE seed >= 3");
    f = forecast_of(x, p.plan, s);
    assert_int_equal(f->noted[FORECAST_NOT_NEEDED][FORECAST_LOOK], 2 * 2);
    assert_near(f->trials_left.least, 2 * 3);
    assert_near(f->trials_left.most, 2 * 3);
    forecast_free(f);
}

/* A trial that waits at a rung goes on as often as candidates do; one that has passed it does. */
TEST(rungs_go_on_from_the_last_one)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct planned p = plan_of(x, RUNGS);
    plan_into(x, s, RUNGS);
    edit(x, "DELETE FROM trial WHERE is_tuning = 0");
    edit(x, "UPDATE trial SET choice = 'waiting', resume_step = 100");
    struct forecast *f = forecast_of(x, p.plan, s);
    double start = f->cost.start_s, judged = 0, one = 0;
    for (long i = 0; i < f->points; i++) {
        one += f->point[i].trial_s - start;
        judged += 3 * f->point[i].trial_s / 5;
    }
    assert_int_equal(f->noted[FORECAST_QUEUED][FORECAST_RUNG], 20);
    /* two of five train 200 steps, one of five 700 */
    assert_near(f->left_s.most - judged, 20 * start + 2 * one * (0.4 * 0.2 + 0.2 * 0.7));
    forecast_free(f);
    edit(x, "UPDATE trial SET choice = 'chosen'");
    f = forecast_of(x, p.plan, s);
    assert_near(f->left_s.most - judged, 20 * start + 2 * one * (0.2 + 0.5 * 0.7));
    forecast_free(f);
    edit(x, "UPDATE trial SET choice = 'eliminated', state = 'not_needed'");
    f = forecast_of(x, p.plan, s);
    assert_int_equal(f->noted[FORECAST_NOT_NEEDED][FORECAST_RUNG], 20);
    assert_near(f->left_s.most, judged);
    assert_int_equal(f->tuning_left, 0);
    forecast_free(f);
}

/* What `plan` tells of a sweep of the same name is what `run` does. */
TEST(a_sweep_of_the_same_name)
{
    static const struct {
        const char *yaml;
        bool stranger;
    } later[] = {
        {SWEEP("[1, 2]", "seeds: [0, 1]\n"), false},
        {SWEEP("[1, 2]", "seeds: [7]\n"), false}, /* other seeds alone are the same points */
        {SWEEP("[2, 4]", "seeds: [7]\n"), false},
        {SWEEP("[4, 8]", "seeds: [0, 1]\n"), true},
    };
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        struct plan_changes changes;
        snprintf(x->db, sizeof x->db, "%s/%zu.db", x->folder, i);
        struct store *s = open_store(x, STORE_WRITE);
        struct planned p = plan_of(x, later[i].yaml);
        struct forecast *f = forecast_of(x, p.plan, s);
        assert_false(f->other_plan); /* there is no such sweep yet */
        forecast_free(f);
        plan_into(x, s, SWEEP("[1, 2]", "seeds: [0, 1]\n"));
        f = forecast_of(x, p.plan, s);
        assert_int_equal(f->other_plan, later[i].stranger);
        assert_status(later[i].stranger ? STATUS_BAD_INPUT : STATUS_OK,
                      store_plan(s, p.plan, false, &changes, &x->m));
        forecast_free(f);
        free_plan(x, p);
        close_store(x, s);
    }
}
