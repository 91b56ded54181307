#include "sweep/run/forecast_extend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "sweep/db/rows.h"
#include "sweep/trials/trials.h"

/* A head count in one setting. */
struct head_group {
    bool chosen, here; /* has chosen; is of the plan's shard */
    bool open;         /* ... but a listed tuning trial is to run, and may change that */
    bool due;          /* its choice leads on: it gets the next value, */
    long certain;      /* with so many tuning trials that the file does not have */
    long points;       /* listed */
    long point;        /* the first of them */
    long judged, left; /* judged trials of its listed points; those of them that would run */
    long added;        /* points of values that were added */
    double trial_s;    /* of one trial, summed over its points */
    long tuning;       /* listed tuning trials, */
    long known;        /* ... of configurations that the file's plan tries: so many does it have */
    bool differs;      /* otherwise it tries others than it would by what is asked for now */
    bool begun;        /* it has chosen there, or values were added */
    bool stays;        /* its choice is listed, and scored unlike the next best */
    bool reopened;     /* see forecast_reopen */
    int64_t heads;
    char *setting;
};

struct extending {
    const struct plan *p;
    struct store *s;
    bool retry_failed;
    struct forecast *f;
    struct message *m;
    long groups;
    struct head_group *group;   /* (groups), as plan_group */
    struct head_group **sorted; /* (groups), by head count and setting */
};

void forecast_add(struct forecast_range *sum, struct forecast_range r, double times)
{
    sum->least += r.least * times;
    sum->expected += r.expected * times;
    sum->most += r.most * times;
}

/* ---- head counts ---- */

static int compare_groups(const void *a, const void *b)
{
    const struct head_group *x = *(struct head_group *const *)a;
    const struct head_group *y = *(struct head_group *const *)b;
    int order = (x->heads > y->heads) - (x->heads < y->heads);
    return order ? order : strcmp(x->setting, y->setting);
}

/* NULL: the plan has no such head count in that setting. */
static struct head_group *find_group(const struct extending *e, int64_t heads, char *setting)
{
    struct head_group wanted = {.heads = heads, .setting = setting}, *key = &wanted;
    struct head_group **found =
        bsearch(&key, e->sorted, (size_t)e->groups, sizeof *e->sorted, compare_groups);
    return found ? *found : NULL;
}

static void count_trials(const struct extending *e)
{
    for (long k = 0; k < e->f->trials; k++) {
        struct plan_trial t = plan_trial(e->p, k);
        struct head_group *g = &e->group[plan_group(e->p, t.point)];
        const struct forecast_trial *trial = &e->f->trial[k];
        bool runs = !trial->spare && forecast_runs(trial->state, e->retry_failed);
        g->tuning += t.tuning;
        g->judged += !t.tuning;
        g->left += !t.tuning && runs;
        g->open |= t.tuning && runs;
    }
}

/* Of the i-th point, its first. */
static enum status begin_group(struct extending *e, long i, struct head_group *g)
{
    struct plan_text text;
    plan_text(e->p, i, &text);
    e->sorted[e->groups++] = g;
    g->point = i;
    g->heads = e->f->point[i].heads;
    g->setting = strdup(text.setting);
    return g->setting ? STATUS_OK : status_no_memory(e->m, "a forecast");
}

static enum status list_groups(struct extending *e)
{
    const struct forecast *f = e->f;
    enum status status = STATUS_OK;
    e->group = calloc((size_t)f->points + 1, sizeof *e->group);
    e->sorted = calloc((size_t)f->points + 1, sizeof *e->sorted);
    if (!e->group || !e->sorted)
        return status_no_memory(e->m, "a forecast");
    for (long i = 0; status == STATUS_OK && i < f->points; i++) {
        struct head_group *g = &e->group[plan_group(e->p, i)];
        if (g->points++ == 0)
            status = begin_group(e, i, g);
        g->chosen |= f->point[i].chosen;
        g->reopened |= f->point[i].reopened;
        g->here |= plan_in_shard(e->p, i); /* the first round has the trials of all points */
        g->trial_s += f->point[i].trial_s;
    }
    if (status != STATUS_OK)
        return status;
    qsort(e->sorted, (size_t)e->groups, sizeof *e->sorted, compare_groups);
    count_trials(e);
    return STATUS_OK;
}

