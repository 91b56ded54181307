/* The map: a cell for each setting, coloured by h*, the fewest heads that do as well as the best.
 */
#include "sweep/report/figure_parts.h"

#include <math.h>

#include "sweep/report/gnuplot.h"

enum { ROW = 40, ABOVE = 26, BELOW = 50, CELLS_MAX = 12, WIDEST = 440 };

int figure_map_height(const struct figure *f)
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

void figure_map(struct figure *f, int top)
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
