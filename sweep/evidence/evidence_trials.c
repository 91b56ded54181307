/* The trials of a plan, read in one pass by their numbers, as a rule as they lie in the file:
 * sweeps of a hundred thousand trials are read again and again while they run. Then the settings
 * and head counts of these trials. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/evidence/evidence_parts.h"

/* What is needed of a configuration: the seed is not in it. */
struct grid_point {
    int64_t config_id, heads, steps, n_params, d_head;
    double lr;
    bool decays;                /* the learning rate ends at 0 */
    struct trial_group *groups; /* of its trials; as a rule one */
};

/* Trials that are alike but for their seeds. */
struct trial_group {
    struct trial_group *next; /* of its point */
    struct grid_point *point;
    char *setting, *label, *replicate;
    int set, unit; /* number of its setting, in the order of texts; of its replicate, or of another
                      that draws the same task */
    int instances, different; /* of its setting: see struct verdict_input */
    const char *alike;
    int64_t place; /* of its first trial in the plan */
    int look;      /* that its setting has open, or that decided; 0: no looks */
    long tuning, tuning_ended, eliminated; /* as in struct verdict_input */
};

/* A trial that neither serves only to choose nor lost: with its results once it has ended, if it
 * was chosen. */
struct planned {
    struct verdict_trial trial;
    struct trial_group *group;
    int64_t place;
    double chance, train_s; /* NaN: none */
    enum trial_state state;
    bool ended;
    bool judged; /* belongs to the look that is open, or to one before */
};

struct open_look {
    char *setting;
    int look;
};

struct scan {
    struct scope *scope;
    struct evidence *e;
    int64_t first; /* place in the plan of the first trial */
    int points, groups, looks;
    struct grid_point *point; /* by rising config_id */
    struct trial_group **group;
    struct open_look *look; /* by their settings' texts */
    size_t count;
    struct planned *planned; /* by rising trial_id, then as planned_compare says */
};

/* <0, 0, >0, as qsort asks for it. */
static inline int compare_integers(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

/* ---- what is known before any trial is read ---- */

static void read_points(struct scan *sc)
{
    enum { CONFIG, HEADS, STEPS, PARAMS, D_HEAD, LR, DECAYS };
    struct scope *x = sc->scope;
    struct rows *r = scope_rows(x,
                                "SELECT config_id, heads, steps, n_params, d_head, lr,"
                                " schedule IN ('cosine', 'linear') FROM config"
                                " WHERE EXISTS (SELECT 1 FROM trial WHERE sweep_id = ?1"
                                "  AND trial.config_id = config.config_id AND in_plan = 1)"
                                " ORDER BY config_id",
                                VALUES(INTEGER(sc->e->sweep_id)));
    while (scope_next(x, r)) {
        sc->point = arena_grow(&x->arena, sc->point, (size_t)sc->points, sizeof *sc->point);
        sc->point[sc->points++] = (struct grid_point){.config_id = rows_integer(r, CONFIG),
                                                      .heads = rows_integer(r, HEADS),
                                                      .steps = rows_integer(r, STEPS),
                                                      .n_params = rows_integer(r, PARAMS),
                                                      .d_head = rows_integer(r, D_HEAD),
                                                      .lr = rows_real(r, LR),
                                                      .decays = rows_integer(r, DECAYS) != 0};
    }
}

static void read_looks(struct scan *sc)
{
    struct scope *x = sc->scope;
    struct rows *r =
        scope_rows(x,
                   "SELECT setting, iif(max(decided), max(look), min(max(look) + 1, ?2)) FROM look"
                   " WHERE sweep_id = ?1 GROUP BY setting ORDER BY setting",
                   VALUES(INTEGER(sc->e->sweep_id), INTEGER(sc->e->base.looks)));
    while (scope_next(x, r)) {
        sc->look = arena_grow(&x->arena, sc->look, (size_t)sc->looks, sizeof *sc->look);
        sc->look[sc->looks++] = (struct open_look){scope_given(x, r, 0), (int)rows_integer(r, 1)};
    }
}

static int compare_looks(const void *a, const void *b)
{
    return strcmp(((const struct open_look *)a)->setting, ((const struct open_look *)b)->setting);
}

static int look_of(const struct scan *sc, const char *setting)
{
    const struct open_look key = {.setting = (char *)setting};
    const struct open_look *found =
        sc->looks ? bsearch(&key, sc->look, (size_t)sc->looks, sizeof key, compare_looks) : NULL;
    return found ? found->look : sc->e->base.looks > 0;
}

/* ---- groups ---- */

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
    VAL,
    EXACT,
    CHANCE,
    TRAIN_S,
    STEPS_DONE,
    CONFIRMS
};

