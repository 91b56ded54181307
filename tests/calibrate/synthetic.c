#include "tests/calibrate/synthetic.h"

#include <math.h>

#include "engine/base/rng.h"

enum { SEED = 20261121, TUNING_SEEDS = 3 };

static const double GUESSING = .0625;
static const double CLUSTER = .3; /* share of the lower cluster */

static double normal_share(double z)
{
    return .5 * erfc(-z / M_SQRT2);
}

/* Of Student's t with 4 degrees of freedom, whose standard deviation is sqrt(2) (Shaw 2006, section
 * 2). */
static double t4_quantile(double u)
{
    double a = sqrt(4 * u * (1 - u)), size = 2 * sqrt(fmax(cos(acos(fmin(a, 1)) / 3) / a - 1, 0));
    return u < .5 ? -size : size;
}

/* CLUSTERS: two steps, each a little inclined. */
static double clusters_quantile(double u)
{
    double jump = 1 / sqrt(CLUSTER * (1 - CLUSTER)), tilt = .1;
    if (u < CLUSTER)
        return -(1 - CLUSTER) * jump + tilt * (u / CLUSTER - .5);
    return CLUSTER * jump + tilt * ((u - CLUSTER) / (1 - CLUSTER) - .5);
}

/* The value that a share u of all trials stays below: mean 0, standard deviation 1, rising in u. */
static double shape_quantile(enum shape shape, double u)
{
    switch (shape) {
    case SKEWED: /* 1 - x^8 of a uniform x: x^8 has mean 1/9 and second moment 1/17 */
        return (1. / 9 - pow(1 - u, 8)) / sqrt(1. / 17 - 1. / 81);
    case TAIL_BELOW:
        return 1 + log(u);
    case TAIL_ABOVE:
        return -1 - log1p(-u);
    case TAILS:
        return t4_quantile(u) / M_SQRT2;
    default:
        return clusters_quantile(u);
    }
}

/* The metric of an accuracy. */
static double metric(const struct world *w, double accuracy)
{
    return w->loss ? 1 - accuracy : accuracy;
}

double synthetic_guess(const struct world *w)
{
    return w->loss ? -log(GUESSING) : GUESSING;
}

static bool is_of(enum whose whose, const struct world *w, int i)
{
    bool middle = i == w->heads / 2;
    return whose == (middle ? MIDDLE : OTHERS);
}

static double spread_of(const struct world *w, int i)
{
    if (is_of(w->still, w, i))
        return 0;
    return w->spread * (is_of(w->wide, w, i) ? w->ratio : 1);
}

/* Share of the trials of head count i at a learning rate that fail. */
static double failing_at(const struct world *w, int i, int rate)
{
    return is_of(w->failing, w, i) && rate == 0 ? w->fails : 0;
}

/* Share of the trials of head count i that diverge. */
static double bad_of(const struct world *w, int i)
{
    return is_of(w->lost, w, i) ? w->losing : w->bad;
}

/* accuracy: of the head count's trials that neither fail nor diverge, at a learning rate. */
static struct truth truth_at(const struct world *w, int i, double accuracy, int rate)
{
    double failing = failing_at(w, i, rate), bad = bad_of(w, i), offset = 0;
    if (w->shape != GAUSSIAN) /* bad trials are below all others */
        offset = spread_of(w, i) * shape_quantile(w->shape, (.5 - bad) / (1 - bad));
    accuracy -= rate * w->rate_step;
    double completed = metric(w, accuracy - failing * w->fall);
    bool known = failing == 0 && !is_of(w->lost, w, i);
    return (struct truth){.mean = (1 - bad) * completed + bad * synthetic_guess(w),
                          .median = known ? metric(w, accuracy + offset) : NAN,
                          .lost = bad > .5};
}

static struct truth truth_of(const struct world *w, int i, double accuracy, int rate)
{
    struct truth t = truth_at(w, i, accuracy, rate);
    t.mean_at_best = t.mean;
    for (int k = 0; k < w->rates; k++) {
        double mean = truth_at(w, i, accuracy, k).mean;
        t.mean_at_best = w->loss ? fmin(t.mean_at_best, mean) : fmax(t.mean_at_best, mean);
    }
    return t;
}

/* The learning rate that wins on head count i's tuning seeds: each is worse than the one before. */
static int tune(const struct world *w, int i, struct rng *r)
{
    double best = -INFINITY;
    int chosen = 0;
    for (int rate = 0; rate < w->rates; rate++) {
        double sum = 0, failing = failing_at(w, i, rate);
        for (int k = 0; k < TUNING_SEEDS; k++) {
            sum += w->rate_spread * rng_normal(r) - rate * w->rate_step;
            if (failing > 0 && rng_uniform(r) < failing)
                sum -= w->fall;
        }
        if (sum > best) {
            best = sum;
            chosen = rate;
        }
    }
    return chosen;
}

