/* Rows that come as JSON, written by statements that SQLite makes of the table's own columns: a
 * measure that is new to the program needs no line here. */
#include "sweep/trials/study_rows.h"

#include <stdlib.h>
#include <string.h>

static const char DOING[] = "keeping an answer";

/* ---- rows of one table ---- */

/* The keys of all rows of table ?1 in ?2. */
#define KEYS "SELECT k.key FROM json_each(?2, '$.' || ?1) AS r, json_each(r.value) AS k"

static enum status refuse_strange_keys(struct store *s, const char *table, const char *json,
                                       struct message *m)
{
    struct rows r = store_rows(
        s, DOING, KEYS " WHERE k.key NOT IN (SELECT name FROM pragma_table_info(?1)) LIMIT 1",
        VALUES(TEXT(table), TEXT(json)), m);
    const char *key = rows_next(&r) ? rows_given(&r, 0) : NULL;
    if (r.status == STATUS_OK && key)
        r.status = status_fail(m, STATUS_INTERNAL, "%s: table %s has no column \"%s\"", s->path,
                               table, key);
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
        status = store_text(s, DOING, make_insert, VALUES(TEXT(table), TEXT(json), TEXT(fill)),
                            &insert, m);
    if (status == STATUS_OK)
        status = store_execute(s, DOING, insert, VALUES(TEXT(json), TEXT(fill)), NULL, m);
    free(insert);
    return status;
}

/* Those that answers are written to; the first ones also what trials measured on the way. */
static const char *const tables[] = {"head_metric", "layer_metric", "head_slot",
                                     "pruning",     "ensemble",     "evaluation"};
enum { MEASURED = 3, TABLES = sizeof tables / sizeof *tables };

/* The first `count` tables, those of them that json has. */
static enum status keep_tables(struct store *s, int count, const char *json, const char *fill,
                               struct message *m)
{
    enum status status = STATUS_OK;
    for (int i = 0; status == STATUS_OK && i < count; i++) {
        int64_t there = 0;
        status = store_integer(s, DOING, "SELECT json_type(?1, '$.' || ?2) = 'array'",
                               VALUES(TEXT(json), TEXT(tables[i])), 0, &there, m);
        if (status == STATUS_OK && there)
            status = store_keep_rows(s, tables[i], json, fill, m);
    }
    return status;
}

enum status store_keep_measures(struct store *s, int64_t trial_id, const char *result,
                                struct message *m)
{
    char fill[64];
    snprintf(fill, sizeof fill, "{\"trial_id\":%lld,\"split\":\"val\"}", (long long)trial_id);
    return keep_tables(s, MEASURED, result, fill, m);
}

/* ---- answers of studies ---- */

/* What fills up the rows of an answer: its own scalars before what is known of the trial. */
static enum status make_fill(struct store *s, const char *answer, const struct study_trial *t,
                             char **fill, struct message *m)
{
    return store_text(s, DOING,
                      "SELECT json_patch(json_object('trial_id', ?2, 'sweep_id', ?3, 'step', ?4,"
                      "  'setting', ?5, 'heads', ?6), (SELECT json_group_object(key, atom)"
                      "   FROM json_each(?1) WHERE type NOT IN ('array', 'object')))",
                      VALUES(TEXT(answer), INTEGER(t->trial_id), INTEGER(t->sweep_id),
                             INTEGER(t->best_step), TEXT(t->setting), INTEGER(t->heads)),
                      fill, m);
}

static bool is_table(const char *name)
{
    int i = 0;
    while (i < TABLES && strcmp(name, tables[i]) != 0)
        i++;
    return i < TABLES;
}

static enum status refuse_strange_tables(struct store *s, const char *answer, struct message *m)
{
    struct rows r = store_rows(s, DOING,
                               "SELECT key, type FROM json_each(?) WHERE type IN ('array',"
                               " 'object')",
                               VALUES(TEXT(answer)), m);
    while (rows_next(&r)) {
        const char *name = rows_given(&r, 0);
        bool array = strcmp(rows_given(&r, 1), "array") == 0;
        if (r.status == STATUS_OK && (!array || !is_table(name)))
            r.status = status_fail(m, STATUS_INTERNAL,
                                   "%s: \"%s\" is no array of rows of a table that studies write",
                                   s->path, name);
    }
    return rows_close(&r);
}

enum status store_keep_answer(struct store *s, const char *answer, const struct study_trial *t,
                              struct message *m)
{
    char *fill = NULL;
    enum status status = make_fill(s, answer, t, &fill, m);
    if (status == STATUS_OK)
        status = refuse_strange_tables(s, answer, m);
    if (status == STATUS_OK)
        status = keep_tables(s, TABLES, answer, fill, m);
    free(fill);
    return status;
}

enum status store_forget_answers(struct store *s, int64_t trial_id, const char *but_from,
                                 struct message *m)
{
    static const char doing[] = "removing answers from other weights";
    int64_t there = 0;
    enum status status =
        store_integer(s, doing,
                      "SELECT 1 FROM study WHERE trial_id = ? AND checkpoint_sha256 IS NOT ?"
                      " LIMIT 1",
                      VALUES(INTEGER(trial_id), TEXT(but_from)), 0, &there, m);
    for (int i = 0; there && status == STATUS_OK && i <= TABLES; i++) {
        const char *table = i < TABLES ? tables[i] : "study";
        bool of_several = strcmp(table, "ensemble") == 0;
        char sql[120];
        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE ? %s", table,
                 of_several ? "IN (SELECT value FROM json_each(trials))" : "= trial_id");
        status = store_execute(s, doing, sql, VALUES(INTEGER(trial_id)), NULL, m);
    }
    return status;
}
