/* Locks (flock) that are released when their process ends, however it ends. The one writer of a
 * results file holds `<db>.lock`; a worker holds the lock file of its attempt.
 *
 * What `<db>.lock` says of its holder is a line: "process 123 on n1" or, within a job of Slurm,
 * "process 123 on n1, job 17 of Slurm". */
#ifndef SWEEP_DB_LOCK_H
#define SWEEP_DB_LOCK_H

#include <stdbool.h>

#include "engine/base/status.h"

/* Takes the lock of the results file at db, making its folder where it is missing; *fd is to be
 * given to lock_release. BUSY names the holder where another process has it. BAD_INPUT where the
 * file can be reached by another name, whose lock is another (hard links; a file that is mounted by
 * itself), and for what store_open refuses by its first bytes: then nothing was made beside it. IO
 * where the file system has no locks. */
enum status lock_take(const char *db, int *fd, struct message *m);
void lock_release(int fd);

/* Takes the lock file at path, made where it is missing. BUSY where another process holds it for
 * longer than it takes to look. */
enum status lock_hold(const char *path, int *fd, struct message *m);

/* True where a living process holds the lock file at path. No link is followed. */
bool lock_is_held(const char *path);

/* The same of the lock of the results file at db. */
bool lock_is_taken(const char *db);

/* The same, and who that is by the lock file's own words, which are plain text, "another headcount"
 * where it says nothing. */
struct lock_holder {
    char words[256];
    long job; /* of Slurm; 0: none */
};
bool lock_holder(const char *db, struct lock_holder *h);

/* The number that Slurm gave a job, or a task of an array, and that is all of text up to `behind`;
 * -1 where that is none, or text is NULL. */
long lock_slurm_number(const char *text, const char *behind);

#endif
