#include "engine/base/json_write.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/utf8.h"

static void put_bytes(struct json_writer *w, const char *bytes, size_t size)
{
    if (w->out)
        fwrite(bytes, 1, size, w->out);
    else
        text_add_bytes(w->text, bytes, size);
}

static void put(struct json_writer *w, const char *text)
{
    put_bytes(w, text, strlen(text));
}

/* Whether a character stands for itself in a string, as nearly all do. */
static bool is_plain(char c)
{
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* Writes text, of which '"' and '\' have a meaning where it is JSON already: between its strings
 * control characters are white space. */
static void put_escaped(struct json_writer *w, const char *text, bool json)
{
    static const char letters[] = "\"\\bfnrt", meanings[] = "\"\\\b\f\n\r\t";
    const unsigned char *p = (const unsigned char *)text, *end = p + strlen(text), *run = p;
    bool inside = false; /* ... a string of JSON */
    for (int n; p < end; p += n ? n : 1) {
        char piece[16] = "\xEF\xBF\xBD"; /* U+FFFD */
        uint32_t code;
        if (is_plain((char)*p)) {
            n = 1;
            continue;
        }
        if (json && *p == '\\' && (p[1] == '"' || p[1] == '\\')) {
            n = 2;
            continue;
        }
        inside = inside != (json && *p == '"');
        n = utf8_decode(p, end, &code);
        bool marks = n == 1 && !json && (code == '"' || code == '\\');
        if (n > 0 && !marks && !utf8_is_control(code))
            continue;
        const char *named = n == 1 && !json ? strchr(meanings, (int)code) : NULL;
        if (named)
            snprintf(piece, sizeof piece, "\\%c", letters[named - meanings]);
        else if (json && !inside)
            snprintf(piece, sizeof piece, " ");
        else if (n > 0)
            snprintf(piece, sizeof piece, "\\u%04x", (unsigned)code);
        put_bytes(w, (const char *)run, (size_t)(p - run));
        put(w, piece);
        run = p + (n ? n : 1);
    }
    put_bytes(w, (const char *)run, (size_t)(p - run));
}

/* Text as a string between two others of at most 4 bytes: at once where it is short and plain, as
 * keys are. */
static void put_string(struct json_writer *w, const char *before, const char *text,
                       const char *after)
{
    char line[128], *p = stpcpy(line, before);
    *p++ = '"';
    while (is_plain(*text) && p < line + sizeof line - 8)
        *p++ = *text++;
    if (*text) {
        put_bytes(w, line, (size_t)(p - line));
        put_escaped(w, text, false);
        p = line;
    }
    *p++ = '"';
    p = stpcpy(p, after);
    put_bytes(w, line, (size_t)(p - line));
}

void json_add_key(struct json_writer *w, const char *key)
{
    const char *comma = !w->further ? "" : w->spaced ? ", " : ",";
    w->further = true;
    if (key)
        put_string(w, comma, key, w->spaced ? ": " : ":");
    else
        put(w, comma);
}

void json_new_line(struct json_writer *w, int indent)
{
    char line[32];
    snprintf(line, sizeof line, "%s\n%*s", w->further ? "," : "", indent, "");
    put(w, line);
    w->further = false;
}

static void begin(struct json_writer *w, const char *key, const char *bracket)
{
    json_add_key(w, key);
    put(w, bracket);
    w->further = false;
}

static void end(struct json_writer *w, const char *bracket)
{
    put(w, bracket);
    w->further = true;
}

void json_begin_object(struct json_writer *w, const char *key)
{
    begin(w, key, "{");
}

void json_end_object(struct json_writer *w)
{
    end(w, "}");
}

void json_begin_list(struct json_writer *w, const char *key)
{
    begin(w, key, "[");
}

void json_end_list(struct json_writer *w)
{
    end(w, "]");
}

static void add(struct json_writer *w, const char *key, const char *value)
{
    json_add_key(w, key);
    put(w, value);
}

void json_add_text(struct json_writer *w, const char *key, const char *text)
{
    json_add_key(w, key);
    if (text)
        put_string(w, "", text, "");
    else
        put(w, "null");
}

void json_add_integer(struct json_writer *w, const char *key, int64_t n)
{
    char digits[24], *p = digits + sizeof digits - 1;
    uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
    *p = '\0';
    do
        *--p = (char)('0' + left % 10);
    while (left /= 10);
    if (n < 0)
        *--p = '-';
    add(w, key, p);
}

void json_add_nonzero(struct json_writer *w, const char *key, int64_t n)
{
    if (n)
        json_add_integer(w, key, n);
    else
        json_add_null(w, key);
}

void json_add_bool(struct json_writer *w, const char *key, bool flag)
{
    add(w, key, flag ? "true" : "false");
}

void json_add_null(struct json_writer *w, const char *key)
{
    add(w, key, "null");
}

void json_add_real(struct json_writer *w, const char *key, double x)
{
    char text[32];
    add(w, key, isfinite(x) && number_format(x, text, sizeof text) > 0 ? text : "null");
}

void json_add_digits(struct json_writer *w, const char *key, double x, int digits)
{
    char text[32];
    snprintf(text, sizeof text, "%.*g", digits, x);
    add(w, key, isfinite(x) ? text : "null");
}

void json_add_json(struct json_writer *w, const char *key, const char *json)
{
    json_add_key(w, key);
    put_escaped(w, json ? json : "null", true);
}
