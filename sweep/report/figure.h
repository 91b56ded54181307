/* The figure of a sweep, drawn by gnuplot: the value that is judged against the number of heads. Of
 * every head count the mean with its 95% interval and every trial as a point; those that diverged
 * or failed, which count as guesses, are crosses, and a head count that did not finish within its
 * limit is left out, as in the report. The plateau is shaded, guessing a dashed line. Up to
 * FIGURE_CURVES settings are curves of one panel; more have a panel each. Settings that differ in
 * two quantities always have a panel each, below the map: each setting's plateau and h*
 * (report_map.h). Losses of the bytes of a text are drawn in bits where all settings have them.
 * Several sweeps stand side by side, a panel each. */
#ifndef SWEEP_REPORT_FIGURE_H
#define SWEEP_REPORT_FIGURE_H

#include "engine/base/text.h"
#include "sweep/trials/trials.h"

enum { FIGURE_CURVES = 5, FIGURE_PANELS = 36 /* the others are not drawn, and it says so */ };

/* Appends the figure of one sweep or more (sweeps) as an SVG; the same results give the same bytes
 * from the same gnuplot. BAD_INPUT where no trial of one has ended yet, and where one of several
 * has more than one panel; else fails as report_write and gnuplot_draw do. */
enum status figure_draw(struct store *s, const int64_t *sweep_id, int sweeps,
                        struct text_buffer *svg, struct message *m);

#endif
