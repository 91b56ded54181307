/* The rows of the views by_heads and cost that are of one sweep: to the last bit, as sums are taken
 * in the order in which SQLite takes them there (from 3.43 on it compensates for rounding). The
 * views go through all trials of a file several times and sort them each time; here they are at
 * hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "engine/base/text.h"
#include "sweep/evidence/evidence_scan.h"

/* What is taken for independent: a trial or, where axes are replicated, all trials with the same
 * values of these. */
struct unit {
    const struct kind *kind;
    double chance;
    int64_t good, bad, limited, solved;                 /* trials */
    double acc, shown, loss, train_acc, exact, train_s; /* NaN: none; the last three are sums */
};

/* One head count of one setting. */
struct group {
    const struct planned **trial; /* that have ended */
    struct unit *unit;
    double *value;
    size_t trials, units;
};

/* ---- sums as SQL has them: what is NaN is left out ---- */

struct sum {
    double sum, least, most;
    int64_t n;
};

static void sum_add(struct sum *s, double x)
{
    if (isnan(x))
        return;
    s->sum += x;
    s->least = s->n && s->least <= x ? s->least : x;
    s->most = s->n && s->most >= x ? s->most : x;
    s->n++;
}

static double ratio(double a, double b)
{
    return b != 0 ? a / b : NAN;
}

static double sum_of(const struct sum *s)
{
    return s->n ? s->sum : NAN;
}

static double mean_of(const struct sum *s)
{
    return s->n && s->least == s->most ? s->least : ratio(s->sum, (double)s->n);
}

