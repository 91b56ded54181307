/* The sweep file that `ask` writes. Its last line says for what it was written, and has the SHA-256
 * of all lines above it, by which it is known whether a person has changed it since:
 *
 *   # headcount ask 1: 10 minutes, text-64x2, 840 steps, level 1, confirm 8, asked 0123456789ab,
 * sha256 ...
 *
 * A file that was changed is never written again. */
#ifndef SWEEP_ASK_ASK_FILE_H
#define SWEEP_ASK_ASK_FILE_H

#include "sweep/ask/design.h"

enum { ASKED_SIZE = 13 };

/* What was asked, but for the minutes, in twelve digits: the file's bytes, or the toy, and what is
 * set. */
void ask_file_asked(const struct look *l, const char *const *sets, int count,
                    char asked[ASKED_SIZE]);

enum ask_file_state {
    ASK_FILE_NONE,    /* there is none */
    ASK_FILE_CHANGED, /* by a person; or not written by ask */
    ASK_FILE_OTHER,   /* as it was written, but something else was asked, or by another version */
    ASK_FILE_SAME     /* as it was written, for what is asked now */
};

/* Looks at the file at path, and gets, of SAME, the design that it was written for. IO, NO_MEMORY
 * where that cannot be told. */
enum status ask_file_read(const char *path, const struct look *l, const char *asked,
                          enum ask_file_state *state, struct design *d, struct message *m);

/* Writes it, whole or not at all, in the place of one that no person has changed. */
enum status ask_file_write(const char *path, const struct design *d, const struct look *l,
                           const char *asked, const char *const *sets, int count,
                           struct message *m);

#endif
