/* Planning into the results file: what is added, kept, left, returned; claims that change; the
 * choice under `tune`. */
#include "store_help.h"

#include "sweep/trials/store_check.h"

static void assert_changes(const struct plan_changes *c, long added, long kept, long left,
                           long returned)
{
    assert_int_equal(c->added, added);
    assert_int_equal(c->kept, kept);
    assert_int_equal(c->left, left);
    assert_int_equal(c->returned, returned);
}

FIXTURE(set_up, tear_down)

TEST(new_sweep)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct plan_changes c = plan_into(x, s, SWEEP("[1, 2, 4]", "seeds: 2\n"));
    assert_changes(&c, 6, 0, 0, 0);
    assert_int_equal(c.sweep_id, 1);
    assert_false(c.changed_text || c.changed_claim);
    assert_answer(store_db(s),
                  "SELECT name || '|' || question || '|' || metric || '|' || goal || '|' || tune ||"
                  " '|' || coalesce(claim, '-') || '|' || (yaml LIKE '# How%') FROM sweep",
                  "plain|How many heads?|val_acc|maximize|[]|-|1");
    assert_answer(
        store_db(s),
        "SELECT task || ' ' || d_model || ' ' || heads || ' ' || d_head || ' ' || d_k || "
        "' ' || d_v || ' ' || layers || ' ' || d_ff || ' ' || lr || ' ' || steps || ' ' ||"
        " batch || ' ' || length || ' ' || vocab || ' ' || slots || ' ' || eval_every"
        " FROM config WHERE heads = 4",
        "gather 32 4 8 8 8 1 32 0.001 100 8 16 8 2 50");
    /* Split heads: parameters do not depend on their number; chance is that of 8 values. */
    assert_answer(store_db(s),
                  "SELECT count(DISTINCT n_params) || ' ' || max(chance) FROM config"
                  " WHERE n_params > 1000 AND flops_per_step > 1e6",
                  "1 0.125");
    assert_answer(store_db(s),
                  "SELECT group_concat(state || heads || seed, ' ') FROM (SELECT * FROM"
                  " trials WHERE setting = '{}' AND setting_label = '' AND tuning ="
                  " '{}' AND choice = 'chosen' AND chance = 0.125 ORDER BY plan_order)",
                  "queued10 queued20 queued40 queued11 queued21 queued41");
}

TEST(planning_again)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 2\n"));
    struct claimed claimed = claim(x, s, 1, add_build(x, s));
    assert_true(finish(x, s, &claimed, result_of(0.5)));

    struct plan_changes c = plan_into(x, s, SWEEP("[1, 2]", "seeds: 2\n"));
    assert_changes(&c, 0, 4, 0, 0);
    assert_int_equal(c.completed, 1);
    assert_false(c.changed_text);
    c = plan_into(x, s, SWEEP("[1, 2]", "seeds: 2\nretries: 1\n"));
    assert_changes(&c, 0, 4, 0, 0); /* other words, the same trials */
    assert_true(c.changed_text);
    c = plan_into(x, s, SWEEP("[1, 4]", "seeds: 2\n"));
    assert_changes(&c, 2, 2, 2, 0);
    assert_int_equal(c.completed, 1);
    assert_answer(store_db(s), "SELECT group_concat(heads || ':' || in_plan, ' ') FROM trials",
                  "1:1 2:0 1:1 2:0 4:1 4:1");
    assert_int_equal(claim(x, s, 1, 1).trial_id, 5); /* 4 heads, seed 0: 2 heads has left */
    c = plan_into(x, s, SWEEP("[1, 2, 4]", "seeds: 3\n"));
    assert_changes(&c, 3, 4, 0, 2);
    assert_answer(
        store_db(s),
        "SELECT group_concat(heads || ':' || seed || ':' || state, ' ') FROM"
        " (SELECT * FROM trials ORDER BY plan_order)",
        "1:0:completed 2:0:queued 4:0:running 1:1:queued 2:1:queued 4:1:queued 1:2:queued "
        "2:2:queued 4:2:queued");
}

