#include "sweep/report/report_ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/report/document.h"
#include "sweep/report/trained.h"
#include "sweep/study/ensemble.h"

/* ---- reading ---- */

/* The ensembles of one setting. */
struct block {
    const char *setting, *label;
    char *task;
    struct sample member, test, loss;   /* over units; member: the mean of its members; test:
                                           what is judged by; loss: beside accuracies */
    double n_params, flops_per_example; /* of all members together; flops: forward */
    int count;                          /* groups */
    struct text_buffer groups;          /* JSON: [[1,2],[3,4]] */
};

enum rival { RIVAL_PARAMS, RIVAL_FLOPS, RIVALS };

struct ensembles {
    struct scope *scope;
    const struct ensemble_question *question;
    char *name, *about; /* of the sweep; about: its question */
    struct ensemble_groups groups;
    struct trained_list trained;
    int answered; /* groups */
    int blocks;
    struct block *block;
};

static struct block *block_of(struct ensembles *e, const struct study_trial *t, const char *task)
{
    struct block *last = e->blocks ? &e->block[e->blocks - 1] : NULL;
    if (last && strcmp(last->setting, t->setting) == 0)
        return last;
    struct arena *a = &e->scope->arena;
    e->block = arena_grow(a, e->block, (size_t)e->blocks, sizeof *e->block);
    e->block[e->blocks] = (struct block){.setting = t->setting,
                                         .label = t->label,
                                         .task = arena_string(a, task),
                                         .groups = scope_text(e->scope)};
    return &e->block[e->blocks++];
}

/* A group, from its row. Units are negative where they are groups: never paired with seeds. */
static void add_group(struct ensembles *e, struct rows *r)
{
    enum { GROUP, UNIT, MEMBER, TEST, LOSS, PARAMS, FLOPS, TASK };
    int i = (int)rows_integer(r, GROUP);
    const struct study_trial *group = ensemble_group(&e->groups, i);
    int64_t unit = e->trained.metric.replicated ? rows_integer(r, UNIT) : i - e->groups.count;
    struct block *b = block_of(e, group, rows_given(r, TASK));
    bool known = b->test.n && b->test.unit[b->test.n - 1] == unit;
    if (!known) {
        sample_add(e->scope, &b->member, unit, rows_real(r, MEMBER));
        sample_add(e->scope, &b->test, unit, rows_real(r, TEST));
        sample_add(e->scope, &b->loss, unit, rows_real(r, LOSS));
    }
    b->n_params = rows_real(r, PARAMS);
    b->flops_per_example = rows_real(r, FLOPS);
    text_add(&b->groups, b->count++ ? "," : "[");
    ensemble_add_trials(&(struct json_writer){.text = &b->groups}, NULL, group, e->groups.members);
    e->answered++;
}

/* The groups of JSON list `groups` that have answered; numbers are means over those of a unit. */
static void read_answers(struct ensembles *e, const char *groups)
{
    struct rows *r = scope_rows(
        e->scope,
        TRAINED_JUDGED
        "SELECT g.key, unit, avg(iif(?5, (SELECT avg(o.test_loss) FROM trial AS o"
        "           WHERE o.trial_id IN (SELECT value FROM json_each(g.value))),"
        "           e.mean_member_acc)) OVER same,"
        "       avg(iif(?5, e.test_loss, e.test_acc)) OVER same, avg(e.test_loss) OVER same,"
        "       e.n_params, e.flops_per_example, task"
        "  FROM json_each(?2) AS g JOIN ensemble AS e ON e.trials = g.value"
        "  JOIN judged AS j ON j.trial_id = g.value ->> 0 AND j.setting = e.setting"
        " WHERE e.sweep_id = ?1 AND e.heads = ?3 AND e.members = ?4"
        " WINDOW same AS (PARTITION BY j.setting, unit)"
        " ORDER BY place, j.setting_label COLLATE setting_values, j.setting, unit, g.key",
        VALUES(INTEGER(e->question->sweep_id), TEXT(groups), INTEGER(e->question->heads),
               INTEGER(e->groups.members), INTEGER(e->trained.metric.loss)));
    while (scope_next(e->scope, r))
        add_group(e, r);
}

