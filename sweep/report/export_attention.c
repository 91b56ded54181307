#include "sweep/report/export_attention.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/safetensors.h"
#include "engine/measures/probe.h"
#include "sweep/report/export_tensors.h"
#include "sweep/store/rows.h"
#include "sweep/study/model.h"

enum { MOST_BYTES = 1 << 30, META = 10, TENSORS = 3 };

/* In one place that survives a longjmp out of the arena. */
struct export
{
    struct arena arena;
    struct study_due due; /* its one trial */
    struct study_model *model;
    long L, H, N, T;
    float *attention; /* (L,H,N,T,T) */
    int64_t *inputs;  /* (N,T,fields) */
    char sweep[256], config[POINT_JSON_MAX], fields[1024], examples[80];
    char number[4][24];
};

static enum status check_size(struct export *e, struct message *m)
{
    const struct examples *set = data_val(e->model->data);
    double each = (double)e->L * (double)e->H * (double)e->T * (double)e->T * sizeof(float);
    if (e->N > set->n)
        return status_fail(m, STATUS_BAD_INPUT,
                           "the validation set has %ld sequences, not %ld; --examples %ld", set->n,
                           e->N, set->n);
    if (each * (double)e->N <= MOST_BYTES)
        return STATUS_OK;
    if (each > MOST_BYTES)
        return status_fail(m, STATUS_BAD_INPUT,
                           "the attention of %ld layers of %ld heads over one sequence of length "
                           "%ld takes %.1f GiB; at most 1 GiB is exported",
                           e->L, e->H, e->T, each / (1 << 30));
    return status_fail(m, STATUS_BAD_INPUT,
                       "the attention over %ld sequences takes %.1f GiB; at most 1 GiB is "
                       "exported: --examples %ld or fewer",
                       e->N, each * (double)e->N / (1 << 30), (long)(MOST_BYTES / each));
}

/* The weights of one layer for a slice, given (B,H,T,T), go where their head and sequence are. */
static void put_layer(struct export *e, long layer, long first, long B, const real *weights)
{
    long map = e->T * e->T;
    for (long b = 0; b < B; b++)
        for (long h = 0; h < e->H; h++) {
            float *to = e->attention + ((layer * e->H + h) * e->N + first + b) * map;
            const real *from = weights + (b * e->H + h) * map;
            for (long i = 0; i < map; i++)
                to[i] = (float)from[i];
        }
}

static enum status compute(struct export *e, struct message *m)
{
    struct examples set = *data_val(e->model->data);
    const struct encoder_io *io = data_io(e->model->data);
    size_t inputs = (size_t)(e->N * e->T * io->fields);
    struct probe *p;
    set.n = e->N;
    enum status s = probe_new(&e->arena, e->model->encoder, &set, false, &p, m);
    if (s != STATUS_OK)
        return s;
    size_t size = (size_t)(e->H * e->T * e->T);
    e->attention = arena_alloc(&e->arena, (size_t)(e->L * e->N) * size, sizeof *e->attention);
    real *weights = arena_alloc(&e->arena, (size_t)p->slice * size, sizeof *weights);
    for (long first = 0; first < e->N; first += p->slice) {
        probe_forward(p, first);
        for (long l = 0; l < e->L; l++) {
            const struct node *n = p->heads.attention[l];
            struct attention a = op_attention_setting(n, &p->pass);
            void *scratch = aligned_alloc(ARENA_ALIGNMENT, op_attention_scratch(&a));
            if (!scratch)
                return status_fail(m, STATUS_NO_MEMORY, "no memory for the attention");
            p->pass.kernels->attention_weights(&a, n->in[0]->data, n->saved, weights, scratch);
            free(scratch);
            put_layer(e, l, first, p->pass.batch, weights);
        }
    }
    e->inputs = arena_alloc(&e->arena, inputs, sizeof *e->inputs);
    for (size_t i = 0; i < inputs; i++)
        e->inputs[i] = set.tokens[i];
    return STATUS_OK;
}

