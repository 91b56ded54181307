/* What runs, waits and is passed over: rungs among tuning trials, and looks. */
#include "store_help.h"

#include "sweep/trials/store_check.h"

#include "tests/test.h"

#define TUNED(rest)                                                                                \
    "name: tuned\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                          \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 400, batch: 8, lr: [1e-3, 2e-3, 3e-3], eval_every: 50}\n" rest
/* At steps 50, 100 and 200: of three candidates two go on, of two one. */
#define RUNGS                                                                                      \
    TUNED("tune: {axes: [train.lr], seeds: 2, rungs: {eta: 2, min_steps: 50}}\nseeds: 1\n")

static const char *curve(int64_t from, int64_t to, double acc)
{
    static char text[2048];
    size_t used = (size_t)snprintf(text, sizeof text, "[");
    for (int64_t step = from; step <= to; step += 50)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s{\"step\":%d,\"train_loss\":1,\"train_acc\":%.17g,"
                                 "\"val_loss\":%.17g,\"val_acc\":%.17g,\"grad_norm\":1,"
                                 "\"lr\":0.001,\"elapsed_s\":1}",
                                 used > 1 ? "," : "", (int)step, acc, 1 - acc, acc);
    snprintf(text + used, sizeof text - used, "]");
    return text;
}

static void pause_at(struct fixture *x, struct store *s, const struct claimed *c, double acc)
{
    struct attempt_end end = {.exit_code = 74, .step = c->until};
    bool accepted = false;
    assert_ok(store_curve(s, c->trial_id, c->attempt,
                          curve(c->resumed_from_step + 50, c->until, acc), &x->m));
    assert_ok(store_pause(s, c->trial_id, c->attempt, &end, &accepted, &x->m));
    assert_true(accepted);
}

static bool complete(struct fixture *x, struct store *s, const struct claimed *c, double acc)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "{\"state\":\"completed\",\"steps_done\":400,\"best_step\":50,\"train_acc\":%.17g,"
             "\"val_acc\":%.17g,\"test_acc\":%.17g,\"test_acc_by_slot\":[%.17g,1],\"test_exact\":0,"
             "\"test_loss\":0.25,\"chance\":0.125,\"train_s\":1.5,\"resumed_from_step\":0,"
             "\"error\":null,\"bad_step\":null,\"curve\":%s}",
             acc, acc, acc, acc, curve(50, 400, acc));
    return finish(x, s, c, text);
}

static double rate_of(const struct claimed *c)
{
    const char *at = strstr(c->config_json, "\"lr\":");
    assert_non_null(at);
    return strtod(at + 5, NULL);
}

/* Heads 1 learns best at 3e-3, heads 2 at 1e-3. */
static double acc_of(const struct claimed *c)
{
    double rate = 100 * rate_of(c);
    return c->heads == 1 ? .5 + rate : .9 - rate;
}

static int left_of(struct store *s)
{
    return (int)strtol(ask(store_db(s), "SELECT count(*) FROM trial WHERE state = 'queued' AND"
                                        " choice = 'chosen' AND in_plan = 1"),
                       NULL, 10);
}

static void assert_until(struct store *s, int heads, const char *expected)
{
    char sql[400];
    snprintf(sql, sizeof sql,
             "SELECT group_concat(lr || ' ' || state || ' ' || choice || ' ' || ifnull(until, '-'),"
             " ', ') FROM (SELECT DISTINCT lr, state, choice, until FROM trials WHERE is_tuning"
             " AND heads = %d ORDER BY lr, state)",
             heads);
    assert_answer(store_db(s), sql, expected);
}

/* So many trials run, all at once, and pause at `until`: the last `but` of them later. */
static void pause_all(struct fixture *x, struct run *r, int64_t until, int trials,
                      struct claimed *later, int but)
{
    struct claimed *c = calloc((size_t)trials, sizeof *c);
    assert_non_null(c);
    for (int i = 0; i < trials; i++) {
        c[i] = claim(x, r->s, r->sweep, r->build);
        assert_true(c[i].tuning);
        assert_int_equal(c[i].until, until);
    }
    for (int i = 0; i < trials - but; i++)
        pause_at(x, r->s, &c[i], acc_of(&c[i]));
    if (but)
        memcpy(later, c + trials - but, (size_t)but * sizeof *c);
    free(c);
}

