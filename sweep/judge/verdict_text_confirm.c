/* What trials on fresh seeds or instances say of what the others have found. */
#include "sweep/judge/verdict_text_parts.h"

/* The same writer about the fresh trials alone. */
static struct writer fresh_writer(const struct writer *w)
{
    struct writer fresh = *w;
    fresh.in = w->in->confirm->input;
    fresh.v = w->v->confirmed;
    return fresh;
}

static const char *unit_of(const struct writer *w)
{
    return w->in->replicated ? "instance" : "seed";
}

/* "8 fresh seeds" */
static void put_fresh(const struct writer *w)
{
    long long units = w->in->confirm->units;
    put(w, "%lld fresh %s%s", units, unit_of(w), text_plural(units));
}

/* "; 4 heads were explored on 8 other seeds" */
static void put_explored(const struct writer *w)
{
    const struct verdict *v = w->v;
    const int64_t picked = w->in->confirm->input->claim.best;
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].arm == picked && v->row[i].test.n > 0)
            put(w, "; %lld head%s explored on %d other %s%s", (long long)picked,
                picked == 1 ? " was" : "s were", v->row[i].test.n, unit_of(w),
                text_plural(v->row[i].test.n));
}

/* "; 2 further ones draw a task that was explored, or that another one draws, and do not count" */
static void put_repeated(const struct writer *w)
{
    long long repeated = w->in->confirm->repeated;
    if (repeated > 0)
        put(w,
            "; %lld further instance%s a task that was explored, or that another one draws, and "
            "do%s not count",
            repeated, repeated == 1 ? " draws" : "s draw", repeated == 1 ? "es" : "");
}

/* ---- what came of it ---- */

/* "4 heads are significantly worse than 1 (...) and not shown to be better than 32 (...)" */
static void put_shortfall(const struct writer *fresh)
{
    if (rivals_with(fresh->v, RIVAL_BETTER) == 0) {
        put_than(fresh, "not shown to be better", RIVAL_NOT_BEATEN);
        return;
    }
    put_than(fresh, "significantly worse", RIVAL_BETTER);
    if (rivals_with(fresh->v, RIVAL_NOT_BEATEN)) {
        put(fresh, " and not shown to be better than ");
        put_rivals_of(fresh, RIVAL_NOT_BEATEN);
    }
}

struct outcome {
    enum verdict_kind kind;
    const char *opening;
    const char *but; /* why it is not decided by comparisons; NULL: it is */
};

static const struct outcome outcomes[] = {
    {VERDICT_CLAIM_CONFIRMED, "Confirmed", NULL},
    {VERDICT_CLAIM_NOT_CONFIRMED, "Not confirmed", NULL},
    {VERDICT_CLAIM_CONTRADICTED, "Contradicted", NULL},
    {VERDICT_CLAIM_UNDECIDED, "Undecided",
     "some of these did not finish within the limit of time or memory"},
    {VERDICT_UNFINISHED, "Undecided",
     "some of these did not finish within the limit of time or memory"},
    {VERDICT_RIVAL_AT_EDGE, "Undecided",
     "a head count that did worse there chose an edge of its grid and may be better beyond it"},
    {VERDICT_ALL_EQUAL, "Not confirmed", "every trial there has the same"},
    {VERDICT_AT_CHANCE, "Not confirmed", "no head count is shown there to be better than guessing"},
    {VERDICT_CLAIM_UNTESTED, "Undecided", "there are no two"},
};

