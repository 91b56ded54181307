/* headcount plan: what `run` would do, without doing or writing anything. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/json_write.h"
#include "engine/base/text.h"
#include "sweep/cli/command.h"
#include "sweep/plan/machine.h"
#include "sweep/report/table.h"
#include "sweep/run/cores.h"
#include "sweep/run/forecast.h"

struct forecast_view {
    long workers;           /* 0: the sweep file's, else as many as there are cores */
    bool retry_failed, all; /* all: a line per point, however many there are */
};

/* ---- for people ---- */

/* A page or so; a longer plan is summed up per head count. */
enum { POINTS_SHOWN = 60, TO_ADD_SHOWN = 12 };

static void print_dropped(const struct plan *p)
{
    const char *const why[] = {"by constraints", "by exclude",
                               plan_config(p)->method == METHOD_RANDOM ? "drawn twice"
                                                                       : "the same as another"};
    long by[3];
    if (plan_dropped(p, &by[0], &by[1], &by[2]) == 0)
        return;
    printf("Dropped from the grid:");
    for (int i = 0, said = 0; i < 3; i++)
        if (by[i] > 0)
            printf("%s %ld %s", said++ ? "," : "", by[i], why[i]);
    putchar('\n');
}

/* Of a trial that is one too many, whichever value tuning chooses, as of one that is not needed. */
static const char STATES[] =
    "SELECT iif(spare, 'not needed', replace(state, '_', ' ')) AS said, count(*),"
    "  iif(spare, 'tuning chooses another setting for its head count', why) AS why FROM outlook"
    " GROUP BY said, why ORDER BY instr('new queued running completed diverged failed not needed"
    " elsewhere', said), min(trial_id)";

static void print_counts(struct scope *x, const struct forecast *f)
{
    static const char line[] = "  %-10s %9s  %s\n";
    char text[32];
    struct rows *r = scope_rows(x, STATES, NO_VALUES);
    while (scope_next(x, r))
        printf(line, rows_given(r, 0), text_count((long)rows_integer(r, 1), text, sizeof text),
               rows_given(r, 2));
    if (f->leaving > 0)
        printf(line, "leaving", text_count(f->leaving, text, sizeof text),
               "no longer in this plan; results stay in the file");
}

/* "5", "5 and 10", "5, 10 and 20". */
static void print_list(const int64_t *item, int n)
{
    char text[32];
    for (int i = 0; i < n; i++)
        printf("%s%s",
               i == 0       ? ""
               : i == n - 1 ? " and "
                            : ", ",
               text_count((long)item[i], text, sizeof text));
}

static bool same_rungs(const struct plan *p)
{
    int64_t first[PLAN_RUNGS_MAX];
    int64_t other[PLAN_RUNGS_MAX];
    int n = plan_rungs(p, 0, first);
    for (long i = 1; i < plan_points(p); i++)
        if (plan_candidates(p, i) != plan_candidates(p, 0) || plan_rungs(p, i, other) != n ||
            memcmp(first, other, (size_t)n * sizeof *first) != 0)
            return false;
    return true;
}

/* Steps of all tuning trials from their beginning, and of those what rungs leave. */
static void count_tuning_steps(const struct plan *p, double *all, double *left)
{
    int64_t rung[PLAN_RUNGS_MAX];
    struct point point;
    *all = *left = 0;
    for (long i = 0; i < plan_points(p); i++) {
        int rungs = plan_rungs(p, i, rung);
        plan_point(p, i, &point);
        double steps = (double)point.train.steps * (double)plan_config(p)->tune_seeds;
        *all += steps;
        *left += steps * cost_tuning_share(rung, rungs, plan_config(p)->rung_eta,
                                           plan_candidates(p, i), point.train.steps, 0, false);
    }
}

/* "the best 2 and 1 go on from steps 150 and 450", up to the rung that leaves one, and how many of
 * the steps without rungs that is. */
