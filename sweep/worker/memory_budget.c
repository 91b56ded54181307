#include "sweep/worker/memory_budget.h"

#include <math.h>
#include <stdlib.h>

#include "engine/base/team.h"
#include "engine/encoder_cost.h"
#include "sweep/plan/machine.h"

static int falling(const void *a, const void *b)
{
    double x = ((const struct memory_budget_point *)a)->bytes,
           y = ((const struct memory_budget_point *)b)->bytes;
    return (x < y) - (x > y);
}

/* thread: of a further one. */
static double trial_bytes(const struct plan *p, long i, double *thread)
{
    struct point point;
    struct encoder_io io;
    struct task_shape shape;
    double limit = (double)plan_config(p)->limit_memory;
    double threads = fmax(1, (double)plan_config(p)->threads);
    *thread = 0;
    plan_point(p, i, &point);
    if (point_check(&point, &io, &shape, NULL, NULL) != STATUS_OK)
        return 0;
    *thread = encoder_thread_memory(&point.model, &io, (long)point.train.batch);
    double bytes = point_memory(&point, &io, &shape) + MEMORY_BUDGET_WORKER;
    bytes += (threads - 1) * *thread;
    return limit > 0 ? fmin(bytes, limit) : bytes;
}

void memory_budget_init(struct memory_budget *r, const struct plan *p)
{
    long points = plan_points(p);
    *r = (struct memory_budget){.point = calloc((size_t)points + 1, sizeof *r->point)};
    if (!r->point)
        return;
    r->points = points;
    for (long i = 0; i < points; i++) {
        double thread;
        r->point[i].bytes = trial_bytes(p, i, &thread);
        r->thread = fmax(r->thread, thread);
    }
    for (long k = 0; k < plan_trials(p); k++)
        r->point[plan_trial(p, k).point].trials++;
    qsort(r->point, (size_t)points, sizeof *r->point, falling);
}

void memory_budget_clear(struct memory_budget *r)
{
    free(r->point);
    *r = (struct memory_budget){0};
}

int memory_budget_trials(const struct memory_budget *r, int wanted, double available,
                         double *largest)
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

int memory_budget_threads(const struct memory_budget *r, int n, double available)
{
    for (long i = 0; i < r->points && n > 0; i++) {
        long trials = r->point[i].trials < n ? r->point[i].trials : n;
        available -= (double)trials * r->point[i].bytes;
        n -= (int)trials;
    }
    double threads = r->thread > 0 ? available / r->thread : 0;
    return threads < 0 ? 0 : threads < TEAM_MAX ? (int)threads : TEAM_MAX;
}

/* A number of the environment; 0 where there is none. */
static double given(const char *name)
{
    const char *text = getenv(name);
    return text ? fmax(strtod(text, NULL), 0) : 0;
}

double memory_budget_of_job(double cpus)
{
    double node = given("SLURM_MEM_PER_NODE"), cpu = given("SLURM_MEM_PER_CPU") * cpus;
    double mib = node > 0 ? node : cpu;
    return mib > 0 ? mib * (1 << 20) : INFINITY;
}

double memory_budget_available(void)
{
    const char *mib = getenv("HEADCOUNT_FREE_MIB");
    return mib ? strtod(mib, NULL) * (1 << 20)
               : fmin(machine_memory_free(), memory_budget_of_job(given("SLURM_CPUS_ON_NODE")));
}
