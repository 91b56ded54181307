/* How long a design takes on this machine, as `plan` forecasts it: no results are asked, so that
 * the same design takes the same time however much of it has run. */
#ifndef SWEEP_ASK_ESTIMATE_H
#define SWEEP_ASK_ESTIMATE_H

#include "sweep/ask/design.h"
#include "sweep/run/forecast.h"

struct estimate {
    const struct look *look;
    const char *path;        /* of the sweep file, which need not be there */
    const char *const *sets; /* (count) */
    int count;
    long workers;       /* at once; 0: as many as there are cores */
    enum status status; /* of the last design; message says why it has no time */
    struct message message;
    int refused_size; /* the largest size of net that cannot be (BAD_INPUT); 0 where none is larger
                         than the smallest */
    struct message refused; /* ... and why */
    struct plan *first;     /* estimate_free's; NULL at first */
    struct config *first_config;
};

/* A fit_seconds; the context is a struct estimate. */
double estimate_seconds(void *context, const struct design *d);

/* Frees what estimates have kept. */
void estimate_free(struct estimate *e);

/* Seconds until what is left of a forecast is done, and the answer is there: if nothing is added or
 * confirmed, if as much is as experience says, and if all is. */
struct forecast_range estimate_left(const struct forecast *f, const struct config *c, long workers);

#endif
