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
