#include "sweep/run/progress_line.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"

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
