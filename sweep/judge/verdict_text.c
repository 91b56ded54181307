/* The verdict in words. Every finding is bounded by what was run: "within N steps, on this task
 * instance". */
#include "sweep/judge/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"

/* Sentences are written into one text, a line feed after each, and cut apart at the end. */
struct writer {
    const struct verdict_input *in;
    const struct verdict *v;
    struct text_buffer *out;
};

#define put(w, ...) text_add((w)->out, __VA_ARGS__)

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static const char *verb(int64_t heads)
{
    return heads == 1 ? "is" : "are";
}

static void put_heads(const struct writer *w, int64_t heads)
{
    put(w, "%lld head%s", (long long)heads, plural(heads));
}

/* What separates item i of n in "1, 2 and 4". */
static const char *separator(int i, int n)
{
    return i == 0 ? "" : i == n - 1 ? " and " : ", ";
}

static void put_p(const struct writer *w, double p)
{
    if (p < 1e-4)
        put(w, "p < 0.0001");
    else
        put(w, "p = %.3g", p);
}

/* "within 1500 steps, on this task instance," with a capital where a sentence begins. */
static void put_bounds(const struct writer *w, bool capital)
{
    if (w->in->steps > 0)
        put(w, "%cithin %lld step%s, on this task instance,", capital ? 'W' : 'w',
            (long long)w->in->steps, plural(w->in->steps));
    else
        put(w, "%cn this task instance,", capital ? 'O' : 'o');
}

static void begin(const struct writer *w, const char *finding)
{
    put(w, "%s: ", finding);
    put_bounds(w, false);
    put(w, " ");
}

/* heads is one of v's. */
static const struct verdict_row *row_of(const struct verdict *v, int64_t heads)
{
    int i = 0;
    while (i < v->rows - 1 && v->row[i].heads != heads)
        i++;
    return &v->row[i];
}

/* "1 (p = 0.2) and 32 (p = 0.4)": the rivals of one outcome. */
static void put_rivals(const struct writer *w, enum rival_outcome outcome, bool with_p)
{
    const struct verdict *v = w->v;
    int n = 0, seen = 0;
    for (int i = 0; i < v->rivals; i++)
        n += v->rival[i].outcome == outcome;
    for (int i = 0; i < v->rivals; i++) {
        const struct verdict_rival *r = &v->rival[i];
        if (r->outcome != outcome)
            continue;
        put(w, "%s%lld", separator(seen++, n), (long long)r->heads);
        if (with_p) {
            put(w, " (");
            put_p(w, r->p);
            put(w, ")");
        }
    }
}

static int rivals_with(const struct verdict *v, enum rival_outcome outcome)
{
    int n = 0;
    for (int i = 0; i < v->rivals; i++)
        n += v->rival[i].outcome == outcome;
    return n;
}

/* "4 heads are significantly worse than 8 (p = ..) and not shown to be better than 16 (p = ..)" */
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
    put(w, ".\n");
}

static void say_untested(const struct writer *w)
{
    const struct verdict *v = w->v;
    int n = rivals_with(v, RIVAL_UNTESTED), seen = 0;
    put(w, "%s yet: ", w->in->has_claim ? "Claim not tested" : "Not tested");
    put_heads(w, v->candidate);
    put(w, " %s fewer than two seeds ", v->candidate == 1 ? "shares" : "share");
    for (int i = 0; i < v->rivals; i++)
        if (v->rival[i].outcome == RIVAL_UNTESTED)
            put(w, "%swith %lld", separator(seen++, n), (long long)v->rival[i].heads);
    put(w, ".\n");
}

static void say_edge(const struct writer *w)
{
    const struct verdict *v = w->v;
    bool smallest = v->candidate == v->row[0].heads;
    begin(w, "No middle");
    put(w,
        "the best head count on validation (the fewest heads within %g of the top) is the %s one "
        "tried, %lld%s.\n",
        VERDICT_TOLERANCE, smallest ? "smallest" : "largest", (long long)v->candidate,
        smallest ? "" : "; more heads were not tried");
}

