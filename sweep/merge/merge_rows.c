/* Rows of a table, from one results file to another, by statements that are made of the table's own
 * columns and foreign keys. */
#include "sweep/merge/merge_parts.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"

/* What a column is to get in `into`; NULL: it is not said. */
static const char *given(const struct merge_table *t, const char *column)
{
    const char *const *pair = t->values;
    while (pair && pair[0] && strcmp(pair[0], column) != 0)
        pair += 2;
    return pair && pair[0] ? pair[1] : NULL;
}

static void add_value(struct text_buffer *values, const char *value, const char *column,
                      const char *parent)
{
    if (value)
        text_add(values, "%s", value);
    else if (parent)
        text_add(values, "(SELECT new FROM merge_%s WHERE old = @%s)", parent, column);
    else
        text_add(values, "@%s", column);
}

/* A key that is a number alone is given anew. */
static enum status make_write(struct merging *g, const struct merge_table *t,
                              struct text_buffer *write)
{
    static const char columns[] =
        "SELECT c.name, f.\"table\", pk = 1 AND type = 'INTEGER' AND"
        "  (SELECT max(pk) FROM pragma_table_info(?1)) = 1"
        " FROM pragma_table_info(?1) AS c LEFT JOIN pragma_foreign_key_list(?2) AS f"
        "  ON f.\"from\" = c.name WHERE c.name IN (SELECT value FROM json_each(?3))"
        "  AND (c.name IN (SELECT value FROM json_each(?4))) = ?5";
    enum { COLUMN, PARENT, NUMBER };
    const char *to = t->to ? t->to : t->name;
    struct text_buffer names = {0}, values = {0};
    char *theirs = NULL;
    enum status status =
        store_text(g->from, MERGING, "SELECT json_group_array(name) FROM pragma_table_info(?)",
                   VALUES(TEXT(t->name)), &theirs, g->m);
    if (status != STATUS_OK)
        return status;
    struct rows r = store_rows(g->into, MERGING, columns,
                               VALUES(TEXT(to), TEXT(t->name), TEXT(theirs),
                                      TEXT(t->columns ? t->columns : "[]"), INTEGER(t->only)),
                               g->m);
    while (rows_next(&r)) {
        const char *between = names.used ? ", " : "", *column = rows_given(&r, COLUMN);
        const char *value = given(t, column);
        if (rows_integer(&r, NUMBER) && !value)
            continue;
        text_add(&names, "%s\"%s\"", between, column);
        text_add(&values, "%s", between);
        add_value(&values, value, column, rows_text(&r, PARENT));
    }
    if (names.out_of_memory || values.out_of_memory)
        r.status = status_no_memory(g->m, "a statement");
    else if (r.status == STATUS_OK)
        text_add(write,
                 t->update ? "UPDATE %s SET (%s) = (%s) %s" : "INSERT INTO %s (%s) SELECT %s %s",
                 to, names.text, values.text, t->tail ? t->tail : "");
    free(names.text);
    free(values.text);
    free(theirs);
    return rows_close(&r);
}

/* The columns that the other statement names. */
static void make_read(const struct merge_table *t, sqlite3_stmt *write, struct text_buffer *read)
{
    text_add(read, "SELECT ");
    for (int i = 1; i <= sqlite3_bind_parameter_count(write); i++)
        text_add(read, "%s\"%s\"", i > 1 ? ", " : "", sqlite3_bind_parameter_name(write, i) + 1);
    text_add(read, " FROM %s %s", t->name, t->where ? t->where : "");
}

enum status merge_copy_open(struct merging *g, const struct merge_table *t, struct merge_copy *copy)
{
    struct text_buffer read = {0}, write = {0};
    *copy = (struct merge_copy){.keyed = t->where && strstr(t->where, "?1")};
    enum status status = STATUS_OK;
    if (t->write)
        text_add(&write, "%s", t->write);
    else
        status = make_write(g, t, &write);
    if (status == STATUS_OK && !write.out_of_memory) {
        copy->write = store_rows(g->into, MERGING, write.text, NO_VALUES, g->m);
        status = copy->write.status;
        if (status == STATUS_OK)
            make_read(t, copy->write.statement, &read);
    }
    if (status == STATUS_OK && (read.out_of_memory || write.out_of_memory))
        status = status_no_memory(g->m, "a statement");
    if (status == STATUS_OK) {
        copy->read = store_rows(g->from, MERGING, read.text, NO_VALUES, g->m);
        status = copy->read.status;
    }
    free(read.text);
    free(write.text);
    return status;
}

enum status merge_copy_run(struct merge_copy *copy, int64_t key)
{
    rows_rebind(&copy->read, &INTEGER(key), copy->keyed);
    while (copy->write.status == STATUS_OK && rows_next(&copy->read))
        store_repeat_row(&copy->write, &copy->read);
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
