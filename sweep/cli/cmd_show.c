/* headcount show: the trials of a sweep, or one with everything that is known of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/json_write.h"
#include "engine/base/text.h"
#include "sweep/cli/command.h"
#include "sweep/cli/show_failed.h"
#include "sweep/db/scope.h"
#include "sweep/plan/plan.h"
#include "sweep/plan/point.h"
#include "sweep/report/table.h"
#include "sweep/worker/trial_files.h"

/* ---- the configuration ---- */

enum { SECTION_TEXT = 2 * POINT_JSON_MAX };

/* "  train  steps 1500, batch 64, ..." for one section of the point. */
static void print_section(const char *name, const struct option_entry *list, const void *values,
                          int width)
{
    char text[SECTION_TEXT] = "";
    size_t used = 0;
    for (const struct option_entry *o = list; o->name; o++) {
        char value[OPTION_TEXT_MAX];
        int n = o->local ? -1 : option_format(o, values, value, sizeof value);
        if (n < 0 || used + (size_t)n + strlen(o->name) + 4 > sizeof text)
            continue;
        char *bare = value; /* words without their quotes */
        if (value[0] == '"') {
            value[n - 1] = '\0';
            bare++;
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%s", used ? " " : "",
                                 o->name, bare);
    }
    printf("  %-6s ", name);
    text_paragraph(stdout, text, 0, 9, width - 9);
}

/* Prints a stored configuration, as canonical JSON, in lines of at most `width` columns: section by
 * section, or as it stands where it is of another version of a task or of training. */
static void show_config(const char *json, int width)
{
    struct point *p = calloc(1, sizeof *p);
    printf("Config:\n");
    if (p && point_parse(json, p, NULL) == STATUS_OK) {
        char task[64];
        snprintf(task, sizeof task, "%s", p->task->name);
        printf("  %-6s name=%s version=%d\n", "task", task, p->task->version);
        print_section("", p->task->options, p->task_options, width);
        print_section("model", encoder_options, &p->model, width);
        print_section("train", train_options, &p->train, width);
    } else { /* of another version of the task or of training */
        text_print(stdout, "  %s\n", json);
    }
    free(p);
}

/* ---- the curve ---- */

enum { PLOT_WIDTH = 60, PLOT_HEIGHT = 11, VALUES_MAX = 1024 };

/* Marks accuracy y at step x, both in 0..1 (else nothing: rows may say anything); what is drawn
 * first stays on top. */
static void plot_point(char grid[PLOT_HEIGHT][PLOT_WIDTH + 1], double x, double y, char mark)
{
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1))
        return;
    int column = (int)(x * (PLOT_WIDTH - 1) + 0.5);
    int row = (int)((1.0 - y) * (PLOT_HEIGHT - 1) + 0.5);
    char *cell = &grid[row][column];
    if (*cell == ' ')
        *cell = mark;
}

/* Accuracy against steps: val '*', train '.'. */
static int print_plot(struct scope *x, int64_t trial)
{
    enum { AT_STEP, VALIDATION, TRAINING, LAST_STEP };
    char grid[PLOT_HEIGHT][PLOT_WIDTH + 1];
    int64_t last = 0;
    int points = 0;
    for (int i = 0; i < PLOT_HEIGHT; i++) {
        memset(grid[i], ' ', PLOT_WIDTH);
        grid[i][PLOT_WIDTH] = '\0';
    }
    struct rows *r =
        scope_rows(x,
                   "SELECT v.step, v.val_acc, v.train_acc, t.steps FROM curve AS v"
                   " JOIN trials AS t USING (trial_id) WHERE trial_id = ?1 ORDER BY v.step",
                   VALUES(INTEGER(trial)));
    for (; scope_next(x, r); points++) {
        last = rows_integer(r, LAST_STEP);
        double at = last > 0 ? (double)rows_integer(r, AT_STEP) / (double)last : 0.0;
        plot_point(grid, at, rows_real(r, VALIDATION), '*');
        plot_point(grid, at, rows_real(r, TRAINING), '.');
    }
    if (points == 0)
        return 0;
    printf("\nAccuracy (* validation, . training):\n");
    for (int i = 0; i < PLOT_HEIGHT; i++) {
        size_t end = PLOT_WIDTH;
        while (end > 0 && grid[i][end - 1] == ' ')
            end--;
        printf("  %3.1f |%.*s\n", 1.0 - (double)i / (PLOT_HEIGHT - 1), (int)end, grid[i]);
    }
    printf("      +");
    for (int i = 0; i < PLOT_WIDTH; i++)
        putchar('-');
    printf("\n       0%*lld steps\n\n", PLOT_WIDTH - 7, (long long)last);
    return points;
}

