/* The trials of a plan: their order, the looks that they belong to, the rungs at which they pause.
 */
#include <inttypes.h>

#include "sweep/plan/plan_parts.h"

static long tuning_trials(const struct plan *p)
{
    return p->config->tune ? (long)p->config->tune_seeds * p->points : 0;
}

long plan_trials(const struct plan *p)
{
    return tuning_trials(p) + (long)p->config->seeds * p->points;
}

/* The look that brings the k-th seed, from 1. */
static int look_of(const struct config *c, long k)
{
    int look = 0;
    while (look < c->looks && c->look[look] <= k)
        look++;
    return look + 1;
}

struct plan_trial plan_trial(const struct plan *p, long k)
{
    const struct config *c = p->config;
    long tuning = tuning_trials(p), round = k / p->points;
    if (k < tuning)
        return (struct plan_trial){k % p->points, (uint32_t)(CONFIG_TUNING_SEED + round), true, 1};
    round -= tuning / p->points;
    return (struct plan_trial){k % p->points, (uint32_t)c->seed[round], false, look_of(c, round)};
}

int plan_rungs(const struct plan *p, long i, int64_t steps[PLAN_RUNGS_MAX])
{
    const struct config *c = p->config;
    struct point point;
    int n = 0;
    if (!c->rung_eta)
        return 0;
    plan_point(p, i, &point);
    int64_t every = point.train.eval_every, least = c->rung_min_steps;
    for (; least < point.train.steps && n < PLAN_RUNGS_MAX; least *= c->rung_eta) {
        int64_t rung = (least + every - 1) / every * every;
        if (rung < point.train.steps && (n == 0 || rung > steps[n - 1]))
            steps[n++] = rung;
    }
    return n;
}

enum status plan_check_rungs(const struct plan *p, struct message *m)
{
    const struct config *c = p->config;
    int64_t steps[PLAN_RUNGS_MAX];
    struct point point;
    for (long i = 0; c->rung_eta && i < p->points; i++) {
        if (plan_rungs(p, i, steps) > 0)
            continue;
        plan_point(p, i, &point);
        status_fail(m, STATUS_BAD_INPUT,
                    "tune.rungs.min_steps is %" PRId64 ", but a trial has %" PRId64
                    " steps and is evaluated every %" PRId64
                    ": no evaluation from min_steps on comes before its last step",
                    c->rung_min_steps, point.train.steps, point.train.eval_every);
        return config_within(c, c->rung_place, m);
    }
    return STATUS_OK;
}
