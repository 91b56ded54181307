/* Sweeps side by side: what is read of each, how they differ, in words and numbers. */
#include "sweep/report/report_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/report/report_parts.h"
#include "sweep/report/sample.h"

/* The tasks, with their options, of a setting's trials at a head count: several with replicate. */
struct compare_task {
    char *setting, *text;
    int64_t heads;
};
struct compare_tasks {
    int count;
    struct compare_task *item;
};

/* ---- options that differ ---- */

/* The option of that path, a new one where there is none yet. */
static struct compare_option *option_of(struct report_compare *c, const char *path)
{
    for (int i = 0; i < c->options; i++)
        if (strcmp(c->option[i].path, path) == 0)
            return &c->option[i];
    struct arena *a = &c->scope->arena;
    c->option = arena_grow(a, c->option, (size_t)c->options, sizeof *c->option);
    c->option[c->options] = (struct compare_option){.path = arena_string(a, path)};
    return &c->option[c->options++];
}

/* Adds the values that each option has in the judged trials of a sweep, which is c's number
 * `sweep`. Heads, which every comparison shows, are left out. */
static void compare_read_options(struct report_compare *c, int sweep, int64_t sweep_id)
{
    struct scope *x = c->scope;
    struct rows *rows =
        scope_rows(x,
                   "WITH point AS MATERIALIZED ("
                   "  SELECT DISTINCT config_id FROM trial WHERE sweep_id = ?1 AND in_plan = 1"
                   "     AND is_tuning = 0 AND confirms = 0 AND state <> 'not_needed'"
                   "     AND choice <> 'eliminated'),"
                   " option AS ("
                   "  SELECT DISTINCT replace(replace(substr(o.fullkey, 3), '.options.', '.'), "
                   "'\"', '') AS path,"
                   "         coalesce(o.atom, o.value) AS value"
                   "    FROM point JOIN config USING (config_id), json_tree(config_json) AS o"
                   "   WHERE o.type <> 'object' AND o.fullkey NOT LIKE '%]'"
                   "   ORDER BY 1, 2)"
                   " SELECT path, group_concat(value, ', ') FROM option"
                   "  WHERE path NOT IN ('model.heads', 'v') GROUP BY path",
                   VALUES(INTEGER(sweep_id)));
    while (scope_next(x, rows)) {
        const char *values = rows_text(rows, 1);
        option_of(c, rows_given(rows, 0))->values[sweep] =
            arena_string(&x->arena, values ? values : "null");
    }
}

static bool differs(const struct report_compare *c, const struct compare_option *o)
{
    for (int i = 0; i < c->sweeps; i++)
        if (!o->values[i] || !o->values[0] || strcmp(o->values[i], o->values[0]) != 0)
            return true;
    return false;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct compare_option *)a)->path,
                  ((const struct compare_option *)b)->path);
}

/* Leaves the options that are not the same in all sweeps, by path. */
static void compare_keep_differing(struct report_compare *c)
{
    int kept = 0;
    for (int i = 0; i < c->options; i++)
        if (differs(c, &c->option[i]))
            c->option[kept++] = c->option[i];
    c->options = kept;
    if (kept)
        qsort(c->option, (size_t)kept, sizeof *c->option, compare_paths);
}

/* ---- tasks ---- */

static struct compare_tasks compare_read_tasks(struct scope *x, int64_t sweep_id)
{
    struct compare_tasks list = {0};
    struct rows *rows = scope_rows(
        x,
        "WITH task AS ("
        "  SELECT DISTINCT setting, heads, (config_json -> '$.task') || replicate AS task"
        "    FROM trial JOIN config USING (config_id)"
        "   WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0 AND confirms = 0 ORDER BY 1, 2, "
        "3)"
        " SELECT setting, heads, group_concat(task, ' ') FROM task GROUP BY setting, heads",
        VALUES(INTEGER(sweep_id)));
    while (scope_next(x, rows)) {
        list.item = arena_grow(&x->arena, list.item, (size_t)list.count, sizeof *list.item);
        list.item[list.count++] = (struct compare_task){.setting = scope_given(x, rows, 0),
                                                        .text = scope_given(x, rows, 2),
                                                        .heads = rows_integer(rows, 1)};
    }
    return list;
}

