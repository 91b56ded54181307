/* What the finding rests on: the comparisons one by one, what was picked and how, what is to be
 * known about single head counts, what was not tested. */
#include <math.h>
#include <string.h>

#include "sweep/judge/verdict_text.h"

/* Why a claim is not taken as a prediction. */
static void say_proof(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    const struct verdict_proof *p = &in->proof;
    if (!in->has_claim || p->status == PROOF_FIRST)
        return;
    put(w, "The claim, ");
    put_heads(w, in->claim_best);
    put(w, " better than ");
    for (int i = 0; i < in->claim_over_count; i++)
        put(w, "%s%lld", separator(i, in->claim_over_count), (long long)in->claim_over[i]);
    put(w, ", is no prediction: ");
    switch (p->status) {
    case PROOF_LATE:
        put(w, "it was written");
        break;
    case PROOF_CHANGED:
        put(w, "it was changed");
        break;
    default:
        if (p->added || p->removed)
            put(w, "the plan was changed (%lld trial%s added, %lld removed)", (long long)p->added,
                plural(p->added), (long long)p->removed);
        else
            put(w, "what it is judged by was changed");
    }
    if (p->pairs > 0 && in->tuning == 0) /* not all of them are needed under tune */
        put(w, " after %lld of %lld trials had ended", (long long)p->seen, (long long)p->pairs);
    else if (p->pairs > 0)
        put(w, " after %lld trial%s had ended", (long long)p->seen, plural(p->seen));
    else
        put(w, " after trials had ended");
    put(w, ". The results are judged as if it were not there.\n");
}

/* Seeds are added at each look until it is decided. */
static void say_look(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->looks < 2 || v->best == 0)
        return;
    if (v->decided)
        put(w, "Decided at look %d of %d", v->look, v->looks);
    else if (v->look < v->looks)
        put(w, "Look %d of %d; not decided, so that seeds are added for the next", v->look,
            v->looks);
    else
        put(w, "Look %d of %d, the last", v->look, v->looks);
    put(w, ". Each look tests at %.3g (0.05 / %d), because there are several.\n", 1 - v->level,
        v->looks);
}

/* Why this candidate and this level: exploratory verdicts only. */
static void say_picked(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->prediction || v->candidate == 0 || v->finished < 2)
        return;
    if (v->candidate != v->best) {
        put_heads(w, v->best);
        put(w, " %s the %s mean %s (%.4f", v->best == 1 ? "has" : "have",
            w->in->loss ? "lowest" : "highest", val_metric(w), row_of(v, v->best)->val_mean);
        put_loss_bits(w, row_of(v, v->best)->val_mean);
        put(w, "); ");
        put_heads(w, v->candidate);
        put(w, " %s fewer and within %g of it (%.4f", verb(v->candidate), VERDICT_TOLERANCE,
            row_of(v, v->candidate)->val_mean);
        put_loss_bits(w, row_of(v, v->candidate)->val_mean);
        put(w, "), so %lld is the candidate.\n", (long long)v->candidate);
    }
    if (v->kind != VERDICT_MIDDLE && v->kind != VERDICT_NOT_SIGNIFICANT)
        return;
    put(w, "%lld was picked from the results, so each comparison needs p < %.3g (0.05 / ",
        (long long)v->candidate, v->alpha);
    if (v->looks > 1)
        put(w, "%d looks / ", v->looks);
    put(w, "%d, for the %d head count%s between the smallest and the largest).\n", v->interior,
        v->interior, plural(v->interior));
}

/* Few units bound the sign-flip test from below, whatever the data. */
static void say_least(const struct writer *w)
{
    const struct stats_paired *fewest = NULL;
    for (int i = 0; i < w->v->rivals; i++) {
        const struct stats_paired *pair = &w->v->rival[i].pair;
        if (pair->n > 1 && (!fewest || pair->n < fewest->n))
            fewest = pair;
    }
    if (!fewest || fewest->sign_flip_least < w->v->alpha)
        return;
    put(w,
        "With %d %ss the exact sign-flip test cannot go below p = %.3g; at least %d are needed for "
        "p < %.3g.\n",
        fewest->n, w->v->unit, fewest->sign_flip_least, stats_sign_flip_seeds(w->v->alpha),
        w->v->alpha);
}

static bool cannot_be_told_apart(const struct verdict_row *r)
{
    return r->among_best;
}

static bool is_beaten(const struct verdict_row *r)
{
    return row_tested(r) && !r->among_best;
}

static bool was_not_compared(const struct verdict_row *r)
{
    return r->among_best && isnan(r->best_p);
}

/* A mean over n units says nothing of what happens to fewer than these: all n may have been spared
 * with a probability of 1 - level. */
