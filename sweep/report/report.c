#include "sweep/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/report/report_data.h"
#include "sweep/report/rows_table.h"

/* Text never needs a wider terminal than this; sentences are set narrower, to be read. */
enum { PAGE_WIDTH = 100, SENTENCE_WIDTH = 90, PLOT_MOST = 24, PLOT_LEAST = 9 };

/* ---- the table of one setting, for people ---- */

/* Which columns it has: what is the same or absent everywhere is left to the words around it. */
struct layout {
    bool bad, params, train_s;
    int plot; /* its width, 0 for none */
};

static struct layout layout_of(const struct report_setting *set)
{
    struct layout l = {.train_s = true};
    for (int i = 0; i < set->count; i++) {
        l.bad = l.bad || set->verdict->row[i].bad > 0;
        l.params = l.params || set->extra[i].n_params != set->extra[0].n_params;
    }
    return l;
}

enum { COLUMNS_MOST = 16 };

/* The plot's title is its scale: "0      .5      1". */
static void plot_title(int cells, char title[PLOT_MOST + 1])
{
    memset(title, ' ', (size_t)cells);
    title[cells] = '\0';
    title[0] = '0';
    memcpy(title + cells / 2 - 1, ".5", 2);
    title[cells - 1] = '1';
}

static void make_columns(const struct layout *l, struct table_column columns[COLUMNS_MOST],
                         char title[PLOT_MOST + 1])
{
    int n = 0;
    columns[n++] = (struct table_column){.title = "heads", .right = true};
    columns[n++] = (struct table_column){.title = ""};
    columns[n++] = (struct table_column){.title = "n", .right = true};
    if (l->bad)
        columns[n++] = (struct table_column){.title = "bad", .right = true};
    columns[n++] = (struct table_column){.title = "mean", .right = true, .decimals = 3};
    columns[n++] = (struct table_column){.title = "95% interval"};
    if (l->bad)
        columns[n++] = (struct table_column){.title = "completed", .right = true, .decimals = 3};
    columns[n++] = (struct table_column){.title = "min", .right = true, .decimals = 3};
    columns[n++] = (struct table_column){.title = "median", .right = true, .decimals = 3};
    columns[n++] = (struct table_column){.title = "max", .right = true, .decimals = 3};
    columns[n++] = (struct table_column){.title = "solved"};
    if (l->params)
        columns[n++] = (struct table_column){.title = "params", .right = true};
    if (l->train_s)
        columns[n++] = (struct table_column){.title = "train s", .right = true, .decimals = 1};
    if (l->plot) {
        plot_title(l->plot, title);
        columns[n++] = (struct table_column){.title = title};
    }
    columns[n] = (struct table_column){0};
}

static void add_interval(struct table *t, const struct stats_summary *s)
{
    if (s->all_equal)
        table_printf(t, "all %d equal", s->n);
    else if (s->n == 1)
        table_text(t, "one seed");
    else if (s->n == 0)
        table_text(t, "");
    else /* an accuracy lies between 0 and 1, whatever the t distribution thinks */
        table_printf(t, "[%.3f, %.3f]", fmax(s->low, 0), fmin(s->high, 1));
}

static void add_row(struct table *t, const struct layout *l, const struct report_setting *set,
                    int i)
{
    const struct verdict_row *row = &set->verdict->row[i];
    const struct stats_summary *s = &row->test;
    bool candidate = row->heads == set->verdict->candidate;
    table_integer(t, row->heads);
    table_text(t, candidate ? "*" : "");
    table_integer(t, s->n);
    if (l->bad)
        table_integer(t, row->bad);
    table_real(t, s->mean);
    add_interval(t, s);
    if (l->bad)
        table_real(t, row->completed_mean);
    table_real(t, s->min);
    table_real(t, s->median);
    table_real(t, s->max);
    if (s->n)
        table_printf(t, "%d/%d (%.0f-%.0f%%)", row->solved, s->n, 100 * row->solved_low,
                     100 * row->solved_high);
    else
        table_text(t, "");
    if (l->params)
        table_integer(t, set->extra[i].n_params);
    if (l->train_s)
        table_real(t, set->extra[i].train_s / set->extra[i].completed); /* none: 0 / 0, empty */
    if (l->plot) {
        char plot[DOT_PLOT_SIZE];
        text_dot_plot(s->mean, s->low, s->high, l->plot, plot);
        table_text(t, plot);
    }
    if (candidate)
        table_emphasize(t);
}

static struct table *make_table(const struct report_setting *set, const struct layout *l,
                                struct table_column columns[COLUMNS_MOST],
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
    struct table_column columns[COLUMNS_MOST];
    char title[PLOT_MOST + 1];
    struct table *t = make_table(set, l, columns, title);
    enum status s = table_write(t, f, color, out, m);
    table_free(t);
    return s;
}