/* Two ways to the same rows: one by one, by the sweep's index, and, where its trials lie close
 * together, along the table (+sweep_id), which is quicker. ?1: sweep, ?2: by loss; in the second
 * ?3, ?4: its first and last trial. */
#define ONE_BY_ONE                                                                                 \
    " WHERE trial_id IN (SELECT trial_id FROM trial WHERE sweep_id = ?1 AND in_plan = 1)"
#define TRIALS                                                                                     \
    "SELECT trial_id, config_id, setting, setting_label, replicate, seed, state, choice,"          \
    "  is_tuning, limit_hit, look, plan_order, test_acc, test_loss, iif(?2, val_loss, val_acc),"   \
    "  test_exact, chance, train_s, steps_done, confirms FROM trial"
static const char *const trials_sql[] = {
    TRIALS ONE_BY_ONE " ORDER BY trial_id",
    TRIALS " WHERE trial_id BETWEEN ?3 AND ?4 AND +sweep_id = ?1 AND in_plan = 1"
           " ORDER BY trial_id"};

static int compare_points(const void *a, const void *b)
{
    const struct grid_point *x = a, *y = b;
    return compare_integers(x->config_id, y->config_id);
}

static struct trial_group *new_group(struct scan *sc, struct grid_point *point, struct rows *r)
{
    struct scope *x = sc->scope;
    struct trial_group *g = arena_alloc(&x->arena, 1, sizeof *g);
    *g = (struct trial_group){.next = point->groups,
                              .point = point,
                              .setting = scope_given(x, r, SETTING),
                              .label = scope_given(x, r, LABEL),
                              .replicate = scope_given(x, r, REPLICATE),
                              .place = INT64_MAX};
    g->look = look_of(sc, g->setting);
    point->groups = g;
    sc->group = arena_grow(&x->arena, sc->group, (size_t)sc->groups, sizeof(struct trial_group *));
    sc->group[sc->groups++] = g;
    return g;
}

/* NULL: there is none. */
static struct grid_point *point_of(const struct scan *sc, int64_t config_id)
{
    const struct grid_point key = {.config_id = config_id};
    return sc->points ? bsearch(&key, sc->point, (size_t)sc->points, sizeof key, compare_points)
                      : NULL;
}

static struct trial_group *group_of(struct scan *sc, struct grid_point *point, struct rows *r)
{
    const char *setting = rows_given(r, SETTING), *replicate = rows_given(r, REPLICATE);
    for (struct trial_group *g = point->groups; g; g = g->next)
        if (strcmp(g->setting, setting) == 0 && strcmp(g->replicate, replicate) == 0)
            return g;
    return new_group(sc, point, r);
}

/* ---- trials ---- */

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

static void put_results(struct planned *p, struct rows *r, struct rows *curve, bool loss)
{
    bool completed = p->state == TRIAL_COMPLETED;
    p->ended = true;
    p->train_s = rows_real(r, TRAIN_S);
    p->trial.limited = p->state == TRIAL_FAILED && rows_integer(r, LIMIT_HIT);
    p->trial.bad = !completed && !p->trial.limited;
    p->trial.test = rows_real(r, loss ? TEST_LOSS : TEST_ACC);
    p->trial.val = rows_real(r, VAL);
    p->trial.exact = rows_real(r, EXACT);
    p->trial.late_slope = completed && p->judged ? late_slope(curve, r, p->group->point) : NAN;
}

