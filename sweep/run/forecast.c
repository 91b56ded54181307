#include "sweep/run/forecast_confirm.h"
#include "sweep/run/forecast_extend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "engine/encoder_cost.h"
#include "sweep/db/rows.h"
#include "sweep/trials/data_file.h"
#include "sweep/worker/worker.h"

/* Points further than this from every sample are measured, so many of them at most. */
static const double FAR = 2;
enum { CALIBRATIONS = 4 };

bool forecast_runs(enum forecast_state s, bool retry_failed)
{
    return s == FORECAST_NEW || s == FORECAST_QUEUED || s == FORECAST_RUNNING ||
           (s == FORECAST_FAILED && retry_failed);
}

long forecast_to_run(const struct forecast_point *q, bool retry_failed)
{
    long n = -q->spare;
    for (int i = 0; i < FORECAST_STATES; i++)
        n += forecast_runs((enum forecast_state)i, retry_failed) ? q->count[i] : 0;
    return n;
}

bool forecast_is_done(const struct forecast *f)
{
    return f->to_run + f->may_add + f->may_confirm == 0 && f->trials_left.most <= 0;
}

/* A trial of the results file. */
struct stored {
    char sha256[65];
    uint32_t seed;
    enum forecast_state state;
    int64_t trial_id, step;
    bool in_plan, waiting, matched, limited;
};

struct stored_list {
    struct stored *item;
    size_t count;
};

static int compare_stored(const void *a, const void *b)
{
    const struct stored *x = a;
    const struct stored *y = b;
    int order = strcmp(x->sha256, y->sha256);
    return order ? order : (x->seed > y->seed) - (x->seed < y->seed);
}

static enum status stored_read(struct store *s, const char *sweep, struct stored_list *list,
                               struct message *m)
{
    struct rows r =
        rows_open(s, m,
                  "SELECT config_sha256, seed, state, trial_id,"
                  " in_plan AND NOT added AND NOT confirms, choice,"
                  " CASE state"
                  " WHEN 'running' THEN (SELECT max(step) FROM curve"
                  "                      WHERE curve.trial_id = trials.trial_id)"
                  " ELSE resume_step END, state = 'failed' AND exit_code IN (?2, ?3, ?4)"
                  " FROM trials WHERE sweep = ?1",
                  VALUES(TEXT(sweep), INTEGER(WORKER_OVER_TIME), INTEGER(WORKER_OVER_MEMORY),
                         INTEGER(WORKER_OVER_CPU)));
    while (rows_next(&r)) {
        struct stored *item = array_grow(list->item, list->count, sizeof *item);
        if (!item) {
            rows_close(&r);
            return status_fail(m, STATUS_NO_MEMORY, "no memory for %zu trials", list->count);
        }
        list->item = item;
        struct stored *t = &list->item[list->count++];
        snprintf(t->sha256, sizeof t->sha256, "%s", rows_given(&r, 0));
        t->seed = (uint32_t)rows_integer(&r, 1);
        t->state = (enum forecast_state)(FORECAST_QUEUED + rows_state(&r, 2));
        t->trial_id = rows_integer(&r, 3);
        t->in_plan = rows_integer(&r, 4) != 0;
        t->waiting = rows_choice(&r, 5) == CHOICE_WAITING;
        t->step = rows_integer(&r, 6);
        t->limited = rows_integer(&r, 7) != 0;
        t->matched = false;
    }
    if (list->count > 0)
        qsort(list->item, list->count, sizeof *list->item, compare_stored);
    return rows_close(&r);
}

static int compare_points(const void *a, const void *b)
{
    return strcmp((*(struct forecast_point *const *)a)->sha256,
                  (*(struct forecast_point *const *)b)->sha256);
}

static struct forecast_point *find_point(const struct forecast *f, const char *sha256)
{
    struct forecast_point wanted, *key = &wanted;
    snprintf(wanted.sha256, sizeof wanted.sha256, "%s", sha256);
    struct forecast_point **found =
        bsearch(&key, f->sorted, (size_t)f->points, sizeof *f->sorted, compare_points);
    return found ? *found : NULL;
}

double forecast_trial_s(const struct forecast *f, const char *sha256)
{
    const struct forecast_point *q = find_point(f, sha256);
    return q ? q->trial_s : 0;
}

long forecast_index(const struct forecast *f, const char *sha256)
{
    const struct forecast_point *q = find_point(f, sha256);
    return q ? (long)(q - f->point) : -1;
}

/* Mean seconds per config over all finished trials of the file, in one pass over it; sets trial_s
 * where there is one. */
