/* Constraint expressions of a sweep file: numbers, dotted option names, quoted words, + - * / %,
 * comparisons, and/or/not, parentheses; nothing else.
 *
 *   or      = and {"or" and}                         binds loosest
 *   and     = not {"and" not}
 *   not     = "not" not | compare
 *   compare = sum [("==" | "!=" | "<" | "<=" | ">" | ">=") sum]     one comparison, no chains
 *   sum     = product {("+" | "-") product}
 *   product = unary {("*" | "/" | "%") unary}
 *   unary   = "-" unary | number | name | 'word' | "word" | "(" or ")"
 *
 * true and false, in quotes or not, are 1 and 0: what switches have.
 *
 * Arithmetic is in doubles; a % b has the sign of b, as in Python. `and` and `or` do not
 * evaluate their right side where the left one decides. Words compare with == and != only; a word
 * never equals a number. Truth is: not 0. */
#ifndef SWEEP_PLAN_EXPR_H
#define SWEEP_PLAN_EXPR_H

#include <stdbool.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"

enum {
    EXPR_LENGTH = 4096,
    EXPR_DEPTH = 32
}; /* bytes of text; parentheses and signs in each other */

struct expr;

/* Looks up a name's value: a number, or a word (for CHOICE options; then *word is set). False if
 * there is no such name. The pointer `name` is the same at every evaluation of one expression. */
typedef bool (*expr_lookup)(void *context, const char *name, double *number, const char **word);

/* Compiles text; the expression is the arena's. NULL: m says what is wrong, at which column (from
 * 1, in *column; 0 without a fault). The names it uses are checked with lookup. */
struct expr *expr_compile(struct arena *a, const char *text, expr_lookup lookup, void *context,
                          int *column, struct message *m);

/* True if its result is a truth value: a comparison, `and`, `or` or `not`; false for numbers, names
 * and sums. */
bool expr_is_condition(const struct expr *e);

/* Evaluates; *truth is whether it is true (not 0). BAD_INPUT on division by zero, on numbers that
 * overflow, and on words where numbers belong. Takes no memory. */
enum status expr_evaluate(const struct expr *e, expr_lookup lookup, void *context, bool *truth,
                          struct message *m);

#endif
