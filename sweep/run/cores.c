#include "sweep/run/cores.h"

#include <math.h>

#include "sweep/plan/config.h"

struct cores cores_granted(int usable, int64_t trials, int64_t threads)
{
    struct cores c = {.cores = usable, .threads = (int)threads};
    if (trials <= 0 && threads > usable)
        c.threads = usable;
    int each = c.threads > 0 ? c.threads : 1;
    c.trials = trials > 0 ? (int)trials : usable / each;
    if (c.trials < usable / each)
        c.cores = c.trials * each;
    return c;
}

int cores_of(const struct cores *c, int running, int k)
{
    if (c->threads > 0)
        return c->threads;
    int share = c->cores / running + (k < c->cores % running);
    return share < 1 ? 1 : share < TEAM_MAX ? share : TEAM_MAX;
}

/* How many times as fast as on one core a trial is. */
static double speedup(double threads)
{
    const double alone = 1.0 / 9; /* the share of a step in which the others wait: 1.8 of two */
    return 1 / (alone + (1 - alone) / fmax(threads, 1));
}

/* Core seconds that are done in a second while so many trials run. */
static double rate(const struct cores *c, double running)
{
    double threads = c->threads > 0 ? c->threads : c->cores / running;
    return fmin(running * speedup(threads), c->cores);
}

double cores_wall_s(const struct cores *c, double core_s, double trials)
{
    if (!(trials > 0))
        return 0;
    double last = fmod(trials, c->trials), each_s = core_s / trials;
    double full_s = (trials - last) * each_s / rate(c, c->trials);
    return last > 0 ? full_s + last * each_s / rate(c, last) : full_s;
}
