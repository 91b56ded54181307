#include "sweep/run/progress_line.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void line_clear(struct line *l)
{
    memset(l, 0, sizeof *l);
}

static int is_start(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80; /* of a character of UTF-8 */
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
    for (; l->size < end; l->size++)
        l->columns += is_start(l->text[l->size]);
}

/* Where the text's n-th character begins. */
static size_t character(const char *text, int n)
{
    size_t i = 0;
    for (; text[i]; i++)
        if (is_start(text[i]) && n-- == 0)
            break;
    return i;
}

void line_shorten(struct line *l, const char *text, int columns)
{
    int width = 0;
    for (const char *c = text; *c; c++)
        width += is_start(*c);
    if (width <= columns || columns < 4) {
        line_add(l, "%.*s", (int)character(text, columns), text);
        return;
    }
    int head = (columns - 2) / 2, tail = columns - 2 - head;
    line_add(l, "%.*s..%s", (int)character(text, head), text, text + character(text, width - tail));
}

void line_cut(struct line *l, int columns)
{
    int seen = 0;
    for (size_t i = 0; i < l->size; i++) {
        if (!is_start(l->text[i]))
            continue;
        if (seen == columns) {
            l->text[i] = '\0';
            l->size = i;
            l->columns = columns;
            return;
        }
        seen++;
    }
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