static void read_groups(struct ensembles *e)
{
    struct scope *x = e->scope;
    struct text_buffer groups = scope_text(x);
    struct json_writer w = {.text = &groups};
    json_begin_list(&w, NULL);
    for (int i = 0; i < e->groups.count; i++)
        ensemble_add_trials(&w, NULL, ensemble_group(&e->groups, i), e->groups.members);
    json_end_list(&w);
    read_answers(e, groups.text);
    for (int i = 0; i < e->blocks; i++) {
        struct block *b = &e->block[i];
        text_add(&b->groups, "]");
        trained_finish(x, &b->member, &e->trained.metric);
        trained_finish(x, &b->test, &e->trained.metric);
        sample_finish(x, &b->loss, STATS_LOSS);
    }
}

static void read_name(struct ensembles *e)
{
    struct rows *r = scope_rows(e->scope, "SELECT name, question FROM sweep WHERE sweep_id = ?1",
                                VALUES(INTEGER(e->question->sweep_id)));
    while (scope_next(e->scope, r)) {
        e->name = scope_given(e->scope, r, 0);
        e->about = scope_given(e->scope, r, 1);
    }
}

static void free_groups(void *groups)
{
    ensemble_groups_free(groups);
}

static struct ensembles *ensembles_read(struct scope *x, const struct ensemble_question *q)
{
    struct ensembles *e = arena_alloc(&x->arena, 1, sizeof *e);
    e->scope = x;
    e->question = q;
    arena_on_free(&x->arena, free_groups, &e->groups);
    scope_read_begin(x);
    scope_check(
        x, ensemble_groups(x->store, q->sweep_id, q->heads, q->members, &e->groups, x->message));
    read_name(e);
    e->trained = trained_read(x, q->sweep_id);
    read_groups(e);
    scope_read_end(x);
    return e;
}

/* How many times as much all members take as one model. */
static double ratio(const struct block *b, const struct trained *t, enum rival by)
{
    return by == RIVAL_PARAMS ? b->n_params / t->n_params
                              : b->flops_per_example / t->flops_per_example;
}

/* How far a model is from what all members together are: of those with equal costs, the one with as
 * many heads as all members is nearest. */
static bool is_nearer(const struct ensembles *e, const struct block *b, const struct trained *t,
                      const struct trained *than, enum rival by)
{
    double cost = fabs(log(ratio(b, t, by))), others = fabs(log(ratio(b, than, by)));
    long heads = e->question->heads * e->question->members;
    if (fabs(cost - others) > 1e-9)
        return cost < others;
    return labs(t->heads - heads) < labs(than->heads - heads);
}

/* The models with more heads that come nearest; NULL where no other head count has been trained. */
static const struct trained *rival_of(const struct ensembles *e, const struct block *b,
                                      enum rival by)
{
    const struct trained *best = NULL;
    for (int i = 0; i < e->trained.count; i++) {
        const struct trained *t = &e->trained.item[i];
        if (t->heads > e->question->heads && strcmp(t->task, b->task) == 0 &&
            (!best || is_nearer(e, b, t, best, by)))
            best = t;
    }
    return best;
}

/* ---- for people ---- */

static void write_facts(const struct ensembles *e, struct document *d)
{
    struct text_buffer text = scope_text(e->scope);
    int members = e->groups.members;
    text_add(&text,
             "%d trials with %ld head%s each answer together, by the mean of their softmax "
             "outputs: ",
             members, e->groups.heads, text_plural(e->groups.heads));
    for (int i = 0; i < e->blocks; i++) {
        const struct block *b = &e->block[i];
        text_add(&text, "%s%d group%s%s%s", i ? ", " : "", b->count, text_plural(b->count),
                 b->label[0] ? " of " : "", b->label);
    }
    text_add(&text, ".");
    if (e->groups.too_few.used)
        text_add(&text, " Too few trials for a group: %s.", e->groups.too_few.text);
    int missing = e->groups.count - e->answered;
    if (missing)
        text_add(&text, " %d group%s not answered.", missing, missing == 1 ? " has" : "s have");
    document_text(d, DOCUMENT_PARAGRAPH, &text);
}

