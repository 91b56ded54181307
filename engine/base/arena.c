#include "engine/base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"

/* The fuzzer makes it 1: then every piece is a chunk of its own, which can be overrun alone. */
#ifndef ARENA_CHUNK_MOST
#define ARENA_CHUNK_MOST (1 << 20)
#endif
enum { CHUNK_LEAST = 1 << 12, CHUNK_MOST = ARENA_CHUNK_MOST };

/* The bytes handed out follow the header, from the first address aligned to ARENA_ALIGNMENT. */
struct arena_chunk {
    struct arena_chunk *next;
    unsigned char *start;
    size_t size, used;
};

struct arena_release {
    struct arena_release *next;
    void (*release)(void *what);
    void *what;
};

void arena_init(struct arena *a, jmp_buf *exhausted)
{
    *a = (struct arena){.exhausted = exhausted};
}

static _Noreturn void exhausted(struct arena *a)
{
    a->ran_out = true;
    if (a->exhausted)
        longjmp(*a->exhausted, 1);
    abort();
}

/* Zeroed by calloc, which costs nothing for large chunks: the system's fresh pages are zero. */
static struct arena_chunk *chunk_new(struct arena *a, size_t size)
{
    size_t overhead = sizeof(struct arena_chunk) + ARENA_ALIGNMENT;
    if (size > PTRDIFF_MAX - overhead) /* no object can be larger */
        exhausted(a);
    struct arena_chunk *c = calloc(1, size + overhead);
    if (!c)
        exhausted(a);
    unsigned char *first = (unsigned char *)(c + 1);
    c->start = first + -(uintptr_t)first % ARENA_ALIGNMENT;
    c->size = size;
    return c;
}

/* As much again as all that was handed out: what needs little takes little. */
static size_t chunk_size(size_t used, size_t bytes)
{
    size_t size = CHUNK_LEAST;
    while (size < CHUNK_MOST && (size < used || size < 4 * bytes))
        size *= 2;
    return size;
}

/* What a request takes; one for nothing gets an address of its own too. */
static size_t aligned(size_t bytes)
{
    return bytes ? (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT
                 : ARENA_ALIGNMENT;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - ARENA_ALIGNMENT)
        exhausted(a);
    bytes = aligned(bytes);
    if (a->limit && bytes > a->limit - a->used) {
        a->over_limit = true;
        exhausted(a);
    }
    struct arena_chunk *c = a->chunks;
    if (!c || bytes > c->size - c->used) {
        /* Large: a chunk of its own, behind the newest one, whose rest stays in use. */
        bool large = bytes > CHUNK_MOST / 4;
        struct arena_chunk **at = large && c ? &c->next : &a->chunks;
        c = chunk_new(a, large ? bytes : chunk_size(a->used, bytes));
        c->next = *at;
        *at = c;
    }
    void *memory = c->start + c->used;
    c->used += bytes;
    a->used += bytes;
    return memory;
}

/* The chunk that this memory has to itself; NULL: it shares one. */
static struct arena_chunk *own_chunk(const struct arena *a, const void *memory, size_t bytes)
{
    struct arena_chunk *c = a->chunks;
    while (c && (c->start != memory || c->size != bytes))
        c = c->next;
    return c;
}

static void free_chunk(struct arena *a, struct arena_chunk *c)
{
    struct arena_chunk **at = &a->chunks;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    a->used -= c->size;
    free(c);
}

void *arena_grow(struct arena *a, void *array, size_t count, size_t size)
{
    size_t room = array_room(count);
    if (!room)
        return array;
    struct arena_chunk *left = count ? own_chunk(a, array, aligned(count * size)) : NULL;
    void *grown = arena_alloc(a, room, size);
    if (count)
        memcpy(grown, array, count * size);
    if (left)
        free_chunk(a, left);
    return grown;
}

char *arena_string(struct arena *a, const char *text)
{
    return arena_text(a, text, strlen(text));
}

char *arena_text(struct arena *a, const char *text, size_t n)
{
    return memcpy(arena_alloc(a, n + 1, 1), text, n);
}

void arena_on_free(struct arena *a, void (*release)(void *what), void *what)
{
    struct arena_release *r = arena_alloc(a, 1, sizeof *r);
    *r = (struct arena_release){a->release, release, what};
    a->release = r;
}

void arena_free(struct arena *a)
{
    for (; a->release; a->release = a->release->next)
        a->release->release(a->release->what);
    while (a->chunks) {
        struct arena_chunk *next = a->chunks->next;
        free(a->chunks);
        a->chunks = next;
    }
    a->used = 0;
}
