/* Which points of the grid stay. Constraints and items of exclude are both conditions (expr.h):
 * constraints hold for points that stay, items of exclude for points that go. */
#include <string.h>

#include "sweep/plan/plan_parts.h"

/* A point, in which names are looked up, and the index of its task. */
struct asked {
    const struct point *point;
    int task;
};

static struct expr_value word(const char *text)
{
    return (struct expr_value){.word = text, .size = strlen(text)};
}

/* An option's value as it stands in a point. A list is equal as a whole, as a word is. */
static struct expr_value value_of(const struct option_entry *o, const void *value)
{
    if (o->type == OPTION_STRING)
        return word(value);
    if (o->type == OPTION_REAL)
        return (struct expr_value){.number = *(const double *)value};
    int64_t integer = *(const int64_t *)value;
    if (o->type == OPTION_INT_LIST)
        return (struct expr_value){.word = value, .size = (size_t)(integer + 1) * sizeof integer};
    if (o->type == OPTION_CHOICE)
        return word(o->words[integer]);
    if (o->type == OPTION_INT && o->words && integer < 0)
        return word(o->words[-1 - integer]);
    return (struct expr_value){.number = (double)integer};
}

static const void *find_axis(void *context, const char *name, struct message *m)
{
    struct plan *p = context;
    struct plan_axis *axis = arena_alloc(p->arena, 1, sizeof *axis);
    (void)m; /* it was found when the sweep file was read */
    plan_bind(p, name, axis);
    return axis;
}

static struct expr_value get_value(const void *context, const void *found)
{
    const struct asked *asked = context;
    const struct plan_axis *axis = found;
    if (axis->is_task)
        return word(asked->point->task->name);
    return value_of(axis->option[asked->task], (const char *)asked->point + axis->at[asked->task]);
}

/* Whether a point has one of the values of each pair. */
static struct expr *build_exclusion(struct plan *p, const struct config_excluded *e)
{
    struct expr *all = NULL;
    for (int i = 0; i < e->pairs; i++) {
        struct plan_axis *axis = arena_alloc(p->arena, 1, sizeof *axis);
        plan_build_values(p, e->path[i], &e->value[i], 1, true, axis);
        struct expr_value *value = arena_alloc(p->arena, (size_t)axis->values, sizeof *value);
        for (int k = 0; k < axis->values; k++)
            value[k] = axis->is_task ? word(e->value[i].scalar[k])
                                     : value_of(axis->option[0], axis->value[k].images);
        struct expr *has = expr_among(p->arena, axis, value, axis->values);
        all = all ? expr_and(p->arena, all, has) : has;
    }
    return all;
}

void plan_build_filters(struct plan *p)
{
    const struct config *c = p->config;
    int column;
    p->constraint = arena_alloc(p->arena, (size_t)c->constraints, sizeof *p->constraint);
    p->exclusion = arena_alloc(p->arena, (size_t)c->excluded, sizeof *p->exclusion);
    for (int i = 0; i < c->constraints; i++) {
        struct plan_condition *k = &p->constraint[i];
        k->place = c->constraint_place[i];
        k->expr = expr_compile(p->arena, c->constraint[i], find_axis, p, &column, p->x->message);
        if (!k->expr)
            plan_refuse_at(p, k->place);
    }
    for (int i = 0; i < c->excluded; i++)
        p->exclusion[i] = (struct plan_condition){.place = c->exclude[i].place,
                                                  .expr = build_exclusion(p, &c->exclude[i])};
}

static bool holds(const struct plan *p, struct plan_condition *k, const struct asked *asked)
{
    bool truth;
    if (expr_evaluate(k->expr, get_value, asked, &truth, p->x->message))
        plan_refuse_at(p, k->place);
    k->held += truth;
    return truth;
}

enum plan_verdict plan_filter(struct plan *p, const struct point *point, int task)
{
    const struct asked asked = {point, task};
    enum plan_verdict verdict = PLAN_STAYS;
    for (int i = 0; i < p->config->constraints; i++)
        if (!holds(p, &p->constraint[i], &asked))
            return PLAN_CONSTRAINED;
    for (int i = 0; i < p->config->excluded; i++)
        if (holds(p, &p->exclusion[i], &asked))
            verdict = PLAN_EXCLUDED;
    return verdict;
}
