/* A random walk over everything that changes a results file: plan (with an edited sweep file),
 * claim, pause, finish, diverge, fail, lose, report late, try again, judge, be killed, merge a copy
 * that has gone its own way, rename, delete. After each step the file keeps its promises
 * (store_check) and those of this file.
 *
 * WALK_STEPS=1000000 WALK_SEED=7 build/tests/sweep/test_random_walk
 *
 * What a trial comes to depends on its configuration and seed alone. So in the end, when all that
 * is left has run, the plan's trials are what a file has that never went another way. */
#include "merge_help.h"

#include <math.h>

#include "engine/base/rng.h"
#include "sweep/run/confirm.h"
#include "sweep/run/looks.h"

enum { STEPS = 400, EVERY = 50, AT_WORK = 4, STALE = 8 };

struct knob { /* of the sweep file: what stands there, one of these */
    const char *value[6];
    int count;
};
enum knob_name { NAME, HEADS, RATES, SLOTS, TUNE, SEEDS, CLAIM, CONFIRM, RULES, SHARD, KNOBS };
static const struct knob knobs[KNOBS] = {
    [NAME] = {{"one", "one", "one", "two"}, 4},
    [HEADS] = {{"[1, 2]", "[1, 2, 4]", "[2, 4]", "[4, 1, 2]"}, 4},
    [RATES] = {{"[1e-3, 1e-2]", "[1e-3, 3e-3, 1e-2]", "[3e-3, .03, .06, .1]", "1e-2"}, 4},
    [SLOTS] = {{"2", "2", "[1, 2]"}, 3},
    [TUNE] = {{"", "tune: {axes: [train.lr], seeds: 1}\n",
               "tune: {axes: [train.lr], seeds: 2, rungs: {eta: 2, min_steps: 50}}\n",
               "tune: {axes: [train.lr], seeds: 1, extend: 2}\n",
               "tune: {axes: [train.lr], seeds: 2, extend: 1, rungs: {eta: 2, min_steps: 50}}\n"},
              5},
    [SEEDS] = {{"seeds: 1\n", "seeds: 2\n", "seeds: [1, 5]\n", "looks: [2, 3]\n",
                "looks: [2, 3, 5]\n"},
               5},
    [CLAIM] = {{"", "", "claim: {best: 2, over: [4]}\n", "claim: {best: 2, over: [1]}\n"}, 4},
    [CONFIRM] = {{"", "", "confirm: 6\n"}, 3},
    [RULES] = {{"", "retries: 1\n", "equivalence: .01\n"}, 3},
    [SHARD] = {{"", "", "", "1/2", "2/2"}, 5},
};

struct walk {
    struct fixture *x;
    struct store *s;
    sqlite3 *db, *reader; /* reader: another connection */
    int64_t sweep, build;
    struct rng rng;
    int knob[KNOBS]; /* which value each has */
    char yaml[2000];
    struct planned plan;
    struct claimed work[AT_WORK], stale[STALE];
    int works, stales; /* stale: of ended attempts, by turns */
};

static int draw(struct walk *w, int n)
{
    return (int)(rng_below(&w->rng, (uint32_t)n));
}

/* ---- what trials come to ---- */

#define SCORE "max(.2, .9 - abs(lr - .015 * heads) + .002 * ((seed * 7 + heads * 3) % 11))"

static double rate_of(const struct claimed *c)
{
    return strtod(strstr(c->config_json, "\"lr\":") + 5, NULL);
}

static double score(const struct claimed *c)
{
    return fmax(.2, .9 - fabs(rate_of(c) - .015 * (double)c->heads) +
                        .002 * (double)((c->seed * 7 + (uint32_t)c->heads * 3) % 11));
}

static bool diverges(const struct claimed *c)
{
    return rate_of(c) > .05 && c->seed % 5 == 1;
}

static const char *curve_to(const struct claimed *c, int64_t last)
{
    static char text[4000];
    size_t used = (size_t)snprintf(text, sizeof text, "[");
    for (int64_t step = EVERY; step <= last; step += EVERY) {
        double acc = score(c) - 1e-5 * (double)(STEPS - step);
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s{\"step\":%d,\"train_loss\":1,\"train_acc\":%.17g,"
                                 "\"val_loss\":%.17g,\"val_acc\":%.17g,\"grad_norm\":1,"
                                 "\"lr\":0.001,\"elapsed_s\":1}",
                                 used > 1 ? "," : "", (int)step, acc, 1 - acc, acc);
    }
    snprintf(text + used, sizeof text - used, "]");
    return text;
}

