/* The memory of what is computed from a results file, and the way out of it. A report reads much,
 * builds much from that, writes, and is done: nothing within it returns a status or frees anything.
 * What it builds is of one arena; at the first error, and where memory runs out, the scope is left.
 *
 *     struct scope *x = scope_new(s, "the report", m);
 *     if (scope_enter(x))
 *         write_report(x, sweep_id);
 *     return scope_end(x);
 *
 * That is the edge of evidence/, report/ and the tables of cli/: a function that is called from
 * elsewhere and returns a status. `serve` ends a scope with each answer. */
#ifndef SWEEP_DB_SCOPE_H
#define SWEEP_DB_SCOPE_H

#include <setjmp.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "sweep/db/rows.h"

struct scope {
    struct arena arena;
    struct store *store; /* NULL where none is read */
    struct message *message;
    enum status status; /* why it was left */
    const char *what;   /* memory is for: "the report" */
    int snapshots;      /* that are open */
    jmp_buf left;
};

/* NULL where there is no memory, which m says. what and m are kept. */
struct scope *scope_new(struct store *s, const char *what, struct message *m);
/* True; when the scope is left, the same expression is false. The function that has it must not
 * return before the work is done. */
#define scope_enter(x) ((x) && setjmp((x)->left) == 0)
/* Frees everything (arena_on_free is for what is no memory) and says why the scope was left; OK: it
 * was not. NULL: NO_MEMORY. */
enum status scope_end(struct scope *x);

/* Leaves the scope unless status is OK; who returned it has filled x->message. */
void scope_check(struct scope *x, enum status status);
_Noreturn void scope_fail(struct scope *x, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A text to be put together, in the scope's memory. */
struct text_buffer scope_text(struct scope *x);

/* A stream into a text, which is whole once that is flushed. Both end with the scope. */
FILE *scope_text_stream(struct scope *x, struct text_buffer **text);

/* One state of the results file for all that is read until scope_read_end. */
void scope_read_begin(struct scope *x);
void scope_read_end(struct scope *x);

/* As rows_open and rows_of_sweep. */
struct rows *scope_rows(struct scope *x, const char *sql, const struct value *values, int count);
struct rows *scope_rows_of_sweep(struct scope *x, const char *sql, const struct value *values,
                                 int count);
/* Advances to the next row. False at the end: then the rows are closed. */
bool scope_next(struct scope *x, struct rows *r);
/* Closes rows that are not read to the end, or were read with rows_next. */
void scope_close(struct scope *x, struct rows *r);
/* As rows_ask. */
int64_t scope_ask(struct scope *x, const char *sql, const struct value *values, int count);

/* A copy of column i, "" for NULL; of one that is never NULL. */
char *scope_column(struct scope *x, const struct rows *r, int i);
char *scope_given(struct scope *x, struct rows *r, int i);

#endif
