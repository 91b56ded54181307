#include "sweep/worker/room.h"

#include <math.h>
#include <stdlib.h>

#include "sweep/plan/machine.h"

static int falling(const void *a, const void *b)
{
    double x = ((const struct room_point *)a)->bytes, y = ((const struct room_point *)b)->bytes;
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

void room_init(struct room *r, const struct plan *p)
{
    long points = plan_points(p);
    *r = (struct room){.point = calloc((size_t)points + 1, sizeof *r->point)};
    if (!r->point)
        return;
    r->points = points;
    for (long i = 0; i < points; i++)
        r->point[i].bytes = trial_bytes(p, i);
    for (long k = 0; k < plan_trials(p); k++)
        r->point[plan_trial(p, k).point].trials++;
    qsort(r->point, (size_t)points, sizeof *r->point, falling);
}

void room_clear(struct room *r)
{
    free(r->point);
    *r = (struct room){0};
}

int room_for_trials(const struct room *r, int wanted, double available, double *largest)
{
    double together = 0;
    int n = 0;
    *largest = r->points > 0 ? r->point[0].bytes : 0;
    if (r->points == 0)
        return wanted;
    for (long i = 0; i < r->points; i++)
        for (long k = 0; k < r->point[i].trials; k++) {
            together += r->point[i].bytes;
            if (n > 0 && (n == wanted || together > available))
                return n;
            n++;
        }
    return n < wanted ? n : wanted;
}

/* A number of the environment; 0 where there is none. */
static double given(const char *name)
{
    const char *text = getenv(name);
    return text ? fmax(strtod(text, NULL), 0) : 0;
}

double room_of_job(double cpus)
{
    double node = given("SLURM_MEM_PER_NODE"), cpu = given("SLURM_MEM_PER_CPU") * cpus;
    double mib = node > 0 ? node : cpu;
    return mib > 0 ? mib * (1 << 20) : INFINITY;
}

double room_free(void)
{
    const char *mib = getenv("HEADCOUNT_FREE_MIB");
    return mib ? strtod(mib, NULL) * (1 << 20)
               : fmin(machine_memory_free(), room_of_job(given("SLURM_CPUS_ON_NODE")));
}
