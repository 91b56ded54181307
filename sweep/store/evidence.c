#include "sweep/store/evidence_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"
#include "engine/base/text.h"
static int compare_texts(const void *a, const void *b)
{
    return strcmp(((const struct evidence_setting *)a)->setting,
                  ((const struct evidence_setting *)b)->setting);
}

struct evidence_setting *evidence_find(struct evidence *e, const char *setting)
{
    struct evidence_setting key = {.setting = (char *)setting};
    return e->settings ? bsearch(&key, e->setting, (size_t)e->settings, sizeof key, compare_texts)
                       : NULL;
}

/* ---- settings and head counts ---- */

/* Columns of TRIALS. */
enum {
    SETTING,
    LABEL,
    HEADS,
    SEED,
    UNIT,
    STATE,
    LIMIT_HIT,
    TEST_ACC,
    VAL_ACC,
    TEST_LOSS,
    VAL_LOSS,
    EXACT,
    SLOPE,
    CHANCE,
    STEPS,
    PARAMS,
    TRAIN_S,
    PLACE,
    TRIAL_ID,
    D_HEAD,
    LR,
    SAME_LR,
    LOOK
};

/* Under tune a seed has one trial per candidate until the choice is made: they are one planned
 * trial, which has ended when the chosen one has. The slope of the last five evaluations is per
 * tenth of the training steps. */
static const char TRIALS[] =
    "WITH judged AS MATERIALIZED (SELECT setting, max(look) AS look, max(decided) AS decided"
    "  FROM look WHERE sweep_id = ?1 GROUP BY setting), "
    "open AS MATERIALIZED (SELECT setting, iif(decided, look, min(look + 1, ?2)) AS look"
    "  FROM judged), "
    "unit AS MATERIALIZED (SELECT replicate, row_number() OVER (ORDER BY replicate) - 1 AS unit"
    "  FROM (SELECT DISTINCT replicate FROM trial WHERE sweep_id = ?1 AND in_plan = 1)) "
    "SELECT t.setting, setting_label, heads, seed, unit.unit,"
    " iif(choice = 'chosen', state, 'queued'), limit_hit, test_acc, val_acc, test_loss, val_loss,"
    " test_exact, CASE state WHEN 'completed' THEN"
    "  (SELECT iif(count(y) > 2, (count(y) * sum(x * y) - sum(x) * sum(y))"
    "                            / (count(y) * sum(x * x) - sum(x) * sum(x)), NULL)"
    "     FROM (SELECT 10.0 * (step - t.steps_done) / steps AS x, iif(?3, -c.val_loss, c.val_acc)"
    "             AS y FROM curve AS c WHERE c.trial_id = t.trial_id ORDER BY step DESC LIMIT 5))"
    " END, t.chance, steps, n_params, train_s, min(plan_order), trial_id, d_head, lr,"
    " min(lr) = max(lr), coalesce(open.look, iif(?2, 1, 0))"
    " FROM trial AS t JOIN config USING (config_id) JOIN unit USING (replicate)"
    " LEFT JOIN open ON open.setting = t.setting"
    " WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 0 AND state <> 'pruned'"
    "  AND choice <> 'passed' AND (?2 = 0 OR t.look <= coalesce(open.look, 1))"
    " GROUP BY t.setting, heads, unit.unit, seed ORDER BY t.setting, heads, unit.unit, seed";

enum status evidence_no_memory(struct message *m)
{
    return status_fail(m, STATUS_NO_MEMORY, "no memory for the results of a sweep");
}

/* The setting of a row: the newest one, or a new one. NULL: no memory. */
static struct evidence_setting *setting_of(struct evidence *e, struct rows *row)
{
    const char *setting = rows_given(row, SETTING);
    if (e->settings && strcmp(e->setting[e->settings - 1].setting, setting) == 0)
        return &e->setting[e->settings - 1];
    struct evidence_setting *grown = array_grow(e->setting, (size_t)e->settings, sizeof *grown);
    if (!grown)
        return NULL;
    e->setting = grown;
    char *text = text_copy(setting), *label = text_copy(rows_given(row, LABEL));
    if (!text || !label) {
        free(text);
        free(label);
        return NULL;
    }
    struct evidence_setting *added = &grown[e->settings++];
    *added = (struct evidence_setting){
        .setting = text, .label = label, .place = INT64_MAX, .input = e->base};
    added->input.look = (int)rows_integer(row, LOOK);
    return added;
}

