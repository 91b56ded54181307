#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"

#include "tests/test.h"

/* Examples of FIPS 180 and NIST's SHA256ShortMsg. */
TEST(published_answers)
{
    static const char *const vectors[][2] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
         "lmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        char hex[65];
        sha256_hex(vectors[i][0], strlen(vectors[i][0]), hex);
        assert_string_equal(hex, vectors[i][1]);
    }
}

TEST(a_million_letters)
{
    char *text = malloc(1000000), hex[65];
    assert_non_null(text);
    memset(text, 'a', 1000000);
    sha256_hex(text, 1000000, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(text);
}

static void hash_portably(const void *data, size_t size, char hex[65])
{
    struct sha256 s;
    sha256_init(&s);
    s.compress = sha256_compress_portable;
    sha256_update(&s, data, size);
    sha256_final(&s, hex);
}

/* Where the processor has instructions for it, two codes say the same. */
TEST(plain_c_gives_the_same)
{
    unsigned char data[1000];
    char fast[65], portable[65];
    for (size_t size = 0; size <= sizeof data; size++) {
        for (size_t i = 0; i < size; i++)
            data[i] = (unsigned char)(i * i + size * 31 + i / 7);
        sha256_hex(data, size, fast);
        hash_portably(data, size, portable);
        assert_string_equal(fast, portable);
    }
    hash_portably("abc", 3, portable);
    assert_string_equal(portable,
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/* Around the lengths where the padding takes a block more; pieces of every size in between. */
TEST(pieces_give_the_same_as_the_whole)
{
    unsigned char data[300];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7 + i / 13);
    for (size_t size = 0; size <= sizeof data; size++) {
        char whole[65], pieces[65];
        sha256_hex(data, size, whole);
        for (size_t piece = 1; piece <= 130; piece += 1 + piece / 4) {
            struct sha256 s;
            sha256_init(&s);
            for (size_t at = 0; at < size; at += piece)
                sha256_update(&s, data + at, size - at < piece ? size - at : piece);
            sha256_final(&s, pieces);
            assert_string_equal(pieces, whole);
        }
    }
}
