#include "sweep/ask/fit.h"

#include <math.h>
#include <string.h>

#include "sweep/ask/sheet.h"
#include "sweep/plan/machine.h"
#include "sweep/plan/plan.h"
#include "sweep/run/cores.h"

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

/* The highest level that there is time for, from the one that d has. claimed: as in fit_more_seeds.
 */
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

bool fit_larger(const struct fit *f, const struct design *old, double minutes, struct design *d)
{
    *d = fit_design(f, minutes);
    return d->size > old->size ||
           (d->size == old->size && (double)d->steps >= FIT_WORTH * (double)old->steps);
}

bool fit_more_seeds(const struct fit *f, const struct design *old, int claimed, double minutes,
                    struct design *d)
{
    *d = *old;
    d->minutes = minutes;
    if (claimed)
        d->confirm = claimed;
    fit_level(f, 60 * minutes, claimed, d);
    fit_seeds(f, 60 * minutes, d);
    return seconds_of(f, d) > seconds_of(f, old); /* not where their number is set */
}

bool fit_time_helps(const struct look *l, const struct design *d)
{
    struct design larger = *d;
    if ((double)design_steps_max(d, l) >= FIT_WORTH * (double)d->steps)
        return true;
    while (++larger.size < design_kind(d->kind)->sizes)
        if (design_steps_min(&larger, l) <= design_steps_max(&larger, l))
            return true;
    return false;
}

/* ---- how long a design takes ---- */

/* Of what may be added to lists of learning rates, and of what may be confirmed: what comes to
 * pass. Few head counts choose an edge, and most sweeps find something. */
static const double ADDED = .08, CONFIRMED = .8;

/* Seconds beside the trials, of a small file: the program's start, the page with its maps of
 * attention, the answer. That a large file is read again for them is not counted. */
static const double BESIDE_S = 5;

/* ---- measured once ---- */

/* A design is forecast with several numbers of steps and seeds; its nets are measured once. */
enum { MEASURED_MAX = 64 };
static struct measured {
    int64_t heads, d_model, layers, batch;
    long length;
    bool ok;
    struct calibration c;
} measured[MEASURED_MAX];
static int measured_count;

static bool measure_once(const struct point *p, struct calibration *c)
{
    struct measured now = {.heads = p->model.heads,
                           .d_model = p->model.d_model,
                           .layers = p->model.layers,
                           .batch = p->train.batch};
    struct task_shape shape;
    if (p->task->shape(p->task_options, &shape, NULL) == STATUS_OK)
        now.length = shape.length;
    for (int i = 0; i < measured_count; i++) {
        struct measured *k = &measured[i];
        if (k->heads != now.heads || k->d_model != now.d_model || k->layers != now.layers ||
            k->batch != now.batch || k->length != now.length)
            continue;
        *c = k->c;
        return k->ok;
    }
    now.ok = calibrate(p, &now.c);
    *c = now.c;
    if (measured_count < MEASURED_MAX)
        measured[measured_count++] = now;
    return now.ok;
}

/* ---- a design ---- */

struct cost_range estimate_left(const struct forecast *f, const struct config *c, long workers)
{
    const struct cores cores =
        cores_granted(machine_cores(), workers ? workers : c->workers, c->threads);
    double confirming_s = f->may_confirm_s;
    double adding_s = f->left.core_s.most - f->left.core_s.least - confirming_s;
    double expected_s = f->left.core_s.least + ADDED * adding_s + CONFIRMED * confirming_s;
    double tuning = (double)f->left.tuning;
    return (struct cost_range){
        BESIDE_S + cores_wall_s(&cores, f->left.core_s.least, f->left.trials.least + tuning),
        BESIDE_S + cores_wall_s(&cores, expected_s, f->left.trials.expected + tuning),
        BESIDE_S + cores_wall_s(&cores, f->left.core_s.most,
                                f->left.trials.most + tuning + (double)f->may_add)};
}

/* The first plan is kept for what it knows of the file, which is then not read again. */
static enum status plan_design(struct estimate *e, const struct design *d, struct config **c,
                               struct plan **p, struct message *m)
{
    int known = 0;
    const struct survey *surveys = e->first ? plan_surveys(e->first, &known) : NULL;
    enum status s = sheet_parse(d, e->look, e->path, e->sets, e->count, c, m);
    if (s == STATUS_OK)
        s = sheet_refuse(e->path, e->sets, e->count, plan_new(*c, surveys, known, p, m), m);
    return s;
}

static enum status forecast_design(struct estimate *e, const struct design *d, double *seconds,
                                   struct message *m)
{
    struct config *c = NULL;
    struct plan *p = NULL;
    struct forecast *f = NULL;
    enum status s = plan_design(e, d, &c, &p, m);
    if (s == STATUS_OK)
        s = forecast_new(p, NULL, false, measure_once, &f, m);
    if (s == STATUS_OK)
        *seconds = estimate_left(f, plan_config(p), e->workers).expected;
    forecast_free(f);
    if (s == STATUS_OK && !e->first) {
        e->first = p;
        e->first_config = c;
        return s;
    }
    plan_free(p);
    config_free(c);
    return s;
}

double estimate_seconds(void *context, const struct design *d)
{
    struct estimate *e = context;
    double seconds = NAN;
    e->status = forecast_design(e, d, &seconds, &e->message);
    if (e->status == STATUS_BAD_INPUT && d->size > e->refused_size) {
        e->refused_size = d->size;
        e->refused = e->message;
    }
    return seconds;
}

void estimate_free(struct estimate *e)
{
    plan_free(e->first);
    config_free(e->first_config);
}
