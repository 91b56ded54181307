#include "sweep/run/cost.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/plan.h"
#include "sweep/run/cores.h"

/* Cautious figures for small models on one core of a present machine. */
static const double ASSUMED_FLOPS_PER_S = 1e10, ASSUMED_START_S = 0.012;

/* Training of less than this is mostly what comes before and after its steps. */
static const double LONG_ENOUGH_S = 0.2;

/* Parts of a power of two that are told apart. */
enum { FLOPS_PARTS = 4, HEADS_PARTS = 2 };

double cost_work(const struct train_config *t, double flops_per_step)
{
    double evaluations = ceil((double)t->steps / (double)t->eval_every);
    double examples = evaluations * (double)t->val_examples + (double)t->test_examples;
    return flops_per_step * ((double)t->steps + examples / (3 * (double)t->batch));
}

void cost_init(struct cost *c)
{
    *c = (struct cost){.start_s = ASSUMED_START_S};
}

static int coarse(double x, int parts)
{
    return (int)lround(log2(x > 1 ? x : 1) * parts);
}

void cost_add(struct cost *c, struct cost_shape shape, double work, double seconds,
              enum cost_source source)
{
    int flops = coarse(shape.flops_per_step, FLOPS_PARTS);
    int heads = coarse((double)shape.heads, HEADS_PARTS);
    int i = 0;
    if (!(work > 0 && seconds > 0))
        return;
    while (i < c->samples && (c->sample[i].flops != flops || c->sample[i].heads != heads))
        i++;
    if (i == COST_SAMPLES)
        return;
    struct cost_sample *s = &c->sample[i];
    if (i == c->samples) {
        *s = (struct cost_sample){.flops = flops, .heads = heads, .source = source};
        c->samples++;
    }
    s->work += work;
    s->seconds += seconds;
}

bool cost_read_work(const struct rows *r, struct cost_shape *shape, double *work)
{
    struct train_config t = {.steps = rows_integer(r, COST_STEPS),
                             .batch = rows_integer(r, COST_BATCH),
                             .eval_every = rows_integer(r, COST_EVAL_EVERY),
                             .val_examples = rows_integer(r, COST_VAL_EXAMPLES),
                             .test_examples = rows_integer(r, COST_TEST_EXAMPLES)};
    if (t.batch <= 0 || t.eval_every <= 0)
        return false;
    *shape = (struct cost_shape){rows_integer(r, COST_HEADS), rows_real(r, COST_FLOPS)};
    *work = cost_work(&t, shape->flops_per_step);
    return true;
}

/* ---- reading ---- */

static void read_recorded(struct scope *x, struct cost *c)
{
    struct rows *r = scope_rows(x,
                                "SELECT config_sha256, train_s FROM config JOIN"
                                " (SELECT config_id, avg(train_s) AS train_s FROM trial"
                                "   WHERE state = 'completed' GROUP BY config_id) USING (config_id)"
                                " WHERE train_s IS NOT NULL ORDER BY config_sha256",
                                NO_VALUES);
    for (; scope_next(x, r); c->recorded++) {
        c->record = arena_grow(&x->arena, c->record, c->recorded, sizeof *c->record);
        c->record[c->recorded].train_s = rows_real(r, 1);
        rows_copy(r, 0, c->record[c->recorded].sha256, sizeof c->record->sha256);
    }
}

/* Finished trials with their tests, others up to their last evaluation. */
static void read_speeds(struct scope *x, struct cost *c)
{
    struct rows *r = scope_rows(
        x,
        "SELECT" COST_COLUMNS ", seconds"
        " FROM config JOIN (SELECT config_id, avg(train_s) AS seconds FROM trial"
        "   WHERE state = 'completed' GROUP BY config_id) USING (config_id) WHERE seconds >= ?1"
        " UNION ALL "
        "SELECT config_sha256, heads, flops_per_step, batch, eval_every, v.step,"
        " config_json ->> '$.train.val_examples', 0, v.cpu_s"
        " FROM config JOIN trial AS t USING (config_id) JOIN curve AS v USING (trial_id)"
        " WHERE t.state IN ('queued', 'running') AND v.cpu_s >= ?1"
        "   AND v.step = (SELECT max(step) FROM curve WHERE trial_id = t.trial_id)",
        VALUES(REAL(LONG_ENOUGH_S)));
    struct cost_shape shape;
    double work;
    while (scope_next(x, r))
        if (cost_read_work(r, &shape, &work))
            cost_add(c, shape, work, rows_real(r, COST_COLUMN_COUNT), COST_ALIKE);
}

