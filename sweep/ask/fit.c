#include "sweep/ask/fit.h"

#include <math.h>

static double seconds_of(const struct fit *f, const struct design *d)
{
    return f->seconds(f->context, d);
}

static void set_level(struct design *d, int level)
{
    d->level = level;
    d->confirm = design_level(d)->confirm;
}

static long whole_steps(double steps)
{
    long unit = steps >= 1000 ? 5L * DESIGN_STEPS : DESIGN_STEPS;
    return (long)(steps / (double)unit) * unit;
}

/* As many steps as there is time for, of those that are of use: what a design takes grows with them
 * evenly. False where that is fewer than it needs. */
static bool fit_steps(const struct fit *f, double limit_s, struct design *d)
{
    long least = design_size(d)->steps_min, most = design_steps_max(d, f->look);
    if (f->steps > 0) {
        d->steps = f->steps;
        return seconds_of(f, d) <= limit_s;
    }
    d->steps = least;
    double least_s = seconds_of(f, d);
    if (!(least_s <= limit_s) || most < least)
        return false;
    d->steps = 2 * least;
    double per_step = (seconds_of(f, d) - least_s) / (double)least;
    double allowed = per_step > 0 ? (double)least + (limit_s - least_s) / per_step : (double)most;
    d->steps = whole_steps(allowed < (double)most ? allowed : (double)most);
    d->steps = d->steps > least ? d->steps : least;
    return true;
}

/* As many seeds as there is time for, from the level that d has. */
static void fit_level(const struct fit *f, double limit_s, bool confirmed, struct design *d)
{
    struct design more = *d;
    for (int level = d->level + 1; level < design_levels(); level++) {
        set_level(&more, level);
        if (confirmed)
            more.confirm = d->confirm;
        if (!(seconds_of(f, &more) <= limit_s))
            return;
        *d = more;
    }
}

struct design fit_design(const struct fit *f, double minutes)
{
    struct design d = {.kind = f->look->kind, .minutes = minutes};
    for (int level = DESIGN_LEVEL; level >= 0; level--)
        for (d.size = design_sizes(d.kind) - 1; d.size >= 0; d.size--) {
            set_level(&d, level);
            if (!fit_steps(f, 60 * minutes, &d))
                continue;
            fit_level(f, 60 * minutes, false, &d);
            return d;
        }
    d.size = 0;
    set_level(&d, 0);
    d.steps = f->steps > 0 ? f->steps : design_size(&d)->steps_min;
    return d;
}

double fit_minutes(const struct fit *f, const struct design *d, double wanted, int *fresh)
{
    enum { ROUND = 5 };
    struct design more = *d;
    for (int level = d->level + 1; level < design_levels(); level++) {
        set_level(&more, level);
        if (more.confirm < wanted)
            continue;
        *fresh = more.confirm;
        return ROUND * ceil(seconds_of(f, &more) / (60. * ROUND));
    }
    return NAN;
}

enum fit_more fit_more(const struct fit *f, const struct design *old, bool confirmed,
                       double minutes, struct design *d)
{
    struct design kept = *old;
    *d = fit_design(f, minutes);
    if (d->size > old->size || (double)d->steps >= (double)FIT_WORTH * (double)old->steps)
        return FIT_ANEW;
    fit_level(f, 60 * minutes, confirmed, &kept);
    *d = kept;
    if (kept.level == old->level)
        return FIT_AS_IT_IS;
    d->minutes = minutes;
    return FIT_SEEDS;
}
