#include "sweep/run/shunned.h"

#include <string.h>

/* Where it is; -1: nowhere. */
static int find(const struct shunned *s, int64_t trial)
{
    for (int i = 0; i < s->count; i++)
        if (s->of[i].trial == trial)
            return i;
    return -1;
}

static void take_out(struct shunned *s, int at)
{
    s->count--;
    memmove(&s->of[at], &s->of[at + 1], (size_t)(s->count - at) * sizeof s->of[0]);
}

void shunned_add(struct shunned *s, int64_t trial, int losses, bool barren)
{
    int at = find(s, trial), least = 0;
    if (at >= 0) {
        barren = barren || s->of[at].barren;
        take_out(s, at);
    } else if (s->count == SHUNNED_MOST) {
        for (int i = 1; i < s->count; i++)
            if (s->of[i].losses < s->of[least].losses)
                least = i;
        take_out(s, least);
    }
    s->of[s->count++] = (struct shunned_trial){trial, losses, barren};
}

void shunned_remove(struct shunned *s, int64_t trial)
{
    int at = find(s, trial);
    if (at >= 0)
        take_out(s, at);
}

bool shunned_has(const struct shunned *s, int64_t trial)
{
    return find(s, trial) >= 0;
}

void shunned_further(struct shunned *s)
{
    for (int i = 0; i < s->count; i++)
        s->of[i].barren = false;
}

int shunned_barren(const struct shunned *s)
{
    int n = 0;
    for (int i = 0; i < s->count; i++)
        n += s->of[i].barren;
    return n;
}