static void print_rungs(const struct plan *p)
{
    int64_t step[PLAN_RUNGS_MAX];
    int64_t best[PLAN_RUNGS_MAX] = {0};
    char some[32];
    char all[32];
    const int64_t eta = plan_config(p)->rung_eta;
    double steps, left;
    int rungs = 0;
    printf("Of the values that tuning tries, ");
    if (same_rungs(p)) {
        int n = plan_rungs(p, 0, step);
        for (int64_t in = plan_candidates(p, 0); rungs < n && in > 1; rungs++)
            best[rungs] = in = (in + eta - 1) / eta;
        printf("the best ");
        if (rungs > 1 || best[0] > 1)
            print_list(best, rungs);
        printf(rungs > 1 || best[0] > 1 ? " go on from step%s " : "goes on from step%s ",
               rungs > 1 ? "s" : "");
        print_list(step, rungs);
    } else {
        printf("one in %lld goes on from each rung", (long long)eta);
    }
    count_tuning_steps(p, &steps, &left);
    printf(": %s of %s tuning steps.\n", text_count(lround(left), some, sizeof some),
           text_count(lround(steps), all, sizeof all));
}

/* Values that tune.extend adds when the sweep is planned; without new trials, values that come
 * back. */
static const char TO_ADD[] =
    "SELECT heads, setting, tuning, count(*) FILTER (WHERE is_tuning AND o.state = 'new'),"
    "  setting_label FROM outlook AS o JOIN trial USING (trial_id) JOIN config USING (config_id)"
    " WHERE added > 0 GROUP BY setting, heads, tuning"
    " HAVING max(trial_id IN (SELECT trial_id FROM planned_before)) = 0 ORDER BY min(plan_order)";
enum { ADD_HEADS, ADD_SETTING, ADD_TUNING, ADD_TRIALS, ADD_LABEL };

/* What the run will say of them, when it has planned. */
static void print_to_add(struct scope *x)
{
    char full[2 * PLAN_TEXT_MAX];
    long values = 0;
    struct rows *r = scope_rows(x, TO_ADD, NO_VALUES);
    for (; scope_next(x, r); values++) {
        if (values >= TO_ADD_SHOWN)
            continue;
        plan_full_label(rows_given(r, ADD_LABEL), rows_given(r, ADD_TUNING), full, sizeof full);
        printf("heads=%lld: its outermost value was chosen, so %s %s\n",
               (long long)rows_integer(r, ADD_HEADS), full,
               rows_integer(r, ADD_TRIALS) ? "will be added" : "comes back");
    }
    if (values > TO_ADD_SHOWN)
        printf("... and %ld more; --json has all.\n", values - TO_ADD_SHOWN);
}

/* "... up to 4 of them to either side: 2 so far." */
static void print_extend(struct scope *x, const struct plan *p)
{
    printf("A head count that chooses the smallest or largest number of a list tries the next one\n"
           "beyond, up to %lld of them to either side",
           (long long)plan_config(p)->extend);
    struct rows *r = scope_rows(x,
                                "SELECT count(DISTINCT config_id), count(*) FROM trial"
                                " WHERE added > 0 AND in_plan = 1"
                                " AND trial_id IN (SELECT trial_id FROM planned_before)",
                                NO_VALUES);
    while (scope_next(x, r))
        if (rows_integer(r, 0) > 0)
            printf(": %s so far, with %s", text_counted((long)rows_integer(r, 0), "point").text,
                   text_counted((long)rows_integer(r, 1), "trial").text);
    printf(".\n");
    print_to_add(x);
}

/* How many values of the tuned axes a head count has at most. */
static long most_candidates(const struct plan *p)
{
    long most = 1;
    for (long i = 0; i < plan_points(p); i++)
        most = plan_candidates(p, i) > most ? plan_candidates(p, i) : most;
    return most;
}

/* What decides how many of the trials run, and over what they are compared. */
static void print_design(struct scope *x, const struct plan *p, const struct forecast *f)
{
    const struct config *c = plan_config(p);
    long candidates = most_candidates(p);
    if (candidates > 1)
        printf("Each head count tries %ld tuned values; only the one it chooses is judged.\n",
               candidates);
    if (c->rung_eta)
        print_rungs(p);
    if (c->extend)
        print_extend(x, p);
    if (f->may_choose > 0)
        printf(
            "%ld head count%s may choose again, because the values to choose from have changed.\n",
            f->may_choose, text_plural(f->may_choose));
    if (c->replicate) {
        printf("Replicates: %ld (", plan_replicates(p));
        for (int i = 0; i < c->replicate; i++)
            printf("%s%s", i ? " x " : "", c->replicate_path[i]);
        printf("); each counts once, whatever the number of its seeds.\n");
    }
    if (c->looks) {
        printf("Looks at ");
        print_list(c->look, c->looks);
        printf(" seeds; each setting stops at the first that decides.\n");
    }
    if (c->confirm)
        printf("What each setting's trials speak for is then confirmed on %lld fresh %s.\n",
               (long long)c->confirm, c->replicate ? "instances" : "seeds");
}

