/* Bump allocator. Everything a trial needs is taken from one arena while its tape is built and
 * given back at once; a step of training allocates nothing. This is the only place where the
 * engine runs out of memory. */
#ifndef ENGINE_BASE_ARENA_H
#define ENGINE_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>

enum { ARENA_ALIGNMENT = 64 }; /* a cache line and a 512-bit register */

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t used;                /* bytes handed out, padding included */
    jmp_buf *exhausted;         /* where to go when memory runs out; NULL: abort() */
};

/* An empty arena; takes no memory yet. `exhausted` is jumped to with value 1 when the system has
 * no more memory; its frame must outlive the arena's use. */
void arena_init(struct arena *a, jmp_buf *exhausted);

/* Zeroed memory aligned to ARENA_ALIGNMENT, owned by the arena. Never returns NULL. */
void *arena_alloc(struct arena *a, size_t count, size_t size);

/* A copy of the text, owned by the arena. */
char *arena_string(struct arena *a, const char *text);

/* Frees everything at once; the arena is empty and usable again. */
void arena_free(struct arena *a);

#endif