/* What is common to all head counts: on this test set, at one instance, at one seed, at a block. */
struct luck {
    double test_set, instance[SYNTHETIC_TRIALS], seed[SYNTHETIC_TRIALS], block[SYNTHETIC_BLOCKS];
};

static void draw_luck(struct luck *luck, const struct world *w, int trials, struct rng *r)
{
    luck->test_set = w->test_set > 0 ? w->test_set * rng_normal(r) : 0;
    for (int i = 0; i < w->instances; i++)
        luck->instance[i] = w->instance_spread * rng_normal(r);
    for (int i = 0; i < trials; i++)
        luck->seed[i] = w->shared > 0 ? rng_normal(r) : 0;
    for (int b = 0; b < SYNTHETIC_BLOCKS; b++)
        luck->block[b] = w->text ? w->block_spread * rng_normal(r) : 0;
}

/* A head count's losses on each block of the text, from its trials' losses on all text. */
static void draw_blocks(struct synthetic *s, const struct world *w, int i, const struct luck *luck,
                        int trials, struct rng *r)
{
    double own[SYNTHETIC_BLOCKS], before = rng_normal(r);
    double kind = 0, walk = 0;
    double kept = w->neighbours, fresh = sqrt(1 - kept * kept);
    for (int b = 0; b < SYNTHETIC_BLOCKS; b++) {
        before = kept * before + fresh * rng_normal(r);
        if (w->regime && b % w->regime == 0)
            kind = w->regime_interaction * rng_normal(r);
        walk += w->drift > 0 ? w->drift * rng_normal(r) : 0;
        own[b] = luck->block[b] + w->block_interaction * before + kind + walk;
        s->truth[i].text += own[b] / SYNTHETIC_BLOCKS;
    }
    for (int k = 0; k < trials; k++) {
        struct verdict_trial *t = &s->trial[i][k];
        double loss = t->test;
        t->test = 0;
        for (int b = 0; b < SYNTHETIC_BLOCKS; b++) {
            s->block[i][k][b] = loss + own[b] + w->block_noise * rng_normal(r);
            t->test += s->block[i][k][b] / SYNTHETIC_BLOCKS;
        }
        t->block = w->blind ? NULL : s->block[i][k];
    }
}

/* Of each instance, those that confirm too. */
static int seeds_of(const struct world *w)
{
    return w->seeds + w->fresh;
}

static void draw_heads(struct synthetic *s, const struct world *w, int i, const struct luck *luck,
                       int trials, struct rng *r)
{
    int rate = tune(w, i, r);
    double accuracy = w->base + w->gain[i] + luck->test_set;
    double val_spread = w->val_spread > 0 ? w->val_spread : .001;
    double own = sqrt(1 - w->shared), common = sqrt(w->shared), instance = 0;
    double failing = failing_at(w, i, rate), bad = bad_of(w, i), seed[SYNTHETIC_TRIALS];
    int seeds = seeds_of(w);
    for (int k = 0; k < seeds; k++)
        seed[k] = w->seed_interaction > 0 ? w->seed_interaction * rng_normal(r) : 0;
    double together = w->splits > 0 ? sqrt(w->splits) * rng_normal(r) : 0;
    s->truth[i] = truth_of(w, i, accuracy, rate);
    accuracy -= rate * w->rate_step;
    for (int k = 0; k < trials; k++) {
        int unit = w->instances ? k / seeds : 0;
        if (w->instances && k % seeds == 0)
            instance = luck->instance[unit] +
                       w->interaction * (together + sqrt(1 - w->splits) * rng_normal(r));
        double z = own * rng_normal(r) + common * luck->seed[k];
        double shaped = w->shape == GAUSSIAN ? z : shape_quantile(w->shape, normal_share(z));
        double value = accuracy + instance + seed[k % seeds] + spread_of(w, i) * shaped;
        if (failing > 0 && rng_uniform(r) < failing)
            value -= w->fall;
        if (w->grain > 0)
            value = w->grain * round(value / w->grain);
        s->trial[i][k] = (struct verdict_trial){
            .seed = k % seeds,
            .bad = bad > 0 && rng_uniform(r) < bad,
            .test = metric(w, value),
            .val = metric(w, value + val_spread * rng_normal(r)),
            .unit = unit,
            .guess = w->files ? -log(GUESSING) - luck->instance[unit] : 0,
            .exact = NAN,
            .late_slope = w->slope_spread > 0 ? w->slope_spread * rng_normal(r) : NAN,
        };
    }
}

