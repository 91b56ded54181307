/* The map in words and numbers: for people and as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/report/report_map.h"

enum { TITLE_SIZE = 128 };

void report_plateau(const struct report_setting *set, struct text_buffer *text)
{
    const struct verdict *v = set->verdict;
    for (int i = 0, end; i < v->rows; i = end + 1) {
        end = i;
        if (!v->row[i].in_plateau)
            continue;
        while (end + 1 < v->rows && v->row[end + 1].in_plateau)
            end++;
        text_add(text, "%s%lld", text->used ? ", " : "", (long long)v->row[i].heads);
        if (end > i)
            text_add(text, "-%lld", (long long)v->row[end].heads);
    }
}

/* Why a cell has no h*. */
static const char *missing(const struct verdict *v)
{
    switch (v->kind) {
    case VERDICT_AT_CHANCE:
        return "at chance";
    case VERDICT_UNTRAINED:
        return "none trained";
    case VERDICT_UNFINISHED:
        return "not finished";
    default:
        return "nothing yet";
    }
}

/* "4-16 (4)", or why there is none; empty where no setting is. */
static void add_cell(struct table *t, const struct report_cell *c)
{
    struct text_buffer text = {0};
    if (c && c->edge) {
        report_plateau(c->set, &text);
        text_add(&text, "%s(%lld)", text.used ? " " : "", (long long)c->edge);
    } else if (c) {
        text_add(&text, "%s", missing(c->set->verdict));
    }
    table_buffer(t, &text);
}

static const struct report_cell *cell_at(const struct report_map *map, double x, double y)
{
    for (int i = 0; i < map->cells; i++)
        if (map->cell[i].at[0] == x && map->cell[i].at[1] == y)
            return &map->cell[i];
    return NULL;
}

/* A line per value of the first axis, a column per value of the second. columns, title: room for
 * as many and one more. */
static struct table *make_wide(const struct report_map *map, struct table_column *columns,
                               char (*title)[TITLE_SIZE])
{
    const struct report_axis *down = &map->axis[0], *across = &map->axis[1];
    columns[0] = (struct table_column){.title = down->name, .right = true};
    for (int k = 0; k < across->count; k++) {
        snprintf(title[k], TITLE_SIZE, "%s=%.6g", across->name, across->value[k]);
        columns[1 + k] = (struct table_column){.title = title[k]};
    }
    struct table *t = table_new(columns);
    for (int i = 0; i < down->count; i++) {
        table_printf(t, "%.6g", down->value[i]);
        for (int k = 0; k < across->count; k++)
            add_cell(t, cell_at(map, down->value[i], across->value[k]));
    }
    return t;
}

/* A line per setting. */
static struct table *make_long(const struct report_map *map,
                               struct table_column columns[FIT_AXES_MAX + 2])
{
    for (int k = 0; k < map->axes; k++)
        columns[k] = (struct table_column){.title = map->axis[k].name, .right = true};
    columns[map->axes] = (struct table_column){.title = "plateau (h*)"};
    columns[map->axes + 1] = (struct table_column){0};
    struct table *t = table_new(columns);
    for (int i = 0; i < map->cells; i++) {
        for (int k = 0; k < map->axes; k++)
            table_printf(t, "%.6g", map->cell[i].at[k]);
        add_cell(t, &map->cell[i]);
    }
    return t;
}

static enum status write_wide(const struct report_map *map, struct document *d, bool *fits,
                              struct message *m)
{
    size_t across = (size_t)map->axis[1].count;
    struct table_column *columns = calloc(across + 2, sizeof *columns);
    char(*title)[TITLE_SIZE] = calloc(across, sizeof *title);
    struct table *t = columns && title ? make_wide(map, columns, title) : NULL;
    *fits = d->markdown || table_width(t) <= d->page;
    enum status s = *fits ? document_table(d, t, m) : STATUS_OK;
    table_free(t);
    free(title);
    free(columns);
    return s;
}

/* Across and down where there is room, else a line per setting. */
static enum status write_table(const struct report_map *map, struct document *d, struct message *m)
{
    struct table_column columns[FIT_AXES_MAX + 2];
    bool written = false;
    if (map->axes == 2) {
        enum status s = write_wide(map, d, &written, m);
        if (written)
            return s;
    }
    struct table *t = make_long(map, columns);
    enum status s = document_table(d, t, m);
    table_free(t);
    return s;
}

/* ---- the sentences ---- */

/* Not "-0.00". */
static double shown(double x)
{
    return fabs(x) < .005 ? 0 : x;
}

static void add_line(const struct report_map *map, struct text_buffer *text)
{
    const struct fit_term *b = map->fit.term;
    text_add(text, "The fewest heads that do as well as the best, h*: log2 h* = %.2f",
             shown(b[0].estimate));
    for (int k = 0; k < map->axes; k++)
        text_add(text, " %c %.2f log2 %s", shown(b[k + 1].estimate) < 0 ? '-' : '+',
                 fabs(b[k + 1].estimate), map->axis[k].name);
    text_add(text, ".");
}

static void add_slope(const struct report_map *map, int k, struct text_buffer *text)
{
    const struct fit_term *b = &map->fit.term[k + 1];
    text_add(text, "%s: coefficient %+.2f", map->axis[k].name, shown(b->estimate));
    if (isnan(b->low))
        text_add(text, ", without an interval");
    else
        text_add(text, ", 95%% interval %+.2f to %+.2f", shown(b->low), shown(b->high));
    text_add(text, "; doubling it goes with %.2f times the heads", exp2(b->estimate));
    if (!isnan(b->low))
        text_add(text, " (%.2f to %.2f)", exp2(b->low), exp2(b->high));
    text_add(text, ".");
}

