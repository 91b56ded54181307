#include "sweep/run/forecast_confirm.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "engine/base/sha256.h"
#include "sweep/db/rows.h"
#include "sweep/run/forecast_extend.h"
#include "sweep/trials/trials.h"

/* A point of the plan by its setting and head count. */
struct placed {
    uint64_t setting;
    int64_t heads;
    long point;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->setting != y->setting)
        return x->setting < y->setting ? -1 : 1;
    if (x->heads != y->heads)
        return x->heads < y->heads ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

/* (points), those of a setting together and in it those of a head count; NULL where there is no
 * memory. */
static struct placed *list_points(const struct plan *p, const struct forecast *f)
{
    struct placed *list = calloc((size_t)f->points + 1, sizeof *list);
    for (long i = 0; list && i < f->points; i++)
        list[i] = (struct placed){plan_setting_hash(p, i), f->point[i].heads, i};
    if (list)
        qsort(list, (size_t)f->points, sizeof *list, by_place);
    return list;
}

/* ---- what is written down ---- */

enum { TRIAL_ID, SEED, SHA256, STATE, JSON, DONE, IN_PLAN, CLAIMED, LISTED };

/* The trials of the row ?2 of plan_change, and those beside them that it does not need, in the plan
 * of the file or not; ?3: it has a claim. Not those of a value that was eliminated since. LISTED:
 * where tune.extend has added the chosen value, a listed configuration of that head count. */
static const char TRIALS[] =
    "SELECT trial_id, seed, config_sha256, state, config_json, 1.0 * resume_step / steps, in_plan,"
    " claimed, (SELECT config_sha256 FROM trial AS l JOIN config AS k USING (config_id)"
    "   WHERE l.sweep_id = t.sweep_id AND l.setting = t.setting AND k.heads = t.heads"
    "    AND l.in_plan = 1 AND l.added = 0 AND l.confirms = 0 AND t.in_plan = 1"
    "    AND EXISTS (SELECT 1 FROM trial AS e WHERE e.sweep_id = t.sweep_id"
    "     AND e.setting = t.setting AND e.tuning = t.tuning AND e.added > 0 AND e.in_plan = 1))"
    " FROM (SELECT *, ?3 AND " ITS_TRIAL " AS claimed FROM trial JOIN config USING (config_id)"
    "   WHERE sweep_id = ?1 AND confirms = 1) AS t"
    " WHERE (in_plan = 1 AND setting = (SELECT setting FROM plan_change WHERE plan_change_id = ?2))"
    "  OR (claimed AND (in_plan = 1 OR tuning = '{}' OR EXISTS (SELECT 1 FROM trial AS e"
    "   WHERE e.sweep_id = t.sweep_id AND e.config_id = t.config_id AND e.is_tuning = 0"
    "    AND e.confirms = 0 AND e.choice <> 'eliminated')))"
    " ORDER BY plan_order";

/* One of them; its point is -1 where the plan has none like it. */
struct fresh {
    struct forecast_confirming t;
    double done; /* of its steps */
    bool in_plan, claimed;
};

struct fresh_list {
    struct fresh *item;
    size_t count;
};

/* A listed point like it, by which its time is estimated: the same but for the seed and, where
 * fresh instances decide, for the instance; -1: none. */
static enum status find_point(const struct plan *p, const struct forecast *f, struct rows *r,
                              long *found, struct message *m)
{
    struct plan_text text;
    struct point point;
    char json[POINT_JSON_MAX], sha256[65];
    *found = forecast_index(f, rows_given(r, SHA256));
    if (*found < 0 && plan_config(p)->replicate) {
        plan_text(p, 0, &text);
        enum status status = point_parse(rows_given(r, JSON), &point, m);
        if (status == STATUS_OK)
            status = point_set(&point, text.replicate, m);
        if (status != STATUS_OK)
            return status;
        sha256_hex(json, (size_t)point_json(&point, json), sha256);
        *found = forecast_index(f, sha256);
    }
    if (*found < 0 && !rows_null(r, LISTED))
        *found = forecast_index(f, rows_given(r, LISTED));
    return STATUS_OK;
}

