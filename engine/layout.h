/* Places buffers with known lifetimes in one block of memory. Buffers that are never alive at the
 * same time share room, so that a slice's activations fit a smaller cache. */
#ifndef ENGINE_LAYOUT_H
#define ENGINE_LAYOUT_H

#include <stddef.h>

#include "engine/base/arena.h"

struct layout_buffer {
    size_t size;   /* bytes; 0: takes no room */
    int from, to;  /* alive in this closed interval of time */
    size_t offset; /* out: in bytes, a multiple of ARENA_ALIGNMENT */
};

/* Gives every buffer its offset: the largest first, each at the lowest place that is free during
 * its life. Returns the size of the block in bytes. Its working memory stays in the arena. */
size_t layout_place(struct arena *a, struct layout_buffer *buffer, int count);

#endif
