#include "sweep/evidence/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/encoder_config.h"
#include "engine/train_config.h"
#include "sweep/evidence/evidence_parts.h"

/* ---- what the sweep asks ---- */

/* A member of an object by its key, which has dots. */
#define MEMBER(object, key) object " -> ('$.\"' || " key " || '\"')"

static void read_claimed(struct scope *x, struct evidence *e)
{
    enum { KEY, BETTER, THAN, AT_HEADS };
    struct rows *rows =
        scope_rows(x,
                   "SELECT key, " MEMBER("claim -> '$.better'", "key") ", " MEMBER(
                       "claim -> '$.than'", "key") ", claim ->> '$.heads'"
                                                   " FROM sweep, json_each(claim, '$.better')"
                                                   " WHERE sweep_id = ?1 AND claim IS NOT NULL",
                   VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        e->claimed = arena_grow(&x->arena, e->claimed, (size_t)e->claimed_axes, sizeof *e->claimed);
        e->claimed[e->claimed_axes++] = (struct evidence_claimed){
            scope_given(x, rows, KEY), scope_given(x, rows, BETTER), scope_given(x, rows, THAN)};
        e->claimed_heads = rows_integer(rows, AT_HEADS);
    }
    if (e->claimed_axes > 0 && e->base.proof.status == PROOF_FIRST)
        e->claimed_similar = evidence_similar(x, e->sweep_id);
}

static void read_claim(struct scope *x, struct evidence *e)
{
    struct rows *rows = scope_rows(x,
                                   "SELECT over.value FROM sweep, json_each(claim, '$.over') AS"
                                   " over WHERE sweep_id = ?1 AND claim IS NOT NULL",
                                   VALUES(INTEGER(e->sweep_id)));
    int64_t *over = NULL;
    e->base.proof = evidence_proof(x, e->sweep_id);
    if (e->base.has_claim && e->base.proof.status == PROOF_FIRST)
        e->base.similar = evidence_similar(x, e->sweep_id);
    while (scope_next(x, rows)) {
        over = arena_grow(&x->arena, over, (size_t)e->base.claim_over_count, sizeof *over);
        over[e->base.claim_over_count++] = rows_integer(rows, 0);
    }
    e->base.claim_over = over;
    read_claimed(x, e);
}

