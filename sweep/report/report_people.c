/* A report for people: the table of each setting, fitted to the page, and the words around it; as
 * text and as Markdown. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/report/report_parts.h"

/* Text never needs a wider terminal than this; sentences are set narrower, to be read. */
enum { PAGE_WIDTH = 100, PAGE_LEAST = 40, SENTENCE_WIDTH = 90, PLOT_MOST = 24, PLOT_LEAST = 9 };

/* ---- the table of one setting, for people ---- */

/* Which columns it has. What is the same at every head count, or absent, is left to the sentences
 * around it. */
struct layout {
    bool always; /* true */
    bool bad, params, train_s, median;
    bool range; /* min, max */
    bool share; /* the interval of solved */
    bool plotted;
    int plot; /* the plot's width */
};

static struct layout layout_of(const struct report_setting *set)
{
    struct layout l = {
        .always = true, .train_s = true, .median = true, .range = true, .share = true};
    for (int i = 0; i < set->count; i++) {
        l.bad = l.bad || set->verdict->row[i].bad > 0;
        l.params = l.params || set->extra[i].n_params != set->extra[0].n_params;
    }
    return l;
}

/* The plot's title is its scale: "0      .5      1". */
static void plot_title(int cells, char title[PLOT_MOST + 1])
{
    memset(title, ' ', (size_t)cells);
    title[cells] = '\0';
    title[0] = '0';
    memcpy(title + cells / 2 - 1, ".5", 2);
    title[cells - 1] = '1';
}

/* The data of a row's cells. */
struct cell {
    const struct layout *layout;
    const struct verdict_row *row;
    const struct report_heads *extra;
    bool candidate;
};

static void add_heads(struct table *t, const struct cell *c)
{
    table_integer(t, c->row->heads);
}

static void add_mark(struct table *t, const struct cell *c)
{
    table_text(t, c->candidate ? "*" : "");
}

static void add_n(struct table *t, const struct cell *c)
{
    table_integer(t, c->row->test.n);
}

static void add_bad(struct table *t, const struct cell *c)
{
    table_integer(t, c->row->bad);
}

static void add_mean(struct table *t, const struct cell *c)
{
    table_real(t, c->row->test.mean);
}

static void add_interval(struct table *t, const struct cell *c)
{
    const struct stats_summary *s = &c->row->test;
    if (s->all_equal)
        table_printf(t, "all %d equal", s->n);
    else if (s->n == 1)
        table_text(t, "one seed");
    else if (s->n == 0)
        table_text(t, "");
    else /* an accuracy lies between 0 and 1, whatever the t distribution thinks */
        table_printf(t, "[%.3f, %.3f]", fmax(s->low, 0), fmin(s->high, 1));
}

static void add_completed(struct table *t, const struct cell *c)
{
    table_real(t, c->row->completed_mean);
}

static void add_min(struct table *t, const struct cell *c)
{
    table_real(t, c->row->test.min);
}

static void add_median(struct table *t, const struct cell *c)
{
    table_real(t, c->row->test.median);
}

static void add_max(struct table *t, const struct cell *c)
{
    table_real(t, c->row->test.max);
}

static void add_solved(struct table *t, const struct cell *c)
{
    const struct verdict_row *row = c->row;
    if (row->test.n == 0)
        table_text(t, "");
    else if (c->layout->share)
        table_printf(t, "%d/%d (%.0f-%.0f%%)", row->solved, row->test.n, 100 * row->solved_low,
                     100 * row->solved_high);
    else
        table_printf(t, "%d/%d", row->solved, row->test.n);
}

static void add_params(struct table *t, const struct cell *c)
{
    table_integer(t, c->extra->n_params);
}

static void add_train_s(struct table *t, const struct cell *c)
{
    table_real(t, c->extra->train_s / c->extra->completed); /* none: 0 / 0, empty */
}

static void add_plot(struct table *t, const struct cell *c)
{
    const struct stats_summary *s = &c->row->test;
    char plot[DOT_PLOT_SIZE];
    text_dot_plot(s->mean, s->low, s->high, c->layout->plot, plot);
    table_text(t, plot);
}

