#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/safetensors.h"

#include "tests/test.h"

/* A file image: length, header, then data bytes 0, 1, 2, ... In memory of exactly that size, so
 * that the sanitizer sees a byte read too many. */
static unsigned char *image(const char *header, size_t data, size_t *size)
{
    uint64_t length = strlen(header);
    *size = 8 + length + data;
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, length);
    for (size_t i = 0; i < data; i++)
        bytes[8 + length + i] = (unsigned char)i;
    return bytes;
}

TEST(reads_what_the_python_package_wrote)
{
    void *bytes;
    size_t size;
    struct safetensors f;
    struct message m;
    assert_int_equal(
        file_read("tests/data/safetensors/python.safetensors", 10000, &bytes, &size, &m),
        STATUS_OK);
    assert_int_equal(safetensors_parse(bytes, size, &f, &m), STATUS_OK);
    assert_int_equal(f.count, 6);
    assert_int_equal(f.meta_count, 2);
    assert_string_equal(safetensors_meta(&f, "format"), "pt");
    assert_string_equal(safetensors_meta(&f, "quote\"\\"), "caf\xc3\xa9 \xf0\x9f\x98\x80\n\t\x01");
    assert_null(safetensors_meta(&f, "forma"));
    assert_null(safetensors_find(&f, "norm"));

    const struct safetensor *t = safetensors_find(&f, "encoder.norm.weight");
    const float norm[] = {1.5f, -2.25f, 3e-8f};
    assert_non_null(t);
    assert_int_equal(t->dtype, DTYPE_F32);
    assert_int_equal(t->rank, 1);
    assert_int_equal(t->shape[0], 3);
    assert_int_equal(t->size, sizeof norm);
    assert_memory_equal(t->data, norm, sizeof norm);

    t = safetensors_find(&f, "b");
    const int64_t b[] = {-3, -2, -1, 0, 1, 2};
    assert_non_null(t);
    assert_int_equal(t->dtype, DTYPE_I64);
    assert_int_equal(t->rank, 2);
    assert_int_equal(t->shape[0], 2);
    assert_int_equal(t->shape[1], 3);
    assert_memory_equal(t->data, b, sizeof b);

    t = safetensors_find(&f, "d");
    const double d = 0.1;
    assert_non_null(t);
    assert_int_equal(t->dtype, DTYPE_F64);
    assert_int_equal(t->rank, 0);
    assert_memory_equal(t->data, &d, sizeof d);

    assert_int_equal(safetensors_find(&f, "u")->dtype, DTYPE_U8);
    assert_int_equal(safetensors_find(&f, "i")->dtype, DTYPE_I32);
    assert_int_equal(safetensors_find(&f, "empty")->size, 0);
    safetensors_free(&f);
    free(bytes);
}

#define TENSOR(name, shape, begin, end)                                                            \
    "\"" name "\":{\"dtype\":\"U8\",\"shape\":[" shape "],\"data_offsets\":[" begin "," end "]}"

TEST(reads_legal_variations)
{
    static const struct {
        const char *header;
        size_t data;
        int count;
    } legal[] = {
        {"{}", 0, 0},
        {"{ }   ", 0, 0},
        {"{\"__metadata__\":{}}", 0, 0},
        {"{" TENSOR("a", "4", "0", "4") "}", 4, 1},
        {"{" TENSOR("b", "2", "2", "4") "," TENSOR("a", "2", "0", "2") "}", 4, 2},
        {"{" TENSOR("z", "0", "0", "0") "," TENSOR("a", "2", "0", "2") "}", 2, 2},
        {"{" TENSOR("", "1,1,1,1,1,1,1,1", "0", "1") "}", 1, 1},
        {"{\n\t\"a\" : { \"data_offsets\" : [ 0 , 1 ] , \"shape\" : [ ] ,\r\"dtype\" : \"U8\" } } ",
         1, 1},
        {"{\"\\u00e9\\ud83d\\ude00\\/\":{\"d\\u0074ype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]"
         "}}",
         1, 1},
    };
    for (size_t i = 0; i < sizeof legal / sizeof *legal; i++) {
        size_t size;
        unsigned char *bytes = image(legal[i].header, legal[i].data, &size);
        struct safetensors f;
        struct message m = {""};
        if (safetensors_parse(bytes, size, &f, &m) != STATUS_OK)
            fail_msg("%s: %s", legal[i].header, m.text);
        assert_int_equal(f.count, legal[i].count);
        if (i == 8)
            assert_string_equal(f.tensor[0].name, "\xc3\xa9\xf0\x9f\x98\x80/");
        safetensors_free(&f);
        free(bytes);
    }
}

