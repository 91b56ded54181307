/* One line of the live view under construction. */
#ifndef SWEEP_RUN_PROGRESS_LINE_H
#define SWEEP_RUN_PROGRESS_LINE_H

#include <stddef.h>

#include "sweep/plan/metric.h"

enum { LINE_SIZE = 1024 };

struct line {
    char text[LINE_SIZE];
    size_t size;
    int columns; /* that the terminal shows */
};

void line_clear(struct line *l);

/* Appends text. What does not fit is left out. */
void line_add(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends text in at most that many columns: ".." stands for what is left out of its middle, for
 * labels differ at both ends. */
void line_shorten(struct line *l, const char *text, int columns);

/* Cuts the line to at most that many columns, at a whole character; fills it up to them with
 * spaces. */
void line_cut(struct line *l, int columns);
void line_pad(struct line *l, int columns);

/* ".998", "1.000", "-.120", "-" for NaN: accuracies need no leading zero. Returns text. */
const char *line_accuracy(double x, char text[16]);

/* An accuracy as above, or a loss: "3.353". */
const char *line_value(enum metric m, double x, char text[16]);

#endif
