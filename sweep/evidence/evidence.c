#include "sweep/evidence/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/encoder_config.h"
#include "engine/train_config.h"
#include "sweep/evidence/evidence_parts.h"

/* ---- what the sweep asks ---- */

static void evidence_read_sweep(struct scope *x, struct evidence *e)
{
    enum { LOSS, LOOKS, EQUIVALENCE, REPLICATED, DRAWN };
    struct rows *rows =
        scope_rows(x,
                   "SELECT metric = 'val_loss', json_array_length(looks), equivalence,"
                   " (SELECT group_concat(value, ', ') FROM json_each(replicate)), drawn FROM sweep"
                   " WHERE sweep_id = ?1",
                   VALUES(INTEGER(e->sweep_id)));
    if (!scope_next(x, rows))
        scope_fail(x, STATUS_BAD_INPUT, "no sweep has the id %lld", (long long)e->sweep_id);
    e->base.chance = NAN;
    e->base.loss = rows_integer(rows, LOSS) != 0;
    e->base.replicated = rows_null(rows, REPLICATED) ? NULL : scope_column(x, rows, REPLICATED);
    e->drawn = rows_integer(rows, DRAWN) != 0;
    e->looks = (int)rows_integer(rows, LOOKS);
    e->equivalence = rows_null(rows, EQUIVALENCE) ? 0 : rows_real(rows, EQUIVALENCE);
    scope_close(x, rows);
}

static void evidence_read_outside(struct scope *x, struct evidence *e)
{
    enum { HEADS, ENDED, COMPLETED, ACC, LOSS };
    struct rows *rows =
        scope_rows(x,
                   "SELECT heads, count(*), sum(state = 'completed'), avg(test_acc), avg(test_loss)"
                   " FROM trial JOIN config USING (config_id) WHERE sweep_id = ?1 AND in_plan = 0"
                   " AND state IN ('completed', 'diverged', 'failed') GROUP BY heads"
                   " ORDER BY heads",
                   VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        e->outside = arena_grow(&x->arena, e->outside, (size_t)e->outsides, sizeof *e->outside);
        e->outside[e->outsides++] = (struct evidence_outside){
            rows_integer(rows, HEADS), (int)rows_integer(rows, ENDED),
            (int)rows_integer(rows, COMPLETED), rows_real(rows, e->base.loss ? LOSS : ACC)};
    }
}

/* ---- settings and their arms ---- */

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

/* NULL: there is none. */
static struct verdict_arm *find_arm(struct verdict_input *in, int64_t heads)
{
    for (int i = 0; i < in->count; i++)
        if (in->arm[i].id == heads)
            return &in->arm[i];
    return NULL;
}

/* ---- blocks of a text ---- */

/* A trial's losses, as they lie in the array of all. */
struct losses {
    size_t first;
    int count;
};

/* Gives the trials of a setting the losses of their blocks: those that have as many as any has. */
static void share_out(struct evidence_setting *s, const struct losses *of, const double *loss)
{
    int most = 0;
    for (int i = 0; i < s->trials; i++)
        most = of[i].count > most ? of[i].count : most;
    for (int i = 0; i < s->trials && most > 0; i++)
        if (of[i].count == most)
            s->trial[i].block = loss + of[i].first;
    s->input.blocks = s->fresh.blocks = most;
}

static void evidence_read_blocks(struct scope *x, struct evidence *e)
{
    struct losses *of = arena_alloc(&x->arena, (size_t)e->trials, sizeof *of);
    struct rows *rows =
        scope_rows(x, "SELECT loss FROM block_loss WHERE trial_id = ? ORDER BY block", NO_VALUES);
    double *loss = NULL;
    size_t blocks = 0;
    bool text = false;
    for (int i = 0; i < e->settings; i++)
        text = text || e->setting[i].input.data == VERDICT_TEXT;
    for (int i = 0; i < e->trials && text && e->base.loss; i++) {
        of[i].first = blocks;
        rows_rebind(rows, VALUES(INTEGER(e->trial[i].trial_id)));
        for (; rows_next(rows); of[i].count++) {
            loss = arena_grow(&x->arena, loss, blocks, sizeof *loss);
            loss[blocks++] = rows_real(rows, 0);
        }
    }
    scope_close(x, rows);
    for (int i = 0; i < e->settings; i++)
        if (e->setting[i].input.data == VERDICT_TEXT)
            share_out(&e->setting[i], of + (e->setting[i].trial - e->trial), loss);
}

/* ---- what was tuned ---- */

/* In the order in which it is read: values are those of one axis, axes those of one head count. */
static const char TRIED[] =
    "SELECT setting, heads, axis, value, type, ifnull(chosen, 0), ifnull(edge, '') FROM tried"
    " ORDER BY setting, heads, axis, value";
enum { SETTING, HEADS, AXIS, VALUE, TYPE, CHOSEN, EDGE };

