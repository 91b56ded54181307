/* A results file may come from anybody, and the schema in it is a program that SQLite runs: a view
 * of an expected name that never ends, a trigger, a column that computes. Only the program's own
 * tables, views and indexes are read, and only where their SQL is the one that the program would
 * write itself; what else is in the file stays there and is never run. */
#include "sweep/db/store_internal.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "engine/measures/measure.h"

/* ---- the connection ---- */

/* Bytes that SQLite may take in this process, all connections together. A file of a million trials
 * needs a quarter of that. */
static const int64_t HEAP_MAX = INT64_C(1) << 30;

/* SQLite 3.38 to 3.40 take their own JSON functions for unsafe where the schema is not trusted; the
 * program's tables need them. */
static bool json_is_safe;

static void try_json(void)
{
    sqlite3 *db;
    sqlite3_stmt *create = NULL;
    if (sqlite3_open(":memory:", &db) == SQLITE_OK) {
        sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        json_is_safe =
            sqlite3_prepare_v2(db, "CREATE TABLE t (j TEXT CHECK (json_type(j ->> 'a') <> ''))", -1,
                               &create, NULL) == SQLITE_OK;
    }
    sqlite3_finalize(create);
    sqlite3_close(db);
}

void store_harden(sqlite3 *db)
{
    static pthread_once_t tried = PTHREAD_ONCE_INIT;
    pthread_once(&tried, try_json);

    /* What is parsed with the schema has SQLite's own limits: a user's views are parsed too. */
    static const int limits[][2] = {
        {SQLITE_LIMIT_LENGTH, 256 << 20}, /* a text; the longest is a trial's result */
        {SQLITE_LIMIT_VDBE_OP, 100000},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db, limits[i][0], limits[i][1]);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (json_is_safe)
        sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL); /* foreign keys still act */
    sqlite3_hard_heap_limit64(HEAP_MAX);
}

static int stop_asked(void *store)
{
    const struct store *s = store;
    return s->stop_asked(s->stop_context);
}

void store_stop_when(struct store *s, bool (*asked)(void *context), void *context)
{
    enum { STEPS = 20000 }; /* of SQLite's machine: less than a millisecond */
    s->stop_asked = asked;
    s->stop_context = context;
    sqlite3_progress_handler(s->db, STEPS, stop_asked, s);
}

/* ---- SQL ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Behind white space and comments. */
static const char *skip_gap(const char *sql)
{
    for (;;) {
        if (is_space(*sql))
            sql++;
        else if (sql[0] == '-' && sql[1] == '-')
            sql += strcspn(sql, "\n");
        else
            return sql;
    }
}

/* Behind a text or a quoted name. */
static const char *skip_quoted(const char *sql)
{
    const char *end = strchr(sql + 1, *sql);
    return end ? end + 1 : sql + strlen(sql);
}

/* To the semicolon. */
static const char *statement_end(const char *sql)
{
    while (*(sql = skip_gap(sql)) && *sql != ';')
        sql = *sql == '\'' || *sql == '"' ? skip_quoted(sql) : sql + 1;
    return sql;
}

/* Behind ", NAME REAL": as a column of measures is added to a table (store_measures.c). NULL: this
 * is none. */
