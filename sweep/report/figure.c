/* Figures: a panel for each setting and, above them, the map: a cell for each setting, coloured by
 * h*, the fewest heads that do as well as the best. */
#include "sweep/report/figure.h"

#include <math.h>
#include <string.h>

#include "sweep/report/gnuplot.h"
#include "sweep/report/report_map.h"

/* Pixels from the top left corner of what is to be drawn within its axes. */
struct figure_box {
    int x, y, width, height;
};

struct figure {
    const struct report_data *r;
    const struct report_map *map; /* NULL: none */
    struct text_buffer script;
    int width, height; /* pixels */
    int left, part;    /* of these the sweep's own: from left on, so many wide */
    bool loss, bits;
    double unit;          /* values are drawn times this: losses of bytes in bits */
    double low, high;     /* of the value axis */
    int64_t fewest, most; /* head counts */
    long blocks;          /* data blocks so far: $d1, $d2, ... */
};

enum { WIDTH = 720, PART = 480, LEFT = 66, RIGHT = 18, TITLE = 62, BOTTOM = 58, KEY_LINE = 22 };
enum { SINGLE_HEIGHT = 300, PANEL_HEIGHT = 118, PANEL_GAP = 56 };

/* Colours that people who see few colours tell apart (Okabe and Ito 2008), and gnuplot's shapes. */
static const struct {
    const char *color;
    int shape;
} styles[FIGURE_CURVES] = {
    {"0072b2", 7}, {"d55e00", 5}, {"009e73", 9}, {"cc79a7", 11}, {"e69f00", 13}};

/* ---- what there is to draw ---- */

static bool has_mean(const struct verdict_row *row)
{
    return row->trials > 0 && row->limited == 0 && isfinite(row->test.mean);
}

static void widen(struct figure *f, double x)
{
    x *= f->unit;
    f->low = x < f->low ? x : f->low;
    f->high = x > f->high ? x : f->high;
}

/* Bits per byte only where all settings have them: the value axis is one. */
static void find_unit(struct figure *f)
{
    f->loss = f->bits = f->r->settings > 0;
    for (int i = 0; i < f->r->settings; i++) {
        f->loss &= f->r->setting[i].input.loss;
        f->bits &= verdict_has_bits(&f->r->setting[i].input);
    }
    f->unit = f->bits ? 1 / M_LN2 : 1;
}

/* The ranges of both axes: accuracies from 0 to 1, losses as far as there are some. Returns whether
 * there is anything to draw. */
static bool find_ranges(struct figure *f)
{
    f->low = INFINITY;
    f->high = -INFINITY;
    f->fewest = f->most = 0;
    find_unit(f);
    for (int i = 0; i < f->r->settings; i++) {
        const struct report_setting *set = &f->r->setting[i];
        for (int k = 0; k < set->verdict->rows; k++) {
            const struct verdict_row *row = &set->verdict->row[k];
            f->fewest = f->fewest == 0 || row->arm < f->fewest ? row->arm : f->fewest;
            f->most = row->arm > f->most ? row->arm : f->most;
            if (!has_mean(row))
                continue;
            widen(f, row->test.min);
            widen(f, row->test.max);
            widen(f, isfinite(row->test.low) ? row->test.low : row->test.mean);
            widen(f, isfinite(row->test.high) ? row->test.high : row->test.mean);
        }
    }
    if (f->low > f->high)
        return false;
    double margin = f->high > f->low ? .06 * (f->high - f->low) : .01;
    f->low = f->loss ? f->low - margin : 0;
    f->high = f->loss ? f->high + margin : 1.04;
    return true;
}

/* ---- pieces of a panel ---- */

/* The plot that follows is drawn there. */
static void figure_place(struct figure *f, struct figure_box box)
{
    text_add(&f->script,
             "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
             "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
             (double)box.x / f->width, (double)(box.x + box.width) / f->width,
             1 - (double)box.y / f->height, 1 - (double)(box.y + box.height) / f->height);
}

