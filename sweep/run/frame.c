#include "sweep/run/frame.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/base/array.h"
#include "engine/base/text.h"

/* ---- lines ---- */

void line_clear(struct line *l)
{
    memset(l, 0, sizeof *l);
}

void line_add(struct line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(l->text + l->size, sizeof l->text - l->size, format, arguments);
    va_end(arguments);
    if (n < 0)
        return;
    size_t end = l->size + (size_t)n;
    if (end >= sizeof l->text)
        end = sizeof l->text - 1;
    l->columns += text_width(l->text + l->size);
    l->size = end;
}

void line_shorten(struct line *l, const char *text, int columns)
{
    int width = text_width(text);
    if (width <= columns || columns < 4) {
        line_add(l, "%.*s", (int)text_cut(text, columns), text);
        return;
    }
    int head = (columns - 2) / 2, tail = columns - 2 - head;
    const char *rest = text + text_cut(text, width - tail);
    while (text_width(rest) > tail) /* a wide character would be halved */
        rest += text_cut(rest, text_width(rest) - tail + 1);
    line_add(l, "%.*s..%s", (int)text_cut(text, head), text, rest);
}

void line_cut(struct line *l, int columns)
{
    l->size = text_cut(l->text, columns);
    l->text[l->size] = '\0';
    l->columns = text_width(l->text);
}

void line_pad(struct line *l, int columns)
{
    while (l->columns < columns && l->size + 1 < sizeof l->text)
        line_add(l, " ");
}

const char *line_accuracy(double x, char text[16])
{
    if (!isfinite(x))
        return "-";
    snprintf(text, 16, "%.3f", x);
    if (text[0] == '0')
        memmove(text, text + 1, strlen(text));
    return text;
}

const char *line_value(enum metric m, double x, char text[16])
{
    if (m == METRIC_VAL_ACC || !isfinite(x))
        return line_accuracy(x, text);
    snprintf(text, 16, fabs(x) < 1e4 ? "%.3f" : "%.2e", x);
    return text;
}

/* ---- the frame ---- */

bool frame_possible(FILE *f)
{
    const char *term = getenv("TERM");
    return isatty(fileno(f)) && term && term[0] && strcmp(term, "dumb") != 0;
}

void frame_init(struct frame *f, FILE *terminal)
{
    *f = (struct frame){.terminal = terminal, .color = text_color(terminal)};
}

void frame_free(struct frame *f)
{
    free(f->line_width);
    f->line_width = NULL;
}

bool frame_in_front(struct frame *f)
{
    pid_t front = tcgetpgrp(fileno(f->terminal));
    if (front <= 0 || front == getpgrp())
        return true;
    f->lines = 0;
    return false;
}

