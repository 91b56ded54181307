#include "sweep/plan/plan_arena.h"

#include <stdlib.h>
#include <string.h>

/* Tests make it 1: then every piece is a block of its own, which can fail or be overrun alone. */
#ifndef PLAN_ARENA_BLOCK
#define PLAN_ARENA_BLOCK ((size_t)16 * 1024)
#endif

enum { PLAN_ARENA_ALIGNMENT = _Alignof(max_align_t) };

struct block {
    struct block *older;
    _Alignas(max_align_t) unsigned char bytes[];
};

struct plan_arena {
    struct block *newest;
    size_t used, capacity; /* of the newest block */
};

struct plan_arena *plan_arena_new(void)
{
    return calloc(1, sizeof(struct plan_arena));
}

void plan_arena_free(struct plan_arena *p)
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

static void *take(struct plan_arena *p, size_t bytes, size_t alignment)
{
    size_t start = (p->used + alignment - 1) & ~(alignment - 1);
    if (!p->newest || start > p->capacity || bytes > p->capacity - start) {
        size_t capacity = bytes > PLAN_ARENA_BLOCK ? bytes : PLAN_ARENA_BLOCK;
        if (capacity > (size_t)-1 - sizeof(struct block))
            return NULL;
        struct block *b = calloc(1, sizeof *b + capacity);
        if (!b)
            return NULL;
        b->older = p->newest;
        p->newest = b;
        p->capacity = capacity;
        start = 0;
    }
    p->used = start + bytes;
    return p->newest->bytes + start;
}

void *plan_arena_alloc(struct plan_arena *p, size_t count, size_t size)
{
    if (size && count > (size_t)-1 / size)
        return NULL;
    return take(p, count * size, PLAN_ARENA_ALIGNMENT);
}

char *plan_arena_text(struct plan_arena *p, const char *text, size_t n)
{
    char *copy = take(p, n + 1, 1);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}
