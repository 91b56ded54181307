/* The columns of a report by head count, and what is made of them: the table of a setting for
 * people, and columns and cells of JSON, CSV and the page. A further column is a line in COLUMNS.
 */
#include <math.h>
#include <string.h>

#include "sweep/report/report.h"
#include "sweep/report/report_parts.h"

enum { PLOT_MAX = 24, PLOT_MIN = 9 };

/* What columns may depend on. What is the same at every head count, or absent, is left to the
 * sentences around the table. */
enum {
    ACCURACY = 1 << 0,
    REPLICATED = 1 << 1,
    SEEDS_ALONE = 1 << 2, /* trials of one instance are not independent */
    BITS = 1 << 3,        /* losses are of bytes */
    TEXT_BYTES = 1 << 4,  /* ... or would be */
    EXACT = 1 << 5,
    D_HEAD = 1 << 6,
    BAD = 1 << 7,
    TWO_CLUSTERS = 1 << 8,
    PARAMS = 1 << 9,
    TIME = 1 << 10, /* where there is room for it */
    TUNED = 1 << 11
};

static unsigned conditions_of(const struct report_setting *set)
{
    const struct verdict_input *in = &set->input;
    unsigned c = TIME | (in->loss ? 0 : ACCURACY) | (in->replicated ? REPLICATED : SEEDS_ALONE) |
                 (verdict_has_bits(in) ? BITS : 0) | (in->data == VERDICT_TEXT ? TEXT_BYTES : 0) |
                 (verdict_tuned(in) ? TUNED : 0);
    for (int i = 0; i < set->input.count; i++) {
        const struct verdict_row *row = &set->verdict->row[i];
        c |= row->d_head ? D_HEAD : 0;
        c |= row->bad ? BAD : 0;
        c |= in->data == VERDICT_TOY && !isnan(row->exact_mean) ? EXACT : 0;
        c |= row->bimodal && !isnan(row->median_low) ? TWO_CLUSTERS : 0;
        c |= in->arm[i].n_params != in->arm[0].n_params ? PARAMS : 0;
    }
    return c;
}

/* Those of any setting; what toys have is explained before there is any. */
static unsigned conditions_of_all(const struct report_data *r)
{
    unsigned c = 0;
    for (int i = 0; i < r->settings; i++)
        c |= conditions_of(&r->setting[i]) | (r->setting[i].input.data == VERDICT_TOY ? EXACT : 0);
    return c;
}

/* A head count of a setting. */
struct line {
    struct verdict_row row;
    int64_t n_params;
    double shown_mean, shown_bits; /* empty where it did not finish */
    double train_s;                /* of a completed trial */
    double bits, bits_low, bits_high;
    double view_bits, view_low, view_high; /* as the view has it, where bad trials are in no mean */
    bool at_edge;                          /* of its grid */
    const struct report_setting *set;
    int plot;           /* the plot's width */
    double least, most; /* the ends of its scale: 0 and 1, or those of the losses */
};

static struct line line_of(const struct report_setting *set, int i)
{
    const struct verdict_row *row = &set->verdict->row[i];
    const struct verdict_arm *arm = &set->input.arm[i];
    double mean = row->limited ? NAN : row->test.mean;
    return (struct line){.row = *row,
                         .n_params = arm->n_params,
                         .shown_mean = mean,
                         .shown_bits = mean / M_LN2,
                         .train_s = arm->train_s / arm->completed, /* none: 0 / 0, empty */
                         .bits = row->test.mean / M_LN2,
                         .bits_low = row->test.low / M_LN2,
                         .bits_high = row->test.high / M_LN2,
                         .at_edge = verdict_at_edge(&set->input, row->arm),
                         .set = set};
}

/* ---- cells that are made ---- */

static void make_mark(struct table *t, const void *row)
{
    const struct line *l = row;
    bool candidate = l->row.arm == l->set->verdict->candidate;
    table_text(t, candidate ? "*" : l->row.in_plateau ? "+" : "");
}

