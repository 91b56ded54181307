/* The table of measures, and one pass over a set of examples that takes them all. */
#include <math.h>
#include <string.h>

#include "engine/base/heartbeat.h"
#include "engine/measures/measure.h"
#include "engine/measures/probe.h"

const struct measure *const measure_table[] = {
#define MEASURE(name) &measure_##name,
#include "engine/measures/measures.def"
#undef MEASURE
    NULL,
};
enum { MEASURES = sizeof measure_table / sizeof measure_table[0] - 1 };

const char *measure_level_table(enum measure_level level)
{
    static const char *const names[MEASURE_LEVELS] = {
        [MEASURE_HEAD] = "head_metric",
        [MEASURE_LAYER] = "layer_metric",
        [MEASURE_SLOT] = "head_slot",
    };
    return names[level];
}

const struct measure_column *measure_column(enum measure_level level, int i)
{
    for (int k = 0; k < MEASURES; k++)
        if (measure_table[k]->level == level)
            for (const struct measure_column *c = measure_table[k]->columns; c->name; c++)
                if (i-- == 0)
                    return c;
    return NULL;
}

/* What is kept of one layer between slices. */
struct layer_state {
    struct measure_view view;
    double *kept[MEASURES]; /* NULL: the measure is not taken */
    size_t size[MEASURES];
};

struct measurer {
    struct probe *plain;     /* for inference: weights, ablation */
    struct probe *gradients; /* NULL: none are taken */
    const int32_t *sources;
    long sources_each; /* numbers per sequence */
    bool cheap_only;
    struct layer_state *layer; /* (L) */
    long *heads;               /* (L) */
    double **gradient;         /* (L): (B,H) */
    int32_t *keys;             /* (B,T) of one slice */
    real *weights;             /* of `together` sequences */
    long together;
    void *scratch;
    double *ablated_loss;   /* (H) of the widest layer */
    int64_t *ablated_right; /* (H) */
};

static bool is_taken(const struct measure *measure, bool cheap_only, bool sources)
{
    bool cheap = !(measure->needs & (MEASURE_GRADIENTS | MEASURE_ABLATION));
    return (cheap || !cheap_only) && (sources || !(measure->needs & MEASURE_SOURCES));
}

/* Of no sequence yet. */
static struct attention layer_attention(const struct probe *p, long layer)
{
    return op_attention_setting(p->heads.attention[layer], &(struct pass){.batch = 0});
}

static void layer_new(struct arena *a, struct measurer *r, long l)
{
    struct layer_state *s = &r->layer[l];
    s->view = (struct measure_view){
        .encoder = r->plain->encoder,
        .layer = l,
        .attention = layer_attention(r->plain, l),
        .slots = r->plain->encoder->io.slots,
    };
    for (int k = 0; k < MEASURES; k++) {
        const struct measure *measure = measure_table[k];
        if (!is_taken(measure, r->cheap_only, r->sources != NULL))
            continue;
        s->size[k] = measure->kept ? measure->kept(&s->view) : 0;
        s->kept[k] = arena_alloc(a, s->size[k] + 1, sizeof(double));
    }
    if (r->gradients)
        r->gradient[l] =
            arena_alloc(a, (size_t)(r->gradients->slice * r->heads[l]), sizeof(double));
}

/* The weights of as many sequences at once as stay in the cache with them. */
static void weights_new(struct arena *a, struct measurer *r)
{
    const long cache = 1 << 18, L = (long)r->plain->encoder->config.layers;
    const long T = r->plain->encoder->io.length;
    long most = 0;
    size_t scratch = 0;
    for (long l = 0; l < L; l++)
        most = r->heads[l] > most ? r->heads[l] : most;
    long bytes = most * T * T * (long)sizeof(real);
    r->together = bytes > 0 && bytes < cache ? cache / bytes : 1;
    if (r->together > r->plain->slice)
        r->together = r->plain->slice;
    for (long l = 0; l < L; l++) {
        if (r->heads[l] == 0)
            continue;
        struct attention few = layer_attention(r->plain, l);
        few.B = r->together;
        size_t needed = op_attention_scratch(&few);
        scratch = needed > scratch ? needed : scratch;
    }
    r->weights = arena_alloc(a, (size_t)(r->together * most * T * T) + 1, sizeof *r->weights);
    r->scratch = arena_alloc(a, scratch + 1, 1);
    r->ablated_loss = arena_alloc(a, (size_t)most + 1, sizeof *r->ablated_loss);
    r->ablated_right = arena_alloc(a, (size_t)most + 1, sizeof *r->ablated_right);
}

