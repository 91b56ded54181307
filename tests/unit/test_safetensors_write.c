#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/safetensors.h"
#include "engine/base/sha256.h"
#include "tests/folder.h"
#include "tests/test.h"
#include "tests/unit/faults.h"

static char folder[256];

static int make_folder(void **state)
{
    (void)state;
    return folder_make(folder, sizeof folder, "headcount-safetensors");
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* fails where a test left a file behind */
}

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* One tensor of each dtype, a scalar, an empty one, and text that needs escapes. */
static const float f32[6] = {1, -2, 3.5f, 0, 1e-30f, 7};
static const double f64[1] = {0.1};
static const int64_t i64[2] = {INT64_MIN, 5};
static const int32_t i32[1] = {-7};
static const uint8_t u8[3] = {0, 128, 255};
#define TENSOR(name_, dtype_, data_, bytes, rank_, ...)                                            \
    {                                                                                              \
        .name = name_, .dtype = dtype_, .rank = rank_, .shape = {__VA_ARGS__}, .data = data_,      \
        .size = bytes                                                                              \
    }
static struct safetensor sample_tensors[] = {
    TENSOR("encoder.layers.0.self_attn.in_proj_weight", DTYPE_F32, f32, sizeof f32, 2, 2, 3),
    TENSOR("scalar", DTYPE_F64, f64, sizeof f64, 0, 0),
    TENSOR("i64", DTYPE_I64, i64, sizeof i64, 1, 2),
    TENSOR("i32", DTYPE_I32, i32, sizeof i32, 3, 1, 1, 1),
    TENSOR("empty", DTYPE_F32, f32, 0, 2, 0, 9),
    TENSOR("u8 \"\xc3\xa9\"", DTYPE_U8, u8, sizeof u8, 1, 3),
};
static struct safetensors_meta sample_meta[] = {
    {"format", "test"},
    {"state", "{\"curve\":[1,\"\\n\"]}"},
    {"controls", "\x01\x1f\t\r\n\b\f\x7f\\\"/ \xf0\x9f\x98\x80"},
    {"", ""},
};
static const struct safetensors sample = {6, sample_tensors, 4, sample_meta, NULL};

static void assert_is_sample(const struct safetensors *f)
{
    assert_int_equal(f->count, sample.count);
    assert_int_equal(f->meta_count, sample.meta_count);
    for (int i = 0; i < f->count; i++) {
        const struct safetensor *t = &f->tensor[i], *e = &sample.tensor[i];
        assert_string_equal(t->name, e->name);
        assert_int_equal(t->dtype, e->dtype);
        assert_int_equal(t->rank, e->rank);
        assert_memory_equal(t->shape, e->shape, sizeof t->shape);
        assert_int_equal(t->size, e->size);
        assert_memory_equal(t->data, e->data, e->size);
    }
    for (int i = 0; i < f->meta_count; i++) {
        assert_string_equal(f->meta[i].key, sample.meta[i].key);
        assert_string_equal(f->meta[i].value, sample.meta[i].value);
    }
}

GROUP(make_folder, remove_folder)

TEST(what_is_written_is_read_back)
{
    char digest[65], again[65];
    void *bytes;
    size_t size;
    struct safetensors f;
    struct message m;
    const char *path = path_of("sample");
    assert_int_equal(safetensors_write(path, &sample, digest, &m), STATUS_OK);
    assert_int_equal(file_read(path, 1 << 20, &bytes, &size, &m), STATUS_OK);
    sha256_hex(bytes, size, again);
    assert_string_equal(digest, again);
    assert_int_equal(*(unsigned char *)bytes % 8, 0); /* the header's length: the data is aligned */
    assert_int_equal(safetensors_parse(bytes, size, &f, &m), STATUS_OK);
    assert_is_sample(&f);

    char *header;
    size_t header_size;
    assert_int_equal(safetensors_header(&f, &header, &header_size, &m), STATUS_OK);
    assert_memory_equal(header, bytes, header_size);
    free(header);
    safetensors_free(&f);
    free(bytes);
    assert_int_equal(unlink(path), 0);
}

TEST(a_file_of_nothing)
{
    void *bytes;
    size_t size;
    struct safetensors f, none = {0};
    struct message m;
    const char *path = path_of("nothing");
    assert_int_equal(safetensors_write(path, &none, NULL, &m), STATUS_OK);
    assert_int_equal(file_read(path, 100, &bytes, &size, &m), STATUS_OK);
    assert_int_equal(size, 16);
    assert_memory_equal(bytes, "\x08\0\0\0\0\0\0\0{}      ", 16);
    assert_int_equal(safetensors_parse(bytes, size, &f, &m), STATUS_OK);
    safetensors_free(&f);
    free(bytes);
    assert_int_equal(unlink(path), 0);
}