/* Whether anything but heads and seeds varies. */
static bool has_settings(const struct ensembles *e)
{
    bool labels = false;
    for (int i = 0; i < e->trained.count; i++)
        labels = labels || e->trained.item[i].label[0];
    return labels;
}

/* The ensembles of a setting and the model that comes nearest in one cost. */
struct row {
    struct block block;
    long heads;
    int members;
    const char *by;
    struct trained model;             /* heads 0: there is none */
    double params_ratio, flops_ratio; /* the ensembles' number over the model's */
    struct compare_result diff;
};

static struct row row_of(const struct ensembles *e, const struct block *b, enum rival by)
{
    static const struct trained none = {.setting = "null"};
    const struct trained *r = rival_of(e, b, by);
    struct row row = {.block = *b, .heads = e->groups.heads, .members = e->groups.members};
    row.by = by == RIVAL_PARAMS ? "params" : "flops";
    row.model = r ? *r : none;
    row.model.test = r ? r->test : NO_SAMPLE;
    row.params_ratio = r ? ratio(b, r, RIVAL_PARAMS) : NAN;
    row.flops_ratio = r ? ratio(b, r, RIVAL_FLOPS) : NAN;
    row.diff = sample_difference(&row.model.test, &b->test, true);
    return row;
}

#define ROW(member)            TABLE_CELL(struct row, member)
#define MAKE(member, function) TABLE_MAKE(struct row, member, function)
enum { SETTINGS = 1 };

/* Two rows per setting, one for each rival. */
static struct table *rows_table(const struct ensembles *e)
{
    static const struct table_column columns[] = {
        {.name = "setting", ROW(block.setting), .json = true},
        {.name = "setting_label", .title = "setting", ROW(block.label), .when = SETTINGS},
        {.name = "heads", ROW(heads)},
        {.name = "members", ROW(members)},
        {NAMED("trials"), ROW(block.groups.text), .json = true, .leave_out = 1},
        {.name = "mean_member_acc",
         .title = "each alone",
         ROW(block.member.summary.mean),
         .only_if = TRAINED_ACCURACY},
        {.name = "mean_member_loss",
         .title = "each alone",
         ROW(block.member.summary.mean),
         .only_if = TRAINED_LOSS},
        {.title = "95% interval", MAKE(block.member, sample_interval), .leave_out = 4},
        {.name = "member_low", ROW(block.member.summary.low)},
        {.name = "member_high", ROW(block.member.summary.high)},
        {NAMED("n"), ROW(block.test.n)},
        {.name = "mean_acc",
         .title = "together",
         ROW(block.test.summary.mean),
         .only_if = TRAINED_ACCURACY},
        {.title = "together", ROW(block.test.summary.mean), .only_if = TRAINED_LOSS},
        {.title = "95% interval", MAKE(block.test, sample_interval), .leave_out = 7},
        {.name = "ci95_low", ROW(block.test.summary.low)},
        {.name = "ci95_high", ROW(block.test.summary.high)},
        {.name = "mean_loss", ROW(block.loss.summary.mean)},
        {.name = "mean_bits",
         .title = "bits/byte",
         MAKE(block.test, trained_bits),
         .right = true,
         .decimals = 3,
         .only_if = TRAINED_BITS},
        {.name = "n_params",
         .title = "params",
         ROW(block.n_params),
         .decimals = TABLE_WHOLE,
         .leave_out = 3},
        {.name = "flops_per_example", ROW(block.flops_per_example)},
        {.name = "nearest_in", .title = "nearest in", ROW(by)},
        {.name = "model_setting", ROW(model.setting), .json = true},
        {.name = "model_label",
         .title = "model",
         ROW(model.label),
         .when = SETTINGS,
         .leave_out = 5},
        {.name = "model_heads", .title = "heads", ROW(model.heads)},
        {.name = "model_n", .title = "n", ROW(model.test.n), .leave_out = 6},
        {.name = "model_acc",
         .title = "mean",
         ROW(model.test.summary.mean),
         .only_if = TRAINED_ACCURACY},
        {.name = "model_loss",
         .title = "mean",
         ROW(model.test.summary.mean),
         .only_if = TRAINED_LOSS},
        {.title = "95% interval", MAKE(model.test, sample_interval), .leave_out = 5},
        {.name = "model_bits", MAKE(model.test, trained_bits), .only_if = TRAINED_BITS},
        {.name = "model_low", ROW(model.test.summary.low)},
        {.name = "model_high", ROW(model.test.summary.high)},
        {.name = "params_ratio",
         .title = "param ratio",
         ROW(params_ratio),
         .decimals = 2,
         .leave_out = 2},
        {.name = "flops_ratio",
         .title = "FLOP ratio",
         ROW(flops_ratio),
         .decimals = 2,
         .leave_out = 2},
        {.name = "mean_diff", ROW(diff.mean)},
        {.title = "difference", MAKE(diff, sample_difference_mean)},
        {.title = "95% interval", MAKE(diff, sample_difference_interval)},
        {.name = "diff_low", ROW(diff.low)},
        {.name = "diff_high", ROW(diff.high)},
        {.name = "test", MAKE(diff, sample_difference_test)},
        {0}};
    struct table *t =
        table_when(e->scope, columns,
                   trained_conditions(&e->trained.metric) | (has_settings(e) ? SETTINGS : 0u));
    for (int i = 0; i < e->blocks; i++) {
        for (int by = 0; by < RIVALS; by++) {
            struct row row = row_of(e, &e->block[i], (enum rival)by);
            table_row(t, &row);
        }
    }
    return t;
}

