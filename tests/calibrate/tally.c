#include "tests/calibrate/tally.h"

#include <math.h>
#include <stdlib.h>

/* Two true values that differ by less are equal. */
static const double ROUNDING = 1e-9;

/* A test at .05 in two directions is wrong in either with .025. */
const struct statement_text STATEMENT[STATEMENTS] = {
    [SAYS_MIDDLE] = {"a middle head count wins", .025, true},
    [SAYS_CONFIRMED] = {"claim confirmed", .025, true},
    [SAYS_CONTRADICTED] = {"claim contradicted", .025, true},
    [SAYS_WINNER] = {"either, each at its truly best rate", 1, true},
    [SAYS_SET] = {"the set that contains the best", .05, false},
    [SAYS_APART] = {"outside that set", 1, true},
    [SAYS_WITHIN] = {"within the margin of the best", .05, true},
    [SAYS_EQUIVALENT] = {"equivalent", .05, true},
    [SAYS_IN_ORDER] = {"all that did as well are in the sets", 0, false},
    [SAYS_ABOVE] = {"above guessing", .05, true},
    [SAYS_IMPROVING] = {"still improving", .05, true},
};

const char *const INTERVAL_NAME[INTERVALS] = {
    [OF_MEAN] = "95 % interval of a mean",
    [OF_MEDIAN] = "95 % interval of a median",
    [OF_DIFFERENCE] = "95 % interval of a paired difference",
};

bool tally_applies(const struct world *w, enum statement what)
{
    switch (what) {
    case SAYS_MIDDLE:
        return w->claim == CLAIM_NONE;
    case SAYS_CONFIRMED:
    case SAYS_CONTRADICTED:
        return w->claim != CLAIM_NONE || w->fresh > 0;
    case SAYS_WINNER:
        return w->rate_step > 0;
    case SAYS_WITHIN:
    case SAYS_EQUIVALENT:
        return w->equivalence > 0;
    case SAYS_IN_ORDER:
        return w->still != NOBODY;
    case SAYS_ABOVE:
        return w->base <= synthetic_guess(w) && !w->loss;
    case SAYS_IMPROVING:
        return w->slope_spread > 0;
    default:
        return true;
    }
}

/* One sweep and what was said of it. */
struct judged {
    const struct synthetic *s;
    const struct world *w;
    const struct verdict *v;
};

static int row_of(const struct judged *j, int64_t heads)
{
    int i = 0;
    while (j->v->row[i].arm != heads)
        i++;
    return i;
}

static double by_metric(const struct judged *j, double difference)
{
    return j->w->loss ? -difference : difference;
}

/* How much better head count a truly is than b. */
static double lead(const struct judged *j, int64_t a, int64_t b)
{
    return by_metric(j, j->s->truth[row_of(j, a)].mean - j->s->truth[row_of(j, b)].mean);
}

static double lead_at_best(const struct judged *j, int64_t a, int64_t b)
{
    const struct truth *truth = j->s->truth;
    return by_metric(j, truth[row_of(j, a)].mean_at_best - truth[row_of(j, b)].mean_at_best);
}

static bool beats(const struct judged *j, int64_t a, int64_t b)
{
    return lead(j, a, b) > ROUNDING && !j->s->truth[row_of(j, a)].lost;
}

/* How far it is truly from the best. */
static double behind(const struct judged *j, int64_t heads)
{
    double most = 0;
    for (int i = 0; i < j->v->rows; i++)
        most = fmax(most, lead(j, j->v->row[i].arm, heads));
    return most;
}

/* Whether row i is in neither set that k is in, though it did at least as well in every trial. */
static bool is_left_out(const struct judged *j, int i, int k)
{
    const struct verdict_row *r = &j->v->row[i], *other = &j->v->row[k];
    const struct verdict_arm *a = &j->s->in.arm[i], *b = &j->s->in.arm[k];
    for (int n = 0; n < a->n; n++)
        if (by_metric(j, a->trial[n].test - b->trial[n].test) < 0)
            return false;
    return (other->in_plateau && !r->in_plateau) || (other->among_best && !r->among_best);
}

static bool in_order(const struct judged *j)
{
    for (int i = 0; i < j->v->rows; i++)
        for (int k = 0; k < j->v->rows; k++)
            if (is_left_out(j, i, k))
                return false;
    return true;
}

static void count(struct tally *t, enum statement what, bool made, bool wrong)
{
    t->made[what] += made;
    t->wrong[what] += made && wrong;
}

/* Of a verdict on the sweep, or on its fresh trials. */
static void tally_kind(struct tally *t, const struct judged *j, const struct verdict *v)
{
    bool beats_all = true, beaten = false, at_best = true;
    for (int i = 0; i < v->rivals; i++) {
        beats_all = beats_all && beats(j, v->candidate, v->rival[i].arm);
        at_best = at_best && lead_at_best(j, v->candidate, v->rival[i].arm) > ROUNDING;
        beaten = beaten || beats(j, v->rival[i].arm, v->candidate);
    }
    count(t, SAYS_MIDDLE, v->kind == VERDICT_MIDDLE, !beats_all);
    count(t, SAYS_CONFIRMED, v->kind == VERDICT_CLAIM_CONFIRMED, !beats_all);
    count(t, SAYS_WINNER, v->kind == VERDICT_MIDDLE || v->kind == VERDICT_CLAIM_CONFIRMED,
          !at_best);
    count(t, SAYS_CONTRADICTED, v->kind == VERDICT_CLAIM_CONTRADICTED, !beaten);
}

