#include "engine/base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status status_fail(struct message *m, enum status s, const char *format, ...)
{
    if (m) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(m->text, sizeof m->text, format, arguments);
        va_end(arguments);
    }
    return s;
}

enum status status_no_memory(struct message *m, const char *what)
{
    return status_fail(m, STATUS_NO_MEMORY, "no memory for %s", what);
}

enum status status_fail_within(struct message *m, enum status s, const char *format, ...)
{
    if (m) {
        struct message inner = *m;
        va_list arguments;
        va_start(arguments, format);
        int n = vsnprintf(m->text, sizeof m->text, format, arguments);
        va_end(arguments);
        size_t used = n < 0 ? 0 : (size_t)n;
        if (used < sizeof m->text - 1) {
            size_t length = strnlen(inner.text, sizeof m->text - 1 - used);
            memcpy(m->text + used, inner.text, length);
            m->text[used + length] = '\0';
        }
    }
    return s;
}

enum status status_of_errno(int error_number)
{
    switch (error_number) {
    case ENOSPC:
    case EDQUOT:
        return STATUS_DISK_FULL;
    case ENOMEM:
        return STATUS_NO_MEMORY;
    default:
        return STATUS_IO;
    }
}
