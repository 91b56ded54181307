/* Two results files in one: which of two trials stays, what contradicts, what becomes of numbers
 * and plans; and that a merge that meets trouble has changed nothing. Whole shards are
 * merged by tests/cli/test_merge.sh. */
#include "merge_help.h"

FIXTURE(set_up, tear_down)

/* ---- trials ---- */

/* What was eliminated is none of the trials that could be taken over. */
TEST(what_is_not_needed_is_not_counted)
{
    static const enum fate theirs[] = {DONE, DONE};
    struct files f = files_of(x);
    make_file(&f.into, FOUR, theirs, 0, .5);
    make_file(&f.from, FOUR, theirs, 2, .5);
    change(&f.from, "UPDATE trial SET state = 'not_needed', choice = 'eliminated'"
                    " WHERE trial_id = 4");
    struct merge_counts counts = merge(x, STATUS_OK);
    assert_int_equal(counts.trials, 3);
    assert_int_equal(counts.taken, 2);
}

/* A trial that is at work counts for what it had saved before. */
TEST(a_file_that_is_run)
{
    static const enum fate theirs[] = {DONE, RUNNING, LOST};
    struct files f = files_of(x);
    make_file(&f.from, FOUR, theirs, 3, .5);
    merge(x, STATUS_OK);
    assert_into(TRIALS, "completed10 queued00 queued120 queued00");
    assert_string_equal(moved, "1.1 weights to 1.1; 3.1 checkpoints to 3.1; ");
    assert_sound(&f.into);

    /* It goes on: the attempt that is known is not counted twice. */
    struct store *s = open_store(&f.from, STORE_WRITE);
    struct claimed c = {.trial_id = 2, .attempt = 1};
    assert_true(finish(x, s, &c, result_of(.25)));
    c = claim(x, s, 1, 1);
    assert_int_equal(c.trial_id, 3);
    assert_true(finish(x, s, &c, result_of(.25)));
    close_store(&f.from, s);
    merge(x, STATUS_OK);
    assert_into(TRIALS, "completed10 completed10 completed220 queued00");
    assert_into("SELECT count(*) FROM attempt", "4");
    assert_string_equal(moved, "2.1 weights to 2.1; 3.2 weights to 3.2; ");
    assert_sound(&f.into);
}

TEST(results_that_differ)
{
    static const enum fate done[] = {DONE, DONE};
    static const struct {
        const char *change;
        const char *const told[4];
    } cases[] = {
        {"UPDATE trial SET test_acc = 0.75 WHERE trial_id = 2",
         {"heads=2, seed 0 of sweep plain has test_acc 0.75 there (trial 2), but 0.5 in",
          "kernels avx2"}},
        {"UPDATE trial SET test_acc_by_slot = '[0.5,0]' WHERE trial_id = 1",
         {"has test_acc_by_slot [0.5,0] there (trial 1), but [0.5,1] in"}},
        {"UPDATE curve SET grad_norm = NULL WHERE trial_id = 1 AND step = 50",
         {"has grad_norm at step 50 none there (trial 1), but 1 in"}},
        {"INSERT INTO curve (trial_id, step) VALUES (1, 60)", {"has step 60 there", "but 100 in"}},
        {"INSERT INTO curve (trial_id, step) VALUES (1, 110)",
         {"has another step in its curve 110 there", "but none in"}},
        {"UPDATE trial SET state = 'diverged', bad_step = 3 WHERE trial_id = 2;"
         "UPDATE attempt SET outcome = 'diverged' WHERE trial_id = 2",
         {"has state diverged there (trial 2), but completed in"}},
    };
    struct files f = files_of(x);
    make_file(&f.into, FOUR, done, 2, .5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unlink(f.from.db);
        make_file(&f.from, FOUR, done, 2, .5);
        change(&f.from, cases[i].change);
        merge(x, STATUS_BAD_INPUT);
        for (int k = 0; k < 4 && cases[i].told[k]; k++)
            if (!strstr(x->m.text, cases[i].told[k]))
                fail_msg("%s: %s", cases[i].change, x->m.text);
        assert_into(TRIALS, "completed10 completed10 queued00 queued00");
        /* Of another build, or where one attempt was, the last bits may differ. */
        change(&f.from, "UPDATE build SET compiler = 'clang'; INSERT INTO evaluation"
                        " SELECT trial_id, 'noisy', '{}', .5, .5, 1 FROM trial");
        struct merge_counts counts = merge(x, STATUS_OK);
        assert_int_equal(counts.other, 1);
        assert_into("SELECT count(*) FROM evaluation", "1"); /* of the one that does not differ */
        change(&f.into, "DELETE FROM evaluation");
        assert_into("SELECT group_concat(test_acc) FROM trial", "0.5,0.5");
        assert_sound(&f.into);
    }
}

