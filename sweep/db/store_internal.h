/* What the files of this floor share; else only sweep/trials, sweep/merge and tests of them include
 * this.
 *
 *   store.c          opening: create, check, journal; closing
 *   store_migrate.c  older formats
 *   store_file.c     what can be known of the file before SQLite touches it
 *   store_guard.c    what of the file must be the program's own
 *   store_folder.c   whose the folder of weights and checkpoints is
 *   store_measures.c columns of measures that are younger than the file
 *   rows.c           statements and their rows
 *   tables.c         which tables there are, and whose rows belong to whose
 *   store_sql.c      errors, small statements, transactions
 *   functions.c      what SQL can call: sums, what a configuration means, the order of settings */
#ifndef SWEEP_DB_STORE_INTERNAL_H
#define SWEEP_DB_STORE_INTERNAL_H

#include <sqlite3.h>
#include <sys/stat.h>

#include "sweep/db/scope.h"

enum { STORE_IDLE = 64 }; /* more than the coordinator uses again and again */

struct store {
    sqlite3 *db;
    sqlite3_stmt *idle[STORE_IDLE]; /* prepared and not in use (rows.c); NULL: none */
    unsigned idle_next;             /* the one that makes room for another */
    char *path, *folder;
    enum store_mode mode;
    bool wal, has_log;
    bool in_batch;            /* between store_begin and store_commit */
    enum status batch_status; /* why SQLite itself has rolled the batch back; OK: it has not */
    bool broken;              /* a sync failed: this connection must not write again */
    int unreadable;           /* SQLITE_READONLY or SQLITE_CANTOPEN: what a reader last met */
    bool foreign;             /* STORE_CHECK: it is not made of the program's own objects */
    bool (*stop_asked)(void *context); /* store_stop_when */
    void *stop_context;
    int64_t errors_size;     /* bytes of attempt.error; 0: not counted yet */
    int migrated_from;       /* the format that the file had; 0: today's */
    struct stat opened, log; /* which files the path and the log's path led to then */
};

/* ---- store.c ---- */

/* The connection, for tests. */
struct sqlite3 *store_db(struct store *s);

extern const char store_schema[]; /* schema.sql and views.sql: what a new file is made of */

struct store_migration { /* leads from one version to the next, but for the views */
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
/* For a reader of a file that a writer which died left half changed: takes the change back, or
 * finishes it. *may: this user can write the file. */
enum status store_recover(const struct store *s, bool *may, struct message *m);
enum status store_set_version(struct store *s, int version, struct message *m);

/* ---- store_migrate.c ---- */

extern const struct store_migration store_migrations[];

/* Backs the file up as "{path}.v{from}.backup" and migrates it. */
enum status store_migrate(struct store *s, int from, const struct store_format *f,
                          struct message *m);
/* Copies all of `from` into the empty database to->db; to->path stands in messages. */
enum status store_copy(struct sqlite3 *from, struct store *to, struct message *m);
/* For readers: s->db becomes a migrated copy in memory, which can still be changed. */
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
 * is no results file, or one that store_check_marks refuses. */
enum status store_probe(const char *path, int version, struct store_header *h, struct message *m);

/* By its application_id and user_version. BAD_INPUT where the file is of another program, or its
 * format is older than any that is read, or newer than `newest`. */
enum status store_check_marks(const char *path, int64_t id, int64_t found, int newest,
                              struct message *m);

/* BAD_INPUT: the file is not there, and perhaps shards are that it is to be made of. */
enum status store_refuse_absent(const char *path, struct message *m);

/* Whether a journal or log lies beside the file: of a writer that died, or is at work. */
bool store_interrupted(const char *path);

/* False where shared memory between processes cannot be relied on: network and FUSE file systems.
 */
bool store_wal_is_safe(const char *path);

/* ---- store_folder.c ---- */

/* That the folder is this file's, or becomes so; else BAD_INPUT (store_check_folder in store.h). */
enum status store_claim_folder(struct store *s, struct message *m);
/* The same of a file that is yet to be made: a folder that has an owner has another. */
enum status store_check_new_folder(struct store *s, struct message *m);

/* ---- rows.c ---- */

/* As rows_open; `doing` is what messages say was tried. */
struct rows store_rows(struct store *s, const char *doing, const char *sql,
                       const struct value *values, int count, struct message *m);

/* Frees the prepared statements that are not in use: before their connection is closed. */
void store_forget_statements(struct store *s);

/* Runs a statement that returns nothing once more, with these values. */
enum status store_repeat(struct rows *r, const struct value *values, int count);

/* The same with the values of a row at hand, as they are. */
enum status store_repeat_row(struct rows *r, const struct rows *row);

/* ---- tables.c ---- */

/* What the schema says of its own tables: whose rows belong to whose, and which are shared. A table
 * is declared in schema.sql and nowhere else; tables that a user has put into the file are none of
 * these.
 *
 * Rows that belong to a row of another table REFERENCE it with ON DELETE CASCADE, and their primary
 * key begins with that column: they go with it, and merge takes them over with it. Rows without
 * CASCADE refer to what many share, which is the same by its UNIQUE columns and goes when nobody
 * refers to it any more. */

/* The tables whose rows belong to one of `parent`, in the order of the schema: name, and the column
 * that refers to it. */
struct rows *tables_of(struct scope *x, const char *parent);

/* The tables whose rows are shared: name, and a statement that deletes those that nobody refers to.
 */
struct rows *tables_shared(struct scope *x);

/* ---- store_sql.c ---- */

/* The status and message of the connection's last error; `doing` says what was tried. */
enum status store_error(struct store *s, const char *doing, struct message *m);

/* Runs a statement that returns nothing; *changed (may be NULL) gets the rows it changed. */
enum status store_execute(struct store *s, const char *doing, const char *sql,
                          const struct value *values, int count, long *changed, struct message *m);

/* Runs several statements without values. */
enum status store_script(struct store *s, const char *doing, const char *sql, struct message *m);

/* The first column of a query, a number; `otherwise` where there is no row or NULL. */
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

/* ---- functions.c ---- */

/* Puts its functions, those of rows.h and COLLATE setting_values on this connection; returns
 * SQLite's code. */
int store_add_functions(struct sqlite3 *db);

/* ---- store_guard.c ---- */

/* For every connection on a results file or a copy of one, before its first statement. */
void store_harden(struct sqlite3 *db);

/* What is wrong with an object that the schema has: "view trials is different". */
typedef void store_object_fault(void *context, const char *what);

/* Tells of each of the schema's tables, views and indexes that the file has not, or has in another
 * way. Runs nothing of what the file holds. */
enum status store_foreign_objects(struct store *s, const char *schema, store_object_fault *fault,
                                  void *context, struct message *m);

/* BAD_INPUT names the first of them; under STORE_CHECK s->foreign says that there are some. */
enum status store_judge_objects(struct store *s, const char *schema, struct message *m);

/* ---- store_measures.c ---- */

/* Gives a table of measures those of these columns that it lacks: REAL, NULL in the rows that are
 * there, for measures that are younger than the file. Opening does so for all of measures.def; in a
 * file that is open for reading the name of the table then stands for a temporary view that has
 * them. Names are of lower-case letters, digits and '_' and no words of SQL, else INTERNAL.
 * BAD_INPUT where a user's column has the name and another type. One transaction; nothing is
 * written where all are there. */
enum status store_measure_columns(struct store *s, const char *table, const char *const *names,
                                  int count, struct message *m);

/* The same for all of measures.def. */
enum status store_know_measures(struct store *s, struct message *m);

#endif
