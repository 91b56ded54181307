#include "sweep/plan/expr.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "engine/base/utf8.h"
#include "sweep/plan/expr_code.h"

enum token {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_WORD,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_OPERATOR, /* see compiler.binary */
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT
};

struct compiler {
    const char *text, *p; /* p: after the present token */
    enum token token;
    const char *at;          /* where the present token begins */
    const char *start, *end; /* its text; a word's without its quotes */
    enum code binary;
    double number;
    int depth;
    struct expr *e;
    size_t text_used;
    expr_lookup lookup;
    void *context;
    int *column;
    struct message *m;
};

static enum status refuse(struct compiler *c, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static enum status refuse(struct compiler *c, const char *at, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    *c->column = (int)(at - c->text) + 1;
    return status_fail(c->m, STATUS_BAD_INPUT, "%s", text);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool token_is(const struct compiler *c, const char *word)
{
    size_t n = (size_t)(c->end - c->start);
    return strlen(word) == n && memcmp(c->start, word, n) == 0;
}

static enum status scan_number(struct compiler *c)
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
        return refuse(c, c->at, "%s is not a number", text);
    return STATUS_OK;
}

static void scan_name(struct compiler *c)
{
    const char *p = c->p;
    while (is_letter(*p) || is_digit(*p) || (*p == '.' && is_letter(p[1])))
        p++;
    c->p = c->end = p;
    c->token = token_is(c, "and")   ? TOKEN_AND
               : token_is(c, "or")  ? TOKEN_OR
               : token_is(c, "not") ? TOKEN_NOT
                                    : TOKEN_NAME;
}

static enum status scan_word(struct compiler *c)
{
    char quote = *c->p++;
    c->start = c->p;
    c->end = strchr(c->p, quote);
    if (!c->end)
        return refuse(c, c->at, "a word without its closing %c", quote);
    c->p = c->end + 1;
    c->token = TOKEN_WORD;
    return STATUS_OK;
}

static enum status scan_operator(struct compiler *c)
{
    static const struct {
        const char *text;
        enum code code;
    } operators[] = {{"==", CODE_EQUAL},      {"!=", CODE_UNEQUAL},
                     {"<=", CODE_LESS_EQUAL}, {">=", CODE_GREATER_EQUAL},
                     {"<", CODE_LESS},        {">", CODE_GREATER},
                     {"+", CODE_ADD},         {"-", CODE_SUBTRACT},
                     {"*", CODE_MULTIPLY},    {"/", CODE_DIVIDE},
                     {"%", CODE_MODULO}};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t n = strlen(operators[i].text);
        if (strncmp(c->p, operators[i].text, n) == 0) {
            c->token = TOKEN_OPERATOR;
            c->binary = operators[i].code;
            c->p = c->end = c->p + n;
            return STATUS_OK;
        }
    }
    switch (*c->p) {
    case '=':
        return refuse(c, c->p, "= is not a comparison; write ==");
    case '&':
        return refuse(c, c->p, "& is not known; write and");
    case '|':
        return refuse(c, c->p, "| is not known; write or");
    case '!':
        return refuse(c, c->p, "! is not known; write not");
    default: {
        char one[5], shown[16];
        const unsigned char *p = (const unsigned char *)c->p;
        int n = utf8_decode(p, p + strlen(c->p), NULL);
        snprintf(one, sizeof one, "%.*s", n ? n : 1, c->p);
        return refuse(c, c->p, "'%s' is not known here", text_shown(one, shown, sizeof shown));
    }
    }
}

/* Reads the next token into c. */
static enum status scan(struct compiler *c)
{
    c->p += strspn(c->p, " \t\r\n");
    c->at = c->start = c->end = c->p;
    if (!*c->p) {
        c->token = TOKEN_END;
        return STATUS_OK;
    }
    if (is_digit(*c->p) || (*c->p == '.' && is_digit(c->p[1])))
        return scan_number(c);
    if (is_letter(*c->p)) {
        scan_name(c);
        return STATUS_OK;
    }
    if (*c->p == '\'' || *c->p == '"')
        return scan_word(c);
    if (*c->p == '(' || *c->p == ')') {
        c->token = *c->p == '(' ? TOKEN_OPEN : TOKEN_CLOSE;
        c->end = ++c->p;
        return STATUS_OK;
    }
    return scan_operator(c);
}

static struct instruction *emit(struct compiler *c, enum code code)
{
    struct instruction *i = &c->e->code[c->e->count++];
    *i = (struct instruction){.code = code};
    return i;
}

/* The present token's text, kept as long as the expression. */
static const char *keep_text(struct compiler *c)
{
    size_t n = (size_t)(c->end - c->start);
    char *kept = c->e->text + c->text_used;
    memcpy(kept, c->start, n);
    kept[n] = '\0';
    c->text_used += n + 1;
    return kept;
}

static enum status compile_or(struct compiler *c);
static enum status compile_unary(struct compiler *c);

/* true or false, as a name or in quotes. */
static bool at_truth(const struct compiler *c)
{
    return (c->token == TOKEN_NAME || c->token == TOKEN_WORD) &&
           (token_is(c, "true") || token_is(c, "false"));
}

static enum status compile_name(struct compiler *c)
{
    const char *name = keep_text(c), *word = NULL;
    double number = 0;
    char shown[64];
    if (!c->lookup(c->context, name, &number, &word))
        return refuse(c, c->at, "there is no option '%s'%s", text_shown(name, shown, sizeof shown),
                      strchr(name, '.') ? "" : " (a word goes in quotes)");
    emit(c, CODE_NAME)->text = name;
    return scan(c);
}

