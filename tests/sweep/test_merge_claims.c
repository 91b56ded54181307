/* Claims that meet the results of another file: what could have been seen when they were written.
 */
#include "merge_help.h"

FIXTURE(set_up, tear_down)

/* A claim in one file, results of before in the other. */
TEST(a_claim_after_results_of_the_other_file_has_seen_them)
{
    static const enum fate done[] = {DONE, DONE};
    struct files f = files_of(x);
    make_file(&f.into, SWEEP("[1, 2]", "seeds: 2\nclaim: {best: 2, over: [1]}\n"), done, 0, .5);
    make_file(&f.from, FOUR, done, 2, .5);
    change(&f.into, "UPDATE plan_change SET changed = '2026-01-02'");
    change(&f.from, "UPDATE plan_change SET changed = '2026-01-01';"
                    "UPDATE attempt SET started = '2026-01-01T01', ended = '2026-01-01T02'"
                    " WHERE trial_id = 1");
    merge(x, STATUS_OK);
    assert_into(CHANGES, "2026-01-01 4 0, 2026-01-02 4 1");
    assert_into("SELECT claim ->> 'best' FROM sweep", "2");
}

/* A claim in one file, results of other trials in the other: of the same ones, and of trials that
 * differ in how often they are evaluated. In whichever order the files are merged. */
TEST(what_others_had_found_out)
{
    static const char claimed[] = "name: claimed\n"
                                  "task: {name: gather, length: 16, vocab: 8, slots: 2}\n"
                                  "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"
                                  "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: %d}\n"
                                  "seeds: 2\nclaim: {best: 2, over: [1]}\n";
    static const char answer[] = "SELECT seen || ' ' || similar || similar_differ FROM plan_change"
                                 " WHERE claim IS NOT NULL";
    static const enum fate done[] = {DONE, DONE, DONE};
    for (int i = 0; i < 4; i++) {
        struct files f = files_of(x);
        struct fixture *with_claim = i & 1 ? &f.into : &f.from, *with = i & 1 ? &f.from : &f.into;
        bool same = i > 1;
        char yaml[sizeof claimed + 8];
        unlink(f.into.db);
        unlink(f.from.db);
        snprintf(yaml, sizeof yaml, claimed, same ? 50 : 30);
        make_file(with_claim, yaml, done, 0, .5);
        make_file(with, FOUR, done, 3, .5);
        change(with_claim, "UPDATE plan_change SET changed = '2026-01-02'");
        change(with, "UPDATE plan_change SET changed = '2026-01-01'; UPDATE attempt SET started ="
                     " '2026-01-01T01', ended = '2026-01-01T02' WHERE trial_id < 3");
        merge(x, STATUS_OK);
        assert_into(answer, same ? "2 0[]" : "0 2[\"train.eval_every\"]");
        merge(x, STATUS_OK);
        assert_into(answer, same ? "2 0[]" : "0 2[\"train.eval_every\"]");
    }
}

#define CLAIMED                                                                                    \
    "name: claimed\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                        \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\nseeds: 2\n"

/* A trial was at work when its run was killed. The claim was written then, and the next run took in
 * what had become of the trial: nothing, so that it began again, or its result. */
static void make_killed_file(struct fixture *x, bool result)
{
    bool accepted;
    struct attempt_end end = {.step = 20, .cause = CAUSE_COORDINATOR};
    struct run r = start(x, CLAIMED);
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    plan_into(x, r.s, CLAIMED "claim: {best: 2, over: [1]}\n");
    run_sql(r.db, "UPDATE plan_change SET changed = '2026-01-0' || plan_change_id");
    if (!result) {
        assert_ok(store_requeue(r.s, c.trial_id, c.attempt, &end, &accepted, &x->m));
        c = claim(x, r.s, r.sweep, r.build);
    }
    assert_true(finish(x, r.s, &c, result_of(.5)));
    run_sql(r.db, "UPDATE attempt SET started = iif(attempt = 1, '2026-01-01', '2026-01-03'),"
                  " ended = '2026-01-03'");
    assert_answer(r.db, "SELECT group_concat(seen || ' ' || similar) FROM plan_change", "0 0,0 0");
    close_store(x, r.s);
}

