/* The keys of a sweep file about its points: constraints and exclude (which are left out), tune
 * (what is chosen among them), claim (what is predicted of them). */
#include <inttypes.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"
#include "sweep/plan/expr.h"

struct naming {
    const struct reading *r;
    enum status status; /* of the last name, and what its refusal said */
    struct message unknown;
};

/* expr_lookup: knows a name if every listed task knows it and it has a value to compute with. */
static bool knows_name(void *context, const char *name, double *number, const char **word)
{
    struct naming *n = context;
    struct option_set set;
    *number = 0;
    *word = NULL;
    n->status = reading_path(n->r, name, &set, &n->unknown);
    if (!n->status && set.count && set.option[0]->type == OPTION_INT_LIST)
        n->status = status_fail(&n->unknown, STATUS_BAD_INPUT,
                                "%s is a list, which has no value to compare", name);
    return n->status == STATUS_OK;
}

/* An option that is true or false, which says by itself whether a point stays. */
static bool is_switch(const struct reading *r, const char *text)
{
    struct option_set set;
    struct message unknown;
    return reading_path(r, text, &set, &unknown) == STATUS_OK && set.count &&
           set.option[0]->type == OPTION_BOOL;
}

static enum status check_constraint(struct reading *r, const struct tree *t)
{
    struct expr *e;
    int column = 0;
    char shown[160];
    struct naming naming = {.r = r};
    enum status s = expr_compile(t->text, knows_name, &naming, &e, &column, r->m);
    bool condition = !s && (expr_is_condition(e) || is_switch(r, t->text));
    expr_free(e);
    if (!s && !condition)
        return reading_refuse(r, t->place,
                              "the constraint \"%s\" is a value, not a condition; compare it, as "
                              "in \"model.heads <= 8\"",
                              text_shown(t->text, shown, sizeof shown));
    if (s != STATUS_BAD_INPUT)
        return s;
    if (naming.status == STATUS_NO_MEMORY)
        return reading_no_memory(r);
    if (naming.status)
        status_fail(r->m, s, "%s", naming.unknown.text);
    struct place at = t->place;
    if (at.line > 0 && t->shift >= 0) {
        at.column += t->shift + column - 1;
        return config_within(r->c, at, r->m);
    }
    status_fail_within(r->m, s, "in the constraint \"%s\", at character %d: ",
                       text_shown(t->text, shown, sizeof shown), column);
    return config_within(r->c, at, r->m);
}

enum status reading_constraints(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    if (!t)
        return STATUS_OK;
    enum status s = reading_expect(r, t, TREE_LIST, "constraints");
    if (s)
        return s;
    c->constraint = pool_alloc(r->pool, (size_t)t->count, sizeof *c->constraint);
    c->constraint_place = pool_alloc(r->pool, (size_t)t->count, sizeof *c->constraint_place);
    if (!c->constraint || !c->constraint_place)
        return reading_no_memory(r);
    for (const struct tree *item = t->first; item; item = item->next) {
        if ((s = reading_expect(r, item, TREE_SCALAR, "a constraint")) ||
            (s = check_constraint(r, item)))
            return s;
        c->constraint[c->constraints] = item->text;
        c->constraint_place[c->constraints++] = item->place;
    }
    return s;
}

static enum status read_excluded(struct reading *r, const struct tree *map,
                                 struct config_excluded *e)
{
    enum status s = reading_expect(r, map, TREE_MAP, "an item of exclude");
    if (s)
        return s;
    if (!map->count)
        return reading_refuse(r, map->place, "an empty mapping would exclude every point");
    e->place = map->place;
    e->path = pool_alloc(r->pool, (size_t)map->count, sizeof *e->path);
    e->value = pool_alloc(r->pool, (size_t)map->count, sizeof *e->value);
    if (!e->path || !e->value)
        return reading_no_memory(r);
    for (const struct tree *t = map->first; t; t = t->next, e->pairs++) {
        struct option_set set;
        struct config_value *v = &e->value[e->pairs];
        e->path[e->pairs] = t->key;
        bool list = t->kind == TREE_LIST;
        if ((s = reading_path(r, t->key, &set, r->m)))
            return s == STATUS_BAD_INPUT ? config_within(r->c, t->key_place, r->m) : s;
        if ((s = reading_value(r, v, t->place, list ? t->count : 1)))
            return s;
        if (t->kind == TREE_MAP || (list && !t->count))
            return reading_refuse(r, t->place, "%s must be a value or a list of values", t->key);
        reading_begin_lists(r, &set);
        const struct tree *item = list ? t->first : t;
        for (int i = 0; i < v->scalars; i++, item = item->next) {
            if ((s = reading_expect(r, item, TREE_SCALAR, "a value to exclude")) ||
                (s = reading_check(r, &set, item)))
                return s;
            reading_set_scalar(v, i, item);
        }
    }
    return s;
}

enum status reading_exclude(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    if (!t)
        return STATUS_OK;
    enum status s = reading_expect(r, t, TREE_LIST, "exclude");
    if (s)
        return s;
    c->exclude = pool_alloc(r->pool, (size_t)t->count, sizeof *c->exclude);
    if (!c->exclude)
        return reading_no_memory(r);
    for (const struct tree *item = t->first; item && !s; item = item->next)
        s = read_excluded(r, item, &c->exclude[c->excluded++]);
    return s;
}

