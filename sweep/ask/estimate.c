#include "sweep/ask/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/ask/sheet.h"
#include "sweep/plan/machine.h"
#include "sweep/plan/plan.h"
#include "sweep/run/cores.h"

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

struct forecast_range estimate_left(const struct forecast *f, const struct config *c, long workers)
{
    const struct cores cores =
        cores_granted(machine_cores(), workers ? workers : c->workers, c->threads);
    double confirming_s = f->may_confirm_s;
    double adding_s = f->left_s.most - f->left_s.least - confirming_s;
    double expected_s = f->left_s.least + ADDED * adding_s + CONFIRMED * confirming_s;
    double tuning = (double)f->tuning_left;
    return (struct forecast_range){
        BESIDE_S + cores_wall_s(&cores, f->left_s.least, f->trials_left.least + tuning),
        BESIDE_S + cores_wall_s(&cores, expected_s, f->trials_left.expected + tuning),
        BESIDE_S + cores_wall_s(&cores, f->left_s.most,
                                f->trials_left.most + tuning + (double)f->may_add)};
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
