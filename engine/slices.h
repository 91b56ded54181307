/* The slices of a trainer's batch or set, which its threads take in their order, each on tapes of
 * its own (graph.h). */
#ifndef ENGINE_SLICES_H
#define ENGINE_SLICES_H

#include "engine/train.h"

struct slices;

/* One slice while it runs, and what came of it. A cache line each: threads write them at once. */
struct slice {
    _Alignas(64) atomic_int done; /* nodes whose backward is done */
    double loss;                  /* summed over its targets */
    int64_t right;                /* what `run` counts */
};

/* Computes the slice that p describes with the tapes of one thread. */
typedef void (*slice_run)(const struct slices *all, struct trainer_member *by, struct pass *p,
                          struct slice *s);

struct slices {
    struct trainer *trainer;
    const struct examples *set;
    long size; /* sequences of a slice; the last may have fewer */
    slice_run run;
    struct pass pass; /* what all have in common */
    int32_t *classes; /* for `run` */
    long first;       /* slice of the window that runs */
    double loss;      /* out: sums over the slices, added in their order */
    int64_t right;    /* out */
};

/* Makes the tapes of the calling thread. */
enum status slices_init(struct arena *a, struct trainer *t, struct message *m);

void slices_run(struct slices *all);

/* Targets per sequence: T*S, or S when pooled. */
long targets_per_sequence(const struct trainer *t);

/* Points p at the slice of `set` that starts at sequence `first`, for the tapes of a member. */
void slice_bind(const struct trainer *t, int member, const struct examples *set, long first,
                long size, struct pass *p);

#endif
