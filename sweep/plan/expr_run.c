#include <math.h>
#include <string.h>

#include "engine/base/option.h"
#include "engine/base/text.h"
#include "sweep/plan/expr_code.h"

struct value {
    double number;
    const char *word; /* NULL for a number */
};

static enum status number_of(const struct value *v, double *number, struct message *m)
{
    char shown[64];
    if (v->word)
        return status_fail(m, STATUS_BAD_INPUT, "'%s' is a word where a number is expected",
                           text_shown(v->word, shown, sizeof shown));
    *number = v->number;
    return STATUS_OK;
}

static double modulo(double a, double b)
{
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static bool equal(const struct value *a, const struct value *b)
{
    if (a->word && b->word)
        return strcmp(a->word, b->word) == 0;
    return !a->word && !b->word && a->number == b->number;
}

static double compute(enum code code, double x, double y)
{
    switch (code) {
    case CODE_ADD:
        return x + y;
    case CODE_SUBTRACT:
        return x - y;
    case CODE_MULTIPLY:
        return x * y;
    case CODE_DIVIDE:
        return x / y;
    case CODE_MODULO:
        return modulo(x, y);
    case CODE_LESS:
        return x < y;
    case CODE_LESS_EQUAL:
        return x <= y;
    case CODE_GREATER:
        return x > y;
    case CODE_GREATER_EQUAL:
        return x >= y;
    default: /* the other instructions are not arithmetic */
        return NAN;
    }
}

/* a = a code b */
static enum status apply(enum code code, struct value *a, const struct value *b, struct message *m)
{
    double x = 0, y = 0;
    if (code == CODE_EQUAL || code == CODE_UNEQUAL) {
        *a = (struct value){.number = equal(a, b) == (code == CODE_EQUAL)};
        return STATUS_OK;
    }
    enum status s = number_of(a, &x, m);
    if (s || (s = number_of(b, &y, m)))
        return s;
    if ((code == CODE_DIVIDE || code == CODE_MODULO) && y == 0)
        return status_fail(m, STATUS_BAD_INPUT, "division by zero");
    a->number = compute(code, x, y);
    if (!isfinite(a->number))
        return status_fail(m, STATUS_BAD_INPUT, "a number too large to compute with");
    return STATUS_OK;
}

/* Instructions on the top of the stack alone. */
static enum status apply_unary(enum code code, struct value *top, struct message *m)
{
    double x = 0;
    enum status s = number_of(top, &x, m);
    top->number = code == CODE_NEGATE ? -x : code == CODE_NOT ? x == 0 : x != 0;
    return s;
}

enum status expr_evaluate(const struct expr *e, expr_lookup lookup, void *context, bool *truth,
                          struct message *m)
{
    struct value stack[EXPR_STACK] = {{0}};
    int n = 0;
    enum status s = STATUS_OK;
    for (int i = 0; i < e->count && !s; i++) {
        const struct instruction *at = &e->code[i];
        switch (at->code) {
        case CODE_NUMBER:
            stack[n++] = (struct value){.number = at->number};
            break;
        case CODE_WORD:
            stack[n++] = (struct value){.word = at->text};
            break;
        case CODE_NAME:
            stack[n] = (struct value){0};
            if (!lookup(context, at->text, &stack[n].number, &stack[n].word))
                return status_fail(m, STATUS_BAD_INPUT, "there is no option '%s'", at->text);
            n++;
            break;
        case CODE_NEGATE:
        case CODE_TRUTH:
        case CODE_NOT:
            s = apply_unary(at->code, &stack[n - 1], m);
            break;
        case CODE_AND:
        case CODE_OR:
            if ((stack[n - 1].number != 0) == (at->code == CODE_OR))
                i = at->target - 1;
            else
                n--;
            break;
        default:
            s = apply(at->code, &stack[n - 2], &stack[n - 1], m);
            n--;
            break;
        }
    }
    double result = 0;
    if (!s)
        s = number_of(&stack[0], &result, m);
    *truth = result != 0;
    return s;
}