/* Nothing could be seen of it, whether the other file has anything to do with the claim or not. */
TEST(a_trial_killed_before_its_first_evaluation_was_not_seen)
{
    static const enum fate done[] = {DONE, DONE};
    static const char *const others[] = {FOUR, SWEEP("[4, 8]", "seeds: 2\n")};
    for (int i = 0; i < 2; i++) {
        struct files f = files_of(x);
        unlink(f.into.db);
        unlink(f.from.db);
        make_killed_file(&f.into, false);
        make_file(&f.from, others[i], done, 2, .5);
        merge(x, STATUS_OK);
        assert_into("SELECT seen || ' ' || similar FROM plan_change WHERE claim IS NOT NULL",
                    "0 0");
    }
}

/* A file that has to do with nothing of a claim says nothing about it, however what was here before
 * may look by now. */
TEST(an_unrelated_file_does_not_change_what_was_seen)
{
    static const enum fate done[] = {DONE, DONE};
    struct files f = files_of(x);
    make_killed_file(&f.into, true);
    make_file(&f.from, SWEEP("[4, 8]", "seeds: 2\n"), done, 2, .5);
    merge(x, STATUS_OK);
    assert_into("SELECT seen || ' ' || similar FROM plan_change WHERE claim IS NOT NULL", "0 0");
}

/* ---- who could have seen what ---- */

/* When something happened, on one day: 1 to 9. */
#define AT(t) "'2026-01-0" #t "'"

/* A trial whose first attempt went from 1 to `ended` and was lost or stopped with a checkpoint at
 * step 20, before the first evaluation that one could tell by; evaluated: its curve was seen live.
 * Where it has `begun` again, at 4, it has come to a result. */
static void make_interrupted(struct fixture *x, enum attempt_cause cause, bool evaluated,
                             const char *ended, bool begun)
{
    bool accepted;
    struct attempt_end end = {.step = cause == CAUSE_LOST ? 0 : 20, .cause = cause};
    char sql[256];
    struct run r = start(x, FOUR);
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    if (evaluated)
        assert_ok(store_curve(r.s, c.trial_id, c.attempt, "[{\"step\":10}]", &x->m));
    assert_ok(store_requeue(r.s, c.trial_id, c.attempt, &end, &accepted, &x->m));
    if (begun) {
        c = claim(x, r.s, r.sweep, r.build);
        assert_true(finish(x, r.s, &c, result_of(.5)));
    }
    snprintf(sql, sizeof sql,
             "UPDATE attempt SET started = iif(attempt = 1, " AT(1) ", " AT(
                 4) "),"
                    " ended = iif(attempt = 1, '%s', " AT(5) ")",
             ended);
    run_sql(r.db, sql);
    run_sql(r.db, "UPDATE plan_change SET changed = '2026-01-01'");
    close_store(x, r.s);
}

/* The claim was written at 2. */
static void make_claim(struct fixture *x)
{
    make_file(x, SWEEP("[1, 2]", "seeds: 2\nclaim: {best: 2, over: [1]}\n"), NULL, 0, .5);
    change(x, "UPDATE plan_change SET changed = " AT(2));
}

#define SEEN "SELECT group_concat(seen) FROM plan_change WHERE claim IS NOT NULL"

/* Curves are in the file at each evaluation, checkpoints come only now and then: of work that was
 * lost nobody can say whether it had been evaluated before the claim. */
