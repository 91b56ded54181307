/* What a piece of the page has packed as its member "trials" (sweep/page/page_write.h). */
#ifndef TESTS_SWEEP_PACKED_HELP_H
#define TESTS_SWEEP_PACKED_HELP_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tests/test.h"

/* Its rows; the caller frees. */
static inline char *unpacked(const char *piece)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *from = strstr(piece, "\"trials\":\"") + strlen("\"trials\":\"");
    uLongf size = 1 << 20;
    uint8_t *bytes = calloc(strlen(from), 1), *text = calloc(size, 1);
    assert_true(bytes && text);
    size_t used = 0;
    unsigned held = 0, bits = 0;
    for (; *from != '"' && *from != '='; from++) {
        held = held << 6 | (unsigned)(strchr(digits, *from) - digits);
        bits += 6;
        if (bits >= 8)
            bytes[used++] = (uint8_t)(held >> (bits -= 8));
    }
    assert_int_equal(uncompress(text, &size, bytes, used), Z_OK);
    assert_true(size < 1 << 20);
    free(bytes);
    return (char *)text;
}

#endif