static const char *skip_measure(const char *sql)
{
    static const char type[] = " REAL";
    if (strncmp(sql, ", ", 2) != 0)
        return NULL;
    sql += 2;
    size_t n = strspn(sql, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (n == 0 || strncmp(sql + n, type, strlen(type)) != 0)
        return NULL;
    sql += n + strlen(type);
    return *sql == ',' ? sql : NULL;
}

/* Whether `sql` says what the program's own statement says, whatever its comments and line breaks.
 * measures: it may have more columns of measures. */
static bool is_same(const char *own, const char *end, const char *sql, bool measures)
{
    const char *own_comma = NULL, *comma = NULL;
    for (;;) {
        const char *a = skip_gap(own), *b = skip_gap(sql);
        bool quoted = a < end && (*a == '\'' || *a == '"');
        size_t n = quoted ? (size_t)(skip_quoted(a) - a) : 1;
        if (a >= end && !*b)
            return true;
        if (a < end && (a > own) == (b > sql) && strncmp(a, b, n) == 0) {
            if (*a == ',') {
                own_comma = a;
                comma = b;
            }
            own = a + n;
            sql = b + n;
        } else if (measures && comma && (comma = skip_measure(comma)) != NULL) {
            own = own_comma;
            sql = comma;
        } else {
            return false;
        }
    }
}

/* ---- the program's own ---- */

enum { OWN_NAME = 40 };

struct own {
    const char *sql, *end; /* CREATE ... */
    char type[8], name[OWN_NAME];
    bool seen;
};

struct own_list {
    struct own *item;
    size_t count;
};

static const char *take_word(const char *sql, char *word, size_t size)
{
    size_t n = strcspn(sql, " (\n");
    snprintf(word, size, "%.*s", (int)n, sql);
    return sql + n + (sql[n] == ' ');
}

/* All of a schema. */
static struct own_list list_own(struct scope *x, const char *schema)
{
    struct own_list list = {.count = 0};
    for (const char *end, *at = skip_gap(schema); *at; at = skip_gap(end + (*end == ';'))) {
        char create[8];
        list.item = arena_grow(&x->arena, list.item, list.count, sizeof *list.item);
        struct own *o = &list.item[list.count++];
        end = statement_end(at);
        *o = (struct own){.sql = at, .end = end};
        at = take_word(at, create, sizeof create);
        at = take_word(at, o->type, sizeof o->type);
        for (char *c = o->type; *c; c++)
            *c = (char)(*c | 0x20); /* as sqlite_schema has it */
        take_word(at, o->name, sizeof o->name);
    }
    return list;
}

static bool has_measures(const char *table)
{
    for (int level = 0; level < MEASURE_LEVELS; level++)
        if (strcmp(table, measure_level_table((enum measure_level)level)) == 0)
            return true;
    return false;
}

static struct own *find_own(const struct own_list *own, const char *name)
{
    for (size_t i = 0; i < own->count; i++)
        if (sqlite3_stricmp(own->item[i].name, name) == 0)
            return &own->item[i];
    return NULL;
}

static void compare_objects(struct scope *x, const char *schema, store_object_fault *fault,
                            void *context)
{
    enum { TYPE, NAME, SQL };
    char what[OWN_NAME + 80];
    struct own_list own = list_own(x, schema);
    struct rows *r = scope_query(x, "reading the schema",
                                 "SELECT type, name, sql FROM main.sqlite_schema"
                                 " WHERE type IN ('table', 'view', 'index')",
                                 NO_VALUES);
    while (scope_next(x, r)) {
        const char *type = rows_given(r, TYPE), *sql = rows_text(r, SQL);
        struct own *o = find_own(&own, rows_given(r, NAME));
        if (!o || r->status != STATUS_OK)
            continue;
        o->seen = true;
        if (strcmp(type, o->type) == 0 && sql &&
            is_same(o->sql, o->end, sql, has_measures(o->name)))
            continue;
        if (strcmp(type, o->type) == 0)
            snprintf(what, sizeof what, "%s %s is different", o->type, o->name);
        else
            snprintf(what, sizeof what, "%s %s is now a %s", o->type, o->name, type);
        fault(context, what);
    }
    for (size_t i = 0; i < own.count; i++) {
        snprintf(what, sizeof what, "%s %s is missing", own.item[i].type, own.item[i].name);
        if (!own.item[i].seen)
            fault(context, what);
    }
}

enum status store_foreign_objects(struct store *s, const char *schema, store_object_fault *fault,
                                  void *context, struct message *m)
{
    struct scope *x = scope_of(s, m);
    if (scope_enter(x))
        compare_objects(x, schema, fault, context);
    return scope_end(x);
}

struct first_foreign {
    int count;
    char what[200];
};

static void keep_first(void *context, const char *what)
{
    struct first_foreign *first = context;
    if (first->count++ == 0)
        snprintf(first->what, sizeof first->what, "%s", what);
}

enum status store_judge_objects(struct store *s, const char *schema, struct message *m)
{
    struct first_foreign first = {0};
    enum status status = store_foreign_objects(s, schema, keep_first, &first, m);
    s->foreign = first.count > 0;
    if (status != STATUS_OK || !s->foreign || s->mode == STORE_CHECK)
        return status;
    return status_fail(
        m, STATUS_BAD_INPUT,
        "%s does not have the tables and views of this headcount: its %s%s (left as it "
        "is; `headcount check` names all). Restore a copy, or use the version of "
        "headcount that made it",
        s->path, first.what, first.count > 1 ? ", and more" : "");
}