static void free_groups(struct extending *e)
{
    for (long i = 0; i < e->groups; i++)
        free(e->sorted[i]->setting);
    free(e->sorted);
    free(e->group);
}

/* ---- what may be chosen anew ---- */

enum { TRIED_HEADS, TRIED_SETTING, TRIED_SHA256, STEPS, TRIALS, CHOSEN, AHEAD, OTHER };

/* A configuration that the file's plan tries. */
static void compare_tried(struct extending *e, struct rows *r)
{
    char setting[PLAN_TEXT_MAX];
    long i = forecast_index(e->f, rows_given(r, TRIED_SHA256));
    bool listed = i >= 0, added = rows_integer(r, STEPS) > 0, chosen = rows_integer(r, CHOSEN) != 0;
    rows_copy(r, TRIED_SETTING, setting, sizeof setting);
    struct head_group *g = listed ? &e->group[plan_group(e->p, i)]
                                  : find_group(e, rows_integer(r, TRIED_HEADS), setting);
    if (!g)
        return;
    g->known += listed ? (long)rows_integer(r, TRIALS) : 0;
    g->differs |= listed == added || (added && rows_integer(r, OTHER));
    g->begun |= added || chosen;
    g->stays |= listed && chosen && rows_integer(r, AHEAD);
}

/* OTHER: extend was another, so that it leads elsewhere; where it was less and there is one axis,
 * it goes on from there (read_due). */
static enum status read_tried(struct extending *e)
{
    const struct config *c = plan_config(e->p);
    struct rows r = rows_open(
        e->s, e->m,
        "WITH tried AS MATERIALIZED (SELECT setting, heads, tuning, rank = 1 AND settled AS chosen,"
        " score IS NOT lead(score) OVER (PARTITION BY setting, heads ORDER BY rank) AS ahead"
        " FROM tuning WHERE sweep = ?1)"
        " SELECT heads, setting, config_sha256, max(added), count(*), chosen, ahead,"
        " (SELECT extend > ?2 OR (?3 > 1 AND extend < ?2) FROM sweep WHERE name = ?1)"
        " FROM trials JOIN tried USING (setting, heads, tuning)"
        " WHERE sweep = ?1 AND in_plan = 1 AND is_tuning = 1 GROUP BY setting, config_sha256",
        VALUES(TEXT(c->name), INTEGER(c->extend), INTEGER(c->tune)));
    while (rows_next(&r))
        compare_tried(e, &r);
    return rows_close(&r);
}

/* A choice stays for sure if nothing is tried that was not, and nothing can be added to it. */
static bool is_reopened(const struct config *c, const struct head_group *g)
{
    bool fresh = g->known != g->tuning;
    bool stays = g->stays && !fresh && !c->extend && !c->rung_eta;
    return g->begun && (fresh || g->differs) && !stays;
}

enum status forecast_reopen(const struct plan *p, struct store *s, struct forecast *f,
                            struct message *m)
{
    struct extending e = {.p = p, .s = s, .f = f, .m = m};
    const struct config *c = plan_config(p);
    bool any = false;
    enum status status = list_groups(&e);
    if (status == STATUS_OK)
        status = read_tried(&e);
    for (long i = 0; i < e.groups && status == STATUS_OK; i++)
        any |= e.group[i].reopened = is_reopened(c, &e.group[i]);
    for (long i = 0; i < f->points && any; i++) {
        const struct head_group *g = &e.group[plan_group(p, i)];
        /* With others, its look is judged again, and what is to be confirmed. */
        f->point[i].reopened = g->reopened || (g->begun && (c->looks || c->confirm));
        f->reopened += f->point[i].reopened && g->here && i == g->point;
    }
    free_groups(&e);
    return status;
}

