/* The trials of a plan, read in one pass by their numbers, as a rule as they lie in the file:
 * sweeps of a hundred thousand trials are read again and again while they run. Then the settings
 * of these trials, by their texts, and their arms, by head count. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/evidence/evidence_parts.h"

/* Where trials are alike but for their seeds: a configuration in a setting, of trials that explore
 * (or choose for these) or of fresh ones. */
struct grid_point {
    struct grid_point *next; /* another one of the same configuration */
    int64_t config_id, heads, steps, n_params, d_head;
    double lr;
    bool decays; /* the learning rate ends at 0 */
    enum verdict_data data;
    double guess; /* loss of a guess that knows how often each byte or label comes; 0: unknown */
    bool interleaved;
    char *setting, *label, *replicate; /* NULL: no trial is known yet */
    bool fresh;
    bool repeated; /* fresh, but of a task that was explored or that is fresh before */
    int set, unit; /* number of its setting, by their texts; of its replicate, or of another that
                      draws the same task */
    int rank;      /* by setting, fresh, head count, unit; equal where these are */
    int64_t place; /* of its first trial in the plan, fresh ones apart */
    long tuning, tuning_ended, eliminated; /* as in struct verdict_input */
};

/* A trial that neither serves only to choose nor lost: with its results once it has ended, if it
 * was chosen. */
struct planned {
    struct verdict_trial trial;
    struct grid_point *point;
    int64_t place;
    double chance, train_s; /* NaN: none */
    int look;
    bool ended, completed;
};

struct scan {
    struct scope *scope;
    struct evidence *e;
    bool files;    /* are what is replicated: guessing costs something else at each */
    int64_t first; /* place in the plan of the first trial */
    int configs, points;
    struct grid_point *config; /* the first point of each configuration, by rising config_id */
    struct grid_point **point; /* all of them */
    size_t count;
    struct planned *planned; /* by rising trial_id, then as compare_trials says */
};

