/* confirm in the results file: what is written down once exploring has ended, which trials that
 * asks for, and what becomes of both when trials are tried again or the sweep is planned anew. */
#include "tests/sweep/store_help.h"

#include "sweep/evidence/evidence.h"
#include "sweep/run/confirm.h"
#include "sweep/run/looks.h"
#include "sweep/trials/store_check.h"

#define FIND "seeds: 3\nconfirm: 6\n"

/* Two heads win: what a trial gets, by its head count and seed. */
static double score(const struct claimed *c)
{
    static const double of[] = {[1] = .7, [2] = .95, [4] = .5, [8] = .3};
    return of[c->heads] + .001 * (double)(c->seed * c->heads * 3 % 5);
}

static double at_chance(const struct claimed *c)
{
    (void)c;
    return .125;
}

typedef double scores(const struct claimed *c);

/* What a coordinator does in the transaction that ends a trial. */
static void judge_all(struct fixture *x, struct run *r, const struct planned *p,
                      struct text_buffer *said)
{
    assert_ok(looks_judge(r->s, p->plan, r->sweep, said, &x->m));
    assert_ok(confirm_judge(r->s, p->plan, r->sweep, said, &x->m));
}

/* Completes up to so many trials; returns what was said. *n: how many there were. */
static const char *end_trials(struct fixture *x, struct run *r, const struct planned *p, int most,
                              scores *of, int *n)
{
    static char said[2048];
    struct text_buffer b = {0};
    for (*n = 0; *n < most; ++*n) {
        assert_ok(store_begin(r->s, &x->m));
        struct claimed c = claim(x, r->s, r->sweep, r->build);
        if (c.trial_id)
            assert_true(finish(x, r->s, &c, result_of(of(&c))));
        judge_all(x, r, p, &b);
        assert_ok(store_commit(r->s, &x->m));
        if (!c.trial_id)
            break;
    }
    snprintf(said, sizeof said, "%s", b.text ? b.text : "");
    free(b.text);
    return said;
}

static void assert_whole(struct fixture *x, struct run *r)
{
    struct told told = {0};
    assert_ok(store_check(r->s, tell, &told, &x->m));
    /* The made-up curves have no rows at these steps. */
    if (strstr(told.text, "claim") || strstr(told.text, "confirm") || strstr(told.text, "plan"))
        fail_msg("%s", told.text);
}

/* What is confirmed, by setting in the order of the plan: " claim_confirmed"; " -" without a claim.
 */
static const char *confirmed(struct fixture *x, struct run *r)
{
    static char found[400];
    found[0] = '\0';
    struct scope *s = scope_new(r->s, "the results", &x->m);
    if (scope_enter(s)) {
        const struct evidence *e = evidence_read(s, r->sweep);
        for (int i = 0; i < e->settings; i++) {
            struct verdict *v = NULL;
            scope_check(s, verdict_new(&e->setting[i].input, &v, &x->m));
            size_t used = strlen(found);
            snprintf(found + used, sizeof found - used, "%s%s", i ? " " : "",
                     v->confirmed ? verdict_kind_name(v->confirmed->kind) : "-");
            verdict_free(v);
        }
    }
    assert_ok(scope_end(s));
    return found;
}

/* How many fresh units count, and trials of each head count on them. */
static void assert_counted(struct fixture *x, struct run *r, int units, int trials)
{
    struct scope *s = scope_new(r->s, "the results", &x->m);
    if (scope_enter(s)) {
        const struct evidence_confirm *c = evidence_read(s, r->sweep)->setting[0].confirm;
        assert_int_equal(c->confirm.units, units);
        assert_int_equal(c->confirm.repeated, 6 - units);
        for (int i = 0; i < c->count; i++)
            assert_int_equal(c->heads[i].n, trials);
    }
    assert_ok(scope_end(s));
}

#define assert_confirmed(x, r, kinds) assert_string_equal(confirmed(x, r), kinds)

FIXTURE(set_up, tear_down)

