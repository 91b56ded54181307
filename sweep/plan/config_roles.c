/* The keys of a sweep file that give axes a role: tune (their values are chosen per head count) and
 * replicate (their values are samples of what a finding is to hold for). */
#include <inttypes.h>
#include <string.h>

#include "engine/base/number.h"
#include "sweep/plan/config_reading.h"

enum { TUNING_SEEDS = 3, ETA = 3, ETA_MAX = 1000, EXTEND_MAX = 32 };

struct role {
    const char *item; /* "an axis to tune" */
    /* Refuses the axis at t; set is its options. */
    enum status (*check)(const struct reading *r, const struct option_set *set,
                         const struct tree *t);
    const char *pointless; /* what is wrong where the axis does not vary */
};

const struct axis *reading_axis(const struct config *c, const char *path)
{
    for (int i = 0; i < c->axes; i++)
        if (strcmp(c->axis[i].path, path) == 0)
            return &c->axis[i];
    return NULL;
}

static enum status check_role(const struct reading *r, const struct role *role,
                              const struct tree *t)
{
    struct option_set set;
    enum status s = reading_expect(r, t, TREE_SCALAR, role->item);
    if (s)
        return s;
    if ((s = reading_path(r, t->text, &set, r->m)))
        return s == STATUS_BAD_INPUT ? config_within(r->c, t->place, r->m) : s;
    if ((s = role->check(r, &set, t)))
        return s;
    const struct axis *axis = reading_axis(r->c, t->text);
    if (!axis || (axis->kind == AXIS_VALUES && axis->values == 1))
        return reading_refuse(r, t->place, "%s has only one value, so %s", t->text,
                              role->pointless);
    return STATUS_OK;
}

/* A list of axes with that role. */
static enum status read_axes(const struct reading *r, const struct tree *list,
                             const struct role *role, int *n, const char ***path,
                             struct place **place)
{
    enum status s = STATUS_OK;
    *path = plan_arena_alloc(r->arena, (size_t)list->count, sizeof **path);
    *place = plan_arena_alloc(r->arena, (size_t)list->count, sizeof **place);
    if (!*path || !*place)
        return reading_no_memory(r);
    for (const struct tree *item = list->first; item; item = item->next) {
        if ((s = check_role(r, role, item)))
            return s;
        for (int i = 0; i < *n; i++)
            if (strcmp((*path)[i], item->text) == 0)
                return reading_refuse(r, item->place, "%s is in the list twice", item->text);
        (*path)[*n] = item->text;
        (*place)[(*n)++] = item->place;
    }
    return s;
}

static enum status check_tuned(const struct reading *r, const struct option_set *set,
                               const struct tree *t)
{
    if (strcmp(t->text, "model.heads") == 0)
        return reading_refuse(r, t->place,
                              "model.heads cannot be tuned: head counts are what is compared");
    if (!set->count || strcmp(set->section, "task") == 0)
        return reading_refuse(
            r, t->place, "%s cannot be tuned: accuracies on different tasks cannot be compared",
            t->text);
    return STATUS_OK;
}

/* The options that decide at which steps a trial is evaluated. */
static bool is_of_steps(const char *path)
{
    return strcmp(path, "train.steps") == 0 || strcmp(path, "train.eval_every") == 0;
}

/* The tuned axes are read. */
static enum status read_rungs(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    enum status s = reading_mapping(r, t, "tune.rungs");
    if (s)
        return s;
    const struct tree *eta = tree_find(t, "eta"), *steps = tree_find(t, "min_steps");
    if (!steps)
        return reading_refuse(r, t->place,
                              "missing key 'min_steps' under tune.rungs: the steps after which "
                              "values are compared first");
    c->rung_eta = ETA;
    c->rung_place = steps->place;
    if ((eta && (s = reading_integer(r, eta, "tune.rungs.eta", 2, ETA_MAX, &c->rung_eta))) ||
        (s = reading_integer(r, steps, "tune.rungs.min_steps", 1, 1e9, &c->rung_min_steps)))
        return s;
    if (!c->tune)
        return reading_refuse(r, t->key_place,
                              "tune.rungs has nothing to choose from: no axis is "
                              "tuned");
    for (int i = 0; i < c->tune; i++)
        if (is_of_steps(c->tune_path[i]))
            return reading_refuse(r, c->tune_place[i],
                                  "%s cannot be tuned with rungs: its values would be compared at "
                                  "different steps",
                                  c->tune_path[i]);
    return STATUS_OK;
}

/* From 0 no ratio leads to another number, and below it none leads outwards. */
static enum status refuse_not_positive(const struct reading *r, const struct axis *axis)
{
    for (int i = 0; i < axis->values; i++) {
        const struct config_value *v = &axis->value[i];
        double number = 0;
        bool integral;
        if (number_parse(v->scalar[0], &number, &integral) && number > 0)
            continue;
        return reading_refuse(r, v->place,
                              "tune.extend continues the values of %s by their ratio, so all must "
                              "be numbers above 0; change them, or leave tune.extend out",
                              axis->path);
    }
    return STATUS_OK;
}

/* Whether a tuned axis can be extended. Words have nothing beyond them; numbers that have no next
 * one are refused. */
