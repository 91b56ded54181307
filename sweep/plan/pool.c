#include "sweep/plan/pool.h"

#include <stdlib.h>
#include <string.h>

/* Tests make it 1: then every piece is a block of its own, which can fail or be overrun alone. */
#ifndef POOL_BLOCK
#define POOL_BLOCK ((size_t)16 * 1024)
#endif

enum { POOL_ALIGNMENT = _Alignof(max_align_t) };

struct block {
    struct block *older;
    _Alignas(max_align_t) unsigned char bytes[];
};

struct pool {
    struct block *newest;
    size_t used, room; /* of the newest block */
};

struct pool *pool_new(void)
{
    return calloc(1, sizeof(struct pool));
}

void pool_free(struct pool *p)
{
    if (!p)
        return;
    for (struct block *b = p->newest; b;) {
        struct block *older = b->older;
        free(b);
        b = older;
    }
    free(p);
}

static void *take(struct pool *p, size_t bytes, size_t alignment)
{
    size_t start = (p->used + alignment - 1) & ~(alignment - 1);
    if (!p->newest || start > p->room || bytes > p->room - start) {
        size_t room = bytes > POOL_BLOCK ? bytes : POOL_BLOCK;
        if (room > (size_t)-1 - sizeof(struct block))
            return NULL;
        struct block *b = calloc(1, sizeof *b + room);
        if (!b)
            return NULL;
        b->older = p->newest;
        p->newest = b;
        p->room = room;
        start = 0;
    }
    p->used = start + bytes;
    return p->newest->bytes + start;
}

void *pool_alloc(struct pool *p, size_t count, size_t size)
{
    if (size && count > (size_t)-1 / size)
        return NULL;
    return take(p, count * size, POOL_ALIGNMENT);
}

char *pool_text(struct pool *p, const char *text, size_t n)
{
    char *copy = take(p, n + 1, 1);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}
