/* What the store's files share; else only tests of the store include this.
 *
 *   store.c          opening: create, check, journal; closing
 *   store_migrate.c  older formats
 *   store_file.c     what can be known of the file before SQLite touches it
 *   store_guard.c    what of the file must be the program's own (store_guard.h)
 *   store_folder.c   whose the folder of weights and checkpoints is
 *   rows.c           statements and their rows
 *   store_sql.c      errors, small statements, transactions
 *   store_sums.c     sums that are the same in every version of SQLite
 *   setting_order.c  settings in the order of their values (setting_order.h)
 *   store_plan.c     planning, with store_sweep.c, store_shard.c and store_history.c
 *                    (store_plan.h)
 *   store_trial.c    claiming and ending
 *   store_result.c   a result's values in the tables, and whether they still are
 *   store_settle.c   which trials are needed: the choice under `tune`, looks
 *   store_rungs.c    successive halving among tuning trials
 *   store_query.c    small queries
 *   shard_sum.c      shards and the file that they are merged into, together (shard_sum.h)
 *   store_edit.c     names, remarks, deleting
 *   study.c          what was asked of trained models (study.h); study_rows.c writes the answers
 *   data_file.c      files of the user's own (data_file.h)
 *   store_measures.c columns of measures that are younger than the file */
#ifndef SWEEP_STORE_STORE_INTERNAL_H
#define SWEEP_STORE_STORE_INTERNAL_H

#include <sqlite3.h>
#include <sys/stat.h>

#include "sweep/store/rows.h"
#include "sweep/store/store_guard.h"

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
 * is no results file, or one of a format that store_check_format refuses. */
enum status store_probe(const char *path, int version, struct store_header *h, struct message *m);

/* BAD_INPUT where a file of format `found` is older than any that is read, or newer than `newest`.
 */
enum status store_check_format(const char *path, int found, int newest, struct message *m);

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
enum status store_check_new_folder(const struct store *s, struct message *m);

/* ---- rows.c ---- */

/* As rows_open; `doing` is what messages say was tried. */
struct rows store_rows(struct store *s, const char *doing, const char *sql,
                       const struct value *values, int count, struct message *m);

/* Frees the prepared statements that are not in use: before their connection is closed. */
void store_forget_statements(struct store *s);

/* Runs a statement that returns nothing once more, with these values. */
enum status store_repeat(struct rows *r, const struct value *values, int count);

/* ---- store_sql.c ---- */

/* Now, as the file has times. */
#define NOW "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"

/* The status and message of the connection's last error; `doing` says what was tried. */
enum status store_error(struct store *s, const char *doing, struct message *m);

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

/* ---- store_sums.c ---- */

/* Puts them in the place of SQLite's own on this connection; returns SQLite's code. */
int store_own_sums(struct sqlite3 *db);

/* ---- store_result.c ---- */

/* How a change of `trial` is fenced: its last two values are trial and attempt. */
#define STORE_FENCE " WHERE trial_id = ? AND state = 'running' AND attempt = ?"

/* Everything a result says, where the fence lets it through: then *accepted is true. */
enum status result_take(struct store *s, int64_t trial_id, int64_t attempt, const char *result,
                        const char *checkpoint, const char *sha256, bool *accepted,
                        struct message *m);

/* Rows of a curve: the array at `path` in json. */
enum status result_insert_curve(struct store *s, int64_t trial_id, const char *json,
                                const char *path, struct message *m);

/* ---- store_settle.c ---- */

/* Takes all choices of a sweep anew, from what its trials have come to: at rungs, under `tune`, by
 * looks. Looks whose trials have not ended any more are forgotten. */
enum status store_settle(struct store *s, int64_t sweep_id, struct message *m);

/* The same where a trial has just ended or paused: of its head count. */
enum status store_settle_after(struct store *s, int64_t trial_id, struct message *m);

/* ---- store_rungs.c ---- */

/* Where the tuning trials of a sweep pause, which of them wait, go on or are eliminated: of all
 * head counts, or of one in one setting (heads > 0). */
enum status store_settle_rungs(struct store *s, int64_t sweep_id, const char *setting,
                               int64_t heads, struct message *m);

#endif