/* The axes of the plots of values against heads. */
static void figure_axes(struct figure *f)
{
    text_add(&f->script,
             "set border 3\nset logscale x 2\nset grid ytics lc '#dddddd' lt 1 lw 1\n"
             "set ytics scale 1 nomirror autofreq font ',11'%s\n"
             "set xrange [%.6g:%.6g]\nset yrange [%.9g:%.9g]\n",
             f->loss ? "" : " 0.2", (double)f->fewest / 1.25, (double)f->most * 1.25, f->low,
             f->high);
}

/* Where head counts are on the axis, 0 to 1. */
static double place_of(const struct figure *f, double heads)
{
    double low = log2((double)f->fewest / 1.25), high = log2((double)f->most * 1.25);
    return (log2(heads) - low) / (high - low);
}

/* A tick for each head count that was run, with its number where that has room. */
static void add_ticks(struct figure *f, const struct report_setting *set, int width, int font)
{
    double end = -INFINITY; /* of the number before */
    for (int k = 0; k < set->verdict->rows; k++) {
        char number[24];
        int64_t heads = set->verdict->row[k].arm;
        snprintf(number, sizeof number, "%lld", (long long)heads);
        double middle = width * place_of(f, (double)heads);
        double half = .3 * font * (double)strlen(number);
        bool fits = middle - half > end + .4 * font;
        text_add(&f->script, "set xtics add ('%s' %s)\n", fits ? number : "", number);
        end = fits ? middle + half : end;
    }
}

/* Gaps are not shaded. */
static void shade_plateau(struct figure *f, const struct verdict *v, bool named)
{
    if (v->plateau_low <= 0 || v->plateau_high < v->plateau_low)
        return;
    for (int i = 0, last; report_plateau_run(v, &i, &last); i = last + 1)
        text_add(&f->script,
                 "set object rectangle from %.6g, graph 0 to %.6g, graph 1 behind fillcolor rgb "
                 "'#e4f3ee' fillstyle solid noborder\n",
                 (double)v->row[i].arm / 1.12, (double)v->row[last].arm * 1.12);
    if (named)
        text_add(&f->script,
                 "set label '%s' at %.6g, graph %s center font ',11' textcolor '#007a5a'\n",
                 verdict_set_name(v), sqrt((double)v->plateau_low * (double)v->plateau_high),
                 f->loss ? "0.92" : "0.10");
}

/* A dashed line at the value of guessing, where the axis reaches it. */
static void add_guess(struct figure *f, double guess, bool named)
{
    guess *= f->unit;
    if (!isfinite(guess) || guess < f->low || guess > f->high)
        return;
    text_add(&f->script,
             "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead dt 2 lc '#888888'\n",
             guess, guess);
    if (named)
        text_add(&f->script,
                 "set label 'guessing' at graph 0.995, first %.9g right font ',11' textcolor "
                 "'#666666'\n",
                 guess + .035 * (f->high - f->low));
}

/* ---- data ---- */

/* A curve: its data blocks, 0 where one would be empty. */
struct curve {
    const struct report_setting *set;
    long means, seeds, bad;
    double aside; /* factor on head counts: several curves stand a little apart */
};

static long add_means(struct figure *f, const struct curve *c)
{
    long n = 0;
    for (int k = 0; k < c->set->verdict->rows; k++) {
        const struct verdict_row *row = &c->set->verdict->row[k];
        double mean = f->unit * row->test.mean;
        if (!has_mean(row))
            continue;
        if (n++ == 0)
            text_add(&f->script, "$d%ld << EOD\n", ++f->blocks);
        bool interval = isfinite(row->test.low);
        text_add(&f->script, "%.6f %.9g %.9g %.9g\n", (double)row->arm * c->aside, mean,
                 interval ? f->unit * row->test.low : mean,
                 interval ? f->unit * row->test.high : mean);
    }
    text_add(&f->script, n ? "EOD\n" : "");
    return n ? f->blocks : 0;
}

/* Trials stand to the right of their mean, each seed at a place of its own: multiples of the golden
 * ratio spread evenly, whatever their number. */