static void make_claim(struct synthetic *s, const struct world *w)
{
    int middle = w->heads / 2, last = w->heads - 1;
    if (w->claim == CLAIM_NONE)
        return;
    s->in.claim.best = (int64_t)1 << middle;
    s->in.claim.over = s->over;
    for (int i = 0; i <= last; i++) {
        bool edge = i == last || (i == 0 && w->claim != CLAIM_OVER_LARGEST);
        if (edge || (w->claim == CLAIM_OVER_ALL && i != middle))
            s->over[s->in.claim.over_count++] = (int64_t)1 << i;
    }
}

int synthetic_looks(const struct world *w)
{
    int n = 0;
    while (n < SYNTHETIC_LOOKS && w->look[n])
        n++;
    return n;
}

static void draw_tasks(struct synthetic *s, const struct world *w, struct rng *r)
{
    int first[SYNTHETIC_TRIALS];
    for (int k = 0; k < w->draws; k++)
        first[k] = -1;
    for (int u = 0; u < w->instances; u++) {
        int task = w->draws ? (int)rng_below(r, (uint32_t)w->draws) : u;
        first[task] = w->draws && first[task] >= 0 ? first[task] : u;
        s->first[u] = first[task];
    }
}

/* The first `seeds` of each instance, as the evidence has them: of those that draw the same once.
 */
static void show(struct synthetic *s, const struct world *w, int seeds)
{
    int units = w->instances ? w->instances : 1;
    s->in.planned = 0;
    for (int i = 0; i < w->heads; i++) {
        int n = 0;
        for (int k = 0; k < units * w->seeds; k++) {
            int unit = k / w->seeds, first = w->instances ? s->first[unit] : unit;
            if (k % w->seeds >= seeds || (first != unit && !w->each))
                continue;
            s->ended[i][n] = s->trial[i][first * w->seeds + k % w->seeds];
            s->ended[i][n++].unit = w->instances ? unit : 0;
        }
        s->arm[i] = (struct verdict_arm){.id = 1 << i, .n = n, .trial = s->ended[i]};
        s->in.planned += n;
    }
}

void synthetic_look(struct synthetic *s, const struct world *w, int look)
{
    s->in.looks = synthetic_looks(w);
    s->in.look = look;
    show(s, w, w->look[look - 1]);
}

bool synthetic_confirm(struct synthetic *s, const struct world *w, const struct verdict *v)
{
    struct verdict_pick *pick = &s->pick;
    *pick = verdict_pick(&s->in, v);
    if (w->fresh == 0 || pick->over_count == 0)
        return false;
    s->fresh = s->in;
    s->fresh.arm = s->fresh_arm;
    s->fresh.count = 0;
    for (int i = 0; i < w->heads; i++) {
        int64_t heads = (int64_t)1 << i;
        if (heads == pick->best || heads == pick->over[0] || heads == pick->over[1])
            s->fresh_arm[s->fresh.count++] =
                (struct verdict_arm){.id = heads, .n = w->fresh, .trial = s->trial[i] + w->seeds};
    }
    s->fresh.planned = s->fresh.count * w->fresh;
    s->fresh.claim = (struct verdict_claim){
        .best = pick->best, .over = pick->over, .over_count = pick->over_count};
    s->confirm = (struct verdict_confirm){.units = w->fresh, .written = true, .input = &s->fresh};
    s->in.confirm = &s->confirm;
    return true;
}

void synthetic_draw(struct synthetic *s, const struct world *w, const char *name, uint64_t sweep)
{
    struct luck luck;
    int trials = (w->instances ? w->instances : 1) * seeds_of(w);
    struct rng r = rng_at(SEED, RNG_SAMPLER, sweep, (uint32_t)rng_name(name));
    s->in = (struct verdict_input){.count = w->heads,
                                   .arm = s->arm,
                                   .loss = w->loss,
                                   .chance = GUESSING,
                                   .test_targets = 4096,
                                   .steps = 1500,
                                   .replicated = w->files       ? "task.file"
                                                 : w->instances ? "task.instance"
                                                                : NULL,
                                   .equivalence = w->equivalence};
    if (w->splits > 0)
        s->in.data = VERDICT_ROWS;
    if (w->files)
        s->in.data = VERDICT_TEXT;
    if (w->text) {
        s->in.data = VERDICT_TEXT;
        s->in.blocks = SYNTHETIC_BLOCKS;
    }
    draw_luck(&luck, w, trials, &r);
    for (int i = 0; i < w->heads; i++) {
        draw_heads(s, w, i, &luck, trials, &r);
        if (w->text)
            draw_blocks(s, w, i, &luck, trials, &r);
    }
    draw_tasks(s, w, &r);
    make_claim(s, w);
    show(s, w, w->seeds);
}
