/* What a sweep file says of options: the sections task, model and train, in which every option
 * becomes an axis; and the keys that name options by their paths: constraints, exclude, claim and
 * eval. Every value is checked at its place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"
#include "sweep/plan/expr.h"

/* ---- options ---- */

/* The options of a full path ("model.heads"). BAD_INPUT, without a place, where there are none, or
 * a listed task lacks it or takes another type there. */
static enum status find_path(const struct reading *r, const char *path, struct option_set *set,
                             struct message *m)
{
    const struct config_name *name = config_name_find(r->names, path);
    if (!name || name->kind != CONFIG_OPTION) {
        reading_unknown_path(r, path, m);
        return STATUS_BAD_INPUT;
    }
    const struct option_entry *first = name->value;
    *set = (struct option_set){.path = name->path,
                               .section = arena_text(r->arena, path, strcspn(path, ".")),
                               .count = 1,
                               .option = {first}};
    const bool of_tasks = strcmp(set->section, "task") == 0 && first != &reading_task_name;
    for (int i = 0; of_tasks && i < r->tasks; i++) {
        const struct option_entry *o = option_find(r->task[i]->options, first->name);
        if (!o)
            return status_fail(m, STATUS_BAD_INPUT,
                               "task %s, which task.name lists, has no option '%s'",
                               r->task[i]->name, first->name);
        if (o->type != first->type)
            return status_fail(m, STATUS_BAD_INPUT,
                               "%s is of one type in task %s and another in task %s", path,
                               r->task[0]->name, r->task[i]->name);
        set->option[i] = o;
        set->count = i + 1;
    }
    return STATUS_OK;
}

void reading_option(const struct reading *r, struct place at, const char *path,
                    struct option_set *set)
{
    if (find_path(r, path, set, r->m) != STATUS_OK)
        reading_refuse_at(r, at);
}

const struct axis *config_axis(const struct config *c, const char *path)
{
    for (int i = 0; i < c->axes; i++)
        if (strcmp(c->axis[i].path, path) == 0)
            return &c->axis[i];
    return NULL;
}

/* Refuses those that no person may set. */
static void check_settable(const struct reading *r, struct place at, const struct option_set *set)
{
    for (int i = 0; i < set->count; i++)
        reading_check_at(r, at, option_settable(set->option[i], set->section, r->m));
}

/* ---- values ---- */

static bool takes_list(const struct option_set *set)
{
    return set->option[0]->type == OPTION_INT_LIST;
}

static bool is_number(const struct option_set *set)
{
    return set->option[0]->type == OPTION_INT || set->option[0]->type == OPTION_REAL;
}

/* The i-th option of the set, whose value is held by the scratch. */
static struct option_entry in_scratch(const struct option_set *set, int i)
{
    struct option_entry o = *set->option[i];
    o.offset = (size_t)i * OPTION_VALUE_MAX;
    return o;
}

/* Checks one scalar against every option of the set. */
static void check_scalar(const struct reading *r, const struct option_set *set,
                         const struct tree *t)
{
    for (int i = 0; i < set->count; i++) {
        struct option_entry o = in_scratch(set, i);
        reading_check_at(r, t->place,
                         option_parse(&o, set->section, t->text, t->quoted, r->scratch, r->m));
    }
}

/* A scalar, or a list of them. */
static void read_scalars(const struct reading *r, const struct option_set *set,
                         const struct tree *t, struct config_value *v)
{
    const bool list = t->kind == TREE_LIST;
    const struct tree *item = list ? t->first : t;
    const size_t n = list ? (size_t)t->count : 1;
    char what[2 * CONFIG_PATH_SIZE];
    snprintf(what, sizeof what, "an item of %s", set->path);
    if (takes_list(set)) /* it grows item by item */
        memset(r->scratch, 0, (size_t)set->count * OPTION_VALUE_MAX);
    *v = (struct config_value){.place = t->place};
    v->scalar = arena_alloc(r->arena, n + 1, sizeof *v->scalar);
    v->quoted = arena_alloc(r->arena, n + 1, sizeof *v->quoted);
    for (; v->scalars < (int)n; item = item->next) {
        reading_expect(r, item, TREE_SCALAR, what);
        check_scalar(r, set, item);
        v->scalar[v->scalars] = item->text;
        v->quoted[v->scalars++] = item->quoted;
    }
}

