/* Studies in the results file: of whom they are due, what is kept of an answer, whose weights it is
 * from, and what is left when anything stands in the way. */
#include "store_files.h"

#include <math.h>

#include "sweep/trials/trials_internal.h"

#include "tests/test.h"

/* Of two head counts and two seeds: trials 1 and 3 (1 head), 2 and 4 (2 heads). The first three
 * complete. */
static struct run three_completed(struct fixture *x)
{
    struct run r = start(x, SWEEP("[1, 2]", "seeds: 2\n"));
    for (int i = 0; i < 3; i++) {
        struct claimed c = claim(x, r.s, r.sweep, r.build);
        finish(x, r.s, &c, result_of(.25 * (i + 1)));
    }
    return r;
}

static struct study_due due_of(struct fixture *x, struct run *r, int64_t trial_id,
                               const char *options)
{
    struct study_due due;
    assert_ok(store_study_due(r->s, r->sweep, trial_id, "heads", options, &due, &x->m));
    return due;
}

static void assert_due(struct fixture *x, struct run *r, const char *options, int count, int done)
{
    struct study_due due = due_of(x, r, 0, options);
    assert_int_equal(due.count, count);
    assert_int_equal(due.done, done);
    assert_true((due.list != NULL) == (count > 0));
    free(due.list);
}

static const char ANSWER[] =
    "{\"split\":\"val\",\"head_metric\":["
    "{\"layer\":0,\"head\":0,\"importance\":0.5,\"entropy\":null},"
    "{\"layer\":0,\"head\":1,\"importance\":2,\"confidence\":0.75}],"
    "\"layer_metric\":[],"
    "\"head_slot\":[{\"layer\":0,\"head\":1,\"slot\":3,\"mass\":0.25}],"
    "\"pruning\":[{\"method\":\"none\",\"kept\":2,\"removed\":[[0,1],[0,0]],\"infer_ms\":0.5}],"
    "\"evaluation\":[{\"name\":\"noisy\",\"options\":{\"noise\":0.5},\"acc\":1}]}";

static enum status answer(struct fixture *x, struct run *r, const struct study_trial *t, int count,
                          const char *options, const char *json)
{
    struct study_filing f = {.study = "heads",
                             .options = options,
                             .trials = t,
                             .count = count,
                             .answer = json,
                             .cpu_s = 1.5,
                             .build_id = r->build};
    return store_study_file(r->s, &f, &x->m);
}

FIXTURE(set_up, tear_down)

TEST(a_study_is_due_once)
{
    struct run r = three_completed(x);
    struct study_due due = due_of(x, &r, 0, "{}");
    assert_int_equal(due.count, 3);
    assert_int_equal(due.done, 0);
    const struct study_trial *t = &due.list[1];
    assert_int_equal(t->trial_id, 2);
    assert_int_equal(t->sweep_id, r.sweep);
    assert_int_equal(t->best_step, 50);
    assert_string_equal(t->file, "t1-a1.result");
    assert_string_equal(t->sha256, RESULT_SHA256);
    assert_string_equal(t->config_sha256,
                        ask(r.db, "SELECT config_sha256 FROM trials WHERE trial_id = 2"));
    assert_int_equal(t->heads, 2);
    assert_int_equal(t->layers, 1);
    assert_each(t->val_acc == .5, t->test_acc == .5, t->n_params > 0);
    assert_string_equal(t->setting, "{}");
    assert_ok(answer(x, &r, t, 1, "{}", ANSWER));
    assert_due(x, &r, "{}", 2, 1);
    assert_due(x, &r, "{\"on\":\"test\"}", 3, 0); /* other options */
    assert_due(x, &r, NULL, 3, 0);
    free(due.list);
    due = due_of(x, &r, 2, "{}");
    assert_int_equal(due.count, 0);
    assert_int_equal(due.done, 1);
    assert_answer(r.db,
                  "SELECT name || options || (answered > '2026') || cpu_s || build_id ||"
                  " (checkpoint_sha256 = (SELECT checkpoint_sha256 FROM trial WHERE trial_id = 2))"
                  " FROM study WHERE trial_id = 2",
                  "heads{}11.511");
    close_store(x, r.s);
}

