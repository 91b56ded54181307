#include "sweep/page/base64.h"

void base64_write(const uint8_t *bytes, size_t size, FILE *out)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        fputc(digit[group >> 18], out);
        fputc(digit[group >> 12 & 63], out);
        fputc(left > 1 ? digit[group >> 6 & 63] : '=', out);
        fputc(left > 2 ? digit[group & 63] : '=', out);
    }
}