/* An axis that `tune` may choose along. */
static enum status check_tuned(const struct reading *r, const struct tree *t)
{
    struct option_set set;
    enum status s = reading_expect(r, t, TREE_SCALAR, "an axis to tune");
    if (s)
        return s;
    if ((s = reading_path(r, t->text, &set, r->m)))
        return s == STATUS_BAD_INPUT ? config_within(r->c, t->place, r->m) : s;
    if (strcmp(t->text, "model.heads") == 0)
        return reading_refuse(r, t->place,
                              "model.heads cannot be tuned: head counts are what is compared");
    if (!set.count || strcmp(set.section, "task") == 0)
        return reading_refuse(
            r, t->place, "%s cannot be tuned: accuracies on different tasks cannot be compared",
            t->text);
    for (int i = 0; i < r->c->axes; i++) {
        const struct axis *axis = &r->c->axis[i];
        bool varies = axis->kind != AXIS_VALUES || axis->values > 1;
        if (varies && strcmp(axis->path, t->text) == 0)
            return STATUS_OK;
    }
    return reading_refuse(r, t->place, "%s has only one value, so there is nothing to choose",
                          t->text);
}

enum status reading_tune(struct reading *r, const struct tree *t)
{
    static const char *const keys[] = {"axes", "seeds", NULL};
    struct config *c = r->c;
    const struct tree *axes = t, *seeds = NULL;
    enum status s = STATUS_OK;
    c->tune_seeds = 3;
    if (!t)
        return s;
    if (t->kind == TREE_MAP) {
        if ((s = reading_known_keys(r, t, "tune", keys)))
            return s;
        axes = tree_find(t, "axes");
        seeds = tree_find(t, "seeds");
    }
    if (!axes)
        return reading_refuse(r, t->place, "missing key 'axes' under tune");
    if ((s = reading_expect(r, axes, TREE_LIST, "tune")) ||
        (seeds &&
         (s = reading_integer(r, seeds, "tune.seeds", 1, READING_SEEDS_MAX, &c->tune_seeds))))
        return s;
    c->tune_path = pool_alloc(r->pool, (size_t)axes->count, sizeof *c->tune_path);
    c->tune_place = pool_alloc(r->pool, (size_t)axes->count, sizeof *c->tune_place);
    if (!c->tune_path || !c->tune_place)
        return reading_no_memory(r);
    for (const struct tree *item = axes->first; item; item = item->next) {
        if ((s = check_tuned(r, item)))
            return s;
        for (int i = 0; i < c->tune; i++)
            if (strcmp(c->tune_path[i], item->text) == 0)
                return reading_refuse(r, item->place, "%s is in the list twice", item->text);
        c->tune_path[c->tune] = item->text;
        c->tune_place[c->tune++] = item->place;
    }
    for (int i = 0; i < c->seeds && c->tune; i++)
        if (c->seed[i] >= CONFIG_TUNING_SEED)
            return reading_refuse(r, tree_find(r->root, "seeds")->place,
                                  "seed %" PRId64
                                  ": under tune, settings are chosen on the seeds from %d up and "
                                  "reported on others; use seeds below %d",
                                  c->seed[i], CONFIG_TUNING_SEED, CONFIG_TUNING_SEED);
    return s;
}

static enum status read_over(struct reading *r, const struct tree *over)
{
    struct claim *claim = &r->c->claim;
    const int most = (int)(sizeof claim->over / sizeof *claim->over);
    enum status s = reading_expect(r, over, TREE_LIST, "claim.over");
    if (s)
        return s;
    if (over->count < 1 || over->count > most)
        return reading_refuse(r, over->place, "claim.over lists %d head counts; allowed: 1 to %d",
                              over->count, most);
    for (const struct tree *t = over->first; t; t = t->next) {
        int64_t rival = 0;
        if ((s = reading_integer(r, t, "claim.over", 1, 65536, &rival)))
            return s;
        if (rival == claim->best)
            return reading_refuse(r, t->place,
                                  "claim.over has the head count that is claimed best");
        for (int i = 0; i < claim->over_count; i++)
            if (claim->over[i] == rival)
                return reading_refuse(r, t->place, "%" PRId64 " is in the list twice", rival);
        r->c->claim_over_place[claim->over_count] = t->place;
        claim->over[claim->over_count++] = rival;
    }
    return s;
}

enum status reading_claim(struct reading *r, const struct tree *t)
{
    static const char *const keys[] = {"best", "over", NULL};
    if (!t)
        return STATUS_OK;
    enum status s = reading_expect(r, t, TREE_MAP, "claim");
    if (s || (s = reading_known_keys(r, t, "claim", keys)))
        return s;
    const struct tree *best = tree_find(t, "best"), *over = tree_find(t, "over");
    if (!best || !over)
        return reading_refuse(r, t->place, "missing key '%s' under claim", best ? "over" : "best");
    r->c->has_claim = true;
    r->c->claim_best_place = best->place;
    s = reading_integer(r, best, "claim.best", 1, 65536, &r->c->claim.best);
    return s ? s : read_over(r, over);
}
