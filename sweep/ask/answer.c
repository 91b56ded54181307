#include "sweep/ask/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct answer {
    const char *fixed; /* what is the same in all trials, "d_model=32, ..." */
    const struct verdict_input *in;
    const struct verdict *v;
    const struct verdict_text *text;
    const struct look *look;
    const struct answer_beside *beside;
    char subject[128];
    struct text_buffer *out;
};

static const struct verdict_row *row_of(const struct answer *a, int64_t heads)
{
    for (int i = 0; i < a->v->rows; i++)
        if (a->v->row[i].heads == heads)
            return &a->v->row[i];
    return NULL;
}

/* What the verdict itself says by that rule; NULL: nothing. */
static const char *sentence(const struct answer *a, const char *rule)
{
    for (int i = 0; i < a->text->count; i++)
        if (strcmp(a->text->sentence[i].rule, rule) == 0)
            return a->text->sentence[i].text;
    return NULL;
}

static void add_heads(const struct answer *a, int64_t heads)
{
    text_add(a->out, "%" PRId64 " head%s", heads, heads == 1 ? "" : "s");
}

/* "2.510 bits per byte", "97.3% right" */
static void add_value(const struct answer *a, const struct verdict_row *row)
{
    if (!row)
        return;
    if (verdict_has_bits(a->in))
        text_add(a->out, "%.3f bits per byte", row->test.mean / M_LN2);
    else
        text_add(a->out, a->in->loss ? "test loss %.3f" : "%.1f%% right",
                 row->test.mean * (a->in->loss ? 1 : 100));
}

/* ---- what was found ---- */

/* The head counts that may be as good as the candidate, by the tests of all trials that explored.
 */
static void add_peers(const struct answer *a)
{
    int count = 0, seen = 0;
    for (int i = 0; i < a->v->rows; i++)
        count += a->v->row[i].among_best && a->v->row[i].heads != a->v->candidate;
    if (count == 0)
        return;
    text_add(a->out, "; ");
    for (int i = 0; i < a->v->rows; i++)
        if (a->v->row[i].among_best && a->v->row[i].heads != a->v->candidate) {
            text_add(a->out, "%s%" PRId64,
                     seen == 0           ? ""
                     : seen == count - 1 ? " and "
                                         : ", ",
                     a->v->row[i].heads);
            seen++;
        }
    text_add(a->out, " may be as good");
}

/* Where the candidate is held against others: among fresh trials, where there are any. */
static const struct verdict *comparison(const struct verdict *v)
{
    return v->confirmed && v->confirmed->rivals > 0 ? v->confirmed : v;
}

/* "4 heads, 2.510 bits per byte, against 2.611 bits per byte with 1 and 2.803 ... with 32" */
static void add_candidate(const struct answer *a)
{
    const struct verdict *compared = comparison(a->v);
    add_heads(a, a->v->candidate);
    text_add(a->out, ", ");
    add_value(a, row_of(a, a->v->candidate));
    for (int i = 0; i < compared->rivals; i++) {
        text_add(a->out, "%s", i == 0 ? ", against " : " and ");
        add_value(a, row_of(a, compared->rival[i].heads));
        text_add(a->out, " with %" PRId64, compared->rival[i].heads);
    }
    add_peers(a);
    text_add(a->out, ".\n");
}

static bool is_confirmed(const struct answer *a)
{
    const struct verdict *fresh = a->v->confirmed;
    return fresh && fresh->kind == VERDICT_CLAIM_CONFIRMED && fresh->prediction &&
           !fresh->preliminary;
}

static void write_found(const struct answer *a)
{
    const struct verdict *v = a->v;
    const char *finding = sentence(a, "finding");
    if (v->kind == VERDICT_ALL_EQUAL) {
        text_add(a->out, "For %s the number of heads makes no difference: every trial has ",
                 a->subject);
        add_value(a, v->rows > 0 ? &v->row[0] : NULL);
        text_add(a->out, ".\n");
    } else if (v->kind == VERDICT_AT_CHANCE) {
        text_add(a->out,
                 "From %s these nets learned nothing: no head count is shown to be better than "
                 "guessing.\n",
                 a->subject);
    } else if (is_confirmed(a)) {
        text_add(a->out, "For %s take ", a->subject);
        add_candidate(a);
    } else if (v->candidate > 0) {
        text_add(a->out, "For %s no head count is shown to be best; best so far: ", a->subject);
        add_candidate(a);
    } else {
        text_add(a->out, "For %s: %s\n", a->subject, finding ? finding : "nothing was found.");
    }
}