static enum status add_fresh(const struct plan *p, const struct forecast *f, struct rows *r,
                             struct fresh_list *list, struct message *m)
{
    struct fresh *longer = array_grow(list->item, list->count, sizeof *longer);
    if (!longer)
        return status_no_memory(m, "trials that confirm");
    list->item = longer;
    struct fresh *n = &longer[list->count++];
    *n = (struct fresh){
        .t = {.trial_id = rows_integer(r, TRIAL_ID),
              .seed = (uint32_t)rows_integer(r, SEED),
              .state = (enum forecast_state)(FORECAST_QUEUED + rows_state(r, STATE))},
        .done = rows_real(r, DONE),
        .in_plan = rows_integer(r, IN_PLAN) != 0,
        .claimed = rows_integer(r, CLAIMED) != 0};
    rows_copy(r, SHA256, n->t.sha256, sizeof n->t.sha256);
    if (n->claimed && n->t.state == FORECAST_NOT_NEEDED)
        n->t.state = FORECAST_QUEUED;
    return find_point(p, f, r, &n->t.point, m);
}

/* Whether the plan explores every configuration that the row needs, and no earlier row speaks of
 * the setting. */
static bool holds(const struct plan *p, const struct forecast *f, const bool *written,
                  const struct fresh_list *list)
{
    long known = -1;
    for (size_t i = 0; i < list->count; i++) {
        if (list->item[i].t.point >= 0)
            known = list->item[i].t.point;
        else if (list->item[i].claimed)
            return false;
    }
    for (long i = 0; i < f->points && known >= 0; i++)
        if (written[i] && plan_setting_hash(p, i) == plan_setting_hash(p, known))
            return false;
    return known >= 0;
}

static void count_confirming(struct forecast *f, struct forecast_confirming *t, double done,
                             bool retry_failed)
{
    const double least = f->point[t->point].reopened ? 0 : 1;
    const struct forecast_range range = {least, (least + 1) / 2, 1};
    bool out = t->state == FORECAST_NOT_NEEDED, runs = forecast_runs(t->state, retry_failed);
    f->not_needed += out;
    f->planned += !out;
    t->note = out || runs ? FORECAST_CONFIRM : FORECAST_PLAIN;
    f->noted[t->state][t->note]++;
    if (!runs)
        return;
    f->to_run++;
    forecast_add(&f->trials_left, range, 1);
    forecast_add(&f->left_s, range, cost_rest_s(&f->cost, f->point[t->point].trial_s, done));
}

static enum status take_all(struct forecast *f, const struct fresh_list *list, bool *written,
                            bool retry_failed, struct message *m)
{
    for (size_t i = 0; i < list->count; i++) {
        struct fresh *n = &list->item[i];
        if (n->t.point < 0)
            continue;
        struct forecast_confirming *longer =
            array_grow(f->confirming, (size_t)f->confirming_count, sizeof *longer);
        if (!longer)
            return status_no_memory(m, "trials that confirm");
        f->confirming = longer;
        written[n->t.point] = true;
        f->leaving -= n->in_plan;
        count_confirming(f, &n->t, n->done, retry_failed);
        longer[f->confirming_count++] = n->t;
    }
    return STATUS_OK;
}

/* The trials of one row of plan_change. */
static enum status read_row(const struct plan *p, struct store *s, const struct value row[3],
                            struct forecast *f, bool *written, bool retry_failed, struct message *m)
{
    struct fresh_list list = {NULL, 0};
    enum status status = STATUS_OK;
    struct rows r = rows_open(s, m, TRIALS, row, 3);
    while (status == STATUS_OK && rows_next(&r))
        status = add_fresh(p, f, &r, &list, m);
    status = rows_close_after(&r, status);
    if (status == STATUS_OK && holds(p, f, written, &list))
        status = take_all(f, &list, written, retry_failed, m);
    free(list.item);
    return status;
}

