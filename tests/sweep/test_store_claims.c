/* When a claim is a prediction: only where nothing of its plan could be seen when it was written,
 * whatever the sweep is called now, or was. */
#include "scope_help.h"
#include "store_troubles.h"

#include "engine/base/sha256.h"
#include "sweep/evidence/evidence.h"

#define TASK        "task: {name: gather, length: 16, vocab: 8, slots: 2}\n"
#define BODY        TASK "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n"
#define HEADS(list) "model: {d_model: 32, heads: " list ", layers: 1, d_ff: 32}\n"
#define FIRST       "claim: {best: 2, over: [1, 4]}\n"
#define OTHER       "claim: {best: 4, over: [1]}\n"
#define YAML(name, heads, rest)                                                                    \
    "name: " name "\n" BODY HEADS(heads)                                                           \
    rest

static int64_t plan_anew(struct fixture *x, struct store *s, const char *yaml)
{
    struct plan_changes changes;
    struct planned p = plan_of(x, yaml);
    assert_ok(store_adopt(s, p.plan, &x->m));
    assert_ok(store_plan(s, p.plan, true, &changes, &x->m));
    free_plan(x, p);
    return changes.sweep_id;
}

/* Claims and completes so many trials; all that there are for -1. */
static void work(struct fixture *x, struct store *s, int64_t sweep, int trials)
{
    int64_t build = add_build(x, s);
    for (int i = 0; i != trials; i++) {
        struct claimed c = claim(x, s, sweep, build);
        if (!c.trial_id)
            return;
        assert_true(finish(x, s, &c, result_of(0.5)));
    }
}

static void assert_proof(struct fixture *x, struct store *s, int64_t sweep,
                         enum verdict_proof_status status, int64_t seen, int64_t pairs)
{
    struct verdict_proof proof;
    assert_ok(IN_SCOPE(in, s, &x->m, proof = evidence_proof(in, sweep)));
    if (proof.status != status || proof.seen != seen || proof.pairs != pairs)
        fail_msg("%s after %lld of %lld", verdict_proof_name(proof.status), (long long)proof.seen,
                 (long long)proof.pairs);
}

FIXTURE(set_up, tear_down)

TEST(a_claim_before_all_results_stays_first)
{
    struct store *s = open_store(x, STORE_WRITE);
    static const char yaml[] = YAML("a", "[1, 2, 4]", "seeds: 2\n" FIRST);
    int64_t a = plan_anew(x, s, yaml);
    work(x, s, a, 3);
    assert_int_equal(plan_anew(x, s, yaml), a); /* run on */
    work(x, s, a, -1);
    assert_int_equal(plan_anew(x, s, yaml), a);
    assert_proof(x, s, a, PROOF_FIRST, 0, 0);
    assert_answer(store_db(s), "SELECT count(*) FROM plan_change", "1");
    /* The same in other words. */
    plan_anew(x, s, YAML("a", "[4, 1, 2]", "seeds: [1, 0]\nclaim: {over: [4, 1], best: 2}\n"));
    assert_proof(x, s, a, PROOF_FIRST, 0, 0);
    /* It was changed, and the plan was, when there was nothing to be seen. */
    int64_t b = plan_anew(x, s, YAML("b", "[1, 2, 4]", "seeds: [7]\n" OTHER));
    plan_anew(x, s, YAML("b", "[1, 2, 4]", "seeds: [7, 8]\n" FIRST));
    work(x, s, b, -1);
    assert_proof(x, s, b, PROOF_FIRST, 0, 0);
    /* New seeds in a new sweep: a replication. */
    int64_t c = plan_anew(x, s, YAML("c", "[1, 2, 4]", "seeds: [20, 21]\n" OTHER));
    work(x, s, c, -1);
    assert_proof(x, s, c, PROOF_FIRST, 0, 0);
}

