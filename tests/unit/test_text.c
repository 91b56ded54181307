/* Texts that grow, control characters, and dot plots of impossible intervals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "engine/base/text.h"
#include "tests/unit/faults.h"

#include <cmocka.h>

static void a_text_grows(void **state)
{
    (void)state;
    struct text_buffer b = {0};
    char expected[8000] = "";
    for (int i = 0; i < 600; i++) {
        text_add(&b, "%d,", i);
        sprintf(expected + strlen(expected), "%d,", i);
        assert_int_equal(b.used, strlen(expected));
        assert_string_equal(b.text, expected);
        assert_true(b.used < b.capacity);
    }
    text_add(&b, "%5000s", "end"); /* more than twice the room at once */
    assert_int_equal(b.used, strlen(expected) + 5000);
    assert_string_equal(b.text + b.used - 4, " end");
    assert_false(b.out_of_memory);
    free(b.text);
}

/* What was there stays; nothing is added any more, so that no piece is missing in the middle. */
static void assert_ended(struct text_buffer *b, const char *text)
{
    assert_true(b->out_of_memory);
    text_add(b, "more");
    assert_int_equal(b->used, strlen(text));
    assert_memory_equal(b->text, text, strlen(text));
    free(b->text);
}

static void a_text_without_memory(void **state)
{
    (void)state;
    struct text_buffer b = {0};
    if (!FAULTS_IN_MALLOC)
        skip();
    text_add(&b, "kept");
    fault_arm(FAULT_MALLOC, 1, ENOMEM);
    text_add(&b, "%1000s", "lost");
    assert_true(fault_disarm());
    assert_ended(&b, "kept");
    b = (struct text_buffer){0};
    fault_arm(FAULT_MALLOC, 1, ENOMEM);
    text_add(&b, "lost");
    assert_true(fault_disarm());
    assert_null(b.text);
    assert_true(b.out_of_memory);
}

static void a_text_that_cannot_be_formatted(void **state)
{
    static const wchar_t none[] = {0xD800, 0}; /* in no encoding */
    (void)state;
    struct text_buffer b = {0};
    text_add(&b, "kept");
    text_add(&b, "%ls", none);
    assert_ended(&b, "kept");
}

static void assert_written(void (*write)(FILE *out, const char *text), const char *text,
                           const char *expected)
{
    char *written = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&written, &size);
    assert_non_null(out);
    write(out, text);
    fclose(out);
    assert_string_equal(written, expected);
    free(written);
}

static void assert_plain(const char *text, const char *expected)
{
    assert_written(text_plain, text, expected);
}

static void assert_json(const char *text, const char *expected)
{
    assert_written(text_json, text, expected);
}

/* C0, DEL and C1 (ISO 6429), and nothing beside them. */
static void control_characters(void **state)
{
    (void)state;
    assert_plain("a\x01\x1b[2J\x1f z~\x7f", "a??[2J? z~?");
    assert_plain("\xC2\x80\xC2\x9B\xC2\x9F", "???");
    assert_plain("\xC2\xA0\xC3\x9F", "\xC2\xA0\xC3\x9F"); /* no-break space, sharp s */
    assert_plain("\xC2\x7F\xC2z", "\xC2?\xC2z");
    assert_plain("end\xC2", "end\xC2");
}

#define U_FFFD "\xEF\xBF\xBD"

/* The ends of the ranges of Unicode 15, table 3-7. */
static void the_ends_of_utf8(void **state)
{
    (void)state;
    assert_json("\xC2\x80\xDF\xBF", "\"\xC2\x80\xDF\xBF\"");
    assert_json("\xE0\xA0\x80\xEF\xBF\xBF", "\"\xE0\xA0\x80\xEF\xBF\xBF\"");
    assert_json("\xED\x9F\xBF\xEE\x80\x80", "\"\xED\x9F\xBF\xEE\x80\x80\"");
    assert_json("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", "\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"");
    assert_json("\xF0\x8F\x80\x80", "\"" U_FFFD U_FFFD U_FFFD U_FFFD "\"");
    assert_json("\xF5\x80\xFF", "\"" U_FFFD U_FFFD U_FFFD "\"");
    assert_json("\xE2\x82z", "\"" U_FFFD U_FFFD "z\"");
}

static void assert_plot(double mean, double low, double high, const char *expected)
{
    char plot[DOT_PLOT_SIZE];
    text_dot_plot(mean, low, high, 10, plot);
    assert_string_equal(plot, expected);
}

static void odd_dot_plots(void **state)
{
    char plot[DOT_PLOT_SIZE] = "untouched";
    (void)state;
    text_dot_plot(.5, 0, 1, 2, plot);
    assert_string_equal(plot, "");
    text_dot_plot(.5, 0, 1, 3, plot);
    assert_string_equal(plot, "├●┤");
    /* Half an interval is none. */
    assert_plot(.55, .25, NAN, "     ●");
    assert_plot(.55, NAN, .95, "     ●");
    /* The mean beside its interval. */
    assert_plot(.15, .45, .75, " ●   ──┤");
    assert_plot(.85, .25, .55, "  ├──   ●");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_grows),
        cmocka_unit_test(a_text_without_memory),
        cmocka_unit_test(a_text_that_cannot_be_formatted),
        cmocka_unit_test(control_characters),
        cmocka_unit_test(the_ends_of_utf8),
        cmocka_unit_test(odd_dot_plots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
