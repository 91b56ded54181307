/* One training step timed against its floor: the same step's matrix products alone, through
 * OpenBLAS, same shapes, measured in turn with it. */
#ifndef SWEEP_CLI_BENCH_H
#define SWEEP_CLI_BENCH_H

#include "engine/train.h"

struct bench_workload {
    const char *name;
    int64_t d_model, layers, d_ff, length, batch, vocab, slots;
};
extern const struct bench_workload bench_workloads[]; /* ends with a NULL name */

struct bench_result {
    double step_s, floor_s; /* medians */
    double flops;           /* of the step's matrix products */
    int repetitions;
};

/* Measures forward, backward and update on random tokens; making the tokens is not part of it.
 * seconds: how long to measure, at least 5 repetitions. BAD_INPUT for a model that cannot be. */
enum status bench_step(const struct bench_workload *w, int64_t heads, double dropout,
                       double seconds, struct bench_result *r, struct message *m);

/* GFLOP/s of the machine's sgemm on 1024 x 1024 x 1024, best of some. NaN when memory is out. */
double bench_peak(void);

#endif