/* Of a result that both have, none of the rows is added to; what studies found is. */
TEST(the_same_result_stays_as_it_is)
{
    static const enum fate done[] = {DONE, DONE};
    struct files f = files_of(x);
    make_file(&f.into, FOUR, done, 2, .5);
    make_file(&f.from, FOUR, done, 2, .5);
    change(&f.from, "INSERT INTO label_acc VALUES (1, 'late', 8, 0.75);"
                    "INSERT INTO block_loss VALUES (1, 0, 7.5);"
                    "INSERT INTO evaluation VALUES (1, 'noisy', '{}', .5, .5, 1)");
    merge(x, STATUS_OK);
    assert_into("SELECT (SELECT count(*) FROM label_acc) || (SELECT count(*) FROM block_loss)"
                " || (SELECT count(*) FROM evaluation) || (SELECT count(*) FROM curve)",
                "0014");
    assert_sound(&f.into);
}

/* Numbers of trials, configurations and builds are given anew, behind those of deleted trials. */
TEST(numbers_are_given_anew)
{
    static const enum fate done[] = {DONE, DONE, DONE, DONE};
    struct files f = files_of(x);
    make_file(&f.from, FOUR, done, 4, .5);
    change(&f.from, "UPDATE build SET cpu = 'theirs'; UPDATE sweep SET remark = 's';"
                    " UPDATE trial SET remark = 'r' WHERE trial_id = 3;"
                    " INSERT INTO deleted VALUES (9, 2, 7, 'gone', 'then', 'later', 1)");
    make_file(&f.into,
              "name: other\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"
              "model: {d_model: 32, heads: 4, layers: 1, d_ff: 32}\n"
              "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\nseeds: 1\n",
              done, 1, .5);
    change(&f.into, "INSERT INTO deleted VALUES (20, 1, 7, 'gone', 'then', 'later', 1)");
    merge(x, STATUS_OK);
    assert_into("SELECT group_concat(trial_id || ' ' || heads, ', ') FROM trials"
                " WHERE sweep = 'plain'",
                "21 1, 22 2, 23 1, 24 2");
    assert_into("SELECT group_concat(DISTINCT cpu) FROM attempt JOIN build USING (build_id)"
                " WHERE trial_id > 20",
                "theirs");
    assert_into("SELECT group_concat(trial_id || ' ' || heads, ', ') FROM deleted"
                " JOIN config USING (config_id)",
                "20 4, 25 2");
    assert_into("SELECT trial_id FROM trial WHERE remark = 'r'", "23");
    assert_string_equal(moved, "1.1 weights to 21.1; 2.1 weights to 22.1; 3.1 weights to 23.1;"
                               " 4.1 weights to 24.1; ");
    assert_sound(&f.into);
    merge(x, STATUS_OK);
    assert_into("SELECT group_concat(trial_id) FROM deleted", "20,25");
    change(&f.from, "UPDATE trial SET remark = 'more' WHERE trial_id = 3");
    merge(x, STATUS_OK);
    merge(x, STATUS_OK);
    assert_into("SELECT remark FROM trial WHERE trial_id = 23", "r; more");
    assert_into("SELECT remark FROM sweep WHERE name = 'plain'", "s");
}

/* ---- plans and claims ---- */

TEST(same_plans_are_one)
{
    static const enum fate done[] = {DONE, DONE};
    struct files f = files_of(x);
    make_file(&f.into, FOUR, done, 2, .5);
    make_file(&f.from, FOUR, done, 2, .5);
    change(&f.into, "UPDATE plan_change SET changed = '2026-01-02'");
    change(&f.from, "UPDATE plan_change SET changed = '2026-01-01'");
    merge(x, STATUS_OK);
    assert_into(CHANGES, "2026-01-01 4 0");
    merge(x, STATUS_OK);
    assert_into("SELECT count(*) FROM plan_change", "1");
}

