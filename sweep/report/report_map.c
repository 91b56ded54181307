#include "sweep/report/report_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json.h"

/* ---- axes ---- */

/* The next member of a setting, {"model.d_model":32,"task.slots":4}: its path, in j->text, and its
 * value where that is a quantity. False at the end or where it is none. */
static bool next_member(struct json *j, const char **path, double *value)
{
    const char *text;
    bool quoted;
    char *end;
    if (!json_string(j, path) || !json_expect(j, ':') || !json_scalar(j, &text, &quoted))
        return false;
    *value = strtod(text, &end);
    return !quoted && end > text && *end == '\0' && isfinite(*value) && *value > 0 &&
           strcmp(*path, "task.instance") != 0;
}

/* What a task asks stands before what a model has, the question before the answer. */
static void order_axes(const char *path[FIT_AXES_MAX], double at[FIT_AXES_MAX])
{
    const char task[] = "task.", *first = path[0];
    double x = at[0];
    if (strncmp(path[0], task, strlen(task)) == 0 || strncmp(path[1], task, strlen(task)) != 0)
        return;
    path[0] = path[1];
    path[1] = first;
    at[0] = at[1];
    at[1] = x;
}

/* Reads a setting's place on at most FIT_AXES_MAX axes; returns how many it has, 0 where it has
 * more or one that is no quantity. paths: within text, which needs strlen(setting) + 1. */