/* written: (points), those by which a trial of the file is known. */
static enum status read_written(const struct plan *p, struct store *s, struct forecast *f,
                                bool *written, bool retry_failed, struct message *m)
{
    static const char rows[] =
        "SELECT sweep_id, plan_change_id, c.claim IS NOT NULL AS found FROM sweep"
        " JOIN plan_change AS c USING (sweep_id) WHERE name = ?1 AND by = 'confirm'"
        " AND (what -> '$.confirm.instances' IS NOT NULL) = ?2"
        " ORDER BY found DESC, plan_change_id";
    const struct config *c = plan_config(p);
    int64_t planned = 0;
    enum status status =
        rows_ask(s, m, "SELECT count(*) FROM trials WHERE sweep = ?1 AND confirms AND in_plan",
                 VALUES(TEXT(c->name)), &planned);
    f->leaving += (long)planned;
    struct rows r = rows_open(s, m, rows, VALUES(TEXT(c->name), INTEGER(c->replicate > 0)));
    while (status == STATUS_OK && c->confirm && rows_next(&r)) {
        const struct value row[] = {INTEGER(rows_integer(&r, 0)), INTEGER(rows_integer(&r, 1)),
                                    INTEGER(rows_integer(&r, 2))};
        status = read_row(p, s, row, f, written, retry_failed, m);
    }
    return rows_close_after(&r, status);
}

/* ---- what may be ---- */

/* The longest trials of a setting, one for each head count, longest first. */
struct longest {
    int heads;
    double trial_s[PLAN_CONFIRMED];
};

static void add_heads(struct longest *l, double trial_s)
{
    int at = l->heads < PLAN_CONFIRMED ? l->heads++ : PLAN_CONFIRMED;
    for (; at > 0 && l->trial_s[at - 1] < trial_s; at--)
        if (at < PLAN_CONFIRMED)
            l->trial_s[at] = l->trial_s[at - 1];
    if (at < PLAN_CONFIRMED)
        l->trial_s[at] = trial_s;
}

/* Of the points first..end - 1, which are one setting. */
static struct longest find_longest(const struct forecast *f, const struct placed *first,
                                   const struct placed *end)
{
    struct longest l = {0};
    while (first < end) {
        double most = 0;
        int64_t heads = first->heads;
        for (; first < end && first->heads == heads; first++)
            if (f->point[first->point].trial_s > most)
                most = f->point[first->point].trial_s;
        add_heads(&l, most);
    }
    return l;
}

static void add_possible(const struct plan *p, struct forecast *f, const struct longest *l)
{
    const struct config *c = plan_config(p);
    const struct forecast_range range = {0, .5, 1};
    long each = (long)c->confirm * (c->replicate ? c->seeds : 1);
    if (l->heads < 2)
        return;
    f->may_confirm += each * l->heads;
    forecast_add(&f->trials_left, range, (double)(each * l->heads));
    for (int i = 0; i < l->heads; i++) {
        f->may_confirm_s += (double)each * l->trial_s[i];
        forecast_add(&f->left_s, range, (double)each * l->trial_s[i]);
    }
}

static void add_settings(const struct plan *p, struct forecast *f, const struct placed *list,
                         const bool *written)
{
    for (long first = 0, end; first < f->points; first = end) {
        bool known = false;
        for (end = first; end < f->points && list[end].setting == list[first].setting; end++)
            known |= written[list[end].point] && !f->point[list[end].point].reopened;
        if (known)
            continue;
        struct longest l = find_longest(f, list + first, list + end);
        add_possible(p, f, &l);
    }
}

enum status forecast_confirm(const struct plan *p, struct store *s, bool retry_failed,
                             struct forecast *f, struct message *m)
{
    enum status status = STATUS_NO_MEMORY;
    bool *written = calloc((size_t)f->points + 1, sizeof *written);
    struct placed *list = list_points(p, f);
    if (!list || !written) {
        status_no_memory(m, "a forecast");
        goto done;
    }
    status = s ? read_written(p, s, f, written, retry_failed, m) : STATUS_OK;
    if (status == STATUS_OK && plan_config(p)->confirm)
        add_settings(p, f, list, written);
done:
    free(written);
    free(list);
    return status;
}