static void evidence_read_sweep(struct scope *x, struct evidence *e)
{
    enum { CLAIM_BEST, LOSS, LOOKS, EQUIVALENCE, REPLICATED, DRAWN };
    struct rows *rows = scope_rows(
        x,
        "SELECT claim ->> '$.best', metric = 'val_loss', json_array_length(looks), equivalence,"
        " (SELECT group_concat(value, ', ') FROM json_each(replicate)), drawn FROM sweep"
        " WHERE sweep_id = ?1",
        VALUES(INTEGER(e->sweep_id)));
    bool found = false;
    while (scope_next(x, rows)) {
        found = true;
        e->base.has_claim = !rows_null(rows, CLAIM_BEST);
        e->base.claim_best = rows_integer(rows, CLAIM_BEST);
        e->base.loss = rows_integer(rows, LOSS) != 0;
        e->drawn = rows_integer(rows, DRAWN) != 0;
        e->base.looks = (int)rows_integer(rows, LOOKS);
        e->base.equivalence = rows_null(rows, EQUIVALENCE) ? 0 : rows_real(rows, EQUIVALENCE);
        e->base.replicated = rows_null(rows, REPLICATED) ? NULL : scope_column(x, rows, REPLICATED);
    }
    if (!found)
        scope_fail(x, STATUS_BAD_INPUT, "no sweep has the id %lld", (long long)e->sweep_id);
    read_claim(x, e);
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

static void evidence_read_changes(struct scope *x, struct evidence *e)
{
    enum { CHANGED, PAIRS, ADDED, REMOVED, SEEN, OUTSIDE, WHAT, RULES, CLAIM, SIMILAR, DIFFER };
    struct rows *rows =
        scope_rows(x,
                   "SELECT changed, pairs, added, removed, seen, seen_outside, what,"
                   " (SELECT group_concat(value, ', ') FROM json_each(what, '$.rules')), claim,"
                   " similar, similar_differ"
                   " FROM plan_change WHERE sweep_id = ?1 AND by = 'file'"
                   " ORDER BY plan_change_id",
                   VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        e->change = arena_grow(&x->arena, e->change, (size_t)e->changes, sizeof *e->change);
        e->change[e->changes++] =
            (struct evidence_change){scope_column(x, rows, CHANGED), rows_integer(rows, PAIRS),
                                     rows_integer(rows, ADDED),      rows_integer(rows, REMOVED),
                                     rows_integer(rows, SEEN),       rows_integer(rows, OUTSIDE),
                                     scope_column(x, rows, WHAT),    scope_column(x, rows, RULES),
                                     scope_column(x, rows, CLAIM),   rows_integer(rows, SIMILAR),
                                     scope_given(x, rows, DIFFER)};
    }
}

/* ---- a file of the user's ---- */

/* What is sampled, and what a guess costs that knows how often each byte or label comes. */
static void read_data(struct scope *x, struct evidence *e)
{
    enum { TEXT, ENTROPY, INTERLEAVED };
    struct rows *rows =
        scope_rows(x,
                   "SELECT mode = 'lm', config_json ->> '$.task.options.entropy',"
                   "       config_json ->> '$.task.options.split' IS 'interleaved' FROM config"
                   " WHERE config_id = ? AND task = 'text'",
                   NO_VALUES);
    for (int i = 0; i < e->settings; i++) {
        struct verdict_input *in = &e->setting[i].input;
        rows_rebind(rows, VALUES(INTEGER(e->setting[i].config_id)));
        if (!rows_next(rows))
            continue;
        in->data = rows_integer(rows, TEXT) ? VERDICT_TEXT : VERDICT_ROWS;
        in->guess_loss = rows_null(rows, ENTROPY) ? 0 : rows_real(rows, ENTROPY);
        in->interleaved = rows_integer(rows, INTERLEAVED);
    }
    scope_close(x, rows);
}

/* The same of each trial, where files are what is replicated. */
static void read_guesses(struct scope *x, struct evidence *e)
{
    struct rows *rows =
        scope_rows(x,
                   "SELECT config_json ->> '$.task.options.entropy' FROM trial"
                   " JOIN config USING (config_id) WHERE trial_id = ? AND task = 'text'",
                   NO_VALUES);
    for (int i = 0; i < e->trials; i++) {
        rows_rebind(rows, VALUES(INTEGER(e->trial[i].trial_id)));
        if (rows_next(rows) && !rows_null(rows, 0))
            e->trial[i].guess = rows_real(rows, 0);
    }
    scope_close(x, rows);
}

/* ---- blocks ---- */

/* A trial's losses, as they lie in e->block. */
struct losses {
    size_t first;
    int count;
};

/* Those of each trial of `e`. */
static struct losses *read_losses(struct scope *x, struct evidence *e)
{
    struct losses *of = arena_alloc(&x->arena, (size_t)e->trials, sizeof *of);
    struct rows *rows =
        scope_rows(x, "SELECT loss FROM block_loss WHERE trial_id = ? ORDER BY block", NO_VALUES);
    size_t blocks = 0;
    for (int i = 0; i < e->trials; i++) {
        of[i].first = blocks;
        rows_rebind(rows, VALUES(INTEGER(e->trial[i].trial_id)));
        for (; rows_next(rows); of[i].count++) {
            e->block = arena_grow(&x->arena, e->block, blocks, sizeof *e->block);
            e->block[blocks++] = rows_real(rows, 0);
        }
    }
    scope_close(x, rows);
    return of;
}

/* Gives the trials of a setting their blocks: those that have as many as most have. */
static void share_out(struct evidence *e, struct evidence_setting *set, const struct losses *of)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < set->count; k++)
            for (int i = set->first[k]; i < set->first[k] + set->heads[k].n; i++) {
                if (pass == 0 && of[i].count > set->input.blocks)
                    set->input.blocks = of[i].count;
                else if (pass == 1 && of[i].count == set->input.blocks)
                    e->trial[i].block = e->block + of[i].first;
            }
    for (int k = 0; set->confirm && k < set->confirm->count; k++) {
        int first = set->confirm->first[k];
        for (int i = first; i < first + set->confirm->heads[k].n; i++)
            if (of[i].count == set->input.blocks)
                e->trial[i].block = e->block + of[i].first;
    }
}