TEST(settings_follow_the_axes)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    assert_answer(store_db(s), "SELECT group_concat(DISTINCT setting) FROM trial", "{}");
    struct plan_changes c =
        plan_into(x, s,
                  "name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: [2, 3]}\n"
                  "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
                  "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\nseeds: 1\n");
    assert_changes(&c, 2, 2, 0, 0);
    assert_answer(store_db(s),
                  "SELECT group_concat(setting || setting_label || slots || heads, ' ')"
                  " FROM (SELECT * FROM trials ORDER BY trial_id)",
                  "{\"task.slots\":2}slots=221 {\"task.slots\":2}slots=222 "
                  "{\"task.slots\":3}slots=331 {\"task.slots\":3}slots=332");
    int64_t sweep = c.sweep_id;
    assert_string_equal(claim(x, s, sweep, add_build(x, s)).label, "slots=2");
}

static void count_breach(void *context, const char *broken, const char *row)
{
    int *count = context;
    printf("# %s: %s\n", broken, row);
    ++*count;
}

/* Also those whose members have left the plan in part, and over a row that somebody wrote. */
TEST(ensembles_follow_their_trials)
{
    struct store *s = open_store(x, STORE_WRITE);
    int broken = 0;
    struct claimed c;
    plan_into(x, s, SWEEP("[1]", "seeds: 3\n"));
    for (int64_t build = add_build(x, s); (c = claim(x, s, 1, build)).trial_id;)
        assert_true(finish(x, s, &c, result_of(0.5)));
    run_sql(store_db(s),
            "INSERT INTO ensemble (sweep_id, setting, heads, members, trials, test_acc)"
            " VALUES (1, '{}', 1, 2, '[1,2]', .5), (1, '{\"task.slots\":2}', 1, 2, '[1,2]', .25),"
            " (1, '{}', 1, 2, '[2,3]', .75)");
    plan_into(x, s,
              "name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: [2, 3]}\n"
              "model: {d_model: 32, heads: [1], layers: 1, d_ff: 32}\n"
              "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\nseeds: [0, 2]\n");
    assert_answer(store_db(s),
                  "SELECT group_concat(setting || trials, ' ') FROM (SELECT * FROM ensemble"
                  " ORDER BY trials)",
                  "{\"task.slots\":2}[1,2] {\"task.slots\":2}[2,3]");
    assert_ok(store_check(s, count_breach, &broken, &x->m));
    assert_int_equal(broken, 0);
}

TEST(removed_trials_are_planned_again)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 2\n"));
    run_sql(store_db(s), "DELETE FROM trial WHERE trial_id = 2");
    struct plan_changes c = plan_into(x, s, SWEEP("[1, 2]", "seeds: 2\n"));
    assert_changes(&c, 1, 3, 0, 0);
    assert_answer(store_db(s), "SELECT count(*) FROM trial", "4");
}

TEST(another_file_of_the_same_name)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct plan_changes c;
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    struct planned p = plan_of(x, SWEEP("[4, 8]", "seeds: 1\n"));
    assert_status(STATUS_BAD_INPUT, store_plan(s, p.plan, false, &c, &x->m));
    assert_non_null(strstr(x->m.text, "--replace"));
    assert_answer(store_db(s), "SELECT count(*) || ' ' || sum(in_plan) FROM trial", "2 2");
    assert_ok(store_plan(s, p.plan, true, &c, &x->m));
    assert_changes(&c, 2, 0, 2, 0);
    free_plan(x, p);
    /* Other seeds alone are the same points. */
    c = plan_into(x, s, SWEEP("[4, 8]", "seeds: [7]\n"));
    assert_changes(&c, 2, 0, 2, 0);
    /* Points that were there once do not count: none of today's survives. */
    p = plan_of(x, SWEEP("[1, 2]", "seeds: 1\n"));
    assert_status(STATUS_BAD_INPUT, store_plan(s, p.plan, false, &c, &x->m));
    assert_ok(store_plan(s, p.plan, true, &c, &x->m));
    assert_changes(&c, 0, 0, 2, 2);
}

