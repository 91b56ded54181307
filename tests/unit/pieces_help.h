/* Files that readers of rows take in equal pieces. */
#ifndef TESTS_UNIT_PIECES_HELP_H
#define TESTS_UNIT_PIECES_HELP_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "datasets/records.h"

#include "tests/test.h"

/* Feeds r all of the file, and its end, and frees it. Each piece is alone in memory, so that a step
 * beyond it is seen. */
static inline enum status read_all(struct records *r, const char *file, size_t size, size_t piece,
                                   struct message *m)
{
    enum status s = STATUS_OK;
    for (size_t at = 0; s == STATUS_OK && at < size; at += piece) {
        size_t n = size - at < piece ? size - at : piece;
        unsigned char *bytes = malloc(n);
        assert_non_null(bytes);
        memcpy(bytes, file + at, n);
        s = records_feed(r, bytes, n, m);
        free(bytes);
    }
    if (s == STATUS_OK)
        s = records_end(r, m);
    records_free(r);
    return s;
}

#endif
