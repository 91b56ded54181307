#include "sweep/report/report_between.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/report/report_parts.h"

enum { SHOWN_MAX = 8 };

/* ---- reading ---- */

struct report_between *report_between_new(struct scope *x, const struct evidence *e)
{
    struct report_between *b = arena_alloc(&x->arena, 1, sizeof *b);
    b->scope = x;
    b->pairs = evidence_pair_settings(x, e);
    if (b->pairs.count == 0 && !b->pairs.too_many)
        return NULL;
    between_judge(x, b->pairs.pair, b->pairs.count);
    while (b->claimed < b->pairs.count && b->pairs.pair[b->claimed].claimed)
        b->claimed++;
    b->text = arena_alloc(&x->arena, (size_t)b->claimed, sizeof *b->text);
    for (int i = 0; i < b->claimed; i++) {
        const struct between_pair *p = &b->pairs.pair[i];
        b->text[i] = verdict_text_new(x, &p->input, p->verdict);
    }
    return b;
}

bool report_between_is_claimed(const struct report_between *b)
{
    return b && b->claimed > 0;
}

/* ---- the table ---- */

/* What columns may depend on. */
enum {
    SAME = 1 << 0, /* the two have more in common than head count and what is fixed */
    BITS = 1 << 1  /* losses are of bytes */
};

/* A pair. */
struct line {
    int64_t heads;
    const char *setting_a, *setting_b; /* JSON */
    const char *a, *b, *same;
    struct verdict_rival rival;
    double bits, bits_low, bits_high;
    double level, p;
    int family;
    const char *kind, *outcome;
    bool claimed, prediction, preliminary, better, at_edge, guesses;
    const char *unit;
};

static bool is_tested(const struct between_pair *p)
{
    const struct verdict_rival *r = between_rival(p);
    return r && r->outcome != RIVAL_UNFINISHED && !isnan(r->pair.mean);
}

/* Whether both have results that no test is made of. */
static bool is_even(const struct between_pair *p)
{
    return p->verdict->kind == VERDICT_AT_CHANCE || p->verdict->kind == VERDICT_ALL_EQUAL;
}

/* Whether one of the two is shown to be better: of a claim it may be the second. */
static bool is_shown(const struct between_pair *p)
{
    const struct verdict_rival *r = between_rival(p);
    return is_tested(p) && (r->outcome == RIVAL_BEATEN || r->outcome == RIVAL_BETTER);
}

static bool is_won_by_guesses(const struct between_pair *p)
{
    return is_tested(p) && verdict_won_by_guesses(&p->input, p->verdict, between_rival(p));
}

static struct line line_of(const struct between_pair *p)
{
    const struct verdict_rival *r = between_rival(p);
    const struct verdict *v = p->verdict;
    double nats = verdict_has_bits(&p->input) ? M_LN2 : NAN;
    struct line l = {.heads = p->place.heads,
                     .setting_a = p->side[0].setting,
                     .setting_b = p->side[1].setting,
                     .a = p->side[0].name,
                     .b = p->side[1].name,
                     .same = p->place.same,
                     .rival = {.pair = {.mean = NAN,
                                        .sd = NAN,
                                        .low = NAN,
                                        .high = NAN,
                                        .t = NAN,
                                        .p = NAN,
                                        .sign_flip_p = NAN},
                               .spread_ratio = NAN,
                               .sd_between = NAN,
                               .sd_within = NAN},
                     .level = v->level,
                     .p = p->p,
                     .family = p->family,
                     .kind = verdict_kind_name(v->kind),
                     .outcome = rival_outcome_name(r ? r->outcome : RIVAL_UNTESTED),
                     .claimed = p->claimed,
                     .prediction = v->prediction,
                     .preliminary = v->preliminary,
                     .better = is_shown(p),
                     .at_edge = v->kind == VERDICT_RIVAL_AT_EDGE,
                     .guesses = is_won_by_guesses(p),
                     .unit = v->unit};
    if (r)
        l.rival = *r;
    l.bits = l.rival.pair.mean / nats;
    l.bits_low = l.rival.pair.low / nats;
    l.bits_high = l.rival.pair.high / nats;
    return l;
}

static void make_difference(struct table *t, const void *member)
{
    double x = *(const double *)member;
    if (isnan(x))
        table_text(t, NULL);
    else
        table_printf(t, x == 0 ? "0" : fabs(x) < .0005 ? "%+.1g" : "%+.3f", x);
}

