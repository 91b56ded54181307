/* The table of one setting for people: a line per head count. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "sweep/report/report_parts.h"

enum { PLOT_MOST = 24, PLOT_LEAST = 9 };

/* Which columns it has. What is the same at every head count, or absent, is left to the sentences
 * around it. */
struct layout {
    bool always; /* true */
    bool d_head, trials, bad, bits, exact, solved, share, median_interval, params, train_s;
    bool plotted;
    int plot;    /* the plot's width */
    double most; /* the right end of its scale: 1, or the largest loss */
};

static struct layout layout_of(const struct report_setting *set)
{
    bool loss = set->input.loss;
    struct layout l = {.always = true, .solved = !loss, .train_s = true, .most = loss ? 0 : 1};
    l.trials = set->input.replicated != NULL;
    l.bits = verdict_has_bits(&set->input);
    l.share = l.solved && !l.trials; /* trials of one instance are not independent */
    for (int i = 0; i < set->count; i++) {
        const struct verdict_row *row = &set->verdict->row[i];
        l.d_head = l.d_head || row->d_head;
        l.bad = l.bad || row->bad;
        l.exact = l.exact || (set->input.data == VERDICT_TOY && !isnan(row->exact_mean));
        l.median_interval = l.median_interval || (row->bimodal && !isnan(row->median_low));
        l.params = l.params || set->extra[i].n_params != set->extra[0].n_params;
        if (loss && !row->limited)
            l.most = fmax(l.most, fmax(row->test.mean, row->test.high));
    }
    return l;
}

/* The plot's title is its scale: "0      .5      1", of a loss "0         2.31". */
static void plot_title(const struct layout *l, char title[PLOT_MOST + 1])
{
    char most[16];
    int n = snprintf(most, sizeof most, "%.3g", l->most);
    memset(title, ' ', (size_t)l->plot);
    title[l->plot] = '\0';
    title[0] = '0';
    if (l->most == 1)
        memcpy(title + l->plot / 2 - 1, ".5", 2);
    if (n < l->plot)
        memcpy(title + l->plot - n, most, (size_t)n);
}

/* The data of a row's cells. */
struct cell {
    const struct layout *layout;
    const struct report_setting *set;
    const struct verdict_row *row;
    const struct evidence_heads *extra;
    bool candidate;
};

static void add_heads(struct table *t, const struct cell *c)
{
    table_integer(t, c->row->heads);
}

static void add_mark(struct table *t, const struct cell *c)
{
    table_text(t, c->candidate ? "*" : c->row->in_plateau ? "+" : "");
}

static void add_d_head(struct table *t, const struct cell *c)
{
    if (c->row->d_head)
        table_integer(t, c->row->d_head);
    else
        table_text(t, "");
}

static void add_trials(struct table *t, const struct cell *c)
{
    table_integer(t, c->row->trials);
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
    table_real(t, c->row->limited ? NAN : c->row->test.mean);
}

static void add_bits(struct table *t, const struct cell *c)
{
    table_real(t, c->row->limited ? NAN : c->row->test.mean / M_LN2);
}

static void add_exact(struct table *t, const struct cell *c)
{
    table_real(t, c->row->exact_mean);
}

