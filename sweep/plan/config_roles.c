/* The keys of a sweep file about its points and axes: constraints and exclude (which points are
 * left out), tune (axes whose values are chosen per head count) and replicate (axes whose values
 * are samples of what a finding is to hold for). */
#include <inttypes.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"
#include "sweep/plan/expr.h"

enum { ETA = 3, ETA_MAX = 1000, EXTEND_MAX = 32 };

/* ---- points ---- */

/* expr_find: every listed task knows the name, and it has a value to compute with. */
static const void *find_name(void *context, const char *name, struct message *m)
{
    const struct reading *r = context;
    struct option_set set;
    enum status s = reading_path(r, name, &set, m);
    if (!s && set.count && set.option[0]->type == OPTION_INT_LIST)
        s = status_fail(m, STATUS_BAD_INPUT, "%s is a list, which has no value to compare", name);
    if (!s && set.count && set.option[0]->local)
        s = status_fail(m, STATUS_BAD_INPUT,
                        "%s is a path, which says nothing to compare; leave files out by "
                        "`exclude`",
                        name);
    return s ? NULL : name;
}

/* An option that is true or false, which says by itself whether a point stays. */
static bool is_switch(const struct reading *r, const char *text)
{
    struct option_set set;
    struct message unknown;
    return reading_path(r, text, &set, &unknown) == STATUS_OK && set.count &&
           set.option[0]->type == OPTION_BOOL;
}

static void check_constraint(struct reading *r, const struct tree *t)
{
    int column;
    char shown[160];
    struct place at = t->place;
    const struct expr *e = expr_compile(r->arena, t->text, find_name, r, &column, r->m);
    text_shown(t->text, shown, sizeof shown);
    if (e && !expr_is_condition(e) && !is_switch(r, t->text))
        reading_refuse(r, at,
                       "the constraint \"%s\" is a value, not a condition; compare it, as "
                       "in \"model.heads <= 8\"",
                       shown);
    if (e)
        return;
    if (at.line > 0 && t->shift >= 0)
        at.column += t->shift + column - 1;
    else
        status_fail_within(r->m, STATUS_BAD_INPUT,
                           "in the constraint \"%s\", at character %d: ", shown, column);
    reading_refuse_at(r, at);
}

void reading_constraints(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    reading_expect(r, t, TREE_LIST, "constraints");
    c->constraint = arena_alloc(r->arena, (size_t)t->count, sizeof *c->constraint);
    c->constraint_place = arena_alloc(r->arena, (size_t)t->count, sizeof *c->constraint_place);
    for (const struct tree *item = t->first; item; item = item->next) {
        reading_expect(r, item, TREE_SCALAR, "a constraint");
        check_constraint(r, item);
        c->constraint[c->constraints] = item->text;
        c->constraint_place[c->constraints++] = item->place;
    }
}

static void read_excluded(struct reading *r, const struct tree *map, struct config_excluded *e)
{
    reading_expect(r, map, TREE_MAP, "an item of exclude");
    if (!map->count)
        reading_refuse(r, map->place, "an empty mapping would exclude every point; name an option");
    e->place = map->place;
    e->path = arena_alloc(r->arena, (size_t)map->count, sizeof *e->path);
    e->value = arena_alloc(r->arena, (size_t)map->count, sizeof *e->value);
    for (const struct tree *t = map->first; t; t = t->next, e->pairs++) {
        struct option_set set;
        struct config_value *v = &e->value[e->pairs];
        e->path[e->pairs] = t->key;
        bool list = t->kind == TREE_LIST;
        reading_option(r, t->key_place, t->key, &set);
        reading_value(r, v, t->place, list ? t->count : 1);
        if (t->kind == TREE_MAP || (list && !t->count))
            reading_refuse(r, t->place, "%s must be a value or a list of values", t->key);
        reading_begin_lists(r, &set);
        const struct tree *item = list ? t->first : t;
        for (int i = 0; i < v->scalars; i++, item = item->next) {
            reading_expect(r, item, TREE_SCALAR, "a value to exclude");
            reading_check(r, &set, item);
            reading_set_scalar(v, i, item);
        }
    }
}

void reading_exclude(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    reading_expect(r, t, TREE_LIST, "exclude");
    c->exclude = arena_alloc(r->arena, (size_t)t->count, sizeof *c->exclude);
    for (const struct tree *item = t->first; item; item = item->next)
        read_excluded(r, item, &c->exclude[c->excluded++]);
}