/* Each takes the finished sweep "a", whose six trials have ended, and is told what it did. */
TEST(no_detour_hides_that_a_claim_came_late)
{
    static const struct {
        const char *what, *rename;
        bool delete;
        const char *steps[3]; /* sweep files, planned one after the other */
        enum verdict_proof_status status;
        int64_t seen, pairs;
    } cases[] = {
        {"a claim added",
         NULL,
         false,
         {YAML("a", "[1, 2, 4]", "seeds: 2\n" OTHER)},
         PROOF_LATE,
         6,
         6},
        {"another name",
         NULL,
         false,
         {YAML("n", "[1, 2, 4]", "seeds: 2\n" OTHER)},
         PROOF_LATE,
         6,
         6},
        {"renamed, and planned under the old name",
         "n",
         false,
         {YAML("a", "[1, 2, 4]", "seeds: 2\n" OTHER)},
         PROOF_LATE,
         6,
         6},
        {"renamed, and planned under the new name",
         "n",
         false,
         {YAML("n", "[1, 2, 4]", "seeds: 2\n" OTHER)},
         PROOF_LATE,
         6,
         6},
        {"deleted and run again",
         NULL,
         true,
         {YAML("a", "[1, 2, 4]", "seeds: 2\n" OTHER)},
         PROOF_LATE,
         6,
         6},
        {"renamed and deleted",
         "n",
         true,
         {YAML("a", "[1, 2, 4]", "seeds: 2\n" OTHER)},
         PROOF_LATE,
         6,
         6},
        {"replaced by other points, and back",
         NULL,
         false,
         {YAML("a", "[8]", "seeds: 2\n"), YAML("a", "[1, 2, 4]", "seeds: 2\n" OTHER)},
         PROOF_LATE,
         6,
         6},
        {"replaced by other points with a claim",
         NULL,
         false,
         {YAML("a", "[8, 16]", "seeds: 2\nclaim: {best: 8, over: [16]}\n")},
         PROOF_LATE,
         6,
         0},
        {"some seeds picked",
         NULL,
         false,
         {YAML("a", "[1, 2, 4]", "seeds: [0, 9]\n" OTHER)},
         PROOF_LATE,
         6,
         0},
        {"some seeds picked, another name",
         NULL,
         false,
         {YAML("n", "[1, 2, 4]", "seeds: [0, 9]\n" OTHER)},
         PROOF_LATE,
         3,
         6},
        {"head counts dropped",
         NULL,
         false,
         {YAML("n", "[1, 4]", "seeds: 2\n" OTHER)},
         PROOF_LATE,
         4,
         4},
        {"one more seed, another name",
         NULL,
         false,
         {YAML("n", "[1, 2, 4]", "seeds: 3\n" OTHER)},
         PROOF_LATE,
         6,
         9},
        {"new seeds in the same sweep",
         NULL,
         false,
         {YAML("a", "[1, 2, 4]", "seeds: [7]\n" OTHER)},
         PROOF_LATE,
         6,
         0},
        {"a claim, another, and the first again",
         NULL,
         false,
         {YAML("a", "[1, 2, 4]", "seeds: 2\n" FIRST), YAML("a", "[1, 2, 4]", "seeds: 2\n" OTHER),
          YAML("a", "[1, 2, 4]", "seeds: 2\n" FIRST)},
         PROOF_CHANGED,
         6,
         6},
        {"a claim taken away and put back",
         NULL,
         false,
         {YAML("a", "[1, 2, 4]", "seeds: 2\n" FIRST), YAML("a", "[1, 2, 4]", "seeds: 2\n"),
          YAML("a", "[1, 2, 4]", "seeds: 2\n" FIRST)},
         PROOF_LATE,
         6,
         6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(x->db, sizeof x->db, "%s/%zu.db", x->folder, i);
        struct store *s = open_store(x, STORE_WRITE);
        int64_t a = plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 2\n"));
        work(x, s, a, -1);
        if (cases[i].rename)
            assert_ok(store_rename(s, a, cases[i].rename, &x->m));
        if (cases[i].delete)
            assert_ok(store_delete(s, a, &x->m));
        for (int k = 0; k < 3 && cases[i].steps[k]; k++)
            a = plan_anew(x, s, cases[i].steps[k]);
        work(x, s, a, -1);
        struct verdict_proof proof;
        assert_ok(IN_SCOPE(in, s, &x->m, proof = evidence_proof(in, a)));
        if (proof.status != cases[i].status || proof.seen != cases[i].seen ||
            proof.pairs != cases[i].pairs)
            fail_msg("%s: %s after %lld of %lld", cases[i].what, verdict_proof_name(proof.status),
                     (long long)proof.seen, (long long)proof.pairs);
        close_store(x, s);
    }
}

/* The claim was first; what happened to it and to its plan then. */
TEST(changes_after_a_first_claim_are_told)
{
    struct verdict_proof proof;
    struct store *s = open_store(x, STORE_WRITE);
    int64_t a = plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 2\n" FIRST));
    work(x, s, a, 4);
    plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 3\n" FIRST));
    assert_ok(IN_SCOPE(in, s, &x->m, proof = evidence_proof(in, a)));
    assert_int_equal(proof.status, PROOF_PLAN_CHANGED);
    assert_int_equal(proof.seen, 4);
    assert_int_equal(proof.pairs, 9);
    assert_int_equal(proof.added, 3);
    assert_int_equal(proof.removed, 0);
    assert_answer(store_db(s),
                  "SELECT json_remove(what, '$.asks') FROM plan_change"
                  " ORDER BY plan_change_id DESC",
                  "{\"heads_added\":[],\"heads_removed\":[],\"seeds_added\":[2],"
                  "\"seeds_removed\":[],\"points_added\":0,\"points_removed\":0}");
    /* Changed back, it has been changed. */
    plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 2\n" FIRST));
    assert_ok(IN_SCOPE(in, s, &x->m, proof = evidence_proof(in, a)));
    assert_int_equal(proof.status, PROOF_PLAN_CHANGED);
    assert_int_equal(proof.added, 3);
    assert_int_equal(proof.removed, 3);
    plan_anew(x, s, YAML("a", "[1, 4]", "seeds: 2\nclaim: {best: 4, over: [1]}\n"));
    assert_proof(x, s, a, PROOF_CHANGED, 4, 0);
    assert_answer(store_db(s),
                  "SELECT what ->> '$.heads_removed' FROM plan_change ORDER BY plan_change_id DESC",
                  "[2]");
}

/* The same trials, judged by other rules than those that the claim was written for. */
TEST(other_rules_are_a_change)
{
    struct verdict_proof proof;
    struct store *s = open_store(x, STORE_WRITE);
    int64_t a = plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 2\nequivalence: .01\n" FIRST));
    plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 2\nequivalence: .02\n" FIRST));
    work(x, s, a, 4);
    assert_proof(x, s, a, PROOF_FIRST, 0, 0); /* nothing had been seen */
    plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 2\nequivalence: .05\n" FIRST));
    assert_ok(IN_SCOPE(in, s, &x->m, proof = evidence_proof(in, a)));
    assert_int_equal(proof.status, PROOF_PLAN_CHANGED);
    assert_int_equal(proof.seen, 4);
    assert_int_equal(proof.added + proof.removed, 0);
    plan_anew(x, s, YAML("a", "[1, 2, 4]", "looks: [2, 3]\nequivalence: .05\n" FIRST));
    assert_answer(store_db(s),
                  "SELECT group_concat(coalesce(what ->> '$.rules', '-'), ' ') FROM"
                  " (SELECT what FROM plan_change ORDER BY plan_change_id)",
                  "- [\"equivalence\"] [\"equivalence\"] [\"looks\"]");
    assert_answer(store_db(s),
                  "SELECT what ->> '$.asks' FROM plan_change ORDER BY plan_change_id DESC",
                  "{\"tune\":[],\"replicate\":[],\"looks\":[2,3],\"rungs\":null,"
                  "\"equivalence\":0.05,\"extend\":null,\"confirm\":null}");
    plan_anew(x, s, YAML("a", "[1, 2, 4]", "looks: [2, 3]\nequivalence: .05\n" FIRST));
    assert_answer(store_db(s), "SELECT count(*) FROM plan_change", "4");
}

/* What was evaluated on the way could be seen, though it never ended: stopped, or deleted. */
TEST(curves_are_seen_too)
{
    static const char row[] = "[{\"step\":50,\"train_loss\":1,\"train_acc\":0.5,\"val_loss\":1,"
                              "\"val_acc\":0.5,\"grad_norm\":1,\"lr\":0.001,\"elapsed_s\":1}]";
    struct store *s = open_store(x, STORE_WRITE);
    int64_t a = plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 1\n"));
    struct attempt_end stopped = {.exit_code = 75, .step = 60};
    bool accepted;
    struct claimed c = claim(x, s, a, add_build(x, s));
    assert_ok(store_requeue(s, c.trial_id, 1, &stopped, &accepted, &x->m));
    plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 1\n" OTHER));
    assert_proof(x, s, a, PROOF_FIRST, 0, 0); /* begun, never evaluated */
    c = claim(x, s, a, 1);
    assert_ok(store_curve(s, c.trial_id, 2, row, &x->m));
    assert_ok(store_requeue(s, c.trial_id, 2, &stopped, &accepted, &x->m));
    plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 1\n" FIRST));
    assert_proof(x, s, a, PROOF_CHANGED, 1, 3);
    assert_ok(store_delete(s, a, &x->m));
    a = plan_anew(x, s, YAML("b", "[1, 2, 4]", "seeds: 1\n" FIRST));
    assert_proof(x, s, a, PROOF_LATE, 1, 3);
}

TEST(a_copy_of_the_file_knows_that_a_claim_is_late)
{
    char original[320];
    struct store *s = open_store(x, STORE_WRITE);
    work(x, s, plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 2\n")), -1);
    close_store(x, s);
    snprintf(original, sizeof original, "%s", x->db);
    snprintf(x->db, sizeof x->db, "%s/copy.db", x->folder);
    copy_file(original, x->db, 0);
    s = open_store(x, STORE_WRITE);
    assert_proof(x, s, plan_anew(x, s, YAML("copy", "[1, 2, 4]", "seeds: 2\n" FIRST)), PROOF_LATE,
                 6, 6);
}

/* Written past the program. */
TEST(a_claim_written_by_hand_is_late)
{
    struct store *s = open_store(x, STORE_WRITE);
    int64_t a = plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 2\n" FIRST));
    work(x, s, a, 5);
    run_sql(store_db(s), "UPDATE sweep SET claim = '{\"best\":4,\"over\":[1]}'");
    assert_proof(x, s, a, PROOF_LATE, 5, 6);
}

/* ---- trials like these ---- */

/* Sweep "n", which claims something and trains otherwise than "a". */
#define OTHERWISE(train, rest)                                                                     \
    "name: n\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\ntrain: {" train "}\n"          \
    "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 32}\n" rest
#define AS_BEFORE "batch: 8, lr: 1e-3, "
#define SAME      "steps: 100, " AS_BEFORE "eval_every: 50"

/* "6 train.eval_every" */
static void read_similar(struct scope *x, int64_t sweep, char *text, size_t size)
{
    struct verdict_similar similar = evidence_similar(x, sweep);
    size_t used = (size_t)snprintf(text, size, "%lld", (long long)similar.trials);
    for (int i = 0; i < similar.count; i++)
        used += (size_t)snprintf(text + used, size - used, " %s", similar.differ[i]);
}

static void assert_similar(struct fixture *x, struct store *s, int64_t sweep, const char *what,
                           const char *expected)
{
    char got[256];
    assert_ok(IN_SCOPE(in, s, &x->m, read_similar(in, sweep, got, sizeof got)));
    if (strcmp(got, expected) != 0)
        fail_msg("%s: %s, not %s", what, got, expected);
}

/* After the six trials of "a" have ended. */
TEST(trials_like_these)
{
    static const struct {
        const char *what, *yaml, *expected;
    } cases[] = {
        {"another test set", OTHERWISE(SAME ", test_examples: 511", "seeds: 2\n" OTHER),
         "6 train.test_examples"},
        {"other evaluations",
         OTHERWISE("steps: 100, " AS_BEFORE "eval_every: 30", "seeds: 2\n" OTHER),
         "6 train.eval_every"},
        {"one more step", OTHERWISE("steps: 101, " AS_BEFORE "eval_every: 50", "seeds: 2\n" OTHER),
         "6 train.steps"},
        {"an option that is left out at its default",
         "name: n\n" TASK "train: {" SAME ", disagreement: {weight: 0.5}}\n" HEADS(
             "[2, 4]") "seeds: 2\nclaim: {best: 4, over: [2]}\n",
         "4 train.disagreement.weight"},
        {"nearly the same dropout",
         "name: n\n" BODY "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 32, "
         "dropout: 1e-30}\nseeds: 2\n" OTHER,
         "6 model.dropout"},
        {"another dropout",
         "name: n\n" BODY "model: {d_model: 32, heads: [1, 2, 4], layers: 1, d_ff: 32, "
         "dropout: 0.01}\nseeds: 2\n" OTHER,
         "0"},
        {"several", OTHERWISE("steps: 99, " AS_BEFORE "eval_every: 33", "seeds: 2\n" OTHER),
         "6 train.eval_every train.steps"},
        {"one seed in common", OTHERWISE(SAME ", test_examples: 511", "seeds: [0, 9]\n" OTHER),
         "3 train.test_examples"},
        {"other seeds", OTHERWISE(SAME ", test_examples: 511", "seeds: [8, 9]\n" OTHER), "0"},
        {"no claim", OTHERWISE(SAME ", test_examples: 511", "seeds: 2\n"), "0"},
        {"another model",
         "name: n\n" BODY "model: {d_model: 32, heads: [1, 2, 4], d_ff: 64}\n"
         "seeds: 2\n" OTHER,
         "0"},
        {"another task",
         "name: n\ntask: {name: gather, length: 16, vocab: 8, slots: 3}\n"
         "train: {" SAME "}\n" HEADS("[1, 2, 4]") "seeds: 2\n" OTHER,
         "0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int deleted = 0; deleted < 2; deleted++) {
            snprintf(x->db, sizeof x->db, "%s/%zu-%d.db", x->folder, i, deleted);
            struct store *s = open_store(x, STORE_WRITE);
            int64_t a = plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 2\n"));
            work(x, s, a, -1);
            if (deleted)
                assert_ok(store_delete(s, a, &x->m));
            int64_t n = plan_anew(x, s, cases[i].yaml);
            assert_proof(x, s, n, PROOF_FIRST, 0, 0);
            assert_similar(x, s, n, cases[i].what, cases[i].expected);
            close_store(x, s);
        }
}

#define TWO_RATES "batch: 8, lr: [1e-3, 2e-3], eval_every: 50"

/* What was tried to choose a learning rate says nothing of the seeds that are judged. */
TEST(tuning_trials_are_not_alike)
{
#define TUNED "tune: {axes: [train.lr], seeds: 2}\n"
    struct store *s = open_store(x, STORE_WRITE);
    int64_t n = plan_anew(x, s, OTHERWISE("steps: 100, " TWO_RATES, "seeds: 1\n" OTHER TUNED));
    work(x, s, n, -1);
    assert_answer(store_db(s), "SELECT count(*) FROM trial WHERE state = 'completed'", "15");
    assert_ok(store_rename(s, n, "before", &x->m));
    n = plan_anew(x, s, OTHERWISE("steps: 99, " TWO_RATES, "seeds: [7]\n" OTHER TUNED));
    assert_similar(x, s, n, "other seeds are judged", "0");
    plan_anew(x, s, OTHERWISE("steps: 99, " TWO_RATES, "seeds: [0, 7]\n" OTHER TUNED));
    assert_similar(x, s, n, "a seed that was judged", "3 train.steps");
}

/* ---- the same trials ---- */

/* What an earlier version wrote for options that were spelled out. */
static void spell_out(sqlite3 *db, const char *shorter, const char *longer)
{
    char sql[1024], sha256[65], json[POINT_JSON_MAX];
    while (snprintf(sql, sizeof sql,
                    "SELECT replace(config_json, '%s', '%s') FROM config WHERE config_json LIKE"
                    " '%%%s%%' LIMIT 1",
                    shorter, longer, shorter) > 0 &&
           *ask(db, sql)) {
        snprintf(json, sizeof json, "%s", ask(db, sql));
        sha256_hex(json, strlen(json), sha256);
        snprintf(sql, sizeof sql,
                 "UPDATE config SET config_sha256 = '%s', config_json = replace(config_json, '%s',"
                 " '%s') WHERE config_id = (SELECT min(config_id) FROM config WHERE config_json"
                 " LIKE '%%%s%%')",
                 sha256, shorter, longer, shorter);
        run_sql(db, sql);
    }
}

#define OFFSETS "\"offsets\":[]"
#define SPELLED "task: {name: gather, length: 16, vocab: 8, slots: 2, offsets: [1, -1]}\n"

/* The six trials of "a" have ended, written down in full or not; whoever claims something about
 * them afterwards, in whatever words, has seen them. */
TEST(the_same_trials_in_other_words)
{
    static const struct {
        const char *what, *yaml;
        int64_t seen;
    } cases[] = {
        {"as before", YAML("n", "[1, 2, 4]", "seeds: 2\n" OTHER), 6},
        {"what a list means when it is empty",
         "name: n\n" SPELLED "train: {" SAME "}\n" HEADS("[1, 2, 4]") "seeds: 2\n" OTHER, 6},
        {"the same place from the other side",
         "name: n\ntask: {name: gather, length: 16, vocab: 8, slots: 2, offsets: [1, 15]}\n"
         "train: {" SAME "}\n" HEADS("[1, 2, 4]") "seeds: 2\n" OTHER,
         6},
        {"a warmup that is none", OTHERWISE(SAME ", schedule: {warmup: 1}", "seeds: 2\n" OTHER), 6},
        {"test sets of the only instance",
         OTHERWISE(SAME ", eval_sets: instance", "seeds: 2\n" OTHER), 6},
        {"the width that split means at two heads",
         "name: n\n" BODY "model: {d_model: 32, heads: [1, 2, 4], d_head: 16, d_ff: 32}\n"
         "seeds: 2\n" OTHER,
         2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int longer = 0; longer < 2; longer++) {
            snprintf(x->db, sizeof x->db, "%s/%zu-%d.db", x->folder, i, longer);
            struct store *s = open_store(x, STORE_WRITE);
            int64_t a = plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 2\n"));
            if (longer)
                spell_out(store_db(s), OFFSETS, "\"offsets\":[1,-1]");
            work(x, s, a, -1);
            struct verdict_proof proof;
            int64_t n = plan_anew(x, s, cases[i].yaml);
            assert_ok(IN_SCOPE(in, s, &x->m, proof = evidence_proof(in, n)));
            if (proof.status != PROOF_LATE || proof.seen != cases[i].seen)
                fail_msg("%s: %s after %lld", cases[i].what, verdict_proof_name(proof.status),
                         (long long)proof.seen);
            close_store(x, s);
        }
}

/* A sweep of an earlier version goes on with the trials that it has, however its file says it. */
TEST(trials_of_longer_words_stay_in_the_plan)
{
    struct store *s = open_store(x, STORE_WRITE);
    int64_t a = plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 2\n"));
    spell_out(store_db(s), OFFSETS, "\"offsets\":[1,-1]");
    work(x, s, a, -1);
    /* Another sweep has the short words. */
    plan_anew(x, s, YAML("b", "[1, 2]", "seeds: [7]\n"));
    static const char *const again[] = {YAML("a", "[1, 2, 4]", "seeds: 2\n"),
                                        "name: a\n" SPELLED "train: {" SAME
                                        "}\n" HEADS("[1, 2, 4]") "seeds: 2\n",
                                        YAML("a", "[1, 2, 4]", "seeds: 3\n")};
    for (int i = 0; i < 3; i++) {
        plan_anew(x, s, again[i]);
        assert_answer(store_db(s),
                      "SELECT count(*) FILTER (WHERE state = 'completed') || ' of ' || count(*)"
                      " || ', ' || count(DISTINCT config_id) FROM trial WHERE sweep_id = 1"
                      " AND in_plan = 1",
                      i < 2 ? "6 of 6, 3" : "6 of 9, 3");
    }
    assert_answer(store_db(s), "SELECT count(*) FROM config", "3");
}

/* Each value was there, but not with these of the others. */
TEST(new_combinations_of_known_options_count_as_similar)
{
    static const char crossed[] =
        OTHERWISE("steps: [99, 100], " TWO_RATES,
                  "seeds: 1\n" OTHER
                  "exclude: [{train.steps: 100, train.lr: 1e-3}, {train.steps: 99, train.lr: "
                  "2e-3}]\n");
    struct store *s = open_store(x, STORE_WRITE);
    work(x, s, plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 1\n")), -1);
    assert_similar(x, s, plan_anew(x, s, crossed), "crossed", "3 train.lr train.steps");
}

/* What counts is the time at which claim or plan were written. */
TEST(similar_trials_count_if_they_ended_before_the_claim)
{
    static const char first[] = OTHERWISE(SAME ", test_examples: 511", "seeds: 2\n" OTHER);
    struct store *s = open_store(x, STORE_WRITE);
    int64_t n = plan_anew(x, s, first);
    work(x, s, plan_anew(x, s, YAML("a", "[1, 2, 4]", "seeds: 2\n")), -1);
    plan_anew(x, s, first);
    assert_similar(x, s, n, "written before", "0");
    plan_anew(x, s, OTHERWISE(SAME ", test_examples: 511", "seeds: 2\n" FIRST));
    assert_proof(x, s, n, PROOF_FIRST, 0, 0);
    assert_similar(x, s, n, "changed afterwards", "6 train.test_examples");
    work(x, s, n, -1);
    assert_similar(x, s, n, "its own trials", "6 train.test_examples");
}
