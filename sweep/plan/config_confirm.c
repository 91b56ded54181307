/* The key `confirm`: the fresh seeds or instances that decide about what the others have found. */
#include <inttypes.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"

/* The sign-flip test of fewer units cannot reach p < .05. */
enum { FRESH_LEAST = 6, FRESH_MOST = 1000, INSTANCE_MAX = INT32_MAX };

int64_t config_fresh_seeds(const struct config *c)
{
    return !c->confirm ? 0 : c->replicate ? c->seeds : c->confirm;
}

/* Seeds that explore or tune and that `confirm` would take as well. */
static enum status refuse_known_seeds(const struct reading *r)
{
    const struct config *c = r->c;
    const int64_t end = CONFIG_FRESH_SEED + config_fresh_seeds(c);
    for (int i = 0; i < c->seeds; i++)
        if (c->seed[i] >= CONFIG_FRESH_SEED && c->seed[i] < end)
            return reading_refuse(r, c->confirm_place,
                                  "confirm keeps the seeds %d to %" PRId64 " fresh; take %" PRId64
                                  " out of seeds",
                                  CONFIG_FRESH_SEED, end - 1, c->seed[i]);
    return STATUS_OK;
}

/* ---- instances ---- */

/* Only instances of a toy can be made anew. */
static enum status refuse_replicated(const struct reading *r)
{
    const struct config *c = r->c;
    for (int i = 0; i < c->replicate; i++)
        if (strcmp(c->replicate_path[i], "task.instance") != 0)
            return reading_refuse(r, c->confirm_place,
                                  "confirm cannot draw fresh values of %s, which is replicated; "
                                  "leave confirm out, or replicate task.instance only",
                                  c->replicate_path[i]);
    for (int i = 0; i < r->tasks && c->replicate; i++)
        if (r->task[i]->file)
            return reading_refuse(
                r, c->confirm_place,
                "confirm and replicate cannot be used together for the task %s: splits of a file "
                "share rows, so none of them is fresh; remove one of the two",
                r->task[i]->name);
    return STATUS_OK;
}

static bool is_explored(const struct config *c, int64_t instance)
{
    const struct axis *axis = reading_axis(c, "task.instance");
    for (int i = 0; axis && i < axis->values; i++) {
        double number = 0;
        bool integral;
        if (number_parse(axis->value[i].scalar[0], &number, &integral) &&
            number == (double)instance)
            return true;
    }
    return false;
}

static enum status read_instance(struct reading *r, const struct option_set *set,
                                 const struct tree *t)
{
    struct config *c = r->c;
    int64_t instance = 0;
    enum status s = reading_integer(r, t, "confirm.instances", 0, INSTANCE_MAX, &instance);
    if (s || (s = reading_check(r, set, t)))
        return s;
    if (is_explored(c, instance))
        return reading_refuse(r, t->place,
                              "instance %" PRId64
                              " is explored by task.instance, so it is not fresh; list others",
                              instance);
    for (int64_t i = 0; i < c->confirm; i++)
        if (c->confirm_instance[i] == instance)
            return reading_refuse(r, t->place, "instance %" PRId64 " is in the list twice",
                                  instance);
    c->confirm_instance[c->confirm++] = instance;
    return STATUS_OK;
}

static enum status read_instances(struct reading *r, const struct tree *t)
{
    struct option_set set;
    enum status s = reading_mapping(r, t, "confirm");
    const struct tree *list = tree_find(t, "instances");
    if (s)
        return s;
    if (!list)
        return reading_refuse(r, t->place, "missing key 'instances' under confirm");
    if (!r->c->replicate)
        return reading_refuse(r, t->place,
                              "confirm.instances needs replicate: [task.instance]; without it, "
                              "write how many fresh seeds there are, as in confirm: 8");
    if ((s = refuse_replicated(r)) || (s = reading_expect(r, list, TREE_LIST, "confirm.instances")))
        return s;
    if (list->count < FRESH_LEAST || list->count > FRESH_MOST)
        return reading_refuse(r, list->place,
                              "confirm.instances lists %d instance%s; allowed: %d to %d",
                              list->count, text_plural(list->count), FRESH_LEAST, FRESH_MOST);
    r->c->confirm_instance =
        plan_arena_alloc(r->arena, (size_t)list->count, sizeof *r->c->confirm_instance);
    if (!r->c->confirm_instance)
        return reading_no_memory(r);
    s = reading_path(r, "task.instance", &set, r->m);
    for (const struct tree *item = list->first; item && !s; item = item->next)
        s = read_instance(r, &set, item);
    return s;
}

/* ---- either ---- */

static enum status read_seeds(struct reading *r, const struct tree *t)
{
    if (!r->c->replicate)
        return reading_integer(r, t, "confirm", FRESH_LEAST, FRESH_MOST, &r->c->confirm);
    enum status s = refuse_replicated(r);
    return s ? s
             : reading_refuse(r, t->place,
                              "with replicate, confirm takes fresh instances, not seeds; list "
                              "them, as in confirm: {instances: [9, 10, 11, 12, 13, 14]}");
}

enum status reading_confirm(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    if (!t)
        return STATUS_OK;
    c->confirm_place = t->place;
    if (c->has_claim)
        return reading_refuse(r, t->key_place,
                              "confirm makes its own claim after the other trials have ended, so "
                              "it cannot be used with claim; remove one of them");
    const struct axis *heads = reading_axis(c, "model.heads");
    if (!heads || (heads->kind == AXIS_VALUES && heads->values == 1))
        return reading_refuse(r, t->key_place,
                              "confirm compares head counts, but model.heads has only one value; "
                              "list more, or leave confirm out");
    enum status s = t->kind == TREE_MAP ? read_instances(r, t) : read_seeds(r, t);
    return s ? s : refuse_known_seeds(r);
}
