/* Rows that come as JSON, written by statements that SQLite makes of the table's own columns: a
 * measure that is new to the program needs no line here. */
#include "sweep/store/study_rows.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"

static const char DOING[] = "keeping an answer";

/* The only value of a query, malloced. */
static enum status take_text(struct rows r, char **text)
{
    *text = rows_next(&r) ? text_copy(rows_given(&r, 0)) : NULL;
    if (r.status == STATUS_OK && !*text)
        r.status = status_fail(r.message, STATUS_NO_MEMORY, "%s: out of memory", r.store->path);
    enum status status = rows_close(&r);
    if (status != STATUS_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

/* ---- rows of one table ---- */

/* The keys of all rows of table ?1 in ?2. */
#define KEYS "SELECT k.key FROM json_each(?2, '$.' || ?1) AS r, json_each(r.value) AS k"

static enum status refuse_strange_keys(struct store *s, const char *table, const char *json,
                                       struct message *m)
{
    struct rows r = store_rows(
        s, DOING, KEYS " WHERE k.key NOT IN (SELECT name FROM pragma_table_info(?1)) LIMIT 1",
        VALUES(TEXT(table), TEXT(json)), m);
    if (rows_next(&r))
        r.status = status_fail(m, STATUS_INTERNAL, "%s: table %s has no column \"%s\"", s->path,
                               table, rows_given(&r, 0));
    return rows_close(&r);
}

enum status store_keep_rows(struct store *s, const char *table, const char *json, const char *fill,
                            struct message *m)
{
    static const char make_insert[] =
        "SELECT printf('INSERT INTO \"%w\" (%s) SELECT %s FROM json_each(?1, ''$.%s'') WHERE true"
        "  ON CONFLICT DO %s', ?1, group_concat(printf('\"%w\"', name)),"
        "  group_concat(printf('coalesce(value ->> %Q, ?2 ->> %Q)', name, name)), ?1,"
        "  coalesce('UPDATE SET ' || group_concat(printf('\"%w\" = excluded.\"%w\"', name, name))"
        "   FILTER (WHERE pk = 0), 'NOTHING'))"
        " FROM pragma_table_info(?1)"
        " WHERE name IN (" KEYS ") OR name IN (SELECT key FROM json_each(?3))";
    char *insert = NULL;
    enum status status = refuse_strange_keys(s, table, json, m);
    if (status == STATUS_OK)
        status = take_text(
            store_rows(s, DOING, make_insert, VALUES(TEXT(table), TEXT(json), TEXT(fill)), m),
            &insert);
    if (status == STATUS_OK)
        status = store_execute(s, DOING, insert, VALUES(TEXT(json), TEXT(fill)), NULL, m);
    free(insert);
    return status;
}

/* ---- what measured itself as it was trained ---- */

enum status store_keep_measures(struct store *s, int64_t trial_id, const char *result,
                                struct message *m)
{
    static const char *const tables[] = {"head_metric", "layer_metric", "head_slot"};
    char fill[64];
    enum status status = STATUS_OK;
    snprintf(fill, sizeof fill, "{\"trial_id\":%lld,\"split\":\"val\"}", (long long)trial_id);
    for (size_t i = 0; status == STATUS_OK && i < sizeof tables / sizeof *tables; i++) {
        int64_t there = 0;
        status =
            store_integer(s, "recording measures", "SELECT json_type(?1, '$.' || ?2) = 'array'",
                          VALUES(TEXT(result), TEXT(tables[i])), 0, &there, m);
        if (status == STATUS_OK && there)
            status = store_keep_rows(s, tables[i], result, fill, m);
    }
    return status;
}

/* ---- answers of studies ---- */

/* What fills up the rows of an answer: its own scalars before what is known of the trial. */
static enum status make_fill(struct store *s, const char *answer, const struct study_trial *t,
                             char **fill, struct message *m)
{
    return take_text(
        store_rows(s, DOING,
                   "SELECT json_patch(json_object('trial_id', ?2, 'sweep_id', ?3, 'step', ?4,"
                   "  'setting', ?5, 'heads', ?6), (SELECT json_group_object(key, atom)"
                   "   FROM json_each(?1) WHERE type NOT IN ('array', 'object')))",
                   VALUES(TEXT(answer), INTEGER(t->trial_id), INTEGER(t->sweep_id),
                          INTEGER(t->best_step), TEXT(t->setting), INTEGER(t->heads)),
                   m),
        fill);
}

static enum status refuse_strange_tables(struct store *s, const char *answer, struct message *m)
{
    struct rows r = store_rows(s, DOING,
                               "SELECT key FROM json_each(?1) WHERE type IN ('array', 'object')"
                               " AND key NOT IN (SELECT value FROM json_each(?2)) LIMIT 1",
                               VALUES(TEXT(answer), TEXT(STUDY_TABLES)), m);
    if (rows_next(&r))
        r.status = status_fail(m, STATUS_INTERNAL, "%s: no study writes to a table \"%s\"", s->path,
                               rows_given(&r, 0));
    return rows_close(&r);
}

enum status store_keep_answer(struct store *s, const char *answer, const struct study_trial *t,
                              struct message *m)
{
    char *fill = NULL;
    enum status status = make_fill(s, answer, t, &fill, m);
    if (status == STATUS_OK)
        status = refuse_strange_tables(s, answer, m);
    if (status == STATUS_OK) {
        struct rows tables =
            store_rows(s, DOING, "SELECT key FROM json_each(?1) WHERE type = 'array'",
                       VALUES(TEXT(answer)), m);
        while (status == STATUS_OK && rows_next(&tables))
            status = store_keep_rows(s, rows_given(&tables, 0), answer, fill, m);
        enum status closed = rows_close(&tables);
        status = status == STATUS_OK ? closed : status;
    }
    free(fill);
    return status;
}
