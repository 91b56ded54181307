/* What is said beside the finding, and when: a table of rules. A new caveat is a row of it and a
 * function, which begins with when it speaks: one that writes nothing is no sentence. Text,
 * Markdown, JSON and the page take it from there. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "sweep/judge/verdict_text.h"
#include "sweep/judge/verdict_text_parts.h"

static const struct verdict_row *this_row(const struct writer *w)
{
    return &w->v->row[w->item];
}

/* ---- how far it got ---- */

static void write_preliminary(const struct writer *w)
{
    if (!w->v->preliminary || w->v->ended == 0)
        return;
    put(w,
        "Preliminary, with %d of %d %strials ended (a verdict needs them all: stopping when the "
        "numbers look good is no test)",
        w->v->ended, w->in->planned, w->in->tuning > 0 ? "judged " : "");
}

static void put_limited(const struct writer *w, const struct verdict_row *r)
{
    put_heads(w, r->heads);
    put(w, " (%d of %d trials)", r->limited, w->in->heads[r - w->v->row].n);
}

static void write_unfinished(const struct writer *w)
{
    if (count_rows(w, is_unfinished) == 0)
        return;
    put(w, "Not finished within the limit of time or memory: ");
    put_rows(w, is_unfinished, put_limited);
    put(w, "; a head count with such a trial is in no comparison");
}

static bool is_improving(const struct writer *w, const struct verdict_row *r)
{
    (void)w;
    return r->improving;
}

static void put_late_gain(const struct writer *w, const struct verdict_row *r)
{
    put_heads(w, r->heads);
    put(w, " (%+.3f)", w->in->loss ? -r->late_gain : r->late_gain);
}

static void write_improving(const struct writer *w)
{
    if (count_rows(w, is_improving) == 0)
        return;
    put(w, "Still improving at the last step, in %s per ", val_metric(w));
    if (w->in->steps >= 10)
        put(w, "%lld steps: ", (long long)w->in->steps / 10);
    else
        put(w, "tenth of the training: ");
    put_rows(w, is_improving, put_late_gain);
    put(w, "; more steps may change the comparison");
}

/* ---- what it was decided by ---- */

/* What may have been known when a claim was written. */
static void write_similar(const struct writer *w)
{
    if (w->in->similar.trials == 0 || w->v->kind == VERDICT_CLAIM_CONFIRMED) /* which says so */
        return;
    put(w, "When the claim was written, ");
    put_similar(w);
}

void put_claim(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    put_heads(w, in->claim_best);
    put(w, " better than ");
    for (int i = 0; i < in->claim_over_count; i++)
        put(w, "%s%lld", separator(i, in->claim_over_count), (long long)in->claim_over[i]);
}

/* Why a claim is not taken as a prediction. */
static void write_claim_proof(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    const struct verdict_proof *p = &in->proof;
    if (!in->has_claim || p->status == PROOF_FIRST)
        return;
    put(w, "The claim, ");
    (in->sides ? put_sides_claim : put_claim)(w);
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
    put(w, ". The results are judged as if it were not there");
}

/* Seeds are added at each look until it is decided. */
static void write_look(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->looks < 2 || v->best == 0)
        return;
    if (v->decided && v->kind == VERDICT_RIVAL_AT_EDGE)
        put(w, "Ended at look %d of %d, because more seeds do not change what was chosen", v->look,
            v->looks);
    else if (v->decided)
        put(w, "Decided at look %d of %d", v->look, v->looks);
    else if (v->look < v->looks)
        put(w, "Look %d of %d; not decided, so that seeds are added for the next", v->look,
            v->looks);
    else
        put(w, "Look %d of %d, the last", v->look, v->looks);
    put(w, ". Each look tests at %.3g (0.05 / %d), because there are several", 1 - v->level,
        v->looks);
}

/* Why one was picked that is not of the best mean. */
static void write_candidate(const struct writer *w)
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

static void write_corrected_level(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->kind != VERDICT_MIDDLE && v->kind != VERDICT_NOT_SIGNIFICANT &&
        (v->kind != VERDICT_RIVAL_AT_EDGE || v->prediction))
        return;
    put(w, "%lld was picked from the results, so each comparison needs p < %.3g (0.05 / ",
        (long long)v->candidate, v->alpha);
    if (v->looks > 1)
        put(w, "%d looks / ", v->looks);
    put(w, "%d, for the %d head count%s between the smallest and the largest)", v->interior,
        v->interior, plural(v->interior));
}