static void say_claim(const struct writer *w)
{
    switch (w->v->kind) {
    case VERDICT_CLAIM_CONFIRMED:
        begin(w, "Claim confirmed");
        put_heads(w, w->v->candidate);
        put(w, " %s better than ", verb(w->v->candidate));
        put_rivals(w, RIVAL_BEATEN, false);
        put(w, "%s", w->in->proof.status != PROOF_FIRST ? ".\n" : ", as predicted.\n");
        break;
    case VERDICT_CLAIM_NOT_CONFIRMED:
        begin(w, "Claim not confirmed");
        put_shortfall(w, "");
        break;
    case VERDICT_CLAIM_CONTRADICTED:
        begin(w, "Claim contradicted");
        put_shortfall(w, "");
        break;
    default:
        say_untested(w);
    }
    if (w->in->proof.status != PROOF_FIRST)
        put(w, "The claim was changed after trials had run: this is no test of a prediction made "
               "beforehand.\n");
}

static void say_middle(const struct writer *w)
{
    const struct verdict *v = w->v;
    long long smallest = (long long)v->row[0].heads;
    long long largest = (long long)v->row[v->rows - 1].heads;
    begin(w, "Exploratory finding, a middle head count wins");
    put_heads(w, v->candidate);
    put(w,
        " %s better than both the smallest (%lld) and the largest (%lld) head count "
        "tried.\n",
        verb(v->candidate), smallest, largest);
}

/* Stands before the finding, in the same paragraph. */
static void say_preliminary(const struct writer *w)
{
    int ended = 0;
    for (int i = 0; i < w->in->count; i++)
        ended += w->in->heads[i].n;
    if (ended > 0 && ended < w->in->planned)
        put(w,
            "Preliminary, with %d of %d trials ended (a verdict needs them all: stopping when the "
            "numbers look good is no test). ",
            ended, w->in->planned);
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

/* Names one of them, which has the error. */
static void say_untrained(const struct writer *w)
{
    int64_t trial_id = 0;
    int ended = 0;
    for (int i = 0; i < w->in->count; i++) {
        const struct verdict_heads *h = &w->in->heads[i];
        ended += h->n;
        if (trial_id == 0 && h->n > 0)
            trial_id = h->trial[0].trial_id;
    }
    put(w, "No verdict: every trial %sdiverged or failed",
        ended < w->in->planned ? "that has ended " : "");
    if (trial_id > 0)
        put(w, "; `headcount show %lld` says why", (long long)trial_id);
    put(w, ".\n");
}

static void say_finding(const struct writer *w)
{
    switch (w->v->kind) {
    case VERDICT_NOTHING:
        say_nothing(w);
        break;
    case VERDICT_UNTRAINED:
        say_untrained(w);
        break;
    case VERDICT_SINGLE:
        put(w, "No comparison: %lld is the only head count that was tried.\n",
            (long long)w->v->candidate);
        break;
    case VERDICT_MIDDLE:
        say_middle(w);
        break;
    case VERDICT_NOT_SIGNIFICANT:
        begin(w, "Not significant");
        put_shortfall(w, ", picked by validation accuracy,");
        break;
    case VERDICT_EDGE:
        say_edge(w);
        break;
    case VERDICT_UNTESTED:
        say_untested(w);
        break;
    default:
        say_claim(w);
    }
}

/* Why this candidate and this level: exploratory verdicts only. */
static void say_picked(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (w->in->has_claim || v->candidate == 0 || v->rows < 2)
        return;
    if (v->candidate != v->best) {
        put_heads(w, v->best);
        put(w, " %s the highest mean validation accuracy (%.4f); ", v->best == 1 ? "has" : "have",
            row_of(v, v->best)->val_mean);
        put_heads(w, v->candidate);
        put(w, " %s fewer and within %g of it (%.4f), so %lld is the candidate.\n",
            verb(v->candidate), VERDICT_TOLERANCE, row_of(v, v->candidate)->val_mean,
            (long long)v->candidate);
    }
    if (v->kind == VERDICT_MIDDLE || v->kind == VERDICT_NOT_SIGNIFICANT)
        put(w,
            "%lld was picked from the results, so each comparison needs p < %.3g (0.05 / %d, for "
            "the "
            "%d head count%s between the smallest and the largest).\n",
            (long long)v->candidate, v->alpha, v->interior, v->interior, plural(v->interior));
}

static void say_rival(const struct writer *w, const struct verdict_rival *r)
{
    const struct stats_paired *pair = &r->pair;
    put_heads(w, w->v->candidate);
    put(w, " against %lld: ", (long long)r->heads);
    if (pair->n == 0) {
        put(w, "no seed in common.\n");
        return;
    }
    if (pair->n == 1) {
        put(w, "%+.3f test accuracy at the one seed in common.\n", pair->mean);
        return;
    }
    if (pair->ties == pair->n) {
        put(w, "no difference at any of %d seeds", pair->n);
    } else if (pair->all_equal) {
        put(w,
            "%+.3f test accuracy at each of %d seeds; equal differences leave the t test "
            "undefined, so the %ssign-flip test decides: ",
            pair->mean, pair->n, pair->exact ? "exact " : "");
        put_p(w, pair->sign_flip_p);
    } else {
        put(w,
            "%+.3f test accuracy, 95%% interval %+.3f to %+.3f, over %d seeds (%d won, %d "
            "lost); paired t test ",
            pair->mean, pair->low, pair->high, pair->n, pair->wins, pair->losses);
        put_p(w, pair->p);
        put(w, ", %ssign-flip test ", pair->exact ? "exact " : "");
        put_p(w, pair->sign_flip_p);
    }
    if (r->unpaired)
        put(w, "; %d seed%s that only one of them has %s left out", r->unpaired,
            plural(r->unpaired), verb(r->unpaired));
    put(w, ".\n");
}

/* Few seeds bound the sign-flip test from below, whatever the data. */
static void say_least(const struct writer *w)
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
        "With %d seeds the exact sign-flip test cannot go below p = %.3g; at least %d seeds are "
        "needed for p < %.3g.\n",
        fewest->n, fewest->sign_flip_least, stats_sign_flip_seeds(w->v->alpha), w->v->alpha);
}

