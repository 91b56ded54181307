/* Arms against each other, unit by unit. */
#include <math.h>
#include <string.h>

#include "sweep/judge/verdict_parts.h"

/* What two arms have in common. */
struct alignment {
    int units;    /* their values are in j->a and j->b */
    int trials;   /* pairs of equal seed, in j->difference */
    int unpaired; /* trials without a partner */
    bool blocks;  /* their differences are in j->table, a row for each unit: every trial has them */
    double size;  /* the largest magnitude of what these were taken from */
};

/* < 0 where trial x comes before y: by instance, then by seed. */
static int compare_places(const struct judge *j, const struct verdict_trial *x,
                          const struct verdict_trial *y)
{
    if (j->in->replicated && x->unit != y->unit)
        return x->unit < y->unit ? -1 : 1;
    return (x->seed > y->seed) - (x->seed < y->seed);
}

static void add_pair(struct judge *j, struct alignment *al, double a, double b, bool new_unit)
{
    if (new_unit) {
        j->a[al->units] = j->b[al->units] = 0;
        j->size[al->units++] = 0;
    }
    j->a[al->units - 1] += a;
    j->b[al->units - 1] += b;
    j->size[al->units - 1]++;
    j->difference[al->trials++] = a - b;
}

static double block_loss(const struct judge *j, const struct verdict_trial *t, int block)
{
    return t->bad ? judge_guess(j, t) : t->block[block];
}

/* The newest unit's row of the table. */
static void add_blocks(struct judge *j, struct alignment *al, const struct verdict_trial *s,
                       const struct verdict_trial *t)
{
    int blocks = j->in->blocks;
    al->blocks = al->blocks && (s->bad || s->block) && (t->bad || t->block);
    for (int k = 0; k < blocks && al->blocks; k++) {
        double a = block_loss(j, s, k), b = block_loss(j, t, k);
        j->table[(al->units - 1) * blocks + k] = a - b;
        al->size = fmax(al->size, fmax(fabs(a), fabs(b)));
    }
}

/* Lines up the trials of two arms at equal seeds. With replicate the values of an instance
 * are averaged over the seeds that both have. */
static struct alignment align(struct judge *j, const struct verdict_arm *x,
                              const struct verdict_arm *y)
{
    struct alignment al = {.blocks = j->table != NULL};
    int i = 0, k = 0, unit = 0;
    while (i < x->n || k < y->n) {
        const struct verdict_trial *s = i < x->n ? &x->trial[i] : NULL;
        const struct verdict_trial *t = k < y->n ? &y->trial[k] : NULL;
        int order = !s ? 1 : !t ? -1 : compare_places(j, s, t);
        if (s && t && order == 0 && judge_counts(j, s) && judge_counts(j, t)) {
            bool new_unit = al.units == 0 || !j->in->replicated || unit != s->unit;
            unit = s->unit;
            add_pair(j, &al, judge_test(j, s), judge_test(j, t), new_unit);
            add_blocks(j, &al, s, t);
        } else {
            al.unpaired++;
        }
        i += order <= 0;
        k += order >= 0;
    }
    for (int u = 0; u < al.units; u++) {
        j->a[u] /= j->size[u];
        j->b[u] /= j->size[u];
    }
    return al;
}

/* With losses the smaller one wins. */
static struct stats_paired as_the_metric_counts(const struct judge *j, struct stats_paired pair)
{
    if (j->sign < 0) {
        int wins = pair.wins;
        pair.wins = pair.losses;
        pair.losses = wins;
    }
    return pair;
}

/* Over seeds and blocks; without columns where there are no blocks. The mean is that of whole test
 * sets, which that of blocks is but for their sizes. */
static struct crossed cross(const struct judge *j, const struct alignment *al, double mean)
{
    struct crossed c = {0};
    if (al->blocks && al->units > 0) {
        c = crossed_new(j->table, al->units, j->in->blocks, al->size);
        c.mean = mean;
    }
    return c;
}

bool units_share_rows(const struct verdict_input *in)
{
    return in->data == VERDICT_ROWS && in->replicated && strstr(in->replicated, "task.instance");
}

/* What splits find is correlated, the less the smaller their test parts: standard errors are this
 * many times as large (Nadeau and Bengio 2003, with a tenth of the rows to test on and eight tenths
 * to train on). 1 for all other units. */
static double overlap(const struct judge *j, int units)
{
    return units_share_rows(j->in) ? sqrt(1 + units * .1 / .8) : 1;
}

static void widen(struct stats_paired *pair, double factor)
{
    pair->low = pair->mean - factor * (pair->mean - pair->low);
    pair->high = pair->mean + factor * (pair->high - pair->mean);
    pair->t /= factor;
    pair->p = pair->all_equal ? pair->p : stats_t_p(pair->t, pair->n - 1);
}

/* One-sided p of "arm `first` is not better than `second` by more than `lead`" (indices);
 * NaN where they cannot be compared. */