/* Why p-values stand as they are: Berger 1982. */
static void write_all_must_hold(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->prediction && v->rivals > 1 && rivals_with(v, RIVAL_UNTESTED) == 0 &&
        v->kind != VERDICT_CLAIM_UNDECIDED && v->kind != VERDICT_RIVAL_AT_EDGE)
        put(w,
            "The claim holds if each of these t tests gives p < %.3g; as all must, none is "
            "corrected",
            v->alpha);
}

/* Few units bound the sign-flip test from below, whatever the data. */
static void write_minimum_p(const struct writer *w)
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
        "p < %.3g",
        fewest->n, w->v->unit, fewest->sign_flip_least, stats_sign_flip_seeds(w->v->alpha),
        w->v->alpha);
}

/* A mean over n units says nothing of what happens to fewer than these: all n may have been spared
 * with a probability of 1 - level. */
static void write_rare_failure_caveat(const struct writer *w)
{
    const struct verdict *v = w->v;
    int n = 0;
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].equivalent && (n == 0 || v->row[i].test.n < n))
            n = v->row[i].test.n;
    if (n > 0)
        put(w,
            "Equivalent is said of means: what strikes fewer than %.0f%% of all %ss may not have "
            "shown among %d",
            100 * (1 - pow(1 - v->level, 1.0 / n)), v->unit, n);
}

static void write_next_claim(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->kind == VERDICT_MIDDLE && !w->in->confirm)
        put(w,
            "To confirm it, predict it: a sweep with claim: {best: %lld, over: [%lld, %lld]} and "
            "seeds not used here",
            (long long)v->candidate, (long long)v->smallest, (long long)v->largest);
}

/* ---- single head counts ---- */

static void write_one_unit(const struct writer *w)
{
    int most = 0;
    for (int i = 0; i < w->v->rows; i++)
        most = w->v->row[i].test.n > most ? w->v->row[i].test.n : most;
    if (most == 1 && w->v->preliminary)
        put(w, "At most one %s per head count has ended: no interval and no test is possible yet",
            w->v->unit);
    else if (most == 1)
        put(w,
            "One %s per head count: no interval and no test is possible. Run at least two, "
            "better eight or more",
            w->v->unit);
}

static void put_cluster(const struct writer *w, const struct verdict_cluster *c)
{
    if (c->n == 1 || c->low == c->high)
        put(w, "%d at %.3f", c->n, c->low);
    else
        put(w, "%d at %.3f to %.3f", c->n, c->low, c->high);
}

static void write_clusters(const struct writer *w)
{
    const struct verdict_row *r = this_row(w);
    if (!r->bimodal)
        return;
    put_heads(w, r->heads);
    put(w, ": trials lie apart, ");
    put_cluster(w, &r->clusters[0]);
    put(w, " and ");
    put_cluster(w, &r->clusters[1]);
    put(w, ", which a mean does not describe; the median over %d %s%s is %.3f", r->test.n,
        w->v->unit, plural(r->test.n), r->test.median);
    if (!isnan(r->median_low))
        put(w, ", 95%% interval %.3f to %.3f", r->median_low, r->median_high);
}

static void write_bad(const struct writer *w)
{
    const struct verdict_row *r = this_row(w);
    int ended = w->in->heads[w->item].n;
    const char *they = r->bad == 1 ? "it" : "they", *s = r->bad == 1 ? "s" : "";
    if (r->bad == 0)
        return;
    put_heads(w, r->heads);
    if (r->bad == ended && ended > 1)
        put(w, ": all %d trials diverged or failed; ", ended);
    else
        put(w, ": %d of %d trial%s diverged or failed; ", r->bad, ended, plural(ended));
    if (isnan(w->v->guess)) {
        put(w, "what guessing gets is not known, so %s %s left out", they, verb(r->bad));
        return;
    }
    put(w, "%s count%s as guessing (%s %.3g%s)", they, s, test_metric(w), w->v->guess,
        w->v->guess_varies ? " on average" : "");
    if (!isnan(r->completed_mean))
        put(w, ", the mean of the completed alone is %.3f", r->completed_mean);
}

/* As many equal units as the head count that is written about has. */
static bool is_equal_alike(const struct writer *w, const struct verdict_row *r)
{
    return r->test.all_equal && r->bad == 0 && r->limited == 0 && r->test.n == this_row(w)->test.n;
}

