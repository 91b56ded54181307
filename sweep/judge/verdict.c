#include "sweep/judge/verdict.h"

#include <math.h>
#include <stdlib.h>

static const double ALPHA = .05;
const double VERDICT_SOLVED = .99;
const double VERDICT_TOLERANCE = .005;
const double VERDICT_TOLERANCE_AT[VERDICT_TOLERANCES] = {0, .005, .02};

/* Shared by the steps of one judgement; a and b are as long as the longest list of trials. */
struct judge {
    const struct verdict_input *in;
    struct verdict *v;
    double *a, *b;
    double *p;  /* one per head count */
    int *order; /* one per head count */
};

static bool counts(const struct judge *j, const struct verdict_trial *t)
{
    return !t->bad || !isnan(j->in->chance);
}

static double test_acc(const struct judge *j, const struct verdict_trial *t)
{
    return t->bad ? j->in->chance : t->test;
}

static void summarize_row(struct judge *j, int i)
{
    const struct verdict_heads *h = &j->in->heads[i];
    struct verdict_row *r = &j->v->row[i];
    double completed = 0, val = 0;
    int n = 0;
    for (int k = 0; k < h->n; k++) {
        const struct verdict_trial *t = &h->trial[k];
        r->bad += t->bad;
        if (!counts(j, t))
            continue;
        j->a[n++] = test_acc(j, t);
        val += t->bad ? j->in->chance : t->val;
        if (!t->bad) {
            completed += t->test;
            r->solved += t->test >= VERDICT_SOLVED;
        }
    }
    r->heads = h->heads;
    r->d_head = h->d_head;
    r->trials = n;
    r->exact_mean = r->median_low = r->median_high = r->chance_p = NAN;
    r->late_gain = r->late_low = r->late_high = r->plateau_p = r->equivalent_p = NAN;
    r->test = stats_summarize(j->a, n);
    r->val_mean = n ? val / n : NAN;
    r->completed_mean = h->n > r->bad ? completed / (h->n - r->bad) : NAN;
    r->best_p = r->solved_low = r->solved_high = NAN;
    if (n)
        stats_binomial(r->solved, n, &r->solved_low, &r->solved_high);
}

/* Lines up the trials of two head counts (indices, -1: not in the plan) at equal seeds in j->a and
 * j->b. Returns how many pairs there are; *unpaired seeds have no partner. */
static int align(struct judge *j, int first, int second, int *unpaired)
{
    static const struct verdict_heads none = {0};
    const struct verdict_heads *x = first < 0 ? &none : &j->in->heads[first];
    const struct verdict_heads *y = second < 0 ? &none : &j->in->heads[second];
    int n = 0, i = 0, k = 0;
    *unpaired = 0;
    while (i < x->n || k < y->n) {
        if (k == y->n || (i < x->n && x->trial[i].seed < y->trial[k].seed)) {
            i++;
            ++*unpaired;
        } else if (i == x->n || x->trial[i].seed > y->trial[k].seed) {
            k++;
            ++*unpaired;
        } else {
            if (counts(j, &x->trial[i]) && counts(j, &y->trial[k])) {
                j->a[n] = test_acc(j, &x->trial[i]);
                j->b[n++] = test_acc(j, &y->trial[k]);
            } else {
                ++*unpaired;
            }
            i++;
            k++;
        }
    }
    return n;
}

static int index_of(const struct verdict_input *in, int64_t heads)
{
    for (int i = 0; i < in->count; i++)
        if (in->heads[i].heads == heads)
            return i;
    return -1;
}

static void compare_rival(struct judge *j, int64_t candidate, int64_t rival)
{
    struct verdict_rival *r = &j->v->rival[j->v->rivals++];
    int n = align(j, index_of(j->in, candidate), index_of(j->in, rival), &r->unpaired);
    r->heads = rival;
    r->sd_between = r->sd_within = NAN;
    r->pair = stats_pair(j->a, j->b, n);
    r->p = isnan(r->pair.p) && r->pair.all_equal ? r->pair.sign_flip_p : r->pair.p;
    if (isnan(r->p))
        r->outcome = RIVAL_UNTESTED;
    else if (r->p >= j->v->alpha)
        r->outcome = RIVAL_NOT_BEATEN;
    else
        r->outcome = r->pair.mean > 0 ? RIVAL_BEATEN : RIVAL_BETTER;
}

