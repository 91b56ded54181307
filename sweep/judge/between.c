#include "sweep/judge/between.h"

#include <math.h>

/* What is not of the two alone is as in the setting of the first. */
static void make_input(struct between_pair *p)
{
    static const int64_t id[] = {1, 2};
    const struct verdict_input *first = p->side[0].in, *second = p->side[1].in;
    struct verdict_input *in = &p->input;
    *in = *first;
    in->count = 2;
    in->arm = p->arm;
    in->named = true;
    in->place = &p->place;
    in->planned = 0;
    in->steps = first->steps > second->steps ? first->steps : second->steps;
    in->blocks = first->blocks == second->blocks ? first->blocks : 0;
    in->equivalence = 0;
    in->confirm = NULL;
    in->claim.best = p->claimed ? id[0] : 0;
    in->claim.over = &id[1];
    in->claim.over_count = p->claimed;
    in->claim.similar = p->similar;
    for (int i = 0; i < 2; i++) {
        struct verdict_arm *a = &p->arm[i];
        *a = *p->side[i].arm;
        a->id = id[i];
        a->name = p->side[i].name;
        a->d_head = 0;
        a->shared = NULL;
        in->planned += a->planned;
    }
}

static void judge_pair(struct scope *x, struct between_pair *p)
{
    make_input(p);
    p->verdict = verdict_new(x, &p->input);
}

const struct verdict_rival *between_rival(const struct between_pair *p)
{
    return p->verdict && p->verdict->rivals ? &p->verdict->rival[0] : NULL;
}

/* Whether the second is the better one, of a pair of which nobody has said which it is. */
static bool is_reversed(const struct between_pair *p)
{
    const struct verdict_rival *r = between_rival(p);
    double sign = p->input.loss ? -1 : 1;
    return r && !p->claimed && sign * r->pair.mean < 0;
}

/* The better first, so that differences read as what is gained. */
static void judge_in_order(struct scope *x, struct between_pair *p)
{
    judge_pair(x, p);
    if (!is_reversed(p))
        return;
    struct between_side better = p->side[1];
    p->side[1] = p->side[0];
    p->side[0] = better;
    judge_pair(x, p);
}

/* ---- correction ---- */

static bool is_picked(const struct between_pair *p)
{
    return !p->verdict->prediction;
}

/* What the corrected p leaves of the kind. */
static void decide(struct between_pair *p, double corrected, int family)
{
    struct verdict *v = p->verdict;
    p->family = family;
    p->p = corrected;
    if (v->rivals)
        v->rival[0].p = corrected;
    bool better =
        v->kind == VERDICT_SETTING_BETTER || (v->kind == VERDICT_RIVAL_AT_EDGE && !v->prediction);
    if (better && !(corrected < v->alpha)) {
        v->kind = VERDICT_NOT_SIGNIFICANT;
        v->rival[0].outcome = RIVAL_NOT_BEATEN;
    }
}

/* Before any correction; NaN where nothing is tested. */
static double tested_p(const struct between_pair *p)
{
    const struct verdict_rival *r = between_rival(p);
    return r && r->outcome != RIVAL_UNFINISHED ? r->p : NAN;
}

/* Those at one head count; p, order, at: room for all pairs. */
static void correct_heads(struct between_pair *pair, int count, int64_t heads, double *p,
                          int *order, int *at)
{
    int family = 0;
    for (int i = 0; i < count; i++) {
        if (pair[i].place.heads != heads || !is_picked(&pair[i]))
            continue;
        at[family] = i;
        p[family++] = tested_p(&pair[i]);
    }
    stats_holm(p, family, order);
    for (int k = 0; k < family; k++)
        decide(&pair[at[k]], p[k], family);
}

static void correct_all(struct between_pair *pair, int count, double *p, int *order, int *at)
{
    for (int i = 0; i < count; i++) {
        int before = 0;
        while (before < i && pair[before].place.heads != pair[i].place.heads)
            before++;
        if (before == i)
            correct_heads(pair, count, pair[i].place.heads, p, order, at);
        if (!is_picked(&pair[i]))
            decide(&pair[i], tested_p(&pair[i]), 1);
    }
}

void between_judge(struct scope *x, struct between_pair *pair, int count)
{
    struct arena *a = &x->arena;
    double *p = arena_alloc(a, (size_t)count, sizeof *p);
    int *order = arena_alloc(a, (size_t)count, sizeof *order);
    int *at = arena_alloc(a, (size_t)count, sizeof *at);
    for (int i = 0; i < count; i++)
        judge_in_order(x, &pair[i]);
    correct_all(pair, count, p, order, at);
}