TEST(what_was_found_is_written_down)
{
    static const char yaml[] = SWEEP("[1, 2, 4, 8]", FIND);
    struct run r = start(x, yaml);
    struct planned p = plan_of(x, yaml);
    int n;
    char plan[65];
    snprintf(plan, sizeof plan, "%s", ask(r.db, "SELECT plan_sha256 FROM sweep"));
    assert_string_equal(end_trials(x, &r, &p, 11, score, &n), "");
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE confirms", "0");
    assert_string_equal(end_trials(x, &r, &p, 1, score, &n),
                        "2 heads are tested against 1 and 8, on 6 fresh seeds "
                        "(18 trials)\n");
    assert_answer(r.db,
                  "SELECT claim || pairs || ' ' || added || ' ' || seen || ' ' || trials_ended ||"
                  " setting || json_remove(what, '$.configs') FROM plan_change"
                  " WHERE by = 'confirm'",
                  "{\"best\":2,\"over\":[1,8]}18 18 0 12{}{\"kind\":\"middle\",\"confirm\":"
                  "{\"seeds\":6},\"tuning\":{\"1\":{},\"2\":{},\"4\":{},\"8\":{}}}");
    assert_answer(r.db,
                  "SELECT group_concat(key || (value = config_sha256), ' ') FROM plan_change,"
                  " json_each(what, '$.configs') JOIN config ON heads = key",
                  "11 21 81");
    assert_answer(r.db,
                  "SELECT group_concat(heads || state || n, ' ') FROM (SELECT heads, state,"
                  " count(*) AS n FROM trials WHERE confirms GROUP BY 1, 2)",
                  "1queued6 2queued6 4not_needed6 8queued6");
    assert_answer(r.db,
                  "SELECT min(seed) || max(seed) || min(plan_order) FROM trial WHERE confirms",
                  "2000200512");
    assert_confirmed(x, &r, "nothing");
    assert_string_equal(end_trials(x, &r, &p, 100, score, &n), "");
    assert_int_equal(n, 18);
    assert_confirmed(x, &r, "claim_confirmed");
    assert_answer(r.db, "SELECT best || over || explored || trials || seen FROM confirmations",
                  "2[1,8]middle180");
    assert_answer(r.db, "SELECT plan_sha256 FROM sweep", plan);
    /* Views are of the trials that explored. */
    assert_answer(r.db, "SELECT group_concat(n) FROM by_heads", "3,3,3,3");
    assert_answer(r.db, "SELECT max(n) FROM paired", "3");
    assert_answer(r.db, "SELECT group_concat(n) FROM cost", "3,3,3,3");
    assert_answer(r.db, "SELECT sum(confirms) || ' of ' || count(*) FROM trials", "24 of 36");
    assert_whole(x, &r);
}

TEST(planning_again_keeps_confirming_trials)
{
    static const char yaml[] = SWEEP("[1, 2, 4]", FIND);
    struct run r = start(x, yaml);
    struct planned p = plan_of(x, yaml);
    int n;
    end_trials(x, &r, &p, 14, score, &n);
    free_plan(x, p);
    struct plan_changes same = plan_into(x, r.s, yaml);
    assert_int_equal(same.added + same.left + same.returned, 0);
    assert_int_equal(same.kept, 9);
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE confirms AND in_plan", "18");
    assert_answer(r.db, "SELECT count(*) FROM plan_change", "2");
    /* More seeds: what was written down stays. */
    static const char more[] = SWEEP("[1, 2, 4]", "seeds: 5\nconfirm: 6\n");
    assert_int_equal(plan_into(x, r.s, more).added, 6);
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE confirms AND in_plan", "18");
    assert_answer(r.db, "SELECT group_concat(claim) FROM plan_change WHERE by = 'confirm'",
                  "{\"best\":2,\"over\":[1,4]}");
    p = plan_of(x, more);
    assert_string_equal(end_trials(x, &r, &p, 100, score, &n), "");
    assert_int_equal(n, 6 + 13);
    assert_confirmed(x, &r, "claim_confirmed");
    assert_whole(x, &r);
}