TEST(work_lost_before_its_checkpoint_may_have_been_seen)
{
    static const struct {
        enum attempt_cause cause;
        const char *ended, *seen;
    } cases[] = {{CAUSE_LOST, "2026-01-03", "1"},
                 {CAUSE_LOST, "2026-01-01T12", "1"},
                 {CAUSE_COORDINATOR, "2026-01-03", "1"},
                 {CAUSE_STOPPED, "2026-01-03", "1"},
                 {CAUSE_STOPPED, "2026-01-01T12", "0"}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct files f = files_of(x);
        struct fixture *with_claim = i & 1 ? &f.into : &f.from, *with = i & 1 ? &f.from : &f.into;
        unlink(f.into.db);
        unlink(f.from.db);
        make_interrupted(with, cases[i / 2].cause, true, cases[i / 2].ended, true);
        make_claim(with_claim);
        merge(x, STATUS_OK);
        assert_into(SEEN, cases[i / 2].seen);
        assert_sound(&f.into);
    }
}

/* Where another file's trial takes the place of one that had been evaluated, or the other way
 * round, a claim that a third file brings may have been read off what is not there any more. */
TEST(what_did_not_stay_was_seen)
{
    static const char *const ended[] = {"2026-01-03", "2026-01-01T12"};
    static const enum fate done[] = {DONE};
    for (int i = 0; i < 4; i++) {
        struct files f = files_of(x);
        struct fixture *early = i & 1 ? &f.into : &f.from, *late = i & 1 ? &f.from : &f.into;
        unlink(f.into.db);
        unlink(f.from.db);
        make_interrupted(early, CAUSE_STOPPED, true, ended[i / 2], false);
        make_file(late, FOUR, done, 1, .5);
        change(late, "UPDATE attempt SET started = " AT(4) ", ended = " AT(
                         5) ";"
                            "UPDATE plan_change SET changed = " AT(1));
        merge(x, STATUS_OK);
        assert_into("SELECT state || (SELECT group_concat(ended || seen) FROM deleted) FROM trial"
                    " WHERE trial_id = 1",
                    "completed2026-01-011");
        unlink(f.from.db);
        make_claim(&f.from);
        merge(x, STATUS_OK);
        merge(x, STATUS_OK);
        assert_into(SEEN, "1");
        assert_into("SELECT count(*) FROM deleted", "1");
        assert_sound(&f.into);
    }
}

/* A trial that has gone on since the last merge is the same one. */
TEST(what_has_gone_on_has_stayed)
{
    struct files f = files_of(x);
    make_interrupted(&f.into, CAUSE_STOPPED, true, "2026-01-03", false);
    make_interrupted(&f.from, CAUSE_STOPPED, true, "2026-01-03", true);
    merge(x, STATUS_OK);
    assert_into("SELECT state || (SELECT count(*) FROM deleted) FROM trial WHERE trial_id = 1",
                "completed0");
}

/* The file of a claim has counted itself which of its trials could be seen. A result that was there
 * and not yet heard of when the claim was written was none; what the other file has trained since
 * says nothing about that, wherever the claim is. */
TEST(what_the_claim_has_counted)
{
    static const enum fate done[] = {DONE, DONE, DONE};
    for (int i = 0; i < 4; i++) {
        struct files f = files_of(x);
        unlink(f.into.db);
        unlink(f.from.db);
        make_killed_file(i & 1 ? &f.into : &f.from, true);
        make_file(i & 1 ? &f.from : &f.into, i < 2 ? FOUR : CLAIMED, done, 3, .5);
        change(i & 1 ? &f.from : &f.into, "UPDATE attempt SET started = " AT(4) ", ended = " AT(
                                              5) ";"
                                                 "UPDATE plan_change SET changed = " AT(1));
        merge(x, STATUS_OK);
        assert_into("SELECT seen || ' ' || similar FROM plan_change WHERE claim IS NOT NULL",
                    "0 0");
        merge(x, STATUS_OK);
        assert_into("SELECT seen || ' ' || similar FROM plan_change WHERE claim IS NOT NULL",
                    "0 0");
    }
}