TEST(each_fault_has_its_own_message)
{
    static const struct {
        const char *header;
        size_t data;
        const char *message;
    } refused[] = {
        {"", 0, "header, byte 8: must start with {"},
        {" {}", 0, "header, byte 8: must start with {"},
        {"[]", 0, "header, byte 8: must start with {"},
        {"{", 0, "header, byte 9: expected a string"},
        {"{} x", 0, "header, byte 11: only spaces may follow the object"},
        {"{}\n", 0, "header, byte 10: only spaces may follow the object"},
        {"{\"a", 0, "header, byte 11: ends within a string"},
        {"{\"a\\", 0, "header, byte 12: unknown escape"},
        {"{\"a\\x", 0, "header, byte 12: unknown escape"},
        {"{\"\\u12g4\"", 0, "header, byte 14: \\u needs four hexadecimal digits"},
        {"{\"\\u12", 0, "header, byte 14: \\u needs four hexadecimal digits"},
        {"{\"\\ud800\"", 0, "header, byte 16: half a surrogate pair"},
        {"{\"\\ud800\\u0041\"", 0, "header, byte 22: half a surrogate pair"},
        {"{\"\\udc00\"", 0, "header, byte 16: half a surrogate pair"},
        {"{\"\\udc00\\udc00\"", 0, "header, byte 16: half a surrogate pair"},
        {"{\"\\u0000\"", 0, "header, byte 16: NUL in a string"},
        {"{\"\n\"", 0, "header, byte 10: control character in a string"},
        {"{\"\\n\":", 0, "header, byte 14: control character in a tensor's name"},
        {"{\"\xff\"", 0, "header, byte 10: not UTF-8"},
        {"{\"\xc0\x80\"", 0, "header, byte 10: not UTF-8"},
        {"{\"\xed\xa0\x80\"", 0, "header, byte 10: not UTF-8"},
        {"{\"\xf4\x90\x80\x80\"", 0, "header, byte 10: not UTF-8"},
        {"{\"\xe2\x82\"", 0, "header, byte 10: not UTF-8"},
        {"{\"\xf0\x9f\x98", 0, "header, byte 10: not UTF-8"},
        {"{\"a\"}", 0, "header, byte 12: expected :"},
        {"{\"a\":7}", 0, "header, byte 13: expected an object with dtype, shape and data_offsets"},
        {"{\"a\":{}}", 0, "header, byte 15: a tensor needs dtype, shape and data_offsets"},
        {"{\"a\":{\"dtype\":\"U8\"}}", 0,
         "header, byte 27: a tensor needs dtype, shape and data_offsets"},
        {"{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1,
         "header, byte 47: a tensor needs dtype, shape and data_offsets"},
        {"{\"a\":{\"dtype\":\"BF16\"", 0,
         "header, byte 28: unknown dtype; known: F32, F64, I32, I64, U8"},
        {"{\"a\":{\"dtype\":7", 0, "header, byte 22: expected a string"},
        {"{\"a\":{\"type\":", 0,
         "header, byte 20: unknown key; a tensor has dtype, shape and data_offsets"},
        {"{\"a\":{\"shape\":[],\"shape\":[]", 0, "header, byte 32: key given twice"},
        {"{\"a\":{\"shape\":[1;", 0, "header, byte 24: expected , or ]"},
        {"{\"a\":{\"shape\":1", 0, "header, byte 22: expected a list"},
        {"{\"a\":{\"shape\":[-1]", 0, "header, byte 23: expected a non-negative integer"},
        {"{\"a\":{\"shape\":[1,]", 0, "header, byte 25: expected a non-negative integer"},
        {"{\"a\":{\"shape\":[01]", 0, "header, byte 25: number with a leading zero"},
        {"{\"a\":{\"shape\":[1.0]", 0, "header, byte 24: only integers are allowed"},
        {"{\"a\":{\"shape\":[1e3]", 0, "header, byte 24: only integers are allowed"},
        {"{\"a\":{\"shape\":[9223372036854775808]", 0, "header, byte 41: number beyond 64 bits"},
        {"{\"a\":{\"shape\":[99999999999999999999]", 0, "header, byte 41: number beyond 64 bits"},
        {"{\"a\":{\"shape\":[1,1,1,1,1,1,1,1,1]", 0,
         "header, byte 39: too many numbers in the list"},
        {"{\"a\":{\"shape\":[[", 0, "header, byte 23: nested deeper than the format allows"},
        {"{\"a\":{\"dtype\":{", 0, "header, byte 22: nested deeper than the format allows"},
        {"{\"a\":[[[[[[[[", 0, "header, byte 13: nested deeper than the format allows"},
        {"{{", 0, "header, byte 9: nested deeper than the format allows"},
        {"{\"a\":{\"data_offsets\":[0]", 0, "header, byte 32: data_offsets needs two numbers"},
        {"{\"a\":{\"data_offsets\":[0,1,2]", 0, "header, byte 34: too many numbers in the list"},
        {"{\"a\":{\"dtype\":\"U8\",", 0, "header, byte 27: expected a string"},
        {"{\"a\":{\"dtype\":\"U8\";", 0, "header, byte 26: expected , or }"},
        {"{" TENSOR("a", "1", "0", "1") ";", 1, "header, byte 60: expected , or }"},
        {"{" TENSOR("a", "1", "0", "1") ",}", 1, "header, byte 61: expected a string"},
        {"{\"__metadata__\":7}", 0, "header, byte 24: expected an object of strings"},
        {"{\"__metadata__\":{\"a\":7}}", 0, "header, byte 29: expected a string"},
        {"{\"__metadata__\":{\"a\":{}}}", 0,
         "header, byte 29: nested deeper than the format allows"},
        {"{\"__metadata__\":{\"a\":\"b\"", 0, "header, byte 32: expected , or }"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0,
         "header, byte 42: __metadata__ occurs twice"},
        {"{\"__metadata__\":{\"a\":\"b\",\"\\u0061\":\"c\"}}", 0,
         "a key of __metadata__ occurs twice"},
        {"{" TENSOR("a", "1", "0", "1") "," TENSOR("a", "1", "1", "2") "}", 2,
         "tensor a occurs twice"},
        {"{" TENSOR("a", "1", "0", "1") "," TENSOR("b", "1", "2", "3") "}", 3,
         "tensor b begins at 2, after a gap behind one that ends at 1"},
        {"{" TENSOR("a", "1", "1", "2") "}", 2,
         "tensor a begins at 1, after a gap behind one that ends at 0"},
        {"{" TENSOR("a", "2", "0", "2") "," TENSOR("b", "2", "1", "3") "}", 3,
         "tensor b begins at 1, within another tensor that ends at 2"},
        {"{" TENSOR("a", "2", "0", "2") "," TENSOR("b", "0", "1", "1") "}", 2,
         "tensor b begins at 1, within another tensor that ends at 2"},
        {"{" TENSOR("a", "1", "0", "1") "}", 3, "2 bytes behind the last tensor"},
        {"{}", 3, "3 bytes behind the last tensor"},
        {"{" TENSOR("a", "3", "0", "2") "}", 2,
         "tensor a: has 2 bytes, but its shape and dtype need 3"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,4]}}", 4,
         "tensor a: has 4 bytes, but its shape and dtype need 8"},
        {"{" TENSOR("a", "3", "0", "3") "}", 2, "tensor a: ends at 3, but there are 2 data bytes"},
        {"{" TENSOR("a", "1", "2", "1") "}", 2, "tensor a: ends at 1, before it begins at 2"},
        {"{" TENSOR("a", "4194305,4194305,211106198978564", "0", "4") "}", 4,
         "tensor a: its shape is beyond 64 bits"},
        {"{" TENSOR("a", "4294967296,4294967296,0", "0", "0") "}", 0,
         "tensor a: its shape is beyond 64 bits"},
        {"{\"a\":{\"dtype\":\"F64\",\"shape\":[2305843009213693952],\"data_offsets\":[0,0]}}", 0,
         "tensor a: its shape is beyond 64 bits"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        size_t size;
        unsigned char *bytes = image(refused[i].header, refused[i].data, &size);
        struct safetensors f;
        struct message m = {""};
        assert_int_equal(safetensors_parse(bytes, size, &f, &m), STATUS_CORRUPT);
        if (strcmp(m.text, refused[i].message) != 0)
            fail_msg("%s: \"%s\", should be \"%s\"", refused[i].header, m.text, refused[i].message);
        assert_null(f.memory);
        free(bytes);
    }
}

