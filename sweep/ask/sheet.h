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

#endif
