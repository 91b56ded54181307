/* How it was tested, for who asks: why the candidate is one, levels and their corrections, and what
 * tests do not show. */
#include <math.h>

#include "sweep/judge/verdict_text_parts.h"

/* Why one was picked that is not of the best mean. */
void write_candidate(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->prediction || v->candidate == 0 || v->finished < 2 || v->candidate == v->best)
        return;
    double best = row_of(v, v->best)->val_mean, picked = row_of(v, v->candidate)->val_mean;
    put_heads(w, v->best);
    put(w, " %s the %s mean %s (%.4f", v->best == 1 ? "has" : "have",
        w->in->loss ? "lowest" : "highest", val_metric(w), best);
    put_loss_bits(w, best);
    put(w, "); ");
    put_heads(w, v->candidate);
    put(w, " %s fewer and within %g of it (%.4f", verb(v->candidate), VERDICT_TOLERANCE, picked);
    put_loss_bits(w, picked);
    put(w, "), so %lld is the candidate", (long long)v->candidate);
}

void write_corrected_level(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->kind != VERDICT_MIDDLE && v->kind != VERDICT_NOT_SIGNIFICANT &&
        (v->kind != VERDICT_RIVAL_AT_EDGE || v->prediction))
        return;
    put(w,
        "Because %lld was chosen after seeing the results, each comparison must reach p < %s (.05 "
        "/ ",
        (long long)v->candidate, fraction_text(v->alpha).text);
    if (v->looks > 1)
        put(w, "%d looks / ", v->looks);
    put(w, "%d, for the %d head count%s between the smallest and the largest)", v->interior,
        v->interior, text_plural(v->interior));
}

/* Why p-values stand as they are: Berger 1982. */
void write_all_must_hold(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->prediction && v->rivals > 1 && rivals_with(v, RIVAL_UNTESTED) == 0 &&
        v->kind != VERDICT_CLAIM_UNDECIDED && v->kind != VERDICT_RIVAL_AT_EDGE)
        put(w,
            "The claim is confirmed if the head count that it calls better is so in every "
            "comparison (two-sided t test, p < %s); because all must hold, p is not corrected",
            fraction_text(v->alpha).text);
}

/* Few units bound the sign-flip test from below, whatever the data; it decides or, where the t test
 * does, is told beside it. */
static void put_minimum_p(const struct writer *w, bool decides)
{
    const struct stats_paired *fewest = NULL;
    bool decided = false;
    for (int i = 0; i < w->v->rivals; i++) {
        const struct verdict_rival *r = &w->v->rival[i];
        if (r->pair.n > 1 && (!fewest || r->pair.n < fewest->n))
            fewest = &r->pair;
        decided = decided ||
                  (r->pair.all_equal && r->pair.ties < r->pair.n && r->outcome == RIVAL_NOT_BEATEN);
    }
    if (!fewest || fewest->sign_flip_least < w->v->alpha || decided != decides)
        return;
    put(w,
        "With %d %ss the exact sign-flip test cannot go below p = %s; at least %d are needed for "
        "p < %s",
        fewest->n, w->v->unit, fraction_text(fewest->sign_flip_least).text,
        stats_sign_flip_seeds(w->v->alpha), fraction_text(w->v->alpha).text);
}

void write_too_few(const struct writer *w)
{
    put_minimum_p(w, true);
}

void write_minimum_p(const struct writer *w)
{
    put_minimum_p(w, false);
}

/* A mean over n units says nothing of what happens to fewer than these: all n may have been spared
 * with a probability of 1 - level. */
void write_rare_failure_caveat(const struct writer *w)
{
    const struct verdict *v = w->v;
    int n = 0;
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].equivalent && (n == 0 || v->row[i].test.n < n))
            n = v->row[i].test.n;
    if (n > 0)
        put(w,
            "Equivalence is about means: with %d %ss, failures in up to %.0f%% of all %ss can go "
            "unseen",
            n, v->unit, 100 * (1 - pow(1 - v->level, 1.0 / n)), v->unit);
}

/* As in `not_tested`, where other lengths are named. */
void write_flat_ends(const struct writer *w)
{
    if (w->in->steps > 0 && w->in->decays && w->v->finished > 1)
        put(w, "The learning rate ends at 0, which flattens every curve: a flat end does not show "
               "that more steps would change nothing");
}
