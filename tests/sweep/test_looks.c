/* What is said of a look, and that looks are judged one after the other as their trials end. */
#include "tests/sweep/store_help.h"

#include "sweep/run/looks.h"

static const char looks[] = "name: patient\n"
                            "task: {name: gather, length: 16, vocab: 8, slots: 2}\n"
                            "model: {d_model: 32, heads: [2, 4], layers: 1, d_ff: 32}\n"
                            "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n"
                            "looks: [2, 3, 5]\n";

TEST(each_outcome_of_a_look_has_its_line)
{
    static const struct {
        struct look_outcome outcome;
        const char *line;
    } cases[] = {
        {{1, 3, 5, 5, 30, "", VERDICT_NOT_SIGNIFICANT, false},
         "look 1 of 3 (5 seeds): not decided; 5 more seeds for each head count, 30 trials"},
        {{2, 3, 6, 1, 1, "slots=4", VERDICT_AT_CHANCE, false},
         "look 2 of 3 (6 seeds) of slots=4: not decided; 1 more seed for each head count, 1 trial"},
        {{3, 3, 20, 0, 0, "", VERDICT_EDGE, false},
         "look 3 of 3 (20 seeds): not decided, and it was the last"},
        {{1, 3, 5, 5, 60, "", VERDICT_CLAIM_CONFIRMED, true},
         "look 1 of 3 (5 seeds): the claim is confirmed; 60 trials of later looks not needed"},
        {{1, 3, 5, 5, 1, "", VERDICT_CLAIM_CONTRADICTED, true},
         "look 1 of 3 (5 seeds): the claim is contradicted; 1 trial of later looks not needed"},
        {{3, 3, 20, 0, 0, "", VERDICT_MIDDLE, true},
         "look 3 of 3 (20 seeds): a middle head count wins"},
        {{1, 3, 5, 5, 60, "", VERDICT_RIVAL_AT_EDGE, true},
         "look 1 of 3 (5 seeds): a choice is at the edge of its grid, which more seeds do not "
         "change; 60 trials of later looks not needed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256], small[24];
        look_line(&cases[i].outcome, text, sizeof text);
        assert_string_equal(text, cases[i].line);
        look_line(&cases[i].outcome, small, sizeof small); /* cut, within its size */
        assert_memory_equal(small, cases[i].line, sizeof small - 1);
    }
}

static void assert_words(const struct looks_state *l, const char *words)
{
    char text[256];
    looks_words(l, text, sizeof text);
    assert_string_equal(text, words);
}

TEST(the_state_of_all_looks_is_told_in_words)
{
    assert_words(&(struct looks_state){0}, "");
    assert_words(&(struct looks_state){3, 1, 0, 0, 2, 10, ""},
                 "not decided yet; look 2 of 3 (10 seeds) is open");
    assert_words(&(struct looks_state){3, 1, 1, 0, 0, 0, ""}, "decided, no further look is needed");
    assert_words(&(struct looks_state){3, 1, 0, 1, 0, 0, ""}, "undecided after the last look");
    assert_words(
        &(struct looks_state){3, 12, 3, 2, 1, 5, ""},
        "3 of 12 settings decided, 2 undecided after the last look; look 1 of 3 (5 seeds) is "
        "open");
}

/* Completes the next trial; the rest is as in the runner's transaction. Returns what was said. */
static const char *end_one(struct fixture *x, struct run *r, const struct planned *p, double acc)
{
    static char said[1024];
    struct text_buffer b = {0};
    assert_ok(store_begin(r->s, &x->m));
    struct claimed c = claim(x, r->s, r->sweep, r->build);
    assert_true(c.trial_id > 0);
    assert_true(finish(x, r->s, &c, result_of(acc)));
    assert_ok(looks_judge(r->s, p->plan, r->sweep, &b, &x->m));
    assert_ok(store_commit(r->s, &x->m));
    snprintf(said, sizeof said, "%s", b.text ? b.text : "");
    free(b.text);
    return said;
}

FIXTURE(set_up, tear_down)

TEST(one_look_opens_the_next)
{
    struct run r = start(x, looks);
    struct planned p = plan_of(x, looks);
    for (int i = 0; i < 3; i++)
        assert_string_equal(end_one(x, &r, &p, 0.5), "");
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE choice = 'waiting'", "6");
    assert_string_equal(
        end_one(x, &r, &p, 0.5),
        "look 1 of 3 (2 seeds): not decided; 1 more seed for each head count, 2 trials\n");
    assert_answer(r.db, "SELECT look || kind || decided FROM look", "1all_equal0");
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE choice = 'waiting'", "4");
    assert_string_equal(end_one(x, &r, &p, 0.5), "");
    assert_non_null(strstr(end_one(x, &r, &p, 0.25), "look 2 of 3 (3 seeds): not decided;"));
    for (int i = 0; i < 3; i++)
        assert_string_equal(end_one(x, &r, &p, 0.5), "");
    assert_string_equal(end_one(x, &r, &p, 0.5),
                        "look 3 of 3 (5 seeds): not decided, and it was the last\n");
    assert_int_equal(claim(x, r.s, r.sweep, r.build).trial_id, 0);
}

/* Completes the next trial with what its head count gets at its learning rate. */
static const char *end_tuned(struct fixture *x, struct run *r, const struct planned *p)
{
    static const char next[] =
        "SELECT CASE heads WHEN 2 THEN .9 + .001 * (seed % 7) + lr ELSE .5 + lr END FROM trials"
        " WHERE state = 'queued' AND in_plan = 1 AND choice = 'chosen' ORDER BY plan_order LIMIT 1";
    return end_one(x, r, p, strtod(ask(r->db, next), NULL));
}

/* Two heads win at each look; four chose the largest learning rate, which more seeds do not change.
 */
TEST(an_edge_ends_the_looks)
{
    static const char tuned[] = "name: patient\n"
                                "task: {name: gather, length: 16, vocab: 8, slots: 2}\n"
                                "model: {d_model: 32, heads: [2, 4], layers: 1, d_ff: 32}\n"
                                "train: {steps: 100, batch: 8, lr: [.01, .02, .03],"
                                " eval_every: 50}\n"
                                "tune: {axes: [train.lr], seeds: 1}\n"
                                "claim: {best: 2, over: [4]}\n"
                                "looks: [2, 3, 5]\n";
    struct run r = start(x, tuned);
    struct planned p = plan_of(x, tuned);
    for (int i = 0; i < 6 + 3; i++)
        assert_string_equal(end_tuned(x, &r, &p), "");
    assert_string_equal(end_tuned(x, &r, &p),
                        "look 1 of 3 (2 seeds): a choice is at the edge of its grid, which more "
                        "seeds do not change; 6 trials of later looks not needed\n");
    assert_answer(r.db, "SELECT look || kind || decided FROM look", "1rival_at_edge1");
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE state = 'queued'", "0");
}

/* As where a run was killed, or the sweep file has got its looks later: all that are due, at once.
 */
TEST(what_was_not_judged_is_judged_at_once)
{
    struct run r = start(x, looks);
    struct planned p = plan_of(x, looks);
    struct text_buffer said = {0};
    for (int i = 0; i < 10; i++)
        end_one(x, &r, &p, 0.5);
    run_sql(r.db, "DELETE FROM look");
    assert_ok(looks_judge(r.s, p.plan, r.sweep, &said, &x->m));
    assert_answer(r.db, "SELECT group_concat(look) FROM look", "1,2,3");
    assert_non_null(strstr(said.text,
                           "look 1 of 3 (2 seeds): not decided; 1 more seed for each head "
                           "count, 0 trials\nlook 2 of 3"));
    free(said.text);
    said = (struct text_buffer){0};
    assert_ok(looks_judge(r.s, p.plan, r.sweep, &said, &x->m));
    assert_null(said.text);
}

/* Values that tuning did not choose are needed by no look. */
TEST(only_chosen_values_are_counted)
{
    static const char tuned[] =
        "name: tuned\n"
        "task: {name: gather, length: 16, vocab: 8, slots: 2}\n"
        "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
        "train: {steps: 100, batch: 8, lr: [1e-3, 2e-3, 3e-3], eval_every: 50}\n"
        "tune: {axes: [train.lr], seeds: 1}\nlooks: [3, 5]\nclaim: {best: 2, over: [1]}\n";
    struct run r = start(x, tuned);
    struct planned p = plan_of(x, tuned);
    struct text_buffer said = {0};
    for (int i = 0; i < 12; i++) {
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        assert_true(c.tuning == (i < 6));
        int more = c.tuning ? i % 3 == 1 : i % 3; /* the second rate is the best */
        assert_true(finish(x, r.s, &c, result_of(.25 * (double)c.heads + .001 * more)));
        assert_ok(looks_judge(r.s, p.plan, r.sweep, &said, &x->m));
    }
    assert_answer(r.db, "SELECT count(*) FROM trial WHERE look = 2 AND state = 'not_needed'", "12");
    assert_string_equal(
        said.text,
        "look 1 of 2 (3 seeds): the claim is confirmed; 4 trials of later looks not needed\n");
    free(said.text);
}

/* A transaction that cannot be has changed nothing, and the look is judged later. */
TEST(what_cannot_be_judged_is_not)
{
    struct run r = start(x, looks);
    struct planned p = plan_of(x, looks);
    struct text_buffer said = {0};
    for (int i = 0; i < 10; i++)
        end_one(x, &r, &p, 0.5);
    run_sql(r.db, "DELETE FROM look; CREATE TEMP TRIGGER t BEFORE INSERT ON look BEGIN SELECT"
                  " raise(ABORT, 'not today'); END");
    assert_ok(store_begin(r.s, &x->m));
    assert_int_not_equal(looks_judge(r.s, p.plan, r.sweep, &said, &x->m), STATUS_OK);
    assert_non_null(strstr(x->m.text, "not today"));
    store_rollback(r.s);
    assert_answer(r.db, "SELECT count(*) FROM look", "0");
    run_sql(
        r.db,
        "DROP TRIGGER t; CREATE TEMP TRIGGER t AFTER INSERT ON look BEGIN DELETE FROM look; END");
    assert_status(STATUS_INTERNAL, looks_judge(r.s, p.plan, r.sweep, &said, &x->m));
    assert_non_null(strstr(x->m.text, "is due for ever"));
    run_sql(r.db,
            "DROP TRIGGER t; UPDATE trial SET setting = json_object('k', hex(zeroblob(999)))");
    assert_status(STATUS_CORRUPT, looks_judge(r.s, p.plan, r.sweep, &said, &x->m));
    assert_non_null(strstr(x->m.text, "there is no evidence of the setting"));
    free(said.text);
}