static enum status recorded_read(struct store *s, struct forecast *f, struct message *m)
{
    struct rows r = rows_open(s, m,
                              "SELECT config_sha256, seconds FROM config JOIN (SELECT config_id,"
                              " avg(train_s) AS seconds FROM trial WHERE state = 'completed'"
                              " GROUP BY config_id) USING (config_id)",
                              NO_VALUES);
    while (rows_next(&r)) {
        struct forecast_point *q = find_point(f, rows_given(&r, 0));
        if (q && !rows_null(&r, 1)) {
            q->trial_s = f->cost.start_s + rows_real(&r, 1);
            q->source = COST_RECORDED;
        }
    }
    return rows_close(&r);
}

static enum status points_fill(const struct plan *p, struct forecast *f, struct message *m)
{
    char json[POINT_JSON_MAX];
    struct encoder_io io;
    struct task_shape shape;
    struct point *point = malloc(sizeof *point);
    if (!point)
        return status_no_memory(m, "a point");
    enum status s = STATUS_OK;
    for (long i = 0; i < f->points && s == STATUS_OK; i++) {
        struct forecast_point *q = &f->point[i];
        plan_point(p, i, point);
        plan_identity(p, i, json, q->sha256);
        s = point_check(point, &io, &shape, NULL, m);
        if (s == STATUS_OK) {
            q->heads = point->model.heads;
            q->steps = point->train.steps;
            q->n_params = encoder_parameters(&point->model, &io);
            q->flops_per_step = encoder_step_flops(&point->model, &io, (long)point->train.batch);
            q->work = cost_work(&point->train, q->flops_per_step);
        }
    }
    free(point);
    for (long i = 0; i < f->points; i++)
        f->sorted[i] = &f->point[i];
    qsort(f->sorted, (size_t)f->points, sizeof *f->sorted, compare_points);
    return s;
}

/* What the file has of a trial; NULL: nothing. */
static struct stored *find_stored(const struct stored_list *list, const char *sha256, uint32_t seed)
{
    struct stored key = {.seed = seed};
    snprintf(key.sha256, sizeof key.sha256, "%s", sha256);
    return list->count ? bsearch(&key, list->item, list->count, sizeof *list->item, compare_stored)
                       : NULL;
}

static void match_trials(const struct plan *p, const struct stored_list *list, bool retry_failed,
                         struct forecast *f)
{
    for (long i = 0; i < f->points; i++)
        f->point[i].look = 1;
    for (long k = 0; k < f->trials; k++) {
        struct plan_trial t = plan_trial(p, k);
        struct forecast_point *q = &f->point[t.point];
        struct stored *known = find_stored(list, q->sha256, t.seed);
        enum forecast_state state = known ? known->state : FORECAST_NEW;
        if (known) {
            known->matched = true;
            f->trial[k].trial_id = known->trial_id;
            f->trial[k].waits = known->waiting;
            f->trial[k].step = known->step;
            f->trial[k].note = known->limited ? FORECAST_LIMITED : FORECAST_PLAIN;
        }
        bool goes = known && !t.tuning && !known->waiting && state != FORECAST_NOT_NEEDED;
        if (forecast_runs(state, retry_failed) && !plan_in_shard(p, k))
            state = FORECAST_ELSEWHERE;
        f->trial[k].state = state;
        q->count[state]++;
        q->chosen |= goes;
        if (goes && t.look > q->look)
            q->look = t.look;
    }
    for (size_t i = 0; i < list->count; i++)
        f->leaving += list->item[i].in_plan && !list->item[i].matched;
}

/* Whether a trial waits, or will wait, for the choice of its head count. */
static bool is_undecided(const struct plan *p, const struct forecast *f, long k)
{
    const struct forecast_trial *trial = &f->trial[k];
    bool queued = trial->state == FORECAST_NEW || trial->state == FORECAST_QUEUED ||
                  trial->state == FORECAST_ELSEWHERE;
    return plan_config(p)->tune && queued && (trial->trial_id == 0 || trial->waits) &&
           !plan_trial(p, k).tuning;
}

/* What is needed of all that is planned. */
static enum status count_trials(const struct plan *p, bool retry_failed, struct forecast *f,
                                struct message *m)
{
    long *waiting = calloc((size_t)f->points + 1, sizeof *waiting);
    bool *spare = calloc((size_t)f->points + 1, sizeof *spare);
    enum status s = status_no_memory(m, "a forecast");
    if (!waiting || !spare)
        goto done;
    for (long k = 0; k < f->trials; k++)
        waiting[plan_trial(p, k).point] += is_undecided(p, f, k);
    s = plan_spare(p, waiting, spare, m);
    for (long k = 0; k < f->trials && s == STATUS_OK; k++) {
        struct forecast_trial *trial = &f->trial[k];
        long point = plan_trial(p, k).point;
        trial->spare = spare[point] && is_undecided(p, f, k);
        bool out = trial->spare || trial->state == FORECAST_NOT_NEEDED;
        bool runs = forecast_runs(trial->state, retry_failed);
        f->not_needed += out;
        f->elsewhere += !out && trial->state == FORECAST_ELSEWHERE;
        f->planned += !out && trial->state != FORECAST_ELSEWHERE;
        f->to_run += !out && runs;
        f->point[point].spare += trial->spare && runs;
    }
done:
    free(waiting);
    free(spare);
    return s;
}

