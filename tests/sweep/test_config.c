/* Sweep files that no case of tests/sweep_files holds: too deep, too large, of a name that a sweep
 * cannot have. */
#include <stdio.h>

#include "tests/sweep/config_help.h"

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

TEST(test_file_name)
{
    static const char text[] = "task: {name: gather}\n";
    struct config *c;
    struct message m;
    assert_int_equal(config_parse("a b.yaml", text, strlen(text), NULL, 0, &c, &m),
                     STATUS_BAD_INPUT);
    assert_string_equal(m.text, "a b.yaml:1:1: the file's name 'a b' cannot be the name of a sweep "
                                "(letters, digits, '.', '_', '-'); add a key name");
    config_free(NULL);
}
