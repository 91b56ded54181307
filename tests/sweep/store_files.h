/* Results files as files: their version, their bytes. */
#ifndef TESTS_STORE_FILES_H
#define TESTS_STORE_FILES_H

#include "store_troubles.h"

#include "tests/test.h"

static inline void assert_version(const char *path, int version)
{
    char expected[12];
    sqlite3 *db;
    snprintf(expected, sizeof expected, "%d", version);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_answer(db, "PRAGMA user_version", expected);
    sqlite3_close(db);
}

static inline char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    assert_each(f, bytes);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

enum { HEADER = 100 }; /* where SQLite counts the changes to a file */

static inline void assert_same_bytes(const char *a, const char *b, size_t from)
{
    size_t a_size, b_size;
    char *a_bytes = read_all(a, &a_size), *b_bytes = read_all(b, &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a_bytes + from, b_bytes + from, a_size - from);
    free(a_bytes);
    free(b_bytes);
}

#endif