static void add_source(const struct report_map *map, const char *unit, struct text_buffer *text)
{
    const struct fit *f = &map->fit;
    text_add(text, "Least squares over %d settings", f->cells);
    if (!isnan(f->r2))
        text_add(text, " (R squared %.2f)", f->r2);
    if (f->draws == 0)
        text_add(text, "; one %s is nothing to draw an interval from.", unit);
    else if (isnan(f->term[0].low))
        text_add(text,
                 "; no intervals, as only %d of %d draws of %ss leave enough settings to fit.",
                 f->draws, FIT_DRAWS, unit);
    else
        text_add(text,
                 "; intervals are percentiles of %d bootstrap draws of the %d %ss, the same for "
                 "all head counts and settings%s. They say how far the line hangs on the %ss, not "
                 "whether it is straight.",
                 f->draws, map->units, unit,
                 map->units < 20 ? ", which with so few are rather too narrow" : "", unit);
}

static void add_bounds(const struct report_map *map, struct text_buffer *text)
{
    const struct fit *f = &map->fit;
    int without = map->cells - f->cells;
    if (f->floor)
        text_add(text,
                 "In %d of %d settings h* is the smallest head count tried and could not come out "
                 "lower, which mostly makes the line too flat.",
                 f->floor, f->cells);
    if (without)
        text_add(text, "%s%d of %d settings %s no h* and %s left out of the fit.",
                 f->floor ? " " : "", without, map->cells, without == 1 ? "has" : "have",
                 without == 1 ? "is" : "are");
}

static void add_impossible(const struct report_map *map, struct text_buffer *text)
{
    text_add(text,
             "No line through h*: %d settings have one, and %d are needed, whose axes vary apart "
             "(%d more than the line has coefficients; fewer lie near some line by chance).",
             map->fit.cells, 1 + map->axes + FIT_CELLS_SPARE, FIT_CELLS_SPARE);
}

static const char MAP_LEGEND[] =
    "Each setting's plateau and, in brackets, h*: the fewest heads whose mean validation value is "
    "within 0.005 of the best. h* is an estimate and not the edge that tests find, which moves "
    "down as seeds become fewer.";

static void write_fit(const struct report_data *r, const struct report_map *map, const char *unit,
                      struct document *d)
{
    struct text_buffer text = {0};
    bool possible = map->fit.possible;
    (possible ? add_line : add_impossible)(map, &text);
    document_text(d, DOCUMENT_FINDING, &text);
    for (int k = 0; k < map->axes && possible; k++) {
        add_slope(map, k, &text);
        document_text(d, DOCUMENT_ITEM, &text);
    }
    if (possible)
        add_source(map, unit, &text);
    document_text(d, DOCUMENT_ITEM, &text);
    add_bounds(map, &text);
    document_text(d, DOCUMENT_ITEM, &text);
    if (r->ended < r->planned)
        document_item(d, "Preliminary: the map moves until all trials have ended.");
}

enum status report_map_people(const struct report_data *r, const struct report_map *map,
                              struct document *d, struct message *m)
{
    const char *unit = r->setting[0].verdict->unit;
    document_heading(d, "Map");
    enum status s = write_table(map, d, m);
    if (s != STATUS_OK)
        return s;
    write_fit(r, map, unit, d);
    document_paragraph(d, MAP_LEGEND);
    return STATUS_OK;
}

/* ---- JSON ---- */

static void put_cell(FILE *out, const struct report_map *map, const struct report_cell *c)
{
    const struct verdict *v = c->set->verdict;
    fputs("{\"setting\":", out);
    text_json_as_is(out, c->set->setting);
    fputs(",\"at\":[", out);
    for (int k = 0; k < map->axes; k++) {
        fputs(k ? "," : "", out);
        text_json_real(out, c->at[k]);
    }
    fputs("],\"plateau\":[", out);
    for (int i = 0, n = 0; i < v->rows; i++)
        if (v->row[i].in_plateau)
            fprintf(out, "%s%lld", n++ ? "," : "", (long long)v->row[i].heads);
    fprintf(out, "],\"kind\":\"%s\",\"h_star\":", verdict_kind_name(v->kind));
    if (c->edge)
        fprintf(out, "%lld}", (long long)c->edge);
    else
        fputs("null}", out);
}

static void put_term(FILE *out, const char *path, const struct fit_term *t)
{
    fputs("{\"log2_of\":", out);
    text_json(out, path);
    text_json_member(out, "estimate", t->estimate);
    text_json_member(out, "ci95_low", t->low);
    text_json_member(out, "ci95_high", t->high);
    fputc('}', out);
}

void report_map_json(const struct report_map *map, FILE *out)
{
    if (!map) {
        fputs("null", out);
        return;
    }
    const struct fit *f = &map->fit;
    fputs("{\"axes\":[", out);
    for (int k = 0; k < map->axes; k++) {
        fputs(k ? "," : "", out);
        text_json(out, map->axis[k].path);
    }
    fputs("],\"cells\":[", out);
    for (int i = 0; i < map->cells; i++) {
        fputs(i ? "," : "", out);
        put_cell(out, map, &map->cell[i]);
    }
    fprintf(out, "],\"fit\":{\"possible\":%s,\"cells\":%d,\"floor\":%d,\"units\":%d,\"draws\":%d",
            f->possible ? "true" : "false", f->cells, f->floor, map->units, f->draws);
    text_json_member(out, "r_squared", f->r2);
    fputs(",\"terms\":[", out);
    for (int k = 0; k <= map->axes; k++) {
        fputs(k ? "," : "", out);
        put_term(out, k ? map->axis[k - 1].path : NULL, &f->term[k]);
    }
    fputs("]}}", out);
}