#define SHOWN(member) offsetof(struct layout, member)

/* The columns from left to right: title, which member of the layout shows it, and its cell. */
static const struct {
    struct table_column head;
    size_t shown;
    void (*add)(struct table *t, const struct cell *c);
} COLUMNS[] = {
    {{.title = "heads", .right = true}, SHOWN(always), add_heads},
    {{.title = ""}, SHOWN(always), add_mark},
    {{.title = "n", .right = true}, SHOWN(always), add_n},
    {{.title = "bad", .right = true}, SHOWN(bad), add_bad},
    {{.title = "mean", .right = true, .decimals = 3}, SHOWN(always), add_mean},
    {{.title = "95% interval"}, SHOWN(always), add_interval},
    {{.title = "completed", .right = true, .decimals = 3}, SHOWN(bad), add_completed},
    {{.title = "min", .right = true, .decimals = 3}, SHOWN(range), add_min},
    {{.title = "median", .right = true, .decimals = 3}, SHOWN(median), add_median},
    {{.title = "max", .right = true, .decimals = 3}, SHOWN(range), add_max},
    {{.title = "solved"}, SHOWN(always), add_solved},
    {{.title = "params", .right = true}, SHOWN(params), add_params},
    {{.title = "train s", .right = true, .decimals = 1}, SHOWN(train_s), add_train_s},
    {{.title = NULL /* plot_title */}, SHOWN(plotted), add_plot},
};
enum { COLUMNS_MOST = sizeof COLUMNS / sizeof *COLUMNS };

static bool shows(const struct layout *l, int column)
{
    return *(const bool *)((const char *)l + COLUMNS[column].shown);
}

static void make_columns(const struct layout *l, struct table_column columns[COLUMNS_MOST + 1],
                         char title[PLOT_MOST + 1])
{
    int n = 0;
    for (int c = 0; c < COLUMNS_MOST; c++)
        if (shows(l, c))
            columns[n++] = COLUMNS[c].head;
    if (l->plotted) {
        plot_title(l->plot, title);
        columns[n - 1].title = title;
    }
    columns[n] = (struct table_column){0};
}

static void add_row(struct table *t, const struct layout *l, const struct report_setting *set,
                    int i)
{
    const struct verdict_row *row = &set->verdict->row[i];
    struct cell cell = {l, row, &set->extra[i], row->heads == set->verdict->candidate};
    for (int c = 0; c < COLUMNS_MOST; c++)
        if (shows(l, c))
            COLUMNS[c].add(t, &cell);
    if (cell.candidate)
        table_emphasize(t);
}

static struct table *make_table(const struct report_setting *set, const struct layout *l,
                                struct table_column columns[COLUMNS_MOST + 1],
                                char title[PLOT_MOST + 1])
{
    make_columns(l, columns, title);
    struct table *t = table_new(columns);
    for (int i = 0; i < set->count; i++)
        add_row(t, l, set, i);
    return t;
}

static enum status write_people(const struct report_setting *set, const struct layout *l,
                                enum table_format f, bool color, FILE *out, struct message *m)
{
    struct table_column columns[COLUMNS_MOST + 1];
    char title[PLOT_MOST + 1];
    struct table *t = make_table(set, l, columns, title);
    enum status s = table_write(t, f, color, out, m);
    table_free(t);
    return s;
}

/* -1: no memory. */
static int width_of(const struct report_setting *set, const struct layout *l)
{
    struct table_column columns[COLUMNS_MOST + 1];
    char title[PLOT_MOST + 1];
    struct table *t = make_table(set, l, columns, title);
    int width = table_width(t);
    table_free(t);
    return width;
}

/* Columns that are left out, in this order, where the page is too narrow: the verdict rests on none
 * of them, and the other formats have them all. */
enum { LEAVE_OUT_MOST = 5 };