/* A file as points of the plan see it. */
struct file_seen {
    char path[OPTION_STRING_MAX + 1];
    long length; /* of an example */
    int64_t part[TASK_PARTS];
    int64_t looked_at[TASK_PARTS]; /* but TASK_TRAIN */
};

/* False for a toy. */
static bool see_file(const struct point *p, struct file_seen *f)
{
    struct task_shape shape;
    if (!p->task->file || p->task->shape(p->task_options, &shape, NULL) != STATUS_OK)
        return false;
    memset(f, 0, sizeof *f);
    snprintf(f->path, sizeof f->path, "%s", point_file(p));
    f->length = shape.length;
    memcpy(f->part, shape.part, sizeof f->part);
    f->looked_at[TASK_VAL] = point_examples(shape.part[TASK_VAL], p->train.val_examples);
    f->looked_at[TASK_TEST] = point_examples(shape.part[TASK_TEST], p->train.test_examples);
    return true;
}

static bool seen_alike(const struct file_seen *a, const struct file_seen *b)
{
    return strcmp(a->path, b->path) == 0 && a->length == b->length &&
           memcmp(a->part, b->part, sizeof a->part) == 0 &&
           memcmp(a->looked_at, b->looked_at, sizeof a->looked_at) == 0;
}

static void print_one_file(const struct file_seen *f)
{
    char text[5][32];
    text_print(stdout,
               "File %s: %s examples of length %ld to train on; validates on %s of %s, tests on %s "
               "of %s.\n",
               f->path, text_count(f->part[TASK_TRAIN], text[0], sizeof text[0]), f->length,
               text_count(f->looked_at[TASK_VAL], text[1], sizeof text[1]),
               text_count(f->part[TASK_VAL], text[2], sizeof text[2]),
               text_count(f->looked_at[TASK_TEST], text[3], sizeof text[3]),
               text_count(f->part[TASK_TEST], text[4], sizeof text[4]));
}

/* A line for each file that tasks of the plan learn from, and each way that it is divided: how many
 * examples it has and how many are looked at. */
static void print_files(const struct plan *p)
{
    enum { SHOWN = 8 };
    struct file_seen seen[SHOWN];
    int n = 0;
    for (long i = 0; i < plan_points(p) && n < SHOWN; i++) {
        struct point point;
        int k = 0;
        plan_point(p, i, &point);
        if (!see_file(&point, &seen[n]))
            continue;
        while (!seen_alike(&seen[k], &seen[n]))
            k++;
        if (k == n)
            print_one_file(&seen[n++]);
    }
}

static void print_summary(struct scope *x, const struct plan *p, const struct forecast *f)
{
    const struct config *c = plan_config(p);
    struct plan_shard shard = plan_shard(p);
    char text[32];
    if (c->question[0])
        text_print(stdout, "%s\n", c->question);
    text_print(stdout, "Sweep %s: %s", c->name, text_count(plan_points(p), text, sizeof text));
    printf(" point%s", text_plural(plan_points(p)));
    if (c->method == METHOD_RANDOM)
        printf(" (%s setting%s drawn, each with every head count of a list)",
               text_count((long)c->samples, text, sizeof text), text_plural(c->samples));
    long trials = f->counts.planned + f->counts.elsewhere;
    printf(", %s trial%s", text_count(trials, text, sizeof text), text_plural(trials));
    if (shard.of > 0)
        printf("; shard %d of %d has %s of them", shard.number, shard.of,
               text_count(f->counts.planned, text, sizeof text));
    putchar('\n');
    print_dropped(p);
    print_counts(x, f);
    print_design(x, p, f);
    print_files(p);
    if (*f->preview.refused.text)
        text_print(stdout, "`run` refuses this: %s.\n", f->preview.refused.text);
}

/* "Estimated from finished trials of the same configuration (4 points), ...": where the times of
 * what would run come from, the best first. */
