/* How many trials and steps `plan` says are still to run, and that what then runs is within it. */
#include "forecast_help.h"

#include "sweep/run/confirm.h"
#include "sweep/run/looks.h"

#include "tests/unit/faults.h"

static long counted(const struct forecast *f, const char *state)
{
    char sql[100];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM outlook WHERE state = '%s'", state);
    return (long)of_preview(f, sql);
}

static long because(const struct forecast *f, const char *why)
{
    char sql[160];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM outlook WHERE why = '%s'", why);
    return (long)of_preview(f, sql);
}

FIXTURE(set_up, tear_down)

/* Of the values of a head count one is judged in the end: counted by its share as long as it is not
 * known which, then in full. */
TEST(tuning_counts_what_will_run)
{
    struct planned p = plan_of(x, TUNED);
    struct store *s = open_store(x, STORE_WRITE);
    struct forecast *f = forecast_of(x, p.plan, NULL);
    assert_int_equal(counted(f, "new"), 16);
    assert_each(f->to_run == 14, f->counts.planned == 14, f->left.tuning == 12);
    assert_range(f->left.trials, 2, 2, 2);
    double sum = 7 * (one_trial(f, 1) + one_trial(f, 2));
    assert_range(f->left.core_s, sum, sum, sum);
    forecast_free(f);

    plan_into(x, s, TUNED);
    int64_t build = add_build(x, s);
    struct claimed c[12];
    for (int i = 0; i < 12; i++)
        c[i] = claim(x, s, 1, build);
    for (int i = 0; i < 12; i++)
        if (c[i].heads == 1)
            assert_true(finish(x, s, &c[i], result_of(0.5)));
    f = forecast_of(x, p.plan, s);
    assert_each(counted(f, "completed") == 6, counted(f, "not_needed") == 1,
                counted(f, "new") == 0);
    assert_int_equal(because(f, "runs if tuning chooses its setting"), 2);
    assert_range(f->left.trials, 2, 2, 2);
    sum = one_trial(f, 1) + 7 * one_trial(f, 2);
    assert_range(f->left.core_s, sum, sum, sum);
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
        if (c.heads == 1)
            assert_true(finish(x, s, &c, result_of(0.5)));
    }
    struct forecast *whole = forecast_of(x, p.plan, s);
    double seconds = 0;
    long to_run = 0;
    for (int k = 1; k <= 2; k++) {
        assert_ok(plan_set_shard(cut.plan, (struct plan_shard){k, 2}, &x->m));
        struct forecast *f = forecast_of(x, cut.plan, s);
        assert_int_equal(counted(f, "completed"), 6);
        /* Those that run were claimed before: they are no other shard's to take. */
        assert_int_equal(f->counts.planned + f->counts.elsewhere, whole->counts.planned);
        assert_int_equal(f->counts.trials[TRIAL_NOT_NEEDED],
                         whole->counts.trials[TRIAL_NOT_NEEDED]);
        to_run += f->to_run - f->counts.trials[TRIAL_RUNNING];
        seconds += f->left.core_s.expected;
        forecast_free(f);
    }
    assert_int_equal(to_run, whole->to_run - whole->counts.trials[TRIAL_RUNNING]);
    assert_true(seconds >= whole->left.core_s.expected);
    forecast_free(whole);
}

/* Failed trials are tried again where that is asked for, and count as what they were. */
TEST(failed_trials_may_be_tried_again)
{
    static const char yaml[] = SWEEP("[1, 2]", "seeds: 2\n");
    struct run r = start(x, yaml);
    struct planned p = plan_of(x, yaml);
    struct attempt_end end = {.exit_code = 1};
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    bool failed, accepted;
    assert_ok(store_fail(r.s, c.trial_id, c.attempt, 0, &end, &failed, &accepted, &x->m));
    for (int again = 0; again < 2; again++) {
        struct forecast *f;
        assert_ok(forecast_new(p.plan, r.s, again, NULL, &f, &x->m));
        assert_each(f->to_run == 3 + again, counted(f, "failed") == 1);
        assert_range(f->left.trials, 3 + again, 3 + again, 3 + again);
        assert_int_equal(because(f, again ? "failed, will be tried again"
                                          : "failed too often; --retry-failed tries again"),
                         1);
        forecast_free(f);
    }
}

