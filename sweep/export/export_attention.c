#include "sweep/export/export_attention.h"

#include <inttypes.h>
#include <string.h>

#include "engine/base/safetensors.h"
#include "sweep/export/attention_maps.h"
#include "sweep/export/export_tensors.h"

enum { META = 10, TENSORS = 3 };

struct export
{
    const struct attention_maps *maps;
    char sweep[STORE_NAME_SIZE], config[POINT_JSON_MAX], fields[1024], examples[128];
    char number[4][24];
};

static int describe(struct export *e, struct safetensors_meta meta[META])
{
    const struct attention_maps *a = e->maps;
    const struct study_trial *t = a->model->trial;
    const int64_t number[] = {t->heads, t->trial_id, t->seed, t->best_step};
    for (int i = 0; i < 4; i++)
        snprintf(e->number[i], sizeof e->number[i], "%" PRId64, number[i]);
    point_json(&a->model->point, e->config);
    export_field_names(data_io(a->model->data), e->fields, sizeof e->fields);
    snprintf(e->examples, sizeof e->examples, "the first %s of the validation set",
             text_counted(a->N, "sequence").text);
    const struct safetensors_meta all[] = {
        {"format", "headcount.attention.1"},
        {"config", e->config},
        {"task", a->model->point.task->name},
        {"heads", e->number[0]},
        {"sweep", e->sweep},
        {"trial", e->number[1]},
        {"seed", e->number[2]},
        {"step", e->number[3]},
        {"examples", e->examples},
        {"fields", e->fields},
    };
    memcpy(meta, all, sizeof all);
    return sizeof all / sizeof all[0];
}

static void write_file(struct scope *x, struct export *e, const char *path)
{
    const struct attention_maps *a = e->maps;
    const struct examples *set = data_val(a->model->data);
    long fields = data_io(a->model->data)->fields;
    size_t map = (size_t)(a->T * a->T);
    struct safetensor list[TENSORS] = {
        {.name = "attention",
         .dtype = DTYPE_F32,
         .rank = 5,
         .shape = {a->L, a->H, a->N, a->T, a->T},
         .data = a->weights,
         .size = (size_t)(a->L * a->H * a->N) * map * sizeof(float)},
        {.name = "inputs",
         .dtype = DTYPE_I64,
         .rank = 3,
         .shape = {a->N, a->T, fields},
         .data = a->inputs,
         .size = (size_t)(a->N * a->T * fields) * sizeof(int64_t)},
        {.name = "padding",
         .dtype = DTYPE_U8,
         .rank = 2,
         .shape = {a->N, a->T},
         .data = set->padding,
         .size = (size_t)(a->N * a->T)},
    };
    struct safetensors_meta meta[META];
    struct safetensors out = {
        .count = set->padding ? TENSORS : TENSORS - 1, .tensor = list, .meta = meta};
    out.meta_count = describe(e, meta);
    scope_check(x, safetensors_write(path, &out, NULL, x->message));
}

void export_attention(struct scope *x, int64_t trial_id, long examples, const char *path)
{
    x->what = "the attention; use fewer --examples";
    struct export *e = arena_alloc(&x->arena, 1, sizeof *e);
    e->maps = attention_maps_new(x, trial_id, examples, false);
    scope_check(x, store_sweep_name(x->store, e->maps->due.list->sweep_id, e->sweep, x->message));
    write_file(x, e, path);
}
