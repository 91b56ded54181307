/* What is read first: how far it got, what is no result at all, the plateau, the finding. */
#include <math.h>

#include "sweep/judge/verdict_text.h"

int trials_ended(const struct writer *w)
{
    int n = 0;
    for (int i = 0; i < w->in->count; i++)
        n += w->in->heads[i].n;
    return n;
}

/* Stands before the first sentence, in the same paragraph. */
static void say_preliminary(const struct writer *w)
{
    if (trials_ended(w) == 0 || trials_ended(w) >= w->in->planned)
        return;
    put(w,
        "Preliminary, with %d of %d %strials ended (a verdict needs them all: stopping when the "
        "numbers look good is no test). ",
        trials_ended(w), w->in->planned, w->in->tuning > 0 ? "judged " : "");
}

static bool not_finished(const struct verdict_row *r)
{
    return r->limited > 0;
}

static void say_unfinished(const struct writer *w)
{
    int n = put_list(w, not_finished, false), seen = 0;
    if (n == 0)
        return;
    put(w, "Not finished within the limit of time or memory: ");
    for (int i = 0; i < w->v->rows; i++) {
        const struct verdict_row *r = &w->v->row[i];
        if (!not_finished(r))
            continue;
        put(w, "%s", separator(seen++, n));
        put_heads(w, r->heads);
        put(w, " (%d of %d trials)", r->limited, w->in->heads[i].n);
    }
    put(w, "; a head count with such a trial is in no comparison.\n");
}

static bool still_improving(const struct verdict_row *r)
{
    return r->improving;
}

static void say_improving(const struct writer *w)
{
    int n = put_list(w, still_improving, false), seen = 0;
    if (n == 0)
        return;
    put(w, "Still improving at the last step, in %s per ", val_metric(w));
    if (w->in->steps >= 10)
        put(w, "%lld steps: ", (long long)w->in->steps / 10);
    else
        put(w, "tenth of the training: ");
    for (int i = 0; i < w->v->rows; i++) {
        const struct verdict_row *r = &w->v->row[i];
        if (!still_improving(r))
            continue;
        put(w, "%s", separator(seen++, n));
        put_heads(w, r->heads);
        put(w, " (%+.3f)", w->in->loss ? -r->late_gain : r->late_gain);
    }
    put(w, "; more steps may change the comparison.\n");
}

/* ---- the plateau ---- */

static bool in_plateau(const struct verdict_row *r)
{
    return r->in_plateau;
}

static bool equivalent(const struct verdict_row *r)
{
    return r->equivalent;
}

static bool among_best(const struct verdict_row *r)
{
    return r->among_best;
}

/* "4, 8 and 16 heads (d_head 8, 4 and 2)", "4 and 8 heads (d_head 8)" */
static void put_plateau(const struct writer *w)
{
    const struct verdict *v = w->v;
    int n = put_list(w, in_plateau, true), seen = 0;
    int64_t width = row_of(v, v->plateau_low)->d_head;
    bool known = true, same = true;
    put(w, " head%s", n == 1 ? plural(v->plateau_low) : "s");
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].in_plateau) {
            known = known && v->row[i].d_head > 0;
            same = same && v->row[i].d_head == width;
        }
    if (!known)
        return;
    put(w, " (d_head ");
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].in_plateau && (!same || seen == 0))
            put(w, "%s%lld", separator(seen++, same ? 1 : n), (long long)v->row[i].d_head);
    put(w, ")");
}

/* "; 8 lies between and is left out" */
static void put_holes(const struct writer *w)
{
    const struct verdict *v = w->v;
    int seen = 0;
    if (v->plateau_holes == 0)
        return;
    put(w, "; ");
    for (int i = 0; i < v->rows; i++) {
        const struct verdict_row *r = &v->row[i];
        if (row_tested(r) && !r->in_plateau && r->heads > v->plateau_low &&
            r->heads < v->plateau_high)
            put(w, "%s%lld", separator(seen++, v->plateau_holes), (long long)r->heads);
    }
    put(w,
        v->plateau_holes == 1 ? " lies between and is left out" : " lie between and are left out");
}

/* With a margin: what is shown to be within it of the best. One head count of widely spread trials
 * forbids to say so of any. */
static void say_equivalent(const struct writer *w)
{
    const struct verdict *v = w->v;
    int n = put_list(w, in_plateau, false);
    double margin = v->plateau_margin;
    if (n == 0) {
        put(w, "No plateau is shown: ");
        put_list(w, among_best, true);
        put(w,
            " heads cannot be told apart from the best, but none is shown to be within %g of the "
            "best %s (one-sided %ss, p < %.3g after correction for their number).\n",
            margin, test_metric(w), paired_test(w), 1 - v->level);
        return;
    }
    put(w, "Plateau: ");
    put_plateau(w);
    if (n == 1)
        put(w,
            " alone, best on validation; no other head count is shown to be within %g of the "
            "best %s",
            margin, test_metric(w));
    else if (put_list(w, equivalent, false) == n - 1) /* all but the best, to which they are */
        put(w, " are equivalent: each is shown to be within %g of the best %s", margin,
            test_metric(w));
    else
        put(w, ": %lld %s best on validation, the others are shown to be within %g of the best %s",
            (long long)v->best, verb(v->best), margin, test_metric(w));
    put_holes(w);
    put(w, " (one-sided %ss, p < %.3g after correction for their number).\n", paired_test(w),
        1 - v->level);
}

