/* What the finding comes to where the same trials were trained for at least twice the steps. */
#include "sweep/judge/verdict_parts.h"

/* Head counts that the finding compares; without such a comparison, the edges. */
static bool is_named(const struct verdict *v, int64_t heads)
{
    bool named = heads == v->candidate;
    for (int i = 0; i < v->rivals; i++)
        named = named || heads == v->rival[i].heads;
    return named || (v->rivals == 0 && (heads == v->smallest || heads == v->largest));
}

static bool all_finished(const struct verdict_heads *h)
{
    for (int k = 0; k < h->n; k++)
        if (h->trial[k].limited)
            return false;
    return true;
}

/* Whether all of them have trials that can be compared. */
static bool has_longer(const struct judge *j)
{
    const struct verdict *v = j->v;
    for (int i = 0; i < v->rivals; i++)
        if (heads_index(j->in, v->rival[i].heads) < 0)
            return false;
    for (int i = 0; i < v->rows; i++) {
        const struct verdict_heads *h = &j->in->longer->heads[i];
        if (is_named(v, v->row[i].heads) && (h->n < 2 || !all_finished(h)))
            return false;
    }
    return v->candidate == 0 || heads_index(j->in, v->candidate) >= 0;
}

/* Whether each judged trial of the head counts that the finding names has ended there too: a few of
 * them fail to show what all would. */
static bool all_ended(const struct judge *j)
{
    for (int i = 0; i < j->v->rows; i++)
        if (is_named(j->v, j->v->row[i].heads) && j->in->longer->heads[i].n < j->in->heads[i].n)
            return false;
    return true;
}

static int later_with(const struct verdict *v, enum rival_outcome outcome)
{
    int n = 0;
    for (int i = 0; i < v->rivals; i++)
        n += v->later[i].outcome == outcome;
    return n;
}

/* Whether each rival that is better still is. */
static bool still_better(const struct verdict *v)
{
    for (int i = 0; i < v->rivals; i++)
        if (v->rival[i].outcome == RIVAL_BETTER && v->later[i].outcome != RIVAL_BETTER)
            return false;
    return true;
}

/* Only findings that say which is better. */
static enum longer_outcome longer_outcome_of(const struct verdict *v)
{
    bool holds;
    if (v->kind == VERDICT_CLAIM_CONFIRMED || v->kind == VERDICT_MIDDLE)
        holds = later_with(v, RIVAL_BEATEN) == v->rivals;
    else if (v->kind == VERDICT_CLAIM_CONTRADICTED)
        holds = still_better(v);
    else
        return LONGER_UNTESTED;
    if (!holds && later_with(v, RIVAL_UNTESTED) > 0)
        return LONGER_UNTESTED;
    return holds ? LONGER_HOLDS : LONGER_FAILS;
}

void compare_longer(struct judge *j)
{
    const struct verdict_input *in = j->in;
    struct verdict *v = j->v;
    if (!in->longer || v->finished == 0 || !has_longer(j))
        return;
    for (int i = 0; i < v->rows; i++)
        if (is_named(v, v->row[i].heads)) {
            struct verdict_rival *gain = &v->gain[v->gains++];
            compare_heads(j, &in->longer->heads[i], &in->heads[i], gain);
            gain->heads = v->row[i].heads;
        }
    struct verdict_input later = *in; /* with what head counts chose there */
    later.heads = in->longer->heads;
    later.choices = in->longer->choices;
    later.choice = in->longer->choice;
    struct judge among = *j;
    among.in = &later;
    for (int i = 0; i < v->rivals; i++) {
        int first = heads_index(in, v->candidate), second = heads_index(in, v->rival[i].heads);
        compare_heads(&among, &later.heads[first], &later.heads[second], &v->later[i]);
        v->later[i].heads = v->rival[i].heads;
        v->later[i].outcome = outcome_of(&among, &v->later[i], v->prediction ? v->rivals : 1);
    }
    v->longer = all_ended(j) ? longer_outcome_of(v) : LONGER_UNTESTED;
}
