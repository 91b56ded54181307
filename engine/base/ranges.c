#include "engine/base/ranges.h"

#include <inttypes.h>
#include <stdio.h>

void ranges_add(struct ranges *r, int64_t first, int64_t last)
{
    if (first > last || r->count > RANGES_SHOWN)
        return;
    r->first[r->count] = first;
    r->last[r->count++] = last;
}

void ranges_add_number(struct ranges *r, int64_t number)
{
    if (r->count > 0 && r->last[r->count - 1] == number - 1)
        r->last[r->count - 1] = number;
    else
        ranges_add(r, number, number);
}

const char *ranges_separator(int i, int count)
{
    return i == 0 ? "" : i == count - 1 ? " and " : ", ";
}

/* Two numbers are two items of the sentence. */
static struct ranges split_pairs(const struct ranges *r)
{
    struct ranges items = {.count = 0};
    for (int i = 0; i < r->count; i++)
        if (r->last[i] == r->first[i] + 1) {
            ranges_add(&items, r->first[i], r->first[i]);
            ranges_add(&items, r->last[i], r->last[i]);
        } else {
            ranges_add(&items, r->first[i], r->last[i]);
        }
    return items;
}

void ranges_words(const struct ranges *r, char *text, size_t size)
{
    const struct ranges items = split_pairs(r);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < items.count && used < size; i++) {
        const char *before = ranges_separator(i, items.count);
        if (i == RANGES_SHOWN)
            used += (size_t)snprintf(text + used, size - used, " and others");
        else if (items.first[i] == items.last[i])
            used +=
                (size_t)snprintf(text + used, size - used, "%s%" PRId64, before, items.first[i]);
        else
            used += (size_t)snprintf(text + used, size - used, "%s%" PRId64 " to %" PRId64, before,
                                     items.first[i], items.last[i]);
    }
}