static void fail_on_breach(void *context, const char *broken, const char *what)
{
    (void)context;
    fail_msg("%s: %s", broken, what);
}

static void assert_promises(struct fixture *x, struct store *s)
{
    assert_ok(store_check(s, fail_on_breach, NULL, &x->m));
}

FIXTURE(set_up, tear_down)

TEST(rungs_halve_the_candidates)
{
    struct run r = start(x, RUNGS);
    assert_until(r.s, 1, "0.001 queued chosen 50, 0.002 queued chosen 50, 0.003 queued chosen 50");
    struct claimed last;
    pause_all(x, &r, 50, 12, &last, 1);
    assert_promises(x, r.s);
    assert_int_equal(last.heads, 2); /* its head count waits, the other goes on */
    assert_until(
        r.s, 1, "0.001 not_needed eliminated 50, 0.002 queued chosen 100, 0.003 queued chosen 100");
    assert_answer(r.db,
                  "SELECT count(*) FROM trials WHERE heads = 2 AND is_tuning AND choice ="
                  " 'waiting' AND until = 50",
                  "5");
    pause_at(x, r.s, &last, acc_of(&last));
    assert_until(
        r.s, 1, "0.001 not_needed eliminated 50, 0.002 queued chosen 100, 0.003 queued chosen 100");
    assert_until(
        r.s, 2, "0.001 queued chosen 100, 0.002 queued chosen 100, 0.003 not_needed eliminated 50");
    pause_all(x, &r, 100, 8, NULL, 0);
    assert_promises(x, r.s);
    /* One candidate is left: it has no rival to wait for. */
    assert_until(
        r.s, 1,
        "0.001 not_needed eliminated 50, 0.002 not_needed eliminated 100, 0.003 queued chosen -");
    assert_answer(r.db, "SELECT count(*) FROM chosen", "0");
    for (int i = 0; i < 4; i++) {
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        assert_each(c.tuning, c.until == 0, c.resumed_from_step == 100);
        assert_true(complete(x, r.s, &c, acc_of(&c)));
    }
    assert_answer(r.db,
                  "SELECT group_concat(heads || tuning || rank || ifnull(eliminated_at, '-'), ' ')"
                  " FROM (SELECT * FROM tuning WHERE heads = 1 ORDER BY rank)",
                  "1{\"train.lr\":0.003}1- 1{\"train.lr\":0.002}2100 1{\"train.lr\":0.001}350");
    for (int i = 0; i < 2; i++) {
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        assert_false(c.tuning);
        assert_true(rate_of(&c) == (c.heads == 1 ? .003 : .001));
        assert_true(complete(x, r.s, &c, .5));
    }
    assert_int_equal(claim(x, r.s, r.sweep, r.build).trial_id, 0);
    assert_promises(x, r.s);
}

/* What it comes to is a function of what the trials have done: planned again, with other rungs and
 * without them, it is taken anew. */
TEST(rungs_are_settled_anew)
{
    struct run r = start(x, RUNGS);
    pause_all(x, &r, 50, 12, NULL, 0);
    static const char all[] =
        "SELECT group_concat(trial_id || state || choice || ifnull(until, '-'))"
        " FROM (SELECT * FROM trial ORDER BY trial_id)";
    char before[4096];
    snprintf(before, sizeof before, "%s", ask(r.db, all));
    plan_into(x, r.s, TUNED("tune: {axes: [train.lr], seeds: 2}\nseeds: 1\n"));
    assert_until(r.s, 1, "0.001 queued chosen -, 0.002 queued chosen -, 0.003 queued chosen -");
    plan_into(x, r.s, RUNGS);
    assert_answer(r.db, all, before);
    plan_into(x, r.s,
              TUNED("tune: {axes: [train.lr], seeds: 2, rungs: {eta: 3, min_steps: 50}}\n"
                    "seeds: 1\n"));
    assert_until(
        r.s, 1,
        "0.001 not_needed eliminated 50, 0.002 not_needed eliminated 50, 0.003 queued chosen -");
    assert_promises(x, r.s);
}