TEST(length_is_checked_before_it_is_used)
{
    static const struct {
        uint64_t length;
        size_t size;
        const char *message;
    } refused[] = {
        {0, 0, "too short for a safetensors file, with 0 bytes"},
        {2, 7, "too short for a safetensors file, with 7 bytes"},
        {2, 9, "header of 2 bytes in a file of 9: truncated"},
        {100000000, 10, "header of 100000000 bytes in a file of 10: truncated"},
        {100000001, 10, "header of 100000001 bytes; allowed: up to 100000000"},
        {UINT64_MAX, 10, "header of 18446744073709551615 bytes; allowed: up to 100000000"},
        {UINT64_MAX - 7, 10, "header of 18446744073709551608 bytes; allowed: up to 100000000"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        unsigned char bytes[10] = {0};
        memcpy(bytes, &refused[i].length, 8);
        memcpy(bytes + 8, "{}", 2);
        struct safetensors f;
        struct message m = {""};
        assert_int_equal(safetensors_parse(bytes, refused[i].size, &f, &m), STATUS_CORRUPT);
        assert_string_equal(m.text, refused[i].message);
    }
}

/* A million opening brackets, or braces, or commas: refused in an instant and in little memory. */
TEST(hostile_headers_cost_little)
{
    enum { N = 1000000 };
    static const char *const pieces[] = {"[", "{", "{\"a\":", ":", "\"a\":\"b\",", ","};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t piece = strlen(pieces[i]), size;
        char *header = calloc(1, N + 16);
        assert_non_null(header);
        header[0] = '{';
        for (size_t at = 1; at + piece <= N; at += piece)
            memcpy(header + at, pieces[i], piece);
        unsigned char *bytes = image(header, 0, &size);
        struct safetensors f;
        struct message m;
        assert_int_equal(safetensors_parse(bytes, size, &f, &m), STATUS_CORRUPT);
        free(bytes);
        free(header);
    }
}
