#include "sweep/report/export_tensors.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/run/data.h"
#include "sweep/run/result.h"
#include "sweep/store/rows.h"

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
        snprintf(t->path, sizeof t->path, "%s/%s", store_folder(s), rows_text(&r, WEIGHTS));
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
    enum status closed = rows_close(&r);
    return status == STATUS_OK ? closed : status;
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
        return status_fail(m, STATUS_CORRUPT,
                           "%s is not the file that the database recorded: SHA-256 is %s, not %s",
                           t->path, t->file.sha256, t->stored_sha256);
    }
    return STATUS_OK;
}

/* The metadata both files carry; returns how many entries. */
static int describe(const struct finished *t, const char *format, const char *kind,
                    struct safetensors_meta meta[META_MAX])
{
    int n = 0;
    meta[n++] = (struct safetensors_meta){"format", format};
    if (kind)
        meta[n++] = (struct safetensors_meta){"headcount", kind};
    meta[n++] = (struct safetensors_meta){"config", t->file.config};
    meta[n++] = (struct safetensors_meta){"sweep", t->sweep};
    meta[n++] = (struct safetensors_meta){"trial", t->trial};
    meta[n++] = (struct safetensors_meta){"seed", t->seed_text};
    meta[n++] = (struct safetensors_meta){"test_acc", t->test_acc};
    return n;
}

enum status export_weights(struct store *s, int64_t trial_id, const char *path, struct message *m)
{
    struct finished t = {0};
    struct safetensors_meta meta[META_MAX];
    enum status status = finished_open(s, trial_id, &t, m);
    if (status != STATUS_OK)
        return status;
    struct safetensors out = {.count = t.file.file.list.count,
                              .tensor = t.file.file.list.tensor,
                              .meta_count = describe(&t, "pt", "weights.1", meta),
                              .meta = meta};
    status = safetensors_write(path, &out, NULL, m);
    result_close(&t.file);
    return status;
}

/* Everything export_testset needs, in one place that survives a longjmp out of the arena. */
struct testset {
    struct arena arena;
    struct finished finished;
    struct point point;
    struct data *data;
    int32_t *predicted;
    int64_t *numbers; /* inputs, targets, predictions, one after the other */
    char fields[1024];
};

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

/* Rebuilds the trial's encoder, gives it the stored weights, and lets it answer its test set. */
static enum status testset_predict(struct testset *t, struct message *m)
{
    struct trainer *trainer;
    enum status s = point_parse(t->finished.file.config, &t->point, m);
    if (s != STATUS_OK)
        return s;
    s = data_new(&t->arena, &t->point, t->finished.seed, &t->data, m);
    if (s != STATUS_OK)
        return s;
    const struct encoder_io *io = data_io(t->data);
    s = trainer_new(&t->arena, &t->point.model, io, &t->point.train, t->finished.seed, data_fill,
                    t->data, &trainer, m);
    if (s == STATUS_OK)
        s = result_weights(&t->finished.file, &trainer->encoder->nn, m);
    if (s != STATUS_OK)
        return s;
    data_draw(t->data);
    const struct task_shape *shape = data_shape(t->data);
    const struct examples *set = data_test(t->data);
    size_t targets = (size_t)(set->n * shape->slots * (shape->per_sequence ? 1 : shape->length));
    t->predicted = arena_alloc(&t->arena, targets, sizeof *t->predicted);
    trainer_predict(trainer, set, t->predicted);
    return STATUS_OK;
}

static enum status testset_write(struct testset *t, const char *path, struct message *m)
{
    const struct encoder_io *io = data_io(t->data);
    const struct task_shape *shape = data_shape(t->data);
    const struct examples *set = data_test(t->data);
    int64_t N = set->n;
    int64_t T = shape->length;
    size_t inputs = (size_t)(N * T * shape->fields);
    size_t targets = (size_t)(N * shape->slots * (shape->per_sequence ? 1 : T));
    t->numbers = arena_alloc(&t->arena, inputs + 2 * targets, sizeof *t->numbers);
    int64_t *wide_targets = widen(t->numbers, set->tokens, inputs);
    int64_t *wide_predicted = widen(wide_targets, set->targets, targets);
    widen(wide_predicted, t->predicted, targets);

    struct safetensor list[4] = {{.name = "inputs",
                                  .dtype = DTYPE_I64,
                                  .rank = 3,
                                  .shape = {N, T, shape->fields},
                                  .data = t->numbers,
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
    export_field_names(io, t->fields, sizeof t->fields);
    out.meta_count = describe(&t->finished, "headcount.testset.1", NULL, meta);
    meta[out.meta_count++] = (struct safetensors_meta){"fields", t->fields};
    return safetensors_write(path, &out, NULL, m);
}

enum status export_testset(struct store *s, int64_t trial_id, const char *path, struct message *m)
{
    jmp_buf exhausted;
    struct testset *t = calloc(1, sizeof *t);
    if (!t)
        return status_fail(m, STATUS_NO_MEMORY, "no memory to export trial %" PRId64, trial_id);
    enum status status = finished_open(s, trial_id, &t->finished, m);
    if (status != STATUS_OK) {
        free(t);
        return status;
    }
    arena_init(&t->arena, &exhausted);
    if (setjmp(exhausted) != 0) {
        status = status_fail(m, STATUS_NO_MEMORY, "no memory to rebuild trial %" PRId64, trial_id);
    } else {
        status = testset_predict(t, m);
        if (status == STATUS_OK)
            status = testset_write(t, path, m);
    }
    arena_free(&t->arena);
    result_close(&t->finished.file);
    free(t);
    return status;
}
