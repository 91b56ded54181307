/* gnuplot, which draws the figures: a program that need not be there. */
#ifndef SWEEP_REPORT_GNUPLOT_H
#define SWEEP_REPORT_GNUPLOT_H

#include "engine/base/text.h"

/* Adds text as a gnuplot string with its quotes, in which nothing is expanded: what no SVG may hold
 * and what a terminal would obey becomes '?'. At most `columns` characters, then "..". */
void gnuplot_quote(struct text_buffer *script, const char *text, int columns);

/* Lets gnuplot (the first in PATH; no shell, none of the user's settings) run the script, which
 * draws an SVG to its standard output, and appends that to *svg. IO where gnuplot is not there,
 * with the remedy, where it fails, in its own words, and where what it wrote is no whole SVG;
 * INTERRUPTED where a stop was asked for (sweep/worker/stop.h); NO_MEMORY. No process of its stays
 * behind. */
enum status gnuplot_draw(const struct text_buffer *script, struct text_buffer *svg,
                         struct message *m);

#endif
