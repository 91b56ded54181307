/* A user's file in pieces: what is none, what is cut while it is read. */
#include <sys/stat.h>

#include "datasets/corpus.h"
#include "engine/base/sha256.h"
#include "tests/test.h"
#include "tests/unit/own_file.h"

GROUP(set_up, tear_down)

FIXTURE(NULL, remove_file)

TEST(what_is_no_file_is_refused)
{
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

FIXTURE(NULL, NULL)

TEST(what_is_no_text_is_known_by_its_first_bytes)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *says; /* NULL: it is text */
    } list[] = {
        {"\xff\xfe"
         "a\0",
         4, ": is UTF-16, not text; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
        {"\xfe\xff\0a", 4, ": is UTF-16, not text; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
        {"\xff\xfe\0\0a\0\0\0", 8,
         ": is UTF-32, not text; save it as UTF-8 (iconv -f UTF-32 -t UTF-8)"},
        {"%PDF-1.7\n", 9, ": is a PDF, not text; extract its text first (pdftotext)"},
        {"SQLite format 3\0\x10", 17,
         ": is an SQLite database, not text; write its rows as CSV first (sqlite3 -csv -header)"},
        {"PAR1\x15", 5, ": is Parquet, not text; save its rows as CSV or JSON Lines first"},
        {"\x1f\x8b\x08\0", 4, ": is compressed (gzip), not text; unpack it first"},
        {"\xfd"
         "7zXZ\0\0",
         7, ": is compressed (xz), not text; unpack it first"},
        {"\x28\xb5\x2f\xfd", 4, ": is compressed (zstd), not text; unpack it first"},
        {"PK\x03\x04", 4,
         ": is a zip archive, as .xlsx and .docx are, not text; unpack it first, or save it as "
         "text "
         "or CSV"},
        {"\xff", 1, NULL},
        {"%PDF", 4, NULL},
        {"SQLite format 3", 15, NULL},
        {"\xef\xbb\xbftext", 7, NULL},
    };
    struct corpus c;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        write_file("kind", list[i].bytes, list[i].size);
        assert_int_equal(corpus_open(path, &c, &m), STATUS_OK);
        enum status s = corpus_is_text(&c, &m);
        if (list[i].says)
            assert_fails(s, STATUS_BAD_INPUT, list[i].says);
        else
            assert_int_equal(s, STATUS_OK);
        corpus_close(&c);
        assert_int_equal(remove(path), 0);
    }
}

static enum status add_up(void *context, const unsigned char *bytes, size_t n, struct message *text)
{
    (void)text;
    for (size_t i = 0; i < n; i++)
        *(int64_t *)context += bytes[i];
    return STATUS_OK;
}

FIXTURE(NULL, remove_file)

/* Of sizes that fill what a scan reads at once or not, from any offset. */
TEST(a_file_is_read_in_pieces)
{
    static const size_t sizes[] = {1, 63, 64, 65, 4095, 4096, 4097, 65536, 200000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t size = sizes[k];
        unsigned char *bytes = malloc(size), *part = malloc(size);
        int64_t sum = 0, expected = 0;
        char hash[65], whole[65];
        struct corpus c;
        assert_each(bytes, part);
        for (size_t i = 0; i < size; i++)
            expected += bytes[i] = (unsigned char)(i * 7 + i / 256);
        write_file("file", bytes, size);
        assert_int_equal(corpus_open(path, &c, &m), STATUS_OK);
        assert_int_equal(c.size, size);
        sha256_hex(bytes, size, whole);
        assert_int_equal(corpus_scan(&c, add_up, &sum, hash, &m), STATUS_OK);
        assert_int_equal(sum, expected);
        assert_string_equal(hash, whole);
        for (size_t n = 1; n <= size; n = n == size ? n + 1 : n * 3 < size ? n * 3 : size)
            for (size_t from = 0; from <= size - n; from += 1 + (size - n) / 5) {
                assert_int_equal(corpus_read(&c, (int64_t)from, part, n, &m), STATUS_OK);
                assert_memory_equal(part, bytes + from, n);
            }
        assert_refuses(corpus_read(&c, 1, part, size, &m), STATUS_CORRUPT, ": ends before byte ");
        assert_int_equal(corpus_check(&c, whole, (int64_t)size, true, &m), STATUS_OK);
        corpus_close(&c);
        free(bytes), free(part);
    }
}

static enum status cut_file(void *context, const unsigned char *bytes, size_t n,
                            struct message *text)
{
    (void)context, (void)bytes, (void)n, (void)text;
    assert_int_equal(truncate(path, 12), 0);
    return STATUS_OK;
}

static enum status stop_reading(void *context, const unsigned char *bytes, size_t n,
                                struct message *text)
{
    (void)bytes, (void)n;
    ++*(int *)context;
    return status_fail(text, STATUS_INTERRUPTED, "enough");
}

TEST(a_scan_may_end_early)
{
    struct corpus c;
    int visits = 0;
    char *large = calloc(1, 1 << 20), hash[65];
    assert_non_null(large);
    write_file("file", large, 1 << 20);
    assert_int_equal(corpus_open(path, &c, &m), STATUS_OK);
    assert_int_equal(corpus_scan(&c, stop_reading, &visits, hash, &m), STATUS_INTERRUPTED);
    assert_int_equal(visits, 1);
    assert_fails(corpus_scan(&c, cut_file, NULL, hash, &m), STATUS_CORRUPT,
                 ": was truncated while it was read");
    corpus_close(&c);
    free(large);
}