TEST(another_confirmation_is_refused)
{
    static const char yaml[] = SWEEP("[1, 2, 4]", FIND);
    static const char other[] = SWEEP("[1, 2, 4]", "seeds: 3\nconfirm: 8\n");
    static const char none[] = SWEEP("[1, 2, 4]", "seeds: 3\n");
    struct run r = start(x, yaml);
    struct planned p = plan_of(x, yaml), q = plan_of(x, other);
    struct plan_changes changes;
    int n;
    plan_into(x, r.s, other); /* nothing is written down yet */
    plan_into(x, r.s, yaml);
    end_trials(x, &r, &p, 100, score, &n);
    assert_int_equal(n, 27);
    assert_status(STATUS_BAD_INPUT, store_plan(r.s, q.plan, true, &changes, &x->m));
    assert_non_null(
        strstr(x->m.text, "test.yaml: the confirmation of sweep \"plain\" was fixed at 2"));
    assert_non_null(strstr(x->m.text, " with 6 fresh seeds, which cannot change; put the old "
                                      "`confirm` back, or give the sweep another `name`"));
    /* Without it the trials leave the plan; with it they are back, and nothing is written anew. */
    plan_into(x, r.s, none);
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE confirms AND in_plan", "0");
    assert_whole(x, &r);
    assert_status(STATUS_BAD_INPUT, store_plan(r.s, q.plan, true, &changes, &x->m));
    plan_into(x, r.s, yaml);
    end_trials(x, &r, &p, 100, score, &n);
    assert_int_equal(n, 0);
    assert_confirmed(x, &r, "claim_confirmed");
    assert_answer(r.db, "SELECT count(*) FROM plan_change WHERE by = 'confirm'", "1");
}

TEST(without_a_finding_no_confirming_trial_runs)
{
    static const char yaml[] = SWEEP("[1, 2, 4]", FIND);
    struct run r = start(x, yaml);
    struct planned p = plan_of(x, yaml);
    int n;
    assert_string_equal(end_trials(x, &r, &p, 100, at_chance, &n),
                        "nothing is to be confirmed (at_chance)\n");
    assert_int_equal(n, 9);
    assert_answer(r.db, "SELECT state || count(*) || choice || in_plan FROM trial WHERE confirms",
                  "not_needed18eliminated1");
    assert_answer(r.db, "SELECT explored || ifnull(best, ' none') FROM confirmations",
                  "at_chance none");
    assert_answer(r.db, "SELECT planned || ' ' || not_needed FROM progress", "9 18");
    assert_confirmed(x, &r, "-");
    assert_whole(x, &r);
}

/* Ends the next trial for good. */
static void fail_one(struct fixture *x, struct run *r, const struct planned *p)
{
    struct attempt_end end = {.exit_code = 1};
    struct text_buffer said = {0};
    bool failed, accepted;
    struct claimed c = claim(x, r->s, r->sweep, r->build);
    assert_ok(store_fail(r->s, c.trial_id, c.attempt, 0, &end, &failed, &accepted, &x->m));
    assert_true(failed);
    judge_all(x, r, p, &said);
    free(said.text);
}

/* A claim stays; where there was none, it is asked again. */
TEST(a_claim_stays_when_trials_are_tried_again)
{
    static const char yaml[] = SWEEP("[1, 2, 4]", FIND);
    struct run r = start(x, yaml);
    struct planned p = plan_of(x, yaml);
    int n;
    long tried;
    for (int i = 0; i < 9; i++)
        fail_one(x, &r, &p);
    assert_answer(r.db, "SELECT explored FROM confirmations", "untrained");
    assert_ok(store_retry_failed(r.s, r.sweep, &tried, &x->m));
    assert_int_equal(tried, 9);
    assert_answer(r.db, "SELECT count(*) FROM confirmations", "0");
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE confirms AND in_plan", "0");
    end_trials(x, &r, &p, 8, score, &n);
    fail_one(x, &r, &p);
    assert_answer(r.db, "SELECT claim FROM confirmations", "{\"best\":2,\"over\":[1,4]}");
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE confirms AND in_plan", "18");
    assert_ok(store_retry_failed(r.s, r.sweep, &tried, &x->m));
    assert_int_equal(tried, 1);
    assert_string_equal(end_trials(x, &r, &p, 100, score, &n), "");
    assert_int_equal(n, 1 + 18);
    assert_answer(r.db, "SELECT count(*) FROM plan_change WHERE by = 'confirm'", "1");
    assert_confirmed(x, &r, "claim_confirmed");
    assert_whole(x, &r);
}