static void say_rare(const struct writer *w)
{
    const struct verdict *v = w->v;
    int n = 0;
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].equivalent && (n == 0 || v->row[i].test.n < n))
            n = v->row[i].test.n;
    if (n > 0)
        put(w,
            "Equivalent is said of means: what strikes fewer than %.0f%% of all %ss may not have "
            "shown among %d.\n",
            100 * (1 - pow(1 - v->level, 1.0 / n)), v->unit, n);
}

/* How the set that contains the best was found, and what it does not say. */
static void say_among_best(const struct writer *w)
{
    const struct verdict *v = w->v;
    int set = put_list(w, cannot_be_told_apart, false), comparisons = v->finished - 1;
    int not_compared = put_list(w, was_not_compared, false) - 1; /* the best itself */
    const char *beat = v->best == 1 ? "beats" : "beat";
    if (v->best == 0 || v->kind == VERDICT_ALL_EQUAL || comparisons < 1 ||
        not_compared == comparisons)
        return;
    if (set == v->finished) {
        put_heads(w, v->best);
        put(w, ", best on validation, %s no other head count", beat);
    } else if (isnan(v->plateau_margin)) {
        put(w, "A head count is left out of the plateau where ");
        put_heads(w, v->best);
        put(w, ", best on validation, %s it", beat);
    } else {
        put(w, "With %.3g%% confidence the best of the head counts tried is %s", 100 * v->level,
            set > 1 ? "one of " : "");
        put_list(w, cannot_be_told_apart, true);
        put(w, ": ");
        put_heads(w, v->best);
        put(w, ", best on validation, %s ", beat);
        put_list(w, is_beaten, true);
    }
    put(w, " in a one-sided %s at p < %.3g (%.3g / %d comparison%s).", paired_test(w),
        (1 - v->level) / comparisons, 1 - v->level, comparisons, plural(comparisons));
    if (not_compared > 0)
        put(w, " %d head count%s could not be compared, for want of %ss, and %s in.", not_compared,
            plural(not_compared), v->unit, not_compared == 1 ? "stays" : "stay");
    if (set > 1 && isnan(v->plateau_margin))
        put(w, " Not told apart is not shown to be equal: `equivalence` in the sweep file tests "
               "that.");
    put(w, "\n");
}

/* Why p-values stand as they are: Berger 1982. */
static void say_all_must_hold(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->prediction && v->rivals > 1 && rivals_with(v, RIVAL_UNTESTED) == 0 &&
        v->kind != VERDICT_CLAIM_UNDECIDED)
        put(w,
            "The claim holds if each of these t tests gives p < %.3g; as all must, none is "
            "corrected.\n",
            v->alpha);
}

static void say_next(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->kind == VERDICT_MIDDLE)
        put(w,
            "To confirm it, predict it: a sweep with claim: {best: %lld, over: [%lld, %lld]} and "
            "seeds not used here.\n",
            (long long)v->candidate, (long long)v->smallest, (long long)v->largest);
}

static void say_one_unit(const struct writer *w)
{
    int most = 0;
    for (int i = 0; i < w->v->rows; i++)
        most = w->v->row[i].test.n > most ? w->v->row[i].test.n : most;
    if (most == 1 && trials_ended(w) < w->in->planned)
        put(w,
            "At most one %s per head count has ended: no interval and no test is possible yet.\n",
            w->v->unit);
    else if (most == 1)
        put(w,
            "One %s per head count: no interval and no test is possible. Run at least two, "
            "better eight or more.\n",
            w->v->unit);
}

static void put_cluster(const struct writer *w, const struct verdict_cluster *c)
{
    if (c->n == 1 || c->low == c->high)
        put(w, "%d at %.3f", c->n, c->low);
    else
        put(w, "%d at %.3f to %.3f", c->n, c->low, c->high);
}

static void say_clusters(const struct writer *w)
{
    for (int i = 0; i < w->v->rows; i++) {
        const struct verdict_row *r = &w->v->row[i];
        if (!r->bimodal)
            continue;
        put_heads(w, r->heads);
        put(w, ": trials lie apart, ");
        put_cluster(w, &r->clusters[0]);
        put(w, " and ");
        put_cluster(w, &r->clusters[1]);
        put(w, ", which a mean does not describe; the median over %d %s%s is %.3f", r->test.n,
            w->v->unit, plural(r->test.n), r->test.median);
        if (!isnan(r->median_low))
            put(w, ", 95%% interval %.3f to %.3f", r->median_low, r->median_high);
        put(w, ".\n");
    }
}

