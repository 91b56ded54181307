/* What is said beside the finding, and when: a table of rules. A new caveat is a row of it and a
 * function, which begins with when it speaks: one that writes nothing is no sentence. Text,
 * Markdown, JSON and the page take it from there. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "sweep/judge/verdict_text.h"
#include "sweep/judge/verdict_text_parts.h"

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
    put(w, " (%d of %s)", r->limited, text_counted(w->in->heads[r - w->v->row].n, "trial").text);
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
    put_difference(w, w->in->loss ? -r->late_gain : r->late_gain);
}

static void write_improving(const struct writer *w)
{
    int n = count_rows(w, is_improving);
    const struct verdict_row *r = w->v->row;
    if (n == 0)
        return;
    while (!is_improving(w, r))
        r++;
    put_rows(w, is_improving, NULL);
    put(w, n == 1 && r->heads == 1 ? " head was" : " heads were");
    put(w, " still improving at the last step (%s ", val_metric(w));
    put_rows(w, is_improving, put_late_gain);
    if (w->in->steps >= 10)
        put(w, " per %s)", text_counted(w->in->steps / 10, "step").text);
    else
        put(w, " per tenth of the training)");
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
                text_plural(p->added), (long long)p->removed);
        else
            put(w, "what it is judged by was changed");
    }
    if (p->pairs > 0 && in->tuning == 0) /* not all of them are needed under tune */
        put(w, " after %lld of %lld trials had ended", (long long)p->seen, (long long)p->pairs);
    else if (p->pairs > 0)
        put(w, " after %lld trial%s had ended", (long long)p->seen, text_plural(p->seen));
    else
        put(w, " after trials had ended");
    put(w, ". The results are judged as if it were not there");
}

static void write_alike(const struct writer *w)
{
    if (w->in->alike)
        put(w, "Only %d of %d %ss differ%s; equal ones count once: %s", w->in->different,
            w->in->instances, w->v->unit, w->in->different == 1 ? "s" : "", w->in->alike);
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
    put(w, ". Each look tests at %s (.05 / %d), because there are several",
        fraction_text(1 - v->level).text, v->looks);
}

static void write_next_claim(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->kind == VERDICT_MIDDLE && !w->in->confirm)
        put(w,
            "To confirm this, run a new sweep with unused seeds and claim: {best: %lld, over: "
            "[%lld, %lld]}",
            (long long)v->candidate, (long long)v->smallest, (long long)v->largest);
}

/* ---- what it does not tell ---- */

static bool is_not_told(const struct writer *w, int64_t heads)
{
    return !is_named(w, heads);
}

/* Those of which the finding says nothing. */
static void write_edge_of_grid(const struct writer *w)
{
    static const char opening[] = "At the edge of the grid: ";
    size_t start = w->out->used;
    if (put_edges(w, is_not_told, opening))
        *w->own = start + strlen(opening);
}

static void write_not_tested(const struct writer *w)
{
    static const char *const others[][2] = {[VERDICT_TOY] = {"task instances", "tasks"},
                                            [VERDICT_ROWS] = {"splits of the file", "files"},
                                            [VERDICT_TEXT] = {"files"}};
    const struct verdict *v = w->v;
    const char *item[6] = {"head counts"};
    int n = 1;
    if (v->best == 0 || v->finished < 2 || v->kind == VERDICT_UNTESTED ||
        v->kind == VERDICT_CLAIM_UNTESTED)
        return;
    if (w->in->steps > 0)
        item[n++] = "training lengths";
    if (tunes_rate(w->in) || w->in->heads[0].lr)
        item[n++] = "learning rates";
    if (w->in->replicated && !verdict_over_files(w->in))
        item[n++] = w->in->data == VERDICT_TOY ? "tasks" : "files";
    if (w->in->replicated)
        item[n++] = "seeds";
    for (int i = 0; i < 2 && !w->in->replicated && others[w->in->data][i]; i++)
        item[n++] = others[w->in->data][i];
    put(w, "Other ");
    for (int i = 0; i < n; i++)
        put(w, "%s%s", separator(i, n), item[i]);
    if (w->in->replicated)
        put(w, " (every %s had the same)", v->unit);
    put(w, " were not tested");
}

/* ---- the table ---- */

struct rule {
    const char *key;
    /* An opening shares the headline's paragraph. */
    enum { OPENING, HEADLINE, LIMIT, METHOD } place;
    /* Of the results: nothing, that they are not all at chance, nor all the same. */
    enum { ANYTHING, LEARNING, DIFFERENCES } needs;
    /* Written once, or for each head count, rival, or rival among fresh trials. */
    enum { SETTING, HEADS, RIVAL, FRESH_RIVAL } about;
    void (*write)(const struct writer *w);
};

/* In the order of the report. Of limits the most important come first, as only some are shown
 * without being asked for: what could overturn the finding, then what it rests on. */
