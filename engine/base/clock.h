/* Seconds of a clock. */
#ifndef ENGINE_BASE_CLOCK_H
#define ENGINE_BASE_CLOCK_H

#include <time.h>

static inline double clock_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Since some fixed instant; never set back. */
static inline double clock_now_s(void)
{
    return clock_s(CLOCK_MONOTONIC);
}

#endif
