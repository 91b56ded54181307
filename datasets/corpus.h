/* A file of the user's, or a copy of it, read in pieces by their place in it. It may be larger than
 * memory, so it is never read whole; and it is never mapped, because a mapped file that somebody
 * cuts short kills the process that reads it, where pread only comes back with less. */
#ifndef DATASETS_CORPUS_H
#define DATASETS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

struct corpus {
    const char *path; /* the caller's */
    int fd;           /* -1: not open */
    int64_t size;     /* when it was opened, in bytes; 1 or more */
    int64_t mtime_ns; /* when its bytes were compared last, or it was opened */
};

/* Opens a regular file that holds something. BAD_INPUT for whatever keeps it from
 * being read: it is missing, empty, a folder, a pipe (which is not waited for), not permitted. fd
 * is -1 then. */
enum status corpus_open(const char *path, struct corpus *c, struct message *m);

/* Its first bytes, as many as it has of `size`. */
enum status corpus_start(const struct corpus *c, void *bytes, size_t size, struct message *m);

/* BAD_INPUT, with the way to make text of it, for a file that by its first bytes is none: UTF-16, a
 * PDF, an archive, ... */
enum status corpus_is_text(const struct corpus *c, struct message *m);

/* Closes it; once more does nothing. */
void corpus_close(struct corpus *c);

/* Takes the next bytes of a file. What it returns ends the reading unless it is OK. */
typedef enum status (*corpus_visit)(void *context, const unsigned char *bytes, size_t n,
                                    struct message *m);

/* Shows the whole file to visit (NULL: to nobody), in order, in pieces of any size, and computes
 * its SHA-256. CORRUPT where the file is shorter than it was. */
enum status corpus_scan(const struct corpus *c, corpus_visit visit, void *context, char sha256[65],
                        struct message *m);

/* Reads exactly n bytes from `offset` on. CORRUPT where the file does not have them. */
enum status corpus_read(const struct corpus *c, int64_t offset, void *bytes, size_t n,
                        struct message *m);

/* Whether the file has these bytes: by its size and the time of its last change, and if that is
 * another one, or under `all` in any case, by reading it. CORRUPT where it has not. A new file of
 * that name is another file, which concerns nobody who has opened the old one. */
enum status corpus_check(struct corpus *c, const char *sha256, int64_t size, bool all,
                         struct message *m);

#endif
