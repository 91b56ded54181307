/* How fast this machine trains, found out in a fraction of a second. A child process does the work:
 * this one loads no OpenBLAS and takes no memory for it. */
#ifndef SWEEP_WORKER_CALIBRATE_H
#define SWEEP_WORKER_CALIBRATE_H

#include "sweep/plan/point.h"

struct calibration {
    int64_t heads;
    double flops_per_step; /* of what was trained: the point, or less of the same where a step of
                              it takes too long */
    double steps, seconds; /* so many steps took so much CPU time */
    double start_s;        /* what a trial takes beside its steps, as cost.h has it */
};

/* Measures a trial of the point p. False where that cannot be: no memory, no process, nothing said
 * within calibrate_patience_ms (two seconds; tests have more). */
typedef bool calibrator(const struct point *p, struct calibration *c);

calibrator calibrate;
extern int calibrate_patience_ms;

#endif