static void make_interval(struct table *t, const void *row)
{
    const struct line *l = row;
    const struct stats_paired *pair = &l->rival.pair;
    char low[32], high[32];
    if (pair->n == 1)
        table_printf(t, "one %s", l->unit);
    else if (pair->all_equal)
        table_printf(t, "all %d equal", pair->n);
    else if (isnan(pair->low))
        table_text(t, NULL);
    else
        table_printf(t, "[%s, %s]", text_signed(pair->low, 3, low, sizeof low),
                     text_signed(pair->high, 3, high, sizeof high));
}

static void make_p(struct table *t, const void *member)
{
    double p = *(const double *)member;
    if (isnan(p))
        table_text(t, NULL);
    else
        table_text(t, p < 1e-4 ? "< .0001" : fraction_text(p).text);
}

static void make_mark(struct table *t, const void *row)
{
    const struct line *l = row;
    table_text(t, l->better ? "*" : l->at_edge ? "edge" : l->guesses ? "failed" : "");
}

#define LINE(member)           TABLE_CELL(struct line, member)
#define PAIR(member)           TABLE_CELL(struct line, rival.pair.member)
#define MAKE(member, function) TABLE_MAKE(struct line, member, function)

static const struct table_column COLUMNS[] = {
    {NAMED("heads"), LINE(heads), PAGE("Heads")},
    {.name = "setting_a", LINE(setting_a), .json = true},
    {.name = "setting_b", LINE(setting_b), .json = true},
    {.name = "a", .title = "setting", LINE(a), PAGE("Setting")},
    {.name = "b", .title = "against", LINE(b), PAGE("Against")},
    {.name = "same", .title = "both", LINE(same), .when = SAME, PAGE_ANY("Both")},
    {NAMED("n"), PAIR(n), .leave_out = 1, PAGE("n")},
    {.name = "wins", PAIR(wins)},
    {.name = "losses", PAIR(losses)},
    {.name = "seed_pairs", LINE(rival.seed_pairs)},
    {.name = "unpaired", LINE(rival.unpaired)},
    {.title = "difference", MAKE(rival.pair.mean, make_difference), .right = true},
    {.name = "mean_diff", PAIR(mean), PAGE("Difference", .show = "signedFour")},
    {.title = "", .make = make_mark},
    {.title = "interval", .make = make_interval, .leave_out = 2},
    {.name = "sd_diff", PAIR(sd)},
    {.name = "ci_level", LINE(level)},
    {.name = "ci_low", PAIR(low), PAGE("from", .show = "signedFour")},
    {.name = "ci_high", PAIR(high), PAGE("to", .show = "signedFour")},
    {.title = "bits/byte", MAKE(bits, make_difference), .when = BITS, .right = true},
    {.name = "mean_diff_bits",
     LINE(bits),
     .only_if = BITS,
     PAGE_ANY("Bits per byte", .show = "signedFour")},
    {.name = "ci_low_bits", LINE(bits_low), .only_if = BITS},
    {.name = "ci_high_bits", LINE(bits_high), .only_if = BITS},
    {.name = "blocks", LINE(rival.crossed.columns)},
    {.name = "spread_ratio", LINE(rival.spread_ratio)},
    {.name = "sd_between", LINE(rival.sd_between)},
    {.name = "sd_within", LINE(rival.sd_within)},
    {.name = "t", PAIR(t)},
    {.name = "p", PAIR(p)},
    {.name = "sign_flip_p", PAIR(sign_flip_p)},
    {.title = "p", MAKE(p, make_p), .right = true},
    {.name = "p_corrected", LINE(p), PAGE("p", .show = "probability")},
    {.name = "comparisons", LINE(family), PAGE("Corrected for", .hint = "number of comparisons")},
    {.name = "outcome", LINE(outcome), PAGE("Outcome", .show = "spaced")},
    {.name = "kind", LINE(kind)},
    {.name = "claimed", LINE(claimed), PAGE_ANY("Claimed")},
    {.name = "prediction", LINE(prediction)},
    {.name = "preliminary", LINE(preliminary)},
    {0}};

static unsigned conditions_of(const struct report_between *b)
{
    unsigned c = 0;
    for (int i = 0; i < b->pairs.count; i++) {
        c |= b->pairs.pair[i].place.same[0] ? SAME : 0;
        c |= verdict_has_bits(&b->pairs.pair[i].input) ? BITS : 0;
    }
    return c;
}

/* In the order of the plan. */
static struct table *all_rows(const struct report_between *b)
{
    struct table *t = table_when(b->scope, COLUMNS, conditions_of(b));
    for (int i = 0; i < b->pairs.count; i++) {
        struct line l = line_of(&b->pairs.pair[i]);
        table_row(t, &l);
    }
    return t;
}

/* ---- people ---- */