/* -1: no memory. */
static int width_of(const struct report_setting *set, const struct layout *l)
{
    struct table_column columns[COLUMNS_MOST];
    char title[PLOT_MOST + 1];
    struct table *t = make_table(set, l, columns, title);
    int width = table_width(t);
    table_free(t);
    return width;
}

/* Fits the table to the page: the plot takes what is left; where even the rest is too wide, the
 * training time goes (the other formats have it). */
static enum status write_text_table(const struct report_setting *set, bool color, FILE *out,
                                    struct message *m)
{
    struct layout l = layout_of(set);
    int width = width_of(set, &l);
    if (width > PAGE_WIDTH) {
        l.train_s = false;
        width = width_of(set, &l);
    }
    if (width < 0)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for the report");
    int left = PAGE_WIDTH - width - 2;
    l.plot = left < PLOT_LEAST ? 0 : left > PLOT_MOST ? PLOT_MOST : left;
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
}

static const char LEGEND[] =
    "Test accuracy at the step of the best validation, over n seeds, with a 95% t interval of the "
    "mean (cut at 0 and 1); solved: trials with an accuracy of at least 0.99, and the exact 95% "
    "interval of their "
    "share; *: the head count that the verdict is about.";

static enum status write_text(const struct report_data *r, bool color, FILE *out, struct message *m)
{
    const char *bold = color ? "\033[1m" : "", *plain = color ? "\033[0m" : "";
    struct text_buffer facts = {0};
    add_facts(r, &facts);
    if (facts.out_of_memory) {
        free(facts.text);
        return status_fail(m, STATUS_NO_MEMORY, "no memory for the report");
    }
    fputs(bold, out);
    text_plain(out, r->name);
    fprintf(out, "%s%s", plain, r->question[0] ? ": " : "");
    text_plain(out, r->question);
    fputc('\n', out);
    text_paragraph(out, facts.text, 0, 0, SENTENCE_WIDTH);
    free(facts.text);
    for (int i = 0; i < r->settings; i++) {
        const struct report_setting *set = &r->setting[i];
        fputc('\n', out);
        if (set->label[0]) {
            fputs(bold, out);
            text_plain(out, set->label);
            fprintf(out, "%s\n", plain);
        }
        enum status s = write_text_table(set, color, out, m);
        if (s != STATUS_OK)
            return s;
        fputc('\n', out);
        for (int k = 0; k < set->verdict->sentences; k++) {
            fputs(k == 0 ? bold : "", out);
            text_paragraph(out, set->verdict->sentence[k], 0, 2, SENTENCE_WIDTH);
            if (k == 0)
                fprintf(out, "%s%s", plain, set->verdict->sentences > 1 ? "\n" : "");
        }
    }
    if (r->settings) {
        fputc('\n', out);
        text_paragraph(out, LEGEND, 0, 0, SENTENCE_WIDTH);
    }
    return text_check(out, m);
}

/* ---- Markdown ---- */

/* Text without the marks that Markdown would act on. */
static void put_markdown(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_[]<|", *text))
            fputc('\\', out);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
}

static enum status write_markdown(const struct report_data *r, FILE *out, struct message *m)
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

/* ---- JSON ---- */

static void put_key(FILE *out, const char *key, double x)
{
    fprintf(out, ",\"%s\":", key);
    text_json_real(out, x);
}

/* A head count, null for 0. */
static void put_heads(FILE *out, const char *key, int64_t heads)
{
    if (heads)
        fprintf(out, ",\"%s\":%lld", key, (long long)heads);
    else
        fprintf(out, ",\"%s\":null", key);
}

static void put_headline(FILE *out, const struct verdict_row *row)
{
    fprintf(out, "{\"heads\":%lld,\"n\":%d,\"n_bad\":%d", (long long)row->heads, row->test.n,
            row->bad);
    put_key(out, "mean", row->test.mean);
    put_key(out, "ci95_low", row->test.low);
    put_key(out, "ci95_high", row->test.high);
    fprintf(out, ",\"all_equal\":%s", row->test.all_equal ? "true" : "false");
    put_key(out, "completed_mean", row->completed_mean);
    put_key(out, "mean_val_acc", row->val_mean);
    fprintf(out, ",\"n_solved\":%d", row->solved);
    put_key(out, "solved_low", row->solved_low);
    put_key(out, "solved_high", row->solved_high);
    put_key(out, "p_against_best", row->best_p);
    fprintf(out, ",\"among_best\":%s}", row->among_best ? "true" : "false");
}

