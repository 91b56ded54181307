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
enum { POINTS_SHOWN = 60, DUE_SHOWN = 12 };

/* Those that can still run or have ended. */
static long point_trials(const struct forecast_point *q)
{
    long n = -q->spare;
    for (int i = 0; i < FORECAST_STATES; i++)
        n += i == FORECAST_NOT_NEEDED ? 0 : q->count[i];
    return n;
}

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

static void print_counts(const struct forecast *f, bool retry_failed)
{
    char text[32];
    for (int i = 0; i < FORECAST_STATES; i++) {
        for (int k = 0; k < FORECAST_NOTES; k++) {
            enum forecast_state state = (enum forecast_state)i;
            if (f->noted[i][k] > 0)
                printf("  %-10s %9s  %s\n",
                       state == FORECAST_NOT_NEEDED ? "not needed" : forecast_name(state),
                       text_count(f->noted[i][k], text, sizeof text),
                       forecast_reason(state, (enum forecast_note)k, retry_failed));
        }
    }
    if (f->leaving > 0)
        printf("  %-10s %9s  no longer in this plan; results stay in the file\n", "leaving",
               text_count(f->leaving, text, sizeof text));
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

/* "the best 2 and 1 go on from steps 150 and 450", up to the rung that leaves one, and how many of
 * the steps without rungs that is. */
static void print_rungs(const struct plan *p, const struct forecast *f)
{
    int64_t step[PLAN_RUNGS_MAX];
    int64_t best[PLAN_RUNGS_MAX] = {0};
    char some[32];
    char all[32];
    const int64_t eta = plan_config(p)->rung_eta;
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
    printf(": %s of %s tuning steps.\n",
           text_count(lround(f->tuning_steps_left), some, sizeof some),
           text_count(lround(f->tuning_steps), all, sizeof all));
}

/* What the run will say of them, when it has planned. */
static void print_due(const struct plan *p, const struct forecast *f)
{
    struct plan_text name;
    char full[2 * PLAN_TEXT_MAX];
    for (long i = 0; i < f->due_count && i < DUE_SHOWN; i++) {
        const struct forecast_due *due = &f->due[i];
        plan_text(p, due->point, &name);
        plan_full_label(name.label, due->tuning, full, sizeof full);
        printf("heads=%lld: its outermost value was chosen, so %s %s\n",
               (long long)f->point[due->point].heads, full,
               due->trials ? "will be added" : "comes back");
    }
    if (f->due_count > DUE_SHOWN)
        printf("... and %ld more; --json has all.\n", f->due_count - DUE_SHOWN);
}

/* "... up to 4 of them to either side: 2 so far." */
static void print_extend(const struct plan *p, const struct forecast *f)
{
    const struct config *c = plan_config(p);
    long values = 0;
    for (long i = 0; i < f->added_count; i++)
        values += f->added[i].is_tuning && f->added[i].seed == CONFIG_TUNING_SEED;
    printf("A head count that chooses the smallest or largest number of a list tries the next one\n"
           "beyond, up to %lld of them to either side",
           (long long)c->extend);
    if (values > 0)
        printf(": %s so far, with %s", text_counted(values, "point").text,
               text_counted(f->added_count, "trial").text);
    printf(".\n");
    print_due(p, f);
}

/* What decides how many of the trials run, and over what they are compared. */
static void print_design(const struct plan *p, const struct forecast *f)
{
    const struct config *c = plan_config(p);
    if (f->candidates > 1)
        printf("Each head count tries %ld tuned values; only the one it chooses is judged.\n",
               f->candidates);
    if (c->rung_eta)
        print_rungs(p, f);
    if (c->extend)
        print_extend(p, f);
    if (f->reopened > 0)
        printf(
            "%ld head count%s may choose again, because the values to choose from have changed.\n",
            f->reopened, text_plural(f->reopened));
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

static void print_summary(const struct plan *p, const struct forecast *f,
                          const struct forecast_view *v)
{
    const struct config *c = plan_config(p);
    struct plan_shard shard = plan_shard(p);
    char text[32];
    if (c->question[0])
        text_print(stdout, "%s\n", c->question);
    text_print(stdout, "Sweep %s: %s", c->name, text_count(f->points, text, sizeof text));
    printf(" point%s", text_plural(f->points));
    if (c->method == METHOD_RANDOM)
        printf(" (%s setting%s drawn, each with every head count of a list)",
               text_count((long)c->samples, text, sizeof text), text_plural(c->samples));
    long trials = f->planned + f->elsewhere;
    printf(", %s trial%s", text_count(trials, text, sizeof text), text_plural(trials));
    if (shard.of > 0)
        printf("; shard %d of %d has %s of them", shard.number, shard.of,
               text_count(f->planned, text, sizeof text));
    putchar('\n');
    print_dropped(p);
    print_counts(f, v->retry_failed);
    print_design(p, f);
    print_files(p);
    if (f->other_plan && !*f->changed.text)
        printf(
            "The results file has a sweep of this name that shares no point with this file: `run`\n"
            "refuses this without --replace.\n");
    if (f->other_metric > 0) {
        printf(
            "The results file has trials of this sweep that ran with another metric, which chose\n"
            "their best steps: `run` refuses this. Give the sweep another name.\n");
    }
    if (*f->changed.text)
        text_print(stdout, "`run` refuses this: %s.\n", f->changed.text);
}

/* "Estimated from finished trials of the same configuration (4 points), ...": where the times of
 * what would run come from, the best first. */
static void print_sources(const struct forecast *f, bool retry_failed)
{
    static const char *const names[COST_SOURCES] = {
        [COST_RECORDED] = "finished trials of the same configuration",
        [COST_ALIKE] = "trials that are most like these",
        [COST_MEASURED] = "a short measurement on this machine",
        [COST_ASSUMED] = "an assumed speed",
    };
    long count[COST_SOURCES] = {0}, n = f->to_run + f->will_add;
    const char *separator = "Estimated from ";
    for (long i = 0; i < f->points; i++)
        count[f->point[i].source] += forecast_to_run(&f->point[i], retry_failed);
    for (long i = 0; i < f->due_count; i++)
        count[f->point[f->due[i].point].source] += f->due[i].trials;
    for (long k = 0; k < f->confirming_count; k++)
        if (forecast_runs(f->confirming[k].state, retry_failed))
            count[f->point[f->confirming[k].point].source]++;
    if (n == 0)
        return;
    for (int i = COST_SOURCES - 1; i >= 0; i--) {
        if (count[i] == 0)
            continue;
        printf("%s%s", separator, names[i]);
        if (count[i] < n)
            printf(" (%ld)", count[i]);
        separator = ", ";
    }
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
    long tuning = f->tuning_left + f->may_add;
    if (f->may_add > f->will_add)
        printf("%ld to ", f->tuning_left + f->will_add);
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
    return words[f->may_add + f->reopened > 0][looks][f->may_confirm > 0];
}

static void print_estimate(const struct plan *p, const struct forecast *f,
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
    long certain = f->to_run + f->will_add;
    long at_once = cores.trials < certain || certain == 0 ? cores.trials : certain;
    long least = lround(f->trials_left.least);
    long most = lround(f->trials_left.most);
    printf("\n");
    print_trials(f, least, most);
    if (most > least || f->may_add > 0)
        printf("%s to ", text_duration(wall_s(&cores, f->left_s.least, f->trials_left.least,
                                              f->tuning_left + f->will_add),
                                       text, sizeof text));
    printf("%s with %ld at once",
           text_duration(
               wall_s(&cores, f->left_s.most, f->trials_left.most, f->tuning_left + f->may_add),
               text, sizeof text),
           at_once);
    if (cores.threads > 1)
        printf(" of %d threads", cores.threads);
    if (at_once * (cores.threads > 0 ? cores.threads : 1) > machine_cores())
        printf(" on %d core%s", machine_cores(), text_plural(machine_cores()));
    printf("%s.\n", words_of_range(f, config->looks > 0 && most - least > f->may_confirm));
    print_sources(f, v->retry_failed);
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

/* What a line of the table says of trials. */
struct line_counts {
    long trials, done, to_run, failed;
};

static void add_point(struct line_counts *n, const struct forecast_point *q, bool retry_failed)
{
    n->trials += point_trials(q);
    n->done += q->count[FORECAST_COMPLETED];
    n->to_run += forecast_to_run(q, retry_failed);
    n->failed += q->count[FORECAST_DIVERGED] + q->count[FORECAST_FAILED];
}

static void counts_cells(struct table *t, const struct line_counts *n)
{
    table_integer(t, n->trials);
    table_integer(t, n->done);
    table_integer(t, n->to_run);
    table_integer(t, n->failed);
}

static void add_added(struct line_counts *n, const struct forecast_added *t, bool retry_failed)
{
    n->trials += t->state != FORECAST_NOT_NEEDED;
    n->done += t->state == FORECAST_COMPLETED;
    n->to_run += forecast_runs(t->state, retry_failed);
    n->failed += t->state == FORECAST_DIVERGED || t->state == FORECAST_FAILED;
}

static bool same_value(const struct forecast_added *a, const struct forecast_added *b)
{
    return a->point == b->point && strcmp(a->tuning, b->tuning) == 0;
}

/* A line for each value that tune.extend has added to a head count; its trials stand side by side.
 */
static void add_values(struct table *t, const struct plan *p, const struct forecast *f,
                       bool retry_failed)
{
    struct plan_text name;
    char full[2 * PLAN_TEXT_MAX];
    char text[32];
    for (long i = 0, next; i < f->added_count; i = next) {
        const struct forecast_added *first = &f->added[i];
        const struct forecast_point *q = &f->point[first->point];
        struct line_counts n = {0};
        for (next = i; next < f->added_count && same_value(first, &f->added[next]); next++)
            add_added(&n, &f->added[next], retry_failed);
        plan_text(p, first->point, &name);
        plan_full_label(name.label, first->tuning, full, sizeof full);
        table_integer(t, q->heads);
        table_text(t, full);
        table_text(t, text_count(q->n_params, text, sizeof text));
        table_text(t, text_quantity(q->flops_per_step, text, sizeof text));
        counts_cells(t, &n);
        table_text(t, text_duration(q->trial_s, text, sizeof text));
    }
}

static struct table *table_of_points(struct scope *x, const struct plan *p,
                                     const struct forecast *f, bool retry_failed)
{
    static const struct table_column columns[] = {
        {.title = "heads", .right = true},      {.title = "setting"},
        {.title = "parameters", .right = true}, {.title = "FLOP/step", .right = true},
        {.title = "trials", .right = true},     {.title = "done", .right = true},
        {.title = "to run", .right = true},     {.title = "failed", .right = true},
        {.title = "one trial", .right = true},  {0}};
    struct table *t = table_new(x, columns);
    struct plan_text name;
    char part[2 * PLAN_TEXT_MAX];
    char full[3 * PLAN_TEXT_MAX];
    char text[32];
    for (long i = 0; i < f->points; i++) {
        const struct forecast_point *q = &f->point[i];
        plan_text(p, i, &name);
        table_integer(t, q->heads);
        plan_full_label(name.label, name.replicate, part, sizeof part);
        plan_full_label(part, f->candidates > 1 ? name.tuning : "", full, sizeof full);
        table_text(t, full);
        table_text(t, text_count(q->n_params, text, sizeof text));
        table_text(t, text_quantity(q->flops_per_step, text, sizeof text));
        struct line_counts n = {.trials = q->spare,
                                .to_run = q->spare}; /* it may be the chosen one */
        add_point(&n, q, retry_failed);
        counts_cells(t, &n);
        table_text(t, text_duration(q->trial_s, text, sizeof text));
    }
    add_values(t, p, f, retry_failed);
    return t;
}

/* All points of one head count together. */
struct head_sum {
    int64_t heads, least_params, most_params;
    long points;
    struct line_counts counts;
    double one_trial_s; /* sum over points */
};

static int compare_heads(const void *a, const void *b)
{
    const struct head_sum *x = a;
    const struct head_sum *y = b;
    return (x->heads > y->heads) - (x->heads < y->heads);
}

static long sum_heads(const struct forecast *f, bool retry_failed, struct head_sum *sum)
{
    long n = 0;
    for (long i = 0; i < f->points; i++) {
        const struct forecast_point *q = &f->point[i];
        long k = 0;
        while (k < n && sum[k].heads != q->heads)
            k++;
        struct head_sum *h = &sum[k];
        if (k == n) {
            *h = (struct head_sum){
                .heads = q->heads, .least_params = q->n_params, .most_params = q->n_params};
            n++;
        }
        h->least_params = q->n_params < h->least_params ? q->n_params : h->least_params;
        h->most_params = q->n_params > h->most_params ? q->n_params : h->most_params;
        h->points++;
        add_point(&h->counts, q, retry_failed);
        h->one_trial_s += q->trial_s;
    }
    for (long i = 0; i < f->added_count; i++)
        for (long k = 0; k < n && !f->added[i].spare; k++)
            if (sum[k].heads == f->point[f->added[i].point].heads)
                add_added(&sum[k].counts, &f->added[i], retry_failed);
    qsort(sum, (size_t)n, sizeof *sum, compare_heads);
    return n;
}

static struct table *table_of_heads(struct scope *x, const struct forecast *f, bool retry_failed)
{
    static const struct table_column columns[] = {
        {.title = "heads", .right = true},      {.title = "points", .right = true},
        {.title = "parameters", .right = true}, {.title = "to", .right = true},
        {.title = "trials", .right = true},     {.title = "done", .right = true},
        {.title = "to run", .right = true},     {.title = "failed", .right = true},
        {.title = "mean trial", .right = true}, {0}};
    struct head_sum *sum = arena_alloc(&x->arena, (size_t)f->points, sizeof *sum);
    struct table *t = table_new(x, columns);
    long n = sum_heads(f, retry_failed, sum);
    char text[32];
    for (long i = 0; i < n; i++) {
        const struct head_sum *h = &sum[i];
        table_integer(t, h->heads);
        table_integer(t, h->points);
        table_text(t, text_count(h->least_params, text, sizeof text));
        table_text(t, text_count(h->most_params, text, sizeof text));
        counts_cells(t, &h->counts);
        table_text(t, text_duration(h->one_trial_s / (double)h->points, text, sizeof text));
    }
    return t;
}

/* What the plan would do, and the time that it would take. */
static void write_text(struct scope *x, const struct plan *p, const struct forecast *f,
                       const struct forecast_view *v)
{
    bool grouped = f->points > POINTS_SHOWN && !v->all;
    print_summary(p, f, v);
    putchar('\n');
    table_write(grouped ? table_of_heads(x, f, v->retry_failed)
                        : table_of_points(x, p, f, v->retry_failed),
                TABLE_TEXT, text_color(stdout), stdout);
    if (grouped)
        printf("--all shows a line per point, --json every trial.\n");
    print_estimate(p, f, v);
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

/* What all have, and what a trial of that state would come to. */
static void write_trial_begin(struct json_writer *w, int64_t heads, int64_t seed,
                              const char *setting)
{
    json_add_integer(w, "heads", heads);
    json_add_integer(w, "seed", seed);
    json_add_json(w, "setting", setting);
}

static void write_trial_end(struct json_writer *w, int64_t trial_id, enum forecast_state state,
                            bool would_run, const char *why)
{
    json_add_nonzero(w, "trial_id", trial_id);
    json_add_text(w, "state", forecast_name(state));
    json_add_bool(w, "would_run", would_run);
    json_add_text(w, "why", why);
    json_end_object(w);
}

static void write_trial(struct json_writer *w, const struct plan *p, const struct forecast *f,
                        long k, bool retry_failed)
{
    struct plan_trial t = plan_trial(p, k);
    const struct forecast_point *q = &f->point[t.point];
    enum forecast_state state = f->trial[k].state;
    struct plan_text name;
    plan_text(p, t.point, &name);
    json_new_line(w, 2);
    json_begin_object(w, NULL);
    json_add_integer(w, "point", t.point);
    write_trial_begin(w, q->heads, t.seed, name.setting);
    json_add_json(w, "replicate", name.replicate);
    json_add_json(w, "tuning", name.tuning);
    json_add_bool(w, "is_tuning", t.tuning);
    json_add_integer(w, "look", t.look);
    json_add_text(w, "config_sha256", q->sha256);
    json_add_integer(w, "n_params", q->n_params);
    json_add_real(w, "flops_per_step", q->flops_per_step);
    json_add_real(w, "estimated_s", q->trial_s);
    write_trial_end(w, f->trial[k].trial_id, state, forecast_runs(state, retry_failed),
                    forecast_reason(state, f->trial[k].note, retry_failed));
}

/* One of a value that tune.extend has added: it is of no point of the plan. */
static void write_added(struct json_writer *w, const struct plan *p, const struct forecast *f,
                        const struct forecast_added *t, bool retry_failed)
{
    struct plan_text name;
    plan_text(p, t->point, &name);
    json_new_line(w, 2);
    json_begin_object(w, NULL);
    json_add_null(w, "point");
    json_add_integer(w, "added", t->steps);
    write_trial_begin(w, f->point[t->point].heads, t->seed, name.setting);
    json_add_json(w, "tuning", t->tuning);
    json_add_bool(w, "is_tuning", t->is_tuning);
    json_add_text(w, "config_sha256", t->sha256);
    write_trial_end(w, t->trial_id, t->state, !t->spare && forecast_runs(t->state, retry_failed),
                    forecast_reason(t->state, t->note, retry_failed));
}

/* A value that tune.extend is to add. */
static void write_due(struct json_writer *w, const struct plan *p, const struct forecast *f,
                      const struct forecast_due *due)
{
    struct plan_text name;
    plan_text(p, due->point, &name);
    json_begin_object(w, NULL);
    json_add_integer(w, "heads", f->point[due->point].heads);
    json_add_json(w, "setting", name.setting);
    json_add_json(w, "tuning", due->tuning);
    json_add_integer(w, "trials", due->trials);
    json_end_object(w);
}

/* One on a fresh seed: it is of no point of the plan. */
static void write_confirming(struct json_writer *w, const struct plan *p, const struct forecast *f,
                             const struct forecast_confirming *t, bool retry_failed)
{
    struct plan_text name;
    plan_text(p, t->point, &name);
    json_new_line(w, 2);
    json_begin_object(w, NULL);
    json_add_null(w, "point");
    json_add_bool(w, "confirms", true);
    write_trial_begin(w, f->point[t->point].heads, t->seed, name.setting);
    json_add_text(w, "config_sha256", t->sha256);
    write_trial_end(w, t->trial_id, t->state, forecast_runs(t->state, retry_failed),
                    forecast_reason(t->state, t->note, retry_failed));
}

static void write_json(const struct plan *p, const struct forecast *f, bool retry_failed)
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
    json_add_integer(&w, "points", f->points);
    json_add_integer(&w, "planned", f->planned);
    json_add_integer(&w, "would_run", f->to_run);
    json_add_integer(&w, "not_needed", f->not_needed);
    json_add_integer(&w, "elsewhere", f->elsewhere);
    json_add_integer(&w, "leaving", f->leaving);
    json_add_nonzero(&w, "will_add", f->will_add);
    json_add_nonzero(&w, "may_add", f->may_add);
    json_add_nonzero(&w, "may_confirm", f->may_confirm);
    json_add_nonzero(&w, "may_choose_anew", f->reopened);
    json_begin_list(&w, "to_add");
    for (long i = 0; i < f->due_count; i++)
        write_due(&w, p, f, &f->due[i]);
    json_end_list(&w);
    json_begin_object(&w, "dropped");
    json_add_integer(&w, "constraint", by_constraint);
    json_add_integer(&w, "exclude", by_exclude);
    json_add_integer(&w, "duplicate", by_duplicate);
    json_end_object(&w);
    json_add_real(&w, "core_s", f->left_s.expected);
    json_add_real(&w, "least_core_s", f->left_s.least);
    json_add_real(&w, "most_core_s", f->left_s.most);
    json_new_line(&w, 1);
    json_begin_list(&w, "trials");
    for (long k = 0; k < f->trials; k++)
        write_trial(&w, p, f, k, retry_failed);
    for (long k = 0; k < f->added_count; k++)
        write_added(&w, p, f, &f->added[k], retry_failed);
    for (long k = 0; k < f->confirming_count; k++)
        write_confirming(&w, p, f, &f->confirming[k], retry_failed);
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
    if (o->json)
        write_json(p, f, o->view.retry_failed);
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
