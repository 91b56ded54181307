/* The rates of a calibration on standard output. */
#ifndef TESTS_CALIBRATE_PRINT_H
#define TESTS_CALIBRATE_PRINT_H

#include "tests/calibrate/cases.h"
#include "tests/calibrate/tally.h"

/* The tallies of all variants of one case; sweeps 0: not simulated. */
struct outcome {
    const struct calibration *calibration;
    struct tally tally[CALIBRATION_VARIANTS];
};

void print_case(const struct calibration *c);

/* All rates of one variant. Returns how many error rates are above their level. */
int print_variant(const struct calibration *c, const struct world *w, const struct tally *t);

/* Markdown tables: of every case, the highest error rates and the lowest coverages; of every
 * statement in it, the rates at each number of seeds. */
void print_table(const struct outcome *o, int count);

#endif