TEST(only_judged_trials_with_weights)
{
    struct run r = three_completed(x);
    static const char *const cases[] = {
        "UPDATE trial SET in_plan = 0 WHERE trial_id = 1",
        "UPDATE trial SET is_tuning = 1 WHERE trial_id = 1",
        "UPDATE trial SET confirms = 1 WHERE trial_id = 1",
        "UPDATE trial SET choice = 'eliminated' WHERE trial_id = 1",
        "UPDATE trial SET checkpoint = NULL, checkpoint_sha256 = NULL WHERE trial_id = 1",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_sql(r.db, "SAVEPOINT before");
        run_sql(r.db, cases[i]);
        assert_due(x, &r, "{}", 2, 0);
        /* Asked by its number, it can be whatever has weights. */
        struct study_due due;
        enum status status = store_study_due(r.s, 0, 1, "heads", "{}", &due, &x->m);
        if (i < 4) {
            assert_int_equal(due.count, 1);
            free(due.list);
        } else {
            assert_int_equal(status, STATUS_BAD_INPUT);
            assert_non_null(strstr(x->m.text, "weights of trial 1 were removed by gc"));
        }
        run_sql(r.db, "ROLLBACK TO before; RELEASE before");
    }
    struct study_due due;
    assert_status(STATUS_BAD_INPUT, store_study_due(r.s, 0, 4, "heads", "{}", &due, &x->m));
    assert_string_equal(x->m.text,
                        "trial 4 is queued; only the weights of completed trials can be studied");
    assert_null(due.list);
    assert_status(STATUS_BAD_INPUT, store_study_due(r.s, 0, 9, "heads", "{}", &due, &x->m));
    assert_non_null(strstr(x->m.text, "holds no trial 9"));
    assert_ok(store_study_due(r.s, 77, 0, "heads", "{}", &due, &x->m)); /* another sweep */
    assert_int_equal(due.count + due.done, 0);
    close_store(x, r.s);
}

TEST(rows_are_filled_up)
{
    struct run r = three_completed(x);
    struct study_due due = due_of(x, &r, 2, "{}");
    assert_ok(answer(x, &r, due.list, 1, "{}", ANSWER));
    assert_answer(r.db,
                  "SELECT group_concat(trial_id || ' ' || step || split || layer || head || ' ' ||"
                  " importance || ' ' || ifnull(confidence, '-') || ifnull(entropy, '-'), ', ')"
                  " FROM head_metric",
                  "2 50val00 0.5 --, 2 50val01 2.0 0.75-");
    assert_answer(r.db, "SELECT step || split || slot || mass FROM head_slot", "50val30.25");
    assert_answer(r.db,
                  "SELECT method || kept || finetuned_steps || lr || removed || infer_ms ||"
                  " ifnull(test_acc, '-') FROM pruning",
                  "none200.0[[0,1],[0,0]]0.5-");
    assert_answer(r.db, "SELECT trial_id || name || options || acc FROM evaluation",
                  "2noisy{\"noise\":0.5}1.0");
    /* Again: the same keys get the columns that are named, and keep the others. */
    assert_ok(answer(x, &r, due.list, 1, "{}",
                     "{\"split\":\"val\",\"head_metric\":[{\"layer\":0,\"head\":1,"
                     "\"importance\":3}],\"pruning\":[{\"method\":\"none\",\"kept\":2}]}"));
    assert_answer(r.db,
                  "SELECT group_concat(importance || ifnull(confidence, '-')) FROM head_metric",
                  "0.5-,3.00.75");
    assert_answer(r.db, "SELECT count(*) || removed FROM pruning", "1[[0,1],[0,0]]");
    assert_answer(r.db, "SELECT count(*) FROM study", "1");
    free(due.list);
    close_store(x, r.s);
}

TEST(several_trials_answer_together)
{
    struct run r = three_completed(x);
    struct study_due due = due_of(x, &r, 0, "{}");
    struct study_trial members[] = {due.list[0], due.list[2]};
    bool answered = true;
    assert_ok(store_study_answered(r.s, members, 2, "heads", "{\"m\":2}", &answered, &x->m));
    assert_false(answered);
    assert_ok(answer(x, &r, members, 2, "{\"m\":2}",
                     "{\"ensemble\":[{\"members\":2,\"trials\":[1,3],\"test_acc\":0.5}]}"));
    assert_ok(store_study_answered(r.s, members, 2, "heads", "{\"m\":2}", &answered, &x->m));
    assert_true(answered);
    assert_answer(r.db, "SELECT group_concat(trial_id) FROM study", "1,3");
    assert_answer(r.db, "SELECT sweep_id || setting || heads || members || trials FROM ensemble",
                  "1{}12[1,3]");
    /* Other weights of one of them. */
    run_sql(r.db, "UPDATE trial SET checkpoint_sha256 = printf('%064d', 3) WHERE trial_id = 3");
    assert_ok(store_study_answered(r.s, members, 2, "heads", "{\"m\":2}", &answered, &x->m));
    assert_false(answered);
    free(due.list);
    close_store(x, r.s);
}

