/* From rows in a results file to the report in every format. The whole text of tests/data/report is
 * what must come out; the numbers behind it are checked in test_stats.c and test_verdict.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "sweep/report/report.h"
#include "sweep/store/store_internal.h"

#include <cmocka.h>

struct fixture {
    char folder[128], path[160];
    struct store *store;
    struct message message;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    const char *tmp = getenv("TMPDIR");
    snprintf(f->folder, sizeof f->folder, "%s/headcount-report-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(f->folder))
        return -1;
    snprintf(f->path, sizeof f->path, "%s/r.db", f->folder);
    *state = f;
    if (store_open(f->path, STORE_WRITE, &f->store, &f->message) == STATUS_OK)
        return 0;
    print_error("%s\n", f->message.text);
    return -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char checkpoints[200], lock[200];
    store_close(f->store, NULL);
    snprintf(checkpoints, sizeof checkpoints, "%s.d", f->path);
    snprintf(lock, sizeof lock, "%s.lock", f->path);
    unlink(f->path);
    unlink(lock);
    rmdir(checkpoints);
    int left = rmdir(f->folder);
    free(f);
    return left;
}

__attribute__((format(printf, 2, 3))) static void sql(struct fixture *f, const char *format, ...)
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

static void add_sweep(struct fixture *f, const char *name, const char *tune, const char *claim)
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

static void add_config(struct fixture *f, int id, const struct grid_point *p, long params)
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
static void add_trial(struct fixture *f, int config, int seed, const struct grid_point *p,
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
static void add_gather(struct fixture *f, int slots, const char *setting, const char *label)
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

/* The report as text; to be freed. */
static char *report_on(struct fixture *f, enum report_format format, struct text_page page)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    enum status s = report_write(f->store, 1, format, page, out, &f->message);
    if (s != STATUS_OK)
        fail_msg("%s", f->message.text);
    fclose(out);
    return text;
}

static char *report(struct fixture *f, enum report_format format, bool color)
{
    return report_on(f, format, (struct text_page){.color = color});
}

static void assert_file(const char *name, char *actual)
{
    char path[200];
    snprintf(path, sizeof path, "tests/data/report/%s", name);
    FILE *in = fopen(path, "r");
    char *expected = NULL;
    size_t size = 0;
    if (in) {
        assert_true(getdelim(&expected, &size, '\0', in) > 0);
        fclose(in);
    }
    if (!expected || strcmp(expected, actual)) {
        fprintf(stderr, "--- %s, as it came out:\n%s---\n", path, actual);
        fail_msg("%s differs, or is missing", path);
    }
    free(expected);
    free(actual);
}

/* A value inside a JSON text, by SQLite's own reader. */
static void assert_json(struct fixture *f, const char *json, const char *path, const char *expected)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(store_db(f->store), "SELECT json_valid(?1), ?1 ->> ?2", -1,
                                        &statement, NULL),
                     SQLITE_OK);
    sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, path, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(statement, 0), 1);
    const char *actual = (const char *)sqlite3_column_text(statement, 1);
    if (!actual || strcmp(actual, expected))
        fail_msg("%s is %s, expected %s", path, actual ? actual : "NULL", expected);
    sqlite3_finalize(statement);
}

/* CSV is the view, column by column, every digit. */
static void assert_csv(struct fixture *f)
{
    char *csv = report(f, REPORT_CSV, false), *rest = csv, number[32];
    sqlite3_stmt *view;
    assert_int_equal(
        sqlite3_prepare_v2(store_db(f->store), "SELECT * FROM by_heads", -1, &view, NULL),
        SQLITE_OK);
    int columns = sqlite3_column_count(view);
    for (int row = -1; row < 0 || sqlite3_step(view) == SQLITE_ROW; row++) {
        for (int i = 0; i < columns; i++) {
            const char *expected =
                row < 0 ? sqlite3_column_name(view, i) : (const char *)sqlite3_column_text(view, i);
            if (row >= 0 && sqlite3_column_type(view, i) == SQLITE_FLOAT) {
                number_format(sqlite3_column_double(view, i), number, sizeof number);
                expected = number;
            }
            assert_string_equal(strsep(&rest, i == columns - 1 ? "\n" : ","),
                                expected ? expected : "");
        }
    }
    assert_string_equal(rest, "");
    sqlite3_finalize(view);
    free(csv);
}