static void print_sources(struct scope *x)
{
    static const char *const names[COST_SOURCES] = {
        [COST_RECORDED] = "finished trials of the same configuration",
        [COST_ALIKE] = "trials that are most like these",
        [COST_MEASURED] = "a short measurement on this machine",
        [COST_ASSUMED] = "an assumed speed",
    };
    const char *separator = "Estimated from ";
    struct rows *r = scope_rows(x,
                                "SELECT source, count(*) AS n, sum(count(*)) OVER () FROM outlook"
                                " JOIN trial USING (trial_id) JOIN takes USING (config_id)"
                                " WHERE runs AND NOT spare GROUP BY source ORDER BY source DESC",
                                NO_VALUES);
    for (; scope_next(x, r); separator = ", ") {
        printf("%s%s", separator, names[rows_integer(r, 0)]);
        if (rows_integer(r, 1) < rows_integer(r, 2))
            printf(" (%lld)", (long long)rows_integer(r, 1));
    }
    if (*separator == ',')
        printf(".\n");
}

/* Of so many judged trials, and so many of tuning. */
static double wall_s(const struct cores *c, double core_s, double judged, long tuning)
{
    return cores_wall_s(c, core_s, judged + (double)tuning);
}

/* "24 to 48 tuning trials would run, then 18 to 30 that are judged: about " */
static void print_trials(const struct forecast *f, long least, long most)
{
    long tuning = f->left.tuning + f->may_add;
    if (f->may_add > 0)
        printf("%ld to ", f->left.tuning);
    if (tuning > 0)
        printf("%ld tuning trial%s would run, then ", tuning, text_plural(tuning));
    if (most > least)
        printf("%ld to ", least);
    printf("%ld", most);
    if (tuning > 0)
        printf(" that %s judged: about ", most == 1 ? "is" : "are");
    else
        printf(" trial%s would run: about ", text_plural(most));
}

/* Where the range of an estimate comes from. */
static const char *words_of_range(const struct forecast *f, bool looks)
{
#define CONFIRMS "whether there is anything to confirm"
    static const char *const words[2][2][2] = {
        {{"", ", by " CONFIRMS},
         {", by the look that decides", ", by the look that decides and " CONFIRMS}},
        {{", by what tuning chooses", ", by what tuning chooses and " CONFIRMS},
         {", by what tuning chooses and the look that decides",
          ", by what tuning chooses, the look that decides and " CONFIRMS}}};
    return words[f->may_add + f->may_choose > 0][looks][f->may_confirm > 0];
}

static void print_estimate(struct scope *x, const struct plan *p, const struct forecast *f,
                           const struct forecast_view *v)
{
    char text[32];
    const struct config *config = plan_config(p);
    const struct cores cores =
        cores_granted(machine_cores(), v->workers ? v->workers : config->workers, config->threads);
    if (forecast_is_done(f)) {
        printf("\nNothing is left to run.\n");
        return;
    }
    const struct cost_left *left = &f->left;
    long at_once = cores.trials < f->to_run || f->to_run == 0 ? cores.trials : f->to_run;
    long least = lround(left->trials.least);
    long most = lround(left->trials.most);
    printf("\n");
    print_trials(f, least, most);
    if (most > least || f->may_add > 0)
        printf("%s to ",
               text_duration(wall_s(&cores, left->core_s.least, left->trials.least, left->tuning),
                             text, sizeof text));
    printf("%s with %ld at once",
           text_duration(
               wall_s(&cores, left->core_s.most, left->trials.most, left->tuning + f->may_add),
               text, sizeof text),
           at_once);
    if (cores.threads > 1)
        printf(" of %d threads", cores.threads);
    if (at_once * (cores.threads > 0 ? cores.threads : 1) > machine_cores())
        printf(" on %d core%s", machine_cores(), text_plural(machine_cores()));
    printf("%s.\n", words_of_range(f, config->looks > 0 && most - least > f->may_confirm));
    print_sources(x);
}

/* What `run` does behind the trials. */
static void print_tests(const struct config *c)
{
    for (int i = 0; i < c->evals; i++)
        printf("%s%s", i ? ", " : "Trials that have completed are then tested on ",
               c->eval[i].name);
    if (c->evals)
        printf(" (eval).\n");
}

/* Configurations that are tried, listed ones first. Whichever value tuning chooses, it may be this
 * one: spare trials count. */
