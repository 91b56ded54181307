/* Numbers for people, as ranges: "1, 3 to 5 and 8". */
#ifndef ENGINE_BASE_RANGES_H
#define ENGINE_BASE_RANGES_H

#include <stddef.h>
#include <stdint.h>

enum { RANGES_SHOWN = 6 }; /* of a long list; then "and others" */

struct ranges { /* starts as {.count = 0} */
    int64_t first[RANGES_SHOWN + 1], last[RANGES_SHOWN + 1];
    int count; /* stays at RANGES_SHOWN + 1 where there are more */
};

/* Numbers behind those that are there; none where last < first. Two are no range: "3 and 4". */
void ranges_add(struct ranges *r, int64_t first, int64_t last);

/* Adds a number, to the last range where it is the next one. */
void ranges_add_number(struct ranges *r, int64_t number);

void ranges_words(const struct ranges *r, char *text, size_t size);

/* What stands before the i-th of `count` items of a sentence. */
const char *ranges_separator(int i, int count);

#endif