/* Answers belong to the weights that gave them. */
TEST(other_weights)
{
    struct run r = three_completed(x);
    struct study_due due = due_of(x, &r, 2, "{}");
    struct study_trial before = due.list[0];
    free(due.list);
    assert_ok(answer(x, &r, &before, 1, "{}", ANSWER));
    assert_ok(answer(x, &r, &before, 1, "{\"on\":\"test\"}",
                     "{\"split\":\"test\",\"head_metric\":[{\"layer\":0,\"head\":0}]}"));
    assert_ok(
        answer(x, &r, &before, 1, "{\"m\":1}", "{\"ensemble\":[{\"members\":1,\"trials\":[2]}]}"));
    run_sql(r.db, "UPDATE trial SET checkpoint_sha256 = printf('%064d', 2) WHERE trial_id = 2");
    due = due_of(x, &r, 0, "{}");
    assert_int_equal(due.count, 3);
    assert_int_equal(due.done, 0);
    /* What the old weights answer late counts for nothing. */
    assert_status(STATUS_BAD_INPUT, answer(x, &r, &before, 1, "{}", ANSWER));
    assert_non_null(strstr(x->m.text, "the weights of trial 2 have changed"));
    assert_answer(r.db, "SELECT count(*) FROM study", "3");
    assert_ok(answer(x, &r, &due.list[1], 1, "{}",
                     "{\"split\":\"val\",\"head_slot\":[{\"layer\":0,\"head\":0,\"slot\":0}]}"));
    assert_answer(r.db,
                  "SELECT (SELECT count(*) FROM study) || (SELECT count(*) FROM head_metric) ||"
                  " (SELECT count(*) FROM head_slot) || (SELECT count(*) FROM pruning) ||"
                  " (SELECT count(*) FROM evaluation) || (SELECT count(*) FROM ensemble)",
                  "101000");
    assert_due(x, &r, "{}", 2, 1);
    free(due.list);
    close_store(x, r.s);
}

/* A result brings what its trial measured on the way, and is not answered for by an earlier one. */
TEST(a_result_with_measures)
{
    struct run r = three_completed(x);
    struct study_due due = due_of(x, &r, 1, "{}");
    assert_ok(answer(x, &r, due.list, 1, "{}", ANSWER));
    run_sql(r.db, "UPDATE study SET trial_id = 4; UPDATE pruning SET trial_id = 4");
    struct claimed c = claim(x, r.s, r.sweep, r.build);
    assert_int_equal(c.trial_id, 4);
    char result[4096];
    snprintf(result, sizeof result,
             "%.*s,\"head_metric\":[{\"step\":50,\"layer\":0,\"head\":0,\"entropy\":0.5},"
             "{\"step\":100,\"layer\":0,\"head\":0,\"entropy\":0.25}],"
             "\"layer_metric\":[{\"step\":50,\"layer\":0,\"effective_rank\":1.5}],"
             "\"head_slot\":[]}",
             (int)strlen(result_of(.5)) - 1, result_of(.5));
    assert_true(finish(x, r.s, &c, result));
    assert_answer(r.db,
                  "SELECT group_concat(step || split || layer || head || entropy, ' ')"
                  " FROM head_metric WHERE trial_id = 4",
                  "50val000.5 100val000.25");
    assert_answer(r.db, "SELECT effective_rank FROM layer_metric", "1.5");
    assert_answer(r.db, "SELECT count(*) FROM pruning WHERE trial_id = 4", "0");
    assert_answer(r.db, "SELECT count(*) FROM study WHERE trial_id = 4", "0");
    free(due.list);
    close_store(x, r.s);
}

