/* What is set of a sweep file on the command line: "model.layers=2", (count) of them. Of several
 * for one path the last counts. */
#ifndef SWEEP_ASK_SETS_H
#define SWEEP_ASK_SETS_H

#include "engine/base/status.h"
#include "engine/base/text.h"
#include "sweep/db/scope.h"

/* The value that is set for a path; NULL: none is. */
const char *sets_value(const char *const *sets, int count, const char *path);

/* A whole number from 1 that is set for a path; 0: none is. */
long sets_number(const char *const *sets, int count, const char *path);

/* The sets that count in an order of their own, in whichever they were given: the one that comes
 * after `before`, NULL for the first; NULL: there is none. */
const char *sets_next(const char *const *sets, int count, const char *before);

/* Whether `ask` can take these sets: keys of task, model and train, and of the top level, that it
 * does not choose by what they are about (name, task.file). BAD_INPUT: the message says which. */
enum status sets_check(const char *const *sets, int count, struct message *m);

/* ---- texts as values of a sweep file, and back ---- */

/* Adds text in single quotes, in which YAML takes any text of one line: it's as 'it''s'. */
void quote_add(struct text_buffer *b, const char *text);

/* The other way, of what --set gives: what stands in quotes without them, and anything else as it
 * is. *quoted: whether it stood in them. A double-quoted text with a backslash stays as it is.
 * False where text, with its end, takes more than size bytes. */
bool quote_read(const char *value, char *text, size_t size, bool *quoted);

/* ---- a model, or its training, that somebody has already ---- */

struct sets {
    const char **item;
    int count;
};

/* The sections `model` and `train` of a YAML file, a sweep file or a part of one, as sets:
 * "model.d_model=64", "train.lr=[1e-3, 3e-3]". One number of heads is passed over, as it is what is
 * asked; other sections are too. BAD_INPUT names the place: of what is no such file, or has neither
 * section. */
struct sets sets_of_model(struct scope *x, const char *path);

#endif
