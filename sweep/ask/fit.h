/* How much of a design a time allows. */
#ifndef SWEEP_ASK_FIT_H
#define SWEEP_ASK_FIT_H

#include "sweep/ask/design.h"

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

/* What more minutes do for a design that has been begun. */
enum fit_more {
    FIT_AS_IT_IS, /* it does not become better: there are not enough of them */
    FIT_SEEDS,    /* the same trials, and more of them */
    FIT_ANEW      /* a larger net, or training at least FIT_WORTH times as long of the same one */
};
enum { FIT_WORTH = 3 };

/* confirmed: on so many fresh seeds, which stay as many; 0: not yet. minutes may be INFINITY. */
enum fit_more fit_more(const struct fit *f, const struct design *old, int confirmed, double minutes,
                       struct design *d);

#endif
