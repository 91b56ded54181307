/* UTF-8, decoded strictly: what is refused here is refused everywhere. */
#ifndef ENGINE_BASE_UTF8_H
#define ENGINE_BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

/* The character at p < end into *code (may be NULL); returns how many bytes it takes, 1 to 4, or 0
 * where there is none (Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above
 * U+10FFFF). */
int utf8_decode(const unsigned char *p, const unsigned char *end, uint32_t *code);

/* True for characters that a terminal or editor obeys instead of showing: C0, DEL and C1 (ISO
 * 6429), line and paragraph separator, and what overrides the direction of writing (Unicode 15,
 * section 23.2: U+202A to U+202E, U+2066 to U+2069). */
bool utf8_is_control(uint32_t code);

/* True for those, and for what a reader does not see or takes for a space: other spaces than U+0020
 * and characters of no width (Unicode 15: Zs, Cf and fillers). */
bool utf8_is_invisible(uint32_t code);

/* Columns of a terminal that a character takes which it shows: 2 for wide ones (Chinese, emoji), 0
 * for marks that stand on the one before, as the C library of this system has it. */
int utf8_columns(uint32_t code);

#endif