enum status measurer_new(struct arena *a, const struct encoder *e, const struct examples *set,
                         const int32_t *sources, bool cheap_only, struct measurer **out,
                         struct message *m)
{
    struct measurer *r = *out = arena_alloc(a, 1, sizeof *r);
    size_t L = (size_t)e->config.layers;
    r->sources = sources;
    r->sources_each = e->io.slots * (e->config.pool == POOL_NONE ? e->io.length : 1);
    r->cheap_only = cheap_only;
    enum status s = probe_new(a, e, set, false, &r->plain, m);
    if (s == STATUS_OK && !cheap_only)
        s = probe_new(a, e, set, true, &r->gradients, m);
    if (s != STATUS_OK)
        return s;
    r->layer = arena_alloc(a, L, sizeof *r->layer);
    r->heads = arena_alloc(a, L, sizeof *r->heads);
    r->gradient = arena_alloc(a, L, sizeof *r->gradient);
    r->keys = arena_alloc(a, (size_t)(r->plain->slice * e->io.length), sizeof *r->keys);
    for (size_t l = 0; l < L; l++) {
        r->heads[l] = probe_heads(r->plain, (long)l);
        if (r->heads[l] > 0)
            layer_new(a, r, (long)l);
    }
    weights_new(a, r);
    return STATUS_OK;
}

/* keys (B,T): how many keys a query sees; 0 where it is padding itself. */
static void count_keys(const struct attention *a, int32_t *keys)
{
    for (long b = 0; b < a->B; b++) {
        const uint8_t *padding = a->padding ? a->padding + b * a->T : NULL;
        int32_t all = 0, before = 0;
        for (long t = 0; t < a->T; t++)
            all += !padding || !padding[t];
        for (long t = 0; t < a->T; t++) {
            bool there = !padding || !padding[t];
            before += there;
            keys[b * a->T + t] = !there ? 0 : a->causal ? before : all;
        }
    }
}

/* Lets those measures of a layer that need the weights, or those that do not, add what its view
 * shows. */
static void add_all(struct layer_state *s, bool weights)
{
    for (int k = 0; k < MEASURES; k++) {
        const struct measure *measure = measure_table[k];
        if (s->kept[k] && measure->add && weights == ((measure->needs & MEASURE_WEIGHTS) != 0))
            measure->add(&s->view, s->kept[k]);
    }
}

/* Points the view of layer l at `count` sequences of the slice that ran, from its b-th on. */
static struct measure_view *look(struct measurer *r, long l, long b, long count)
{
    const struct node *n = r->plain->heads.attention[l];
    struct pass pass = r->plain->pass;
    struct measure_view *v = &r->layer[l].view;
    pass.batch = count;
    struct attention a = op_attention_setting(n, &pass);
    if (a.padding)
        a.padding += b * a.T;
    v->attention = a;
    v->qkv = n->in[0]->data + b * a.T * attention_row(&a);
    v->output = n->out->data + b * a.T * a.H * a.d_v;
    v->keys = r->keys + b * a.T;
    if (r->sources)
        v->sources = r->sources + (pass.first + b) * r->sources_each;
    return v;
}

/* A few sequences at a time, so that their weights stay in the cache. */
static void add_weights(struct measurer *r, long l)
{
    const struct pass *p = &r->plain->pass;
    for (long b = 0; b < p->batch; b += r->together) {
        long count = p->batch - b < r->together ? p->batch - b : r->together;
        struct measure_view *v = look(r, l, b, count);
        const struct attention *a = &v->attention;
        p->kernels->attention_weights(a, v->qkv, r->weights, r->scratch);
        v->weights = r->weights;
        add_all(&r->layer[l], true);
        v->weights = NULL;
        heartbeat();
    }
}

/* What the measures see of a slice at once. Ablation leaves the layers behind changed, so that the
 * last one must come first. */
static void add_slice(struct measurer *r, long first)
{
    probe_forward(r->plain, first);
    if (r->gradients) {
        probe_forward(r->gradients, first);
        probe_backward(r->gradients, r->gradient);
    }
    int64_t right, targets = probe_targets(r->plain, &right);
    bool counted = false;
    for (long l = r->plain->encoder->config.layers - 1; l >= 0; l--) {
        if (r->heads[l] == 0)
            continue;
        struct measure_view *v = look(r, l, 0, r->plain->pass.batch);
        if (!counted)
            count_keys(&v->attention, r->keys);
        counted = true;
        add_weights(r, l);
        look(r, l, 0, r->plain->pass.batch);
        for (long h = 0; h < r->heads[l] && !r->cheap_only; h++)
            r->ablated_loss[h] = probe_ablate(r->plain, l, h, &r->ablated_right[h]);
        v->gradient = r->gradient[l];
        v->ablated_loss = r->cheap_only ? NULL : r->ablated_loss;
        v->ablated_right = r->cheap_only ? NULL : r->ablated_right;
        v->targets = targets;
        add_all(&r->layer[l], false);
    }
}

static long rows_of(const struct measured *d, enum measure_level level, long layer)
{
    long heads = d->encoder->layer[layer].heads.heads;
    return level == MEASURE_LAYER ? heads > 0 : heads * (level == MEASURE_SLOT ? d->slots : 1);
}