TEST(answers_that_are_none)
{
    static const struct {
        const char *answer;
        enum status status;
        const char *told;
    } cases[] = {
        {"", STATUS_BAD_INPUT, "what study heads answered about trial 1 is no answer: "},
        {"{\"pruning\":[", STATUS_BAD_INPUT, "is no answer: {\"pruning\":["},
        {"[1]", STATUS_BAD_INPUT, "is no answer: [1]"},
        {"{\"curve\":[{\"step\":1}]}", STATUS_INTERNAL, "\"curve\" is no array of rows"},
        {"{\"pruning\":{}}", STATUS_INTERNAL, "\"pruning\" is no array of rows"},
        {"{\"pruning\":[{\"method\":\"none\",\"kept\":1,\"speed\":1}]}", STATUS_INTERNAL,
         "table pruning has no column \"speed\""},
        {"{\"pruning\":[{\"method\":\"none\",\"kept\":1},{\"method\":\"none\"}]}", STATUS_BAD_INPUT,
         "about trial 1 is impossible: "},
        {"{\"pruning\":[{\"method\":\"none\",\"kept\":1,\"test_acc\":2}]}", STATUS_BAD_INPUT,
         "impossible: "},
        {"{\"pruning\":[{\"method\":\"none\",\"kept\":\"few\"}]}", STATUS_BAD_INPUT,
         "impossible: "},
        {"{\"pruning\":[{\"trial_id\":99,\"method\":\"none\",\"kept\":1}]}", STATUS_BAD_INPUT,
         "impossible: "},
        {"{\"pruning\":[5]}", STATUS_BAD_INPUT, "impossible: "},
        {"{\"split\":\"train\",\"head_metric\":[{\"layer\":0,\"head\":0}]}", STATUS_BAD_INPUT,
         "impossible: "},
        {"{\"head_metric\":[{\"layer\":0,\"head\":0}]}", STATUS_BAD_INPUT, "head_metric.split"},
        {"{\"split\":\"val\",\"head_metric\":[{\"layer\":0,\"head\":0,\"entropy\":9e999}]}",
         STATUS_BAD_INPUT, "impossible: "},
    };
    struct run r = three_completed(x);
    struct study_due due = due_of(x, &r, 1, "{}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum status status = answer(x, &r, due.list, 1, "{}", cases[i].answer);
        if (status != cases[i].status || !strstr(x->m.text, cases[i].told))
            fail_msg("%s: status %d: %s", cases[i].answer, (int)status, x->m.text);
        assert_answer(r.db, "SELECT count(*) FROM study", "0");
        assert_answer(r.db, "SELECT count(*) FROM pruning", "0");
    }
    free(due.list);
    close_store(x, r.s);
}

/* ---- columns of measures ---- */

TEST(measures_younger_than_the_file)
{
    static const char *const names[] = {"importance", "sharpness", "span_90"};
    static const char *const taken[] = {"liking"};
    static const char *const wrong[] = {"", "Sharp", "1st", "a-b", "select", "a b"};
    struct run r = three_completed(x);
    struct study_due due = due_of(x, &r, 1, "{}");
    assert_ok(answer(x, &r, due.list, 1, "{}", ANSWER));
    close_store(x, r.s);

    /* A reader has them too, and the file is left as it is. */
    struct store *reader = open_store(x, STORE_READ);
    assert_ok(store_measure_columns(reader, "head_metric", names, 3, &x->m));
    assert_answer(
        store_db(reader),
        "SELECT group_concat(importance || ifnull(sharpness, '-') || ifnull(span_90, '-'))"
        " FROM head_metric",
        "0.5--,2.0--");
    close_store(x, reader);

    r.s = open_store(x, STORE_WRITE);
    r.db = store_db(r.s);
    assert_answer(r.db,
                  "SELECT count(*) FROM pragma_table_info('head_metric')"
                  " WHERE name = 'sharpness'",
                  "0");
    assert_ok(store_measure_columns(r.s, "head_metric", names, 3, &x->m));
    assert_ok(store_measure_columns(r.s, "head_metric", names, 3, &x->m));
    assert_ok(answer(x, &r, due.list, 1, "{}",
                     "{\"split\":\"val\",\"head_metric\":[{\"layer\":0,\"head\":0,"
                     "\"sharpness\":0.5}]}"));
    assert_answer(r.db,
                  "SELECT group_concat(importance || ifnull(sharpness, '-')) FROM head_metric",
                  "0.50.5,2.0-");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_status(STATUS_INTERNAL,
                      store_measure_columns(r.s, "head_metric", &wrong[i], 1, &x->m));
    run_sql(r.db, "ALTER TABLE layer_metric ADD COLUMN Liking TEXT");
    assert_status(STATUS_BAD_INPUT, store_measure_columns(r.s, "layer_metric", taken, 1, &x->m));
    assert_non_null(strstr(x->m.text, "has a column \"liking\" of yours"));
    free(due.list);
    close_store(x, r.s);
}

/* The schema has the columns of all measures: none is added to a new file. */
TEST(a_new_file_has_all_measures)
{
    static const char *const tables[][2] = {
        {"head_metric", "trial_id,step,split,layer,head,importance,importance_norm,ablation_acc,"
                        "ablation_loss,confidence,entropy,distance,wo_share"},
        {"layer_metric", "trial_id,step,split,layer,disagreement_subspace,disagreement_position,"
                         "disagreement_output,effective_rank"},
        {"head_slot", "trial_id,step,split,layer,head,slot,mass"}};
    struct store *s = open_store(x, STORE_WRITE);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char sql[100];
        snprintf(sql, sizeof sql, "SELECT group_concat(name) FROM pragma_table_info('%s')",
                 tables[i][0]);
        assert_answer(store_db(s), sql, tables[i][1]);
    }
}