/* "  val loss    █▆▃▁  2.774 to 0.01"; nothing where fewer than two evaluations have a value. The
 * rows are those of `lines` in show_curve. */
static void print_line(struct scope *x, int64_t trial, const char *name, const char *sql)
{
    double y[VALUES_MAX];
    char line[SPARKLINE_SIZE];
    int n = 0;
    struct rows *r = scope_rows(x, sql, VALUES(INTEGER(trial), INTEGER(VALUES_MAX)));
    while (scope_next(x, r)) {
        y[n] = rows_real(r, 0);
        n += isfinite(y[n]);
    }
    text_sparkline(y, n, NAN, NAN, PLOT_WIDTH, line);
    if (n > 1)
        printf("  %-11s %s  %.4g to %.4g\n", name, line, y[0], y[n - 1]);
}

/* Draws it on standard output: accuracies against steps and, where the locale has UTF-8, losses,
 * gradient norm and learning rate as a line each. False: it has no evaluations, and nothing
 * is drawn. */
static bool show_curve(struct scope *x, int64_t trial)
{
#define LAST(column)                                                                               \
    "SELECT x FROM (SELECT step, " column " AS x FROM curve WHERE trial_id = ?1"                   \
    " ORDER BY step DESC LIMIT ?2) ORDER BY step"
    static const struct {
        const char *name, *sql;
    } lines[] = {{"train loss", LAST("train_loss")},
                 {"val loss", LAST("val_loss")},
                 {"grad norm", LAST("grad_norm")},
                 {"lr", LAST("lr")}};
#undef LAST
    if (print_plot(x, trial) == 0)
        return false;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0] && text_utf8(); i++)
        print_line(x, trial, lines[i].name, lines[i].sql);
    fputs(text_utf8() ? "\n" : "", stdout);
    return true;
}

/* ---- attempts ---- */

const struct table_column show_attempt_columns[] = {
    {.name = "attempt", .title = "attempt", .right = true},
    {.name = "outcome", .title = "outcome"},
    {.name = "started", .title = "started", .leave_out = 5},
    {.name = "ended", .title = "ended", .leave_out = 3},
    {.name = "resumed_from_step", .title = "from step", .right = true},
    {.name = "host", .title = "host", .leave_out = 2},
    {.name = "job", .title = "job", .leave_out = 2},
    {.name = "pid"},
    {.name = "exit_code", .title = "exit", .right = true, .leave_out = 4},
    {.name = "signal", .title = "signal", .right = true, .leave_out = 4},
    {.name = "cpu_s", .title = "CPU s", .right = true, .decimals = 2, .leave_out = 1},
    {.name = "max_rss_kib", .title = "KiB", .right = true, .leave_out = 1},
    {.name = "error"},
    {.name = "note"},
    {0}};
const char show_attempt_sql[] =
    "SELECT attempt, coalesce(outcome, 'running'), started, ended, resumed_from_step, host, job,"
    "       pid, exit_code, signal, cpu_s, max_rss_kib, error, note"
    "  FROM attempt WHERE trial_id = ?1 ORDER BY attempt";

static void show_errors(struct scope *x, int64_t trial)
{
    enum { ATTEMPT, ERROR, NOTE };
    struct rows *r =
        scope_rows(x,
                   "SELECT attempt, error, note FROM attempt"
                   " WHERE trial_id = ?1 AND coalesce(error, note) IS NOT NULL ORDER BY attempt",
                   VALUES(INTEGER(trial)));
    while (scope_next(x, r))
        for (int i = ERROR; i <= NOTE; i++)
            if (!rows_null(r, i))
                text_print(stdout, "\n%s of attempt %lld:\n%s\n", i == ERROR ? "Error" : "Note",
                           (long long)rows_integer(r, ATTEMPT), rows_text(r, i));
}