/* The head count of a row within its setting, likewise. */
static struct verdict_heads *heads_of(struct evidence *e, struct evidence_setting *set,
                                      const struct rows *row)
{
    int64_t count = rows_integer(row, HEADS);
    if (set->count && set->heads[set->count - 1].heads == count)
        return &set->heads[set->count - 1];
    struct verdict_heads *heads = array_grow(set->heads, (size_t)set->count, sizeof *heads);
    set->heads = heads ? heads : set->heads;
    struct evidence_heads *extra = array_grow(set->extra, (size_t)set->count, sizeof *extra);
    set->extra = extra ? extra : set->extra;
    int *first = array_grow(set->first, (size_t)set->count, sizeof *first);
    set->first = first ? first : set->first;
    if (!heads || !extra || !first)
        return NULL;
    first[set->count] = e->trials;
    extra[set->count] = (struct evidence_heads){.n_params = rows_integer(row, PARAMS)};
    if (!rows_null(row, LR))
        snprintf(extra[set->count].lr, sizeof extra->lr, "%.6g", rows_real(row, LR));
    heads[set->count] = (struct verdict_heads){.heads = count, .d_head = rows_integer(row, D_HEAD)};
    return &heads[set->count++];
}

/* ---- trials ---- */

static void put_trial(struct evidence *e, struct rows *row, enum trial_state state,
                      struct verdict_trial *trial)
{
    bool limited = state == TRIAL_FAILED && rows_integer(row, LIMIT_HIT) != 0;
    *trial = (struct verdict_trial){
        .seed = rows_integer(row, SEED),
        .bad = state != TRIAL_COMPLETED && !limited,
        .test = rows_real(row, e->base.loss ? TEST_LOSS : TEST_ACC),
        .val = rows_real(row, e->base.loss ? VAL_LOSS : VAL_ACC),
        .trial_id = rows_integer(row, TRIAL_ID),
        .unit = (int)rows_integer(row, UNIT),
        .limited = limited,
        .exact = rows_real(row, EXACT),
        .late_slope = rows_real(row, SLOPE),
    };
}

static enum status add_trial(struct evidence *e, struct rows *row, struct message *m)
{
    struct evidence_setting *set = setting_of(e, row);
    struct verdict_heads *heads = set ? heads_of(e, set, row) : NULL;
    struct verdict_trial *trial = array_grow(e->trial, (size_t)e->trials, sizeof *trial);
    e->trial = trial ? trial : e->trial;
    if (!heads || !trial)
        return evidence_no_memory(m);

    int64_t place = rows_integer(row, PLACE), steps = rows_integer(row, STEPS);
    set->place = place < set->place ? place : set->place;
    set->input.steps = steps > set->input.steps ? steps : set->input.steps;
    set->input.chance = rows_real(row, CHANCE);
    set->input.planned++;
    struct evidence_heads *extra = &set->extra[set->count - 1];
    if (!rows_integer(row, SAME_LR)) /* not chosen yet */
        extra->lr[0] = '\0';
    enum trial_state state = rows_state(row, STATE);
    if (!trial_state_ended(state))
        return STATUS_OK;
    put_trial(e, row, state, &trial[e->trials++]);
    heads->n++;
    if (state == TRIAL_COMPLETED) {
        extra->completed++;
        extra->train_s += rows_real(row, TRAIN_S);
    }
    return STATUS_OK;
}

static enum status read_trials(struct store *s, int64_t sweep_id, struct evidence *e,
                               struct message *m)
{
    struct rows rows = rows_open(
        s, m, TRIALS, VALUES(INTEGER(sweep_id), INTEGER(e->base.looks), INTEGER(e->base.loss)));
    enum status status = STATUS_OK;
    while (status == STATUS_OK && rows_next(&rows))
        status = add_trial(e, &rows, m);
    enum status closed = rows_close(&rows);
    return status == STATUS_OK ? closed : status;
}

/* ---- what the test set has, and what settings have in common ---- */

/* Targets that count in one example of the test set: of a file all of them. */
static int64_t targets_of(const struct point *p, const struct task_shape *shape)
{
    size_t inputs = (size_t)(shape->length * shape->fields);
    size_t targets = (size_t)shape->slots * (shape->per_sequence ? 1 : (size_t)shape->length);
    if (p->task->file)
        return (int64_t)targets;
    int32_t *example = calloc(inputs + targets, sizeof *example);
    void *instance = calloc(1, p->task->instance_size + 1);
    int64_t n = 0;
    if (example && instance) {
        struct rng r = rng_at(0, RNG_TEST, 0, 0);
        if (p->task->instance)
            p->task->instance(p->task_options, instance);
        p->task->example(p->task_options, instance, &r, example, example + inputs);
        for (size_t i = 0; i < targets; i++)
            n += example[inputs + i] != TASK_MASKED;
    }
    free(example);
    free(instance);
    return n;
}

/* 0: unknown, as where the configuration is of another version of its task. */
static int64_t test_targets(const char *config_json)
{
    struct point point;
    struct task_shape shape;
    struct message ignored;
    if (point_parse(config_json, &point, &ignored) != STATUS_OK ||
        point.task->shape(point.task_options, &shape, &ignored) != STATUS_OK)
        return 0;
    return point_examples(shape.part[TASK_TEST], point.train.test_examples) *
           targets_of(&point, &shape);
}