/* "" where there is none. */
static const char *compare_tasks_of(const struct compare_tasks *list, const char *setting,
                                    int64_t heads)
{
    for (int i = 0; i < list->count; i++)
        if (list->item[i].heads == heads && strcmp(list->item[i].setting, setting) == 0)
            return list->item[i].text;
    return "";
}

/* ---- blocks ---- */

static struct compare_block *add_block(struct report_compare *c, const struct report_setting *name)
{
    c->block = arena_grow(&c->scope->arena, c->block, (size_t)c->blocks, sizeof *c->block);
    c->block[c->blocks] = (struct compare_block){.name = name};
    return &c->block[c->blocks++];
}

static struct compare_block *block_of(const struct report_compare *c, const char *setting)
{
    for (int i = 0; i < c->blocks; i++)
        if (strcmp(c->block[i].name->setting, setting) == 0)
            return &c->block[i];
    return NULL;
}

/* Puts the settings beside one another. */
static void make_blocks(struct report_compare *c)
{
    for (int i = 0; i < c->sweeps; i++) {
        const struct report_data *r = c->sweep[i];
        for (int k = 0; k < r->settings && r->settings > 1; k++) {
            struct compare_block *b = block_of(c, r->setting[k].setting);
            b = b ? b : add_block(c, &r->setting[k]);
            b->set[i] = &r->setting[k];
        }
    }
    for (int i = 0; i < c->sweeps; i++) {
        const struct report_data *r = c->sweep[i];
        if (r->settings != 1)
            continue;
        if (c->blocks == 0)
            add_block(c, &r->setting[0]);
        for (int k = 0; k < c->blocks; k++)
            c->block[k].set[i] = &r->setting[0];
    }
    for (int k = 0; k < c->blocks; k++)
        while (!c->block[k].set[c->block[k].base])
            c->block[k].base++;
}

static int compare_lines(const void *a, const void *b)
{
    int64_t x = ((const struct compare_line *)a)->heads;
    int64_t y = ((const struct compare_line *)b)->heads;
    return (x > y) - (x < y);
}

/* Every head count that one of the block's settings has. */
static void make_lines(struct report_compare *c, struct compare_block *b)
{
    int most = 0, n = 0;
    for (int i = 0; i < c->sweeps; i++)
        most += b->set[i] ? b->set[i]->verdict->rows : 0;
    b->line = arena_alloc(&c->scope->arena, (size_t)most, sizeof *b->line);
    for (int i = 0; i < c->sweeps; i++)
        for (int k = 0; b->set[i] && k < b->set[i]->verdict->rows; k++)
            b->line[n++].heads = b->set[i]->verdict->row[k].arm;
    qsort(b->line, (size_t)n, sizeof *b->line, compare_lines);
    for (int i = 0; i < n; i++)
        if (b->lines == 0 || b->line[i].heads != b->line[b->lines - 1].heads)
            b->line[b->lines++] = b->line[i];
}

/* ---- differences ---- */

/* Index of a head count in the setting's rows, -1 where it has none. */
static int row_of(const struct report_setting *set, int64_t heads)
{
    for (int i = 0; set && i < set->verdict->rows; i++)
        if (set->verdict->row[i].arm == heads)
            return i;
    return -1;
}

/* The test value of each unit, bad trials as guesses, by rising unit. A head count that did not
 * finish has none. */
static struct sample sample_of(struct scope *x, const struct report_setting *set, int row)
{
    const struct verdict_arm *h = &set->input.arm[row];
    struct sample sample = {0};
    int in_unit = 0; /* trials of the newest unit */
    for (int i = 0; i < h->n && set->verdict->row[row].limited == 0; i++) {
        const struct verdict_trial *t = &h->trial[i];
        int64_t unit = set->input.replicated ? t->unit : t->seed;
        double value = t->bad ? verdict_guess(set->verdict, t) : t->test;
        if (isnan(value))
            continue;
        if (sample.n && sample.unit[sample.n - 1] == unit) {
            double *mean = &sample.value[sample.n - 1];
            *mean += (value - *mean) / ++in_unit;
        } else {
            sample_add(x, &sample, unit, value);
            in_unit = 1;
        }
    }
    return sample;
}

