/* Sweep files as text: bytes, YAML, words and numbers, depth, and the file itself; each fault is
 * told at its place. */
#include <stdio.h>

#include "tests/sweep/config_help.h"

/* Words of YAML 1.1 that 1.2's core schema does not have are strings; 1e-3 is a number. */
TEST(test_typing)
{
    struct config *c = config_of("task: {name: hist, bos: True}\n"
                                 "train: {lr: 1e-3, clip: .5}\n"
                                 "model: {heads: [1], d_head: 8}\n"
                                 "name: no\n"
                                 "tune: []\n");
    assert_string_equal(c->name, "no");
    assert_string_equal(axis_of(c, "train.lr")->value[0].scalar[0], "1e-3");
    assert_true(axis_of(c, "model.heads")->listed);
    assert_int_equal(c->tune, 0);
    config_free(c);
    c = config_of("task: {name: gather, offsets: [], slots: 1}\n");
    assert_int_equal(axis_of(c, "task.offsets")->values, 1);
    assert_int_equal(axis_of(c, "task.offsets")->value[0].scalars, 0);
    assert_string_equal(c->name, "s");
    assert_string_equal(c->question, "");
    config_free(c);
}

/* The byte faults, one by one: text around them, so that line and column count. */
TEST(test_bytes)
{
    static const struct {
        const char *text;
        size_t size;
        const char *message;
    } list[] = {
#define BYTES(text) text, sizeof text - 1
        {BYTES("task:\n  name: g\xff\n"), "s.yaml:2:10: byte 0xff is not UTF-8"},
        {BYTES("# \xc3\xa4\xc3\xa4\xc3\n"), "s.yaml:1:5: byte 0xc3 is not UTF-8"},
        {BYTES("# \xc0\xaf"), "s.yaml:1:3: byte 0xc0 is not UTF-8"},
        {BYTES("# \xe0\x80\x80"), "s.yaml:1:3: byte 0xe0 is not UTF-8"},
        {BYTES("# \xed\xa0\x80"), "s.yaml:1:3: byte 0xed is not UTF-8"},
        {BYTES("# \xf4\x90\x80\x80"), "s.yaml:1:3: byte 0xf4 is not UTF-8"},
        {BYTES("a: 1\nb: \xf0\x9f\x98"), "s.yaml:2:4: byte 0xf0 is not UTF-8"},
        {BYTES("a: 1\0\n"), "s.yaml:1:5: a NUL byte; the file must be UTF-8 text"},
        {BYTES("\xef\xbb\xbf"
               "a: 1\n"),
         "s.yaml:1:1: the file begins with a byte order mark; save it as UTF-8 without one"},
        {BYTES("a: \xef\xbb\xbf"), "s.yaml:1:4: the control character U+FEFF"},
        {BYTES("\xff\xfe"
               "a\0"),
         "s.yaml:1:1: this is UTF-16; save the file as UTF-8"},
        {BYTES("\xfe\xff\0a"), "s.yaml:1:1: this is UTF-16; save the file as UTF-8"},
        {BYTES("a: \x1b[31m\n"), "s.yaml:1:4: the control character U+001B"},
        {BYTES("a: \xc2\x9b\n"), "s.yaml:1:4: the control character U+009B"},
        {BYTES("a: 1\xe2\x80\xa8"),
         "s.yaml:1:5: the line separator U+2028; end lines with a newline"},
        {BYTES("task:\n\tname: gather\n"), "s.yaml:2:1: a tab in the indentation; use spaces"},
        {BYTES("task:\n  \tname: gather\n"), "s.yaml:2:3: a tab in the indentation; use spaces"},
        {BYTES("a: 1\r\r\n\xff"), "s.yaml:3:1: byte 0xff is not UTF-8"},
#undef BYTES
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        assert_bytes_refused(list[i].text, list[i].size, list[i].message);
    config_free(config_of("task: {name: gather}\t# tabs behind something are harmless\n"));
}

TEST(test_yaml)
{
    static const struct refusal list[] = {
        {"", "s.yaml:1:1: it holds nothing but blanks and comments"},
        {"# only this\n", "s.yaml:1:1: it holds nothing but blanks and comments"},
        {"- a\n", "s.yaml:1:1: a sweep file must be a mapping, not a list"},
        {"gather\n", "s.yaml:1:1: a sweep file must be a mapping, not a single value"},
        {"---\n", "s.yaml:2:1: a sweep file must be a mapping, not empty"},
        {"task: &a {name: gather}\n",
         "s.yaml:1:7: the anchor &a; anchors and aliases are not supported; write the value out"},
        {"task: *a\n",
         "s.yaml:1:7: an alias; anchors and aliases are not supported; write the value out"},
        {"*a : 1\n",
         "s.yaml:1:1: an alias; anchors and aliases are not supported; write the value out"},
        {"seeds: [1, &b 2]\n",
         "s.yaml:1:12: the anchor &b; anchors and aliases are not supported; write the value out"},
        {"seeds: !!int 5\n", "s.yaml:1:8: the tag tag:yaml.org,2002:int; tags are not supported; "
                             "write the plain value"},
        {"seeds: ! 5\n", "s.yaml:1:8: the tag !; tags are not supported; write the plain value"},
        {"task: !x {name: gather}\n",
         "s.yaml:1:7: the tag !x; tags are not supported; write the plain value"},
        {"seeds: 5\n---\nseeds: 4\n",
         "s.yaml:2:1: a second document begins here; one file is one sweep"},
        {"%YAML 1.2\n---\nseeds: 5\n", "s.yaml:1:1: directives (%YAML, %TAG) are not supported"},
        {"seeds: 5\nname: x\nseeds: 4\n",
         "s.yaml:3:1: duplicate key 'seeds'; it is already on line 1"},
        {"model: {heads: 1, 'heads': 2}\n",
         "s.yaml:1:19: duplicate key 'heads'; it is already on line 1"},
        {"? [a]\n: 1\n", "s.yaml:1:3: a key must be a single word, not a list or a mapping"},
        {"name: \"a\\0b\"\n", "s.yaml:1:7: a NUL character in a string"},
        {"model: {heads: [1, 2}\n",
         "s.yaml:1:21: did not find expected ',' or ']' while parsing a flow sequence"},
        {"model:\n  heads: 1\n layers: 2\n",
         "s.yaml:3:2: did not find expected key while parsing a block mapping"},
        {"name: a: b\n", "s.yaml:1:8: mapping values are not allowed in this context"},
        {"name: 'a\n", "s.yaml:2:1: found unexpected end of stream while scanning a quoted scalar"},
    };
    ASSERT_ALL_REFUSED(list);
}

TEST(test_depth)
{
    static char text[TREE_BYTES + 2];
    memset(text, '[', TREE_BYTES);
    assert_refused(text, "s.yaml:1:33: nested deeper than 32 levels");
    for (int i = 0; i + 4 <= TREE_BYTES; i += 4)
        memcpy(text + i, "{a: ", 4);
    assert_refused(text, "s.yaml:1:129: nested deeper than 32 levels");
    for (int i = 0; i + 2 <= TREE_BYTES; i += 2)
        memcpy(text + i, "- ", 2);
    assert_refused(text, "s.yaml:1:65: nested deeper than 32 levels");
    memset(text, '#', TREE_BYTES + 1);
    assert_refused(text, "s.yaml:1:1: larger than 1 MiB");
    text[TREE_BYTES] = '\0';
    assert_refused(text, "s.yaml:1:1: it holds nothing but blanks and comments");
    size_t used = 0;
    for (int i = 0; i <= TREE_KEYS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "k%d: 1\n", i);
    assert_refused(text, "s.yaml:257:1: more than 256 keys in one mapping");
}

static void assert_file(const char *path, const char *message)
{
    struct config *c;
    struct message m = {{0}};
    assert_int_equal(config_read(path, NULL, 0, &c, &m), STATUS_BAD_INPUT);
    assert_null(c);
    assert_string_equal(m.text, message);
}

TEST(test_files)
{
    static const char text[] = "task: {name: gather}\n";
    struct config *c;
    struct message m;
    assert_file("tests/data/yaml/none.yaml",
                "tests/data/yaml/none.yaml: No such file or directory");
    assert_file("tests/data/yaml", "tests/data/yaml: this is a directory, not a sweep file");
    assert_file("tests/data/yaml/utf16.yaml",
                "tests/data/yaml/utf16.yaml:1:1: this is UTF-16; save the file as UTF-8");
    assert_file("tests/data/yaml/empty.yaml",
                "tests/data/yaml/empty.yaml:1:1: it holds nothing but blanks and comments");
    assert_file("/dev/zero", "/dev/zero: larger than 1 MiB, the limit for a sweep file");
    assert_int_equal(config_read("tests/data/yaml/crlf.yaml", NULL, 0, &c, &m), STATUS_OK);
    assert_string_equal(c->question, "Windows line ends");
    assert_string_equal(c->name, "crlf");
    assert_int_equal(axis_of(c, "model.heads")->value[1].place.line, 5);
    assert_int_equal(axis_of(c, "model.heads")->value[1].place.column, 20);
    assert_int_equal(c->seed[0], 3);
    config_free(c);
    /* What is kept of it, and its hash, do not hang on how its lines end. */
    static const char *const same[] = {
        "task: {name: gather} # x\nseeds: 2\n", "task: {name: gather} # x\nseeds: 2",
        "task: {name: gather} # x\r\nseeds: 2\r\n", "task: {name: gather} # x\rseeds: 2\r",
        "task: {name: gather} # x\r\nseeds: 2\r"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_int_equal(config_parse("s.yaml", same[i], strlen(same[i]), NULL, 0, &c, &m),
                         STATUS_OK);
        assert_string_equal(c->text, same[0]);
        assert_int_equal(c->size, strlen(same[0]));
        assert_string_equal(c->sha256,
                            "20fe10d7ab67b5e35474fe5df58bc1c9735ec5505c12c7845d0bfa0cd88a0dac");
        config_free(c);
    }
    /* A name that a file has and a sweep cannot have. */
    assert_int_equal(config_parse("a b.yaml", text, strlen(text), NULL, 0, &c, &m),
                     STATUS_BAD_INPUT);
    assert_string_equal(m.text, "a b.yaml:1:1: the file's name 'a b' cannot be the name of a sweep "
                                "(letters, digits, '.', '_', '-'); add a key name");
    config_free(NULL);
}
