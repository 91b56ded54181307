/* The sections task, model and train of a sweep file: every option written there becomes an axis,
 * checked value by value at its place. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"

enum { PATH_SIZE = 128 };

void reading_value(const struct reading *r, struct config_value *v, struct place at, int n)
{
    size_t count = n > 0 ? (size_t)n : 1;
    v->scalars = n;
    v->place = at;
    v->scalar = arena_alloc(r->arena, count, sizeof *v->scalar);
    v->quoted = arena_alloc(r->arena, count, sizeof *v->quoted);
}

void reading_set_scalar(struct config_value *v, int i, const struct tree *t)
{
    v->scalar[i] = t->text;
    v->quoted[i] = t->quoted;
}

/* Finding options. */

/* Fills set with what `name` means in every table of the section. OK with set->count 0: it means
 * nothing in any. BAD_INPUT: a listed task lacks it, or takes another type there. */
static enum status find_options(const struct reading *r, const char *section, const char *name,
                                struct option_set *set, struct message *m)
{
    const struct option_entry *table[READING_TASKS];
    int tables = reading_tables(r, section, table), missing = -1;
    *set = (struct option_set){.section = section};
    for (int i = 0; i < tables; i++) {
        const struct option_entry *o = option_find(table[i], name);
        if (!o)
            missing = i;
        else
            set->option[set->count++] = o;
    }
    if (set->count && missing >= 0)
        return status_fail(m, STATUS_BAD_INPUT,
                           "task %s, which task.name lists, has no option '%s'",
                           r->task[missing]->name, name);
    for (int i = 1; i < set->count; i++)
        if (set->option[i]->type != set->option[0]->type)
            return status_fail(m, STATUS_BAD_INPUT,
                               "task.%s is of one type in task %s and another in task %s", name,
                               r->task[0]->name, r->task[i]->name);
    return STATUS_OK;
}

/* The words that may follow prefix ("" or "schedule.") in a section's names, each once. */
static void next_words(const struct reading *r, const char *section, const char *prefix,
                       const char ***words)
{
    const struct option_entry *table[READING_TASKS];
    int tables = reading_tables(r, section, table);
    size_t n = 0, most = 2; /* task.name, the end */
    for (int i = 0; i < tables; i++)
        most += (size_t)option_count(table[i]);
    *words = arena_alloc(r->arena, most, sizeof **words);
    if (strcmp(section, "task") == 0 && !*prefix)
        (*words)[n++] = "name";
    for (int i = 0; i < tables; i++) {
        for (const struct option_entry *o = table[i]; o->name; o++) {
            if (strncmp(o->name, prefix, strlen(prefix)) != 0)
                continue;
            const char *rest = o->name + strlen(prefix);
            const char *word = arena_text(r->arena, rest, strcspn(rest, "."));
            bool known = false;
            for (size_t k = 0; k < n; k++)
                known |= strcmp((*words)[k], word) == 0;
            if (!known)
                (*words)[n++] = word;
        }
    }
}

enum status reading_path(const struct reading *r, const char *path, struct option_set *set,
                         struct message *m)
{
    *set = (struct option_set){.section = "task"};
    if (strcmp(path, "task.name") == 0)
        return STATUS_OK;
    for (int i = 0; reading_sections[i]; i++) {
        size_t n = strlen(reading_sections[i]);
        if (strncmp(path, reading_sections[i], n) != 0 || path[n] != '.')
            continue;
        enum status s = find_options(r, reading_sections[i], path + n + 1, set, m);
        if (s || set->count)
            return s;
    }
    return reading_unknown_path(r, path, m);
}

void reading_option(const struct reading *r, struct place at, const char *path,
                    struct option_set *set)
{
    reading_check_at(r, at, reading_path(r, path, set, r->m));
}

enum status reading_settable(const struct option_set *set, struct message *m)
{
    enum status s = STATUS_OK;
    for (int i = 0; i < set->count && !s; i++)
        s = option_settable(set->option[i], set->section, m);
    return s;
}

/* Reading values. */

static void check_task(const struct reading *r, const struct tree *t)
{
    const char *names[READING_TASKS + 1] = {NULL};
    char shown[64];
    if (task_find(t->text))
        return;
    for (int i = 0; i < READING_TASKS && task_table[i]; i++)
        names[i] = task_table[i]->name;
    const char *meant = nearest_name(t->text, names);
    reading_refuse(r, t->place, "there is no task '%s'%s%s%s; see: headcount tasks",
                   text_shown(t->text, shown, sizeof shown), meant ? " (did you mean " : "",
                   meant ? meant : "", meant ? "?)" : "");
}

void reading_check(const struct reading *r, const struct option_set *set, const struct tree *t)
{
    if (!set->count) {
        check_task(r, t);
        return;
    }
    for (int i = 0; i < set->count; i++)
        reading_check_at(
            r, t->place,
            option_parse(set->option[i], set->section, t->text, t->quoted, r->scratch, r->m));
}

static bool takes_list(const struct option_set *set)
{
    return set->count > 0 && set->option[0]->type == OPTION_INT_LIST;
}

