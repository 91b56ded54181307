/* Bump allocator. Model, tape, moments and batches are taken from one arena while they are built,
 * and freed all at once; a training step then allocates nothing. Code that builds them need not
 * check every allocation: running out of memory jumps to one place. Reports do the same
 * (scope.h). Code that reads and writes files (safetensors, checkpoints) uses malloc and
 * returns STATUS_NO_MEMORY instead. */
#ifndef ENGINE_BASE_ARENA_H
#define ENGINE_BASE_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

enum { ARENA_ALIGNMENT = 64 }; /* a cache line and a 512-bit register */

struct arena_chunk;
struct arena_release;

struct arena {
    struct arena_chunk *chunks;    /* newest first */
    size_t used;                   /* bytes handed out, padding included */
    size_t limit;                  /* that may be handed out; 0: as many as the system has */
    bool over_limit;               /* it ran out because of the limit */
    bool ran_out;                  /* of memory, or because of the limit */
    jmp_buf *exhausted;            /* where to go when memory runs out; NULL: abort() */
    struct arena_release *release; /* newest first */
};

/* An empty arena without a limit; takes no memory yet. `exhausted` is jumped to with value 1 when
 * the system has no more memory or the limit would be passed; its frame must outlive the arena's
 * use. */
void arena_init(struct arena *a, jmp_buf *exhausted);

/* Zeroed memory aligned to ARENA_ALIGNMENT, owned by the arena. Never returns NULL. */
void *arena_alloc(struct arena *a, size_t count, size_t size);

/* The array of `count` elements with room for one more, as array_grow (array.h). Where it moves,
 * nothing may use the old one: a large one is freed, others stay in the arena. */
void *arena_grow(struct arena *a, void *array, size_t count, size_t size);

/* A copy of the text, owned by the arena; a terminated one of n bytes. */
char *arena_string(struct arena *a, const char *text);
char *arena_text(struct arena *a, const char *text, size_t n);

/* When the arena is freed, release(what) is called before any memory goes: for what is no memory.
 * The last one asked for is the first. */
void arena_on_free(struct arena *a, void (*release)(void *what), void *what);

/* Frees everything at once; the arena is empty and usable again. */
void arena_free(struct arena *a);

#endif
