/* A comparison of sweeps in words and numbers: for people, as JSON and as CSV. */
#include <math.h>
#include <stdlib.h>

#include "sweep/report/report_compare.h"
#include "sweep/report/report_parts.h"

static char letter(int sweep)
{
    return (char)('A' + sweep);
}

/* ---- the table ---- */

static void add_difference(struct table *t, const struct compare_result *r)
{
    if (r->test == COMPARE_NOTHING)
        table_text(t, "");
    else
        table_printf(t, "%+.3f", r->mean);
}

static void add_difference_interval(struct table *t, const struct compare_result *r)
{
    if (r->test == COMPARE_NOTHING || isnan(r->low))
        table_text(t, "");
    else
        table_printf(t, "[%+.3f, %+.3f]", r->low, r->high);
}

static void add_n(struct table *t, const struct verdict_row *row)
{
    if (row)
        table_integer(t, row->test.n);
    else
        table_text(t, NULL);
}

static void add_summary(struct table *t, const struct report_setting *set,
                        const struct verdict_row *row)
{
    table_real(t, row && !row->limited ? row->test.mean : NAN);
    if (row)
        report_interval(t, set, row);
    else
        table_text(t, "");
}

enum { WIDE_MAX = 1 + 3 * COMPARE_MAX + 2 * COMPARE_MAX + 1, TITLE_SIZE = 32 };

/* What a table stands on; kept as long as the table. */
struct frame {
    struct table_column column[WIDE_MAX];
    char title[WIDE_MAX][TITLE_SIZE];
    int columns;
};

__attribute__((format(printf, 4, 5))) static void add_column(struct frame *f, bool right,
                                                             int leave_out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->title[f->columns], TITLE_SIZE, format, arguments);
    va_end(arguments);
    f->column[f->columns] = (struct table_column){
        .title = f->title[f->columns], .right = right, .decimals = 3, .leave_out = leave_out};
    f->columns++;
}

static bool is_compared(const struct compare_block *b, int sweep)
{
    return b->set[sweep] && sweep != b->base;
}

/* A line per head count, with the sweeps from left to right. */
static struct table *make_wide(const struct report_compare *c, const struct compare_block *b,
                               struct frame *f)
{
    *f = (struct frame){0};
    add_column(f, true, 0, "heads");
    for (int i = 0; i < c->sweeps; i++) {
        if (!b->set[i])
            continue;
        add_column(f, true, 1, "%c n", letter(i));
        add_column(f, true, 0, "%c mean", letter(i));
        add_column(f, false, 2, "%c 95%% interval", letter(i));
    }
    for (int i = 0; i < c->sweeps; i++) {
        if (!is_compared(b, i))
            continue;
        add_column(f, true, 0, "%c - %c", letter(i), letter(b->base));
        add_column(f, false, 0, "95%% interval");
    }
    struct table *t = table_new(f->column);
    for (int k = 0; k < b->lines; k++) {
        const struct compare_line *line = &b->line[k];
        table_integer(t, line->heads);
        for (int i = 0; i < c->sweeps; i++) {
            if (!b->set[i])
                continue;
            add_n(t, line->cell[i].row);
            add_summary(t, b->set[i], line->cell[i].row);
        }
        for (int i = 0; i < c->sweeps; i++) {
            if (!is_compared(b, i))
                continue;
            add_difference(t, &line->cell[i].diff);
            add_difference_interval(t, &line->cell[i].diff);
        }
    }
    return t;
}

/* A line per head count and sweep, where there is no room for the sweeps beside one another. */
static struct table *make_long(const struct report_compare *c, const struct compare_block *b,
                               struct frame *f)
{
    *f = (struct frame){0};
    add_column(f, true, 0, "heads");
    add_column(f, false, 0, "%s", "");
    add_column(f, true, 1, "n");
    add_column(f, true, 0, "mean");
    add_column(f, false, 2, "interval of the mean");
    add_column(f, true, 0, "- %c", letter(b->base));
    add_column(f, false, 0, "95%% interval");
    struct table *t = table_new(f->column);
    for (int k = 0; k < b->lines; k++) {
        const struct compare_line *line = &b->line[k];
        for (int i = 0; i < c->sweeps; i++) {
            const struct compare_cell *cell = &line->cell[i];
            if (!cell->row)
                continue;
            table_integer(t, line->heads);
            table_printf(t, "%c", letter(i));
            add_n(t, cell->row);
            add_summary(t, b->set[i], cell->row);
            add_difference(t, &cell->diff);
            add_difference_interval(t, &cell->diff);
        }
    }
    return t;
}