/* ---- what was added ---- */

/* later: it waits for a look. */
static void count_added(struct forecast *f, struct forecast_added *t, bool here, bool later,
                        double done, bool retry_failed)
{
    const struct forecast_range range =
        later ? (struct forecast_range){0, .5, 1} : (struct forecast_range){1, 1, 1};
    bool runs = forecast_runs(t->state, retry_failed);
    if (runs && !here)
        t->state = FORECAST_ELSEWHERE;
    bool out = t->spare || t->state == FORECAST_NOT_NEEDED;
    f->not_needed += out;
    f->elsewhere += !out && t->state == FORECAST_ELSEWHERE;
    f->planned += !out && t->state != FORECAST_ELSEWHERE;
    f->noted[t->spare ? FORECAST_NOT_NEEDED : t->state][t->spare ? FORECAST_PLAIN : t->note]++;
    if (out || !runs || !here)
        return;
    f->to_run++;
    f->tuning_left += t->is_tuning;
    if (!t->is_tuning)
        forecast_add(&f->trials_left, range, 1);
    forecast_add(&f->left_s, range, cost_rest_s(&f->cost, f->point[t->point].trial_s, done));
}

enum {
    TRIAL_ID,
    HEADS,
    SETTING,
    STATE,
    WAITS,
    IS_TUNING,
    SEED,
    SHA256,
    TUNING,
    ADDED,
    DONE,
    IS_CHOSEN
};

static enum status add_trial(struct extending *e, struct rows *r)
{
    struct forecast *f = e->f;
    char setting[PLAN_TEXT_MAX];
    struct forecast_added t = {.trial_id = rows_integer(r, TRIAL_ID),
                               .seed = (uint32_t)rows_integer(r, SEED),
                               .steps = (int)rows_integer(r, ADDED),
                               .is_tuning = rows_integer(r, IS_TUNING) != 0,
                               .state =
                                   (enum forecast_state)(FORECAST_QUEUED + rows_state(r, STATE))};
    rows_copy(r, SHA256, t.sha256, sizeof t.sha256);
    rows_copy(r, TUNING, t.tuning, sizeof t.tuning);
    rows_copy(r, SETTING, setting, sizeof setting);
    if (forecast_trial_s(f, t.sha256) > 0) /* the sweep file lists it by now */
        return STATUS_OK;
    struct head_group *g =
        plan_config(e->p)->extend ? find_group(e, rows_integer(r, HEADS), setting) : NULL;
    if (!g || g->reopened) {
        f->leaving++;
        return STATUS_OK;
    }
    t.point = g->point;
    bool waits = !t.is_tuning && rows_integer(r, WAITS);
    g->chosen |= rows_integer(r, IS_CHOSEN) != 0;
    g->added += t.seed == CONFIG_TUNING_SEED;
    t.spare = waits && !g->chosen;
    t.note = waits && g->chosen ? FORECAST_LOOK : FORECAST_PLAIN;
    count_added(f, &t, g->here, waits && g->chosen, rows_real(r, DONE), e->retry_failed);
    struct forecast_added *longer = array_grow(f->added, (size_t)f->added_count, sizeof *longer);
    if (!longer)
        return status_no_memory(e->m, "trials that were added");
    f->added = longer;
    longer[f->added_count++] = t;
    return STATUS_OK;
}

/* Those of a value side by side, as forecast.h promises. */
static int compare_added(const void *a, const void *b)
{
    const struct forecast_added *x = a, *y = b;
    int order = (x->point > y->point) - (x->point < y->point);
    order = order ? order : x->steps - y->steps;
    order = order ? order : strcmp(x->tuning, y->tuning);
    return order ? order : (x->trial_id > y->trial_id) - (x->trial_id < y->trial_id);
}

