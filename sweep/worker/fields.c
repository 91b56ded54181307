#include "sweep/worker/fields.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool store_field(const struct field *f, const char *value, size_t length)
{
    if (f->text) {
        if (length >= f->size)
            return false;
        memcpy(f->text, value, length);
        f->text[length] = '\0';
        return true;
    }
    char number[64];
    if (length == 0 || length >= sizeof number)
        return false;
    memcpy(number, value, length);
    number[length] = '\0';
    char *end;
    errno = 0;
    if (f->integer)
        *f->integer = strtoll(number, &end, 10);
    else
        *f->real = strtod(number, &end);
    return errno == 0 && *end == '\0';
}

enum status fields_parse(const char *text, const struct field *fields, int count, const char *what,
                         struct message *m)
{
    unsigned seen = 0;
    int line = 1;
    for (const char *at = text; *at; line++) {
        size_t length = strcspn(at, "\n");
        const char *equals = memchr(at, '=', length);
        size_t key = equals ? (size_t)(equals - at) : length;
        int i = 0;
        while (i < count && (strlen(fields[i].key) != key || memcmp(fields[i].key, at, key) != 0))
            i++;
        if (!equals || i == count || (seen & 1u << i) ||
            !store_field(&fields[i], equals + 1, length - key - 1))
            return status_fail(m, STATUS_BAD_INPUT,
                               "%s line %d is not one of its fields, once: %.*s", what, line,
                               (int)(length < 80 ? length : 80), at);
        seen |= 1u << i;
        at += length + (at[length] == '\n');
    }
    if (seen != (1u << count) - 1)
        return status_fail(m, STATUS_BAD_INPUT, "the %s is incomplete", what);
    return STATUS_OK;
}