static void test_exploratory(void **state)
{
    struct fixture *f = *state;
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    assert_file("gather.txt", report(f, REPORT_TEXT, false));
    assert_csv(f);
    assert_file("gather.md", report(f, REPORT_MARKDOWN, false));
    char *json = report(f, REPORT_JSON, false);
    assert_json(f, json, "$.sweep", "gather");
    assert_json(f, json, "$.planned", "30");
    assert_json(f, json, "$.settings[0].rows[3].mean_acc", "1");
    assert_json(f, json, "$.settings[0].rows[0].n_params", "9488");
    assert_json(f, json, "$.settings[0].rows[0].setting", "{}");
    assert_json(f, json, "$.settings[0].verdict.kind", "middle");
    assert_json(f, json, "$.settings[0].verdict.preliminary", "0");
    assert_json(f, json, "$.settings[0].verdict.candidate", "4");
    assert_json(f, json, "$.settings[0].verdict.best", "8");
    assert_json(f, json, "$.settings[0].verdict.alpha", "0.0125");
    assert_json(f, json, "$.settings[0].verdict.comparisons[1].heads_b", "32");
    assert_json(f, json, "$.settings[0].verdict.comparisons[1].sign_flip_p", "0.0625");
    assert_json(f, json, "$.settings[0].verdict.heads[3].all_equal", "1");
    assert_json(f, json, "$.settings[0].verdict.heads[2].among_best", "1");
    free(json);
}

/* No line is wider than a page, with colour there is nothing new but escapes. */
static void test_text(void **state)
{
    struct fixture *f = *state;
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    char *plain = report(f, REPORT_TEXT, false), *colored = report(f, REPORT_TEXT, true);
    assert_null(strchr(plain, '\033'));
    char *to = colored;
    for (const char *from = colored; *from; from++) {
        if (*from == '\033')
            from = strchr(from, 'm');
        else
            *to++ = *from;
    }
    assert_true(to < colored + strlen(colored));
    *to = '\0';
    assert_string_equal(plain, colored);
    for (char *rest = plain, *line; (line = strsep(&rest, "\n"));)
        assert_true(text_width(line) <= 100);
    free(plain);
    free(colored);
}

/* Two settings in the order of the plan (not of their names), a claim that was changed, a diverged
 * trial, trials that are still queued or have left the plan. */
/* No line of the text is wider than the page; frees it. */
static void assert_fits(char *text, int columns)
{
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));)
        if (text_width(line) > columns)
            fail_msg("wider than %d columns: %s", columns, line);
    free(text);
}

/* On a narrow terminal columns are left out, the least important first, and it says which. */
static void test_narrow(void **state)
{
    struct fixture *f = *state;
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    assert_file("gather-60.txt", report_on(f, REPORT_TEXT, (struct text_page){.columns = 60}));
    assert_file("gather-80.txt", report_on(f, REPORT_TEXT, (struct text_page){.columns = 80}));
    assert_file("gather.txt", report_on(f, REPORT_TEXT, (struct text_page){.columns = 120}));
    for (int columns = 50; columns <= 100; columns++)
        assert_fits(report_on(f, REPORT_TEXT, (struct text_page){.columns = columns}), columns);
}

static void test_settings(void **state)
{
    struct fixture *f = *state;
    add_sweep(f, "'gather'", "[]", "'{\"best\":4,\"over\":[1,32]}'");
    sql(f,
        "INSERT INTO plan_change (sweep_id, changed, pairs, added, removed, what, claim, seen,"
        " seen_outside, trials_ended) VALUES (1, '2025', 9, 9, 0, '{}', '{\"best\":1}', 0, 0, 0),"
        " (1, '2025', 9, 0, 0, '{}', (SELECT claim FROM sweep), 3, 0, 3)");
    add_gather(f, 8, "{\"task.slots\":8}", "slots=8");
    add_gather(f, 10, "{\"task.slots\":10}", "slots=10");
    sql(f, "UPDATE trial SET state = 'diverged', test_acc = NULL WHERE trial_id = 820001");
    sql(f, "UPDATE trial SET state = 'queued' WHERE trial_id = 1050000");
    sql(f, "UPDATE trial SET in_plan = 0 WHERE trial_id = 800004");
    sql(f, "UPDATE config SET n_params = 9999 WHERE config_id = 85");
    assert_file("settings.txt", report(f, REPORT_TEXT, false));
    for (int columns = 60; columns <= 100; columns += 20)
        assert_fits(report_on(f, REPORT_TEXT, (struct text_page){.columns = columns}), columns);
    char *json = report(f, REPORT_JSON, false);
    assert_json(f, json, "$.ended", "58");
    assert_json(f, json, "$.settings[0].setting", "{\"task.slots\":8}");
    assert_json(f, json, "$.settings[0].rows[2].n_bad", "1");
    assert_json(f, json, "$.settings[0].verdict.preliminary", "0");
    assert_json(f, json, "$.settings[1].setting_label", "slots=10");
    assert_json(f, json, "$.settings[1].verdict.preliminary", "1");
    free(json);
}

