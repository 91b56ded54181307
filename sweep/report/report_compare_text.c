/* A comparison of sweeps in words and numbers: for people, as JSON and as CSV. */
#include <math.h>
#include <string.h>

#include "sweep/report/report_compare.h"
#include "sweep/report/report_parts.h"

static char letter(int sweep)
{
    return (char)('A' + sweep);
}

/* ---- the table ---- */

static bool is_compared(const struct compare_block *b, int sweep)
{
    return b->set[sweep] && sweep != b->base;
}

static bool has_failed(const struct report_setting *set)
{
    bool failed = false;
    for (int i = 0; set && i < set->count; i++)
        failed = failed || set->verdict->row[i].bad > 0;
    return failed;
}

static bool any_failed(const struct report_compare *c, const struct compare_block *b)
{
    bool failed = false;
    for (int i = 0; i < c->sweeps; i++)
        failed = failed || has_failed(b->set[i]);
    return failed;
}

/* n, failed where it has the column, mean and interval of a sweep at a head count, empty where it
 * does not have that. */
static void add_summary(struct table *t, const struct report_setting *set,
                        const struct verdict_row *row, bool failed)
{
    if (!row) {
        for (int i = 0; i < 3 + failed; i++)
            table_text(t, NULL);
        return;
    }
    table_integer(t, row->test.n);
    if (failed)
        table_integer(t, row->bad);
    table_real(t, row->limited ? NAN : row->test.mean);
    report_interval(t, set, row);
}

static void add_difference(struct table *t, const struct compare_result *r)
{
    char mean[32], low[32], high[32];
    if (r->test == COMPARE_NOTHING)
        table_text(t, NULL);
    else
        table_text(t, text_signed(r->mean, 3, mean, sizeof mean));
    if (r->test == COMPARE_NOTHING || isnan(r->low))
        table_text(t, NULL);
    else
        table_printf(t, "[%s, %s]", text_signed(r->low, 3, low, sizeof low),
                     text_signed(r->high, 3, high, sizeof high));
}

static const struct table_column NONE = {0}, NUMBER = {.right = true, .decimals = 3},
                                 COUNT = {.right = true, .leave_out = 1},
                                 INTERVAL = {.leave_out = 2};

/* A line per head count, with the sweeps from left to right. */
static struct table *make_wide(const struct report_compare *c, const struct compare_block *b)
{
    struct table *t = table_new(c->scope, &NONE);
    table_add_titled(t, NUMBER, "heads");
    for (int i = 0; i < c->sweeps; i++) {
        if (!b->set[i])
            continue;
        table_add_titled(t, COUNT, "%c n", letter(i));
        if (has_failed(b->set[i]))
            table_add_titled(t, NUMBER, "%c failed", letter(i));
        table_add_titled(t, NUMBER, "%c mean", letter(i));
        table_add_titled(t, INTERVAL, "%c 95%% interval", letter(i));
    }
    for (int i = 0; i < c->sweeps; i++) {
        if (!is_compared(b, i))
            continue;
        table_add_titled(t, NUMBER, "%c - %c", letter(i), letter(b->base));
        table_add_titled(t, NONE, "95%% interval");
    }
    for (int k = 0; k < b->lines; k++) {
        const struct compare_line *line = &b->line[k];
        table_integer(t, line->heads);
        for (int i = 0; i < c->sweeps; i++)
            if (b->set[i])
                add_summary(t, b->set[i], line->cell[i].row, has_failed(b->set[i]));
        for (int i = 0; i < c->sweeps; i++)
            if (is_compared(b, i))
                add_difference(t, &line->cell[i].diff);
    }
    return t;
}

/* A line per head count and sweep, where there is no room for the sweeps beside one another. */
static struct table *make_long(const struct report_compare *c, const struct compare_block *b)
{
    struct table *t = table_new(c->scope, &NONE);
    bool failed = any_failed(c, b);
    table_add_titled(t, NUMBER, "heads");
    table_add_titled(t, NONE, "%s", "");
    table_add_titled(t, COUNT, "n");
    if (failed)
        table_add_titled(t, NUMBER, "failed");
    table_add_titled(t, NUMBER, "mean");
    table_add_titled(t, INTERVAL, "interval of the mean");
    table_add_titled(t, NUMBER, "- %c", letter(b->base));
    table_add_titled(t, NONE, "95%% interval");
    for (int k = 0; k < b->lines; k++) {
        const struct compare_line *line = &b->line[k];
        for (int i = 0; i < c->sweeps; i++) {
            if (!line->cell[i].row)
                continue;
            table_integer(t, line->heads);
            table_printf(t, "%c", letter(i));
            add_summary(t, b->set[i], line->cell[i].row, failed);
            add_difference(t, &line->cell[i].diff);
        }
    }
    return t;
}

