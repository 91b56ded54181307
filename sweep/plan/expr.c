#include "sweep/plan/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "engine/base/utf8.h"

/* What a token is, and what an expression made of it computes; operators in the order of
 * binding_of. */
enum kind {
    END,
    NUMBER,
    WORD,
    NAME,
    AMONG,
    OPEN,
    CLOSE,
    NOT,
    OR,
    AND,
    EQUAL,
    UNEQUAL,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    MODULO
};

/* How tightly operators bind, loosest first. */
enum binding { NONE, BY_OR, BY_AND, BY_NOT, BY_COMPARISON, BY_SUM, BY_PRODUCT, BY_SIGN };

static enum binding binding_of(enum kind op)
{
    return op >= MULTIPLY ? BY_PRODUCT
           : op >= ADD    ? BY_SUM
           : op >= EQUAL  ? BY_COMPARISON
           : op == AND    ? BY_AND
           : op == OR     ? BY_OR
                          : NONE;
}

struct expr {
    enum kind kind;
    int count;
    struct expr_value value;         /* NUMBER, WORD */
    const void *found;               /* NAME, AMONG */
    const struct expr_value *values; /* AMONG: (count) */
    const struct expr *left, *right; /* of an operator; NOT has a right side only */
};

/* The way out, for both what cannot be parsed and what cannot be computed. */
struct way_out {
    struct message *m;
    jmp_buf taken;
};

static _Noreturn void fail(struct way_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static _Noreturn void fail(struct way_out *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (out->m)
        vsnprintf(out->m->text, sizeof out->m->text, format, arguments);
    va_end(arguments);
    longjmp(out->taken, 1);
}

/* ---- tokens ---- */

struct parser {
    const char *text, *p; /* p: after the present token */
    enum kind kind;       /* of the present token */
    const char *at;       /* where it begins */
    const char *start;    /* (size): its text; a word's without its quotes */
    size_t size;
    double number;
    int depth;
    struct arena *arena;
    expr_find *find;
    void *context;
    int *column;
    struct way_out out;
};

/* The way out because of what stands there. */
static struct way_out *fault_at(struct parser *c, const char *at)
{
    *c->column = (int)(at - c->text) + 1;
    return &c->out;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool token_is(const struct parser *c, const char *word)
{
    return strlen(word) == c->size && memcmp(c->start, word, c->size) == 0;
}

static void scan_number(struct parser *c)
{
    char text[64];
    bool integral;
    const char *p = c->p;
    while (is_digit(*p) || is_letter(*p) || *p == '.' ||
           ((*p == '-' || *p == '+') && (p[-1] == 'e' || p[-1] == 'E')))
        p++;
    c->kind = NUMBER;
    c->size = (size_t)(p - c->p);
    c->p = p;
    snprintf(text, sizeof text, "%.*s", (int)c->size, c->start);
    if (c->size >= sizeof text || !number_parse(text, &c->number, &integral))
        fail(fault_at(c, c->at), "%s is not a number", text);
}

static void scan_name(struct parser *c)
{
    const char *p = c->p;
    while (is_letter(*p) || is_digit(*p) || (*p == '.' && is_letter(p[1])))
        p++;
    c->size = (size_t)(p - c->p);
    c->p = p;
    c->kind = token_is(c, "and") ? AND : token_is(c, "or") ? OR : token_is(c, "not") ? NOT : NAME;
}

static void scan_word(struct parser *c)
{
    char quote = *c->p;
    const char *end = strchr(++c->start, quote);
    if (!end)
        fail(fault_at(c, c->at), "a word without its closing %c", quote);
    c->size = (size_t)(end - c->start);
    c->p = end + 1;
    c->kind = WORD;
}

static void scan_sign(struct parser *c)
{
    static const struct {
        const char *text;
        enum kind kind;
        const char *refusal; /* of what other languages write; NULL: it is known */
    } signs[] = {{"(", OPEN, NULL},
                 {")", CLOSE, NULL},
                 {"==", EQUAL, NULL},
                 {"!=", UNEQUAL, NULL},
                 {"<=", LESS_EQUAL, NULL},
                 {">=", GREATER_EQUAL, NULL},
                 {"<", LESS, NULL},
                 {">", GREATER, NULL},
                 {"+", ADD, NULL},
                 {"-", SUBTRACT, NULL},
                 {"*", MULTIPLY, NULL},
                 {"/", DIVIDE, NULL},
                 {"%", MODULO, NULL},
                 {"=", END, "= is not a comparison; write =="},
                 {"&", END, "& is not known; write and"},
                 {"|", END, "| is not known; write or"},
                 {"!", END, "! is not known; write not"}};
    char one[5], shown[16];
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i].text);
        if (strncmp(c->p, signs[i].text, n) != 0)
            continue;
        if (signs[i].refusal)
            fail(fault_at(c, c->at), "%s", signs[i].refusal);
        c->kind = signs[i].kind;
        c->p += n;
        return;
    }
    const unsigned char *p = (const unsigned char *)c->p;
    int n = utf8_decode(p, p + strlen(c->p), NULL);
    snprintf(one, sizeof one, "%.*s", n ? n : 1, c->p);
    fail(fault_at(c, c->at), "'%s' is not known here", text_shown(one, shown, sizeof shown));
}