/* What ran was stopped at the best step of its metric; results by two metrics are not compared. */
TEST(another_metric_is_refused)
{
    static const char by_loss[] =
        SWEEP("[1, 2]", "seeds: 1\nmetric: {name: val_loss, goal: minimize}\n");
    struct plan_changes c;
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    plan_into(x, s, by_loss); /* nothing has run yet */
    assert_answer(store_db(s), "SELECT metric FROM sweep", "val_loss");
    claim(x, s, 1, add_build(x, s));
    plan_into(x, s, by_loss);
    struct planned p = plan_of(x, SWEEP("[1, 2, 4]", "seeds: 1\n"));
    for (int replace = 0; replace < 2; replace++) {
        assert_status(STATUS_BAD_INPUT, store_plan(s, p.plan, replace, &c, &x->m));
        assert_non_null(
            strstr(x->m.text, "the metric is val_acc, but the best steps of 1 trial of sweep"));
    }
    assert_answer(store_db(s), "SELECT metric || count(*) FROM trial JOIN sweep USING (sweep_id)",
                  "val_loss2");
}

TEST(changed_claims_are_recorded)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct plan_changes c =
        plan_into(x, s, SWEEP("[1, 2, 4]", "seeds: 1\nclaim: {best: 2, over: [1, 4]}\n"));
    assert_false(c.changed_claim);
    assert_answer(store_db(s), "SELECT claim FROM sweep", "{\"best\":2,\"over\":[1,4]}");
    assert_answer(store_db(s), "SELECT count(*) FROM plan_change", "1");
    /* the same, written otherwise */
    c = plan_into(x, s, SWEEP("[1, 2, 4]", "seeds: 1\nclaim: {over: [4, 1], best: 2}\n"));
    assert_false(c.changed_claim);
    struct claimed t = claim(x, s, 1, add_build(x, s));
    assert_true(finish(x, s, &t, result_of(0.5)));
    c = plan_into(x, s, SWEEP("[1, 2, 4]", "seeds: 1\nclaim: {best: 4, over: [1]}\n"));
    assert_true(c.changed_claim);
    c = plan_into(x, s, SWEEP("[1, 2, 4]", "seeds: 1\n"));
    assert_true(c.changed_claim);
    assert_answer(store_db(s),
                  "SELECT group_concat(seen || '/' || pairs || ':' || coalesce(claim, 'none'), ' ')"
                  " FROM plan_change",
                  "0/3:{\"best\":2,\"over\":[1,4]} 1/3:{\"best\":4,\"over\":[1]} 1/3:none");
    assert_answer(store_db(s), "SELECT claim IS NULL FROM sweep", "1");
}

/* ---- tune ---- */

#define TUNED                                                                                      \
    "name: tuned\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                          \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 100, batch: 8, lr: [1e-3, 3e-3], eval_every: 50}\n"                            \
    "tune: [train.lr]\nseeds: 1\n"

/* Two head counts, two learning rates, three tuning seeds. */
enum { TUNING = 12 };

static bool has(const struct claimed *c, const char *key)
{
    return strstr(c->config_json, key) != NULL;
}

