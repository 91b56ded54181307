/* The trials of a plan, read in one pass along their numbers, as they lie in the file, and put in
 * order here: sweeps of a hundred thousand trials are read again and again while they run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "engine/base/text.h"
#include "sweep/store/evidence_parts.h"

/* What a verdict needs to know of a configuration. */
struct model {
    int64_t config_id, heads, steps, n_params, d_head;
    double lr;
    struct kind *kinds; /* of its trials, the newest first; as a rule one */
};

/* Trials that are alike but for their seeds. */
struct kind {
    struct kind *next; /* of its model */
    struct model *model;
    char *setting, *label, *replicate;
    int set, unit;             /* number of its setting, of its replicate, in the order of texts */
    int64_t place;             /* of its first trial in the plan */
    int look;                  /* that its setting has open, or that decided; 0: no looks */
    long tuning, tuning_ended; /* trials that only serve to choose */
};

/* A trial that is judged once it has ended. */
struct planned {
    struct verdict_trial trial;
    struct kind *kind;
    int64_t place;
    double chance, train_s;
    bool ended, completed;
};

struct open_look {
    char *setting;
    int look;
};

struct scan {
    struct store *store;
    int64_t sweep_id;
    struct evidence *e;
    struct message *m;
    int64_t first; /* place in the plan of the first trial */
    int models, kinds, looks;
    struct model *model; /* by rising config_id */
    struct kind **kind;
    struct open_look *look; /* by their settings' texts */
    size_t count;
    struct planned *planned;
};

/* ---- what is known before any trial is read ---- */

static enum status read_models(struct scan *sc)
{
    enum { CONFIG, HEADS, STEPS, PARAMS, D_HEAD, LR };
    struct rows r = rows_open(sc->store, sc->m,
                              "SELECT config_id, heads, steps, n_params, d_head, lr FROM config"
                              " WHERE EXISTS (SELECT 1 FROM trial WHERE sweep_id = ?1"
                              "  AND trial.config_id = config.config_id AND in_plan = 1)"
                              " ORDER BY config_id",
                              VALUES(INTEGER(sc->sweep_id)));
    bool room = true;
    while (room && rows_next(&r)) {
        struct model *grown = array_grow(sc->model, (size_t)sc->models, sizeof *grown);
        room = grown != NULL;
        if (!room)
            break;
        sc->model = grown;
        grown[sc->models++] = (struct model){.config_id = rows_integer(&r, CONFIG),
                                             .heads = rows_integer(&r, HEADS),
                                             .steps = rows_integer(&r, STEPS),
                                             .n_params = rows_integer(&r, PARAMS),
                                             .d_head = rows_integer(&r, D_HEAD),
                                             .lr = rows_real(&r, LR)};
    }
    enum status closed = rows_close(&r);
    return room ? closed : evidence_no_memory(sc->m);
}

static enum status read_looks(struct scan *sc)
{
    struct rows r =
        rows_open(sc->store, sc->m,
                  "SELECT setting, iif(max(decided), max(look), min(max(look) + 1, ?2)) FROM look"
                  " WHERE sweep_id = ?1 GROUP BY setting ORDER BY setting",
                  VALUES(INTEGER(sc->sweep_id), INTEGER(sc->e->base.looks)));
    bool room = true;
    while (room && rows_next(&r)) {
        struct open_look *grown = array_grow(sc->look, (size_t)sc->looks, sizeof *grown);
        char *setting = text_copy(rows_given(&r, 0));
        sc->look = grown ? grown : sc->look;
        room = grown && setting;
        if (room)
            grown[sc->looks++] = (struct open_look){setting, (int)rows_integer(&r, 1)};
        else
            free(setting);
    }
    enum status closed = rows_close(&r);
    return room ? closed : evidence_no_memory(sc->m);
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

/* ---- kinds ---- */

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
    TEST,
    VAL,
    EXACT,
    CHANCE,
    TRAIN_S,
    STEPS_DONE
};

/* +sweep_id: SQLite is to walk along the table, from the first trial of the sweep to its last. */
static const char TRIALS[] =
    "WITH own AS MATERIALIZED (SELECT min(trial_id) AS first, max(trial_id) AS last"
    "  FROM trial WHERE sweep_id = ?1)"
    " SELECT trial_id, config_id, setting, setting_label, replicate, seed, state, choice,"
    "  is_tuning, limit_hit, look, plan_order, iif(?2, test_loss, test_acc),"
    "  iif(?2, val_loss, val_acc), test_exact, chance, train_s, steps_done"
    " FROM own CROSS JOIN trial WHERE trial_id BETWEEN first AND last AND +sweep_id = ?1"
    "  AND in_plan = 1";