#define RUNGS                                                                                      \
    "name: rungs\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                          \
    "model: {d_model: 32, heads: 1, layers: 1, d_ff: 32}\n"                                        \
    "train: {steps: 1000, batch: 8, lr: [1e-4, 3e-4, 1e-3, 3e-3, 1e-2], eval_every: 10}\n"         \
    "tune: {axes: [train.lr], seeds: 2, rungs: {min_steps: 100, eta: 3}}\nseeds: 3\n"

/* Of five candidates two go on from step 100, one from step 300. */
TEST(rungs_leave_a_share_of_the_steps)
{
    struct planned p = plan_of(x, RUNGS);
    struct forecast *f = forecast_of(x, p.plan, NULL);
    double start = f->cost.start_s, one = one_trial(f, 1) - start;
    double judged = 3 * (start + one), all = (5 * 100 + 2 * 200 + 1 * 700) / 1000.0;
    assert_int_equal(f->left.tuning, 2 * 5);
    assert_range(f->left.trials, 3, 3, 3);
    double sum = 10 * start + 2 * one * all + judged;
    assert_range(f->left.core_s, sum, sum, sum);
    forecast_free(f);
    /* One that waits at a rung goes on as often as candidates do; one that has passed it does. */
    static const int64_t rung[] = {100, 300, 900};
    assert_true(fabs(cost_tuning_share(rung, 3, 3, 5, 1000, 100, true) - (.4 * .2 + .2 * .7)) <
                1e-9);
    assert_true(fabs(cost_tuning_share(rung, 3, 3, 5, 1000, 100, false) - (.2 + .5 * .7)) < 1e-9);
    assert_true(cost_tuning_share(rung, 0, 0, 1, 1000, 250, false) == .75);
}

/* The last of three looks is as likely as the first. */
TEST(looks_have_a_least_and_a_most)
{
    static const char looks[] = "name: looks\ntask: {name: gather, length: 16}\n"
                                "model: {d_model: 32, heads: [1, 2], d_ff: 32}\n"
                                "looks: [5, 10, 20]\n";
    struct planned p = plan_of(x, looks);
    struct forecast *f = forecast_of(x, p.plan, NULL);
    double both = one_trial(f, 1) + one_trial(f, 2), expected = 5 + 5 * 2 / 3.0 + 10 / 3.0;
    assert_range(f->left.trials, 2 * 5, 2 * expected, 2 * 20);
    assert_range(f->left.core_s, both * 5, both * expected, both * 20);
    forecast_free(f);
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, looks);
    run_sql(store_db(s), "INSERT INTO look VALUES (1, '{}', 1, '', 'undecided', 0);"
                         "UPDATE trial SET choice = 'chosen' WHERE look = 2");
    f = forecast_of(x, p.plan, s);
    assert_int_equal(because(f, "runs if an earlier look does not decide"), 2 * 10);
    assert_range(f->left.trials, 2 * 10, 2 * (10 + 10 / 2.0), 2 * 20);
    forecast_free(f);
}

TEST(values_that_may_be_added_widen_a_forecast)
{
    struct planned p = plan_of(
        x, "name: far\ntask: {name: gather, length: 16, vocab: 8, slots: 2, instance: [1, 2]}\n"
           "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
           "train: {steps: 100, batch: 8, lr: [1e-3, 1e-2], eval_every: 50}\n"
           "replicate: [task.instance]\ntune: {axes: [train.lr], seeds: 3, extend: 2}\nseeds: 1\n");
    struct forecast *f = forecast_of(x, p.plan, NULL);
    double both = one_trial(f, 1) + one_trial(f, 2);
    /* 24 tuning trials, 4 judged; each of two head counts may have two more values, with 2 x 3. */
    assert_each(f->left.tuning == 24, f->may_add == 24, f->counts.planned == 28);
    assert_range(f->left.trials, 4, 4, 4);
    assert_range(f->left.core_s, 14 * both, 20 * both, 26 * both);
    forecast_free(f);
}

