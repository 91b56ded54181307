/* Locks (flock) that are released when their process ends, however it ends. The one writer of a
 * results file holds `<db>.lock`, which names it; a worker holds the lock file of its attempt. */
#ifndef SWEEP_STORE_LOCK_H
#define SWEEP_STORE_LOCK_H

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

/* True where a living process holds the lock file at path. */
bool lock_is_held(const char *path);

#endif