/* What was claimed first, then what is shown, then the larger difference. */
static int compare_pairs(const void *a, const void *b)
{
    const struct between_pair *x = *(const struct between_pair *const *)a;
    const struct between_pair *y = *(const struct between_pair *const *)b;
    double dx = fabs(between_rival(x)->pair.mean), dy = fabs(between_rival(y)->pair.mean);
    int order = y->claimed - x->claimed;
    if (order == 0)
        order = is_shown(y) - is_shown(x);
    if (order == 0)
        order = (dx < dy) - (dx > dy);
    return order ? order : (x > y) - (x < y);
}

/* Those that could be tested. */
struct view {
    const struct report_between *between;
    int tested, shown; /* shown: to be better */
    int even;          /* at chance or all equal: not among them */
    bool preliminary, at_edge, guesses;
    const struct between_pair **pair; /* (tested) */
};

static struct view view_of(const struct report_between *b)
{
    struct view v = {.between = b,
                     .pair = arena_alloc(&b->scope->arena, (size_t)b->pairs.count,
                                         sizeof(struct between_pair *))};
    for (int i = 0; i < b->pairs.count; i++) {
        const struct between_pair *p = &b->pairs.pair[i];
        v.preliminary = v.preliminary || p->verdict->preliminary;
        v.at_edge = v.at_edge || p->verdict->kind == VERDICT_RIVAL_AT_EDGE;
        v.guesses = v.guesses || is_won_by_guesses(p);
        if (is_tested(p))
            v.pair[v.tested++] = p;
        v.shown += is_shown(p);
        v.even += is_even(p);
    }
    if (v.tested)
        qsort(v.pair, (size_t)v.tested, sizeof(struct between_pair *), compare_pairs);
    return v;
}

static void write_pairs(const struct view *v, int most, struct document *d)
{
    struct table *t = table_of_people(d->scope, COLUMNS, conditions_of(v->between));
    for (int i = 0; i < v->tested && i < most; i++) {
        struct line l = line_of(v->pair[i]);
        table_row(t, &l);
        if (l.better)
            table_emphasize(t);
    }
    document_table(d, t);
}

/* What is compared, and how. */
static void write_method(const struct view *v, struct document *d)
{
    const struct between_pair *first = v->pair[0];
    const struct verdict *judged = first->verdict;
    struct text_buffer text = scope_text(d->scope);
    text_add(&text,
             "%sSettings that differ in one axis, at the same head count, paired by %s, the better "
             "one first%s: differences in test %s, with %.3g%% intervals",
             v->preliminary ? "Preliminary, as trials are still to come. " : "", judged->unit,
             first->claimed ? " (of a claim, the one that it calls better)" : "",
             first->input.loss ? "loss (less is better)" : "accuracy", 100 * judged->level);
    if (judged->blocks)
        text_add(&text, " over seeds and blocks of the text");
    text_add(
        &text,
        ". p is that of the two-sided paired t test%s, corrected for the number of comparisons "
        "at the head count (Holm 1979)%s; *: p < %s",
        judged->blocks ? " over both" : "",
        report_between_is_claimed(v->between) && judged->prediction
            ? ", but for what was claimed beforehand"
            : "",
        fraction_text(1 - judged->level).text);
    if (v->at_edge)
        text_add(&text,
                 "; edge: the same, but the one that did worse chose an edge of its grid and "
                 "may be better beyond it");
    if (v->guesses)
        text_add(&text, "; failed: the same, but most trials of the better one diverged or failed "
                        "and count as guesses");
    text_add(&text, ".");
    document_text(d, DOCUMENT_PARAGRAPH, &text);
}

/* The pairs that are not in the table, though they have results. */
static void write_even(const struct view *v, struct document *d)
{
    if (v->even == 0)
        return;
    const char *plural = text_plural(v->even);
    struct text_buffer text = scope_text(d->scope);
    if (v->tested)
        text_add(&text, "%d more pair%s", v->even, plural);
    else
        text_add(&text, "%d pair%s of settings", v->even, plural);
    text_add(&text, " %s at chance or all equal.", v->even == 1 ? "is" : "are");
    document_text(d, v->tested ? DOCUMENT_ITEM : DOCUMENT_PARAGRAPH, &text);
}

static void write_rest(const struct view *v, const char *sweep, struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    int left = v->tested - SHOWN_MAX;
    text_add(&text, "Shown to be better: %d of %d.", v->shown, v->tested);
    if (left > 0)
        text_add(&text, " %d more comparison%s: `headcount report %s --between`.", left,
                 text_plural(left), sweep);
    document_text(d, DOCUMENT_ITEM, &text);
}

/* Whether an earlier claim says the same. */
static bool is_said_before(const struct report_between *b, int claim, const char *sentence)
{
    for (int i = 0; i < claim; i++)
        for (int k = b->text[i].headlines; k < b->text[i].count; k++)
            if (strcmp(b->text[i].sentence[k].text, sentence) == 0)
                return true;
    return false;
}

