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
        heads = heads || r->setting[i].count > 1;
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
            for (int t = 0; t < in->heads[k].n; t++)
                v->unit[n++] = unit_of(in, &in->heads[k].trial[t]);
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
static void fill_values(const struct report_setting *set, const struct verdict_heads *h,
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
            fill_values(set, &set->input.heads[k], v, value);
            *heads++ = (struct fit_heads){set->input.heads[k].heads, value};
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
            trials += (size_t)r->setting[i].input.heads[k].n;
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
    scope_check(x, fit_map(&in, &map->fit, x->message));
    for (int i = 0; i < map->cells; i++)
        if (fit_at_floor(&v.cell[i], map->cell[i].edge))
            v.cell[i].count = 0;
    scope_check(x, fit_map(&in, &map->above, x->message));
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