/* What trials that ran through at once took beside their training, the latest of them. */
static void read_start(struct scope *x, struct cost *c)
{
    struct rows *r =
        scope_rows(x,
                   "SELECT avg(beside) FROM (SELECT max(0, a.cpu_s - t.train_s) AS beside"
                   " FROM attempt AS a JOIN trial AS t USING (trial_id, attempt)"
                   " WHERE a.outcome = 'completed' AND a.attempt = 1"
                   " ORDER BY trial_id DESC LIMIT 1000)",
                   NO_VALUES);
    while (scope_next(x, r)) {
        if (rows_null(r, 0))
            continue;
        c->start_s = rows_real(r, 0);
        c->start_source = COST_RECORDED;
    }
}

void cost_read(struct scope *x, struct cost *c)
{
    read_recorded(x, c);
    read_speeds(x, c);
    read_start(x, c);
}

/* ---- a trial ---- */

static const struct cost_sample *nearest(const struct cost *c, struct cost_shape shape,
                                         double *distance)
{
    int flops = coarse(shape.flops_per_step, FLOPS_PARTS);
    int heads = coarse((double)shape.heads, HEADS_PARTS);
    const struct cost_sample *found = NULL;
    *distance = INFINITY;
    for (int i = 0; i < c->samples; i++) {
        const struct cost_sample *s = &c->sample[i];
        double apart = fabs((double)(s->flops - flops)) / FLOPS_PARTS +
                       fabs((double)(s->heads - heads)) / (2 * HEADS_PARTS);
        if (apart < *distance) {
            *distance = apart;
            found = s;
        }
    }
    return found;
}

double cost_distance(const struct cost *c, struct cost_shape shape)
{
    double distance;
    nearest(c, shape, &distance);
    return distance;
}

static int by_sha256(const void *key, const void *record)
{
    return strcmp(key, ((const struct cost_recorded *)record)->sha256);
}

double cost_trial_s(const struct cost *c, const char *config_sha256, struct cost_shape shape,
                    double work, enum cost_source *source)
{
    double distance;
    const struct cost_recorded *known =
        c->recorded ? bsearch(config_sha256, c->record, c->recorded, sizeof *c->record, by_sha256)
                    : NULL;
    const struct cost_sample *s = nearest(c, shape, &distance);
    *source = known ? COST_RECORDED : s ? s->source : COST_ASSUMED;
    return c->start_s +
           (known ? known->train_s : work / (s ? s->work / s->seconds : ASSUMED_FLOPS_PER_S));
}

double cost_rest_s(const struct cost *c, double trial_s, double done)
{
    return trial_s - fmin(1, done) * fmax(0, trial_s - c->start_s);
}

double cost_tuning_share(const int64_t *rung, int rungs, int64_t eta, int64_t candidates,
                         int64_t steps, int64_t step, bool waits)
{
    double left = 0, in = (double)candidates, now = 0;
    int64_t at = 0;
    for (int k = 0; k <= rungs; k++) {
        int64_t end = k < rungs ? rung[k] : steps;
        if (step < end || (step == end && waits)) {
            now = now == 0 ? in : now; /* so many candidates are as far as this one */
            left += (double)(end - (step > at ? step : at)) * in / now;
        }
        if (in > 1 && eta > 0)
            in = ceil(in / (double)eta);
        at = end;
    }
    return steps > 0 ? left / (double)steps : 0;
}

/* ---- a sweep ---- */

void cost_add_range(struct cost_range *sum, struct cost_range r, double times)
{
    sum->least += r.least * times;
    sum->expected += r.expected * times;
    sum->most += r.most * times;
}

/* Trials of one configuration that are as far are alike: how many there are, and how many of them
 * will run. */
