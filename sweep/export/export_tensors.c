#include "sweep/export/export_tensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sweep/db/scope.h"

struct export
{
    struct scope *scope;
    const struct prune_options *smaller; /* NULL: the whole model */
    struct study_due due;                /* its one trial */
    struct result_file file;             /* of its weights */
    struct data *data;                   /* that the trial learned from, while it is open */
    struct study_model *model;
    struct trainer *trainer;  /* of the model that is exported */
    struct text_buffer heads; /* of a smaller model: JSON, [[0,3],[1]] */
    char sweep[STORE_NAME_SIZE], trial[32], seed[32], test_acc[32], fields[1024];
};

static void close_list(void *due)
{
    free(((struct study_due *)due)->list);
}

static void close_file(void *file)
{
    result_close(file);
}

static void close_data(void *data)
{
    data_close(data);
}

static struct export *export_new(struct scope *x, int64_t trial_id,
                                 const struct prune_options *smaller)
{
    struct message *m = x->message;
    struct export *e = arena_alloc(&x->arena, 1, sizeof *e);
    e->scope = x;
    e->smaller = smaller;
    scope_check(x, store_study_due(x->store, 0, trial_id, study_prune.name, NULL, &e->due, m));
    arena_on_free(&x->arena, close_list, &e->due);
    const struct study_trial *t = e->due.list;
    scope_check(x, store_sweep_name(x->store, t->sweep_id, e->sweep, m));
    scope_check(x, study_weights_open(store_folder(x->store), t, &e->file, m));
    arena_on_free(&x->arena, close_file, &e->file);
    snprintf(e->trial, sizeof e->trial, "%" PRId64, t->trial_id);
    snprintf(e->seed, sizeof e->seed, "%" PRIu32, t->seed);
    snprintf(e->test_acc, sizeof e->test_acc, "%.17g", t->test_acc);
    return e;
}

/* ---- the model ---- */

static void load(struct export *e, enum study_model_use use)
{
    struct scope *x = e->scope;
    struct data_place place;
    scope_check(x, store_config_data(x->store, e->due.list->config_sha256, &place, x->message));
    scope_check(x, study_model_load(&x->arena, store_folder(x->store), &place, e->due.list, use,
                                    &e->model, x->message));
}

/* The trial's encoder with its stored weights. */
static void build_whole(struct export *e)
{
    load(e, MODEL_GRADIENTS); /* as a trainer wants it */
    scope_check(e->scope,
                trainer_of(&e->scope->arena, e->model->encoder, &e->model->point.train,
                           e->due.list->seed, NULL, NULL, &e->trainer, e->scope->message));
}

static void list_heads(const struct encoder *e, struct text_buffer *text)
{
    for (long l = 0; l < e->config.layers; l++) {
        const struct encoder_heads *heads = &e->layer[l].heads;
        text_add(text, l ? ",[" : "[[");
        for (long h = 0; h < heads->heads; h++)
            text_add(text, "%s%d", h ? "," : "", heads->origin[h]);
        text_add(text, "]");
    }
    text_add(text, "]");
}

/* The same with fewer heads, as study `prune` makes it. */
static void build_smaller(struct export *e)
{
    struct scope *x = e->scope;
    struct pruner *p;
    struct metrics test = {0};
    struct prune_options o = *e->smaller;
    /* Which steps of fine-tuning are the best: as the trial's own. */
    struct rows *r = scope_rows(x, "SELECT metric FROM sweep WHERE sweep_id = ?1",
                                VALUES(INTEGER(e->due.list->sweep_id)));
    while (scope_next(x, r))
        metric_find(rows_given(r, 0), &o.metric);
    load(e, MODEL_TRAINING);
    arena_on_free(&x->arena, close_data, e->model->data);
    scope_check(x, prune_to(&x->arena, e->model, &o, &p, x->message));
    scope_check(x, prune_smaller(&x->arena, e->model, p->keep, &o, &e->trainer, x->message));
    trainer_evaluate(e->trainer, data_test(e->model->data), &test);
    snprintf(e->test_acc, sizeof e->test_acc, "%.17g", test.acc);
    e->heads = scope_text(x);
    list_heads(e->trainer->encoder, &e->heads);
}

/* ---- the files ---- */