static int place_of(const char *setting, char *text, const char *path[FIT_AXES_MAX],
                    double at[FIT_AXES_MAX])
{
    struct message ignored;
    const unsigned char *bytes = (const unsigned char *)setting;
    struct json j = {.start = bytes,
                     .next = bytes,
                     .end = bytes + strlen(setting),
                     .place = "setting",
                     .text = text,
                     .m = &ignored};
    int n = 0;
    bool more = json_take(&j, '{') && !json_take(&j, '}');
    while (more) {
        if (n == FIT_AXES_MAX || !next_member(&j, &path[n], &at[n]) || !json_more(&j, '}', &more))
            return 0;
        n++;
    }
    if (n == 2)
        order_axes(path, at);
    return n;
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The values that the cells have on axis k. */
static void find_values(struct arena *a, struct report_map *map, int k)
{
    struct report_axis *axis = &map->axis[k];
    axis->value = arena_alloc(a, (size_t)map->cells, sizeof *axis->value);
    for (int i = 0; i < map->cells; i++)
        axis->value[i] = map->cell[i].at[k];
    qsort(axis->value, (size_t)map->cells, sizeof *axis->value, compare_reals);
    for (int i = 0; i < map->cells; i++)
        if (axis->count == 0 || axis->value[i] != axis->value[axis->count - 1])
            axis->value[axis->count++] = axis->value[i];
}

/* The axes and each cell's place on them; map->axes stays 0 where this is no map. */
static void find_axes(const struct report_data *r, struct report_map *map)
{
    struct arena *a = &r->scope->arena;
    const char *path[FIT_AXES_MAX];
    int axes = 0;
    for (int i = 0; i < r->settings; i++) {
        map->cell[i].set = &r->setting[i];
        char *text = arena_alloc(a, strlen(r->setting[i].setting) + 1, 1);
        int n = place_of(r->setting[i].setting, text, path, map->cell[i].at);
        bool same = i == 0 || n == axes;
        for (int k = 0; k < n && same; k++) {
            struct report_axis *axis = &map->axis[k];
            if (i == 0)
                axis->path = arena_string(a, path[k]);
            same = strcmp(axis->path, path[k]) == 0;
        }
        axes = n;
        if (n == 0 || !same)
            return;
    }
    for (int k = 0; k < axes; k++) {
        struct report_axis *axis = &map->axis[k];
        find_values(a, map, k);
        const char *dot = strrchr(axis->path, '.');
        axis->name = dot ? dot + 1 : axis->path;
    }
    bool heads = false;
    for (int i = 0; i < r->settings; i++)
        heads = heads || r->setting[i].input.count > 1;
    bool enough = axes == 1 ? map->axis[0].count > 2
                            : axes == 2 && map->axis[0].count > 1 && map->axis[1].count > 1;
    map->axes = enough && heads ? axes : 0;
}

/* ---- the fit ---- */

/* What the fit reads, laid out for it. */
struct values {
    int64_t *unit; /* (units), rising: seeds or, with replicate, instances */
    int units;
    double *value; /* (heads of all cells, units) */
    struct fit_heads *heads;
    struct fit_cell *cell;
};

static int64_t unit_of(const struct verdict_input *in, const struct verdict_trial *t)
{
    return in->replicated ? t->unit : t->seed;
}

static int compare_units(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void find_units(const struct report_data *r, struct values *v)
{
    int n = 0;
    for (int i = 0; i < r->settings; i++) {
        const struct verdict_input *in = &r->setting[i].input;
        for (int k = 0; k < in->count; k++)
            for (int t = 0; t < in->arm[k].n; t++)
                v->unit[n++] = unit_of(in, &in->arm[k].trial[t]);
    }
    qsort(v->unit, (size_t)n, sizeof *v->unit, compare_units);
    for (int i = 0; i < n; i++)
        if (v->units == 0 || v->unit[i] != v->unit[v->units - 1])
            v->unit[v->units++] = v->unit[i];
}

/* The validation value of a trial, larger better, a bad one's a guess; NaN: it does not count. */
static double value_of(const struct report_setting *set, const struct verdict_trial *t)
{
    double value = t->limited ? NAN : t->bad ? verdict_guess(set->verdict, t) : t->val;
    return set->input.loss ? -value : value;
}

/* Means of a head count by unit. */
static void fill_values(const struct report_setting *set, const struct verdict_arm *h,
                        const struct values *v, double *value)
{
    for (int u = 0; u < v->units; u++) {
        double sum = 0;
        int n = 0;
        for (int t = 0; t < h->n; t++) {
            double x = value_of(set, &h->trial[t]);
            if (unit_of(&set->input, &h->trial[t]) == v->unit[u] && !isnan(x)) {
                sum += x;
                n++;
            }
        }
        value[u] = n ? sum / n : NAN;
    }
}

/* Whether trials have ended, and none of any head count solved the setting. */
static bool is_unsolved(const struct report_setting *set)
{
    int trials = 0, solved = 0;
    for (int k = 0; k < set->verdict->rows; k++) {
        trials += set->verdict->row[k].trials;
        solved += set->verdict->row[k].solved;
    }
    return !set->input.loss && trials > 0 && solved == 0;
}

/* A lower edge means something only where the setting was learned somewhere, so that it has a best
 * and, where that can be told, was solved, and where there are head counts to choose from. */
static void fill_cells(const struct report_map *map, struct values *v)
{
    struct fit_heads *heads = v->heads;
    double *value = v->value;
    for (int i = 0; i < map->cells; i++) {
        const struct report_setting *set = map->cell[i].set;
        struct fit_cell *c = &v->cell[i];
        *c = (struct fit_cell){.heads = heads};
        memcpy(c->axis, map->cell[i].at, sizeof c->axis);
        bool learned = set->verdict->best && !map->cell[i].unsolved;
        for (int k = 0; k < set->input.count && learned; k++) {
            if (set->verdict->row[k].limited || set->verdict->row[k].mostly_bad)
                continue; /* not finished, or guesses, which are never the best */
            fill_values(set, &set->input.arm[k], v, value);
            *heads++ = (struct fit_heads){set->input.arm[k].id, value};
            c->count++;
            value += v->units;
        }
        if (c->count == 1)
            c->count = 0;
    }
}

/* Where nearly all draws give the same slope, they do not tell how far it may lie off: no interval.
 */
static void drop_points(struct fit *f)
{
    const double rounding = 1e-9;
    for (int t = 0; t < FIT_TERMS_MAX; t++)
        if (f->term[t].high - f->term[t].low < rounding)
            f->term[t].low = f->term[t].high = NAN;
}

static void fit_cells(const struct report_data *r, struct report_map *map)
{
    struct scope *x = r->scope;
    size_t heads = 0, trials = 0;
    for (int i = 0; i < r->settings; i++) {
        heads += (size_t)r->setting[i].input.count;
        for (int k = 0; k < r->setting[i].input.count; k++)
            trials += (size_t)r->setting[i].input.arm[k].n;
    }
    struct values v = {.unit = arena_alloc(&x->arena, trials, sizeof *v.unit),
                       .heads = arena_alloc(&x->arena, heads, sizeof *v.heads),
                       .cell = arena_alloc(&x->arena, (size_t)map->cells, sizeof *v.cell)};
    find_units(r, &v);
    v.value = arena_alloc(&x->arena, heads * (size_t)v.units, sizeof *v.value);
    int *each = arena_alloc(&x->arena, (size_t)v.units, sizeof *each);
    struct fit_input in = {map->axes, map->cells, v.cell, v.units, VERDICT_TOLERANCE};
    for (int i = 0; i < map->cells; i++) {
        map->cell[i].unsolved = is_unsolved(map->cell[i].set);
        map->unsolved += map->cell[i].unsolved;
    }
    fill_cells(map, &v);
    for (int u = 0; u < v.units; u++)
        each[u] = 1;
    for (int i = 0; i < map->cells; i++)
        map->cell[i].edge = fit_edge(&v.cell[i], each, v.units, VERDICT_TOLERANCE);
    map->units = v.units;
    map->fit = fit_map(x, &in);
    for (int i = 0; i < map->cells; i++)
        if (fit_at_floor(&v.cell[i], map->cell[i].edge))
            v.cell[i].count = 0;
    map->above = fit_map(x, &in);
    drop_points(&map->fit);
    drop_points(&map->above);
}

struct report_map *report_map_new(const struct report_data *r)
{
    struct arena *a = &r->scope->arena;
    struct report_map *map = arena_alloc(a, 1, sizeof *map);
    map->cells = r->settings;
    map->cell = arena_alloc(a, (size_t)r->settings, sizeof *map->cell);
    find_axes(r, map);
    if (map->axes == 0)
        return NULL;
    fit_cells(r, map);
    return map;
}

bool report_plateau_run(const struct verdict *v, int *first, int *last)
{
    while (*first < v->rows && !v->row[*first].in_plateau)
        ++*first;
    *last = *first;
    while (*last + 1 < v->rows && v->row[*last + 1].in_plateau)
        ++*last;
    return *first < v->rows;
}

/* Why a cell has no h*. */
static const char *missing(const struct report_cell *c)
{
    switch (c->set->verdict->kind) {
    case VERDICT_AT_CHANCE:
        return "at chance";
    case VERDICT_UNTRAINED:
        return "none trained";
    case VERDICT_UNFINISHED:
        return "not finished";
    case VERDICT_SINGLE:
        return "one head count";
    default:
        return c->unsolved ? "unsolved" : "nothing yet";
    }
}

void report_map_cell(const struct report_cell *c, struct text_buffer *text)
{
    const struct verdict *v = c->set->verdict;
    size_t before = text->used;
    for (int i = 0, last; report_plateau_run(v, &i, &last); i = last + 1) {
        text_add(text, "%s%lld", text->used > before ? ", " : "", (long long)v->row[i].arm);
        if (last > i)
            text_add(text, "-%lld", (long long)v->row[last].arm);
    }
    bool any = text->used > before;
    if (c->edge)
        text_add(text, "%s (%lld)", any ? "" : "none", (long long)c->edge);
    else
        text_add(text, any ? " (%s)" : "%s", missing(c));
}

/* Empty where no setting is. */
static void add_cell(struct scope *x, struct table *t, const struct report_cell *c)
{
    struct text_buffer text = scope_text(x);
    if (c)
        report_map_cell(c, &text);
    table_text(t, text.text);
}

static const struct report_cell *cell_at(const struct report_map *map, double x, double y)
{
    for (int i = 0; i < map->cells; i++)
        if (map->cell[i].at[0] == x && map->cell[i].at[1] == y)
            return &map->cell[i];
    return NULL;
}

static void add_axis(struct table *t, const struct report_axis *axis)
{
    table_add_titled(t, (struct table_column){.right = true}, "%s", axis->name);
}

/* A line per value of the first axis, a column per value of the second. */
static struct table *make_wide(struct scope *x, const struct report_map *map)
{
    static const struct table_column column = {0};
    const struct report_axis *down = &map->axis[0], *across = &map->axis[1];
    struct table *t = table_new(x, &column);
    add_axis(t, down);
    for (int k = 0; k < across->count; k++)
        table_add_titled(t, column, "%s=%.6g", across->name, across->value[k]);
    for (int i = 0; i < down->count; i++) {
        table_printf(t, "%.6g", down->value[i]);
        for (int k = 0; k < across->count; k++)
            add_cell(x, t, cell_at(map, down->value[i], across->value[k]));
    }
    return t;
}

const char *report_map_set(const struct report_map *map)
{
    return map->cells && map->cell[0].set->input.equivalence > 0 ? "plateau" : "confidence set";
}

/* A line per setting. */
static struct table *make_long(struct scope *x, const struct report_map *map)
{
    static const struct table_column column = {0};
    struct table *t = table_new(x, &column);
    for (int k = 0; k < map->axes; k++)
        add_axis(t, &map->axis[k]);
    table_add_titled(t, column, "%s (h*)", report_map_set(map));
    for (int i = 0; i < map->cells; i++) {
        for (int k = 0; k < map->axes; k++)
            table_printf(t, "%.6g", map->cell[i].at[k]);
        add_cell(x, t, &map->cell[i]);
    }
    return t;
}

/* Across and down where there is room, else a line per setting. */
static void write_table(const struct report_map *map, struct document *d)
{
    struct table *t = map->axes == 2 ? make_wide(d->scope, map) : make_long(d->scope, map);
    if (map->axes == 2 && !d->markdown && table_width(t) > d->page)
        t = make_long(d->scope, map);
    document_table(d, t);
}

/* ---- the sentences ---- */

/* Not "-0.00". */
static double shown(double x)
{
    return fabs(x) < .005 ? 0 : x;
}

/* "log2 h* = 0.49 + 0.87 log2 slots - 0.12 log2 d_model" */
static void add_formula(const struct report_map *map, const struct fit *f, struct text_buffer *text)
{
    const struct fit_term *b = f->term;
    text_add(text, "log2 h* = %.2f", shown(b[0].estimate));
    for (int k = 0; k < map->axes; k++)
        text_add(text, " %c %.2f log2 %s", shown(b[k + 1].estimate) < 0 ? '-' : '+',
                 fabs(b[k + 1].estimate), map->axis[k].name);
}

static void add_line(const struct report_map *map, struct text_buffer *text)
{
    text_add(text, "The fewest heads that do as well as the best, h*: ");
    add_formula(map, &map->fit, text);
    text_add(text, ".");
}

/* Whether heads divide d_model among them in all settings. */
static bool heads_split(const struct report_map *map, int k)
{
    if (strcmp(map->axis[k].path, "model.d_model") != 0)
        return false;
    for (int i = 0; i < map->cells; i++) {
        const struct verdict *v = map->cell[i].set->verdict;
        for (int h = 0; h < v->rows; h++)
            if ((double)(v->row[h].arm * v->row[h].d_head) != map->cell[i].at[k])
                return false;
    }
    return true;
}

/* What two slopes would mean, and which of them the interval has. */
static void add_meaning(const struct fit_term *b, struct text_buffer *text)
{
    bool zero = b->low <= 0 && b->high >= 0, one = b->low <= 1 && b->high >= 1;
    text_add(text, " 0 would mean that the best number of heads stays, 1 that their best width "
                   "does: the interval has ");
    text_add(text, zero && one ? "both." : zero ? "0, not 1." : one ? "1, not 0." : "neither.");
}

static bool is_at_end(const struct fit_term *b)
{
    return fabs(b->estimate - b->low) < .005 || fabs(b->estimate - b->high) < .005;
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
    if (isnan(b->low))
        return;
    if (b->high > b->low && is_at_end(b))
        text_add(text, " The estimate lies at an end of its interval because h* jumps from one "
                       "head count tried to the next.");
    if (heads_split(map, k))
        add_meaning(b, text);
}

static int slopes_with_interval(const struct report_map *map, const struct fit *f)
{
    int n = 0;
    for (int k = 0; k < map->axes; k++)
        n += !isnan(f->term[k + 1].low);
    return n;
}

static void add_source(const struct report_map *map, const char *unit, struct text_buffer *text)
{
    const struct fit *f = &map->fit;
    text_add(text, "Least squares over %d settings", f->cells);
    if (!isnan(f->r2))
        text_add(text, " (R squared %.2f)", f->r2);
    if (f->draws == 0)
        text_add(text, "; one %s is nothing to draw an interval from.", unit);
    else if (f->draws <= FIT_DRAWS / 2)
        text_add(text,
                 "; no intervals, as only %d of %d draws of %ss leave enough settings to fit.",
                 f->draws, FIT_DRAWS, unit);
    else if (slopes_with_interval(map, f) == 0)
        text_add(text,
                 "; no intervals, as nearly all of %d bootstrap draws of the %d %ss give the same "
                 "line, which does not make it exact.",
                 f->draws, map->units, unit);
    else
        text_add(text,
                 "; intervals are percentiles of %d bootstrap draws of the %d %ss, the same for "
                 "all head counts and settings%s. They say how far the line hangs on the %ss, not "
                 "whether it is straight.",
                 f->draws, map->units, unit,
                 map->units < 20 ? ", which with so few are rather too narrow" : "", unit);
}

/* " Without them: log2 h* = ...; 95% intervals: slots +0.87 to +1.33, ..." */
static void add_above(const struct report_map *map, struct text_buffer *text)
{
    const struct fit *f = &map->above;
    if (!f->possible)
        return;
    text_add(text, " Without them: ");
    add_formula(map, f, text);
    const char *before = "; 95% intervals:";
    for (int k = 0; k < map->axes; k++) {
        if (isnan(f->term[k + 1].low))
            continue;
        text_add(text, "%s %s %+.2f to %+.2f", before, map->axis[k].name, shown(f->term[k + 1].low),
                 shown(f->term[k + 1].high));
        before = ",";
    }
    text_add(text, ".");
}

static void add_floor(const struct report_map *map, struct text_buffer *text)
{
    const struct fit *f = &map->fit;
    if (f->floor == 0)
        return;
    text_add(text,
             "In %d of %s h* is the smallest head count tried and could not come out "
             "lower%s.",
             f->floor, text_counted(f->cells, "setting").text,
             f->possible ? ", which mostly makes the line too flat" : "");
    add_above(map, text);
}

/* "1 of 12 settings is solved by no head count tried and is left out of the fit." */
static void add_left_out(const struct report_map *map, int n, const char *one, const char *many,
                         struct text_buffer *text)
{
    if (n)
        text_add(text, "%d of %d settings %s and %s left out of the fit.", n, map->cells,
                 n == 1 ? one : many, n == 1 ? "is" : "are");
}

static void add_impossible(const struct report_map *map, struct text_buffer *text)
{
    text_add(text,
             "No line is fitted: %s %s an h*, and %d that vary the quantities apart are "
             "needed, %d more than a line has coefficients.",
             text_counted(map->fit.cells, "setting").text, map->fit.cells == 1 ? "has" : "have",
             1 + map->axes + FIT_CELLS_SPARE, FIT_CELLS_SPARE);
}

static const char MAP_LEGEND[] =
    ", and in brackets h*: the fewest heads whose mean validation value is within 0.005 of the "
    "best. h* is an estimate; the smallest of the head counts before it is not, as it falls when "
    "seeds become fewer.";

static void write_fit(const struct report_data *r, const struct report_map *map, const char *unit,
                      struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    bool possible = map->fit.possible;
    (possible ? add_line : add_impossible)(map, &text);
    document_text(d, DOCUMENT_FINDING, &text);
    for (int k = 0; k < map->axes && possible; k++) {
        add_slope(map, k, &text);
        document_text(d, DOCUMENT_ITEM, &text);
    }
    add_floor(map, &text);
    document_text(d, DOCUMENT_ITEM, &text);
    add_left_out(map, map->unsolved, "is solved by no head count tried",
                 "are solved by no head count tried", &text);
    document_text(d, DOCUMENT_ITEM, &text);
    add_left_out(map, map->cells - map->fit.cells - map->unsolved, "has no h*", "have no h*",
                 &text);
    document_text(d, DOCUMENT_ITEM, &text);
    if (r->ended < r->planned)
        document_put(d, DOCUMENT_ITEM, "Preliminary: the map moves until all trials have ended.");
    if (!possible)
        return;
    add_source(map, unit, &text);
    document_put(d, DOCUMENT_EXPLANATION, text.text);
}

void report_map_people(const struct report_data *r, const struct report_map *map,
                       struct document *d)
{
    const char *unit = r->setting[0].verdict->unit;
    document_put(d, DOCUMENT_HEADING, "Map");
    write_table(map, d);
    write_fit(r, map, unit, d);
    struct text_buffer legend = scope_text(d->scope);
    text_add(&legend, "The head counts that %s%s",
             r->setting[0].input.equivalence > 0 ? "are shown to be equivalent to the best"
                                                 : "could be the best, with 95% confidence",
             MAP_LEGEND);
    document_put(d, DOCUMENT_PARAGRAPH, legend.text);
}

/* ---- JSON ---- */

static void add_cell_json(struct json_writer *w, const struct report_map *map,
                          const struct report_cell *c)
{
    const struct verdict *v = c->set->verdict;
    json_begin_object(w, NULL);
    json_add_json(w, "setting", c->set->setting);
    json_begin_list(w, "at");
    for (int k = 0; k < map->axes; k++)
        json_add_real(w, NULL, c->at[k]);
    json_end_list(w);
    json_begin_list(w, "plateau");
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].in_plateau)
            json_add_integer(w, NULL, v->row[i].arm);
    json_end_list(w);
    json_add_text(w, "kind", verdict_kind_name(v->kind));
    json_add_nonzero(w, "h_star", c->edge);
    json_add_bool(w, "unsolved", c->unsolved);
    json_end_object(w);
}

