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

/* ---- the file ---- */

/* The sweep file that `ask` writes. Its last line says for what it was written, and has the SHA-256
 * of all lines above it, by which it is known whether a person has changed it since:
 *
 *   # headcount ask 3: 10 minutes, text-64x2, 840 steps for 10 minutes, level 1, seeds 5, confirm
 * 8, trains 0123456789ab, asked 0123456789ab, sha256 ...
 *
 * `trains` are the digits of its trials (decide.h); `asked` are twelve of what was set beside the
 * task. A file that was changed is never written again. */

enum ask_file_state {
    ASK_FILE_NONE,    /* there is none */
    ASK_FILE_CHANGED, /* by a person; or not written by ask */
    ASK_FILE_OTHER,   /* as it was written, but for other trials, or by another version */
    ASK_FILE_KEYS,    /* as it was written, for these trials, but with other keys beside them */
    ASK_FILE_SAME     /* as it was written, for what is asked now */
};

/* Looks at the file at path, and gets, of KEYS and SAME, the design that it was written for, whose
 * trials have the same digits where the sets are (count). IO, NO_MEMORY where that cannot be told.
 */
enum status ask_file_read(const char *path, const struct look *l, const char *const *sets,
                          int count, enum ask_file_state *state, struct design *d,
                          struct message *m);

/* Writes it for the sweep of that name, whole or not at all. BAD_INPUT, with the remedy, where a
 * person has changed the one that is there. */
enum status ask_file_write(const char *path, const struct design *d, const struct look *l,
                           const char *name, const char *const *sets, int count, struct message *m);

/* Says that and returns BAD_INPUT. */
enum status ask_file_refuse_changed(const char *path, struct message *m);

/* Whether the text is all of a sweep file as `ask` wrote it. */
bool ask_file_is_own(const char *text, size_t size);

#endif
