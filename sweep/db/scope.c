#include "sweep/db/scope.h"

#include <stdarg.h>
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

enum status scope_end(struct scope *x)
{
    if (!x)
        return STATUS_NO_MEMORY;
    bool ran_out = x->arena.ran_out;
    arena_free(&x->arena);
    while (x->snapshots > 0)
        scope_read_end(x);
    enum status status = ran_out ? status_no_memory(x->message, x->what) : x->status;
    free(x);
    return status;
}

void scope_check(struct scope *x, enum status status)
{
    if (status == STATUS_OK)
        return;
    x->status = status;
    longjmp(x->left, 1);
}

void scope_fail(struct scope *x, enum status status, const char *format, ...)
{
    if (x->message) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(x->message->text, sizeof x->message->text, format, arguments);
        va_end(arguments);
    }
    x->status = status;
    longjmp(x->left, 1);
}

struct text_buffer scope_text(struct scope *x)
{
    return (struct text_buffer){.arena = &x->arena};
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

/* ---- reading ---- */

void scope_read_begin(struct scope *x)
{
    scope_check(x, store_snapshot(x->store, x->message));
    x->snapshots++;
}

void scope_read_end(struct scope *x)
{
    store_snapshot_end(x->store);
    x->snapshots--;
}

static void close_rows(void *rows)
{
    rows_close(rows);
}

static struct rows *new_rows(struct scope *x)
{
    struct rows *r = arena_alloc(&x->arena, 1, sizeof *r);
    arena_on_free(&x->arena, close_rows, r);
    return r;
}

struct rows *scope_rows(struct scope *x, const char *sql, const struct value *values, int count)
{
    struct rows *r = new_rows(x);
    *r = rows_open(x->store, x->message, sql, values, count);
    return r;
}

struct rows *scope_rows_of_sweep(struct scope *x, const char *sql, const struct value *values,
                                 int count)
{
    struct rows *r = new_rows(x);
    *r = rows_of_sweep(x->store, x->message, sql, values, count);
    return r;
}

bool scope_next(struct scope *x, struct rows *r)
{
    if (rows_next(r))
        return true;
    scope_close(x, r);
    return false;
}

void scope_close(struct scope *x, struct rows *r)
{
    scope_check(x, rows_close(r));
}

int64_t scope_ask(struct scope *x, const char *sql, const struct value *values, int count)
{
    int64_t answer = 0;
    scope_check(x, rows_ask(x->store, x->message, sql, values, count, &answer));
    return answer;
}

char *scope_column(struct scope *x, const struct rows *r, int i)
{
    const char *text = rows_text(r, i);
    return arena_string(&x->arena, text ? text : "");
}

char *scope_given(struct scope *x, struct rows *r, int i)
{
    return arena_string(&x->arena, rows_given(r, i));
}
