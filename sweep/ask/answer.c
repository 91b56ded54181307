#include "sweep/ask/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/ask/fit.h"

struct answer {
    const char *fixed; /* what is the same in all trials, "d_model=32, ..." */
    const struct verdict_input *in;
    const struct verdict *v; /* of the trials that explored */
    const struct verdict_text *text;
    const struct look *look;
    const struct design *design;
    double order_bits;
    const struct verdict *decided;  /* on a claim that was first; NULL: nothing was */
    int64_t heads;                  /* the head count that is told of; 0: none */
    const struct verdict *compared; /* by whose trials */
    char subject[128];
    struct text_buffer *out;
};

/* NULL: it has no results, or did not finish. */
static const struct verdict_row *row_of(const struct verdict *v, int64_t heads)
{
    for (int i = 0; i < v->rows; i++) {
        const struct verdict_row *r = &v->row[i];
        if (r->arm == heads && r->limited == 0 && r->test.n > 0)
            return r;
    }
    return NULL;
}

/* ---- which head count, by which trials ---- */

static bool is_decided(const struct verdict *v)
{
    return v && v->prediction && !v->preliminary;
}

static bool is_confirmed(const struct answer *a)
{
    return a->decided && a->decided->kind == VERDICT_CLAIM_CONFIRMED;
}

static bool is_contradicted(const struct answer *a)
{
    return a->decided && a->decided == a->compared &&
           a->decided->kind == VERDICT_CLAIM_CONTRADICTED;
}

/* What was confirmed stays so, though more exploring trials may speak for another head count. And a
 * head count that was claimed to be better is told of by the trials that decided: those that it was
 * picked from flatter it. */
static void choose_heads(struct answer *a)
{
    const struct verdict *v = a->v;
    int64_t claimed = 0;
    if (is_decided(v->confirmed)) {
        a->decided = v->confirmed;
        claimed = a->in->confirm->input->claim.best;
    } else if (is_decided(v)) {
        a->decided = v;
        claimed = a->in->claim.best;
    }
    a->heads = is_confirmed(a) ? claimed : v->candidate;
    a->compared = a->decided && a->heads == claimed && row_of(a->decided, claimed) ? a->decided : v;
}

/* Whether all that is measured of its leads is below the margin of equivalence. */
static bool leads_little(const struct answer *a)
{
    bool little = true;
    for (int i = 0; i < a->compared->rivals; i++)
        little = little && !(fabs(a->compared->rival[i].pair.mean) >= a->in->equivalence);
    return little;
}

/* Whether all head counts are shown to be within the margin of the best, and what is compared does
 * not speak against it. */
static bool all_equivalent(const struct answer *a)
{
    bool all = !isnan(a->v->plateau_margin);
    for (int i = 0; i < a->v->rows; i++)
        all = all && a->v->row[i].in_plateau;
    return all && leads_little(a);
}

/* What the verdict itself says by that rule; NULL: nothing. */
static const char *sentence(const struct answer *a, const char *rule)
{
    for (int i = 0; i < a->text->count; i++)
        if (strcmp(a->text->sentence[i].rule, rule) == 0)
            return a->text->sentence[i].text;
    return NULL;
}

/* ---- numbers ---- */

static void add_heads(const struct answer *a, int64_t heads)
{
    text_add(a->out, "%" PRId64 " head%s", heads, text_plural(heads));
}

/* "2.510 bits per byte", "97.3% right" */
static void add_value(const struct answer *a, double value)
{
    if (verdict_has_bits(a->in))
        text_add(a->out, "%.3f bits per byte", value / M_LN2);
    else
        text_add(a->out, a->in->loss ? "test loss %.3f" : "%.1f%% right",
                 value * (a->in->loss ? 1 : 100));
}

/* "0.4 percentage points", "0.029 bits per byte": of a difference; without the unit "0.4". */
static void add_size(const struct answer *a, double size, bool unit)
{
    const bool bits = verdict_has_bits(a->in);
    const double shown = size * (bits ? 1 / M_LN2 : a->in->loss ? 1 : 100);
    char number[32];
    snprintf(number, sizeof number, shown < 99.5 ? "%.2g" : "%.0f", shown);
    text_add(a->out, "%s", number);
    if (unit)
        text_add(a->out, " %s",
                 bits                       ? "bits per byte"
                 : a->in->loss              ? "in test loss"
                 : strcmp(number, "1") == 0 ? "percentage point"
                                            : "percentage points");
}

