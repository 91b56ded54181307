/* Rows of a table, from one results file to another. */
#include "sweep/merge/merge_parts.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"

enum { COLUMNS_MAX = 128 };

struct columns {
    int count;
    char *name[COLUMNS_MAX];
};

static void free_columns(struct columns *c)
{
    for (int i = 0; i < c->count; i++)
        free(c->name[i]);
}

/* Whether `from` has the column too. */
static enum status look_for(struct merging *g, const char *table, const char *column, bool *has)
{
    int64_t there = 0;
    enum status status =
        store_integer(g->from, MERGING, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?",
                      VALUES(TEXT(table), TEXT(column)), 0, &there, g->m);
    *has = there != 0;
    return status;
}

static enum status list_columns(struct merging *g, const struct merge_table *t, struct columns *c)
{
    struct rows r = store_rows(
        g->into, MERGING,
        "SELECT name FROM pragma_table_info(?1)"
        " WHERE name NOT IN (SELECT value FROM json_each(?2))",
        VALUES(TEXT(t->to ? t->to : t->name), TEXT(t->without ? t->without : "[]")), g->m);
    while (rows_next(&r)) {
        bool has = false;
        r.status = look_for(g, t->name, rows_given(&r, 0), &has);
        if (!has)
            continue;
        if (c->count == COLUMNS_MAX)
            r.status =
                status_fail(g->m, STATUS_BAD_INPUT,
                            "%s: table %s has more than %d columns; so many cannot be merged",
                            g->from->path, t->name, COLUMNS_MAX);
        else if (!(c->name[c->count] = text_copy(rows_given(&r, 0))))
            r.status = status_fail(g->m, STATUS_NO_MEMORY, "no memory for a table's columns");
        else
            c->count++;
    }
    return rows_close(&r);
}

/* An expression with parameters in the place of columns. */
static void add_expression(struct text_buffer *b, const struct columns *c, const char *expression)
{
    for (const char *at = expression; *at; at++) {
        size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789_");
        int i = 0;
        if (*at != '@') {
            text_add(b, "%c", *at);
            continue;
        }
        while (i < c->count &&
               !(strlen(c->name[i]) == length && strncmp(c->name[i], at + 1, length) == 0))
            i++;
        text_add(b, "?%d", i + 1);
        at += length;
    }
}

static void add_values(struct text_buffer *b, const struct merge_table *t, const struct columns *c)
{
    for (int i = 0; i < c->count; i++) {
        const char *const *pair = t->values;
        while (pair && pair[0] && strcmp(pair[0], c->name[i]) != 0)
            pair += 2;
        text_add(b, "%s", i ? ", " : "");
        if (pair && pair[0])
            add_expression(b, c, pair[1]);
        else
            text_add(b, "?%d", i + 1);
    }
}

static void make_statements(const struct merge_table *t, const struct columns *c,
                            struct text_buffer *read, struct text_buffer *write)
{
    text_add(read, "SELECT ");
    text_add(write, "INSERT INTO %s (", t->to ? t->to : t->name);
    for (int i = 0; i < c->count; i++) {
        text_add(read, "%s\"%s\"", i ? ", " : "", c->name[i]);
        text_add(write, "%s\"%s\"", i ? ", " : "", c->name[i]);
    }
    text_add(read, " FROM %s %s", t->name, t->where ? t->where : "");
    text_add(write, ") SELECT ");
    add_values(write, t, c);
    text_add(write, " ");
    add_expression(write, c, t->tail ? t->tail : "");
}

static struct value value_of(const struct rows *r, int i)
{
    switch (rows_kind(r, i)) {
    case ROWS_INTEGER:
        return INTEGER(rows_integer(r, i));
    case ROWS_REAL:
        return REAL(rows_real(r, i));
    case ROWS_NULL:
    case ROWS_TEXT:
        break;
    }
    return TEXT(rows_text(r, i));
}

enum status merge_copy_open(struct merging *g, const struct merge_table *t, struct merge_copy *copy)
{
    struct text_buffer read = {0}, write = {0};
    struct columns c = {.count = 0};
    *copy = (struct merge_copy){.keyed = t->where != NULL};
    enum status status = list_columns(g, t, &c);
    make_statements(t, &c, &read, &write);
    if (status == STATUS_OK && (read.out_of_memory || write.out_of_memory))
        status = status_fail(g->m, STATUS_NO_MEMORY, "no memory for a statement");
    if (status == STATUS_OK) {
        copy->read = store_rows(g->from, MERGING, read.text, NO_VALUES, g->m);
        copy->write = store_rows(g->into, MERGING, write.text, NO_VALUES, g->m);
        status = copy->read.status == STATUS_OK ? copy->write.status : copy->read.status;
    }
    copy->columns = c.count;
    free(read.text);
    free(write.text);
    free_columns(&c);
    return status;
}

enum status merge_copy_run(struct merge_copy *copy, int64_t key)
{
    struct value values[COLUMNS_MAX];
    rows_rebind(&copy->read, &INTEGER(key), copy->keyed);
    while (copy->write.status == STATUS_OK && rows_next(&copy->read)) {
        for (int i = 0; i < copy->columns; i++)
            values[i] = value_of(&copy->read, i);
        store_repeat(&copy->write, values, copy->columns);
    }
    return copy->read.status == STATUS_OK ? copy->write.status : copy->read.status;
}

void merge_copy_close(struct merge_copy *copy)
{
    rows_close(&copy->read);
    rows_close(&copy->write);
}

enum status merge_rows(struct merging *g, const struct merge_table *t, int64_t key)
{
    struct merge_copy copy;
    enum status status = merge_copy_open(g, t, &copy);
    if (status == STATUS_OK)
        status = merge_copy_run(&copy, key);
    merge_copy_close(&copy);
    return status;
}
