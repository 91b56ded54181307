/* The difference between two samples that were not drawn together: one head count in two sweeps.
 *
 * Where both have the same units (seeds, or instances) of the same task, they are paired: a seed
 * draws the same batches in both. Elsewhere they are taken as independent, with unequal variances
 * (Welch 1947). Intervals are 95% each: nothing is corrected for how many are looked at. */
#ifndef SWEEP_JUDGE_COMPARE_H
#define SWEEP_JUDGE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

struct compare_sample {
    int n;
    const int64_t *unit; /* (n), rising, each once */
    const double *value; /* (n) */
};

enum compare_test {
    COMPARE_NOTHING, /* a sample is empty: mean NaN */
    COMPARE_PAIRED,
    COMPARE_WELCH /* unpaired: not the same task, or not the same units */
};

struct compare_result {
    enum compare_test test;
    double mean;      /* b - a */
    double low, high; /* 95% interval; NaN where a sample has fewer than two values and where
                         nothing varies */
    double t, df, p;  /* two-sided; NaN likewise */
};

/* same_task: the units mean the same in both. */
struct compare_result compare_samples(const struct compare_sample *a,
                                      const struct compare_sample *b, bool same_task);

/* "paired", "welch", NULL for COMPARE_NOTHING: for programs. */
const char *compare_test_name(enum compare_test test);

#endif