/* ---- what was found ---- */

/* Whether the head count was held against that one, and this came of it. */
static bool has_outcome(const struct answer *a, int64_t heads, enum rival_outcome outcome)
{
    bool has = false;
    for (int i = 0; i < a->compared->rivals; i++)
        has =
            has || (a->compared->rival[i].arm == heads && a->compared->rival[i].outcome == outcome);
    return has;
}

/* In the set that contains the best, by the tests of all trials that explored, and not shown to be
 * worse where the head count is held against it. What fresh trials show to be better is one,
 * whatever was explored. */
static bool is_peer(const struct answer *a, const struct verdict_row *r)
{
    if (is_contradicted(a) && has_outcome(a, r->arm, RIVAL_BETTER))
        return true;
    return r->among_best && r->arm != a->heads && !has_outcome(a, r->arm, RIVAL_BEATEN);
}

/* By how much a peer did better in the exploring trials, where these show that the head count is
 * not the best itself: the pick need not be, as it is the one with the fewest heads of those that
 * come close. Else 0, as where it does not matter. */
static double lead_of(const struct answer *a, const struct verdict_row *peer)
{
    const struct verdict_row *own = row_of(a->v, a->heads);
    if (!own || own->among_best || peer->mostly_bad || all_equivalent(a) || !is_peer(a, peer))
        return 0;
    double lead = peer->test.mean - own->test.mean;
    return fmax(a->in->loss ? -lead : lead, 0);
}

static bool is_ahead(const struct answer *a, const struct verdict_row *r)
{
    return lead_of(a, r) > 0;
}

static double lead_of_best_peer(const struct answer *a)
{
    double most = 0;
    for (int i = 0; i < a->v->rows; i++)
        most = fmax(most, lead_of(a, &a->v->row[i]));
    return most;
}

/* Tells some head counts from the others. */
typedef bool answer_test(const struct answer *a, const struct verdict_row *r);

/* "; 1, 2 and 8": those that `chosen` takes; false: there are none. */
static bool add_those(const struct answer *a, answer_test *chosen, const char *opening,
                      const char *last)
{
    int count = 0, seen = 0;
    for (int i = 0; i < a->v->rows; i++)
        count += chosen(a, &a->v->row[i]);
    for (int i = 0; i < a->v->rows; i++)
        if (chosen(a, &a->v->row[i])) {
            text_add(a->out, "%s%" PRId64,
                     seen == 0           ? opening
                     : seen == count - 1 ? last
                                         : ", ",
                     a->v->row[i].arm);
            seen++;
        }
    return count > 0;
}

/* What opens a clause about the exploring trials, which it names where other numbers are of fresh
 * ones. */
static const char *explored_opening(const struct answer *a)
{
    return a->compared != a->v ? "; in the exploring trials " : "; ";
}

/* By how much others did better: of the exploring trials, which is said where the other numbers are
 * those of fresh ones. A head count that chose an edge of its grid is not called worse. */
static void add_better(const struct answer *a, double lead)
{
    bool fresh = a->compared != a->v;
    add_those(a, is_ahead, explored_opening(a), " or ");
    text_add(a->out, " %s better, by about ",
             fresh || verdict_at_edge(a->in, a->heads) ? "did" : "is");
    add_size(a, lead, true);
}

/* Shown to be within the margin of the best by the exploring trials; no peer, and none whose own
 * number is told, or of which fresh trials may say otherwise. */
static bool is_close(const struct answer *a, const struct verdict_row *r)
{
    bool told =
        r->arm == a->heads || (a->decided && a->decided->kind == VERDICT_CLAIM_CONTRADICTED);
    for (int i = 0; i < a->compared->rivals; i++)
        told = told || a->compared->rival[i].arm == r->arm;
    return r->in_plateau && !told && !is_peer(a, r);
}

/* "within 0.029 bits per byte of the best", "within 0.01 of the best test loss" */
static void add_within(const struct answer *a)
{
    const bool unit = verdict_has_bits(a->in) || !a->in->loss;
    text_add(a->out, "within ");
    add_size(a, a->v->plateau_margin, unit);
    text_add(a->out, " of the best%s", unit ? "" : " test loss");
}

