#include "sweep/run/forecast_confirm.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "sweep/db/rows.h"
#include "sweep/run/forecast_extend.h"

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

enum { TRIAL_ID, HEADS, SETTING, SEED, SHA256, STATE, DONE };

/* A listed point like it, by which its time is estimated: the same but for the seed or else, of a
 * fresh instance or an added value, of that setting and head count; -1: none. */
static long find_point(const struct plan *p, const struct forecast *f, const char *sha256,
                       int64_t heads, const char *setting)
{
    struct plan_text text;
    long found = forecast_index(f, sha256);
    for (long i = 0; i < f->points && found < 0; i++) {
        if (f->point[i].heads != heads)
            continue;
        plan_text(p, i, &text);
        if (strcmp(text.setting, setting) == 0)
            found = i;
    }
    return found;
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

static enum status add_trial(const struct plan *p, struct rows *r, struct forecast *f,
                             bool *written, bool retry_failed, struct message *m)
{
    struct forecast_confirming t = {
        .trial_id = rows_integer(r, TRIAL_ID),
        .seed = (uint32_t)rows_integer(r, SEED),
        .state = (enum forecast_state)(FORECAST_QUEUED + rows_state(r, STATE))};
    rows_copy(r, SHA256, t.sha256, sizeof t.sha256);
    t.point = plan_config(p)->confirm
                  ? find_point(p, f, t.sha256, rows_integer(r, HEADS), rows_given(r, SETTING))
                  : -1;
    if (t.point < 0) {
        f->leaving++;
        return STATUS_OK;
    }
    written[t.point] = true;
    count_confirming(f, &t, rows_real(r, DONE), retry_failed);
    struct forecast_confirming *longer =
        array_grow(f->confirming, (size_t)f->confirming_count, sizeof *longer);
    if (!longer)
        return status_no_memory(m, "trials that confirm");
    f->confirming = longer;
    longer[f->confirming_count++] = t;
    return STATUS_OK;
}

/* written: (points), those by which one of them is known. */
static enum status read_written(const struct plan *p, struct store *s, struct forecast *f,
                                bool *written, bool retry_failed, struct message *m)
{
    enum status status = STATUS_OK;
    struct rows r = rows_open(s, m,
                              "SELECT trial_id, heads, setting, seed, config_sha256, state,"
                              " 1.0 * resume_step / steps FROM trials WHERE sweep = ?1"
                              " AND confirms = 1 AND in_plan = 1 ORDER BY plan_order",
                              VALUES(TEXT(plan_config(p)->name)));
    while (status == STATUS_OK && rows_next(&r))
        status = add_trial(p, &r, f, written, retry_failed, m);
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