static int compare_models(const void *a, const void *b)
{
    int64_t x = ((const struct model *)a)->config_id, y = ((const struct model *)b)->config_id;
    return (x > y) - (x < y);
}

static struct kind *new_kind(struct scan *sc, struct model *model, struct rows *r)
{
    struct kind **grown = array_grow(sc->kind, (size_t)sc->kinds, sizeof *grown);
    struct kind *k = calloc(1, sizeof *k);
    sc->kind = grown ? grown : sc->kind;
    if (!grown || !k) {
        free(k);
        return NULL;
    }
    grown[sc->kinds++] = k;
    *k = (struct kind){.next = model->kinds,
                       .model = model,
                       .setting = text_copy(rows_given(r, SETTING)),
                       .label = text_copy(rows_given(r, LABEL)),
                       .replicate = text_copy(rows_given(r, REPLICATE)),
                       .place = INT64_MAX};
    model->kinds = k;
    if (!k->setting || !k->label || !k->replicate)
        return NULL;
    k->look = look_of(sc, k->setting);
    return k;
}

/* NULL: there is none. */
static struct model *model_of(const struct scan *sc, int64_t config_id)
{
    const struct model key = {.config_id = config_id};
    return sc->models ? bsearch(&key, sc->model, (size_t)sc->models, sizeof key, compare_models)
                      : NULL;
}

/* NULL: no memory. */
static struct kind *kind_of(struct scan *sc, struct model *model, struct rows *r)
{
    const char *setting = rows_given(r, SETTING), *replicate = rows_given(r, REPLICATE);
    for (struct kind *k = model->kinds; k; k = k->next)
        if (strcmp(k->setting, setting) == 0 && strcmp(k->replicate, replicate) == 0)
            return k;
    return new_kind(sc, model, r);
}

/* ---- trials ---- */