/* Said by the first of those that have as many, for all of them. */
static void write_equal_units(const struct writer *w)
{
    const struct verdict_row *r = w->v->row;
    while (r < this_row(w) && !is_equal_alike(w, r))
        r++;
    if (r < this_row(w) || !is_equal_alike(w, r))
        return;
    put_rows(w, is_equal_alike, NULL);
    put(w,
        " head%s: all %d %ss gave the same %s, so there is no spread to compute an interval from",
        count_rows(w, is_equal_alike) == 1 ? plural(r->heads) : "s", r->test.n, w->v->unit,
        test_metric(w));
}

/* ---- what it does not tell ---- */

static bool is_not_told(const struct writer *w, int64_t heads)
{
    return !is_named(w, heads) && !is_left_out(w, heads);
}

/* Those of which the finding and the plateau say nothing. */
static void write_edge_of_grid(const struct writer *w)
{
    static const char opening[] = "At the edge of the grid: ";
    size_t start = w->out->used;
    if (put_edges(w, is_not_told, opening))
        *w->own = start + strlen(opening);
}

static void write_not_tested(const struct writer *w)
{
    static const char *const other[] = {[VERDICT_TOY] = "instances of the task or other tasks",
                                        [VERDICT_ROWS] = "splits of the file or other files",
                                        [VERDICT_TEXT] = "files"};
    const struct verdict *v = w->v;
    if (v->best == 0 || v->finished < 2 || v->kind == VERDICT_UNTESTED ||
        v->kind == VERDICT_CLAIM_UNTESTED)
        return;
    bool lr = tunes_rate(w->in) || w->in->heads[0].lr, steps = w->in->steps > 0 && v->gains == 0;
    put(w, "Not tested: other head counts%s", steps ? ", other training lengths" : "");
    if (steps && w->in->decays)
        put(w, " (curves end flat, as the learning rate ends at 0)");
    put(w, "%s", lr ? ", other learning rates" : "");
    if (verdict_over_files(w->in))
        put(w, ", other seeds: every %s had the same", w->v->unit);
    else if (w->in->replicated)
        put(w, ", other %s or other seeds: every %s had the same",
            w->in->data == VERDICT_TOY ? "tasks" : "files", w->v->unit);
    else
        put(w, ", other %s", other[w->in->data]);
}

/* ---- the table ---- */

struct rule {
    const char *key;
    enum { OPENING, HEADLINE, DETAIL } place; /* an opening shares the next one's paragraph */
    /* Of the results: nothing, that they are not all at chance, nor all the same. */
    enum { ANYTHING, LEARNING, DIFFERENCES } needs;
    /* Written once, or for each head count, rival, or rival among fresh trials. */
    enum { SETTING, HEADS, RIVAL, FRESH_RIVAL } about;
    void (*write)(const struct writer *w);
};

/* In the order of the report. */
static const struct rule rules[] = {
    {"preliminary", OPENING, ANYTHING, SETTING, write_preliminary},
    {"unfinished", HEADLINE, DIFFERENCES, SETTING, write_unfinished},
    {"still_improving", HEADLINE, DIFFERENCES, SETTING, write_improving},
    {"plateau", HEADLINE, DIFFERENCES, SETTING, write_plateau},
    {"finding", HEADLINE, ANYTHING, SETTING, write_finding},
    {"confirmation", HEADLINE, ANYTHING, SETTING, write_confirmation},
    {"longer", DETAIL, ANYTHING, SETTING, write_longer},
    {"claim_proof", DETAIL, LEARNING, SETTING, write_claim_proof},
    {"similar", DETAIL, LEARNING, SETTING, write_similar},
    {"look", DETAIL, LEARNING, SETTING, write_look},
    {"candidate", DETAIL, LEARNING, SETTING, write_candidate},
    {"corrected_level", DETAIL, LEARNING, SETTING, write_corrected_level},
    {"comparison", DETAIL, LEARNING, RIVAL, write_rival},
    {"wide_winner", DETAIL, LEARNING, RIVAL, write_wide_winner},
    {"shared_rows", DETAIL, LEARNING, SETTING, write_shared_rows},
    {"few_files", DETAIL, LEARNING, SETTING, write_few_files},
    {"alike_blocks", DETAIL, LEARNING, SETTING, write_alike_blocks},
    {"all_must_hold", DETAIL, LEARNING, SETTING, write_all_must_hold},
    {"minimum_p", DETAIL, LEARNING, SETTING, write_minimum_p},
    {"confirming", DETAIL, LEARNING, FRESH_RIVAL, write_fresh_rival},
    {"confirming_level", DETAIL, LEARNING, SETTING, write_fresh_level},
    {"among_best", DETAIL, DIFFERENCES, SETTING, write_among_best},
    {"rare_failure", DETAIL, LEARNING, SETTING, write_rare_failure_caveat},
    {"next_claim", DETAIL, LEARNING, SETTING, write_next_claim},
    {"one_unit", DETAIL, LEARNING, SETTING, write_one_unit},
    {"two_clusters", DETAIL, LEARNING, HEADS, write_clusters},
    {"bad", DETAIL, LEARNING, HEADS, write_bad},
    {"all_equal", DETAIL, DIFFERENCES, HEADS, write_equal_units},
    {"choices", DETAIL, LEARNING, SETTING, write_choices},
    {"same_instances", DETAIL, LEARNING, SETTING, write_same_instances},
    {"edge_of_grid", DETAIL, LEARNING, SETTING, write_edge_of_grid},
    {"shared", DETAIL, LEARNING, HEADS, write_shared},
    {"not_tested", DETAIL, LEARNING, SETTING, write_not_tested},
};

