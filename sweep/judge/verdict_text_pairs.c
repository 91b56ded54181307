/* Comparisons, in words: the candidate against a rival, its difference, intervals and tests; where
 * these err; how all was tested. */
#include <math.h>

#include "sweep/judge/verdict_text.h"
#include "sweep/judge/verdict_text_parts.h"

/* ---- a rival ---- */

/* "-0.30 to -0.10" */
static void put_range(const struct writer *w, double low, double high)
{
    put_difference(w, low);
    put(w, " to ");
    put_difference(w, high);
}

static void put_range_over(const struct writer *w, const struct crossed *c, enum crossed_over over)
{
    double low, high;
    crossed_interval(c, over, w->v->level, &low, &high);
    if (isnan(low))
        put(w, "none, as nothing varies");
    else
        put_range(w, low, high);
}

/* "+0.081 test accuracy", "-0.037 nats or -0.054 bits per byte in test loss" */
static void put_mean(const struct writer *w, double mean)
{
    put_difference(w, mean);
    put_difference_bits(w, mean);
    put(w, "%s %s", verdict_has_bits(w->in) ? " in" : "", test_metric(w));
}

static void put_estimate(const struct writer *w, const struct stats_paired *pair)
{
    put_mean(w, pair->mean);
    put(w, "%s, ", w->in->loss ? " (less is better)" : "");
    put_interval(w);
    put(w, " ");
    put_range(w, pair->low, pair->high);
}

static void put_crossed(const struct writer *w, const struct verdict_rival *r)
{
    const struct stats_paired *pair = &r->pair;
    put_estimate(w, pair);
    put(w, ", over %d seeds (%d won, %d lost) and %d blocks of the test text; two-sided %s, ",
        pair->n, pair->wins, pair->losses, r->crossed.columns, paired_test(w));
    put_p(w, pair->p);
}

static void put_tests(const struct writer *w, const struct verdict_rival *r)
{
    const struct stats_paired *pair = &r->pair;
    const char *unit = w->v->unit, *less = w->in->loss ? " (less is better)" : "";
    if (crossed_testable(&r->crossed)) {
        put_crossed(w, r);
        return;
    }
    if (pair->ties == pair->n) {
        put(w, "no difference at any of %d %ss", pair->n, unit);
        return;
    }
    if (pair->all_equal) {
        put_difference(w, pair->mean);
        put(w,
            " %s%s at each of %d %ss; equal differences leave the t test undefined, so the "
            "%ssign-flip test decides: ",
            test_metric(w), less, pair->n, unit, pair->exact ? "exact " : "");
        put_p(w, pair->sign_flip_p);
        return;
    }
    put_estimate(w, pair);
    put(w, ", over %d %ss (%d won, %d lost", pair->n, unit, pair->wins, pair->losses);
    if (w->in->replicated)
        put(w, "; each the mean of its seeds, %d pairs in all", r->seed_pairs);
    put(w, "); two-sided paired t test ");
    put_p(w, pair->p);
    if (units_share_rows(w->in))
        put(w, ", corrected for rows that splits share");
}

/* Where there is one seed. */
static void put_blocks_alone(const struct writer *w, const struct verdict_rival *r)
{
    if (r->crossed.columns == 0)
        return;
    put(w, ", ");
    put_interval(w);
    put(w, " ");
    put_range_over(w, &r->crossed, CROSSED_COLUMNS);
    put(w, " over %d blocks of the test text, which says nothing of other seeds",
        r->crossed.columns);
}

/* "4 heads against 1: " */
static void put_against(const struct writer *w, const struct verdict_rival *r)
{
    put_arm(w, w->v->candidate);
    put(w, " against ");
    put_rival(w, r->arm);
    if (w->in->place && w->in->place->same[0])
        put(w, " (%s)", w->in->place->same);
    put(w, ": ");
}

void write_comparison(const struct writer *w)
{
    const struct verdict_rival *r = &w->v->rival[w->item];
    const struct stats_paired *pair = &r->pair;
    if (r->outcome == RIVAL_UNFINISHED)
        return;
    put_against(w, r);
    if (pair->n == 0)
        put(w, "no %s in common", w->v->unit);
    else if (pair->n == 1) {
        put_mean(w, pair->mean);
        put(w, " at the one %s in common", w->v->unit);
        put_blocks_alone(w, r);
    } else
        put_tests(w, r);
    if (pair->n > 1 && r->unpaired)
        put(w, "; %d %s%s that only one of them has %s left out", r->unpaired,
            w->in->replicated ? "trial" : "seed", text_plural(r->unpaired), verb(r->unpaired));
}

