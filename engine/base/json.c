#include "engine/base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/utf8.h"

int64_t json_column(const struct json *j)
{
    int64_t column = 1;
    for (const unsigned char *p = j->start; p < j->next; p++)
        column += (*p & 0xc0) != 0x80;
    return column;
}

bool json_refuse(struct json *j, const char *what)
{
    if (j->line)
        status_fail(j->m, STATUS_CORRUPT, "%s, line %" PRId64 ", column %" PRId64 ": %s", j->place,
                    j->line, json_column(j), what);
    else
        status_fail(j->m, STATUS_CORRUPT, "%s, byte %zu: %s", j->place,
                    (size_t)(j->next - j->start) + j->offset, what);
    return false;
}

bool json_refuse_value(struct json *j, const char *expected)
{
    if (j->next < j->end && (*j->next == '{' || *j->next == '['))
        return json_refuse(j, "nested deeper than the format allows");
    char what[128];
    snprintf(what, sizeof what, "expected %s", expected);
    return json_refuse(j, what);
}

static void skip_space(struct json *j)
{
    while (j->next < j->end &&
           (*j->next == ' ' || *j->next == '\t' || *j->next == '\n' || *j->next == '\r'))
        j->next++;
}

bool json_take(struct json *j, char c)
{
    skip_space(j);
    if (j->next == j->end || *j->next != (unsigned char)c)
        return false;
    j->next++;
    return true;
}

bool json_expect(struct json *j, char c)
{
    const char expected[] = {c, '\0'};
    return json_take(j, c) || json_refuse_value(j, expected);
}

bool json_more(struct json *j, char close, bool *more)
{
    *more = json_take(j, ',');
    if (*more || json_take(j, close))
        return true;
    return json_refuse(j, close == '}' ? "expected , or }" : "expected , or ]");
}

static bool read_hex4(struct json *j, uint32_t *code)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    *code = 0;
    for (int i = 0; i < 4; i++, j->next++) {
        const char *d = j->next < j->end && *j->next ? strchr(digits, *j->next) : NULL;
        if (!d)
            return json_refuse(j, "\\u needs four hexadecimal digits");
        uint32_t value = (uint32_t)(d - digits);
        *code = *code << 4 | (value < 16 ? value : value - 6);
    }
    return true;
}

static void put_utf8(struct json *j, uint32_t code)
{
    static const uint32_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *j->text++ = (char)(lead[more] | code >> (6 * more));
    while (more-- > 0)
        *j->text++ = (char)(0x80 | (code >> (6 * more) & 0x3f));
}

/* What follows \u; with it a second \u that is the other half of a pair. */
static bool read_unicode_escape(struct json *j)
{
    uint32_t code, low;
    if (!read_hex4(j, &code))
        return false;
    if (code == 0)
        return json_refuse(j, "NUL in a string");
    if (code >= 0xd800 && code < 0xe000) {
        if (code >= 0xdc00 || j->end - j->next < 2 || memcmp(j->next, "\\u", 2) != 0)
            return json_refuse(j, "half a surrogate pair");
        j->next += 2;
        if (!read_hex4(j, &low))
            return false;
        if (low < 0xdc00 || low > 0xdfff)
            return json_refuse(j, "half a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    put_utf8(j, code);
    return true;
}

static bool read_escape(struct json *j)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    unsigned char c = j->next < j->end ? *j->next : 0;
    const char *found = c ? strchr(letters, c) : NULL;
    if (!found && c != 'u')
        return json_refuse(j, "unknown escape");
    j->next++;
    if (!found)
        return read_unicode_escape(j);
    *j->text++ = meanings[found - letters];
    return true;
}

bool json_string_start(struct json *j, size_t limit, const char **s)
{
    *s = j->text;
    if (!json_take(j, '"'))
        return json_refuse_value(j, "a string");
    while (j->next < j->end && *j->next != '"' && (size_t)(j->text - *s) < limit) {
        if (*j->next < 0x20)
            return json_refuse(j, "control character in a string");
        if (*j->next == '\\') {
            j->next++;
            if (!read_escape(j))
                return false;
            continue;
        }
        int n = utf8_decode(j->next, j->end, NULL);
        if (n == 0)
            return json_refuse(j, "not UTF-8");
        memcpy(j->text, j->next, (size_t)n);
        j->text += n;
        j->next += n;
    }
    if (j->next == j->end && (size_t)(j->text - *s) < limit)
        return json_refuse(j, "ends within a string");
    *j->text++ = '\0';
    return true;
}

bool json_string(struct json *j, const char **s)
{
    bool ok = json_string_start(j, SIZE_MAX, s);
    j->next += ok;
    return ok;
}

bool json_integer(struct json *j, int64_t *value)
{
    skip_space(j);
    const unsigned char *first = j->next;
    *value = 0;
    for (; j->next < j->end && *j->next >= '0' && *j->next <= '9'; j->next++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, *j->next - '0', value))
            return json_refuse(j, "number beyond 64 bits");
    if (j->next == first)
        return json_refuse_value(j, "a non-negative integer");
    if (*first == '0' && j->next - first > 1)
        return json_refuse(j, "number with a leading zero");
    if (j->next < j->end && (*j->next == '.' || *j->next == 'e' || *j->next == 'E'))
        return json_refuse(j, "only integers are allowed");
    return true;
}