static void put_comparison(FILE *out, const struct verdict *v, const struct verdict_rival *r)
{
    static const char *const outcomes[] = {[RIVAL_BEATEN] = "better",
                                           [RIVAL_NOT_BEATEN] = "not_shown",
                                           [RIVAL_BETTER] = "worse",
                                           [RIVAL_UNTESTED] = "untested"};
    const struct stats_paired *p = &r->pair;
    fprintf(out, "{\"heads_a\":%lld,\"heads_b\":%lld,\"n\":%d,\"wins\":%d,\"losses\":%d",
            (long long)v->candidate, (long long)r->heads, p->n, p->wins, p->losses);
    put_key(out, "mean_diff", p->mean);
    put_key(out, "sd_diff", p->sd);
    put_key(out, "ci95_low", p->low);
    put_key(out, "ci95_high", p->high);
    put_key(out, "t", p->t);
    put_key(out, "p", p->p);
    put_key(out, "sign_flip_p", p->sign_flip_p);
    put_key(out, "sign_flip_least", p->sign_flip_least);
    fprintf(out, ",\"sign_flip_exact\":%s,\"outcome\":\"%s\"}", p->exact ? "true" : "false",
            outcomes[r->outcome]);
}

static void put_verdict(FILE *out, const struct verdict *v, bool preliminary)
{
    fprintf(out, "{\"kind\":\"%s\",\"preliminary\":%s", verdict_kind_name(v->kind),
            preliminary ? "true" : "false");
    put_heads(out, "candidate", v->candidate);
    put_key(out, "alpha", v->alpha);
    put_heads(out, "best", v->best);
    put_heads(out, "smallest_among_best", v->smallest_among_best);
    fputs(",\"heads\":[", out);
    for (int i = 0; i < v->rows; i++) {
        fputs(i ? "," : "", out);
        put_headline(out, &v->row[i]);
    }
    fputs("],\"comparisons\":[", out);
    for (int i = 0; i < v->rivals; i++) {
        fputs(i ? "," : "", out);
        put_comparison(out, v, &v->rival[i]);
    }
    fputs("],\"sentences\":[", out);
    for (int i = 0; i < v->sentences; i++) {
        fputs(i ? "," : "", out);
        text_json(out, v->sentence[i]);
    }
    fputs("]}", out);
}

static enum status write_json(const struct report_data *r, FILE *out, struct message *m)
{
    fputs("{\"sweep\":", out);
    text_json(out, r->name);
    fputs(",\"question\":", out);
    text_json(out, r->question);
    fprintf(out, ",\"overrides\":%s,\"planned\":%ld,\"ended\":%ld,\"settings\":[", r->overrides,
            r->planned, r->ended);
    for (int i = 0; i < r->settings; i++) {
        const struct report_setting *set = &r->setting[i];
        int ended = 0;
        for (int k = 0; k < set->count; k++)
            ended += set->heads[k].n;
        fprintf(out, "%s{\"setting\":%s,\"setting_label\":", i ? "," : "", set->setting);
        text_json(out, set->label);
        fputs(",\"rows\":", out);
        enum status s = table_write(set->by_heads, TABLE_JSON, false, out, m);
        if (s != STATUS_OK)
            return s;
        fputs(",\"verdict\":", out);
        put_verdict(out, set->verdict, ended < set->input.planned);
        fputc('}', out);
    }
    fputs("]}\n", out);
    return text_check(out, m);
}

/* ---- CSV ---- */

static enum status write_csv(struct store *s, int64_t sweep_id, FILE *out, struct message *m)
{
    struct table_column *columns;
    enum status status = report_columns(s, &columns, m);
    if (status == STATUS_OK) {
        struct table *t = table_new(columns);
        struct rows rows = rows_open(s, m,
                                     "SELECT * FROM by_heads"
                                     " WHERE sweep = (SELECT name FROM sweep WHERE sweep_id = ?1)",
                                     VALUES(INTEGER(sweep_id)));
        rows_to_table(&rows, t);
        status = rows_close(&rows);
        if (status == STATUS_OK)
            status = table_write(t, TABLE_CSV, false, out, m);
        table_free(t);
    }
    report_columns_free(columns);
    return status;
}

enum status report_write(struct store *s, int64_t sweep_id, enum report_format f, bool color,
                         FILE *out, struct message *m)
{
    if (f == REPORT_CSV)
        return write_csv(s, sweep_id, out, m);
    struct report_data *r;
    enum status status = report_data_read(s, sweep_id, f == REPORT_JSON, &r, m);
    if (status != STATUS_OK)
        return status;
    if (f == REPORT_JSON)
        status = write_json(r, out, m);
    else if (f == REPORT_MARKDOWN)
        status = write_markdown(r, out, m);
    else
        status = write_text(r, color, out, m);
    report_data_free(r);
    return status;
}