/* Reads the next token into c. */
static void scan(struct parser *c)
{
    c->p += strspn(c->p, " \t\r\n");
    c->at = c->start = c->p;
    c->size = 0;
    if (!*c->p)
        c->kind = END;
    else if (is_digit(*c->p) || (*c->p == '.' && is_digit(c->p[1])))
        scan_number(c);
    else if (is_letter(*c->p))
        scan_name(c);
    else if (*c->p == '\'' || *c->p == '"')
        scan_word(c);
    else
        scan_sign(c);
    if (token_is(c, "true") || token_is(c, "false")) {
        c->kind = NUMBER;
        c->number = token_is(c, "true");
    }
}

/* ---- parsing ---- */

static struct expr *parse(struct parser *c, enum binding least);

static struct expr *new_expr(struct arena *a, struct expr e)
{
    struct expr *kept = arena_alloc(a, 1, sizeof *kept);
    *kept = e;
    return kept;
}

/* At an opening parenthesis, a sign or `not`: what stands behind it, one level deeper. */
static struct expr *parse_deeper(struct parser *c, enum binding least)
{
    if (++c->depth > EXPR_DEPTH)
        fail(fault_at(c, c->at), "nested deeper than %d levels", EXPR_DEPTH);
    scan(c);
    struct expr *e = parse(c, least);
    c->depth--;
    return e;
}

static const void *find_name(struct parser *c)
{
    const void *found = c->find(c->context, arena_text(c->arena, c->start, c->size), c->out.m);
    if (!found)
        longjmp(fault_at(c, c->at)->taken, 1);
    return found;
}

/* `not` binds more loosely than a comparison: it is no operand of one. */
static struct expr *parse_operand(struct parser *c, enum binding least)
{
    struct expr e = {.kind = c->kind, .value.number = c->number};
    if (c->kind == NOT && least <= BY_NOT) {
        e.right = parse_deeper(c, BY_NOT);
        return new_expr(c->arena, e);
    }
    if (c->kind == SUBTRACT) { /* from 0 */
        e.left = new_expr(c->arena, (struct expr){.kind = NUMBER});
        e.right = parse_deeper(c, BY_SIGN);
        return new_expr(c->arena, e);
    }
    if (c->kind == OPEN) {
        struct expr *inner = parse_deeper(c, BY_OR);
        if (c->kind != CLOSE)
            fail(fault_at(c, c->at), "expected a closing parenthesis");
        scan(c);
        return inner;
    }
    if (c->kind == WORD)
        e.value =
            (struct expr_value){.word = arena_text(c->arena, c->start, c->size), .size = c->size};
    else if (c->kind == NAME)
        e.found = find_name(c);
    else if (c->kind != NUMBER)
        fail(fault_at(c, c->at), "expected a number, a name or a quoted word");
    scan(c);
    return new_expr(c->arena, e);
}

/* An operand, and what is joined to it by operators that bind at least so tightly, from the left
 * (Pratt 1973, Top down operator precedence). */
static struct expr *parse(struct parser *c, enum binding least)
{
    struct expr *e = parse_operand(c, least);
    while (binding_of(c->kind) >= least) {
        enum kind op = c->kind;
        scan(c);
        const struct expr *right = parse(c, binding_of(op) + 1);
        e = new_expr(c->arena, (struct expr){.kind = op, .left = e, .right = right});
        if (binding_of(op) == BY_COMPARISON && binding_of(c->kind) == BY_COMPARISON)
            fail(fault_at(c, c->at), "comparisons do not chain; join them with and");
    }
    return e;
}

