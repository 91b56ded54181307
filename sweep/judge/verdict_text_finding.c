/* The finding: what the verdict is about, by its kind. Arms with names are two (between.h). */
#include <math.h>

#include "sweep/judge/verdict_text_parts.h"

/* ---- rivals ---- */

/* " (difference in test accuracy +0.1, p < .0001": the first is told what the numbers are. */
static void put_numbers(const struct writer *w, const struct verdict_rival *r, bool first)
{
    put(w, " (");
    if (first)
        put(w, "difference in %s%s ", test_metric(w), w->in->loss ? ", less is better:" : "");
    put_difference(w, r->pair.mean);
    put_difference_bits(w, r->pair.mean);
    put(w, ", ");
    put_p(w, r->p);
    if (w->in->named && !w->v->prediction)
        put(w, " after correction for the number of pairs");
}

/* ", but most trials with 4 heads diverged or failed": of two arms that differ by what is needed,
 * why neither is called better. */
static void put_mostly_bad(const struct writer *w, const struct verdict_rival *r)
{
    if (!verdict_won_by_guesses(w->in, w->v, r))
        return;
    put(w, ", but most trials with ");
    put_arm(w, verdict_ahead(w->in, w->v, r));
    put(w, " diverged or failed");
}

void put_rivals_of(const struct writer *w, enum rival_outcome outcome)
{
    int n = rivals_with(w->v, outcome), seen = 0;
    for (int i = 0; i < w->v->rivals; i++) {
        const struct verdict_rival *r = &w->v->rival[i];
        if (r->outcome != outcome)
            continue;
        put(w, "%s", separator(seen, n));
        put_rival(w, r->arm);
        put_place(w);
        put_numbers(w, r, seen++ == 0);
        if (outcome == RIVAL_NOT_BEATEN && r->p < 1 - w->v->level && r->p >= w->v->alpha)
            put(w, "; p < %s is needed", fraction_text(w->v->alpha).text);
        put_mostly_bad(w, r);
        put(w, ")");
    }
}

void put_than(const struct writer *w, const char *how, enum rival_outcome outcome)
{
    put_arm(w, w->v->candidate);
    put(w, " %s %s than ", arm_verb(w, w->v->candidate), how);
    put_rivals_of(w, outcome);
}

static bool is_small_lead(const struct verdict_rival *r, double margin)
{
    return r->outcome == RIVAL_BEATEN && fabs(r->pair.mean) < margin;
}

void put_small_leads(const struct writer *w, double margin)
{
    int n = 0, seen = 0;
    for (int i = 0; i < w->v->rivals; i++)
        n += is_small_lead(&w->v->rival[i], margin);
    for (int i = 0; i < w->v->rivals; i++)
        if (is_small_lead(&w->v->rival[i], margin)) {
            put(w, "%s", seen ? separator(seen, n) : "; the lead over ");
            put_rival(w, w->v->rival[i].arm);
            seen++;
        }
    if (n == 0)
        return;
    put(w, " is below the margin of equivalence, %g", margin);
    put_loss_bits(w, margin);
}

const char *tried(const struct writer *w)
{
    return count_rows(w, is_unfinished) ? "that finished" : "tried";
}

/* ---- nothing to compare ---- */

/* "kv_heads=1 and kv_heads=8 at 4 heads" */
static void put_both(const struct writer *w, const char *joined)
{
    put_arm(w, w->in->arm[0].id);
    put(w, "%s", joined);
    put_arm(w, w->in->arm[1].id);
    put_place(w);
}

static void write_nothing(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    if (in->named) {
        put(w, "Not tested yet: no trial %sof ", in->tuning > 0 ? "that is judged " : "");
        put_both(w, " or ");
        put(w, " has ended");
    } else if (in->tuning > in->tuning_ended)
        put(w, "Tuning is under way (%ld of %s); no trial that will be judged has ended",
            in->tuning_ended, text_counted(in->tuning, "trial").text);
    else
        put(w, "No trial %shas ended: there is nothing to judge yet",
            in->tuning > 0 ? "that is judged " : "");
}