/* At an opening parenthesis, a sign or `not`: what stands behind it, one level deeper. */
static enum status compile_deeper(struct compiler *c, enum status (*inner)(struct compiler *))
{
    if (++c->depth > EXPR_DEPTH)
        return refuse(c, c->at, "nested deeper than %d levels", EXPR_DEPTH);
    enum status s = scan(c);
    if (!s)
        s = inner(c);
    c->depth--;
    return s;
}

static enum status compile_unary(struct compiler *c)
{
    enum status s;
    if (at_truth(c)) {
        emit(c, CODE_NUMBER)->number = token_is(c, "true");
        return scan(c);
    }
    switch (c->token) {
    case TOKEN_NUMBER:
        emit(c, CODE_NUMBER)->number = c->number;
        return scan(c);
    case TOKEN_WORD:
        emit(c, CODE_WORD)->text = keep_text(c);
        return scan(c);
    case TOKEN_NAME:
        return compile_name(c);
    case TOKEN_OPEN:
        if ((s = compile_deeper(c, compile_or)))
            return s;
        if (c->token != TOKEN_CLOSE)
            return refuse(c, c->at, "expected a closing parenthesis");
        return scan(c);
    case TOKEN_OPERATOR:
        if (c->binary != CODE_SUBTRACT)
            break;
        if ((s = compile_deeper(c, compile_unary)))
            return s;
        emit(c, CODE_NEGATE);
        return STATUS_OK;
    default:
        break;
    }
    return refuse(c, c->at, "expected a number, a name or a quoted word");
}

/* Operators of one level of binding, from the left: those from `first` to `last`. */
static enum status compile_chain(struct compiler *c, enum status (*operand)(struct compiler *),
                                 enum code first, enum code last)
{
    enum status s = operand(c);
    while (!s && c->token == TOKEN_OPERATOR && c->binary >= first && c->binary <= last) {
        enum code code = c->binary;
        if ((s = scan(c)) || (s = operand(c)))
            return s;
        emit(c, code);
    }
    return s;
}

static enum status compile_product(struct compiler *c)
{
    return compile_chain(c, compile_unary, CODE_MULTIPLY, CODE_MODULO);
}

static enum status compile_sum(struct compiler *c)
{
    return compile_chain(c, compile_product, CODE_ADD, CODE_SUBTRACT);
}

static bool at_comparison(const struct compiler *c)
{
    return c->token == TOKEN_OPERATOR && c->binary >= CODE_EQUAL && c->binary <= CODE_GREATER_EQUAL;
}

static enum status compile_comparison(struct compiler *c)
{
    enum status s = compile_sum(c);
    if (s || !at_comparison(c))
        return s;
    enum code code = c->binary;
    if ((s = scan(c)) || (s = compile_sum(c)))
        return s;
    emit(c, code);
    if (at_comparison(c))
        return refuse(c, c->at, "comparisons do not chain; join them with and");
    return STATUS_OK;
}

static enum status compile_not(struct compiler *c)
{
    if (c->token != TOKEN_NOT)
        return compile_comparison(c);
    enum status s = compile_deeper(c, compile_not);
    if (!s)
        emit(c, CODE_NOT);
    return s;
}

/* operand {token operand}: the result is 0 or 1, and decided as early as it can be. */
static enum status compile_logic(struct compiler *c, enum status (*operand)(struct compiler *),
                                 enum token token, enum code code)
{
    enum status s = operand(c);
    while (!s && c->token == token) {
        emit(c, CODE_TRUTH);
        int jump = c->e->count;
        emit(c, code);
        if ((s = scan(c)) || (s = operand(c)))
            return s;
        emit(c, CODE_TRUTH);
        c->e->code[jump].target = c->e->count;
    }
    return s;
}

static enum status compile_and(struct compiler *c)
{
    return compile_logic(c, compile_not, TOKEN_AND, CODE_AND);
}

static enum status compile_or(struct compiler *c)
{
    return compile_logic(c, compile_and, TOKEN_OR, CODE_OR);
}

enum status expr_compile(const char *text, expr_lookup lookup, void *context, struct expr **out,
                         int *column, struct message *m)
{
    *out = NULL;
    *column = 1;
    size_t n = strlen(text);
    if (n > EXPR_LENGTH)
        return status_fail(m, STATUS_BAD_INPUT, "an expression of more than %d bytes", EXPR_LENGTH);
    *column = 0;
    /* No text gives more instructions than it has bytes: the shortest operand of `or` is '', and
     * ''or gives four. Nor does it keep more than every byte and a terminator for each. */
    struct expr *e = calloc(1, sizeof *e);
    if (e) {
        e->code = calloc(n + 1, sizeof *e->code);
        e->text = calloc(2 * n + 1, 1); /* every token with its end */
    }
    if (!e || !e->code || !e->text) {
        expr_free(e);
        return status_no_memory(m, "a constraint");
    }
    struct compiler c = {.text = text,
                         .p = text,
                         .e = e,
                         .lookup = lookup,
                         .context = context,
                         .column = column,
                         .m = m};
    enum status s = scan(&c);
    if (!s)
        s = compile_or(&c);
    if (!s && c.token != TOKEN_END)
        s = refuse(&c, c.at, "expected an operator");
    if (s)
        expr_free(e);
    else
        *out = e;
    return s;
}

bool expr_is_condition(const struct expr *e)
{
    enum code last = e->code[e->count - 1].code; /* of postfix code: what binds loosest */
    return (last >= CODE_EQUAL && last <= CODE_GREATER_EQUAL) || last == CODE_TRUTH ||
           last == CODE_NOT;
}

void expr_free(struct expr *e)
{
    if (!e)
        return;
    free(e->code);
    free(e->text);
    free(e);
}