static enum status check_extended(const struct reading *r, int i, bool *extends)
{
    const struct config *c = r->c;
    const char *path = c->tune_path[i];
    const struct axis *axis = reading_axis(c, path);
    struct option_set set;
    enum status s = reading_path(r, path, &set, r->m);
    *extends = false;
    if (s || !axis)
        return s;
    enum option_type type = set.option[0]->type;
    if (type == OPTION_INT || type == OPTION_INT_LIST)
        return reading_refuse(r, c->tune_place[i],
                              "%s takes whole numbers, which tune.extend cannot extend; take it "
                              "out of tune.axes, or leave tune.extend out",
                              path);
    if (type != OPTION_REAL)
        return STATUS_OK;
    *extends = true;
    if (axis->kind != AXIS_VALUES)
        return reading_refuse(r, c->tune_place[i],
                              "%s is drawn from a distribution, but tune.extend extends only "
                              "lists; list its values, or leave tune.extend out",
                              path);
    return refuse_not_positive(r, axis);
}

/* The tuned axes are read. */
static enum status read_extend(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    bool any = false, extends;
    c->extend_place = t->place;
    enum status s = reading_integer(r, t, "tune.extend", 1, EXTEND_MAX, &c->extend);
    for (int i = 0; i < c->tune && !s; i++) {
        s = check_extended(r, i, &extends);
        any |= extends;
    }
    if (s || any)
        return s;
    return reading_refuse(r, t->key_place,
                          "tune.extend needs a tuned axis of real numbers, and there is none; tune "
                          "one, or leave tune.extend out");
}

/* Seeds of the verdict that would also be tuning seeds. */
static enum status refuse_tuning_seeds(const struct reading *r)
{
    const struct config *c = r->c;
    for (int i = 0; i < c->seeds && c->tune; i++)
        if (c->seed[i] >= CONFIG_TUNING_SEED)
            return reading_refuse(r, tree_find(r->root, "seeds")->place,
                                  "seed %" PRId64
                                  ": under tune, values are chosen on the seeds from %d up and "
                                  "judged on others; use seeds below %d",
                                  c->seed[i], CONFIG_TUNING_SEED, CONFIG_TUNING_SEED);
    return STATUS_OK;
}

enum status reading_tune(struct reading *r, const struct tree *t)
{
    static const struct role tuned = {"an axis to tune", check_tuned, "there is nothing to choose"};
    struct config *c = r->c;
    const struct tree *axes = t, *seeds = NULL, *rungs = NULL, *extend = NULL;
    enum status s = STATUS_OK;
    c->tune_seeds = TUNING_SEEDS;
    if (!t)
        return s;
    if (t->kind == TREE_MAP) {
        if ((s = reading_mapping(r, t, "tune")))
            return s;
        axes = tree_find(t, "axes");
        seeds = tree_find(t, "seeds");
        rungs = tree_find(t, "rungs");
        extend = tree_find(t, "extend");
    }
    if (!axes)
        return reading_refuse(r, t->place, "missing key 'axes' under tune");
    if ((s = reading_expect(r, axes, TREE_LIST, "tune")) ||
        (seeds &&
         (s = reading_integer(r, seeds, "tune.seeds", 1, READING_SEEDS_MAX, &c->tune_seeds))) ||
        (s = read_axes(r, axes, &tuned, &c->tune, &c->tune_path, &c->tune_place)) ||
        (rungs && (s = read_rungs(r, rungs))) || (extend && (s = read_extend(r, extend))))
        return s;
    return refuse_tuning_seeds(r);
}

static enum status check_replicated(const struct reading *r, const struct option_set *set,
                                    const struct tree *t)
{
    const struct config *c = r->c;
    if (strcmp(t->text, "model.heads") == 0)
        return reading_refuse(r, t->place,
                              "model.heads cannot be replicated: head counts are what is compared");
    if (!set->count || strcmp(set->section, "model") == 0)
        return reading_refuse(r, t->place,
                              "%s cannot be replicated: its values are not samples of one thing; "
                              "name options of task or train, such as task.instance",
                              t->text);
    if (config_is_tuned(c, t->text))
        return reading_refuse(r, t->place, "%s is tuned: it cannot be replicated too", t->text);
    if (c->rung_eta && is_of_steps(t->text))
        return reading_refuse(r, t->place,
                              "%s cannot be replicated where tune has rungs: values would be "
                              "compared at different steps",
                              t->text);
    return STATUS_OK;
}

enum status reading_replicate(struct reading *r, const struct tree *t)
{
    static const struct role replicated = {"an axis to replicate over", check_replicated,
                                           "there is nothing to replicate over"};
    struct config *c = r->c;
    if (!t)
        return STATUS_OK;
    enum status s = reading_expect(r, t, TREE_LIST, "replicate");
    if (s)
        return s;
    if (c->method == METHOD_RANDOM && t->count)
        return reading_refuse(r, t->key_place,
                              "replicate needs method: grid: a random draw is tried with one value "
                              "of each axis only");
    return read_axes(r, t, &replicated, &c->replicate, &c->replicate_path, &c->replicate_place);
}
