#include "sweep/run/cost.h"

#include <math.h>

#include "sweep/store/rows.h"

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

static enum status read_speeds(struct cost *c, struct store *s, struct message *m)
{
    struct rows r = rows_open(
        s, m,
        "SELECT heads, flops_per_step, steps, batch, eval_every,"
        " config_json ->> '$.train.val_examples', config_json ->> '$.train.test_examples',"
        " seconds FROM config JOIN (SELECT config_id, avg(train_s) AS seconds FROM trial"
        " WHERE state = 'completed' GROUP BY config_id) USING (config_id)"
        " WHERE seconds >= ?1",
        VALUES(REAL(LONG_ENOUGH_S)));
    while (rows_next(&r)) {
        struct cost_shape shape = {rows_integer(&r, 0), rows_real(&r, 1)};
        struct train_config t = {.steps = rows_integer(&r, 2),
                                 .batch = rows_integer(&r, 3),
                                 .eval_every = rows_integer(&r, 4),
                                 .val_examples = rows_integer(&r, 5),
                                 .test_examples = rows_integer(&r, 6)};
        if (t.batch > 0 && t.eval_every > 0)
            cost_add(c, shape, cost_work(&t, shape.flops_per_step), rows_real(&r, 7), COST_ALIKE);
    }
    return rows_close(&r);
}

/* What trials that ran through at once took beside their training, the latest of them. An attempt
 * may have been paused by hand: no start counts for more than a second. */
static enum status read_start(struct cost *c, struct store *s, struct message *m)
{
    struct rows r =
        rows_open(s, m,
                  "SELECT avg(beside) FROM (SELECT max(0, min(1, 86400 * (julianday(a.ended) -"
                  " julianday(a.started)) - t.train_s)) AS beside FROM attempt AS a JOIN trial AS t"
                  " USING (trial_id, attempt) WHERE a.outcome = 'completed' AND a.attempt = 1"
                  " ORDER BY a.started DESC LIMIT 1000)",
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
