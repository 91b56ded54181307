/* Options: what a sweep file may write for each type, what is refused, and in which words. */
#include "engine/base/option.h"

#include "tests/test.h"

#include <float.h>
#include <string.h>

struct sample {
    int64_t heads, d_head, norm, flag, seed;
    double lr, dropout, bias;
    struct int_list offsets;
    char file[13], sha256[65];
};

static const char *const head_words[] = {"split", NULL};
static const char *const norm_words[] = {"pre", "post", "none", NULL};

#define AT(x) offsetof(struct sample, x)
static const struct option_entry table[] = {
    {"heads", OPTION_INT, AT(heads), 1, 65536, .default_value = "4", .help = "h"},
    {"d_head", OPTION_INT, AT(d_head), 1, 4096, .words = head_words, .default_value = "split"},
    {"norm", OPTION_CHOICE, AT(norm), .words = norm_words, .default_value = "post"},
    {"flag", OPTION_BOOL, AT(flag), .default_value = "true"},
    {"seed", OPTION_INT, AT(seed), -DBL_MAX, DBL_MAX, .default_value = "0"},
    {"lr", OPTION_REAL, AT(lr), 0, 1, .above_min = true, .default_value = "1e-3"},
    {"dropout", OPTION_REAL, AT(dropout), 0, 0.9, .default_value = "0"},
    {"bias", OPTION_REAL, AT(bias), -DBL_MAX, DBL_MAX, .default_value = NULL},
    {"offsets", OPTION_INT_LIST, AT(offsets), -64, 64, .default_value = "[1, -1, 3]"},
    {"file", OPTION_STRING, AT(file), 1, 12, .default_value = "a b", .local = true},
    {"sha256", OPTION_STRING, AT(sha256), 0, 64, .derived = true},
    {0}};

static const struct option_entry *find(const char *name)
{
    const struct option_entry *o = option_find(table, name);
    assert_non_null(o);
    return o;
}

TEST(test_defaults)
{
    struct sample s;
    memset(&s, 0xff, sizeof s);
    option_defaults(table, &s);
    assert_int_equal(s.heads, 4);
    assert_int_equal(s.d_head, -1);
    assert_int_equal(s.norm, 1);
    assert_int_equal(s.flag, 1);
    assert_true(s.lr == 1e-3);
    assert_true(s.bias == 0); /* must be given: 0 until then */
    assert_int_equal(s.offsets.n, 3);
    assert_int_equal(s.offsets.item[1], -1);
    assert_string_equal(s.file, "a b");
    assert_string_equal(s.sha256, "");
    assert_int_equal(option_count(table), 11);
    assert_null(option_find(table, "head"));
}

static void assert_written(const char *name, const char *text, bool quoted, const char *json)
{
    struct sample s = {0};
    struct message m = {{0}};
    char out[64];
    const struct option_entry *o = find(name);
    if (option_parse(o, "model", text, quoted, &s, &m))
        fail_msg("%s: %s: %s", name, text, m.text);
    assert_int_equal(option_format(o, &s, out, sizeof out), strlen(json));
    assert_string_equal(out, json);
}

TEST(test_accepted)
{
    assert_written("heads", "1", false, "1");
    assert_written("heads", "65536", false, "65536");
    assert_written("d_head", "split", false, "\"split\"");
    assert_written("d_head", "8", false, "8");
    assert_written("norm", "pre", false, "\"pre\"");
    assert_written("norm", "none", true, "\"none\"");
    assert_written("flag", "True", false, "true");
    assert_written("flag", "false", false, "false");
    assert_written("seed", "-9223372036854774784", false, "-9223372036854774784");
    assert_written("seed", "-0", false, "0");
    assert_written("lr", "1", false, "1");
    assert_written("lr", "3e-3", false, "0.003");
    assert_written("lr", ".5", false, "0.5");
    assert_written("lr", "+1.E-2", false, "0.01");
    assert_written("bias", "-0.0", false, "0");
    assert_written("offsets", "-64", false, "[-64]");
    assert_written("file", "a/b.txt", false, "\"a/b.txt\"");
    assert_written("file", "twelve bytes", false, "\"twelve bytes\"");
    assert_written("file", "2024", false, "\"2024\"");
    assert_written("file", "null", true, "\"null\"");
    assert_written("file", "a\"b\\é", false, "\"a\\\"b\\\\é\"");
    assert_written("sha256", "", true, "\"\"");
}

