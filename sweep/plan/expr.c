#include "sweep/plan/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "engine/base/utf8.h"

/* By how they bind, loosest first. */
enum binary {
    OP_NONE,
    OP_OR,
    OP_AND,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MODULO
};

/* A chain has its first operand within it, and behind that the others, each with the operator in
 * front of it: a long sum is long and not deep. */
struct expr {
    enum { EXPR_NUMBER, EXPR_WORD, EXPR_NAME, EXPR_NEGATE, EXPR_NOT, EXPR_CHAIN } kind;
    double number;
    const char *text;   /* of a word or name */
    struct expr *inner; /* of what is negated; the first of a chain */
    enum binary joined;
    struct expr *next;
};

/* ---- tokens ---- */

enum token {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_WORD,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_OPERATOR,
    TOKEN_NOT
};

struct parser {
    const char *text, *p; /* p: after the present token */
    enum token token;
    const char *at;          /* where the present token begins */
    const char *start, *end; /* its text; a word's without its quotes */
    enum binary op;
    double number;
    int depth;
    struct arena *arena;
    expr_lookup lookup;
    void *context;
    int *column;
    struct message *m;
    jmp_buf refused;
};

static _Noreturn void refuse(struct parser *c, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static _Noreturn void refuse(struct parser *c, const char *at, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    *c->column = (int)(at - c->text) + 1;
    status_fail(c->m, STATUS_BAD_INPUT, "%s", text);
    longjmp(c->refused, 1);
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
    size_t n = (size_t)(c->end - c->start);
    return strlen(word) == n && memcmp(c->start, word, n) == 0;
}

static void scan_number(struct parser *c)
{
    char text[64];
    const char *p = c->p;
    while (is_digit(*p) || is_letter(*p) || *p == '.' ||
           ((*p == '-' || *p == '+') && (p[-1] == 'e' || p[-1] == 'E')))
        p++;
    size_t n = (size_t)(p - c->p);
    bool integral;
    c->token = TOKEN_NUMBER;
    c->p = c->end = p;
    snprintf(text, sizeof text, "%.*s", n < sizeof text ? (int)n : (int)sizeof text - 1, c->start);
    if (n >= sizeof text || !number_parse(text, &c->number, &integral))
        refuse(c, c->at, "%s is not a number", text);
}

static void scan_name(struct parser *c)
{
    const char *p = c->p;
    while (is_letter(*p) || is_digit(*p) || (*p == '.' && is_letter(p[1])))
        p++;
    c->p = c->end = p;
    c->op = token_is(c, "and") ? OP_AND : token_is(c, "or") ? OP_OR : OP_NONE;
    c->token = c->op ? TOKEN_OPERATOR : token_is(c, "not") ? TOKEN_NOT : TOKEN_NAME;
}

static void scan_word(struct parser *c)
{
    char quote = *c->p++;
    c->start = c->p;
    c->end = strchr(c->p, quote);
    if (!c->end)
        refuse(c, c->at, "a word without its closing %c", quote);
    c->p = c->end + 1;
    c->token = TOKEN_WORD;
}

static void scan_operator(struct parser *c)
{
    static const struct {
        const char *text;
        enum binary op;
    } operators[] = {
        {"==", OP_EQUAL},   {"!=", OP_UNEQUAL}, {"<=", OP_LESS_EQUAL}, {">=", OP_GREATER_EQUAL},
        {"<", OP_LESS},     {">", OP_GREATER},  {"+", OP_ADD},         {"-", OP_SUBTRACT},
        {"*", OP_MULTIPLY}, {"/", OP_DIVIDE},   {"%", OP_MODULO}};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t n = strlen(operators[i].text);
        if (strncmp(c->p, operators[i].text, n) == 0) {
            c->token = TOKEN_OPERATOR;
            c->op = operators[i].op;
            c->p = c->end = c->p + n;
            return;
        }
    }
    switch (*c->p) {
    case '=':
        refuse(c, c->p, "= is not a comparison; write ==");
    case '&':
        refuse(c, c->p, "& is not known; write and");
    case '|':
        refuse(c, c->p, "| is not known; write or");
    case '!':
        refuse(c, c->p, "! is not known; write not");
    default: {
        char one[5], shown[16];
        const unsigned char *p = (const unsigned char *)c->p;
        int n = utf8_decode(p, p + strlen(c->p), NULL);
        snprintf(one, sizeof one, "%.*s", n ? n : 1, c->p);
        refuse(c, c->p, "'%s' is not known here", text_shown(one, shown, sizeof shown));
    }
    }
}