static bool same_replicates(const struct verdict_input *a, const struct verdict_input *b)
{
    return !a->replicated == !b->replicated &&
           (!a->replicated || strcmp(a->replicated, b->replicated) == 0);
}

static void compare_line(const struct report_compare *c, const struct compare_block *b,
                         struct compare_line *line, const struct compare_tasks *tasks)
{
    const struct report_setting *base = b->set[b->base];
    int first = row_of(base, line->heads);
    const struct sample sample = first < 0 ? NO_SAMPLE : sample_of(c->scope, base, first);
    const char *task = compare_tasks_of(&tasks[b->base], base->setting, line->heads);
    for (int i = 0; i < c->sweeps; i++) {
        const struct report_setting *set = b->set[i];
        int row = row_of(set, line->heads);
        struct compare_cell *cell = &line->cell[i];
        cell->row = row < 0 ? NULL : &set->verdict->row[row];
        if (i == b->base || row < 0)
            continue;
        const struct sample other = sample_of(c->scope, set, row);
        bool same = same_replicates(&base->input, &set->input) &&
                    strcmp(task, compare_tasks_of(&tasks[i], set->setting, line->heads)) == 0;
        cell->diff = sample_difference(&sample, &other, same);
    }
}

/* ---- all of it ---- */

static bool judged_by_loss(const struct report_data *r)
{
    return r->settings > 0 && r->setting[0].input.loss;
}

static void check_metrics(const struct report_compare *c)
{
    for (int i = 1; i < c->sweeps; i++)
        if (judged_by_loss(c->sweep[i]) != judged_by_loss(c->sweep[0]))
            scope_fail(c->scope, STATUS_BAD_INPUT,
                       "%s and %s have different metrics: one is judged by accuracy, the other by "
                       "loss; compare sweeps of one metric",
                       c->sweep[0]->name, c->sweep[i]->name);
}

struct report_compare *report_compare_new(struct scope *x, const int64_t *sweep_id, int sweeps,
                                          bool rows)
{
    struct report_compare *c = arena_alloc(&x->arena, 1, sizeof *c);
    struct compare_tasks tasks[COMPARE_MAX] = {{0}};
    c->scope = x;
    for (int i = 0; i < sweeps; i++) {
        c->sweep[c->sweeps++] = report_data_read(x, sweep_id[i], rows);
        compare_read_options(c, i, sweep_id[i]);
        tasks[i] = compare_read_tasks(x, sweep_id[i]);
    }
    check_metrics(c);
    compare_keep_differing(c);
    make_blocks(c);
    for (int k = 0; k < c->blocks; k++) {
        make_lines(c, &c->block[k]);
        for (int i = 0; i < c->block[k].lines; i++)
            compare_line(c, &c->block[k], &c->block[k].line[i], tasks);
    }
    return c;
}

static char letter(int sweep)
{
    return (char)('A' + sweep);
}

/* ---- the table ---- */

/* A sweep at a head count and what it is held against. */
struct row {
    const struct report_setting *set;
    const char *setting, *label; /* of the block */
    int64_t heads;
    int number;                  /* of the sweep */
    const char *sweep, *against; /* against: NULL where it is not compared */
    struct verdict_row row;
    double shown_mean; /* NaN where it did not finish */
    struct compare_result diff;
};

static void make_letter(struct table *t, const void *number)
{
    table_printf(t, "%c", letter(*(const int *)number));
}

static void make_interval(struct table *t, const void *row)
{
    report_interval(t, ((const struct row *)row)->set, &((const struct row *)row)->row);
}