/* Of different plans the newer is the sweep's, whichever file comes first. */
TEST(the_newer_plan_stays)
{
    static const enum fate done[] = {DONE, DONE};
    for (int theirs_newer = 0; theirs_newer < 2; theirs_newer++) {
        struct files f = files_of(x);
        unlink(f.into.db);
        unlink(f.from.db);
        make_file(&f.into, FOUR, done, 2, .5);
        make_file(&f.from, SWEEP("[2, 4]", "seeds: 1\nclaim: {best: 2, over: [4]}\n"), done, 2, .5);
        change(&f.into, "UPDATE plan_change SET changed = '2026-01-02'");
        change(&f.from, theirs_newer ? "UPDATE plan_change SET changed = '2026-01-03'"
                                     : "UPDATE plan_change SET changed = '2026-01-01'");
        merge(x, STATUS_OK);
        assert_into("SELECT group_concat(heads || ' ' || seed || ' ' || in_plan, ', ') FROM"
                    " (SELECT * FROM trials ORDER BY heads, seed)",
                    theirs_newer ? "1 0 0, 1 1 0, 2 0 1, 2 1 0, 4 0 1"
                                 : "1 0 1, 1 1 1, 2 0 1, 2 1 1, 4 0 0");
        assert_into("SELECT claim IS NULL FROM sweep", theirs_newer ? "0" : "1");
        assert_into(CHANGES, theirs_newer ? "2026-01-02 4 0, 2026-01-03 2 0"
                                          : "2026-01-01 2 0, 2026-01-02 4 0");
        assert_sound(&f.into);
    }
}

#define TUNED(tune)                                                                                \
    "name: plain\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                          \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 100, batch: 8, lr: [1e-3, 1e-2], eval_every: 50}\n"                            \
    "tune: {axes: [train.lr], seeds: 1" tune "}\nseeds: 1\n"

/* That holds where the plans list the same trials, and only ask for other values beyond them. In
 * whichever order the files are merged, and however often. */
TEST(the_newer_rules_stay)
{
    static const enum fate done[] = {DONE, DONE, DONE, DONE};
    static const char *const asked[][3] = {{"", ", extend: 4", "4 1 [\"extend\"]"},
                                           {", extend: 4", "", "0 0 [\"extend\"]"},
                                           {", extend: 2", ", extend: 4", "4 1 [\"extend\"]"}};
    for (int i = 0; i < 6; i++) {
        struct files f = files_of(x);
        struct fixture *older = i & 1 ? &f.into : &f.from, *newer = i & 1 ? &f.from : &f.into;
        const char *const *yaml = asked[i / 2];
        char text[512];
        unlink(f.into.db);
        unlink(f.from.db);
        snprintf(text, sizeof text, TUNED("%s"), yaml[0]);
        make_file(older, text, done, 4, .5);
        snprintf(text, sizeof text, TUNED("%s"), yaml[1]);
        make_file(newer, text, done, 4, .5);
        change(older, "UPDATE plan_change SET changed = '2026-01-01'");
        change(newer, "UPDATE plan_change SET changed = '2026-01-02'");
        for (int again = 0; again < 2; again++) {
            merge(x, STATUS_OK);
            assert_into("SELECT ifnull(extend, 0) || ' ' || (SELECT max(added) FROM trial WHERE"
                        " in_plan) || ' ' || (SELECT max(what ->> '$.rules') FROM plan_change)"
                        " FROM sweep",
                        yaml[2]);
            assert_into("SELECT group_concat(changed || ' ' || added, ', ') FROM plan_change",
                        "2026-01-01 8, 2026-01-02 0");
            assert_sound(&f.into);
        }
    }
}

/* What is not asked any more has judged no look, and left no trial out. */
TEST(looks_of_other_rules)
{
    static const enum fate done[] = {DONE, DONE};
    static const char *const claims[] = {"", "claim: {best: 2, over: [1]}\n",
                                         "equivalence: 0.25\n"};
    for (int i = 0; i < 6; i++) {
        struct files f = files_of(x);
        char yaml[600];
        unlink(f.into.db);
        unlink(f.from.db);
        make_file(&f.into, FOUR, done, 1, .5);
        snprintf(yaml, sizeof yaml, "%s%s", FOUR, claims[i / 2]);
        make_file(&f.from, yaml, done, 1, .5);
        change(i & 1 ? &f.into : &f.from,
               "INSERT INTO look VALUES ((SELECT sweep_id FROM sweep), '{}', 1, 'then', 'middle',"
               " 0); UPDATE trial SET state = 'not_needed' WHERE trial_id = 4");
        merge(x, STATUS_OK);
        assert_into("SELECT count(*) FROM look", i < 2 ? "1" : "0");
        assert_into("SELECT state FROM trial WHERE trial_id = 4", "queued");
    }
}