/* Of two settings: what else there is to say stands with each of them. */
static const struct rule sides_rules[] = {
    {"preliminary", OPENING, ANYTHING, SETTING, write_preliminary},
    {"finding", HEADLINE, ANYTHING, SETTING, write_sides_finding},
    {"claim_proof", DETAIL, LEARNING, SETTING, write_claim_proof},
    {"similar", DETAIL, LEARNING, SETTING, write_similar},
    {"comparison", DETAIL, LEARNING, RIVAL, write_rival},
    {"wide_winner", DETAIL, LEARNING, RIVAL, write_wide_winner},
    {"shared_rows", DETAIL, LEARNING, SETTING, write_shared_rows},
    {"few_files", DETAIL, LEARNING, SETTING, write_few_files},
    {"alike_blocks", DETAIL, LEARNING, SETTING, write_alike_blocks},
    {"minimum_p", DETAIL, LEARNING, SETTING, write_minimum_p},
};

static int items_of(const struct rule *r, const struct verdict *v)
{
    switch (r->about) {
    case HEADS:
        return v->rows;
    case RIVAL:
        return v->rivals;
    case FRESH_RIVAL:
        return v->confirmed ? v->confirmed->rivals : 0;
    case SETTING:
        break;
    }
    return 1;
}

static bool has_needed(const struct rule *r, const struct verdict *v)
{
    int has = v->kind == VERDICT_AT_CHANCE   ? ANYTHING
              : v->kind == VERDICT_ALL_EQUAL ? LEARNING
                                             : DIFFERENCES;
    return has >= (int)r->needs;
}

/* Sentences are written into one text, each with its end. */
static void add_sentence(const struct rule *r, const struct writer *w, struct verdict_text *text)
{
    size_t start = w->out->used;
    *w->own = start;
    r->write(w);
    if (w->out->used == start)
        return;
    put(w, ".%c", r->place == OPENING ? ' ' : '\0');
    if (r->place == OPENING)
        return;
    struct verdict_sentence *grown = array_grow(text->sentence, (size_t)text->count, sizeof *grown);
    w->out->out_of_memory = w->out->out_of_memory || !grown;
    if (!grown)
        return;
    text->sentence = grown;
    grown[text->count++] = (struct verdict_sentence){r->key, NULL, *w->own - start};
    text->headlines += r->place == HEADLINE;
}

/* Recorded reports with these sentences: tests/data/report. */
enum status verdict_text_new(const struct verdict_input *in, const struct verdict *v,
                             struct verdict_text *text, struct message *m)
{
    struct text_buffer out = {0};
    size_t own;
    struct writer w = {in, v, &out, &own, 0};
    *text = (struct verdict_text){0};
    const struct rule *first = in->sides ? sides_rules : rules;
    size_t count = in->sides ? sizeof sides_rules / sizeof *rules : sizeof rules / sizeof *rules;
    for (const struct rule *r = first; r < first + count; r++)
        for (w.item = 0; w.item < items_of(r, v) && has_needed(r, v); w.item++)
            add_sentence(r, &w, text);
    text->block = out.text;
    if (out.out_of_memory) {
        verdict_text_free(text);
        return status_fail(m, STATUS_NO_MEMORY, "no memory for the words of a verdict");
    }
    const char *next = text->block;
    for (int i = 0; i < text->count; i++) {
        struct verdict_sentence *s = &text->sentence[i];
        s->text = next;
        s->common = s->common ? s->common : strlen(s->text);
        next += strlen(s->text) + 1;
    }
    return STATUS_OK;
}

void verdict_text_free(struct verdict_text *text)
{
    free(text->sentence);
    free(text->block);
    *text = (struct verdict_text){0};
}
