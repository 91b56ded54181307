#include "sweep/db/scope.h"

static void end_snapshots(void *scope)
{
    struct scope *x = scope;
    while (x->snapshots > 0)
        scope_read_end(x);
}

void scope_read_begin(struct scope *x)
{
    arena_on_free(&x->arena, end_snapshots, x);
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