enum { PAGE_WIDTH = 96 };

struct show_options {
    const char *db;
    const char *trial;
    bool json, failed;
};

static const struct command_option options[] = {
    {"failed", 0, COMMAND_FLAG, offsetof(struct show_options, failed), NULL,
     "of a sweep: the trials that failed or diverged, with all attempts and what they said"},
    {"json", 0, COMMAND_FLAG, offsetof(struct show_options, json), NULL,
     "an object: trial (columns of the view trials), attempts, curve, studies; of a sweep, an "
     "array, with --failed also their attempts"},
    COMMAND_DB_OPTION(struct show_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "show",
    .details =
        "Without an argument: the trials of the sweep that ran last, one line each. SWEEP is a\n"
        "sweep's name, TRIAL the number that such a line begins with. With --failed, trials that\n"
        "ended with the same error, but for numbers in it, stand together below it.\n",
    .options = options,
    .examples = "  headcount show\n"
                "  headcount show 1\n"
                "  headcount show --failed\n",
    .most = 1,
};

/* Only a completed trial has weights: what a diverged one left says no more than that. */
#define WEIGHTS_SQL "iif(state = 'completed', checkpoint, NULL)"

/* The file that has them; NULL: none. */
static const char *weights_path(struct scope *x, int64_t trial, const char *name)
{
    char *path = name ? arena_alloc(&x->arena, TRIAL_PATH_MAX, 1) : NULL;
    if (name)
        scope_check(x, trial_weights_path(store_folder(x->store), trial, name, path, TRIAL_PATH_MAX,
                                          x->message));
    return path;
}

static const struct table_column curve_columns[] = {
    {.name = "step", .title = "step", .right = true},
    {.name = "train_loss", .title = "train loss", .right = true, .decimals = 4},
    {.name = "train_acc", .title = "acc", .right = true, .decimals = 3},
    {.name = "val_loss", .title = "val loss", .right = true, .decimals = 4},
    {.name = "val_acc", .title = "acc", .right = true, .decimals = 3},
    {.name = "grad_norm", .title = "grad norm", .right = true, .decimals = 3},
    {.name = "lr"},
    {.name = "elapsed_s", .title = "s", .right = true, .decimals = 2},
    {0}};
static const char curve_sql[] =
    "SELECT step, train_loss, train_acc, val_loss, val_acc, grad_norm, lr, elapsed_s"
    "  FROM curve WHERE trial_id = ?1 ORDER BY step";

/* What was asked of its weights. */
static const struct table_column study_columns[] = {
    {.name = "study", .title = "study"},
    {.name = "options", .title = "options"},
    {.name = "answered", .title = "answered", .leave_out = 1},
    {.name = "cpu_s", .title = "CPU s", .right = true, .decimals = 2},
    {0}};
static const char study_sql[] =
    "SELECT name, options, answered, cpu_s FROM study WHERE trial_id = ?1 ORDER BY answered, name";

static struct table *read_query(struct scope *x, int64_t trial, const char *sql,
                                const struct table_column *columns)
{
    struct table *t = table_new(x, columns);
    rows_to_table(x, scope_rows(x, sql, VALUES(INTEGER(trial))), t);
    return t;
}

static void write_query(struct scope *x, int64_t trial, const char *sql,
                        const struct table_column *columns)
{
    table_write_page(read_query(x, trial, sql, columns), text_page(stdout), stdout);
}

static void write_cell(struct json_writer *w, const char *name, const struct rows *r, int i)
{
    switch (rows_kind(r, i)) {
    case ROWS_INTEGER:
        json_add_integer(w, name, rows_integer(r, i));
        break;
    case ROWS_REAL:
        json_add_real(w, name, rows_real(r, i));
        break;
    case ROWS_NULL:
    case ROWS_TEXT:
        json_add_text(w, name, rows_text(r, i));
    }
}

/* A trial's row in the view `trials`. */
static void write_trial(struct scope *x, int64_t trial)
{
    struct json_writer w = {.out = stdout};
    struct rows *r =
        scope_rows(x,
                   "SELECT trial_id, sweep, heads, seed, state, in_plan, is_tuning, confirms,"
                   " steps_done, best_step, bad_step, train_acc, val_acc, test_acc, test_exact,"
                   " test_loss, chance, train_s, n_params, flops_per_step, " WEIGHTS_SQL
                   " AS checkpoint, remark, config_sha256, " CONFIG_PATH " AS file,"
                   " test_acc_by_slot, config_json AS config FROM trials WHERE trial_id = ?1",
                   VALUES(INTEGER(trial)));
    json_begin_object(&w, NULL);
    while (scope_next(x, r))
        for (int i = 0; i < rows_columns(r); i++) {
            const char *name = rows_name(r, i);
            if (strcmp(name, "checkpoint") == 0)
                json_add_text(&w, name, weights_path(x, trial, rows_text(r, i)));
            else if (strcmp(name, "test_acc_by_slot") == 0 || strcmp(name, "config") == 0)
                json_add_json(&w, name, rows_text(r, i));
            else
                write_cell(&w, name, r, i);
        }
    json_end_object(&w);
}

static void write_json(struct scope *x, int64_t trial)
{
    static const struct {
        const char *key, *sql;
        const struct table_column *columns;
    } lists[] = {{"attempts", show_attempt_sql, show_attempt_columns},
                 {"curve", curve_sql, curve_columns},
                 {"studies", study_sql, study_columns}};
    struct json_writer w = {.out = stdout, .spaced = true};
    json_begin_object(&w, NULL);
    json_add_key(&w, "trial");
    write_trial(x, trial);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        json_add_key(&w, lists[i].key);
        table_write(read_query(x, trial, lists[i].sql, lists[i].columns), TABLE_JSON, false,
                    stdout);
    }
    puts("}");
}