/* Without: the set that contains the best. */
static void say_set(const struct writer *w)
{
    const struct verdict *v = w->v;
    int n = put_list(w, in_plateau, false);
    double percent = 100 * v->level;
    if (n == 1) {
        put(w, "Plateau: ");
        put_plateau(w);
        put(w, " alone, with %.3g%% confidence the best of the head counts tried.\n", percent);
        return;
    }
    put(w, "Plateau: ");
    put_plateau(w);
    put(w, " cannot be told apart from the best");
    put_holes(w);
    put(w, "; with %.3g%% confidence the best of the head counts tried is among them.\n", percent);
}

static void say_plateau(const struct writer *w)
{
    int testable = 0;
    for (int i = 0; i < w->v->rows; i++)
        testable += !isnan(w->v->row[i].best_p);
    if (testable == 0)
        return;
    if (isnan(w->v->plateau_margin))
        say_set(w);
    else
        say_equivalent(w);
}

/* ---- the finding ---- */

/* "1 (difference +0.002, p = 0.2) and 32 (difference -0.010, p = 0.4)": the rivals of one outcome.
 */
static void put_rivals(const struct writer *w, enum rival_outcome outcome, bool with_p)
{
    const struct verdict *v = w->v;
    int n = rivals_with(v, outcome), seen = 0;
    for (int i = 0; i < v->rivals; i++) {
        const struct verdict_rival *r = &v->rival[i];
        if (r->outcome != outcome)
            continue;
        put(w, "%s%lld", separator(seen++, n), (long long)r->heads);
        if (with_p) {
            put(w, " (difference ");
            put_difference(w, r->pair.mean);
            put_difference_bits(w, r->pair.mean);
            put(w, ", ");
            put_p(w, r->p);
            put(w, ")");
        }
    }
}

/* "4 heads are significantly worse than 8 (-0.1, p = ..) and not shown to be better than 16 (..)"
 */
static void put_shortfall(const struct writer *w, const char *aside)
{
    const struct verdict *v = w->v;
    bool worse = rivals_with(v, RIVAL_BETTER) > 0;
    bool open = rivals_with(v, RIVAL_NOT_BEATEN) > 0;
    put_heads(w, v->candidate);
    put(w, "%s %s", aside, verb(v->candidate));
    if (worse) {
        put(w, " significantly worse than ");
        put_rivals(w, RIVAL_BETTER, true);
    }
    if (open) {
        put(w, "%s", worse ? " and not shown to be better than " : " not shown to be better than ");
        put_rivals(w, RIVAL_NOT_BEATEN, true);
    }
    put_scope(w);
    put(w, ".\n");
}

static void say_untested(const struct writer *w)
{
    const struct verdict *v = w->v;
    int n = rivals_with(v, RIVAL_UNTESTED), seen = 0;
    put(w, "%s yet: ", v->prediction ? "Claim not tested" : "Not tested");
    put_heads(w, v->candidate);
    put(w, " %s fewer than two %ss ", v->candidate == 1 ? "shares" : "share", v->unit);
    for (int i = 0; i < v->rivals; i++)
        if (v->rival[i].outcome == RIVAL_UNTESTED)
            put(w, "%swith %lld", separator(seen++, n), (long long)v->rival[i].heads);
    put(w, ".\n");
}

/* "tried", unless head counts that were tried are left out. */
static const char *tried(const struct writer *w)
{
    return put_list(w, not_finished, false) ? "that finished" : "tried";
}

static void say_edge(const struct writer *w)
{
    const struct verdict *v = w->v;
    bool smallest = v->candidate == v->smallest;
    put(w,
        "No middle: the best head count on validation (the fewest heads within %g of the top) "
        "is the %s one %s, %lld",
        VERDICT_TOLERANCE, smallest ? "smallest" : "largest", tried(w), (long long)v->candidate);
    if (!smallest && !put_list(w, not_finished, false))
        put(w, " (more heads were not tried)");
    put_scope(w);
    put(w, ".\n");
}

static void say_middle(const struct writer *w)
{
    const struct verdict *v = w->v;
    put(w, "Exploratory finding, a middle head count wins: ");
    put_heads(w, v->candidate);
    put(w, " %s better than both the smallest (%lld) and the largest (%lld) head count %s",
        verb(v->candidate), (long long)v->smallest, (long long)v->largest, tried(w));
    put_scope(w);
    put(w, ".\n");
}

static void say_confirmed(const struct writer *w)
{
    put(w, "Claim confirmed: ");
    put_heads(w, w->v->candidate);
    put(w, " %s better than ", verb(w->v->candidate));
    put_rivals(w, RIVAL_BEATEN, false);
    put(w, ", as predicted before the first trial");
    put_scope(w);
    put(w, ".\n");
}

