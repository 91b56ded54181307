/* The JSON writer: commas and nesting in both layouts, escapes, numbers, a text without memory. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/base/json_write.h"
#include "tests/test.h"
#include "tests/unit/faults.h"

#define RIGHT_TO_LEFT_OVERRIDE "\xE2\x80\xAE"
#define U_FFFD                 "\xEF\xBF\xBD"

/* What `write` writes, into a growing text and into a file alike. */
static void assert_written(void (*write)(struct json_writer *w), struct json_writer layout,
                           const char *expected)
{
    struct text_buffer text = {0}, file = {0};
    struct json_writer to_text = layout, to_file = layout;
    to_text.text = &text;
    to_file.out = text_stream(&file);
    assert_non_null(to_file.out);
    write(&to_text);
    write(&to_file);
    fclose(to_file.out);
    assert_string_equal(text.text, expected);
    assert_string_equal(file.text, expected);
    free(text.text);
    free(file.text);
}

static void every_kind(struct json_writer *w)
{
    json_begin_object(w, NULL);
    json_add_text(w, "te\"xt", "a\nb");
    json_add_text(w, "none", NULL);
    json_begin_list(w, "list");
    json_begin_object(w, NULL);
    json_end_object(w);
    json_begin_list(w, NULL);
    json_end_list(w);
    json_add_integer(w, NULL, INT64_MIN);
    json_add_integer(w, NULL, INT64_MAX);
    json_end_list(w);
    json_begin_object(w, "object");
    json_add_bool(w, "true", true);
    json_add_bool(w, "false", false);
    json_add_null(w, "null");
    json_add_nonzero(w, "zero", 0);
    json_add_nonzero(w, "one", 1);
    json_end_object(w);
    json_add_json(w, "json", "[1]");
    json_add_json(w, "no_json", NULL);
    json_add_real(w, "real", .1);
    json_add_digits(w, "digits", .1, 17);
    json_add_key(w, "own");
    if (w->out)
        fputs("7", w->out);
    else
        text_add(w->text, "7");
    json_add_integer(w, "last", 0);
    json_end_object(w);
}

TEST(commas_and_nesting)
{
    assert_written(
        every_kind, (struct json_writer){0},
        "{\"te\\\"xt\":\"a\\nb\",\"none\":null,"
        "\"list\":[{},[],-9223372036854775808,9223372036854775807],"
        "\"object\":{\"true\":true,\"false\":false,\"null\":null,\"zero\":null,\"one\":1},"
        "\"json\":[1],\"no_json\":null,\"real\":0.1,"
        "\"digits\":0.10000000000000001,\"own\":7,\"last\":0}");
    assert_written(every_kind, (struct json_writer){.spaced = true},
                   "{\"te\\\"xt\": \"a\\nb\", \"none\": null, "
                   "\"list\": [{}, [], -9223372036854775808, 9223372036854775807], "
                   "\"object\": {\"true\": true, \"false\": false, \"null\": null, \"zero\": null, "
                   "\"one\": 1}, "
                   "\"json\": [1], \"no_json\": null, "
                   "\"real\": 0.1, \"digits\": 0.10000000000000001, \"own\": 7, \"last\": 0}");
}

static void by_lines(struct json_writer *w)
{
    json_begin_object(w, NULL);
    json_add_integer(w, "n", 2);
    json_new_line(w, 1);
    json_begin_list(w, "rows");
    for (int i = 0; i < 2; i++) {
        json_new_line(w, 2);
        json_begin_object(w, NULL);
        json_add_integer(w, "i", i);
        json_add_integer(w, "j", i);
        json_end_object(w);
    }
    json_end_list(w);
    json_new_line(w, 0);
    json_add_null(w, "end");
    json_end_object(w);
}

TEST(lines)
{
    assert_written(by_lines, (struct json_writer){.spaced = true},
                   "{\"n\": 2,\n \"rows\": [\n  {\"i\": 0, \"j\": 0},\n  {\"i\": 1, \"j\": 1}],\n"
                   "\"end\": null}");
}

enum { DEEP = 100000 };

static void deep(struct json_writer *w)
{
    for (int i = 0; i < DEEP; i++)
        json_begin_list(w, NULL);
    for (int i = 0; i < DEEP; i++) {
        json_add_integer(w, NULL, 1);
        json_end_list(w);
    }
}

/* [[...[1],1]...,1] */
TEST(deep_nesting)
{
    char *expected = malloc(4 * DEEP + 1), *p = expected;
    assert_non_null(expected);
    memset(p, '[', DEEP);
    p += DEEP;
    for (int i = 0; i < DEEP; i++)
        p += sprintf(p, i ? ",1]" : "1]");
    assert_written(deep, (struct json_writer){0}, expected);
    free(expected);
}

static const char *foreign;

static void as_text(struct json_writer *w)
{
    json_add_text(w, NULL, foreign);
}

static void as_json(struct json_writer *w)
{
    json_add_json(w, NULL, foreign);
}

