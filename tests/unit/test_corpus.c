/* A user's file in pieces: what is none, what changes while it is read. */
#include <fcntl.h>
#include <sys/stat.h>

#include "datasets/corpus.h"
#include "engine/base/sha256.h"
#include "tests/unit/own_file.h"

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    struct corpus c;
    name_file("missing");
    assert_fails(corpus_open(path, &c, &m), STATUS_BAD_INPUT,
                 ": cannot open: No such file or directory");
    assert_int_equal(c.fd, -1);
    write_file("empty", "", 0);
    assert_fails(corpus_open(path, &c, &m), STATUS_BAD_INPUT, ": is empty");
    assert_int_equal(c.fd, -1);
    corpus_close(&c);
    assert_int_equal(remove(path), 0);
    name_file("folder");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_fails(corpus_open(path, &c, &m), STATUS_BAD_INPUT, ": is a folder, not a file");
    assert_int_equal(remove(path), 0);
    name_file("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_fails(corpus_open(path, &c, &m), STATUS_BAD_INPUT, ": is a device or pipe, not a file");
    assert_int_equal(remove(path), 0);
    if (geteuid() == 0)
        return; /* to whom every file is readable */
    write_file("secret", "x", 1);
    assert_int_equal(chmod(path, 0), 0);
    assert_fails(corpus_open(path, &c, &m), STATUS_BAD_INPUT, ": cannot open: Permission denied");
}

static enum status add_up(void *context, const unsigned char *bytes, size_t n, struct message *text)
{
    (void)text;
    for (size_t i = 0; i < n; i++)
        *(int64_t *)context += bytes[i];
    return STATUS_OK;
}

static void a_file_is_read_in_pieces(void **state)
{
    (void)state;
    enum { SIZE = 200000 };
    unsigned char *bytes = malloc(SIZE), part[1000];
    int64_t sum = 0, expected = 0;
    char hash[65], whole[65];
    struct corpus c;
    assert_non_null(bytes);
    for (int i = 0; i < SIZE; i++)
        expected += bytes[i] = (unsigned char)(i * 7 + i / 256);
    write_file("file", bytes, SIZE);
    assert_int_equal(corpus_open(path, &c, &m), STATUS_OK);
    assert_int_equal(c.size, SIZE);
    assert_int_equal(corpus_scan(&c, add_up, &sum, hash, &m), STATUS_OK);
    assert_int_equal(sum, expected);
    sha256_hex(bytes, SIZE, whole);
    assert_string_equal(hash, whole);
    assert_int_equal(corpus_scan(&c, add_up, &sum, NULL, &m), STATUS_OK);
    assert_int_equal(corpus_read(&c, SIZE - 1000, part, 1000, &m), STATUS_OK);
    assert_memory_equal(part, bytes + SIZE - 1000, 1000);
    assert_fails(corpus_read(&c, SIZE - 999, part, 1000, &m), STATUS_CORRUPT,
                 ": was truncated while it was read");
    corpus_close(&c);
    free(bytes);
}

static enum status grow_file(void *context, const unsigned char *bytes, size_t n,
                             struct message *text)
{
    (void)context, (void)bytes, (void)n, (void)text;
    struct stat before;
    assert_int_equal(stat(path, &before), 0);
    const struct timespec same[2] = {before.st_mtim, before.st_mtim}; /* clocks are coarse */
    assert_int_equal(truncate(path, 12), 0);
    assert_int_equal(utimensat(AT_FDCWD, path, same, 0), 0);
    return STATUS_OK;
}

static enum status touch_file(void *context, const unsigned char *bytes, size_t n,
                              struct message *text)
{
    (void)context, (void)bytes, (void)n, (void)text;
    const struct timespec then[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
    return STATUS_OK;
}

static enum status stop_reading(void *context, const unsigned char *bytes, size_t n,
                                struct message *text)
{
    (void)bytes, (void)n;
    ++*(int *)context;
    return status_fail(text, STATUS_INTERRUPTED, "enough");
}

static void a_file_that_changes_is_noticed(void **state)
{
    (void)state;
    struct corpus c;
    int visits = 0;
    char *large = calloc(1, 1 << 20);
    assert_non_null(large);
    write_file("file", "0123456789", 10);
    assert_int_equal(corpus_open(path, &c, &m), STATUS_OK);
    assert_fails(corpus_scan(&c, grow_file, NULL, NULL, &m), STATUS_CORRUPT,
                 ": was changed while it was read");
    corpus_close(&c);
    assert_int_equal(corpus_open(path, &c, &m), STATUS_OK);
    assert_fails(corpus_scan(&c, touch_file, NULL, NULL, &m), STATUS_CORRUPT,
                 ": was changed while it was read");
    corpus_close(&c);
    write_file("file", large, 1 << 20);
    assert_int_equal(corpus_open(path, &c, &m), STATUS_OK);
    assert_int_equal(corpus_scan(&c, stop_reading, &visits, NULL, &m), STATUS_INTERRUPTED);
    assert_int_equal(visits, 1);
    assert_fails(corpus_scan(&c, grow_file, NULL, NULL, &m), STATUS_CORRUPT,
                 ": was truncated while it was read");
    corpus_close(&c);
    free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_no_file_is_refused, remove_file),
        cmocka_unit_test_teardown(a_file_is_read_in_pieces, remove_file),
        cmocka_unit_test_teardown(a_file_that_changes_is_noticed, remove_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