static double spread(const struct verdict_trial *t)
{
    double turns = (double)(t->seed + 89 * (int64_t)t->unit) * .6180339887498949;
    return exp2(.05 + .13 * (turns - floor(turns)));
}

static long add_trials(struct figure *f, const struct curve *c, bool bad)
{
    long n = 0;
    const struct verdict_input *in = &c->set->input;
    for (int k = 0; k < in->count; k++) {
        for (int i = 0; i < in->arm[k].n && has_mean(&c->set->verdict->row[k]); i++) {
            const struct verdict_trial *t = &in->arm[k].trial[i];
            double value = f->unit * (t->bad ? verdict_guess(c->set->verdict, t) : t->test);
            if (t->bad != bad || t->limited || !isfinite(value))
                continue;
            if (n++ == 0)
                text_add(&f->script, "$d%ld << EOD\n", ++f->blocks);
            text_add(&f->script, "%.6f %.9g\n", (double)in->arm[k].id * c->aside * spread(t),
                     value);
        }
    }
    text_add(&f->script, n ? "EOD\n" : "");
    return n ? f->blocks : 0;
}

/* The next element of the plot; separator: "plot" before the first, then a comma. */
static void plot_points(struct figure *f, long block, int shape, double size, const char *color,
                        const char **separator)
{
    if (!block)
        return;
    text_add(&f->script, "%s $d%ld using 1:2 with points pt %d ps %.2f lc rgb '#%s' notitle",
             *separator, block, shape, size, color);
    *separator = ",";
}

static void plot_curve(struct figure *f, const struct curve *c, int style, const char *title,
                       double size, const char **separator)
{
    enum { DOT = 7, CROSS = 2 };
    const char *color = styles[style].color;
    char pale[] = "70xxxxxx";
    memcpy(pale + 2, color, 6);
    plot_points(f, c->seeds, DOT, .7 * size, pale, separator);
    plot_points(f, c->bad, CROSS, size, color, separator);
    if (!c->means)
        return;
    text_add(&f->script,
             "%s $d%ld using 1:2:3:4 with yerrorbars pt 0 lw 1.5 lc rgb '#%s' notitle, "
             "$d%ld using 1:2 with linespoints pt %d ps %.2f lw 1.8 lc rgb '#%s' %s",
             *separator, c->means, color, c->means, styles[style].shape, size, color,
             *title ? "title " : "notitle");
    if (*title)
        gnuplot_quote(&f->script, title, 60);
    *separator = ",";
}

/* ---- panels ---- */

/* gnuplot leaves its own label out where the numbers beside it are wide. */
static void add_name_of_value(struct figure *f, struct figure_box box)
{
    text_add(&f->script, "set label '%s' at screen %.6f, screen %.6f center rotate by 90\n",
             f->bits   ? "bits per byte"
             : f->loss ? "test loss"
                       : "test accuracy",
             (f->left + 16.) / f->width, 1 - (box.y + .5 * box.height) / f->height);
}

/* Settings first to last as curves of one panel. */
static void add_panel(struct figure *f, struct figure_box box, int first, int last, bool small)
{
    struct curve c[FIGURE_CURVES] = {0};
    const char *separator = "plot";
    int curves = last - first + 1;
    bool drawn = false;
    text_add(&f->script,
             "unset label\nunset arrow\nunset object\nunset xtics\n"
             "set xtics nomirror () font ',%d'\n",
             small ? 10 : 13);
    figure_place(f, box);
    if (box.x == f->left + LEFT)
        add_name_of_value(f, box);
    for (int i = 0; i < curves; i++) {
        c[i].set = &f->r->setting[first + i];
        c[i].aside = exp2(.06 * (i - (curves - 1) / 2.));
        c[i].means = add_means(f, &c[i]);
        c[i].seeds = add_trials(f, &c[i], false);
        c[i].bad = add_trials(f, &c[i], true);
        drawn = drawn || c[i].means;
        add_ticks(f, c[i].set, box.width, small ? 10 : 13);
        add_guess(f, c[i].set->verdict->guess, i == 0 && !small);
    }
    if (curves == 1)
        shade_plateau(f, c[0].set->verdict, !small);
    for (int i = 0; i < curves; i++)
        plot_curve(f, &c[i], i, curves > 1 ? c[i].set->label : "", small ? .4 : .6, &separator);
    text_add(&f->script, drawn ? "\n" : "plot NaN notitle\n");
}

