/* The results file: one SQLite database. schema.sql and views.sql are its format (built into the
 * program). One writer, the coordinator; everybody else opens it read-only. Nothing here sleeps for
 * long (store_set_busy_timeout): where another connection holds a lock, functions return
 * STATUS_BUSY and have changed nothing. What may be changed in it: sweep/trials/trials.h. */
#ifndef SWEEP_DB_STORE_H
#define SWEEP_DB_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/text.h"

enum {
    STORE_APPLICATION_ID = 0x48454144, /* "HEAD" */
    STORE_VERSION = 8,                 /* the format that is written */
    STORE_OLDEST = 8 /* the first that is read: those before came from development versions */
};

struct store;

enum store_mode {
    STORE_READ,  /* must exist */
    STORE_CHECK, /* as READ, but of what is not the program's own only store_check tells */
    STORE_WRITE /* created with its folder if absent; WAL while open where the file system allows */
};

/* Opens a results file. BAD_INPUT for a text file, a foreign database, one of a newer version or of
 * a development version, or one whose objects of the program's names are not the program's (named;
 * the file is left untouched); CORRUPT where integrity fails; BUSY where a writer that died left a
 * change half made that this user cannot take back. What else is in the file, a user's own, is
 * never run. An older version is migrated after a backup beside the file (STORE_WRITE), or a copy
 * of it in memory is (STORE_READ). */
enum status store_open(const char *path, enum store_mode mode, struct store **s, struct message *m);

/* As store_open with STORE_READ. *s is NULL where nothing is in the file yet: it is empty, as one
 * that another program is about to make. */
enum status store_open_begun(const char *path, struct store **s, struct message *m);

/* An empty results file in memory, which nobody else sees; path: of the file that it stands for, as
 * messages name it. */
enum status store_open_memory(const char *path, struct store **s, struct message *m);

/* A sentence for people about the older format that STORE_WRITE found the file in, and that its
 * backup has; "" where it had today's. Returns text. */
const char *store_migration_words(const struct store *s, char *text, size_t size);

/* Closes; the last writer turns the file back into one plain file (journal_mode=DELETE). */
enum status store_close(struct store *s, struct message *m);

/* The same after work that came to `status`: returns the first failure of the two, with its
 * message. s may be NULL. */
enum status store_close_after(struct store *s, enum status status, struct message *m);

/* How long to wait where another connection holds a lock before BUSY is returned. At first 50 ms
 * for STORE_WRITE (the coordinator tries again by itself) and 2 s for STORE_READ. */
void store_set_busy_timeout(struct store *s, int ms);

/* From now on each statement of s ends with INTERRUPTED as soon as `asked` says so, which SQLite
 * asks about a thousand times a second. */
void store_stop_when(struct store *s, bool (*asked)(void *context), void *context);

/* False once the file that STORE_WRITE opened, or its log, was moved, removed or replaced: anything
 * written then would be lost. */
bool store_in_place(const struct store *s);

/* By which it was opened; "./:memory:" of a file called ":memory:". */
const char *store_path(const struct store *s);

/* "<db>.d", where weights and checkpoints lie, of which the file keeps the names only; made by
 * STORE_WRITE. Its file STORE_OWNER says whose it is (store_folder.c): STORE_WRITE makes it this
 * file's, or fails with BAD_INPUT where it is another's. */
#define STORE_OWNER "owner"
const char *store_folder(const struct store *s);

/* For STORE_READ: BAD_INPUT where STORE_WRITE would be refused the folder, with its words. */
enum status store_check_folder(struct store *s, struct message *m);

/* Makes all changes between begin and commit one transaction; a function that fails in
 * between has undone its own part. commit returning anything but OK has rolled back. After a sync
 * that failed (IO) every begin fails: what is not on disk must not be taken for written. */
enum status store_begin(struct store *s, struct message *m);
enum status store_commit(struct store *s, struct message *m);
void store_rollback(struct store *s);

/* All that is read between the two is read from one state of the file, also while a sweep runs. */
enum status store_snapshot(struct store *s, struct message *m);
void store_snapshot_end(struct store *s);

#endif