TEST(each_setting_is_confirmed_by_itself)
{
    static const char yaml[] = "name: two\ntask: {name: gather, length: 16, vocab: 8,"
                               " slots: [1, 2]}\n"
                               "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
                               "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n" FIND;
    struct run r = start(x, yaml);
    struct planned p = plan_of(x, yaml);
    int n;
    assert_string_equal(end_trials(x, &r, &p, 12, score, &n),
                        "slots=1: 2 heads are tested against 1, on 6 fresh seeds (12 trials)\n"
                        "slots=2: 2 heads are tested against 1, on 6 fresh seeds (12 trials)\n");
    end_trials(x, &r, &p, 100, score, &n);
    assert_int_equal(n, 24);
    assert_answer(r.db, "SELECT count(*) FROM plan_change WHERE by = 'confirm' AND pairs = 12",
                  "2");
    assert_whole(x, &r);
}

/* What was chosen, an added value too, is what is confirmed; a look that decides ends exploring. */
static double tuned_score(const struct claimed *c)
{
    double rate = strtod(strstr(c->config_json, "\"lr\":") + 5, NULL);
    return score(c) - (rate > .05 ? .1 : 0) - (rate < .05 ? .01 : 0) * (.05 - rate) * 20;
}

TEST(confirming_trials_have_the_tuned_values)
{
    static const char yaml[] = "name: tuned\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
                               "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 32}\n"
                               "train: {steps: 100, batch: 8, lr: [.0125, .025], eval_every: 50}\n"
                               "tune: {axes: [train.lr], seeds: 2, extend: 3}\n"
                               "looks: [3, 5]\nconfirm: 6\n";
    struct run r = start(x, yaml);
    struct planned p = plan_of(x, yaml);
    int n;
    end_trials(x, &r, &p, 200, tuned_score, &n);
    assert_answer(r.db, "SELECT group_concat(tuning) FROM chosen",
                  "{\"train.lr\":0.05},{\"train.lr\":0.05},{\"train.lr\":0.05}");
    assert_answer(r.db, "SELECT look || kind || decided FROM look", "1middle1");
    assert_answer(r.db,
                  "SELECT count(*) || group_concat(DISTINCT tuning) || min(in_plan) FROM trial"
                  " WHERE confirms AND state = 'completed'",
                  "18{\"train.lr\":0.05}1");
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE confirms AND (is_tuning OR look > 1)",
                  "0");
    assert_confirmed(x, &r, "claim_confirmed");
    assert_whole(x, &r);
    /* Planned again, values that were added come back, and nothing runs. */
    plan_into(x, r.s, yaml);
    assert_string_equal(end_trials(x, &r, &p, 200, tuned_score, &n), "");
    assert_int_equal(n, 0);
    assert_whole(x, &r);
}

TEST(a_finding_is_confirmed_on_fresh_instances)
{
    static const char yaml[] =
        "name: many\ntask: {name: gather, length: 16, vocab: 8, slots: 2, instance: [1, 2, 3]}\n"
        "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 32}\n"
        "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n"
        "seeds: 2\nreplicate: [task.instance]\n"
        "confirm: {instances: [9, 10, 11, 12, 13, 14]}\n";
    struct run r = start(x, yaml);
    struct planned p = plan_of(x, yaml);
    int n;
    assert_string_equal(end_trials(x, &r, &p, 18, score, &n),
                        "2 heads are tested against 1 and 4, on 6 fresh "
                        "instances (36 trials)\n");
    assert_answer(r.db,
                  "SELECT count(*) || ' ' || count(DISTINCT config_id) || ' ' ||"
                  " group_concat(DISTINCT seed) FROM trial WHERE confirms",
                  "36 18 2000,2001");
    assert_answer(r.db,
                  "SELECT count(*) FROM trials WHERE confirms AND instance <>"
                  " replicate ->> '$.\"task.instance\"'",
                  "0");
    end_trials(x, &r, &p, 100, score, &n);
    assert_int_equal(n, 36);
    assert_confirmed(x, &r, "claim_confirmed");
    assert_counted(x, &r, 6, 12);
    assert_whole(x, &r);
    /* An earlier version did not see that 9 draws what 2 does, which was explored, and 10 what 11
     * does. */
    run_sql(r.db,
            "UPDATE config SET config_json = json_set(config_json,"
            " '$.task.options.instance', iif(instance = 9, 2, 11)) WHERE instance IN (9, 10)");
    assert_counted(x, &r, 4, 8);
}

