/* A file of the user's, read in pieces by their place in it. It may be larger than memory, so it is
 * never read whole; and it is never mapped, because a mapped file that somebody cuts short kills
 * the process that reads it, where pread only comes back with less. */
#ifndef DATASETS_CORPUS_H
#define DATASETS_CORPUS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

struct corpus {
    const char *path; /* the caller's */
    int fd;           /* -1: not open */
    int64_t size;     /* when it was opened, in bytes; 1 or more */
};

/* Opens a regular file that holds something. BAD_INPUT for whatever keeps it from being read: it is
 * missing, empty, a folder, a pipe (which is not waited for), not permitted. fd is -1 then. */
enum status corpus_open(const char *path, struct corpus *c, struct message *m);

/* Closes it; once more does nothing. */
void corpus_close(struct corpus *c);

/* Reads exactly n bytes from `offset` on. CORRUPT where the file ends before: it was truncated
 * while it was read. */
enum status corpus_read(const struct corpus *c, int64_t offset, void *bytes, size_t n,
                        struct message *m);

/* Takes the next bytes of a file. What it returns ends the reading unless it is OK. */
typedef enum status (*corpus_visit)(void *context, const unsigned char *bytes, size_t n,
                                    struct message *m);

/* Shows the whole file to visit, in order, in pieces of any size, and computes its SHA-256 (NULL:
 * not wanted). CORRUPT where the file changed meanwhile: its size, or when it was last written. */
enum status corpus_scan(const struct corpus *c, corpus_visit visit, void *context, char sha256[65],
                        struct message *m);

#endif
