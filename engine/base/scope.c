#include "engine/base/scope.h"

#include <stdio.h>
#include <stdlib.h>

struct scope *scope_new(struct store *s, const char *what, struct message *m)
{
    struct scope *x = calloc(1, sizeof *x);
    if (!x) {
        status_no_memory(m, what);
        return NULL;
    }
    x->store = s;
    x->what = what;
    x->message = m;
    arena_init(&x->arena, &x->left);
    return x;
}

enum status scope_left(struct scope *x)
{
    if (!x)
        return STATUS_NO_MEMORY;
    enum status status = x->arena.ran_out ? status_no_memory(x->message, x->what) : x->status;
    x->arena.ran_out = false;
    x->status = STATUS_OK;
    return status;
}

enum status scope_end(struct scope *x)
{
    enum status status = scope_left(x);
    if (x)
        arena_free(&x->arena);
    free(x);
    return status;
}

void scope_leave(struct scope *x, enum status status)
{
    x->status = status;
    longjmp(x->left, 1);
}

void scope_check(struct scope *x, enum status status)
{
    if (status != STATUS_OK)
        scope_leave(x, status);
}

void scope_fail(struct scope *x, enum status status, const char *format, ...)
{
    if (x->message) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(x->message->text, sizeof x->message->text, format, arguments);
        va_end(arguments);
    }
    scope_leave(x, status);
}

struct text_buffer scope_text(struct scope *x)
{
    return (struct text_buffer){.arena = &x->arena};
}

char *scope_vprint(struct scope *x, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    char *text = arena_alloc(&x->arena, (size_t)size, 1);
    vsnprintf(text, (size_t)size, format, arguments);
    return text;
}

char *scope_print(struct scope *x, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = scope_vprint(x, format, arguments);
    va_end(arguments);
    return text;
}

struct stream {
    struct text_buffer text; /* not the arena's: closing may add to it */
    FILE *f;
};

static void close_stream(void *stream)
{
    struct stream *s = stream;
    if (s->f)
        fclose(s->f);
    free(s->text.text);
}

FILE *scope_text_stream(struct scope *x, struct text_buffer **text)
{
    struct stream *s = arena_alloc(&x->arena, 1, sizeof *s);
    arena_on_free(&x->arena, close_stream, s);
    *text = &s->text;
    s->f = text_stream(&s->text);
    if (!s->f)
        scope_check(x, status_no_memory(x->message, x->what));
    return s->f;
}