static enum status read_targets(struct store *s, int64_t sweep_id, struct evidence *e,
                                struct message *m)
{
    struct rows rows = rows_open(s, m,
                                 "SELECT setting, config_json, min(plan_order) FROM trial"
                                 " JOIN config USING (config_id) WHERE sweep_id = ?1 AND"
                                 " in_plan = 1 GROUP BY setting",
                                 VALUES(INTEGER(sweep_id)));
    while (rows_next(&rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(&rows, 0));
        if (set)
            set->input.test_targets = test_targets(rows_given(&rows, 1));
    }
    return rows_close(&rows);
}

/* Two settings that differ in the width of heads can mean the same model at a head count: they have
 * the same trials twice. */
static enum status read_shared(struct store *s, int64_t sweep_id, struct evidence *e,
                               struct message *m)
{
    bool widths = false;
    for (int i = 0; i < e->settings; i++)
        widths = widths || strstr(e->setting[i].setting, "\"model.d_");
    if (!widths)
        return STATUS_OK;
    struct rows rows = rows_open(
        s, m,
        "WITH model AS MATERIALIZED (SELECT DISTINCT setting, heads, json_set(config_json,"
        "  '$.model.d_head', d_head, '$.model.d_k', d_k, '$.model.d_v', d_v) AS model"
        "  FROM trial JOIN config USING (config_id) WHERE sweep_id = ?1 AND in_plan = 1"
        "   AND is_tuning = 0 AND choice <> 'passed')"
        "SELECT a.setting, heads, min(b.setting) FROM model AS a JOIN model AS b"
        " USING (heads, model) WHERE a.setting <> b.setting GROUP BY a.setting, heads",
        VALUES(INTEGER(sweep_id)));
    while (rows_next(&rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(&rows, 0));
        struct evidence_setting *other = evidence_find(e, rows_given(&rows, 2));
        for (int i = 0; set && other && i < set->count; i++)
            if (set->heads[i].heads == rows_integer(&rows, 1))
                set->heads[i].shared = other->label;
    }
    return rows_close(&rows);
}

/* ---- all of it ---- */

static int compare_places(const void *a, const void *b)
{
    int64_t x = ((const struct evidence_setting *)a)->place;
    int64_t y = ((const struct evidence_setting *)b)->place;
    return (x > y) - (x < y);
}

static void put_in_order(struct evidence *e)
{
    if (e->settings)
        qsort(e->setting, (size_t)e->settings, sizeof *e->setting, compare_places);
    for (int i = 0; i < e->settings; i++) {
        struct evidence_setting *set = &e->setting[i];
        for (int k = 0; k < set->count; k++) {
            set->heads[k].trial = e->trial + set->first[k];
            set->heads[k].lr = set->extra[k].lr[0] ? set->extra[k].lr : NULL;
        }
        set->input.count = set->count;
        set->input.heads = set->heads;
        set->input.choice = set->choice;
    }
}

static enum status read_all(struct store *s, int64_t sweep_id, struct evidence *e,
                            struct message *m)
{
    static enum status (*const readers[])(struct store *, int64_t, struct evidence *,
                                          struct message *) = {
        evidence_read_sweep, read_trials,        read_targets,          read_shared,
        evidence_read_file,  evidence_read_tune, evidence_read_outside, evidence_read_changes};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof readers / sizeof *readers && status == STATUS_OK; i++)
        status = readers[i](s, sweep_id, e, m);
    return status;
}

enum status evidence_read(struct store *s, int64_t sweep_id, struct evidence **out,
                          struct message *m)
{
    struct evidence *e = calloc(1, sizeof *e);
    *out = NULL;
    if (!e)
        return evidence_no_memory(m);
    e->base.chance = NAN;
    enum status status = store_snapshot(s, m);
    if (status == STATUS_OK) {
        status = read_all(s, sweep_id, e, m);
        store_snapshot_end(s);
    }
    if (status != STATUS_OK) {
        evidence_free(e);
        return status;
    }
    put_in_order(e);
    *out = e;
    return STATUS_OK;
}

static void free_setting(struct evidence_setting *set)
{
    for (int k = 0; k < set->input.choices; k++) {
        free((char *)set->choice[k].label);
        free((char *)set->choice[k].edge);
    }
    free(set->setting);
    free(set->label);
    free(set->heads);
    free(set->extra);
    free(set->first);
    free(set->choice);
    free(set->tuned_lr);
}

void evidence_free(struct evidence *e)
{
    if (!e)
        return;
    for (int i = 0; i < e->settings; i++)
        free_setting(&e->setting[i]);
    for (int i = 0; i < e->changes; i++) {
        free(e->change[i].changed);
        free(e->change[i].what);
        free(e->change[i].rules);
        free(e->change[i].claim);
    }
    free(e->setting);
    free(e->outside);
    free(e->change);
    free(e->claim_over);
    free(e->replicated);
    free(e->trial);
    free(e->block);
    free(e);
}
