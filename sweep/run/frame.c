#include "sweep/run/frame.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/base/array.h"

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
