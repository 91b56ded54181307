/* Results files made by hand, and the reports on them. */
#ifndef TESTS_SWEEP_REPORT_HELP_H
#define TESTS_SWEEP_REPORT_HELP_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/text.h"
#include "sweep/report/report.h"
#include "sweep/trials/trials_internal.h"

#include "tests/folder.h"
#include "tests/sweep/golden_help.h"
#include "tests/test.h"

struct fixture {
    char folder[128], path[160];
    struct store *store;
    struct message message;
    bool explain; /* reports for people say all */
};

#undef TEST_FIXTURE
#define TEST_FIXTURE struct fixture *f

static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    setenv("LC_ALL", "C.UTF-8", 1); /* plots are of UTF-8 there */
    if (folder_make(f->folder, sizeof f->folder, "headcount-report") != 0)
        return -1;
    snprintf(f->path, sizeof f->path, "%s/r.db", f->folder);
    *state = f;
    if (store_open(f->path, STORE_WRITE, &f->store, &f->message) == STATUS_OK)
        return 0;
    print_error("%s\n", f->message.text);
    return -1;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    store_close(f->store, NULL);
    int left = folder_remove(f->folder);
    free(f);
    return left;
}

__attribute__((format(printf, 2, 3))) static inline void sql(struct fixture *f, const char *format,
                                                             ...)
{
    char *text, *error = NULL;
    va_list arguments;
    va_start(arguments, format);
    assert_true(vasprintf(&text, format, arguments) >= 0);
    va_end(arguments);
    if (sqlite3_exec(store_db(f->store), text, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s in: %s", error, text);
    free(text);
}

static inline void add_sweep(struct fixture *f, const char *name, const char *tune,
                             const char *claim)
{
    sql(f,
        "INSERT INTO sweep (sweep_id, name, question, yaml, yaml_sha256, plan_sha256, metric, goal,"
        " tune, claim, created, last_run) VALUES (1, %s, 'How many heads does it take to look at "
        "four places at once?', '', printf('%%064d', 1), printf('%%064d', 1), 'val_acc', "
        "'maximize', '%s', %s, '2025-01-01', '2025-01-01')",
        name, tune, claim);
}

struct grid_point {
    int slots, heads;
    double lr;
    const char *setting, *label, *tuning;
};

static inline void add_config(struct fixture *f, int id, const struct grid_point *p, long params)
{
    sql(f,
        "INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance, "
        "config_json) VALUES (%d, printf('%%064d', %d), %ld, 1e6, 0.0625, "
        "'{\"model\":{\"d_ff\":64,\"d_head\":\"split\",\"d_model\":32,\"heads\":%d,\"layers\":1},"
        "\"task\":{\"name\":\"gather\",\"options\":{\"instance\":0,\"length\":32,\"offsets\":[],"
        "\"slots\":%d,\"vocab\":16},\"version\":1},\"train\":{\"batch\":64,\"examples\":0,\"lr\":"
        "%.4f,\"steps\":1500},\"v\":1}')",
        id, id, params, p->heads, p->slots, p->lr);
}

/* acc < 0: diverged; NaN: still queued. */
static inline void add_trial(struct fixture *f, int config, int seed, const struct grid_point *p,
                             const char *choice, double acc)
{
    int order = config * 10000 + seed;
    sql(f,
        "INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order, "
        "setting, setting_label, tuning, is_tuning, choice, chance) VALUES (%d, 1, %d, %d, '%s', "
        "1, %d, '%s', '%s', '%s', %d, '%s', 0.0625)",
        order, config, seed, acc < 0 ? "diverged" : "queued", order, p->setting, p->label,
        p->tuning, seed >= 1000, choice);
    if (acc >= 0)
        sql(f,
            "UPDATE trial SET state = 'completed', best_step = 1500, steps_done = 1500, train_acc "
            "= %.4f, val_acc = %.4f, val_loss = .5, test_acc = %.4f, test_exact = %.4f, test_loss "
            "= .5, train_s = %d.5 WHERE trial_id = %d",
            acc, acc, acc, acc / 2, 20 + seed % 1000, order);
}

/* The finding of gather: three head counts that solve it between two falls. */
static inline void add_gather(struct fixture *f, int slots, const char *setting, const char *label)
{
    static const int heads[6] = {1, 2, 4, 8, 16, 32};
    static const double acc[6][5] = {
        {.709, .721, .698, .714, .705}, {.977, .969, .981, .974, .990},
        {.998, .995, .999, .991, 1},    {1, 1, 1, 1, 1},
        {.874, .881, .859, .902, .866}, {.277, .281, .269, .280, .275}};
    for (int i = 0; i < 6; i++) {
        struct grid_point p = {slots, heads[i], .003, setting, label, "{}"};
        int config = slots * 10 + i;
        add_config(f, config, &p, 9488);
        for (int seed = 0; seed < 5; seed++)
            add_trial(f, config, seed, &p, "chosen", acc[i][seed]);
    }
}

/* A second sweep as the first, at another learning rate and .01 better per seed, with the configs
 * and trials of ids 100 and 100,000,000 higher. */
static inline void add_second(struct fixture *f, const char *name)
{
    sql(f,
        "INSERT INTO sweep (sweep_id, name, question, yaml, yaml_sha256, plan_sha256, metric, goal,"
        "  tune, claim, created, last_run)"
        " SELECT 2, %s, question, yaml, yaml_sha256, plan_sha256, metric, goal, tune, claim,"
        "  created, last_run FROM sweep WHERE sweep_id = 1;"
        "INSERT INTO config (config_id, config_sha256, n_params, flops_per_step, chance,"
        "  config_json)"
        " SELECT config_id + 100, printf('%%064d', config_id + 100), n_params, flops_per_step,"
        "  chance, json_set(config_json, '$.train.lr', 0.01) FROM config;"
        "INSERT INTO trial (trial_id, sweep_id, config_id, seed, state, in_plan, plan_order,"
        "  setting, setting_label, tuning, is_tuning, choice, chance, best_step, steps_done,"
        "  train_acc, val_acc, val_loss, test_acc, test_exact, test_loss, train_s)"
        " SELECT trial_id + 100000000, 2, config_id + 100, seed, state, in_plan, plan_order,"
        "  setting, setting_label, tuning, is_tuning, choice, chance, best_step, steps_done,"
        "  train_acc, val_acc, val_loss, min(1, test_acc + .01 * seed), test_exact, test_loss,"
        "  train_s FROM trial WHERE sweep_id = 1",
        name);
}

/* What is written of a sweep, between its settings, or of the first two sweeps. */
enum written { REPORT, BETWEEN, COMPARED };

/* As text; to be freed. */
__attribute__((noinline)) static char *report_on(struct fixture *f, enum written what,
                                                 enum report_format format, struct text_page page)
{
    struct text_buffer text = {0};
    FILE *out = text_stream(&text);
    enum status s =
        what == REPORT ? report_write(f->store, 1, format, f->explain, page, out, &f->message)
        : what == BETWEEN
            ? report_write_between(f->store, 1, format, page, out, &f->message)
            : report_write_several(f->store, (int64_t[]){1, 2}, 2, format, page, out, &f->message);
    if (s != STATUS_OK)
        fail_msg("%s", f->message.text);
    fclose(out);
    return text.text;
}

static inline char *report(struct fixture *f, enum report_format format)
{
    return report_on(f, REPORT, format, (struct text_page){0});
}

/* No line is wider than the page, however wide that is. */
static inline void assert_fits(struct fixture *f, enum written what, int from, int step)
{
    for (int columns = from; columns <= 100; columns += step) {
        char *text = report_on(f, what, REPORT_TEXT, (struct text_page){.columns = columns});
        char *rest = text;
        for (char *line; (line = strsep(&rest, "\n"));)
            if (text_width(line) > columns)
                fail_msg("wider than %d columns: %s", columns, line);
        free(text);
    }
}

/* Frees text. */
static inline void assert_says(char *text, const char *sentence)
{
    if (!strstr(text, sentence))
        fail_msg("not said: %s\n%s", sentence, text);
    free(text);
}

static inline void assert_silent(char *text, const char *sentence)
{
    if (strstr(text, sentence))
        fail_msg("said: %s\n%s", sentence, text);
    free(text);
}

/* A value inside a JSON text, by SQLite's own reader; versions of SQLite add up and print fractions
 * differently in their last digits. */
static inline void assert_json(struct fixture *f, const char *json, const char *path,
                               const char *expected)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(store_db(f->store), "SELECT json_valid(?1), ?1 ->> ?2", -1,
                                        &statement, NULL),
                     SQLITE_OK);
    sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, path, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(statement, 0), 1);
    bool fraction = sqlite3_column_type(statement, 1) == SQLITE_FLOAT;
    double difference = sqlite3_column_double(statement, 1) - strtod(expected, NULL);
    const char *actual = (const char *)sqlite3_column_text(statement, 1);
    if (fraction ? fabs(difference) > 1e-12 : !actual || strcmp(actual, expected))
        fail_msg("%s is %s, expected %s", path, actual ? actual : "NULL", expected);
    sqlite3_finalize(statement);
}

#endif
