/* What tests of forecasts share. */
#include "store_help.h"

#include <math.h>

#include "sweep/run/forecast.h"

#include "tests/test.h"

#define TUNED                                                                                      \
    "name: tuned\ntask: {name: gather, length: 16, vocab: 8, slots: 2}\n"                          \
    "model: {d_model: 32, heads: [1, 2], layers: 1, d_ff: 32}\n"                                   \
    "train: {steps: 100, batch: 8, lr: [1e-3, 3e-3], eval_every: 50}\n"                            \
    "tune: {axes: [train.lr], seeds: 3}\nseeds: 1\n"

static struct forecast *forecast_of(struct fixture *x, const struct plan *p, struct store *s)
{
    struct forecast *f = NULL;
    assert_ok(forecast_new(p, s, false, NULL, &f, &x->m));
    return f;
}

/* A number that the forecast's copy of the sweep has. */
static double of_preview(const struct forecast *f, const char *sql)
{
    return strtod(ask(store_db(f->preview.store), sql), NULL);
}

/* Seconds of a trial of that head count. */
static double one_trial(const struct forecast *f, int heads)
{
    char sql[120];
    snprintf(sql, sizeof sql,
             "SELECT max(trial_s) FROM takes JOIN config USING (config_id) WHERE heads = %d",
             heads);
    return of_preview(f, sql);
}

static inline void assert_range(struct cost_range r, double least, double expected, double most)
{
    double apart = fabs(r.least - least) + fabs(r.expected - expected) + fabs(r.most - most);
    if (!(apart <= 1e-9 * most))
        fail_msg("%g %g %g, should be %g %g %g", r.least, r.expected, r.most, least, expected,
                 most);
}
