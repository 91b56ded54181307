#include "engine/base/utf8.h"

int utf8_decode(const unsigned char *p, const unsigned char *end, uint32_t *code)
{
    uint32_t ignored = 0;
    code = code ? code : &ignored;
    *code = *p;
    if (*p < 0x80)
        return 1;
    int n = *p >= 0xc2 && *p <= 0xdf ? 2 : *p >> 4 == 0xe ? 3 : *p >= 0xf0 && *p <= 0xf4 ? 4 : 0;
    if (n == 0 || end - p < n)
        return 0;
    unsigned char least = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80; /* no overlong forms */
    unsigned char most = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;  /* no surrogates */
    if (p[1] < least || p[1] > most)
        return 0;
    *code = *p & (0x7fU >> n);
    for (int i = 1; i < n; i++) {
        if (p[i] >> 6 != 2)
            return 0;
        *code = *code << 6 | (p[i] & 0x3f);
    }
    return n;
}

bool utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}