static bool any_text(const struct evidence *e)
{
    bool any = false;
    for (int i = 0; i < e->settings; i++)
        any = any || e->setting[i].input.data == VERDICT_TEXT;
    return any;
}

static void evidence_read_file(struct scope *x, struct evidence *e)
{
    read_data(x, e);
    if (e->base.loss && e->base.replicated && strstr(e->base.replicated, "task.file"))
        read_guesses(x, e);
    if (!e->base.loss || !any_text(e))
        return;
    const struct losses *of = read_losses(x, e);
    for (int i = 0; i < e->settings; i++)
        if (e->setting[i].input.data == VERDICT_TEXT)
            share_out(e, &e->setting[i], of);
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

static struct verdict_choice *choice_of(struct scope *x, struct evidence_setting *set,
                                        int64_t heads)
{
    int n = set->input.choices;
    if (n > 0 && set->choice[n - 1].heads == heads)
        return &set->choice[n - 1];
    set->choice = arena_grow(&x->arena, set->choice, (size_t)n, sizeof *set->choice);
    set->input.choices++;
    set->choice[n] = (struct verdict_choice){.heads = heads};
    return &set->choice[n];
}

static struct verdict_axis *axis_of(struct scope *x, struct verdict_choice *c, const char *path)
{
    if (c->axes > 0 && strcmp(c->axis[c->axes - 1].path, path) == 0)
        return &c->axis[c->axes - 1];
    c->axis = arena_grow(&x->arena, c->axis, (size_t)c->axes, sizeof *c->axis);
    c->axis[c->axes] = (struct verdict_axis){.path = arena_string(&x->arena, path), .chosen = -1};
    return &c->axis[c->axes++];
}

/* Head counts of a setting have the same axes, unless a hand has made it otherwise. */
static void check_axes(struct scope *x, const struct evidence_setting *set)
{
    for (int i = 1; i < set->input.choices; i++) {
        const struct verdict_choice *first = &set->choice[0], *c = &set->choice[i];
        bool same = c->axes == first->axes;
        for (int k = 0; k < c->axes && same; k++)
            same = strcmp(c->axis[k].path, first->axis[k].path) == 0;
        if (!same)
            scope_fail(x, STATUS_CORRUPT,
                       "%s: trials with %lld and %lld heads tune different axes in the setting %s",
                       store_path(x->store), (long long)first->heads, (long long)c->heads,
                       set->setting);
    }
}

/* On how many seeds each value was tried. */
static void read_seeds(struct scope *x, struct evidence *e)
{
    static const char sql[] =
        "SELECT setting, count(DISTINCT seed) FROM trial"
        " WHERE sweep_id = ?1 AND in_plan = 1 AND is_tuning = 1 GROUP BY setting";
    struct rows *rows = scope_rows(x, sql, VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(rows, 0));
        if (set)
            set->input.tuning_seeds = (int)rows_integer(rows, 1);
    }
}

static void evidence_read_tune(struct scope *x, struct evidence *e)
{
    struct rows *rows = scope_rows_of_sweep(x, TRIED, VALUES(INTEGER(e->sweep_id)));
    while (scope_next(x, rows)) {
        struct evidence_setting *set = evidence_find(e, rows_given(rows, SETTING));
        if (!set)
            continue;
        struct verdict_choice *c = choice_of(x, set, rows_integer(rows, HEADS));
        struct verdict_axis *axis = axis_of(x, c, rows_given(rows, AXIS));
        axis->value = arena_grow(&x->arena, axis->value, (size_t)axis->values, sizeof *axis->value);
        struct verdict_value value = axis->value[axis->values++] = value_of(x, rows);
        if (!rows_integer(rows, CHOSEN))
            continue;
        axis->chosen = axis->values - 1;
        axis->edge = edge_of(axis->path, value.number, rows_given(rows, EDGE));
    }
    for (int i = 0; i < e->settings; i++)
        check_axes(x, &e->setting[i]);
    read_seeds(x, e);
}

/* ---- all of it ---- */

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