static void write_table(const struct report_compare *c, const struct compare_block *b,
                        struct document *d)
{
    struct text_buffer names = scope_text(c->scope);
    struct table *t = make_wide(c, b);
    if (!d->markdown)
        table_fit(t, d->page, &names, NULL);
    if (!d->markdown && table_width(t) > d->page)
        t = make_long(c, b);
    else if (names.used && !d->left_out.used)
        text_add(&d->left_out, "%s", names.text);
    document_table(d, t);
}

/* ---- the sentences ---- */

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

/* " at 1, 2 and 4 heads": where that test was made. */
static void add_heads(const struct compare_block *b, int sweep, enum compare_test test,
                      struct text_buffer *text)
{
    int n = 0, seen = 0;
    int64_t last = 0;
    for (int i = 0; i < b->lines; i++) {
        if (b->line[i].cell[sweep].diff.test != test)
            continue;
        n++;
        last = b->line[i].heads;
    }
    for (int i = 0; i < b->lines; i++)
        if (b->line[i].cell[sweep].diff.test == test)
            text_add(text, "%s%lld",
                     seen++ == 0 ? " at "
                     : seen == n ? " and "
                                 : ", ",
                     (long long)b->line[i].heads);
    text_add(text, n == 1 && last == 1 ? " head" : " heads");
}

/* "B - A is paired by seed (both have the same seeds of the same task)." The head counts are named
 * where not all are compared by one test. */
static void add_tests(const struct compare_block *b, int sweep, struct text_buffer *text)
{
    const char *unit = b->set[sweep]->verdict->unit;
    int lines[COMPARE_WELCH_UNITS + 1] = {0}, said = 0;
    for (int i = 0; i < b->lines; i++)
        lines[b->line[i].cell[sweep].diff.test]++;
    int compared = lines[COMPARE_PAIRED] + lines[COMPARE_WELCH_TASK] + lines[COMPARE_WELCH_UNITS];
    for (int k = COMPARE_PAIRED; k <= COMPARE_WELCH_UNITS; k++) {
        enum compare_test test = (enum compare_test)k;
        if (lines[test] == 0)
            continue;
        if (said++ == 0)
            text_add(text, "%c - %c is ", letter(sweep), letter(b->base));
        else
            text_add(text, "; ");
        if (test == COMPARE_PAIRED)
            text_add(text, "paired by %s", unit);
        else
            text_add(text, "unpaired (Welch's interval)");
        if (lines[test] < compared)
            add_heads(b, sweep, test, text);
        if (test == COMPARE_PAIRED)
            text_add(text, ": both have the same %ss of the same task", unit);
        else if (test == COMPARE_WELCH_TASK)
            text_add(text, ": the tasks differ");
        else
            text_add(text, ": the %ss differ", unit);
    }
    text_add(text, "%s", said ? "." : "");
}

/* What its own report says of trials that diverged or failed: "B: All 5 trials with 4 heads ..." */
static void write_failed(const struct verdict_text *said, int sweep, struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    for (int i = 0; i < said->count; i++)
        if (strcmp(said->sentence[i].rule, "bad") == 0) {
            text_add(&text, "%c: %s", letter(sweep), said->sentence[i].text);
            document_text(d, DOCUMENT_ITEM, &text);
        }
}

static void write_block(const struct report_compare *c, const struct compare_block *b,
                        struct document *d)
{
    struct text_buffer text = scope_text(c->scope);
    if (b->name->label[0])
        document_heading(d, b->name->label);
    write_table(c, b, d);
    for (int i = 0; i < c->sweeps; i++) {
        if (is_compared(b, i))
            add_tests(b, i, &text);
        document_text(d, DOCUMENT_ITEM, &text);
    }
    for (int i = 0; i < c->sweeps; i++)
        if (b->set[i])
            write_failed(&b->set[i]->text, i, d);
}

static const char COMPARE_LEGEND[] =
    "Test values at the step of the best validation, over n seeds or instances, with 95% intervals "
    "of the means and of the differences between means. Every interval is 95% by itself: of many "
    "head counts, one in twenty misses by chance.";