/* Reads the next token into c. */
static void scan(struct parser *c)
{
    c->p += strspn(c->p, " \t\r\n");
    c->at = c->start = c->end = c->p;
    c->op = OP_NONE;
    if (!*c->p) {
        c->token = TOKEN_END;
    } else if (is_digit(*c->p) || (*c->p == '.' && is_digit(c->p[1]))) {
        scan_number(c);
    } else if (is_letter(*c->p)) {
        scan_name(c);
    } else if (*c->p == '\'' || *c->p == '"') {
        scan_word(c);
    } else if (*c->p == '(' || *c->p == ')') {
        c->token = *c->p == '(' ? TOKEN_OPEN : TOKEN_CLOSE;
        c->end = ++c->p;
    } else {
        scan_operator(c);
    }
}

/* ---- parsing ---- */

/* What binds as tightly, or tighter, from a level on; the comparison is one level. */
enum level { LEVEL_OR, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_UNARY };

static const struct {
    enum binary first, last;
} operators_of[] = {
    [LEVEL_OR] = {OP_OR, OP_OR},
    [LEVEL_AND] = {OP_AND, OP_AND},
    [LEVEL_COMPARE] = {OP_EQUAL, OP_GREATER_EQUAL},
    [LEVEL_SUM] = {OP_ADD, OP_SUBTRACT},
    [LEVEL_PRODUCT] = {OP_MULTIPLY, OP_MODULO},
};

static struct expr *parse(struct parser *c, enum level level);

static struct expr *new_expr(struct parser *c, struct expr e)
{
    struct expr *kept = arena_alloc(c->arena, 1, sizeof *kept);
    *kept = e;
    return kept;
}

/* At an opening parenthesis, a sign or `not`: what stands behind it, one level deeper. */
static struct expr *parse_deeper(struct parser *c, enum level level)
{
    if (++c->depth > EXPR_DEPTH)
        refuse(c, c->at, "nested deeper than %d levels", EXPR_DEPTH);
    scan(c);
    struct expr *e = parse(c, level);
    c->depth--;
    return e;
}

static struct expr name_expr(struct parser *c)
{
    struct expr e = {.kind = EXPR_NAME,
                     .text = arena_text(c->arena, c->start, (size_t)(c->end - c->start))};
    const char *word = NULL;
    double number = 0;
    char shown[64];
    if (!c->lookup(c->context, e.text, &number, &word))
        refuse(c, c->at, "there is no option '%s'%s", text_shown(e.text, shown, sizeof shown),
               strchr(e.text, '.') ? "" : " (a word goes in quotes)");
    return e;
}

static struct expr *parse_unary(struct parser *c)
{
    struct expr e = {.kind = EXPR_NUMBER};
    bool spelled = c->token == TOKEN_NAME || c->token == TOKEN_WORD;
    if (spelled && (token_is(c, "true") || token_is(c, "false"))) {
        e.number = token_is(c, "true");
    } else if (c->token == TOKEN_NUMBER) {
        e.number = c->number;
    } else if (c->token == TOKEN_WORD) {
        e.kind = EXPR_WORD;
        e.text = arena_text(c->arena, c->start, (size_t)(c->end - c->start));
    } else if (c->token == TOKEN_NAME) {
        e = name_expr(c);
    } else if (c->token == TOKEN_OPEN) {
        struct expr *inner = parse_deeper(c, LEVEL_OR);
        if (c->token != TOKEN_CLOSE)
            refuse(c, c->at, "expected a closing parenthesis");
        scan(c);
        return inner;
    } else if (c->op == OP_SUBTRACT) {
        e.kind = EXPR_NEGATE;
        e.inner = parse_deeper(c, LEVEL_UNARY);
        return new_expr(c, e);
    } else {
        refuse(c, c->at, "expected a number, a name or a quoted word");
    }
    scan(c);
    return new_expr(c, e);
}

static bool is_of(enum binary op, enum level level)
{
    return op >= operators_of[level].first && op <= operators_of[level].last;
}

/* Operands joined by operators of one level, from the left. */
static struct expr *parse_chain(struct parser *c, enum level level)
{
    struct expr *first = parse(c, level + 1), *chain = NULL, **end = &chain;
    while (is_of(c->op, level)) {
        if (!chain) {
            chain = new_expr(c, (struct expr){.kind = EXPR_CHAIN, .inner = first});
            end = &first->next;
        } else if (level == LEVEL_COMPARE) {
            refuse(c, c->at, "comparisons do not chain; join them with and");
        }
        enum binary op = c->op;
        scan(c);
        *end = parse(c, level + 1);
        (*end)->joined = op;
        end = &(*end)->next;
    }
    return chain ? chain : first;
}

static struct expr *parse(struct parser *c, enum level level)
{
    if (level == LEVEL_UNARY)
        return parse_unary(c);
    if (level != LEVEL_NOT)
        return parse_chain(c, level);
    if (c->token != TOKEN_NOT)
        return parse(c, LEVEL_COMPARE);
    return new_expr(c, (struct expr){.kind = EXPR_NOT, .inner = parse_deeper(c, LEVEL_NOT)});
}