static const char *result(const struct claimed *c)
{
    static char text[6000];
    if (diverges(c))
        return "{\"state\":\"diverged\",\"steps_done\":31,\"best_step\":null,\"train_acc\":null,"
               "\"val_acc\":null,\"test_acc\":null,\"test_acc_by_slot\":null,\"test_exact\":null,"
               "\"test_loss\":null,\"chance\":0.125,\"train_s\":0.5,\"resumed_from_step\":0,"
               "\"error\":\"NaN\",\"bad_step\":31,\"curve\":[]}";
    snprintf(text, sizeof text,
             "{\"state\":\"completed\",\"steps_done\":%d,\"best_step\":%d,\"train_acc\":%.17g,"
             "\"val_acc\":%.17g,\"test_acc\":%.17g,\"test_acc_by_slot\":[%.17g,1],"
             "\"test_exact\":0,\"test_loss\":0.25,\"chance\":0.125,\"train_s\":1.5,"
             "\"resumed_from_step\":0,\"error\":null,\"bad_step\":null,\"curve\":%s}",
             STEPS, STEPS, score(c), score(c), score(c), score(c), curve_to(c, STEPS));
    return text;
}

/* ---- what must hold ---- */

static void breach(void *context, const char *broken, const char *what)
{
    (void)context;
    fail_msg("%s: %s", broken, what);
}

static void check(struct walk *w)
{
    struct fixture *x = w->x;
    struct counts c;
    long sum = 0;
    assert_ok(store_check(w->s, breach, NULL, &x->m));
    assert_answer(w->db,
                  "SELECT trial_id FROM trials WHERE state = 'completed' AND abs(test_acc - " SCORE
                  ") > 1e-12",
                  "");
    if (w->sweep == 0)
        return;
    assert_ok(store_counts(w->s, w->sweep, &c, &x->m));
    for (int i = 0; i < TRIAL_STATES; i++)
        sum += i == TRIAL_NOT_NEEDED ? 0 : c.trials[i];
    assert_int_equal(sum, c.planned);
}

/* The plan's trials and what became of them. What is not chosen may have run, under another plan.
 */
#define TRIALS_OF(file)                                                                            \
    "SELECT substr(config_sha256, 1, 6), heads, lr, seed, is_tuning, confirms, added, plan_order," \
    " choice, iif(choice = 'eliminated', '', state) FROM " file ".trial JOIN " file ".config"      \
    " USING (config_id) WHERE in_plan AND in_shard AND sweep_id = (SELECT sweep_id FROM " file     \
    ".sweep ORDER BY last_run DESC, sweep_id DESC LIMIT 1)"