/* Of another sweep, or of this one before it was deleted. */
TEST(known_seeds_confirm_nothing)
{
    static const char yaml[] = SWEEP("[1, 2, 4]", FIND);
    static const char before[] =
        "name: before\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
        "model: {d_model: 32, heads: [2, 4], layers: 1, d_ff: 32}\n"
        "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\nseeds: [2001, 2002]\n";
    struct run first = start(x, before);
    struct planned p = plan_of(x, yaml);
    int n;
    for (int i = 0; i < 4; i++) {
        struct claimed c = claim(x, first.s, first.sweep, first.build);
        assert_true(finish(x, first.s, &c, result_of(score(&c))));
    }
    struct run r = {first.s, first.db, plan_into(x, first.s, yaml).sweep_id, first.build};
    end_trials(x, &r, &p, 100, score, &n);
    assert_int_equal(n, 27);
    assert_answer(r.db, "SELECT trials || ' ' || seen FROM confirmations", "18 4");
    assert_confirmed(x, &r, "middle"); /* judged as if there were no claim */
    assert_ok(store_delete(r.s, r.sweep, &x->m));
    assert_answer(r.db, "SELECT count(*) FROM plan_change WHERE by = 'confirm'", "0");
    r.sweep = plan_into(x, r.s, yaml).sweep_id;
    end_trials(x, &r, &p, 100, score, &n);
    assert_answer(r.db, "SELECT trials || ' ' || seen FROM confirmations", "18 18");
    free_plan(x, p);
    close_store(x, r.s);
}

/* Other options of training, the same fresh seeds: they are told of. */
TEST(trials_like_these)
{
    static const char yaml[] = SWEEP("[1, 2, 4]", FIND);
    static const char before[] =
        "name: before\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
        "model: {d_model: 32, heads: [2, 4], layers: 1, d_ff: 32}\n"
        "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 25}\nseeds: [0, 2001, 2002]\n";
    struct run first = start(x, before);
    struct planned p = plan_of(x, yaml);
    int n;
    for (int i = 0; i < 6; i++) {
        struct claimed c = claim(x, first.s, first.sweep, first.build);
        assert_true(finish(x, first.s, &c, result_of(score(&c))));
    }
    struct run r = {first.s, first.db, plan_into(x, first.s, yaml).sweep_id, first.build};
    end_trials(x, &r, &p, 100, score, &n);
    assert_answer(r.db, "SELECT similar || similar_differ FROM plan_change WHERE by = 'confirm'",
                  "4[\"train.eval_every\"]");
    assert_confirmed(x, &r, "claim_confirmed");
    free_plan(x, p);
    close_store(x, r.s);
}

/* A transaction that cannot be has changed nothing. */
TEST(a_failed_confirmation_changes_nothing)
{
    static const char yaml[] = SWEEP("[1, 2, 4]", FIND);
    struct run r = start(x, yaml);
    struct planned p = plan_of(x, yaml);
    struct text_buffer said = {0};
    int n;
    run_sql(r.db, "CREATE TEMP TRIGGER t BEFORE INSERT ON plan_change BEGIN SELECT"
                  " raise(ABORT, 'not today'); END");
    for (int i = 0; i < 9; i++) {
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        assert_true(finish(x, r.s, &c, result_of(score(&c))));
    }
    assert_ok(store_begin(r.s, &x->m));
    assert_int_not_equal(confirm_judge(r.s, p.plan, r.sweep, &said, &x->m), STATUS_OK);
    assert_non_null(strstr(x->m.text, "not today"));
    store_rollback(r.s);
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE confirms", "0");
    run_sql(r.db, "DROP TRIGGER t; CREATE TEMP TRIGGER t AFTER UPDATE ON plan_change BEGIN"
                  " DELETE FROM plan_change WHERE by = 'confirm'; END");
    assert_ok(store_begin(r.s, &x->m));
    assert_status(STATUS_INTERNAL, confirm_judge(r.s, p.plan, r.sweep, &said, &x->m));
    assert_non_null(strstr(x->m.text, "is due for ever"));
    store_rollback(r.s);
    free(said.text);
    run_sql(r.db, "DROP TRIGGER t");
    end_trials(x, &r, &p, 1, score, &n); /* nothing is left to end, but it is judged */
    assert_int_equal(n, 0);
    end_trials(x, &r, &p, 100, score, &n);
    assert_int_equal(n, 18);
    assert_confirmed(x, &r, "claim_confirmed");
}