#define ROW(member) TABLE_CELL(struct row, member)
#define DIFF(make)  TABLE_MAKE(struct row, diff, make)
enum { SETTINGS = 1, FAILED = 2 };

static const struct table_column ROWS[] = {
    {.name = "setting", ROW(setting), .json = true},
    {.name = "setting_label", .title = "setting", ROW(label), .when = SETTINGS},
    {NAMED("heads"), ROW(heads)},
    {.title = "sweep", TABLE_MAKE(struct row, number, make_letter)},
    {.name = "sweep", ROW(sweep)},
    {NAMED("n"), ROW(row.test.n), .leave_out = 1},
    {.name = "n_bad", .title = "failed", ROW(row.bad), .when = FAILED, .leave_out = 4},
    {.name = "n_limit", ROW(row.limited)},
    {.title = "mean", ROW(shown_mean)},
    {.title = "95% interval", .make = make_interval, .leave_out = 3},
    {.name = "mean", ROW(row.test.mean)},
    {.name = "ci95_low", ROW(row.test.low)},
    {.name = "ci95_high", ROW(row.test.high)},
    {.name = "against", ROW(against)},
    {.title = "difference", DIFF(sample_difference_mean)},
    {.title = "95% interval", DIFF(sample_difference_interval)},
    {.name = "mean_diff", ROW(diff.mean)},
    {.name = "diff_low", ROW(diff.low)},
    {.name = "diff_high", ROW(diff.high)},
    {.name = "df", ROW(diff.df)},
    {.name = "p", ROW(diff.p)},
    {NAMED("test"), DIFF(sample_difference_test), .leave_out = 2},
    {0}};

static bool is_compared(const struct compare_block *b, int sweep)
{
    return b->set[sweep] && sweep != b->base;
}

static unsigned conditions_of(const struct report_compare *c)
{
    unsigned conditions = 0;
    for (int k = 0; k < c->blocks; k++) {
        const struct compare_block *b = &c->block[k];
        conditions |= b->name->label[0] ? SETTINGS : 0;
        for (int i = 0; i < c->sweeps; i++)
            for (int h = 0; b->set[i] && h < b->set[i]->input.count; h++)
                conditions |= b->set[i]->verdict->row[h].bad > 0 ? FAILED : 0;
    }
    return conditions;
}

static void add_row(struct table *t, const struct report_compare *c, const struct compare_block *b,
                    int64_t heads, int sweep, const struct compare_cell *cell)
{
    static const struct compare_result none = {
        .mean = NAN, .low = NAN, .high = NAN, .df = NAN, .p = NAN};
    bool compared = is_compared(b, sweep) && cell->diff.test != COMPARE_NOTHING;
    struct row row = {.set = b->set[sweep],
                      .setting = b->name->setting,
                      .label = b->name->label,
                      .heads = heads,
                      .number = sweep,
                      .sweep = c->sweep[sweep]->name,
                      .against = compared ? c->sweep[b->base]->name : NULL,
                      .row = *cell->row,
                      .shown_mean = cell->row->limited ? NAN : cell->row->test.mean,
                      .diff = compared ? cell->diff : none};
    table_row(t, &row);
}

static struct table *rows_table(const struct report_compare *c, unsigned conditions)
{
    struct table *t = table_when(c->scope, ROWS, conditions);
    for (int k = 0; k < c->blocks; k++) {
        const struct compare_block *b = &c->block[k];
        for (int i = 0; i < b->lines; i++)
            for (int sweep = 0; sweep < c->sweeps; sweep++)
                if (b->line[i].cell[sweep].row)
                    add_row(t, c, b, b->line[i].heads, sweep, &b->line[i].cell[sweep]);
    }
    return t;
}

/* ---- for people ---- */

/* "A gather, B gather-tuned." */
static void add_names(const struct report_compare *c, struct text_buffer *text)
{
    for (int i = 0; i < c->sweeps; i++)
        text_add(text, "%s%c is %s", i ? ", " : "", letter(i), c->sweep[i]->name);
    text_add(text, ".");
    for (int i = 0; i < c->sweeps; i++) {
        const struct report_data *r = c->sweep[i];
        if (r->ended < r->planned)
            text_add(text, " %c is not finished: %ld of %s %s ended.", letter(i), r->ended,
                     text_counted(r->planned, "trial").text, r->planned == 1 ? "has" : "have");
    }
}

