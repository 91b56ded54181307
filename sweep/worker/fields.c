#include "sweep/worker/fields.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without a line break. Returns the length, also where size does not suffice for it. */
static size_t write_text(const char *value, char *text, size_t size)
{
    size_t n = 0;
    for (; *value; value++) {
        bool escaped = *value == '\n' || *value == '\\';
        if (escaped && n < size)
            text[n] = '\\';
        n += escaped;
        if (n < size)
            text[n] = *value == '\n' ? 'n' : *value;
        n++;
    }
    return n;
}

static size_t write_value(const struct field *f, const void *at, char *text, size_t size)
{
    switch (f->type) {
    case FIELD_TEXT:
        return write_text(at, text, size);
    case FIELD_INTEGER:
        return (size_t)snprintf(text, size, "%" PRId64, *(const int64_t *)at);
    case FIELD_UNSIGNED:
        return (size_t)snprintf(text, size, "%" PRIu32, *(const uint32_t *)at);
    case FIELD_REAL:
        return (size_t)snprintf(text, size, "%.17g", *(const double *)at);
    case FIELD_FLAG:
        return (size_t)snprintf(text, size, "%d", *(const bool *)at);
    }
    return size;
}

int fields_format(const struct fields *f, const void *record, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < f->count; i++) {
        const struct field *field = &f->field[i];
        used += (size_t)snprintf(text + used, size - used, "%s=", field->key);
        if (used >= size)
            return -1;
        used += write_value(field, (const char *)record + field->offset, text + used, size - used);
        if (used + 1 >= size)
            return -1;
        text[used++] = '\n';
        text[used] = '\0';
    }
    return (int)used;
}

static bool read_text(const char *value, size_t length, char *to, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        char c = value[i];
        if (c == '\\') {
            if (++i == length || (value[i] != 'n' && value[i] != '\\'))
                return false;
            c = value[i] == 'n' ? '\n' : '\\';
        }
        if (n + 1 >= size)
            return false;
        to[n++] = c;
    }
    to[n] = '\0';
    return true;
}

static bool read_number(const struct field *f, const char *value, size_t length, void *to)
{
    char digits[64], *end;
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, value, length);
    digits[length] = '\0';
    errno = 0;
    if (f->type == FIELD_REAL) {
        double *real = to;
        *real = strtod(digits, &end);
        return *end == '\0' && !(errno == ERANGE && isinf(*real));
    }
    int64_t integer = strtoll(digits, &end, 10);
    int64_t most = f->type == FIELD_FLAG ? 1 : f->type == FIELD_UNSIGNED ? UINT32_MAX : INT64_MAX;
    if (f->type == FIELD_FLAG)
        *(bool *)to = integer != 0;
    else if (f->type == FIELD_UNSIGNED)
        *(uint32_t *)to = (uint32_t)integer;
    else
        *(int64_t *)to = integer;
    return *end == '\0' && errno == 0 && integer <= most &&
           (integer >= 0 || f->type == FIELD_INTEGER);
}

/* The field whose line this is; NULL where it is none. */
static const struct field *field_of(const struct fields *f, const char *line, size_t length)
{
    const char *equals = memchr(line, '=', length);
    for (int i = 0; equals && i < f->count; i++) {
        size_t key = (size_t)(equals - line);
        if (strlen(f->field[i].key) == key && memcmp(f->field[i].key, line, key) == 0)
            return &f->field[i];
    }
    return NULL;
}

/* From its line. */
static bool read_value(const struct field *f, const char *line, size_t length, void *record)
{
    size_t before = strlen(f->key) + 1;
    char *to = (char *)record + f->offset;
    return f->type == FIELD_TEXT ? read_text(line + before, length - before, to, f->size)
                                 : read_number(f, line + before, length - before, to);
}

enum status fields_parse_next(const struct fields *f, const char **text, void *record,
                              struct message *m)
{
    uint32_t seen = 0;
    memset(record, 0, f->size);
    for (int line = 1; line <= f->count; line++) {
        const char *at = *text;
        size_t length = strcspn(at, "\n");
        const struct field *field = field_of(f, at, length);
        uint32_t bit = field ? UINT32_C(1) << (field - f->field) : 0;
        if (!at[length])
            return status_fail(m, STATUS_BAD_INPUT, "the %s is incomplete", f->what);
        if (!field || (seen & bit) || !read_value(field, at, length, record))
            return status_fail(m, STATUS_BAD_INPUT,
                               "%s line %d is not one of its fields, once: %.*s", f->what, line,
                               (int)(length < 80 ? length : 80), at);
        seen |= bit;
        *text = at + length + 1;
    }
    return STATUS_OK;
}

enum status fields_parse(const struct fields *f, const char *text, void *record, struct message *m)
{
    enum status s = fields_parse_next(f, &text, record, m);
    if (s == STATUS_OK && *text)
        s = status_fail(m, STATUS_BAD_INPUT, "the %s has more lines than fields", f->what);
    return s;
}
