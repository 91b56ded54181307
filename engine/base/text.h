/* Small pieces of output: texts that grow, wrapped paragraphs, dot plots.
 *
 * Foreign text (from a file, an argument, the results file) goes to a person only through this
 * file: whatever a terminal would obey instead of showing it (utf8_is_control: it could move the
 * cursor, change the title, turn the line around) becomes '?', as does what is no UTF-8. JSON
 * (json_write.h) escapes it, so that nothing is lost; and so do names within messages (text_shown),
 * where that may be the fault.
 *
 * Write errors stay in the FILE, to be asked for once by text_check. */
#ifndef ENGINE_BASE_TEXT_H
#define ENGINE_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "engine/base/status.h"

struct arena;

/* A text that grows. Starts as {0}; free(text) at the end. Once memory has run out nothing is added
 * any more. Starts as {.arena = a}: the text is the arena's, which jumps instead. (glibc's
 * open_memstream loses text in that case and says nothing.) */
struct text_buffer {
    char *text; /* terminated; NULL before the first text_add */
    size_t used, capacity;
    bool out_of_memory;
    struct arena *arena;
};
void text_add(struct text_buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text_buffer *b, const char *bytes, size_t size);

/* A stream that adds to b what is written to it; fclose it before looking at b. NULL where there is
 * no memory. Once b has run out of memory, writing fails. */
FILE *text_stream(struct text_buffer *b);

/* Flushes out and says whether everything written to it so far arrived. A pipe whose reader has
 * gone is OK: all that was wanted did arrive. */
enum status text_check(FILE *out, struct message *m);

/* malloced; "" for NULL. NULL where there is no memory. */
char *text_copy(const char *text);

/* Terminal columns that text_plain takes. */
int text_width(const char *text);

/* Bytes of the longest beginning of text, of whole characters, that takes at most so many. */
size_t text_cut(const char *text, int columns);

/* Writes foreign text that is to stay on its line. */
void text_plain(FILE *out, const char *text);
void text_plain_part(FILE *out, const char *text, size_t size);

/* Writes foreign text that may have several lines: LF and tab stay. */
void text_lines(FILE *out, const char *text);

/* Formats, then writes as text_lines does. */
void text_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprint(FILE *out, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Foreign text within a message: what cannot be seen (utf8_is_invisible) as \u00a0, a byte that is
 * no UTF-8 as \xff; cut to the buffer with "..." between whole characters. size >= 8. Returns
 * buffer, which text is no part of. */
const char *text_shown(const char *text, char *buffer, size_t size);

/* The text without what cannot be seen and spaces around it, as far as it fits. In buffer. */
const char *text_visible(const char *text, char *buffer, size_t size);

/* Writes text, plain, broken at spaces to lines of at most `width` columns; the first line is
 * indented by `first` spaces, the others by `rest`. A word longer than a line stands alone. Ends
 * with LF. */
void text_paragraph(FILE *out, const char *text, int first, int rest, int width);

/* Writes the shortest number that reads back as x, or null where x is not finite. */
void text_json_real(FILE *out, double x);

/* Adds text as one word of the shell (POSIX sh), in quotes where it needs them. */
void text_add_shell(struct text_buffer *b, const char *text);

/* True where ANSI colour is welcome on f: a terminal, TERM not dumb, NO_COLOR unset or empty. */
bool text_color(FILE *f);

/* Whether the locale says that terminals show UTF-8 (LC_ALL, LC_CTYPE, LANG). */
bool text_utf8(void);

/* The room that f offers: its columns where it is a terminal, else 0 (as many as are wanted); and
 * whether colour is welcome. */
struct text_page {
    int columns;
    bool color;
};
struct text_page text_page(FILE *f);

/* x with so many decimals, "-0.041", and "+0.041" signed; what rounds to zero has no sign. Returns
 * text; size >= 32 is enough below 1e20. */
const char *text_fixed(double x, int decimals, char *text, size_t size);
const char *text_signed(double x, int decimals, char *text, size_t size);

/* "4.2 s", "3 min 10 s", "2 h 5 min", "3 d 4 h": a duration for people. size >= 32. */
const char *text_duration(double seconds, char *text, size_t size);

/* "1.8 M", "512", "3.4 G": a large number for people. size >= 32. */
const char *text_quantity(double x, char *text, size_t size);

/* "1 head", "4 heads": a number of things, whose plural ends in s; what stands behind their number
 * by itself: "" or "s". */
struct text_counted {
    char text[80];
};
struct text_counted text_counted(long long n, const char *noun);
const char *text_plural(long long n);

/* A count with commas, "109,514,298". size >= 32. */
const char *text_count(long long n, char *text, size_t size);

/* A dot at `mean` and its interval on a scale from 0 to 1, `cells` (3 to 60) columns wide:
 * "   ├──●─┤", or "   |--o-|" where terminals do not show UTF-8, without spaces at the end. NaN
 * bounds: the dot alone; NaN mean: nothing. */
enum { DOT_PLOT_CELLS = 60, DOT_PLOT_SIZE = 3 * DOT_PLOT_CELLS + 1 };
void text_dot_plot(double mean, double low, double high, int cells, char text[DOT_PLOT_SIZE]);

/* n values as columns of blocks, "▁▃▅█", from low (the lowest block) to high; a bound that is NaN
 * is the smallest or the largest of the values. At most `cells` (up to SPARKLINE_CELLS) columns,
 * where there are more values the last of each share. A value that is not finite is a space. */
enum { SPARKLINE_CELLS = 60, SPARKLINE_SIZE = 3 * SPARKLINE_CELLS + 1 };
void text_sparkline(const double *x, int n, double low, double high, int cells,
                    char text[SPARKLINE_SIZE]);

#endif