static void put_outcome(const struct writer *w)
{
    const struct writer fresh = fresh_writer(w);
    const struct outcome *found = outcomes, *last = outcomes + sizeof outcomes / sizeof *outcomes;
    while (found < last - 1 && found->kind != fresh.v->kind)
        found++;
    put(w, "%s on ", found->opening);
    put_fresh(w);
    put(w, ": ");
    if (found->kind == VERDICT_CLAIM_CONFIRMED) {
        put_than(&fresh, "better", RIVAL_BEATEN);
    } else if (!found->but) {
        put_shortfall(&fresh);
    } else {
        put_claim(&fresh);
        put(w, ", but %s", found->but);
        if (found->kind == VERDICT_ALL_EQUAL)
            put(w, " %s", test_metric(w));
        else if (found->kind == VERDICT_CLAIM_UNTESTED)
            put(w, " %ss in common to test it by", unit_of(w));
    }
    put_small_leads(&fresh, w->in->equivalence);
    put_explored(w);
    put_repeated(w);
    if (fresh.in->claim.similar.trials > 0) {
        put(w, "; when the claim was written down, ");
        put_similar(&fresh);
    }
}

/* ---- the sentence ---- */

/* Results on the seeds that were to be fresh had been there to be seen. */
static void put_known(const struct writer *w)
{
    const struct writer fresh = fresh_writer(w);
    const struct verdict_proof *proof = &fresh.in->claim.proof;
    put(w, "Not confirmed: the claim, ");
    put_claim(&fresh);
    put(w,
        ", was written down when %lld of the %lld trials on its %ss had ended, so that these are "
        "not fresh",
        (long long)proof->seen, (long long)proof->pairs, unit_of(w));
}

static void put_under_way(const struct writer *w)
{
    const struct writer fresh = fresh_writer(w);
    put(w, "To be confirmed on ");
    put_fresh(w);
    put(w, ", of whose trials %d of %d have ended: ", fresh.v->ended, fresh.in->planned);
    put_claim(&fresh);
    put_explored(w);
    put_repeated(w);
}

static bool is_outermost(const struct writer *w, int64_t arm)
{
    return arm == outermost(w->v, false) || arm == outermost(w->v, true);
}

/* Why nothing was written down. Where the finding is undecided for the same reason, it says what
 * helps. */
static void put_nothing(const struct writer *w)
{
    if (verdict_pick(w->in, w->v).kind != VERDICT_RIVAL_AT_EDGE)
        put(w,
            "Nothing is confirmed, as no head count was found that could be held against others");
    else if (put_edges(w, is_outermost, "Nothing is confirmed, as ") &&
             w->v->kind != VERDICT_RIVAL_AT_EDGE)
        put(w, "; try more values (`extend` in `tune`, or a wider list)");
}

void write_confirmation(const struct writer *w)
{
    const struct verdict_confirm *confirm = w->in->confirm;
    const struct verdict *fresh = w->v->confirmed;
    if (!confirm)
        return;
    if (!confirm->written) {
        put(w, "What these trials speak for is then to be confirmed on ");
        put_fresh(w);
    } else if (!fresh)
        put_nothing(w);
    else if (confirm->input->claim.proof.status != PROOF_FIRST)
        put_known(w);
    else if (fresh->preliminary)
        put_under_way(w);
    else
        put_outcome(w);
}

static bool is_judged(const struct writer *w)
{
    const struct verdict *fresh = w->v->confirmed;
    return fresh && fresh->prediction && !fresh->preliminary;
}

void write_confirming(const struct writer *w)
{
    struct writer fresh = fresh_writer(w);
    if (!is_judged(w) || fresh.v->rival[w->item].outcome == RIVAL_UNFINISHED)
        return;
    put(w, "On fresh %ss, ", unit_of(w));
    write_comparison(&fresh);
}

void write_confirming_sign_flip(const struct writer *w)
{
    struct writer fresh;
    if (!is_judged(w))
        return;
    fresh = fresh_writer(w);
    put_sign_flip(&fresh, w->in->replicated ? "On fresh instances, the" : "On fresh seeds, the");
}

void write_confirming_level(const struct writer *w)
{
    if (!is_judged(w) || w->v->confirmed->rivals == 0)
        return;
    put(w,
        "The candidate was chosen without these %ss, so %s must reach p < %s; nothing else is "
        "tested on them",
        unit_of(w), w->v->confirmed->rivals > 1 ? "each comparison" : "the comparison",
        fraction_text(w->v->confirmed->alpha).text);
}
