/* The finding on two settings at one head count. */

#include "sweep/judge/verdict_text_parts.h"

enum { FIRST = 1, SECOND = 2 }; /* what they are called as head counts */

/* " at 8 heads (d_ff=64)" */
static void put_place(const struct writer *w)
{
    const struct verdict_sides *s = w->in->sides;
    put(w, " at %lld head%s", (long long)s->heads, text_plural(s->heads));
    if (s->same[0])
        put(w, " (%s)", s->same);
}

static void put_both(const struct writer *w, const char *joined)
{
    put_heads(w, FIRST);
    put(w, "%s", joined);
    put_heads(w, SECOND);
    put_place(w);
}

/* Without a claim p is a corrected one (between.h). */
static void put_result(const struct writer *w)
{
    put_numbers(w, &w->v->rival[0], true);
    put(w, "%s", w->v->prediction ? "" : " after correction for the number of pairs");
    put_mostly_bad(w, &w->v->rival[0]);
    put(w, ")");
}

static void write_confirmed(const struct writer *w)
{
    put_both(w, " is better than ");
    put_result(w);
    if (w->in->similar.trials == 0) {
        put(w, ", as predicted before the first trial");
        put_scope(w);
        return;
    }
    put_scope(w);
    put(w, ", as predicted before its first trial; ");
    put_similar(w);
}

/* A claim that is no prediction keeps its order, whichever of the two is better. */
static void write_better(const struct writer *w)
{
    put_both(w, rivals_with(w->v, RIVAL_BETTER) ? " is worse than " : " is better than ");
    put_result(w);
    put_scope(w);
}

static void write_shortfall(const struct writer *w)
{
    bool worse = rivals_with(w->v, RIVAL_BETTER) > 0;
    put_both(w, worse ? " is significantly worse than " : " is not shown to be better than ");
    put_result(w);
    put_scope(w);
}

/* What the tests would say, did it not call one worse that may be better beyond its grid. */
static void write_rival_at_edge(const struct writer *w)
{
    put_both(w, rivals_with(w->v, RIVAL_OVER_EDGE) ? " did worse than " : " did better than ");
    put_result(w);
    put_scope(w);
}

static void write_untested(const struct writer *w)
{
    put_both(w, " and ");
    put(w, " have fewer than two %ss in common", w->v->unit);
}

static void write_undecided(const struct writer *w)
{
    bool first = w->v->row[0].limited > 0, second = w->v->row[1].limited > 0;
    if (first && second) {
        put_both(w, " and ");
    } else {
        put_heads(w, first ? FIRST : SECOND);
        put_place(w);
    }
    put(w, " did not finish within the limit of time or memory");
}

static void write_nothing(const struct writer *w)
{
    put(w, "no trial %sof ", w->in->tuning > 0 ? "that is judged " : "");
    put_both(w, " or ");
    put(w, " has ended");
}

static void write_untrained(const struct writer *w)
{
    bool any = count_rows(w, has_completed) > 0;
    put(w, any ? "more than half of the trials both of " : "every trial of ");
    put_both(w, any ? " and of " : " and ");
    put(w, any ? " that have ended diverged or failed" : " that has ended diverged or failed");
}

static void write_at_chance(const struct writer *w)
{
    put(w, "neither ");
    put_both(w, " nor ");
    put(w, " is shown to be better than guessing (%s %.3g", test_metric(w), w->v->guess);
    put_loss_bits(w, w->v->guess);
    put(w, ")");
    put_scope(w);
}

static void write_all_equal(const struct writer *w)
{
    put(w, "each trial of ");
    put_both(w, " and ");
    put(w, " has a %s of %.3f", test_metric(w), w->v->row[0].test.mean);
    put_scope(w);
    put(w, "%s", w->v->prediction ? "; the claim is not confirmed" : "");
}

void put_sides_claim(const struct writer *w)
{
    put_both(w, " better than ");
}

void write_sides_finding(const struct writer *w)
{
    static const struct finding findings[] = {
        [VERDICT_NOTHING] = {"Not tested yet", write_nothing},
        [VERDICT_UNTRAINED] = {"No verdict", write_untrained},
        [VERDICT_UNFINISHED] = {"No verdict", write_undecided},
        [VERDICT_AT_CHANCE] = {"At chance", write_at_chance, true},
        [VERDICT_ALL_EQUAL] = {"All equal", write_all_equal, true},
        [VERDICT_NOT_SIGNIFICANT] = {"Not significant", write_shortfall, true},
        [VERDICT_UNTESTED] = {"Not tested yet", write_untested},
        [VERDICT_SETTING_BETTER] = {"Exploratory finding", write_better, true},
        [VERDICT_CLAIM_CONFIRMED] = {"Claim confirmed", write_confirmed, true},
        [VERDICT_CLAIM_NOT_CONFIRMED] = {"Claim not confirmed", write_shortfall, true},
        [VERDICT_CLAIM_CONTRADICTED] = {"Claim contradicted", write_shortfall, true},
        [VERDICT_CLAIM_UNDECIDED] = {"Claim undecided", write_undecided},
        [VERDICT_CLAIM_UNTESTED] = {"Claim not tested yet", write_untested},
        [VERDICT_RIVAL_AT_EDGE] = {"Undecided", write_rival_at_edge, true},
    };
    put_finding(w, &findings[w->v->kind], is_named);
}
