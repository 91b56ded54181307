/* Constraint expressions of a sweep file: numbers, dotted option names, quoted words, + - * / %,
 * comparisons, and/or/not, parentheses; nothing else. */
#ifndef SWEEP_EXPR_H
#define SWEEP_EXPR_H

#include <stdbool.h>

#include "engine/status.h"

struct expr;

/* Looks up a name's value: a number, or a word (for CHOICE options; then *word is set). False if
 * there is no such name. */
typedef bool (*expr_lookup)(void *context, const char *name, double *number, const char **word);

/* Compiles text. BAD_INPUT says what and at which column (from 1, in *column). The names it uses
 * are checked with lookup. Free with expr_free. */
enum status expr_compile(const char *text, expr_lookup lookup, void *context, struct expr **e,
                         int *column, struct message *m);

/* Evaluates; *truth is whether it is true (not 0). BAD_INPUT on division by zero or words where
 * numbers belong. */
enum status expr_evaluate(const struct expr *e, expr_lookup lookup, void *context, bool *truth,
                          struct message *m);
void expr_free(struct expr *e);

#endif
