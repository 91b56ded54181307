/* A sample of values by unit (a seed or an instance), as tables show it: its mean, its interval,
 * and its difference from another. */
#ifndef SWEEP_REPORT_SAMPLE_H
#define SWEEP_REPORT_SAMPLE_H

#include "sweep/judge/compare.h"
#include "sweep/judge/stats.h"
#include "sweep/report/table.h"

struct sample {
    int n;
    int64_t *unit; /* (n), rising */
    double *value; /* (n) */
    struct stats_summary summary;
};

/* Units come in rising order. */
void sample_add(struct scope *x, struct sample *s, int64_t unit, double value);
/* Fills summary, once all are there. */
void sample_finish(struct scope *x, struct sample *s, enum stats_scale scale);

/* b - a: paired where both have the same units of the same task. NULL or empty samples:
 * COMPARE_NOTHING. */
struct compare_result sample_difference(const struct sample *a, const struct sample *b,
                                        bool same_task);

/* What is empty in every table: n is 0, the rest NaN. */
extern const struct sample NO_SAMPLE;

/* Cells for people, to make of a sample "[0.914, 0.924]", cut at 0 and 1, or what there is in its
 * place ("all 8 equal", "only one"), and of a compare_result "+0.041" and "[+0.031, +0.051]". */
void sample_interval(struct table *t, const void *sample);
void sample_difference_mean(struct table *t, const void *result);
void sample_difference_interval(struct table *t, const void *result);
/* For programs: which test it is. */
void sample_difference_test(struct table *t, const void *result);

#endif
