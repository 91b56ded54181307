/* Texts that grow, control characters, paragraphs and plots. */
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "engine/base/text.h"
#include "tests/test.h"
#include "tests/unit/faults.h"

TEST(a_text_grows)
{
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

TEST(a_text_without_memory)
{
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

TEST(a_text_that_cannot_be_formatted)
{
    static const wchar_t none[] = {0xD800, 0}; /* in no encoding */
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

#define RIGHT_TO_LEFT_OVERRIDE "\xE2\x80\xAE"
#define ISOLATE                "\xE2\x81\xA6"

/* C0, DEL and C1 (ISO 6429), what turns the line around, bytes that are no text; and nothing beside
 * them. */
TEST(control_characters)
{
    assert_plain("a\x01\x1b[2J\x1f z~\x7f", "a??[2J? z~?");
    assert_plain("\xC2\x80\xC2\x9B\xC2\x9F", "???");
    assert_plain("\xC2\xA0\xC3\x9F", "\xC2\xA0\xC3\x9F"); /* no-break space, sharp s */
    assert_plain("\xC2\x7F\xC2z", "???z");
    assert_plain("end\xC2", "end?");
    assert_plain("\x9B"
                 "31m",
                 "?31m"); /* C1 in an 8-bit encoding */
    assert_plain(RIGHT_TO_LEFT_OVERRIDE "gpj" ISOLATE "\xE2\x80\xA9", "?gpj??");
    assert_plain("\xD7\xA9\xD7\x9C", "\xD7\xA9\xD7\x9C"); /* Hebrew letters are text */
    assert_plain("two\nlines\tof it", "two?lines?of it");
    assert_written(text_lines, "two\nlines\tof\r\x1b it", "two\nlines\tof?? it");
}

static void print_name(FILE *out, const char *name)
{
    text_print(out, "%d: %s\n", 7, name);
}

TEST(formatted_text)
{
    assert_written(print_name, "a\x1b]0;title\x07", "7: a?]0;title?\n");
    if (!FAULTS_IN_MALLOC)
        return;
    char room[64] = "";
    FILE *out = fmemopen(room, sizeof room, "w");
    assert_non_null(out);
    setbuf(out, NULL);
    fault_arm(FAULT_MALLOC, 1, ENOMEM);
    text_print(out, "%s\n", "lost");
    assert_true(fault_disarm());
    fclose(out);
    assert_string_equal(room, "(no memory)\n");
}

TEST(text_in_messages)
{
    char b[12], escapes[40];
    assert_string_equal(text_shown("a\tb\x7f", escapes, sizeof escapes), "a\\u0009b\\u007f");
    assert_string_equal(text_shown("12345678", b, sizeof b), "12345678");
    assert_string_equal(text_shown("123456789", b, sizeof b), "12345678...");
    /* Eight bytes fit: the third letter of three bytes would be cut and is left out. */
    assert_string_equal(text_shown("\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC", b, sizeof b),
                        "\xE2\x82\xAC\xE2\x82\xAC...");
    assert_string_equal(
        text_shown("\xff\xC2\x9B" RIGHT_TO_LEFT_OVERRIDE "x", escapes, sizeof escapes),
        "\\xff\\u009b\\u202ex");
    assert_string_equal(text_shown("\xC2\xA0\xE2\x80\x8B\xEF\xBB\xBF"
                                   "\xF3\xA0\x80\x81",
                                   escapes, sizeof escapes),
                        "\\u00a0\\u200b\\ufeff\\U000e0001");
    assert_string_equal(text_shown("abc\xC2\xA0", b, sizeof b), "abc..."); /* no half escape */
}

/* What is left of a name is what a person sees. */
TEST(names_as_they_are_seen)
{
    char b[12];
    assert_string_equal(text_visible(" \xC2\xA0 h\xE2\x80\x8B"
                                     "e y \xff\x1b",
                                     b, sizeof b),
                        "he y");
    assert_string_equal(text_visible("123456789", b, sizeof b), "12345678");
    assert_string_equal(text_visible("", b, sizeof b), "");
}

static void assert_shell(const char *text, const char *expected)
{
    struct text_buffer b = {0};
    text_add_shell(&b, text);
    assert_string_equal(b.text, expected);
    free(b.text);
}

TEST(words_of_the_shell)
{
    assert_shell("configs/gather.yaml", "configs/gather.yaml");
    assert_shell("train.steps=5", "train.steps=5");
    assert_shell("", "''");
    assert_shell("two words", "'two words'");
    assert_shell("~", "'~'");
    assert_shell("$(id) `id` \"x\" \\ * ; & |", "'$(id) `id` \"x\" \\ * ; & |'");
    assert_shell("it's", "'it'\\''s'");
    assert_shell("''", "''\\'''\\'''");
    assert_shell("a\nb", "'a\nb'");
    assert_shell("h\303\251", "'h\303\251'");
}

TEST(numbers_and_their_nouns)
{
    assert_string_equal(text_counted(1, "head").text, "1 head");
    assert_string_equal(text_counted(0, "head").text, "0 heads");
    assert_string_equal(text_counted(21, "task instance").text, "21 task instances");
    assert_string_equal(text_counted(LLONG_MIN, "byte").text, "-9223372036854775808 bytes");
    assert_string_equal(text_plural(1), "");
    assert_string_equal(text_plural(2), "s");
}

TEST(widths)
{
    assert_int_equal(text_width("plain \303\251 \377"), 9); /* what is no UTF-8 becomes '?' */
    assert_int_equal(text_width("\u4e2d\u6587\u3001"), 6);
    assert_int_equal(text_width("e\u0301"), 1);
    assert_int_equal(text_width("\U0001f600"), 2);
    assert_int_equal(text_width("\u202e\n"), 2); /* shown as "??" */
    assert_int_equal(text_cut("\u4e2d\u6587", 3), 3);
    assert_int_equal(text_cut("ae\u0301i", 2), 4); /* with what stands on it */
    assert_int_equal(text_cut("abc", 9), 3);
}

TEST(dot_plots)
{
    static const struct {
        double mean, low, high;
        const char *plot;
    } cases[] = {
        {.55, .25, .95, "  ├──●───┤"},
        {.55, .51, .59, "     ●"},
        {0, (double)NAN, (double)NAN, "●"},
        {1, (double)NAN, (double)NAN, "         ●"},
        {.95, .8, 1.3, "        ├●"}, /* what is beyond the scale is cut */
        {.05, -.3, .25, "●─┤"},
        {(double)NAN, (double)NAN, (double)NAN, ""},
        {.55, .25, (double)NAN, "     ●"}, /* half an interval is none */
        {.55, (double)NAN, .95, "     ●"},
        {.15, .45, .75, " ●   ──┤"}, /* the mean beside its interval */
        {.85, .25, .55, "  ├──   ●"},
    };
    static const int widths[] = {2, 3, DOT_PLOT_CELLS, DOT_PLOT_CELLS + 1};
    char plot[DOT_PLOT_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_dot_plot(cases[i].mean, cases[i].low, cases[i].high, 10, plot);
        assert_string_equal(plot, cases[i].plot);
    }
    for (int i = 0; i < 4; i++) { /* the first is too narrow, the last too wide */
        strcpy(plot, "untouched");
        text_dot_plot(.5, 0, 1, widths[i], plot);
        assert_int_equal(text_width(plot), i % 3 ? widths[i] : 0);
    }
    setenv("LC_ALL", "C", 1);
    text_dot_plot(.55, .25, .95, 10, plot);
    assert_string_equal(plot, "  |--o---|");
    setenv("LC_ALL", "C.UTF-8", 1);
}

TEST(paragraphs)
{
    static const struct {
        const char *text;
        int first, rest, columns;
        const char *written;
    } cases[] = {
        {"one  two three, größe", 2, 4, 12, "  one two\n    three,\n    größe\n"},
        {"größe 45678", 0, 0, 11, "größe 45678\n"}, /* 11 columns, 13 bytes */
        {"größe 45678", 0, 0, 10, "größe\n45678\n"},
        {"a unbreakableword b", 0, 1, 6, "a\n unbreakableword\n b\n"},
        {"", 0, 0, 6, "\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_buffer b = {0};
        FILE *out = text_stream(&b);
        text_paragraph(out, cases[i].text, cases[i].first, cases[i].rest, cases[i].columns);
        fclose(out);
        assert_string_equal(b.text, cases[i].written);
        free(b.text);
    }
}

/* What rounds to zero has no sign. */
TEST(decimals)
{
    static const struct {
        double x;
        const char *fixed, *with_sign;
    } cases[] = {{-.0004, "0.000", "0.000"},       {.0004, "0.000", "0.000"},
                 {-0., "0.000", "0.000"},          {-.0006, "-0.001", "-0.001"},
                 {.0006, "0.001", "+0.001"},       {-10, "-10.000", "-10.000"},
                 {(double)INFINITY, "inf", "+inf"}};
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(text_fixed(cases[i].x, 3, text, sizeof text), cases[i].fixed);
        assert_string_equal(text_signed(cases[i].x, 3, text, sizeof text), cases[i].with_sign);
    }
    assert_string_equal(text_signed(-.4, 0, text, sizeof text), "0");
}

TEST(sparklines)
{
    const double rising[] = {0, .125, .25, .5, .874, .875, 1}, hole[] = {.5, (double)NAN, 2, -1};
    const double same[] = {3, 3};
    char text[SPARKLINE_SIZE];
    double many[200];
    text_sparkline(rising, 7, 0, 1, 10, text);
    assert_string_equal(text, "▁▂▃▅▇██");
    text_sparkline(hole, 4, 0, 1, 10, text);
    assert_string_equal(text, "▅ █▁");
    text_sparkline(same, 2, 3, 3, 10, text);
    assert_string_equal(text, "▁▁");
    text_sparkline(rising, 7, 0, 1, 2, text); /* the last of each half */
    assert_string_equal(text, "▃█");
    text_sparkline(hole, 4, (double)NAN, (double)NAN, 10, text);
    assert_string_equal(text, "▅ █▁");
    text_sparkline(rising, 4, (double)NAN, (double)NAN, 10, text); /* .5 is the largest */
    assert_string_equal(text, "▁▃▅█");
    text_sparkline(rising, 0, 0, 1, 10, text);
    assert_string_equal(text, "");
    text_sparkline(rising, 7, 0, 1, 0, text);
    assert_string_equal(text, "");
    for (int i = 0; i < 200; i++)
        many[i] = i;
    text_sparkline(many, 200, 0, 199, 200, text);
    assert_int_equal(text_width(text), SPARKLINE_CELLS);
}

PREPARE
{
    setenv("LC_ALL", "C.UTF-8", 1);
}
