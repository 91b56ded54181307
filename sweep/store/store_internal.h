/* What the store's files share; else only readers with SQL of their own (rows.c, export_results.c)
 * and tests of the store include this.
 *
 *   store.c          opening: create, check, journal; closing
 *   store_migrate.c  older formats
 *   store_file.c     what can be known of the file before SQLite touches it
 *   store_sql.c      statements, errors, transactions
 *   store_plan.c     planning
 *   store_trial.c    claiming and ending
 *   store_query.c    small queries */
#ifndef SWEEP_STORE_STORE_INTERNAL_H
#define SWEEP_STORE_STORE_INTERNAL_H

#include <sqlite3.h>
#include <sys/stat.h>

#include "sweep/store/store.h"

struct store {
    sqlite3 *db;
    char *path, *folder;
    enum store_mode mode;
    bool wal;
    bool in_batch;            /* between store_begin and store_commit */
    enum status batch_status; /* why SQLite itself has rolled the batch back; OK: it has not */
    bool broken;              /* a sync failed: this connection must not write again */
    int migrated_from;        /* the format that the file had; 0: today's */
    struct stat opened;       /* which file the path led to then */
};

/* ---- store.c ---- */

struct store_migration { /* leads from one version to the next */
    int from;
    const char *sql;
};

/* What store_open takes the file to be; tests give their own. */
struct store_format {
    int version;
    const struct store_migration *migrations; /* ends with a NULL sql */
    bool avoid_wal;                           /* as on a network file system */
};
enum status store_open_format(const char *path, enum store_mode mode, const struct store_format *f,
                              struct store **s, struct message *m);
/* Opens s->db on a file or URI. */
enum status store_connect(struct store *s, const char *name, int flags, struct message *m);
enum status store_set_version(struct store *s, int version, struct message *m);

/* ---- store_migrate.c ---- */

/* Backs the file up as "{path}.v{from}.backup" and migrates it. */
enum status store_migrate(struct store *s, int from, const struct store_format *f,
                          struct message *m);
/* For readers: s->db becomes a migrated copy in memory. */
enum status store_migrate_copy(struct store *s, int from, const struct store_format *f,
                               struct message *m);

/* ---- store_file.c ---- */

enum store_kind { STORE_ABSENT, STORE_EMPTY, STORE_OURS, STORE_UNSURE };

struct store_header {
    enum store_kind kind; /* UNSURE: a hot journal must be rolled back before one can tell */
    int version;          /* of OURS */
    bool interrupted;     /* a journal or log was left by a writer that died, or is at work */
};

/* Reads the file's first bytes without locking, creating or changing anything. BAD_INPUT for what
 * is no results file, or one of a version above `version`. */
enum status store_probe(const char *path, int version, struct store_header *h, struct message *m);

/* False where shared memory between processes cannot be relied on: network and FUSE file systems.
 */
bool store_wal_is_safe(const char *path);

/* Makes the folders above path, and `folder`. */
enum status store_make_folders(const char *path, const char *folder, struct message *m);

/* ---- store_sql.c ---- */

/* A value to bind: exactly what SQLite stores. */
struct value {
    enum { VALUE_INTEGER, VALUE_REAL, VALUE_TEXT } type;
    int64_t integer;
    double real;
    const char *text; /* NULL: SQL's NULL; must live until the statement has run */
};
#define INTEGER(x) ((struct value){VALUE_INTEGER, (x), 0, NULL})
#define REAL(x)    ((struct value){VALUE_REAL, 0, (x), NULL})
#define TEXT(x)    ((struct value){VALUE_TEXT, 0, 0, (x)})
/* The values of a statement, and how many there are: one macro for two arguments. */
#define VALUES(...)                                                                                \
    (const struct value[]){__VA_ARGS__},                                                           \
        (int)(sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value))
#define NO_VALUES NULL, 0

/* The status and message of the connection's last error; `doing` says what was tried. */
enum status store_error(struct store *s, const char *doing, struct message *m);

/* Prepares; on failure *statement is NULL. */
enum status store_prepare(struct store *s, const char *doing, const char *sql,
                          sqlite3_stmt **statement, struct message *m);

/* Binds the values and steps once; *row (may be NULL) tells whether there is one. */
enum status store_step(struct store *s, const char *doing, sqlite3_stmt *statement,
                       const struct value *values, int count, bool *row, struct message *m);

/* Runs a statement that returns nothing; *changed (may be NULL) gets the rows it changed. */
enum status store_execute(struct store *s, const char *doing, const char *sql,
                          const struct value *values, int count, long *changed, struct message *m);

/* Runs several statements without values. */
enum status store_script(struct store *s, const char *doing, const char *sql, struct message *m);

/* The first column of the first row; `otherwise` where there is no row or NULL. */
enum status store_integer(struct store *s, const char *doing, const char *sql,
                          const struct value *values, int count, int64_t otherwise, int64_t *out,
                          struct message *m);

/* Makes a change all or nothing: a transaction of its own, or a savepoint of the batch at hand. */
enum status store_enter(struct store *s, struct message *m);
/* Keeps the change if status is OK, undoes it otherwise. Returns status or what went wrong. */
enum status store_leave(struct store *s, enum status status, struct message *m);

/* A change of one statement that returns nothing. */
enum status store_change(struct store *s, const char *doing, const char *sql,
                         const struct value *values, int count, struct message *m);

/* ---- store_trial.c ---- */

/* Lets every head count of a sweep take the values that its tuning trials speak for, if they have
 * all ended; else wait. */
enum status store_settle(struct store *s, int64_t sweep_id, struct message *m);

#endif