static void write_details(const struct report_between *b, struct document *d)
{
    for (int i = 0; i < b->claimed; i++)
        for (int k = b->text[i].headlines; k < b->text[i].count; k++)
            if (!is_said_before(b, i, b->text[i].sentence[k].text))
                document_put(d, k < b->text[i].shown ? DOCUMENT_ITEM : DOCUMENT_EXPLANATION,
                             b->text[i].sentence[k].text);
}

/* What a claim came to in all the pairs that it is about. */
static void write_sum(const struct report_between *b, struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    int judged = 0, confirmed = 0, contradicted = 0;
    for (int i = 0; i < b->claimed; i++) {
        const struct verdict *v = b->pairs.pair[i].verdict;
        judged += v->prediction;
        confirmed += v->kind == VERDICT_CLAIM_CONFIRMED;
        contradicted += v->kind == VERDICT_CLAIM_CONTRADICTED;
    }
    if (judged < 2)
        return;
    text_add(&text, "The claim is judged for each of %d pairs of settings: confirmed for %d",
             judged, confirmed);
    if (contradicted)
        text_add(&text, ", contradicted for %d", contradicted);
    text_add(&text, ".");
    document_text(d, DOCUMENT_ITEM, &text);
}

static void write_claims(const struct report_between *b, struct document *d)
{
    for (int i = 0; i < b->claimed; i++)
        for (int k = 0; k < b->text[i].headlines; k++)
            document_put(d, DOCUMENT_FINDING, b->text[i].sentence[k].text);
    write_sum(b, d);
    write_details(b, d);
}

static void write_too_many(struct document *d)
{
    struct text_buffer text = scope_text(d->scope);
    text_add(&text,
             "Settings are not held against each other: more than %d pairs of them differ in one "
             "axis. A claim can name two.",
             EVIDENCE_PAIRS_MAX);
    document_text(d, DOCUMENT_PARAGRAPH, &text);
}

void report_between_people(const struct report_between *b, const char *sweep, struct document *d)
{
    if (!b)
        return;
    struct view v = view_of(b);
    if (v.tested + v.even + b->claimed == 0 && !b->pairs.too_many)
        return;
    document_put(d, DOCUMENT_HEADING, "Between settings");
    write_claims(b, d);
    if (b->pairs.too_many)
        write_too_many(d);
    if (v.tested) {
        write_method(&v, d);
        write_pairs(&v, SHOWN_MAX, d);
        write_rest(&v, sweep, d);
    }
    write_even(&v, d);
}

void report_between_all(const struct report_between *b, struct document *d)
{
    struct view v = {0};
    if (b)
        v = view_of(b);
    if (b && b->pairs.too_many)
        write_too_many(d);
    else if (v.tested + v.even == 0)
        document_put(d, DOCUMENT_PARAGRAPH,
                     "No two settings that differ in one axis have results to compare.");
    if (v.tested) {
        write_method(&v, d);
        write_pairs(&v, v.tested, d);
    }
    write_even(&v, d);
}

/* ---- programs ---- */

void report_between_csv(const struct report_between *b, struct scope *x, FILE *out)
{
    table_write(b ? all_rows(b) : table_when(x, COLUMNS, 0), TABLE_CSV, false, out);
}

static void add_claim(const struct between_pair *p, const struct verdict_text *text,
                      struct json_writer *w)
{
    const struct verdict *v = p->verdict;
    json_begin_object(w, NULL);
    json_add_integer(w, "heads", p->place.heads);
    json_add_json(w, "better", p->side[0].setting);
    json_add_json(w, "than", p->side[1].setting);
    json_add_text(w, "kind", verdict_kind_name(v->kind));
    json_add_bool(w, "prediction", v->prediction);
    json_add_bool(w, "preliminary", v->preliminary);
    json_add_real(w, "alpha", v->alpha);
    report_proof_json(&p->input, w);
    report_sentences_json(text, w);
    json_end_object(w);
}

void report_between_json(const struct report_between *b, struct json_writer *w)
{
    if (!b) {
        json_add_null(w, "between");
        return;
    }
    json_begin_object(w, "between");
    json_add_bool(w, "too_many", b->pairs.too_many);
    json_begin_list(w, "claims");
    for (int i = 0; i < b->claimed; i++)
        add_claim(&b->pairs.pair[i], &b->text[i], w);
    json_end_list(w);
    table_add_json(all_rows(b), w, "comparisons");
    json_end_object(w);
}

void report_between_page_columns(struct json_writer *w)
{
    table_page_columns(COLUMNS, SAME | BITS, w, "between");
}
