/* Small pieces of output: wrapped paragraphs, JSON strings and numbers, dot plots. Write errors
 * stay in the FILE, to be asked for once by text_check. */
#ifndef SWEEP_TEXT_H
#define SWEEP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "engine/status.h"

/* A text that grows. Starts as {0}; free(text) at the end. Once memory has run out nothing is added
 * any more. (glibc's open_memstream loses text in that case and says nothing.) */
struct text_buffer {
    char *text; /* terminated; NULL before the first text_add */
    size_t used, capacity;
    bool out_of_memory;
};
void text_add(struct text_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes out and says whether everything written to it so far arrived. */
enum status text_check(FILE *out, struct message *m);

/* Terminal columns of UTF-8 text, one per code point. */
int text_width(const char *text);

/* Writes text as a terminal may have it: control characters, which could move the cursor or worse,
 * become '?'. */
void text_plain(FILE *out, const char *text);

/* Writes text, plain, broken at spaces to lines of at most `width` columns; the first line is
 * indented by `first` spaces, the others by `rest`. A word longer than a line stands alone. Ends
 * with LF. */
void text_paragraph(FILE *out, const char *text, int first, int rest, int width);

/* Writes text as a JSON string with its quotes, or null for NULL; bytes that are not UTF-8 become
 * U+FFFD. */
void text_json(FILE *out, const char *text);

/* Writes the shortest number that reads back as x, or null where x is not finite. */
void text_json_real(FILE *out, double x);

/* A dot at `mean` and its interval on a scale from 0 to 1, `cells` (3 to 60) columns wide:
 * "   ├──●─┤", without spaces at the end. NaN bounds: the dot alone; NaN mean: nothing. */
enum { DOT_PLOT_CELLS = 60, DOT_PLOT_SIZE = 3 * DOT_PLOT_CELLS + 1 };
void text_dot_plot(double mean, double low, double high, int cells, char text[DOT_PLOT_SIZE]);

#endif
