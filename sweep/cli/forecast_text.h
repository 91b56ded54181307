/* What `plan` tells people of a forecast: what decides how many trials run, a table of points or
 * head counts, and the time. */
#ifndef SWEEP_CLI_FORECAST_TEXT_H
#define SWEEP_CLI_FORECAST_TEXT_H

#include "sweep/run/forecast.h"

struct forecast_view {
    long workers;           /* 0: the sweep file's, else as many as there are cores */
    bool retry_failed, all; /* all: a line per point, however many there are */
};

/* To stdout. */
enum status forecast_text_write(const struct plan *p, const struct forecast *f,
                                const struct forecast_view *v, struct message *m);

#endif