/* What a hand has made otherwise is found. */
TEST(check_finds_confirmations_changed_by_hand)
{
    static const char yaml[] = SWEEP("[1, 2, 4, 8]", FIND);
    static const char *const broken[] = {
        "UPDATE trial SET choice = 'chosen', state = 'queued' WHERE confirms = 1",
        "UPDATE trial SET seed = seed - 100 WHERE confirms = 1",
        "DELETE FROM plan_change WHERE by = 'confirm'",
        "UPDATE plan_change SET pairs = 17 WHERE by = 'confirm'",
        "UPDATE plan_change SET what = json_set(what, '$.configs.2', what ->> '$.configs.1')"
        " WHERE by = 'confirm'",
    };
    struct run r = start(x, yaml);
    struct planned p = plan_of(x, yaml);
    int n;
    end_trials(x, &r, &p, 14, score, &n);
    assert_whole(x, &r);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct told told = {0};
        assert_ok(store_begin(r.s, &x->m));
        run_sql(r.db, broken[i]);
        assert_ok(store_check(r.s, tell, &told, &x->m));
        if (!strstr(told.text, "confirm"))
            fail_msg("%s: %s", broken[i], told.text);
        store_rollback(r.s);
    }
}

/* ---- a sweep file that changes ---- */

#define GATHER(task, rest)                                                                         \
    "name: plain\ntask: {name: gather, length: 16, vocab: 8, " task "}\n"                          \
    "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 32}\n"                                \
    "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n" rest

/* As `run --replace` does. Returns how many trials ended. */
static int run_all(struct fixture *x, struct run *r, const char *yaml, scores *of)
{
    int n;
    struct plan_changes changes;
    struct planned p = plan_of(x, yaml);
    assert_ok(store_plan(r->s, p.plan, true, &changes, &x->m));
    end_trials(x, r, &p, 1000, of, &n);
    free_plan(x, p);
    /* What confirms is of the configurations that explored. */
    assert_answer(r->db,
                  "SELECT count(*) FROM trial AS t WHERE confirms AND in_plan AND replicate = '{}'"
                  " AND choice = 'chosen' AND NOT EXISTS (SELECT 1 FROM trial AS e"
                  "  WHERE e.config_id = t.config_id AND e.setting = t.setting AND e.in_plan"
                  "   AND e.confirms = 0 AND e.is_tuning = 0 AND e.choice = 'chosen')",
                  "0");
    assert_whole(x, r);
    return n;
}

/* How many trials confirm in the plan, and of which of the stored claims. */
static const char PLANNED[] =
    "SELECT (SELECT count(*) FROM trial WHERE confirms AND in_plan AND choice = 'chosen')"
    " || ' of ' || (SELECT ifnull(group_concat(plan_change_id), '-') FROM (SELECT * FROM"
    " confirmations WHERE best AND setting IN (SELECT setting FROM trial WHERE in_plan)"
    " ORDER BY plan_change_id))";

/* Version 1.0.0 told claims by what their settings were called. */
static void forget_configs(struct run *r)
{
    run_sql(r->db, "UPDATE plan_change SET what = json_remove(what, '$.configs')");
}

static const char first[] = GATHER("slots: 2", FIND);

