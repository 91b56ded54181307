/* What the tests of the store share: a fresh folder each, plans from YAML text, small queries. */
#ifndef TESTS_STORE_HELP_H
#define TESTS_STORE_HELP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/trials/trials_internal.h"

#include "tests/folder.h"
#include "tests/test.h"

#include <stddef.h>
#include <stdint.h>

struct planned {
    struct config *config;
    struct plan *plan;
};

enum { FIXTURE_HOLDS = 8 };

struct fixture {
    char folder[200], db[320];
    struct message m;
    struct store *open[FIXTURE_HOLDS]; /* with the test they end, unless it ends them before */
    struct planned planned[FIXTURE_HOLDS];
};

#undef TEST_FIXTURE
#define TEST_FIXTURE struct fixture *x

static int set_up(void **state)
{
    struct fixture *x = calloc(1, sizeof *x);
    *state = x;
    if (!x || folder_make(x->folder, sizeof x->folder, "headcount-store") != 0)
        return -1;
    snprintf(x->db, sizeof x->db, "%s/results.db", x->folder);
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *x = *state;
    int failed = 0;
    for (int i = 0; i < FIXTURE_HOLDS; i++) {
        failed |= x->open[i] && store_close(x->open[i], &x->m) != STATUS_OK;
        plan_free(x->planned[i].plan);
        config_free(x->planned[i].config);
    }
    failed |= folder_remove(x->folder);
    free(x);
    return failed;
}

