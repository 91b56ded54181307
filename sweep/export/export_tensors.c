#include "sweep/export/export_tensors.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/db/rows.h"
#include "sweep/worker/data.h"
#include "sweep/worker/result.h"
#include "sweep/worker/trial_files.h"

enum { META_MAX = 10, PATH_SIZE = 4096 };

/* A finished trial: what the database says of it, and its result file. */
struct finished {
    char path[PATH_SIZE], sweep[256], trial[32], seed_text[32], test_acc[32];
    char stored_sha256[65], config_sha256[65];
    uint32_t seed;
    int64_t n_params;
    struct result_file file;
};

static enum status finished_find(struct store *s, int64_t trial_id, struct finished *t,
                                 struct message *m)
{
    enum { STATE, SWEEP, SEED, TEST_ACC, WEIGHTS, WEIGHTS_SHA256, CONFIG_SHA256, PARAMS };
    enum status status = STATUS_OK;
    struct rows r = rows_open(s, m,
                              "SELECT state, sweep, seed, test_acc, checkpoint, checkpoint_sha256,"
                              " config_sha256, n_params"
                              " FROM trials WHERE trial_id = ?1",
                              VALUES(INTEGER(trial_id)));
    if (!rows_next(&r)) {
        status = r.status == STATUS_OK
                     ? status_fail(m, STATUS_BAD_INPUT, "there is no trial %" PRId64, trial_id)
                     : r.status;
    } else if (!rows_null(&r, TEST_ACC) && rows_null(&r, WEIGHTS)) {
        status = status_fail(m, STATUS_BAD_INPUT,
                             "the weights of trial %" PRId64 " were removed by gc --out-of-plan",
                             trial_id);
    } else if (rows_null(&r, TEST_ACC)) {
        status = status_fail(m, STATUS_BAD_INPUT,
                             "trial %" PRId64
                             " is %s and has no weights; only completed trials have them",
                             trial_id, rows_text(&r, STATE));
    } else {
        status = trial_weights_path(store_folder(s), trial_id, rows_text(&r, WEIGHTS), t->path,
                                    sizeof t->path, m);
        snprintf(t->sweep, sizeof t->sweep, "%s", rows_text(&r, SWEEP));
        snprintf(t->trial, sizeof t->trial, "%" PRId64, trial_id);
        t->seed = (uint32_t)rows_integer(&r, SEED);
        snprintf(t->seed_text, sizeof t->seed_text, "%" PRIu32, t->seed);
        snprintf(t->test_acc, sizeof t->test_acc, "%.17g", rows_real(&r, TEST_ACC));
        snprintf(t->stored_sha256, sizeof t->stored_sha256, "%s",
                 rows_null(&r, WEIGHTS_SHA256) ? "" : rows_text(&r, WEIGHTS_SHA256));
        snprintf(t->config_sha256, sizeof t->config_sha256, "%s", rows_text(&r, CONFIG_SHA256));
        t->n_params = rows_integer(&r, PARAMS);
    }
    return rows_close_after(&r, status);
}

static enum status finished_open(struct store *s, int64_t trial_id, struct finished *t,
                                 struct message *m)
{
    enum status status = finished_find(s, trial_id, t, m);
    if (status != STATUS_OK)
        return status;
    struct result_owner owner = {t->config_sha256, t->seed, t->n_params};
    status = result_open(t->path, &owner, &t->file, m);
    if (status != STATUS_OK)
        return status_fail_within(m, status, "weights of trial %" PRId64 ": ", trial_id);
    if (t->stored_sha256[0] && strcmp(t->stored_sha256, t->file.sha256) != 0) {
        result_close(&t->file);
        return status_fail(
            m, STATUS_CORRUPT,
            "%s is not the file that the database recorded (SHA-256 %s, not %s); restore a copy",
            t->path, t->file.sha256, t->stored_sha256);
    }
    return STATUS_OK;
}

/* Everything an export needs, in one place that survives a longjmp out of the arena. */
struct export
{
    struct store *store;
    int64_t trial_id;
    const struct prune_options *smaller; /* NULL: the whole model */
    struct arena arena;
    struct finished finished;
    struct data_place place; /* of the file that it learned from */
    struct study_due due;    /* of a smaller model: its trial */
    struct point point;
    struct data *data;
    struct trainer *trainer;  /* of the model that is exported */
    struct text_buffer heads; /* of a smaller model: JSON, [[0,3],[1]] */
    int32_t *predicted;
    int64_t *numbers; /* inputs, targets, predictions, one after the other */
    char fields[1024];
};

