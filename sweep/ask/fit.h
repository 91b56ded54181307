/* How much of a design a time allows, and how long a design takes. */
#ifndef SWEEP_ASK_FIT_H
#define SWEEP_ASK_FIT_H

#include "sweep/ask/design.h"
#include "sweep/run/forecast.h"

/* Seconds that a design takes, as far as can be told; NaN: it cannot, and the context knows why. */
typedef double fit_seconds(void *context, const struct design *d);

struct fit {
    const struct look *look;
    long steps; /* that are asked for; 0: as many as there is time for */
    fit_seconds *seconds;
    void *context;
};

/* The largest net that gets enough steps within so many minutes, with as many steps as are of use,
 * and then as many seeds. Where nothing fits, the cheapest design: it takes longer. */
struct design fit_design(const struct fit *f, double minutes);

/* Whether so many minutes allow a larger net than the old design has, or training of the same one
 * at least FIT_WORTH times as long: then d is that design. */
enum { FIT_WORTH = 3 };
bool fit_larger(const struct fit *f, const struct design *old, double minutes, struct design *d);

/* Whether they allow more seeds for the same trials: then d is the old design with these. claimed:
 * so many fresh seeds were written down with what it found, and stay as many; 0: none were yet. */
bool fit_more_seeds(const struct fit *f, const struct design *old, int claimed, double minutes,
                    struct design *d);

/* Whether more minutes, or more steps if these are set, would train longer: FIT_WORTH times as
 * long, or a larger net. */
bool fit_time_helps(const struct look *l, const struct design *d);

/* ---- how long a design takes ---- */

/* How long a design takes on this machine, as `plan` forecasts it: no results are asked, so that
 * the same design takes the same time however much of it has run. */

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
struct cost_range estimate_left(const struct forecast *f, const struct config *c, long workers);

#endif