enum {
    TRIALS = COST_COLUMN_COUNT,
    LEAST,
    EXPECTED,
    MOST,
    IS_TUNING,
    STEP,
    WAITS,
    CANDIDATES,
    ETA,
    MIN_STEPS
};
static const char LEFT[] =
    "WITH open AS MATERIALIZED (" /* head counts that wait for a choice, or for looks */
    "  SELECT DISTINCT setting, heads FROM undecided WHERE sweep_id = ?1"
    "), candidate AS ("
    "  SELECT t.setting, c.heads, sum(state = 'queued' AND choice = 'waiting' AND in_shard) AS n"
    "    FROM trial AS t JOIN config AS c USING (config_id)"
    "   WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0 AND confirms = 0 AND tuning <> '{}'"
    "     AND choice <> 'eliminated' AND (t.setting, c.heads) IN (SELECT * FROM open)"
    "   GROUP BY t.setting, c.heads, t.tuning"
    "), choice AS MATERIALIZED ("
    "  SELECT setting, heads, count(*) AS candidates, 1.0 * min(n) / sum(n) AS least,"
    "         avg(n) / sum(n) AS expected, 1.0 * max(n) / sum(n) AS most"
    "    FROM candidate GROUP BY setting, heads HAVING sum(n) > 0"
    "), judged AS MATERIALIZED ("
    "  SELECT setting, max(look) AS look FROM look WHERE sweep_id = ?1 GROUP BY setting"
    "), rung AS MATERIALIZED ("
    "  SELECT setting, heads, count(DISTINCT tuning) AS candidates"
    "    FROM trial JOIN config USING (config_id)"
    "   WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 1 AND added = 0"
    "     AND (SELECT rungs FROM sweep WHERE sweep_id = ?1) IS NOT NULL GROUP BY setting, heads"
    "), left AS ("
    "  SELECT t.config_id, is_tuning, choice = 'waiting' AS waits,"
    "         iif(is_tuning AND NOT added, rung.candidates, NULL) AS candidates,"
    "         ifnull(iif(state = 'running', (SELECT max(step) FROM curve AS v"
    "           WHERE v.trial_id = t.trial_id), resume_step), 0) AS step,"
    "         least, expected, most, t.look > ifnull(judged.look, 0) + 1 AS later,"
    "         (json_array_length(looks) - t.look + 1.0) / (json_array_length(looks)"
    "           - ifnull(judged.look, 0)) AS likely,"
    "         confirms AND EXISTS (SELECT 1 FROM choice AS k WHERE k.setting = t.setting"
    "           AND k.candidates > 1) AS doubtful"
    "    FROM trial AS t JOIN config AS c USING (config_id) JOIN sweep USING (sweep_id)"
    "    LEFT JOIN choice ON (choice.setting, choice.heads) = (t.setting, c.heads)"
    "      AND t.choice = 'waiting' AND t.is_tuning = 0 AND t.confirms = 0"
    "    LEFT JOIN judged ON judged.setting = t.setting"
    "    LEFT JOIN rung ON (rung.setting, rung.heads) = (t.setting, c.heads)"
    "   WHERE t.sweep_id = ?1 AND in_plan = 1 AND state IN ('queued', 'running')"
    "     AND (t.in_shard OR state <> 'queued')"
    ") SELECT" COST_COLUMNS ", count(*),"
    "         sum(iif(later OR doubtful, 0, ifnull(least, 1))),"
    "         sum(iif(later, likely, iif(doubtful, .5, 1)) * ifnull(expected, 1)),"
    "         sum(ifnull(most, 1)), is_tuning, step, waits, candidates,"
    "         (SELECT rungs ->> '$.eta' FROM sweep WHERE sweep_id = ?1),"
    "         (SELECT rungs ->> '$.min_steps' FROM sweep WHERE sweep_id = ?1)"
    "    FROM left JOIN config USING (config_id)"
    "   GROUP BY config_id, is_tuning, step, waits, candidates";

/* The share of a trial that is behind it or will not be trained. */
static double done_of(const struct rows *r)
{
    int64_t rung[PLAN_RUNGS_MAX], steps = rows_integer(r, COST_STEPS), step = rows_integer(r, STEP);
    int64_t eta = rows_integer(r, ETA), every = rows_integer(r, COST_EVAL_EVERY);
    int64_t candidates = rows_integer(r, CANDIDATES);
    if (candidates == 0 || eta < 2)
        return steps > 0 ? (double)step / (double)steps : 0;
    int rungs = plan_rung_steps(eta, rows_integer(r, MIN_STEPS), steps, every, rung);
    return 1 - cost_tuning_share(rung, rungs, eta, candidates, steps, step,
                                 rows_integer(r, WAITS) != 0);
}

struct cost_left cost_left(struct scope *x, const struct cost *c, int64_t sweep_id)
{
    struct cost_left left = {.known = true};
    struct rows *r = scope_rows(x, LEFT, VALUES(INTEGER(sweep_id)));
    while (scope_next(x, r)) {
        struct cost_range range = {rows_real(r, LEAST), rows_real(r, EXPECTED), rows_real(r, MOST)};
        struct cost_shape shape;
        enum cost_source source;
        double work;
        if (!cost_read_work(r, &shape, &work))
            continue;
        double trial_s = cost_trial_s(c, rows_given(r, COST_SHA256), shape, work, &source);
        left.known &= source != COST_ASSUMED || c->start_source != COST_ASSUMED;
        if (rows_integer(r, IS_TUNING))
            left.tuning += (long)rows_integer(r, TRIALS);
        else
            cost_add_range(&left.trials, range, 1);
        cost_add_range(&left.core_s, range, cost_rest_s(c, trial_s, done_of(r)));
    }
    return left;
}

double cost_wall_s(const struct cost_left *left, int64_t running, int cores)
{
    double trials = left->trials.expected + (double)left->tuning;
    struct cores granted = cores_granted(cores > 0 ? cores : INT_MAX, running, 0);
    if (cores > 0 && trials <= (double)running) /* none waits: those that run share the cores */
        granted.cores = cores;
    return left->known ? cores_wall_s(&granted, left->core_s.expected, trials) : NAN;
}