/* One value of the set's options: a scalar or, for a list of numbers, a list. */
static void read_value(const struct reading *r, const struct option_set *set, const char *what,
                       const struct tree *t, struct config_value *v)
{
    reading_expect(r, t, takes_list(set) ? TREE_LIST : TREE_SCALAR, what);
    read_scalars(r, set, t, v);
}

/* The items of a list, or one value, as those of the axis. */
static void read_values(const struct reading *r, const struct option_set *set, struct axis *axis,
                        const struct tree *t, bool listed)
{
    char what[2 * CONFIG_PATH_SIZE];
    const int n = listed ? t->count : 1;
    snprintf(what, sizeof what, "%s%s", listed ? "an item of " : "", axis->path);
    axis->listed = listed;
    if (n == 0)
        reading_refuse(r, t->place, "%s is an empty list; give it at least one value", axis->path);
    axis->value = arena_alloc(r->arena, (size_t)n, sizeof *axis->value);
    for (const struct tree *item = listed ? t->first : t; axis->values < n; item = item->next)
        read_value(r, set, what, item, &axis->value[axis->values++]);
}

/* ---- distributions, in the words of W&B sweeps ---- */

static void read_bound(const struct reading *r, const struct option_set *set,
                       const struct tree *map, const char *key, double *bound)
{
    const struct tree *t = tree_find(map, key);
    bool integral;
    if (!t)
        reading_refuse(r, map->place, "%s lacks '%s'; write {min: , max: } or {values: []}",
                       set->path, key);
    reading_expect(r, t, TREE_SCALAR, key);
    check_scalar(r, set, t);
    if (!number_parse(t->text, bound, &integral))
        reading_refuse(r, t->place, "the %s of %s must be a number", key, set->path);
}

/* t: its name, or NULL. */
static void read_distribution(const struct reading *r, const struct option_set *set,
                              struct axis *axis, const struct tree *t)
{
    static const char *const words[] = {"uniform", "log_uniform_values", "int_uniform", NULL};
    static const struct option_entry name = {
        .name = "distribution", .type = OPTION_CHOICE, .words = words};
    const bool integer = set->option[0]->type == OPTION_INT;
    int64_t word = integer ? 2 : 0;
    if (t && t->kind == TREE_SCALAR && strcmp(t->text, "log_uniform") == 0)
        reading_refuse(r, t->place,
                       "log_uniform means, in W&B, that min and max are exponents of e; "
                       "write log_uniform_values and give the values themselves");
    if (t)
        reading_scalar(r, &name, t, &word);
    axis->kind = (enum axis_kind)(AXIS_UNIFORM + word);
    if (integer && axis->kind != AXIS_INT_UNIFORM)
        reading_refuse(r, t->place, "%s takes whole numbers; use int_uniform", set->path);
}

static void read_bounds(const struct reading *r, const struct option_set *set, struct axis *axis,
                        const struct tree *map)
{
    read_bound(r, set, map, "min", &axis->min);
    read_bound(r, set, map, "max", &axis->max);
    if (axis->min >= axis->max)
        reading_refuse(r, map->place, "the min of %s must be below its max", axis->path);
    if (axis->kind == AXIS_LOG_UNIFORM && axis->min <= 0)
        reading_refuse(r, map->place, "the min of %s must be above 0 for log_uniform_values",
                       axis->path);
    bool whole = axis->min == floor(axis->min) && axis->max == floor(axis->max);
    if (axis->kind == AXIS_INT_UNIFORM && !whole)
        reading_refuse(r, map->place, "min and max of %s must be whole numbers for int_uniform",
                       axis->path);
}

