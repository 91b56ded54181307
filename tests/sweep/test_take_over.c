/* What a run takes over from another results file: only of its own trials, only what is further,
 * and nothing where it meets trouble. Whole sweeps: tests/cli/test_from.sh. */
#include "merge_help.h"

static bool unfinished; /* those are taken, too */

static enum status take_stores(struct store *into, struct store *from, struct merge_counts *counts,
                               struct message *m)
{
    return store_take_over(into, 1, from, unfinished, note_move, NULL, counts, m);
}

static struct merge_counts take(struct fixture *x, bool all, enum status expected)
{
    unfinished = all;
    return bring(x, take_stores, expected);
}

FIXTURE(set_up, tear_down)

/* ---- which trials ---- */

/* What has not ended is left to a run that is at work on the file. */
TEST(unended_trials_are_left_to_a_run_at_work)
{
    static const enum fate theirs[] = {DONE, LOST, FAILED, RUNNING};
    struct files f = files_of(x);
    make_file(&f.into, FOUR, NULL, 0, .5);
    make_file(&f.from, FOUR, theirs, 4, .5);
    take(x, false, STATUS_OK);
    assert_into(TRIALS, "completed10 queued00 failed120 queued00");
    assert_string_equal(moved, "1.1 weights to 1.1; 3.1 checkpoints to 3.1; ");
    take(x, true, STATUS_OK); /* one was cut off: its attempt is still open */
    assert_into(TRIALS, "completed10 queued120 failed120 running10");
    assert_string_equal(moved, "2.1 checkpoints to 2.1; 4.1 checkpoints to 4.1; ");
    assert_sound(&f.into);
    change(&f.into, "UPDATE trial SET state = 'queued' WHERE trial_id = 4;"
                    "UPDATE attempt SET ended = started, outcome = 'requeued', cause = 'lost' "
                    "WHERE trial_id = 4");
    assert_int_equal(take(x, true, STATUS_OK).taken, 0); /* that attempt is known */
    assert_sound(&f.into);
}

/* Other plans: only trials of ours, in our shard, and our plan stays. */
TEST(our_plan_stays)
{
    static const enum fate done[] = {DONE, DONE, DONE, DONE};
    struct files f = files_of(x);
    make_file(&f.into, SWEEP("[2, 4]", "seeds: 2\n"), NULL, 0, .5);
    make_file(&f.from, FOUR, done, 4, .5);
    change(&f.into, "UPDATE plan_change SET changed = '2026-01-02'; UPDATE trial SET in_shard = 0"
                    " WHERE seed = 1; UPDATE sweep SET shards = '{\"of\":2,\"here\":[1]}'");
    change(&f.from, "UPDATE plan_change SET changed = '2026-01-03'"); /* of no concern here */
    assert_int_equal(take(x, true, STATUS_OK).taken, 1);
    assert_into("SELECT group_concat(heads || ' ' || seed || ' ' || state, ', ') FROM"
                " (SELECT * FROM trials ORDER BY heads, seed)",
                "2 0 completed, 2 1 queued, 4 0 queued, 4 1 queued");
    assert_into("SELECT count(*) FROM plan_change", "1");
    assert_sound(&f.into);
}

/* A claim that was made when trials had ended elsewhere is none once they are taken over; one that
 * was made before them stays one. */
TEST(a_claim_made_after_the_taken_results_is_late)
{
    static const char claim[] = SWEEP("[1, 2]", "seeds: 2\nclaim: {best: 2, over: [1]}\n");
    static const enum fate done[] = {DONE, DONE};
    struct files f = files_of(x);
    for (int claimed = 0; claimed < 2; claimed++) {
        unlink(f.into.db);
        unlink(f.from.db);
        make_file(&f.into, claim, NULL, 0, .5);
        make_file(&f.from, claimed ? claim : FOUR, done, 2, .5);
        change(&f.into, "UPDATE plan_change SET changed = '2026-01-02'");
        change(&f.from, "UPDATE plan_change SET changed = '2026-01-01';"
                        "UPDATE attempt SET started = '2026-01-01T01', ended = '2026-01-01T02'");
        take(x, true, STATUS_OK);
        assert_into("SELECT group_concat(changed || ' ' || added || ' ' || seen, ', ')"
                    " FROM plan_change",
                    claimed ? "2026-01-01 4 0" : "2026-01-01 4 0, 2026-01-02 0 2");
        assert_sound(&f.into);
    }
}