/* Of `value`, in rising order: the middle one, or the mean of both. */
static double median_of(const double *value, int64_t n)
{
    return n == 0 ? NAN : n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

/* NaN, which is SQL's NULL, comes first. */
static int compare_reals(double x, double y)
{
    return isnan(x) || isnan(y) ? isnan(y) - isnan(x) : (x > y) - (x < y);
}

/* ---- orders ---- */

static int by_number(const void *a, const void *b)
{
    const struct planned *x = *(const struct planned *const *)a;
    const struct planned *y = *(const struct planned *const *)b;
    return compare_integers(x->trial.trial_id, y->trial.trial_id);
}

/* As the index trial_state has them, whose completed ones come first. */
static int by_time(const void *a, const void *b)
{
    const struct planned *x = *(const struct planned *const *)a;
    const struct planned *y = *(const struct planned *const *)b;
    int order = strcmp(trial_state_name(x->state), trial_state_name(y->state));
    if (order == 0)
        order = compare_reals(x->train_s, y->train_s);
    return order ? order : by_number(a, b);
}

static int by_replicate(const void *a, const void *b)
{
    const struct planned *x = *(const struct planned *const *)a;
    const struct planned *y = *(const struct planned *const *)b;
    int order = compare_integers(x->kind->unit, y->kind->unit);
    return order ? order : by_time(a, b);
}

static int by_inference(const void *a, const void *b)
{
    const struct planned *x = *(const struct planned *const *)a;
    const struct planned *y = *(const struct planned *const *)b;
    int order = isnan(x->infer_ms) - isnan(y->infer_ms);
    if (order == 0)
        order = compare_reals(x->infer_ms, y->infer_ms);
    return order ? order : by_time(a, b);
}

static int by_size(const void *a, const void *b)
{
    return compare_reals(*(const double *)a, *(const double *)b);
}

/* By all of their values, so that sums do not depend on the order of trials. */
static int by_values(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;
    const struct kind *k = x->kind, *l = y->kind;
    int order = k == l ? 0 : strcmp(k->label, l->label);
    if (order == 0 && k->point != l->point) {
        order = strcmp(k->point->task, l->point->task);
        order = order ? order : compare_integers(k->point->d_model, l->point->d_model);
        order = order ? order : compare_integers(k->point->n_params, l->point->n_params);
    }
    const double reals[][2] = {{x->acc, y->acc},
                               {x->shown, y->shown},
                               {x->loss, y->loss},
                               {(double)x->solved, (double)y->solved},
                               {x->train_acc, y->train_acc},
                               {x->exact, y->exact},
                               {x->train_s, y->train_s}};
    order = order ? order : compare_reals(x->chance, y->chance);
    order = order ? order : compare_integers(x->good, y->good);
    order = order ? order : compare_integers(x->bad, y->bad);
    order = order ? order : compare_integers(x->limited, y->limited);
    for (size_t i = 0; order == 0 && i < sizeof reals / sizeof reals[0]; i++)
        order = compare_reals(reals[i][0], reals[i][1]);
    return order;
}

/* ---- units ---- */

static struct unit unit_of(const struct planned *p)
{
    bool good = p->state == TRIAL_COMPLETED, bad = !good && !p->limit_hit;
    return (struct unit){.kind = p->kind,
                         .chance = p->chance,
                         .good = good,
                         .bad = bad,
                         .limited = p->limit_hit,
                         .solved = good && p->test_acc >= .99,
                         .acc = good ? p->test_acc : NAN,
                         .shown = good  ? p->test_acc
                                  : bad ? p->chance
                                        : NAN,
                         .loss = good ? p->test_loss : NAN,
                         .train_acc = good ? p->train_acc : NAN,
                         .exact = good ? p->trial.exact : NAN,
                         .train_s = good ? p->train_s : NAN};
}

/* Of n trials with the same values of the replicated axes. */
static struct unit unit_of_all(const struct planned *const *trial, size_t n)
{
    struct sum acc = {0}, shown = {0}, loss = {0}, train_acc = {0}, exact = {0}, train_s = {0};
    struct unit all = {.kind = trial[0]->kind, .chance = trial[0]->chance};
    for (size_t i = 0; i < n; i++) {
        struct unit one = unit_of(trial[i]);
        all.kind = one.chance > all.chance ? one.kind : all.kind;
        all.chance = one.chance > all.chance ? one.chance : all.chance;
        all.good += one.good;
        all.bad += one.bad;
        all.limited += one.limited;
        all.solved += one.solved;
        sum_add(&acc, one.acc);
        sum_add(&shown, one.shown);
        sum_add(&loss, one.loss);
        sum_add(&train_acc, one.train_acc);
        sum_add(&exact, one.exact);
        sum_add(&train_s, one.train_s);
    }
    all.acc = ratio(acc.sum, (double)acc.n);
    all.shown = ratio(shown.sum, (double)shown.n);
    all.loss = ratio(loss.sum, (double)loss.n);
    all.train_acc = sum_of(&train_acc);
    all.exact = sum_of(&exact);
    all.train_s = sum_of(&train_s);
    return all;
}

static bool is_replicated(const struct planned *p)
{
    return strcmp(p->kind->replicate, "{}") != 0;
}

/* Trials by their numbers first; then, where the sweep has replicated axes, units by the values of
 * these. */
static void make_units(struct group *g, bool replicated)
{
    const struct planned **rest = g->trial + g->trials;
    g->units = 0;
    qsort(g->trial, g->trials, sizeof *g->trial, by_number);
    for (size_t i = 0; i < g->trials; i++)
        if (!is_replicated(g->trial[i]))
            g->unit[g->units++] = unit_of(g->trial[i]);
    if (!replicated)
        return;
    qsort(g->trial, g->trials, sizeof *g->trial, by_replicate);
    for (const struct planned **p = g->trial, **next; p < rest; p = next) {
        for (next = p + 1; next < rest && (*next)->kind->unit == (*p)->kind->unit;)
            next++;
        if (is_replicated(*p))
            g->unit[g->units++] = unit_of_all(p, (size_t)(next - p));
    }
}

/* ---- by_heads ---- */

static double deviation(double squares, int64_t n)
{
    return n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

static double square(double x)
{
    return isnan(x) ? 0 : x * x;
}

/* The largest quantile of the file that is not for more degrees of freedom, over sqrt(n). */
static double widths_of(struct rows *quantile, int64_t n)
{
    rows_rebind(quantile, VALUES(INTEGER(n - 1)));
    return rows_next(quantile) ? rows_real(quantile, 0) / sqrt((double)n) : NAN;
}

/* Returns the kind that gives the row its labels, as in the view: of those with the largest chance
 * the first. */
static const struct kind *sum_up(struct group *g, struct rows *quantile, struct evidence_row *row)
{
    const struct kind *kind = NULL;
    struct sum acc = {0}, loss = {0}, shown = {0}, train_acc = {0}, exact = {0}, train_s = {0};
    double squares = 0, squares_loss = 0, squares_all = 0;
    for (size_t i = 0; i < g->units; i++) {
        sum_add(&acc, g->unit[i].acc);
        sum_add(&loss, g->unit[i].loss);
        sum_add(&shown, g->unit[i].shown);
    }
    row->n = acc.n;
    row->mean_acc = mean_of(&acc);
    row->mean_loss = mean_of(&loss);
    row->mean_all = mean_of(&shown);
    qsort(g->unit, g->units, sizeof *g->unit, by_values);
    for (size_t i = 0, k = 0; i < g->units; i++) {
        const struct unit *u = &g->unit[i];
        squares += square(u->acc - row->mean_acc);
        squares_loss += square(u->loss - row->mean_loss);
        squares_all += square(u->shown - row->mean_all);
        row->n_trials += u->good;
        row->n_bad += u->bad;
        row->n_limit += u->limited;
        row->n_solved += u->solved;
        if (!kind || u->chance > row->chance) {
            row->chance = u->chance;
            kind = u->kind;
        }
        sum_add(&train_acc, u->train_acc);
        sum_add(&exact, u->exact);
        sum_add(&train_s, u->train_s);
        if (!isnan(u->acc))
            g->value[k++] = u->acc;
    }
    qsort(g->value, (size_t)acc.n, sizeof *g->value, by_size);
    row->median_acc = median_of(g->value, acc.n);
    double widths = widths_of(quantile, acc.n), widths_all = widths_of(quantile, shown.n);
    row->sd_acc = deviation(squares, acc.n);
    stats_interval(STATS_ACCURACY, row->mean_acc, row->sd_acc * widths, &row->ci95_low,
                   &row->ci95_high);
    stats_interval(STATS_LOSS, row->mean_loss, deviation(squares_loss, acc.n) * widths,
                   &row->loss_low, &row->loss_high);
    stats_interval(STATS_ACCURACY, row->mean_all, deviation(squares_all, shown.n) * widths_all,
                   &row->all_low, &row->all_high);
    row->min_acc = acc.n ? acc.least : NAN;
    row->max_acc = acc.n ? acc.most : NAN;
    row->mean_train_acc = ratio(sum_of(&train_acc), (double)row->n_trials);
    row->mean_exact = ratio(sum_of(&exact), (double)row->n_trials);
    row->mean_train_s = ratio(sum_of(&train_s), (double)row->n_trials);
    return kind;
}

/* ---- cost ---- */

static void add_up_cost(struct group *g, struct evidence_row *row)
{
    struct sum cpu = {0};
    size_t n = 0;
    row->flops = NAN;
    row->rss_kib = -1;
    for (size_t i = 0; i < g->trials; i++)
        if (g->trial[i]->state == TRIAL_COMPLETED)
            g->trial[n++] = g->trial[i];
    row->spent = n > 0;
    qsort(g->trial, n, sizeof *g->trial, by_inference);
    for (size_t i = 0; i < n; i++) {
        const struct planned *p = g->trial[i];
        row->flops = fmax(row->flops, p->kind->point->flops);
        row->rss_kib = p->rss_kib > row->rss_kib ? p->rss_kib : row->rss_kib;
        sum_add(&cpu, p->cpu_s);
        if (!isnan(p->infer_ms))
            g->value[row->n_infer++] = p->infer_ms;
    }
    row->cpu_s = ratio(cpu.sum, (double)cpu.n);
    row->infer_ms = median_of(g->value, row->n_infer);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct planned *x = a, *y = b;
    return compare_integers(x->trial.trial_id, y->trial.trial_id);
}

static struct planned *planned_of(const struct scan *sc, int64_t trial_id)
{
    const struct planned key = {.trial = {.trial_id = trial_id}};
    return bsearch(&key, sc->planned, sc->count, sizeof key, compare_numbers);
}

/* Few trials have any, so SQLite is to begin with these. */
enum status scan_inference(struct scan *sc)
{
    int64_t before = 0;
    if (sc->count == 0)
        return STATUS_OK;
    struct rows r = rows_open(sc->store, sc->m,
                              "SELECT trial_id, infer_ms FROM pruning AS p"
                              " CROSS JOIN trial USING (trial_id) JOIN config USING (config_id)"
                              " WHERE sweep_id = ?1 AND method = 'none' AND kept = heads * layers"
                              " ORDER BY trial_id, finetuned_steps, p.lr",
                              VALUES(INTEGER(sc->sweep_id)));
    while (rows_next(&r)) {
        struct planned *p = planned_of(sc, rows_integer(&r, 0));
        if (p && rows_integer(&r, 0) != before)
            p->infer_ms = rows_real(&r, 1);
        before = rows_integer(&r, 0);
    }
    return rows_close(&r);
}

/* ---- all of it ---- */

static enum status add_row(struct scan *sc, struct group *g, struct rows *quantile)
{
    struct evidence *e = sc->e;
    make_units(g, e->base.replicated != NULL);
    if (g->units == 0)
        return STATUS_OK;
    struct evidence_row *grown = array_grow(e->row, (size_t)e->rows, sizeof *grown);
    if (!grown)
        return evidence_no_memory(sc->m);
    e->row = grown;
    struct evidence_row *row = &grown[e->rows++];
    *row = (struct evidence_row){.heads = g->trial[0]->kind->point->heads};
    const struct kind *k = sum_up(g, quantile, row);
    add_up_cost(g, row);
    row->d_model = k->point->d_model;
    row->n_params = k->point->n_params;
    row->setting = text_copy(k->setting);
    row->label = text_copy(k->label);
    row->task = text_copy(k->point->task);
    return row->setting && row->label && row->task ? STATUS_OK : evidence_no_memory(sc->m);
}

/* How many trials stand together from p on. */
static size_t together(const struct scan *sc, const struct planned *p)
{
    const struct planned *next = p + 1, *end = sc->planned + sc->count;
    while (next < end && planned_together(p, next))
        next++;
    return (size_t)(next - p);
}

static enum status add_rows(struct scan *sc, struct group *g)
{
    struct rows quantile = rows_open(sc->store, sc->m,
                                     "SELECT t FROM t_quantile WHERE level = 0.975 AND df <= ?1"
                                     " ORDER BY df DESC LIMIT 1",
                                     NO_VALUES);
    enum status status = quantile.status;
    for (size_t i = 0, n; i < sc->count && status == STATUS_OK; i += n) {
        n = together(sc, &sc->planned[i]);
        g->trials = 0;
        for (size_t k = i; k < i + n; k++)
            if (sc->planned[k].ended)
                g->trial[g->trials++] = &sc->planned[k];
        if (g->trials)
            status = add_row(sc, g, &quantile);
    }
    enum status closed = rows_close(&quantile);
    return status == STATUS_OK ? closed : status;
}

enum status scan_rows(struct scan *sc)
{
    size_t most = 1;
    for (size_t i = 0, n; i < sc->count; i += n) {
        n = together(sc, &sc->planned[i]);
        most = n > most ? n : most;
    }
    struct group g = {.trial = malloc(most * sizeof *g.trial),
                      .unit = malloc(most * sizeof *g.unit),
                      .value = malloc(most * sizeof *g.value)};
    enum status status =
        g.trial && g.unit && g.value ? add_rows(sc, &g) : evidence_no_memory(sc->m);
    free(g.trial);
    free(g.unit);
    free(g.value);
    return status;
}