/* As wide as the terminal, where that is narrower than a page. */
static int page_width(void)
{
    int columns = text_page(stdout).columns;
    return columns >= 40 && columns < PAGE_WIDTH ? columns : PAGE_WIDTH;
}

static void print_number(const char *name, double x, int decimals)
{
    if (isfinite(x))
        printf("  %-12s %.*f\n", name, decimals, x);
}

/* What the page begins with. */
static const char head_sql[] =
    "SELECT sweep, heads, seed, replace(state, '_', ' '), in_plan, steps_done, steps, test_acc,"
    "       test_acc_by_slot, test_exact, test_loss, val_acc, train_acc, chance, best_step, "
    "bad_step, train_s,"
    "       " WEIGHTS_SQL ", config_json, config_sha256, n_params, flops_per_step, "
    "setting_label,"
    "       (SELECT max(step) FROM curve AS v WHERE v.trial_id = trials.trial_id), remark,"
    "       " CONFIG_PATH ", tuning, is_tuning, confirms, lr,"
    "       (SELECT retries_used FROM trial AS t WHERE t.trial_id = trials.trial_id)"
    "  FROM trials WHERE trial_id = ?1";
enum head_column {
    SWEEP,
    HEADS,
    SEED,
    STATE,
    IN_PLAN,
    STEPS_DONE,
    STEPS,
    TEST_ACC,
    BY_SLOT,
    TEST_EXACT,
    TEST_LOSS,
    VAL_ACC,
    TRAIN_ACC,
    CHANCE,
    BEST_STEP,
    BAD_STEP,
    TRAIN_S,
    WEIGHTS,
    CONFIG,
    SHA256,
    PARAMS,
    FLOPS,
    LABEL,
    EVALUATED,
    REMARK,
    DATA_FILE,
    TUNED,
    IS_TUNING,
    CONFIRMS,
    LR,
    RETRIES
};

/* "[0.98,1,...]" to three decimals each. */
static void print_slots(const char *json)
{
    struct text_buffer text = {0};
    const char *c = json + strspn(json, "[ ");
    for (char *end; *c; c = end + strspn(end, ",] ")) {
        double x = strtod(c, &end);
        if (end == c)
            break;
        text_add(&text, " %.3f", x);
    }
    printf("  %-12s ", "by slot");
    text_paragraph(stdout, *c || !text.text ? json : text.text, 0, 15, page_width() - 15);
    free(text.text);
}

