/* The code that an expression is compiled to: postfix, for a small stack machine. Evaluation never
 * recurses, however long a chain of operators; nesting is bounded by the parser. */
#ifndef SWEEP_PLAN_EXPR_CODE_H
#define SWEEP_PLAN_EXPR_CODE_H

#include "sweep/plan/expr.h"

enum code {
    CODE_NUMBER,
    CODE_WORD,
    CODE_NAME,
    CODE_NEGATE,
    CODE_ADD,
    CODE_SUBTRACT,
    CODE_MULTIPLY,
    CODE_DIVIDE,
    CODE_MODULO,
    CODE_EQUAL,
    CODE_UNEQUAL,
    CODE_LESS,
    CODE_LESS_EQUAL,
    CODE_GREATER,
    CODE_GREATER_EQUAL,
    CODE_TRUTH, /* top = top is not 0 */
    CODE_NOT,   /* top = top is 0 */
    CODE_AND,   /* 0 on top: stays, go to target; else drop it and go on */
    CODE_OR     /* not 0 on top: stays, go to target; else drop it and go on */
};

struct instruction {
    enum code code;
    int target;       /* CODE_AND, CODE_OR */
    double number;    /* CODE_NUMBER */
    const char *text; /* CODE_WORD, CODE_NAME: within expr.text */
};

/* A level of nesting leaves at most three operands waiting: of a comparison, a sum, a product. */
enum { EXPR_STACK = 3 * (EXPR_DEPTH + 1) + 1 };

struct expr {
    int count;
    struct instruction *code;
    char *text; /* terminated words and names, one after the other */
};

#endif
