/* The examples of one trial: the bridge from a task to the engine. Training examples depend on
 * (seed, step); validation and test sets on the task alone, with train.eval_sets: instance on its
 * instance too, so that all trials of an instance are judged on the same examples. */
#ifndef SWEEP_RUN_DATA_H
#define SWEEP_RUN_DATA_H

#include "engine/train.h"
#include "sweep/plan/point.h"

/* What single examples are drawn from: a task with its options and its instance. */
struct example_source {
    const struct task *task;
    const void *options, *instance;
    long tokens_each, targets_each; /* numbers per example */
};

/* Draws the point's instance into `instance` (task->instance_size bytes); both are kept. */
struct example_source example_source(const struct point *p, const struct task_shape *shape,
                                     void *instance);

/* The seed of the point's validation and test sets: 0 or, under train.eval_sets: instance, its
 * task.instance. */
uint32_t data_eval_seed(const struct point *p);

/* Example `index` of what (seed, stream, step) draws, for the validation and test sets
 * (data_eval_seed, RNG_VAL, 0) and (data_eval_seed, RNG_TEST, 0). */
void example_draw(const struct example_source *s, uint32_t seed, enum rng_stream stream,
                  int64_t step, uint32_t index, int32_t *tokens, int32_t *targets);

/* Examples 0 to e->n - 1 of them, into e's memory. */
void examples_draw(const struct example_source *s, uint32_t seed, enum rng_stream stream,
                   int64_t step, struct examples *e);

struct data;

/* Draws the task's instance and makes room for the examples. p is copied; all memory is the
 * arena's. BAD_INPUT as point_check. */
enum status data_new(struct arena *a, const struct point *p, uint32_t seed, struct data **d,
                     struct message *m);

/* Draws the validation and test sets and, under train.examples, the finite training set: apart from
 * data_new, so that all memory can be there before any is used. */
void data_draw(struct data *d);

const struct encoder_io *data_io(const struct data *d);
const struct task_shape *data_shape(const struct data *d);
const struct examples *data_val(const struct data *d);
const struct examples *data_test(const struct data *d);

/* Where the targets of a set's examples stand to be read, as the task's `sources` says: (n,T,S), or
 * (n,S) for targets per sequence; the arena's. NULL where the task cannot say. */
const int32_t *data_sources(struct arena *a, const struct data *d, const struct examples *set);

/* A train_fill (engine/train.h); context is the struct data. Fresh examples: position b of step s
 * is the example at (seed, RNG_DATA, s, b). Finite set of N: position s*batch + b of the endless
 * concatenation of one permutation of the set per epoch. */
void data_fill(void *context, int64_t step, struct examples *e);

#endif