static int columns_of_panels(const struct figure *f, int panels)
{
    if (f->map && f->map->axes == 2 && f->map->axis[1].count <= 6 &&
        f->map->axis[0].count * f->map->axis[1].count == f->map->cells)
        return f->map->axis[1].count;
    return panels <= 9 ? 3 : panels <= 20 ? 4 : 6;
}

static void add_panels(struct figure *f, int top, int panels, int columns)
{
    int step = (WIDTH - LEFT - RIGHT + 14) / columns;
    for (int i = 0; i < panels; i++) {
        struct figure_box box = {LEFT + i % columns * step,
                                 top + 24 + i / columns * (PANEL_HEIGHT + PANEL_GAP), step - 14,
                                 PANEL_HEIGHT};
        text_add(&f->script, "set title offset 0,-0.6 font ',11' ");
        gnuplot_quote(&f->script, f->r->setting[i].label, box.width / 6);
        text_add(&f->script, "\nset format y '%s'\n", i % columns ? "" : "%g");
        text_add(&f->script, i + columns < panels ? "unset xlabel\n" : "set xlabel 'heads'\n");
        add_panel(f, box, i, i, true);
    }
}

/* ---- the map ---- */

enum { ROW = 40, ABOVE = 26, BELOW = 50, CELLS_MAX = 12, WIDEST = 440 };

/* Height that the map takes, its titles included; 0 where there is none to draw. */
static int figure_map_height(const struct figure *f)
{
    if (!f->map || f->map->axes != 2 || f->map->axis[0].count > CELLS_MAX ||
        f->map->axis[1].count > CELLS_MAX)
        return 0;
    return ABOVE + ROW * f->map->axis[0].count + BELOW;
}

static int index_of(const struct report_axis *axis, double value)
{
    int i = 0;
    while (i < axis->count - 1 && axis->value[i] != value)
        i++;
    return i;
}

/* From light to dark as t goes from 0 to 1: a blue that stays readable in grey. */
static unsigned color_at(double t)
{
    static const int from[3] = {0xe6, 0xf1, 0xf8}, to[3] = {0x08, 0x51, 0x9c};
    unsigned color = 0;
    for (int i = 0; i < 3; i++)
        color = color << 8 | (unsigned)lround(from[i] + t * (to[i] - from[i]));
    return color;
}

static void add_cell(struct figure *f, const struct report_cell *cell)
{
    int x = index_of(&f->map->axis[1], cell->at[1]), y = index_of(&f->map->axis[0], cell->at[0]);
    double span = log2((double)f->most / (double)f->fewest);
    double t = cell->edge > 0 && span > 0 ? log2((double)cell->edge / (double)f->fewest) / span : 0;
    struct text_buffer text = scope_text(f->r->scope);
    report_map_cell(cell, &text);
    text_add(&f->script,
             "set object rectangle from %d.0-.48, %d.0-.46 to %d.0+.48, %d.0+.46 fillcolor rgb "
             "'#%06x' fillstyle solid noborder\nset label at %d, %d center font ',12' textcolor "
             "'%s' ",
             x, y, x, y, cell->edge > 0 ? color_at(t) : 0xeeeeee, x, y,
             t > .5 ? "#ffffff" : "#222222");
    gnuplot_quote(&f->script, text.text, 24);
    text_add(&f->script, "\n");
}

