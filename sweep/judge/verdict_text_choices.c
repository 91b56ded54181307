/* Under tune: what head counts chose, and which of them may have a better value beyond those that
 * they were given. */
#include <string.h>

#include "sweep/judge/verdict_text_parts.h"

/* Choices of which the same is said are told together. */
struct grouping {
    const struct writer *w;
    bool (*alike)(const struct grouping *g, int i, int k); /* i with itself: it is told at all */
    int axis;                                              /* of edges */
    heads_test *meant;                                     /* of edges: whose are told */
};

/* Whether choice i is the first of its group. */
static bool leads(const struct grouping *g, int i)
{
    bool first = g->alike(g, i, i);
    for (int k = 0; k < i && first; k++)
        first = !g->alike(g, i, k);
    return first;
}

/* "1, 2 and 4 heads", or names of settings: those of the group that choice `first` leads. Returns
 * whether it is "1 head", or one setting. */
static bool put_group(const struct grouping *g, int first)
{
    const struct verdict_input *in = g->w->in;
    int n = 0, seen = 0;
    for (int i = first; i < in->choices; i++)
        n += g->alike(g, first, i);
    for (int i = first; i < in->choices; i++)
        if (g->alike(g, first, i)) {
            put(g->w, "%s", separator(seen++, n));
            put_rival(g->w, in->choice[i].heads);
        }
    if (in->sides)
        return n == 1;
    bool one = n == 1 && in->choice[first].heads == 1;
    put(g->w, " head%s", one ? "" : "s");
    return one;
}

static const char *chosen_text(const struct verdict_axis *a)
{
    return a->value[a->chosen].text;
}

/* ---- choices ---- */

static bool same_choice(const struct grouping *g, int i, int k)
{
    const struct verdict_choice *x = &g->w->in->choice[i], *y = &g->w->in->choice[k];
    bool same = x->axis[0].chosen >= 0 && y->axis[0].chosen >= 0;
    for (int a = 0; a < x->axes && same; a++)
        same = strcmp(chosen_text(&x->axis[a]), chosen_text(&y->axis[a])) == 0;
    return same;
}

/* "lr=0.01 with 1, 2 and 4 heads; lr=0.03 with 8 heads" */
void write_choices(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    const struct grouping g = {.w = w, .alike = same_choice};
    int groups = 0, chosen = verdict_chosen(in);
    if (chosen == 0)
        return;
    put(w, "Each head count's own values %s on validation",
        chosen < in->count ? "are being chosen" : "were chosen");
    if (in->tuning_seeds > 0)
        put(w, ", on %d seed%s that %s not judged", in->tuning_seeds, text_plural(in->tuning_seeds),
            in->tuning_seeds == 1 ? "is" : "are");
    put(w, ": ");
    for (int i = 0; i < in->choices; i++) {
        if (!leads(&g, i))
            continue;
        put(w, "%s", groups++ ? "; " : "");
        for (int a = 0; a < in->choice[i].axes; a++) {
            const struct verdict_axis *axis = &in->choice[i].axis[a];
            put(w, "%s%s=%s", a ? ", " : "", axis_name(axis), chosen_text(axis));
        }
        put(w, " with ");
        put_group(&g, i);
    }
    put(w, "; the finding is only about these values");
}

/* The seeds are others, the instances are not. */
void write_same_instances(const struct writer *w)
{
    if (w->in->replicated && verdict_chosen(w->in) > 0)
        put(w,
            "The %ss that chose these values judge them as well, with other seeds: on other %ss "
            "they may do a little worse",
            w->v->unit, w->v->unit);
}

/* ---- edges ---- */

static bool same_edge(const struct grouping *g, int i, int k)
{
    const struct verdict_choice *x = &g->w->in->choice[i], *y = &g->w->in->choice[k];
    const struct verdict_axis *a = &x->axis[g->axis], *b = &y->axis[g->axis];
    return a->edge != GRID_INNER && a->edge == b->edge && g->meant(g->w, x->heads) &&
           g->meant(g->w, y->heads) && strcmp(chosen_text(a), chosen_text(b)) == 0;
}

static void put_edge(const struct grouping *g, int first)
{
    const struct verdict_axis *a = &g->w->in->choice[first].axis[g->axis];
    bool one = put_group(g, first);
    if (a->edge == GRID_ONLY)
        put(g->w, " %s given no %s but %s, and may be better at another", one ? "was" : "were",
            axis_name(a), chosen_text(a));
    else
        put(g->w, " chose the %s %s tried, %s, and may be better beyond it",
            grid_edge_name(a->edge), axis_name(a), chosen_text(a));
}

bool any_edge(const struct writer *w, heads_test *meant)
{
    const struct verdict_input *in = w->in;
    bool any = false;
    for (int i = 0; i < in->choices; i++)
        for (int a = 0; a < in->choice[i].axes; a++)
            any =
                any || (in->choice[i].axis[a].edge != GRID_INNER && meant(w, in->choice[i].heads));
    return any;
}

bool put_edges(const struct writer *w, heads_test *meant, const char *opening)
{
    const struct verdict_input *in = w->in;
    bool any = false;
    for (int axis = 0; in->choices > 0 && axis < in->choice[0].axes; axis++) {
        const struct grouping g = {w, same_edge, axis, meant};
        for (int i = 0; i < in->choices; i++) {
            if (!leads(&g, i))
                continue;
            put(w, "%s", any ? "; " : opening);
            put_edge(&g, i);
            any = true;
        }
    }
    return any;
}