struct expr *expr_compile(struct arena *a, const char *text, expr_find *find, void *context,
                          int *column, struct message *m)
{
    struct parser c = {.text = text,
                       .p = text,
                       .arena = a,
                       .find = find,
                       .context = context,
                       .column = column,
                       .out.m = m};
    if (setjmp(c.out.taken))
        return NULL;
    if (strlen(text) > EXPR_LENGTH)
        fail(fault_at(&c, text), "an expression of more than %d bytes", EXPR_LENGTH);
    *column = 0;
    scan(&c);
    struct expr *e = parse(&c, BY_OR);
    if (c.kind != END)
        fail(fault_at(&c, c.at), "expected an operator");
    return e;
}

struct expr *expr_among(struct arena *a, const void *found, const struct expr_value *values,
                        int count)
{
    return new_expr(a,
                    (struct expr){.kind = AMONG, .found = found, .values = values, .count = count});
}

struct expr *expr_and(struct arena *a, const struct expr *left, const struct expr *right)
{
    return new_expr(a, (struct expr){.kind = AND, .left = left, .right = right});
}

bool expr_is_condition(const struct expr *e)
{
    enum binding binding = binding_of(e->kind);
    return e->kind == NOT || (binding && binding <= BY_COMPARISON);
}

/* ---- evaluating ---- */

struct evaluation {
    expr_get *get;
    const void *context;
    struct way_out out;
};

static double number_of(struct evaluation *v, struct expr_value value)
{
    char shown[64];
    if (value.word)
        fail(&v->out, "'%s' is a word where a number is expected",
             text_shown(value.word, shown, sizeof shown));
    return value.number;
}

static double modulo(double a, double b)
{
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static bool equal(struct expr_value a, struct expr_value b)
{
    if (a.word && b.word)
        return a.size == b.size && memcmp(a.word, b.word, a.size) == 0;
    return !a.word && !b.word && a.number == b.number;
}

static bool is_among(struct expr_value value, const struct expr *e)
{
    int i = 0;
    while (i < e->count && !equal(value, e->values[i]))
        i++;
    return i < e->count;
}

static double compute(struct evaluation *v, enum kind op, struct expr_value a, struct expr_value b)
{
    if (op == EQUAL || op == UNEQUAL)
        return equal(a, b) == (op == EQUAL);
    double x = number_of(v, a), y = number_of(v, b);
    if ((op == DIVIDE || op == MODULO) && y == 0)
        fail(&v->out, "division by zero");
    switch (op) {
    case LESS:
        return x < y;
    case LESS_EQUAL:
        return x <= y;
    case GREATER:
        return x > y;
    case GREATER_EQUAL:
        return x >= y;
    case ADD:
        return x + y;
    case SUBTRACT:
        return x - y;
    case MULTIPLY:
        return x * y;
    case DIVIDE:
        return x / y;
    default:
        return modulo(x, y);
    }
}

static struct expr_value evaluate(struct evaluation *v, const struct expr *e);

static bool is_true(struct evaluation *v, const struct expr *e)
{
    return number_of(v, evaluate(v, e)) != 0;
}

static struct expr_value evaluate(struct evaluation *v, const struct expr *e)
{
    struct expr_value value = {0};
    switch (e->kind) {
    case NUMBER:
    case WORD:
        return e->value;
    case NAME:
        return v->get(v->context, e->found);
    case AMONG:
        value.number = is_among(v->get(v->context, e->found), e);
        break;
    case NOT:
        value.number = !is_true(v, e->right);
        break;
    case OR:
        value.number = is_true(v, e->left) || is_true(v, e->right);
        break;
    case AND:
        value.number = is_true(v, e->left) && is_true(v, e->right);
        break;
    default:
        value = evaluate(v, e->left);
        value = (struct expr_value){.number = compute(v, e->kind, value, evaluate(v, e->right))};
        if (!isfinite(value.number))
            fail(&v->out, "a number too large to compute with");
    }
    return value;
}

enum status expr_evaluate(const struct expr *e, expr_get *get, const void *context, bool *truth,
                          struct message *m)
{
    struct evaluation v = {.get = get, .context = context, .out.m = m};
    *truth = false;
    if (setjmp(v.out.taken))
        return STATUS_BAD_INPUT;
    *truth = is_true(&v, e);
    return STATUS_OK;
}