static void say_among_best(const struct writer *w)
{
    const struct verdict *v = w->v;
    int others = 0, seen = 0, testable = 0, tried = 0;
    for (int i = 0; i < v->rows; i++) {
        others += v->row[i].among_best && v->row[i].heads != v->best;
        testable += !isnan(v->row[i].best_p);
        tried += v->row[i].test.n > 0;
    }
    if (tried < 2 || testable == 0)
        return;
    put_bounds(w, true);
    put(w, " ");
    put_heads(w, v->best);
    put(w, " %s the highest mean validation accuracy; ", v->best == 1 ? "has" : "have");
    if (others == 0) {
        put(w, "every other head count is told apart from it on test accuracy (paired t tests, "
               "Holm-corrected p < 0.05).\n");
        return;
    }
    for (int i = 0; i < v->rows; i++)
        if (v->row[i].among_best && v->row[i].heads != v->best)
            put(w, "%s%lld", separator(seen++, others), (long long)v->row[i].heads);
    put(w, " cannot be told apart from it on test accuracy (paired t tests, Holm-corrected p >= "
           "0.05). ");
    if (v->smallest_among_best == v->best)
        put(w, "None of these has fewer heads.\n");
    else
        put(w, "The smallest of these is %lld.\n", (long long)v->smallest_among_best);
}

static void say_bad(const struct writer *w)
{
    for (int i = 0; i < w->v->rows; i++) {
        const struct verdict_row *r = &w->v->row[i];
        int ended = w->in->heads[i].n;
        if (!r->bad)
            continue;
        put_heads(w, r->heads);
        if (r->bad == ended && ended > 1)
            put(w, ": all %d trials diverged or failed", ended);
        else
            put(w, ": %d of %d trial%s diverged or failed", r->bad, ended, plural(ended));
        const char *they = r->bad == 1 ? "it" : "they";
        if (isnan(w->in->chance))
            put(w, "; chance accuracy is not known, so %s %s left out.\n", they, verb(r->bad));
        else if (isnan(r->completed_mean))
            put(w, "; %s count%s at chance accuracy (%.3g).\n", they, r->bad == 1 ? "s" : "",
                w->in->chance);
        else
            put(w,
                "; %s count%s at chance accuracy (%.3g), the mean of the completed alone is "
                "%.3f.\n",
                they, r->bad == 1 ? "s" : "", w->in->chance, r->completed_mean);
    }
}