/* The first trial that has the reason why nothing is said; 0: unknown. */
static int64_t first_bad(const struct verdict_input *in)
{
    for (int i = 0; i < in->count; i++)
        for (int k = 0; k < in->arm[i].n; k++)
            if (in->arm[i].trial[k].bad || in->arm[i].trial[k].limited)
                return in->arm[i].trial[k].trial_id;
    return 0;
}

ROW_TEST(has_completed, !isnan(r->completed_mean))

static bool is_claimed(const struct writer *w, int64_t arm)
{
    const struct verdict_claim *claim = &w->in->claim;
    bool claimed = arm == claim->best;
    for (int i = 0; i < claim->over_count; i++)
        claimed = claimed || arm == claim->over[i];
    return claimed;
}

ROW_TEST(is_unfinished_in_claim, (w->in->named || is_claimed(w, r->arm)) && r->limited)

static void write_undecided(const struct writer *w)
{
    put_arms_of(w, is_unfinished_in_claim);
    put_place(w);
    put(w, " did not finish%s", w->in->named ? " within the limit of time or memory" : "");
}

static void put_untrained_pair(const struct writer *w)
{
    bool any = count_rows(w, has_completed) > 0;
    put(w, any ? "more than half of the trials both of " : "every trial of ");
    put_both(w, any ? " and of " : " and ");
    put(w, " that %s ended diverged or failed", any ? "have" : "has");
}

/* Names a trial, which has the reason. */
static void write_no_results(const struct writer *w)
{
    int64_t trial_id = first_bad(w->in);
    if (w->in->named) {
        (w->v->kind == VERDICT_UNFINISHED ? write_undecided : put_untrained_pair)(w);
        return;
    }
    if (w->v->kind == VERDICT_UNFINISHED)
        put(w, "no head count finished within the limit of time or memory");
    else if (count_rows(w, has_completed) == 0)
        put(w, "every trial %sdiverged or failed", w->v->preliminary ? "that has ended " : "");
    else
        put(w, "with each head count, more than half of the trials %sdiverged or failed",
            w->v->preliminary ? "that have ended " : "");
    if (trial_id > 0)
        put(w, "; `headcount show %lld` says why", (long long)trial_id);
}

static void write_single(const struct writer *w)
{
    put(w, "%lld is the only head count that %s", (long long)w->v->candidate,
        count_rows(w, is_unfinished) ? "finished" : "was tried");
}

/* The tested one of best mean; there is one. */
static const struct verdict_row *top_row(const struct writer *w)
{
    const struct verdict_row *row = w->v->row, *top = row;
    double sign = w->in->loss ? -1 : 1;
    for (int i = 1; i < w->v->rows; i++)
        if (row_tested(&row[i]) &&
            (!row_tested(top) || sign * row[i].test.mean > sign * top->test.mean))
            top = &row[i];
    return top;
}

static void write_at_chance(const struct writer *w)
{
    const struct verdict *v = w->v;
    const struct verdict_row *top = top_row(w);
    bool heads = !w->in->named;
    put(w, heads ? "no head count" : "neither ");
    if (!heads)
        put_both(w, " nor ");
    put(w, " is shown to be better than guessing (%s %.3g", test_metric(w), v->guess);
    put_loss_bits(w, v->guess);
    if (heads) {
        put(w, "%s; the best mean is %.3g", v->guess_varies ? " on average" : "", top->test.mean);
        put_loss_bits(w, top->test.mean);
        put(w, ", with ");
        put_arm(w, top->arm);
    }
    put(w, ")");
    put_scope(w);
    put(w, "%s", heads ? "; there is nothing to compare" : "");
}