TEST(confirming_trials_widen_a_forecast)
{
    struct planned p = plan_of(x, SWEEP("[1, 2, 4, 8]", "seeds: 3\nconfirm: 6\n"));
    struct forecast *f = forecast_of(x, p.plan, NULL);
    double sum = 0, shortest = INFINITY;
    for (int heads = 1; heads <= 8; heads *= 2) {
        sum += one_trial(f, heads);
        shortest = fmin(shortest, one_trial(f, heads));
    }
    double three = sum - shortest; /* the three head counts that take longest */
    assert_each(f->may_confirm == 18, f->counts.planned == 12);
    assert_range(f->left.trials, 12, 21, 30);
    assert_range(f->left.core_s, 3 * sum, 3 * sum + 3 * three, 3 * sum + 6 * three);
    forecast_free(f);
}

/* ---- what then runs ---- */

/* One head is best at the largest rate, two at .001, four nowhere. Seeds differ a little. */
static double score(const struct claimed *c)
{
    double rate = strtod(strstr(c->config_json, "\"lr\":") + 5, NULL);
    double noise = .01 * (double)(c->seed * 7 % 5);
    return noise + (c->heads == 1   ? .9 - .5 / (1 + rate)
                    : c->heads == 2 ? (rate < .001 ? .1 : .5 / (1 + rate))
                                    : .2);
}

/* Ends or pauses a trial, and judges, as a coordinator does; false where there is none. */
static bool step(struct fixture *x, struct store *s, const struct plan *p, int64_t build)
{
    struct text_buffer said = {0};
    struct claimed c = claim(x, s, 1, build);
    if (c.trial_id && c.until) {
        struct attempt_end end = {.step = c.until};
        char curve[200];
        bool accepted;
        snprintf(curve, sizeof curve,
                 "[{\"step\":50,\"train_loss\":2,\"train_acc\":0.5,\"val_loss\":1,"
                 "\"val_acc\":%.17g,\"grad_norm\":1,\"lr\":0.001,\"cpu_s\":1}]",
                 score(&c));
        assert_ok(store_curve(s, c.trial_id, c.attempt, curve, &x->m));
        assert_ok(store_pause(s, c.trial_id, c.attempt, &end, &accepted, &x->m));
    } else if (c.trial_id) {
        assert_true(finish(x, s, &c, result_of(score(&c))));
    }
    assert_ok(looks_judge(s, p, 1, &said, &x->m));
    assert_ok(confirm_judge(s, p, 1, &said, &x->m));
    free(said.text);
    return c.trial_id != 0;
}

static long ended(struct store *s, bool tuning)
{
    char sql[160];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM trial WHERE state = 'completed' AND is_tuning = %d", tuning);
    return strtol(ask(store_db(s), sql), NULL, 10);
}

/* What a run of that file has to do is within what was said of it. */
static void assert_within(struct fixture *x, struct store *s, const char *yaml, int64_t build)
{
    struct planned p = plan_of(x, yaml);
    struct forecast *f = forecast_of(x, p.plan, s);
    struct plan_changes changes;
    long tuning = ended(s, true), judged = ended(s, false);
    assert_ok(store_plan(s, p.plan, true, &changes, &x->m));
    while (step(x, s, p.plan, build) ||
           strcmp(ask(store_db(s), "SELECT queued FROM progress"), "0"))
        ;
    tuning = ended(s, true) - tuning;
    judged = ended(s, false) - judged;
    bool rungs = plan_config(p.plan)->rung_eta > 0; /* some tuning trials pause for good */
    if ((!rungs && tuning < f->left.tuning) || tuning > f->left.tuning + f->may_add ||
        judged < lround(f->left.trials.least) || judged > lround(f->left.trials.most))
        fail_msg("%ld and %ld have run; said: %ld to %ld and %g to %g\n%s", tuning, judged,
                 f->left.tuning, f->left.tuning + f->may_add, f->left.trials.least,
                 f->left.trials.most, yaml);
    assert_true(!forecast_is_done(f) || tuning + judged == 0);
    forecast_free(f);
    f = forecast_of(x, p.plan, s);
    assert_each(forecast_is_done(f), f->may_choose == 0, f->leaving == 0);
    forecast_free(f);
    free_plan(x, p);
}

static unsigned dice;

