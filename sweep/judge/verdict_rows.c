/* Each arm by itself: its mean, its spread, whether it learned and whether it still does. */
#include <math.h>

#include "sweep/judge/verdict_parts.h"

const double VERDICT_SOLVED = .99;

bool judge_counts(const struct judge *j, const struct verdict_trial *t)
{
    return !t->limited && (!t->bad || !isnan(j->v->guess));
}

double judge_guess(const struct judge *j, const struct verdict_trial *t)
{
    return verdict_guess(j->v, t);
}

double judge_test(const struct judge *j, const struct verdict_trial *t)
{
    return t->bad ? judge_guess(j, t) : t->test;
}

/* As if guessing were worth the same at every unit. */
static double judge_levelled(const struct judge *j, const struct verdict_trial *t)
{
    return judge_test(j, t) - (judge_guess(j, t) - j->v->guess);
}

static double judge_val(const struct judge *j, const struct verdict_trial *t)
{
    return t->bad ? judge_guess(j, t) : t->val;
}

static double judge_late_slope(const struct judge *j, const struct verdict_trial *t)
{
    (void)j;
    return t->bad ? NAN : t->late_slope;
}

bool row_tested(const struct verdict_row *r)
{
    return r->limited == 0 && r->test.n > 0;
}

bool mostly_bad(const struct verdict_arm *a)
{
    int bad = 0, ended = 0;
    for (int k = 0; k < a->n; k++) {
        bad += a->trial[k].bad && !a->trial[k].limited;
        ended += !a->trial[k].limited;
    }
    return 2 * bad > ended;
}

int arm_index(const struct verdict_input *in, int64_t id)
{
    for (int i = 0; i < in->count; i++)
        if (in->arm[i].id == id)
            return i;
    return -1;
}

/* Writes into j->a what the units of an arm have: the values of its trials or, with
 * replicate, the mean of each instance's. Trials that do not count, and NaN, are left out. Returns
 * how many units there are. */
static int unit_values(struct judge *j, const struct verdict_arm *a,
                       double (*value)(const struct judge *, const struct verdict_trial *))
{
    int n = 0, unit = 0;
    for (int k = 0; k < a->n; k++) {
        const struct verdict_trial *t = &a->trial[k];
        double x = value(j, t);
        if (!judge_counts(j, t) || isnan(x))
            continue;
        if (n == 0 || !j->in->replicated || unit != t->unit) {
            unit = t->unit;
            j->a[n] = 0;
            j->size[n++] = 0;
        }
        j->a[n - 1] += x;
        j->size[n - 1]++;
    }
    for (int i = 0; i < n; i++)
        j->a[i] /= j->size[i];
    return n;
}

static void count_trials(struct judge *j, const struct verdict_arm *a, struct verdict_row *r)
{
    double completed = 0, exact = 0;
    int good = 0, exacts = 0;
    for (int k = 0; k < a->n; k++) {
        const struct verdict_trial *t = &a->trial[k];
        r->limited += t->limited;
        r->bad += t->bad && !t->limited;
        r->trials += judge_counts(j, t);
        if (t->bad || t->limited)
            continue;
        good++;
        completed += t->test;
        r->solved += !j->in->loss && t->test >= VERDICT_SOLVED;
        if (!isnan(t->exact)) {
            exact += t->exact;
            exacts++;
        }
    }
    r->mostly_bad = mostly_bad(a);
    r->completed_mean = good ? completed / good : NAN;
    r->exact_mean = exacts ? exact / exacts : NAN;
    r->solved_low = r->solved_high = NAN;
    if (r->trials && !j->in->loss && !j->in->replicated)
        stats_binomial(r->solved, r->trials, &r->solved_low, &r->solved_high);
}

/* Two clusters: a gap that is more than twice as wide as what lies on either side of it, of at
 * least .1 or, where a margin says what matters and there are eight trials, of at least that:
 * fewer have such a gap by chance. */
static void find_clusters(struct judge *j, const struct verdict_arm *a, struct verdict_row *r)
{
    const double wide = .1, margin = j->in->equivalence;
    double least = margin > 0 ? fmin(margin, wide) : wide;
    int n = 0;
    for (int k = 0; k < a->n; k++)
        if (!a->trial[k].bad && !a->trial[k].limited)
            j->a[n++] = a->trial[k].test;
    if (n < 8)
        least = wide;
    stats_summarize(j->a, n, STATS_ANY); /* sorts */
    for (int i = 1; i < n && n >= 4 && !r->apart; i++) {
        double gap = j->a[i] - j->a[i - 1];
        double widest = fmax(j->a[i - 1] - j->a[0], j->a[n - 1] - j->a[i]);
        if (gap < least || gap <= 2 * widest)
            continue;
        r->apart = true;
        r->bimodal = gap >= wide;
        r->clusters[0] = (struct verdict_cluster){i, j->a[0], j->a[i - 1]};
        r->clusters[1] = (struct verdict_cluster){n - i, j->a[i], j->a[n - 1]};
    }
}

/* Still improving: the gain per tenth of the training is not small and shown to be above 0. All
 * arms are asked, hence Holm; one unit alone cannot show it and is taken at its word. */
