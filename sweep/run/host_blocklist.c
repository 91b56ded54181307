#include "sweep/run/host_blocklist.h"

#include <string.h>

/* Where it is; -1: nowhere. */
static int find(const struct host_blocklist *s, int64_t trial)
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
    int at = find(s, trial), least = 0;
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
    int at = find(s, trial);
    if (at >= 0)
        take_out(s, at);
}

bool host_blocklist_has(const struct host_blocklist *s, int64_t trial)
{
    return find(s, trial) >= 0;
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
