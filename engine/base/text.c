#include "engine/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/base/arena.h"
#include "engine/base/number.h"
#include "engine/base/utf8.h"

/* For so many bytes more, and the end. False where there is no memory (any more). */
static bool make_room(struct text_buffer *b, size_t size)
{
    if (b->out_of_memory || b->capacity - b->used > size)
        return !b->out_of_memory;
    size_t capacity = 2 * b->capacity + size + 256;
    char *grown = b->arena ? arena_alloc(b->arena, capacity, 1) : realloc(b->text, capacity);
    if (b->arena && b->text)
        memcpy(grown, b->text, b->used + 1);
    if (grown) {
        b->text = grown;
        b->capacity = capacity;
    }
    b->out_of_memory = !grown;
    return grown;
}

void text_add_bytes(struct text_buffer *b, const char *bytes, size_t size)
{
    if (!make_room(b, size))
        return;
    memcpy(b->text + b->used, bytes, size);
    b->used += size;
    b->text[b->used] = '\0';
}

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
        b->out_of_memory = n < 0 || !make_room(b, (size_t)n);
    }
}

/* As in `headcount tasks | head -3`: it has what it wanted. */
static bool reader_gone(FILE *out)
{
    struct pollfd p = {.fd = fileno(out), .events = POLLOUT};
    return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

char *text_copy(const char *text)
{
    return strdup(text ? text : "");
}

static ssize_t add_to_buffer(void *buffer, const char *text, size_t size)
{
    struct text_buffer *b = buffer;
    text_add_bytes(b, text, size);
    errno = b->out_of_memory ? ENOMEM : errno;
    return b->out_of_memory ? 0 : (ssize_t)size;
}

FILE *text_stream(struct text_buffer *b)
{
    return fopencookie(b, "w", (cookie_io_functions_t){.write = add_to_buffer});
}

enum status text_check(FILE *out, struct message *m)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out))
        return STATUS_OK;
    int error = errno ? errno : EIO; /* at an earlier write, which said nothing of its kind */
    if (error == EPIPE || reader_gone(out))
        return STATUS_OK;
    return status_fail(m, status_of_errno(error), "cannot write the output: %s", strerror(error));
}

/* How many bytes put_plain takes for a character, which it writes as so many columns. */
static int next_character(const unsigned char *p, const unsigned char *end, int *columns)
{
    uint32_t code;
    int n = utf8_decode(p, end, &code);
    *columns = n == 0 || utf8_is_control(code) ? 1 : utf8_columns(code);
    return n ? n : 1;
}

/* Columns that put_plain takes for it. */
static int width_of(const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + size;
    int width = 0, columns;
    for (; p < end; width += columns)
        p += next_character(p, end, &columns);
    return width;
}

int text_width(const char *text)
{
    return width_of(text, strlen(text));
}

size_t text_cut(const char *text, int columns)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text), *next;
    for (int own; p < end; p = next, columns -= own) {
        next = p + next_character(p, end, &own);
        if (own > columns)
            break;
    }
    return (size_t)(p - (const unsigned char *)text);
}

/* Writes one character for each: itself, or '?' for a byte that is no UTF-8 and for a control
 * character that is not among `kept`. */
static void put_plain(FILE *out, const char *text, size_t size, const char *kept)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + size;
    for (int n; p < end; p += n ? n : 1) {
        uint32_t code;
        n = utf8_decode(p, end, &code);
        if (n == 0 || (utf8_is_control(code) && !(code < 0x80 && strchr(kept, (int)code))))
            fputc('?', out);
        else
            fwrite(p, 1, (size_t)n, out);
    }
}

void text_plain(FILE *out, const char *text)
{
    put_plain(out, text, strlen(text), "");
}

void text_plain_part(FILE *out, const char *text, size_t size)
{
    put_plain(out, text, size, "");
}

void text_lines(FILE *out, const char *text)
{
    put_plain(out, text, strlen(text), "\n\t");
}

void text_print(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprint(out, format, arguments);
    va_end(arguments);
}

void text_vprint(FILE *out, const char *format, va_list arguments)
{
    char *text;
    int n = vasprintf(&text, format, arguments);
    if (n < 0) {
        text_lines(out, "(no memory)\n");
        return;
    }
    put_plain(out, text, (size_t)n, "\n\t");
    free(text);
}

/* The character at p, or its escape; returns the bytes that it takes in `shown`, at least 1. *n: of
 * the text. */
