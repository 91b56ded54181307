/* Memory for things that are read together and freed together (a sweep file, a plan). Unlike the
 * engine's arena it reports running out to its caller, and it packs small pieces tightly. */
#ifndef SWEEP_PLAN_PLAN_ARENA_H
#define SWEEP_PLAN_PLAN_ARENA_H

#include <stddef.h>

struct plan_arena;

/* NULL when there is no memory. */
struct plan_arena *plan_arena_new(void);
void plan_arena_free(struct plan_arena *p); /* NULL is allowed */

/* count * size zeroed bytes, aligned for every type; owned by the arena. NULL when there is no
 * memory or the product overflows. */
void *plan_arena_alloc(struct plan_arena *p, size_t count, size_t size);

/* A terminated copy of n bytes. NULL when there is no memory. */
char *plan_arena_text(struct plan_arena *p, const char *text, size_t n);

#endif
