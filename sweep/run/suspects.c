#include "sweep/run/suspects.h"

#include <stdlib.h>

/* Where the trial's entry is, or would be. The table has an empty one. */
static struct suspect *place_of(const struct suspects *s, int64_t trial)
{
    size_t mask = (size_t)s->capacity - 1;
    size_t i = ((uint64_t)trial * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (s->table[i].trial != 0 && s->table[i].trial != trial)
        i = (i + 1) & mask;
    return &s->table[i];
}

static bool make_room(struct suspects *s)
{
    if (2 * s->used < s->capacity)
        return true;
    struct suspects more = {.capacity = s->capacity ? 2 * s->capacity : 64, .used = s->used};
    more.table = calloc((size_t)more.capacity, sizeof *more.table);
    if (!more.table)
        return false;
    for (int i = 0; i < s->capacity; i++)
        if (s->table[i].trial != 0)
            *place_of(&more, s->table[i].trial) = s->table[i];
    free(s->table);
    *s = more;
    return true;
}

static const struct suspect *find(const struct suspects *s, int64_t trial)
{
    const struct suspect *found = s->capacity > 0 ? place_of(s, trial) : NULL;
    return found && found->trial == trial ? found : NULL;
}

/* Its entry, which is a new one where it had got further than it was then; NULL: no memory. */
static struct suspect *entry_at(struct suspects *s, int64_t trial, int64_t step)
{
    if (!make_room(s))
        return NULL;
    struct suspect *k = place_of(s, trial);
    s->used += k->trial == 0;
    if (k->trial == 0 || step > k->step)
        *k = (struct suspect){.trial = trial, .step = step};
    return k;
}

const struct suspect *suspects_lost(struct suspects *s, int64_t trial, int64_t step, int machine)
{
    struct suspect *k = entry_at(s, trial, step);
    if (k)
        k->machine[k->losses++ % SUSPECT_LIMIT] = machine;
    return k;
}

bool suspect_is_spread(const struct suspect *k)
{
    int known = k->losses < SUSPECT_LIMIT ? k->losses : SUSPECT_LIMIT, most = 0;
    for (int i = 0; i < known; i++) {
        int same = 0;
        for (int j = 0; j < known; j++)
            same += k->machine[j] == k->machine[i];
        most = same > most ? same : most;
    }
    return known - most >= 2;
}

bool suspects_excuse(struct suspects *s, int64_t trial, int64_t step)
{
    struct suspect *k = entry_at(s, trial, step);
    return k && k->excuses++ < EXCUSE_LIMIT;
}

bool suspects_at(const struct suspects *s, int64_t trial, int64_t step)
{
    const struct suspect *k = find(s, trial);
    return k && k->losses >= SUSPECT_LOSSES && step <= k->step;
}

int suspects_losses(const struct suspects *s, int64_t trial)
{
    const struct suspect *k = find(s, trial);
    return k ? k->losses : 0;
}

void suspects_free(struct suspects *s)
{
    free(s->table);
    *s = (struct suspects){0};
}