/* In whichever order three files are merged, of which two ask for the same. */
TEST(rules_that_come_back)
{
    static const enum fate done[] = {DONE, DONE, DONE, DONE};
    static const char orders[][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3},
                                     {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct files f = files_of(x);
        unlink(f.into.db);
        for (int k = 0; k < 3; k++) {
            struct fixture *file = k == 0 ? &f.into : &f.from;
            char sql[100];
            unlink(f.from.db);
            make_file(file, orders[i][k] == 2 ? TUNED(", extend: 4") : TUNED(", extend: 2"), done,
                      4, .5);
            snprintf(sql, sizeof sql, "UPDATE plan_change SET changed = '2026-01-0%d', seen = %d",
                     orders[i][k], orders[i][k]);
            change(file, sql);
            for (int again = 0; k > 0 && again < 2; again++)
                merge(x, STATUS_OK);
        }
        assert_into("SELECT extend || (SELECT group_concat(changed || ' ' || seen || ' '"
                    " || (what ->> '$.rules'), ', ') FROM plan_change) FROM sweep",
                    "22026-01-02 2 [\"extend\"], 2026-01-03 3 [\"extend\"]");
        assert_sound(&f.into);
    }
}

/* Files of development versions do not say what a plan asks for, but what of it had changed. */
TEST(rules_that_are_not_told)
{
    static const enum fate done[] = {DONE, DONE};
    struct files f = files_of(x);
    for (int without = 0; without < 3; without++) {
        unlink(f.into.db);
        unlink(f.from.db);
        make_file(&f.into, FOUR, done, 2, .5);
        make_file(&f.from, FOUR, done, 2, .5);
        change(&f.into, "UPDATE plan_change SET changed = '2026-01-01'");
        change(&f.from, "UPDATE plan_change SET changed = '2026-01-02'");
        if (without != 1)
            change(&f.into, "UPDATE plan_change SET what = json_remove(what, '$.asks')");
        if (without != 0)
            change(&f.from, "UPDATE plan_change SET what = json_remove(what, '$.asks')");
        merge(x, STATUS_OK);
        assert_into(CHANGES, "2026-01-01 4 0");
    }
}

TEST(sweeps_that_do_not_go_together)
{
    static const enum fate done[] = {DONE, DONE};
    struct files f = files_of(x);
    make_file(&f.into, FOUR, done, 2, .5);
    make_file(&f.from, SWEEP("[4, 8]", "seeds: 2\n"), done, 2, .5);
    merge(x, STATUS_BAD_INPUT);
    assert_non_null(strstr(x->m.text, "hold different sweeps named plain (no points in common)"));
    unlink(f.from.db);
    make_file(&f.from, SWEEP("[1, 2]", "seeds: 2\nmetric: {name: val_loss}\n"), done, 2, .5);
    merge(x, STATUS_BAD_INPUT);
    assert_non_null(strstr(x->m.text, "sweep plain chose its best steps by val_loss in"));
    assert_into(TRIALS, "completed10 completed10 queued00 queued00");
}

/* ---- troubles ---- */

TEST(rows_that_cannot_be)
{
    static const char *const cases[][2] = {
        {"PRAGMA ignore_check_constraints = ON; UPDATE trial SET test_acc = 7 WHERE trial_id = 1",
         "has a row that no results file can have"},
        {"UPDATE config SET config_json = json_set(config_json, '$.train.batch', 9)",
         "a configuration does not match its SHA-256"},
        {"UPDATE trial SET attempt = 3 WHERE trial_id = 1",
         "the attempts of a trial are not those that are counted"},
    };
    static const enum fate done[] = {DONE, DONE};
    struct files f = files_of(x);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unlink(f.from.db);
        make_file(&f.from, FOUR, done, 2, .5);
        change(&f.from, cases[i][0]);
        merge(x, STATUS_CORRUPT);
        if (!strstr(x->m.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], x->m.text);
        assert_into("SELECT count(*) FROM sweep", "0");
    }
}

TEST(any_trouble_changes_nothing)
{
    bring_under_trouble(x, merge_stores);
}