/* Writes the tensors with their metadata; kind, fields: NULL where they have none. */
static void write_file(struct export *e, const char *path, const char *format, const char *kind,
                       const char *fields, int count, struct safetensor *tensor)
{
    const struct safetensors_meta all[] = {
        {"format", format},        {"headcount", kind},      {"config", e->file.config},
        {"sweep", e->sweep},       {"trial", e->trial},      {"seed", e->seed},
        {"test_acc", e->test_acc}, {"heads", e->heads.text}, {"fields", fields}};
    struct safetensors_meta meta[sizeof all / sizeof all[0]];
    struct safetensors out = {.count = count, .tensor = tensor, .meta = meta};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].value)
            meta[out.meta_count++] = all[i];
    scope_check(e->scope, safetensors_write(path, &out, NULL, e->scope->message));
}

/* As the result file has them, or of a smaller model as its encoder has them. */
static void write_weights(struct export *e, const char *path)
{
    const struct safetensors *stored = &e->file.file.list;
    if (!e->smaller) {
        write_file(e, path, "pt", "weights.1", NULL, stored->count, stored->tensor);
        return;
    }
    build_smaller(e);
    const struct nn *nn = &e->trainer->encoder->nn;
    struct safetensor *tensor = arena_alloc(&e->scope->arena, (size_t)nn->count, sizeof *tensor);
    result_tensors(nn, tensor);
    write_file(e, path, "pt", "weights.1", NULL, nn->count, tensor);
}

void export_field_names(const struct encoder_io *io, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "[");
    for (int f = 0; f < io->fields && used < size; f++)
        used += (size_t)snprintf(text + used, size - used, "%s\"%s\"", f ? "," : "", io->field[f]);
    if (used < size)
        snprintf(text + used, size - used, "]");
}

static const int64_t *widened(struct export *e, const int32_t *from, size_t n)
{
    int64_t *wide = arena_alloc(&e->scope->arena, n, sizeof *wide);
    for (size_t i = 0; i < n; i++)
        wide[i] = from[i];
    return wide;
}

static void write_testset(struct export *e, const char *path)
{
    (e->smaller ? build_smaller : build_whole)(e);
    const struct task_shape *shape = data_shape(e->model->data);
    const struct examples *set = data_test(e->model->data);
    int64_t N = set->n;
    int64_t T = shape->length;
    size_t inputs = (size_t)(N * T * shape->fields);
    size_t targets = (size_t)(N * shape->slots * (shape->per_sequence ? 1 : T));
    int32_t *predicted = arena_alloc(&e->scope->arena, targets, sizeof *predicted);
    trainer_predict(e->trainer, set, predicted);

    struct safetensor list[4] = {{.name = "inputs",
                                  .dtype = DTYPE_I64,
                                  .rank = 3,
                                  .shape = {N, T, shape->fields},
                                  .data = widened(e, set->tokens, inputs),
                                  .size = inputs * sizeof(int64_t)},
                                 {.name = "targets",
                                  .dtype = DTYPE_I64,
                                  .rank = 3,
                                  .shape = {N, T, shape->slots},
                                  .data = widened(e, set->targets, targets),
                                  .size = targets * sizeof(int64_t)}};
    if (shape->per_sequence) {
        list[1].rank = 2;
        list[1].shape[1] = shape->slots;
    }
    list[2] = list[1];
    list[2].name = "predictions";
    list[2].data = widened(e, predicted, targets);
    int count = 3;
    if (set->padding)
        list[count++] = (struct safetensor){.name = "padding",
                                            .dtype = DTYPE_U8,
                                            .rank = 2,
                                            .shape = {N, T},
                                            .data = set->padding,
                                            .size = (size_t)(N * T)};
    export_field_names(data_io(e->model->data), e->fields, sizeof e->fields);
    write_file(e, path, "headcount.testset.1", NULL, e->fields, count, list);
}

void export_weights(struct scope *x, int64_t trial_id, const struct prune_options *smaller,
                    const char *path)
{
    write_weights(export_new(x, trial_id, smaller), path);
}

void export_testset(struct scope *x, int64_t trial_id, const struct prune_options *smaller,
                    const char *path)
{
    write_testset(export_new(x, trial_id, smaller), path);
}