static void say_bad(const struct writer *w)
{
    const struct verdict *v = w->v;
    for (int i = 0; i < v->rows; i++) {
        const struct verdict_row *r = &v->row[i];
        int ended = w->in->heads[i].n;
        if (!r->bad)
            continue;
        put_heads(w, r->heads);
        if (r->bad == ended && ended > 1)
            put(w, ": all %d trials diverged or failed", ended);
        else
            put(w, ": %d of %d trial%s diverged or failed", r->bad, ended, plural(ended));
        const char *they = r->bad == 1 ? "it" : "they", *s = r->bad == 1 ? "s" : "";
        if (isnan(v->guess))
            put(w, "; what guessing gets is not known, so %s %s left out.\n", they, verb(r->bad));
        else if (isnan(r->completed_mean))
            put(w, "; %s count%s as guessing (%s %.3g).\n", they, s, test_metric(w), v->guess);
        else
            put(w, "; %s count%s as guessing (%s %.3g), the mean of the completed alone is %.3f.\n",
                they, s, test_metric(w), v->guess, r->completed_mean);
    }
}

static bool equal_row(const struct verdict_row *r)
{
    return r->test.all_equal && r->bad == 0 && r->limited == 0;
}

/* "2 and 4 heads: all 5 seeds equal": one sentence per number of units. */
static void say_equal_rows(const struct writer *w)
{
    const struct verdict_row *row = w->v->row;
    if (w->v->kind == VERDICT_ALL_EQUAL)
        return;
    for (int i = 0; i < w->v->rows; i++) {
        int same = 0, before = 0, seen = 0;
        for (int k = 0; k < w->v->rows; k++) {
            bool match = equal_row(&row[k]) && row[k].test.n == row[i].test.n;
            same += match;
            before += match && k < i;
        }
        if (!equal_row(&row[i]) || before)
            continue;
        for (int k = i; k < w->v->rows; k++)
            if (equal_row(&row[k]) && row[k].test.n == row[i].test.n)
                put(w, "%s%lld", separator(seen++, same), (long long)row[k].heads);
        put(w,
            " head%s: all %d %ss gave the same %s, so there is no spread to compute an interval "
            "from.\n",
            same == 1 ? plural(row[i].heads) : "s", row[i].test.n, w->v->unit, test_metric(w));
    }
}

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

static void say_chosen(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    bool edge = false;
    if (in->choices == 0)
        return;
    for (int i = 0; i < in->choices; i++)
        edge = edge || in->choice[i].edge[0];
    put(w, "Chosen %s on validation, with separate seeds: ",
        in->choices < in->count ? "so far" : "for each head count");
    put_choices(w, choice_label);
    put(w, "; the comparison holds for these choices.\n");
    if (!edge)
        return;
    put(w, "Warning: a choice is at the edge of its grid, so that a better value may lie beyond "
           "it: ");
    put_choices(w, choice_edge);
    put(w, ".\n");
}

static void say_shared(const struct writer *w)
{
    for (int i = 0; i < w->in->count; i++) {
        const struct verdict_heads *h = &w->in->heads[i];
        if (!h->shared)
            continue;
        put_heads(w, h->heads);
        put(w, ": these are also the trials of the setting %s; as evidence they count once.\n",
            h->shared);
    }
}

static void say_not_tested(const struct writer *w)
{
    static const char *const other[] = {[VERDICT_TOY] = "instances of the task or other tasks",
                                        [VERDICT_ROWS] = "splits of the file or other files",
                                        [VERDICT_TEXT] = "files"};
    const struct verdict *v = w->v;
    bool lr = w->in->count > 0 && w->in->heads[0].lr;
    if (v->best == 0 || v->finished < 2 || v->kind == VERDICT_UNTESTED ||
        v->kind == VERDICT_CLAIM_UNTESTED)
        return;
    put(w, "Not tested: other head counts%s%s", w->in->steps > 0 ? ", other training lengths" : "",
        w->in->tuned_lr || lr ? ", other learning rates" : "");
    if (w->in->replicated)
        put(w, ", other %s or other seeds: every %s had the same.\n",
            w->in->data == VERDICT_TOY ? "tasks" : "files", v->unit);
    else
        put(w, ", other %s.\n", other[w->in->data]);
}

void say_rest(const struct writer *w)
{
    say_proof(w);
    say_look(w);
    say_picked(w);
    for (int i = 0; i < w->v->rivals; i++)
        say_rival(w, &w->v->rival[i]);
    say_all_must_hold(w);
    say_least(w);
    say_among_best(w);
    say_rare(w);
    say_next(w);
    say_one_unit(w);
    say_clusters(w);
    say_bad(w);
    say_equal_rows(w);
    say_chosen(w);
    say_shared(w);
    say_not_tested(w);
}