/* Once it is known what each point has come to. */
static void note_trials(const struct plan *p, struct forecast *f)
{
    for (long k = 0; k < f->trials; k++) {
        struct plan_trial t = plan_trial(p, k);
        const struct forecast_point *q = &f->point[t.point];
        struct forecast_trial *trial = &f->trial[k];
        bool out = trial->state == FORECAST_NOT_NEEDED;
        bool held = out || (trial->waits && trial->state == FORECAST_QUEUED);
        bool later = !t.tuning && t.look > q->look && (q->chosen || !plan_config(p)->tune);
        if (held && t.tuning)
            trial->note = FORECAST_RUNG;
        else if (held && later)
            trial->note = FORECAST_LOOK;
        else if (is_undecided(p, f, k) && plan_candidates(p, t.point) > 1)
            trial->note = FORECAST_CHOICE;
        f->noted[trial->spare ? FORECAST_NOT_NEEDED : trial->state]
                [trial->spare ? FORECAST_PLAIN : trial->note]++;
    }
}

static struct cost_shape shape_of(const struct forecast_point *q)
{
    return (struct cost_shape){q->heads, q->flops_per_step};
}

static bool point_runs(const struct forecast_point *q, bool retry_failed)
{
    for (int i = 0; i < FORECAST_STATES; i++)
        if (q->count[i] > 0 && forecast_runs((enum forecast_state)i, retry_failed))
            return true;
    return false;
}

/* The point to run that is least like anything measured; -1 where each is near enough. */
static long strangest(const struct forecast *f, bool retry_failed)
{
    double far = FAR;
    long found = -1;
    for (long i = 0; i < f->points; i++) {
        const struct forecast_point *q = &f->point[i];
        if (q->source == COST_RECORDED || !point_runs(q, retry_failed))
            continue;
        double distance = cost_distance(&f->cost, shape_of(q));
        if (distance > far) {
            far = distance;
            found = i;
        }
    }
    return found;
}

static void measure_strange(const struct plan *p, struct forecast *f, bool retry_failed,
                            calibrator *measure)
{
    struct point point;
    struct calibration c;
    double start_s = 0;
    int n = 0;
    for (long i; n < CALIBRATIONS && (i = strangest(f, retry_failed)) >= 0; n++) {
        plan_point(p, i, &point);
        if (!measure(&point, &c))
            break;
        /* The sample stands for the point, also where less than that was trained. */
        cost_add(&f->cost, shape_of(&f->point[i]), c.flops_per_step * c.steps, c.seconds,
                 COST_MEASURED);
        start_s += c.start_s;
    }
    if (n > 0 && f->cost.start_source == COST_ASSUMED) {
        f->cost.start_s = start_s / n;
        f->cost.start_source = COST_MEASURED;
    }
}

/* The share of a tuning trial's steps that it is still to train, from `step` on: all of it where
 * there are no rungs; else behind each rung only as much as candidates go on. waits: at that rung.
 */
static double tuning_share(const struct plan *p, long point, int64_t all, int64_t step, bool waits)
{
    int64_t rung[PLAN_RUNGS_MAX + 1], at = 0;
    int rungs = plan_rungs(p, point, rung);
    double left = 0, in = (double)plan_candidates(p, point), now = 0;
    rung[rungs] = all;
    for (int k = 0; k <= rungs; at = rung[k++]) {
        bool here = step < rung[k] || (step == rung[k] && waits);
        if (here && now == 0)
            now = in; /* so many candidates are as far as this one */
        if (here)
            left += (double)(rung[k] - (step > at ? step : at)) * in / now;
        if (in > 1)
            in = ceil(in / (double)plan_config(p)->rung_eta);
    }
    return all > 0 ? left / (double)all : 0;
}

/* How far a judged trial's turn is certain, by its look: the open one of its point runs in any
 * case, and each that may decide is taken to be as likely to. */
static struct forecast_range look_range(const struct plan *p, const struct forecast_point *q,
                                        int look)
{
    int last = plan_config(p)->looks;
    if (q->reopened)
        return (struct forecast_range){0, .5, 1};
    if (look <= q->look)
        return (struct forecast_range){1, 1, 1};
    return (struct forecast_range){0, (double)(last - look + 1) / (last - q->look + 1), 1};
}

