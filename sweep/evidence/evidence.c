#include "sweep/evidence/evidence_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/db/setting_order.h"

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

/* ---- what the test set has, and what settings have in common ---- */

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

static void read_targets(struct scope *x, struct evidence *e)
{
    struct rows *rows =
        scope_rows(x, "SELECT config_json FROM config WHERE config_id = ?", NO_VALUES);
    for (int i = 0; i < e->settings; i++) {
        rows_rebind(rows, VALUES(INTEGER(e->setting[i].config_id)));
        if (rows_next(rows))
            e->setting[i].input.test_targets = test_targets(&x->arena, rows_given(rows, 0));
    }
    scope_close(x, rows);
}

/* Two settings that differ in the width of heads can mean the same model at a head count: they have
 * the same trials twice. */
static void read_shared(struct scope *x, struct evidence *e)
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
        "  FROM trial JOIN config USING (config_id) WHERE sweep_id = ?1 AND in_plan = 1"
        "   AND is_tuning = 0 AND confirms = 0 AND choice <> 'eliminated')"
        "SELECT a.setting, heads, min(b.setting) FROM model AS a JOIN model AS b"
        " USING (heads, model) WHERE a.setting <> b.setting GROUP BY a.setting, heads",
        VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(rows, 0));
        struct evidence_setting *other = evidence_find(e, rows_given(rows, 2));
        for (int i = 0; set && other && i < set->count; i++)
            if (set->heads[i].heads == rows_integer(rows, 1))
                set->heads[i].shared = other->label;
    }
}

/* ---- all of it ---- */

static int compare_places(const void *a, const void *b)
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
              e->drawn ? compare_values : compare_places);
    for (int i = 0; i < e->settings; i++) {
        struct evidence_setting *set = &e->setting[i];
        for (int k = 0; k < set->count; k++) {
            set->heads[k].trial = e->trial + set->first[k];
            set->heads[k].lr = set->extra[k].lr[0] ? set->extra[k].lr : NULL;
        }
        set->input.count = set->count;
        set->input.heads = set->heads;
        set->input.choice = set->choice;
        evidence_bind_confirm(e, set);
    }
}

struct evidence *evidence_read(struct scope *x, int64_t sweep_id)
{
    static void (*const readers[])(struct scope *, struct evidence *) = {
        evidence_read_sweep, evidence_read_trials,  read_targets,
        read_shared,         evidence_read_tune,    evidence_read_confirm,
        evidence_read_file,  evidence_read_outside, evidence_read_changes};
    struct evidence *e = arena_alloc(&x->arena, 1, sizeof *e);
    e->sweep_id = sweep_id;
    e->base.chance = NAN;
    scope_read_begin(x);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        readers[i](x, e);
    scope_read_end(x);
    put_in_order(e);
    return e;
}