struct expr *expr_compile(struct arena *a, const char *text, expr_lookup lookup, void *context,
                          int *column, struct message *m)
{
    struct parser c = {.text = text,
                       .p = text,
                       .arena = a,
                       .lookup = lookup,
                       .context = context,
                       .column = column,
                       .m = m};
    if (setjmp(c.refused))
        return NULL;
    if (strlen(text) > EXPR_LENGTH)
        refuse(&c, text, "an expression of more than %d bytes", EXPR_LENGTH);
    *column = 0;
    scan(&c);
    struct expr *e = parse(&c, LEVEL_OR);
    if (c.token != TOKEN_END)
        refuse(&c, c.at, "expected an operator");
    return e;
}

/* ---- evaluating ---- */

static bool is_logic(enum binary op)
{
    return op == OP_AND || op == OP_OR;
}

bool expr_is_condition(const struct expr *e)
{
    enum binary op = e->kind == EXPR_CHAIN ? e->inner->next->joined : OP_NONE;
    return e->kind == EXPR_NOT || is_logic(op) || is_of(op, LEVEL_COMPARE);
}

struct value {
    double number;
    const char *word; /* NULL for a number */
};

struct evaluation {
    expr_lookup lookup;
    void *context;
    struct message *m;
    jmp_buf failed;
};

static _Noreturn void fail(struct evaluation *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static _Noreturn void fail(struct evaluation *v, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (v->m)
        vsnprintf(v->m->text, sizeof v->m->text, format, arguments);
    va_end(arguments);
    longjmp(v->failed, 1);
}

static double number_of(struct evaluation *v, struct value value)
{
    char shown[64];
    if (value.word)
        fail(v, "'%s' is a word where a number is expected",
             text_shown(value.word, shown, sizeof shown));
    return value.number;
}

static double modulo(double a, double b)
{
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static bool equal(struct value a, struct value b)
{
    if (a.word && b.word)
        return strcmp(a.word, b.word) == 0;
    return !a.word && !b.word && a.number == b.number;
}

static double compute(enum binary op, double x, double y)
{
    switch (op) {
    case OP_ADD:
        return x + y;
    case OP_SUBTRACT:
        return x - y;
    case OP_MULTIPLY:
        return x * y;
    case OP_DIVIDE:
        return x / y;
    case OP_MODULO:
        return modulo(x, y);
    case OP_LESS:
        return x < y;
    case OP_LESS_EQUAL:
        return x <= y;
    case OP_GREATER:
        return x > y;
    case OP_GREATER_EQUAL:
        return x >= y;
    default: /* the others are not arithmetic */
        return NAN;
    }
}

static double apply(struct evaluation *v, enum binary op, struct value a, struct value b)
{
    if (op == OP_EQUAL || op == OP_UNEQUAL)
        return equal(a, b) == (op == OP_EQUAL);
    double x = number_of(v, a), y = number_of(v, b);
    if ((op == OP_DIVIDE || op == OP_MODULO) && y == 0)
        fail(v, "division by zero");
    double result = compute(op, x, y);
    if (!isfinite(result))
        fail(v, "a number too large to compute with");
    return result;
}

static struct value evaluate(struct evaluation *v, const struct expr *e);

/* Decided as early as it can be. */
static bool evaluate_logic(struct evaluation *v, const struct expr *chain)
{
    bool truth = false, decides = chain->inner->next->joined == OP_OR;
    for (const struct expr *e = chain->inner; e; e = e->next)
        if ((truth = number_of(v, evaluate(v, e)) != 0) == decides)
            break;
    return truth;
}

static struct value evaluate_chain(struct evaluation *v, const struct expr *chain)
{
    struct value value = evaluate(v, chain->inner);
    for (const struct expr *e = chain->inner->next; e; e = e->next)
        value = (struct value){.number = apply(v, e->joined, value, evaluate(v, e))};
    return value;
}

static struct value evaluate(struct evaluation *v, const struct expr *e)
{
    struct value value = {.number = e->number};
    switch (e->kind) {
    case EXPR_WORD:
        value.word = e->text;
        break;
    case EXPR_NAME:
        if (!v->lookup(v->context, e->text, &value.number, &value.word))
            fail(v, "there is no option '%s'", e->text);
        break;
    case EXPR_NEGATE:
        value.number = -number_of(v, evaluate(v, e->inner));
        break;
    case EXPR_NOT:
        value.number = number_of(v, evaluate(v, e->inner)) == 0;
        break;
    case EXPR_CHAIN:
        if (!is_logic(e->inner->next->joined))
            return evaluate_chain(v, e);
        value.number = evaluate_logic(v, e);
        break;
    default:
        break;
    }
    return value;
}

enum status expr_evaluate(const struct expr *e, expr_lookup lookup, void *context, bool *truth,
                          struct message *m)
{
    struct evaluation v = {.lookup = lookup, .context = context, .m = m};
    *truth = false;
    if (setjmp(v.failed))
        return STATUS_BAD_INPUT;
    *truth = number_of(&v, evaluate(&v, e)) != 0;
    return STATUS_OK;
}
