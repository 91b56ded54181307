#include "sweep/db/store_internal.h"

static const char DOING[] = "reading the schema";

/* The program's own tables with what each refers to; ?1 is the schema of the program. Names become
 * part of statements: a user's table whose name goes on like the schema is none of these. */
#define REFERENCES                                                                                 \
    " FROM main.sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table'"   \
    " AND t.name NOT GLOB '*[^a-z_]*'"                                                             \
    " AND instr(?1, format(char(10) || 'CREATE TABLE %s (', t.name)) > 0"

struct rows *tables_of(struct scope *x, const char *parent)
{
    return scope_query(x, DOING,
                       "SELECT t.name, f.\"from\"" REFERENCES
                       " AND f.\"table\" = ?2 AND f.on_delete = 'CASCADE' ORDER BY t.rowid",
                       VALUES(TEXT(store_schema), TEXT(parent)));
}

struct rows *tables_shared(struct scope *x)
{
    return scope_query(
        x, DOING,
        "SELECT f.\"table\", format('DELETE FROM %s WHERE rowid NOT IN (%s)', f.\"table\","
        "  group_concat(format('SELECT %s FROM %s WHERE %s IS NOT NULL', f.\"from\", t.name,"
        "   f.\"from\"), ' UNION ALL '))" REFERENCES
        " AND f.on_delete <> 'CASCADE' GROUP BY f.\"table\"",
        VALUES(TEXT(store_schema)));
}