static bool equal_row(const struct verdict_row *r)
{
    return r->test.all_equal && r->bad == 0;
}

/* "2 and 4 heads: all 5 seeds equal": one sentence per number of seeds. */
static void say_all_equal(const struct writer *w)
{
    const struct verdict_row *row = w->v->row;
    for (int i = 0; i < w->v->rows; i++) {
        int same = 0, before = 0, seen = 0;
        for (int k = 0; k < w->v->rows; k++) {
            bool match = equal_row(&row[k]) && row[k].test.n == row[i].test.n;
            same += match;
            before += match && k < i;
        }
        if (!equal_row(&row[i]) || before)
            continue;
        for (int k = i; k < w->v->rows; k++)
            if (equal_row(&row[k]) && row[k].test.n == row[i].test.n)
                put(w, "%s%lld", separator(seen++, same), (long long)row[k].heads);
        put(w,
            " head%s: all %d seeds gave the same accuracy, so there is no spread to compute an "
            "interval from.\n",
            same == 1 ? plural(row[i].heads) : "s", row[i].test.n);
    }
}

static void say_next(const struct writer *w)
{
    const struct verdict *v = w->v;
    if (v->kind == VERDICT_MIDDLE)
        put(w,
            "To confirm it, predict it: a sweep with claim: {best: %lld, over: [%lld, %lld]} "
            "and seeds not used here.\n",
            (long long)v->candidate, (long long)v->row[0].heads,
            (long long)v->row[v->rows - 1].heads);
}

static void say_one_seed(const struct writer *w)
{
    int most = 0;
    for (int i = 0; i < w->v->rows; i++)
        most = w->v->row[i].test.n > most ? w->v->row[i].test.n : most;
    if (most == 1)
        put(w, "One seed per head count: no interval and no test is possible. Run at least two "
               "seeds, better five or more.\n");
}

static void say_chosen(const struct writer *w)
{
    const struct verdict_input *in = w->in;
    int edges = 0, seen = 0;
    if (in->choices == 0)
        return;
    put(w, "Chosen for each head count on validation, with separate seeds: ");
    for (int i = 0; i < in->choices; i++) {
        put(w, "%s%s with ", i ? "; " : "", in->choice[i].label);
        put_heads(w, in->choice[i].heads);
        edges += in->choice[i].edge[0] != '\0';
    }
    put(w, ".\n");
    if (edges == 0)
        return;
    put(w, "Warning: a choice is at the edge of its grid, so that a better value may lie beyond "
           "it: ");
    for (int i = 0; i < in->choices; i++) {
        if (!in->choice[i].edge[0])
            continue;
        put(w, "%s%s with ", separator(seen++, edges), in->choice[i].edge);
        put_heads(w, in->choice[i].heads);
    }
    put(w, ".\n");
}

/* Makes v->sentence of lines; sentence[0] is the start of the one block that holds them. */
static enum status cut_lines(struct verdict *v, char *text)
{
    for (const char *c = text; *c; c++)
        v->sentences += *c == '\n';
    v->sentence = calloc((size_t)v->sentences + 1, sizeof *v->sentence);
    if (!v->sentence) {
        v->sentences = 0;
        return STATUS_NO_MEMORY;
    }
    v->sentence[0] = text;
    for (int i = 0; i < v->sentences; i++)
        v->sentence[i] = strsep(&text, "\n");
    return STATUS_OK;
}

/* Recorded reports with these sentences: tests/data/report. */
enum status verdict_sentences(const struct verdict_input *in, struct verdict *v, struct message *m)
{
    struct text_buffer text = {0};
    struct writer w = {in, v, &text};
    say_preliminary(&w);
    say_finding(&w);
    say_picked(&w);
    for (int i = 0; i < v->rivals; i++)
        say_rival(&w, &v->rival[i]);
    say_least(&w);
    say_among_best(&w);
    say_next(&w);
    say_one_seed(&w);
    say_bad(&w);
    say_all_equal(&w);
    say_chosen(&w);
    if (text.out_of_memory || cut_lines(v, text.text) != STATUS_OK) {
        free(text.text);
        return status_fail(m, STATUS_NO_MEMORY, "no memory for the words of a verdict");
    }
    return STATUS_OK;
}