void report_interval(struct table *t, const struct report_setting *set,
                     const struct verdict_row *row)
{
    const struct stats_summary *s = &row->test;
    if (row->limited)
        table_text(t, "not finished");
    else if (s->all_equal)
        table_printf(t, "all %d equal", s->n);
    else if (s->n == 1)
        table_printf(t, "one %s", set->verdict->unit);
    else if (s->n == 0)
        table_text(t, "");
    else
        table_printf(t, "[%.3f, %.3f]", s->low, s->high);
}

static void make_interval(struct table *t, const void *row)
{
    const struct line *l = row;
    report_interval(t, l->set, &l->row);
}

static void make_median_interval(struct table *t, const void *row)
{
    const struct verdict_row *r = row;
    if (isnan(r->median_low))
        table_text(t, "");
    else
        table_printf(t, "[%.3f, %.3f]", r->median_low, r->median_high);
}

static void make_solved(struct table *t, const void *row)
{
    const struct verdict_row *r = row;
    if (r->trials)
        table_printf(t, "%d/%d", r->solved, r->trials);
    else
        table_text(t, "");
}

static void make_share(struct table *t, const void *row)
{
    const struct verdict_row *r = row;
    if (isnan(r->solved_low))
        table_text(t, "");
    else
        table_printf(t, "%.0f-%.0f%%", 100 * r->solved_low, 100 * r->solved_high);
}

static void make_plot(struct table *t, const void *row)
{
    const struct line *l = row;
    const struct stats_summary *s = &l->row.test;
    char plot[DOT_PLOT_SIZE] = "";
    double width = l->most > l->least ? l->most - l->least : 1;
    if (!l->row.limited)
        text_dot_plot((s->mean - l->least) / width, (s->low - l->least) / width,
                      (s->high - l->least) / width, l->plot, plot);
    table_text(t, plot);
}

/* ---- the columns ---- */

#define LINE(member)           TABLE_CELL(struct line, member)
#define ROW(member)            TABLE_CELL(struct line, row.member)
#define MAKE(member, function) TABLE_MAKE(struct line, member, function)

/* From left to right, for people and for programs; a column that stands elsewhere for one of them
 * has two lines. The verdict rests on none of those that are left out where there is no room. */