static void read_mapping(const struct reading *r, const struct option_set *set, struct axis *axis,
                         const struct tree *map)
{
    static const char *const of_values[] = {"values", NULL};
    static const char *const of_value[] = {"value", NULL};
    static const char *const of_bounds[] = {"min", "max", "distribution", "values", NULL};
    const struct tree *values = tree_find(map, "values"), *value = tree_find(map, "value");
    if (value) { /* fixed, as W&B writes it */
        reading_known(r, map, axis->path, of_value);
        read_values(r, set, axis, value, false);
        return;
    }
    /* first of the distribution: another one has keys of its own, as q_uniform has q */
    if (!values && is_number(set))
        read_distribution(r, set, axis, tree_find(map, "distribution"));
    axis->listed = true;
    reading_known(r, map, axis->path, values ? of_values : of_bounds);
    if (values) {
        reading_expect(r, values, TREE_LIST, "values");
        read_values(r, set, axis, values, true);
        return;
    }
    if (!is_number(set))
        reading_refuse(r, map->place, "%s is not a number; list its values instead", axis->path);
    read_bounds(r, set, axis, map);
}

/* ---- sections ---- */

static void read_axis(const struct reading *r, const struct option_set *set, const struct tree *t,
                      struct axis *axis)
{
    bool listed = t->kind == TREE_LIST;
    axis->place = t->place;
    axis->path = set->path;
    if (takes_list(set))
        listed = listed && t->first && t->first->kind == TREE_LIST;
    if (t->kind == TREE_MAP)
        read_mapping(r, set, axis, t);
    else
        read_values(r, set, axis, t, listed);
}

static void read_section(const struct reading *r, const char *section, const struct tree *map)
{
    char path[2 * CONFIG_PATH_SIZE];
    struct option_set set;
    reading_expect(r, map, TREE_MAP, section);
    reading_known(r, map, section, NULL);
    for (const struct tree *t = map->first; t; t = t->next) {
        snprintf(path, sizeof path, "%s.%s", section, t->key);
        const struct config_name *name = config_name_find(r->names, path);
        if (name->kind == CONFIG_SECTION) { /* train.schedule */
            read_section(r, name->path, t);
            continue;
        }
        reading_option(r, t->key_place, name->path, &set);
        check_settable(r, t->key_place, &set);
        read_axis(r, &set, t, &r->c->axis[r->c->axes++]);
    }
}

/* The tasks that task.name lists come first: they say which other keys there are. */
static void find_tasks(struct reading *r)
{
    const struct tree *section = tree_find(r->root, "task");
    struct option_set set;
    struct axis names = {0};
    if (!section)
        reading_refuse(r, r->root->place, "missing key 'task': what to learn");
    reading_expect(r, section, TREE_MAP, "task");
    const struct tree *t = tree_find(section, "name");
    if (!t)
        reading_refuse(r, section->place, "missing key 'name' under task");
    reading_option(r, t->place, "task.name", &set);
    read_axis(r, &set, t, &names);
    for (int i = 0; i < names.values; i++) {
        const struct task *task = task_find(names.value[i].scalar[0]);
        int known = 0;
        while (known < r->tasks && r->task[known] != task)
            known++;
        if (known == r->tasks && r->tasks < READING_TASKS)
            r->task[r->tasks++] = task;
    }
    reading_names(r);
}

static void check_required(const struct reading *r)
{
    for (const struct config_name *name = r->names; name->path; name++) {
        const struct option_entry *o = name->value;
        const size_t n = strcspn(name->path, ".");
        if (name->kind != CONFIG_OPTION || o->default_value || o->derived ||
            config_axis(r->c, name->path))
            continue;
        const struct tree *section = tree_find(r->root, arena_text(r->arena, name->path, n));
        reading_refuse(r, section ? section->place : r->root->place,
                       "missing key '%s' under %.*s: it has no default", o->name, (int)n,
                       name->path);
    }
}

void reading_axes(struct reading *r)
{
    int most = 0;
    find_tasks(r);
    for (const struct config_name *name = r->names; name->path; name++)
        most += name->kind == CONFIG_OPTION;
    r->c->axis = arena_alloc(r->arena, (size_t)most, sizeof *r->c->axis);
    for (const struct tree *t = r->root->first; t; t = t->next) {
        const struct config_name *name = config_name_find(r->names, t->key);
        if (name && name->kind == CONFIG_SECTION)
            read_section(r, name->path, t);
    }
    check_required(r);
}

/* ---- constraints ---- */