static enum status write_table(const struct report_compare *c, const struct compare_block *b,
                               struct document *d, struct message *m)
{
    struct frame f;
    struct text_buffer names = {0};
    struct table *t = make_wide(c, b, &f);
    if (!d->markdown)
        table_fit(t, d->page, &names, NULL);
    if (!d->markdown && table_width(t) > d->page) {
        table_free(t);
        t = make_long(c, b, &f);
    } else if (names.used && !d->left_out.used) {
        text_add(&d->left_out, "%s", names.text);
    }
    free(names.text);
    enum status s = document_table(d, t, m);
    table_free(t);
    return s;
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
            text_add(text, " %c is not finished: %ld of %ld trials have ended.", letter(i),
                     r->ended, r->planned);
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

static enum status write_block(const struct report_compare *c, const struct compare_block *b,
                               struct document *d, struct message *m)
{
    struct text_buffer text = {0};
    if (b->name->label[0])
        document_heading(d, b->name->label);
    enum status s = write_table(c, b, d, m);
    for (int i = 0; i < c->sweeps && s == STATUS_OK; i++) {
        if (is_compared(b, i))
            add_tests(b, i, &text);
        document_text(d, DOCUMENT_ITEM, &text);
    }
    return s;
}

static const char COMPARE_LEGEND[] =
    "Test values at the step of the best validation, over n seeds or instances, with 95% intervals "
    "of the means and of the differences between means. Every interval is 95% by itself: of many "
    "head counts, one in twenty misses by chance.";

enum status report_compare_people(const struct report_compare *c, struct document *d,
                                  struct message *m)
{
    struct text_buffer text = {0};
    enum status s = STATUS_OK;
    document_title(d, "Comparison", "");
    add_names(c, &text);
    document_text(d, DOCUMENT_PARAGRAPH, &text);
    add_options(c, &text);
    document_text(d, DOCUMENT_PARAGRAPH, &text);
    for (int i = 0; i < c->blocks && s == STATUS_OK; i++)
        s = write_block(c, &c->block[i], d, m);
    if (s == STATUS_OK)
        document_legend(d, COMPARE_LEGEND);
    return s;
}

/* ---- for programs ---- */

static const struct table_column ROWS[] = {{.name = "setting"},  {.name = "setting_label"},
                                           {.name = "heads"},    {.name = "sweep"},
                                           {.name = "n"},        {.name = "n_bad"},
                                           {.name = "n_limit"},  {.name = "mean"},
                                           {.name = "ci95_low"}, {.name = "ci95_high"},
                                           {.name = "against"},  {.name = "mean_diff"},
                                           {.name = "diff_low"}, {.name = "diff_high"},
                                           {.name = "df"},       {.name = "p"},
                                           {.name = "test"},     {0}};

static void add_row(struct table *t, const struct report_compare *c, const struct compare_block *b,
                    int64_t heads, int sweep, const struct compare_cell *cell)
{
    const struct stats_summary *s = &cell->row->test;
    const struct compare_result *r = &cell->diff;
    bool compared = is_compared(b, sweep) && r->test != COMPARE_NOTHING;
    table_json(t, b->name->setting);
    table_text(t, b->name->label);
    table_integer(t, heads);
    table_text(t, c->sweep[sweep]->name);
    table_integer(t, s->n);
    table_integer(t, cell->row->bad);
    table_integer(t, cell->row->limited);
    table_real(t, s->mean);
    table_real(t, s->low);
    table_real(t, s->high);
    table_text(t, compared ? c->sweep[b->base]->name : NULL);
    table_real(t, compared ? r->mean : NAN);
    table_real(t, compared ? r->low : NAN);
    table_real(t, compared ? r->high : NAN);
    table_real(t, compared ? r->df : NAN);
    table_real(t, compared ? r->p : NAN);
    table_text(t, compared ? compare_test_name(r->test) : NULL);
}

static enum status write_rows(const struct report_compare *c, enum table_format format, FILE *out,
                              struct message *m)
{
    struct table *t = table_new(ROWS);
    for (int k = 0; k < c->blocks; k++) {
        const struct compare_block *b = &c->block[k];
        for (int i = 0; i < b->lines; i++)
            for (int sweep = 0; sweep < c->sweeps; sweep++)
                if (b->line[i].cell[sweep].row)
                    add_row(t, c, b, b->line[i].heads, sweep, &b->line[i].cell[sweep]);
    }
    enum status s = table_write(t, format, false, out, m);
    table_free(t);
    return s;
}

enum status report_compare_csv(const struct report_compare *c, FILE *out, struct message *m)
{
    return write_rows(c, TABLE_CSV, out, m);
}

enum status report_compare_json(const struct report_compare *c, FILE *out, struct message *m)
{
    fputs("{\"sweeps\":[", out);
    for (int i = 0; i < c->sweeps; i++) {
        fputs(i ? ",{\"sweep\":" : "{\"sweep\":", out);
        text_json(out, c->sweep[i]->name);
        fprintf(out, ",\"planned\":%ld,\"ended\":%ld}", c->sweep[i]->planned, c->sweep[i]->ended);
    }
    fputs("],\"differences\":[", out);
    for (int i = 0; i < c->options; i++) {
        fputs(i ? ",{\"option\":" : "{\"option\":", out);
        text_json(out, c->option[i].path);
        for (int k = 0; k < c->sweeps; k++) {
            fputs(k ? "," : ",\"values\":[", out);
            text_json(out, c->option[i].values[k]);
        }
        fputs("]}", out);
    }
    fputs("],\"rows\":", out);
    enum status s = write_rows(c, TABLE_JSON, out, m);
    fputs("}\n", out);
    return s == STATUS_OK ? text_check(out, m) : s;
}