/* "; in the exploring trials 4 is shown to be within 0.029 bits per byte of the best" */
static void add_close(const struct answer *a)
{
    int count = 0;
    for (int i = 0; i < a->v->rows; i++)
        count += is_close(a, &a->v->row[i]);
    if (isnan(a->v->plateau_margin) || !add_those(a, is_close, explored_opening(a), " and "))
        return;
    text_add(a->out, " %s shown to be ", count == 1 ? "is" : "are");
    add_within(a);
}

/* What else there is to take. */
static void add_others(const struct answer *a)
{
    const double lead = lead_of_best_peer(a);
    if (all_equivalent(a)) {
        text_add(a->out, "; all are shown to be ");
        add_within(a);
    } else if (is_contradicted(a)) {
        add_those(a, is_peer, "; the best may be ", " or ");
    } else if (lead > 0) {
        add_better(a, lead);
    } else {
        if (add_those(a, is_peer, "; ", " and "))
            text_add(a->out, " may be as good");
        add_close(a);
    }
    if (a->v->candidate > 0 && a->v->candidate != a->heads)
        text_add(a->out, "; the exploring trials alone would now pick %" PRId64, a->v->candidate);
}

/* What stands between the head count and its own number. */
static const char *remark(const struct answer *a)
{
    if (is_contradicted(a) && all_equivalent(a))
        return " did worse: ";
    if (is_confirmed(a) && leads_little(a) && !(lead_of_best_peer(a) > 0))
        return ", though it seems to matter little: ";
    return ", ";
}

/* "4 heads, 2.510 bits per byte, against 2.611 bits per byte with 1 and 2.803 ... with 32"; of what
 * is contradicted, against those that are better. */
static void add_choice(const struct answer *a)
{
    const struct verdict *c = a->compared;
    const struct verdict_row *row = row_of(c, a->heads);
    const char *opening = ", against ";
    add_heads(a, a->heads);
    if (row) {
        text_add(a->out, "%s", remark(a));
        add_value(a, row->test.mean);
    }
    for (int i = 0; i < c->rivals; i++) {
        row = row_of(c, c->rival[i].arm);
        if (!row || (is_contradicted(a) && c->rival[i].outcome != RIVAL_BETTER))
            continue;
        text_add(a->out, "%s", opening);
        add_value(a, row->test.mean);
        text_add(a->out, " with %" PRId64, row->arm);
        opening = " and ";
    }
    add_others(a);
}

/* What is said of a head count that is not confirmed, before its name. Where it matters little,
 * nothing is advised against. */
static const char *unconfirmed(const struct answer *a)
{
    if (all_equivalent(a))
        return is_contradicted(a) ? "the number of heads hardly matters, although in fresh trials "
                                  : "the number of heads hardly matters; the choice so far: ";
    return is_contradicted(a) ? "do not take "
                              : "no head count is confirmed as best; the choice so far: ";
}

static void write_found(const struct answer *a)
{
    const struct verdict *v = a->v;
    const struct verdict_row *best = row_of(v, v->best);
    text_add(a->out, "For %s ", a->subject);
    if (is_confirmed(a)) {
        text_add(a->out, lead_of_best_peer(a) > 0 ? "the confirmed choice is " : "take ");
        add_choice(a);
    } else if (v->kind == VERDICT_ALL_EQUAL && best) {
        text_add(a->out, "no difference between head counts was seen: every trial has ");
        add_value(a, best->test.mean);
    } else if (v->kind == VERDICT_AT_CHANCE) {
        text_add(a->out, "no head count is shown to be better than guessing (");
        add_value(a, v->guess);
        text_add(a->out, ")");
    } else if (a->heads == 0 || v->kind == VERDICT_SINGLE) {
        text_add(a->out, "nothing was found");
    } else {
        text_add(a->out, "%s", unconfirmed(a));
        add_choice(a);
    }
    text_add(a->out, ".\n");
}

/* ---- how sure that is ---- */

/* Where fresh trials have decided, they alone; else what those say that explored. */
static void write_sure(const struct answer *a)
{
    const struct verdict_confirm *confirm = a->in->confirm;
    const char *confirmation = sentence(a, "confirmation"), *finding = sentence(a, "finding");
    bool explored = finding && (!confirmation || !a->decided);
    text_add(a->out, "%s%s%s", explored ? finding : "", explored && confirmation ? " " : "",
             confirmation ? confirmation : "");
    if (confirm && confirm->written && !a->v->confirmed)
        text_add(a->out, " So there were no confirming trials, and it ended early.");
    text_add(a->out, "\n");
}