static const char *roll(const char *const *list)
{
    unsigned n = 0;
    while (list[n])
        n++;
    dice = dice * 1103515245 + 12345;
    return list[(dice >> 16) % n];
}

/* A sweep file, edited anyhow. */
static const char *edited(char text[600])
{
    static const char *const heads[] = {"[1, 2]", "[1, 2, 4]", "[2, 1]", NULL};
    static const char *const rates[] = {"[1e-3, 1e-2]", "[1e-3, 1e-2, .1, 1]",
                                        "[1e-4, 1e-3, 1e-2, .1]", "[1e-3, .1]", NULL};
    static const char *const tunes[] = {"2}",
                                        "2, extend: 1}",
                                        "2, extend: 2}",
                                        "1, extend: 1}",
                                        "2, rungs: {min_steps: 50, eta: 2}}",
                                        NULL};
    static const char *const rest[] = {"seeds: 2\n", "seeds: 3\n", "looks: [2, 3, 4]\n",
                                       "seeds: 2\nconfirm: 6\n", NULL};
    const char *h = roll(heads), *r = roll(rates), *t = roll(tunes);
    snprintf(text, 600,
             "name: far\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
             "model: {d_model: 32, heads: %s, layers: 1, d_ff: 32}\n"
             "train: {steps: 100, batch: 8, lr: %s, eval_every: 50}\n"
             "tune: {axes: [train.lr], seeds: %s\n%s",
             h, r, t, roll(rest));
    return text;
}

TEST(what_then_runs_is_within_a_forecast)
{
    char from[600], to[600];
    struct store *s = open_store(x, STORE_WRITE);
    int64_t build = add_build(x, s);
    for (dice = 1; dice <= 30; dice++) {
        unsigned round = dice;
        run_sql(store_db(s), "PRAGMA foreign_keys = ON; DELETE FROM sweep");
        struct planned p = plan_of(x, edited(from));
        struct plan_changes changes;
        assert_ok(store_plan(s, p.plan, true, &changes, &x->m));
        int steps = (int)(dice >> 16) % 40;
        while (steps-- > 0 && step(x, s, p.plan, build))
            ;
        free_plan(x, p);
        assert_within(x, s, edited(to), build);
        dice = round;
    }
}

/* ---- what a plan may not be ---- */

/* What `plan` tells of a sweep of the same name is what `run` does. */
TEST(a_sweep_of_the_same_name)
{
    static const struct {
        const char *yaml;
        enum status status;
        long known;
    } later[] = {
        {SWEEP("[1, 2]", "seeds: [0, 1]\n"), STATUS_OK, 4},
        {SWEEP("[1, 2]", "seeds: [7]\n"), STATUS_OK, 0}, /* other seeds are the same points */
        {SWEEP("[4, 8]", "seeds: [0, 1]\n"), STATUS_BAD_INPUT, 0},
        {SWEEP("[1, 2]", "seeds: [0, 1]\nmetric: {name: val_loss}\n"), STATUS_BAD_INPUT, 0},
    };
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: [0, 1]\n"));
    struct claimed c = claim(x, s, 1, add_build(x, s));
    assert_true(finish(x, s, &c, result_of(.5)));
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        struct planned p = plan_of(x, later[i].yaml);
        struct forecast *f = forecast_of(x, p.plan, s);
        assert_int_equal(f->counts.planned - counted(f, "new"), later[i].known);
        assert_status(later[i].status, store_refuse_plan(s, p.plan, false, &x->m));
        assert_string_equal(f->preview.refused.text, later[i].status ? x->m.text : "");
        forecast_free(f);
        free_plan(x, p);
    }
    assert_answer(store_db(s), "SELECT count(*) || ' ' || sum(in_plan) FROM trial", "4 4");
}

/* Allocations fail, one of seven: an error each time, and never a leak. */
TEST(a_forecast_without_memory_is_an_error)
{
    if (!FAULTS_IN_MALLOC)
        skip();
    struct run r = start(x, TUNED);
    struct planned p = plan_of(x, TUNED);
    bool fired = true;
    int failures = 0;
    for (int n = 1; fired; n += 7 + n / 50) { /* SQLite asks for memory some 30,000 times */
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
