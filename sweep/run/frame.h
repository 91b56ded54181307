/* Lines on a terminal that are redrawn in place: put together in memory and written at once, so
 * that they do not flicker. What cannot be drawn is left out. */
#ifndef SWEEP_RUN_FRAME_H
#define SWEEP_RUN_FRAME_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/base/text.h"
#include "sweep/run/progress_line.h"

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
