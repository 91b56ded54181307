/* What is said beside the finding: how far it got, what it was decided by, what was not tested; and
 * how the sentences of verdict_rules.def are put together. Text, Markdown, JSON and the page take
 * them from there. */
#include <stdint.h>
#include <string.h>

#include "sweep/judge/verdict_text.h"
#include "sweep/judge/verdict_text_parts.h"

/* ---- how far it got ---- */

void write_preliminary(const struct writer *w)
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
    put_arm(w, r->arm);
    put(w, " (%d of %s)", r->limited, text_counted(w->in->arm[r - w->v->row].n, "trial").text);
}

void write_unfinished(const struct writer *w)
{
    if (count_rows(w, is_unfinished) == 0)
        return;
    put(w, "Not finished within the limit of time or memory: ");
    put_rows(w, is_unfinished, put_limited);
    put(w, "; a head count with such a trial is in no comparison");
}

ROW_TEST(is_improving, r->improving)

static void put_late_gain(const struct writer *w, const struct verdict_row *r)
{
    put_difference(w, w->in->loss ? -r->late_gain : r->late_gain);
}

void write_still_improving(const struct writer *w)
{
    if (count_rows(w, is_improving) == 0)
        return;
    bool one = put_arms_of(w, is_improving);
    put(w, " %s still improving at the last step (%s ", one ? "was" : "were", val_metric(w));
    put_rows(w, is_improving, put_late_gain);
    if (w->in->steps >= 10)
        put(w, " per %s)", text_counted(w->in->steps / 10, "step").text);
    else
        put(w, " per tenth of the training)");
    put(w, "; more steps may change the comparison");
}

/* ---- what it was decided by ---- */

/* What may have been known when a claim was written. */
void write_similar(const struct writer *w)
{
    if (w->in->claim.similar.trials == 0 ||
        w->v->kind == VERDICT_CLAIM_CONFIRMED) /* which says so */
        return;
    put(w, "When the claim was written, ");
    put_similar(w);
}

/* Why a claim is not taken as a prediction. */
void write_claim_proof(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    const struct verdict_proof *p = &in->claim.proof;
    if (!in->claim.best || p->status == PROOF_FIRST)
        return;
    put(w, "The claim, ");
    put_claim(w);
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

void write_alike_instances(const struct writer *w)
{
    if (w->in->alike)
        put(w, "Only %d of %d %ss differ%s; equal ones count once: %s", w->in->different,
            w->in->instances, w->v->unit, w->in->different == 1 ? "s" : "", w->in->alike);
}

/* Seeds are added at each look until it is decided. */
void write_look(const struct writer *w)
{
    const struct verdict *v = w->v;
    const int look = w->in->look, looks = w->in->looks;
    if (looks < 2 || v->best == 0)
        return;
    if (v->decided && v->kind == VERDICT_RIVAL_AT_EDGE)
        put(w, "Ended at look %d of %d, because more seeds do not change what was chosen", look,
            looks);
    else if (v->decided)
        put(w, "Decided at look %d of %d", look, looks);
    else if (look < looks)
        put(w, "Look %d of %d; not decided, so that seeds are added for the next", look, looks);
    else
        put(w, "Look %d of %d, the last", look, looks);
    put(w, ". Each look tests at %s (.05 / %d), because there are several",
        fraction_text(1 - v->level).text, looks);
}

void write_next_claim(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->kind == VERDICT_MIDDLE && !w->in->confirm)
        put(w,
            "To confirm this, run a new sweep with unused seeds and claim: {best: %lld, over: "
            "[%lld, %lld]}",
            (long long)v->candidate, (long long)v->smallest, (long long)v->largest);
}

/* ---- what it does not tell ---- */

static bool is_not_told(const struct writer *w, int64_t arm)
{
    return !is_named(w, arm);
}

/* Those of which the finding says nothing. */
void write_edge_of_grid(const struct writer *w)
{
    static const char opening[] = "At the edge of the grid: ";
    size_t start = w->out->used;
    if (put_edges(w, is_not_told, opening))
        *w->own = start + strlen(opening);
}

void write_not_tested(const struct writer *w)
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
    if (tunes_rate(w->in) || w->in->arm[0].lr)
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
    enum { OPENING, HEADLINE, LIMIT, METHOD } place;
    enum { ANYTHING, LEARNING, DIFFERENCES } needs;
    enum { ALL, ARM, RIVAL, FRESH_RIVAL } about;
    bool named;
    void (*write)(const struct writer *w);
};

static const struct rule rules[] = {
#define RULE(key, place, needs, about, named) {#key, place, needs, about, named, write_##key},
#include "sweep/judge/verdict_rules.def"
#undef RULE
};

static int items_of(const struct rule *r, const struct verdict *v)
{
    switch (r->about) {
    case ARM:
        return v->rows;
    case RIVAL:
        return v->rivals;
    case FRESH_RIVAL:
        return v->confirmed ? v->confirmed->rivals : 0;
    case ALL:
        break;
    }
    return 1;
}

static bool is_said(const struct rule *r, const struct verdict_input *in, const struct verdict *v)
{
    int has = v->kind == VERDICT_AT_CHANCE   ? ANYTHING
              : v->kind == VERDICT_ALL_EQUAL ? LEARNING
                                             : DIFFERENCES;
    return has >= (int)r->needs && (r->named || !in->named);
}

/* A sentence is written behind its opening, if there is one. */
static void add_sentence(const struct rule *r, const struct writer *w, struct verdict_text *text)
{
    struct text_buffer *out = w->out;
    size_t start = out->used;
    *w->own = 0;
    r->write(w);
    if (out->used == start)
        return;
    put(w, r->place == OPENING ? ". " : ".");
    if (r->place == OPENING)
        return;
    text->sentence =
        arena_grow(out->arena, text->sentence, (size_t)text->count, sizeof *text->sentence);
    text->sentence[text->count++] = (struct verdict_sentence){
        r->key, arena_text(out->arena, out->text, out->used), *w->own ? *w->own : out->used};
    text->headlines += r->place == HEADLINE;
    text->shown += r->place == HEADLINE ||
                   (r->place == LIMIT && text->shown < text->headlines + VERDICT_LIMITS_SHOWN);
    out->used = 0;
}

/* Recorded reports with these sentences: tests/data/report. */
struct verdict_text verdict_text_new(struct scope *x, const struct verdict_input *in,
                                     const struct verdict *v)
{
    struct text_buffer out = scope_text(x);
    struct verdict_text text = {0};
    size_t own;
    struct writer w = {in, v, &out, &own, 0};
    for (const struct rule *r = rules; r < rules + sizeof rules / sizeof *rules; r++)
        for (w.item = 0; w.item < items_of(r, v) && is_said(r, in, v); w.item++)
            add_sentence(r, &w, &text);
    return text;
}