/* ---- how sure that is ---- */

static void write_sure(const struct answer *a)
{
    const char *confirmation = sentence(a, "confirmation");
    const char *finding = sentence(a, "finding");
    text_add(a->out, "%s\n",
             confirmation ? confirmation
             : finding    ? finding
                          : "Nothing has ended.");
}

/* ---- what limits it ---- */

static bool any_improving(const struct verdict *v)
{
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].improving)
            return true;
    return false;
}

/* The widest interval of a difference that decides, halved: what is smaller does not show. */
static double blind_to(const struct verdict *v)
{
    double widest = 0;
    for (int i = 0; i < v->rivals; i++)
        widest = fmax(widest, (v->rival[i].pair.high - v->rival[i].pair.low) / 2);
    return isfinite(widest) ? widest : 0;
}

double answer_seeds(const struct report_data *r)
{
    if (r->settings == 0)
        return 0;
    const struct verdict *v = comparison(r->setting[0].verdict);
    if (!(blind_to(v) > r->setting[0].input.equivalence) || crossed_testable(&v->rival[0].crossed))
        return 0;
    return 4. * v->rival[0].pair.n;
}

/* A text that needs no net to be predicted as well. */
static void add_simple_model(const struct answer *a)
{
    double best = NAN, bits = a->beside->order_bits;
    for (int i = 0; i < a->v->rows; i++)
        best = fmin(best, a->v->row[i].test.mean / M_LN2);
    if (verdict_has_bits(a->in) && best > bits)
        text_add(
            a->out,
            " A byte model of order %d, which only counts, needs %.3f bits per byte, less than "
            "any net here: these have hardly learned the text. Give more --minutes.",
            ANSWER_ORDER, bits);
}

static void write_limits(const struct answer *a)
{
    static const char *const whole[LOOK_KINDS] = {[LOOK_TEXT] = "this text",
                                                  [LOOK_ROWS] = "this split of these rows",
                                                  [LOOK_TOY] = "this task"};
    double blind = blind_to(comparison(a->v));
    const char *width = strstr(a->fixed, "d_model=");
    text_add(a->out, "This is about %s and nets ", whole[a->look->kind]);
    if (width)
        text_add(a->out, "of d_model %ld ", strtol(width + strlen("d_model="), NULL, 10));
    text_add(a->out, "after %" PRId64 " steps", a->in->steps);
    if (any_improving(a->v))
        text_add(a->out, ", which were still improving");
    if (blind > 0 && verdict_has_bits(a->in))
        text_add(a->out, "; differences below about %.2g bits per byte could not show",
                 blind / M_LN2);
    else if (blind > 0)
        text_add(a->out, "; differences below about %.2g%s could not show",
                 blind * (a->in->loss ? 1 : 100), a->in->loss ? "" : " percentage points");
    if (blind > 0 && isfinite(a->beside->minutes))
        text_add(a->out,
                 "; a sweep of about %g minutes (--minutes %g --set confirm=%d) would halve that",
                 a->beside->minutes, a->beside->minutes, a->beside->fresh);
    text_add(a->out, ".");
    add_simple_model(a);
    text_add(a->out, "\n");
}

void answer_write(const struct report_data *r, const struct look *l,
                  const struct answer_beside *beside, struct text_buffer *out)
{
    struct answer a = {.fixed = r->fixed ? r->fixed : "", .look = l, .beside = beside, .out = out};
    if (r->settings == 0)
        return;
    a.in = &r->setting[0].input;
    a.v = r->setting[0].verdict;
    a.text = &r->setting[0].text;
    text_shown(design_subject(l), a.subject, sizeof a.subject);
    write_found(&a);
    write_sure(&a);
    write_limits(&a);
}
