/* What the live view is drawn with. */
#ifndef SWEEP_RUN_FRAME_H
#define SWEEP_RUN_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "engine/base/text.h"
#include "sweep/plan/metric.h"

/* ---- lines ---- */

enum { LINE_SIZE = 1024 };

/* One under construction. */
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

/* ---- the frame ---- */

/* Lines on a terminal that are redrawn in place: put together in memory and written at once, so
 * that they do not flicker. What cannot be drawn is left out. */

struct frame {
    FILE *terminal;
    bool color;
    int columns, rows; /* of the terminal, since frame_size or frame_begin */
    /* For frame.c. */
    int lines;       /* of the frame on the screen */
    int *line_width; /* (lines): columns each of them takes */
    struct text_buffer text;
    FILE *out;
};

/* Whether f is a terminal that obeys. */
bool frame_possible(FILE *f);

/* A frame that is not drawn yet. frame_free when done with it, which leaves it on the screen. */
void frame_init(struct frame *f, FILE *terminal);
void frame_free(struct frame *f);

/* Whether frames may be drawn now. In the background the terminal is the shell's, though it may be
 * written to; what was drawn before is not looked for again. */
bool frame_in_front(struct frame *f);

/* Asks for the terminal's size. */
void frame_size(struct frame *f);

/* Begins the next frame and asks for the terminal's size; false where there is no memory. Then its
 * lines, each of at most columns - 1 (the last column would wrap the cursor), with an escape
 * sequence before or ""; frame_end shows them in the place of the frame before. */
bool frame_begin(struct frame *f);
void frame_line(struct frame *f, const struct line *l, const char *color);
void frame_end(struct frame *f);

/* Wipes the frame and puts text there, which stays. */
void frame_replace(struct frame *f, const char *permanent);

#endif