static double ahead_p(struct judge *j, int first, int second, double lead)
{
    struct alignment al = align(j, &j->in->arm[first], &j->in->arm[second]);
    struct stats_paired pair = stats_pair_t(j->a, j->b, al.units);
    double mean = j->sign * pair.mean;
    struct crossed c = cross(j, &al, mean);
    bool blocks = crossed_testable(&c);
    double p = blocks ? crossed_above(&c, lead)
                      : stats_above(mean, overlap(j, pair.n) * pair.sd, pair.n, lead);
    j->v->blocks = j->v->blocks || blocks;
    return isnan(p) || !j->v->row[first].mostly_bad ? p : 1;
}

/* Whether arm `first` is at least as good as `second` (indices) wherever they can be
 * compared, and they can be everywhere. */
static bool never_worse(struct judge *j, int first, int second)
{
    struct alignment al = align(j, &j->in->arm[first], &j->in->arm[second]);
    struct stats_paired pair = as_the_metric_counts(j, stats_pair_t(j->a, j->b, al.units));
    bool never = al.units > 0 && al.unpaired == 0 && pair.losses == 0;
    for (int i = 0; al.blocks && i < al.units * j->in->blocks; i++)
        never = never && j->sign * j->table[i] >= 0;
    return never;
}

/* Carries what is known of each arm over to those that are never worse than it. That is
 * transitive, so that their order does not matter. */
static void carry_over(struct judge *j,
                       void (*carry)(const struct verdict_row *from, struct verdict_row *to))
{
    struct verdict *v = j->v;
    for (int i = 0; i < v->rows; i++)
        for (int k = 0; k < v->rows; k++)
            if (i != k && row_tested(&v->row[i]) && row_tested(&v->row[k]) && never_worse(j, i, k))
                carry(&v->row[k], &v->row[i]);
}

static bool unfinished(const struct judge *j, int index)
{
    return index >= 0 && j->v->row[index].limited > 0;
}

/* Nobody is called worse who may have a better value beyond those that were tried, and nobody
 * better whose trials are guesses. `family` as in compare_rival. */
static enum rival_outcome outcome_of(const struct judge *j, const struct verdict_rival *r,
                                     int family)
{
    double alpha = j->v->alpha;
    bool ahead = j->sign * r->pair.mean > 0;
    if (isnan(r->p))
        return RIVAL_UNTESTED;
    if (r->p >= (ahead ? alpha : alpha / family))
        return RIVAL_NOT_BEATEN;
    if (mostly_bad(&j->in->arm[arm_index(j->in, verdict_ahead(j->in, j->v, r))]))
        return RIVAL_NOT_BEATEN;
    if (ahead)
        return verdict_at_edge(j->in, r->arm) ? RIVAL_AT_EDGE : RIVAL_BEATEN;
    if (!verdict_at_edge(j->in, j->v->candidate))
        return RIVAL_BETTER;
    return j->v->prediction || j->in->named ? RIVAL_OVER_EDGE : RIVAL_NOT_BEATEN;
}

/* What decides where there are blocks. */
static void over_both(struct verdict_rival *r, double level)
{
    crossed_interval(&r->crossed, CROSSED_BOTH, level, &r->pair.low, &r->pair.high);
    r->pair.t = r->crossed.mean / r->crossed.se[CROSSED_BOTH];
    r->pair.p = crossed_p(&r->crossed, CROSSED_BOTH);
}

/* Compares two lists of trials: fills r, but for its arm and its outcome, with x - y. */
static void compare_arms(struct judge *j, const struct verdict_arm *x, const struct verdict_arm *y,
                         struct verdict_rival *r)
{
    struct alignment al = align(j, x, y);
    r->seed_pairs = al.trials;
    r->unpaired = al.unpaired;
    r->sd_between = r->sd_within = NAN;
    r->pair = as_the_metric_counts(j, stats_pair(j->a, j->b, al.units));
    stats_pair_level(&r->pair, j->v->level);
    if (overlap(j, al.units) > 1)
        widen(&r->pair, overlap(j, al.units));
    r->crossed = cross(j, &al, r->pair.mean);
    if (crossed_testable(&r->crossed))
        over_both(r, j->v->level);
    r->p = isnan(r->pair.p) && r->pair.all_equal ? r->pair.sign_flip_p : r->pair.p;
    if (j->in->replicated) {
        stats_components(j->difference, j->size, al.units, &r->sd_between, &r->sd_within);
        r->sd_between = sqrt(r->sd_between);
        r->sd_within = sqrt(r->sd_within);
    }
    r->spread_ratio = stats_summarize(j->a, al.units, STATS_ANY).sd /
                      stats_summarize(j->b, al.units, STATS_ANY).sd;
}

