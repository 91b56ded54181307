/* Conditions on points: constraints of a sweep file, which are text, and items of `exclude`, which
 * are put together (expr_among, expr_and). Text has numbers, dotted option names, quoted words,
 * + - * / %, comparisons, and/or/not, parentheses; nothing else.
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
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/base/status.h"

enum {
    EXPR_LENGTH = 4096,
    EXPR_DEPTH = 32
}; /* bytes of text; parentheses and signs in each other */

struct expr;

/* A number, or a word where that is set. */
struct expr_value {
    double number;
    const char *word; /* (size): equal where all bytes are; of a text it ends with a NUL */
    size_t size;
};

/* What a name stands for, asked once, when a text is compiled. NULL: nothing, and m says so. */
typedef const void *expr_find(void *context, const char *name, struct message *m);

/* The value of what was found, asked whenever an expression is evaluated. */
typedef struct expr_value expr_get(const void *context, const void *found);

/* Compiles text; the expression is the arena's. NULL: m says what is wrong, at which column (from
 * 1, in *column; 0 without a fault). */
struct expr *expr_compile(struct arena *a, const char *text, expr_find *find, void *context,
                          int *column, struct message *m);

/* Whether what was found has one of these values, which are kept; whether both are true. */
struct expr *expr_among(struct arena *a, const void *found, const struct expr_value *values,
                        int count);
struct expr *expr_and(struct arena *a, const struct expr *left, const struct expr *right);

/* True if its result is a truth value: a comparison, `and`, `or` or `not`; false for numbers, names
 * and sums. */
bool expr_is_condition(const struct expr *e);

/* Evaluates; *truth is whether it is true (not 0). BAD_INPUT on division by zero, on numbers that
 * overflow, and on words where numbers belong. Takes no memory but the stack, 1 MiB at most. */
enum status expr_evaluate(const struct expr *e, expr_get *get, const void *context, bool *truth,
                          struct message *m);

#endif