/* ---- trouble ---- */

static const char KEPT[] =
    "SELECT (SELECT count(*) FROM study) || ' ' || (SELECT count(*) FROM head_metric) || ' ' ||"
    " (SELECT count(*) FROM head_slot) || ' ' || (SELECT count(*) FROM pruning) || ' ' ||"
    " (SELECT count(*) FROM evaluation)";

/* Trouble everywhere in keeping an answer: all of it is there or nothing, and the same again works.
 */
TEST(troubled_answers)
{
    stand_between(true);
    struct run r = three_completed(x);
    struct study_due due = due_of(x, &r, 1, "{}");
    for (enum trouble kind = REFUSED; kind < TROUBLES; kind++) {
        int failed = 0;
        bool fired =
            kind != SYSTEM && (kind != MEMORY || FAULTS_IN_MALLOC); /* a full disk: below */
        for (long n = 1; fired; n += 1 + n / 8) {
            arm(kind, n);
            enum status status = answer(x, &r, due.list, 1, "{}", ANSWER);
            fired = disarm();
            if (status != STATUS_OK && !fired)
                fail_msg("trouble %d at %ld: %s", (int)kind, n, x->m.text);
            if (kind == MEMORY && status != STATUS_OK)
                assert_status(STATUS_NO_MEMORY, status);
            failed += status != STATUS_OK;
            assert_answer(r.db, KEPT, status == STATUS_OK ? "1 2 1 1 1" : "0 0 0 0 0");
            assert_ok(answer(x, &r, due.list, 1, "{}", ANSWER));
            assert_answer(r.db, KEPT, "1 2 1 1 1");
            run_sql(r.db, "DELETE FROM study; DELETE FROM head_metric; DELETE FROM head_slot;"
                          "DELETE FROM pruning; DELETE FROM evaluation");
        }
        assert_true(failed > 4 || kind == SYSTEM || (kind == MEMORY && !FAULTS_IN_MALLOC));
    }
    stand_between(false);
    free(due.list);
    close_store(x, r.s);
}

TEST(troubled_questions)
{
    stand_between(true);
    struct run r = three_completed(x);
    for (enum trouble kind = REFUSED; kind < TROUBLES; kind++) {
        bool fired = kind != SYSTEM && (kind != MEMORY || FAULTS_IN_MALLOC);
        for (long n = 1; fired; n++) {
            struct study_due due = {0};
            arm(kind, n);
            enum status status = store_study_due(r.s, 0, 0, "heads", "{}", &due, &x->m);
            fired = disarm();
            assert_true(status != STATUS_OK ? fired : due.count == 3);
            assert_true((due.list != NULL) == (status == STATUS_OK));
            free(due.list);
        }
    }
    stand_between(false);
    close_store(x, r.s);
}

static ssize_t no_room(int fd, const void *bytes, size_t size, off_t at)
{
    (void)fd, (void)bytes, (void)size, (void)at;
    errno = ENOSPC;
    return -1;
}

static void fill_disk(bool on)
{
    static const char *const calls[] = {"pwrite", "pwrite64"};
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    for (int i = 0; i < 2; i++)
        vfs->xSetSystemCall(vfs, calls[i], on ? (sqlite3_syscall_ptr)no_room : NULL);
}

/* Another connection holds the lock, or the disk is full: nothing has changed, and it can be tried
 * again. */
TEST(a_lock_and_a_full_disk)
{
    struct run r = three_completed(x);
    struct study_due due = due_of(x, &r, 1, "{}");
    sqlite3 *other;
    assert_int_equal(sqlite3_open(x->db, &other), SQLITE_OK);
    run_sql(other, "BEGIN IMMEDIATE");
    assert_status(STATUS_BUSY, answer(x, &r, due.list, 1, "{}", ANSWER));
    run_sql(other, "COMMIT");
    sqlite3_close(other);
    fill_disk(true);
    enum status status = answer(x, &r, due.list, 1, "{}", ANSWER);
    fill_disk(false);
    assert_status(STATUS_DISK_FULL, status);
    assert_answer(r.db, KEPT, "0 0 0 0 0");
    assert_ok(answer(x, &r, due.list, 1, "{}", ANSWER));
    free(due.list);
    close_store(x, r.s);
}