/* ---- the model ---- */

/* The trial's encoder with its stored weights. */
static enum status build_whole(struct export *x, struct message *m)
{
    enum status s = point_parse(x->finished.file.config, &x->point, m);
    if (s == STATUS_OK)
        s = data_new(&x->arena, &x->point, x->finished.seed, &x->place, &x->data, m);
    if (s == STATUS_OK)
        s = trainer_new(&x->arena, &x->point.model, data_io(x->data), &x->point.train,
                        x->finished.seed, data_fill, x->data, &x->trainer, m);
    if (s == STATUS_OK)
        s = result_weights(&x->finished.file, &x->trainer->encoder->nn, m);
    if (s == STATUS_OK)
        s = data_draw(x->data, m);
    return s;
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

/* Which steps of fine-tuning are the best: as the trial's own. */
static enum status find_metric(struct export *x, struct prune_options *o, struct message *m)
{
    struct rows r = rows_open(x->store, m, "SELECT metric FROM sweep WHERE sweep_id = ?1",
                              VALUES(INTEGER(x->due.list[0].sweep_id)));
    if (rows_next(&r))
        metric_find(rows_given(&r, 0), &o->metric);
    return rows_close(&r);
}

/* The same with fewer heads, as study `prune` makes it. */
static enum status build_smaller(struct export *x, struct message *m)
{
    struct study_model *model;
    struct pruner *p;
    struct metrics test = {0};
    struct prune_options o = *x->smaller;
    enum status s = store_study_due(x->store, 0, x->trial_id, study_prune.name, NULL, &x->due, m);
    if (s == STATUS_OK)
        s = find_metric(x, &o, m);
    if (s == STATUS_OK)
        s = study_model_load(&x->arena, store_folder(x->store), &x->place, x->due.list,
                             MODEL_TRAINING, &model, m);
    if (s != STATUS_OK)
        return s;
    x->data = model->data;
    s = prune_to(&x->arena, model, &o, &p, m);
    if (s == STATUS_OK)
        s = prune_smaller(&x->arena, model, p->keep, &o, &x->trainer, m);
    if (s != STATUS_OK)
        return s;
    x->point = model->point;
    trainer_evaluate(x->trainer, data_test(x->data), &test);
    snprintf(x->finished.test_acc, sizeof x->finished.test_acc, "%.17g", test.acc);
    list_heads(x->trainer->encoder, &x->heads);
    return x->heads.out_of_memory ? status_no_memory(m, "the export") : STATUS_OK;
}

/* ---- the files ---- */

/* The metadata both files carry; returns how many entries. */
static int describe(const struct export *x, const char *format, const char *kind,
                    struct safetensors_meta meta[META_MAX])
{
    const struct finished *t = &x->finished;
    int n = 0;
    meta[n++] = (struct safetensors_meta){"format", format};
    if (kind)
        meta[n++] = (struct safetensors_meta){"headcount", kind};
    meta[n++] = (struct safetensors_meta){"config", t->file.config};
    meta[n++] = (struct safetensors_meta){"sweep", t->sweep};
    meta[n++] = (struct safetensors_meta){"trial", t->trial};
    meta[n++] = (struct safetensors_meta){"seed", t->seed_text};
    meta[n++] = (struct safetensors_meta){"test_acc", t->test_acc};
    if (x->smaller)
        meta[n++] = (struct safetensors_meta){"heads", x->heads.text};
    return n;
}

static int64_t *widen(int64_t *to, const int32_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
    return to + n;
}

void export_field_names(const struct encoder_io *io, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "[");
    for (int f = 0; f < io->fields && used < size; f++)
        used += (size_t)snprintf(text + used, size - used, "%s\"%s\"", f ? "," : "", io->field[f]);
    if (used < size)
        snprintf(text + used, size - used, "]");
}

/* The weights as the result file has them. */
static enum status write_stored(struct export *x, const char *path, struct message *m)
{
    const struct safetensors *stored = &x->finished.file.file.list;
    struct safetensors_meta meta[META_MAX];
    struct safetensors out = {.count = stored->count,
                              .tensor = stored->tensor,
                              .meta_count = describe(x, "pt", "weights.1", meta),
                              .meta = meta};
    return safetensors_write(path, &out, NULL, m);
}

/* The weights of a smaller model, as the encoder has them. */
static enum status write_smaller(struct export *x, const char *path, struct message *m)
{
    const struct nn *nn = &x->trainer->encoder->nn;
    struct safetensors_meta meta[META_MAX];
    struct safetensors out = {.count = nn->count, .meta = meta};
    out.tensor = arena_alloc(&x->arena, (size_t)nn->count, sizeof *out.tensor);
    result_tensors(nn, out.tensor);
    out.meta_count = describe(x, "pt", "weights.1", meta);
    return safetensors_write(path, &out, NULL, m);
}