/* <0, 0, >0, as qsort asks for it. */
static inline int compare_integers(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

/* What is needed of the configurations: the seed is not in them. */
static void read_configs(struct scan *sc)
{
    enum { CONFIG, HEADS, STEPS, PARAMS, D_HEAD, LR, DECAYS, FILE, TEXT, ENTROPY, INTERLEAVED };
    struct scope *x = sc->scope;
    struct rows *r =
        scope_rows(x,
                   "SELECT config_id, heads, steps, n_params, d_head, lr,"
                   " schedule IN ('cosine', 'linear'), task = 'text', iif(task = 'text',"
                   "  mode = 'lm', 0), iif(task = 'text',"
                   "  config_json ->> '$.task.options.entropy', NULL),"
                   " iif(task = 'text', config_json ->> '$.task.options.split'"
                   "  IS 'interleaved', 0)"
                   " FROM config WHERE EXISTS (SELECT 1 FROM trial"
                   "  WHERE sweep_id = ?1 AND trial.config_id = config.config_id"
                   "  AND in_plan = 1) ORDER BY config_id",
                   VALUES(INTEGER(sc->e->sweep_id)));
    while (scope_next(x, r)) {
        sc->config = arena_grow(&x->arena, sc->config, (size_t)sc->configs, sizeof *sc->config);
        sc->config[sc->configs++] =
            (struct grid_point){.config_id = rows_integer(r, CONFIG),
                                .heads = rows_integer(r, HEADS),
                                .steps = rows_integer(r, STEPS),
                                .n_params = rows_integer(r, PARAMS),
                                .d_head = rows_integer(r, D_HEAD),
                                .lr = rows_real(r, LR),
                                .decays = rows_integer(r, DECAYS),
                                .data = !rows_integer(r, FILE)  ? VERDICT_TOY
                                        : rows_integer(r, TEXT) ? VERDICT_TEXT
                                                                : VERDICT_ROWS,
                                .guess = rows_null(r, ENTROPY) ? 0 : rows_real(r, ENTROPY),
                                .interleaved = rows_integer(r, INTERLEAVED)};
    }
}

/* Columns of TRIALS. */
enum {
    TRIAL_ID,
    CONFIG_ID,
    SETTING,
    LABEL,
    REPLICATE,
    SEED,
    STATE,
    CHOICE,
    IS_TUNING,
    LIMIT_HIT,
    LOOK,
    PLACE,
    TEST_ACC,
    TEST_LOSS,
    VAL_ACC,
    VAL_LOSS,
    EXACT,
    CHANCE,
    TRAIN_S,
    STEPS_DONE,
    CONFIRMS
};

/* Two ways to the same rows: one by one, by the sweep's index, and, where its trials lie close
 * together, along the table (+sweep_id), which is quicker. ?1: sweep; in the second ?2, ?3: its
 * first and last trial. */
#define ONE_BY_ONE                                                                                 \
    " WHERE trial_id IN (SELECT trial_id FROM trial WHERE sweep_id = ?1 AND in_plan = 1)"
#define TRIALS                                                                                     \
    "SELECT trial_id, config_id, setting, setting_label, replicate, seed, state, choice,"          \
    "  is_tuning, limit_hit, look, plan_order, test_acc, test_loss, val_acc, val_loss,"            \
    "  test_exact, chance, train_s, steps_done, confirms FROM trial"
static const char *const trials_sql[] = {
    TRIALS ONE_BY_ONE " ORDER BY trial_id",
    TRIALS " WHERE trial_id BETWEEN ?2 AND ?3 AND +sweep_id = ?1 AND in_plan = 1"
           " ORDER BY trial_id"};

static int compare_configs(const void *a, const void *b)
{
    const struct grid_point *x = a, *y = b;
    return compare_integers(x->config_id, y->config_id);
}

/* The point of a trial; NULL: its configuration is missing, of which `check` tells. */
static struct grid_point *point_of(struct scan *sc, struct rows *r)
{
    struct scope *x = sc->scope;
    const char *setting = rows_given(r, SETTING), *replicate = rows_given(r, REPLICATE);
    const bool fresh = rows_integer(r, CONFIRMS);
    const struct grid_point key = {.config_id = rows_integer(r, CONFIG_ID)};
    struct grid_point *config =
        sc->configs ? bsearch(&key, sc->config, (size_t)sc->configs, sizeof key, compare_configs)
                    : NULL;
    if (!config)
        return NULL;
    for (struct grid_point *p = config; p && p->setting; p = p->next)
        if (p->fresh == fresh && strcmp(p->setting, setting) == 0 &&
            strcmp(p->replicate, replicate) == 0)
            return p;
    struct grid_point *p = config;
    if (config->setting) {
        p = arena_alloc(&x->arena, 1, sizeof *p);
        *p = *config;
        config->next = p;
    }
    p->setting = scope_given(x, r, SETTING);
    p->label = scope_given(x, r, LABEL);
    p->replicate = scope_given(x, r, REPLICATE);
    p->fresh = fresh;
    p->place = INT64_MAX;
    p->tuning = p->tuning_ended = p->eliminated = 0;
    sc->point = arena_grow(&x->arena, sc->point, (size_t)sc->points, sizeof(struct grid_point *));
    return sc->point[sc->points++] = p;
}

/* Per tenth of the training steps, over the last five evaluations. */
static double late_slope(struct rows *curve, const struct rows *trial,
                         const struct grid_point *point)
{
    enum { STEP, Y };
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    int64_t done = rows_integer(trial, STEPS_DONE);
    int n = 0;
    rows_rebind(curve, VALUES(INTEGER(rows_integer(trial, TRIAL_ID))));
    while (rows_next(curve)) {
        double x = 10.0 * (double)(rows_integer(curve, STEP) - done) / (double)point->steps;
        sx += x;
        sxx += x * x;
        if (rows_null(curve, Y))
            continue;
        double y = rows_real(curve, Y);
        sy += y;
        sxy += x * y;
        n++;
    }
    double spread = n * sxx - sx * sx;
    return n > 2 && spread != 0 ? (n * sxy - sx * sy) / spread : NAN;
}

static void put_results(const struct scan *sc, struct planned *p, struct rows *r,
                        struct rows *curve)
{
    const enum trial_state state = rows_state(r, STATE);
    const bool loss = sc->e->base.loss;
    p->ended = true;
    p->completed = state == TRIAL_COMPLETED;
    p->train_s = rows_real(r, TRAIN_S);
    p->trial.limited = state == TRIAL_FAILED && rows_integer(r, LIMIT_HIT);
    p->trial.bad = !p->completed && !p->trial.limited;
    p->trial.test = rows_real(r, loss ? TEST_LOSS : TEST_ACC);
    p->trial.val = rows_real(r, loss ? VAL_LOSS : VAL_ACC);
    p->trial.exact = rows_real(r, EXACT);
    p->trial.guess = sc->files ? p->point->guess : 0;
    p->trial.late_slope = p->completed && !p->point->fresh ? late_slope(curve, r, p->point) : NAN;
}

static void add_trial(struct scan *sc, struct rows *r, struct rows *curve)
{
    struct grid_point *point = point_of(sc, r);
    if (!point)
        return;
    const enum trial_state state = rows_state(r, STATE);
    const enum trial_choice choice = rows_choice(r, CHOICE);
    const int64_t place = rows_integer(r, PLACE);
    if (!point->fresh) {
        point->place = place < point->place ? place : point->place;
        if (place < sc->first) {
            sc->first = place;
            sc->e->first_trial = rows_integer(r, TRIAL_ID);
        }
    }
    if (rows_integer(r, IS_TUNING)) {
        point->tuning += state != TRIAL_NOT_NEEDED;
        point->tuning_ended += trial_state_ended(state);
        point->eliminated += state == TRIAL_NOT_NEEDED;
        return;
    }
    if (state == TRIAL_NOT_NEEDED || choice == CHOICE_ELIMINATED)
        return;
    sc->planned = arena_grow(&sc->scope->arena, sc->planned, sc->count, sizeof *sc->planned);
    struct planned *p = &sc->planned[sc->count++];
    *p = (struct planned){
        .trial = {.seed = rows_integer(r, SEED), .trial_id = rows_integer(r, TRIAL_ID)},
        .point = point,
        .place = place,
        .look = (int)rows_integer(r, LOOK),
        .chance = rows_real(r, CHANCE)};
    if (choice == CHOICE_CHOSEN && trial_state_ended(state))
        put_results(sc, p, r, curve);
}

static void read_trials(struct scan *sc)
{
    struct scope *x = sc->scope;
    const struct trial_span span = scope_trials(x, sc->e->sweep_id);
    struct rows *curve =
        scope_rows(x,
                   "SELECT step, iif(?2, -val_loss, val_acc) FROM curve WHERE trial_id = ?1"
                   " ORDER BY step DESC LIMIT 5",
                   VALUES(INTEGER(0), INTEGER(sc->e->base.loss)));
    const struct value values[] = {INTEGER(sc->e->sweep_id), INTEGER(span.least),
                                   INTEGER(span.most)};
    struct rows *r = scope_rows(x, trials_sql[span.dense], values, span.dense ? 3 : 1);
    while (curve->status == STATUS_OK && scope_next(x, r))
        add_trial(sc, r, curve);
    scope_close(x, curve);
}

/* ---- order ---- */

#define POINT(p) (*(struct grid_point *const *)(p))

static int compare_replicates(const void *a, const void *b)
{
    return strcmp(POINT(a)->replicate, POINT(b)->replicate);
}

/* By setting, fresh, unit. */
static int compare_units(const void *a, const void *b)
{
    const struct grid_point *x = POINT(a), *y = POINT(b);
    int order = strcmp(x->setting, y->setting);
    order = order ? order : x->fresh - y->fresh;
    return order ? order : compare_integers(x->unit, y->unit);
}

/* By arm. */
static int compare_arms(const void *a, const void *b)
{
    const struct grid_point *x = POINT(a), *y = POINT(b);
    int order = compare_integers(x->set, y->set);
    order = order ? order : x->fresh - y->fresh;
    return order ? order : compare_integers(x->heads, y->heads);
}

/* By arm and, in it, by unit. */
static int compare_points(const void *a, const void *b)
{
    int order = compare_arms(a, b);
    return order ? order : compare_integers(POINT(a)->unit, POINT(b)->unit);
}

static void sort_points(struct scan *sc, int (*compare)(const void *, const void *))
{
    if (sc->points)
        qsort(sc->point, (size_t)sc->points, sizeof *sc->point, compare);
}

/* ---- instances that draw the same task ---- */

struct drawn {
    int64_t instance;
    int unit; /* number of the replicate */
    bool fresh;
    const char *task; /* what the task's options mean */
    int same;         /* index of the first that draws the same */
};

/* Explored ones first, by number; fresh ones by their texts. */
static int compare_drawn(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    int order = x->fresh - y->fresh;
    if (order == 0 && !x->fresh)
        order = compare_integers(x->instance, y->instance);
    return order ? order : compare_integers(x->unit, y->unit);
}

static int64_t instance_of(const struct grid_point *p)
{
    static const char key[] = "\"task.instance\":";
    const char *at = strstr(p->replicate, key);
    return at ? strtoll(at + strlen(key), NULL, 10) : 0;
}

/* The instances of a setting, whose points are first to end - 1, in the order of compare_units. */
static struct drawn *list_drawn(struct scan *sc, struct rows *task, int first, int end, int *count)
{
    struct scope *x = sc->scope;
    struct drawn *d = arena_alloc(&x->arena, (size_t)(end - first), sizeof *d);
    int n = 0;
    for (int i = first; i < end; i++) {
        const struct grid_point *p = sc->point[i];
        if (i > first && compare_units(&sc->point[i - 1], &sc->point[i]) == 0)
            continue;
        rows_rebind(task, VALUES(INTEGER(p->config_id), TEXT(p->replicate)));
        d[n++] = (struct drawn){instance_of(p), p->unit, p->fresh,
                                rows_next(task) ? scope_column(x, task, 0) : "", 0};
    }
    qsort(d, (size_t)n, sizeof *d, compare_drawn);
    for (int i = 0; i < n; i++)
        while (strcmp(d[d[i].same].task, d[i].task) != 0)
            d[i].same++;
    *count = n;
    return d;
}

/* "0, 2 and 5; 1 and 3": those that draw the same as each other; NULL: there are none. */
static const char *tell_alike(struct scan *sc, const struct drawn *d, int n)
{
    struct text_buffer text = scope_text(sc->scope);
    for (int i = 0; i < n; i++) {
        int others = 0;
        for (int k = i + 1; k < n; k++)
            others += d[k].same == i;
        if (others > 0)
            text_add(&text, "%s%lld", text.used ? "; " : "", (long long)d[i].instance);
        for (int k = i + 1; k < n; k++)
            if (d[k].same == i)
                text_add(&text, "%s%lld", --others ? ", " : " and ", (long long)d[k].instance);
    }
    return text.text;
}

/* The number of a fresh instance as a unit: by what it draws. */
static int fresh_unit(const struct drawn *d, int n, const char *task)
{
    int unit = 0;
    for (int i = 0; i < n; i++)
        unit += d[i].fresh && strcmp(d[i].task, task) < 0;
    return unit;
}

/* Trials of instances that draw the same task are of one unit; fresh ones that repeat a task do not
 * count. */
static void join_alike(struct scan *sc, struct evidence_setting *s, struct rows *task, int first,
                       int end)
{
    int n, explored = 0, different = 0;
    const struct drawn *d = list_drawn(sc, task, first, end, &n);
    for (; explored < n && !d[explored].fresh; explored++)
        different += d[explored].same == explored;
    s->input.alike = tell_alike(sc, d, explored);
    s->input.instances = s->input.alike ? explored : 0;
    s->input.different = s->input.alike ? different : 0;
    for (int i = explored; i < n; i++)
        s->confirm.repeated += d[i].same != i;
    for (int i = first; i < end; i++) {
        struct grid_point *p = sc->point[i];
        int k = p->fresh ? explored : 0;
        while (d[k].unit != p->unit)
            k++;
        p->repeated = p->fresh && d[k].same != k;
        p->unit = p->fresh ? fresh_unit(d, n, d[k].task) : d[d[k].same].unit;
    }
}

/* ---- settings ---- */

/* All but its trials. */
static struct evidence_setting setting_of(struct scope *x, const struct evidence *e,
                                          const struct grid_point *first)
{
    struct evidence_setting s = {.setting = first->setting,
                                 .label = first->label,
                                 .place = INT64_MAX,
                                 .config_id = first->config_id,
                                 .input = e->base};
    s.input.data = first->data;
    s.input.guess_loss = first->guess;
    s.input.interleaved = first->interleaved;
    s.fresh = s.input;
    s.input.claim = e->claim;
    s.input.equivalence = e->equivalence;
    s.input.looks = e->looks;
    if (e->looks > 0) /* the one that is open, or that decided */
        s.input.look = (int)scope_ask(
            x,
            "SELECT coalesce(iif(max(decided), max(look), min(max(look) + 1, ?3)), 1) FROM look"
            " WHERE sweep_id = ?1 AND setting = ?2",
            VALUES(INTEGER(e->sweep_id), TEXT(first->setting), INTEGER(e->looks)));
    return s;
}

/* Of the points first to end - 1. task: what instances draw; NULL: none are replicated. */
static void add_setting(struct scan *sc, struct rows *task, int first, int end)
{
    struct evidence *e = sc->e;
    const struct grid_point *earliest = sc->point[first];
    for (int i = first; i < end; i++)
        earliest = sc->point[i]->place < earliest->place ? sc->point[i] : earliest;
    e->setting = arena_grow(&sc->scope->arena, e->setting, (size_t)e->settings, sizeof *e->setting);
    struct evidence_setting *s = &e->setting[e->settings];
    *s = setting_of(sc->scope, e, earliest);
    for (int i = first; i < end; i++) {
        struct grid_point *p = sc->point[i];
        p->set = e->settings;
        s->input.tuning += p->tuning;
        s->input.tuning_ended += p->tuning_ended;
        s->input.eliminated += p->eliminated;
        int seeds = (int)(p->tuning + p->eliminated); /* the same for all values */
        s->input.tuning_seeds = seeds > s->input.tuning_seeds ? seeds : s->input.tuning_seeds;
    }
    if (task)
        join_alike(sc, s, task, first, end);
    e->settings++;
}

/* In the order of their texts. */
static void add_settings(struct scan *sc)
{
    const char *replicated = sc->e->base.replicated;
    struct grid_point **p = sc->point;
    struct rows *task = NULL;
    if (replicated && strstr(replicated, "task.instance"))
        task = scope_rows(sc->scope,
                          "SELECT " REPLICATE_DRAWN("?2") " FROM config WHERE config_id = ?1",
                          NO_VALUES);
    sort_points(sc, compare_replicates);
    for (int i = 1; i < sc->points; i++)
        p[i]->unit = p[i - 1]->unit + (compare_replicates(&p[i - 1], &p[i]) != 0);
    sort_points(sc, compare_units);
    for (int first = 0, end; first < sc->points; first = end) {
        for (end = first + 1; end < sc->points && !strcmp(p[end]->setting, p[first]->setting);)
            end++;
        add_setting(sc, task, first, end);
    }
    if (task)
        scope_close(sc->scope, task);
}

/* ---- arms ---- */

/* Of those that are one planned trial, the one that has ended comes first, else the one with the
 * highest learning rate. */
static int compare_trials(const void *a, const void *b)
{
    const struct planned *p = a, *q = b;
    int order = compare_integers(p->point->rank, q->point->rank);
    order = order ? order : compare_integers(p->trial.seed, q->trial.seed);
    order = order ? order : q->ended - p->ended;
    if (order == 0) /* of candidates */
        order = (p->point->lr < q->point->lr) - (p->point->lr > q->point->lr);
    return order ? order : compare_integers(p->trial.trial_id, q->trial.trial_id);
}

/* Puts trials in the order of their arms. */
static void sort_trials(struct scan *sc)
{
    sort_points(sc, compare_points);
    for (int i = 1; i < sc->points; i++)
        sc->point[i]->rank =
            sc->point[i - 1]->rank + (compare_points(&sc->point[i - 1], &sc->point[i]) != 0);
    if (sc->count)
        qsort(sc->planned, sc->count, sizeof *sc->planned, compare_trials);
}

static void add_arm(struct scope *x, struct verdict_input *in, const struct grid_point *p,
                    const struct verdict_trial *trial)
{
    in->arm = arena_grow(&x->arena, in->arm, (size_t)in->count, sizeof *in->arm);
    in->arm[in->count++] =
        (struct verdict_arm){.id = p->heads,
                             .trial = trial,
                             .d_head = p->d_head,
                             .n_params = p->n_params,
                             .lr = isnan(p->lr) ? NULL : scope_print(x, "%.6g", p->lr)};
}

static void take_trial(struct evidence *e, struct evidence_setting *s, struct verdict_input *in,
                       const struct planned *p)
{
    const struct grid_point *at = p->point;
    struct verdict_arm *arm = &in->arm[in->count - 1];
    in->steps = at->steps > in->steps ? at->steps : in->steps;
    in->decays = in->decays || at->decays;
    in->chance = p->chance;
    in->planned++;
    arm->planned++;
    if (!p->ended)
        return;
    e->trial[e->trials] = p->trial;
    e->trial[e->trials++].unit = at->unit;
    s->trials++;
    arm->n++;
    if (p->completed) {
        arm->completed++;
        arm->train_s += p->train_s;
    }
}

/* Under tune a seed has one trial per candidate until the choice is made: they are one planned
 * trial, which has ended when the chosen one has. */
static void take_trials(struct scan *sc)
{
    struct evidence *e = sc->e;
    const struct planned *last = NULL;
    e->trial = arena_alloc(&sc->scope->arena, sc->count, sizeof *e->trial);
    for (const struct planned *p = sc->planned; p < sc->planned + sc->count; p++) {
        const struct grid_point *at = p->point;
        struct evidence_setting *s = &e->setting[at->set];
        struct verdict_input *in = at->fresh ? &s->fresh : &s->input;
        if (at->repeated || (at->fresh ? s->input.count == 0 : p->look > s->input.look && e->looks))
            continue;
        s->trial = s->trial ? s->trial : e->trial + e->trials;
        if (!last || compare_arms(&last->point, &at) != 0)
            add_arm(sc->scope, in, at, e->trial + e->trials);
        if (!at->fresh)
            s->place = p->place < s->place ? p->place : s->place;
        if (last && last->point->rank == at->rank && last->trial.seed == p->trial.seed) {
            if (last->point->lr != at->lr) /* not chosen yet */
                in->arm[in->count - 1].lr = NULL;
            continue;
        }
        take_trial(e, s, in, p);
        last = p;
    }
}

void evidence_read_trials(struct scope *x, struct evidence *e)
{
    const struct verdict_input *base = &e->base;
    struct scan sc = {.scope = x,
                      .e = e,
                      .files =
                          base->loss && base->replicated && strstr(base->replicated, "task.file"),
                      .first = INT64_MAX};
    int kept = 0;
    read_configs(&sc);
    read_trials(&sc);
    add_settings(&sc);
    sort_trials(&sc);
    take_trials(&sc);
    for (int i = 0; i < e->settings; i++)
        if (e->setting[i].input.count > 0)
            e->setting[kept++] = e->setting[i];
    e->settings = kept;
}