/* A trial that was stopped at its rung has not said all of its curve: it pauses there again. A late
 * report changes nothing. */
TEST(only_a_pause_reaches_a_rung)
{
    struct run r = start(x, RUNGS);
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    struct attempt_end end = {.exit_code = 75, .step = 50, .cause = CAUSE_STOPPED};
    bool accepted = false;
    assert_ok(store_requeue(r.s, c.trial_id, c.attempt, &end, &accepted, &x->m));
    plan_into(x, r.s, TUNED("tune: {axes: [train.lr], seeds: 2}\nseeds: 1\n"));
    plan_into(x, r.s, RUNGS);
    struct claimed again = claim(x, r.s, r.sweep, r.build);
    assert_int_equal(again.trial_id, c.trial_id);
    assert_int_equal(again.until, 50);
    assert_ok(store_pause(r.s, c.trial_id, c.attempt, &end, &accepted, &x->m));
    assert_false(accepted);
    again.resumed_from_step = 0;
    pause_at(x, r.s, &again, .5);
    assert_answer(r.db, "SELECT state || choice || resume_step FROM trial WHERE trial_id = 1",
                  "queuedwaiting50");
    assert_answer(r.db, "SELECT group_concat(cause) FROM attempt WHERE trial_id = 1",
                  "stopped,paused");
}

/* A trial that failed before a rung counts as a guess there; tried again, its rung is open again.
 */
TEST(failures_at_rungs)
{
    struct run r = start(x, RUNGS);
    bool failed, accepted;
    long count;
    struct claimed *all = calloc(12, sizeof *all);
    assert_non_null(all);
    for (int i = 0; i < 12; i++)
        all[i] = claim(x, r.s, r.sweep, r.build);
    for (int i = 0; i < 12; i++) {
        if (all[i].heads == 1 && rate_of(&all[i]) == .003)
            assert_ok(store_fail(r.s, all[i].trial_id, 1, 0,
                                 &(struct attempt_end){.exit_code = 78, .limit_hit = true}, &failed,
                                 &accepted, &x->m));
        else
            pause_at(x, r.s, &all[i], acc_of(&all[i]));
    }
    free(all);
    assert_until(r.s, 1,
                 "0.001 queued chosen 100, 0.002 queued chosen 100, 0.003 failed eliminated -");
    assert_answer(r.db, "SELECT sum(limit_hit) FROM trial", "2");
    assert_ok(store_retry_failed(r.s, r.sweep, &count, &x->m));
    assert_int_equal(count, 2);
    assert_answer(r.db, "SELECT sum(limit_hit) FROM trial", "0");
    assert_until(r.s, 1,
                 "0.001 queued waiting 50, 0.002 queued waiting 50, 0.003 queued chosen 50");
    assert_promises(x, r.s);
}

/* ---- looks ---- */

#define LOOKS SWEEP("[1, 2]", "looks: [2, 3, 5]\n")

static void finish_all(struct fixture *x, struct run *r, int trials)
{
    for (int i = 0; i < trials; i++) {
        struct claimed c = claim(x, r->s, r->sweep, r->build);
        assert_true(finish(x, r->s, &c, result_of(0.5)));
    }
    assert_int_equal(claim(x, r->s, r->sweep, r->build).trial_id, 0);
}

static struct look_due assert_due(struct fixture *x, struct run *r, int look)
{
    struct look_due due;
    assert_ok(store_look_due(r->s, r->sweep, &due, &x->m));
    assert_int_equal(due.look, look);
    return due;
}

