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
#include "sweep/trials/trials.h"

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

/* Adds the times of all finished trials of a results file, of all its sweeps, and those of
 * half-done ones; those that were over in an instant say nothing about speed. */
enum status cost_read(struct cost *c, struct store *s, struct message *m);

/* Distance to the nearest sample; INFINITY where there is none. */
double cost_distance(const struct cost *c, struct cost_shape shape);

/* FLOP/s of the nearest sample, or an assumed figure. */
double cost_speed(const struct cost *c, struct cost_shape shape, enum cost_source *source);

/* What is left of a trial that takes trial_s, of which the share `done` is behind it. */
double cost_rest_s(const struct cost *c, double trial_s, double done);

/* What is left of a sweep as the results file has it: what forecast.h finds for its plan. Under
 * `tune`, trials that wait for a choice count by the share of them that will run. */
struct cost_left {
    double core_s, trials;
    bool known; /* false: no trial of the file has shown yet what one takes */
};
enum status cost_left(const struct cost *c, struct store *s, int64_t sweep_id,
                      struct cost_left *left, struct message *m);

#endif
