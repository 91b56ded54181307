#include "sweep/run/suspects.h"

#include <stdlib.h>
#include <string.h>

/* ---- trials that may take a machine down ---- */

/* Where the trial's entry is, or would be. The table has an empty one. */
static struct crash_suspect *place_of(const struct crash_suspects *s, int64_t trial)
{
    size_t mask = (size_t)s->capacity - 1;
    size_t i = ((uint64_t)trial * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    while (s->table[i].trial != 0 && s->table[i].trial != trial)
        i = (i + 1) & mask;
    return &s->table[i];
}

static bool make_room(struct crash_suspects *s)
{
    if (2 * s->used < s->capacity)
        return true;
    struct crash_suspects more = {.capacity = s->capacity ? 2 * s->capacity : 64, .used = s->used};
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

static const struct crash_suspect *find(const struct crash_suspects *s, int64_t trial)
{
    const struct crash_suspect *found = s->capacity > 0 ? place_of(s, trial) : NULL;
    return found && found->trial == trial ? found : NULL;
}

/* Its entry, which is a new one where it had got further than it was then; NULL: no memory. */
static struct crash_suspect *entry_at(struct crash_suspects *s, int64_t trial, int64_t step)
{
    if (!make_room(s))
        return NULL;
    struct crash_suspect *k = place_of(s, trial);
    s->used += k->trial == 0;
    if (k->trial == 0 || step > k->step)
        *k = (struct crash_suspect){.trial = trial, .step = step};
    return k;
}

const struct crash_suspect *crash_suspects_lost(struct crash_suspects *s, int64_t trial,
                                                int64_t step, int machine)
{
    struct crash_suspect *k = entry_at(s, trial, step);
    if (k)
        k->machine[k->losses++ % SUSPECT_LIMIT] = machine;
    return k;
}

bool crash_suspect_is_spread(const struct crash_suspect *k)
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

bool crash_suspects_excuse(struct crash_suspects *s, int64_t trial, int64_t step)
{
    struct crash_suspect *k = entry_at(s, trial, step);
    return k && k->excuses++ < EXCUSE_LIMIT;
}

bool crash_suspects_at(const struct crash_suspects *s, int64_t trial, int64_t step)
{
    const struct crash_suspect *k = find(s, trial);
    return k && k->losses >= SUSPECT_LOSSES && step <= k->step;
}

int crash_suspects_losses(const struct crash_suspects *s, int64_t trial)
{
    const struct crash_suspect *k = find(s, trial);
    return k ? k->losses : 0;
}

void crash_suspects_free(struct crash_suspects *s)
{
    free(s->table);
    *s = (struct crash_suspects){0};
}

/* ---- machines on which a trial came to nothing ---- */

/* Where it is; -1: nowhere. */
static int find_blocked(const struct host_blocklist *s, int64_t trial)
{
    for (int i = 0; i < s->count; i++)
        if (s->of[i].trial == trial)
            return i;
    return -1;
}

static void take_out(struct host_blocklist *s, int at)
{
    s->count--;
    memmove(&s->of[at], &s->of[at + 1], (size_t)(s->count - at) * sizeof s->of[0]);
}

void host_blocklist_add(struct host_blocklist *s, int64_t trial, int losses, bool failed_early)
{
    int at = find_blocked(s, trial), least = 0;
    if (at >= 0) {
        failed_early = failed_early || s->of[at].failed_early;
        take_out(s, at);
    } else if (s->count == HOST_BLOCKLIST_MAX) {
        for (int i = 1; i < s->count; i++)
            if (s->of[i].losses < s->of[least].losses)
                least = i;
        take_out(s, least);
    }
    s->of[s->count++] = (struct blocked_trial){trial, losses, failed_early};
}

void host_blocklist_remove(struct host_blocklist *s, int64_t trial)
{
    int at = find_blocked(s, trial);
    if (at >= 0)
        take_out(s, at);
}

bool host_blocklist_has(const struct host_blocklist *s, int64_t trial)
{
    return find_blocked(s, trial) >= 0;
}

void host_blocklist_further(struct host_blocklist *s)
{
    for (int i = 0; i < s->count; i++)
        s->of[i].failed_early = false;
}

int host_blocklist_failed_early(const struct host_blocklist *s)
{
    int n = 0;
    for (int i = 0; i < s->count; i++)
        n += s->of[i].failed_early;
    return n;
}
