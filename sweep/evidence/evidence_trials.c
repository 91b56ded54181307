/* Settings and head counts, of trials in order. */
#include <math.h>
#include <stdio.h>

#include "sweep/evidence/evidence_scan.h"

static struct evidence_setting *add_setting(struct arena *a, struct evidence *e,
                                            const struct trial_group *g)
{
    e->setting = arena_grow(a, e->setting, (size_t)e->settings, sizeof *e->setting);
    struct evidence_setting *added = &e->setting[e->settings++];
    *added = (struct evidence_setting){
        .setting = g->setting, .label = g->label, .place = INT64_MAX, .input = e->base};
    added->input.look = g->look;
    added->input.instances = g->instances;
    added->input.different = g->different;
    added->input.alike = g->alike;
    return added;
}

static void add_heads(struct arena *a, struct evidence *e, struct evidence_setting *set,
                      const struct grid_point *point)
{
    size_t n = (size_t)set->count++;
    set->heads = arena_grow(a, set->heads, n, sizeof *set->heads);
    set->extra = arena_grow(a, set->extra, n, sizeof *set->extra);
    set->first = arena_grow(a, set->first, n, sizeof *set->first);
    set->first[n] = e->trials;
    set->extra[n] = (struct evidence_heads){.n_params = point->n_params};
    if (!isnan(point->lr))
        snprintf(set->extra[n].lr, sizeof set->extra->lr, "%.6g", point->lr);
    set->heads[n] = (struct verdict_heads){.heads = point->heads, .d_head = point->d_head};
}

static void take_trial(struct evidence *e, struct evidence_setting *set, const struct planned *p)
{
    int64_t steps = p->group->point->steps;
    set->input.steps = steps > set->input.steps ? steps : set->input.steps;
    set->input.decays = set->input.decays || p->group->point->decays;
    set->input.chance = p->chance;
    set->input.planned++;
    set->extra[set->count - 1].planned++;
    if (!p->ended)
        return;
    e->trial[e->trials] = p->trial;
    e->trial[e->trials++].unit = p->group->unit;
    set->heads[set->count - 1].n++;
    if (p->state == TRIAL_COMPLETED) {
        set->extra[set->count - 1].completed++;
        set->extra[set->count - 1].train_s += p->train_s;
    }
}

/* Under tune a seed has one trial per candidate until the choice is made: they are one planned
 * trial, which has ended when the chosen one has. */
static void take_trials(struct scan *sc)
{
    struct evidence *e = sc->e;
    struct arena *a = &sc->scope->arena;
    struct evidence_setting *set = NULL;
    const struct planned *last = NULL;
    for (const struct planned *p = sc->planned; p < sc->planned + sc->count; p++) {
        if (!p->judged)
            continue;
        const struct grid_point *point = p->group->point;
        if (!last || last->group->set != p->group->set)
            set = add_setting(a, e, p->group);
        if (!last || !planned_together(last, p))
            add_heads(a, e, set, point);
        set->place = p->place < set->place ? p->place : set->place;
        if (last && planned_compare(last, p) == 0) {
            if (last->group->point->lr != point->lr) /* not chosen yet */
                set->extra[set->count - 1].lr[0] = '\0';
            continue;
        }
        take_trial(e, set, p);
        last = p;
    }
}

/* What settings have of all their trials, those that only serve to choose too. */
static void take_groups(struct scan *sc)
{
    const struct trial_group *first = NULL;
    for (int i = 0; i < sc->groups; i++) {
        const struct trial_group *g = sc->group[i];
        struct evidence_setting *set = evidence_find(sc->e, g->setting);
        if (!first || first->set != g->set || g->place < first->place)
            first = g;
        if (!set)
            continue;
        set->config_id = first->point->config_id;
        set->input.tuning += g->tuning;
        set->input.tuning_ended += g->tuning_ended;
        set->input.eliminated += g->eliminated;
    }
}

/* ---- all of it ---- */

void evidence_read_trials(struct scope *x, struct evidence *e)
{
    struct scan sc = {.scope = x, .e = e};
    scan_read(&sc);
    scan_sort(&sc);
    e->trial = arena_alloc(&x->arena, sc.count, sizeof *e->trial);
    take_trials(&sc);
    take_groups(&sc);
}
