#include "engine/base/utf8.h"

#include <locale.h>
#include <pthread.h>
#include <stddef.h>
#include <wchar.h>

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

bool utf8_is_invisible(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0xa0, 0xa0},     {0xad, 0xad},     {0x34f, 0x34f},    {0x61c, 0x61c},
                  {0x115f, 0x1160}, {0x1680, 0x1680}, {0x17b4, 0x17b5},  {0x180e, 0x180e},
                  {0x2000, 0x200f}, {0x202f, 0x202f}, {0x205f, 0x206f},  {0x3000, 0x3000},
                  {0x3164, 0x3164}, {0xfeff, 0xfeff}, {0xe0000, 0xe007f}};
    bool among = utf8_is_control(code);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        among = among || (code >= ranges[i].first && code <= ranges[i].last);
    return among;
}

static locale_t characters; /* 0: the system has none of UTF-8 */

static void open_characters(void)
{
    characters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* The locale of the environment is not asked: a C locale knows no character beyond ASCII, and what
 * a file is called does not depend on it. */
int utf8_columns(uint32_t code)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (code < 0x300) /* the first mark */
        return 1;
    pthread_once(&once, open_characters);
    if (!characters)
        return 1;
    locale_t before = uselocale(characters);
    int columns = wcwidth((wchar_t)code);
    uselocale(before);
    return columns < 0 ? 1 : columns;
}