static void find_improvement(struct judge *j)
{
    const double least = j->in->loss ? .01 : .002;
    for (int i = 0; i < j->v->rows; i++) {
        struct verdict_row *r = &j->v->row[i];
        int units = unit_values(j, &j->in->arm[i], judge_late_slope);
        struct stats_summary s = stats_summarize(j->a, units, STATS_ANY);
        r->late_gain = s.mean;
        r->late_low = s.low;
        r->late_high = s.high;
        j->p[i] = stats_above(s.mean, s.sd, s.n, 0);
    }
    stats_holm(j->p, j->v->rows, j->order);
    for (int i = 0; i < j->v->rows; i++) {
        struct verdict_row *r = &j->v->row[i];
        r->improving = r->limited == 0 && r->late_gain >= least && !(j->p[i] >= j->alpha);
    }
}

static void summarize_row(struct judge *j, int i)
{
    const struct verdict_arm *a = &j->in->arm[i];
    struct verdict_row *r = &j->v->row[i];
    r->arm = a->id;
    r->d_head = a->d_head;
    r->chance_p = r->best_p = r->plateau_p = r->equivalent_p = NAN;
    count_trials(j, a, r);
    int units = unit_values(j, a, judge_val);
    r->val_mean = stats_summarize(j->a, units, STATS_ANY).mean;
    units = unit_values(j, a, judge_test);
    r->test = stats_summarize(j->a, units, j->in->loss ? STATS_LOSS : STATS_ACCURACY);
    stats_median_interval(j->a, units, &r->median_low, &r->median_high);
    if (j->in->replicated && units > j->v->units)
        j->v->units = units;
    find_clusters(j, a, r);
}

void summarize_rows(struct judge *j)
{
    for (int i = 0; i < j->v->rows; i++)
        summarize_row(j, i);
    find_improvement(j);
}

/* How much better than guessing a mean has to be before it is called so: what the finite test set
 * can do by itself, at least .01, and at most half of the way to perfect, however small the set. */
static double chance_margin(const struct judge *j)
{
    double g = j->in->chance, least = .01;
    if (j->in->loss || j->in->test_targets < 1)
        return least;
    return fmin(fmax(least, 4 * sqrt(g * (1 - g) / (double)j->in->test_targets)), (1 - g) / 2);
}

/* A single trial is proof where it covers a tenth of the way from guessing to perfect. */
static bool trial_above_chance(const struct judge *j, const struct verdict_arm *a)
{
    const double perfect = j->in->loss ? 0 : 1;
    for (int k = 0; k < a->n; k++) {
        const struct verdict_trial *t = &a->trial[k];
        double guess = judge_guess(j, t), way = j->sign * (perfect - guess);
        double least = fmax(.1 * way, chance_margin(j));
        if (!t->bad && !t->limited && j->sign * (t->test - guess) > least)
            return true;
    }
    return false;
}

/* Whether the mean of an arm's trials at a unit is above guessing there. */
static bool unit_above_chance(const struct judge *j, const struct verdict_arm *a, int unit)
{
    double lead = 0;
    int n = 0;
    for (int k = 0; k < a->n; k++) {
        const struct verdict_trial *t = &a->trial[k];
        if (t->unit != unit || !judge_counts(j, t))
            continue;
        lead += j->sign * (judge_test(j, t) - judge_guess(j, t));
        n++;
    }
    return n > 0 && lead / n > chance_margin(j);
}

static int units_at_chance(const struct judge *j)
{
    int at_chance = 0;
    for (int u = 0; u < j->v->units && j->v->guess_varies; u++) {
        bool above = false;
        for (int i = 0; i < j->v->rows && !above; i++)
            above = unit_above_chance(j, &j->in->arm[i], u);
        at_chance += !above;
    }
    return at_chance;
}

bool all_at_chance(struct judge *j)
{
    struct verdict *v = j->v;
    int tests = 0, above = 0;
    if (isnan(v->guess))
        return false;
    double bound = j->sign * v->guess + chance_margin(j);
    for (int i = 0; i < v->rows; i++)
        if (row_tested(&v->row[i])) {
            int units = unit_values(j, &j->in->arm[i], judge_levelled);
            struct stats_summary s = stats_summarize(j->a, units, STATS_ANY);
            j->p[tests++] = stats_above(j->sign * s.mean, s.sd, s.n, bound);
        }
    stats_holm(j->p, tests, j->order);
    v->units_at_chance = units_at_chance(j);
    tests = 0;
    for (int i = 0; i < v->rows; i++) {
        struct verdict_row *r = &v->row[i];
        if (!row_tested(r))
            continue;
        r->chance_p = j->p[tests++];
        r->above_chance = r->chance_p < j->alpha || trial_above_chance(j, &j->in->arm[i]);
        above += r->above_chance;
    }
    return above == 0;
}

bool all_equal(const struct judge *j)
{
    const struct verdict_trial *first = NULL;
    int tested = 0;
    for (int i = 0; i < j->v->rows; i++) {
        const struct verdict_arm *a = &j->in->arm[i];
        if (!row_tested(&j->v->row[i]))
            continue;
        tested++;
        for (int k = 0; k < a->n; k++) {
            const struct verdict_trial *t = &a->trial[k];
            if (!judge_counts(j, t))
                continue;
            first = first ? first : t;
            if (judge_test(j, t) != judge_test(j, first))
                return false;
        }
    }
    return tested > 1;
}