static void add_options(const struct report_compare *c, struct text_buffer *text)
{
    if (c->options == 0) {
        text_add(text, "All options but the head counts are the same.");
        return;
    }
    text_add(text, "What differs between them:");
    for (int i = 0; i < c->options; i++) {
        const struct compare_option *o = &c->option[i];
        text_add(text, "%s %s (", i ? ";" : "", o->path);
        for (int k = 0; k < c->sweeps; k++)
            text_add(text, "%s%c: %s", k ? "; " : "", letter(k),
                     o->values[k] ? o->values[k] : "not there");
        text_add(text, ")");
    }
    text_add(text, ".");
}

/* What the sweeps' own reports say of trials that diverged or failed: "B: All 5 trials with 4 heads
 * ..." */
static void write_failed(const struct report_compare *c, int sweep, struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    for (int k = 0; k < c->sweep[sweep]->settings; k++) {
        const struct report_setting *set = &c->sweep[sweep]->setting[k];
        for (int i = 0; i < set->text.count; i++)
            if (strcmp(set->text.sentence[i].rule, "bad") == 0) {
                text_add(&text, "%c%s%s: %s", letter(sweep), set->label[0] ? ", " : "", set->label,
                         set->text.sentence[i].text);
                document_text(d, DOCUMENT_ITEM, &text);
            }
    }
}

static const char COMPARE_LEGEND[] =
    "Test values at the step of the best validation, over n seeds or instances, with 95% intervals "
    "of the means and of the differences between means. difference: from the first sweep of the "
    "setting. test: paired where both have the same seeds, or instances, of the same task; else "
    "Welch's. Every interval is 95% by itself: of many head counts, one in twenty misses by "
    "chance.";

void report_compare_people(const struct report_compare *c, struct document *d)
{
    unsigned conditions = conditions_of(c);
    struct text_buffer text = scope_text(c->scope);
    document_title(d, "Comparison", "");
    add_names(c, &text);
    document_text(d, DOCUMENT_PARAGRAPH, &text);
    add_options(c, &text);
    document_text(d, DOCUMENT_PARAGRAPH, &text);
    document_table(d, rows_table(c, conditions));
    for (int i = 0; i < c->sweeps; i++)
        write_failed(c, i, d);
    text_add(&text, "%s%s", COMPARE_LEGEND,
             conditions & FAILED ? " failed: trials that diverged or failed." : "");
    document_legend(d, text.text);
}

/* ---- for programs ---- */

void report_compare_csv(const struct report_compare *c, FILE *out)
{
    table_write(rows_table(c, 0), TABLE_CSV, false, out);
}

static void put_options(const struct report_compare *c, struct json_writer *w)
{
    json_begin_list(w, "differences");
    for (int i = 0; i < c->options; i++) {
        json_begin_object(w, NULL);
        json_add_text(w, "option", c->option[i].path);
        json_begin_list(w, "values");
        for (int k = 0; k < c->sweeps; k++)
            json_add_text(w, NULL, c->option[i].values[k]);
        json_end_list(w);
        json_end_object(w);
    }
    json_end_list(w);
}

void report_compare_json(const struct report_compare *c, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_begin_list(&w, "sweeps");
    for (int i = 0; i < c->sweeps; i++) {
        json_begin_object(&w, NULL);
        json_add_text(&w, "sweep", c->sweep[i]->name);
        json_add_integer(&w, "planned", c->sweep[i]->planned);
        json_add_integer(&w, "ended", c->sweep[i]->ended);
        json_end_object(&w);
    }
    json_end_list(&w);
    put_options(c, &w);
    table_add_json(rows_table(c, 0), &w, "rows");
    json_end_object(&w);
    fputc('\n', out);
}
