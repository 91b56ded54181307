/* Whole files, read and written so that a crash at any instant leaves the old or the new one. */
#ifndef ENGINE_BASE_FILE_H
#define ENGINE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "engine/base/status.h"

/* Writes the parts one after the other as the file at path, durably: into a new file beside it,
 * `{path}.headcount-{8 random hexadecimal digits}.tmp` with the mode that umask gives, then fsync,
 * close, rename, fsync of the folder; no sync is tried twice (after a failed one the system may
 * have dropped the data and report success). Its writer holds a lock (flock) on the temporary file
 * until it is renamed. `parts` is used up. On failure path is as it was and the temporary file is
 * gone where that is possible; only where the folder's own sync fails (IO), path may already be the
 * new, whole file. DISK_FULL where there is no room. */
enum status file_write(const char *path, struct iovec *parts, int count, struct message *m);

/* A file written piece by piece, which appears at its path as file_write's does: whole, or not at
 * all. */
struct file_draft {
    FILE *out;        /* to write to; its errors are asked for by file_draft_keep */
    const char *path; /* the caller's, kept */
    char *temporary;
};
enum status file_draft_new(const char *path, struct file_draft *d, struct message *m);
/* Both end the draft: as the file at path, or without a trace. A draft that cannot be kept is
 * dropped. */
enum status file_draft_keep(struct file_draft *d, struct message *m);
void file_draft_drop(struct file_draft *d);

/* False where the file system has no room for the name of the file at path, or that of its
 * temporary file. */
bool file_name_fits(const char *path);

/* Removes the temporary files that writers of the file at path left who were killed: those that
 * nobody holds any more. Best effort; where the file system has no locks, nothing is removed. */
void file_remove_unfinished(const char *path);

/* Whether a file's name is one that such a temporary file has. */
bool file_is_unfinished(const char *name);

/* Syncs the folder that path lies in: after it, the names in it survive a power failure. OK too
 * where the file system cannot sync folders. */
enum status file_sync_folder(const char *path, struct message *m);

/* The same, and whether the file system can. */
enum status file_can_sync_folder(const char *path, bool *can, struct message *m);

/* Makes a folder, unless it is there already. */
enum status file_make_folder(const char *folder, struct message *m);

/* Makes the folders that path lies in, as far as they are missing. */
enum status file_make_folders_above(const char *path, struct message *m);

/* Opens a regular file for reading and gets its size; the caller closes *fd, which is -1 on
 * failure. IO where it cannot be opened; BAD_INPUT where it is not a regular file. */
enum status file_open(const char *path, int *fd, size_t *size, struct message *m);

/* Reads the next `size` bytes. CORRUPT where the file (path names it in messages) ends before. */
enum status file_take(int fd, const char *path, void *bytes, size_t size, struct message *m);

/* Reads a regular file of at most `limit` bytes into malloc'ed memory, the caller's to free, with a
 * NUL after the last byte. IO where it cannot be opened or read; BAD_INPUT where it is larger or
 * not a regular file. */
enum status file_read(const char *path, size_t limit, void **bytes, size_t *size,
                      struct message *m);

/* The size of an open file, which path names in messages. BAD_INPUT where it is no regular one. */
enum status file_size(int fd, const char *path, size_t *size, struct message *m);

/* The SHA-256 of the first `size` bytes of an open file, read piece by piece, in 64 hexadecimal
 * digits; path names it in messages. CORRUPT where it ends before, IO where it cannot be read. */
enum status file_hash(int fd, const char *path, size_t size, char sha256[65], struct message *m);

/* Copies the first `size` bytes of an open file: as a reflink where the file system has them, else
 * by the kernel, else piece by piece. The copy appears durably as file_write's does, with what
 * umask leaves of `mode`. sha256: of what was to be copied; where the copy has another, CORRUPT,
 * and `to` is as it was. Fails as file_hash and file_write do, too. */
enum status file_copy(int fd, const char *from, size_t size, const char *to, mode_t mode,
                      const char *sha256, struct message *m);

/* The last name of a path: what comes after its last slash. Points into path. */
const char *file_last_name(const char *path);

/* When a file was last changed, in nanoseconds since 1970; times that int64_t cannot hold (before
 * 1677, after 2262) become the nearest. */
int64_t file_mtime_ns(const struct stat *st);

/* When anything about a file was last changed, its name and times included; likewise. No program
 * can set this back, as cp -p, tar and touch do with the time above. */
int64_t file_ctime_ns(const struct stat *st);

#endif