static int rivals_with(const struct verdict *v, enum rival_outcome outcome)
{
    int n = 0;
    for (int i = 0; i < v->rivals; i++)
        n += v->rival[i].outcome == outcome;
    return n;
}

static enum verdict_kind judge_claim(struct judge *j)
{
    const struct verdict_input *in = j->in;
    struct verdict *v = j->v;
    v->candidate = in->claim_best;
    v->alpha = ALPHA;
    for (int i = 0; i < in->claim_over_count; i++)
        compare_rival(j, in->claim_best, in->claim_over[i]);
    if (rivals_with(v, RIVAL_BETTER))
        return VERDICT_CLAIM_CONTRADICTED;
    if (rivals_with(v, RIVAL_NOT_BEATEN))
        return VERDICT_CLAIM_NOT_CONFIRMED;
    if (v->rivals == 0 || rivals_with(v, RIVAL_UNTESTED))
        return VERDICT_CLAIM_UNTESTED;
    return VERDICT_CLAIM_CONFIRMED;
}

/* best: row of the highest mean validation accuracy. */
static enum verdict_kind judge_exploratory(struct judge *j, int best)
{
    const struct verdict_input *in = j->in;
    struct verdict *v = j->v;
    int picked = 0;
    /* Rounding must not shut out a mean that is exactly the tolerance away; NaN compares false. */
    double least = v->row[best].val_mean - VERDICT_TOLERANCE - 1e-12;
    while (!(v->row[picked].val_mean >= least))
        picked++;
    v->candidate = v->row[picked].heads;
    if (in->count == 1)
        return VERDICT_SINGLE;
    if (picked == 0 || picked == in->count - 1)
        return VERDICT_EDGE;
    v->alpha = ALPHA / v->interior;
    compare_rival(j, v->candidate, in->heads[0].heads);
    compare_rival(j, v->candidate, in->heads[in->count - 1].heads);
    if (rivals_with(v, RIVAL_BEATEN) == v->rivals)
        return VERDICT_MIDDLE;
    if (rivals_with(v, RIVAL_NOT_BEATEN) || rivals_with(v, RIVAL_BETTER))
        return VERDICT_NOT_SIGNIFICANT;
    return VERDICT_UNTESTED;
}

/* Marks the rows that cannot be told apart from row `best`. */
static void compare_with_best(struct judge *j, int best)
{
    struct verdict *v = j->v;
    int tests = 0, unpaired;
    for (int i = 0; i < v->rows; i++) {
        if (i == best || v->row[i].test.n == 0)
            continue;
        int n = align(j, best, i, &unpaired);
        struct stats_paired pair = stats_pair_t(j->a, j->b, n);
        if (isnan(pair.p) && pair.all_equal)
            pair = stats_pair(j->a, j->b, n);
        j->p[tests++] = isnan(pair.p) ? pair.sign_flip_p : pair.p;
        v->row[i].among_best = !(pair.mean > 0); /* not worse: no test needed */
    }
    stats_holm(j->p, tests, j->order);
    tests = 0;
    for (int i = 0; i < v->rows; i++) {
        struct verdict_row *r = &v->row[i];
        if (i == best) {
            r->among_best = true;
        } else if (r->test.n) {
            r->best_p = j->p[tests++];
            r->among_best = r->among_best || !(r->best_p < ALPHA);
        }
        if (r->among_best && !v->smallest_among_best)
            v->smallest_among_best = r->heads;
    }
}

static bool any_good(const struct verdict_input *in)
{
    for (int i = 0; i < in->count; i++)
        for (int k = 0; k < in->heads[i].n; k++)
            if (!in->heads[i].trial[k].bad)
                return true;
    return false;
}

