#include "sweep/export/attention_maps.h"

#include <stdlib.h>

#include "engine/measures/probe.h"

enum { BYTES_MAX = 1 << 30 };

static void check_size(struct scope *x, struct attention_maps *a, bool fewer)
{
    const struct examples *set = data_val(a->model->data);
    double each = (double)a->L * (double)a->H * (double)a->T * (double)a->T * sizeof(float);
    if (fewer && a->N > set->n)
        a->N = (long)set->n;
    if (fewer && each <= BYTES_MAX && each * (double)a->N > BYTES_MAX)
        a->N = (long)(BYTES_MAX / each);
    if (a->N > set->n)
        scope_fail(x, STATUS_BAD_INPUT, "the validation set has %s, not %ld; use --examples %ld",
                   text_counted(set->n, "sequence").text, a->N, set->n);
    if (each > BYTES_MAX)
        scope_fail(x, STATUS_BAD_INPUT,
                   "the attention of %s of %s over one sequence of length %ld takes %.1f GiB; at "
                   "most 1 GiB is exported",
                   text_counted(a->L, "layer").text, text_counted(a->H, "head").text, a->T,
                   each / (1 << 30));
    if (each * (double)a->N > BYTES_MAX)
        scope_fail(x, STATUS_BAD_INPUT,
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

static void compute(struct scope *x, struct attention_maps *a)
{
    struct examples set = *data_val(a->model->data);
    const struct encoder_io *io = data_io(a->model->data);
    size_t inputs = (size_t)(a->N * a->T * io->fields);
    struct probe *p;
    set.n = a->N;
    scope_check(x, probe_new(&x->arena, a->model->encoder, &set, false, &p, x->message));
    size_t size = (size_t)(a->H * a->T * a->T);
    a->weights = arena_alloc(&x->arena, (size_t)(a->L * a->N) * size, sizeof *a->weights);
    real *weights = arena_alloc(&x->arena, (size_t)p->slice * size, sizeof *weights);
    for (long first = 0; first < a->N; first += p->slice) {
        probe_forward(p, first);
        for (long l = 0; l < a->L; l++) {
            const struct node *n = p->heads.attention[l];
            struct attention of = op_attention_setting(n, &p->pass);
            void *scratch = aligned_alloc(ARENA_ALIGNMENT, op_attention_scratch(&of));
            if (!scratch)
                scope_leave(x, status_no_memory(x->message, "the attention"));
            p->pass.kernels->attention_weights(&of, n->in[0]->data, weights, scratch);
            free(scratch);
            put_layer(a, l, first, p->pass.batch, weights);
        }
    }
    a->inputs = arena_alloc(&x->arena, inputs, sizeof *a->inputs);
    for (size_t i = 0; i < inputs; i++)
        a->inputs[i] = set.tokens[i];
}

static void free_list(void *due)
{
    free(((struct study_due *)due)->list);
}

struct attention_maps *attention_maps_new(struct scope *x, int64_t trial_id, long examples,
                                          bool fewer)
{
    struct attention_maps *a = arena_alloc(&x->arena, 1, sizeof *a);
    struct data_place data;
    scope_check(x, store_study_due(x->store, 0, trial_id, "heads", NULL, &a->due, x->message));
    arena_on_free(&x->arena, free_list, &a->due);
    scope_check(x, store_config_data(x->store, a->due.list->config_sha256, &data, x->message));
    scope_check(x, study_model_load(&x->arena, store_folder(x->store), &data, a->due.list,
                                    MODEL_FORWARD, &a->model, x->message));
    a->L = (long)a->model->point.model.layers;
    a->H = (long)a->model->point.model.heads;
    a->T = data_io(a->model->data)->length;
    a->N = examples;
    check_size(x, a, fewer);
    compute(x, a);
    return a;
}