/* That over the seeds holds for this text, that over the blocks for these seeds. */
void write_spread(const struct writer *w)
{
    const struct verdict_rival *r = &w->v->rival[w->item];
    if (r->outcome == RIVAL_UNFINISHED || r->pair.n < 2)
        return;
    if (crossed_testable(&r->crossed)) {
        put_against(w, r);
        put(w, "the ");
        put_interval(w);
        put(w, " is ");
        put_range_over(w, &r->crossed, CROSSED_ROWS);
        put(w, " over the seeds alone and ");
        put_range_over(w, &r->crossed, CROSSED_COLUMNS);
        put(w, " over the blocks alone");
        if (r->crossed.effective < r->crossed.columns - .5)
            put(w, ", which count as %.0f because neighbours are alike", r->crossed.effective);
    } else if (!isnan(r->sd_between)) {
        put_against(w, r);
        put(w,
            "the estimated standard deviation of the difference is %.3f between seeds and, beyond "
            "what seeds explain, %.3f between %ss",
            r->sd_within, r->sd_between, w->v->unit);
    }
}

/* Whether the comparison leaves it out: where it decides it says so. */
static bool has_sign_flip(const struct verdict_rival *r)
{
    return r->outcome != RIVAL_UNFINISHED && r->pair.n > 1 &&
           (!r->pair.all_equal || crossed_testable(&r->crossed));
}

void put_sign_flip(const struct writer *w, const char *opening)
{
    const struct verdict *v = w->v;
    int n = 0, seen = 0;
    bool exact = true, blocks = false;
    for (int i = 0; i < v->rivals; i++) {
        const struct verdict_rival *r = &v->rival[i];
        n += has_sign_flip(r);
        exact = exact && (r->pair.exact || !has_sign_flip(r));
        blocks = blocks || crossed_testable(&r->crossed);
    }
    if (n == 0)
        return;
    put(w, "%s %ssign-flip test%s, which assumes no normal distribution, gives ", opening,
        exact ? "exact " : "", blocks ? " over the seeds alone" : "");
    for (int i = 0; i < v->rivals; i++)
        if (has_sign_flip(&v->rival[i])) {
            put(w, "%s", separator(seen++, n));
            put_p(w, v->rival[i].pair.sign_flip_p);
            put(w, " against ");
            put_rival(w, v->rival[i].arm);
        }
}

void write_sign_flip(const struct writer *w)
{
    put_sign_flip(w, "The");
}

struct verdict_tail_rates verdict_tail_rates(int n)
{
    static const struct verdict_tail_rates rates[] = {{20, 8, 11}, {8, 12, 19}, {5, 13, 25}};
    int i = 0;
    while (i < 2 && n < rates[i].n)
        i++;
    return rates[i];
}

/* Whether seeds that are as bad as guessing, too rare to be shown by n of them, could make up the
 * difference. All n may have been spared what strikes 1 - alpha^(1/n) of them. */
static bool could_be_a_tail(const struct writer *w, const struct verdict_rival *r, int64_t winner)
{
    const struct verdict *v = w->v;
    double unseen = 1 - pow(1 - v->level, 1.0 / r->pair.n);
    double fall = fabs(row_of(v, winner)->test.mean - v->guess);
    return isnan(fall) || fabs(r->pair.mean) < unseen * fall;
}

/* The better one varies twice as much as the other, or more. Over blocks of a text as well it was
 * not simulated. */
void write_wide_winner(const struct writer *w)
{
    const double wide = 2;
    const struct verdict_rival *r = &w->v->rival[w->item];
    bool beaten = r->outcome == RIVAL_BEATEN;
    if (!beaten && r->outcome != RIVAL_BETTER)
        return;
    int64_t winner = beaten ? w->v->candidate : r->arm;
    int64_t other = beaten ? r->arm : w->v->candidate;
    double ratio = beaten ? r->spread_ratio : 1 / r->spread_ratio;
    if (!(ratio >= wide) || crossed_testable(&r->crossed) || !could_be_a_tail(w, r, winner))
        return;
    struct verdict_tail_rates rates = verdict_tail_rates(r->pair.n);
    put_arm(w, winner);
    put(w, " %s", is_one(w, winner) ? "varies" : "vary");
    if (!isinf(ratio))
        put(w, ratio < 10 ? " %.2g times as much" : " %.0f times as much", ratio);
    put(w, isinf(ratio) ? " more between %ss than " : " between %ss as ", w->v->unit);
    put_rival(w, other);
    put(w,
        ". If rare %ss are far worse and these %d miss them, the finding errs more often than p "
        "says: in simulated sweeps with %d %ss a false claim was confirmed in %d to %d%%, not "
        "2.5%%",
        w->v->unit, r->pair.n, rates.n, w->v->unit, rates.twice, rates.four_times);
}

