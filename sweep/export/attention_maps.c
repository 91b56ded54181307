#include "sweep/export/attention_maps.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>

#include "engine/measures/probe.h"

enum { BYTES_MAX = 1 << 30 };

static enum status check_size(struct attention_maps *a, bool fewer, struct message *m)
{
    const struct examples *set = data_val(a->model->data);
    double each = (double)a->L * (double)a->H * (double)a->T * (double)a->T * sizeof(float);
    if (fewer && a->N > set->n)
        a->N = (long)set->n;
    if (fewer && each <= BYTES_MAX && each * (double)a->N > BYTES_MAX)
        a->N = (long)(BYTES_MAX / each);
    if (a->N > set->n)
        return status_fail(m, STATUS_BAD_INPUT,
                           "the validation set has %s, not %ld; use --examples %ld",
                           text_counted(set->n, "sequence").text, a->N, set->n);
    if (each * (double)a->N <= BYTES_MAX)
        return STATUS_OK;
    if (each > BYTES_MAX)
        return status_fail(m, STATUS_BAD_INPUT,
                           "the attention of %s of %s over one sequence of length "
                           "%ld takes %.1f GiB; at most 1 GiB is exported",
                           text_counted(a->L, "layer").text, text_counted(a->H, "head").text, a->T,
                           each / (1 << 30));
    return status_fail(m, STATUS_BAD_INPUT,
                       "the attention over %ld sequences takes %.1f GiB, and at most 1 GiB is "
                       "exported; use --examples %ld or fewer",
                       a->N, each * (double)a->N / (1 << 30), (long)(BYTES_MAX / each));
}

/* The weights of one layer for a slice, given (B,H,T,T), go where their head and sequence are. */
static void put_layer(struct attention_maps *a, long layer, long first, long B, const real *weights)
{
    long map = a->T * a->T;
    for (long b = 0; b < B; b++)
        for (long h = 0; h < a->H; h++) {
            float *to = a->weights + ((layer * a->H + h) * a->N + first + b) * map;
            const real *from = weights + (b * a->H + h) * map;
            for (long i = 0; i < map; i++)
                to[i] = (float)from[i];
        }
}

static enum status compute(struct attention_maps *a, struct message *m)
{
    struct examples set = *data_val(a->model->data);
    const struct encoder_io *io = data_io(a->model->data);
    size_t inputs = (size_t)(a->N * a->T * io->fields);
    struct probe *p;
    set.n = a->N;
    enum status s = probe_new(&a->arena, a->model->encoder, &set, false, &p, m);
    if (s != STATUS_OK)
        return s;
    size_t size = (size_t)(a->H * a->T * a->T);
    a->weights = arena_alloc(&a->arena, (size_t)(a->L * a->N) * size, sizeof *a->weights);
    real *weights = arena_alloc(&a->arena, (size_t)p->slice * size, sizeof *weights);
    for (long first = 0; first < a->N; first += p->slice) {
        probe_forward(p, first);
        for (long l = 0; l < a->L; l++) {
            const struct node *n = p->heads.attention[l];
            struct attention of = op_attention_setting(n, &p->pass);
            void *scratch = aligned_alloc(ARENA_ALIGNMENT, op_attention_scratch(&of));
            if (!scratch)
                return status_no_memory(m, "the attention");
            p->pass.kernels->attention_weights(&of, n->in[0]->data, weights, scratch);
            free(scratch);
            put_layer(a, l, first, p->pass.batch, weights);
        }
    }
    a->inputs = arena_alloc(&a->arena, inputs, sizeof *a->inputs);
    for (size_t i = 0; i < inputs; i++)
        a->inputs[i] = set.tokens[i];
    return STATUS_OK;
}

static enum status load(struct attention_maps *a, struct store *s, int64_t trial_id,
                        struct message *m)
{
    struct data_place data;
    enum status status = store_study_due(s, 0, trial_id, "heads", NULL, &a->due, m);
    if (status == STATUS_OK)
        status = store_config_data(s, a->due.list->config_sha256, &data, m);
    if (status == STATUS_OK)
        status = study_model_load(&a->arena, store_folder(s), &data, a->due.list, MODEL_FORWARD,
                                  &a->model, m);
    if (status != STATUS_OK)
        return status;
    a->L = (long)a->model->point.model.layers;
    a->H = (long)a->model->point.model.heads;
    a->T = data_io(a->model->data)->length;
    return STATUS_OK;
}

enum status attention_maps_new(struct store *s, int64_t trial_id, long examples, bool fewer,
                               struct attention_maps **maps, struct message *m)
{
    jmp_buf exhausted;
    enum status status;
    struct attention_maps *a = *maps = calloc(1, sizeof *a);
    if (!a)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for the attention of trial %" PRId64,
                           trial_id);
    a->N = examples;
    arena_init(&a->arena, &exhausted);
    if (setjmp(exhausted) != 0) {
        status = status_fail(
            m, STATUS_NO_MEMORY,
            "no memory for the attention of trial %" PRId64 "; use fewer --examples", trial_id);
    } else {
        status = load(a, s, trial_id, m);
        if (status == STATUS_OK)
            status = check_size(a, fewer, m);
        if (status == STATUS_OK)
            status = compute(a, m);
    }
    if (status != STATUS_OK) {
        attention_maps_free(a);
        *maps = NULL;
    }
    return status;
}

void attention_maps_free(struct attention_maps *a)
{
    if (!a)
        return;
    arena_free(&a->arena);
    free(a->due.list);
    free(a);
}
