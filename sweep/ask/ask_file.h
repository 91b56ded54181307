/* The sweep file that `ask` writes. Its last line says for what it was written, and has the SHA-256
 * of all lines above it, by which it is known whether a person has changed it since:
 *
 *   # headcount ask 2: 10 minutes, text-64x2, 840 steps, level 1, seeds 5, confirm 8,
 * trains 0123456789ab, asked 0123456789ab, sha256 ...
 *
 * A file that was changed is never written again. */
#ifndef SWEEP_ASK_ASK_FILE_H
#define SWEEP_ASK_ASK_FILE_H

#include "sweep/ask/design.h"

enum { ASKED_SIZE = 13 };

/* What was asked, but for the minutes, in twelve digits each. They are the same in whichever order
 * it is set, whether a default or a guess is named or not, and whatever the file is called. */
struct asked {
    char trained[ASKED_SIZE]; /* what trials depend on: the file's bytes or the toy, the options of
                                 the task, model and training, and the metric, which chooses the
                                 best step of a trial */
    char all[ASKED_SIZE];     /* with the other keys of the top level, too: how many trials there
                                 are and how they are judged */
};
void ask_file_asked(const struct look *l, const char *const *sets, int count, struct asked *asked);

enum ask_file_state {
    ASK_FILE_NONE,    /* there is none */
    ASK_FILE_CHANGED, /* by a person; or not written by ask */
    ASK_FILE_OTHER,   /* as it was written, but for other trials, or by another version */
    ASK_FILE_KEYS,    /* as it was written, for these trials, but with other keys beside them */
    ASK_FILE_SAME     /* as it was written, for what is asked now */
};

/* Looks at the file at path, and gets, of KEYS and SAME, the design that it was written for. IO,
 * NO_MEMORY where that cannot be told. */
enum status ask_file_read(const char *path, const struct look *l, const struct asked *asked,
                          enum ask_file_state *state, struct design *d, struct message *m);

/* Writes it for the sweep of that name, whole or not at all, in the place of one that no person has
 * changed. */
enum status ask_file_write(const char *path, const struct design *d, const struct look *l,
                           const char *name, const struct asked *asked, const char *const *sets,
                           int count, struct message *m);

#endif