void compare_rival(struct judge *j, int64_t candidate, int64_t rival, int family)
{
    static const struct verdict_arm none = {0}; /* not in the plan */
    struct verdict_rival *r = &j->v->rival[j->v->rivals++];
    int first = arm_index(j->in, candidate), second = arm_index(j->in, rival);
    compare_arms(j, first < 0 ? &none : &j->in->arm[first],
                 second < 0 ? &none : &j->in->arm[second], r);
    r->arm = rival;
    r->outcome =
        unfinished(j, first) || unfinished(j, second) ? RIVAL_UNFINISHED : outcome_of(j, r, family);
}

int rivals_with(const struct verdict *v, enum rival_outcome outcome)
{
    int n = 0;
    for (int i = 0; i < v->rivals; i++)
        n += v->rival[i].outcome == outcome;
    return n;
}

static int tested_rows(const struct verdict *v)
{
    int n = 0;
    for (int i = 0; i < v->rows; i++)
        n += row_tested(&v->row[i]);
    return n;
}

/* The smallest p of "row k is not better than row i"; NaN where none can be compared. */
static double beaten_p(struct judge *j, int i)
{
    double least = NAN;
    for (int k = 0; k < j->v->rows; k++)
        if (k != i && row_tested(&j->v->row[k]))
            least = fmin(least, ahead_p(j, k, i, 0));
    return least;
}

static void carry_best(const struct verdict_row *from, struct verdict_row *to)
{
    if (!(from->best_p > to->best_p))
        return;
    to->best_p = from->best_p;
    to->best_by_values = true;
}

void compare_with_best(struct judge *j)
{
    struct verdict *v = j->v;
    int comparisons = tested_rows(v) - 1, kept = 0;
    for (int i = 0; i < v->rows; i++) {
        struct verdict_row *r = &v->row[i];
        if (!row_tested(r))
            continue;
        double p = beaten_p(j, i);
        r->best_p = isnan(p) ? NAN : fmin(1, comparisons * p);
    }
    carry_over(j, carry_best);
    for (int i = 0; i < v->rows; i++) {
        struct verdict_row *r = &v->row[i];
        r->among_best = row_tested(r) && !(r->best_p < j->alpha);
        kept += r->among_best;
    }
    /* Where seeds are missing, arms may beat each other in a circle: that shows nothing. */
    for (int i = 0; i < v->rows; i++) {
        struct verdict_row *r = &v->row[i];
        r->among_best = r->among_best || (row_tested(r) && kept == 0);
        if (r->among_best && !v->smallest_among_best)
            v->smallest_among_best = r->arm;
    }
}

/* p of "some other row is better than row i by the margin or more"; NaN where one of them
 * cannot be compared. */
static double behind_p(struct judge *j, int i)
{
    double worst = 0, margin = j->in->equivalence;
    for (int k = 0; k < j->v->rows; k++) {
        if (k == i || !row_tested(&j->v->row[k]))
            continue;
        double p = ahead_p(j, i, k, -margin);
        if (!(p <= worst))
            worst = p;
        if (isnan(worst))
            break;
    }
    return worst;
}

static void carry_margin(const struct verdict_row *from, struct verdict_row *to)
{
    if (to->mostly_bad || !(from->plateau_p < to->plateau_p))
        return;
    to->plateau_p = from->plateau_p;
    to->plateau_by_values = true;
}

static void test_margin(struct judge *j, int best)
{
    struct verdict *v = j->v;
    int tests = 0, at = 0;
    for (int i = 0; i < v->rows; i++)
        if (row_tested(&v->row[i]))
            j->p[tests++] = behind_p(j, i);
    stats_step_down(j->p, tests, tests - 1, j->order);
    for (int i = 0; i < v->rows; i++)
        if (row_tested(&v->row[i]))
            v->row[i].plateau_p = j->p[at++];
    carry_over(j, carry_margin);
    double best_p = v->row[best].plateau_p;
    for (int i = 0; i < v->rows; i++) {
        struct verdict_row *r = &v->row[i];
        if (i == best || isnan(r->plateau_p) || isnan(best_p))
            continue;
        r->equivalent_p = fmax(r->plateau_p, best_p);
        r->equivalent = r->equivalent_p < j->alpha;
    }
}

void find_plateau(struct judge *j, int best)
{
    struct verdict *v = j->v;
    bool compared = tested_rows(v) > 1, margin = compared && j->in->equivalence > 0;
    if (margin)
        test_margin(j, best);
    v->plateau_margin = margin ? j->in->equivalence : NAN;
    for (int i = 0; i < v->rows; i++) {
        struct verdict_row *r = &v->row[i];
        r->in_plateau = margin ? r->plateau_p < j->alpha : compared && r->among_best;
        if (!r->in_plateau)
            continue;
        v->plateau_low = v->plateau_low ? v->plateau_low : r->arm;
        v->plateau_high = r->arm;
    }
    for (int i = 0; i < v->rows; i++) {
        const struct verdict_row *r = &v->row[i];
        v->plateau_holes +=
            row_tested(r) && !r->in_plateau && r->arm > v->plateau_low && r->arm < v->plateau_high;
    }
}