static enum status write_testset(struct export *x, const char *path, struct message *m)
{
    const struct encoder_io *io = data_io(x->data);
    const struct task_shape *shape = data_shape(x->data);
    const struct examples *set = data_test(x->data);
    int64_t N = set->n;
    int64_t T = shape->length;
    size_t inputs = (size_t)(N * T * shape->fields);
    size_t targets = (size_t)(N * shape->slots * (shape->per_sequence ? 1 : T));
    x->predicted = arena_alloc(&x->arena, targets, sizeof *x->predicted);
    trainer_predict(x->trainer, set, x->predicted);
    x->numbers = arena_alloc(&x->arena, inputs + 2 * targets, sizeof *x->numbers);
    int64_t *wide_targets = widen(x->numbers, set->tokens, inputs);
    int64_t *wide_predicted = widen(wide_targets, set->targets, targets);
    widen(wide_predicted, x->predicted, targets);

    struct safetensor list[4] = {{.name = "inputs",
                                  .dtype = DTYPE_I64,
                                  .rank = 3,
                                  .shape = {N, T, shape->fields},
                                  .data = x->numbers,
                                  .size = inputs * sizeof(int64_t)},
                                 {.name = "targets",
                                  .dtype = DTYPE_I64,
                                  .rank = 3,
                                  .shape = {N, T, shape->slots},
                                  .data = wide_targets,
                                  .size = targets * sizeof(int64_t)}};
    if (shape->per_sequence) {
        list[1].rank = 2;
        list[1].shape[1] = shape->slots;
    }
    list[2] = list[1];
    list[2].name = "predictions";
    list[2].data = wide_predicted;
    int count = 3;
    if (set->padding)
        list[count++] = (struct safetensor){.name = "padding",
                                            .dtype = DTYPE_U8,
                                            .rank = 2,
                                            .shape = {N, T},
                                            .data = set->padding,
                                            .size = (size_t)(N * T)};
    struct safetensors_meta meta[META_MAX];
    struct safetensors out = {.count = count, .tensor = list, .meta = meta};
    export_field_names(io, x->fields, sizeof x->fields);
    out.meta_count = describe(x, "headcount.testset.1", NULL, meta);
    meta[out.meta_count++] = (struct safetensors_meta){"fields", x->fields};
    return safetensors_write(path, &out, NULL, m);
}

/* Builds the model where the file needs it, and writes. An arena that runs out of memory comes back
 * here. */
static enum status write_guarded(struct export *x, bool testset, const char *path,
                                 struct message *m)
{
    jmp_buf exhausted;
    arena_init(&x->arena, &exhausted);
    if (setjmp(exhausted) != 0)
        return status_fail(m, STATUS_NO_MEMORY, "no memory to rebuild trial %" PRId64, x->trial_id);
    enum status s = store_config_data(x->store, x->finished.config_sha256, &x->place, m);
    if (s == STATUS_OK)
        s = x->smaller ? build_smaller(x, m) : build_whole(x, m);
    if (s != STATUS_OK)
        return s;
    return testset ? write_testset(x, path, m) : write_smaller(x, path, m);
}

static enum status write_file(struct store *s, int64_t trial_id,
                              const struct prune_options *smaller, bool testset, const char *path,
                              struct message *m)
{
    struct export *x = calloc(1, sizeof *x);
    if (!x)
        return status_fail(m, STATUS_NO_MEMORY, "no memory to export trial %" PRId64, trial_id);
    x->store = s;
    x->trial_id = trial_id;
    x->smaller = smaller;
    enum status status = finished_open(s, trial_id, &x->finished, m);
    if (status == STATUS_OK) {
        status = testset || smaller ? write_guarded(x, testset, path, m) : write_stored(x, path, m);
        data_close(x->data);
        arena_free(&x->arena);
        result_close(&x->finished.file);
    }
    free(x->due.list);
    free(x->heads.text);
    free(x);
    return status;
}

enum status export_weights(struct store *s, int64_t trial_id, const struct prune_options *smaller,
                           const char *path, struct message *m)
{
    return write_file(s, trial_id, smaller, false, path, m);
}

enum status export_testset(struct store *s, int64_t trial_id, const struct prune_options *smaller,
                           const char *path, struct message *m)
{
    return write_file(s, trial_id, smaller, true, path, m);
}