/* Per tenth of the training steps, over the last five evaluations. */
static double late_slope(struct rows *curve, const struct rows *trial, const struct model *model)
{
    enum { STEP, Y };
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    int64_t done = rows_integer(trial, STEPS_DONE);
    int n = 0;
    rows_rebind(curve, VALUES(INTEGER(rows_integer(trial, TRIAL_ID))));
    while (rows_next(curve)) {
        double x = 10.0 * (double)(rows_integer(curve, STEP) - done) / (double)model->steps;
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

static void put_trial(struct planned *p, struct rows *r, struct rows *curve, enum trial_state state)
{
    bool limited = state == TRIAL_FAILED && rows_integer(r, LIMIT_HIT) != 0;
    p->ended = true;
    p->completed = state == TRIAL_COMPLETED;
    p->train_s = rows_real(r, TRAIN_S);
    p->trial.bad = !p->completed && !limited;
    p->trial.limited = limited;
    p->trial.test = rows_real(r, TEST);
    p->trial.val = rows_real(r, VAL);
    p->trial.exact = rows_real(r, EXACT);
    p->trial.late_slope = p->completed ? late_slope(curve, r, p->kind->model) : NAN;
}

/* Under tune a seed has one trial per candidate until the choice is made: they are one planned
 * trial, which has ended when the chosen one has. */
static enum status add_trial(struct scan *sc, struct rows *r, struct rows *curve)
{
    struct model *model = model_of(sc, rows_integer(r, CONFIG_ID));
    if (!model) /* `check` tells of it */
        return STATUS_OK;
    struct kind *k = kind_of(sc, model, r);
    if (!k)
        return evidence_no_memory(sc->m);
    enum trial_state state = rows_state(r, STATE);
    enum trial_choice choice = rows_choice(r, CHOICE);
    int64_t place = rows_integer(r, PLACE);
    k->place = place < k->place ? place : k->place;
    if (place < sc->first) {
        sc->first = place;
        sc->e->first_trial = rows_integer(r, TRIAL_ID);
    }
    if (rows_integer(r, IS_TUNING)) {
        k->tuning++;
        k->tuning_ended += state != TRIAL_QUEUED && state != TRIAL_RUNNING;
        return STATUS_OK;
    }
    if (state == TRIAL_PRUNED || choice == CHOICE_PASSED ||
        (sc->e->base.looks && rows_integer(r, LOOK) > k->look))
        return STATUS_OK;
    struct planned *grown = array_grow(sc->planned, sc->count, sizeof *grown);
    if (!grown)
        return evidence_no_memory(sc->m);
    sc->planned = grown;
    struct planned *p = &grown[sc->count++];
    *p = (struct planned){.kind = k, .place = place, .chance = rows_real(r, CHANCE)};
    p->trial.seed = rows_integer(r, SEED);
    p->trial.trial_id = rows_integer(r, TRIAL_ID);
    if (choice == CHOICE_CHOSEN && trial_state_ended(state))
        put_trial(p, r, curve, state);
    return STATUS_OK;
}

static enum status read_trials(struct scan *sc)
{
    bool loss = sc->e->base.loss;
    struct rows curve =
        rows_open(sc->store, sc->m,
                  "SELECT step, iif(?2, -val_loss, val_acc) FROM curve WHERE trial_id = ?1"
                  " ORDER BY step DESC LIMIT 5",
                  VALUES(INTEGER(0), INTEGER(loss)));
    struct rows r =
        rows_open(sc->store, sc->m, TRIALS, VALUES(INTEGER(sc->sweep_id), INTEGER(loss)));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && curve.status == STATUS_OK && rows_next(&r))
        status = add_trial(sc, &r, &curve);
    enum status closed = rows_close(&r), closed_curve = rows_close(&curve);
    if (status == STATUS_OK)
        status = closed;
    return status == STATUS_OK ? closed_curve : status;
}

/* ---- order ---- */

static int compare_settings(const void *a, const void *b)
{
    return strcmp((*(struct kind *const *)a)->setting, (*(struct kind *const *)b)->setting);
}

static int compare_replicates(const void *a, const void *b)
{
    return strcmp((*(struct kind *const *)a)->replicate, (*(struct kind *const *)b)->replicate);
}

/* Leaves the kinds in the order of their settings. */
static void number_kinds(struct scan *sc)
{
    struct kind **k = sc->kind;
    if (sc->kinds == 0)
        return;
    qsort(k, (size_t)sc->kinds, sizeof *k, compare_replicates);
    for (int i = 1; i < sc->kinds; i++)
        k[i]->unit = k[i - 1]->unit + (compare_replicates(&k[i - 1], &k[i]) != 0);
    qsort(k, (size_t)sc->kinds, sizeof *k, compare_settings);
    for (int i = 1; i < sc->kinds; i++)
        k[i]->set = k[i - 1]->set + (compare_settings(&k[i - 1], &k[i]) != 0);
}

static int compare_integers(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

/* By setting, head count, unit, seed: 0 for what is one planned trial. */
static int compare_planned(const struct planned *p, const struct planned *q)
{
    int order = compare_integers(p->kind->set, q->kind->set);
    if (order == 0)
        order = compare_integers(p->kind->model->heads, q->kind->model->heads);
    if (order == 0)
        order = compare_integers(p->kind->unit, q->kind->unit);
    return order ? order : compare_integers(p->trial.seed, q->trial.seed);
}

static int compare_trials(const void *a, const void *b)
{
    const struct planned *p = a, *q = b;
    int order = compare_planned(p, q);
    if (order == 0)
        order = compare_integers(q->ended, p->ended);
    return order ? order : compare_integers(p->trial.trial_id, q->trial.trial_id);
}

/* ---- settings and head counts ---- */

static struct evidence_setting *add_setting(struct evidence *e, const struct kind *k)
{
    struct evidence_setting *grown = array_grow(e->setting, (size_t)e->settings, sizeof *grown);
    if (!grown)
        return NULL;
    e->setting = grown;
    char *text = text_copy(k->setting), *label = text_copy(k->label);
    if (!text || !label) {
        free(text);
        free(label);
        return NULL;
    }
    struct evidence_setting *added = &grown[e->settings++];
    *added = (struct evidence_setting){
        .setting = text, .label = label, .place = INT64_MAX, .input = e->base};
    added->input.look = k->look;
    return added;
}

static bool add_heads(struct evidence *e, struct evidence_setting *set, const struct model *model)
{
    struct verdict_heads *heads = array_grow(set->heads, (size_t)set->count, sizeof *heads);
    set->heads = heads ? heads : set->heads;
    struct evidence_heads *extra = array_grow(set->extra, (size_t)set->count, sizeof *extra);
    set->extra = extra ? extra : set->extra;
    int *first = array_grow(set->first, (size_t)set->count, sizeof *first);
    set->first = first ? first : set->first;
    if (!heads || !extra || !first)
        return false;
    first[set->count] = e->trials;
    extra[set->count] = (struct evidence_heads){.n_params = model->n_params};
    if (!isnan(model->lr))
        snprintf(extra[set->count].lr, sizeof extra->lr, "%.6g", model->lr);
    heads[set->count++] = (struct verdict_heads){.heads = model->heads, .d_head = model->d_head};
    return true;
}

/* A planned trial, of which `p` has `n` candidates. */
static void take_trial(struct evidence *e, struct evidence_setting *set, const struct planned *p,
                       size_t n)
{
    const struct model *model = p->kind->model;
    struct evidence_heads *extra = &set->extra[set->count - 1];
    for (size_t i = 0; i < n; i++) {
        set->place = p[i].place < set->place ? p[i].place : set->place;
        if (p[i].kind->model->lr != model->lr) /* not chosen yet */
            extra->lr[0] = '\0';
    }
    set->input.steps = model->steps > set->input.steps ? model->steps : set->input.steps;
    set->input.chance = p->chance;
    set->input.planned++;
    if (!p->ended)
        return;
    e->trial[e->trials] = p->trial;
    e->trial[e->trials++].unit = p->kind->unit;
    set->heads[set->count - 1].n++;
    if (p->completed) {
        extra->completed++;
        extra->train_s += p->train_s;
    }
}

static enum status take_trials(struct scan *sc)
{
    struct evidence *e = sc->e;
    struct evidence_setting *set = NULL;
    const struct planned *p = sc->planned, *last = NULL;
    e->trial = malloc((sc->count + 1) * sizeof *e->trial);
    if (!e->trial)
        return evidence_no_memory(sc->m);
    for (size_t i = 0, n; i < sc->count; i += n) {
        for (n = 1; i + n < sc->count && compare_planned(&p[i], &p[i + n]) == 0;)
            n++;
        const struct kind *k = p[i].kind;
        bool other = !last || last->kind->set != k->set;
        if (other && !(set = add_setting(e, k)))
            return evidence_no_memory(sc->m);
        if ((other || last->kind->model->heads != k->model->heads) && !add_heads(e, set, k->model))
            return evidence_no_memory(sc->m);
        take_trial(e, set, &p[i], n);
        last = &p[i];
    }
    return STATUS_OK;
}

/* What settings have of all their trials, those that only serve to choose too. */
static void take_kinds(struct scan *sc)
{
    const struct kind *first = NULL;
    for (int i = 0; i < sc->kinds; i++) {
        const struct kind *k = sc->kind[i];
        struct evidence_setting *set = evidence_find(sc->e, k->setting);
        if (!first || first->set != k->set || k->place < first->place)
            first = k;
        if (!set)
            continue;
        set->config_id = first->model->config_id;
        set->input.tuning += k->tuning;
        set->input.tuning_ended += k->tuning_ended;
    }
}

/* ---- all of it ---- */

static void free_scan(struct scan *sc)
{
    for (int i = 0; i < sc->kinds; i++) {
        free(sc->kind[i]->setting);
        free(sc->kind[i]->label);
        free(sc->kind[i]->replicate);
        free(sc->kind[i]);
    }
    for (int i = 0; i < sc->looks; i++)
        free(sc->look[i].setting);
    free(sc->model);
    free(sc->kind);
    free(sc->look);
    free(sc->planned);
}

enum status evidence_read_trials(struct store *s, int64_t sweep_id, struct evidence *e,
                                 struct message *m)
{
    struct scan sc = {.store = s, .sweep_id = sweep_id, .e = e, .m = m, .first = INT64_MAX};
    enum status status = read_models(&sc);
    if (status == STATUS_OK)
        status = read_looks(&sc);
    if (status == STATUS_OK)
        status = read_trials(&sc);
    if (status == STATUS_OK) {
        number_kinds(&sc);
        if (sc.count)
            qsort(sc.planned, sc.count, sizeof *sc.planned, compare_trials);
        status = take_trials(&sc);
    }
    if (status == STATUS_OK)
        take_kinds(&sc);
    free_scan(&sc);
    return status;
}