/* A failure that is tried again here is not taken over once more, by a merge either. */
TEST(a_known_failure_is_not_taken_over_again)
{
    static const enum fate failed[] = {FAILED};
    struct files f = files_of(x);
    long count;
    make_file(&f.into, FOUR, NULL, 0, .5);
    make_file(&f.from, FOUR, failed, 1, .5);
    take(x, true, STATUS_OK);
    struct store *s = open_store(&f.into, STORE_WRITE);
    assert_ok(store_retry_failed(s, 1, &count, &x->m));
    close_store(&f.into, s);
    assert_int_equal(take(x, true, STATUS_OK).taken, 0);
    assert_into(TRIALS, "queued120 queued00 queued00 queued00");
    s = open_store(&f.into, STORE_WRITE);
    struct store *from = open_store(&f.from, STORE_READ);
    struct merge_counts counts;
    assert_ok(store_begin(s, &x->m));
    assert_ok(store_merge(s, from, note_move, NULL, &counts, &x->m));
    assert_ok(store_commit(s, &x->m));
    assert_int_equal(counts.taken, 0);
    close_store(&f.from, from);
    close_store(&f.into, s);
    assert_into(TRIALS, "queued120 queued00 queued00 queued00");
}

/* ---- what does not go together ---- */

TEST(nothing_is_taken_over_from_other_sweeps)
{
    static const enum fate done[] = {DONE, DONE};
    struct files f = files_of(x);
    make_file(&f.into, FOUR, NULL, 0, .5);
    make_file(&f.from, SWEEP("[4, 8]", "seeds: 2\n"), done, 2, .5);
    assert_int_equal(take(x, true, STATUS_OK).taken, 0); /* no point is in both */
    unlink(f.from.db);
    make_file(&f.from, FOUR, done, 2, .5);
    change(&f.from, "UPDATE sweep SET name = 'other'");
    assert_int_equal(take(x, true, STATUS_OK).taken, 0);
    unlink(f.from.db);
    make_file(&f.from, SWEEP("[1, 2]", "seeds: 2\nmetric: {name: val_loss}\n"), done, 2, .5);
    take(x, true, STATUS_BAD_INPUT);
    assert_non_null(strstr(x->m.text, "were chosen by val_loss there, and the metric is val_acc"));
    assert_into(TRIALS, "queued00 queued00 queued00 queued00");
}

TEST(rows_that_cannot_be)
{
    static const char *const cases[][2] = {
        {"PRAGMA ignore_check_constraints = ON; UPDATE trial SET test_acc = 7 WHERE trial_id = 1",
         "has a row that no results file can have"},
        {"UPDATE trial SET attempt = 3 WHERE trial_id = 1",
         "the attempts of a trial are not those that are counted"},
        {"UPDATE trial SET resume_step = 1000 WHERE trial_id = 1",
         "a trial is at a step beyond its last"},
    };
    static const enum fate done[] = {DONE, DONE};
    struct files f = files_of(x);
    make_file(&f.into, FOUR, NULL, 0, .5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unlink(f.from.db);
        make_file(&f.from, FOUR, done, 2, .5);
        change(&f.from, cases[i][0]);
        take(x, true, STATUS_CORRUPT);
        if (!strstr(x->m.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], x->m.text);
        assert_into(TRIALS, "queued00 queued00 queued00 queued00");
    }
}

/* ---- troubles ---- */

TEST(any_trouble_changes_nothing)
{
    unfinished = true;
    bring_under_trouble(x, take_stores);
}