static long columns_of(const struct measure *measure)
{
    long count = 0;
    while (measure->columns[count].name)
        count++;
    return count;
}

/* Where the values of a measure in a layer begin; of the measure after the last: their number. */
static size_t offset_of(const struct measured *d, int measure, long layer)
{
    size_t at = 0;
    for (int k = 0; k <= measure && k < MEASURES; k++)
        for (long l = 0; l < d->layers && !(k == measure && l == layer); l++)
            if (is_taken(measure_table[k], d->cheap_only, d->slots > 0))
                at +=
                    (size_t)(rows_of(d, measure_table[k]->level, l) * columns_of(measure_table[k]));
    return at;
}

/* NULL where the measure was not taken. */
static double *values_of(const struct measured *d, int measure, long layer)
{
    bool taken = is_taken(measure_table[measure], d->cheap_only, d->slots > 0);
    return taken ? d->value + offset_of(d, measure, layer) : NULL;
}

void measured_new(struct arena *a, const struct measurer *r, struct measured *d)
{
    *d = (struct measured){
        .encoder = r->plain->encoder,
        .layers = (long)r->plain->encoder->config.layers,
        .slots = r->sources ? r->plain->encoder->io.slots : 0,
        .cheap_only = r->cheap_only,
    };
    d->count = offset_of(d, MEASURES, 0);
    d->value = arena_alloc(a, d->count + 1, sizeof *d->value);
}

void measurer_take(struct measurer *r, struct measured *d)
{
    for (long l = 0; l < d->layers; l++)
        for (int k = 0; k < MEASURES; k++)
            if (r->layer[l].kept[k])
                memset(r->layer[l].kept[k], 0, r->layer[l].size[k] * sizeof(double));
    for (long first = 0; first < r->plain->set->n; first += r->plain->slice)
        add_slice(r, first);
    for (size_t i = 0; i < d->count; i++)
        d->value[i] = NAN;
    for (long l = 0; l < d->layers; l++) {
        r->layer[l].view.attention.B = 0;
        for (int k = 0; k < MEASURES; k++)
            if (r->layer[l].kept[k])
                measure_table[k]->value(&r->layer[l].view, r->layer[l].kept[k], values_of(d, k, l));
    }
}

enum status measures_take(struct arena *a, const struct encoder *e, const struct examples *set,
                          const int32_t *sources, bool cheap_only, struct measured *out,
                          struct message *m)
{
    struct measurer *r;
    enum status s = measurer_new(a, e, set, sources, cheap_only, &r, m);
    if (s != STATUS_OK)
        return s;
    measured_new(a, r, out);
    measurer_take(r, out);
    return STATUS_OK;
}

double measured_at(const struct measured *d, const char *column, long layer, long head, long slot)
{
    for (int k = 0; k < MEASURES; k++) {
        const struct measure *measure = measure_table[k];
        const double *value = values_of(d, k, layer);
        for (long c = 0; value && measure->columns[c].name && rows_of(d, measure->level, layer) > 0;
             c++) {
            if (strcmp(measure->columns[c].name, column) != 0)
                continue;
            long row = measure->level == MEASURE_HEAD   ? head
                       : measure->level == MEASURE_SLOT ? head * d->slots + slot
                                                        : 0;
            return value[row * columns_of(measure) + c];
        }
    }
    return NAN;
}

static void add_columns(const struct measured *d, enum measure_level level, long layer, long row,
                        struct json_writer *w)
{
    for (int k = 0; k < MEASURES; k++) {
        const struct measure *measure = measure_table[k];
        const double *value = measure->level == level ? values_of(d, k, layer) : NULL;
        for (long c = 0; value && measure->columns[c].name; c++)
            json_add_real(w, measure->columns[c].name, value[row * columns_of(measure) + c]);
    }
}

void measured_rows(const struct measured *d, enum measure_level level, int64_t step,
                   struct json_writer *w)
{
    for (long l = 0; l < d->layers; l++)
        for (long row = 0; row < rows_of(d, level, l); row++) {
            json_begin_object(w, NULL);
            if (step >= 0)
                json_add_integer(w, "step", step);
            json_add_integer(w, "layer", l);
            long head = level == MEASURE_SLOT ? row / d->slots : row;
            if (level != MEASURE_LAYER)
                json_add_integer(w, "head", d->encoder->layer[l].heads.origin[head]);
            if (level == MEASURE_SLOT)
                json_add_integer(w, "slot", row % d->slots);
            add_columns(d, level, l, row, w);
            json_end_object(w);
        }
}

void measured_json(const struct measured *d, struct json_writer *w)
{
    for (int level = 0; level < MEASURE_LEVELS; level++) {
        json_begin_list(w, measure_level_table(level));
        measured_rows(d, level, -1, w);
        json_end_list(w);
    }
}