static void print_result(const struct rows *r, const char *weights)
{
    printf("\nResult:\n");
    print_number("test acc", rows_real(r, TEST_ACC), 4);
    if (!rows_null(r, BY_SLOT))
        print_slots(rows_text(r, BY_SLOT));
    print_number("test exact", rows_real(r, TEST_EXACT), 4);
    print_number("test loss", rows_real(r, TEST_LOSS), 5);
    print_number("val acc", rows_real(r, VAL_ACC), 4);
    print_number("train acc", rows_real(r, TRAIN_ACC), 4);
    print_number("chance", rows_real(r, CHANCE), 4);
    if (!rows_null(r, BEST_STEP)) {
        printf("  %-12s %lld of %lld\n", "best step", (long long)rows_integer(r, BEST_STEP),
               (long long)rows_integer(r, STEPS));
    }
    if (!rows_null(r, BAD_STEP))
        printf("  %-12s %lld: NaN or Inf\n", "bad step", (long long)rows_integer(r, BAD_STEP));
    print_number("train s", rows_real(r, TRAIN_S), 2);
    if (rows_integer(r, RETRIES) > 0)
        printf("  %-12s %lld\n", "retries", (long long)rows_integer(r, RETRIES));
    if (weights)
        text_print(stdout, "  %-12s %s\n", "weights", weights);
}

static void print_head(struct scope *x, int64_t trial)
{
    struct rows *r = scope_rows(x, head_sql, VALUES(INTEGER(trial)));
    while (scope_next(x, r)) {
        char params[32];
        char flops[32];
        char label[PLAN_TEXT_MAX];
        char rate[40] = "";
        const char *weights = weights_path(x, trial, rows_text(r, WEIGHTS));
        const char *setting = rows_text(r, LABEL), *tuning = rows_text(r, TUNED);
        plan_full_label(setting ? setting : "", tuning ? tuning : "", label, sizeof label);
        if (!strstr(label, "lr="))
            snprintf(rate, sizeof rate, ", lr=%g", rows_real(r, LR));
        text_print(stdout, "%s %lld of sweep %s: heads %lld%s%s%s, seed %lld\n",
                   rows_integer(r, IS_TUNING)  ? "Tuning trial"
                   : rows_integer(r, CONFIRMS) ? "Confirming trial"
                                               : "Trial",
                   (long long)trial, rows_text(r, SWEEP), (long long)rows_integer(r, HEADS),
                   label[0] ? ", " : "", label, rate, (long long)rows_integer(r, SEED));
        /* the steps of a trial that has not ended are known up to its last evaluation */
        bool ended = !rows_null(r, BEST_STEP) || !rows_null(r, BAD_STEP);
        text_print(stdout, "%s at step %lld of %lld%s; %s parameters, %sFLOP per step\n\n",
                   rows_text(r, STATE), (long long)rows_integer(r, ended ? STEPS_DONE : EVALUATED),
                   (long long)rows_integer(r, STEPS),
                   rows_integer(r, IN_PLAN) ? "" : ", no longer in the plan",
                   text_count(rows_integer(r, PARAMS), params, sizeof params),
                   text_quantity(rows_real(r, FLOPS), flops, sizeof flops));
        if (!rows_null(r, REMARK)) {
            printf("Note: ");
            text_paragraph(stdout, rows_text(r, REMARK), 0, 6, page_width() - 6);
            putchar('\n');
        }
        show_config(rows_given(r, CONFIG), page_width());
        if (!rows_null(r, DATA_FILE))
            text_print(stdout, "  %-6s %s\n", "file", rows_text(r, DATA_FILE));
        text_print(stdout, "  %-6s %s\n", "sha256", rows_text(r, SHA256));
        print_result(r, weights);
    }
}

static void print_studies(struct scope *x, int64_t trial)
{
    struct table *t = read_query(x, trial, study_sql, study_columns);
    if (table_rows(t) == 0)
        return;
    printf("\n");
    table_write_page(t, text_page(stdout), stdout);
}

