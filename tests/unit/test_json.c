/* The JSON scanner: values of every kind, what is none, and finding members in a whole text. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/base/json_write.h"

#include "tests/test.h"

static char buffer[512];
static struct message message;

static struct json json_of(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    message.text[0] = '\0';
    return (struct json){.start = bytes,
                         .next = bytes,
                         .end = bytes + strlen(text),
                         .place = "here",
                         .text = buffer,
                         .m = &message};
}

TEST(scalars_are_their_text)
{
    static const struct {
        const char *json, *text;
        bool quoted;
    } list[] = {
        {" 0", "0", false},
        {"-0.5", "-0.5", false},
        {"10", "10", false},
        {"1.25e-300", "1.25e-300", false},
        {"1E+9", "1E+9", false},
        {"true", "true", false},
        {"false ", "false", false},
        {"\tnull", "null", false},
        {"\"null\"", "null", true},
        {"\"\"", "", true},
        {"\"a\\u00e9\\n\"", "a\xc3\xa9\n", true},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct json j = json_of(list[i].json);
        const char *text;
        bool quoted;
        assert_true(json_scalar(&j, &text, &quoted));
        assert_string_equal(text, list[i].text);
        assert_int_equal(quoted, list[i].quoted);
        assert_true(json_end(&j));
        assert_ptr_equal(j.text, text + strlen(text) + 1);
        j = json_of(list[i].json);
        assert_true(json_skip(&j) && json_end(&j));
        assert_ptr_equal(j.text, buffer); /* nothing is kept of what is passed over */
    }
}

TEST(what_is_no_value)
{
    static const struct {
        const char *json, *message;
    } list[] = {
        {"", "here, byte 0: expected a string, number, true, false or null"},
        {"-", "here, byte 1: a number lacks a digit"},
        {"+1", "here, byte 0: expected a string, number, true, false or null"},
        {"01", "here, byte 2: number with a leading zero"},
        {"-00", "here, byte 3: number with a leading zero"},
        {".5", "here, byte 0: expected a string, number, true, false or null"},
        {"1.", "here, byte 2: a number lacks a digit"},
        {"1e", "here, byte 2: a number lacks a digit"},
        {"1e+", "here, byte 3: a number lacks a digit"},
        {"tru", "here, byte 0: expected a string, number, true, false or null"},
        {"NaN", "here, byte 0: expected a string, number, true, false or null"},
        {"1 2", "here, byte 2: something follows the end"},
        {"truely", "here, byte 4: something follows the end"},
        {"0x10", "here, byte 1: something follows the end"},
        {"{", "here, byte 1: expected a string"},
        {"{1:2}", "here, byte 1: expected a string"},
        {"{\"a\"}", "here, byte 4: expected :"},
        {"{\"a\":}", "here, byte 5: expected a string, number, true, false or null"},
        {"{\"a\":1,}", "here, byte 7: expected a string"},
        {"[1,]", "here, byte 3: expected a string, number, true, false or null"},
        {"[1}", "here, byte 2: expected , or ]"},
        {"[[1]", "here, byte 4: expected , or ]"},
        {"\"a", "here, byte 2: ends within a string"},
        {"[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]",
         "here, byte 17: nested deeper than the format allows"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct json j = json_of(list[i].json);
        assert_false(json_skip(&j) && json_end(&j));
        assert_string_equal(message.text, list[i].message);
    }
}

TEST(whole_values_are_passed_over)
{
    static const char *const list[] = {
        "{}",
        "[]",
        " { } ",
        "[[],[[]],{}]",
        "{\"a\":{\"b\":[1,-2.5e3,{\"c\":null}],\"d\":{}},\"e\":[true,false,\"]}\"]}",
        "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]", /* JSON_DEPTH of them */
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct json j = json_of(list[i]);
        if (!json_skip(&j) || !json_end(&j))
            fail_msg("%s: %s", list[i], message.text);
    }
}

TEST(members_are_found)
{
    struct json j = json_of("{\"a\":[{\"c\":0}], \"b\" : {\"c\":\"x\",\"d\":7},\"c\":2,\"a\":9}");
    struct json whole = j, b, found;
    const char *text;
    bool quoted;
    assert_true(json_skip(&whole) && json_end(&whole));
    assert_true(json_member(&j, "c", &found)); /* not the one inside of another */
    assert_true(json_scalar(&found, &text, &quoted));
    assert_string_equal(text, "2");
    assert_true(json_member(&j, "b", &b));
    assert_true(json_member(&b, "d", &found));
    assert_true(json_scalar(&found, &text, &quoted));
    assert_string_equal(text, "7");
    assert_true(json_member(&b, "c", &found));
    assert_true(json_scalar(&found, &text, &quoted));
    assert_string_equal(text, "x");
    assert_true(json_member(&j, "a", &found)); /* the first of two */
    assert_true(json_take(&found, '['));
    assert_true(json_member(&found, "c", &found));
    assert_false(json_member(&j, "d", &found));
    assert_false(json_member(&j, "", &found));
    assert_true(json_member(&j, "a", &found));
    assert_false(json_member(&found, "c", &found)); /* a list has no members */
    assert_string_equal(message.text, "");
}

/* As far as a limit goes, to the end of the character there; what follows may be missing. */
TEST(the_start_of_a_string_is_read)
{
    static const struct {
        const char *json;
        size_t limit;
        const char *text; /* NULL: refused */
    } list[] = {
        {"\"abc\"", 9, "abc"},
        {"\"abc\"", 3, "abc"},
        {"\"abc", 3, "abc"},
        {"\"abc", 2, "ab"},
        {"\"abc", 4, NULL},
        {"\"\\u00e9b", 1, "\xc3\xa9"},
        {"\"a\\ud83d\\ude00\\q", 2, "a\xf0\x9f\x98\x80"},
        {"\"a\\q", 2, NULL},
        {"a", 1, NULL},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct json j = json_of(list[i].json);
        const char *text;
        assert_int_equal(json_string_start(&j, list[i].limit, &text), list[i].text != NULL);
        if (list[i].text)
            assert_string_equal(text, list[i].text);
    }
}

/* Columns count characters. */
TEST(faults_have_a_line_and_a_column)
{
    struct json j = json_of("{\"\xc3\xa9\xe2\x82\xac\": x}");
    j.line = 7;
    assert_int_equal(json_column(&j), 1);
    assert_false(json_skip(&j));
    assert_string_equal(message.text,
                        "here, line 7, column 8: expected a string, number, true, false or null");
    assert_int_equal(json_column(&j), 8);
}