static void add_median_interval(struct table *t, const struct cell *c)
{
    if (isnan(c->row->median_low))
        table_text(t, "");
    else
        table_printf(t, "[%.3f, %.3f]", c->row->median_low, c->row->median_high);
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

static void add_interval(struct table *t, const struct cell *c)
{
    report_interval(t, c->set, c->row);
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
    if (c->row->trials)
        table_printf(t, "%d/%d", c->row->solved, c->row->trials);
    else
        table_text(t, "");
}

static void add_share(struct table *t, const struct cell *c)
{
    if (isnan(c->row->solved_low))
        table_text(t, "");
    else
        table_printf(t, "%.0f-%.0f%%", 100 * c->row->solved_low, 100 * c->row->solved_high);
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
    char plot[DOT_PLOT_SIZE] = "";
    double most = c->layout->most > 0 ? c->layout->most : 1;
    if (!c->row->limited)
        text_dot_plot(s->mean / most, s->low / most, s->high / most, c->layout->plot, plot);
    table_text(t, plot);
}

#define SHOWN(member) offsetof(struct layout, member)

/* The columns from left to right, which member of the layout shows each, and its cell. The verdict
 * rests on none of those that are left out where there is no room. */
static const struct {
    struct table_column head;
    size_t shown;
    void (*add)(struct table *t, const struct cell *c);
} COLUMNS[] = {
    {{.title = "heads", .right = true}, SHOWN(always), add_heads},
    {{.title = ""}, SHOWN(always), add_mark},
    {{.title = "d_head", .right = true, .leave_out = 3}, SHOWN(d_head), add_d_head},
    {{.title = "n", .right = true}, SHOWN(always), add_n},
    {{.title = "trials", .right = true, .leave_out = 2}, SHOWN(trials), add_trials},
    {{.title = "bad", .right = true}, SHOWN(bad), add_bad},
    {{.title = "mean", .right = true, .decimals = 3}, SHOWN(always), add_mean},
    {{.title = "95% interval"}, SHOWN(always), add_interval},
    {{.title = "bits/byte", .right = true, .decimals = 3}, SHOWN(bits), add_bits},
    {{.title = "completed", .right = true, .decimals = 3, .leave_out = 7},
     SHOWN(bad),
     add_completed},
    {{.title = "min", .right = true, .decimals = 3, .leave_out = 4}, SHOWN(always), add_min},
    {{.title = "median", .right = true, .decimals = 3, .leave_out = 5}, SHOWN(always), add_median},
    {{.title = "its 95% interval", .leave_out = 5}, SHOWN(median_interval), add_median_interval},
    {{.title = "max", .right = true, .decimals = 3, .leave_out = 4}, SHOWN(always), add_max},
    {{.title = "solved", .right = true}, SHOWN(solved), add_solved},
    {{.title = "share", .right = true, .leave_out = 6}, SHOWN(share), add_share},
    {{.title = "exact", .right = true, .decimals = 3, .leave_out = 3}, SHOWN(exact), add_exact},
    {{.title = "params", .right = true, .leave_out = 2}, SHOWN(params), add_params},
    {{.title = "train s", .right = true, .decimals = 1, .leave_out = 1},
     SHOWN(train_s),
     add_train_s},
    {{.title = NULL /* plot_title */}, SHOWN(plotted), add_plot},
};
enum { COLUMNS_MOST = sizeof COLUMNS / sizeof *COLUMNS };

/* What a table of this layout stands on; kept as long as the table. */
struct frame {
    struct table_column columns[COLUMNS_MOST + 1];
    char title[PLOT_MOST + 1];
};

static struct table *make_table(const struct report_setting *set, const struct layout *l,
                                struct frame *frame)
{
    int n = 0;
    for (int c = 0; c < COLUMNS_MOST; c++)
        if (*(const bool *)((const char *)l + COLUMNS[c].shown))
            frame->columns[n++] = COLUMNS[c].head;
    if (l->plotted) {
        plot_title(l, frame->title);
        frame->columns[n - 1].title = frame->title;
    }
    frame->columns[n] = (struct table_column){0};
    struct table *t = table_new(frame->columns);
    for (int i = 0; i < set->count; i++) {
        const struct verdict_row *row = &set->verdict->row[i];
        struct cell cell = {l, set, row, &set->extra[i], row->heads == set->verdict->candidate};
        for (int c = 0; c < COLUMNS_MOST; c++)
            if (*(const bool *)((const char *)l + COLUMNS[c].shown))
                COLUMNS[c].add(t, &cell);
        if (cell.candidate)
            table_emphasize(t);
    }
    return t;
}

/* Columns of the page that the table without a plot leaves to one. */
static int room_for_plot(const struct report_setting *set, const struct layout *l,
                         struct document *d)
{
    struct frame frame;
    struct table *t = make_table(set, l, &frame);
    int width = table_width(t);
    table_free(t);
    d->out_of_memory = d->out_of_memory || width < 0; /* it would be a table without its plot */
    return d->markdown ? 0 : d->page - width - 2;
}

enum status report_table(const struct report_setting *set, struct document *d, struct message *m)
{
    struct layout l = layout_of(set), shorter = l;
    struct frame frame;
    shorter.train_s = false; /* says less than a plot */
    int room = room_for_plot(set, &l, d);
    if (room < PLOT_LEAST && room_for_plot(set, &shorter, d) >= PLOT_LEAST) {
        l = shorter;
        room = room_for_plot(set, &l, d);
        document_leave_out(d, "train s");
    }
    l.plotted = room >= PLOT_LEAST;
    l.plot = room > PLOT_MOST ? PLOT_MOST : room;
    struct table *t = make_table(set, &l, &frame);
    enum status s = document_table(d, t, m);
    table_free(t);
    return s;
}