/* expr_find: every listed task knows the name, and it has a value to compute with. */
static const void *find_name(void *context, const char *name, struct message *m)
{
    const struct reading *r = context;
    struct option_set set;
    enum status s = find_path(r, name, &set, m);
    if (!s && set.option[0]->type == OPTION_INT_LIST)
        s = status_fail(m, STATUS_BAD_INPUT, "%s is a list, which has no value to compare", name);
    if (!s && set.option[0]->local)
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
    return find_path(r, text, &set, &unknown) == STATUS_OK && set.option[0]->type == OPTION_BOOL;
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

void reading_constraints(struct reading *r, const struct config_key *key, const struct tree *t)
{
    struct config *c = r->c;
    reading_expect(r, t, TREE_LIST, key->value.name);
    c->constraint = arena_alloc(r->arena, (size_t)t->count, sizeof *c->constraint);
    c->constraint_place = arena_alloc(r->arena, (size_t)t->count, sizeof *c->constraint_place);
    for (const struct tree *item = t->first; item; item = item->next) {
        reading_expect(r, item, TREE_SCALAR, "a constraint");
        check_constraint(r, item);
        c->constraint[c->constraints] = item->text;
        c->constraint_place[c->constraints++] = item->place;
    }
}

/* ---- options with values: exclude, claim ---- */

/* A mapping from options to values; any: a list is one of several values. */
static void read_pairs(const struct reading *r, const struct tree *map, bool any,
                       struct config_excluded *e)
{
    *e = (struct config_excluded){.place = map->place};
    e->path = arena_alloc(r->arena, (size_t)map->count, sizeof *e->path);
    e->value = arena_alloc(r->arena, (size_t)map->count, sizeof *e->value);
    for (const struct tree *t = map->first; t; t = t->next) {
        struct option_set set;
        struct config_value *v = &e->value[e->pairs];
        e->path[e->pairs++] = t->key;
        reading_option(r, t->key_place, t->key, &set);
        if (!any)
            read_value(r, &set, t->key, t, v);
        else if (t->kind == TREE_MAP || (t->kind == TREE_LIST && !t->count))
            reading_refuse(r, t->place, "%s must be a value or a list of values", t->key);
        else
            read_scalars(r, &set, t, v);
    }
}

void reading_exclude(struct reading *r, const struct config_key *key, const struct tree *t)
{
    struct config *c = r->c;
    reading_expect(r, t, TREE_LIST, key->value.name);
    c->exclude = arena_alloc(r->arena, (size_t)t->count, sizeof *c->exclude);
    for (const struct tree *item = t->first; item; item = item->next) {
        reading_expect(r, item, TREE_MAP, "an item of exclude");
        if (!item->count)
            reading_refuse(r, item->place,
                           "an empty mapping would exclude every point; name an option");
        read_pairs(r, item, true, &c->exclude[c->excluded++]);
    }
}

/* Settings are told by axes of model and training that are neither tuned nor averaged over. */
void reading_better(struct reading *r, const struct config_key *key, const struct tree *t)
{
    struct claim *claim = &r->c->claim;
    struct config_excluded e;
    reading_expect(r, t, TREE_MAP, key->value.name);
    if (t->count == 0)
        reading_refuse(r, t->place,
                       "claim.better is empty; name the axes by which the settings differ, as in "
                       "{model.kv_heads: 1}");
    read_pairs(r, t, false, &e);
    for (const struct tree *axis = t->first; axis; axis = axis->next)
        reading_refuse_axis(r, key->value.name, axis->key, axis->key_place);
    claim->axes = e.pairs;
    claim->axis = e.path;
    claim->better = e.value;
}

/* The same axes as `better`, in its order; without that the claim is refused. */
void reading_than(struct reading *r, const struct config_key *key, const struct tree *t)
{
    struct claim *claim = &r->c->claim;
    struct config_excluded e;
    reading_expect(r, t, TREE_MAP, key->value.name);
    read_pairs(r, t, false, &e);
    claim->than = arena_alloc(r->arena, (size_t)claim->axes, sizeof *claim->than);
    for (int i = 0; i < claim->axes; i++) {
        int k = 0;
        while (k < e.pairs && strcmp(e.path[k], claim->axis[i]) != 0)
            k++;
        if (k == e.pairs)
            reading_refuse(r, t->place,
                           "claim.than lacks %s, which claim.better names; both must name the "
                           "same axes",
                           claim->axis[i]);
        claim->than[i] = e.value[k];
    }
    if (claim->axes && e.pairs > claim->axes)
        reading_refuse(r, t->place,
                       "claim.than names more axes than claim.better; both must name the same");
}

/* ---- eval: further test sets, each with the options of the task that differ ---- */

/* What may stand in a set: the options that all listed tasks have. */
static const char *const *shared_options(const struct reading *r)
{
    const struct option_entry *o = r->task[0]->options;
    const char **names = arena_alloc(r->arena, (size_t)option_count(o) + 1, sizeof *names);
    for (int n = 0; o->name; o++) {
        int i = 1;
        while (i < r->tasks && option_find(r->task[i]->options, o->name))
            i++;
        if (i >= r->tasks)
            names[n++] = o->name;
    }
    return names;
}

/* The value of an option as canonical JSON. */
static const char *option_json(const struct reading *r, const char *set_path, const struct tree *t)
{
    char path[2 * CONFIG_PATH_SIZE], option[CONFIG_PATH_SIZE], json[OPTION_TEXT_MAX];
    struct option_set set;
    struct config_value value;
    snprintf(path, sizeof path, "%s.%s", set_path, t->key);
    snprintf(option, sizeof option, "task.%s", t->key);
    reading_option(r, t->key_place, option, &set);
    check_settable(r, t->key_place, &set);
    if (set.option[0]->local)
        reading_refuse(r, t->key_place,
                       "%s: a test set is taken from the file that its model was trained "
                       "on, and from no other; leave it out",
                       path);
    if (!takes_list(&set) && t->kind != TREE_SCALAR)
        reading_refuse(r, t->place,
                       "%s must be a single value, not %s; give each value a test set of "
                       "its own",
                       path, tree_kind_name(t));
    read_value(r, &set, path, t, &value);
    const struct option_entry o = in_scratch(&set, 0);
    option_format(&o, r->scratch, json, sizeof json);
    return arena_string(r->arena, json);
}

static int by_name(const void *a, const void *b)
{
    const struct config_eval *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* An object of these members, sorted by their names. */
static const char *object_json(const struct reading *r, struct config_eval *member, int n)
{
    struct text_buffer b = scope_text(r->x);
    if (n > 0)
        qsort(member, (size_t)n, sizeof *member, by_name);
    for (int i = 0; i < n; i++)
        text_add(&b, "%s\"%s\":%s", i ? "," : "{", member[i].name, member[i].json);
    text_add(&b, n ? "}" : "{}");
    return b.text;
}

static const char *set_json(const struct reading *r, const struct tree *t)
{
    char path[CONFIG_PATH_SIZE], shown[96];
    struct config_eval *option;
    int options = 0;
    if (!config_good_name(t->key))
        reading_refuse(r, t->key_place,
                       "the name '%s' of a test set must be 1 to %d letters, digits, '.', '_', '-'",
                       text_shown(t->key, shown, sizeof shown), CONFIG_NAME_BYTES);
    snprintf(path, sizeof path, "eval.%s", t->key);
    reading_expect(r, t, TREE_MAP, path);
    reading_known(r, t, path, shared_options(r));
    option = arena_alloc(r->arena, (size_t)t->count, sizeof *option);
    for (const struct tree *child = t->first; child; child = child->next)
        option[options++] = (struct config_eval){child->key, option_json(r, path, child), child};
    return object_json(r, option, options);
}

void reading_eval(struct reading *r, const struct config_key *key, const struct tree *t)
{
    struct config *c = r->c;
    reading_expect(r, t, TREE_MAP, key->value.name);
    c->eval = arena_alloc(r->arena, (size_t)t->count, sizeof *c->eval);
    for (const struct tree *child = t->first; child; child = child->next)
        c->eval[c->evals++] = (struct config_eval){child->key, set_json(r, child), child};
    c->eval_json = object_json(r, c->eval, c->evals);
}
