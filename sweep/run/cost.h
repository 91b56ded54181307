/* What a trial takes, in CPU seconds of all its threads:
 *
 *     start + work / speed
 *
 * start is what its worker takes beside its training: a process, its model and examples, its result
 * on disk. work are the FLOPs of all its steps, evaluations and of the test;
 * speed is that of the measured trials which are most like it. Two trials are the less alike the
 * further apart their FLOPs per step are, and their heads, which decide how narrow the matrices
 * are: a distance of 1 is twice the FLOPs, or four times the heads. */
#ifndef SWEEP_RUN_COST_H
#define SWEEP_RUN_COST_H

#include "engine/train_config.h"
#include "sweep/db/scope.h"

enum cost_source { /* where a figure comes from, the worst first */
                   COST_ASSUMED,
                   COST_MEASURED, /* a short measurement on this machine (calibrate.h) */
                   COST_ALIKE,    /* trials of other configurations, or half-done ones */
                   COST_RECORDED, /* finished trials of this very configuration */
                   COST_SOURCES
};

/* A trial as far as its speed goes. */
struct cost_shape {
    int64_t heads;
    double flops_per_step;
};

/* FLOPs of a whole trial: a step is forward and, at twice the price, backward, and evaluations only
 * go forward. */
double cost_work(const struct train_config *t, double flops_per_step);

enum { COST_SAMPLES = 256 };

struct cost {
    double start_s;
    enum cost_source start_source;
    size_t recorded;
    struct cost_recorded {
        char sha256[65]; /* of a configuration that has finished trials */
        double train_s;  /* their mean */
    } * record;          /* (recorded), by sha256; the scope's that read it */
    int samples;
    struct cost_sample {
        int flops, heads; /* their logarithms, coarsely: alike trials are one sample */
        double work, seconds;
        enum cost_source source;
    } sample[COST_SAMPLES];
};

/* Without samples, with an assumed start. */
void cost_init(struct cost *c);

/* A measured trial; beyond COST_SAMPLES different ones it is left out. */
void cost_add(struct cost *c, struct cost_shape shape, double work, double seconds,
              enum cost_source source);

/* Adds the times of all finished trials of the scope's results file, of all its sweeps, and those
 * of half-done ones; those that were over in an instant say nothing about speed. */
void cost_read(struct scope *x, struct cost *c);

/* Distance to the nearest sample; INFINITY where there is none. */
double cost_distance(const struct cost *c, struct cost_shape shape);

/* Seconds of a trial of a configuration, with its start: as recorded, else at the speed of the
 * nearest sample, or at an assumed one. */
double cost_trial_s(const struct cost *c, const char *config_sha256, struct cost_shape shape,
                    double work, enum cost_source *source);

/* What is left of a trial that takes trial_s, of which the share `done` is behind it. */
double cost_rest_s(const struct cost *c, double trial_s, double done);

/* The share of a tuning trial's steps that is still to be trained, from `step` on: all of it where
 * there are no rungs; else behind each rung only as much as candidates go on. waits: at that rung.
 */
double cost_tuning_share(const int64_t *rung, int rungs, int64_t eta, int64_t candidates,
                         int64_t steps, int64_t step, bool waits);

/* ---- the configurations of a query ---- */

/* Its first columns: what a trial of one is to do. */
#define COST_COLUMNS                                                                               \
    " config_sha256, heads, flops_per_step, batch, eval_every, steps,"                             \
    " config_json ->> '$.train.val_examples', config_json ->> '$.train.test_examples'"
enum cost_column {
    COST_SHA256,
    COST_HEADS,
    COST_FLOPS,
    COST_BATCH,
    COST_EVAL_EVERY,
    COST_STEPS,
    COST_VAL_EXAMPLES,
    COST_TEST_EXAMPLES,
    COST_COLUMN_COUNT
};

/* False where the row has impossible values. */
bool cost_read_work(const struct rows *r, struct cost_shape *shape, double *work);

/* ---- what is left of a sweep ---- */

struct cost_range {
    double least, expected, most;
};
void cost_add_range(struct cost_range *sum, struct cost_range r, double times);

/* What is left of a sweep as the results file has it. Where tuning has not chosen, one candidate of
 * a head count runs: the one with the fewest trials left, any, the one with the most. Under
 * `looks`, least: the open look decides in every setting; most: only the last look does; expected:
 * each look that is left is as likely to be the one. Trials that confirm what a head count may
 * choose otherwise count half. Under rungs, tuning trials count by the steps that they are expected
 * to train. What is not in the file yet, as values of tune.extend and fresh seeds, is forecast.h's.
 */
struct cost_left {
    struct cost_range core_s;
    struct cost_range trials; /* but those of tuning */
    long tuning;
    bool known; /* false: no trial of the file has shown yet what one takes */
};
struct cost_left cost_left(struct scope *x, const struct cost *c, int64_t sweep_id);

/* Seconds to the end, expected, with as many trials at once as are running (0: as the cores allow)
 * on so many cores of this machine (0: others have enough of them); NaN: unknown. */
double cost_wall_s(const struct cost_left *left, int64_t running, int cores);

#endif