static void estimate_trial(const struct plan *p, long k, struct forecast *f)
{
    const struct forecast_trial *trial = &f->trial[k];
    struct plan_trial t = plan_trial(p, k);
    const struct forecast_point *q = &f->point[t.point];
    if (t.tuning) {
        double share = tuning_share(p, t.point, q->steps, trial->step, trial->waits);
        double seconds = cost_rest_s(&f->cost, q->trial_s, 1 - share);
        forecast_add(&f->left_s, (struct forecast_range){1, 1, 1}, seconds);
        f->tuning_left++;
        return;
    }
    double done = q->steps > 0 ? (double)trial->step / (double)q->steps : 0;
    /* of the candidates of a head count, one will be chosen to run, or has been */
    double share = q->chosen     ? 1.0
                   : q->reopened ? !trial->spare
                                 : 1.0 / (double)plan_candidates(p, t.point);
    struct forecast_range r = look_range(p, q, t.look);
    forecast_add(&f->trials_left, r, trial->spare ? 0 : 1);
    forecast_add(&f->left_s, r, share * cost_rest_s(&f->cost, q->trial_s, done));
}

static void estimate(const struct plan *p, bool retry_failed, struct forecast *f)
{
    for (long i = 0; i < f->points; i++) {
        struct forecast_point *q = &f->point[i];
        double steps = (double)q->steps * (double)plan_config(p)->tune_seeds;
        if (q->source != COST_RECORDED)
            q->trial_s = f->cost.start_s + q->work / cost_speed(&f->cost, shape_of(q), &q->source);
        if (plan_config(p)->tune) {
            f->tuning_steps += steps;
            f->tuning_steps_left += steps * tuning_share(p, i, q->steps, 0, false);
        }
    }
    for (long k = 0; k < f->trials; k++)
        if (forecast_runs(f->trial[k].state, retry_failed))
            estimate_trial(p, k, f);
}

/* What the store would refuse, as a note. */
static enum status note_changed(struct store *s, const struct plan *p, struct message *note,
                                struct message *m)
{
    struct message why = {{0}};
    enum status status = store_data_changed(s, p, &why);
    if (status == STATUS_OK)
        return status;
    if (status != STATUS_BAD_INPUT)
        return status_fail(m, status, "%s", why.text);
    *note = why;
    return STATUS_OK;
}

enum status forecast_new(const struct plan *p, struct store *s, bool retry_failed,
                         calibrator *measure, struct forecast **out, struct message *m)
{
    struct stored_list list = {NULL, 0};
    enum status status;
    struct forecast *f = calloc(1, sizeof *f);
    if (!f)
        return status_no_memory(m, "a forecast");
    f->points = plan_points(p);
    f->trials = plan_trials(p);
    cost_init(&f->cost);
    f->candidates = 1;
    for (long i = 0; i < f->points; i++)
        if (plan_candidates(p, i) > f->candidates)
            f->candidates = plan_candidates(p, i);
    f->point = calloc((size_t)f->points + 1, sizeof *f->point);
    f->trial = calloc((size_t)f->trials + 1, sizeof *f->trial);
    f->sorted = calloc((size_t)f->points + 1, sizeof *f->sorted);
    if (!f->point || !f->trial || !f->sorted) {
        status = status_fail(m, STATUS_NO_MEMORY, "no memory for %ld trials", f->trials);
        goto cleanup;
    }
    status = points_fill(p, f, m);
    if (status == STATUS_OK && s)
        status = stored_read(s, plan_config(p)->name, &list, m);
    if (status == STATUS_OK && s)
        status = store_other_metric(s, plan_config(p)->name, plan_config(p)->metric,
                                    &f->other_metric, m);
    if (status == STATUS_OK && s)
        status = store_stranger(s, p, &f->other_plan, m);
    if (status == STATUS_OK && s)
        status = note_changed(s, p, &f->changed, m);
    if (status == STATUS_OK && s)
        status = cost_read(&f->cost, s, m);
    if (status == STATUS_OK && s)
        status = recorded_read(s, f, m);
    if (status == STATUS_OK) {
        match_trials(p, &list, retry_failed, f);
        status = count_trials(p, retry_failed, f, m);
    }
    if (status == STATUS_OK && s && plan_config(p)->tune)
        status = forecast_reopen(p, s, f, m);
    if (status == STATUS_OK) {
        note_trials(p, f);
        if (measure)
            measure_strange(p, f, retry_failed, measure);
        estimate(p, retry_failed, f);
        status = forecast_extend(p, s, retry_failed, f, m);
    }
    if (status == STATUS_OK)
        status = forecast_confirm(p, s, retry_failed, f, m);
    if (status == STATUS_OK) {
        *out = f;
        f = NULL;
    }
cleanup:
    free(list.item);
    forecast_free(f);
    return status;
}

void forecast_free(struct forecast *f)
{
    if (f) {
        free(f->point);
        free(f->trial);
        free(f->sorted);
        free(f->added);
        free(f->due);
        free(f->confirming);
        free(f);
    }
}