#define POINTS                                                                                     \
    "SELECT heads, n_params, flops_per_step, sum(o.state <> 'not_needed') AS trials,"              \
    "  sum(o.state = 'completed') AS done, sum(runs) AS to_run,"                                   \
    "  sum(o.state IN ('diverged', 'failed')) AS failed, sum(spare) AS spare, trial_s,"            \
    "  setting_label, replicate, tuning, added, min(plan_order) AS place"                          \
    "  FROM outlook AS o JOIN trial USING (trial_id) JOIN config USING (config_id)"                \
    "  JOIN takes USING (config_id) WHERE confirms = 0 GROUP BY config_id"
static const char POINT_LINES[] =
    "SELECT heads, n_params, flops_per_step, trials, done, to_run, failed, trial_s, setting_label,"
    "  replicate, tuning FROM (" POINTS ") ORDER BY added > 0, place";
static const char HEAD_LINES[] =
    "SELECT heads, min(n_params), max(n_params), sum(trials - spare), sum(done),"
    "  sum(to_run - spare), sum(failed), avg(trial_s), sum(added = 0) FROM (" POINTS ")"
    " GROUP BY heads ORDER BY heads";
enum {
    POINT_HEADS,
    POINT_PARAMETERS,
    POINT_FLOPS,
    POINT_TRIALS,
    POINT_FAILED = POINT_TRIALS + 3,
    POINT_TRIAL_S,
    POINT_LABEL,
    POINT_REPLICATE,
    POINT_TUNING
};
enum { HEAD_MOST_PARAMETERS = 2, HEAD_POINTS = 8 };

static void counts_cells(struct table *t, const struct rows *r)
{
    char text[32];
    for (int i = POINT_TRIALS; i <= POINT_FAILED; i++)
        table_integer(t, rows_integer(r, i));
    table_text(t, text_duration(rows_real(r, POINT_TRIAL_S), text, sizeof text));
}

static struct table *table_of_points(struct scope *x, const struct plan *p)
{
    static const struct table_column columns[] = {
        {.title = "heads", .right = true},      {.title = "setting"},
        {.title = "parameters", .right = true}, {.title = "FLOP/step", .right = true},
        {.title = "trials", .right = true},     {.title = "done", .right = true},
        {.title = "to run", .right = true},     {.title = "failed", .right = true},
        {.title = "one trial", .right = true},  {0}};
    struct table *t = table_new(x, columns);
    bool tuned = most_candidates(p) > 1;
    char part[2 * PLAN_TEXT_MAX];
    char full[3 * PLAN_TEXT_MAX];
    char text[32];
    struct rows *r = scope_rows(x, POINT_LINES, NO_VALUES);
    while (scope_next(x, r)) {
        table_integer(t, rows_integer(r, POINT_HEADS));
        plan_full_label(rows_given(r, POINT_LABEL), rows_given(r, POINT_REPLICATE), part,
                        sizeof part);
        plan_full_label(part, tuned ? rows_given(r, POINT_TUNING) : "", full, sizeof full);
        table_text(t, full);
        table_text(t, text_count((long)rows_integer(r, POINT_PARAMETERS), text, sizeof text));
        table_text(t, text_quantity(rows_real(r, POINT_FLOPS), text, sizeof text));
        counts_cells(t, r);
    }
    return t;
}

static struct table *table_of_heads(struct scope *x)
{
    static const struct table_column columns[] = {
        {.title = "heads", .right = true},      {.title = "points", .right = true},
        {.title = "parameters", .right = true}, {.title = "to", .right = true},
        {.title = "trials", .right = true},     {.title = "done", .right = true},
        {.title = "to run", .right = true},     {.title = "failed", .right = true},
        {.title = "mean trial", .right = true}, {0}};
    struct table *t = table_new(x, columns);
    char text[32];
    struct rows *r = scope_rows(x, HEAD_LINES, NO_VALUES);
    while (scope_next(x, r)) {
        table_integer(t, rows_integer(r, POINT_HEADS));
        table_integer(t, rows_integer(r, HEAD_POINTS));
        for (int i = POINT_PARAMETERS; i <= HEAD_MOST_PARAMETERS; i++)
            table_text(t, text_count((long)rows_integer(r, i), text, sizeof text));
        counts_cells(t, r);
    }
    return t;
}