/* Whether the option allows nothing beyond its value. Only options of model and train are tuned. */
static bool ends_there(const char *path, double value, enum grid_edge edge)
{
    const char *name = strchr(path, '.');
    const struct option_entry *table =
        strncmp(path, "model.", 6) == 0 ? encoder_options : train_options;
    const struct option_entry *o = name ? option_find(table, name + 1) : NULL;
    return o && ((edge == GRID_SMALLEST && value <= o->min && !o->above_min) ||
                 (edge == GRID_LARGEST && value >= o->max));
}

static enum grid_edge edge_of(const char *path, double value, const char *word)
{
    static const enum grid_edge edges[] = {GRID_SMALLEST, GRID_LARGEST, GRID_ONLY};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (strcmp(word, grid_edge_name(edges[i])) == 0)
            return ends_there(path, value, edges[i]) ? GRID_INNER : edges[i];
    return GRID_INNER;
}

static struct verdict_value value_of(struct scope *x, struct rows *rows)
{
    struct text_buffer text = scope_text(x);
    const char *type = rows_given(rows, TYPE);
    bool number = strcmp(type, "integer") == 0 || strcmp(type, "real") == 0;
    bool word = strcmp(type, "true") == 0 || strcmp(type, "false") == 0;
    if (number)
        text_add(&text, "%.6g", rows_real(rows, VALUE));
    else
        text_add(&text, "%s", word ? type : rows_given(rows, VALUE));
    return (struct verdict_value){number ? rows_real(rows, VALUE) : NAN, text.text};
}

static struct verdict_axis *axis_of(struct scope *x, struct verdict_arm *arm, const char *path)
{
    if (arm->axes > 0 && strcmp(arm->axis[arm->axes - 1].path, path) == 0)
        return &arm->axis[arm->axes - 1];
    arm->axis = arena_grow(&x->arena, arm->axis, (size_t)arm->axes, sizeof *arm->axis);
    arm->axis[arm->axes] =
        (struct verdict_axis){.path = arena_string(&x->arena, path), .chosen = -1};
    return &arm->axis[arm->axes++];
}

/* Head counts of a setting have the same axes, unless a hand has made it otherwise. */
static void check_axes(struct scope *x, const struct evidence_setting *set)
{
    const struct verdict_arm *first = verdict_tuned(&set->input);
    for (int i = 0; i < set->input.count && first; i++) {
        const struct verdict_arm *arm = &set->input.arm[i];
        bool same = arm->axes == first->axes || arm->axes == 0;
        for (int k = 0; k < arm->axes && same; k++)
            same = strcmp(arm->axis[k].path, first->axis[k].path) == 0;
        if (!same)
            scope_fail(x, STATUS_CORRUPT,
                       "%s: trials with %lld and %lld heads tune different axes in the setting %s",
                       store_path(x->store), (long long)first->id, (long long)arm->id,
                       set->setting);
    }
}

/* What a head count chose holds for its fresh trials. */
static void take_choices(struct evidence_setting *set)
{
    for (int i = 0; i < set->fresh.count; i++) {
        const struct verdict_arm *explored = find_arm(&set->input, set->fresh.arm[i].id);
        if (explored) {
            set->fresh.arm[i].axes = explored->axes;
            set->fresh.arm[i].axis = explored->axis;
        }
    }
}

static void evidence_read_tune(struct scope *x, struct evidence *e)
{
    struct rows *rows = scope_rows_of_sweep(x, TRIED, VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(rows, SETTING));
        struct verdict_arm *arm = set ? find_arm(&set->input, rows_integer(rows, HEADS)) : NULL;
        if (!arm)
            continue;
        struct verdict_axis *axis = axis_of(x, arm, rows_given(rows, AXIS));
        axis->value = arena_grow(&x->arena, axis->value, (size_t)axis->values, sizeof *axis->value);
        struct verdict_value value = axis->value[axis->values++] = value_of(x, rows);
        if (!rows_integer(rows, CHOSEN))
            continue;
        axis->chosen = axis->values - 1;
        axis->edge = edge_of(axis->path, value.number, rows_given(rows, EDGE));
    }
    for (int i = 0; i < e->settings; i++) {
        check_axes(x, &e->setting[i]);
        take_choices(&e->setting[i]);
    }
}

/* ---- what the test set has ---- */

/* Of how many examples of the test set the targets are counted: where their number differs from
 * example to example, enough for a mean; of long sequences, which take long to draw, fewer. */
enum { COUNTED_EXAMPLES = 256, COUNTED_POSITIONS = 4096 };

static int64_t examples_to_count(const struct task_shape *shape, int64_t examples)
{
    int64_t n = COUNTED_POSITIONS / shape->length;
    n = n < COUNTED_EXAMPLES ? n : COUNTED_EXAMPLES;
    n = n < examples ? n : examples;
    return n > 1 ? n : 1;
}

/* Targets that count in a test set of so many examples: of a file all of them, else as many as in
 * the first ones on average. */