static void add_trial(struct scan *sc, struct rows *r, struct rows *curve)
{
    struct grid_point *point = point_of(sc, rows_integer(r, CONFIG_ID));
    if (!point || rows_integer(r, CONFIRMS)) /* `check` tells of the first */
        return;
    struct trial_group *g = group_of(sc, point, r);
    enum trial_state state = rows_state(r, STATE);
    enum trial_choice choice = rows_choice(r, CHOICE);
    int64_t place = rows_integer(r, PLACE);
    g->place = place < g->place ? place : g->place;
    if (place < sc->first) {
        sc->first = place;
        sc->e->first_trial = rows_integer(r, TRIAL_ID);
    }
    if (rows_integer(r, IS_TUNING)) {
        g->tuning += state != TRIAL_NOT_NEEDED;
        g->tuning_ended += trial_state_ended(state);
        g->eliminated += state == TRIAL_NOT_NEEDED;
        return;
    }
    if (state == TRIAL_NOT_NEEDED || choice == CHOICE_ELIMINATED)
        return;
    sc->planned = arena_grow(&sc->scope->arena, sc->planned, sc->count, sizeof *sc->planned);
    struct planned *p = &sc->planned[sc->count++];
    *p = (struct planned){
        .trial = {.seed = rows_integer(r, SEED), .trial_id = rows_integer(r, TRIAL_ID)},
        .group = g,
        .place = place,
        .chance = rows_real(r, CHANCE),
        .state = state,
        .judged = !sc->e->base.looks || rows_integer(r, LOOK) <= g->look};
    if (choice == CHOICE_CHOSEN && trial_state_ended(state))
        put_results(p, r, curve, sc->e->base.loss);
}

static void read_trials(struct scan *sc)
{
    struct scope *x = sc->scope;
    bool loss = sc->e->base.loss;
    const struct trial_span span = scope_trials(x, sc->e->sweep_id);
    struct rows *curve =
        scope_rows(x,
                   "SELECT step, iif(?2, -val_loss, val_acc) FROM curve WHERE trial_id = ?1"
                   " ORDER BY step DESC LIMIT 5",
                   VALUES(INTEGER(0), INTEGER(loss)));
    const struct value values[] = {INTEGER(sc->e->sweep_id), INTEGER(loss), INTEGER(span.least),
                                   INTEGER(span.most)};
    struct rows *r = scope_rows(x, trials_sql[span.dense], values, span.dense ? 4 : 2);
    while (curve->status == STATUS_OK && scope_next(x, r))
        add_trial(sc, r, curve);
    scope_close(x, curve);
}

/* ---- order ---- */

static int compare_settings(const void *a, const void *b)
{
    return strcmp((*(struct trial_group *const *)a)->setting,
                  (*(struct trial_group *const *)b)->setting);
}

static int compare_replicates(const void *a, const void *b)
{
    return strcmp((*(struct trial_group *const *)a)->replicate,
                  (*(struct trial_group *const *)b)->replicate);
}

static int compare_units(const void *a, const void *b)
{
    const struct trial_group *x = *(struct trial_group *const *)a,
                             *y = *(struct trial_group *const *)b;
    return x->set != y->set ? compare_integers(x->set, y->set) : compare_integers(x->unit, y->unit);
}

/* ---- instances that draw the same task ---- */

struct drawn {
    int64_t instance;
    int unit;         /* number of the replicate */
    const char *task; /* what the task's options mean */
    int same;         /* index of the first that draws the same */
};

static int compare_drawn(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    return x->instance != y->instance ? compare_integers(x->instance, y->instance)
                                      : compare_integers(x->unit, y->unit);
}

static int64_t instance_of(const struct trial_group *g)
{
    static const char key[] = "\"task.instance\":";
    const char *at = strstr(g->replicate, key);
    return at ? strtoll(at + strlen(key), NULL, 10) : 0;
}

