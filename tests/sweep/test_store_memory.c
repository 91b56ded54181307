/* Memory that runs out at an allocation of the store or of SQLite within it: an error, no crash,
 * and the file whole. */
#include "store_help.h"

#include "sweep/export/export_results.h"
#include "tests/unit/faults.h"

/* Everything that a run does with the file, up to the first error. */
static enum status live(struct fixture *x, const struct plan *p)
{
    static const struct attempt_end end = {.cpu_s = 1, .error = "some words"};
    struct plan_changes changes;
    struct build_info b = {"0.1.0", "abc", "gcc", "-O2", "OpenBLAS", "Haswell", "avx2", "cpu"};
    struct claimed c = {0};
    struct store *s = NULL;
    int64_t build = 0;
    bool accepted, failed;
    enum status status = store_open(x->db, STORE_WRITE, &s, &x->m);
    if (status == STATUS_OK)
        status = store_plan(s, p, false, &changes, &x->m);
    if (status == STATUS_OK)
        status = store_build(s, &b, &build, &x->m);
    if (status == STATUS_OK)
        status = store_claim(s, 1, build, NULL, false, &c, &x->m);
    if (status == STATUS_OK && c.trial_id)
        status = store_finish(s, c.trial_id, c.attempt, result_of(0.5), "r", RESULT_SHA256, &end,
                              &accepted, &x->m);
    if (status == STATUS_OK)
        status = store_claim(s, 1, build, NULL, false, &c, &x->m);
    if (status == STATUS_OK && c.trial_id)
        status = store_fail(s, c.trial_id, c.attempt, 1, &end, &failed, &accepted, &x->m);
    if (status == STATUS_OK) {
        FILE *out = fopen("/dev/null", "w");
        status = out ? export_results(s, NULL, out, &x->m) : STATUS_NO_MEMORY;
        if (out)
            fclose(out);
    }
    enum status closed = store_close(s, status == STATUS_OK ? &x->m : NULL);
    return status != STATUS_OK ? status : closed;
}

FIXTURE(set_up, tear_down)

TEST(after_a_failed_allocation_the_next_run_gets_it_done)
{
    struct planned p = plan_of(x, SWEEP("[1, 2]", "seeds: 1\n"));
    bool fired = FAULTS_IN_MALLOC;
    int errors = 0;
    /* Each of the first ten, then ever wider apart: there are tens of thousands. */
    for (int n = 1; fired; n += 1 + n / 10) {
        snprintf(x->db, sizeof x->db, "%s/%d.db", x->folder, n);
        fault_arm(FAULT_MALLOC, n, ENOMEM);
        enum status status = live(x, p.plan);
        fired = fault_disarm();
        if (status != STATUS_OK && status != STATUS_NO_MEMORY)
            fail_msg("allocation %d: status %d: %s", n, (int)status, x->m.text);
        errors += status == STATUS_NO_MEMORY;
        /* SQLite can do without some; then all is there. If not, the next run gets it done. */
        assert_ok(live(x, p.plan));
        struct store *s = open_store(x, STORE_READ);
        assert_answer(store_db(s), "PRAGMA integrity_check", "ok");
        assert_answer(store_db(s), "SELECT count(*) > 0 FROM trial WHERE state = 'completed'", "1");
        close_store(x, s);
    }
    assert_true(errors > 20 || !FAULTS_IN_MALLOC);
}