/* Under tune: trials that wait for the choice are one planned trial per seed; what was chosen is
 * named, the edge warned about. */
static void test_tune(void **state)
{
    struct fixture *f = *state;
    static const double lr[3] = {.001, .003, .01};
    static const double score[2][3] = {{.8, .9, .7}, {.5, .6, .95}};
    add_sweep(f, "'gather'", "[\"train.batch\",\"train.lr\"]", "NULL");
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            char tuning[60];
            snprintf(tuning, sizeof tuning, "{\"train.batch\":64,\"train.lr\":%g}", lr[k]);
            struct grid_point p = {4, i + 1, lr[k], "{}", "", tuning};
            int config = 10 * i + k + 1;
            bool chosen = score[i][k] >= .9;
            add_config(f, config, &p, 9488);
            for (int seed = 1000; seed < 1003; seed++)
                add_trial(f, config, seed, &p, "chosen", score[i][k]);
            for (int seed = 0; seed < 3; seed++)
                add_trial(f, config, seed, &p, chosen ? "chosen" : "passed",
                          chosen ? score[i][k] + .001 * seed : NAN);
        }
    }
    sql(f, "UPDATE trial SET state = 'pruned' WHERE choice = 'passed'");
    assert_file("tune.txt", report(f, REPORT_TEXT, false));
    /* A grid that has grown: what was chosen waits again, though it has results. */
    sql(f, "UPDATE trial SET choice = 'waiting' WHERE NOT is_tuning AND state = 'completed'");
    sql(f, "UPDATE trial SET state = 'queued' WHERE trial_id = 21000");
    char *json = report(f, REPORT_JSON, false);
    assert_json(f, json, "$.settings[0].verdict.kind", "nothing");
    assert_json(f, json, "$.settings[0].rows", "[]");
    free(json);
}

static void test_nothing_run(void **state)
{
    struct fixture *f = *state;
    struct grid_point p = {4, 1, .003, "{}", "", "{}"};
    add_sweep(f, "'gather'", "[]", "NULL");
    add_config(f, 1, &p, 9488);
    add_trial(f, 1, 0, &p, "chosen", NAN);
    assert_file("nothing.txt", report(f, REPORT_TEXT, false));
    free(report(f, REPORT_MARKDOWN, false));
    char *json = report(f, REPORT_JSON, false);
    assert_json(f, json, "$.settings[0].verdict.kind", "nothing");
    free(json);
}

/* Names are other people's text. */
static void test_hostile_name(void **state)
{
    struct fixture *f = *state;
    add_sweep(f, "'a\"b\\c' || char(27) || '[2J' || char(10) || ',|x*'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    char *text = report(f, REPORT_TEXT, true), *csv = report(f, REPORT_CSV, false);
    char *markdown = report(f, REPORT_MARKDOWN, false), *json = report(f, REPORT_JSON, false);
    assert_null(strstr(text, "\033[2J"));
    assert_non_null(strstr(text, "a\"b\\c?[2J?,|x*"));
    assert_non_null(strstr(csv, "\n\"a\"\"b\\c\033[2J\n,|x*\",{}"));
    assert_non_null(strstr(markdown, "# a\"b\\\\c?\\[2J?,\\|x\\*\n"));
    assert_json(f, json, "$.sweep", "a\"b\\c\033[2J\n,|x*");
    free(text);
    free(csv);
    free(markdown);
    free(json);
}

static void test_failures(void **state)
{
    struct fixture *f = *state;
    add_sweep(f, "'gather'", "[]", "NULL");
    add_gather(f, 4, "{}", "");
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    for (int format = REPORT_TEXT; format <= REPORT_MARKDOWN; format++) {
        assert_int_equal(report_write(f->store, 1, (enum report_format)format,
                                      (struct text_page){0}, full, &f->message),
                         STATUS_DISK_FULL);
        clearerr(full);
    }
    fclose(full);
    assert_int_equal(
        report_write(f->store, 7, REPORT_TEXT, (struct text_page){0}, stdout, &f->message),
        STATUS_BAD_INPUT);
    sql(f, "DROP VIEW by_heads");
    assert_int_equal(
        report_write(f->store, 1, REPORT_CSV, (struct text_page){0}, stdout, &f->message),
        STATUS_INTERNAL);
    assert_int_equal(
        report_write(f->store, 1, REPORT_JSON, (struct text_page){0}, stdout, &f->message),
        STATUS_INTERNAL);
    assert_non_null(strstr(f->message.text, "by_heads"));
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_exploratory),  CASE(test_text),     CASE(test_narrow),
        CASE(test_settings),     CASE(test_tune),     CASE(test_nothing_run),
        CASE(test_hostile_name), CASE(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