/* What is said of rows: made, or wrong, for any of them. */
static void tally_rows(struct tally *t, const struct judged *j)
{
    const struct verdict *v = j->v;
    bool made[STATEMENTS] = {false}, wrong[STATEMENTS] = {false};
    double margin = v->best ? j->w->equivalence : 0;
    bool contains = false;
    for (int i = 0; i < v->rows; i++) {
        const struct verdict_row *r = &v->row[i];
        bool best = behind(j, r->arm) <= ROUNDING, picked = r->arm == v->best;
        bool far = margin > 0 && behind(j, r->arm) >= margin - ROUNDING;
        bool apart = margin > 0 && fabs(lead(j, r->arm, v->best)) >= margin - ROUNDING;
        bool above = j->w->base + j->w->gain[i] > synthetic_guess(j->w) + ROUNDING;
        const struct {
            enum statement what;
            bool made, wrong;
        } said[] = {
            {SAYS_APART, v->best && !r->among_best, best},
            {SAYS_WITHIN, r->in_plateau, far},
            {SAYS_EQUIVALENT, r->equivalent && !picked, apart},
            {SAYS_ABOVE, r->above_chance, !above},
            {SAYS_IMPROVING, r->improving, true},
        };
        contains = contains || (r->among_best && best);
        for (size_t k = 0; k < sizeof said / sizeof *said; k++) {
            made[said[k].what] = made[said[k].what] || said[k].made;
            wrong[said[k].what] = wrong[said[k].what] || (said[k].made && said[k].wrong);
        }
    }
    made[SAYS_SET] = v->best != 0; /* nothing is said of what has not learned */
    wrong[SAYS_SET] = !contains;
    made[SAYS_IN_ORDER] = v->best != 0;
    wrong[SAYS_IN_ORDER] = tally_applies(j->w, SAYS_IN_ORDER) && !in_order(j);
    for (enum statement i = 0; i < STATEMENTS; i++)
        count(t, i, made[i], wrong[i]);
}

static void cover(struct tally *t, enum interval what, double low, double high, double truth)
{
    if (isnan(low) || isnan(truth))
        return;
    t->given[what]++;
    t->covering[what] += low <= truth && truth <= high;
}

static void tally_intervals(struct tally *t, const struct judged *j, long sweep)
{
    const struct verdict *v = j->v;
    const struct truth *truth = &j->s->truth[sweep % v->rows];
    const struct verdict_row *r = &v->row[sweep % v->rows];
    cover(t, OF_MEAN, r->test.low, r->test.high, truth->mean + truth->text);
    cover(t, OF_MEDIAN, r->median_low, r->median_high, truth->median + truth->text);
    if (v->rivals) {
        const struct verdict_rival *rival = &v->rival[sweep % v->rivals];
        cover(t, OF_DIFFERENCE, rival->pair.low, rival->pair.high,
              by_metric(j, lead(j, v->candidate, rival->arm)));
    }
}

/* Judges as run does: at each look until the verdict is decided. */
static struct verdict *judge_looks(struct scope *x, struct synthetic *s, const struct world *w)
{
    int looks = synthetic_looks(w);
    for (int look = 1;; look++) {
        if (looks)
            synthetic_look(s, w, look);
        struct verdict *v = verdict_new(x, &s->in);
        if (look >= looks || v->decided)
            return v;
    }
}

static void tally_sweep(struct scope *x, struct tally *t, struct synthetic *s,
                        const struct world *w, const char *name, long sweep)
{
    synthetic_draw(s, w, name, (uint64_t)sweep);
    struct verdict *v = judge_looks(x, s, w);
    if (synthetic_confirm(s, w, v))
        v = verdict_new(x, &s->in);
    struct judged j = {s, w, v};
    t->sweeps++;
    if (s->in.looks)
        t->last_look[s->in.look - 1]++;
    tally_kind(t, &j, v);
    if (v->confirmed)
        tally_kind(t, &j, v->confirmed);
    tally_rows(t, &j);
    tally_intervals(t, &j, sweep);
}

enum status tally_sweeps(struct tally *t, const struct world *w, const char *name, long first,
                         long end, long step)
{
    struct synthetic *s = malloc(sizeof *s);
    struct scope *x = s ? scope_new(NULL, "judging", NULL) : NULL;
    if (scope_enter(x))
        for (long sweep = first; sweep < end; sweep += step) {
            tally_sweep(x, t, s, w, name, sweep);
            arena_free(&x->arena);
        }
    free(s);
    return scope_end(x);
}

void tally_add(struct tally *a, const struct tally *b)
{
    a->sweeps += b->sweeps;
    for (int i = 0; i < STATEMENTS; i++) {
        a->made[i] += b->made[i];
        a->wrong[i] += b->wrong[i];
    }
    for (int i = 0; i < INTERVALS; i++) {
        a->given[i] += b->given[i];
        a->covering[i] += b->covering[i];
    }
    for (int i = 0; i < SYNTHETIC_LOOKS; i++)
        a->last_look[i] += b->last_look[i];
}

bool tally_breach(const struct tally *t, enum statement what, double surprise)
{
    double wrong = (double)t->wrong[what], others = (double)(t->sweeps - t->wrong[what]);
    return wrong > 0 && stats_beta(wrong, others + 1, STATEMENT[what].level) < surprise;
}
