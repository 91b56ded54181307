#include "sweep/run/forecast_extend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "sweep/db/rows.h"

/* A head count in one setting. */
struct head_group {
    bool chosen, here; /* has chosen; is of the plan's shard */
    long points;       /* listed */
    long point;        /* one of them */
    long added;        /* points of values that were added */
    double trial_s;    /* of one trial, summed over its points */
};

void forecast_add(struct forecast_range *sum, struct forecast_range r, double times)
{
    sum->least += r.least * times;
    sum->expected += r.expected * times;
    sum->most += r.most * times;
}

/* (points), as there are no more groups; NULL where there is no memory. */
static struct head_group *list_groups(const struct plan *p, const struct forecast *f)
{
    struct head_group *list = calloc((size_t)f->points + 1, sizeof *list);
    for (long i = 0; list && i < f->points; i++) {
        struct head_group *g = &list[plan_group(p, i)];
        g->points++;
        g->point = i;
        g->chosen |= f->point[i].chosen;
        g->here |= plan_in_shard(p, i); /* the first round has the trials of all points */
        g->trial_s += f->point[i].trial_s;
    }
    return list;
}

/* A listed point of that head count in that setting; -1: there is none. */
static long find_point(const struct plan *p, const struct forecast *f, int64_t heads,
                       const char *setting)
{
    struct plan_text text;
    for (long i = 0; i < f->points; i++) {
        if (f->point[i].heads != heads)
            continue;
        plan_text(p, i, &text);
        if (strcmp(text.setting, setting) == 0)
            return i;
    }
    return -1;
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

static enum status add_trial(const struct plan *p, struct rows *r, struct forecast *f,
                             struct head_group *groups, bool retry_failed, struct message *m)
{
    struct forecast_added t = {.trial_id = rows_integer(r, TRIAL_ID),
                               .seed = (uint32_t)rows_integer(r, SEED),
                               .steps = (int)rows_integer(r, ADDED),
                               .is_tuning = rows_integer(r, IS_TUNING) != 0,
                               .state =
                                   (enum forecast_state)(FORECAST_QUEUED + rows_state(r, STATE))};
    rows_copy(r, SHA256, t.sha256, sizeof t.sha256);
    rows_copy(r, TUNING, t.tuning, sizeof t.tuning);
    if (forecast_trial_s(f, t.sha256) > 0) /* the sweep file lists it by now */
        return STATUS_OK;
    t.point = plan_config(p)->extend
                  ? find_point(p, f, rows_integer(r, HEADS), rows_given(r, SETTING))
                  : -1;
    if (t.point < 0) {
        f->leaving++;
        return STATUS_OK;
    }
    struct head_group *g = &groups[plan_group(p, t.point)];
    bool waits = !t.is_tuning && rows_integer(r, WAITS);
    g->chosen |= rows_integer(r, IS_CHOSEN) != 0;
    g->added += t.seed == CONFIG_TUNING_SEED;
    t.spare = waits && !g->chosen;
    t.note = waits && g->chosen ? FORECAST_LOOK : FORECAST_PLAIN;
    count_added(f, &t, g->here, waits && g->chosen, rows_real(r, DONE), retry_failed);
    struct forecast_added *longer = array_grow(f->added, (size_t)f->added_count, sizeof *longer);
    if (!longer)
        return status_no_memory(m, "trials that were added");
    f->added = longer;
    longer[f->added_count++] = t;
    return STATUS_OK;
}

/* Those that show that their head count has chosen come first. */
static enum status read_added(const struct plan *p, struct store *s, struct forecast *f,
                              struct head_group *groups, bool retry_failed, struct message *m)
{
    enum status status = STATUS_OK;
    struct rows r =
        rows_open(s, m,
                  "SELECT trial_id, heads, setting, state, choice = 'waiting', is_tuning, seed,"
                  " config_sha256, tuning, added, 1.0 * resume_step / steps,"
                  " NOT is_tuning AND choice <> 'waiting' AND state <> 'not_needed' AS is_chosen"
                  " FROM trials WHERE sweep = ?1 AND added > 0 AND in_plan = 1"
                  " ORDER BY is_chosen DESC, heads, setting, added, config_sha256, seed",
                  VALUES(TEXT(plan_config(p)->name)));
    while (status == STATUS_OK && rows_next(&r))
        status = add_trial(p, &r, f, groups, retry_failed, m);
    return rows_close_after(&r, status);
}

/* ---- what may be added ---- */

static void add_possible(const struct plan *p, struct forecast *f, const struct head_group *g)
{
    long each = g->points / plan_candidates(p, g->point); /* points of a value */
    long points = plan_beyond(p, g->point) * each - g->added;
    if (g->chosen || !g->here || points <= 0)
        return;
    long trials = points * (long)plan_config(p)->tune_seeds;
    f->may_add += trials;
    forecast_add(&f->left_s, (struct forecast_range){0, .5, 1},
                 (double)trials * g->trial_s / (double)g->points);
}

enum status forecast_extend(const struct plan *p, struct store *s, bool retry_failed,
                            struct forecast *f, struct message *m)
{
    struct head_group *groups = list_groups(p, f);
    if (!groups)
        return status_no_memory(m, "a forecast");
    enum status status = s ? read_added(p, s, f, groups, retry_failed, m) : STATUS_OK;
    for (long i = 0; i < f->points && groups[i].points > 0; i++)
        add_possible(p, f, &groups[i]);
    free(groups);
    return status;
}