static void add_axis(struct figure *f, const char *which, const struct report_axis *axis)
{
    text_add(&f->script, "set %stics scale 0 nomirror (", which);
    for (int i = 0; i < axis->count; i++)
        text_add(&f->script, "%s'%.6g' %d", i ? ", " : "", axis->value[i], i);
    text_add(&f->script, ") font ',12'\nset %slabel ", which);
    gnuplot_quote(&f->script, axis->name, 40);
    text_add(&f->script, " offset %s\n", *which == 'x' ? "0,0.5" : "0.5,0");
}

/* Draws it from `top` on. */
static void figure_map(struct figure *f, int top)
{
    const struct report_axis *axis = f->map->axis;
    int width = 120 * axis[1].count < WIDEST ? 120 * axis[1].count : WIDEST;
    figure_place(
        f, (struct figure_box){(f->width - width) / 2, top + ABOVE, width, ROW * axis[0].count});
    text_add(&f->script,
             "unset logscale x\nunset grid\nset border 0\n"
             "set title offset 0,-0.4 font ',12' 'Each %s and, in brackets and by colour, the "
             "fewest heads that do as well as the best'\n",
             report_map_set(f->map));
    add_axis(f, "x", &axis[1]);
    add_axis(f, "y", &axis[0]);
    /* The first value on top, as in the report's table and in the panels below. */
    text_add(&f->script, "set xrange [-.5:%d.5]\nset yrange [%d.5:-.5]\n", axis[1].count - 1,
             axis[0].count - 1);
    for (int i = 0; i < f->map->cells; i++)
        add_cell(f, &f->map->cell[i]);
    text_add(&f->script,
             "plot NaN notitle\nunset label\nunset object\nunset title\nunset ylabel\n");
    figure_axes(f);
}

/* ---- the figure ---- */

static void begin(struct figure *f)
{
    text_add(&f->script,
             "set encoding utf8\n"
             "set terminal svg noenhanced size %d,%d font 'Helvetica,13' background '#ffffff' name "
             "'headcount'\n"
             "set multiplot\n"
             "set border 3 lc '#444444'\nunset mxtics\nset errorbars 0.6\n"
             "set pointintervalbox 0\n",
             f->width, f->height);
}

/* A line of small grey text above a sweep's part, so many pixels below the top. */
static void add_small_line(struct figure *f, int label, double below, const char *text, int columns)
{
    text_add(&f->script,
             "\nset label %d at screen %.6f, screen %.6f center font ',11' textcolor '#666666' ",
             label, (f->left + f->part / 2.) / f->width, 1 - below / f->height);
    gnuplot_quote(&f->script, text, columns);
}

/* What is the same in all of the sweep: in one line or, cut at a comma, in two. */
static void add_about(struct figure *f)
{
    struct text_buffer about = scope_text(f->r->scope);
    int columns = f->part * 13 / 72;
    text_add(&about, "%s%s%s", f->r->task, *f->r->fixed ? ": " : "", f->r->fixed);
    char *cut = NULL;
    for (int i = 0; i < columns && about.used > (size_t)columns; i++)
        cut = strncmp(about.text + i, ", ", 2) == 0 ? about.text + i + 1 : cut;
    if (cut) {
        *cut = '\0';
        add_small_line(f, 3, 53, cut + 1, columns);
    }
    add_small_line(f, 2, cut ? 39 : 42, about.text, columns);
}

/* Above a sweep's part: its name and what it is about. */
static void add_titles(struct figure *f)
{
    text_add(&f->script, "unset key\nunset xtics\nunset xlabel\nunset label\nunset arrow\n"
                         "unset object\n"); /* of the sweep before */
    figure_axes(f);
    text_add(&f->script, "set label 1 at screen %.6f, screen %.6f center font ',16' ",
             (f->left + f->part / 2.) / f->width, 1 - 22. / f->height);
    gnuplot_quote(&f->script, f->r->name, f->part / 10);
    add_about(f);
    /* An empty plot carries what belongs to the whole. */
    text_add(&f->script, "\nunset border\nunset tics\nplot NaN notitle\nunset label\n");
    figure_axes(f);
}

/* Height of the names of a sweep's curves. */
static int key_height(const struct report_data *r)
{
    return r->settings > 1 ? KEY_LINE * ((r->settings + 1) / 2) + 6 : 0;
}