static bool read_digits(struct json *j)
{
    const unsigned char *first = j->next;
    while (j->next < j->end && *j->next >= '0' && *j->next <= '9')
        j->next++;
    return j->next > first || json_refuse(j, "a number lacks a digit");
}

static bool take_either(struct json *j, char a, char b)
{
    if (j->next == j->end || (*j->next != (unsigned char)a && *j->next != (unsigned char)b))
        return false;
    j->next++;
    return true;
}

/* -? (0 | [1-9][0-9]*) (\. [0-9]+)? ([eE] [-+]? [0-9]+)? */
static bool read_number(struct json *j)
{
    take_either(j, '-', '-');
    const unsigned char *whole = j->next;
    if (!read_digits(j))
        return false;
    if (*whole == '0' && j->next - whole > 1)
        return json_refuse(j, "number with a leading zero");
    if (take_either(j, '.', '.') && !read_digits(j))
        return false;
    if (take_either(j, 'e', 'E')) {
        take_either(j, '+', '-');
        return read_digits(j);
    }
    return true;
}

static bool read_word(struct json *j)
{
    static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
    for (size_t i = 0; i < (j->not_finite ? 6 : 3); i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(j->end - j->next) >= n && memcmp(j->next, words[i], n) == 0) {
            j->next += n;
            return true;
        }
    }
    return json_refuse_value(j, "a string, number, true, false or null");
}

bool json_scalar(struct json *j, const char **text, bool *quoted)
{
    skip_space(j);
    *quoted = j->next < j->end && *j->next == '"';
    if (*quoted)
        return json_string(j, text);
    const unsigned char *first = j->next;
    bool number = j->next < j->end && (*j->next == '-' || (*j->next >= '0' && *j->next <= '9'));
    if (j->not_finite && j->end - first > 1 && memcmp(first, "-I", 2) == 0)
        number = false;
    *text = j->text;
    if (!(number ? read_number(j) : read_word(j)))
        return false;
    size_t n = (size_t)(j->next - first);
    memcpy(j->text, first, n);
    j->text[n] = '\0';
    j->text += n + 1;
    return true;
}

static bool skip_key(struct json *j)
{
    char *text = j->text;
    const char *key;
    bool ok = json_string(j, &key) && json_expect(j, ':');
    j->text = text;
    return ok;
}

static bool skip_scalar(struct json *j)
{
    char *text = j->text;
    const char *value;
    bool quoted;
    bool ok = json_scalar(j, &value, &quoted);
    j->text = text;
    return ok;
}

bool json_skip(struct json *j)
{
    char close[JSON_DEPTH];
    int depth = 0;
    do {
        char closes = json_take(j, '{') ? '}' : json_take(j, '[') ? ']' : '\0';
        if (closes && depth == JSON_DEPTH)
            return json_refuse(j, "nested deeper than the format allows");
        if (closes && !json_take(j, closes)) { /* it has a first part, which comes next */
            close[depth++] = closes;
            if (closes == '}' && !skip_key(j))
                return false;
            continue;
        }
        if (!closes && !skip_scalar(j))
            return false;
        bool more = false;
        while (depth > 0 && !more) { /* what ends with this value */
            if (!json_more(j, close[depth - 1], &more))
                return false;
            if (!more)
                depth--;
            else if (close[depth - 1] == '}' && !skip_key(j))
                return false;
        }
    } while (depth > 0);
    return true;
}

bool json_end(struct json *j)
{
    skip_space(j);
    return j->next == j->end || json_refuse(j, "something follows the end");
}

bool json_member(const struct json *object, const char *key, struct json *value)
{
    struct json j = *object;
    bool more = json_take(&j, '{') && !json_take(&j, '}');
    while (more) {
        const char *found;
        char *text = j.text;
        if (!json_string(&j, &found) || !json_expect(&j, ':'))
            return false;
        j.text = text;
        if (strcmp(found, key) == 0) {
            *value = j;
            return true;
        }
        if (!json_skip(&j) || !json_more(&j, '}', &more))
            return false;
    }
    return false;
}
