/* tune.extend: which values are put into the plan while a sweep runs, and when they leave it. */
#include "store_help.h"

#include "sweep/trials/store_check.h"

#include "tests/test.h"

#define SWEEP_OF(heads, rates, tune, rest)                                                         \
    "name: far\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                            \
    "model: {d_model: 32, heads: " heads ", layers: 1, d_ff: 32}\n"                                \
    "train: {steps: 100, batch: 8, lr: " rates ", eval_every: 50}\n"                               \
    "tune: {axes: [train.lr], seeds: 2" tune "}\nseeds: 2\n" rest
#define FAR SWEEP_OF("[1, 2]", "[1e-3, 3e-3, 1e-2]", ", extend: 2", "")

static double option_of(const struct claimed *c, const char *name)
{
    char key[40];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(c->config_json, key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

/* What a trial comes to. */
typedef double scorer(const struct claimed *c);

/* One head learns best at .11, two heads at .003. */
static double apart(const struct claimed *c)
{
    double rate = option_of(c, "lr");
    return c->heads == 1 ? .5 + rate / (rate > .2 ? 10 : 1)
                         : .9 - (rate > .003 ? rate : .004 - rate);
}

/* Claims and finishes trials, `of` of them or all that there are; returns how many. */
static int work(struct fixture *x, struct run *r, scorer *score, int of)
{
    int n = 0;
    for (; of == 0 || n < of; n++) {
        struct claimed c = claim(x, r->s, r->sweep, r->build);
        if (!c.trial_id)
            break;
        assert_true(finish(x, r->s, &c, result_of(score(&c))));
    }
    return n;
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

/* The values of a head count in the plan, added ones with how far: "0.001 0.003 0.01 0.033+1". */
static void assert_values(struct run *r, int heads, const char *expected)
{
    char sql[400];
    snprintf(
        sql, sizeof sql,
        "SELECT group_concat(lr || iif(added, '+' || added, ''), ' ') FROM (SELECT DISTINCT lr,"
        " added FROM trials WHERE heads = %d AND in_plan ORDER BY lr)",
        heads);
    assert_answer(r->db, sql, expected);
}

static void assert_chosen(struct run *r, int heads, const char *expected)
{
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT tuning FROM chosen WHERE heads = %d", heads);
    assert_answer(r->db, sql, expected);
}

FIXTURE(set_up, tear_down)

/* Values follow one another until one is inside; those who judge wait for that. */
TEST(values_are_added)
{
    struct run r = start(x, FAR);
    assert_int_equal(work(x, &r, apart, 8), 8);
    assert_values(&r, 1, "0.001 0.003 0.01");
    struct claimed last = claim(x, r.s, r.sweep, r.build);
    assert_int_equal(last.heads, 1);
    assert_true(finish(x, r.s, &last, result_of(apart(&last))));
    assert_values(&r, 1, "0.001 0.003 0.01 0.033+1");
    assert_values(&r, 2, "0.001 0.003 0.01");
    assert_chosen(&r, 1, "");
    assert_answer(r.db,
                  "SELECT group_concat(is_tuning || seed || state || choice || plan_order, ' ')"
                  " FROM (SELECT * FROM trials WHERE added ORDER BY plan_order)",
                  "11000queuedchosen2 11001queuedchosen8 00queuedwaiting14 01queuedwaiting20");
    assert_promises(x, r.s);
    /* Its trials are next: they stand where those are that they were made from. */
    for (int i = 0; i < 2; i++) {
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        assert_each(c.tuning, c.heads == 1, c.until == 0, option_of(&c, "lr") == .033);
        assert_true(finish(x, r.s, &c, result_of(apart(&c))));
    }
    assert_values(&r, 1, "0.001 0.003 0.01 0.033+1 0.11+2");
    assert_int_equal(work(x, &r, apart, 2), 2);
    assert_values(&r, 1, "0.001 0.003 0.01 0.033+1 0.11+2"); /* twice, and not again */
    assert_values(&r, 2, "0.001 0.003 0.01");
    assert_chosen(&r, 1, "{\"train.lr\":0.11}");
    assert_int_equal(work(x, &r, apart, 0), 3 + 4);
    assert_answer(r.db,
                  "SELECT group_concat(heads || ' ' || lr || ' ' || n, ', ') FROM (SELECT heads,"
                  " lr, count(*) AS n FROM trials WHERE NOT is_tuning AND state = 'completed'"
                  " GROUP BY heads, lr)",
                  "1 0.11 2, 2 0.003 2");
    assert_answer(r.db, "SELECT planned || ' ' || not_needed FROM progress", "20 12");
    assert_promises(x, r.s);
}

/* Above .02 it only gets worse. */
static double inside(const struct claimed *c)
{
    double rate = option_of(c, "lr");
    return .5 + (rate > .02 ? -rate : rate);
}

TEST(what_is_inside_ends_it)
{
    struct run r = start(x, FAR);
    work(x, &r, inside, 0);
    for (int heads = 1; heads <= 2; heads++) {
        assert_values(&r, heads, "0.001 0.003 0.01 0.033+1");
        assert_chosen(&r, heads, "{\"train.lr\":0.01}");
    }
    assert_promises(x, r.s);
}

static double downwards(const struct claimed *c)
{
    return .9 - option_of(c, "lr") / 200;
}

TEST(values_are_added_below_the_smallest_too)
{
    struct run r = start(x, FAR);
    work(x, &r, downwards, 0);
    assert_values(&r, 1, "0.00011+2 0.00033+1 0.001 0.003 0.01");
    assert_chosen(&r, 1, "{\"train.lr\":0.00011}");
}

/* ---- where there is no way on ---- */

static double same_everywhere(const struct claimed *c)
{
    (void)c;
    return .5;
}

static double perfect(const struct claimed *c)
{
    return option_of(c, "lr") > .005 ? 1 : .5;
}

static void assert_not_extended(struct fixture *x, const char *yaml, scorer *score,
                                const char *values)
{
    struct run r = start(x, yaml);
    work(x, &r, score, 0);
    assert_values(&r, 1, values);
    assert_promises(x, r.s);
    close_store(x, r.s);
    unlink(x->db);
}

TEST(ties_exclusions_and_limits_end_what_is_added)
{
    static const char three[] = "0.001 0.003 0.01";
    assert_not_extended(x, FAR, same_everywhere, three); /* a tie goes to the inner value */
    assert_not_extended(x, FAR, perfect, three);
    assert_not_extended(x, SWEEP_OF("[1, 2]", "[1e-3, 3e-3, 1e-2]", "", ""), apart, three);
    assert_not_extended(x,
                        SWEEP_OF("[1, 2]", "[1e-3, 1e-2]", ", extend: 2",
                                 "exclude: [{model.heads: 1, train.lr: 1e-3}]\n"),
                        apart, "0.01");
    assert_not_extended(
        x, SWEEP_OF("[1, 2]", "[1e-3, 3e-3, 1e-2]", ", extend: 2", "exclude: [{train.lr: .033}]\n"),
        apart, three);
    assert_not_extended(x,
                        SWEEP_OF("[1, 2]", "[1e-3, 3e-3, 1e-2]", ", extend: 2",
                                 "constraints: [\"train.lr < .1\"]\n"),
                        apart, "0.001 0.003 0.01 0.033+1");
    assert_not_extended(x, SWEEP_OF("[1, 2]", "[0.0101, 0.0102]", ", extend: 2", ""), apart,
                        "0.0101 0.0102"); /* %.2g is the same */
    assert_not_extended(x, SWEEP_OF("[1, 2]", "[10, 100]", ", extend: 4", ""), downwards,
                        "0.001+4 0.01+3 0.1+2 1.0+1 10.0 100.0");
}

static double upwards(const struct claimed *c)
{
    return .5 + option_of(c, "lr") / 4000;
}

TEST(no_value_beyond_the_range_is_added)
{
    assert_not_extended(x, SWEEP_OF("[1, 2]", "[10, 100]", ", extend: 4", ""), upwards,
                        "10.0 100.0 1000.0+1");
}

/* Ended without a result, they count as tried. */
TEST(diverged_values_are_tried)
{
    struct run r = start(x, FAR);
    bool failed, accepted;
    for (struct claimed c; (c = claim(x, r.s, r.sweep, r.build)).trial_id;) {
        if (option_of(&c, "lr") < .02)
            assert_true(finish(x, r.s, &c, result_of(apart(&c))));
        else
            assert_ok(store_fail(r.s, c.trial_id, c.attempt, 0, &(struct attempt_end){0}, &failed,
                                 &accepted, &x->m));
    }
    assert_values(&r, 1, "0.001 0.003 0.01 0.033+1");
    assert_chosen(&r, 1, "{\"train.lr\":0.01}");
    /* Tried again, it succeeds, and leads on. */
    long count = 0;
    assert_ok(store_retry_failed(r.s, r.sweep, &count, &x->m));
    assert_int_equal(count, 2);
    assert_chosen(&r, 1, "");
    work(x, &r, apart, 0);
    assert_values(&r, 1, "0.001 0.003 0.01 0.033+1 0.11+2");
    assert_chosen(&r, 1, "{\"train.lr\":0.11}");
    assert_promises(x, r.s);
}

static double at_three(const struct claimed *c)
{
    double rate = option_of(c, "lr");
    return rate > .002 && rate < .004 ? .9 : .5 + (rate > .02 ? -rate : rate);
}

/* A choice that a failure has led to, and what followed from it, does not outlive the failure. */
TEST(a_retry_leads_elsewhere)
{
    struct run r = start(x, FAR);
    bool failed, accepted;
    long count = 0;
    for (struct claimed c; (c = claim(x, r.s, r.sweep, r.build)).trial_id;) {
        if (c.heads == 1 && option_of(&c, "lr") == .003)
            assert_ok(store_fail(r.s, c.trial_id, c.attempt, 0, &(struct attempt_end){0}, &failed,
                                 &accepted, &x->m));
        else
            assert_true(finish(x, r.s, &c, result_of(at_three(&c))));
    }
    assert_values(&r, 1, "0.001 0.003 0.01 0.033+1");
    assert_chosen(&r, 1, "{\"train.lr\":0.01}");
    assert_ok(store_retry_failed(r.s, r.sweep, &count, &x->m));
    assert_values(&r, 1, "0.001 0.003 0.01");
    assert_promises(x, r.s);
    assert_int_equal(work(x, &r, at_three, 0), 2 + 2);
    assert_values(&r, 1, "0.001 0.003 0.01");
    assert_chosen(&r, 1, "{\"train.lr\":0.003}");
    assert_answer(r.db, "SELECT count(*) FROM trials WHERE added AND state = 'completed'", "2");
    assert_promises(x, r.s);
}

/* ---- several axes, replicates, settings ---- */

#define WIDE                                                                                       \
    "name: far\ntask: {name: gather, length: 16, vocab: 8, slots: 2, instance: [1, 2]}\n"          \
    "model: {d_model: 32, heads: 1, layers: 1, d_ff: [16, 32]}\n"                                  \
    "train: {steps: 100, batch: 8, lr: [1e-3, 1e-2], weight_decay: [.1, .2],\n"                    \
    "  optimizer: [adamw, adam], eval_every: 50}\nreplicate: [task.instance]\n"                    \
    "tune: {axes: [train.weight_decay, train.optimizer, train.lr], seeds: 1, extend: 1}\n"         \
    "seeds: 1\n"

/* Best at lr .1, weight decay .4, with adam. */
static double in_a_corner(const struct claimed *c)
{
    double rate = option_of(c, "lr"), decay = option_of(c, "weight_decay");
    return .3 + rate + decay / 10 + (strstr(c->config_json, "\"adam\"") ? .1 : 0) +
           (option_of(c, "d_ff") > 16 ? .1 : 0);
}

TEST(one_axis_at_a_time)
{
    struct run r = start(x, WIDE);
    work(x, &r, in_a_corner, 0);
    assert_answer(r.db,
                  "SELECT group_concat(tuning || added || n, ' ') FROM (SELECT tuning, added,"
                  " count(*) AS n FROM trials WHERE added AND is_tuning GROUP BY tuning, added"
                  " ORDER BY added)",
                  "{\"train.lr\":0.01,\"train.optimizer\":\"adam\",\"train.weight_decay\":0.4}14 "
                  "{\"train.lr\":0.1,\"train.optimizer\":\"adam\",\"train.weight_decay\":0.4}24");
    assert_answer(r.db, "SELECT count(*) || ' ' || count(DISTINCT tuning) FROM chosen", "2 1");
    assert_answer(r.db,
                  "SELECT count(*) || ' ' || count(DISTINCT replicate) || ' ' ||"
                  " count(DISTINCT setting) FROM trials WHERE added = 2 AND NOT is_tuning"
                  " AND state = 'completed'",
                  "4 2 2");
    assert_promises(x, r.s);
}

/* ---- the same file, and another one, planned again ---- */

static const char all_trials[] =
    "SELECT group_concat(trial_id || state || choice || in_plan || added || plan_order || tuning)"
    " FROM (SELECT * FROM trial ORDER BY trial_id)";

TEST(planning_again_keeps_added_values)
{
    struct run r = start(x, FAR);
    char before[4096];
    assert_int_equal(work(x, &r, apart, 10), 10); /* one of .033 has run, the other is queued */
    snprintf(before, sizeof before, "%s", ask(r.db, all_trials));
    struct plan_changes again = plan_into(x, r.s, FAR);
    assert_each(again.added == 0, again.left == 0, again.returned == 0, again.kept == 24);
    assert_answer(r.db, all_trials, before);
    /* The history of the plan has not heard of it. */
    work(x, &r, apart, 0);
    snprintf(before, sizeof before, "%s", ask(r.db, all_trials));
    plan_into(x, r.s, FAR);
    assert_answer(r.db, all_trials, before);
    assert_answer(r.db, "SELECT count(*) || ' ' || max(pairs) FROM plan_change", "1 24");
    /* Without the key they leave; with it they are back, with their results. */
    plan_into(x, r.s, SWEEP_OF("[1, 2]", "[1e-3, 3e-3, 1e-2]", "", ""));
    assert_values(&r, 1, "0.001 0.003 0.01");
    assert_chosen(&r, 1, "{\"train.lr\":0.01}");
    assert_answer(r.db, "SELECT what ->> '$.rules' FROM plan_change ORDER BY 1 DESC LIMIT 1",
                  "[\"extend\"]");
    plan_into(x, r.s, FAR);
    assert_answer(r.db, all_trials, before);
    assert_int_equal(claim(x, r.s, r.sweep, r.build).trial_id, 0);
    assert_promises(x, r.s);
}

/* More seeds are for them as well, and a finer list leaves their results. */
TEST(planned_otherwise)
{
    struct run r = start(x, FAR);
    work(x, &r, apart, 0);
    struct plan_changes c = plan_into(
        x, r.s, SWEEP_OF("[1, 2]", "[1e-3, 3e-3, 1e-2]", ", extend: 2", "") "retries: 1\n");
    assert_each(c.added == 0, c.left == 0);
    static const char more[] =
        "name: far\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
        "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
        "train: {steps: 100, batch: 8, lr: [1e-3, 3e-3, 1e-2], eval_every: 50}\n"
        "tune: {axes: [train.lr], seeds: 3, extend: 2}\nseeds: 3\n";
    c = plan_into(x, r.s, more);
    assert_each(c.added == 12, c.left == 0, c.kept == 24);
    /* A third tuning seed is to say first whether the outermost is still chosen. */
    assert_values(&r, 1, "0.001 0.003 0.01");
    assert_int_equal(work(x, &r, apart, 0), 6 + 2 + 2);
    assert_values(&r, 1, "0.001 0.003 0.01 0.033+1 0.11+2");
    assert_chosen(&r, 1, "{\"train.lr\":0.11}");
    assert_promises(x, r.s);
}

/* A file that lists a value later has its trials. */
TEST(listed_later)
{
    struct run r = start(x, FAR);
    work(x, &r, apart, 0);
    static const char listed[] =
        SWEEP_OF("[1, 2]", "[1e-3, 3e-3, 1e-2, 3.3e-2, .11]", ", extend: 2", "");
    struct plan_changes c = plan_into(x, r.s, listed);
    assert_each(c.kept == 24, c.left == 0, c.added == 8, c.returned == 8);
    assert_values(&r, 1, "0.001 0.003 0.01 0.033 0.11 0.37+1"); /* counted from the new list */
    assert_chosen(&r, 1, "");
    assert_answer(r.db, "SELECT count(*) FROM trials WHERE heads = 1 AND state = 'completed'",
                  "12");
    work(x, &r, apart, 0);
    assert_values(&r, 1, "0.001 0.003 0.01 0.033 0.11 0.37+1");
    assert_chosen(&r, 1, "{\"train.lr\":0.11}");
    assert_answer(r.db,
                  "SELECT count(*) FROM trials WHERE heads = 1 AND state = 'completed'"
                  " AND attempt > 1",
                  "0");
    assert_promises(x, r.s);
}

/* Trials of later looks are there for an added value too; no look is due before choices are final.
 */
TEST(looks_wait_for_added_values)
{
    struct run r =
        start(x, "name: far\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
                 "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
                 "train: {steps: 100, batch: 8, lr: [1e-3, 3e-3, 1e-2], eval_every: 50}\n"
                 "tune: {axes: [train.lr], seeds: 1, extend: 2}\nlooks: [2, 3]\n");
    struct look_due due;
    for (int n = 1; n <= 6 + 2 + 4; n++) {
        assert_ok(store_look_due(r.s, r.sweep, &due, &x->m));
        assert_int_equal(due.look, 0);
        assert_int_equal(work(x, &r, apart, 1), 1);
    }
    assert_ok(store_look_due(r.s, r.sweep, &due, &x->m));
    assert_int_equal(due.look, 1);
    assert_chosen(&r, 1, "{\"train.lr\":0.11}");
    assert_answer(r.db,
                  "SELECT group_concat(seed || choice || state, ' ') FROM (SELECT * FROM trials"
                  " WHERE lr = .11 AND NOT is_tuning ORDER BY seed)",
                  "0chosencompleted 1chosencompleted 2waitingqueued");
    assert_ok(store_look_judged(r.s, r.sweep, &due, "edge", false, &x->m));
    assert_int_equal(work(x, &r, apart, 0), 2);
    assert_promises(x, r.s);
    close_store(x, r.s);
}

/* What a hand has put where it cannot be is found. */
TEST(check_finds_values_added_by_hand)
{
    struct run r = start(x, FAR);
    struct told told = {0};
    work(x, &r, apart, 0);
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
    work(x, &r, apart, 8);
    run_sql(r.db, "UPDATE sweep SET yaml = 'task: {nam: gather}'");
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    struct attempt_end end = {.cpu_s = 1};
    assert_status(STATUS_BAD_INPUT,
                  store_finish(r.s, c.trial_id, c.attempt, result_of(apart(&c)), "t1-a1.result",
                               RESULT_SHA256, &end, &accepted, &x->m));
    assert_false(accepted);
    assert_non_null(strstr(x->m.text, "the sweep file that is stored, to be extended: far:1:7: "));
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE state = 'running'", "1");
    plan_into(x, r.s, FAR); /* the same command puts it back */
    assert_true(finish(x, r.s, &c, result_of(apart(&c))));
    assert_values(&r, 1, "0.001 0.003 0.01 0.033+1");
}