TEST(truncation_is_noticed_at_every_length)
{
    void *bytes;
    size_t size;
    struct safetensors f;
    struct message m;
    const char *path = path_of("sample");
    assert_int_equal(safetensors_write(path, &sample, NULL, &m), STATUS_OK);
    assert_int_equal(file_read(path, 1 << 20, &bytes, &size, &m), STATUS_OK);
    for (size_t n = 0; n < size; n++) {
        unsigned char *part = malloc(n + !n); /* exactly n: the sanitizer sees a byte too many */
        assert_non_null(part);
        memcpy(part, bytes, n);
        assert_int_equal(safetensors_parse(part, n, &f, &m), STATUS_CORRUPT);
        free(part);
    }
    free(bytes);
    assert_int_equal(unlink(path), 0);
}

TEST(unwritable_contents_are_refused)
{
    struct message m;
    struct safetensor wrong_size = TENSOR("a", DTYPE_F32, f32, 8, 1, 3);
    struct safetensor wrong_name = TENSOR("\xff", DTYPE_U8, u8, 3, 1, 3);
    struct safetensors_meta wrong_text = {"a", "\xc3"};
    const struct safetensors wrong[] = {{.count = 1, .tensor = &wrong_size},
                                        {.count = 1, .tensor = &wrong_name},
                                        {.meta_count = 1, .meta = &wrong_text}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(safetensors_write(path_of("wrong"), &wrong[i], NULL, &m), STATUS_INTERNAL);
}

static void assert_holds(const char *path, const char *expected)
{
    void *bytes;
    size_t size;
    assert_int_equal(file_read(path, 1 << 20, &bytes, &size, NULL), STATUS_OK);
    assert_string_equal(bytes, expected);
    free(bytes);
}

static void write_old(const char *path)
{
    struct iovec old = {(char[]){"old"}, 3};
    assert_int_equal(file_write(path, &old, 1, NULL), STATUS_OK);
}

/* As file_write has it (unit/test_file.c). */
TEST(a_failed_write_leaves_the_old_file)
{
    static const struct {
        enum fault_call call;
        int error;
        enum status status;
        const char *message;
    } faults[] = {
        {FAULT_WRITEV, EDQUOT, STATUS_DISK_FULL, "cannot write: Disk quota exceeded"},
        {FAULT_SYNC, EIO, STATUS_IO, "cannot sync: Input/output error"},
    };
    const char *path = path_of("result");
    write_old(path);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct message m = {""};
        fault_arm(faults[i].call, 1, faults[i].error);
        assert_int_equal(safetensors_write(path, &sample, NULL, &m), faults[i].status);
        assert_true(fault_disarm());
        assert_non_null(strstr(m.text, faults[i].message));
        assert_holds(path, "old");
    }
    assert_int_equal(unlink(path), 0);
}

/* Lets the 1st, 2nd, ... allocation fail until none is left to fail. */
TEST(running_out_of_memory_is_reported)
{
    if (!FAULTS_IN_MALLOC)
        skip();
    const char *path = path_of("result");
    write_old(path);
    int failures = 0;
    for (int nth = 1;; nth++) {
        struct message m;
        fault_arm(FAULT_MALLOC, nth, ENOMEM);
        enum status s = safetensors_write(path, &sample, NULL, &m);
        if (!fault_disarm()) {
            assert_int_equal(s, STATUS_OK);
            break;
        }
        failures++;
        if (s != STATUS_NO_MEMORY && s != STATUS_OK) /* OK: the C library can do without some */
            fail_msg("allocation %d: status %d, %s", nth, (int)s, m.text);
    }
    assert_true(failures >= 3); /* header, parts, name of the temporary file */

    void *bytes;
    size_t size;
    for (int nth = 1;; nth++) {
        struct safetensors f;
        struct message m;
        fault_arm(FAULT_MALLOC, nth, ENOMEM);
        enum status s = file_read(path, 1 << 20, &bytes, &size, &m);
        if (s == STATUS_OK) {
            s = safetensors_parse(bytes, size, &f, &m);
            free(bytes);
        }
        if (!fault_disarm()) {
            assert_int_equal(s, STATUS_OK);
            safetensors_free(&f);
            break;
        }
        assert_int_equal(s, STATUS_NO_MEMORY);
    }
    assert_int_equal(unlink(path), 0);
}
