/* Multi-head scaled dot-product self-attention (Vaswani et al. 2017, eq. 1) from packed queries,
 * keys and values: what stands between in_proj and out_proj in nn.MultiheadAttention. */
#include <math.h>

#include "engine/ops/op.h"

/* in (B,T,H*d_k + G*(d_k + d_v)): queries of all heads, then G heads' keys, then their values;
 * out (B,T,H*d_v) */

struct tensor *graph_attention(struct graph *g, struct tensor *qkv,
                               struct attention_options options)
{
    return op_apply(g, &op_attention, &options, 1, &qkv);
}

static long kv_heads(const struct attention_options *o)
{
    return o->kv_heads ? o->kv_heads : o->heads;
}

/* Every head has keys and values to use. */
static bool served(const struct attention_options *o)
{
    const long G = kv_heads(o);
    if (!o->kv_of)
        return G >= 1 && o->heads % G == 0;
    for (long h = 0; h < o->heads; h++)
        if (o->kv_of[h] < 0 || o->kv_of[h] >= G)
            return false;
    return true;
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    const struct tensor *qkv = n->in[0];
    const struct attention_options *o = n->options;
    if (o->heads < 1 || !served(o))
        return op_mismatch(n, m, "needs keys and values for every head");
    if (!qkv || qkv->shape.rank != 3 || o->d_k < 1 || o->d_v < 1 ||
        tensor_width(qkv) != o->heads * o->d_k + kv_heads(o) * (o->d_k + o->d_v))
        return op_mismatch(n, m, "needs (B,T,H*d_k + G*(d_k + d_v))");
    *out = qkv->shape;
    out->dim[2] = o->heads * o->d_v;
    return STATUS_OK;
}

/* What the kernels save. An even number: what dropout keeps comes behind, in words of 64 bits. */
static long rows_saved(const struct node *n)
{
    const struct attention_options *o = n->options;
    return tensor_rows(n->out) * o->heads * ATTENTION_SAVED;
}

static long saved(const struct node *n, bool inference)
{
    const struct attention_options *o = n->options;
    long weights = tensor_rows(n->out) * o->heads * n->out->shape.dim[1];
    return rows_saved(n) + (inference ? 0 : op_dropout_saved(o->dropout, weights));
}

struct attention op_attention_of(const struct attention_options *o, long T, const struct pass *p)
{
    return (struct attention){
        .B = p->batch,
        .T = T,
        .H = o->heads,
        .G = kv_heads(o),
        .d_k = o->d_k,
        .d_v = o->d_v,
        .scale = (real)(1 / sqrt((double)o->d_k)),
        .kv_of = o->kv_of,
        .causal = o->causal,
        .padding = p->padding,
        .dropout = op_dropout(o->dropout, p, o->heads * T * T, NULL),
    };
}

struct attention op_attention_setting(const struct node *n, const struct pass *p)
{
    struct attention a = op_attention_of(n->options, n->out->shape.dim[1], p);
    if (a.dropout.probability > 0)
        a.dropout.kept = (const void *)(n->saved + rows_saved(n));
    return a;
}