static void write_no_difference(const struct writer *w)
{
    const struct verdict *v = w->v;
    int trials = 0;
    double value = NAN;
    for (int i = 0; i < v->rows; i++)
        if (row_tested(&v->row[i])) {
            trials += v->row[i].trials;
            value = v->row[i].test.mean;
        }
    if (w->in->named) {
        put(w, "each trial of ");
        put_both(w, " and ");
    } else {
        put(w, "each of %d trials, at every one of %d head counts,", trials, v->finished);
    }
    put(w, " has a %s of %.3f", test_metric(w), value);
    put_scope(w);
    put(w, "%s", v->prediction ? "; the claim is not confirmed" : "");
}

/* ---- comparisons ---- */

static void write_middle(const struct writer *w)
{
    const struct verdict *v = w->v;
    put_arm(w, v->candidate);
    put(w, " %s better than both ", arm_verb(w, v->candidate));
    put_rivals_of(w, RIVAL_BEATEN);
    put(w, ", the smallest and the largest head count %s", tried(w));
    put_scope(w);
    put_small_leads(w, w->in->equivalence);
}

static void put_all_rivals(const struct writer *w)
{
    for (int i = 0; i < w->v->rivals; i++)
        put(w, "%s%lld", separator(i, w->v->rivals), (long long)w->v->rival[i].arm);
}

/* Why one head count of several is asked about: it was claimed to be better, or it did well on
 * validation. */
static void put_reason(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (w->in->named)
        return;
    if (!v->prediction) {
        put(w, ", the fewest within %g of the best %s,", VERDICT_TOLERANCE, val_metric(w));
        return;
    }
    put(w, ", claimed to be better than ");
    put_all_rivals(w);
    put(w, ",");
}

/* "4 heads, ..., did better than 1 (...), are significantly worse than 8 (...), and are not shown
 * to be better than 16 (...)": as much of it as there is. */
static void write_shortfall(const struct writer *w)
{
    static const enum rival_outcome outcomes[] = {RIVAL_BEATEN, RIVAL_BETTER, RIVAL_NOT_BEATEN};
    const struct verdict *v = w->v;
    const char *is = arm_verb(w, v->candidate), *but = "";
    put_arm(w, v->candidate);
    put_reason(w);
    for (int i = 0; i < 3; i++) {
        if (rivals_with(v, outcomes[i]) == 0)
            continue;
        put(w, "%s", but);
        if (outcomes[i] == RIVAL_BEATEN)
            put(w, " did better than ");
        else
            put(w, " %s %s than ", is,
                outcomes[i] == RIVAL_BETTER ? "significantly worse" : "not shown to be better");
        put_rivals_of(w, outcomes[i]);
        but = outcomes[i] == RIVAL_BEATEN ? ", but" : " and";
    }
    put_scope(w);
}

static void write_edge(const struct writer *w)
{
    const struct verdict *v = w->v;
    bool smallest = v->candidate == v->smallest;
    put_arm(w, v->candidate);
    put(w, ", the %s head count %s, %s the fewest within %g of the best %s",
        smallest ? "smallest" : "largest", tried(w), arm_verb(w, v->candidate), VERDICT_TOLERANCE,
        val_metric(w));
    put_scope(w);
}

static void write_confirmed(const struct writer *w)
{
    put_than(w, "better", RIVAL_BEATEN);
    if (w->in->claim.similar.trials == 0) {
        put(w, ", as predicted before the first trial");
        put_scope(w);
    } else {
        put_scope(w);
        put(w, ", as predicted before its first trial; ");
        put_similar(w);
    }
    put_small_leads(w, w->in->equivalence);
}

/* Without a claim that was first. One that was not keeps its order, whichever arm is better. */
static void write_better(const struct writer *w)
{
    bool worse = rivals_with(w->v, RIVAL_BETTER) > 0;
    put_than(w, worse ? "worse" : "better", worse ? RIVAL_BETTER : RIVAL_BEATEN);
    put_scope(w);
}

/* What the tests would say, did it not call a head count worse that may be better beyond its grid:
 * write_finding says which. */
