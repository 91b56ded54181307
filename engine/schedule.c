#include "engine/schedule.h"

#include <math.h>

double schedule_factor(enum schedule_name name, int64_t warmup, int64_t steps, int64_t t)
{
    static const double pi = 3.14159265358979323846;
    double rise = t + 1 < warmup ? (double)(t + 1) / (double)warmup : 1;
    double done = (double)t / (double)steps;
    switch (name) {
    case SCHEDULE_COSINE:
        return rise * 0.5 * (1 + cos(pi * done));
    case SCHEDULE_LINEAR:
        return rise * (1 - done);
    case SCHEDULE_CONSTANT:
        break;
    }
    return rise;
}