static void assert_refused(const char *name, const char *text, bool quoted, const char *message)
{
    struct sample s = {0}, before = {0};
    struct message m = {{0}};
    assert_int_equal(option_parse(find(name), "model", text, quoted, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, message);
    assert_memory_equal(&s, &before, sizeof s);
}

TEST(test_refused_integers)
{
    assert_refused("heads", "0", false, "model.heads is 0; allowed: 1 to 65536");
    assert_refused("heads", "-4", false, "model.heads is -4; allowed: 1 to 65536");
    assert_refused("heads", "1000000000", false, "model.heads is 1000000000; allowed: 1 to 65536");
    assert_refused("heads", "99999999999999999999", false,
                   "model.heads is 99999999999999999999; allowed: 1 to 65536");
    assert_refused("seed", "9223372036854775808", false,
                   "model.seed is 9223372036854775808; allowed: any whole number");
    assert_refused("heads", "08", false,
                   "model.heads is 08, with a leading zero that some readers take for octal; "
                   "allowed: 1 to 65536");
    assert_refused("heads", "+1", false,
                   "model.heads is +1; write it without the plus sign; allowed: 1 to 65536");
    assert_refused("heads", "32.0", false,
                   "model.heads is 32.0, but must be a whole number, written without point or "
                   "exponent; allowed: 1 to 65536");
    assert_refused("heads", "1e3", false,
                   "model.heads is 1e3, but must be a whole number, written without point or "
                   "exponent; allowed: 1 to 65536");
    assert_refused("heads", "0x10", false,
                   "model.heads is 0x10, which is not written in decimal; allowed: 1 to 65536");
    assert_refused("heads", "4", true,
                   "model.heads is \"4\", a quoted string, where a number is expected; write it "
                   "without quotes; allowed: 1 to 65536");
    assert_refused("heads", "", false, "model.heads is empty; allowed: 1 to 65536");
    assert_refused("heads", "~", false,
                   "model.heads is ~, which means no value; allowed: 1 to 65536");
    assert_refused("heads", "no", false,
                   "model.heads is no, which is not a number; allowed: 1 to 65536");
    assert_refused("heads", "1,2", false,
                   "model.heads is 1,2, which is not a number; for a list write [1,2]; allowed: 1 "
                   "to 65536");
    assert_refused("d_head", "splti", false,
                   "model.d_head is splti, which is not a number; allowed: 1 to 4096, or split "
                   "(did you mean split?)");
    assert_refused("offsets", "65", false, "model.offsets is 65; allowed: -64 to 64");
}

TEST(test_refused_reals)
{
    assert_refused("lr", "0", false, "model.lr is 0; allowed: above 0, up to 1");
    assert_refused("lr", "-1e-3", false, "model.lr is -1e-3; allowed: above 0, up to 1");
    assert_refused("lr", "1e400", false,
                   "model.lr is 1e400, which is too large for a number; allowed: above 0, up to 1");
    assert_refused(
        "lr", "1e-400", false,
        "model.lr is 1e-400, which is too small to differ from 0; allowed: above 0, up to 1");
    assert_refused("lr", "5e-324", false,
                   "model.lr is 5e-324, which is 0 in single precision; allowed: above 0, up to 1");
    assert_refused("bias", "-7e-46", false,
                   "model.bias is -7e-46, which is 0 in single precision; allowed: any finite "
                   "number");
    assert_refused("lr", ".nan", false,
                   "model.lr is .nan, which is not a finite number; allowed: above 0, up to 1");
    assert_refused("lr", "-.INF", false,
                   "model.lr is -.INF, which is not a finite number; allowed: above 0, up to 1");
    assert_refused("dropout", "0.95", false, "model.dropout is 0.95; allowed: 0 to 0.9");
    assert_refused("lr", "nan", false,
                   "model.lr is nan, which is not a number; allowed: above 0, up to 1");
    assert_refused("lr", "1_0", false,
                   "model.lr is 1_0, which is not a number; allowed: above 0, up to 1");
    assert_refused("bias", "null", false,
                   "model.bias is null, which means no value; allowed: any finite number");
}

TEST(test_refused_words)
{
    assert_refused("norm", "prre", false,
                   "model.norm is prre; allowed: pre, post, none (did you mean pre?)");
    assert_refused("norm", "", false, "model.norm is empty; allowed: pre, post, none");
    assert_refused("flag", "yes", false, "model.flag is yes; allowed: true, false");
    assert_refused("flag", "true", true,
                   "model.flag is \"true\", a quoted string; allowed: true, false");
    assert_refused("norm", "\033[31m", true,
                   "model.norm is \"\\u001b[31m\"; allowed: pre, post, none");
}

#define FILE_ALLOWED "; allowed: 1 to 12 bytes of text without control characters"

TEST(test_refused_strings)
{
    assert_refused("file", "thirteen byte", false,
                   "model.file is thirteen byte, which is too long" FILE_ALLOWED);
    assert_refused("file", "", true, "model.file is \"\", which is too short" FILE_ALLOWED);
    assert_refused("file", "", false, "model.file is empty" FILE_ALLOWED);
    assert_refused("file", "~", false, "model.file is ~, which means no value" FILE_ALLOWED);
    assert_refused("file", "a\nb", true,
                   "model.file is \"a\\u000ab\", which holds a control character" FILE_ALLOWED);
    assert_refused("file", "a\xe2\x80\xae.txt", true, /* RIGHT-TO-LEFT OVERRIDE */
                   "model.file is \"a\\u202e.txt\", which holds a control character" FILE_ALLOWED);
    assert_refused("file", "a\xff", false, "model.file is a\\xff, which is not UTF-8" FILE_ALLOWED);
}

TEST(test_string_room)
{
    struct sample s = {.file = "a\"b"};
    char text[8] = "";
    assert_int_equal(option_format(find("file"), &s, text, 7), 6);
    assert_string_equal(text, "\"a\\\"b\"");
    assert_int_equal(option_format(find("file"), &s, text, 6), -1);
    assert_int_equal(option_used(find("file"), &s), 4);
    assert_int_equal(option_used(find("heads"), &s), 8);
    assert_int_equal(option_used(find("offsets"), &s), 8);
}

TEST(test_derived)
{
    struct message m = {{0}};
    assert_int_equal(option_settable(find("file"), "task", &m), STATUS_OK);
    assert_int_equal(option_settable(find("sha256"), "task", &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "task.sha256 is read from the file; give task.file");
}

TEST(test_list)
{
    struct sample s = {0};
    struct message m;
    const struct option_entry *o = find("offsets");
    char text[256];
    assert_int_equal(option_format(o, &s, text, sizeof text), 2);
    assert_string_equal(text, "[]");
    for (int i = 0; i < OPTION_LIST_MAX; i++)
        assert_int_equal(option_parse(o, "task", "7", false, &s, &m), STATUS_OK);
    assert_int_equal(option_parse(o, "task", "7", false, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "task.offsets has more than 64 items");
    assert_int_equal(s.offsets.n, OPTION_LIST_MAX);
    /* 64 items of 2 bytes and the opening bracket: 129 bytes, one more to terminate */
    assert_int_equal(option_format(o, &s, text, 130), 129);
    assert_int_equal(option_format(o, &s, text, 129), -1);
}

TEST(test_nearest_name)
{
    static const char *const names[] = {"d_model", "heads", "lr", "vocabulary", NULL};
    assert_string_equal(nearest_name("d_modle", names), "d_model");
    assert_string_equal(nearest_name("head", names), "heads");
    assert_string_equal(nearest_name("vocabular", names), "vocabulary");
    assert_string_equal(nearest_name("lrr", names), "lr");
    assert_string_equal(nearest_name("rnu", (const char *const[]){"gc", "run", NULL}), "run");
    assert_null(nearest_name("steps", (const char *const[]){"seeds", NULL}));
    assert_null(nearest_name("lx", names));       /* half of it differs */
    assert_null(nearest_name("vocaXXXX", names)); /* more than 3 differ */
    char long_name[300];
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_null(nearest_name(long_name, names));
}
