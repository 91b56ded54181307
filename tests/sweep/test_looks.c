/* What is said of a look, and what happens where it cannot be judged. That looks are judged one
 * after the other as their trials end is shown by tests/scenarios/looks*. */
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

FIXTURE(set_up, tear_down)

/* A transaction that cannot be has changed nothing, and the look is judged later. */
TEST(what_cannot_be_judged_is_not)
{
    struct run r = start(x, looks);
    struct planned p = plan_of(x, looks);
    struct text_buffer said = {0};
    for (int i = 0; i < 4; i++) {
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        assert_true(finish(x, r.s, &c, result_of(0.5)));
    }
    run_sql(r.db, "CREATE TEMP TRIGGER t BEFORE INSERT ON look BEGIN SELECT"
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
