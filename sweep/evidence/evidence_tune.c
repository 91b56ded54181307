/* Under tune: the values that each head count was given, and what it chose of them. */
#include <math.h>
#include <string.h>

#include "engine/encoder_config.h"
#include "engine/train_config.h"
#include "sweep/evidence/evidence_parts.h"

/* In the order in which it is read: values are those of one axis, axes those of one head count. */
static const char TRIED[] =
    "SELECT setting, heads, axis, value, type, ifnull(chosen, 0), ifnull(edge, '') FROM tried"
    " ORDER BY setting, heads, axis, value";
enum { SETTING, HEADS, AXIS, VALUE, TYPE, CHOSEN, EDGE };

/* Whether the option allows nothing beyond its value. Only options of model and train are tuned. */
static bool ends_there(const char *path, double value, enum grid_edge edge)
{
    const char *name = strchr(path, '.');
    const struct option_entry *table =
        strncmp(path, "model.", 6) == 0 ? encoder_options : train_options;
    const struct option_entry *o = name ? option_find(table, name + 1) : NULL;
    return o && ((edge == GRID_SMALLEST && value <= o->min && !o->above_min) ||
                 (edge == GRID_LARGEST && value >= o->max));
}

static enum grid_edge edge_of(const char *path, double value, const char *word)
{
    static const enum grid_edge edges[] = {GRID_SMALLEST, GRID_LARGEST, GRID_ONLY};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (strcmp(word, grid_edge_name(edges[i])) == 0)
            return ends_there(path, value, edges[i]) ? GRID_INNER : edges[i];
    return GRID_INNER;
}

static struct verdict_value value_of(struct scope *x, struct rows *rows)
{
    struct text_buffer text = scope_text(x);
    const char *type = rows_given(rows, TYPE);
    bool number = strcmp(type, "integer") == 0 || strcmp(type, "real") == 0;
    bool word = strcmp(type, "true") == 0 || strcmp(type, "false") == 0;
    if (number)
        text_add(&text, "%.6g", rows_real(rows, VALUE));
    else
        text_add(&text, "%s", word ? type : rows_given(rows, VALUE));
    return (struct verdict_value){number ? rows_real(rows, VALUE) : NAN, text.text};
}

static struct verdict_choice *choice_of(struct scope *x, struct evidence_setting *set,
                                        int64_t heads)
{
    int n = set->input.choices;
    if (n > 0 && set->choice[n - 1].heads == heads)
        return &set->choice[n - 1];
    set->choice = arena_grow(&x->arena, set->choice, (size_t)n, sizeof *set->choice);
    set->input.choices++;
    set->choice[n] = (struct verdict_choice){.heads = heads};
    return &set->choice[n];
}

static struct verdict_axis *axis_of(struct scope *x, struct verdict_choice *c, const char *path)
{
    if (c->axes > 0 && strcmp(c->axis[c->axes - 1].path, path) == 0)
        return &c->axis[c->axes - 1];
    c->axis = arena_grow(&x->arena, c->axis, (size_t)c->axes, sizeof *c->axis);
    c->axis[c->axes] = (struct verdict_axis){.path = arena_string(&x->arena, path), .chosen = -1};
    return &c->axis[c->axes++];
}

/* Head counts of a setting have the same axes, unless a hand has made it otherwise. */
static void check_axes(struct scope *x, const struct evidence_setting *set)
{
    for (int i = 1; i < set->input.choices; i++) {
        const struct verdict_choice *first = &set->choice[0], *c = &set->choice[i];
        bool same = c->axes == first->axes;
        for (int k = 0; k < c->axes && same; k++)
            same = strcmp(c->axis[k].path, first->axis[k].path) == 0;
        if (!same)
            scope_fail(x, STATUS_CORRUPT,
                       "%s: trials with %lld and %lld heads tune different axes in the setting %s",
                       store_path(x->store), (long long)first->heads, (long long)c->heads,
                       set->setting);
    }
}

/* On how many seeds each value was tried. */
static void read_seeds(struct scope *x, struct evidence *e)
{
    static const char sql[] =
        "SELECT setting, count(DISTINCT seed) FROM trial"
        " WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 1 GROUP BY setting";
    struct rows *rows = scope_rows(x, sql, VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(rows, 0));
        if (set)
            set->input.tuning_seeds = (int)rows_integer(rows, 1);
    }
}

void evidence_read_tune(struct scope *x, struct evidence *e)
{
    struct rows *rows = scope_rows_of_sweep(x, TRIED, VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(rows, SETTING));
        if (!set)
            continue;
        struct verdict_choice *c = choice_of(x, set, rows_integer(rows, HEADS));
        struct verdict_axis *axis = axis_of(x, c, rows_given(rows, AXIS));
        axis->value = arena_grow(&x->arena, axis->value, (size_t)axis->values, sizeof *axis->value);
        struct verdict_value value = axis->value[axis->values++] = value_of(x, rows);
        if (!rows_integer(rows, CHOSEN))
            continue;
        axis->chosen = axis->values - 1;
        axis->edge = edge_of(axis->path, value.number, rows_given(rows, EDGE));
    }
    for (int i = 0; i < e->settings; i++)
        check_axes(x, &e->setting[i]);
    read_seeds(x, e);
}
