/* The sweep file of a design: each of its values with a reason, but for what is set, which takes
 * the place of what is chosen. */
#ifndef SWEEP_ASK_SHEET_H
#define SWEEP_ASK_SHEET_H

#include "engine/base/text.h"
#include "sweep/ask/design.h"
#include "sweep/plan/config.h"

/* Adds the sweep file to out. sets: (count), as in sets.h. */
void sheet_write(const struct design *d, const struct look *l, const char *name,
                 const char *const *sets, int count, struct text_buffer *out);

/* The sweep file, read, as if it lay at path. BAD_INPUT, said as sheet_refuse does, where what is
 * set is no value for its key. */
enum status sheet_parse(const struct design *d, const struct look *l, const char *path,
                        const char *const *sets, int count, struct config **c, struct message *m);

/* What is wrong with a sweep file at path that is not there yet is said of what is set, in the
 * place of a line of the file. Returns status. */
enum status sheet_refuse(const char *path, const char *const *sets, int count, enum status status,
                         struct message *m);

/* ---- which sweeps share their trials ---- */

/* Twelve digits say so, whatever their head counts and the values that they tune, their seeds, and
 * how they are judged. */
enum { DIGITS_SIZE = 13 };

/* Of the trials of d where that is set: of the data or the toy, the net, its training, and the
 * metric, which chooses the best step of a trial. All of it is read from the sweep file that d
 * makes, called path: the digits are the same whether a default is set or not, however a value is
 * spelled, in whichever order, and whatever the file is called. BAD_INPUT where d cannot have what
 * is set. */
enum status digits_of(const struct design *d, const struct look *l, const char *path,
                      const char *const *sets, int count, char digits[DIGITS_SIZE],
                      struct message *m);

/* ---- the file ---- */

/* The sweep file that `ask` writes. Its last line says for what it was written, and has the SHA-256
 * of all lines above it, by which it is known whether a person has changed it since:
 *
 *   # headcount ask 3: 10 minutes, text-64x2, 840 steps for 10 minutes, level 1, seeds 5, confirm
 * 8, trains 0123456789ab, asked 0123456789ab, sha256 ...
 *
 * `trains` are the digits of its trials; `asked` are twelve of what was set beside the task. A file
 * that was changed is never written again. */

enum ask_file_state {
    ASK_FILE_NONE,    /* there is none */
    ASK_FILE_CHANGED, /* by a person; or not written by ask */
    ASK_FILE_OTHER,   /* as it was written, but for something else, or by another version */
    ASK_FILE_SAME     /* as it was written, for what is asked now */
};

/* Looks at the file at path, and gets, of SAME, the design that it was written for. IO, NO_MEMORY
 * where that cannot be told. */
enum status ask_file_read(const char *path, const struct look *l, const char *const *sets,
                          int count, enum ask_file_state *state, struct design *d,
                          struct message *m);

/* Writes it for the sweep of that name, whole or not at all. BAD_INPUT, with the remedy, where a
 * person has changed the one that is there. */
enum status ask_file_write(const char *path, const struct design *d, const struct look *l,
                           const char *name, const char *const *sets, int count, struct message *m);

/* Says that and returns BAD_INPUT. */
enum status ask_file_refuse_changed(const char *path, struct message *m);

#endif