TEST(tuning_decides_what_runs)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct plan_changes changes = plan_into(x, s, TUNED);
    assert_changes(&changes, 4 + TUNING, 0, 0, 0);
    int64_t build = add_build(x, s);
    struct claimed tuning[TUNING], c;
    for (int i = 0; i < TUNING; i++) {
        tuning[i] = claim(x, s, 1, build);
        assert_true(tuning[i].tuning);
        assert_true(tuning[i].seed >= 1000);
    }
    assert_int_equal(claim(x, s, 1, build).trial_id, 0); /* the others wait */
    for (int i = 0; i < TUNING; i++) {
        assert_answer(store_db(s), "SELECT count(*) FROM by_heads", "0");
        /* One head learns best at 3e-3; two heads at 1e-3, because 3e-3 fails for good. */
        bool one = has(&tuning[i], "\"heads\":1,"), fast = has(&tuning[i], "\"lr\":0.003,");
        bool failed, accepted;
        if (!one && fast)
            assert_ok(store_fail(s, tuning[i].trial_id, 1, 0, &(struct attempt_end){.exit_code = 1},
                                 &failed, &accepted, &x->m));
        else
            assert_true(finish(x, s, &tuning[i], result_of(one && fast ? 0.75 : 0.25)));
    }
    assert_answer(store_db(s),
                  "SELECT group_concat(heads || tuning, ' ') FROM (SELECT * FROM chosen"
                  " ORDER BY heads)",
                  "1{\"train.lr\":0.003} 2{\"train.lr\":0.001}");
    assert_answer(store_db(s),
                  "SELECT group_concat(heads || ' ' || lr || ' ' || state, ', ') FROM"
                  " (SELECT * FROM trials WHERE NOT is_tuning ORDER BY heads, lr)",
                  "1 0.001 not_needed, 1 0.003 queued, 2 0.001 queued, 2 0.003 not_needed");
    for (int heads = 1; heads <= 2; heads++) {
        c = claim(x, s, 1, build);
        assert_false(c.tuning);
        assert_true(has(&c, heads == 1 ? "\"lr\":0.003," : "\"lr\":0.001,"));
        assert_true(finish(x, s, &c, result_of(0.5)));
    }
    assert_int_equal(claim(x, s, 1, build).trial_id, 0);
    assert_answer(store_db(s),
                  "SELECT group_concat(heads || ':' || n || ':' || mean_acc, ' ') FROM"
                  " by_heads",
                  "1:1:0.5 2:1:0.5");
}

/* A further candidate, or a failed one that runs again, reopens the choice. */
TEST(the_choice_is_reopened)
{
    struct store *s = open_store(x, STORE_WRITE);
    plan_into(x, s, TUNED);
    int64_t build = add_build(x, s);
    struct claimed c;
    while ((c = claim(x, s, 1, build)).trial_id) {
        bool better = has(&c, "\"lr\":0.003,");
        assert_string_equal(c.label, better ? "lr=0.003" : "lr=0.001");
        assert_true(finish(x, s, &c, result_of(better ? 0.5 : 0.25)));
    }
    assert_answer(store_db(s),
                  "SELECT group_concat(state || lr, ' ') FROM (SELECT * FROM trials"
                  " WHERE NOT is_tuning AND heads = 1 ORDER BY lr)",
                  "not_needed0.001 completed0.003");
    char wider[1024];
    snprintf(wider, sizeof wider, "%s", TUNED);
    char *at = strstr(wider, "3e-3]");
    memmove(at + 5 + 6, at + 5, strlen(at + 5) + 1);
    memcpy(at, "3e-3, 1e-2]", 11);
    plan_into(x, s, wider);
    assert_answer(store_db(s), "SELECT count(*) FROM chosen", "0");
    assert_answer(store_db(s), "SELECT count(*) FROM by_heads", "0");
    assert_answer(store_db(s),
                  "SELECT group_concat(state || lr, ' ') FROM (SELECT * FROM trials"
                  " WHERE NOT is_tuning AND heads = 1 ORDER BY lr)",
                  "queued0.001 completed0.003 queued0.01");
    while ((c = claim(x, s, 1, build)).trial_id)
        assert_true(finish(x, s, &c, result_of(0.75)));
    assert_answer(store_db(s),
                  "SELECT group_concat(state || lr || choice, ' ') FROM (SELECT * FROM"
                  " trials WHERE NOT is_tuning AND heads = 1 ORDER BY lr)",
                  "not_needed0.001eliminated completed0.003eliminated completed0.01chosen");
    /* The eliminated result stays but is in no summary. */
    assert_answer(store_db(s),
                  "SELECT group_concat(heads || ':' || n || ':' || mean_acc, ' ') FROM"
                  " by_heads",
                  "1:1:0.75 2:1:0.75");
    /* Without `tune` every learning rate is a setting of its own. */
    *strstr(wider, "tune:") = '#';
    plan_into(x, s, wider);
    assert_answer(store_db(s),
                  "SELECT group_concat(state || setting_label || choice, ' ') FROM"
                  " (SELECT * FROM trials WHERE in_plan AND heads = 1 ORDER BY lr)",
                  "queuedlr=0.001chosen completedlr=0.003chosen completedlr=0.01chosen");
}

