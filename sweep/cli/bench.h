/* One training step timed against its floor: the same step's matrix products alone, through
 * OpenBLAS, same shapes, measured in turn with it; and against the same step with random weights,
 * because numbers that training brings about (tails of sharp attention, moments that die out) must
 * cost no more than others. */
#ifndef SWEEP_CLI_BENCH_H
#define SWEEP_CLI_BENCH_H

#include "engine/train.h"

struct bench_workload {
    const char *name;
    int64_t d_model, layers, d_ff, length, batch, vocab, slots;
    int64_t trained; /* steps before it is timed: enough for attention to sharpen where that is
                        affordable */
    int64_t threads; /* of a step; 0: one */
    int64_t heads;   /* the only head count of this case; 0: several */
    bool sharp; /* weights are made for it instead: most attention goes to one key, and the rest
                   is as small as numbers get */
};
#define BENCH_WORKLOADS "gather, sharp, toy, small, medium, large or long"
extern const struct bench_workload bench_workloads[]; /* ends with a NULL name */

struct bench_result {
    double step_s, floor_s; /* medians */
    double random_s;        /* with random weights; NaN: step_s is that */
    double flops;           /* of the step's matrix products */
    double peak_flops;      /* that one large product does in a second; NaN: no memory for it */
    int repetitions;
};

/* Measures forward, backward and update after w->trained steps at the default rate on a task that
 * can be learned (slot s of position i is token i + s + 1); making the tokens is not part of what
 * is timed. seconds: how long to measure, at least 5 repetitions. BAD_INPUT for a model that cannot
 * be. */
enum status bench_step(const struct bench_workload *w, int64_t heads, double dropout,
                       double seconds, struct bench_result *r, struct message *m);

/* Attention alone, forward and backward: between the projection to queries, keys and values and
 * the one of its output. */
struct bench_attention_result {
    double own_s;     /* as the model has it; the least of all repetitions, as all three */
    double full_s;    /* without mask, every head with keys of its own */
    double by_head_s; /* own, as a loop over heads with products by OpenBLAS; NaN with dropout */
    struct encoder_shapes shapes;
    int repetitions;
};

/* c: d_model, heads, kv_heads, mask and dropout count; length and batch are w's. seconds and errors
 * as above. */
enum status bench_attention(const struct bench_workload *w, const struct encoder_config *c,
                            double seconds, struct bench_attention_result *r, struct message *m);

/* The model of w with that many heads. */
struct encoder_config bench_model(const struct bench_workload *w, int64_t heads, double dropout);

#endif
