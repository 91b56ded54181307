#include "sweep/db/scope.h"

#include <string.h>

#include "sweep/db/store_internal.h"

struct scope *scope_of(struct store *s, struct message *m)
{
    return scope_new(s, s->path, m);
}

void scope_change(struct scope *x)
{
    scope_check(x, store_enter(x->store, x->message));
    x->changing = true;
}

enum status scope_commit(struct scope *x)
{
    if (!x || !x->changing)
        return scope_end(x);
    struct store *s = x->store;
    struct message *m = x->message;
    return store_leave(s, scope_end(x), m); /* whose rows are closed by then */
}

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
    struct rows *r = x->closed;
    if (r) {
        x->closed = r->next;
        return r;
    }
    r = arena_alloc(&x->arena, 1, sizeof *r);
    arena_on_free(&x->arena, close_rows, r);
    return r;
}

struct rows *scope_rows(struct scope *x, const char *sql, const struct value *values, int count)
{
    struct rows *r = new_rows(x);
    *r = rows_open(x->store, x->message, sql, values, count);
    return r;
}

struct rows *scope_query(struct scope *x, const char *doing, const char *sql,
                         const struct value *values, int count)
{
    struct rows *r = new_rows(x);
    *r = store_rows(x->store, doing, sql, values, count, x->message);
    return r;
}

/* A view takes no parameters. Its text does, as a common table expression: there `sweep`, from
 * which all of them start, is a table of one row. Nothing is run that the file holds. */
struct rows *scope_rows_of_sweep(struct scope *x, const char *sql, const struct value *values,
                                 int count)
{
    static const char create[] = "\nCREATE VIEW ", as[] = " AS\n", end[] = ";\n";
    struct text_buffer text = scope_text(x);
    text_add(&text, "WITH sweep AS NOT MATERIALIZED"
                    " (SELECT * FROM main.sweep WHERE sweep_id = ?1)");
    for (const char *name = store_schema; (name = strstr(name, create)) != NULL;) {
        name += strlen(create);
        const char *body = strstr(name, as);
        int length = (int)(body - name);
        body += strlen(as);
        text_add(&text, ", %.*s AS (%.*s)", length, name, (int)(strstr(body, end) - body), body);
    }
    text_add(&text, " %s", sql);
    return scope_rows(x, text.text, values, count);
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
    bool open = r->statement != NULL;
    scope_check(x, rows_close(r));
    if (open) {
        r->next = x->closed;
        x->closed = r;
    }
}

int64_t scope_ask(struct scope *x, const char *sql, const struct value *values, int count)
{
    int64_t answer = 0;
    scope_check(x, rows_ask(x->store, x->message, sql, values, count, &answer));
    return answer;
}

long scope_run(struct scope *x, const char *doing, const char *sql, const struct value *values,
               int count)
{
    long changed = 0;
    scope_check(x, store_execute(x->store, doing, sql, values, count, &changed, x->message));
    return changed;
}

void scope_script(struct scope *x, const char *doing, const char *sql)
{
    scope_check(x, store_script(x->store, doing, sql, x->message));
}

int64_t scope_number(struct scope *x, const char *doing, const char *sql,
                     const struct value *values, int count)
{
    int64_t number = 0;
    scope_check(x, store_integer(x->store, doing, sql, values, count, 0, &number, x->message));
    return number;
}

char *scope_string(struct scope *x, const char *doing, const char *sql, const struct value *values,
                   int count)
{
    struct rows *r = scope_query(x, doing, sql, values, count);
    char *text = scope_next(x, r) && !rows_null(r, 0) ? scope_given(x, r, 0) : NULL;
    scope_close(x, r);
    return text;
}

bool scope_find(struct scope *x, struct rows *r, const struct value *values, int count)
{
    rows_rebind(r, values, count);
    bool found = rows_next(r);
    scope_check(x, r->status);
    return found;
}

void scope_repeat(struct scope *x, struct rows *r, const struct value *values, int count)
{
    scope_check(x, store_repeat(r, values, count));
}

struct trial_span scope_trials(struct scope *x, int64_t sweep_id)
{
    struct trial_span span = {.count = 0};
    struct rows *r = scope_rows(
        x, "SELECT count(*), min(trial_id), max(trial_id) FROM trial WHERE sweep_id = ?1",
        VALUES(INTEGER(sweep_id)));
    while (scope_next(x, r))
        span = (struct trial_span){rows_integer(r, 0), rows_integer(r, 1), rows_integer(r, 2),
                                   .dense = rows_integer(r, 2) - rows_integer(r, 1) <
                                            2 * rows_integer(r, 0)};
    return span;
}

char *scope_column(struct scope *x, const struct rows *r, int i)
{
    const char *text = rows_text(r, i);
    return arena_string(&x->arena, text ? text : "");
}

char *scope_given(struct scope *x, struct rows *r, int i)
{
    const char *text = rows_given(r, i);
    scope_check(x, r->status);
    return arena_string(&x->arena, text);
}