static const struct table_column COLUMNS[] = {
    {NAMED("heads"), ROW(arm), PAGE("Heads")},
    {.title = "", .make = make_mark},
    {NAMED("d_head"), ROW(d_head), .empty_zero = true, .when = D_HEAD, .leave_out = 3,
     PAGE_ANY("d_head")},
    {NAMED("n"), ROW(test.n), PAGE("n", .hint = "{unit}s")},
    {.name = "n_trials", .title = "trials", ROW(trials), .when = REPLICATED, .leave_out = 2},
    {.name = "n_bad",
     .title = "failed",
     ROW(bad),
     .when = BAD,
     .legend = " failed: trials that diverged or failed;"},
    {.name = "n_limit", ROW(limited)},
    {.title = "mean", LINE(shown_mean)},
    {.name = "mean", ROW(test.mean), PAGE("Mean")},
    {.title = "95% interval", .make = make_interval},
    {.name = "sd", ROW(test.sd)},
    {.name = "ci95_low", ROW(test.low), PAGE("95% from")},
    {.name = "ci95_high", ROW(test.high), PAGE("to")},
    {.title = "bits/byte",
     LINE(shown_bits),
     .when = BITS,
     .legend = " bits/byte: the mean over ln 2;"},
    {.name = "mean_bits", LINE(bits), .only_if = BITS, PAGE_ANY("Bits per byte")},
    {.name = "ci95_low_bits", LINE(bits_low), .only_if = BITS, PAGE_ANY("95% from")},
    {.name = "ci95_high_bits", LINE(bits_high), .only_if = BITS, PAGE_ANY("to")},
    {.csv = "mean_bits_per_byte", LINE(view_bits), .only_if = TEXT_BYTES},
    {.csv = "bits_low", LINE(view_low), .only_if = TEXT_BYTES},
    {.csv = "bits_high", LINE(view_high), .only_if = TEXT_BYTES},
    {.title = "completed", ROW(completed_mean), .when = BAD, .leave_out = 7},
    {.name = "all_equal", ROW(test.all_equal)},
    {NAMED("min"), ROW(test.min), .leave_out = 4, PAGE("Least")},
    {NAMED("median"), ROW(test.median), .leave_out = 5, PAGE("Median")},
    {.title = "its 95% interval",
     MAKE(row, make_median_interval),
     .when = TWO_CLUSTERS,
     .leave_out = 5},
    {NAMED("max"), ROW(test.max), .leave_out = 4, PAGE("Most")},
    {.name = "median_low", ROW(median_low)},
    {.name = "median_high", ROW(median_high)},
    {.name = "two_clusters", ROW(bimodal)},
    {.name = "completed_mean", ROW(completed_mean)},
    {.name = "mean_val", ROW(val_mean), PAGE("Validation")},
    {.name = "mean_exact", ROW(exact_mean)},
    {.title = "solved",
     MAKE(row, make_solved),
     .right = true,
     .when = ACCURACY,
     .legend = " solved: trials with an accuracy of at least 0.99;"},
    {.name = "n_solved",
     ROW(solved),
     .when = ACCURACY,
     PAGE("Solved", .hint = "trials with a test accuracy of .99 or more")},
    {.title = "share",
     MAKE(row, make_share),
     .right = true,
     .when = ACCURACY | SEEDS_ALONE,
     .leave_out = 6,
     .legend = " share: the exact 95% interval of their share;"},
    {.name = "solved_low", ROW(solved_low)},
    {.name = "solved_high", ROW(solved_high)},
    {.title = "exact",
     ROW(exact_mean),
     .when = EXACT,
     .leave_out = 3,
     .legend = " exact: share of test sequences with every position right;"},
    {.name = "above_chance", ROW(above_chance), .when = ACCURACY, PAGE("Above guessing")},
    {.name = "p_above_chance", ROW(chance_p)},
    {.name = "still_improving", ROW(improving)},
    {.name = "late_gain", ROW(late_gain)},
    {.name = "late_gain_low", ROW(late_low)},
    {.name = "late_gain_high", ROW(late_high)},
    {.name = "p_against_best", ROW(best_p)},
    {.name = "among_best", ROW(among_best)},
    {.name = "p_within_margin", ROW(plateau_p)},
    {.name = "p_equivalent", ROW(equivalent_p)},
    {.name = "equivalent", ROW(equivalent)},
    {ROW(bad), .empty_zero = true,
     PAGE_ANY("Failed", .key = "n_bad", .hint = "diverged or failed")},
    {ROW(limited), .empty_zero = true, PAGE_ANY("At a limit", .key = "n_limit")},
    {.name = "in_plateau", ROW(in_plateau), PAGE("In the plateau")},
    {ROW(improving), PAGE_ANY("Still improving", .key = "still_improving")},
    {.name = "at_edge",
     .csv = "at_edge",
     LINE(at_edge),
     .only_if = TUNED,
     PAGE_ANY("Edge of its grid", .hint = "chose the smallest or the largest value that it tried")},
    {.title = "params", LINE(n_params), .when = PARAMS, .leave_out = 2},
    {.title = "train s", LINE(train_s), .decimals = 1, .when = TIME, .leave_out = 1},
    {0}};

/* ---- for people ---- */

/* The plot's title is its scale: "0      .5      1", of losses "1.57       1.62". */
static void plot_title(double left, double right, int width, char title[PLOT_MAX + 1])
{
    char least[16], most[16];
    int digits = right - left < .1 ? 4 : 3;
    int n = snprintf(least, sizeof least, "%.*g", digits, left);
    int m = snprintf(most, sizeof most, "%.*g", digits, right);
    memset(title, ' ', (size_t)width);
    title[width] = '\0';
    if (n + m < width) {
        memcpy(title, least, (size_t)n);
        memcpy(title + width - m, most, (size_t)m);
    }
    if (left == 0 && right == 1)
        memcpy(title + width / 2 - 1, ".5", 2);
}