static const char *leave_out(struct layout *l, int i)
{
    bool *const column[LEAVE_OUT_MOST] = {&l->train_s, &l->params, &l->median, &l->range,
                                          &l->share};
    static const char *const name[LEAVE_OUT_MOST] = {"train s", "params", "median", "min and max",
                                                     "the interval of solved"};
    bool was_there = *column[i];
    *column[i] = false;
    return was_there ? name[i] : NULL;
}

/* Fits the table to the page: the plot takes what is left. `without` gets the columns that are not
 * there for lack of room, each once. */
static enum status write_text_table(const struct report_setting *set, int page, bool color,
                                    const char *without[LEAVE_OUT_MOST], FILE *out,
                                    struct message *m)
{
    struct layout l = layout_of(set);
    int width = width_of(set, &l);
    for (int i = 0; i < LEAVE_OUT_MOST && width > page; i++) {
        const char *name = leave_out(&l, i);
        without[i] = name ? name : without[i];
        width = width_of(set, &l);
    }
    if (width < 0)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for the report");
    int left = page - width - 2;
    l.plotted = left >= PLOT_LEAST;
    l.plot = left > PLOT_MOST ? PLOT_MOST : left;
    return write_people(set, &l, TABLE_TEXT, color, out, m);
}

/* ---- the words around it ---- */

/* Parameters where they are the same at every head count of every setting, else 0. */
static int64_t common_params(const struct report_data *r)
{
    int64_t params = r->settings ? r->setting[0].extra[0].n_params : 0;
    for (int i = 0; i < r->settings; i++)
        for (int k = 0; k < r->setting[i].count; k++)
            if (r->setting[i].extra[k].n_params != params)
                return 0;
    return params;
}

/* Chance accuracy where it is the same in every setting, else NaN. */
static double common_chance(const struct report_data *r)
{
    for (int i = 1; i < r->settings; i++)
        if (r->setting[i].input.chance != r->setting[0].input.chance)
            return NAN;
    return r->settings ? r->setting[0].input.chance : NAN;
}

/* What was run, and how much of it, in one paragraph. */
static void add_facts(const struct report_data *r, struct text_buffer *text)
{
    int64_t params = common_params(r);
    double chance = common_chance(r);
    text_add(text, "Task %s: %s.", r->task, r->fixed);
    if (r->overrides_shown[0])
        text_add(text, " Run with %s.", r->overrides_shown);
    if (params)
        text_add(text, " %lld parameters at every head count.", (long long)params);
    if (!isnan(chance))
        text_add(text, " Guessing gets %.3g.", chance);
    if (r->ended == r->planned)
        text_add(text,
                 r->planned == 1 ? " Its one trial has ended." : " All %ld trials have ended.",
                 r->planned);
    else
        text_add(text, " %ld of %ld trials have ended.", r->ended, r->planned);
    if (r->remark[0])
        text_add(text, " Note: %s", r->remark);
}

static const char LEGEND[] =
    "Test accuracy at the step of the best validation, over n seeds, with a 95% t interval of the "
    "mean (cut at 0 and 1); solved: trials with an accuracy of at least 0.99, and the exact 95% "
    "interval of their "
    "share; *: the head count that the verdict is about.";

/* A setting's name, table and sentences. */
static enum status write_setting(const struct report_setting *set, int page, bool color,
                                 const char *without[LEAVE_OUT_MOST], FILE *out, struct message *m)
{
    const char *bold = color ? "\033[1m" : "", *plain = color ? "\033[0m" : "";
    int width = page < SENTENCE_WIDTH ? page : SENTENCE_WIDTH;
    fputc('\n', out);
    if (set->label[0]) {
        fputs(bold, out);
        text_paragraph(out, set->label, 0, 2, page);
        fputs(plain, out);
    }
    enum status s = write_text_table(set, page, color, without, out, m);
    if (s != STATUS_OK)
        return s;
    fputc('\n', out);
    for (int k = 0; k < set->verdict->sentences; k++) {
        fputs(k == 0 ? bold : "", out);
        text_paragraph(out, set->verdict->sentence[k], 0, 2, width);
        if (k == 0)
            fprintf(out, "%s%s", plain, set->verdict->sentences > 1 ? "\n" : "");
    }
    return STATUS_OK;
}

