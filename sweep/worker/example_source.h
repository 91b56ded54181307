/* What single examples come from: the instance of a toy, or the user's file. */
#ifndef SWEEP_WORKER_EXAMPLE_SOURCE_H
#define SWEEP_WORKER_EXAMPLE_SOURCE_H

#include "engine/train.h"
#include "sweep/plan/point.h"
#include "sweep/trials/data_file.h"

struct example_source {
    const struct task *task;
    const void *options, *instance;
    long tokens_each, targets_each; /* numbers per example */
    long padding_each;              /* T, or 0 where no sequence is padded */
    int64_t part[TASK_PARTS];       /* as in struct task_shape */
    struct task_source *file;       /* NULL: a toy */
    bool copied;                    /* the file is a copy, which nobody changes */
    char hashed[DATA_STAMP_SIZE];   /* its stamp, where its hash was computed now; else "" */
};

/* Of a toy: draws the point's instance. Of a file: opens it, and reads all of it to compare its
 * SHA-256 with the point's. place is kept, and a copy that is as it says to be good is not
 * read for its hash; NULL for a toy, and for the file that the point's own
 * options name, as it has just been surveyed. All memory is the arena's. CORRUPT: at its place
 * there is no file, or not the one that was surveyed; the message ends with a remedy. Nothing is to
 * be closed after a failure. */
enum status example_source_open(struct arena *a, const struct point *p,
                                const struct task_shape *shape, const struct data_place *place,
                                struct example_source *s, struct message *m);
void example_source_close(struct example_source *s);

/* Whether a file of the user's that was not copied still has its bytes, else CORRUPT; nothing to
 * check of a toy or a copy. `all`: by reading it, not only where it looks otherwise than before. */
enum status example_source_check(const struct example_source *s, bool all, struct message *m);

/* How many of `asked` distinct examples a part has. */
long example_source_count(const struct example_source *s, enum task_part part, int64_t asked);

/* Room for n examples. */
struct examples examples_new(struct arena *a, const struct example_source *s, long n);

/* Example i of the n that (seed, stream, step) draws, into the memory of x, room for one. Of a toy,
 * and of a file for RNG_DATA, it is the one drawn at element i. Else it is the i-th of n that stand
 * equally spaced in a part of the file, whatever the seed: for RNG_VAL in the validation part, for
 * RNG_TEST and RNG_EVAL in the test part. */
enum status example_draw(const struct example_source *s, uint32_t seed, enum rng_stream stream,
                         int64_t step, long i, long n, const struct examples *x, struct message *m);

/* All e->n of them. */
enum status examples_draw(const struct example_source *s, uint32_t seed, enum rng_stream stream,
                          int64_t step, struct examples *e, struct message *m);

/* A finite training set: of a toy, and of a file with endless examples, as examples_draw; else one
 * example of each of e->n equal stretches of the training part, drawn at (seed, RNG_DATA, 0, i). */
enum status examples_draw_finite(const struct example_source *s, uint32_t seed, struct examples *e,
                                 struct message *m);

/* Examples first to first+n-1 of e, where they lie. */
struct examples examples_range(const struct example_source *s, const struct examples *e, long first,
                               long n);

/* Copies example `from` of one set to place `to` of another. */
void example_copy(const struct example_source *s, const struct examples *set, long from,
                  struct examples *e, long to);

#endif
