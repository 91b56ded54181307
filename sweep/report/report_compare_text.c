/* A comparison of sweeps in words and numbers: for people, as JSON and as CSV. */
#include <math.h>
#include <string.h>

#include "sweep/report/report_compare.h"
#include "sweep/report/report_parts.h"
#include "sweep/report/sample.h"

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
            for (int h = 0; b->set[i] && h < b->set[i]->count; h++)
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
