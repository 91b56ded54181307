/* The examples of one trial: the bridge from a task to the engine. Training examples depend on
 * (seed, step); validation and test sets on the task alone, with train.eval_sets: instance on its
 * instance too, so that all trials of an instance are judged on the same examples. */
#ifndef SWEEP_WORKER_DATA_H
#define SWEEP_WORKER_DATA_H

#include "sweep/worker/example_source.h"

/* The seed of the point's validation and test sets: 0 or, under train.eval_sets: instance, its
 * task.instance. */
uint32_t data_eval_seed(const struct point *p);

struct data;

/* Draws the task's instance, or opens its file (example_source_open), and makes room for the
 * examples: as many as asked for, but never more than their part of a file has. p is copied, place
 * is kept; all memory is the arena's. BAD_INPUT as point_check. */
enum status data_new(struct arena *a, const struct point *p, uint32_t seed,
                     const struct data_place *place, struct data **d, struct message *m);

/* The stamp of the copy whose hash was computed when it was opened, and is right; "": none was. */
const char *data_hashed(const struct data *d);

/* Closes the file, if there is one; before the arena is freed. NULL is allowed. */
void data_close(struct data *d);

/* Draws the validation and test sets and, under train.examples, the finite training set: apart from
 * data_new, so that all memory can be there before any is used. */
enum status data_draw(struct data *d, struct message *m);

/* As example_source_check. */
enum status data_check(const struct data *d, bool all, struct message *m);

/* Sequences first to first+n-1 of a set. */
struct examples data_range(const struct data *d, const struct examples *set, long first, long n);

/* The name of class k in the file, the data's; NULL where classes have none. */
const char *data_label(const struct data *d, long k);

const struct encoder_io *data_io(const struct data *d);
const struct task_shape *data_shape(const struct data *d);
const struct examples *data_val(const struct data *d);
const struct examples *data_test(const struct data *d);

/* Where the targets of a set's examples stand to be read, as the task's `sources` says: (n,T,S), or
 * (n,S) for targets per sequence; the arena's. NULL where the task cannot say. */
const int32_t *data_sources(struct arena *a, const struct data *d, const struct examples *set);

/* A train_fill (engine/train.h); context is the struct data; for train.batch examples at most.
 * Fresh examples: position b of step s is the example at (seed, RNG_DATA, s, b). Finite set of N:
 * position s*batch + b of the endless concatenation of one permutation of the set per epoch. */
enum status data_fill(void *context, int64_t step, struct examples *e, struct message *m);

#endif