/* Shows the message where a status is not what it should be. */
#define assert_status(expected, call)                                                              \
    do {                                                                                           \
        enum status got_ = (call);                                                                 \
        if (got_ != (expected))                                                                    \
            fail_msg("%s: status %d: %s", #call, (int)got_, x->m.text);                            \
    } while (0)
#define assert_ok(call) assert_status(STATUS_OK, call)

static inline struct store *open_store(struct fixture *x, enum store_mode mode)
{
    for (int i = 0; i < FIXTURE_HOLDS; i++)
        if (!x->open[i]) {
            assert_ok(store_open(x->db, mode, &x->open[i], &x->m));
            return x->open[i];
        }
    fail_msg("more than %d open", FIXTURE_HOLDS);
    return NULL;
}

/* Where the test goes on without it: the fixture closes what is open at the end. */
static inline void close_store(struct fixture *x, struct store *s)
{
    for (int i = 0; i < FIXTURE_HOLDS; i++)
        if (x->open[i] == s)
            x->open[i] = NULL;
    assert_ok(store_close(s, &x->m));
}

static inline void run_sql(sqlite3 *db, const char *sql)
{
    char *error = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s: %s", sql, error);
}

/* The first value of the first row as text, in a buffer that the next call overwrites; "" where
 * there is none, "NULL" for NULL. */
static inline const char *ask(sqlite3 *db, const char *sql)
{
    static char answer[4096];
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    answer[0] = '\0';
    if (sqlite3_step(statement) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        snprintf(answer, sizeof answer, "%s", text ? text : "NULL");
    }
    sqlite3_finalize(statement);
    return answer;
}

#define assert_answer(db, sql, expected) assert_string_equal(ask((db), (sql)), (expected))

static inline struct planned plan_of(struct fixture *x, const char *yaml)
{
    for (int i = 0; i < FIXTURE_HOLDS; i++) {
        struct planned *p = &x->planned[i];
        if (p->config)
            continue;
        assert_ok(config_parse("test.yaml", yaml, strlen(yaml), NULL, 0, &p->config, &x->m));
        assert_ok(plan_new(p->config, NULL, 0, &p->plan, &x->m));
        return *p;
    }
    fail_msg("more than %d plans", FIXTURE_HOLDS);
    return (struct planned){NULL, NULL};
}

static inline void free_plan(struct fixture *x, struct planned p)
{
    for (int i = 0; i < FIXTURE_HOLDS; i++)
        if (x->planned[i].config == p.config)
            x->planned[i] = (struct planned){NULL, NULL};
    plan_free(p.plan);
    config_free(p.config);
}

/* Plans and forgets the plan. */
static inline struct plan_changes plan_into(struct fixture *x, struct store *s, const char *yaml)
{
    struct plan_changes changes;
    struct planned p = plan_of(x, yaml);
    assert_ok(store_plan(s, p.plan, false, &changes, &x->m));
    free_plan(x, p);
    return changes;
}

#define SWEEP(heads, rest)                                                                         \
    "# How many heads?\nname: plain\n"                                                             \
    "task: {name: gather, length: 16, vocab: 8, slots: 2}\n"                                       \
    "model: {d_model: 32, heads: " heads ", layers: 1, d_ff: 32}\n"                                \
    "train: {steps: 100, batch: 8, lr: 1e-3, eval_every: 50}\n" rest

static inline int64_t add_build(struct fixture *x, struct store *s)
{
    struct build_info b = {"0.1.0", "abc", "gcc", "-O2", "OpenBLAS", "Haswell", "avx2", "cpu"};
    int64_t id = 0;
    assert_ok(store_build(s, &b, &id, &x->m));
    return id;
}

static inline struct claimed claim(struct fixture *x, struct store *s, int64_t sweep, int64_t build)
{
    struct claimed c = {0};
    assert_ok(store_claim(s, sweep, build, NULL, false, &c, &x->m));
    return c;
}

/* A completed trial's result with this accuracy, in a buffer that the next call overwrites. */
static inline const char *result_of(double acc)
{
    static char text[1024];
    snprintf(
        text, sizeof text,
        "{\"state\":\"completed\",\"steps_done\":100,\"best_step\":50,\"train_acc\":%.17g,"
        "\"val_acc\":%.17g,\"test_acc\":%.17g,\"test_acc_by_slot\":[%.17g,1],\"test_exact\":0,"
        "\"test_loss\":0.25,\"chance\":0.125,\"train_s\":1.5,\"resumed_from_step\":20,"
        "\"error\":null,\"bad_step\":null,\"curve\":["
        "{\"step\":50,\"train_loss\":2,\"train_acc\":%.17g,\"val_loss\":1.25,\"val_acc\":%.17g,"
        "\"grad_norm\":1,\"lr\":0.001,\"elapsed_s\":0.7,\"cpu_s\":0.6},"
        "{\"step\":100,\"train_loss\":1,\"train_acc\":0.75,\"val_loss\":1.5,\"val_acc\":0.1,"
        "\"grad_norm\":0.5,\"lr\":0.0005,\"elapsed_s\":1.5,\"cpu_s\":1.25}]}",
        acc, acc, acc, acc, acc, acc);
    return text;
}

static const char RESULT_SHA256[] =
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static inline bool finish(struct fixture *x, struct store *s, const struct claimed *c,
                          const char *result)
{
    struct attempt_end end = {.cpu_s = 2.5, .max_rss_kib = 4096};
    bool accepted = false;
    assert_ok(store_finish(s, c->trial_id, c->attempt, result, "t1-a1.result", RESULT_SHA256, &end,
                           &accepted, &x->m));
    return accepted;
}

struct run { /* an open store with a plan */
    struct store *s;
    sqlite3 *db;
    int64_t sweep, build;
};

static inline struct run start(struct fixture *x, const char *yaml)
{
    struct run r = {.s = open_store(x, STORE_WRITE)};
    r.db = store_db(r.s);
    r.sweep = plan_into(x, r.s, yaml).sweep_id;
    r.build = add_build(x, r.s);
    return r;
}

/* The first `skip` bytes become zeros. */
static inline void copy_file(const char *from, const char *to, size_t skip)
{
    static char bytes[1 << 20];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    size_t n = fread(bytes, 1, sizeof bytes, in);
    memset(bytes, 0, skip);
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* What store_check found, a line each: its `tell`, with a struct told as context. */
struct told {
    int count;
    char text[2048];
};

static inline void tell(void *context, const char *broken, const char *what)
{
    struct told *t = context;
    size_t used = strlen(t->text);
    snprintf(t->text + used, sizeof t->text - used, "%s: %s\n", broken, what);
    t->count++;
}

#endif
