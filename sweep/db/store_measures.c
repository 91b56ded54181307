/* Columns of measures that are younger than the file. */
#include "sweep/db/store_internal.h"

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

static bool lacks_column(struct scope *x, const char *table, const char *name)
{
    const char *path = x->store->path;
    if (!is_name(name))
        scope_fail(x, STATUS_INTERNAL, "\"%s\" is no name for a column of measures", name);
    const char *type = scope_string(
        x, DOING, "SELECT type FROM pragma_table_info(?) WHERE name = ? COLLATE NOCASE",
        VALUES(TEXT(table), TEXT(name)));
    if (type && strcmp(type, "REAL") != 0)
        scope_fail(x, STATUS_BAD_INPUT,
                   "%s: table %s has a column \"%s\" of yours; a measure needs that "
                   "name. Give yours another one (sqlite3 %s 'ALTER TABLE %s RENAME "
                   "COLUMN %s TO NEW_NAME') and try again; nothing was changed",
                   path, table, name, path, table, name);
    return !type;
}

/* Names of temporary tables and views come before those of the file. */
static void add_columns(struct scope *x, const char *table, const char *const *names, int count)
{
    struct text_buffer changes = scope_text(x), columns = scope_text(x);
    for (int i = 0; i < count; i++)
        if (lacks_column(x, table, names[i])) {
            text_add(&changes, "ALTER TABLE %s ADD COLUMN %s REAL;", table, names[i]);
            text_add(&columns, ", NULL AS %s", names[i]);
        }
    if (changes.used == 0)
        return;
    if (x->store->mode == STORE_WRITE)
        scope_change(x);
    else
        changes.text = scope_print(x, "CREATE TEMP VIEW %s AS SELECT *%s FROM main.%s", table,
                                   columns.text, table);
    scope_script(x, DOING, changes.text);
}

enum status store_measure_columns(struct store *s, const char *table, const char *const *names,
                                  int count, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        add_columns(x, table, names, count);
    return scope_commit(x);
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
