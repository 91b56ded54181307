/* The keys of a sweep file about how sure its answer is: seeds and looks (how often everything is
 * tried), equivalence (which difference matters). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"

enum { SEEDS = 8 };

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The first item of the list that an earlier one equals. */
static enum status refuse_twins(const struct reading *r, const struct tree *list, const char *what)
{
    int64_t *sorted = malloc((size_t)r->c->seeds * sizeof *sorted);
    if (!sorted)
        return reading_no_memory(r);
    memcpy(sorted, r->c->seed, (size_t)r->c->seeds * sizeof *sorted);
    qsort(sorted, (size_t)r->c->seeds, sizeof *sorted, by_value);
    bool twins = false;
    int64_t twin = 0;
    for (int i = 1; i < r->c->seeds && !twins; i++)
        if ((twins = sorted[i] == sorted[i - 1]))
            twin = sorted[i];
    free(sorted);
    if (!twins)
        return STATUS_OK;
    int met = 0, i = 0;
    for (const struct tree *t = list->first; t; t = t->next, i++)
        if (r->c->seed[i] == twin && met++)
            return reading_refuse(r, t->place, "%s %" PRId64 " is in the list twice", what, twin);
    return STATUS_OK;
}

/* Seeds 0 .. n-1. */
static enum status count_seeds(struct reading *r, int64_t n)
{
    struct config *c = r->c;
    c->seeds = (int)n;
    c->seed = plan_arena_alloc(r->arena, (size_t)n, sizeof *c->seed);
    if (!c->seed)
        return reading_no_memory(r);
    for (int i = 0; i < c->seeds; i++)
        c->seed[i] = i;
    return STATUS_OK;
}

enum status reading_seeds(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    int64_t n = SEEDS;
    enum status s = STATUS_OK;
    bool listed = t && t->kind == TREE_LIST;
    if (listed)
        n = t->count;
    else if (t)
        s = reading_integer(r, t, "seeds", 1, READING_SEEDS_MAX, &n);
    if (s)
        return s;
    if (n < 1 || n > READING_SEEDS_MAX)
        return reading_refuse(r, t->place, "seeds lists %" PRId64 " seeds; allowed: 1 to %d", n,
                              READING_SEEDS_MAX);
    if ((s = count_seeds(r, n)))
        return s;
    int i = 0;
    for (const struct tree *item = listed ? t->first : NULL; item; item = item->next)
        if ((s = reading_integer(r, item, "a seed", 0, UINT32_MAX, &c->seed[i++])))
            return s;
    return listed ? refuse_twins(r, t, "seed") : STATUS_OK;
}

enum status reading_looks(struct reading *r, const struct tree *t)
{
    struct config *c = r->c;
    if (!t)
        return STATUS_OK;
    const struct tree *seeds = tree_find(r->root, "seeds");
    enum status s = reading_expect(r, t, TREE_LIST, "looks");
    if (s)
        return s;
    if (seeds && seeds->place.line == 0)
        return reading_refuse(
            r, seeds->place,
            "looks says how many seeds there are; remove it too, with --set looks=null");
    if (seeds)
        return reading_refuse(r, t->key_place,
                              "looks sets the number of seeds, so it cannot be used with seeds; "
                              "remove one of them");
    if (t->count < 2 || t->count > CONFIG_LOOKS_MAX)
        return reading_refuse(r, t->place,
                              "looks lists %d number%s of seeds; allowed: 2 to %d, as in "
                              "[5, 10, 20] (for a single one write seeds: N)",
                              t->count, text_plural(t->count), CONFIG_LOOKS_MAX);
    int64_t before = 0;
    for (const struct tree *item = t->first; item; item = item->next) {
        if ((s = reading_integer(r, item, "a look", 2, READING_SEEDS_MAX, &c->look[c->looks])))
            return s;
        if (c->look[c->looks] <= before)
            return reading_refuse(r, item->place,
                                  "the look %" PRId64 " comes after %" PRId64
                                  "; looks count all seeds so far, so each must be larger than "
                                  "the one before",
                                  c->look[c->looks], before);
        before = c->look[c->looks++];
    }
    return count_seeds(r, before);
}

enum status reading_equivalence(struct reading *r, const struct tree *t)
{
    char shown[64];
    bool integral;
    if (!t)
        return STATUS_OK;
    const bool loss = r->c->metric == METRIC_VAL_LOSS;
    enum status s = reading_expect(r, t, TREE_SCALAR, "equivalence");
    if (s)
        return s;
    double *margin = &r->c->equivalence;
    if (t->quoted || !number_parse(t->text, margin, &integral) || *margin <= 0 ||
        (!loss && *margin >= 1))
        return reading_refuse(r, t->place, "equivalence is %s; allowed: a number above 0%s",
                              text_shown(t->text, shown, sizeof shown),
                              loss ? ", in units of the loss"
                                   : " and below 1, as in .005: a difference of accuracies");
    return STATUS_OK;
}