size_t op_attention_scratch(const struct attention *a)
{
    size_t most = 0;
    const struct kernels *k;
    for (int i = 0; (k = kernels_available(i)); i++)
        if (k->attention_scratch(a) > most)
            most = k->attention_scratch(a);
    return (most + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
}

static size_t kernel_scratch(const struct node *n)
{
    const struct attention_options *o = n->options;
    struct attention a = op_attention_setting(n, &(struct pass){.batch = n->out->shape.dim[0]});
    a.dropout.probability = o->dropout.probability;
    return op_attention_scratch(&a);
}

static size_t scratch(const struct node *n)
{
    return kernel_scratch(n) + (size_t)tensor_size(n->in[0]) * sizeof(real);
}

static void forward(struct node *n, struct pass *p)
{
    struct attention a = op_attention_setting(n, p);
    op_dropout_draw(&a.dropout, p, a.B * a.H * a.T * a.T, n->saved + rows_saved(n));
    p->kernels->attention_forward(&a, n->in[0]->data, n->out->data, n->saved, p->scratch);
}

static void backward(struct node *n, struct pass *p)
{
    struct attention a = op_attention_setting(n, p);
    struct tensor *qkv = n->in[0];
    /* The kernel overwrites: where somebody wrote before, the share is made aside and added. */
    bool add = tensor_grad_beta(qkv) != 0;
    real *dqkv = add ? (real *)((char *)p->scratch + kernel_scratch(n)) : qkv->grad;
    p->kernels->attention_backward(&a, qkv->data, n->out->data, n->saved, n->out->grad, dqkv,
                                   p->scratch);
    if (add)
        p->kernels->add(pass_rows(qkv, p) * tensor_width(qkv), dqkv, 1, qkv->grad);
}

static const int32_t ragged[] = {1, 0, 1, 3, 3}; /* out of order, and nobody uses number 2 */

static const struct gradcheck_case cases[] = {
    {.name = "one head",
     .options = &(const struct attention_options){.heads = 1, .d_k = 4, .d_v = 4},
     .in = {SHAPE(3, 5, 12)}},
    {.name = "two heads",
     .options = &(const struct attention_options){.heads = 2, .d_k = 3, .d_v = 3},
     .in = {SHAPE(3, 5, 18)}},
    {.name = "d_k below d_v",
     .options = &(const struct attention_options){.heads = 2, .d_k = 1, .d_v = 4},
     .in = {SHAPE(3, 4, 12)}},
    {.name = "d_k above d_v",
     .options = &(const struct attention_options){.heads = 3, .d_k = 5, .d_v = 1},
     .in = {SHAPE(3, 4, 33)}},
    {.name = "padding",
     .options = &(const struct attention_options){.heads = 2, .d_k = 2, .d_v = 3},
     .in = {SHAPE(3, 5, 14)},
     .padding = true},
    {.name = "dropout",
     .options =
         &(const struct attention_options){.heads = 2, .d_k = 2, .d_v = 3, .dropout = {0.4, 9}},
     .in = {SHAPE(3, 5, 14)}},
    {.name = "dropout and padding",
     .options =
         &(const struct attention_options){.heads = 2, .d_k = 2, .d_v = 2, .dropout = {0.3, 1}},
     .in = {SHAPE(3, 5, 12)},
     .padding = true},
    {.name = "one position",
     .options = &(const struct attention_options){.heads = 2, .d_k = 2, .d_v = 2},
     .in = {SHAPE(3, 1, 12)}},
    {.name = "causal",
     .options = &(const struct attention_options){.heads = 2, .d_k = 3, .d_v = 2, .causal = true},
     .in = {SHAPE(3, 5, 16)}},
    {.name = "causal with dropout and padding",
     .options =
         &(const struct attention_options){
             .heads = 2, .d_k = 2, .d_v = 2, .causal = true, .dropout = {0.3, 1}},
     .in = {SHAPE(3, 5, 12)},
     .padding = true},
    {.name = "one head of keys for all",
     .options = &(const struct attention_options){.heads = 4, .kv_heads = 1, .d_k = 2, .d_v = 3},
     .in = {SHAPE(3, 5, 13)}},
    {.name = "grouped keys, causal, with dropout and padding",
     .options =
         &(const struct attention_options){
             .heads = 4, .kv_heads = 2, .d_k = 3, .d_v = 2, .causal = true, .dropout = {0.3, 2}},
     .in = {SHAPE(3, 5, 22)},
     .padding = true},
    {.name = "ragged groups",
     .options =
         &(const struct attention_options){
             .heads = 5, .kv_heads = 4, .d_k = 2, .d_v = 1, .kv_of = ragged, .causal = true},
     .in = {SHAPE(3, 4, 22)},
     .padding = true},
    {0},
};

const struct op op_attention = {
    .name = "attention",
    .options_size = sizeof(struct attention_options),
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .saved = saved,
    .scratch = scratch,
    .backward_reads = 1u << 0 | OP_READS_OUT,
    .cases = cases,
};