/* ---- what limits it ---- */

static bool any_improving(const struct verdict *v)
{
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].improving)
            return true;
    return false;
}

/* Half of the interval of a difference: what is smaller does not show. 0: unknown. */
static double blind_to(const struct verdict_rival *r)
{
    double half = (r->pair.high - r->pair.low) / 2;
    return isfinite(half) ? half : 0;
}

/* " Differences from 1 head below about 0.8 and from 32 heads below about 12 percentage points
 * would not show in these trials." Head counts vary more or less, so each has its own. */
static void add_blind(const struct answer *a)
{
    const struct verdict *c = a->compared;
    int count = 0, seen = 0;
    for (int i = 0; i < c->rivals; i++)
        count += blind_to(&c->rival[i]) > 0;
    for (int i = 0; i < c->rivals; i++) {
        double blind = blind_to(&c->rival[i]);
        if (!(blind > 0))
            continue;
        text_add(a->out, "%sfrom ", seen == 0 ? " Differences " : " and ");
        add_heads(a, c->rival[i].arm);
        text_add(a->out, " below about ");
        add_size(a, blind, ++seen == count);
    }
    if (count > 0)
        text_add(a->out, " would not show in these trials.");
}

/* Whether a longer text allows more: not where the largest net gets all the steps that are of use.
 */
static bool text_limits(const struct answer *a)
{
    struct design d = *a->design;
    d.size = design_kind(d.kind)->sizes - 1;
    return design_steps_max(&d, a->look) < design_size(&d)->steps_max;
}

/* A text that needs no net to be predicted as well. */
static void add_simple_model(const struct answer *a)
{
    double best = NAN;
    for (int i = 0; i < a->v->rows; i++)
        best = fmin(best, a->v->row[i].test.mean / M_LN2);
    if (!verdict_has_bits(a->in) || !(best > a->order_bits))
        return;
    text_add(a->out,
             " A byte model of order %d, which only counts, needs %.3f bits per byte, less than "
             "any net here: these have hardly learned the text.",
             ANSWER_ORDER, a->order_bits);
    if (fit_time_helps(a->look, a->design))
        text_add(a->out, " They have to train longer: give more --minutes, or more train.steps if "
                         "you set these.");
    else if (text_limits(a))
        text_add(a->out, " The text is too short for them; a longer one would help.");
}

/* The number of an option, "length=", that is the same in all trials; else 0. */
static long fixed_number(const struct answer *a, const char *option)
{
    const char *at = strstr(a->fixed, option);
    return at ? strtol(at + strlen(option), NULL, 10) : 0;
}

static void write_limits(const struct answer *a)
{
    static const char *const whole[LOOK_KINDS] = {[LOOK_TEXT] = "this text",
                                                  [LOOK_ROWS] = "this split of these rows",
                                                  [LOOK_TOY] = "this task"};
    long width = fixed_number(a, "d_model=");
    text_add(a->out, "This is about %s and nets ", whole[a->look->kind]);
    if (width > 0)
        text_add(a->out, "of d_model %ld ", width);
    text_add(a->out, "after %s", text_counted(a->in->steps, "step").text);
    if (any_improving(a->v))
        text_add(a->out, "; some were still improving, so more steps may change the answer");
    text_add(a->out, ".");
    add_blind(a);
    look_add_cut(a->look, "saw", fixed_number(a, "length="), a->out);
    add_simple_model(a);
    text_add(a->out, "\n");
}

void answer_write(const struct report_data *r, const struct look *l, const struct design *d,
                  double order_bits, struct text_buffer *out)
{
    struct answer a = {.fixed = r->fixed ? r->fixed : "",
                       .look = l,
                       .design = d,
                       .order_bits = order_bits,
                       .out = out};
    if (r->settings == 0)
        return;
    a.in = &r->setting[0].input;
    a.v = r->setting[0].verdict;
    a.text = &r->setting[0].text;
    text_shown(design_subject(l), a.subject, sizeof a.subject);
    choose_heads(&a);
    write_found(&a);
    write_sure(&a);
    write_limits(&a);
}