/* Those that show that their head count has chosen come first. */
static enum status read_added(struct extending *e)
{
    enum status status = STATUS_OK;
    struct rows r =
        rows_open(e->s, e->m,
                  "SELECT trial_id, heads, setting, state, choice = 'waiting', is_tuning, seed,"
                  " config_sha256, tuning, added, 1.0 * resume_step / steps,"
                  " NOT is_tuning AND choice <> 'waiting' AND state <> 'not_needed' AS is_chosen"
                  " FROM trials WHERE sweep = ?1 AND added > 0 AND in_plan = 1"
                  " ORDER BY is_chosen DESC",
                  VALUES(TEXT(plan_config(e->p)->name)));
    while (status == STATUS_OK && rows_next(&r))
        status = add_trial(e, &r);
    if (e->f->added_count > 0)
        qsort(e->f->added, (size_t)e->f->added_count, sizeof *e->f->added, compare_added);
    return rows_close_after(&r, status);
}

/* ---- what may be added ---- */

static long points_of_value(const struct extending *e, const struct head_group *g)
{
    return g->points / plan_candidates(e->p, g->point);
}

static enum status add_due(struct extending *e, struct extension_due *item)
{
    struct forecast *f = e->f;
    struct head_group *g = find_group(e, item->heads, item->setting);
    if (!g || !g->chosen || g->open || g->reopened || !g->here)
        return STATUS_OK;
    g->due = true;
    if (!item->known)
        g->certain = points_of_value(e, g) * (long)plan_config(e->p)->tune_seeds;
    struct forecast_due *longer = array_grow(f->due, (size_t)f->due_count, sizeof *longer);
    if (!longer)
        return status_no_memory(e->m, "values to be added");
    f->due = longer;
    struct forecast_due *due = &longer[f->due_count++];
    *due = (struct forecast_due){.point = g->point, .trials = g->certain};
    snprintf(due->tuning, sizeof due->tuning, "%s", item->tuning);
    return STATUS_OK;
}

/* Where the sweep file asks for more than the plan that the results file has. */
static enum status read_due(struct extending *e)
{
    struct extensions_due due;
    enum status status = store_extensions_due(e->s, plan_config(e->p), &due, e->m);
    for (size_t i = 0; status == STATUS_OK && i < due.count; i++)
        status = add_due(e, &due.item[i]);
    free(due.item);
    return status;
}

static void add_possible(struct extending *e, const struct head_group *g)
{
    struct forecast *f = e->f;
    long points = plan_beyond(e->p, g->point) * points_of_value(e, g) - g->added;
    bool final = g->chosen && !g->open && !g->due && !g->reopened;
    if (final || !g->here || points <= 0)
        return;
    double trial_s = g->trial_s / (double)g->points;
    long trials = points * (long)plan_config(e->p)->tune_seeds;
    double least = (double)g->certain, most = (double)trials;
    f->may_add += trials;
    f->will_add += g->certain;
    forecast_add(&f->left_s, (struct forecast_range){least, (least + most) / 2, most}, trial_s);
}

/* Where it chooses otherwise than so far, others are judged. */
static void judge_others(struct extending *e, const struct head_group *g)
{
    struct forecast *f = e->f;
    const struct forecast_range maybe = {0, .5, 1};
    long judged = g->judged / plan_candidates(e->p, g->point) - g->left;
    if (!g->here || !(g->due || g->reopened) || judged <= 0)
        return;
    forecast_add(&f->trials_left, maybe, (double)judged);
    forecast_add(&f->left_s, maybe, (double)judged * g->trial_s / (double)g->points);
}

enum status forecast_extend(const struct plan *p, struct store *s, bool retry_failed,
                            struct forecast *f, struct message *m)
{
    struct extending e = {.p = p, .s = s, .retry_failed = retry_failed, .f = f, .m = m};
    enum status status = list_groups(&e);
    if (status == STATUS_OK && s)
        status = read_added(&e);
    if (status == STATUS_OK && s && plan_config(p)->extend)
        status = read_due(&e);
    for (long i = 0; i < e.groups && status == STATUS_OK; i++) {
        add_possible(&e, &e.group[i]);
        judge_others(&e, &e.group[i]);
    }
    free_groups(&e);
    return status;
}