static void write_text(struct scope *x, int64_t trial)
{
    print_head(x, trial);
    if (show_curve(x, trial))
        write_query(x, trial, curve_sql, curve_columns);
    printf("\n");
    write_query(x, trial, show_attempt_sql, show_attempt_columns);
    print_studies(x, trial);
    show_errors(x, trial);
}

/* ---- the trials of a sweep ---- */

static void list_trials(struct scope *x, int64_t sweep, bool json)
{
    enum {
        TRIAL,
        TRIAL_HEADS,
        SETTING,
        TUNING,
        TRIAL_SEED,
        TRIAL_STATE,
        VAL,
        TEST,
        PLANNED,
        TUNES,
        CONFIRMING
    };
    struct table_column columns[] = {
        {.name = "trial_id", .title = "trial", .right = true},
        {.name = "heads", .title = "heads", .right = true},
        {.name = "setting", .title = "setting", .leave_out = 2},
        {.name = "seed", .title = "seed", .right = true},
        {.name = "state", .title = "state"},
        {.name = "val_acc", .title = "val", .right = true, .decimals = 3, .leave_out = 1},
        {.name = "test_acc", .title = "test", .right = true, .decimals = 3},
        {.name = "in_plan"},
        {.name = "is_tuning"},
        {.name = "confirms"},
        {0}};
    bool settings = false;
    struct table *t = table_new(x, columns);
    struct rows *r = scope_rows(
        x,
        "SELECT trial_id, heads, setting_label, tuning, seed,"
        " iif(?2, state, replace(state, '_', ' ') || iif(is_tuning, ', tuning', '')"
        "  || iif(confirms, ', confirming', '')"
        "  || iif(in_plan, '', ', left the plan')), val_acc, test_acc,"
        " in_plan, is_tuning, confirms FROM trials WHERE sweep_id = ?1 ORDER BY trial_id",
        VALUES(INTEGER(sweep), INTEGER(json)));
    while (scope_next(x, r)) {
        char setting[PLAN_TEXT_MAX];
        const char *label = rows_text(r, SETTING), *tuning = rows_text(r, TUNING);
        plan_full_label(label ? label : "", tuning ? tuning : "", setting, sizeof setting);
        settings |= setting[0] != '\0';
        rows_cell(r, TRIAL, t);
        rows_cell(r, TRIAL_HEADS, t);
        table_text(t, setting);
        for (int i = TRIAL_SEED; i <= CONFIRMING; i++)
            rows_cell(r, i, t);
    }
    if (!settings) /* nothing but heads varies */
        table_hide(t, "setting");
    if (json) {
        table_write(t, TABLE_JSON, false, stdout);
        putchar('\n');
    } else {
        table_write_page(t, text_page(stdout), stdout);
    }
}

/* Which means a trial. */
static bool is_number(const char *word)
{
    return word && word[strspn(word, "0123456789")] == '\0';
}

static void must_belong(struct scope *x, int64_t trial)
{
    struct rows *r =
        scope_rows(x, "SELECT 1 FROM trials WHERE trial_id = ?", VALUES(INTEGER(trial)));
    bool found = false;
    while (scope_next(x, r))
        found = true;
    if (!found)
        scope_fail(x, STATUS_CORRUPT,
                   "%s: trial %lld has no sweep or no configuration; `headcount check` names what"
                   " is wrong",
                   store_path(x->store), (long long)trial);
}

static void show(struct scope *x, void *context)
{
    const struct show_options *o = context;
    int64_t sweep, trial;
    bool number = is_number(o->trial);
    if (number) {
        scope_check(x, store_trial(x->store, o->trial, &trial, x->message));
        must_belong(x, trial);
        (o->json ? write_json : write_text)(x, trial);
        return;
    }
    scope_check(x, store_sweep(x->store, o->trial, &sweep, x->message));
    if (o->failed)
        show_failed(x, sweep, o->json);
    else
        list_trials(x, sweep, o->json);
}

int command_show(int argc, char **argv)
{
    struct show_options o = {.db = COMMAND_DB};
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    o.trial = argv[optind];
    if (o.failed && is_number(o.trial))
        return command_usage("show",
                             "--failed is about a sweep; use `headcount show %s` for all that is "
                             "known of that trial",
                             o.trial);
    return command_act_on("show", COMMAND_READ, o.db, show, &o);
}
