#include "sweep/ask/fit.h"

#include <math.h>

static double seconds_of(const struct fit *f, const struct design *d)
{
    return f->seconds(f->context, d);
}

/* As many steps as there is time for, of those that are of use: what a design takes grows with them
 * evenly. False where that is fewer than it needs. */
static bool fit_steps(const struct fit *f, double limit_s, struct design *d)
{
    long least = design_steps_min(d, f->look), most = design_steps_max(d, f->look);
    if (most < least) /* the data do not allow it: nothing has to be measured */
        return false;
    if (f->steps > 0) {
        d->steps = f->steps;
        return seconds_of(f, d) <= limit_s;
    }
    d->steps = least;
    double least_s = seconds_of(f, d);
    if (!(least_s <= limit_s))
        return false;
    d->steps = 2 * least;
    double per_step = (seconds_of(f, d) - least_s) / (double)least;
    double allowed = per_step > 0 ? (double)least + (limit_s - least_s) / per_step : (double)most;
    d->steps = (long)fmin(allowed, (double)most) / DESIGN_STEPS * DESIGN_STEPS;
    d->steps = d->steps > least ? d->steps : least;
    return true;
}

/* The highest level that there is time for, from the one that d has. claimed: as in fit_more. */
static void fit_level(const struct fit *f, double limit_s, int claimed, struct design *d)
{
    struct design more = *d;
    for (int level = d->level + 1; level < design_levels(); level++) {
        design_set_level(&more, level);
        if (claimed)
            more.confirm = claimed;
        if (!(seconds_of(f, &more) <= limit_s))
            return;
        *d = more;
    }
}

/* What is then left of the time is for exploring seeds, one by one up to those of the next level:
 * with more minutes there are never fewer. */
static void fit_seeds(const struct fit *f, double limit_s, struct design *d)
{
    struct design next = *d, more = *d;
    if (d->level + 1 == design_levels())
        return;
    design_set_level(&next, d->level + 1);
    while (more.seeds < next.seeds) {
        more.seeds++;
        if (!(seconds_of(f, &more) <= limit_s))
            return;
        *d = more;
    }
}

struct design fit_design(const struct fit *f, double minutes)
{
    struct design d = {.kind = f->look->kind, .minutes = minutes, .steps_minutes = minutes};
    for (int level = DESIGN_LEVEL; level >= 0; level--)
        for (d.size = design_kind(d.kind)->sizes - 1; d.size >= 0; d.size--) {
            design_set_level(&d, level);
            if (!fit_steps(f, 60 * minutes, &d))
                continue;
            fit_level(f, 60 * minutes, 0, &d);
            fit_seeds(f, 60 * minutes, &d);
            return d;
        }
    d.size = 0;
    design_set_level(&d, 0);
    d.steps = f->steps > 0 ? f->steps : design_steps_min(&d, f->look);
    return d;
}

enum fit_more fit_more(const struct fit *f, const struct design *old, int claimed, double minutes,
                       struct design *d)
{
    struct design kept = *old;
    *d = fit_design(f, minutes);
    bool longer = d->size == old->size && (double)d->steps >= FIT_WORTH * (double)old->steps;
    if (d->size > old->size || longer)
        return FIT_ANEW;
    if (claimed)
        kept.confirm = claimed;
    fit_level(f, 60 * minutes, claimed, &kept);
    fit_seeds(f, 60 * minutes, &kept);
    *d = kept;
    if (kept.level == old->level && kept.seeds == old->seeds)
        return FIT_AS_IT_IS;
    d->minutes = minutes;
    return FIT_SEEDS;
}

static double no_seconds(void *context, const struct design *d)
{
    (void)context;
    (void)d;
    return 0;
}

enum fit_more fit_beyond(const struct fit *f, const struct design *old, int claimed,
                         struct design *d)
{
    const struct fit free_of_time = {.look = f->look, .steps = f->steps, .seconds = no_seconds};
    return fit_more(&free_of_time, old, claimed, INFINITY, d);
}

bool fit_time_helps(const struct look *l, const struct design *d)
{
    struct design beyond; /* the net may be larger than the data allow now */
    return (double)design_steps_max(d, l) >= FIT_WORTH * (double)d->steps ||
           fit_beyond(&(struct fit){.look = l}, d, 0, &beyond) == FIT_ANEW;
}
