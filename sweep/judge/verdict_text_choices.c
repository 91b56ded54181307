/* Under tune, the settings that head counts were given. */
#include <string.h>

#include "sweep/judge/verdict_text_parts.h"

static const char *choice_label(const struct verdict_choice *c)
{
    return c->label;
}

static const char *choice_edge(const struct verdict_choice *c)
{
    return c->edge;
}

/* "lr=0.01 with 1, 2 and 4 heads; lr=0.03 with 8 heads": each text that choices have, but for "".
 */
static void put_choices(const struct writer *w, const char *(*text)(const struct verdict_choice *))
{
    const struct verdict_choice *choice = w->in->choice;
    int texts = 0;
    for (int i = 0; i < w->in->choices; i++) {
        const char *own = text(&choice[i]);
        int n = 0, seen = 0, before = 0;
        for (int k = 0; k < w->in->choices; k++) {
            bool same = strcmp(text(&choice[k]), own) == 0;
            n += same;
            before += same && k < i;
        }
        if (!own[0] || before)
            continue;
        put(w, "%s%s with ", texts++ ? "; " : "", own);
        for (int k = i; k < w->in->choices; k++)
            if (strcmp(text(&choice[k]), own) == 0)
                put(w, "%s%lld", separator(seen++, n), (long long)choice[k].heads);
        put(w, " head%s", n == 1 ? plural(choice[i].heads) : "s");
    }
}

void write_choices(const struct writer *w)
{
    if (w->in->choices == 0)
        return;
    put(w, "Chosen %s on validation, with separate seeds: ",
        w->in->choices < w->in->count ? "so far" : "for each head count");
    put_choices(w, choice_label);
    put(w, "; the comparison holds for these choices");
}

void write_edge_of_grid(const struct writer *w)
{
    bool edge = false;
    for (int i = 0; i < w->in->choices; i++)
        edge = edge || w->in->choice[i].edge[0];
    if (!edge)
        return;
    put(w, "Warning: a choice is at the edge of its grid, so that a better value may lie beyond "
           "it: ");
    *w->own = w->out->used;
    put_choices(w, choice_edge);
}
