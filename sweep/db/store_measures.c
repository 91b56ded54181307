/* Columns of measures that are younger than the file. */
#include "sweep/db/store_internal.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/measures/measure.h"

static const char DOING[] = "adding columns of measures";

enum { MEASURE_NAME_MAX = 60 };

static bool is_name(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n > 0 && !name[n] && n <= MEASURE_NAME_MAX && (*name < '0' || *name > '9') &&
           !sqlite3_keyword_check(name, (int)n);
}

/* Whether the table lacks the column. */
static enum status look_for(struct store *s, const char *table, const char *name, bool *lacks,
                            struct message *m)
{
    if (!is_name(name))
        return status_fail(m, STATUS_INTERNAL, "\"%s\" is no name for a column of measures", name);
    struct rows r = store_rows(s, DOING,
                               "SELECT type FROM pragma_table_info(?) WHERE name = ?"
                               " COLLATE NOCASE",
                               VALUES(TEXT(table), TEXT(name)), m);
    *lacks = !rows_next(&r);
    if (r.status == STATUS_OK && !*lacks && strcmp(rows_given(&r, 0), "REAL") != 0 &&
        r.status == STATUS_OK)
        r.status = status_fail(m, STATUS_BAD_INPUT,
                               "%s: table %s has a column \"%s\" of yours; a measure needs that "
                               "name. Give yours another one (sqlite3 %s 'ALTER TABLE %s RENAME "
                               "COLUMN %s TO NEW_NAME') and try again; nothing was changed",
                               s->path, table, name, s->path, table, name);
    return rows_close(&r);
}

/* Adds to two texts what is not there yet: statements that change the table, and the further
 * columns of a view upon it. */
static enum status name_missing(struct store *s, const char *table, const char *const *names,
                                int count, struct text_buffer *changes, struct text_buffer *columns,
                                struct message *m)
{
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < count; i++) {
        bool lacks = false;
        status = look_for(s, table, names[i], &lacks, m);
        if (status != STATUS_OK || !lacks)
            continue;
        text_add(changes, "ALTER TABLE %s ADD COLUMN %s REAL;", table, names[i]);
        text_add(columns, ", NULL AS %s", names[i]);
        if (changes->out_of_memory || columns->out_of_memory)
            status = status_no_memory(m, s->path);
    }
    return status;
}

static enum status change_table(struct store *s, const char *changes, struct message *m)
{
    enum status status = store_enter(s, m);
    return status == STATUS_OK ? store_leave(s, store_script(s, DOING, changes, m), m) : status;
}

/* Names of temporary tables and views come before those of the file. */
static enum status put_view_before(struct store *s, const char *table, const char *columns,
                                   struct message *m)
{
    struct text_buffer sql = {0};
    text_add(&sql, "CREATE TEMP VIEW %s AS SELECT *%s FROM main.%s", table, columns, table);
    enum status status =
        sql.out_of_memory ? status_no_memory(m, s->path) : store_script(s, DOING, sql.text, m);
    free(sql.text);
    return status;
}

enum status store_measure_columns(struct store *s, const char *table, const char *const *names,
                                  int count, struct message *m)
{
    struct text_buffer changes = {0}, columns = {0};
    enum status status = name_missing(s, table, names, count, &changes, &columns, m);
    if (status == STATUS_OK && changes.used > 0)
        status = s->mode == STORE_WRITE ? change_table(s, changes.text, m)
                                        : put_view_before(s, table, columns.text, m);
    free(changes.text);
    free(columns.text);
    return status;
}

enum status store_know_measures(struct store *s, struct message *m)
{
    enum { COLUMNS_MAX = 256 };
    enum status status = STATUS_OK;
    for (int level = 0; status == STATUS_OK && level < MEASURE_LEVELS; level++) {
        const char *names[COLUMNS_MAX];
        int count = 0;
        const struct measure_column *c;
        while (count < COLUMNS_MAX &&
               (c = measure_column((enum measure_level)level, count)) != NULL)
            names[count++] = c->name;
        status = store_measure_columns(s, measure_level_table((enum measure_level)level), names,
                                       count, m);
    }
    return status;
}