void frame_size(struct frame *f)
{
    struct winsize size;
    f->rows = 24;
    f->columns = 80;
    if (ioctl(fileno(f->terminal), TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
        return;
    f->columns = size.ws_col;
    if (size.ws_row > 0)
        f->rows = size.ws_row;
}

bool frame_begin(struct frame *f)
{
    frame_size(f);
    f->text = (struct text_buffer){0};
    f->out = text_stream(&f->text);
    if (!f->out)
        return false;
    /* The cursor goes to the start of the frame on the screen. One drawn when the terminal was
     * wider has wrapped: its rows are counted at the present width. */
    int rows = 0;
    for (int i = 0; i < f->lines; i++)
        rows +=
            f->line_width[i] <= f->columns ? 1 : (f->line_width[i] + f->columns - 1) / f->columns;
    if (rows > 0)
        fprintf(f->out, "\r\033[%dA", rows);
    f->lines = 0;
    return true;
}

void frame_line(struct frame *f, const struct line *l, const char *color)
{
    int *more = array_grow(f->line_width, (size_t)f->lines, sizeof *more);
    if (!more)
        return;
    f->line_width = more;
    /* What stood there before is erased behind the text, not before it: no frame is ever blank. */
    fprintf(f->out, "%s%s%s\033[K\n", f->color ? color : "", l->text, f->color ? "\033[0m" : "");
    f->line_width[f->lines++] = l->columns;
}

static void write_out(struct frame *f)
{
    if (fclose(f->out) == 0) {
        fwrite(f->text.text, 1, f->text.used, f->terminal);
        fflush(f->terminal);
    }
    free(f->text.text);
    f->text = (struct text_buffer){0};
    f->out = NULL;
}

void frame_end(struct frame *f)
{
    fputs("\033[J", f->out);
    write_out(f);
}

void frame_replace(struct frame *f, const char *permanent)
{
    if (!frame_begin(f))
        return;
    fputs("\033[J", f->out);
    text_lines(f->out, permanent);
    write_out(f);
}

/* ---- what head counts have come to ---- */

enum { CELL = 32, GAP = 2, MORE = 10 };
static const char *const titles[METRICS][HEADS_ROWS] = {
    [METRIC_VAL_ACC] = {" heads", " done", " val acc", " running"},
    [METRIC_VAL_LOSS] = {" heads", " done", " val loss", " running"},
};

static void cell_text(enum metric metric, const struct head_counts *h, long running, int row,
                      char text[CELL])
{
    char value[16];
    switch (row) {
    case 0:
        snprintf(text, CELL, "%lld", (long long)h->heads);
        return;
    case 1:
        snprintf(text, CELL, "%ld/%ld", h->ended, h->planned);
        return;
    case 2:
        snprintf(text, CELL, "%s", line_value(metric, h->mean, value));
        return;
    default:
        snprintf(text, CELL, running > 0 ? "%ld" : "-", running);
    }
}

static int widest(enum metric metric, const struct head_counts *list, const long *running,
                  int count)
{
    int most = 5; /* as for 1.000: columns do not move as accuracies come in */
    char text[CELL];
    for (int i = 0; i < count; i++)
        for (int row = 0; row < HEADS_ROWS; row++) {
            cell_text(metric, &list[i], running[i], row, text);
            most = (int)strlen(text) > most ? (int)strlen(text) : most;
        }
    return most;
}

/* The first of `shown` neighbours among which the first that runs stands in the middle. */
static int window(const long *running, int count, int shown)
{
    int first = 0;
    while (first < count && running[first] == 0)
        first++;
    first = first < count ? first - shown / 2 : 0;
    return first < 0 ? 0 : first > count - shown ? count - shown : first;
}

static int title_columns(enum metric metric)
{
    return (int)strlen(titles[metric][2]); /* the longest */
}

int heads_layout(enum metric metric, const struct head_counts *list, const long *running, int count,
                 int columns, int rows, struct line lines[HEADS_LINES])
{
    int title = title_columns(metric), cell = widest(metric, list, running, count) + GAP;
    int in_block = (columns - title) / cell;
    int blocks = (rows < HEADS_LINES ? rows : HEADS_LINES) / HEADS_ROWS;
    if (count == 0 || in_block < 1 || blocks < 1)
        return 0;
    int shown = count;
    if (in_block * blocks < count) { /* the last block has to say so */
        shown = in_block * blocks - (MORE + cell - 1) / cell;
        if (shown < 1)
            return 0;
    }
    int first = window(running, count, shown), n = 0;
    for (int from = 0; from < shown; from += in_block)
        for (int row = 0; row < HEADS_ROWS; row++) {
            struct line *l = &lines[n++];
            line_clear(l);
            line_add(l, "%-*s", title, titles[metric][row]);
            for (int i = from; i < from + in_block && i < shown; i++) {
                char text[CELL];
                cell_text(metric, &list[first + i], running[first + i], row, text);
                line_add(l, "%*s", cell, text);
            }
            if (row == 0 && from + in_block >= shown && shown < count)
                line_add(l, "  +%d more", count - shown);
            line_cut(l, columns);
        }
    return n;
}