static bool named_in_claim(const struct writer *w, int64_t heads)
{
    bool named = heads == w->in->claim_best;
    for (int i = 0; i < w->in->claim_over_count; i++)
        named = named || heads == w->in->claim_over[i];
    return named;
}

static void say_undecided(const struct writer *w)
{
    const struct verdict *v = w->v;
    int n = 0, seen = 0;
    int64_t last = 0;
    for (int i = 0; i < v->rows; i++)
        n += v->row[i].limited && named_in_claim(w, v->row[i].heads);
    put(w, "Claim undecided: ");
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].limited && named_in_claim(w, v->row[i].heads)) {
            last = v->row[i].heads;
            put(w, "%s%lld", separator(seen++, n), (long long)last);
        }
    put(w, " head%s did not finish.\n", n == 1 ? plural(last) : "s");
}

static void say_nothing(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    if (in->tuning > in->tuning_ended)
        put(w, "Tuning is under way (%ld of %ld trials); no trial that will be judged has ended.\n",
            in->tuning_ended, in->tuning);
    else
        put(w, "No trial %shas ended: there is nothing to judge yet.\n",
            in->tuning > 0 ? "that is judged " : "");
}

/* Names a trial, which has the reason. */
static void say_no_verdict(const struct writer *w, const char *why)
{
    int64_t trial_id = 0;
    for (int i = 0; i < w->in->count && trial_id == 0; i++)
        if (w->in->heads[i].n > 0)
            trial_id = w->in->heads[i].trial[0].trial_id;
    put(w, "No verdict: %s", why);
    if (trial_id > 0)
        put(w, "; `headcount show %lld` says why", (long long)trial_id);
    put(w, ".\n");
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

static void say_at_chance(const struct writer *w)
{
    const struct verdict *v = w->v;
    const struct verdict_row *top = top_row(w);
    put(w, "At chance: no head count is shown to be better than guessing (%s %.3g", test_metric(w),
        v->guess);
    put_loss_bits(w, v->guess);
    put(w, "; the best mean is %.3g", top->test.mean);
    put_loss_bits(w, top->test.mean);
    put(w, ", with ");
    put_heads(w, top->heads);
    put(w, ")");
    put_scope(w);
    put(w, "; there is nothing to compare.\n");
}

static void say_all_equal(const struct writer *w)
{
    const struct verdict *v = w->v;
    int trials = 0;
    double value = NAN;
    for (int i = 0; i < v->rows; i++)
        if (row_tested(&v->row[i])) {
            trials += v->row[i].trials;
            value = v->row[i].test.mean;
        }
    put(w, "All equal: each of %d trials, at every one of %d head counts, has a %s of %.3f", trials,
        v->finished, test_metric(w), value);
    put_scope(w);
    put(w, "%s.\n", v->prediction ? "; the claim is not confirmed" : "");
}

static void say_finding(const struct writer *w)
{
    const struct verdict *v = w->v;
    switch (v->kind) {
    case VERDICT_NOTHING:
        say_nothing(w);
        break;
    case VERDICT_UNTRAINED:
        say_no_verdict(w, trials_ended(w) < w->in->planned
                              ? "every trial that has ended diverged or failed"
                              : "every trial diverged or failed");
        break;
    case VERDICT_UNFINISHED:
        say_no_verdict(w, "no head count finished within the limit of time or memory");
        break;
    case VERDICT_SINGLE:
        put(w, "No comparison: %lld is the only head count %s.\n", (long long)v->candidate,
            put_list(w, not_finished, false) ? "that finished" : "that was tried");
        break;
    case VERDICT_AT_CHANCE:
        say_at_chance(w);
        break;
    case VERDICT_ALL_EQUAL:
        say_all_equal(w);
        break;
    case VERDICT_MIDDLE:
        say_middle(w);
        break;
    case VERDICT_NOT_SIGNIFICANT:
        put(w, "Not significant: ");
        put_shortfall(w, w->in->loss ? ", picked by validation loss,"
                                     : ", picked by validation accuracy,");
        break;
    case VERDICT_EDGE:
        say_edge(w);
        break;
    case VERDICT_CLAIM_CONFIRMED:
        say_confirmed(w);
        break;
    case VERDICT_CLAIM_NOT_CONFIRMED:
        put(w, "Claim not confirmed: ");
        put_shortfall(w, "");
        break;
    case VERDICT_CLAIM_CONTRADICTED:
        put(w, "Claim contradicted: ");
        put_shortfall(w, "");
        break;
    case VERDICT_CLAIM_UNDECIDED:
        say_undecided(w);
        break;
    case VERDICT_UNTESTED:
    case VERDICT_CLAIM_UNTESTED:
        say_untested(w);
        break;
    }
}

void say_lead(const struct writer *w)
{
    say_preliminary(w);
    if (w->v->kind == VERDICT_ALL_EQUAL || w->v->kind == VERDICT_AT_CHANCE) {
        say_finding(w);
        return;
    }
    say_unfinished(w);
    say_improving(w);
    say_plateau(w);
    say_finding(w);
}