/* The rows of either query that the other has not. */
static void assert_same_rows(struct walk *w, const char *a, const char *b)
{
    char sql[4000], text[4000] = "";
    snprintf(sql, sizeof sql,
             "SELECT 'before', * FROM (SELECT * FROM (%s) EXCEPT SELECT * FROM (%s)) UNION ALL"
             " SELECT 'after', * FROM (SELECT * FROM (%s) EXCEPT SELECT * FROM (%s))",
             a, b, b, a);
    sqlite3_stmt *s = NULL;
    if (sqlite3_prepare_v2(w->reader, sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(w->reader));
    while (sqlite3_step(s) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(s); i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "\n",
                     (const char *)sqlite3_column_text(s, i));
    sqlite3_finalize(s);
    if (text[0])
        fail_msg("%s\n%s", w->yaml, text);
}

/* Where no trial is left, none waits for another. */
static void check_all_ended(struct walk *w)
{
    char sql[400];
    snprintf(sql, sizeof sql,
             "SELECT group_concat(trial_id || state || choice) FROM trial WHERE sweep_id = %lld AND"
             " in_plan AND in_shard AND state IN ('queued', 'running')",
             (long long)w->sweep);
    assert_answer(w->db, sql, "NULL");
}

/* ---- the sweep file ---- */

/* False where the file is refused. */
static bool read_sweep(struct walk *w, const int knob[KNOBS], char yaml[2000], struct planned *p)
{
    struct fixture *x = w->x;
    const char *v[KNOBS];
    for (int k = 0; k < KNOBS; k++)
        v[k] = knobs[k].value[knob[k]];
    snprintf(yaml, 2000,
             "name: %s\ntask: {name: gather, length: 16, vocab: 8, slots: %s}\n"
             "model: {d_model: 32, heads: %s, layers: 1, d_ff: 32}\n"
             "train: {steps: 400, batch: 8, lr: %s, eval_every: 50}\n%s%s%s%s%s",
             v[NAME], v[SLOTS], v[HEADS], v[RATES], v[TUNE], v[SEEDS], v[CLAIM], v[CONFIRM],
             v[RULES]);
    *p = (struct planned){NULL, NULL};
    enum status s = config_parse("walk.yaml", yaml, strlen(yaml), NULL, 0, &p->config, &x->m);
    if (s == STATUS_OK)
        s = plan_new(p->config, NULL, 0, &p->plan, &x->m);
    if (s == STATUS_OK && v[SHARD][0])
        s = plan_set_shard(p->plan, (struct plan_shard){v[SHARD][0] - '0', 2}, &x->m);
    if (s != STATUS_OK) {
        free_plan(w->x, *p);
        return false;
    }
    return true;
}

static void judge(struct walk *w)
{
    struct fixture *x = w->x;
    struct text_buffer said = {0};
    assert_ok(looks_judge(w->s, w->plan.plan, w->sweep, &said, &x->m));
    assert_ok(confirm_judge(w->s, w->plan.plan, w->sweep, &said, &x->m));
    free(said.text);
}

/* Plans, and judges what is due by then, as a run does that begins. False where it is refused. */
static bool enter(struct walk *w)
{
    struct fixture *x = w->x;
    struct plan_changes changes;
    enum status s = store_plan(w->s, w->plan.plan, true, &changes, &x->m);
    if (s == STATUS_BAD_INPUT)
        return false;
    assert_ok(s);
    w->sweep = changes.sweep_id;
    w->build = add_build(x, w->s);
    assert_ok(store_begin(w->s, &x->m));
    judge(w);
    assert_ok(store_commit(w->s, &x->m));
    return true;
}

/* ---- steps ---- */

static void forget(struct walk *w, int i)
{
    w->stale[w->stales++ % STALE] = w->work[i];
    w->work[i] = w->work[--w->works];
}

static void claim_one(struct walk *w)
{
    if (w->works == AT_WORK)
        return;
    struct claimed c = claim(w->x, w->s, w->sweep, w->build);
    if (!c.trial_id && w->works == 0)
        check_all_ended(w);
    if (!c.trial_id)
        return;
    for (int i = 0; i < w->works; i++)
        assert_int_not_equal(c.trial_id, w->work[i].trial_id);
    assert_true(c.until == 0 || c.until > c.resumed_from_step || c.resumed_from_step % EVERY == 0);
    w->work[w->works++] = c;
}

/* Records the end of a trial, and what follows from it, in one transaction. */
static void end_one(struct walk *w, int i)
{
    struct fixture *x = w->x;
    const struct claimed *c = &w->work[i];
    struct attempt_end end = {.step = c->until, .exit_code = c->until ? 80 : 0};
    bool accepted = false;
    assert_ok(store_begin(w->s, &x->m));
    if (c->until > 0 && !diverges(c)) {
        assert_ok(store_curve(w->s, c->trial_id, c->attempt, curve_to(c, c->until), &x->m));
        assert_ok(store_pause(w->s, c->trial_id, c->attempt, &end, &accepted, &x->m));
        assert_true(accepted);
    } else {
        end.step = 0;
        assert_true(finish(x, w->s, c, result(c)));
    }
    judge(w);
    assert_ok(store_commit(w->s, &x->m));
    forget(w, i);
}

static void fail_one(struct walk *w, int i)
{
    struct fixture *x = w->x;
    struct attempt_end end = {.exit_code = 1, .limit_hit = draw(w, 4) == 0};
    bool failed, accepted = false;
    assert_ok(store_begin(w->s, &x->m));
    assert_ok(store_fail(w->s, w->work[i].trial_id, w->work[i].attempt,
                         end.limit_hit ? 0 : draw(w, 3), &end, &failed, &accepted, &x->m));
    assert_true(accepted);
    judge(w);
    assert_ok(store_commit(w->s, &x->m));
    forget(w, i);
}

/* Lost or stopped, perhaps after some rows of its curve, and with a checkpoint or without. */
static void lose_one(struct walk *w, int i, enum attempt_cause cause)
{
    struct fixture *x = w->x;
    const struct claimed *c = &w->work[i];
    int64_t last = c->until ? c->until : STEPS - EVERY;
    int64_t step = draw(w, 3) == 0                       ? 0
                   : c->resumed_from_step + EVERY < last ? c->resumed_from_step + EVERY
                                                         : last;
    struct attempt_end end = {.unseen = true, .step = step, .cause = cause};
    bool accepted = false;
    if (step > 0 && !diverges(c))
        assert_ok(store_curve(w->s, c->trial_id, c->attempt, curve_to(c, step), &x->m));
    else
        end.step = 0;
    assert_ok(store_requeue(w->s, c->trial_id, c->attempt, &end, &accepted, &x->m));
    assert_true(accepted);
    forget(w, i);
}

/* Of an attempt that has ended: nothing changes. */
static void report_late(struct walk *w)
{
    struct fixture *x = w->x;
    if (w->stales == 0)
        return;
    const struct claimed *c = &w->stale[draw(w, w->stales < STALE ? w->stales : STALE)];
    struct attempt_end end = {.step = EVERY};
    bool failed, accepted = true;
    switch (draw(w, 3)) {
    case 0:
        accepted = finish(x, w->s, c, result(c));
        break;
    case 1:
        assert_ok(store_fail(w->s, c->trial_id, c->attempt, 0, &end, &failed, &accepted, &x->m));
        break;
    default:
        assert_ok(store_requeue(w->s, c->trial_id, c->attempt, &end, &accepted, &x->m));
    }
    assert_false(accepted);
}

static void recover_all(struct walk *w)
{
    while (w->works > 0)
        if (draw(w, 3) == 0)
            end_one(w, 0);
        else
            lose_one(w, 0, CAUSE_COORDINATOR);
}

/* The same file again: what has been decided follows from what trials have done. */
static void plan_again(struct walk *w)
{
    run_sql(w->reader, "CREATE TEMP TABLE kept AS " TRIALS_OF("main"));
    assert_true(enter(w));
    assert_same_rows(w, "SELECT * FROM kept", TRIALS_OF("main"));
    run_sql(w->reader, "DROP TABLE kept");
}

static void edit(struct walk *w)
{
    struct planned before = w->plan, after;
    int knob[KNOBS];
    char yaml[2000];
    memcpy(knob, w->knob, sizeof knob);
    for (int n = 1 + draw(w, 2); n > 0; n--) {
        int k = draw(w, KNOBS);
        knob[k] = draw(w, knobs[k].count);
    }
    if (!read_sweep(w, knob, yaml, &after))
        return;
    w->plan = after;
    if (!enter(w)) {
        w->plan = before;
        free_plan(w->x, after);
        return;
    }
    free_plan(w->x, before);
    memcpy(w->knob, knob, sizeof knob);
    memcpy(w->yaml, yaml, sizeof yaml);
    recover_all(w);
}

static void try_again(struct walk *w)
{
    struct fixture *x = w->x;
    long count;
    assert_ok(store_retry_failed(w->s, w->sweep, &count, &x->m));
}

static void open_all(struct walk *w)
{
    w->s = open_store(w->x, STORE_WRITE);
    w->db = store_db(w->s);
    run_sql(w->db, "PRAGMA synchronous = OFF");
    assert_int_equal(sqlite3_open(w->x->db, &w->reader), SQLITE_OK);
}

static void close_all(struct walk *w)
{
    sqlite3_close(w->reader);
    close_store(w->x, w->s);
}

static void be_killed(struct walk *w)
{
    close_all(w);
    open_all(w);
    plan_again(w);
    recover_all(w);
}

/* All that is left runs; failed trials are tried again. */
static void run_to_the_end(struct walk *w)
{
    struct fixture *x = w->x;
    long tried;
    int ends = 0;
    do {
        while (w->works > 0)
            end_one(w, 0);
        for (claim_one(w); w->works > 0; claim_one(w)) {
            end_one(w, 0);
            if (++ends > 2000) /* five sweeps would be through */
                fail_msg("there is always a trial to run:\n%s", w->yaml);
        }
        assert_ok(store_retry_failed(w->s, w->sweep, &tried, &x->m));
    } while (tried > 0);
}

/* Some trials run in a copy, which is then merged, or whose results are taken over. */
static void merge_a_copy(struct walk *w)
{
    struct fixture *x = w->x, there = *x;
    struct walk copy = *w;
    struct merge_counts counts;
    recover_all(w);
    snprintf(there.db, sizeof there.db, "%s/copy.db", x->folder);
    run_sql(w->reader, "PRAGMA wal_checkpoint(TRUNCATE)");
    copy_file(x->db, there.db, 0);
    copy.x = &there;
    copy.works = copy.stales = 0;
    open_all(&copy);
    for (int i = draw(w, 20); i > 0; i--) {
        claim_one(&copy);
        if (copy.works == 0)
            break;
        if (draw(w, 6) == 0)
            fail_one(&copy, 0);
        else if (draw(w, 6) == 0)
            lose_one(&copy, 0, CAUSE_STOPPED);
        else
            end_one(&copy, 0);
    }
    check(&copy);
    for (int i = draw(w, 10); i > 0; i--) {
        claim_one(w);
        if (w->works > 0)
            end_one(w, 0);
    }
    moved[0] = '\0';
    assert_ok(store_begin(w->s, &x->m));
    if (draw(w, 2))
        assert_ok(store_merge(w->s, copy.s, note_move, NULL, &counts, &x->m));
    else
        assert_ok(store_take_over(w->s, w->sweep, copy.s, false, note_move, NULL, &counts, &x->m));
    judge(w);
    assert_ok(store_commit(w->s, &x->m));
    close_all(&copy);
    unlink(there.db);
    check(w);
    assert_true(enter(w)); /* a merged file is of no shard until then */
}

static void delete_it(struct walk *w)
{
    struct fixture *x = w->x;
    recover_all(w);
    assert_ok(store_delete(w->s, w->sweep, &x->m));
    w->sweep = 0;
    check(w);
    assert_true(enter(w));
}

/* Under another name it is another sweep than the file's, which is planned anew. */
static void rename_it(struct walk *w)
{
    struct fixture *x = w->x;
    char name[20];
    recover_all(w);
    snprintf(name, sizeof name, "old%d", draw(w, 3));
    if (store_rename(w->s, w->sweep, name, &x->m) == STATUS_OK)
        assert_true(enter(w));
}

/* What comes in the end does not depend on the way. Claims do, as they may come too late, and what
 * is to be confirmed is written down but once. */
static void compare_with_a_straight_way(struct walk *w)
{
    struct fixture *x = w->x, there = *x;
    struct walk straight = *w;
    if (knobs[CONFIRM].value[w->knob[CONFIRM]][0] || knobs[CLAIM].value[w->knob[CLAIM]][0])
        return;
    run_to_the_end(w);
    snprintf(there.db, sizeof there.db, "%s/straight.db", x->folder);
    straight.x = &there;
    straight.works = straight.stales = 0;
    open_all(&straight);
    assert_true(enter(&straight));
    run_to_the_end(&straight);
    close_all(&straight);
    char sql[600];
    snprintf(sql, sizeof sql, "ATTACH '%s' AS straight", there.db);
    run_sql(w->reader, sql);
    assert_same_rows(w, TRIALS_OF("straight"), TRIALS_OF("main"));
    run_sql(w->reader, "DETACH straight");
    unlink(there.db);
}

static const char *step(struct walk *w)
{
    int n = draw(w, 100), i = w->works > 0 ? draw(w, w->works) : -1;
    if (n < 30 || (n < 79 && i < 0))
        return claim_one(w), "claim";
    if (n < 70)
        return end_one(w, i), "end";
    if (n < 74)
        return fail_one(w, i), "fail";
    if (n < 79)
        return lose_one(w, i, CAUSE_STOPPED), "lose";
    if (n < 83)
        return report_late(w), "report late";
    if (n < 90)
        return edit(w), "edit";
    if (n < 92)
        return try_again(w), "try again";
    if (n < 94)
        return be_killed(w), "be killed";
    if (n < 96)
        return merge_a_copy(w), "merge a copy";
    if (n < 97)
        return delete_it(w), "delete";
    if (n < 98)
        return rename_it(w), "rename";
    return compare_with_a_straight_way(w), "compare";
}

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

FIXTURE(set_up, tear_down)

TEST(a_random_walk)
{
    long steps = setting("WALK_STEPS", 1000), seed = setting("WALK_SEED", 1);
    static struct walk w;
    w.x = x;
    w.rng = rng_at((uint32_t)seed, RNG_DATA, 0, 0);
    printf("# WALK_STEPS=%ld WALK_SEED=%ld\n", steps, seed);
    open_all(&w);
    assert_true(read_sweep(&w, w.knob, w.yaml, &w.plan));
    assert_true(enter(&w));
    for (long n = 0; n < steps; n++) {
        const char *did = step(&w);
        if (getenv("WALK_SEED"))
            fprintf(stderr, "%ld %s\n", n, did);
        check(&w);
    }
    free_plan(x, w.plan);
    close_all(&w);
}
