/* Constraint expressions: values, binding, what is refused and at which column. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sweep/plan/expr.h"

#include "tests/test.h"

/* x is 7, model.heads 4, big 1e308, model.norm the word pre. */
static bool look_up(void *context, const char *name, double *number, const char **word)
{
    static const struct {
        const char *name;
        double number;
        const char *word;
    } known[] = {
        {"x", 7, NULL}, {"model.heads", 4, NULL}, {"big", 1e308, NULL}, {"model.norm", 0, "pre"}};
    int *calls = context;
    ++*calls;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, name) == 0) {
            *number = known[i].number;
            *word = known[i].word;
            return true;
        }
    }
    return false;
}

static enum status evaluate(const char *text, bool *truth, struct message *m)
{
    struct arena arena;
    int column, calls = 0;
    arena_init(&arena, NULL);
    struct expr *e = expr_compile(&arena, text, look_up, &calls, &column, m);
    if (!e)
        fail_msg("%s: column %d: %s", text, column, m->text);
    assert_int_equal(column, 0);
    enum status s = expr_evaluate(e, look_up, &calls, truth, m);
    arena_free(&arena);
    return s;
}

static void assert_truth(const char *text, bool expected)
{
    struct message m;
    bool truth;
    if (evaluate(text, &truth, &m))
        fail_msg("%s: %s", text, m.text);
    if (truth != expected)
        fail_msg("%s is not %s", text, expected ? "true" : "false");
}

TEST(test_values)
{
    assert_truth("1", true);
    assert_truth("0", false);
    assert_truth("0.0", false);
    assert_truth("x == 7", true);
    assert_truth("x != 7", false);
    assert_truth("x<8 and x<=7 and x>6 and x>=7", true);
    assert_truth("x < 7 or x > 7", false);
    assert_truth("x % model.heads == 3", true);
    assert_truth("-7 % 4 == 1 and 7 % -4 == -1 and -8 % 4 == 0", true); /* as in Python */
    assert_truth("5.5 % 2 == 1.5", true);
    assert_truth("x / 2 == 3.5", true);
    assert_truth("1e-3 == .001", true);
    assert_truth("model.norm == 'pre'", true);
    assert_truth("\"post\" != model.norm", true);
    assert_truth("model.norm == 4 or 4 == model.norm", false); /* a word is no number */
    assert_truth("model.norm != 4", true);
    assert_truth("'' == ''", true);
}

TEST(test_binding)
{
    assert_truth("1 + 2 * 3 == 7", true);
    assert_truth("(1 + 2) * 3 == 9", true);
    assert_truth("10 - 4 - 3 == 3", true);
    assert_truth("48 / 4 / 3 == 4", true);
    assert_truth("20 % 12 % 5 == 3", true);
    assert_truth("2 * 7 % 4 == 2", true);
    assert_truth("- 2 + 3 == 1", true);
    assert_truth("- - 2 == 2", true);
    assert_truth("-2 * -3 == 6", true);
    assert_truth("not x == 8", true); /* not (x == 8) */
    assert_truth("not 1 or 1", true); /* (not 1) or 1 */
    assert_truth("not not 1", true);
    assert_truth("1 or 0 and 0", true); /* 1 or (0 and 0) */
    assert_truth("(1 or 0) and 0", false);
    assert_truth("(x == 7) + (x == 8) == 1", true);
    assert_truth("(2 and 3) == 1", true); /* truth is 0 or 1 */
    assert_truth("(0 or 3) == 1", true);
    assert_truth("(3 or 0) == 1", true);
    assert_truth("((((((((((x)))))))))) == 7", true);
}

/* What the left side decides keeps the right side from being looked at. */
TEST(test_short_circuit)
{
    assert_truth("x == 7 or 1 / 0 > 2", true);
    assert_truth("x == 8 and 1 / 0 > 2", false);
    assert_truth("0 and 1 / 0 or 1 or 1 / 0", true);
    assert_truth("(0 and 1 / 0) == 0 and 1", true);
}

