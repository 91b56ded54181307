#include "sweep/run/cost.h"

#include <math.h>

#include "sweep/db/rows.h"

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

/* The columns of a query that tell what a trial is to do. */
#define WORK_COLUMNS                                                                               \
    " heads, flops_per_step, batch, eval_every, config_json ->> '$.train.val_examples'"
enum work_column { HEADS, FLOPS, BATCH, EVAL_EVERY, VAL_EXAMPLES, TEST_EXAMPLES, STEPS, SECONDS };

static bool read_work(const struct rows *r, struct cost_shape *shape, double *work)
{
    struct train_config t = {.steps = rows_integer(r, STEPS),
                             .batch = rows_integer(r, BATCH),
                             .eval_every = rows_integer(r, EVAL_EVERY),
                             .val_examples = rows_integer(r, VAL_EXAMPLES),
                             .test_examples = rows_integer(r, TEST_EXAMPLES)};
    if (t.batch <= 0 || t.eval_every <= 0)
        return false;
    *shape = (struct cost_shape){rows_integer(r, HEADS), rows_real(r, FLOPS)};
    *work = cost_work(&t, shape->flops_per_step);
    return true;
}

/* Finished trials with their tests, others up to their last evaluation. */
static enum status read_speeds(struct cost *c, struct store *s, struct message *m)
{
    struct rows r = rows_open(
        s, m,
        "SELECT" WORK_COLUMNS ", config_json ->> '$.train.test_examples', steps, seconds"
        " FROM config JOIN (SELECT config_id, avg(train_s) AS seconds FROM trial"
        "   WHERE state = 'completed' GROUP BY config_id) USING (config_id) WHERE seconds >= ?1"
        " UNION ALL "
        "SELECT" WORK_COLUMNS ", 0, v.step, v.cpu_s"
        " FROM config JOIN trial AS t USING (config_id) JOIN curve AS v USING (trial_id)"
        " WHERE t.state IN ('queued', 'running') AND v.cpu_s >= ?1"
        "   AND v.step = (SELECT max(step) FROM curve WHERE trial_id = t.trial_id)",
        VALUES(REAL(LONG_ENOUGH_S)));
    struct cost_shape shape;
    double work;
    while (rows_next(&r))
        if (read_work(&r, &shape, &work))
            cost_add(c, shape, work, rows_real(&r, SECONDS), COST_ALIKE);
    return rows_close(&r);
}

/* What trials that ran through at once took beside their training, the latest of them. */
static enum status read_start(struct cost *c, struct store *s, struct message *m)
{
    struct rows r =
        rows_open(s, m,
                  "SELECT avg(beside) FROM (SELECT max(0, a.cpu_s - t.train_s) AS beside"
                  " FROM attempt AS a JOIN trial AS t USING (trial_id, attempt)"
                  " WHERE a.outcome = 'completed' AND a.attempt = 1"
                  " ORDER BY trial_id DESC LIMIT 1000)",
                  NO_VALUES);
    if (rows_next(&r) && !rows_null(&r, 0)) {
        c->start_s = rows_real(&r, 0);
        c->start_source = COST_RECORDED;
    }
    return rows_close(&r);
}

enum status cost_read(struct cost *c, struct store *s, struct message *m)
{
    enum status status = read_speeds(c, s, m);
    return status == STATUS_OK ? read_start(c, s, m) : status;
}

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

double cost_speed(const struct cost *c, struct cost_shape shape, enum cost_source *source)
{
    double distance;
    const struct cost_sample *s = nearest(c, shape, &distance);
    *source = s ? s->source : COST_ASSUMED;
    return s ? s->work / s->seconds : ASSUMED_FLOPS_PER_S;
}

double cost_rest_s(const struct cost *c, double trial_s, double done)
{
    return trial_s - fmin(1, done) * fmax(0, trial_s - c->start_s);
}

enum status cost_left(const struct cost *c, struct store *s, int64_t sweep_id,
                      struct cost_left *left, struct message *m)
{
    /* Trials of one configuration are alike: how many there are, each with its share, and how much
     * of them is done. */
    enum { TRIALS = SECONDS + 1, DONE };
    struct rows r = rows_open(
        s, m,
        "WITH left AS ("
        "  SELECT t.config_id, iif(choice = 'waiting' AND is_tuning = 0 AND tuning <> '{}',"
        "           1 - 1.0 * surplus / waiting, 1.0) AS share,"
        "         coalesce(iif(state = 'running', (SELECT max(step) FROM curve AS v"
        "           WHERE v.trial_id = t.trial_id), resume_step), 0) AS step"
        "    FROM trial AS t JOIN config AS c USING (config_id) LEFT JOIN undecided AS u"
        "      ON (u.sweep_id, u.setting, u.heads, u.in_shard) ="
        "         (t.sweep_id, t.setting, c.heads, t.in_shard)"
        "   WHERE t.sweep_id = ?1 AND in_plan = 1 AND state IN ('queued', 'running')"
        "     AND (t.in_shard OR state <> 'queued')"
        "), recorded AS ("
        "  SELECT config_id, avg(train_s) AS seconds FROM trial WHERE state = 'completed'"
        "   GROUP BY config_id"
        ") SELECT" WORK_COLUMNS ", config_json ->> '$.train.test_examples', steps,"
        "         seconds, sum(share), sum(share * min(1.0, 1.0 * step / steps)) / sum(share)"
        "    FROM left JOIN config USING (config_id) LEFT JOIN recorded USING (config_id)"
        "   GROUP BY config_id",
        VALUES(INTEGER(sweep_id)));
    *left = (struct cost_left){.known = true};
    while (rows_next(&r)) {
        struct cost_shape shape;
        double work, trial_s;
        enum cost_source source = COST_RECORDED;
        if (!rows_null(&r, SECONDS))
            trial_s = c->start_s + rows_real(&r, SECONDS);
        else if (read_work(&r, &shape, &work))
            trial_s = c->start_s + work / cost_speed(c, shape, &source);
        else
            continue;
        left->known &= (source != COST_ASSUMED || c->start_source != COST_ASSUMED);
        left->trials += rows_real(&r, TRIALS);
        left->core_s += rows_real(&r, TRIALS) * cost_rest_s(c, trial_s, rows_real(&r, DONE));
    }
    return rows_close(&r);
}