/* Head counts are called as in `first`, and their claim is the second row of plan_change. */
static const struct edit {
    const char *yaml;
    int trials; /* that run for it */
    const char *planned, *confirmed;
} edits[] = {
    /* The same configurations, whatever their setting is called. */
    {GATHER("slots: [2, 1]", FIND), 27, "36 of 2,4", "claim_confirmed claim_confirmed"},
    {GATHER("slots: [1, 2]", FIND), 27, "36 of 2,4", "claim_confirmed claim_confirmed"},
    {GATHER("slots: 2, instance: [0, 1]", FIND), 27, "36 of 2,4",
     "claim_confirmed claim_confirmed"},
    {"name: plain\ntask: {name: gather, length: [16, 8], vocab: 8, slots: [2, 1]}\n"
     "model: {d_model: 32, heads: [1, 2, 4, 8], layers: 1, d_ff: 32}\n"
     "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n" FIND,
     3 + 3 * (12 + 18), "72 of 2,4,5,6",
     "claim_confirmed claim_confirmed claim_confirmed claim_confirmed"},
    {GATHER("slots: 2", "seeds: 5\nconfirm: 6\n"), 6, "18 of 2", "claim_confirmed"},
    {GATHER("slots: 2", "seeds: 3\n"), 0, "0 of 2", "-"},
    {GATHER("slots: 2", "seeds: [0, 2000, 2001, 2002]\n"), 0, "0 of 2", "-"},
    /* Others, whose head counts or whose settings are called the same. */
    {GATHER("slots: 1", FIND), 27, "18 of 4", "claim_confirmed"},
    {GATHER("slots: 1", "seeds: 3\nconfirm: 8\n"), 33, "24 of 4", "claim_confirmed"},
    {GATHER("slots: 2, instance: 1", FIND), 27, "18 of 4", "claim_confirmed"},
    {"name: plain\ntask: {name: reverse, length: 16, vocab: 8}\n"
     "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 32}\n"
     "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n" FIND,
     27, "18 of 4", "claim_confirmed"},
    {"name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
     "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 64}\n"
     "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n" FIND,
     27, "18 of 4", "claim_confirmed"},
    {"name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
     "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 32}\n"
     "train: {steps: 100, batch: 8, lr: 2e-3, eval_every: 50}\n" FIND,
     27, "18 of 4", "claim_confirmed"},
    /* Only some of them: what is left is claimed anew, on seeds that are known. */
    {SWEEP("[2, 4]", FIND), 0, "12 of 4", "edge"},
};

/* A claim holds where the plan has what it was about, and with the first file it is back. */
TEST(claims_follow_their_configurations)
{
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        const struct edit *e = &edits[i];
        struct run r = start(x, first);
        assert_int_equal(run_all(x, &r, first, score), 27);
        if (i % 2)
            forget_configs(&r);
        assert_int_equal(run_all(x, &r, e->yaml, score), e->trials);
        assert_answer(r.db, PLANNED, e->planned);
        assert_confirmed(x, &r, e->confirmed);
        assert_int_equal(run_all(x, &r, first, score), 0);
        assert_answer(r.db, PLANNED, "18 of 2");
        assert_confirmed(x, &r, "claim_confirmed");
        close_store(x, r.s);
        assert_int_equal(unlink(x->db), 0);
    }
}

#define TUNED(lr, tune)                                                                            \
    "name: tuned\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                          \
    "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 32}\n"                                \
    "train: {steps: 100, batch: 8, lr: " lr ", eval_every: 50}\n"                                  \
    "tune: {axes: [train.lr], " tune "}\nseeds: 3\nconfirm: 6\n"

/* What a claim is about has the values that were chosen, from whatever list and by whom. */
TEST(claims_follow_the_choice)
{
    static const char yaml[] = TUNED("[.0125, .025]", "seeds: 2, extend: 3");
    struct run r = start(x, yaml);
    run_all(x, &r, yaml, tuned_score);
    assert_answer(r.db, PLANNED, "18 of 2");
    /* .05 is chosen again. */
    run_all(x, &r, TUNED("[.1, .2]", "seeds: 2, extend: 3"), tuned_score);
    assert_answer(r.db, PLANNED, "18 of 2");
    run_all(x, &r, TUNED("[.025, .05, .1]", "seeds: 3"), tuned_score);
    assert_answer(r.db, PLANNED, "18 of 2");
    assert_confirmed(x, &r, "claim_confirmed");
    /* .02 is chosen. */
    assert_int_equal(run_all(x, &r, TUNED("[.0125, .02, .2]", "seeds: 2"), tuned_score),
                     3 * 2 + 3 * 3 + 18);
    assert_answer(r.db,
                  "SELECT group_concat(DISTINCT tuning) FROM trial WHERE confirms"
                  " AND in_plan",
                  "{\"train.lr\":0.02}");
    assert_confirmed(x, &r, "claim_confirmed");
    assert_int_equal(run_all(x, &r, yaml, tuned_score), 0);
    assert_answer(r.db, PLANNED, "18 of 2");
    assert_confirmed(x, &r, "claim_confirmed");
}