static size_t show_one(const unsigned char *p, const unsigned char *end, char shown[16], size_t *n)
{
    uint32_t code;
    *n = (size_t)utf8_decode(p, end, &code);
    if (*n > 0 && !utf8_is_invisible(code)) {
        memcpy(shown, p, *n);
        return *n;
    }
    const char letter = *n == 0 ? 'x' : code <= 0xffff ? 'u' : 'U';
    int digits = *n == 0 ? 2 : code <= 0xffff ? 4 : 8;
    *n += *n == 0;
    return (size_t)snprintf(shown, 16, "\\%c%0*" PRIx32, letter, digits, code);
}

const char *text_shown(const char *text, char *buffer, size_t size)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
    size_t used = 0, room = size - sizeof "...";
    char shown[16];
    for (size_t n; p < end; p += n) {
        size_t length = show_one(p, end, shown, &n);
        if (used + length > room)
            break;
        memcpy(buffer + used, shown, length);
        used += length;
    }
    snprintf(buffer + used, size - used, "%s", p < end ? "..." : "");
    return buffer;
}

const char *text_visible(const char *text, char *buffer, size_t size)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text);
    size_t used = 0;
    for (int n; p < end && used + 4 < size; p += n ? n : 1) {
        uint32_t code;
        n = utf8_decode(p, end, &code);
        if (n > 0 && !utf8_is_invisible(code)) {
            memcpy(buffer + used, p, (size_t)n);
            used += (size_t)n;
        }
    }
    for (; used > 0 && buffer[used - 1] == ' '; used--)
        ;
    buffer[used] = '\0';
    return buffer + strspn(buffer, " ");
}

void text_paragraph(FILE *out, const char *text, int first, int rest, int width)
{
    int column = fprintf(out, "%*s", first, "");
    bool line_empty = true;
    for (const char *word = text + strspn(text, " "); *word;) {
        size_t size = strcspn(word, " ");
        int columns = width_of(word, size);
        if (!line_empty && column + 1 + columns > width) {
            fprintf(out, "\n%*s", rest, "");
            column = rest;
            line_empty = true;
        }
        if (!line_empty) {
            fputc(' ', out);
            column++;
        }
        put_plain(out, word, size, "");
        column += columns;
        line_empty = false;
        word += size;
        word += strspn(word, " ");
    }
    fputc('\n', out);
}

void text_add_shell(struct text_buffer *b, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "%+,-./:=@_";
    if (text[0] && text[strspn(text, plain)] == '\0') {
        text_add(b, "%s", text);
        return;
    }
    text_add(b, "'");
    for (size_t run; *text; text += run) {
        run = *text == '\'' ? 1 : strcspn(text, "'");
        if (*text == '\'')
            text_add(b, "'\\''");
        else
            text_add(b, "%.*s", (int)run, text);
    }
    text_add(b, "'");
}

void text_json_real(FILE *out, double x)
{
    char text[32];
    bool finite = isfinite(x) && number_format(x, text, sizeof text) > 0;
    fputs(finite ? text : "null", out);
}

bool text_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && value[0])
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

bool text_color(FILE *f)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (no_color && no_color[0])
        return false;
    return term && strcmp(term, "dumb") != 0 && isatty(fileno(f));
}

struct text_page text_page(FILE *f)
{
    struct winsize size;
    struct text_page page = {.color = text_color(f)};
    if (ioctl(fileno(f), TIOCGWINSZ, &size) == 0)
        page.columns = size.ws_col;
    return page;
}

/* Drops the sign of nothing but zeros. */
static const char *without_sign_of_zero(char *text)
{
    size_t size = strlen(text);
    if ((text[0] == '-' || text[0] == '+') && strspn(text + 1, "0.") + 1 == size)
        memmove(text, text + 1, size);
    return text;
}

const char *text_fixed(double x, int decimals, char *text, size_t size)
{
    snprintf(text, size, "%.*f", decimals, x);
    return without_sign_of_zero(text);
}

const char *text_signed(double x, int decimals, char *text, size_t size)
{
    snprintf(text, size, "%+.*f", decimals, x);
    return without_sign_of_zero(text);
}

const char *text_duration(double seconds, char *text, size_t size)
{
    if (seconds < 0.0)
        seconds = 0.0;
    if (seconds >= 0.0005 && seconds < 0.0995) {
        snprintf(text, size, "%.0f ms", 1e3 * seconds);
        return text;
    }
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

const char *text_plural(long long n)
{
    return n == 1 ? "" : "s";
}

struct text_counted text_counted(long long n, const char *noun)
{
    struct text_counted c;
    snprintf(c.text, sizeof c.text, "%lld %s%s", n, noun, text_plural(n));
    return c;
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
