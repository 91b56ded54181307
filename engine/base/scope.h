/* The memory of what is built together, and the way out of building it: nothing within it returns a
 * status or frees anything. What it builds is of one arena; at the first error, and where memory
 * runs out, the scope is left.
 *
 *     struct scope *x = scope_new(NULL, "the plan", m);
 *     if (scope_enter(x))
 *         build(x);
 *     return scope_end(x);
 *
 * That is the edge: a function that is called from elsewhere and returns a status. What is built to
 * last keeps its scope, which it ends when it is freed; scope_left instead of scope_end says how
 * building went. sweep/db/scope.h reads results files in a scope. */
#ifndef ENGINE_BASE_SCOPE_H
#define ENGINE_BASE_SCOPE_H

#include <setjmp.h>
#include <stdarg.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"

struct store;
struct rows;

struct scope {
    struct arena arena;
    struct store *store; /* sweep/db/scope.h; NULL where none is read */
    struct message *message;
    enum status status;  /* why it was left */
    const char *what;    /* memory is for: "the report" */
    int snapshots;       /* of the store, that are open */
    struct rows *closed; /* of the store, to be used again */
    bool changing;       /* the store: scope_commit ends it */
    jmp_buf left;
};

/* NULL where there is no memory, which m says. what and m are kept. */
struct scope *scope_new(struct store *s, const char *what, struct message *m);
/* True; when the scope is left, the same expression is false. The function that has it must not
 * return before the work is done. */
#define scope_enter(x) ((x) && setjmp((x)->left) == 0)
/* Says why the scope was left; OK: it was not. What was built stays, and the scope can be entered
 * again, with another message if that is set. NULL: NO_MEMORY. */
enum status scope_left(struct scope *x);
/* The same, and frees everything (arena_on_free is for what is no memory). */
enum status scope_end(struct scope *x);

/* Leaves the scope; who returned the status has filled x->message. scope_check: unless it is OK. */
_Noreturn void scope_leave(struct scope *x, enum status status);
void scope_check(struct scope *x, enum status status);
_Noreturn void scope_fail(struct scope *x, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A text to be put together, in the scope's memory; one that is whole at once. */
struct text_buffer scope_text(struct scope *x);
char *scope_print(struct scope *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *scope_vprint(struct scope *x, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* A stream into a text, which is whole once that is flushed. Both end with the scope. */
FILE *scope_text_stream(struct scope *x, struct text_buffer **text);

#endif
