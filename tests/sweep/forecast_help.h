/* What tests of forecasts share. */
#include "store_help.h"

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