void reading_begin_lists(const struct reading *r, const struct option_set *set)
{
    for (int i = 0; takes_list(set) && i < set->count; i++)
        memset((char *)r->scratch + set->option[i]->offset, 0, sizeof(struct int_list));
}

static void read_list_value(const struct reading *r, const struct option_set *set, const char *path,
                            const struct tree *t, struct config_value *v)
{
    reading_value(r, v, t->place, t->count);
    int i = 0;
    reading_begin_lists(r, set);
    for (const struct tree *item = t->first; item; item = item->next) {
        if (item->kind != TREE_SCALAR)
            reading_refuse(r, item->place, "%s inside %s, which is a list of numbers",
                           tree_kind_name(item), path);
        reading_check(r, set, item);
        reading_set_scalar(v, i++, item);
    }
}

void reading_one_value(const struct reading *r, const struct option_set *set, const char *path,
                       const struct tree *t, struct config_value *v)
{
    if (takes_list(set)) {
        reading_expect(r, t, TREE_LIST, path);
        read_list_value(r, set, path, t, v);
        return;
    }
    if (t->kind != TREE_SCALAR)
        reading_refuse(r, t->place, "%s inside the list of %s; its items are single values",
                       tree_kind_name(t), path);
    reading_check(r, set, t);
    reading_value(r, v, t->place, 1);
    reading_set_scalar(v, 0, t);
}

/* The items of a list, or one value, as those of the axis. */
static void read_values(const struct reading *r, const struct option_set *set, struct axis *axis,
                        const struct tree *t, bool listed)
{
    int n = listed ? t->count : 1;
    axis->kind = AXIS_VALUES;
    axis->listed = listed;
    if (n == 0)
        reading_refuse(r, t->place, "%s is an empty list; give it at least one value", axis->path);
    axis->value = arena_alloc(r->arena, (size_t)n, sizeof *axis->value);
    const struct tree *item = listed ? t->first : t;
    for (; axis->values < n; item = item->next)
        reading_one_value(r, set, axis->path, item, &axis->value[axis->values++]);
}

/* Distributions, in the words of W&B sweeps. */

static void read_bound(const struct reading *r, const struct option_set *set,
                       const struct axis *axis, const struct tree *map, const char *key,
                       double *bound)
{
    const struct tree *t = tree_find(map, key);
    bool integral;
    if (!t)
        reading_refuse(r, map->place, "%s lacks '%s'; write {min: , max: } or {values: []}",
                       axis->path, key);
    reading_expect(r, t, TREE_SCALAR, key);
    reading_check(r, set, t);
    if (!number_parse(t->text, bound, &integral))
        reading_refuse(r, t->place, "the %s of %s must be a number", key, axis->path);
}

static void read_distribution_name(const struct reading *r, const struct option_set *set,
                                   struct axis *axis, const struct tree *t)
{
    bool integer = set->option[0]->type == OPTION_INT;
    axis->kind = integer ? AXIS_INT_UNIFORM : AXIS_UNIFORM;
    if (!t)
        return;
    static const char *const names[] = {"uniform", "log_uniform_values", "int_uniform", NULL};
    reading_expect(r, t, TREE_SCALAR, "distribution");
    char shown[64];
    if (strcmp(t->text, "log_uniform") == 0)
        reading_refuse(r, t->place,
                       "log_uniform means, in W&B, that min and max are exponents of e; "
                       "write log_uniform_values and give the values themselves");
    if (strcmp(t->text, names[0]) == 0)
        axis->kind = AXIS_UNIFORM;
    else if (strcmp(t->text, names[1]) == 0)
        axis->kind = AXIS_LOG_UNIFORM;
    else if (strcmp(t->text, names[2]) == 0)
        axis->kind = AXIS_INT_UNIFORM;
    else {
        const char *meant = nearest_name(t->text, names);
        reading_refuse(r, t->place,
                       "the distribution %s is not supported; allowed: uniform, "
                       "log_uniform_values, int_uniform%s%s%s",
                       text_shown(t->text, shown, sizeof shown), meant ? " (did you mean " : "",
                       meant ? meant : "", meant ? "?)" : "");
    }
    if (integer && axis->kind != AXIS_INT_UNIFORM)
        reading_refuse(r, t->place, "%s takes whole numbers; use int_uniform", axis->path);
}

static bool is_number(const struct option_set *set)
{
    return set->count > 0 &&
           (set->option[0]->type == OPTION_INT || set->option[0]->type == OPTION_REAL);
}

/* axis->kind is known: of the distribution. */
static void read_bounds(const struct reading *r, const struct option_set *set, struct axis *axis,
                        const struct tree *map)
{
    if (!is_number(set))
        reading_refuse(r, map->place, "%s is not a number; list its values instead", axis->path);
    read_bound(r, set, axis, map, "min", &axis->min);
    read_bound(r, set, axis, map, "max", &axis->max);
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
        reading_known_keys(r, map, axis->path, of_value);
        read_values(r, set, axis, value, false);
        return;
    }
    /* first of the distribution: another one has keys of its own, as q_uniform has q */
    if (!values && is_number(set))
        read_distribution_name(r, set, axis, tree_find(map, "distribution"));
    axis->listed = true;
    reading_known_keys(r, map, axis->path, values ? of_values : of_bounds);
    if (!values) {
        read_bounds(r, set, axis, map);
        return;
    }
    reading_expect(r, values, TREE_LIST, "values");
    read_values(r, set, axis, values, true);
}

