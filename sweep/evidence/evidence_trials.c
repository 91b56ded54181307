/* Settings and head counts, of trials in order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/array.h"
#include "engine/base/text.h"
#include "sweep/evidence/evidence_scan.h"

static struct evidence_setting *add_setting(struct evidence *e, const struct trial_group *g)
{
    struct evidence_setting *grown = array_grow(e->setting, (size_t)e->settings, sizeof *grown);
    if (!grown)
        return NULL;
    e->setting = grown;
    char *text = text_copy(g->setting), *label = text_copy(g->label);
    if (!text || !label) {
        free(text);
        free(label);
        return NULL;
    }
    struct evidence_setting *added = &grown[e->settings++];
    *added = (struct evidence_setting){
        .setting = text, .label = label, .place = INT64_MAX, .input = e->base};
    added->input.look = g->look;
    return added;
}

static bool add_heads(struct evidence *e, struct evidence_setting *set,
                      const struct grid_point *point)
{
    struct verdict_heads *heads = array_grow(set->heads, (size_t)set->count, sizeof *heads);
    set->heads = heads ? heads : set->heads;
    struct evidence_heads *extra = array_grow(set->extra, (size_t)set->count, sizeof *extra);
    set->extra = extra ? extra : set->extra;
    int *first = array_grow(set->first, (size_t)set->count, sizeof *first);
    set->first = first ? first : set->first;
    if (!heads || !extra || !first)
        return false;
    first[set->count] = e->trials;
    extra[set->count] = (struct evidence_heads){.n_params = point->n_params};
    if (!isnan(point->lr))
        snprintf(extra[set->count].lr, sizeof extra->lr, "%.6g", point->lr);
    heads[set->count++] = (struct verdict_heads){.heads = point->heads, .d_head = point->d_head};
    return true;
}

static void take_trial(struct evidence *e, struct evidence_setting *set, const struct planned *p)
{
    int64_t steps = p->group->point->steps;
    set->input.steps = steps > set->input.steps ? steps : set->input.steps;
    set->input.chance = p->chance;
    set->input.planned++;
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
static enum status take_trials(struct scan *sc)
{
    struct evidence *e = sc->e;
    struct evidence_setting *set = NULL;
    const struct planned *last = NULL;
    for (const struct planned *p = sc->planned; p < sc->planned + sc->count; p++) {
        if (!p->judged)
            continue;
        const struct grid_point *point = p->group->point;
        if ((!last || last->group->set != p->group->set) && !(set = add_setting(e, p->group)))
            return evidence_no_memory(sc->m);
        if ((!last || !planned_together(last, p)) && !add_heads(e, set, point))
            return evidence_no_memory(sc->m);
        set->place = p->place < set->place ? p->place : set->place;
        if (last && planned_compare(last, p) == 0) {
            if (last->group->point->lr != point->lr) /* not chosen yet */
                set->extra[set->count - 1].lr[0] = '\0';
            continue;
        }
        take_trial(e, set, p);
        last = p;
    }
    return STATUS_OK;
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

enum status evidence_read_trials(struct store *s, struct evidence *e, struct message *m)
{
    struct scan sc = {.store = s, .sweep_id = e->sweep_id, .e = e, .m = m};
    enum status status = scan_read(&sc);
    if (status == STATUS_OK) {
        scan_sort(&sc);
        e->trial = malloc((sc.count + 1) * sizeof *e->trial);
        status = e->trial ? take_trials(&sc) : evidence_no_memory(m);
    }
    if (status == STATUS_OK)
        take_groups(&sc);
    scan_free(&sc);
    return status;
}