/* The instances of a setting, whose groups are first to end - 1, by rising unit. */
static struct drawn *list_drawn(struct scan *sc, struct rows *task, int first, int end, int *count)
{
    struct scope *x = sc->scope;
    struct drawn *d = arena_alloc(&x->arena, (size_t)(end - first), sizeof *d);
    int n = 0;
    for (int i = first; i < end; i++) {
        const struct trial_group *g = sc->group[i];
        if (i > first && g->unit == sc->group[i - 1]->unit)
            continue;
        rows_rebind(task, VALUES(INTEGER(g->point->config_id), TEXT(g->replicate)));
        d[n++] = (struct drawn){instance_of(g), g->unit,
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

/* Trials of instances that draw the same task are of one unit. */
static void join_alike(struct scan *sc, struct rows *task, int first, int end)
{
    int n, different = 0;
    const struct drawn *d = list_drawn(sc, task, first, end, &n);
    const char *alike = tell_alike(sc, d, n);
    for (int i = 0; i < n; i++)
        different += d[i].same == i;
    for (int i = first; i < end && alike; i++) {
        int k = 0;
        while (d[k].unit != sc->group[i]->unit)
            k++;
        sc->group[i]->unit = d[d[k].same].unit;
        sc->group[i]->alike = alike;
        sc->group[i]->instances = n;
        sc->group[i]->different = different;
    }
}

static void join_instances(struct scan *sc)
{
    struct scope *x = sc->scope;
    if (!sc->e->base.replicated || !strstr(sc->e->base.replicated, "task.instance"))
        return;
    struct rows *task = scope_rows(
        x, "SELECT " REPLICATE_DRAWN("?2") " FROM config WHERE config_id = ?1", NO_VALUES);
    qsort(sc->group, (size_t)sc->groups, sizeof *sc->group, compare_units);
    for (int first = 0, end; first < sc->groups; first = end) {
        for (end = first + 1; end < sc->groups && sc->group[end]->set == sc->group[first]->set;)
            end++;
        join_alike(sc, task, first, end);
    }
    scope_close(x, task);
}

/* Leaves the groups in the order of their settings. */
static void number_groups(struct scan *sc)
{
    struct trial_group **g = sc->group;
    if (sc->groups == 0)
        return;
    qsort(g, (size_t)sc->groups, sizeof *g, compare_replicates);
    for (int i = 1; i < sc->groups; i++)
        g[i]->unit = g[i - 1]->unit + (compare_replicates(&g[i - 1], &g[i]) != 0);
    qsort(g, (size_t)sc->groups, sizeof *g, compare_settings);
    for (int i = 1; i < sc->groups; i++)
        g[i]->set = g[i - 1]->set + (compare_settings(&g[i - 1], &g[i]) != 0);
    join_instances(sc);
}

/* Whether both are of one setting and head count. */
static bool planned_together(const struct planned *p, const struct planned *q)
{
    return p->group->set == q->group->set && p->group->point->heads == q->group->point->heads;
}

/* By setting, head count, unit, seed: 0 for what is one planned trial. */
static int planned_compare(const struct planned *p, const struct planned *q)
{
    int order = compare_integers(p->group->set, q->group->set);
    if (order == 0)
        order = compare_integers(p->group->point->heads, q->group->point->heads);
    if (order == 0)
        order = compare_integers(p->group->unit, q->group->unit);
    return order ? order : compare_integers(p->trial.seed, q->trial.seed);
}

static int compare_trials(const void *a, const void *b)
{
    const struct planned *p = a, *q = b;
    int order = planned_compare(p, q);
    if (order == 0)
        order = compare_integers(q->ended, p->ended);
    if (order == 0) /* of candidates */
        order = (p->group->point->lr < q->group->point->lr) -
                (p->group->point->lr > q->group->point->lr);
    return order ? order : compare_integers(p->trial.trial_id, q->trial.trial_id);
}

/* Puts trials in the order of planned_compare. Of those that are one planned trial the one that has
 * ended comes first, else the one with the highest learning rate. */
static void scan_sort(struct scan *sc)
{
    number_groups(sc);
    if (sc->count)
        qsort(sc->planned, sc->count, sizeof *sc->planned, compare_trials);
}

/* ---- all of it ---- */

/* Reads all trials of the plan; e->base is known. */
static void scan_read(struct scan *sc)
{
    sc->first = INT64_MAX;
    read_points(sc);
    read_looks(sc);
    read_trials(sc);
}

/* ---- settings and head counts ---- */

static struct evidence_setting *add_setting(struct arena *a, struct evidence *e,
                                            const struct trial_group *g)
{
    e->setting = arena_grow(a, e->setting, (size_t)e->settings, sizeof *e->setting);
    struct evidence_setting *added = &e->setting[e->settings++];
    *added = (struct evidence_setting){
        .setting = g->setting, .label = g->label, .place = INT64_MAX, .input = e->base};
    added->input.look = g->look;
    added->input.instances = g->instances;
    added->input.different = g->different;
    added->input.alike = g->alike;
    return added;
}

static void add_heads(struct arena *a, struct evidence *e, struct evidence_setting *set,
                      const struct grid_point *point)
{
    size_t n = (size_t)set->count++;
    set->heads = arena_grow(a, set->heads, n, sizeof *set->heads);
    set->extra = arena_grow(a, set->extra, n, sizeof *set->extra);
    set->first = arena_grow(a, set->first, n, sizeof *set->first);
    set->first[n] = e->trials;
    set->extra[n] = (struct evidence_heads){.n_params = point->n_params};
    if (!isnan(point->lr))
        snprintf(set->extra[n].lr, sizeof set->extra->lr, "%.6g", point->lr);
    set->heads[n] = (struct verdict_heads){.heads = point->heads, .d_head = point->d_head};
}

static void take_trial(struct evidence *e, struct evidence_setting *set, const struct planned *p)
{
    int64_t steps = p->group->point->steps;
    set->input.steps = steps > set->input.steps ? steps : set->input.steps;
    set->input.decays = set->input.decays || p->group->point->decays;
    set->input.chance = p->chance;
    set->input.planned++;
    set->extra[set->count - 1].planned++;
    if (!p->ended)
        return;
    e->trial[e->trials] = p->trial;
    e->trial[e->trials++].unit = p->group->unit;
    set->heads[set->count - 1].n++;
    if (p->state == TRIAL_COMPLETED) {
        set->extra[set->count - 1].completed++;
        set->extra[set->count - 1].train_s += p->train_s;
    }
}

/* Under tune a seed has one trial per candidate until the choice is made: they are one planned
 * trial, which has ended when the chosen one has. */
static void take_trials(struct scan *sc)
{
    struct evidence *e = sc->e;
    struct arena *a = &sc->scope->arena;
    struct evidence_setting *set = NULL;
    const struct planned *last = NULL;
    for (const struct planned *p = sc->planned; p < sc->planned + sc->count; p++) {
        if (!p->judged)
            continue;
        const struct grid_point *point = p->group->point;
        if (!last || last->group->set != p->group->set)
            set = add_setting(a, e, p->group);
        if (!last || !planned_together(last, p))
            add_heads(a, e, set, point);
        set->place = p->place < set->place ? p->place : set->place;
        if (last && planned_compare(last, p) == 0) {
            if (last->group->point->lr != point->lr) /* not chosen yet */
                set->extra[set->count - 1].lr[0] = '\0';
            continue;
        }
        take_trial(e, set, p);
        last = p;
    }
}

/* What settings have of all their trials, those that only serve to choose too. */
static void take_groups(struct scan *sc)
{
    const struct trial_group *first = NULL;
    for (int i = 0; i < sc->groups; i++) {
        const struct trial_group *g = sc->group[i];
        struct evidence_setting *set = evidence_find(sc->e, g->setting);
        if (!first || first->set != g->set || g->place < first->place)
            first = g;
        if (!set)
            continue;
        set->config_id = first->point->config_id;
        set->input.tuning += g->tuning;
        set->input.tuning_ended += g->tuning_ended;
        set->input.eliminated += g->eliminated;
    }
}

/* ---- all of it ---- */

void evidence_read_trials(struct scope *x, struct evidence *e)
{
    struct scan sc = {.scope = x, .e = e};
    scan_read(&sc);
    scan_sort(&sc);
    e->trial = arena_alloc(&x->arena, sc.count, sizeof *e->trial);
    take_trials(&sc);
    take_groups(&sc);
}