#define MANY(instances, d_ff, confirm)                                                             \
    "name: many\ntask: {name: gather, length: 16, vocab: 8, slots: 2, instance: " instances "}\n"  \
    "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: " d_ff "}\n"                          \
    "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n"                                    \
    "seeds: 2\nreplicate: [task.instance]\nconfirm: {instances: [" confirm "]}\n"

/* Fresh instances decide for all instances of a configuration, not for another one. */
TEST(claims_are_about_all_instances)
{
    static const char yaml[] = MANY("[1, 2, 3]", "32", "9, 10, 11, 12, 13, 14");
    struct run r = start(x, yaml);
    assert_int_equal(run_all(x, &r, yaml, score), 18 + 36);
    assert_int_equal(run_all(x, &r, MANY("[4, 2, 5]", "32", "9, 10, 11, 12, 13, 14"), score), 12);
    assert_answer(r.db, PLANNED, "36 of 2");
    assert_confirmed(x, &r, "claim_confirmed");
    assert_int_equal(run_all(x, &r, MANY("[1, 2, 3]", "64", "9, 10, 11, 12, 13, 14, 15"), score),
                     18 + 42);
    assert_answer(r.db, PLANNED, "42 of 5");
    assert_int_equal(run_all(x, &r, yaml, score), 0);
    assert_answer(r.db, PLANNED, "36 of 2");
    assert_confirmed(x, &r, "claim_confirmed");
}

/* Two settings whose claims were written with other numbers of fresh seeds. */
TEST(each_claim_keeps_its_fresh_seeds)
{
    struct run r = start(x, first);
    struct planned p = plan_of(x, GATHER("slots: [2, 1]", "seeds: 3\nconfirm: 7\n"));
    struct plan_changes changes;
    run_all(x, &r, first, score);
    run_all(x, &r, GATHER("slots: 1", "seeds: 3\nconfirm: 8\n"), score);
    assert_int_equal(run_all(x, &r, GATHER("slots: [2, 1]", "seeds: 3\nconfirm: 8\n"), score), 0);
    assert_int_equal(run_all(x, &r, GATHER("slots: [2, 1]", FIND), score), 0);
    assert_answer(r.db, PLANNED, "42 of 2,4");
    struct scope *s = scope_new(r.s, "the results", &x->m);
    if (scope_enter(s)) {
        const struct evidence *e = evidence_read(s, r.sweep);
        assert_int_equal(e->settings, 2);
        assert_int_equal(e->setting[0].confirm->confirm.units, 6);
        assert_int_equal(e->setting[1].confirm->confirm.units, 8);
    }
    assert_ok(scope_end(s));
    assert_status(STATUS_BAD_INPUT, store_plan(r.s, p.plan, true, &changes, &x->m));
}

/* What version 1.0.0 has left where the task was another one: nothing of it is reported, and the
 * next run sees to it. */
TEST(a_claim_of_another_task_is_not_reported)
{
    static const char other[] = GATHER("slots: 1", FIND);
    struct run r = start(x, first);
    run_all(x, &r, first, score);
    struct planned p = plan_of(x, other);
    struct plan_changes changes;
    assert_ok(store_plan(r.s, p.plan, true, &changes, &x->m));
    forget_configs(&r);
    run_sql(r.db, "UPDATE plan_change SET setting = '{}' WHERE by = 'confirm';"
                  "UPDATE trial SET in_plan = 1 WHERE confirms");
    assert_confirmed(x, &r, "-");
    assert_int_equal(run_all(x, &r, other, score), 27);
    assert_answer(r.db, PLANNED, "18 of 4");
    assert_int_equal(run_all(x, &r, first, score), 0);
    assert_confirmed(x, &r, "claim_confirmed");
}
