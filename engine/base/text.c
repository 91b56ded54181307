#include "engine/base/text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/option.h"

void text_add(struct text_buffer *b, const char *format, ...)
{
    for (int attempt = 0; attempt < 2 && !b->out_of_memory; attempt++) {
        va_list arguments;
        va_start(arguments, format);
        size_t room = b->capacity - b->used;
        int n = vsnprintf(b->text ? b->text + b->used : NULL, room, format, arguments);
        va_end(arguments);
        if (n >= 0 && (size_t)n < room) {
            b->used += (size_t)n;
            return;
        }
        size_t capacity = 2 * b->capacity + (size_t)(n < 0 ? 0 : n) + 256;
        char *grown = n < 0 ? NULL : realloc(b->text, capacity);
        if (grown) {
            b->text = grown;
            b->capacity = capacity;
        }
        b->out_of_memory = !grown;
    }
}

enum status text_check(FILE *out, struct message *m)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out))
        return STATUS_OK;
    if (errno == 0)
        errno = EIO; /* the error happened at an earlier write, which said nothing of its kind */
    return status_fail(m, status_of_errno(errno), "cannot write the output: %s", strerror(errno));
}

static bool is_continuation(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += !is_continuation((unsigned char)*text);
    return width;
}

/* C0 and C1 (U+0080 to U+009F) control characters. */
static void put_plain(FILE *out, const char *text, size_t size)
{
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < size; i++) {
        bool c1 = s[i] == 0xC2 && i + 1 < size && s[i + 1] >= 0x80 && s[i + 1] <= 0x9F;
        fputc(s[i] < 0x20 || s[i] == 0x7F || c1 ? '?' : s[i], out);
        i += c1;
    }
}

void text_plain(FILE *out, const char *text)
{
    put_plain(out, text, strlen(text));
}

static int word_width(const char *word, size_t size)
{
    int width = 0;
    for (size_t i = 0; i < size; i++)
        width += !is_continuation((unsigned char)word[i]);
    return width;
}

void text_paragraph(FILE *out, const char *text, int first, int rest, int width)
{
    int column = fprintf(out, "%*s", first, "");
    bool line_empty = true;
    for (const char *word = text + strspn(text, " "); *word;) {
        size_t size = strcspn(word, " ");
        int columns = word_width(word, size);
        if (!line_empty && column + 1 + columns > width) {
            fprintf(out, "\n%*s", rest, "");
            column = rest;
            line_empty = true;
        }
        if (!line_empty) {
            fputc(' ', out);
            column++;
        }
        put_plain(out, word, size);
        column += columns;
        line_empty = false;
        word += size;
        word += strspn(word, " ");
    }
    fputc('\n', out);
}

/* Bytes of the UTF-8 sequence at s, 0 if it is not one (Unicode 15, table 3-7: no overlong forms,
 * no surrogates, nothing above U+10FFFF). */
static size_t utf8_size(const unsigned char *s)
{
    unsigned char low = 0x80, high = 0xBF;
    size_t size;
    if (s[0] < 0x80)
        return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF) {
        size = 2;
    } else if (s[0] >= 0xE0 && s[0] <= 0xEF) {
        size = 3;
        low = s[0] == 0xE0 ? 0xA0 : low;
        high = s[0] == 0xED ? 0x9F : high;
    } else if (s[0] >= 0xF0 && s[0] <= 0xF4) {
        size = 4;
        low = s[0] == 0xF0 ? 0x90 : low;
        high = s[0] == 0xF4 ? 0x8F : high;
    } else {
        return 0;
    }
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < size; i++)
        if (!is_continuation(s[i]))
            return 0;
    return size;
}

void text_json(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t size = utf8_size(s);
        const char *name = strchr("\bb\ff\nn\rr\tt", *s);
        if (size == 0)
            fputs("\xEF\xBF\xBD", out);
        else if (size > 1)
            fwrite(s, 1, size, out);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s < 0x20 && name)
            fprintf(out, "\\%c", name[1]);
        else if (*s < 0x20 || *s == 0x7F)
            fprintf(out, "\\u%04x", *s);
        else
            fputc(*s, out);
        s += size ? size : 1;
    }
    fputc('"', out);
}

void text_json_real(FILE *out, double x)
{
    char text[32];
    if (isfinite(x) && number_format(x, text, sizeof text) > 0)
        fputs(text, out);
    else
        fputs("null", out);
}

/* The cell that x falls into; what is beyond the scale is cut. */
static int cell_of(double x, int cells)
{
    int cell = (int)floor(x * cells);
    return cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
}

void text_dot_plot(double mean, double low, double high, int cells, char text[DOT_PLOT_SIZE])
{
    text[0] = '\0';
    if (cells < 3 || cells > DOT_PLOT_CELLS)
        return;
    bool interval = isfinite(low) && isfinite(high);
    int dot = isfinite(mean) ? cell_of(mean, cells) : -1;
    int left = interval ? cell_of(low, cells) : dot;
    int right = interval ? cell_of(high, cells) : dot;
    char *end = text;
    for (int i = 0; i <= right || i <= dot; i++) {
        const char *glyph = " ";
        if (i == dot)
            glyph = "●";
        else if (i == left && i < dot)
            glyph = "├";
        else if (i == right && i > dot)
            glyph = "┤";
        else if (i > left && i < right)
            glyph = "─";
        end = stpcpy(end, glyph);
    }
}

bool text_color(FILE *f)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (no_color && no_color[0])
        return false;
    return term && strcmp(term, "dumb") != 0 && isatty(fileno(f));
}

const char *text_duration(double seconds, char *text, size_t size)
{
    if (seconds < 0.0)
        seconds = 0.0;
    if (seconds < 9.95) {
        snprintf(text, size, "%.1f s", seconds);
        return text;
    }
    if (seconds >= 1e9) {
        snprintf(text, size, "%.2g years", seconds / (365.25 * 86400.0));
        return text;
    }
    long s = (long)(seconds + 0.5);
    if (s < 60)
        snprintf(text, size, "%ld s", s);
    else if (s < 3600)
        snprintf(text, size, "%ld min %ld s", s / 60, s % 60);
    else if (s < 86400)
        snprintf(text, size, "%ld h %ld min", s / 3600, s % 3600 / 60);
    else
        snprintf(text, size, "%ld d %ld h", s / 86400, s % 86400 / 3600);
    return text;
}

const char *text_quantity(double x, char *text, size_t size)
{
    static const char *const unit[] = {"", " k", " M", " G", " T", " P", " E"};
    size_t u = 0;
    while (x >= 999.5 && u + 1 < sizeof unit / sizeof unit[0]) {
        x /= 1000.0;
        u++;
    }
    snprintf(text, size,
             x < 9.995 && u > 0   ? "%.2f%s"
             : x < 99.95 && u > 0 ? "%.1f%s"
                                  : "%.0f%s",
             x, unit[u]);
    return text;
}

const char *text_count(long long n, char *text, size_t size)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", n < 0 ? -n : n);
    size_t used = 0;
    if (n < 0 && used + 1 < size)
        text[used++] = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && used + 1 < size)
            text[used++] = ',';
        if (used + 1 < size)
            text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}