static const struct rule rules[] = {
    {"preliminary", OPENING, ANYTHING, SETTING, write_preliminary},
    {"finding", HEADLINE, ANYTHING, SETTING, write_finding},
    {"confirmation", HEADLINE, ANYTHING, SETTING, write_confirmation},
    {"claim_proof", LIMIT, LEARNING, SETTING, write_claim_proof},
    {"similar", LIMIT, LEARNING, SETTING, write_similar},
    {"unfinished", LIMIT, DIFFERENCES, SETTING, write_unfinished},
    {"bad", LIMIT, LEARNING, HEADS, write_bad},
    {"one_unit", LIMIT, LEARNING, SETTING, write_one_unit},
    {"alike_instances", LIMIT, LEARNING, SETTING, write_alike},
    {"edge_of_grid", LIMIT, LEARNING, SETTING, write_edge_of_grid},
    {"still_improving", LIMIT, DIFFERENCES, SETTING, write_improving},
    {"trials_apart", LIMIT, LEARNING, SETTING, write_trials_apart},
    {"few_files", LIMIT, LEARNING, SETTING, write_few_files},
    {"wide_winner", LIMIT, LEARNING, RIVAL, write_wide_winner},
    {"shared_rows", LIMIT, LEARNING, SETTING, write_shared_rows},
    {"alike_blocks", LIMIT, LEARNING, SETTING, write_alike_blocks},
    {"look", LIMIT, LEARNING, SETTING, write_look},
    {"equivalent", LIMIT, DIFFERENCES, SETTING, write_equivalent},
    {"could_be_best", LIMIT, DIFFERENCES, SETTING, write_could_be_best},
    {"not_equal", LIMIT, DIFFERENCES, SETTING, write_not_equal},
    {"too_few", LIMIT, LEARNING, SETTING, write_too_few},
    {"comparison", LIMIT, LEARNING, RIVAL, write_rival},
    {"confirming", LIMIT, LEARNING, FRESH_RIVAL, write_fresh_rival},
    {"choices", LIMIT, LEARNING, SETTING, write_choices},
    {"same_instances", LIMIT, LEARNING, SETTING, write_same_instances},
    {"not_tested", LIMIT, LEARNING, SETTING, write_not_tested},
    {"shared", LIMIT, LEARNING, HEADS, write_shared},
    {"next_claim", LIMIT, LEARNING, SETTING, write_next_claim},
    {"candidate", METHOD, LEARNING, SETTING, write_candidate},
    {"corrected_level", METHOD, LEARNING, SETTING, write_corrected_level},
    {"all_must_hold", METHOD, LEARNING, SETTING, write_all_must_hold},
    {"confirming_level", METHOD, LEARNING, SETTING, write_fresh_level},
    {"sign_flip", METHOD, LEARNING, SETTING, write_sign_flip},
    {"minimum_p", METHOD, LEARNING, SETTING, write_minimum_p},
    {"confirming_sign_flip", METHOD, LEARNING, SETTING, write_fresh_sign_flip},
    {"spread", METHOD, LEARNING, RIVAL, write_spread},
    {"files_drawn", METHOD, LEARNING, SETTING, write_files_drawn},
    {"could_be_best_method", METHOD, DIFFERENCES, SETTING, write_could_be_best_method},
    {"equivalent_method", METHOD, DIFFERENCES, SETTING, write_equivalent_method},
    {"rare_failure", METHOD, LEARNING, SETTING, write_rare_failure_caveat},
    {"flat_ends", METHOD, LEARNING, SETTING, write_flat_ends},
    {"all_equal", METHOD, DIFFERENCES, HEADS, write_equal_units},
};

/* Of two settings: what else there is to say stands with each of them. */
static const struct rule sides_rules[] = {
    {"preliminary", OPENING, ANYTHING, SETTING, write_preliminary},
    {"finding", HEADLINE, ANYTHING, SETTING, write_sides_finding},
    {"claim_proof", LIMIT, LEARNING, SETTING, write_claim_proof},
    {"similar", LIMIT, LEARNING, SETTING, write_similar},
    {"few_files", LIMIT, LEARNING, SETTING, write_few_files},
    {"wide_winner", LIMIT, LEARNING, RIVAL, write_wide_winner},
    {"shared_rows", LIMIT, LEARNING, SETTING, write_shared_rows},
    {"alike_blocks", LIMIT, LEARNING, SETTING, write_alike_blocks},
    {"comparison", LIMIT, LEARNING, RIVAL, write_rival},
    {"sign_flip", METHOD, LEARNING, SETTING, write_sign_flip},
    {"minimum_p", METHOD, LEARNING, SETTING, write_minimum_p},
    {"spread", METHOD, LEARNING, RIVAL, write_spread},
    {"files_drawn", METHOD, LEARNING, SETTING, write_files_drawn},
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
    text->shown += r->place == HEADLINE ||
                   (r->place == LIMIT && text->shown < text->headlines + VERDICT_LIMITS_SHOWN);
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
        return status_no_memory(m, "the words of a verdict");
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
