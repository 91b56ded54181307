/* Tokens, and the files they are read from. */
#include <sys/stat.h>

#include "sweep/serve/token.h"

#include "tests/own_folder.h"

static struct message why;

static void write_token(const char *text, size_t size, mode_t mode)
{
    unlink(path);
    write_file("token", text, size);
    assert_int_equal(chmod(path, mode), 0);
}

static enum status read_text(const char *text)
{
    struct token t;
    write_token(text, strlen(text), 0600);
    return token_read(path, &t, &why);
}

GROUP(make_folder, remove_whole_folder)

TEST(a_file_has_one_line)
{
    static const char good[] = "0123456789abcdef";
    static const char *const as[] = {"0123456789abcdef", "0123456789abcdef\n",
                                     "0123456789abcdef\r\n"};
    static const char *const bad[] = {"",
                                      "\n",
                                      "0123456789abcde\n",
                                      "0123456789abcdef\n\n",
                                      " 0123456789abcdef\n",
                                      "0123456789 abcdef\n",
                                      "0123456789abcdef\r",
                                      "0123456789abcdef\nmore\n",
                                      "0123456789abcd\xc3\xa4\n"};
    struct token t;
    for (size_t i = 0; i < sizeof as / sizeof as[0]; i++) {
        assert_int_equal(read_text(as[i]), STATUS_OK);
        assert_int_equal(token_read(path, &t, &why), STATUS_OK);
        assert_true(token_is(&t, good, strlen(good)));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(read_text(bad[i]), STATUS_BAD_INPUT);
        assert_null(strstr(why.text, "0123"));
    }
    write_token("0123456789abcdef\0", 17, 0600);
    assert_int_equal(token_read(path, &t, &why), STATUS_BAD_INPUT);
}

TEST(its_length_has_bounds)
{
    char text[TOKEN_MAX + 3];
    memset(text, 'x', sizeof text);
    text[TOKEN_MAX] = '\n';
    text[TOKEN_MAX + 1] = '\0';
    assert_int_equal(read_text(text), STATUS_OK);
    text[TOKEN_MAX] = 'x';
    assert_int_equal(read_text(text), STATUS_BAD_INPUT);
    text[TOKEN_MAX + 1] = '\n';
    text[TOKEN_MAX + 2] = '\0';
    assert_int_equal(read_text(text), STATUS_BAD_INPUT);
}

TEST(others_must_not_have_it)
{
    static const mode_t modes[] = {0640, 0604, 0620, 0602, 0610, 0777};
    struct token t;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        write_token("0123456789abcdef", 16, modes[i]);
        assert_int_equal(token_read(path, &t, &why), STATUS_BAD_INPUT);
        assert_non_null(strstr(why.text, "chmod 600"));
    }
    write_token("0123456789abcdef", 16, 0400);
    assert_int_equal(token_read(path, &t, &why), STATUS_OK);
    unlink(path);
    assert_int_equal(token_read(path, &t, &why), STATUS_BAD_INPUT);
    assert_int_equal(mkfifo(path, 0600), 0); /* nobody writes into it */
    assert_int_equal(token_read(path, &t, &why), STATUS_BAD_INPUT);
    assert_int_equal(token_read(folder, &t, &why), STATUS_BAD_INPUT);
}

TEST(made_ones_are_random)
{
    struct token a, b;
    char first[TOKEN_TEXT_SIZE], second[TOKEN_TEXT_SIZE];
    assert_int_equal(token_make(&a, first, &why), STATUS_OK);
    assert_int_equal(token_make(&b, second, &why), STATUS_OK);
    assert_int_equal(strspn(first, "0123456789abcdef"), 32);
    assert_string_not_equal(first, second);
    assert_true(token_is(&a, first, 32));
    assert_false(token_is(&a, first, 31));
    assert_false(token_is(&a, second, 32));
    assert_false(token_is(&a, "", 0));
    assert_true(token_is_digest(&a, a.digest, 64));
    assert_false(token_is_digest(&a, a.digest, 63));
    assert_false(token_is_digest(&a, b.digest, 64));
    assert_false(token_is_digest(&a, first, 32));
}
