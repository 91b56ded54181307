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
    bool bad, params;
    bool plotted;
    int plot; /* the plot's width */
};

static struct layout layout_of(const struct report_setting *set)
{
    struct layout l = {.always = true};
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

void report_interval(struct table *t, const struct report_setting *set,
                     const struct verdict_row *row)
{
    const struct stats_summary *s = &row->test;
    double most = set->input.loss ? INFINITY : 1;
    if (row->limited)
        table_text(t, "not finished");
    else if (s->all_equal)
        table_printf(t, "all %d equal", s->n);
    else if (s->n == 1)
        table_printf(t, "one %s", set->verdict->unit);
    else if (s->n == 0)
        table_text(t, "");
    else /* an accuracy lies between 0 and 1, whatever the t distribution thinks */
        table_printf(t, "[%.3f, %.3f]", fmax(s->low, 0), fmin(s->high, most));
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
    if (c->row->test.n)
        table_printf(t, "%d/%d", c->row->solved, c->row->test.n);
    else
        table_text(t, "");
}

static void add_share(struct table *t, const struct cell *c)
{
    if (c->row->test.n)
        table_printf(t, "%.0f-%.0f%%", 100 * c->row->solved_low, 100 * c->row->solved_high);
    else
        table_text(t, "");
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

/* The columns from left to right, which member of the layout shows each, and its cell. The verdict
 * rests on none of those that are left out where there is no room. */
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
    {{.title = "min", .right = true, .decimals = 3, .leave_out = 4}, SHOWN(always), add_min},
    {{.title = "median", .right = true, .decimals = 3, .leave_out = 3}, SHOWN(always), add_median},
    {{.title = "max", .right = true, .decimals = 3, .leave_out = 4}, SHOWN(always), add_max},
    {{.title = "solved", .right = true}, SHOWN(always), add_solved},
    {{.title = "share", .right = true, .leave_out = 5}, SHOWN(always), add_share},
    {{.title = "params", .right = true, .leave_out = 2}, SHOWN(params), add_params},
    {{.title = "train s", .right = true, .decimals = 1, .leave_out = 1},
     SHOWN(always),
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
        plot_title(l->plot, frame->title);
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

enum status report_table(const struct report_setting *set, struct document *d, struct message *m)
{
    struct layout l = layout_of(set);
    struct frame frame;
    struct table *t = make_table(set, &l, &frame);
    int left = d->page - table_width(t) - 2;
    if (!d->markdown && left >= PLOT_LEAST) { /* the plot takes what is left */
        table_free(t);
        l.plotted = true;
        l.plot = left > PLOT_MOST ? PLOT_MOST : left;
        t = make_table(set, &l, &frame);
    }
    enum status s = document_table(d, t, m);
    table_free(t);
    return s;
}