/* ---- roles ---- */

struct role {
    const char *item; /* "an axis to tune" */
    /* Refuses the axis at t; set is its options. */
    void (*check)(const struct reading *r, const struct option_set *set, const struct tree *t);
    const char *pointless; /* what is wrong where the axis does not vary */
};

const struct axis *reading_axis(const struct config *c, const char *path)
{
    for (int i = 0; i < c->axes; i++)
        if (strcmp(c->axis[i].path, path) == 0)
            return &c->axis[i];
    return NULL;
}

static void check_role(const struct reading *r, const struct role *role, const struct tree *t)
{
    struct option_set set;
    reading_expect(r, t, TREE_SCALAR, role->item);
    reading_option(r, t->place, t->text, &set);
    role->check(r, &set, t);
    const struct axis *axis = reading_axis(r->c, t->text);
    if (!axis || (axis->kind == AXIS_VALUES && axis->values == 1))
        reading_refuse(r, t->place, "%s has only one value, so %s", t->text, role->pointless);
}

/* A list of axes with that role. */
static void read_axes(const struct reading *r, const struct tree *list, const struct role *role,
                      int *n, const char ***path, struct place **place)
{
    *path = arena_alloc(r->arena, (size_t)list->count, sizeof **path);
    *place = arena_alloc(r->arena, (size_t)list->count, sizeof **place);
    for (const struct tree *item = list->first; item; item = item->next) {
        check_role(r, role, item);
        for (int i = 0; i < *n; i++)
            if (strcmp((*path)[i], item->text) == 0)
                reading_refuse(r, item->place, "%s is in the list twice", item->text);
        (*path)[*n] = item->text;
        (*place)[(*n)++] = item->place;
    }
}

static void check_tuned(const struct reading *r, const struct option_set *set, const struct tree *t)
{
    if (strcmp(t->text, "model.heads") == 0)
        reading_refuse(r, t->place,
                       "model.heads cannot be tuned: head counts are what is compared");
    if (!set->count || strcmp(set->section, "task") == 0)
        reading_refuse(r, t->place,
                       "%s cannot be tuned: accuracies on different tasks cannot be compared",
                       t->text);
}

/* The options that decide at which steps a trial is evaluated. */
static bool is_of_steps(const char *path)
{
    return strcmp(path, "train.steps") == 0 || strcmp(path, "train.eval_every") == 0;
}

/* The tuned axes are read. */
static void read_rungs(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    reading_mapping(r, t, "tune.rungs");
    const struct tree *eta = tree_find(t, "eta"), *steps = tree_find(t, "min_steps");
    if (!steps)
        reading_refuse(r, t->place,
                       "missing key 'min_steps' under tune.rungs: the steps after which "
                       "values are compared first");
    c->rung_eta = ETA;
    c->rung_place = steps->place;
    if (eta)
        reading_integer(r, eta, "tune.rungs.eta", 2, ETA_MAX, &c->rung_eta);
    reading_integer(r, steps, "tune.rungs.min_steps", 1, 1e9, &c->rung_min_steps);
    if (!c->tune)
        reading_refuse(r, t->key_place,
                       "tune.rungs has nothing to choose from: no axis is "
                       "tuned");
    for (int i = 0; i < c->tune; i++)
        if (is_of_steps(c->tune_path[i]))
            reading_refuse(r, c->tune_place[i],
                           "%s cannot be tuned with rungs: its values would be compared at "
                           "different steps",
                           c->tune_path[i]);
}

/* From 0 no ratio leads to another number, and below it none leads outwards. */
static void refuse_not_positive(const struct reading *r, const struct axis *axis)
{
    for (int i = 0; i < axis->values; i++) {
        const struct config_value *v = &axis->value[i];
        double number = 0;
        bool integral;
        if (number_parse(v->scalar[0], &number, &integral) && number > 0)
            continue;
        reading_refuse(r, v->place,
                       "tune.extend continues the values of %s by their ratio, so all must "
                       "be numbers above 0; change them, or leave tune.extend out",
                       axis->path);
    }
}

/* Whether a tuned axis can be extended. Words have nothing beyond them; numbers that have no next
 * one are refused. */