/* How alike splits are cannot be told from them. */
void write_shared_rows(const struct writer *w)
{
    bool tested = false;
    for (int i = 0; i < w->v->rivals; i++)
        tested = tested || w->v->rival[i].pair.n > 1;
    if (!tested || !units_share_rows(w->in))
        return;
    put(w, "Splits share rows: what two of them find is taken to be correlated by 0.11, which they "
           "cannot show. If it is by 0.3, a false claim is confirmed in 6 to 11%%, not 2.5%%");
}

/* 0: what is tested are no files. */
static int fewest_files(const struct writer *w)
{
    const struct verdict *v = w->v;
    int fewest = 0;
    for (int i = 0; i < v->rivals; i++)
        if (v->rival[i].pair.n > 1 && (fewest == 0 || v->rival[i].pair.n < fewest))
            fewest = v->rival[i].pair.n;
    return verdict_over_files(w->in) ? fewest : 0;
}

void write_few_files(const struct writer *w)
{
    const struct verdict *v = w->v;
    int fewest = fewest_files(w);
    if (fewest == 0)
        return;
    put(w,
        "The %d %ss were chosen, not drawn: nothing is known of kinds of %s that are not among "
        "them",
        fewest, v->unit, v->unit);
    if (v->units_at_chance > 0)
        put(w,
            ". At %d of %d %ss no head count's mean is above guessing; differences there count as "
            "much as elsewhere",
            v->units_at_chance, v->units, v->unit);
}

/* An estimated standard deviation over n normal values has itself one of about 1 / sqrt(2 (n - 1))
 * of it. */
void write_files_drawn(const struct writer *w)
{
    int fewest = fewest_files(w);
    if (fewest > 0)
        put(w,
            "Even %d %ss drawn at random can miss what holds for %.0f%% of all, and they tell the "
            "standard deviation between %ss to about %.0f%%",
            fewest, w->v->unit, 100 * (1 - pow(1 - w->v->level, 1.0 / fewest)), w->v->unit,
            100 / sqrt(2. * (fewest - 1)));
}

/* Neighbours are alike where the text has kinds of its own, and more so than their correlation
 * says: the rates are those of `make calibrate CASE=regimes`. */
void write_alike_blocks(const struct writer *w)
{
    const struct verdict *v = w->v;
    double fewest = INFINITY;
    for (int i = 0; i < v->rivals; i++)
        if (crossed_testable(&v->rival[i].crossed))
            fewest = fmin(fewest, v->rival[i].crossed.effective);
    if (w->in->interleaved || !(fewest < w->in->blocks / 2.))
        return;
    put(w,
        "Neighbours among the %d blocks of the test text are alike, so that they count as %.0f. "
        "What lasts longer yet hides from that: in simulated texts of kinds that last for 8 to 16 "
        "blocks a false claim was confirmed in 5 to 13%%, not 2.5%%. With `task.split: "
        "interleaved`, in a new sweep, the test text comes from all over the file",
        w->in->blocks, fewest);
}

/* ---- how it was tested ---- */

/* Why one was picked that is not of the best mean. */
void write_candidate(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->prediction || v->candidate == 0 || v->finished < 2 || v->candidate == v->best)
        return;
    double best = row_of(v, v->best)->val_mean, picked = row_of(v, v->candidate)->val_mean;
    put_arm(w, v->best);
    put(w, " %s the %s mean %s (%.4f", v->best == 1 ? "has" : "have",
        w->in->loss ? "lowest" : "highest", val_metric(w), best);
    put_loss_bits(w, best);
    put(w, "); ");
    put_arm(w, v->candidate);
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
    if (w->in->looks > 1)
        put(w, "%d looks / ", w->in->looks);
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
void write_rare_failure(const struct writer *w)
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