/* And what JSON has escaped stays as it is. */
static void assert_text(const char *text, const char *expected)
{
    foreign = text;
    assert_written(as_text, (struct json_writer){0}, expected);
    foreign = expected;
    assert_written(as_json, (struct json_writer){0}, expected);
}

TEST(strings)
{
    assert_text(NULL, "null");
    assert_text("", "\"\"");
    assert_text("a\"b\\c/\b\f\n\r\t", "\"a\\\"b\\\\c/\\b\\f\\n\\r\\t\"");
    assert_text("\x01\x1b[2J\x7f", "\"\\u0001\\u001b[2J\\u007f\"");
    assert_text("\xC2\x9B" RIGHT_TO_LEFT_OVERRIDE "\xE2\x80\xA8", "\"\\u009b\\u202e\\u2028\"");
    /* JSON of somebody else's making, with characters in it that need not be escaped. */
    foreign = "{\"a\x7f\":\"\xC2\x9B\xff\\n\"}";
    assert_written(as_json, (struct json_writer){0}, "{\"a\\u007f\":\"\\u009b" U_FFFD "\\n\"}");
    /* White space is no character of a string. */
    foreign = "{\n\t\"a\\\"\n\\\\\":\r\n1}";
    assert_written(as_json, (struct json_writer){0}, "{  \"a\\\"\\u000a\\\\\":  1}");
}

/* The ends of the ranges of Unicode 15, table 3-7; and bytes that are not UTF-8 (RFC 3629): stray
 * and missing continuation, overlong forms, surrogates, beyond U+10FFFF. */
TEST(the_ends_of_utf8)
{
    assert_text("\xC2\xA0\xDF\xBF", "\"\xC2\xA0\xDF\xBF\"");
    assert_text("\xE0\xA0\x80\xEF\xBF\xBF", "\"\xE0\xA0\x80\xEF\xBF\xBF\"");
    assert_text("\xED\x9F\xBF\xEE\x80\x80", "\"\xED\x9F\xBF\xEE\x80\x80\"");
    assert_text("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", "\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"");
    assert_text("a\x80z", "\"a" U_FFFD "z\"");
    assert_text("a\xC3", "\"a" U_FFFD "\"");
    assert_text("\xC0\xAF\xC1\xBF", "\"" U_FFFD U_FFFD U_FFFD U_FFFD "\"");
    assert_text("\xE0\x9F\xBF", "\"" U_FFFD U_FFFD U_FFFD "\"");
    assert_text("\xED\xA0\x80", "\"" U_FFFD U_FFFD U_FFFD "\"");
    assert_text("\xF0\x8F\x80\x80", "\"" U_FFFD U_FFFD U_FFFD U_FFFD "\"");
    assert_text("\xF0\x9F\x98", "\"" U_FFFD U_FFFD U_FFFD "\"");
    assert_text("\xF4\x90\x80\x80", "\"" U_FFFD U_FFFD U_FFFD U_FFFD "\"");
    assert_text("\xF5\x80\xFF", "\"" U_FFFD U_FFFD U_FFFD "\"");
    assert_text("\xE2\x82z", "\"" U_FFFD U_FFFD "z\"");
}

static void some_numbers(struct json_writer *w)
{
    static const double value[] = {0, .1, -1.5, 1e21, 1. / 3, NAN, INFINITY, -INFINITY};
    json_begin_list(w, NULL);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        json_add_real(w, NULL, value[i]);
        json_add_digits(w, NULL, value[i], 4);
    }
    json_end_list(w);
}

TEST(numbers)
{
    assert_written(some_numbers, (struct json_writer){0},
                   "[0,0,0.1,0.1,-1.5,-1.5,1e+21,1e+21,0.3333333333333333,0.3333,"
                   "null,null,null,null,null,null]");
}

/* The scanner reads what is written. */
TEST(what_is_written_is_read)
{
    struct text_buffer text = {0};
    struct message message = {0};
    char room[512];
    every_kind(&(struct json_writer){.text = &text, .spaced = true});
    const unsigned char *bytes = (const unsigned char *)text.text;
    struct json j = {.start = bytes,
                     .next = bytes,
                     .end = bytes + text.used,
                     .place = "here",
                     .text = room,
                     .m = &message};
    assert_true(json_skip(&j));
    assert_true(json_end(&j));
    free(text.text);
}

/* What was written stays as it was; nothing is added any more. */
TEST(no_memory)
{
    if (!FAULTS_IN_MALLOC)
        skip();
    char large[1000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    struct text_buffer text = {0};
    struct json_writer w = {.text = &text};
    json_begin_list(&w, NULL);
    json_add_integer(&w, NULL, 1);
    fault_arm(FAULT_MALLOC, 1, ENOMEM);
    json_add_text(&w, NULL, large);
    assert_true(fault_disarm());
    assert_true(text.out_of_memory);
    size_t used = text.used;
    json_end_list(&w);
    assert_int_equal(text.used, used);
    assert_memory_equal(text.text, "[1,\"", 4);
    assert_null(strchr(text.text, ']'));
    free(text.text);
}