/* ---- small queries ---- */

TEST(sweeps_and_trials_by_name)
{
    struct store *s = open_store(x, STORE_WRITE);
    char name[STORE_NAME_SIZE];
    int64_t id;
    assert_status(STATUS_BAD_INPUT, store_sweep(s, NULL, &id, &x->m));
    assert_non_null(strstr(x->m.text, "no sweep yet"));
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    plan_into(x, s, TUNED);
    run_sql(store_db(s),
            "UPDATE sweep SET last_run = '2031-01-01T00:00:00.000Z' WHERE name = 'plain'");
    assert_ok(store_sweep(s, NULL, &id, &x->m));
    assert_int_equal(id, 1);
    plan_into(x, s, TUNED); /* the clock was set back since */
    assert_ok(store_sweep(s, NULL, &id, &x->m));
    assert_int_equal(id, 2);
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 1\n"));
    assert_ok(store_sweep(s, NULL, &id, &x->m));
    assert_int_equal(id, 1);
    assert_ok(store_sweep(s, "tuned", &id, &x->m));
    assert_int_equal(id, 2);
    assert_status(STATUS_BAD_INPUT, store_sweep(s, "tune", &id, &x->m));
    assert_non_null(strstr(x->m.text, "plain, tuned"));
    assert_ok(store_sweep_name(s, 2, name, &x->m));
    assert_string_equal(name, "tuned");
    assert_ok(store_sweep_name(s, 3, name, &x->m));
    assert_string_equal(name, "");
    assert_ok(store_trial(s, "2", &id, &x->m));
    assert_int_equal(id, 2);
    static const char *const wrong[] = {"",    "x", "2x", "-1", " 2", "0", "99999999999999999999",
                                        "9999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_status(STATUS_BAD_INPUT, store_trial(s, wrong[i], &id, &x->m));
    int64_t build = add_build(x, s);
    assert_int_equal(add_build(x, s), build);
}

TEST(progress_counts_the_plan)
{
    struct store *s = open_store(x, STORE_WRITE);
    struct counts counts;
    bool failed, accepted;
    plan_into(x, s, SWEEP("[1, 2]", "seeds: 3\n"));
    int64_t build = add_build(x, s);
    for (int i = 0; i < 4; i++) {
        struct claimed c = claim(x, s, 1, build);
        if (i < 2)
            assert_true(finish(x, s, &c, result_of(0.5)));
        else if (i == 2)
            assert_ok(store_fail(s, c.trial_id, 1, 0, &(struct attempt_end){0}, &failed, &accepted,
                                 &x->m));
    }
    static const long expected[TRIAL_STATES] = {
        [TRIAL_QUEUED] = 2, [TRIAL_RUNNING] = 1, [TRIAL_COMPLETED] = 2, [TRIAL_FAILED] = 1};
    assert_ok(store_counts(s, 1, &counts, &x->m));
    assert_memory_equal(counts.trials, expected, sizeof expected);
    assert_int_equal(counts.planned, 6);
    assert_int_equal(counts.ended, 3);
    assert_answer(store_db(s),
                  "SELECT planned || ' ' || queued || ' ' || running || ' ' ||"
                  " completed || ' ' || failed || ' ' || mean_train_s FROM progress",
                  "6 2 1 2 1 1.5");
    plan_into(x, s, SWEEP("[1]", "seeds: 1\n"));
    assert_ok(store_counts(s, 1, &counts, &x->m));
    long sum = 0;
    for (int i = 0; i < TRIAL_STATES; i++)
        sum += counts.trials[i];
    assert_int_equal(sum, 1);
}