static void add_fit_json(struct json_writer *w, const struct report_map *map, const char *name,
                         const struct fit *f)
{
    json_begin_object(w, name);
    json_add_bool(w, "possible", f->possible);
    json_add_integer(w, "cells", f->cells);
    json_add_integer(w, "floor", f->floor);
    json_add_integer(w, "units", map->units);
    json_add_integer(w, "draws", f->draws);
    json_add_real(w, "r_squared", f->r2);
    json_begin_list(w, "terms");
    for (int k = 0; k <= map->axes; k++) {
        json_begin_object(w, NULL);
        json_add_text(w, "log2_of", k ? map->axis[k - 1].path : NULL);
        json_add_real(w, "estimate", f->term[k].estimate);
        json_add_real(w, "ci95_low", f->term[k].low);
        json_add_real(w, "ci95_high", f->term[k].high);
        json_end_object(w);
    }
    json_end_list(w);
    json_end_object(w);
}

void report_map_json(const struct report_map *map, struct json_writer *w)
{
    if (!map) {
        json_add_null(w, "map");
        return;
    }
    json_begin_object(w, "map");
    json_begin_list(w, "axes");
    for (int k = 0; k < map->axes; k++)
        json_add_text(w, NULL, map->axis[k].path);
    json_end_list(w);
    json_begin_list(w, "cells");
    for (int i = 0; i < map->cells; i++)
        add_cell_json(w, map, &map->cell[i]);
    json_end_list(w);
    json_add_integer(w, "unsolved", map->unsolved);
    add_fit_json(w, map, "fit", &map->fit);
    if (map->fit.floor)
        add_fit_json(w, map, "fit_above_floor", &map->above);
    else
        json_add_null(w, "fit_above_floor");
    json_end_object(w);
}