static void check_extended(const struct reading *r, int i, bool *extends)
{
    const struct config *c = r->c;
    const char *path = c->tune_path[i];
    const struct axis *axis = reading_axis(c, path);
    struct option_set set;
    reading_option(r, c->tune_place[i], path, &set);
    *extends = false;
    if (!axis)
        return;
    enum option_type type = set.option[0]->type;
    if (type == OPTION_INT || type == OPTION_INT_LIST)
        reading_refuse(r, c->tune_place[i],
                       "%s takes whole numbers, which tune.extend cannot extend; take it "
                       "out of tune.axes, or leave tune.extend out",
                       path);
    if (type != OPTION_REAL)
        return;
    *extends = true;
    if (axis->kind != AXIS_VALUES)
        reading_refuse(r, c->tune_place[i],
                       "%s is drawn from a distribution, but tune.extend extends only "
                       "lists; list its values, or leave tune.extend out",
                       path);
    refuse_not_positive(r, axis);
}

/* The tuned axes are read. */
static void read_extend(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    bool any = false, extends;
    c->extend_place = t->place;
    reading_integer(r, t, "tune.extend", 1, EXTEND_MAX, &c->extend);
    for (int i = 0; i < c->tune; i++) {
        check_extended(r, i, &extends);
        any |= extends;
    }
    if (!any)
        reading_refuse(r, t->key_place,
                       "tune.extend needs a tuned axis of real numbers, and there is none; tune "
                       "one, or leave tune.extend out");
}

/* Seeds of the verdict that would also be tuning seeds. */
static void refuse_tuning_seeds(const struct reading *r)
{
    const struct config *c = r->c;
    for (int i = 0; i < c->seeds && c->tune; i++)
        if (c->seed[i] >= CONFIG_TUNING_SEED)
            reading_refuse(r, tree_find(r->root, "seeds")->place,
                           "seed %" PRId64
                           ": under tune, values are chosen on the seeds from %d up and "
                           "judged on others; use seeds below %d",
                           c->seed[i], CONFIG_TUNING_SEED, CONFIG_TUNING_SEED);
}

void reading_tune(struct reading *r, const struct tree *t)
{
    static const struct role tuned = {"an axis to tune", check_tuned, "there is nothing to choose"};
    struct config *c = r->c;
    const struct tree *axes = t, *seeds = NULL, *rungs = NULL, *extend = NULL;
    if (t->kind == TREE_MAP) {
        reading_mapping(r, t, "tune");
        axes = tree_find(t, "axes");
        seeds = tree_find(t, "seeds");
        rungs = tree_find(t, "rungs");
        extend = tree_find(t, "extend");
    }
    if (!axes)
        reading_refuse(r, t->place, "missing key 'axes' under tune");
    reading_expect(r, axes, TREE_LIST, "tune");
    if (seeds)
        reading_integer(r, seeds, "tune.seeds", 1, READING_SEEDS_MAX, &c->tune_seeds);
    read_axes(r, axes, &tuned, &c->tune, &c->tune_path, &c->tune_place);
    if (rungs)
        read_rungs(r, rungs);
    if (extend)
        read_extend(r, extend);
    refuse_tuning_seeds(r);
}

static void check_replicated(const struct reading *r, const struct option_set *set,
                             const struct tree *t)
{
    const struct config *c = r->c;
    if (strcmp(t->text, "model.heads") == 0)
        reading_refuse(r, t->place,
                       "model.heads cannot be replicated: head counts are what is compared");
    if (!set->count || strcmp(set->section, "model") == 0)
        reading_refuse(r, t->place,
                       "%s cannot be replicated: its values are not samples of one thing; "
                       "name options of task or train, such as task.instance",
                       t->text);
    if (config_is_tuned(c, t->text))
        reading_refuse(r, t->place, "%s is tuned: it cannot be replicated too", t->text);
    if (c->rung_eta && is_of_steps(t->text))
        reading_refuse(r, t->place,
                       "%s cannot be replicated where tune has rungs: values would be "
                       "compared at different steps",
                       t->text);
}

void reading_replicate(struct reading *r, const struct tree *t)
{
    static const struct role replicated = {"an axis to replicate over", check_replicated,
                                           "there is nothing to replicate over"};
    struct config *c = r->c;
    reading_expect(r, t, TREE_LIST, "replicate");
    if (c->method == METHOD_RANDOM && t->count)
        reading_refuse(r, t->key_place,
                       "replicate needs method: grid: a random draw is tried with one value "
                       "of each axis only");
    read_axes(r, t, &replicated, &c->replicate, &c->replicate_path, &c->replicate_place);
}