/* What the plan would do, and the time that it would take. */
static void write_text(struct scope *x, const struct plan *p, const struct forecast *f,
                       const struct forecast_view *v)
{
    bool grouped = plan_points(p) > POINTS_SHOWN && !v->all;
    print_summary(x, p, f);
    putchar('\n');
    table_write(grouped ? table_of_heads(x) : table_of_points(x, p), TABLE_TEXT, text_color(stdout),
                stdout);
    if (grouped)
        printf("--all shows a line per point, --json every trial.\n");
    print_estimate(x, p, f, v);
    print_tests(plan_config(p));
}

/* ---- the command ---- */

struct plan_options {
    const char *file, *db, *shard, *threads;
    struct command_texts set;
    struct forecast_view view;
    bool json;
};

static const struct command_option options[] = {
    {"workers", 'j', COMMAND_LONG, offsetof(struct plan_options, view.workers), "N",
     "trials at once, for the time estimate"},
    {"threads", 't', COMMAND_TEXT, offsetof(struct plan_options, threads), "N",
     "cores for each trial, as `run --threads`, for the time estimate"},
    COMMAND_DB_OPTION(struct plan_options),
    COMMAND_SET_OPTION(struct plan_options),
    {"shard", 0, COMMAND_TEXT, offsetof(struct plan_options, shard), "K/N",
     "plan as `run --shard` would run: only the K-th of N parts of the trials"},
    {"retry-failed", 0, COMMAND_FLAG, offsetof(struct plan_options, view.retry_failed), NULL,
     "plan as `run --retry-failed` would run"},
    {"all", 0, COMMAND_FLAG, offsetof(struct plan_options, view.all), NULL,
     "one line per point, however many there are"},
    {"json", 0, COMMAND_FLAG, offsetof(struct plan_options, json), NULL, "every trial, as JSON"},
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "plan",
    .details =
        "Writes and creates nothing. Times come from finished trials of the same configuration,\n"
        "else from FLOPs at the speed of the trials that are most like it, half-done ones too,\n"
        "else at a speed that is measured now, in a fraction of a second.\n",
    .options = options,
    .examples = "  headcount plan configs/gather.yaml\n"
                "  headcount plan configs/gather.yaml --set seeds=20 --json\n"
                "  headcount plan configs/gather.yaml --shard 2/8\n",
    .least = 1,
    .most = 1,
};

/* ---- as JSON ---- */

static const char TRIAL_ROWS[] =
    "SELECT plan_order, added, confirms, heads, seed, setting, replicate, tuning, is_tuning, look,"
    "  config_sha256, n_params, flops_per_step, trial_s, iif(trial_id > ?1, 0, trial_id), o.state,"
    "  runs, why FROM outlook AS o JOIN trial USING (trial_id) JOIN config USING (config_id)"
    "  JOIN takes USING (config_id) ORDER BY confirms, added > 0, plan_order, trial_id";

/* Trials of added values and on fresh seeds are of no point of the plan. */
static void write_trial(struct json_writer *w, const struct plan *p, struct rows *r)
{
    enum {
        PLAN_ORDER,
        ADDED,
        FRESH,
        HEADS,
        SEED,
        SETTING,
        REPLICATE,
        TUNING,
        IS_TUNING,
        LOOK,
        SHA256,
        N_PARAMS,
        FLOPS,
        ESTIMATED_S,
        TRIAL_ID,
        STATE,
        RUNS,
        WHY
    };
    json_new_line(w, 2);
    json_begin_object(w, NULL);
    if (rows_integer(r, ADDED) || rows_integer(r, FRESH))
        json_add_null(w, "point");
    else
        json_add_integer(w, "point", plan_trial(p, (long)rows_integer(r, PLAN_ORDER)).point);
    if (rows_integer(r, ADDED))
        json_add_integer(w, "added", rows_integer(r, ADDED));
    if (rows_integer(r, FRESH))
        json_add_bool(w, "confirms", true);
    json_add_integer(w, "heads", rows_integer(r, HEADS));
    json_add_integer(w, "seed", rows_integer(r, SEED));
    json_add_json(w, "setting", rows_given(r, SETTING));
    json_add_json(w, "replicate", rows_given(r, REPLICATE));
    json_add_json(w, "tuning", rows_given(r, TUNING));
    json_add_bool(w, "is_tuning", rows_integer(r, IS_TUNING) != 0);
    json_add_integer(w, "look", rows_integer(r, LOOK));
    json_add_text(w, "config_sha256", rows_given(r, SHA256));
    json_add_integer(w, "n_params", rows_integer(r, N_PARAMS));
    json_add_real(w, "flops_per_step", rows_real(r, FLOPS));
    json_add_real(w, "estimated_s", rows_real(r, ESTIMATED_S));
    json_add_nonzero(w, "trial_id", rows_integer(r, TRIAL_ID));
    json_add_text(w, "state", rows_given(r, STATE));
    json_add_bool(w, "would_run", rows_integer(r, RUNS) != 0);
    json_add_text(w, "why", rows_given(r, WHY));
    json_end_object(w);
}