static int64_t targets_of(struct arena *a, const struct point *p, const struct task_shape *shape,
                          int64_t examples)
{
    size_t inputs = (size_t)(shape->length * shape->fields);
    size_t targets = (size_t)shape->slots * (shape->per_sequence ? 1 : (size_t)shape->length);
    if (p->task->file)
        return examples * (int64_t)targets;
    int32_t *example = arena_alloc(a, inputs + targets, sizeof *example);
    void *instance = arena_alloc(a, 1, p->task->instance_size);
    const int64_t counted = examples_to_count(shape, examples);
    int64_t n = 0;
    if (p->task->instance)
        p->task->instance(p->task_options, instance);
    for (int64_t i = 0; i < counted; i++) {
        struct rng r = rng_at(0, RNG_TEST, 0, (uint32_t)i);
        p->task->example(p->task_options, instance, &r, example, example + inputs);
        for (size_t k = 0; k < targets; k++)
            n += example[inputs + k] != TASK_MASKED;
    }
    return examples * n / counted;
}

/* 0: unknown, as where the configuration is of another version of its task. */
static int64_t test_targets(struct arena *a, const char *config_json)
{
    struct point point;
    struct task_shape shape;
    struct message ignored;
    if (point_parse(config_json, &point, &ignored) != STATUS_OK ||
        point.task->shape(point.task_options, &shape, &ignored) != STATUS_OK)
        return 0;
    return targets_of(a, &point, &shape,
                      point_examples(shape.part[TASK_TEST], point.train.test_examples));
}

static void evidence_read_targets(struct scope *x, struct evidence *e)
{
    struct rows *rows =
        scope_rows(x, "SELECT config_json FROM config WHERE config_id = ?", NO_VALUES);
    for (int i = 0; i < e->settings; i++) {
        struct evidence_setting *set = &e->setting[i];
        rows_rebind(rows, VALUES(INTEGER(set->config_id)));
        if (rows_next(rows))
            set->input.test_targets = set->fresh.test_targets =
                test_targets(&x->arena, rows_given(rows, 0));
    }
    scope_close(x, rows);
}

/* ---- what settings have in common ---- */

/* Two settings that differ in the width of heads can mean the same model at a head count: they have
 * the same trials twice. */
static void evidence_read_shared(struct scope *x, struct evidence *e)
{
    bool widths = false;
    for (int i = 0; i < e->settings; i++)
        widths = widths || strstr(e->setting[i].setting, "\"model.d_");
    if (!widths)
        return;
    struct rows *rows = scope_rows(
        x,
        "WITH model AS MATERIALIZED (SELECT DISTINCT setting, heads, json_set(config_json,"
        "  '$.model.d_head', d_head, '$.model.d_k', d_k, '$.model.d_v', d_v) AS model"
        "  FROM (SELECT DISTINCT setting, config_id FROM trial WHERE sweep_id = ?1"
        "   AND in_plan = 1 AND is_tuning = 0 AND confirms = 0 AND choice <> 'eliminated')"
        "  JOIN config USING (config_id))"
        "SELECT a.setting, heads, min(b.setting) FROM model AS a JOIN model AS b"
        " USING (heads, model) WHERE a.setting <> b.setting GROUP BY a.setting, heads",
        VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(rows, 0));
        struct evidence_setting *other = evidence_find(e, rows_given(rows, 2));
        struct verdict_arm *arm = set ? find_arm(&set->input, rows_integer(rows, 1)) : NULL;
        if (arm && other)
            arm->shared = other->label;
    }
}

/* ---- all of it ---- */

static int compare_plan(const void *a, const void *b)
{
    const struct evidence_setting *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

static int compare_values(const void *a, const void *b)
{
    const struct evidence_setting *x = a, *y = b;
    int order = setting_compare(x->label, y->label);
    return order ? order : strcmp(x->setting, y->setting);
}

static void put_in_order(struct evidence *e)
{
    if (e->settings)
        qsort(e->setting, (size_t)e->settings, sizeof *e->setting,
              e->drawn ? compare_values : compare_plan);
    for (int i = 0; i < e->settings && e->fresh_units > 0; i++) {
        struct evidence_setting *set = &e->setting[i];
        set->input.confirm = &set->confirm;
        set->confirm.input = set->fresh.claim.best ? &set->fresh : NULL;
    }
}

struct evidence *evidence_read(struct scope *x, int64_t sweep_id)
{
    static void (*const readers[])(struct scope *, struct evidence *) = {
        evidence_read_sweep,   evidence_read_claim,  evidence_read_trials, evidence_read_targets,
        evidence_read_blocks,  evidence_read_shared, evidence_read_tune,   evidence_read_confirm,
        evidence_read_outside, evidence_read_changes};
    struct evidence *e = arena_alloc(&x->arena, 1, sizeof *e);
    e->sweep_id = sweep_id;
    scope_read_begin(x);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        readers[i](x, e);
    scope_read_end(x);
    put_in_order(e);
    return e;
}
