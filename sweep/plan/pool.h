/* Memory for things that are read together and freed together (a sweep file, a plan). Unlike the
 * engine's arena it reports running out to its caller, and it packs small pieces tightly. */
#ifndef SWEEP_PLAN_POOL_H
#define SWEEP_PLAN_POOL_H

#include <stddef.h>

struct pool;

/* NULL when there is no memory. */
struct pool *pool_new(void);
void pool_free(struct pool *p); /* NULL is allowed */

/* count * size zeroed bytes, aligned for every type; owned by the pool. NULL when there is no
 * memory or the product overflows. */
void *pool_alloc(struct pool *p, size_t count, size_t size);

/* A terminated copy of n bytes. NULL when there is no memory. */
char *pool_text(struct pool *p, const char *text, size_t n);

#endif
