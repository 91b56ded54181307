/* Learning rate as a function of the step. */
#ifndef ENGINE_SCHEDULE_H
#define ENGINE_SCHEDULE_H

#include <stdint.h>

enum schedule_name { SCHEDULE_CONSTANT, SCHEDULE_COSINE, SCHEDULE_LINEAR };

/* Factor in (0,1] on the base rate at step t = 0..steps-1: warmup factor min(1, (t+1)/warmup)
 * (1 without warmup) times 1 | (1 + cos(pi t/steps))/2 | 1 - t/steps. (The cosine of Loshchilov
 * and Hutter 2017, without restarts, times a linear warmup.) */
double schedule_factor(enum schedule_name name, int64_t warmup, int64_t steps, int64_t t);

#endif