static void judge(struct judge *j)
{
    struct verdict *v = j->v;
    int best = -1;
    for (int i = 0; i < v->rows; i++) {
        summarize_row(j, i);
        if (v->row[i].test.n && (best < 0 || v->row[i].val_mean > v->row[best].val_mean))
            best = i;
    }
    v->proof = j->in->proof;
    v->looks = j->in->looks;
    v->look = j->in->look;
    v->unit = "seed";
    v->guess = j->in->chance;
    v->level = 1 - ALPHA;
    v->plateau_margin = NAN;
    v->lead = 1;
    v->kind = VERDICT_NOTHING;
    v->interior = v->rows > 2 ? v->rows - 2 : 0;
    v->alpha = NAN;
    if (best < 0)
        return;
    if (!any_good(j->in)) {
        v->kind = VERDICT_UNTRAINED;
        return;
    }
    v->best = v->row[best].heads;
    compare_with_best(j, best);
    v->kind = j->in->has_claim ? judge_claim(j) : judge_exploratory(j, best);
}

enum status verdict_new(const struct verdict_input *in, struct verdict **out, struct message *m)
{
    size_t longest = 1, rows = (size_t)in->count + 1;
    for (int i = 0; i < in->count; i++)
        if ((size_t)in->heads[i].n > longest)
            longest = (size_t)in->heads[i].n;
    size_t rivals = in->has_claim ? (size_t)in->claim_over_count + 1 : 2;
    struct judge j = {.in = in, .v = calloc(1, sizeof *j.v)};
    enum status s = STATUS_NO_MEMORY;
    j.a = calloc(2 * longest, sizeof *j.a);
    j.p = calloc(rows, sizeof *j.p);
    j.order = calloc(rows, sizeof *j.order);
    if (!j.v || !j.a || !j.p || !j.order)
        goto done;
    j.b = j.a + longest;
    j.v->row = calloc(rows, sizeof *j.v->row);
    j.v->rival = calloc(rivals, sizeof *j.v->rival);
    if (!j.v->row || !j.v->rival)
        goto done;
    j.v->rows = in->count;
    judge(&j);
    s = verdict_sentences(in, j.v, m);
done:
    free(j.a);
    free(j.p);
    free(j.order);
    if (s == STATUS_OK) {
        *out = j.v;
        return STATUS_OK;
    }
    verdict_free(j.v);
    return status_fail(m, s, "no memory for a verdict on %d head counts", in->count);
}

void verdict_free(struct verdict *v)
{
    if (!v)
        return;
    if (v->sentence)
        free(v->sentence[0]); /* one block holds them all: verdict_text.c */
    free(v->sentence);
    free(v->row);
    free(v->rival);
    free(v);
}

const char *verdict_kind_name(enum verdict_kind kind)
{
    static const char *const names[] = {
        [VERDICT_NOTHING] = "nothing",
        [VERDICT_UNTRAINED] = "untrained",
        [VERDICT_SINGLE] = "single",
        [VERDICT_CLAIM_CONFIRMED] = "claim_confirmed",
        [VERDICT_CLAIM_NOT_CONFIRMED] = "claim_not_confirmed",
        [VERDICT_CLAIM_CONTRADICTED] = "claim_contradicted",
        [VERDICT_CLAIM_UNTESTED] = "claim_untested",
        [VERDICT_MIDDLE] = "middle",
        [VERDICT_NOT_SIGNIFICANT] = "not_significant",
        [VERDICT_EDGE] = "edge",
        [VERDICT_UNTESTED] = "untested",
        [VERDICT_AT_CHANCE] = "at_chance",
        [VERDICT_ALL_EQUAL] = "all_equal",
        [VERDICT_CLAIM_UNDECIDED] = "claim_undecided",
        [VERDICT_UNFINISHED] = "unfinished",
    };
    return names[kind];
}

const char *rival_outcome_name(enum rival_outcome outcome)
{
    static const char *const names[] = {
        [RIVAL_BEATEN] = "better",     [RIVAL_NOT_BEATEN] = "not_shown",  [RIVAL_BETTER] = "worse",
        [RIVAL_UNTESTED] = "untested", [RIVAL_UNFINISHED] = "unfinished",
    };
    return names[outcome];
}

const char *verdict_proof_name(enum verdict_proof_status status)
{
    static const char *const names[] = {
        [PROOF_FIRST] = "first",
        [PROOF_LATE] = "late",
        [PROOF_CHANGED] = "changed",
        [PROOF_PLAN_CHANGED] = "plan_changed",
    };
    return names[status];
}