/* Explains the columns, and names those left out. */
static void write_legend(const char *const without[LEAVE_OUT_MOST], int width, FILE *out)
{
    char text[sizeof LEGEND + 256];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", LEGEND);
    bool any = false;
    for (int i = 0; i < LEAVE_OUT_MOST; i++) {
        if (without[i])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %s",
                                     any ? "," : " Left out for lack of room:", without[i]);
        any = any || without[i];
    }
    if (any)
        snprintf(text + used, sizeof text - used, "; --markdown has all.");
    fputc('\n', out);
    text_paragraph(out, text, 0, 0, width);
}

enum status report_text(const struct report_data *r, int page, bool color, FILE *out,
                        struct message *m)
{
    const char *bold = color ? "\033[1m" : "", *plain = color ? "\033[0m" : "";
    const char *without[LEAVE_OUT_MOST] = {NULL};
    page = page < 1 || page > PAGE_WIDTH ? PAGE_WIDTH : page < PAGE_LEAST ? PAGE_LEAST : page;
    int width = page < SENTENCE_WIDTH ? page : SENTENCE_WIDTH;
    struct text_buffer title = {0}, facts = {0};
    text_add(&title, "%s%s%s", r->name, r->question[0] ? ": " : "", r->question);
    add_facts(r, &facts);
    enum status s = title.out_of_memory || facts.out_of_memory
                        ? status_fail(m, STATUS_NO_MEMORY, "no memory for the report")
                        : STATUS_OK;
    if (s == STATUS_OK) {
        fputs(bold, out);
        text_paragraph(out, title.text, 0, 0, page);
        fputs(plain, out);
        text_paragraph(out, facts.text, 0, 0, width);
    }
    free(title.text);
    free(facts.text);
    for (int i = 0; i < r->settings && s == STATUS_OK; i++)
        s = write_setting(&r->setting[i], page, color, without, out, m);
    if (s != STATUS_OK)
        return s;
    if (r->settings)
        write_legend(without, width, out);
    return text_check(out, m);
}

/* ---- Markdown ---- */

/* Text without the marks that Markdown would act on. */
static void put_markdown(FILE *out, const char *text)
{
    for (;;) {
        size_t run = strcspn(text, "\\`*_[]<|");
        text_plain_part(out, text, run);
        text += run;
        if (!*text)
            return;
        fprintf(out, "\\%c", *text++);
    }
}

enum status report_markdown(const struct report_data *r, FILE *out, struct message *m)
{
    struct text_buffer facts = {0};
    add_facts(r, &facts);
    if (facts.out_of_memory) {
        free(facts.text);
        return status_fail(m, STATUS_NO_MEMORY, "no memory for the report");
    }
    fputs("# ", out);
    put_markdown(out, r->name);
    if (r->question[0]) {
        fputs("\n\n", out);
        put_markdown(out, r->question);
    }
    fputs("\n\n", out);
    put_markdown(out, facts.text);
    fputs("\n", out);
    free(facts.text);
    for (int i = 0; i < r->settings; i++) {
        const struct report_setting *set = &r->setting[i];
        struct layout l = layout_of(set);
        if (set->label[0]) {
            fputs("\n## ", out);
            put_markdown(out, set->label);
            fputc('\n', out);
        }
        fputc('\n', out);
        enum status s = write_people(set, &l, TABLE_MARKDOWN, false, out, m);
        if (s != STATUS_OK)
            return s;
        fputc('\n', out);
        for (int k = 0; k < set->verdict->sentences; k++) {
            fputs(k ? "- " : "**", out);
            put_markdown(out, set->verdict->sentence[k]);
            fputs(k ? "\n" : "**\n\n", out);
        }
    }
    if (r->settings) {
        fputc('\n', out);
        put_markdown(out, LEGEND);
        fputc('\n', out);
    }
    return text_check(out, m);
}