TEST(test_evaluation_faults)
{
    static const struct {
        const char *text, *message;
    } list[] = {
        {"x / (x - 7) > 1", "division by zero"},
        {"x % (x - 7) > 1", "division by zero"},
        {"model.norm > 1", "'pre' is a word where a number is expected"},
        {"model.norm + 1", "'pre' is a word where a number is expected"},
        {"-model.norm", "'pre' is a word where a number is expected"},
        {"model.norm", "'pre' is a word where a number is expected"},
        {"not model.norm", "'pre' is a word where a number is expected"},
        {"'pre' and 1", "'pre' is a word where a number is expected"},
        {"1 and 'pre'", "'pre' is a word where a number is expected"},
        {"big * 10 > 1", "a number too large to compute with"},
        {"-big - big < 1", "a number too large to compute with"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct message m = {{0}};
        bool truth;
        assert_int_equal(evaluate(list[i].text, &truth, &m), STATUS_BAD_INPUT);
        assert_string_equal(m.text, list[i].message);
    }
}

static void assert_not_compiled(const char *text, int column, const char *message)
{
    struct arena arena;
    struct message m = {{0}};
    int at = -1, calls = 0;
    arena_init(&arena, NULL);
    if (expr_compile(&arena, text, look_up, &calls, &at, &m))
        fail_msg("taken: %s", text);
    arena_free(&arena);
    if (at != column || strcmp(m.text, message) != 0)
        fail_msg("%s\ngives:  %d %s\nshould: %d %s", text, at, m.text, column, message);
}

TEST(test_refused)
{
    static const char *const operand = "expected a number, a name or a quoted word";
    assert_not_compiled("", 1, operand);
    assert_not_compiled("  ", 3, operand);
    assert_not_compiled("x +", 4, operand);
    assert_not_compiled("x == * 3", 6, operand);
    assert_not_compiled("+1", 1, operand);
    assert_not_compiled("1 and or 2", 7, operand);
    assert_not_compiled("()", 2, operand);
    assert_not_compiled("1 == not 1", 6, operand);
    assert_not_compiled("(x", 3, "expected a closing parenthesis");
    assert_not_compiled("x)", 2, "expected an operator");
    assert_not_compiled("x x", 3, "expected an operator");
    assert_not_compiled("x 'a'", 3, "expected an operator");
    assert_not_compiled("1 < x < 9", 7, "comparisons do not chain; join them with and");
    assert_not_compiled("1 == x == 1", 8, "comparisons do not chain; join them with and");
    assert_not_compiled("x = 7", 3, "= is not a comparison; write ==");
    assert_not_compiled("x && 1", 3, "& is not known; write and");
    assert_not_compiled("x || 1", 3, "| is not known; write or");
    assert_not_compiled("!x", 1, "! is not known; write not");
    assert_not_compiled("x ^ 2", 3, "'^' is not known here");
    assert_not_compiled("x // 2", 4, operand);
    assert_not_compiled("x ** 2", 4, operand);
    assert_not_compiled("f(x)", 1, "there is no option 'f' (a word goes in quotes)");
    assert_not_compiled("model.heads.x", 1, "there is no option 'model.heads.x'");
    assert_not_compiled("model.norm == pre", 15,
                        "there is no option 'pre' (a word goes in quotes)");
    assert_not_compiled("x == 'pre", 6, "a word without its closing '");
    assert_not_compiled("x == 08", 6, "08 is not a number");
    assert_not_compiled("x == 1e999", 6, "1e999 is not a number");
    assert_not_compiled("x == 3pre", 6, "3pre is not a number");
    assert_not_compiled("x == 1.2.3", 6, "1.2.3 is not a number");
    assert_not_compiled("x \xc3\xa4", 3, "'\xc3\xa4' is not known here");
    assert_not_compiled("x\xc2\xa0> 1", 2, "'\\u00a0' is not known here");
    assert_not_compiled("x; 1", 2, "';' is not known here");
}

TEST(test_limits)
{
    char text[EXPR_LENGTH + 2];
    struct message m;
    bool truth;
    memset(text, '(', 64);
    strcpy(text + 64, "x");
    assert_not_compiled(text, EXPR_DEPTH + 1, "nested deeper than 32 levels");
    memset(text, '-', 64);
    assert_not_compiled(text, EXPR_DEPTH + 1, "nested deeper than 32 levels");
    memset(text, '(', EXPR_DEPTH);
    text[EXPR_DEPTH] = 'x';
    memset(text + EXPR_DEPTH + 1, ')', EXPR_DEPTH);
    text[2 * EXPR_DEPTH + 1] = '\0';
    assert_truth(text, true);
    /* The deepest stack: at every level a comparison, a sum and a product wait. */
    size_t used = 0;
    for (int i = 0; i < EXPR_DEPTH; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "0 < 1 + 1 * (");
    used += (size_t)snprintf(text + used, sizeof text - used, "0 < 1 + 1 * 1");
    memset(text + used, ')', EXPR_DEPTH);
    text[used + EXPR_DEPTH] = '\0';
    assert_truth(text, true);
    /* The longest chain. */
    memset(text, ' ', sizeof text);
    for (int i = 0; i < EXPR_LENGTH; i++)
        text[i] = i % 2 ? '+' : '1';
    text[EXPR_LENGTH - 1] = ' ';
    text[EXPR_LENGTH] = '\0';
    assert_int_equal(evaluate(text, &truth, &m), STATUS_OK);
    assert_true(truth);
    /* The most instructions for its length. */
    for (used = 0; used + 6 < EXPR_LENGTH; used += 4)
        memcpy(text + used, "''or", 4);
    strcpy(text + used, "''");
    assert_int_equal(evaluate(text, &truth, &m), STATUS_BAD_INPUT);
    memset(text, '1', EXPR_LENGTH + 1);
    text[EXPR_LENGTH + 1] = '\0';
    assert_not_compiled(text, 1, "an expression of more than 4096 bytes");
}