static bool has_one_panel(const struct figure *f)
{
    return f->r->settings <= FIGURE_CURVES && figure_map_height(f) == 0;
}

/* A sweep as one panel, in its part of the figure. */
static void add_single(struct figure *f)
{
    int curves = f->r->settings;
    add_titles(f);
    if (curves > 1)
        text_add(&f->script,
                 "set key at screen %.6f, screen %.6f center bottom horizontal Left reverse "
                 "samplen 2 maxcols 2 font ',12'\n",
                 (f->left + f->part / 2.) / f->width, 6. / f->height);
    text_add(&f->script, "set xlabel 'attention heads'\n");
    add_panel(f, (struct figure_box){f->left + LEFT, TITLE, f->part - LEFT - RIGHT, SINGLE_HEIGHT},
              0, curves - 1, false);
}

static void add_many(struct figure *f)
{
    int panels = f->r->settings < FIGURE_PANELS ? f->r->settings : FIGURE_PANELS;
    int columns = columns_of_panels(f, panels), rows = (panels + columns - 1) / columns;
    int map = figure_map_height(f), left_out = f->r->settings - panels;
    f->width = f->part = WIDTH;
    f->height = TITLE + map + 24 + rows * (PANEL_HEIGHT + PANEL_GAP) + (left_out ? 20 : 0);
    begin(f);
    add_titles(f);
    if (left_out)
        text_add(&f->script,
                 "set label 3 at screen 0.5, screen %.6f center font ',11' textcolor '#666666' "
                 "'%s %s not drawn'\n",
                 10. / f->height, text_counted(left_out, "more setting").text,
                 left_out == 1 ? "is" : "are");
    if (map)
        figure_map(f, TITLE);
    add_panels(f, TITLE + map, panels, columns);
}

/* What follows is drawn of this sweep. */
static void take_sweep(struct figure *f, const struct report_data *r)
{
    f->r = r;
    if (!find_ranges(f))
        scope_fail(r->scope, STATUS_BAD_INPUT, "no trial of %s has ended: nothing to draw yet",
                   r->name);
    f->map = report_map_new(r);
}

static void add_side_by_side(struct figure *f, struct report_data *const *r, int sweeps)
{
    int key = 0;
    f->part = sweeps > 1 ? PART : WIDTH;
    f->width = f->part * sweeps;
    for (int i = 0; i < sweeps; i++)
        key = key_height(r[i]) > key ? key_height(r[i]) : key;
    f->height = TITLE + SINGLE_HEIGHT + BOTTOM + key;
    begin(f);
    for (int i = 0; i < sweeps; i++) {
        take_sweep(f, r[i]);
        if (!has_one_panel(f))
            scope_fail(
                r[i]->scope, STATUS_BAD_INPUT,
                "%s needs a panel for each of its %d settings, but beside other sweeps there is "
                "room for only one; draw it alone",
                r[i]->name, r[i]->settings);
        f->left = i * f->part;
        add_single(f);
    }
}

static void draw(struct scope *x, struct report_data *const *r, int sweeps, struct text_buffer *svg)
{
    struct figure f = {.script = scope_text(x)};
    take_sweep(&f, r[0]);
    if (sweeps > 1 || has_one_panel(&f))
        add_side_by_side(&f, r, sweeps);
    else
        add_many(&f);
    text_add(&f.script, "unset multiplot\n");
    scope_check(x, gnuplot_draw(&f.script, svg, x->message));
}

enum status figure_draw(struct store *s, const int64_t *sweep_id, int sweeps,
                        struct text_buffer *svg, struct message *m)
{
    struct scope *x = scope_new(s, "the figure", m);
    if (scope_enter(x)) {
        struct report_data **r = arena_alloc(&x->arena, (size_t)sweeps, sizeof *r);
        for (int i = 0; i < sweeps; i++)
            r[i] = report_data_read(x, sweep_id[i], false);
        draw(x, r, sweeps, svg);
    }
    return scope_end(x);
}