static void write_rival_at_edge(const struct writer *w)
{
    const struct verdict *v = w->v;
    bool worse = rivals_with(v, RIVAL_OVER_EDGE) > 0;
    put_arm(w, v->candidate);
    put(w, " did %s than ", worse ? "worse" : "better");
    if (worse || w->in->named)
        put_rivals_of(w, worse ? RIVAL_OVER_EDGE : RIVAL_AT_EDGE);
    else if (!v->prediction)
        put(w, "both the smallest (%lld) and the largest (%lld) head count %s",
            (long long)v->smallest, (long long)v->largest, tried(w));
    else
        put_all_rivals(w);
    put_scope(w);
}

static void write_untested(const struct writer *w)
{
    const struct verdict *v = w->v;
    int n = rivals_with(v, RIVAL_UNTESTED), seen = 0;
    if (w->in->named) {
        put_both(w, " and ");
        put(w, " have fewer than two %ss in common", v->unit);
        return;
    }
    put_arm(w, v->candidate);
    put(w, " %s fewer than two %ss ", v->candidate == 1 ? "shares" : "share", v->unit);
    for (int i = 0; i < v->rivals; i++)
        if (v->rival[i].outcome == RIVAL_UNTESTED)
            put(w, "%swith %lld", separator(seen++, n), (long long)v->rival[i].arm);
}

/* ---- the finding ---- */

bool is_named(const struct writer *w, int64_t arm)
{
    const struct verdict *v = w->v;
    bool named = arm == v->candidate || (v->prediction && is_claimed(w, arm));
    if (v->best == 0)
        return v->kind == VERDICT_AT_CHANCE;
    for (int i = 0; i < v->rivals; i++)
        named = named || arm == v->rival[i].arm;
    return named;
}

/* How the finding of a kind of verdict is said. */
struct finding {
    const char *opening;
    void (*write)(const struct writer *w);
    bool bounded; /* by the steps of the training */
};

/* Opening, budget, finding, and the edges of those arms that it names, with what helps where they
 * leave it undecided. */
void write_finding(const struct writer *w)
{
    static const struct finding findings[] = {
        [VERDICT_NOTHING] = {"", write_nothing},
        [VERDICT_UNTRAINED] = {"No verdict", write_no_results},
        [VERDICT_UNFINISHED] = {"No verdict", write_no_results},
        [VERDICT_SINGLE] = {"No comparison", write_single},
        [VERDICT_AT_CHANCE] = {"At chance", write_at_chance, true},
        [VERDICT_ALL_EQUAL] = {"All equal", write_no_difference, true},
        [VERDICT_MIDDLE] = {"Exploratory finding, a middle head count wins", write_middle, true},
        [VERDICT_NOT_SIGNIFICANT] = {"Not significant", write_shortfall, true},
        [VERDICT_EDGE] = {"No middle head count wins", write_edge, true},
        [VERDICT_UNTESTED] = {"Not tested yet", write_untested},
        [VERDICT_SETTING_BETTER] = {"Exploratory finding", write_better, true},
        [VERDICT_CLAIM_CONFIRMED] = {"Claim confirmed", write_confirmed, true},
        [VERDICT_CLAIM_NOT_CONFIRMED] = {"Claim not confirmed", write_shortfall, true},
        [VERDICT_CLAIM_CONTRADICTED] = {"Claim contradicted", write_shortfall, true},
        [VERDICT_CLAIM_UNDECIDED] = {"Claim undecided", write_undecided},
        [VERDICT_CLAIM_UNTESTED] = {"Claim not tested yet", write_untested},
        [VERDICT_RIVAL_AT_EDGE] = {"Undecided", write_rival_at_edge, true},
    };
    const struct finding *f = &findings[w->v->kind];
    bool at_edge = w->v->kind == VERDICT_RIVAL_AT_EDGE;
    put(w, "%s", at_edge && w->v->prediction ? "Claim undecided" : f->opening);
    if (f->bounded)
        put_after(w);
    put(w, "%s", *f->opening ? ": " : "");
    f->write(w);
    put_edges(w, is_named, at_edge ? ", but " : "; ");
    if (at_edge)
        put(w, "; try more values (`extend` in `tune`, or a wider list)");
}
