#include "sweep/run/room.h"

#include <math.h>
#include <stdlib.h>

#include "sweep/plan/machine.h"

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static double trial_bytes(const struct plan *p, long i)
{
    struct point point;
    struct encoder_io io;
    struct task_shape shape;
    double limit = (double)plan_config(p)->limit_memory;
    plan_point(p, i, &point);
    if (point_check(&point, &io, &shape, NULL, NULL) != STATUS_OK)
        return 0;
    double bytes = point_memory(&point, &io, &shape) + ROOM_WORKER;
    return limit > 0 ? fmin(bytes, limit) : bytes;
}

int room_for_trials(const struct plan *p, int wanted, double available, double *largest)
{
    long points = plan_points(p), trials = plan_trials(p);
    double *point = malloc(((size_t)points + 1) * sizeof *point);
    double *trial = malloc(((size_t)trials + 1) * sizeof *trial);
    int n = wanted;
    *largest = 0;
    if (point && trial && trials > 0) {
        for (long i = 0; i < points; i++)
            point[i] = trial_bytes(p, i);
        for (long k = 0; k < trials; k++)
            trial[k] = point[plan_trial(p, k).point];
        qsort(trial, (size_t)trials, sizeof *trial, falling);
        *largest = trial[0];
        double together = *largest;
        for (n = 1; n < wanted && n < trials && together + trial[n] <= available; n++)
            together += trial[n];
    }
    free(point);
    free(trial);
    return n;
}

double room_free(void)
{
    const char *mib = getenv("HEADCOUNT_FREE_MIB");
    return mib ? strtod(mib, NULL) * (1 << 20) : machine_memory_free();
}