/* The ends of the plot's scale: 0 and 1, or of losses those that hold all means and intervals. */
static void plot_scale(const struct report_setting *set, double *least, double *most)
{
    *least = 0;
    *most = 1;
    if (!set->input.loss)
        return;
    *least = *most = NAN;
    for (int i = 0; i < set->input.count; i++) {
        const struct verdict_row *row = &set->verdict->row[i];
        if (row->limited)
            continue;
        *least = fmin(*least, fmin(row->test.mean, row->test.low));
        *most = fmax(*most, fmax(row->test.mean, row->test.high));
    }
    if (isnan(*least)) {
        *least = 0;
        *most = 1;
    }
}

/* plot: the width of one, 0 for none. */
static void add_lines(const struct report_setting *set, int plot, struct table *t)
{
    double least, most;
    plot_scale(set, &least, &most);
    if (plot) {
        char title[PLOT_MAX + 1];
        plot_title(least, most, plot, title);
        table_add_titled(t, (struct table_column){.make = make_plot}, "%s", title);
    }
    for (int i = 0; i < set->input.count; i++) {
        struct line line = line_of(set, i);
        line.plot = plot;
        line.least = least;
        line.most = most;
        table_row(t, &line);
        if (line.row.arm == set->verdict->candidate)
            table_emphasize(t);
    }
}

static struct table *make_table(struct scope *x, const struct report_setting *set,
                                unsigned conditions, int plot)
{
    struct table *t = table_of_people(x, COLUMNS, conditions);
    add_lines(set, plot, t);
    return t;
}

/* Columns of the page that the table without a plot leaves to one. */
static int plot_columns(const struct report_setting *set, unsigned conditions, struct document *d)
{
    return d->markdown ? 0 : d->page - table_width(make_table(d->scope, set, conditions, 0)) - 2;
}

void report_table(const struct report_setting *set, struct document *d)
{
    unsigned conditions = conditions_of(set), shorter = conditions & ~(unsigned)TIME;
    int columns = plot_columns(set, conditions, d);
    if (columns < PLOT_MIN && plot_columns(set, shorter, d) >= PLOT_MIN) {
        conditions = shorter; /* the time says less than a plot */
        columns = plot_columns(set, conditions, d);
        document_leave_out(d, "train s");
    }
    int plot = columns < PLOT_MIN ? 0 : columns > PLOT_MAX ? PLOT_MAX : columns;
    if (plot)
        table_name_column(&d->shown, REPORT_PLOT);
    document_table(d, make_table(d->scope, set, conditions, plot));
    if (!plot && !d->markdown) {
        document_leave_out(d, REPORT_PLOT);
        d->plot_left_out = true;
    }
}

void report_legend(const struct report_data *r, const struct document *d, struct text_buffer *text)
{
    table_legend(COLUMNS, conditions_of_all(r), &d->left_out, &d->shown, text);
}

/* ---- for programs ---- */

void report_heads_json(struct scope *x, const struct report_setting *set, struct json_writer *w)
{
    struct table *t = table_when(x, COLUMNS, conditions_of(set));
    add_lines(set, 0, t);
    table_add_json(t, w, "heads");
}

void report_page_columns(const struct report_data *r, struct json_writer *w)
{
    table_page_columns(COLUMNS, conditions_of_all(r), w, "by_heads");
}

unsigned report_csv_columns(const struct report_data *r, struct table *t)
{
    unsigned conditions = conditions_of_all(r);
    table_add_csv(t, COLUMNS, conditions, "", "");
    return conditions;
}

void report_csv_cells(const struct report_data *r, unsigned conditions,
                      const struct report_setting *set, long row, struct table *t)
{
    struct line line, *found = NULL;
    double heads = table_number(r->by_heads, row, "heads");
    double nats = set->input.data == VERDICT_TEXT ? M_LN2 : NAN;
    for (int k = 0; k < set->input.count && !found; k++) {
        if ((double)set->verdict->row[k].arm != heads)
            continue;
        found = &line;
        line = line_of(set, k);
        line.view_bits = table_number(r->by_heads, row, "mean_loss") / nats;
        line.view_low = table_number(r->by_heads, row, "loss_low") / nats;
        line.view_high = table_number(r->by_heads, row, "loss_high") / nats;
    }
    table_row_csv(t, COLUMNS, conditions, found);
}
