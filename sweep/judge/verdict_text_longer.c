/* What longer training changes, in words. */
#include <math.h>

#include "sweep/judge/verdict_text_parts.h"

/* "+0.099, 95% interval +0.066 to +0.132, over 8 seeds" */
static void put_change(const struct writer *w, const struct stats_paired *pair)
{
    put_difference(w, pair->mean);
    put_difference_bits(w, pair->mean);
    if (!isnan(pair->low)) {
        put(w, ", ");
        put_interval(w);
        put(w, " ");
        put_range(w, pair->low, pair->high);
    }
    put(w, ", over %d %s%s", pair->n, w->v->unit, text_plural(pair->n));
}

static void put_gains(const struct writer *w)
{
    for (int i = 0; i < w->v->gains; i++) {
        put(w, "%s with ", i ? ";" : "");
        put_heads(w, w->v->gain[i].heads);
        put(w, " by ");
        put_change(w, &w->v->gain[i].pair);
    }
}

static void put_later(const struct writer *w)
{
    for (int i = 0; i < w->v->rivals; i++) {
        const struct verdict_rival *later = &w->v->later[i];
        put(w, "%s against %lld: ", i ? ";" : "", (long long)later->heads);
        put_change(w, &later->pair);
        if (isnan(later->p))
            continue;
        put(w, ", ");
        put_p(w, later->p);
        if (later->outcome == RIVAL_AT_EDGE)
            put(w, ", at an edge of what %lld tried there", (long long)later->heads);
    }
}

void write_longer(const struct writer *w)
{
    const struct verdict_longer *longer = w->in->longer;
    if (w->v->gains == 0)
        return;
    put(w, "With %lld steps instead", (long long)longer->steps);
    if (longer->sweep)
        put(w, " (sweep %s)", longer->sweep);
    put(w, ", %s%s changes", test_metric(w), w->in->loss ? " (less is better)" : "");
    put_gains(w);
    if (w->v->rivals == 0)
        return;
    put(w, ". There ");
    put_heads(w, w->v->candidate);
    put_later(w);
}