static const char COSTS[] =
    "trials: of each group; params: of all members together. Nearest in params, or FLOPs (forward, "
    "per example): the model with more heads, of the same task, that comes nearest in these, of "
    "several the one with as many heads as all members; param ratio, FLOP ratio: the ensemble's "
    "number "
    "over that model's; difference: ensemble - model.";
static const char OVER_GROUPS[] = ", with 95% t intervals over n groups or seeds (each is 95% by "
                                  "itself; differences are unpaired, Welch's).";
static const char OVER_INSTANCES[] =
    ": means over the groups, or seeds, of an instance, with 95% t intervals over n instances "
    "(each is 95% by itself; differences are paired or, where the instances are not the same, "
    "Welch's).";

static void write_legend(const struct ensembles *e, struct document *d)
{
    const struct trained_metric *metric = &e->trained.metric;
    struct text_buffer text = scope_text(d->scope);
    text_add(&text, "%s%s%s %s",
             metric->loss ? "Test loss in nats, less is better" : "Test accuracy",
             e->trained.metric.replicated ? OVER_INSTANCES : OVER_GROUPS,
             trained_bits_legend(metric), COSTS);
    document_legend(d, text.text);
}

static void write_people(const struct ensembles *e, struct text_page page, FILE *out)
{
    struct document d = document_new(e->scope, out, e->question->format == REPORT_MARKDOWN, page);
    document_title(&d, e->name, e->about);
    write_facts(e, &d);
    document_table(&d, rows_table(e));
    write_legend(e, &d);
}

/* ---- for programs ---- */

static void write_json(const struct ensembles *e, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_text(&w, "sweep", e->name);
    trained_metric_json(&e->trained.metric, &w);
    json_add_integer(&w, "groups", e->groups.count);
    json_add_integer(&w, "unanswered", e->groups.count - e->answered);
    table_add_json(rows_table(e), &w, "rows");
    json_end_object(&w);
    fputc('\n', out);
}

enum status report_ensemble(struct store *s, const struct ensemble_question *q,
                            struct text_page page, FILE *out, struct message *m)
{
    struct scope *x = scope_new(s, "the report", m);
    if (scope_enter(x)) {
        const struct ensembles *e = ensembles_read(x, q);
        if (q->format == REPORT_JSON)
            write_json(e, out);
        else if (q->format == REPORT_CSV)
            table_write(rows_table(e), TABLE_CSV, false, out);
        else
            write_people(e, page, out);
        scope_check(x, text_check(out, m));
    }
    return scope_end(x);
}
