/* One writer per results file: an flock on `<db>.lock`, whose content says who holds it. */
#ifndef SWEEP_STORE_LOCK_H
#define SWEEP_STORE_LOCK_H

#include "engine/base/status.h"

/* Takes the lock of the database at db, making its folder where it is missing; *fd is to be given
 * to lock_release. BAD_INPUT names the holder where another process has it; IO where the file
 * system has no locks. The lock ends with the process, however it ends. */
enum status lock_take(const char *db, int *fd, struct message *m);
void lock_release(int fd);

/* True where a living process holds the lock file at path (a worker's attempt). */
int lock_is_held(const char *path);

#endif