static void read_axis(const struct reading *r, const struct option_set *set, const char *path,
                      const struct tree *t)
{
    struct axis *axis = &r->c->axis[r->c->axes++];
    axis->place = t->place;
    axis->path = arena_string(r->arena, path);
    if (t->kind == TREE_MAP) {
        read_mapping(r, set, axis, t);
        return;
    }
    bool listed = t->kind == TREE_LIST;
    if (takes_list(set))
        listed = listed && t->first && t->first->kind == TREE_LIST;
    read_values(r, set, axis, t, listed);
}

/* Sections. */

static void read_section(struct reading *r, const char *section, const char *prefix,
                         const struct tree *map);

static void read_key(struct reading *r, const char *section, const char *prefix,
                     const struct tree *t)
{
    char name[PATH_SIZE], path[2 * PATH_SIZE], inner[2 * PATH_SIZE];
    struct option_set set = {.section = section};
    snprintf(name, sizeof name, "%s%s", prefix, t->key);
    snprintf(path, sizeof path, "%s.%s", section, name);
    if (strcmp(path, "task.name") == 0) {
        read_axis(r, &set, path, t);
        return;
    }
    if (find_options(r, section, name, &set, r->m) || reading_settable(&set, r->m))
        reading_refuse_at(r, t->key_place);
    if (set.count) {
        read_axis(r, &set, path, t);
        return;
    }
    /* A known word that is no option: the object of dotted names. */
    snprintf(inner, sizeof inner, "%s.", name);
    reading_expect(r, t, TREE_MAP, path);
    read_section(r, section, inner, t);
}

static void read_section(struct reading *r, const char *section, const char *prefix,
                         const struct tree *map)
{
    char path[PATH_SIZE];
    const char **words;
    int n = snprintf(path, sizeof path, "%s.%s", section, prefix);
    path[n > 0 && n < PATH_SIZE ? n - 1 : 0] = '\0';
    next_words(r, section, prefix, &words);
    reading_known_options(r, map, path, words);
    for (const struct tree *t = map->first; t; t = t->next)
        read_key(r, section, prefix, t);
}

/* The tasks that task.name lists come first: they say which other keys there are. */
static void find_tasks(struct reading *r)
{
    const struct tree *section = tree_find(r->root, "task");
    if (!section)
        reading_refuse(r, r->root->place, "missing key 'task': what to learn");
    reading_expect(r, section, TREE_MAP, "task");
    const struct tree *t = tree_find(section, "name");
    if (!t)
        reading_refuse(r, section->place, "missing key 'name' under task");
    if (t->kind == TREE_MAP && tree_find(t, "values"))
        t = tree_find(t, "values");
    const struct tree *item = t->kind == TREE_SCALAR ? t : t->first;
    for (; item; item = t->kind == TREE_SCALAR ? NULL : item->next) {
        reading_expect(r, item, TREE_SCALAR, "the name of a task");
        check_task(r, item);
        const struct task *task = task_find(item->text);
        int known = 0;
        while (known < r->tasks && r->task[known] != task)
            known++;
        if (known == r->tasks && r->tasks < READING_TASKS)
            r->task[r->tasks++] = task;
    }
    if (!r->tasks)
        reading_refuse(r, t->place, "task.name is an empty list; give it at least one task");
}

static void check_required(const struct reading *r, const char *section)
{
    const struct option_entry *table[READING_TASKS];
    char path[PATH_SIZE];
    int tables = reading_tables(r, section, table);
    const struct tree *map = tree_find(r->root, section);
    for (int i = 0; i < tables; i++) {
        for (const struct option_entry *o = table[i]; o->name; o++) {
            snprintf(path, sizeof path, "%s.%s", section, o->name);
            int k = 0;
            while (k < r->c->axes && strcmp(r->c->axis[k].path, path) != 0)
                k++;
            if (!o->default_value && !o->derived && k == r->c->axes)
                reading_refuse(r, map ? map->place : r->root->place,
                               "missing key '%s' under %s: it has no default", o->name, section);
        }
    }
}

void reading_axes(struct reading *r)
{
    find_tasks(r);
    int most = 1 + option_count(encoder_options) + option_count(train_options);
    most += option_count(r->task[0]->options); /* what is known to all is known to the first */
    r->c->axis = arena_alloc(r->arena, (size_t)most, sizeof *r->c->axis);
    for (const struct tree *t = r->root->first; t; t = t->next)
        for (int i = 0; reading_sections[i]; i++)
            if (strcmp(t->key, reading_sections[i]) == 0) {
                reading_expect(r, t, TREE_MAP, reading_sections[i]);
                read_section(r, reading_sections[i], "", t);
            }
    for (int i = 0; reading_sections[i]; i++)
        check_required(r, reading_sections[i]);
}