/* A value that tune.extend is to add. */
static void write_to_add(struct json_writer *w, struct rows *r)
{
    json_begin_object(w, NULL);
    json_add_integer(w, "heads", rows_integer(r, ADD_HEADS));
    json_add_json(w, "setting", rows_given(r, ADD_SETTING));
    json_add_json(w, "tuning", rows_given(r, ADD_TUNING));
    json_add_integer(w, "trials", rows_integer(r, ADD_TRIALS));
    json_end_object(w);
}

static void write_json(struct scope *x, const struct plan *p, const struct forecast *f)
{
    struct json_writer w = {.out = stdout, .spaced = true};
    long by_constraint;
    long by_exclude;
    long by_duplicate;
    plan_dropped(p, &by_constraint, &by_exclude, &by_duplicate);
    struct plan_shard shard = plan_shard(p);
    json_begin_object(&w, NULL);
    json_add_text(&w, "sweep", plan_config(p)->name);
    if (shard.of > 0) {
        json_begin_object(&w, "shard");
        json_add_integer(&w, "number", shard.number);
        json_add_integer(&w, "of", shard.of);
        json_end_object(&w);
    }
    json_add_integer(&w, "points", plan_points(p));
    json_add_integer(&w, "planned", f->counts.planned);
    json_add_integer(&w, "would_run", f->to_run);
    json_add_integer(&w, "not_needed", f->counts.trials[TRIAL_NOT_NEEDED]);
    json_add_integer(&w, "elsewhere", f->counts.elsewhere);
    json_add_integer(&w, "leaving", f->leaving);
    json_add_nonzero(&w, "will_add", f->will_add);
    json_add_nonzero(&w, "may_add", f->will_add + f->may_add);
    json_add_nonzero(&w, "may_confirm", f->may_confirm);
    json_add_nonzero(&w, "may_choose_anew", f->may_choose);
    json_begin_list(&w, "to_add");
    struct rows *r = scope_rows(x, TO_ADD, NO_VALUES);
    while (scope_next(x, r))
        write_to_add(&w, r);
    json_end_list(&w);
    json_begin_object(&w, "dropped");
    json_add_integer(&w, "constraint", by_constraint);
    json_add_integer(&w, "exclude", by_exclude);
    json_add_integer(&w, "duplicate", by_duplicate);
    json_end_object(&w);
    json_add_real(&w, "core_s", f->left.core_s.expected);
    json_add_real(&w, "least_core_s", f->left.core_s.least);
    json_add_real(&w, "most_core_s", f->left.core_s.most);
    json_new_line(&w, 1);
    json_begin_list(&w, "trials");
    r = scope_rows(x, TRIAL_ROWS, VALUES(INTEGER(f->preview.known)));
    while (scope_next(x, r))
        write_trial(&w, p, r);
    printf("\n]}\n");
}

static void plan(struct scope *x, void *context)
{
    const struct plan_options *o = context;
    struct plan_shard shard = {0};
    if (o->shard)
        scope_check(x, plan_shard_read(o->shard, &shard, x->message));
    struct config *config = command_read_sweep(x, o->file, NULL, &o->set);
    command_threads(x, o->threads, config);
    struct plan *p = command_plan_new(x, "plan", config, o->db);
    scope_check(x, plan_set_shard(p, shard, x->message));
    command_plan_notes("plan", p);
    const struct forecast *f = command_forecast(x, p, o->db, o->view.retry_failed);
    x->store = f->preview.store;
    if (o->json)
        write_json(x, p, f);
    else
        write_text(x, p, f, &o->view);
}

int command_plan(int argc, char **argv)
{
    struct plan_options o = {.db = COMMAND_DB};
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    o.file = argv[optind];
    return command_act_on("plan", COMMAND_NO_STORE, NULL, plan, &o);
}