static int describe(struct export *e, struct safetensors_meta meta[META])
{
    const struct study_trial *t = e->model->trial;
    const int64_t number[] = {t->heads, t->trial_id, t->seed, t->best_step};
    for (int i = 0; i < 4; i++)
        snprintf(e->number[i], sizeof e->number[i], "%" PRId64, number[i]);
    point_json(&e->model->point, e->config);
    export_field_names(data_io(e->model->data), e->fields, sizeof e->fields);
    snprintf(e->examples, sizeof e->examples, "the first %ld sequences of the validation set",
             e->N);
    const struct safetensors_meta all[] = {
        {"format", "headcount.attention.1"},
        {"config", e->config},
        {"task", e->model->point.task->name},
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

static enum status write_file(struct export *e, const char *path, struct message *m)
{
    const struct examples *set = data_val(e->model->data);
    long fields = data_io(e->model->data)->fields;
    size_t map = (size_t)(e->T * e->T);
    struct safetensor list[TENSORS] = {
        {.name = "attention",
         .dtype = DTYPE_F32,
         .rank = 5,
         .shape = {e->L, e->H, e->N, e->T, e->T},
         .data = e->attention,
         .size = (size_t)(e->L * e->H * e->N) * map * sizeof(float)},
        {.name = "inputs",
         .dtype = DTYPE_I64,
         .rank = 3,
         .shape = {e->N, e->T, fields},
         .data = e->inputs,
         .size = (size_t)(e->N * e->T * fields) * sizeof(int64_t)},
        {.name = "padding",
         .dtype = DTYPE_U8,
         .rank = 2,
         .shape = {e->N, e->T},
         .data = set->padding,
         .size = (size_t)(e->N * e->T)},
    };
    struct safetensors_meta meta[META];
    struct safetensors out = {
        .count = set->padding ? TENSORS : TENSORS - 1, .tensor = list, .meta = meta};
    out.meta_count = describe(e, meta);
    return safetensors_write(path, &out, NULL, m);
}

/* Fills e from the results file and the stored weights. */
static enum status load(struct export *e, struct store *s, int64_t trial_id, struct message *m)
{
    enum status status = store_study_due(s, 0, trial_id, "heads", NULL, &e->due, m);
    if (status != STATUS_OK)
        return status;
    struct rows r = rows_open(s, m, "SELECT name FROM sweep WHERE sweep_id = ?1",
                              VALUES(INTEGER(e->due.list->sweep_id)));
    if (rows_next(&r))
        rows_copy(&r, 0, e->sweep, sizeof e->sweep);
    status = rows_close(&r);
    if (status == STATUS_OK)
        status = study_model_load(&e->arena, store_folder(s), e->due.list, false, &e->model, m);
    if (status != STATUS_OK)
        return status;
    e->L = (long)e->model->point.model.layers;
    e->H = (long)e->model->point.model.heads;
    e->T = data_io(e->model->data)->length;
    return check_size(e, m);
}

enum status export_attention(struct store *s, int64_t trial_id, long examples, const char *path,
                             struct message *m)
{
    jmp_buf exhausted;
    struct export *e = calloc(1, sizeof *e);
    if (!e)
        return status_fail(m, STATUS_NO_MEMORY, "no memory to export trial %" PRId64, trial_id);
    enum status status;
    e->N = examples;
    arena_init(&e->arena, &exhausted);
    if (setjmp(exhausted) != 0) {
        status = status_fail(m, STATUS_NO_MEMORY,
                             "no memory for the attention of trial %" PRId64 "; fewer --examples "
                             "take less",
                             trial_id);
    } else {
        status = load(e, s, trial_id, m);
        if (status == STATUS_OK)
            status = compute(e, m);
        if (status == STATUS_OK)
            status = write_file(e, path, m);
    }
    arena_free(&e->arena);
    free(e->due.list);
    free(e);
    return status;
}
