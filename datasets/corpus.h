/* A file of the user's, read in pieces by their place in it. It may be larger than memory, so it is
 * never read whole; and it is never mapped, because a mapped file that somebody cuts short kills
 * the process that reads it, where pread only comes back with less.
 *
 * Somebody may also change it while it is read. So the first scan notes the state that the file's
 * SHA-256 has before each piece; every piece that is read later goes into memory of its own, and
 * its hash is continued from the state before it to the state after it. Whoever compares the
 * SHA-256 of the scan knows that all that corpus_read gives are the bytes of that file, whatever
 * happens to it meanwhile. */
#ifndef DATASETS_CORPUS_H
#define DATASETS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

struct arena;
struct corpus_pieces;

struct corpus {
    const char *path;             /* the caller's */
    int fd;                       /* -1: not open */
    int64_t size;                 /* when it was opened, in bytes; 1 or more */
    int64_t mtime_ns;             /* when its bytes were compared last, or it was opened */
    struct corpus_pieces *pieces; /* NULL: only to be scanned */
};

/* Opens a regular file that holds something, without pieces. BAD_INPUT for whatever keeps it from
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

/* Room for what is known of the pieces of a file of that size, and for some of them; the arena's.
 * Of files up to 4 TiB it takes at most 24 MiB. */
struct corpus_pieces *corpus_pieces_new(struct arena *a, int64_t size);

/* The bytes that it takes. */
double corpus_pieces_memory(int64_t size);

/* Takes the next bytes of a file. What it returns ends the reading unless it is OK. */
typedef enum status (*corpus_visit)(void *context, const unsigned char *bytes, size_t n,
                                    struct message *m);

/* Shows the whole file to visit (NULL: to nobody), in order, in pieces of any size, and computes
 * its SHA-256. The first scan of a corpus that has pieces notes their states. CORRUPT where the
 * file is shorter than it was. */
enum status corpus_scan(const struct corpus *c, corpus_visit visit, void *context, char sha256[65],
                        struct message *m);

/* Reads exactly n bytes from `offset` on; only with pieces, after a scan to the end. CORRUPT where
 * they are not those that were scanned. */
enum status corpus_read(const struct corpus *c, int64_t offset, void *bytes, size_t n,
                        struct message *m);

/* Whether the file has the bytes of this SHA-256: by its size and the time of its last change, and
 * if that is another one, or under `all` in any case, by reading it. CORRUPT where it has not. A
 * new file of that name is another file, which concerns nobody who has opened the old one. */
enum status corpus_check(struct corpus *c, const char *sha256, bool all, struct message *m);

/* CORRUPT: its SHA-256 is `now`, not `known`. */
enum status corpus_refuse(const struct corpus *c, const char *now, const char *known,
                          struct message *m);

#endif
