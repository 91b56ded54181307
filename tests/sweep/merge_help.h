/* Two results files of one sweep, for tests of what brings them together. */
#ifndef TESTS_SWEEP_MERGE_HELP_H
#define TESTS_SWEEP_MERGE_HELP_H

#include "store_troubles.h"

#include "sweep/merge/merge.h"
#include "sweep/trials/store_check.h"

#define FOUR SWEEP("[1, 2]", "seeds: 2\n")

/* ---- files ---- */

struct files {
    struct fixture into, from;
};

static inline struct files files_of(struct fixture *x)
{
    struct files f = {*x, *x};
    snprintf(f.into.db, sizeof f.into.db, "%s/into.db", x->folder);
    snprintf(f.from.db, sizeof f.from.db, "%s/from.db", x->folder);
    return f;
}

enum fate { LOST, FAILED, DONE, RUNNING };

/* A file of the sweep, whose trials have come to this, in the order of the plan; those behind them
 * have not run. */
static inline void make_file(struct fixture *x, const char *yaml, const enum fate *fate, int count,
                             double acc)
{
    struct run r = start(x, yaml);
    struct claimed c[4];
    bool accepted, failed;
    struct attempt_end end = {.step = 20};
    for (int i = 0; i < count; i++)
        c[i] = claim(x, r.s, r.sweep, r.build);
    for (int i = 0; i < count; i++) {
        if (fate[i] == DONE)
            finish(x, r.s, &c[i], result_of(acc));
        else if (fate[i] == FAILED)
            assert_ok(
                store_fail(r.s, c[i].trial_id, c[i].attempt, 0, &end, &failed, &accepted, &x->m));
        else if (fate[i] == LOST)
            assert_ok(store_requeue(r.s, c[i].trial_id, c[i].attempt, &end, &accepted, &x->m));
    }
    close_store(x, r.s);
}

static inline void change(struct fixture *x, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(x->db, &db), SQLITE_OK);
    run_sql(db, sql);
    sqlite3_close(db);
}

static char moved[1024]; /* "1.1 weights to 1.2; ..." of the last merge */

static inline enum status note_move(void *context, struct merge_move *move, struct message *m)
{
    (void)context, (void)m;
    snprintf(moved + strlen(moved), sizeof moved - strlen(moved), "%lld.%lld %s to %lld.%lld; ",
             (long long)move->trial, (long long)move->attempt,
             move->weights ? "weights" : "checkpoints", (long long)move->to_trial,
             (long long)move->to_attempt);
    if (move->weights)
        snprintf(move->name, sizeof move->name, "t%lld-a%lld.result", (long long)move->to_trial,
                 (long long)move->to_attempt);
    return STATUS_OK;
}

static inline void assert_sound(struct fixture *x)
{
    struct told told = {0};
    struct store *s = open_store(x, STORE_READ);
    assert_ok(store_check(s, tell, &told, &x->m));
    assert_string_equal(told.text, "");
    close_store(x, s);
}

/* A query of the file that was merged into. */
static inline const char *ask_into(struct fixture *x, const char *sql)
{
    struct files f = files_of(x);
    struct store *s = open_store(&f.into, STORE_READ);
    const char *answer = ask(store_db(s), sql);
    close_store(&f.into, s);
    return answer;
}
#define assert_into(sql, expected) assert_string_equal(ask_into(x, (sql)), (expected))

#define TRIALS "SELECT group_concat(state || attempt || resume_step, ' ') FROM trial"

/* ---- bringing them together ---- */

typedef enum status bringing(struct store *into, struct store *from, struct merge_counts *counts,
                             struct message *m);

static inline enum status bring_stores(bringing *with, struct store *into, struct store *from,
                                       struct merge_counts *counts, struct message *m)
{
    moved[0] = '\0';
    enum status status = store_begin(into, m);
    if (status == STATUS_OK)
        status = with(into, from, counts, m);
    if (status == STATUS_OK)
        return store_commit(into, m);
    store_rollback(into);
    return status;
}

static inline struct merge_counts bring(struct fixture *x, bringing *with, enum status expected)
{
    struct files f = files_of(x);
    struct merge_counts counts;
    struct store *into = open_store(&f.into, STORE_WRITE), *from = open_store(&f.from, STORE_READ);
    assert_status(expected, bring_stores(with, into, from, &counts, &x->m));
    close_store(&f.into, into);
    close_store(&f.from, from);
    return counts;
}

/* Statements refused and interrupted, system calls and allocations failed: what could not
 * be brought over has changed nothing, and in the end all is there. */
static inline void bring_under_trouble(struct fixture *x, bringing *with)
{
    static const enum fate ours[] = {LOST, DONE}, theirs[] = {DONE, DONE, FAILED, LOST};
    static const char all[] =
        "SELECT (SELECT group_concat(state || attempt) FROM trial) || "
        "(SELECT count(*) FROM attempt) || ' ' || (SELECT count(*) FROM curve)"
        " || ' ' || (SELECT count(*) FROM plan_change)";
    struct files f = files_of(x);
    char before[400], after[400];
    make_file(&f.into, FOUR, ours, 2, .5);
    make_file(&f.from, FOUR, theirs, 4, .5);
    snprintf(x->db, sizeof x->db, "%s/kept.db", x->folder);
    copy_file(f.into.db, x->db, 0);
    snprintf(before, sizeof before, "%s", ask_into(x, all));
    bring(x, with, STATUS_OK);
    snprintf(after, sizeof after, "%s", ask_into(x, all));
    assert_string_not_equal(before, after);
    stand_between(true);
    for (enum trouble kind = REFUSED; kind < TROUBLES; kind++) {
        bool fired = true;
        long step = kind == MEMORY ? 61 : 7, failures = 0;
        struct store *into = NULL, *from = NULL;
        for (long n = 1; fired; n += step) {
            struct merge_counts counts;
            if (!into) {
                copy_file(x->db, f.into.db, 0);
                into = open_store(&f.into, STORE_WRITE);
                from = open_store(&f.from, STORE_READ);
            }
            arm(kind, n);
            enum status status = bring_stores(with, into, from, &counts, &x->m);
            fired = disarm();
            failures += status != STATUS_OK;
            const char *now = ask(store_db(into), all);
            if (strcmp(now, status == STATUS_OK ? after : before) != 0)
                fail_msg("trouble %d at %ld: status %d: %s", (int)kind, n, (int)status, now);
            assert_true(fired || status == STATUS_OK);
            if (status == STATUS_OK || kind == SYSTEM) { /* changed, or not to be trusted */
                close_store(&f.from, from);
                store_close(into, NULL);
                f.into.open[0] = into = NULL;
            }
        }
        assert_true(failures > 5 || (kind == MEMORY && !FAULTS_IN_MALLOC));
    }
    stand_between(false);
}

/* ---- merging ---- */

static inline enum status merge_stores(struct store *into, struct store *from,
                                       struct merge_counts *counts, struct message *m)
{
    return store_merge(into, from, note_move, NULL, counts, m);
}

static inline struct merge_counts merge(struct fixture *x, enum status expected)
{
    return bring(x, merge_stores, expected);
}

#define CHANGES "SELECT group_concat(changed || ' ' || pairs || ' ' || seen, ', ') FROM plan_change"

#endif
