#include "engine/layout.h"

#include <stdbool.h>
#include <stdlib.h>

static int by_size_then_time(const void *left, const void *right)
{
    const struct layout_buffer *a = *(struct layout_buffer *const *)left;
    const struct layout_buffer *b = *(struct layout_buffer *const *)right;
    if (a->size != b->size)
        return a->size < b->size ? 1 : -1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a > b) - (a < b); /* both point into one array */
}

static bool alive_together(const struct layout_buffer *a, const struct layout_buffer *b)
{
    return a->from <= b->to && b->from <= a->to;
}

size_t layout_place(struct arena *a, struct layout_buffer *buffer, int count)
{
    struct layout_buffer **order = arena_alloc(a, (size_t)count + 1, sizeof *order);
    struct layout_buffer **placed = arena_alloc(a, (size_t)count + 1, sizeof *placed);
    int waiting = 0, there = 0; /* placed is kept in the order of offsets */
    for (int i = 0; i < count; i++) {
        buffer[i].offset = 0;
        buffer[i].size = (buffer[i].size + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
        if (buffer[i].size > 0)
            order[waiting++] = &buffer[i];
    }
    qsort(order, (size_t)waiting, sizeof *order, by_size_then_time);

    size_t total = 0;
    for (int i = 0; i < waiting; i++) {
        struct layout_buffer *b = order[i];
        for (int k = 0; k < there; k++) {
            if (!alive_together(b, placed[k]))
                continue;
            if (b->offset + b->size <= placed[k]->offset)
                break;
            if (placed[k]->offset + placed[k]->size > b->offset)
                b->offset = placed[k]->offset + placed[k]->size;
        }
        int at = there++;
        for (; at > 0 && placed[at - 1]->offset > b->offset; at--)
            placed[at] = placed[at - 1];
        placed[at] = b;
        if (b->offset + b->size > total)
            total = b->offset + b->size;
    }
    return total;
}