TEST(looks_open_and_close)
{
    struct run r = start(x, LOOKS);
    assert_due(x, &r, 0);
    finish_all(x, &r, 4);
    struct look_due due = assert_due(x, &r, 1);
    assert_string_equal(due.setting, "{}");
    assert_ok(store_look_judged(r.s, r.sweep, &due, "edge", false, &x->m));
    assert_ok(store_look_judged(r.s, r.sweep, &due, "middle", true, &x->m)); /* late: nothing */
    assert_due(x, &r, 0);
    assert_promises(x, r.s);
    finish_all(x, &r, 2);
    due = assert_due(x, &r, 2);
    assert_ok(store_look_judged(r.s, r.sweep, &due, "middle", true, &x->m));
    assert_due(x, &r, 0);
    assert_int_equal(left_of(r.s), 0);
    assert_answer(r.db, "SELECT group_concat(look || kind || decided) FROM look",
                  "1edge0,2middle1");
    assert_answer(r.db,
                  "SELECT count(*) FROM trial WHERE state = 'not_needed' AND choice = 'eliminated'"
                  " AND look = 3",
                  "4");
    assert_promises(x, r.s);
    /* The same again stands; another question is judged anew, by what there is. */
    plan_into(x, r.s, LOOKS);
    assert_answer(r.db, "SELECT count(*) FROM look", "2");
    plan_into(x, r.s, SWEEP("[1, 2]", "looks: [2, 3, 5]\nclaim: {best: 1, over: [2]}\n"));
    assert_answer(r.db, "SELECT count(*) FROM look", "0");
    assert_due(x, &r, 1);
    /* Without looks all run. */
    plan_into(x, r.s, SWEEP("[1, 2]", "seeds: 5\n"));
    assert_int_equal(left_of(r.s), 4);
    assert_due(x, &r, 0);
    assert_promises(x, r.s);
}

/* A failed trial that is tried again opens its look, and forgets those behind it. */
TEST(a_retry_opens_a_look)
{
    struct run r = start(x, LOOKS);
    bool failed, accepted;
    long count;
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    assert_ok(store_fail(r.s, c.trial_id, 1, 0, &(struct attempt_end){.exit_code = 1}, &failed,
                         &accepted, &x->m));
    finish_all(x, &r, 3);
    struct look_due due = assert_due(x, &r, 1);
    assert_ok(store_look_judged(r.s, r.sweep, &due, "middle", true, &x->m));
    assert_ok(store_retry_failed(r.s, r.sweep, &count, &x->m));
    assert_answer(r.db, "SELECT count(*) FROM look", "0");
    assert_due(x, &r, 0);
    assert_int_equal(left_of(r.s), 1);
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE choice = 'waiting' AND state = 'queued'",
                  "6");
    assert_promises(x, r.s);
}

/* Trials of the first look wait for the choice, those of the second for the look. */
TEST(looks_and_tune)
{
    struct run r = start(x, TUNED("tune: {axes: [train.lr], seeds: 1}\nlooks: [2, 3]\n"));
    for (int i = 0; i < 6; i++) {
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        assert_true(c.tuning);
        assert_true(complete(x, r.s, &c, acc_of(&c)));
    }
    assert_promises(x, r.s);
    for (int i = 0; i < 4; i++) {
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        assert_false(c.tuning);
        assert_true(complete(x, r.s, &c, .5));
    }
    assert_int_equal(claim(x, r.s, r.sweep, r.build).trial_id, 0);
    struct look_due due = assert_due(x, &r, 1);
    assert_ok(store_look_judged(r.s, r.sweep, &due, "edge", false, &x->m));
    assert_int_equal(left_of(r.s), 2);
    assert_answer(r.db,
                  "SELECT group_concat(heads || ' ' || lr, ', ') FROM (SELECT * FROM trials WHERE"
                  " look = 2 AND state = 'queued' ORDER BY heads)",
                  "1 0.003, 2 0.001");
    assert_promises(x, r.s);
}
