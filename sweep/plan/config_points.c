/* The keys of a sweep file about which points are left out: constraints and exclude. */
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
    if (!n->status && set.count && set.option[0]->local)
        n->status = status_fail(&n->unknown, STATUS_BAD_INPUT,
                                "%s is a path, which says nothing to compare; leave files out by "
                                "`exclude`",
                                name);
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
    c->constraint = plan_arena_alloc(r->arena, (size_t)t->count, sizeof *c->constraint);
    c->constraint_place = plan_arena_alloc(r->arena, (size_t)t->count, sizeof *c->constraint_place);
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
        return reading_refuse(r, map->place,
                              "an empty mapping would exclude every point; name an option");
    e->place = map->place;
    e->path = plan_arena_alloc(r->arena, (size_t)map->count, sizeof *e->path);
    e->value = plan_arena_alloc(r->arena, (size_t)map->count, sizeof *e->value);
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
    c->exclude = plan_arena_alloc(r->arena, (size_t)t->count, sizeof *c->exclude);
    if (!c->exclude)
        return reading_no_memory(r);
    for (const struct tree *item = t->first; item && !s; item = item->next)
        s = read_excluded(r, item, &c->exclude[c->excluded++]);
    return s;
}