void report_compare_people(const struct report_compare *c, struct document *d)
{
    struct text_buffer text = scope_text(c->scope);
    document_title(d, "Comparison", "");
    add_names(c, &text);
    document_text(d, DOCUMENT_PARAGRAPH, &text);
    add_options(c, &text);
    document_text(d, DOCUMENT_PARAGRAPH, &text);
    text_add(&text, "%s", COMPARE_LEGEND);
    bool failed = false;
    for (int i = 0; i < c->blocks; i++) {
        write_block(c, &c->block[i], d);
        failed = failed || any_failed(c, &c->block[i]);
    }
    if (failed)
        text_add(&text, " failed: trials that diverged or failed.");
    document_legend(d, text.text);
}

/* ---- for programs ---- */

/* A sweep at a head count and what it is held against. */
struct row {
    const char *setting, *label; /* of the block */
    int64_t heads;
    const char *sweep, *against; /* against: NULL where it is not compared */
    struct verdict_row row;
    struct compare_result diff;
    const char *test;
};

#define ROW(member) TABLE_CELL(struct row, member)

static const struct table_column ROWS[] = {{.name = "setting", ROW(setting), .json = true},
                                           {.name = "setting_label", ROW(label)},
                                           {.name = "heads", ROW(heads)},
                                           {.name = "sweep", ROW(sweep)},
                                           {.name = "n", ROW(row.test.n)},
                                           {.name = "n_bad", ROW(row.bad)},
                                           {.name = "n_limit", ROW(row.limited)},
                                           {.name = "mean", ROW(row.test.mean)},
                                           {.name = "ci95_low", ROW(row.test.low)},
                                           {.name = "ci95_high", ROW(row.test.high)},
                                           {.name = "against", ROW(against)},
                                           {.name = "mean_diff", ROW(diff.mean)},
                                           {.name = "diff_low", ROW(diff.low)},
                                           {.name = "diff_high", ROW(diff.high)},
                                           {.name = "df", ROW(diff.df)},
                                           {.name = "p", ROW(diff.p)},
                                           {.name = "test", ROW(test)},
                                           {0}};

static void add_row(struct table *t, const struct report_compare *c, const struct compare_block *b,
                    int64_t heads, int sweep, const struct compare_cell *cell)
{
    static const struct compare_result none = {
        .mean = NAN, .low = NAN, .high = NAN, .df = NAN, .p = NAN};
    bool compared = is_compared(b, sweep) && cell->diff.test != COMPARE_NOTHING;
    struct row row = {.setting = b->name->setting,
                      .label = b->name->label,
                      .heads = heads,
                      .sweep = c->sweep[sweep]->name,
                      .against = compared ? c->sweep[b->base]->name : NULL,
                      .row = *cell->row,
                      .diff = compared ? cell->diff : none,
                      .test = compared ? compare_test_name(cell->diff.test) : NULL};
    table_row(t, &row);
}

static void write_rows(const struct report_compare *c, enum table_format format, FILE *out)
{
    struct table *t = table_new(c->scope, ROWS);
    for (int k = 0; k < c->blocks; k++) {
        const struct compare_block *b = &c->block[k];
        for (int i = 0; i < b->lines; i++)
            for (int sweep = 0; sweep < c->sweeps; sweep++)
                if (b->line[i].cell[sweep].row)
                    add_row(t, c, b, b->line[i].heads, sweep, &b->line[i].cell[sweep]);
    }
    table_write(t, format, false, out);
}

void report_compare_csv(const struct report_compare *c, FILE *out)
{
    write_rows(c, TABLE_CSV, out);
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

/* By which tests the sweeps are held against each other, in each setting that has a label. */
static void put_tests(const struct report_compare *c, struct json_writer *w)
{
    json_begin_list(w, "tests");
    for (int k = 0; k < c->blocks; k++)
        for (int i = 0; i < c->sweeps; i++) {
            struct text_buffer text = scope_text(c->scope);
            if (is_compared(&c->block[k], i))
                add_tests(&c->block[k], i, &text);
            if (text.used == 0)
                continue;
            json_begin_object(w, NULL);
            json_add_text(w, "setting_label", c->block[k].name->label);
            json_add_text(w, "sentence", text.text);
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
    put_tests(c, &w);
    json_add_key(&w, "rows");
    write_rows(c, TABLE_JSON, out);
    json_end_object(&w);
    fputc('\n', out);
}
